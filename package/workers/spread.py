"""Apply a function to many keys in several processes."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from typing import TypeVar

from privboost.errors import HarnessError

from .interrupts import ignore_further_stops, interrupts_deferred
from .pool import finished_of, worker_processes

K = TypeVar("K", bound=Hashable)
R = TypeVar("R")


def spread(
    function: Callable[[K], R], keys: Sequence[K], jobs: int, done: Callable[[int, int], None] | None = None
) -> dict[K, R]:
    """Apply a function to every key in `jobs` processes, and return the results in the order of the keys.

    `done` is called at every polling interval with the number of finished keys and the number of all keys.
    Ctrl-C stops the processes, even inside a solver that ignores it, and the results so far are returned. For
    this reason a single job runs in its own process too.

    Ensures: HarnessError if the function raises an exception or a process dies.
    """
    if not keys:
        return {}
    futures: dict[K, Future[R]] = {}
    with worker_processes(min(jobs, len(keys))) as pool:
        try:
            with interrupts_deferred():
                # An interrupt inside of `submit` could leave a pool that does not end.
                futures.update((key, pool.submit(function, key)) for key in keys)
            waiting = set(futures.values())
            while waiting:
                finished = finished_of(waiting)
                waiting -= finished
                if error := next(filter(None, (future.exception() for future in finished)), None):
                    reason = pool.how_it_ended() if isinstance(error, BrokenProcessPool) else error
                    raise HarnessError(f"a worker failed: {reason}") from error
                if done is not None:
                    done(len(keys) - len(waiting), len(keys))
        except KeyboardInterrupt:
            ignore_further_stops()
        return {key: f.result() for key, f in futures.items() if f.done() and f.exception() is None}
