"""Signs of life: a process that makes calls counts those it has finished where its parent can see it."""

from __future__ import annotations

from typing import Protocol


class Counter(Protocol):
    """A number that processes share."""

    value: int


class _State:
    """The counter of this process, where somebody waits for it."""

    counter: Counter | None = None


def count_into(counter: Counter) -> None:
    """Count further calls of this process where its parent looks."""
    _State.counter = counter


def beat() -> None:
    """Say that a call has been finished.

    Several processes may count at once and lose some counts; what matters is that the number changes.
    """
    if _State.counter is not None:
        _State.counter.value += 1
