"""Processes that make calls, and that end when they are told to, whatever a mechanism does inside them.

Whoever waits for them notices a process that has died, or in which no call comes to an end. What a mechanism
prints goes to standard error.
"""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from multiprocessing import sharedctypes, util
from multiprocessing.process import BaseProcess
from types import FrameType
from typing import Any

from privboost.errors import PrivboostError, TargetError
from privboost.workers.endings import signal_name

from .heartbeats import Counter, count_into
from .interrupts import interrupts_deferred

LEAVE, END = 1.5, 3.0
"""Seconds to end by itself, and to end when told to; either is longer than a program is waited for."""

TOLD_TO = 143
"""The exit code of a process that was told to end, as a shell has it."""

TICK = 0.2
"""Seconds after which whoever waits looks around."""


class CallingProcesses(ProcessPoolExecutor):
    """Processes that count the calls they finish; `timeout` seconds without one are too many."""

    def __init__(self, count: int, timeout: float | None = None) -> None:
        self.timeout = timeout
        self._counter: Counter = sharedctypes.RawValue(ctypes.c_uint64)
        self._others = set(multiprocessing.active_children())
        self.started: set[BaseProcess] = set()
        super().__init__(count, initializer=_prepare, initargs=(self._counter,))

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Take work, and remember the processes that were started for it.

        Ensures: if one of them has died before, the result is that error, as for work that was under way.
        """
        try:
            found = super().submit(fn, *args, **kwargs)
        except BrokenProcessPool as error:
            found = Future()
            found.set_exception(error)
        self.started |= set(multiprocessing.active_children()) - self._others
        return found

    @property
    def finished_calls(self) -> int:
        """Return a number that changes with every finished call."""
        return self._counter.value

    def how_it_ended(self) -> str:
        """Return how the processes ended of which one has died; the others are told to end then."""
        _wait(self.started, END)
        codes = {process.exitcode for process in self.started} - {None, TOLD_TO, -signal.SIGTERM}
        return " and ".join(sorted(_ending(code) for code in codes if code is not None)) or "its sudden end"


@contextmanager
def worker_processes(count: int, timeout: float | None = None) -> Iterator[CallingProcesses]:
    """Give processes that make calls, and end them afterwards, also those inside a call.

    What they still do then is wanted by nobody: all results that count have been taken. Ctrl-C while they
    are being ended changes nothing, so that what was found is not lost to an impatient second one.
    """
    pool = CallingProcesses(count, timeout)
    try:
        yield pool
    finally:
        with suppress(KeyboardInterrupt), interrupts_deferred():
            pool.shutdown(wait=False, cancel_futures=True)
            _wait(pool.started, LEAVE)
            for worker in pool.started:
                worker.terminate()
            _wait(pool.started, END)
            for worker in pool.started:
                worker.kill()
            _wait(pool.started, END)


def result_of(future: Future[Any], executor: Executor, target: str) -> Any:
    """Wait for the result of a piece of work on a target.

    Ensures: TargetError if its process died, was silent for too long, or cannot send the result.
    """
    for _ in ticks_until(future, executor, target):
        pass
    error = future.exception()
    if error is None:
        return future.result()
    if isinstance(error, PrivboostError):
        raise error
    if isinstance(error, BrokenProcessPool):
        found = executor.how_it_ended() if isinstance(executor, CallingProcesses) else str(error)
        raise TargetError(target, "a process that lives until it has answered", found) from error
    found = f"{type(error).__name__}: {error}"
    raise TargetError(target, "calls that a worker can make and send back", found) from error


def ticks_until(future: Future[Any], executor: Executor, target: str) -> Iterator[None]:
    """Yield now and then until a result is there.

    Ensures: TargetError if no call is finished for as long as the executor allows.
    """
    calling = executor if isinstance(executor, CallingProcesses) else None
    calls, since = calling.finished_calls if calling else 0, time.monotonic()
    while not wait([future], TICK).done:
        yield
        if calling and calling.finished_calls != calls:
            calls, since = calling.finished_calls, time.monotonic()
        if calling and calling.timeout is not None and time.monotonic() - since >= calling.timeout:
            limit = f"an answer within {calling.timeout:g} s (--timeout)"
            raise TargetError(target, limit, "a call that does not end")


def _ending(code: int) -> str:
    return f"its end by signal {signal_name(-code)}" if code < 0 else f"its end with exit code {code}"


def _wait(workers: set[BaseProcess], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    for worker in workers:
        worker.join(max(deadline - time.monotonic(), 0))


def _prepare(counter: Counter) -> None:
    """Leave Ctrl-C, which goes to every process of a terminal, to the parent, and end when it says so."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _leave)
    count_into(counter)
    with suppress(OSError):
        # Results of the command are on standard output; what a mechanism prints is none of them.
        os.dup2(2, 1)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """End this process when its parent is gone, which may have been killed without a word."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        _leave(signal.SIGTERM, None)


def _leave(number: int, frame: FrameType | None) -> None:
    """End this process in the middle of a call, and the programs that it has started."""
    del number, frame
    util._run_finalizers(0)  # type: ignore[attr-defined]
    os._exit(TOLD_TO)
