"""The interface of targets: implementations that answer requests.

A target never raises an exception for a faulty implementation. A crash, a hang or invalid output is an answer
with a `fault`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Protocol

from privboost.targets.conversation import Answer

HANGS = 3
"""Number of hangs after which a target is given up."""
SECONDS = 60.0
"""Default timeout of an answer, in seconds."""

Request = tuple[str, Mapping[str, Any]]
"""An operation and its arguments."""


class Target(Protocol):
    """An implementation under test."""

    @property
    def name(self) -> str:
        """Return the name of the target on the command line."""

    def ask(self, op: str, args: Mapping[str, Any]) -> Answer:
        """Return the answer to one request."""

    def ask_many(self, requests: Iterable[Request]) -> Iterator[Answer]:
        """Yield the answers to requests, in their order."""

    def close(self) -> None:
        """Release the target's process, if it has one."""
