"""Select the workers of a command from its options: local processes or a Dask cluster."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from privboost.errors import UsageError
from privboost.extras import demand

from .pool import worker_processes


@dataclass(frozen=True, slots=True)
class Workers:
    """An executor, or None to run in this process, and the number of tasks that it runs in parallel."""

    executor: Executor | None
    count: int


@contextmanager
def workers_of(options: argparse.Namespace) -> Iterator[Workers]:
    """Start the workers that the options select, and stop them afterwards."""
    if options.dask:
        with _dask_client(options.dask) as client:
            yield Workers(client.get_executor(), max(sum(client.nthreads().values()), 1))
    elif options.jobs > 1:
        with worker_processes(options.jobs) as pool:
            yield Workers(pool, options.jobs)
    else:
        yield Workers(None, 1)


def _dask_client(address: str) -> Any:
    demand("--dask", "distributed")
    distributed = importlib.import_module("distributed")
    try:
        return distributed.Client(address, timeout=10)
    except (OSError, ValueError, TypeError) as error:
        reason = " ".join(str(error).split())
        raise UsageError(f"--dask: expected the address of a scheduler, got '{address}' ({reason})") from None
