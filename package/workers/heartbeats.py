"""Signs of life: a worker counts its finished calls in memory that it shares with its parent."""

from __future__ import annotations

from typing import Protocol


class Counter(Protocol):
    """A count in memory that processes share."""

    value: int


class _State:
    """The counter of this process, or None if it is no worker."""

    counter: Counter | None = None


def count_into(counter: Counter) -> None:
    """Count further calls of this process in `counter`."""
    _State.counter = counter


def beat() -> None:
    """Count one finished call.

    Several processes may count at once and lose some counts; what matters is that the count changes.
    """
    if _State.counter is not None:
        _State.counter.value += 1
