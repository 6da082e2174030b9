"""Cases, outcomes and checks.

A check may send several requests and yields one outcome per case. The id of an outcome is unique within a run
and the same in every run, because projects list known failures by it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from typing import Any, Protocol, runtime_checkable

from privboost.gate.targets.target import Target
from privboost.targets.conversation import Answer

WIRE = "wire"
"""Label of checks of the protocol itself; every other label is one of the paper or of a correction."""


class Level(StrEnum):
    """A part of the protocol; levels are run in this order."""

    WIRE = "wire"
    VALUES = "values"
    MECHANISMS = "mechanisms"
    LEARNER = "learner"
    PRIVACY = "privacy"
    REFUSAL = "refusal"


class Status(StrEnum):
    """The status of a case."""

    PASS = "pass"
    FAIL = "fail"
    """The answer is wrong."""
    SKIP = "skip"
    """The target does not support what was asked."""
    ERROR = "error"
    """There was no answer to judge: a crash, a timeout, or output that is not an answer."""


@dataclass(frozen=True, slots=True)
class Case:
    """One request, with its label and the flags of the mistakes that it catches."""

    id: str
    op: str
    args: Mapping[str, Any]
    label: str
    level: Level
    flags: tuple[str, ...] = ()

    @property
    def request(self) -> dict[str, Any]:
        """Return the request as it is sent, without its id."""
        return {"op": self.op, "args": dict(self.args)}


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of one case."""

    check: str
    """The unique id of the case."""
    label: str
    level: Level
    status: Status
    message: str = ""
    """The expected and the actual answer; empty for a pass."""
    request: dict[str, Any] | None = None
    """`op` and `args`, to reproduce the case by hand."""
    flags: tuple[str, ...] = ()
    origin: dict[str, Any] | None = None
    """The request that failed first, if `request` was shrunk from it."""
    is_derived: bool = False
    """Whether a failure may follow from an earlier difference, which another failure reports."""
    seconds: float = field(default=0.0, compare=False)
    """The time of its check, divided by the number of cases, since requests are sent together."""

    @property
    def is_bad(self) -> bool:
        """Return whether the case failed or had no answer to judge."""
        return self.status in (Status.FAIL, Status.ERROR)


class Check(Protocol):
    """One or several requests about one label."""

    @property
    def id(self) -> str:
        """Return the unique id of the check, a prefix of the ids of its outcomes."""

    @property
    def label(self) -> str:
        """Return the label of the paper, or of a correction, that is checked."""

    @property
    def level(self) -> Level:
        """Return the level that the check belongs to."""

    @property
    def false_alarm(self) -> float:
        """Return a bound on the probability that a correct target fails; 0 if nothing is random."""

    def run(self, target: Target, seed: int) -> Outcome | Iterable[Outcome]:
        """Ask the target and judge its answers."""


@runtime_checkable
class Shrinkable(Protocol):
    """A check that can judge other arguments, so that a failing request can be shrunk."""

    def judge_request(
        self, target: Target, request: Mapping[str, Any], flags: tuple[str, ...]
    ) -> Outcome | None:
        """Judge one request of the same kind, with the flags of the first; None if the answer is unknown."""


def without_result(case: Case, answer: Answer) -> Outcome | None:
    """Return the outcome of a valid request that got no result; None if it got one."""
    if answer.fault is not None:
        return outcome(case, Status.ERROR, f"expected an answer, got {answer.fault}")
    if answer.unsupported is not None:
        return outcome(case, Status.SKIP, answer.unsupported)
    if answer.error is not None:
        return outcome(case, Status.FAIL, f"expected a result, got a refusal: {answer.error!r}")
    return None


def outcome(case: Case, status: Status, message: str = "") -> Outcome:
    """Return the outcome of a case."""
    return Outcome(case.id, case.label, case.level, status, message, case.request, case.flags)


def complexity(number: Fraction) -> tuple[int, int]:
    """Return a measure of how complicated a number is to read: its length, then its size."""
    return len(str(number)), abs(number.numerator) + number.denominator
