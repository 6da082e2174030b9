"""Calls on a Dask cluster that notice when its scheduler or all of its workers are gone."""

from __future__ import annotations

import importlib
import logging
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, InvalidStateError
from contextlib import contextmanager, suppress
from typing import Any

from privboost.errors import UsageError, WorkersLostError
from privboost.extras import demand

CONNECT = 10.0
"""Timeout for the first connection, in seconds."""
ASK = 1.0
"""Seconds between questions about the workers, and to wait for the end of the connection."""
ENDING = 5.0
"""Seconds of the timeout that are left for the end of a command, but at most half of it."""


class ClusterCalls(Executor):
    """An executor that runs calls on a cluster; `check` raises an error if nobody is left to run them.

    Cancelling a future has no effect on the cluster: `connect` gives up all calls at its end. Calls of
    Dask's own executor would wait for a scheduler that is gone.
    """

    def __init__(self, client: Any, address: str, patience: float) -> None:
        self._client, self._address = client, address
        self._patience = max(patience - ENDING, patience / 2)
        self._seen = self._asked = time.monotonic()

    @property
    def threads(self) -> int:
        """Return the number of threads of all workers, at least 1."""
        return max(sum(int(count) for count in self._client.nthreads().values()), 1)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Submit a call; on a cluster that is gone, the future holds an error."""
        future: Future[Any] = Future()
        try:
            remote = self._client.submit(fn, *args, pure=False, **kwargs)
        except Exception as error:
            future.set_exception(self._lost_error(f"calls cannot be sent: {error}"))
            return future
        # The remote future must live as long as the local one, or Dask drops the call.
        future.remote = remote  # type: ignore[attr-defined]
        remote.add_done_callback(lambda done: self._finish(done, future))
        return future

    def _finish(self, remote: Any, future: Future[Any]) -> None:
        with suppress(InvalidStateError):
            if remote.status == "finished":
                try:
                    future.set_result(remote.result(timeout=self._patience))
                except Exception as error:
                    future.set_exception(self._lost_error(f"a result could not be fetched: {error}"))
            elif remote.status == "error":
                future.set_exception(remote.exception(timeout=self._patience))
            else:
                future.set_exception(self._lost_error("its scheduler has forgotten a call"))

    def check(self) -> None:
        """Raise WorkersLostError without workers or scheduler, early enough to end within the timeout."""
        if time.monotonic() - self._asked < ASK:
            return
        trouble = self._ask(max(self._seen + self._patience - time.monotonic(), ASK))
        self._asked = time.monotonic()
        if not trouble:
            self._seen = self._asked
        elif self._asked - self._seen >= self._patience:
            raise self._lost_error(f"{trouble} for {self._asked - self._seen:.0f} s")

    def _ask(self, seconds: float) -> str:
        """Return a complaint about the cluster; the empty string if it answers and has workers."""
        if self._client.status == "closed":
            return "its scheduler did not answer"
        try:
            workers = self._client.sync(self._client.scheduler.ncores, callback_timeout=seconds)
        except Exception:
            return "its scheduler did not answer"
        return "" if workers else "it had no worker"

    def _lost_error(self, reason: str) -> WorkersLostError:
        return WorkersLostError(f"lost the Dask cluster at '{self._address}': {reason}")


@contextmanager
def connect(address: str, patience: float) -> Iterator[ClusterCalls]:
    """Connect to a cluster, and disconnect at the end, even if it is gone."""
    demand("a Dask cluster", "distributed")
    distributed = importlib.import_module("distributed")
    try:
        client = distributed.Client(address, timeout=CONNECT, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        reason = " ".join(str(error).split())
        expected = f"expected the address of a scheduler, got '{address}' ({reason})"
        raise UsageError(expected, argument="dask") from None
    # A lost connection is reported once, by `check`.
    for name in ("distributed", "tornado", "asyncio"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    try:
        yield ClusterCalls(client, address, patience)
    finally:
        with suppress(Exception):
            client.close(timeout=ASK)
