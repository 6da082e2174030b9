"""Releases: the mechanisms of libraries that the target imports, and a decorator for one's own.

A release is recorded as a whole: what it is given, what it states, and what it returns. The draws inside of
it are not recorded.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import wraps
from typing import Any

import numpy as np

from privboost.auditor.values.plain_values import plain_value

from .recording import RecordedRelease, current, inside
from .sites import find_site


@dataclass(frozen=True, slots=True)
class HookedLibrary:
    """How the mechanisms of a library are found, and what they state."""

    module: str
    """The module of the mechanisms, or one that every program which uses them imports."""
    folder: str
    """A part of the paths of its own files, which are no call sites."""
    method: str
    """The method that releases."""
    classes: str = ""
    """The class of the mechanisms; all classes of the module if it is empty."""
    inner: tuple[str, ...] = ()
    """Attributes that hold data, such as utilities."""
    has_value: bool = True
    """Whether the argument is the value that gets noise, and not the data."""


LIBRARIES = (
    HookedLibrary(
        "diffprivlib.mechanisms",
        "diffprivlib/mechanisms",
        "randomise",
        inner=("utility", "_utility_list", "_probabilities", "_function"),
    ),
    HookedLibrary("opendp.mod", "opendp/", "__call__", "Measurement", has_value=False),
    HookedLibrary("pydp.algorithms._algorithm", "pydp/", "quick_result", "MetaAlgorithm", has_value=False),
)
"""Libraries with a hook. That of PyDP covers `quick_result`, which gets all entries at once."""


def install_libraries(undo: ExitStack) -> None:
    """Replace the methods that release, in the libraries that are imported already."""
    for library in LIBRARIES:
        module = sys.modules.get(library.module)
        if module is None:
            continue
        for kind in _classes(library, module):
            method = vars(kind)[library.method]
            setattr(kind, library.method, _record_method(library, method))
            undo.callback(setattr, kind, library.method, method)


def _classes(library: HookedLibrary, module: Any) -> list[type]:
    """Return the classes that define the method, each once."""
    named = [getattr(module, library.classes, None)] if library.classes else list(vars(module).values())
    found: dict[int, type] = {}
    for kind in named:
        for base in kind.__mro__ if isinstance(kind, type) else ():
            if library.method in vars(base) and base.__module__.startswith(library.module.split(".")[0]):
                found[id(base)] = base
    return list(found.values())


def _record_method(library: HookedLibrary, method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def release(self: Any, *arguments: Any, **named: Any) -> Any:
        recorder = current()
        site = None if recorder is None else find_site(sys._getframe(1), library.folder)
        if recorder is None or site is None:
            return method(self, *arguments, **named)
        value = arguments[0] if arguments else next(iter(named.values()), None)
        name = type(self).__name__

        def describe(output: Any) -> RecordedRelease:
            with inside():
                own = getattr(self, "__dict__", {})
                data = {each: own[each] for each in library.inner if each in own and not callable(own[each])}
                return RecordedRelease(
                    site,
                    name,
                    plain_value(value) if library.has_value else None,
                    output,
                    _epsilon_of(self),
                    number_or_none(getattr(self, "delta", None)),
                    number_or_none(getattr(self, "sensitivity", None)),
                    plain_value(data if library.has_value else value),
                )

        def call() -> Any:
            with inside():
                return method(self, *arguments, **named)

        return recorder.release((site, name), describe, call)

    return release


def _epsilon_of(mechanism: Any) -> float | None:
    """Return the epsilon that a mechanism states; of a measurement of OpenDP, that for neighbours 1 apart."""
    stated = number_or_none(getattr(mechanism, "epsilon", None))
    if stated is not None or not callable(getattr(mechanism, "map", None)):
        return stated
    try:
        return number_or_none(mechanism.map(1))
    except Exception:
        # A map may want another type of distance, and a measurement another measure than epsilon.
        return None


def number_or_none(value: Any) -> float | None:
    """Return a number as a float; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        return None
    return float(value)


def mark_release(
    *, epsilon: float | str, sensitivity: float | str | None = None, delta: float | str = 0.0, value: str = ""
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Mark a function as a mechanism of its own, whose calls `privboost replay` compares as releases.

    Epsilon, sensitivity and delta are numbers, or names of arguments of the function that hold them. `value`
    is the name of the argument that is released with noise; by default it is the first.

    >>> from privboost.auditor.replay.libraries import mark_release
    >>> @mark_release(epsilon="epsilon", sensitivity=1.0)
    ... def noisy_count(count, rng, epsilon):
    ...     return count + rng.laplace(scale=1 / epsilon)
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        signature = inspect.signature(function)

        @wraps(function)
        def release(*arguments: Any, **named: Any) -> Any:
            recorder = current()
            site = None if recorder is None else find_site(sys._getframe(1))
            if recorder is None or site is None:
                return function(*arguments, **named)
            bound = signature.bind(*arguments, **named)
            bound.apply_defaults()
            given = bound.arguments
            main = value or next(iter(given))

            def describe(output: Any) -> RecordedRelease:
                return RecordedRelease(
                    site,
                    function.__name__,
                    plain_value(given[main]),
                    output,
                    _read_statement(epsilon, given),
                    _read_statement(delta, given),
                    _read_statement(sensitivity, given),
                )

            def call() -> Any:
                with inside():
                    return function(*arguments, **named)

            return recorder.release((site, function.__name__), describe, call)

        return release

    return decorate


def _read_statement(value: float | str | None, given: Mapping[str, Any]) -> float | None:
    return number_or_none(given[value]) if isinstance(value, str) else number_or_none(value)
