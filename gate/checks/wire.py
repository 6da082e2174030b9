"""Checks of the protocol itself, which apply to every target."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from privboost.gate.check import WIRE, Case, Outcome, Status, Target, fault_outcome, outcome
from privboost.targets.conversation import Answer

UNKNOWN = "no_such_operation"
MANY = 200
"""Number of requests that are sent without waiting for answers, up to 64 at once."""
LONG = 100_000
"""Length of a long argument; programs that read into a fixed buffer truncate it."""

EXIT_SECONDS = 10.0
"""Time in which a program must exit when its input ends."""


@dataclass(frozen=True, slots=True)
class UnknownOperation:
    """Ask for operations that do not exist: each must be answered, in order, with `unsupported`."""

    id: str
    args: tuple[dict[str, Any], ...]
    flags: tuple[str, ...]
    label: str = WIRE
    level: str = WIRE
    false_alarm: float = 0.0

    def run(self, target: Target, seed: int) -> Iterator[Outcome]:
        """Ask, and yield the outcome of the first wrong answer, or one pass."""
        answers = target.ask_many([(UNKNOWN, args) for args in self.args])
        for args, answer in zip(self.args, answers, strict=True):
            wrong = _judge(self._case(args), answer)
            if wrong is not None:
                yield wrong
                return
        yield outcome(self._case(self.args[0]), Status.PASS)

    def _case(self, args: dict[str, Any]) -> Case:
        return Case(self.id, UNKNOWN, args, self.label, self.level, self.flags)


@dataclass(frozen=True, slots=True)
class EndOfInput:
    """Close the input of the target: it must exit. The next request starts it again."""

    id: str = "wire/end-of-input"
    label: str = WIRE
    level: str = WIRE
    false_alarm: float = 0.0

    def run(self, target: Target, seed: int) -> Outcome:
        """Ask, so that the target runs, and close its input."""
        case = Case(self.id, UNKNOWN, {}, self.label, self.level, ())
        answer = target.ask(UNKNOWN, {})
        if answer.fault is not None:
            return fault_outcome(case, "expected an answer", answer.fault)
        if target.close(EXIT_SECONDS):
            return outcome(case, Status.PASS)
        message = (
            f"expected the program to exit within {EXIT_SECONDS:g} s of the end of its input, got a program "
            "that runs on: it waits for more input, or for another of its threads"
        )
        return outcome(case, Status.FAIL, message)


def wire_checks() -> tuple[UnknownOperation | EndOfInput, ...]:
    """Return the checks of the protocol itself."""
    return (
        UnknownOperation("wire/unknown-operation", ({},), ("every operation gets an answer",)),
        UnknownOperation(
            "wire/many-in-flight",
            tuple({"number": str(index)} for index in range(MANY)),
            ("requests are read while others are waiting", "answers are flushed and in order"),
        ),
        UnknownOperation(
            "wire/texts",
            (
                {"text": 'é ☃ 𝄞 "quoted" \\ \n \t'},
                {"text": "x" * LONG},
                {"nested": [[[{"a": [None, True]}]]]},
            ),
            ("any JSON is read, long lines too",),
        ),
        EndOfInput(),
    )


def _judge(case: Case, answer: Answer) -> Outcome | None:
    """Return the outcome of a wrong answer to an operation that does not exist; None if it is right."""
    if answer.unsupported is not None:
        return None
    expected = 'expected {"id": …, "unsupported": string} for an operation that does not exist'
    if answer.fault is not None:
        return fault_outcome(case, expected, answer.fault)
    if answer.error is not None:
        message = f"{expected}, got the error {answer.error!r}; `error` is for invalid arguments"
        return outcome(case, Status.FAIL, message)
    return outcome(case, Status.FAIL, f"{expected}, got a result")
