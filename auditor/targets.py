"""What a user writes for what is to be audited, and what it stands for.

| text                        | what is audited                                                          |
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

import importlib
import inspect
import re
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

from privboost.errors import UsageError

from .commands import command_of
from .conversation import DEFAULT_LIMITS, Limits
from .errors import TargetError
from .known import OneCall
from .pair import Pair
from .subject import Mechanism

_NAMED = re.compile(r"(?P<module>[\w./\\~-]+):(?P<name>[^\W\d]\w*(\.[^\W\d]\w*)*)(?P<made>\(\))?")


@dataclass(frozen=True, slots=True)
class Target:
    """What is audited, with the pairs and the claim that come with it."""

    subject: Mechanism
    pairs: tuple[Pair, ...] = ()
    claim: float | None = None
    """The epsilon that is claimed, where the target says so."""
    delta: float = 0.0
    """The delta that is claimed with it."""


def load_target(text: str, limits: Limits = DEFAULT_LIMITS) -> Mechanism:
    """Return what a text stands for.

    Ensures: UsageError, with what is known, for a text that stands for nothing.
    """
    return find_target(text, limits).subject


def find_target(text: str, limits: Limits = DEFAULT_LIMITS) -> Target:
    """Return what a text stands for, with the pairs and the claim that come with it."""
    kind, colon, rest = text.partition(":")
    if not colon or not rest:
        raise UsageError(f"target: expected module:function or one of {_kinds()}, found {text!r}")
    if kind == "cmd":
        return Target(command_of(rest, limits).subject())
    if kind in _READERS:
        return _READERS[kind](text)
    return _target_of(text)


def is_module_target(text: str) -> bool:
    """Return whether a text stands for an object of somebody's module."""
    kind, colon, rest = text.partition(":")
    return bool(colon and rest) and kind != "cmd" and kind not in _READERS


def same_target(one: str, other: str) -> bool:
    """Return whether two texts may stand for the same: a module may be given by its name or by its file."""
    return _by_module(one) == _by_module(other)


def _by_module(text: str) -> str:
    parts = _NAMED.fullmatch(text) if is_module_target(text) else None
    if parts is None or not parts["module"].endswith(".py"):
        return text
    return f"{Path(parts['module']).stem}:{text.partition(':')[2]}"


def listed(names: Iterable[str]) -> str:
    """Return names as text, in order."""
    return ", ".join(sorted(names)) or "none"


def _kinds() -> str:
    return ", ".join(f"{kind}:…" for kind in ("cmd", *_READERS))


def _learner(text: str) -> Target:
    from . import learners

    subject, pairs = learners.subject_of(text)
    claim = getattr(getattr(subject.call, "parameters", None), "epsilon", None)
    return Target(subject, tuple(pairs), None if claim is None else float(claim))


def _known(module_name: str, text: str) -> Target:
    """Return a mechanism of one of the banks."""
    bank = importlib.import_module(f".{module_name}", __package__).MECHANISMS
    name = text.partition(":")[2]
    if name not in bank:
        raise UsageError(f"target: expected {module_name}:NAME with one of {listed(bank)}, found {text!r}")
    known = bank[name]
    return Target(known.subject, (known.pair,), known.claim, known.delta)


def _third_party(text: str) -> Target:
    from . import thirdparty

    subject, pairs, claim = thirdparty.subject_of(text)
    return Target(subject, pairs, claim)


_READERS: dict[str, Callable[[str], Target]] = {
    "fast": _learner,
    "reference": _learner,
    "bank": partial(_known, "bank"),
    "broken": partial(_known, "broken"),
    "diffprivlib": _third_party,
    "opendp": _third_party,
}


def _target_of(text: str) -> Target:
    """Return the target of an object in a module."""
    parts = _NAMED.fullmatch(text)
    if parts is None:
        raise UsageError(f"target: expected module:function or one of {_kinds()}, found {text!r}")
    found: Any = _module_of(parts["module"], text)
    for name in parts["name"].split("."):
        if not hasattr(found, name):
            raise UsageError(f"target: expected a name of {_known_names(found)}, found {text!r}")
        found = getattr(found, name)
    if parts["made"]:
        found = _made(found, text)
    subject = subject_from(found, text)
    return Target(subject, _own_pairs(found, text))


