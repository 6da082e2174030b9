"""The auditor against the truth: false violations on mechanisms of known epsilon, and how close bounds come.

A null run tests the exact epsilon of a mechanism, is looked at after every block of calls and stopped at the
first violation, so its violations are false ones: at most 5 % of runs may have one, whenever they are looked
at. Only that null is tested: no bound exceeds it without refuting it. A long run takes all nulls from 0 to
1.2 times the exact epsilon and tells the bound after 10^3, 10^4 and 10^5 calls.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from zlib import crc32

import numpy as np
from scipy.special import betaincinv

from privboost.errors import UsageError
from privboost.workers.spread import spread

from .bank import MECHANISMS
from .calls import Portion, run_calls
from .known import Claimed
from .registration import Registration
from .sequential import SequentialTest

ERROR = 0.05
INTERVAL = 0.99
LENGTHS = (1_000, 10_000, 100_000)
RUNS_AT_ONCE = 50
STEPS, GREATEST_RATIO = 50, 1.2


@dataclass(frozen=True, slots=True)
class Task:
    """Some runs of one mechanism: null runs, or a long run of all nulls."""

    name: str
    runs: range
    calls: int
    long: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """What a task found: how many null runs were refuted, or the bounds of each long run at every length."""

    task: Task
    refuted: int = 0
    bounds: tuple[tuple[float, ...], ...] = ()


@dataclass(slots=True)
class Calibration:
    """What is known about the auditor on one mechanism."""

    known: Claimed
    calls: int
    runs: int = 0
    refuted: int = 0
    bounds: list[tuple[float, ...]] = field(default_factory=list)

    @property
    def rate(self) -> float:
        """Return the share of null runs with a false violation."""
        return self.refuted / self.runs if self.runs else float("nan")

    def interval(self, confidence: float = INTERVAL) -> tuple[float, float]:
        """Return the limits of Clopper and Pearson on the rate."""
        tail, wrong, right = (1 - confidence) / 2, self.refuted, self.runs - self.refuted
        low = float(betaincinv(wrong, right + 1, tail)) if wrong else 0.0
        high = float(betaincinv(wrong + 1, right, 1 - tail)) if right else 1.0
        return low, high

    @property
    def holds(self) -> bool:
        """Return whether the rate may be at most the nominal one, by its interval."""
        return self.interval()[0] <= ERROR

    def ratios(self) -> list[tuple[float, float]]:
        """Return for every length the mean of bound / exact over long runs, and its standard error."""
        table = np.array(self.bounds) / _exact(self.known)
        deviations = table.std(axis=0, ddof=1) if len(table) > 1 else np.full(table.shape[1], np.nan)
        errors = deviations / np.sqrt(len(table))
        return list(zip(table.mean(axis=0).tolist(), errors.tolist(), strict=True))


def _exact(known: Claimed) -> float:
    """Return the exact epsilon of a mechanism of the bank, which is known of all of them."""
    assert known.exact is not None
    return known.exact


def null_test(known: Claimed) -> SequentialTest:
    """Return the test of the exact epsilon alone."""
    exact = _exact(known)
    return SequentialTest(exact, delta=known.delta, error=ERROR, nulls=[exact])


def ratio_test(known: Claimed) -> SequentialTest:
    """Return the test of fiftieths of the exact epsilon, up to 1.2 of it."""
    nulls = _exact(known) * np.arange(int(GREATEST_RATIO * STEPS) + 1) / STEPS
    return SequentialTest(float(nulls[-1]), delta=known.delta, error=ERROR, nulls=nulls.tolist())


def run_test(known: Claimed, test: SequentialTest, run: int, calls: int) -> SequentialTest:
    """Return the test after some calls, or after the first violation, by the streams of a run."""
    registration = Registration(crc32(known.name.encode()) << 32 | run)
    outputs = run_calls(known.mechanism, known.pairs[0], registration, Portion(0, 0, calls))
    test.update(outputs, registration.sides(0, 0, calls))
    test.finish()
    return test


def run_task(task: Task) -> Finding:
    """Return what some runs find."""
    known = MECHANISMS[task.name]
    if not task.long:
        tests = (run_test(known, null_test(known), run, task.calls) for run in task.runs)
        return Finding(task, refuted=sum(test.refuted for test in tests))
    lengths = [length for length in LENGTHS if length <= task.calls]
    found = []
    for run in task.runs:
        curve = run_test(known, ratio_test(known), run, task.calls).curve
        places = [max(k for k, point in enumerate(curve) if point.calls <= length) for length in lengths]
        found.append(tuple(curve[place].bound for place in places))
    return Finding(task, bounds=tuple(found))


def tasks_of(names: Sequence[str], runs: int, calls: int, long_runs: int, longest: int) -> list[Task]:
    """Return all tasks, null runs in portions; long runs have streams that null runs have not.

    Ensures: UsageError for a name that is not in the bank.
    """
    unknown = [name for name in names if name not in MECHANISMS]
    if unknown:
        raise UsageError(f"MECHANISM: expected some of {', '.join(MECHANISMS)}, found '{unknown[0]}'")
    found = []
    for name in names:
        starts = range(0, runs, RUNS_AT_ONCE)
        found += [Task(name, range(start, min(start + RUNS_AT_ONCE, runs)), calls) for start in starts]
        found += [Task(name, range(runs + k, runs + k + 1), longest, long=True) for k in range(long_runs)]
    return found


def calibrate(
    tasks: Sequence[Task], jobs: int = 1, progress: Callable[[int, int], None] | None = None
) -> list[Calibration]:
    """Return the calibrations by mechanism, from tasks run in `jobs` processes.

    Ctrl-C ends it early; the finished tasks are returned.
    """
    calibrations: dict[str, Calibration] = {}
    for task, finding in spread(run_task, tasks, jobs, progress).items():
        entry = calibrations.setdefault(task.name, Calibration(MECHANISMS[task.name], task.calls))
        if task.long:
            entry.bounds += finding.bounds
        else:
            entry.runs, entry.refuted = entry.runs + len(task.runs), entry.refuted + finding.refuted
            entry.calls = task.calls
    return [calibrations[name] for name in MECHANISMS if name in calibrations]
