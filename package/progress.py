"""Show progress on standard error: one updated line on a terminal, a new line every 5 seconds elsewhere."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Concatenate, Generic, ParamSpec, Self, TextIO, TypeVar

from .printing import make_printable, write_message

P = ParamSpec("P")
T = TypeVar("T")

SECONDS_ON_A_TERMINAL = 0.2
SECONDS_ELSEWHERE = 5.0


class _Clock:
    """The time of the next line that is not on a terminal, common to all phases of a command."""

    due = 0.0


def start_clock() -> None:
    """Note that a command begins."""
    _Clock.due = time.monotonic() + SECONDS_ELSEWHERE


class ProgressLine:
    """Show the latest line, at a limited rate."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._on_terminal = bool(self._stream) and self._stream.isatty()
        self._next = 0.0
        self._width = 0

    def show(self, make_line: Callable[[], str]) -> None:
        """Show a line if one is due; `make_line` is called only then."""
        now = time.monotonic()
        if not self._stream or now < (self._next if self._on_terminal else _Clock.due):
            return
        if self._on_terminal:
            self._next = now + SECONDS_ON_A_TERMINAL
            line = self._fit_to_terminal(make_printable(make_line()))
            write_message(self._stream, f"\r{line.ljust(self._width)}")
            self._width = len(line)
        else:
            start_clock()
            write_message(self._stream, f"{make_printable(make_line())}\n")

    def _fit_to_terminal(self, line: str) -> str:
        """Return a line shortened to the terminal: one that wraps could not be overwritten."""
        try:
            most = os.get_terminal_size(self._stream.fileno()).columns - 1
        except (OSError, ValueError):
            return line
        return line if len(line) <= most or most < 1 else f"{line[: most - 1]}…"

    def close(self) -> None:
        """Clear the line."""
        if self._stream and self._width:
            write_message(self._stream, f"\r{' ' * self._width}\r")
            self._width = 0


class Watch(Generic[P]):
    """A progress callback; `make_line` formats the elapsed seconds and the arguments of the latest call.

    With `steady`, a thread shows lines also between calls, for work with long steps. Such work must not fork.
    """

    def __init__(self, make_line: Callable[Concatenate[float, P], str], *, steady: bool = False) -> None:
        self._make_line, self._line, self._started = make_line, ProgressLine(), time.monotonic()
        self._latest: Callable[[float], str] | None = None
        self._lock, self._ended = threading.Lock(), threading.Event()
        self._thread = threading.Thread(target=self._repeat, daemon=True) if steady else None

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> None:
        """Show a line if one is due."""
        self._latest = lambda elapsed: self._make_line(elapsed, *args, **kwargs)
        self._show(self._latest)

    def _show(self, make_line: Callable[[float], str]) -> None:
        elapsed = time.monotonic() - self._started
        with self._lock:
            self._line.show(lambda: f"privboost: {make_line(elapsed)}")

    def _repeat(self) -> None:
        while not self._ended.wait(SECONDS_ON_A_TERMINAL):
            if self._latest is not None:
                self._show(self._latest)

    def __enter__(self) -> Self:
        if self._thread is not None:
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        if self._thread is not None:
            self._thread.join()
        self._line.close()


def timing(seconds: float, done: float, of: float) -> str:
    """Return the elapsed time and, in proportion to what is done, the estimated remaining time."""
    left = f", about {seconds * (of - done) / done:.0f} s left" if done else ""
    return f"{seconds:.0f} s{left}"


def counting(what: str, *, steady: bool = False) -> Watch[[int, int]]:
    """Return a progress callback for `done` of `of` items, such as "claims judged"."""

    def make_line(seconds: float, done: int, of: int) -> str:
        return f"{done:,} of {of:,} {what}, {timing(seconds, done, of)}"

    return Watch(make_line, steady=steady)


def count_progress(items: Sequence[T], what: str) -> Iterator[T]:
    """Yield items, and show how many of them are done."""
    with counting(what, steady=True) as watch:
        for done, item in enumerate(items):
            watch(done, len(items))
            yield item
