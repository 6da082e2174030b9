"""The targets that can be named without code of the user: names, arguments, claims and one line each."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from privboost.errors import PrivboostError

from .mechanism import Bank, Claimed, first_sentence


@dataclass(frozen=True, slots=True)
class ListedTarget:
    """A target that can be audited by its name."""

    name: str
    """The target string without arguments."""
    arguments: tuple[str, ...]
    """Arguments that it accepts, as in `name(key=value, …)`; those with a default are key=default."""
    claim: str
    """What it claims by itself; empty if the claim depends on the arguments or has to be stated."""
    purpose: str
    installed: bool = True
    """Whether the project that it needs can be imported."""


def list_targets(kind: str) -> tuple[ListedTarget, ...]:
    """Return the targets of one of KINDS."""
    return tuple(KINDS[kind]())


def _banks(kind: str) -> Iterator[ListedTarget]:
    from . import broken, private

    bank: Bank = broken.MECHANISMS if kind == "broken" else private.MECHANISMS
    for name in bank:
        yield ListedTarget(f"{kind}:{name}", (), _claim_of(bank[name]), bank.purpose(name))


def _claim_of(target: Claimed) -> str:
    if target.claim is not None:
        return target.claim
    return f"eps:{target.epsilon:g}" + (f",delta:{target.delta:.3g}" if target.delta else "")


def _learners(kind: str) -> Iterator[ListedTarget]:
    from privboost.fast.protocol import PRESETS

    from .learners import DEFAULT, DEFAULT_SETTINGS, FITS, SAMPLERS, SETTINGS

    if DEFAULT.startswith(f"{kind}:"):
        purpose = "PrivateBoostedTreesClassifier with its default parameters: what a user gets."
        yield ListedTarget(DEFAULT, DEFAULT_SETTINGS, "eps:1", purpose)
    for name in PRESETS:
        purpose = f"{first_sentence(FITS[kind]).partition(';')[0].rstrip('.')}, under the protocol {name}."
        yield ListedTarget(f"{kind}:{name}", tuple(SETTINGS), "", purpose)
    for name, (call, _) in SAMPLERS.items():
        if name.startswith(f"{kind}:"):
            yield ListedTarget(name, (), "", first_sentence(call))


def _diffprivlib() -> Iterator[ListedTarget]:
    from .other_projects import FOREST_DEFAULTS, import_project, usable_mechanisms

    name, purpose = "diffprivlib:NAME", "Any class of diffprivlib.mechanisms."
    try:
        mechanisms = import_project("diffprivlib.mechanisms", name)
    except PrivboostError:
        yield ListedTarget(name, ("key=value",), "", purpose, installed=False)
        return
    options = tuple(f"{key}={value}" for key, value in FOREST_DEFAULTS.items())
    yield ListedTarget("diffprivlib:forest", options, "", "The random forest of diffprivlib.")
    for name, kind in sorted(usable_mechanisms(mechanisms).items()):
        parameters = inspect.signature(kind).parameters.values()
        named = tuple(_format_parameter(each) for each in parameters if each.name != "random_state")
        yield ListedTarget(f"diffprivlib:{name}", named, "", first_sentence(kind))


def _format_parameter(parameter: inspect.Parameter) -> str:
    from .other_projects import DIFFPRIVLIB_DEFAULTS

    default = DIFFPRIVLIB_DEFAULTS.get(parameter.name, parameter.default)
    return parameter.name if default is inspect.Parameter.empty else f"{parameter.name}={default!r}"


def _opendp() -> Iterator[ListedTarget]:
    from .other_projects import OPENDP_DEFAULTS, OPENDP_KINDS, import_project

    try:
        installed = bool(import_project("opendp.prelude", "opendp:NAME"))
    except PrivboostError:
        installed = False
    options = tuple(f"{key}={value}" for key, value in OPENDP_DEFAULTS.items())
    for name, kind in OPENDP_KINDS.items():
        purpose = f"make_{name} of OpenDP, on inputs of type {kind.__name__}."
        yield ListedTarget(f"opendp:{name}", options, "", purpose, installed)


KINDS: dict[str, Callable[[], Iterator[ListedTarget]]] = {
    "fast": lambda: _learners("fast"),
    "reference": lambda: _learners("reference"),
    "bank": lambda: _banks("bank"),
    "broken": lambda: _banks("broken"),
    "diffprivlib": _diffprivlib,
    "opendp": _opendp,
}
"""Kinds of targets that have names of their own."""
