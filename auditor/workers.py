"""Processes that make calls, and that end when they are told to, whatever a mechanism does inside them."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager, suppress
from multiprocessing import util
from types import FrameType

from .interrupts import interrupts_deferred

LEAVE, END = 1.5, 3.0
"""Seconds to end by itself, and to end when told to; either is longer than a program is waited for."""


@contextmanager
def worker_processes(count: int) -> Iterator[Executor]:
    """Give processes that make calls, and end them afterwards, also those inside a call.

    What they still do then is wanted by nobody: all results that count have been taken. Ctrl-C while they
    are being ended changes nothing, so that what was found is not lost to an impatient second one.
    """
    others = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(count, initializer=_prepare)
    try:
        yield pool
    finally:
        with suppress(KeyboardInterrupt), interrupts_deferred():
            workers = set(multiprocessing.active_children()) - others
            pool.shutdown(wait=False, cancel_futures=True)
            _wait(workers, LEAVE)
            for worker in workers:
                worker.terminate()
            _wait(workers, END)
            for worker in workers:
                worker.kill()
            _wait(workers, END)


def _wait(workers: set[multiprocessing.process.BaseProcess], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    for worker in workers:
        worker.join(max(deadline - time.monotonic(), 0))


def _prepare() -> None:
    """Leave Ctrl-C, which goes to every process of a terminal, to the parent, and end when it says so."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _leave)
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
    os._exit(1)
