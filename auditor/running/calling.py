"""Where the calls of an audit are made, who follows them, and which were made before."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from privboost.auditor.values.columns import UnmatchedPart
from privboost.errors import TargetEndedError
from privboost.strict_json import JsonValue
from privboost.workers.pool import result_of

from .calls import CallOutputs

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of an audit."""

    pair: str
    calls: int
    of: int
    bound: float
    """The greatest bound over all pairs so far."""
    refuted: bool
    unmatched: tuple[UnmatchedPart, ...] = ()
    """Parts that are to be ignored and that no output had so far."""


Recorder = Callable[[int, CallOutputs], None]
"""Receives the index of a pair and its next outputs, in the order of calls."""

Recorded = Sequence[Sequence[CallOutputs]]
"""Outputs of an earlier run by pair, as a recorder received them."""


@dataclass(slots=True)
class AuditCaller:
    """Where calls are made: in this process, or by workers that may be started again."""

    executor: Executor | None = None
    """That of the last restart, if there was one."""
    restart: Callable[[], Executor] | None = None
    """Starts one new process, and returns its executor."""

    def call(self, target: str, function: Callable[..., T], *work: Any) -> T:
        """Return the result of a function where calls are made: here, or by a worker.

        Ensures: TargetEndedError if the process of the call ends or hangs, and a new process if there can be.
        """
        if self.executor is None:
            return function(*work)
        try:
            result: T = result_of(self.executor.submit(function, *work), self.executor, target)
        except TargetEndedError:
            if self.restart is not None:
                self.executor = self.restart()
            raise
        return result


class Choices(Protocol):
    """Keeps the choices of pairs of an audit, so that one that is resumed repeats them without calls."""

    def chosen_before(self, name: str) -> JsonValue | None:
        """Return the choice of a name of an earlier run; None if there was none."""

    def record_choice(self, name: str, document: Any) -> None:
        """Keep a choice."""


@dataclass(frozen=True, slots=True)
class Calling:
    """Where the calls of an audit are made, who follows them, and which were made before: see `audit`."""

    caller: AuditCaller = field(default_factory=AuditCaller)
    progress: Callable[[Progress], None] | None = None
    recorder: Recorder | None = None
    recorded: Recorded = ()
    choices: Choices | None = None
    smallest: Recorder | None = None
    """Receives the outputs of the test of the smallest pair that shows a violation."""
