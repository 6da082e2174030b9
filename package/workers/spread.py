"""Apply a function to many keys in several processes."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from typing import TypeVar

from privboost.errors import HarnessError

from .pool import TICK, worker_processes

K = TypeVar("K", bound=Hashable)
R = TypeVar("R")


def spread(
    function: Callable[[K], R], keys: Sequence[K], jobs: int, done: Callable[[int, int], None] | None = None
) -> dict[K, R]:
    """Apply a function to every key in `jobs` processes, and return the results in the order of the keys.

    `done` is called with the counts of finished and of all keys, at least at every polling interval.
    Ctrl-C ends the processes started here, even inside a solver that ignores it, and the results so far are
    returned. Even one job gets its own process for this reason.

    Ensures: HarnessError if the function raises an exception or a process dies.
    """
    results: dict[K, R] = {}
    if not keys:
        return results
    with worker_processes(min(jobs, len(keys))) as pool:
        try:
            futures: dict[Future[R], K] = {pool.submit(function, key): key for key in keys}
            waiting = set(futures)
            while waiting:
                finished, waiting = wait(waiting, TICK, FIRST_COMPLETED)
                for future in finished:
                    if error := future.exception():
                        reason = pool.how_it_ended() if isinstance(error, BrokenProcessPool) else error
                        raise HarnessError(f"a worker failed: {reason}") from error
                    results[futures[future]] = future.result()
                if done is not None:
                    done(len(results), len(keys))
        except KeyboardInterrupt:
            pass
    return {key: results[key] for key in keys if key in results}
