"""Run configurations in batches on any executor, and store every batch when it is done."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future
from dataclasses import dataclass
from statistics import fmean, stdev

import numpy as np

from privboost.extras import is_installed
from privboost.workers.cluster import ClusterCalls
from privboost.workers.pool import finished_of

from .data import folds, load
from .grid import FOLDS, FORESTS, FREE, Configuration
from .models import Study, run_batch
from .outcome import FoldErrors
from .store import DomainRecord, Store

BATCH = 1.0
"""Estimated time of a batch, in seconds; killing a run loses its unfinished batches."""

MOST_IN_BATCH = 200
INTERPRETED = 300
"""Approximate factor of the time without numba."""
WAITING = 2
"""Queued batches per worker, so that no worker is idle."""


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress of a run, in configurations and as a share of the estimated work."""

    done: int
    of: int
    share: float


def estimate(configuration: Configuration, size: int, features: int) -> float:
    """Return the approximate time of a configuration in seconds, to plan batches and estimate progress.

    A tree takes time per row and level; histograms add time per code and per split.
    """
    trees, depth, values = int(configuration.trees), int(configuration.depth), int(configuration.values)
    rows = size * (20.0 + 10.0 * depth)
    if configuration.learner not in FORESTS:
        thorough = configuration.epsilon == FREE or float(configuration.epsilon) > 1
        rows += (size * features * depth + 4.0 * (1 << depth) * features * values) if thorough else 0.0
    seconds = FOLDS * trees * rows * 1e-9 + 2e-4
    return seconds if is_installed("numba") else INTERPRETED * seconds


def record_of(study: Study, name: str) -> DomainRecord:
    """Return the description of a data set for the store."""
    data = load(study.source, name)
    sizes = np.diff(folds(study.source, name, study.seed, 0)[1])
    majority = data.majority_error
    return DomainRecord(name, data.fingerprint, data.size, len(data.columns), majority, tuple(sizes.tolist()))


def run_study(
    study: Study,
    wanted: Sequence[Configuration],
    store: Store,
    *,
    executor: Executor | None = None,
    workers: int = 1,
    progress: Callable[[Progress], None] | None = None,
) -> int:
    """Run the configurations that the store does not have yet, and return their number.

    Ensures: outcomes depend on the configuration, the seed and the data only, not on the workers.
    """
    known = store.keys()
    todo = [configuration for configuration in wanted if configuration.key not in known]
    domains = {configuration.domain for configuration in wanted}
    records = {name: record_of(study, name) for name in study.source.names() if name in domains}
    for record in records.values():
        store.keep_domain(record)
    costs = [estimate(c, records[c.domain].size, records[c.domain].features) for c in todo]
    total, spent, done = math.fsum(costs) or 1.0, 0.0, 0
    for count, cost, outcomes in _batches_run(study, todo, costs, executor, workers):
        if outcomes:
            store.add(outcomes)
        done, spent = done + count, spent + cost
        if progress is not None:
            progress(Progress(done, len(todo), spent / total))
    return done


def _batches_run(
    study: Study,
    todo: Sequence[Configuration],
    costs: Sequence[float],
    executor: Executor | None,
    workers: int,
) -> Iterator[tuple[int, float, list[FoldErrors]]]:
    """Yield the outcomes of each batch when it is done, with its number of configurations and its cost.

    An empty batch is yielded first and at every polling interval, so that progress is shown.
    """
    batches = _batches(todo, costs)
    yield 0, 0.0, []
    if executor is None:
        for keys, cost in batches:
            yield len(keys), cost, run_batch(study, keys)
        return
    running: dict[Future[list[FoldErrors]], tuple[int, float]] = {}
    for keys, cost in batches:
        running[executor.submit(run_batch, study, keys)] = len(keys), cost
        if len(running) >= workers * (1 + WAITING):
            yield from _finish_batches(running, executor)
    while running:
        yield from _finish_batches(running, executor)


def _finish_batches(
    running: dict[Future[list[FoldErrors]], tuple[int, float]], executor: Executor
) -> Iterator[tuple[int, float, list[FoldErrors]]]:
    """Wait for at least one batch, and yield all that are done.

    Ensures: WorkersLostError if a cluster is gone.
    """
    while not (done := finished_of(running, FIRST_COMPLETED)):
        if isinstance(executor, ClusterCalls):
            executor.check()
        yield 0, 0.0, []
    for future in done:
        count, cost = running.pop(future)
        yield count, cost, future.result()


def _batches(todo: Sequence[Configuration], costs: Sequence[float]) -> Iterator[tuple[list[str], float]]:
    """Yield batches of keys with about the same cost."""
    keys: list[str] = []
    cost = 0.0
    for configuration, price in zip(todo, costs, strict=True):
        keys.append(configuration.key)
        cost += price
        if cost >= BATCH or len(keys) == MOST_IN_BATCH:
            yield keys, cost
            keys, cost = [], 0.0
    if keys:
        yield keys, cost


@dataclass(frozen=True, slots=True)
class Speed:
    """CPU time of a random sample of configurations."""

    configurations: int
    seconds: float
    """Mean per configuration."""
    error: float
    """Standard error of that mean."""

    @property
    def models_per_second(self) -> float:
        """Return the number of models that one core fits per second."""
        return FOLDS / self.seconds

    def hours(self, configurations: int, cores: int) -> tuple[float, float]:
        """Return the projected hours for a number of configurations, and the standard error."""
        scale = configurations / (3600 * cores)
        return scale * self.seconds, scale * self.error


def measure_speed(
    study: Study,
    wanted: Sequence[Configuration],
    count: int,
    progress: Callable[[int, int], None] | None = None,
) -> Speed:
    """Measure the speed on a random sample of configurations, after code and data are loaded.

    `progress` is called with the number of configurations that have been run and the number of all.
    """
    sample = random.Random(study.seed).sample(list(wanted), min(count, len(wanted)))
    # Compile loops and code rows before the measurement: both happen once per process.
    kinds = {(c.domain, c.values, c.learner in FORESTS): c.key for c in sample}
    keys = [*kinds.values(), *(c.key for c in sample)]
    outcomes = []
    for done, key in enumerate(keys):
        if progress is not None:
            progress(done, len(keys))
        outcomes += run_batch(study, [key])
    seconds = [outcome.seconds for outcome in outcomes[len(kinds) :]]
    spread = stdev(seconds) if len(seconds) > 1 else 0.0
    return Speed(len(seconds), fmean(seconds), spread / math.sqrt(len(seconds)))
