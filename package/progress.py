"""Progress of long work on standard error: one line, rewritten on a terminal, now and then one elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TextIO

SECONDS_ON_A_TERMINAL = 0.2
SECONDS_ELSEWHERE = 5.0


class ProgressLine:
    """Show the latest line of text, not more often than anyone can read."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._on_terminal = bool(self._stream) and self._stream.isatty()
        self._next = time.monotonic() + (0.0 if self._on_terminal else SECONDS_ELSEWHERE)
        self._width = 0

    def show(self, text: Callable[[], str]) -> None:
        """Show a line if it is time for one; the text is made only then."""
        now = time.monotonic()
        if not self._stream or now < self._next:
            return
        if self._on_terminal:
            self._next = now + SECONDS_ON_A_TERMINAL
            line = text()
            self._stream.write(f"\r{line.ljust(self._width)}")
            self._width = len(line)
        else:
            self._next = now + SECONDS_ELSEWHERE
            self._stream.write(f"{text()}\n")
        self._stream.flush()

    def close(self) -> None:
        """Leave a clean line behind."""
        if self._stream and self._width:
            self._stream.write(f"\r{' ' * self._width}\r")
            self._stream.flush()
            self._width = 0
