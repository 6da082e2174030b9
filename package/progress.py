"""Show progress on standard error: a line that is rewritten on a terminal, elsewhere one every 5 seconds."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Concatenate, Generic, ParamSpec, Self, TextIO

P = ParamSpec("P")

SECONDS_ON_A_TERMINAL = 0.2
SECONDS_ELSEWHERE = 5.0


class ProgressLine:
    """Show the latest line, not more often than it can be read."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._on_terminal = bool(self._stream) and self._stream.isatty()
        self._next = time.monotonic() + (0.0 if self._on_terminal else SECONDS_ELSEWHERE)
        self._width = 0

    def show(self, text: Callable[[], str]) -> None:
        """Show a line if one is due; `text` is called only then."""
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
        """Clear the line."""
        if self._stream and self._width:
            self._stream.write(f"\r{' ' * self._width}\r")
            self._stream.flush()
            self._width = 0


class Watch(Generic[P]):
    """A progress callback: `text` makes the line from the elapsed seconds and the arguments of the call."""

    def __init__(self, text: Callable[Concatenate[float, P], str]) -> None:
        self._text, self._line, self._started = text, ProgressLine(), time.monotonic()

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> None:
        """Show a line if one is due."""
        elapsed = time.monotonic() - self._started
        self._line.show(lambda: f"privboost: {self._text(elapsed, *args, **kwargs)}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._line.close()
