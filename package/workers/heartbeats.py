"""Heartbeats: a worker counts its finished calls in memory that it shares with its parent."""

from __future__ import annotations

from typing import Protocol


class Counter(Protocol):
    """A counter in shared memory."""

    value: int


class _State:
    """The counter of this process, or None if it is not a worker."""

    counter: Counter | None = None


def count_into(counter: Counter) -> None:
    """Count all further calls of this process in `counter`."""
    _State.counter = counter


def beat() -> None:
    """Count one finished call.

    Concurrent updates may be lost; readers only test whether the count has changed.
    """
    if _State.counter is not None:
        _State.counter.value += 1
