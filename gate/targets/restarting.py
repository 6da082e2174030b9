"""Targets that are processes: restarted after a fault, and given up after too many."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, takewhile
from typing import Any

from privboost.errors import UsageError
from privboost.gate.check import Request
from privboost.gate.plan import DEFAULT_TIMEOUT
from privboost.targets.conversation import (
    GRACE,
    Answer,
    Conversation,
    Fault,
    FaultError,
    FaultKind,
    Limits,
)
from privboost.targets.programs import Program

from .target import Faults

LIMITS = Limits(start=DEFAULT_TIMEOUT, answer=DEFAULT_TIMEOUT, line=1 << 26)
"""Default limits of a process."""


class ProcessTarget:
    """A program that speaks JSON lines; it is started by the first request, and restarted after a fault.

    With `faults=True` the program hosts a Python object, and reports the object's faults as answers.
    """

    def __init__(self, program: Program, limits: Limits = LIMITS, *, faults: bool = False) -> None:
        self.name = program.name
        self.ended: Fault | None = None
        """Why the target was given up; None if it was not."""
        self.starts = 0
        self._program, self._limits, self._reports_faults = program, limits, faults
        self._conversation: Conversation | None = None
        self._faults = Faults()

    def ask(self, op: str, args: Mapping[str, Any]) -> Answer:
        """Return the answer to one request."""
        return self._answers([(op, args)])[0]

    def ask_many(self, requests: Iterable[Request]) -> Iterator[Answer]:
        """Yield the answers to requests; up to `in_flight` of them are sent at once."""
        waiting = iter(requests)
        while chunk := list(islice(waiting, self._limits.in_flight)):
            while chunk:
                # After a fault nothing is sent until the next answer is wanted: a check may end by then.
                answers = self._answers(chunk)
                yield from answers
                del chunk[: len(answers)]

    def close(self, grace: float = GRACE) -> bool:
        """End the program; return whether it exits within `grace` seconds after the end of its input."""
        conversation, self._conversation = self._conversation, None
        return conversation is None or conversation.close(grace)

    def _answers(self, requests: Sequence[Request]) -> list[Answer]:
        """Return the answers to requests, up to the first fault or operation that is not asked any more."""
        if self.ended is not None:
            return [Answer(fault=self.ended)]
        refusal = self._faults.refuse(requests[0][0])
        if refusal is not None:
            return [refusal]
        sent = list(takewhile(lambda request: self._faults.refuse(request[0]) is None, requests))
        lines = [(op, json.dumps(dict(args))) for op, args in sent]
        answers: list[Answer] = []
        try:
            for answer in self._open(lines[0][0]).answers(lines):
                self._count_answer(lines[len(answers)][0], answer)
                answers.append(answer)
        except FaultError as error:
            # A flood after the last answer is a fault of the last request.
            del answers[len(lines) - 1 :]
            answers.append(Answer(fault=error.fault))
            self._count_fault(lines[len(answers) - 1][0], error.fault)
        return answers

    def _count_answer(self, op: str, answer: Answer) -> None:
        """Count an answer, or the exceptions of an object that an operation raises in a row."""
        if answer.fault is not None:
            self.ended = self._faults.add(op, answer.fault) or self.ended
            return
        self._faults.add_answer(op)
        if self._reports_faults:
            self._faults.forget(op)

    def _open(self, first: str) -> Conversation:
        """Return the running program; start it and send `hello` if necessary."""
        if self._conversation is None:
            self._conversation = self._start()
            self.starts += 1
            if first != "hello":
                list(self._conversation.answers([("hello", '{"protocol": 1}')]))
        return self._conversation

    def _start(self) -> Conversation:
        """Return a new process."""
        return Conversation(self._program, self._limits, faults=self._reports_faults)

    def _count_fault(self, op: str, fault: Fault) -> None:
        """Count a fault, which has ended the program; raise UsageError if the target does not exist."""
        self._conversation = None
        if fault.kind is FaultKind.MISSING and self.starts == 1:
            raise UsageError(fault.got)
        self.ended = self._faults.add(op, fault) or self.ended
