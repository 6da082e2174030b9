"""What a user writes for what is to be audited, and what it stands for.

| string                      | what is audited                                                          |
|-----------------------------|--------------------------------------------------------------------------|
| module:name                 | a function (data, rng), an object with `call` or `batch`, or a Mechanism |
| folder/file.py:name         | the same, of a module given by its file                                  |
| module:name()               | the same, of what the function returns when it is called once            |
| cmd:./program --flag        | a program that speaks JSON lines (`commands`)                            |
| fast:PROTOCOL,key=value     | the fast learner under a protocol (`learners`)                           |
| reference:NAME              | a mechanism of the reference (`learners`)                                |
| bank:NAME, broken:NAME      | a mechanism of known privacy, a famous wrong one                         |
| diffprivlib:…, opendp:…     | mechanisms of other projects, where these are installed (`thirdparty`)   |

The current folder can be imported from. An object may bring pairs of its own in an attribute `pairs`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from privboost.auditor.pairs.pair import Pair
from privboost.errors import UsageError
from privboost.targets.conversation import DEFAULT_LIMITS, Limits
from privboost.targets.loading import accepts, listed, load_object
from privboost.targets.names import parse_named
from privboost.targets.programs import program_of

from .known_loss import Claimed, OneCall
from .mechanism import Mechanism
from .program import Command


def load_target(text: str, limits: Limits = DEFAULT_LIMITS) -> Mechanism:
    """Return the mechanism that a string stands for.

    Ensures: UsageError, with what is known, for a string that stands for nothing.
    """
    return find_target(text, limits).mechanism


def find_target(text: str, limits: Limits = DEFAULT_LIMITS) -> Claimed:
    """Return the mechanism that a string stands for, with the pairs and the claim that come with it."""
    kind, colon, rest = text.partition(":")
    if not colon or not rest:
        raise _refusal(text)
    if kind == "cmd":
        return Claimed(Command(program_of(rest), limits).subject())
    if kind in _READERS:
        return _READERS[kind](text)
    return _target_of(text)


def is_module_target(text: str) -> bool:
    """Return whether a string stands for an object of a user's module."""
    kind, colon, rest = text.partition(":")
    return bool(colon and rest) and kind != "cmd" and kind not in _READERS


def _refusal(text: str) -> UsageError:
    return UsageError(f"target: expected module:function or {_kinds()}, got {text!r}")


def _kinds() -> str:
    return "one of " + ", ".join(f"{kind}:…" for kind in ("cmd", *_READERS))


def _learner(text: str) -> Claimed:
    from . import learners

    subject, pairs = learners.subject_of(text)
    epsilon = getattr(getattr(subject.call, "parameters", None), "epsilon", None)
    return Claimed(subject, tuple(pairs), None if epsilon is None else float(epsilon))


def _bank(text: str) -> Claimed:
    """Return a mechanism of one of the banks: `private` holds `bank:`, `broken` holds `broken:`."""
    from . import broken, private

    kind, _, name = text.partition(":")
    mechanisms = private.MECHANISMS if kind == "bank" else broken.MECHANISMS
    if name not in mechanisms:
        raise UsageError(f"target: expected {kind}:NAME with one of {listed(mechanisms)}, got {text!r}")
    return mechanisms[name]


def _third_party(text: str) -> Claimed:
    from . import other_projects

    return Claimed(*other_projects.subject_of(text))


_READERS: dict[str, Callable[[str], Claimed]] = {
    "fast": _learner,
    "reference": _learner,
    "bank": _bank,
    "broken": _bank,
    "diffprivlib": _third_party,
    "opendp": _third_party,
}


def _target_of(text: str) -> Claimed:
    """Return the target of an object in a module."""
    named = parse_named(text)
    if named is None:
        raise _refusal(text)
    value = load_object(named, kinds=_kinds(), suits=_is_target)
    return Claimed(subject_from(value, text), _own_pairs(value, text))


def _is_target(value: Any) -> bool:
    return isinstance(value, Mechanism) or callable(value) or _has(value, "call") or _has(value, "batch")


def _has(value: Any, name: str) -> bool:
    return callable(getattr(value, name, None))


def subject_from(found: Any, name: str) -> Mechanism:
    """Return the subject that an object is: itself, its `call` and `batch`, or the function that it is."""
    if isinstance(found, Mechanism):
        return found
    if isinstance(found, type):
        raise UsageError(f"target: expected an object, got the class {name!r}; write {name}() for one")
    if _has(found, "call") or _has(found, "batch"):
        batch = found.batch if _has(found, "batch") else None
        call = found.call if _has(found, "call") else OneCall(found.batch)
    else:
        call, batch = found, None
    for function, count, wanted in ((call, 2, "(data, rng)"), (batch, 3, "(data, rng, count)")):
        if function is not None and not (callable(function) and accepts(function, count)):
            found_instead = f"{name!r}, {_signature(function)}"
            raise UsageError(f"target: expected a function of {wanted}, got {found_instead}")
    return Mechanism(name, call, batch)


def _signature(function: Any) -> str:
    if not callable(function):
        return f"which is a {type(function).__name__}"
    try:
        return f"which takes {inspect.signature(function)}"
    except (TypeError, ValueError):
        return "which takes something else"


def _own_pairs(found: Any, text: str) -> tuple[Pair, ...]:
    """Return the pairs that an object brings."""
    pairs = () if isinstance(found, Mechanism) else getattr(found, "pairs", ())
    if callable(pairs):
        return ()
    if not isinstance(pairs, list | tuple) or not all(isinstance(pair, Pair) for pair in pairs):
        wanted = "a list of privboost.auditor.Pair"
        raise UsageError(f"target: expected {wanted} in the attribute 'pairs' of {text!r}, got {pairs!r}")
    return tuple(pairs)
