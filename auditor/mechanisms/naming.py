"""Load the mechanism that a target string names.

| target                      | mechanism                                                                |
|-----------------------------|--------------------------------------------------------------------------|
| module:name                 | a function (data, rng), an object with `call` or `batch`, a Mechanism,   |
|                             | or a class of such objects that needs no arguments                       |
| folder/file.py:name         | the same, in a module given by its file                                  |
| module:name(1, key=(0, 1))  | the object that the function or class returns when called                |
| estimator:module.Class(x=1) | an object with `fit` and `get_params` (`estimators`)                     |
| cmd:./program --flag        | a program that speaks JSON lines (`program`)                             |
| fast:default                | `PrivateBoostedTreesClassifier` with its default parameters (`learners`) |
| exec:./program {input}      | a program that reads a file and prints its output (`one_run`)            |
| fast:PROTOCOL(key=value)    | the fast learner under a protocol (`learners`)                           |
| reference:NAME              | a mechanism of the reference (`learners`)                                |
| bank:NAME, broken:NAME      | a mechanism of known epsilon; a well-known mistake                       |
| diffprivlib:NAME(key=value) | a mechanism of this project, if installed (`other_projects`)             |
| opendp:NAME(key=value)      | the same for OpenDP                                                      |

Modules in the current folder can be imported. An object may have pairs of its own in an attribute `pairs`.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from privboost.auditor.inputs.constants import constants_of
from privboost.auditor.pairs.pair import Pair
from privboost.errors import UsageError
from privboost.targets.arguments import split_options
from privboost.targets.conversation import DEFAULT_LIMITS, Limits
from privboost.targets.loading import accepts, join_names, load_object
from privboost.targets.names import parse_named
from privboost.targets.programs import program_of

from .mechanism import Claimed, Mechanism, OneCall, WithoutGenerator

if TYPE_CHECKING:
    from .opendp_objects import OpenDPObject


def find_target(target: str, limits: Limits = DEFAULT_LIMITS) -> Claimed:
    """Return the mechanism that a target string names, with its own pairs and claim, if any.

    Ensures: UsageError with the known names for any other string.
    """
    kind, colon, rest = target.partition(":")
    if not colon or not rest:
        raise _refusal(target)
    if kind == "cmd":
        from .program import Command

        return Claimed(Command(program_of(rest), limits).mechanism())
    if kind == "exec":
        from .one_run import OneRun

        return Claimed(OneRun.of(rest, limits).mechanism())
    if kind == "estimator":
        from .estimators import estimator_target

        return estimator_target(target)
    if kind in _READERS:
        return _READERS[kind](target)
    return _module_target(target)


def is_module_target(target: str) -> bool:
    """Return whether a target string names an object of the user, in a module."""
    kind, colon, rest = target.partition(":")
    return bool(colon and rest) and kind not in ("cmd", "exec", *_READERS)


def _refusal(target: str) -> UsageError:
    return UsageError(f"target: expected module:function or {_kinds()}, got {target!r}")


def _kinds() -> str:
    return "one of " + ", ".join(f"{kind}:…" for kind in ("cmd", "exec", "estimator", *_READERS))


def _learner(target: str) -> Claimed:
    from . import learners

    mechanism, pairs = learners.mechanism_of(target)
    epsilon = getattr(mechanism.call, "epsilon", None)
    return Claimed(mechanism, tuple(pairs), None if epsilon is None else float(epsilon))


def _known_mechanism(target: str) -> Claimed:
    from . import broken, private

    kind, _, rest = target.partition(":")
    bank = broken.MECHANISMS if kind == "broken" else private.MECHANISMS
    if rest in bank:
        return bank[rest]
    name, options = split_options(rest, target)
    if options:
        raise UsageError(f"target: expected {kind}:NAME without arguments, got {target!r}")
    if name not in bank:
        raise UsageError(f"target: expected {kind}:NAME with one of {join_names(bank)}, got {target!r}")
    return bank[name]


def _other_project(target: str) -> Claimed:
    from . import other_projects

    return other_projects.mechanism_of(target)


_READERS: dict[str, Callable[[str], Claimed]] = {
    "fast": _learner,
    "reference": _learner,
    "bank": _known_mechanism,
    "broken": _known_mechanism,
    "diffprivlib": _other_project,
    "opendp": _other_project,
}


def _module_target(target: str) -> Claimed:
    """Return the object in a module that a target string names."""
    named = parse_named(target)
    if named is None:
        name, comma, options = target.partition(",")
        if comma and parse_named(name) is not None:
            raise UsageError(f"target: expected arguments as in {name}({options}), got {target!r}")
        raise _refusal(target)
    from .opendp_objects import read_object

    value = load_object(named, kinds=_kinds(), suits=_is_target)
    if isinstance(value, type) and accepts(value, 0):
        value = load_object(replace(named, arguments=""), kinds=_kinds(), suits=_is_target)
    if (opened := read_object(value, target)) is not None:
        return declared_target(opened, target, constants_of(sys.modules[named.module_name]))
    mechanism = mechanism_from(value, target)
    return Claimed(mechanism, _own_pairs(value, target), constants=constants_of(value))


def declared_target(opened: OpenDPObject, target: str, constants: tuple[Any, ...] = ()) -> Claimed:
    """Return a measurement with what it declares of its inputs and its privacy.

    Ensures: UsageError for a transformation.
    """
    declared = opened.declared
    if not declared.claim:
        advice = "use `privboost stability` for it"
        raise UsageError(f"target: expected something with noise, got a transformation, {target!r}; {advice}")
    return Claimed(
        Mechanism(target, WithoutGenerator(opened.function), repeats=False),
        relation=declared.relation,
        claim=declared.claim,
        inputs=declared.inputs,
        constants=constants,
    )


def _is_target(value: Any) -> bool:
    return isinstance(value, Mechanism) or callable(value) or _has(value, "call") or _has(value, "batch")


def _has(value: Any, name: str) -> bool:
    return callable(getattr(value, name, None))


def mechanism_from(value: Any, name: str) -> Mechanism:
    """Return an object as a mechanism: itself, its methods `call` and `batch`, or a function."""
    if isinstance(value, Mechanism):
        return value
    if isinstance(value, type):
        raise UsageError(
            f"target: expected an object, got the class {name!r}; write {name}(…) with its arguments"
        )
    if _has(value, "call") or _has(value, "batch"):
        batch = value.batch if _has(value, "batch") else None
        call = value.call if _has(value, "call") else OneCall(value.batch)
    else:
        call, batch = value, None
    for function, count, wanted in ((call, 2, "(data, rng)"), (batch, 3, "(data, rng, count)")):
        if function is not None and not (callable(function) and accepts(function, count)):
            raise UsageError(f"target: expected a function of {wanted}, got {name!r}, {_signature(function)}")
    return Mechanism(name, call, batch)


def _signature(function: Any) -> str:
    if not callable(function):
        return f"which is a {type(function).__name__}"
    try:
        return f"which takes {inspect.signature(function)}"
    except (TypeError, ValueError):
        return "which takes something else"


def _own_pairs(value: Any, target: str) -> tuple[Pair, ...]:
    """Return the pairs in the attribute `pairs` of an object, if any."""
    pairs = () if isinstance(value, Mechanism) else getattr(value, "pairs", ())
    if callable(pairs):
        return ()
    if not isinstance(pairs, list | tuple) or not all(isinstance(pair, Pair) for pair in pairs):
        wanted = "a list of privboost.auditor.Pair"
        raise UsageError(f"target: expected {wanted} in the attribute 'pairs' of {target!r}, got {pairs!r}")
    return tuple(pairs)
