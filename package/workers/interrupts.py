"""Stop signals: SIGTERM and SIGHUP end a command as Ctrl-C does, and none of them loses its results.

All three raise KeyboardInterrupt. Code that catches it to conclude from the results so far calls
`ignore_further_stops` first. Steps that must complete are run within `interrupts_deferred`.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
AGAIN = 2.0
"""Seconds after a stop signal within which another one does nothing, and after which it is repeated.

Python discards exceptions in some callbacks, such as those of the garbage collector, and a target may catch
anything.
"""


class _StopState:
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
    _StopState.first, _StopState.raised, _StopState.ignored = None, -AGAIN, False
    # A program that was started with nohup or in the background is not to be stopped by these.
    replaced = {number: signal.getsignal(number) for number in SIGNALS}
    replaced = {number: handler for number, handler in replaced.items() if handler is not signal.SIG_IGN}
    for number in replaced:
        signal.signal(number, _stop)
    hook = sys.unraisablehook
    # A stop that Python discards is repeated, so that there is nothing to report.
    sys.unraisablehook = lambda event: None if event.exc_type is KeyboardInterrupt else hook(event)
    try:
        yield
    finally:
        _StopState.ignored = True
        sys.unraisablehook = hook
        for number, handler in replaced.items():
            signal.signal(number, handler)


def ignore_further_stops() -> None:
    """Ignore stop signals until the end of the command, which is about to print its results."""
    _StopState.ignored = True


def exit_at_stop(code: int) -> None:
    """Exit with a code at the next stop signal; the results are printed, and Python is about to exit."""
    for number in SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda *_: os._exit(code))
    # If code in a string was interrupted, as in imports of numpy, `python -m` ends by SIGINT in place of the
    # exit code, unless other such code is run.
    exec("")
    # At the very end Python removes these handlers, and a signal would change the exit code.
    atexit.register(lambda: [signal.signal(number, signal.SIG_IGN) for number in SIGNALS])


def stop_code(default: int) -> int:
    """Return the exit code of a command that a signal has stopped, as in a shell; `default` without one."""
    return default if _StopState.first is None else 128 + _StopState.first


def _stop(number: int, frame: FrameType | None) -> None:
    del frame
    if _StopState.first is None:
        _StopState.first = number
    if _StopState.ignored or time.monotonic() - _StopState.raised < AGAIN:
        return
    _StopState.raised = time.monotonic()
    reminder = threading.Timer(AGAIN * 1.1, _repeat, (number, _StopState.raised))
    reminder.daemon = True
    reminder.start()
    raise KeyboardInterrupt


def _repeat(number: int, raised: float) -> None:
    """Send a signal again if the command that got it goes on as if nothing had happened."""
    if not _StopState.ignored and _StopState.raised == raised:
        os.kill(os.getpid(), number)


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
