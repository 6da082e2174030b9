"""The interface of targets: implementations that answer requests.

A target never raises an exception for a faulty implementation. A crash, a hang or invalid output is an answer
with a `fault`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Protocol

from privboost.targets.conversation import GRACE, Answer

HANGS = 3
"""Number of hangs after which an operation is not asked again."""
FAULTS = 25
"""Number of other faults after which it is not asked again: in all for a program, in a row for an object.

A Python object survives an exception and needs no restart, so single exceptions do not count.
"""
SECONDS = 60.0
"""Default timeout of an answer, in seconds."""

Request = tuple[str, Mapping[str, Any]]
"""An operation and its arguments."""


class Faults:
    """Count faults by operation.

    An operation is not asked again after HANGS hangs or FAULTS other faults. The target is given up when two
    operations are not and it has answered nothing but `hello`: the fault is not a matter of the operation.
    """

    def __init__(self) -> None:
        self._hangs: Counter[str] = Counter()
        self._others: Counter[str] = Counter()
        self._answers = False

    def add_answer(self, op: str) -> None:
        """Count an answer."""
        self._answers = self._answers or op != "hello"

    def add(self, op: str, *, is_hang: bool) -> str | None:
        """Count a fault; return why the target must be given up, or None."""
        counts, most = (self._hangs, HANGS) if is_hang else (self._others, FAULTS)
        counts[op] += 1
        unasked = [each for each in self._hangs | self._others if self.unasked(each)]
        if self._answers or len(unasked) < 2:
            return None
        kind = "hangs" if is_hang else "faults"
        return f"given up after {most} {kind} of each of the operations {' and '.join(unasked)}"

    def forget(self, op: str) -> None:
        """Forget the faults of an operation that are not hangs."""
        del self._others[op]

    def unasked(self, op: str) -> Answer | None:
        """Return the answer to an operation that is not asked any more; None if it is."""
        again = f"nothing: {op} was not asked again after"
        if self._hangs[op] >= HANGS:
            return Answer(fault=f"{again} {HANGS} hangs (--timeout gives more time)")
        return Answer(fault=f"{again} {FAULTS} faults") if self._others[op] >= FAULTS else None


class Target(Protocol):
    """An implementation under test."""

    @property
    def name(self) -> str:
        """Return the name of the target on the command line."""

    def ask(self, op: str, args: Mapping[str, Any]) -> Answer:
        """Return the answer to one request."""

    def ask_many(self, requests: Iterable[Request]) -> Iterator[Answer]:
        """Yield the answers to requests, in their order."""

    def close(self, grace: float = GRACE) -> bool:
        """End the target's process, if it has one; return whether it exits by itself within `grace` seconds.

        Later requests start it again.
        """
