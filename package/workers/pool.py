"""A pool of processes that can always be stopped, even inside a call.

The parent detects workers that died or in which no call finishes. What workers print goes to standard error.
"""

from __future__ import annotations

import copy
import ctypes
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import ALL_COMPLETED, Executor, Future, InvalidStateError, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import sharedctypes, util
from multiprocessing.context import BaseContext
from multiprocessing.process import BaseProcess
from types import FrameType
from typing import Any, TypeVar

from privboost.errors import PrivboostError, TargetEndedError, TargetError, TargetHungError

from .cluster import ClusterCalls, connect
from .descendants import end_wearers, new_badge, wear, wearers
from .endings import ending
from .heartbeats import Counter, count_into
from .interrupts import SIGNALS, interrupts_deferred

T = TypeVar("T")

LEAVE, END = 1.5, 3.0
"""Seconds to wait for a worker to exit by itself, and then after each signal."""

TERMINATED = 143
"""Exit code of a worker that received SIGTERM, as in a shell."""

TICK = 0.2
"""Polling interval, in seconds."""


class CallingProcesses(ProcessPoolExecutor):
    """A process pool that counts finished calls; `result_of` gives up after `timeout` seconds without one."""

    def __init__(self, count: int, timeout: float | None = None) -> None:
        self.timeout = timeout
        self._counter: Counter = sharedctypes.RawValue(ctypes.c_uint64)
        self.started: list[BaseProcess] = []
        self.badge = new_badge()
        arguments = (self._counter, self.badge)
        super().__init__(count, _context(self.started), initializer=_prepare, initargs=arguments)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Submit a call.

        Ensures: if a process has already died, the future holds that error, as for calls submitted earlier.
        """
        try:
            future = super().submit(fn, *args, **kwargs)
        except BrokenProcessPool as error:
            future = Future()
            future.set_exception(error)
            return future
        # In Python 3.11, the thread of a broken pool fails at a future that was cancelled meanwhile.
        future.__class__ = _CancellableFuture
        return future

    @property
    def finished_calls(self) -> int:
        """Return a counter that changes with every finished call."""
        return self._counter.value

    @property
    def workers(self) -> list[BaseProcess]:
        """Return all workers; one that could not be started, for want of memory or open files, has no id."""
        return [process for process in self.started if process.pid is not None]

    def how_it_ended(self) -> str:
        """Describe how the workers that died ended, leaving out those that the pool stopped."""
        _wait(self.workers, END)
        codes = {process.exitcode for process in self.workers} - {None, TERMINATED, -signal.SIGTERM}
        return " and ".join(sorted(ending(code) for code in codes if code is not None)) or "its sudden end"


class _CancellableFuture(Future[Any]):
    """A future that ignores the end of its pool after it was cancelled."""

    def set_exception(self, exception: BaseException | None) -> None:
        """Set an exception unless the future is done or cancelled."""
        with suppress(InvalidStateError):
            super().set_exception(exception)


def _context(started: list[BaseProcess]) -> BaseContext:
    """Return the default context of multiprocessing, with a list of the processes that it makes.

    The pool forgets a process that dies, and a process may die before the call that started it returns.
    """
    context = copy.copy(multiprocessing.get_context())
    make = context.Process

    def start_process(*args: Any, **kwargs: Any) -> BaseProcess:
        started.append(make(*args, **kwargs))
        return started[-1]

    context.Process = start_process  # type: ignore[assignment, misc]
    return context


@contextmanager
def worker_processes(count: int, timeout: float | None = None) -> Iterator[CallingProcesses]:
    """Start a pool of processes, and stop them and their children afterwards, even inside a call.

    Ctrl-C is ignored while they are being stopped, so that results are not lost.
    """
    pool = CallingProcesses(count, timeout)
    try:
        yield pool
    finally:
        with suppress(KeyboardInterrupt), interrupts_deferred():
            seen = wearers(pool.badge)
            pool.shutdown(wait=False, cancel_futures=True)
            _wait(pool.workers, LEAVE)
            for worker in pool.workers:
                worker.terminate()
            _wait(pool.workers, END)
            for worker in pool.workers:
                worker.kill()
            _wait(pool.workers, END)
            end_wearers(pool.badge, seen)


@dataclass(frozen=True, slots=True)
class Workers:
    """An executor, or None to run in this process, and the number of tasks that it runs in parallel."""

    executor: Executor | None
    count: int


@contextmanager
def start_workers(jobs: int, dask: str | None, timeout: float) -> Iterator[Workers]:
    """Start `jobs` processes, or connect to the Dask cluster at an address, and stop at the end."""
    if dask:
        with connect(dask, timeout) as cluster:
            yield Workers(cluster, cluster.threads)
    elif jobs > 1:
        with worker_processes(jobs) as pool:
            yield Workers(pool, jobs)
    else:
        yield Workers(None, 1)


def result_of(future: Future[Any], executor: Executor, target: str) -> Any:
    """Wait for the result of a call to a target.

    Ensures: TargetError if the process died, the timeout expired, or the result cannot be sent.
    """
    for _ in ticks_until(future, executor, target):
        pass
    error = future.exception()
    if error is None:
        return future.result()
    if isinstance(error, PrivboostError):
        raise error
    if isinstance(error, BrokenProcessPool):
        end = executor.how_it_ended() if isinstance(executor, CallingProcesses) else str(error)
        raise TargetEndedError(target, "a process that lives until it has answered", end) from error
    reason = f"{type(error).__name__}: {error}"
    raise TargetError(target, "calls that a worker can make and send back", reason) from error


def ticks_until(future: Future[Any], executor: Executor, target: str) -> Iterator[None]:
    """Yield at every polling interval until a future is done.

    Ensures: TargetError if no call finishes within the timeout of the executor; WorkersLostError if a cluster
    is gone.
    """
    calling = executor if isinstance(executor, CallingProcesses) else None
    calls, since = calling.finished_calls if calling else 0, time.monotonic()
    while not finished_of([future]):
        yield
        if isinstance(executor, ClusterCalls):
            executor.check()
        if calling and calling.finished_calls != calls:
            calls, since = calling.finished_calls, time.monotonic()
        if calling and calling.timeout is not None and time.monotonic() - since >= calling.timeout:
            limit = f"an answer within the timeout of {calling.timeout:g} s"
            raise TargetHungError(target, limit, "a call that does not end")


def finished_of(futures: Collection[Future[T]], return_when: str = ALL_COMPLETED) -> set[Future[T]]:
    """Wait for futures, for a polling interval at most, and return those that are done.

    An interrupt inside of `wait` would leave futures locked, and the pool would wait for them at its end.
    """
    with interrupts_deferred():
        return wait(futures, TICK, return_when).done


def _wait(workers: list[BaseProcess], seconds: float) -> None:
    """Wait until workers have ended and their exit codes are known."""
    deadline = time.monotonic() + seconds
    for worker in workers:
        worker.join(max(deadline - time.monotonic(), 0))
        while worker.is_alive() and time.monotonic() < deadline:
            # The thread of the pool may have received the exit code and not stored it yet.
            time.sleep(TICK / 20)


def _prepare(counter: Counter, badge: str) -> None:
    """Ignore SIGINT and SIGHUP, which the parent handles, and exit on SIGTERM or when the parent dies."""
    for number in SIGNALS:
        signal.signal(number, _leave if number == signal.SIGTERM else signal.SIG_IGN)
    wear(badge)
    count_into(counter)
    with suppress(OSError):
        # Standard output is reserved for the results of the command.
        os.dup2(2, 1)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """Exit when the parent process has died."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        _leave(signal.SIGTERM, None)


def _leave(signal_number: int, frame: FrameType | None) -> None:
    """Exit at once, even inside a call, after stopping the programs that this process has started."""
    del signal_number, frame
    util._run_finalizers(0)  # type: ignore[attr-defined]
    os._exit(TERMINATED)
