"""Hold back Ctrl-C during steps that must not be interrupted halfway."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def interrupts_deferred() -> Iterator[None]:
    """Hold back Ctrl-C until the end of a block, and raise KeyboardInterrupt then.

    A test that is interrupted between two of its steps would count a block twice, or a recording would hold
    outputs that were never tested. Other threads receive no interrupts, so nothing changes there.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    heard: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        del frame
        heard.append(number)

    usual = signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)
    if heard:
        raise KeyboardInterrupt
