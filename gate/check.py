"""Cases, outcomes, targets and checks.

A check may send several requests and yields one outcome per case. The id of an outcome is unique within a run
and the same in every run, because projects list known failures by it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from typing import Any, Protocol, runtime_checkable

from privboost.targets.conversation import GRACE, Answer, Fault, FaultKind

WIRE = "wire"
"""Label and level of checks of the protocol itself; all other labels belong to a profile."""
REFUSAL = "refusal"
"""Level of requests that must be refused; all other levels belong to a profile."""


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
    level: str
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
    level: str
    status: Status
    message: str = ""
    """The expected and the actual answer; empty for a pass, unless it is told."""
    request: dict[str, Any] | None = None
    """`op` and `args`, to reproduce the case by hand."""
    flags: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    """The flags whose hints the run adds to the message."""
    is_asked: bool = True
    """Whether the request was sent; it is not sent if the target was given up."""
    after: tuple[dict[str, Any], ...] = ()
    """Requests that are sent before it to see the failure, such as one with another seed."""
    origin: dict[str, Any] | None = None
    """The request that failed first, if `request` was shrunk from it."""
    is_derived: bool = False
    """Whether a failure may follow from an earlier difference, which another failure reports."""
    is_told: bool = False
    """Whether the message of a pass tells of something that the target does not claim."""
    factor: float = 1.0
    """How many times the least right number a larger one is, which is no failure."""
    seconds: float = field(default=0.0, compare=False)
    """The time of its check, divided by the number of cases, since requests are sent together."""

    @property
    def is_bad(self) -> bool:
        """Return whether the case failed or had no answer to judge."""
        return self.status in (Status.FAIL, Status.ERROR)


Request = tuple[str, Mapping[str, Any]]
"""An operation and its arguments."""


class Target(Protocol):
    """An implementation under test.

    It raises no exception for a faulty implementation: a crash, a hang or invalid output is an answer with a
    `fault`.
    """

    @property
    def name(self) -> str:
        """Return the name of the target on the command line."""

    @property
    def ended(self) -> Fault | None:
        """Return why the target was given up; None if it was not."""

    def ask(self, op: str, args: Mapping[str, Any]) -> Answer:
        """Return the answer to one request."""

    def ask_many(self, requests: Iterable[Request]) -> Iterator[Answer]:
        """Yield the answers to requests, in their order."""

    def close(self, grace: float = GRACE) -> bool:
        """End the target's process, if it has one; return whether it exits by itself within `grace` seconds.

        Later requests start it again.
        """


class Check(Protocol):
    """One or several requests about one label."""

    @property
    def id(self) -> str:
        """Return the unique id of the check, a prefix of the ids of its outcomes."""

    @property
    def label(self) -> str:
        """Return the label of the statement that is checked."""

    @property
    def level(self) -> str:
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
        return fault_outcome(case, "expected an answer", answer.fault)
    if answer.unsupported is not None:
        return outcome(case, Status.SKIP, answer.unsupported)
    if answer.error is not None:
        return outcome(case, Status.FAIL, f"expected a result, got a refusal: {answer.error!r}")
    return None


def fault_outcome(case: Case, expected: str, fault: Fault) -> Outcome:
    """Return the outcome of a case without an answer."""
    error = outcome(case, Status.ERROR, f"{expected}, got {fault}")
    return replace(error, is_asked=fault.kind is not FaultKind.GIVEN_UP)


def outcome(case: Case, status: Status, message: str = "") -> Outcome:
    """Return the outcome of a case."""
    return Outcome(case.id, case.label, case.level, status, message, case.request, case.flags)


def hinted_failure(case: Case, message: str) -> Outcome:
    """Return a failure whose message gets the hints of the flags of its case."""
    return replace(outcome(case, Status.FAIL, message), hints=case.flags)


def complexity(number: Fraction) -> tuple[int, int]:
    """Return a measure of how complicated a number is to read: its length, then its size."""
    return len(str(number)), abs(number.numerator) + number.denominator
