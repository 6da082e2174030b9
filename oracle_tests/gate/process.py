"""Targets that are processes: asked over pipes, started again after a fault, given up after too many."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from privboost.auditor.conversation import Conversation, Limits, _kill
from privboost.auditor.errors import TargetError
from privboost.errors import UsageError

from .target import HANGS, SECONDS, Answer
from .wire import WireError, printable, read_json, shown

FAULTS = 25
"""After so many faults a target is given up: of a program in all, of a Python object in a row.

An object that raises an error is not lost, so that the next request costs no more than any other.
"""
LIMITS = Limits(start=SECONDS, answer=SECONDS, line=1 << 26)
"""What a process may take, unless its user says otherwise."""
USAGE = 2
"""The exit code of `hosted` for a target that does not exist."""
KINDS = ("result", "unsupported", "error")

Request = tuple[str, Mapping[str, Any]]


class Fault(Exception):
    """Report what a process did instead of an answer."""

    def __init__(self, kind: str, expected: str, found: str) -> None:
        self.kind = kind
        super().__init__(f"{kind}: expected {expected}, found {found}")


class Exchange(Conversation):
    """A conversation whose answers may be of any kind, and in which a fault is named."""

    hosted = False
    has_answered = False
    exit_code: int | None = None

    def answers(self, requests: Sequence[Request]) -> Iterator[Answer]:
        """Yield one answer per request, all of which are sent at once.

        Ensures: Fault for everything that is no answer.
        """
        pending = deque(self._send(op, json.dumps(dict(args))) for op, args in requests)
        while pending:
            seconds = self._limits.answer if self.has_answered else self._limits.start
            line = self._line(pending[0], seconds)
            answer = self._read_answer(line, pending)
            self.has_answered = True
            yield answer
        if self._lines:
            raise Fault("flood", "one answer per request", f"also the line {shown(self._lines[0])}")

    def kill(self) -> None:
        """End the program at once: what it still says must not be taken for an answer."""
        _kill(self._process)
        self.close()

    def _send(self, operation: str, argument: str) -> int:
        number, self._next_id = self._next_id, self._next_id + 1
        request = f'{{"id": {number}, "op": {json.dumps(operation)}, "args": {argument}}}\n'
        self._outgoing += request.encode("utf-8")
        return number

    def _line(self, number: int, seconds: float) -> bytes:
        try:
            return super()._line(number, seconds)
        except TargetError as error:
            kind = "crash" if self._ended else "flood" if "bytes" in error.expected else "hang"
            self.exit_code = self._process.poll()
            raise Fault(kind, error.expected, printable(error.found)) from None

    def _read_answer(self, line: bytes, pending: deque[int]) -> Answer:
        """Return the answer on a line, which must be to the oldest request."""
        try:
            found = read_json(line)
        except WireError as error:
            found_there = f"{shown(error.found)} in the line {shown(line)}"
            raise Fault("garbage", error.expected, found_there) from None
        if not isinstance(found, dict):
            raise Fault("garbage", "one JSON object per line", f"the line {shown(line)}")
        number = found.get("id")
        if isinstance(number, bool) or number != pending[0]:
            is_other = isinstance(number, int | float) and number in pending
            kind = "out of order" if is_other else "wrong id" if "id" in found else "no id"
            raise Fault(kind, f"the answer with the id {pending[0]}", f"the line {shown(line)}")
        pending.popleft()
        if self.hosted and isinstance(found.get("fault"), str):
            return Answer(fault=printable(found["fault"]))
        return self._of_one_kind(found, line)

    def _of_one_kind(self, found: dict[str, Any], line: bytes) -> Answer:
        kinds = [kind for kind in KINDS if kind in found]
        if len(kinds) != 1:
            names = " and ".join(kinds) or "none of them"
            raise Fault("garbage", f"one of {', '.join(KINDS)}", f"{names} in the line {shown(line)}")
        (kind,) = kinds
        if kind == "result":
            return Answer(result=found["result"])
        if not isinstance(found[kind], str):
            raise Fault("garbage", f"a text for {kind}", f"the line {shown(line)}")
        text = printable(found[kind])
        return Answer(unsupported=text) if kind == "unsupported" else Answer(error=text)


class ProcessTarget:
    """A program that speaks JSON lines; it is started when it is asked, and again after a fault."""

    def __init__(
        self, name: str, words: tuple[str, ...], folder: str, limits: Limits | None, *, hosted: bool = False
    ) -> None:
        self.name = name
        self.ended: str | None = None
        """Why nothing is asked any more."""
        self.starts = 0
        self._words, self._folder, self._limits, self._hosted = words, folder, limits or LIMITS, hosted
        self._exchange: Exchange | None = None
        self._faults = self._hangs = self._in_a_row = 0

    def ask(self, op: str, args: Mapping[str, Any]) -> Answer:
        """Return the answer to one request."""
        return self._answers([(op, args)])[0]

    def ask_many(self, requests: Iterable[Request]) -> Iterator[Answer]:
        """Yield the answers to requests, many of which are sent ahead."""
        waiting = iter(requests)
        while chunk := list(islice(waiting, self._limits.in_flight)):
            yield from self._answers(chunk)

    def close(self) -> None:
        """End the program."""
        if self._exchange is not None:
            self._exchange.close()
            self._exchange = None

    def _answers(self, requests: Sequence[Request]) -> list[Answer]:
        """Return the answers to requests; those after a fault are asked again of a new process."""
        answers: list[Answer] = []
        while len(answers) < len(requests):
            if self.ended is not None:
                answers.append(Answer(fault=self.ended))
                continue
            try:
                for answer in self._opened(requests[len(answers)][0]).answers(requests[len(answers) :]):
                    answers.append(answer)
                    self._count_in_a_row(answer)
            except Fault as fault:
                del answers[len(requests) - 1 :]
                answers.append(Answer(fault=str(fault)))
                self._dropped(fault)
        return answers

    def _count_in_a_row(self, answer: Answer) -> None:
        """Give up an object that does nothing but raise errors."""
        self._in_a_row = 0 if answer.fault is None else self._in_a_row + 1
        if self._in_a_row >= FAULTS:
            self.ended = f"given up after {FAULTS} faults in a row; the last one: {answer.fault}"

    def _opened(self, first: str) -> Exchange:
        """Return the running program; a new one is greeted before it is asked anything else."""
        if self._exchange is None:
            self._exchange = self._started()
            self.starts += 1
            if first != "hello":
                list(self._exchange.answers([("hello", {"protocol": 1})]))
        return self._exchange

    def _started(self) -> Exchange:
        """Return a new process."""
        try:
            exchange = Exchange(self.name, self._words, self._folder, self._limits)
        except TargetError as error:
            raise Fault("crash", error.expected, printable(error.found)) from None
        exchange.hosted = self._hosted
        return exchange

    def _dropped(self, fault: Fault) -> None:
        """End a program that cannot be understood any more, and count."""
        exchange, self._exchange = self._exchange, None
        if exchange is not None:
            exchange.kill()
            missing = self._hosted and self.starts == 1 and not exchange.has_answered
            if missing and exchange.exit_code == USAGE:
                raise UsageError(str(fault).rpartition("privboost: error: ")[2])
        self._faults += 1
        self._hangs += fault.kind == "hang"
        if self._hangs >= HANGS:
            self.ended = f"given up after {HANGS} hangs; the last one: {fault}"
        elif self._faults >= FAULTS:
            self.ended = f"given up after {FAULTS} faults; the last one: {fault}"
