"""Deterministic steps by name: Python functions of one data set, and programs.

A step is called like a mechanism without randomness; the seed that a program gets differs on every call.
"""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from privboost.auditor.inputs.constants import constants_of
from privboost.auditor.inputs.declared import Declared
from privboost.auditor.mechanisms.mechanism import Mechanism
from privboost.auditor.mechanisms.naming import find_target, is_module_target
from privboost.auditor.mechanisms.opendp_objects import read_object
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


@dataclass(frozen=True, slots=True)
class Step:
    """A deterministic step: how it is called, and what it declares of itself."""

    mechanism: Mechanism
    declared: Declared | None = None
    constants: tuple[Any, ...] = ()
    """Numbers and strings in its source."""


def step_from(value: Any, name: str) -> Step:
    """Return a function of a data set, or an object of another library, as a step.

    Ensures: UsageError for what cannot be called with one argument.
    """
    opened = read_object(value, name)
    if opened is not None:
        return Step(Mechanism(name, WithoutCoins(opened.function)), opened.declared)
    if not callable(value) or isinstance(value, type):
        got = f"{name!r}, which is a {type(value).__name__}"
        raise UsageError(f"target: expected a function of one data set, got {got}")
    if not accepts(value, 1):
        advice = " (audit is for functions of (data, rng), which have noise)" if accepts(value, 2) else ""
        raise UsageError(f"target: expected a function of one data set, got {name!r}{advice}")
    return Step(Mechanism(name, WithoutCoins(value)), constants=constants_of(value))


def find_step(target: str, limits: Limits = DEFAULT_LIMITS) -> Step:
    """Return the step that a target string names: `module:function`, `file.py:function`, `cmd:` or `exec:`.

    Ensures: UsageError for any other string.
    """
    if is_program(target):
        return Step(find_target(target, limits).mechanism)
    named = parse_named(target) if is_module_target(target) else None
    if named is None or target.startswith("estimator:"):
        raise UsageError(f"target: expected module:function, {KINDS}, got {target!r}")
    step = step_from(load_object(named, kinds=KINDS, suits=callable), target)
    # An object of another library has no source of its own, but the module that makes it has.
    return replace(step, constants=constants_of(sys.modules[named.module_name])) if step.declared else step


def is_program(target: str) -> bool:
    """Return whether a target string names a program, which runs in a process of its own anyway."""
    return target.startswith(("cmd:", "exec:"))
