"""Seeds that are no secret: fixed ones, and those read from the clock."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from .features import same_coins
from .result import FindingKind, ReplayFinding
from .runs import LEFT, PairRuns, RecordedRun

CLOCKS: dict[str, Callable[[float], Any]] = {
    "time": lambda now: now,
    "time_ns": lambda now: int(now * 1e9),
    "monotonic": lambda now: now,
    "monotonic_ns": lambda now: int(now * 1e9),
    "perf_counter": lambda now: now,
    "perf_counter_ns": lambda now: int(now * 1e9),
}
TIMES = (1_700_000_000.25, 1_700_000_000.25, 1_711_111_111.75)
"""The times of three runs: two of them are the same."""


def find_fixed_seeds(runs: PairRuns, is_first: bool) -> list[ReplayFinding]:
    """Return a finding if draws are the same in two runs, or in two runs at the same time of the clock.

    The clock is stopped for the first pair of a target, and where draws are the same.
    """
    repeated = _same_coins(runs.left, runs.fresh[LEFT])
    if not any(draw.generator for draw in runs.left.tape.draws) or not (is_first or repeated):
        return []
    stopped = []
    for now in TIMES:
        with _stopped_clock(now):
            stopped.append(runs.live(LEFT))
    if repeated and (site := _same_coins(stopped[0], stopped[2])):
        return [ReplayFinding(FindingKind.FIXED_SEED, site)]
    if (site := _same_coins(stopped[0], stopped[1])) and not _same_coins(stopped[0], stopped[2]):
        return [ReplayFinding(FindingKind.SEED_FROM_CLOCK, site)]
    return []


def _same_coins(left: RecordedRun, right: RecordedRun) -> str:
    """Return the first call site that draws from the same state in both runs; empty if there is none."""
    pairs = zip(left.tape.draws, right.tape.draws, strict=False)
    return next((one.site for one, other in pairs if same_coins(one, other)), "")


@contextmanager
def _stopped_clock(now: float) -> Iterator[None]:
    """Stop the clock of `time`; functions that a module has imported by name go on."""
    originals = {name: getattr(time, name) for name in CLOCKS}
    for name, reading in CLOCKS.items():
        setattr(time, name, lambda reading=reading: reading(now))
    try:
        yield
    finally:
        for name, original in originals.items():
            setattr(time, name, original)
