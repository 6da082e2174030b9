"""Start the processes that call the target of `privboost audit`."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from privboost.auditor.mechanisms.known_loss import Claimed


class Callers:
    """The executor of the calls; a module of the user, which may crash, runs in its own processes."""

    def __init__(self, options: argparse.Namespace, executor: Executor | None) -> None:
        self._options, self._pools = options, ExitStack()
        self.executor = executor
        self.restart: Callable[[], Executor] | None = None

    def start(self) -> Executor:
        """Start the processes, and stop those that were started before."""
        from privboost.workers.pool import worker_processes

        self.close()
        pool = worker_processes(self._options.jobs, self._options.timeout)
        self.executor = self._pools.enter_context(pool)
        if self._options.jobs == 1:
            # With several processes it is not known which call ended one.
            self.restart = self._restart
        return self.executor

    def _restart(self) -> Executor:
        executor = self.start()
        # The time to load the target is not that of a call.
        target_of(self._options, executor)
        return executor

    def close(self) -> None:
        """Stop all processes."""
        self._pools.close()


@contextmanager
def start_callers(options: argparse.Namespace) -> Iterator[Callers]:
    """Start the executor of the calls."""
    from privboost.workers.choose import workers_of

    if not _runs_apart(options):
        with workers_of(options) as workers:
            yield Callers(options, workers.executor)
        return
    callers = Callers(options, None)
    try:
        callers.start()
        yield callers
    finally:
        callers.close()


def target_of(options: argparse.Namespace, executor: Executor | None) -> Claimed:
    """Return the target; this process imports a module of the user only if a cluster is used."""
    from privboost.auditor.mechanisms.naming import find_target
    from privboost.auditor.mechanisms.remote import find_remote
    from privboost.targets.conversation import Limits

    if executor is not None and _runs_apart(options):
        return find_remote(options.target, executor)
    return find_target(options.target, Limits(start=options.timeout, answer=options.timeout))


def _runs_apart(options: argparse.Namespace) -> bool:
    from privboost.auditor.mechanisms.naming import is_module_target

    return options.target is not None and is_module_target(options.target) and not options.dask
