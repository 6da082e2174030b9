"""Workers: the order of results, Ctrl-C, failures, and descriptions of exit codes."""

from __future__ import annotations

import errno
import multiprocessing
import os
import signal
import time
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import pytest

from privboost.errors import HarnessError, TargetError
from privboost.oracle_tests.support.waiting import wait_until
from privboost.workers import descendants
from privboost.workers.endings import ending, signal_name
from privboost.workers.pool import CallingProcesses, result_of, worker_processes
from privboost.workers.spread import spread


def square(number: int) -> int:
    """Return a square, faster for larger numbers."""
    time.sleep(0.02 / (1 + number))
    return number * number


def slow(number: int) -> int:
    """Return 0 immediately, and any other number after ten minutes."""
    if number:
        time.sleep(600)
    return number


def failing(number: int) -> float:
    """Divide by a number."""
    return 1 / number


def dying(number: int) -> None:
    """Exit with a code."""
    os._exit(number)


@pytest.mark.parametrize("jobs", [1, 3])
def test_spread__returns_results_in_the_order_of_the_keys(jobs: int) -> None:
    counts: list[tuple[int, int]] = []
    results = spread(square, range(8), jobs, lambda done, of: counts.append((done, of)))
    assert list(results.items()) == [(number, number**2) for number in range(8)]
    assert counts == sorted(counts)
    assert counts[-1] == (8, 8)


def test_spread__without_keys_starts_nothing() -> None:
    assert spread(square, [], 2) == {}


def test_spread__interrupt_keeps_results_and_stops_only_its_own_processes() -> None:
    other = multiprocessing.get_context("fork").Process(target=slow, args=(1,))
    other.start()
    try:

        def interrupt(done: int, of: int) -> None:
            if (done, of) == (1, 2):
                raise KeyboardInterrupt

        assert spread(slow, [0, 1], 2, interrupt) == {0: 0}
        assert wait_until(lambda: multiprocessing.active_children() == [other])
        assert other.is_alive()
    finally:
        other.kill()
        other.join()


def test_spread__an_interrupt_waits_until_all_calls_are_submitted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pool that is interrupted while it starts its processes and threads takes seconds to end, or hangs."""
    submitted: list[Any] = []
    submit = CallingProcesses.submit

    def interrupt_first(pool: CallingProcesses, *call: Any) -> Any:
        if not submitted:
            signal.raise_signal(signal.SIGINT)
        submitted.append(call)
        return submit(pool, *call)

    monkeypatch.setattr(CallingProcesses, "submit", interrupt_first)
    spread(square, [1, 2, 3], 2)
    assert len(submitted) == 3


def test_spread__reports_failures() -> None:
    with pytest.raises(HarnessError, match="a worker failed: division by zero"):
        spread(failing, [1, 0], 2)
    with pytest.raises(HarnessError, match="a worker failed: its end with exit code 3"):
        spread(dying, [3], 1)


def test_pool__a_cancelled_call_ignores_the_end_of_the_pool() -> None:
    with worker_processes(1) as pool:
        pool.submit(slow, 1)
        futures = [pool.submit(slow, 1) for _ in range(4)]
        assert futures[-1].cancel()
        futures[-1].set_exception(ValueError("the pool ended"))
        assert futures[-1].cancelled()


def test_pool__ends_its_processes_without_proc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(descendants, "PROCESSES", Path("/nowhere"))
    with worker_processes(1) as pool:
        assert pool.submit(slow, 0).result() == 0
        pool.submit(slow, 1)
    assert not any(worker.is_alive() for worker in pool.started)


def test_pool__ends_its_processes_although_one_could_not_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    start, attempts = BaseProcess.start, []

    def start_first(process: BaseProcess) -> None:
        attempts.append(process)
        if len(attempts) == 2:
            raise OSError(errno.EMFILE, "Too many open files")
        start(process)

    monkeypatch.setattr(BaseProcess, "start", start_first)
    with pytest.raises(OSError, match="Too many open files"), worker_processes(2) as pool:
        pool.submit(slow, 1)
    assert not attempts[0].is_alive()


def test_endings__name_the_signal_or_the_code() -> None:
    assert ending(-signal.SIGKILL) == "its end by signal SIGKILL"
    assert ending(3) == "its end with exit code 3"
    assert signal_name(200) == "200"


def test_pool__describes_a_worker_that_dies_before_the_call_is_submitted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    submit, others = ProcessPoolExecutor.submit, set(multiprocessing.active_children())

    def submit_slowly(pool: ProcessPoolExecutor, *call: Any) -> Future[Any]:
        future: Future[Any] = submit(pool, *call)
        assert wait_until(lambda: not set(multiprocessing.active_children()) - others)
        return future

    monkeypatch.setattr(ProcessPoolExecutor, "submit", submit_slowly)
    with worker_processes(1) as pool, pytest.raises(TargetError, match="exit code 7"):
        result_of(pool.submit(dying, 7), pool, "target")
