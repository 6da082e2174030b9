"""Targets that are Python objects in this process."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from privboost.errors import UsageError
from privboost.gate.check import Request
from privboost.gate.plan import DEFAULT_TIMEOUT
from privboost.targets.conversation import GRACE, Answer, Fault, FaultKind
from privboost.targets.host import answer_of

from .target import Faults


class PythonTarget:
    """An object in this process with a method `answer(op, args)`."""

    def __init__(self, name: str, implementation: Any, seconds: float = DEFAULT_TIMEOUT) -> None:
        if not callable(getattr(implementation, "answer", None)):
            kind = type(implementation).__name__
            raise UsageError(f"target: expected an object with a method answer(op, args), got a {kind}")
        self.name = name
        self.ended: Fault | None = None
        """Why the target was given up; None if it was not."""
        self._implementation, self._seconds, self._faults = implementation, seconds, Faults()

    def ask(self, op: str, args: Mapping[str, Any]) -> Answer:
        """Return the answer to one request."""
        if self.ended is not None:
            return Answer(fault=self.ended)
        refusal = self._faults.refuse(op)
        if refusal is not None:
            return refusal
        answer = answer_of(self._implementation, op, args, self._seconds)
        if answer.fault is None:
            self._faults.add_answer(op)
        elif answer.fault.kind is FaultKind.HANG:
            self.ended = self._faults.add(op, answer.fault, says_last=False)
        return answer

    def ask_many(self, requests: Iterable[Request]) -> Iterator[Answer]:
        """Yield the answers to requests."""
        for op, args in requests:
            yield self.ask(op, args)

    def close(self, grace: float = GRACE) -> bool:
        """Do nothing: there is no process that could go on."""
        return True
