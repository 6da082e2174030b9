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
SECONDS = 60.0
"""Default timeout of an answer, in seconds."""

Request = tuple[str, Mapping[str, Any]]
"""An operation and its arguments."""


class Hangs:
    """Count hangs by operation.

    An operation that hangs HANGS times is not asked again. The target is given up if it has answered nothing
    but `hello` by then: the hang is not a matter of the operation.
    """

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._answers = False

    def add_answer(self, op: str) -> None:
        """Count an answer."""
        self._answers = self._answers or op != "hello"

    def add_hang(self, op: str) -> bool:
        """Count a hang; return whether the target must be given up."""
        self._counts[op] += 1
        return self._counts[op] >= HANGS and not self._answers

    def unasked(self, op: str) -> Answer | None:
        """Return the answer to an operation that is not asked any more; None if it is."""
        if self._counts[op] < HANGS:
            return None
        return Answer(
            fault=f"nothing: {op} was not asked again after {HANGS} hangs (--timeout gives more time)"
        )


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
