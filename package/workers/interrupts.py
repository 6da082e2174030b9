"""Stop signals: SIGTERM and SIGHUP end a command as Ctrl-C does, and none of them loses its results.

All three raise KeyboardInterrupt. Code that catches it to conclude from the results so far calls
`ignore_further_stops` first. Steps that must complete are run within `interrupts_deferred`.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
AGAIN = 2.0
"""Seconds after a stop signal within which another one does nothing; a target may have lost the first."""


class _State:
    """The stop signals of the command that is running."""

    first: int | None = None
    raised = -AGAIN
    ignored = True


@contextmanager
def stop_signals() -> Iterator[None]:
    """Raise KeyboardInterrupt for every stop signal in a block, except for those that are ignored already.

    Outside the main thread, which alone receives signals, this does nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    _State.first, _State.raised, _State.ignored = None, -AGAIN, False
    # A program that was started with nohup or in the background is not to be stopped by these.
    replaced = {number: signal.getsignal(number) for number in SIGNALS}
    replaced = {number: handler for number, handler in replaced.items() if handler is not signal.SIG_IGN}
    for number in replaced:
        signal.signal(number, _stop)
    try:
        yield
    finally:
        _State.ignored = True
        for number, handler in replaced.items():
            signal.signal(number, handler)


def ignore_further_stops() -> None:
    """Ignore stop signals until the end of the command, which is about to print its results."""
    _State.ignored = True


def stop_code(default: int) -> int:
    """Return the exit code of a command that a signal has stopped, as in a shell; `default` without one."""
    return default if _State.first is None else 128 + _State.first


def _stop(number: int, frame: FrameType | None) -> None:
    del frame
    if _State.first is None:
        _State.first = number
    if _State.ignored or time.monotonic() - _State.raised < AGAIN:
        return
    _State.raised = time.monotonic()
    raise KeyboardInterrupt


@contextmanager
def interrupts_deferred() -> Iterator[None]:
    """Defer stop signals until the end of a block, and handle them then.

    Without this, an interrupt between two steps could count a block twice, or record outputs that were never
    tested. Outside the main thread, which alone receives signals, this does nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    received: list[int] = []

    def record(signal_number: int, frame: FrameType | None) -> None:
        del frame
        received.append(signal_number)

    handlers = {number: signal.getsignal(number) for number in SIGNALS}
    replaced = {number: handler for number, handler in handlers.items() if callable(handler)}
    for number in replaced:
        signal.signal(number, record)
    try:
        yield
    finally:
        for number, handler in replaced.items():
            signal.signal(number, handler)
    if received:
        replaced[received[0]](received[0], None)
