"""The targets that can be named without code of the user: names, arguments, claims and one line each."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from privboost.errors import PrivboostError

from .mechanism import first_sentence


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

    for name, target in (broken.MECHANISMS if kind == "broken" else private.MECHANISMS).items():
        delta = f",delta:{target.delta:.3g}" if target.delta else ""
        claim = target.claim or f"eps:{target.epsilon:g}{delta}"
        yield ListedTarget(f"{kind}:{name}", (), claim, target.purpose)


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
    from .other_projects import DIFFPRIVLIB_DEFAULTS, FOREST_DEFAULTS, import_project, usable_mechanisms

    name, purpose = "diffprivlib:NAME", "Any class of diffprivlib.mechanisms."
    try:
        mechanisms = import_project("diffprivlib.mechanisms", name)
    except PrivboostError:
        yield ListedTarget(name, ("key=value",), "", purpose, installed=False)
        return
    options = tuple(f"{key}={value}" for key, value in FOREST_DEFAULTS.items())
    yield ListedTarget("diffprivlib:forest", options, "", "The random forest of diffprivlib.")
    for name, kind in sorted(usable_mechanisms(mechanisms).items()):
        parameters = inspect.signature(kind).parameters
        defaults = {key: parameter.default for key, parameter in parameters.items()} | DIFFPRIVLIB_DEFAULTS
        named = tuple(
            key if defaults[key] is inspect.Parameter.empty else f"{key}={defaults[key]!r}"
            for key in parameters
            if key != "random_state"
        )
        yield ListedTarget(f"diffprivlib:{name}", named, "", first_sentence(kind))


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
    **{kind: partial(_learners, kind) for kind in ("fast", "reference")},
    **{kind: partial(_banks, kind) for kind in ("bank", "broken")},
    "diffprivlib": _diffprivlib,
    "opendp": _opendp,
}
"""Kinds of targets that have names of their own."""
