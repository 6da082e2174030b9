"""The workers that a command was asked for: processes here, or those of a Dask cluster."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from .arguments import whole_number
from .errors import UsageError


def add_workers(parser: argparse.ArgumentParser, default: int, what: str) -> None:
    """Add the options that choose workers."""
    workers = parser.add_mutually_exclusive_group()
    workers.add_argument(
        "--jobs",
        type=whole_number(1, 256),
        default=default,
        metavar="N",
        help=f"processes that {what} (default {default})",
    )
    workers.add_argument("--dask", metavar="ADDRESS", help=f"{what} on the workers of a Dask cluster")


@dataclass(frozen=True, slots=True)
class Workers:
    """What takes work, None for this process, and how many pieces it does at a time."""

    executor: Executor | None
    count: int


@contextmanager
def workers_of(options: argparse.Namespace) -> Iterator[Workers]:
    """Give the workers that were asked for, and end them afterwards."""
    if options.dask:
        with _dask_client(options.dask) as client:
            yield Workers(client.get_executor(), max(sum(client.nthreads().values()), 1))
    elif options.jobs > 1:
        from privboost.auditor.workers import worker_processes

        with worker_processes(options.jobs) as pool:
            yield Workers(pool, options.jobs)
    else:
        yield Workers(None, 1)


def _dask_client(address: str) -> Any:
    try:
        distributed = importlib.import_module("distributed")
    except ImportError:
        raise UsageError("--dask: expected the package distributed; pip install 'privboost[scale]'") from None
    try:
        return distributed.Client(address, timeout=10)
    except (OSError, ValueError, TypeError) as error:
        reason = " ".join(str(error).split())
        raise UsageError(
            f"--dask: expected the address of a scheduler, found '{address}' ({reason})"
        ) from None
