"""What the gate asks: a target answers requests, and nothing that it does is an exception here.

A crash, a hang or garbage is an answer with a `fault`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Protocol

from privboost.targets.conversation import Answer

HANGS = 3
"""Hangs after which a target is given up."""
SECONDS = 60.0
"""Timeout of one answer, unless the user says otherwise."""

Request = tuple[str, Mapping[str, Any]]
"""An operation and its arguments."""


class Target(Protocol):
    """An implementation that can be asked."""

    @property
    def name(self) -> str:
        """Return what a user writes for it."""

    def ask(self, op: str, args: Mapping[str, Any]) -> Answer:
        """Return the answer to one request."""

    def ask_many(self, requests: Iterable[Request]) -> Iterator[Answer]:
        """Yield the answers to requests, in their order."""

    def close(self) -> None:
        """Let it end."""
