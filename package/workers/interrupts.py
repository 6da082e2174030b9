"""Defer Ctrl-C during steps that must complete."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def interrupts_deferred() -> Iterator[None]:
    """Defer Ctrl-C until the end of a block, and raise KeyboardInterrupt then.

    Without this, an interrupt between two steps could count a block twice, or record outputs that were never
    tested. Outside the main thread, which alone receives interrupts, this does nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    received: list[int] = []

    def record(signal_number: int, frame: FrameType | None) -> None:
        del frame
        received.append(signal_number)

    previous = signal.signal(signal.SIGINT, record)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)
    if received:
        raise KeyboardInterrupt
