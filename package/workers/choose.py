"""Select the workers of a command from its options: local processes or a Dask cluster."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass

from .cluster import connect
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
        with connect(options.dask, options.timeout) as cluster:
            yield Workers(cluster, cluster.threads)
    elif options.jobs > 1:
        with worker_processes(options.jobs) as pool:
            yield Workers(pool, options.jobs)
    else:
        yield Workers(None, 1)