def _module_of(name: str, text: str) -> ModuleType:
    """Return a module by its name, or by its file; its folder can be imported from afterwards."""
    path = Path(name).expanduser()
    by_file = path.suffix == ".py"
    if by_file and not path.is_file():
        raise UsageError(f"target: expected a file, found no '{path}' for {text!r}")
    folder = str(path.resolve().parent if by_file else Path.cwd())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    module = path.stem if by_file else name
    try:
        found = importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is not None and f"{module}.".startswith(f"{error.name}."):
            raise UsageError(_no_module(error.name, text)) from None
        raise TargetError(text, "a module that can be imported", f"ModuleNotFoundError: {error}") from error
    except (Exception, SystemExit) as error:
        found_instead = f"{type(error).__name__}: {error}"
        raise TargetError(text, "a module that can be imported", found_instead) from error
    if by_file and Path(found.__file__ or "").resolve() != path.resolve():
        taken = found.__file__ or "a built-in module"
        raise UsageError(f"target: expected a name that no other module has, found {taken} for {text!r}")
    return found


def _no_module(name: str, text: str) -> str:
    here = listed(path.stem for path in Path.cwd().glob("*.py") if path.stem.isidentifier())
    wanted = f"an installed module, one of this folder ({here}) or one of {_kinds()}"
    return f"target: expected {wanted}, found no module {name!r} for {text!r}"


def _known_names(owner: Any) -> str:
    """Return the public names of a module or object that can be called or that look like a target."""
    names = [name for name, value in vars(owner).items() if not name.startswith("_") and _is_target(value)]
    label = f"module {owner.__name__}" if isinstance(owner, ModuleType) else type(owner).__name__
    return f"{label} ({listed(names)})"


def _is_target(value: Any) -> bool:
    return isinstance(value, Mechanism) or callable(value) or _has(value, "call") or _has(value, "batch")


def _has(value: Any, name: str) -> bool:
    return callable(getattr(value, name, None))


def _made(factory: Any, text: str) -> Any:
    """Return what a function without arguments returns."""
    if not callable(factory) or not _accepts(factory, 0):
        raise UsageError(f"target: expected a function without arguments before (), found {text!r}")
    try:
        return factory()
    except (Exception, SystemExit) as error:
        found = f"{type(error).__name__}: {error}"
        raise TargetError(text, "a function that returns a mechanism", found) from error


def subject_from(found: Any, name: str) -> Mechanism:
    """Return the subject that an object is: itself, its `call` and `batch`, or the function that it is."""
    if isinstance(found, Mechanism):
        return found
    if isinstance(found, type):
        raise UsageError(f"target: expected an object, found the class {name!r}; write {name}() for one")
    if _has(found, "call") or _has(found, "batch"):
        batch = found.batch if _has(found, "batch") else None
        call = found.call if _has(found, "call") else OneCall(found.batch)
    else:
        call, batch = found, None
    for function, count, wanted in ((call, 2, "(data, rng)"), (batch, 3, "(data, rng, count)")):
        if function is not None and not (callable(function) and _accepts(function, count)):
            found_instead = f"{name!r}, {_signature(function)}"
            raise UsageError(f"target: expected a function of {wanted}, found {found_instead}")
    return Mechanism(name, call, batch)


def _accepts(function: Callable[..., Any], count: int) -> bool:
    """Return whether a function can be called with so many arguments; yes where nobody knows."""
    try:
        inspect.signature(function).bind(*range(count))
    except TypeError:
        return False
    except ValueError:
        return True
    return True


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
        raise UsageError(f"target: expected {wanted} in the attribute 'pairs' of {text!r}, found {pairs!r}")
    return tuple(pairs)
