"""Deterministic steps by name: Python functions of one data set, and programs.

A step is called like a mechanism without randomness; the seed that a program gets differs on every call.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from privboost.auditor.mechanisms.mechanism import Mechanism
from privboost.auditor.mechanisms.naming import find_target, is_module_target
from privboost.auditor.pairs.pair import frame_rows
from privboost.errors import UsageError
from privboost.targets.conversation import DEFAULT_LIMITS, Limits
from privboost.targets.loading import accepts, load_object
from privboost.targets.names import parse_named

KINDS = "cmd:PROGRAM or exec:PROGRAM {input}"


@dataclass(frozen=True, slots=True)
class WithoutCoins:
    """A function of a data set as the call of a mechanism; it gets a copy, which it may change."""

    function: Callable[[Any], Any]

    def __call__(self, data: Any, rng: np.random.Generator) -> Any:
        """Return the result; a frame is the list of its rows."""
        with suppress(Exception):
            # Any object may be an input, and copying it may raise any exception.
            data = copy.deepcopy(data)
        result = self.function(data)
        rows = frame_rows(result)
        return result if rows is None else rows


def step_from(function: Any, name: str) -> Mechanism:
    """Return a function of a data set as a mechanism.

    Ensures: UsageError for what cannot be called with one argument.
    """
    if not callable(function) or isinstance(function, type):
        raise UsageError(
            f"target: expected a function of a data set, got {name!r}, {type(function).__name__}"
        )
    if not accepts(function, 1):
        advice = " (audit is for functions of (data, rng), which have noise)" if accepts(function, 2) else ""
        raise UsageError(f"target: expected a function of one data set, got {name!r}{advice}")
    return Mechanism(name, WithoutCoins(function))


def find_step(target: str, limits: Limits = DEFAULT_LIMITS) -> Mechanism:
    """Return the step that a target string names: `module:function`, `file.py:function`, `cmd:` or `exec:`.

    Ensures: UsageError for any other string.
    """
    if is_program(target):
        return find_target(target, limits).mechanism
    named = parse_named(target) if is_module_target(target) else None
    if named is None or target.startswith("estimator:"):
        raise UsageError(f"target: expected module:function, {KINDS}, got {target!r}")
    return step_from(load_object(named, kinds=KINDS, suits=callable), target)


def is_program(target: str) -> bool:
    """Return whether a target string names a program, which runs in a process of its own anyway."""
    return target.startswith(("cmd:", "exec:"))


def function_of(step: Mechanism) -> Callable[[Any], Any] | None:
    """Return the Python function of a step; None for a program."""
    return step.call.function if isinstance(step.call, WithoutCoins) else None
