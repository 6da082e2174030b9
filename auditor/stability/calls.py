"""Call a step on inputs, in this process or in one that may end or hang at any call."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from fractions import Fraction
from functools import cache
from typing import Any, Protocol

import numpy as np

from privboost.auditor.inputs.declared import Declared
from privboost.auditor.mechanisms.mechanism import Mechanism
from privboost.auditor.running.calls import call_once
from privboost.auditor.values.failures import EXITED, HUNG, failure, failure_string
from privboost.auditor.values.plain_values import plain_value
from privboost.errors import TargetEndedError, TargetError, TargetHungError, UsageError
from privboost.targets.loading import describe_error
from privboost.workers.heartbeats import beat
from privboost.workers.pool import CallingProcesses, result_of, worker_processes

from .claim import exact_bound
from .steps import Step, WithoutCoins, find_step


class Caller(Protocol):
    """Calls a step."""

    name: str
    declared: Declared | None
    """What the step declares of itself."""
    constants: tuple[Any, ...]
    """Numbers and strings in the source of the step."""

    def results(self, inputs: Sequence[Any]) -> list[Any]:
        """Return the result on each input as a plain value; a failed call is one of `values.failures`."""


class DirectCaller:
    """Calls a step in this process."""

    def __init__(self, step: Step) -> None:
        self.name, self.declared, self.constants = step.mechanism.name, step.declared, step.constants
        self._step, self._calls = step.mechanism, 0

    def results(self, inputs: Sequence[Any]) -> list[Any]:
        """Return the result on each input."""
        first = self._calls
        self._calls += len(inputs)
        # A step that uses the generator is not deterministic, and no two calls get the same one.
        streams = [np.random.default_rng(number) for number in range(first, self._calls)]
        return call_step(self._step, inputs, streams)


class ProcessCaller(ExitStack):
    """Calls a step of the user, named by a string, in a process of its own."""

    def __init__(self, target: str, timeout: float) -> None:
        super().__init__()
        self.name, self._timeout = target, timeout
        self._executor = self._start()
        self.declared, self.constants = self._load()

    def results(self, inputs: Sequence[Any]) -> list[Any]:
        """Return the result on each input; a call that ends its process or does not answer is a failure.

        Ensures: TargetEndedError if the process ends, but not if the inputs are tried one by one.
        """
        try:
            results: list[Any] = self._wait(_call_by_name, inputs)
        except TargetEndedError as error:
            self._executor = self._start()
            # The time to load the target is not that of a call.
            self._load()
            if len(inputs) == 1:
                return [_failure_of(error)]
            results = [result for data in inputs for result in self.results([data])]
            if not any(failure_string(result) for result in results):
                raise
        return results

    def _load(self) -> tuple[Declared | None, tuple[Any, ...]]:
        loaded: tuple[Declared | None, tuple[Any, ...]] = self._wait(_describe)
        return loaded

    def _start(self) -> CallingProcesses:
        self.close()
        return self.enter_context(worker_processes(1, self._timeout))

    def _wait(self, function: Any, *arguments: Any) -> Any:
        future = self._executor.submit(function, self.name, *arguments)
        return result_of(future, self._executor, self.name)


def call_step(step: Mechanism, inputs: Sequence[Any], streams: Sequence[np.random.Generator]) -> list[Any]:
    """Return the result of a step on each input, as plain values."""
    if step.in_order is not None:
        return list(map(plain_value, step.in_order(inputs, streams)))
    return [call_once(step, data, stream) for data, stream in zip(inputs, streams, strict=True)]


def _failure_of(error: TargetEndedError) -> dict[str, Any]:
    hung = isinstance(error, TargetHungError)
    message = f"expected {error.expected}, got {error.got}" if hung else error.got
    return failure(HUNG if hung else EXITED, type(error).__name__, message)


@cache
def _load(target: str) -> DirectCaller:
    return DirectCaller(find_step(target))


def _describe(target: str) -> tuple[Declared | None, tuple[Any, ...]]:
    """Load a target in this process; return what it declares, and the numbers and strings in its source."""
    caller = _load(target)
    beat()
    return caller.declared, caller.constants


def _call_by_name(target: str, inputs: Sequence[Any]) -> list[Any]:
    return _load(target).results(inputs)


# Maps -----------------------------------------------------------------------------------------------------


def load_bounds(target: str, d_in: int, timeout: float) -> tuple[Fraction, ...]:
    """Return the bounds at the distances 1, 2, ... d_in by a function of the user, in a process of its own.

    Ensures: UsageError if there is no such function; PreconditionError for what is no bound.
    """
    with worker_processes(1, timeout) as executor:
        bounds: tuple[Fraction, ...] = result_of(
            executor.submit(_bounds_by_name, target, d_in), executor, target
        )
    return bounds


def _bounds_by_name(target: str, d_in: int) -> tuple[Fraction, ...]:
    call = find_step(target).mechanism.call
    if not isinstance(call, WithoutCoins):
        raise UsageError(f"expected a number, or module:function of the number of steps, got {target!r}")
    try:
        bounds = [call.function(step) for step in range(1, d_in + 1)]
    except Exception as error:
        raise TargetError(target, "a function of the number of steps", describe_error(error)) from error
    return tuple(map(exact_bound, bounds))
