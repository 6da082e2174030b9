"""Start the processes that call the target of `privboost audit`."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from concurrent.futures import Executor
from contextlib import ExitStack
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from privboost.auditor.mechanisms.mechanism import Claimed


class Callers(ExitStack):
    """The executor of the calls; a module of the user, which may crash, runs in its own processes.

    This process imports such a module only if a cluster is used.
    """

    def __init__(self, target: str | None, options: argparse.Namespace) -> None:
        """Start what the options select; `target` is None if nothing is called."""
        from privboost.auditor.mechanisms.naming import is_module_target

        super().__init__()
        self._target, self._options = target, options
        self._runs_apart = target is not None and is_module_target(target) and not options.dask
        self.executor: Executor | None = None
        self.restart: Callable[[], Executor] | None = None
        if self._runs_apart:
            self._start()
            if options.jobs == 1:
                # With several processes it is not known which call ended one.
                self.restart = self._restart
        elif options.dask or options.jobs > 1:
            from privboost.workers.pool import start_workers

            workers = start_workers(options.jobs, options.dask, options.timeout)
            self.executor = self.enter_context(workers).executor

    def _start(self) -> Executor:
        from privboost.workers.pool import worker_processes

        self.close()
        pool = worker_processes(self._options.jobs, self._options.timeout)
        self.executor = executor = self.enter_context(pool)
        return executor

    def _restart(self) -> Executor:
        executor = self._start()
        # The time to load the target is not that of a call.
        self.load_target()
        return executor

    def load_target(self) -> Claimed:
        """Return the target, loaded by a worker if it runs apart."""
        from privboost.auditor.mechanisms.naming import find_target
        from privboost.auditor.mechanisms.remote import find_remote
        from privboost.targets.conversation import Limits

        assert self._target is not None
        if self._runs_apart and self.executor is not None:
            return find_remote(self._target, self.executor)
        return find_target(self._target, Limits(start=self._options.timeout, answer=self._options.timeout))
