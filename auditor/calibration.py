"""Calibrate the auditor on mechanisms of known loss: rate of false violations, and tightness of bounds.

A null run tests the exact epsilon of a mechanism, or the exact parameter of another kind of claim. It stops
at the first violation, which is a false one, so at most 5 % of null runs may have one. It tests that null
only: a bound that exceeds the exact parameter refutes it. A long run tests nulls from 0 to 1.2 times the
exact parameter and reports the bound after 10^3, 10^4 and 10^5 calls.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from zlib import crc32

import numpy as np
from scipy.special import betaincinv

from privboost.auditor.mechanisms.mechanism import Claimed
from privboost.auditor.mechanisms.private import MECHANISMS
from privboost.auditor.running.calls import Portion, Registration, run_calls
from privboost.auditor.running.sequential import SequentialTest
from privboost.errors import UsageError
from privboost.workers.spread import spread

from .claims import PrivacyClaim, epsilon_claim, parse_claim

ERROR = 0.05
INTERVAL = 0.99
LENGTHS = (1_000, 10_000, 100_000)
RUNS_AT_ONCE = 50
STEPS, GREATEST_RATIO = 50, 1.2


@dataclass(frozen=True, slots=True)
class Task:
    """Some runs on one mechanism: null runs, or long runs."""

    name: str
    runs: range
    calls: int
    long: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of a task: the number of refuted null runs, or the bounds of long runs at every length."""

    task: Task
    refuted: int = 0
    bounds: tuple[tuple[float, ...], ...] = ()


@dataclass(slots=True)
class Calibration:
    """The results of all runs on one mechanism."""

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
        """Return the Clopper-Pearson interval of the rate."""
        tail, wrong, right = (1 - confidence) / 2, self.refuted, self.runs - self.refuted
        low = float(betaincinv(wrong, right + 1, tail)) if wrong else 0.0
        high = float(betaincinv(wrong + 1, right, 1 - tail)) if right else 1.0
        return low, high

    @property
    def holds(self) -> bool:
        """Return whether the interval of the rate reaches down to the nominal error probability."""
        return self.interval()[0] <= ERROR

    def ratios(self) -> list[tuple[float, float]]:
        """Return the mean of bound / exact over long runs and its standard error, for every length."""
        table = np.array(self.bounds) / _exact(self.known)
        deviations = table.std(axis=0, ddof=1) if len(table) > 1 else np.full(table.shape[1], np.nan)
        errors = deviations / np.sqrt(len(table))
        return list(zip(table.mean(axis=0).tolist(), errors.tolist(), strict=True))


def _exact(known: Claimed) -> float:
    """Return the exact epsilon, or other parameter, of a mechanism whose privacy loss is known."""
    assert known.exact is not None
    return known.exact


def exact_claim(known: Claimed) -> PrivacyClaim:
    """Return the claim of the exact parameter of a mechanism."""
    claim = epsilon_claim(known.epsilon, known.delta) if known.claim is None else parse_claim(known.claim)
    return replace(claim, value=_exact(known))


def null_test(known: Claimed) -> SequentialTest:
    """Return a test of the exact parameter only."""
    return SequentialTest(exact_claim(known), error=ERROR, nulls=[_exact(known)])


def run_test(known: Claimed, test: SequentialTest, run: int, calls: int) -> SequentialTest:
    """Return the test after `calls` calls or the first violation; `run` determines the seed."""
    registration = Registration(crc32(known.name.encode()) << 32 | run)
    outputs = run_calls(known.mechanism, known.pairs[0], registration, Portion(0, 0, calls))
    test.update(outputs, registration.sides(0, 0, calls))
    test.finish()
    return test


def run_task(task: Task) -> Finding:
    """Return the result of a task."""
    known = MECHANISMS[task.name]
    if not task.long:
        tests = (run_test(known, null_test(known), run, task.calls) for run in task.runs)
        return Finding(task, refuted=sum(test.refuted for test in tests))
    lengths = [length for length in LENGTHS if length <= task.calls]
    nulls = _exact(known) * (np.arange(int(GREATEST_RATIO * STEPS) + 1) / STEPS)
    bounds = []
    for run in task.runs:
        test = SequentialTest(exact_claim(known), error=ERROR, nulls=nulls.tolist(), stop=False)
        curve = run_test(known, test, run, task.calls).curve
        last = [max(k for k, point in enumerate(curve) if point.calls <= length) for length in lengths]
        bounds.append(tuple(curve[k].bound for k in last))
    return Finding(task, bounds=tuple(bounds))


def tasks_of(names: Sequence[str], runs: int, calls: int, long_runs: int, longest: int) -> list[Task]:
    """Return all tasks; null runs are grouped, and long runs have other seeds than null runs.

    Ensures: UsageError for a name that is not in the bank.
    """
    unknown = [name for name in names if name not in MECHANISMS]
    if unknown:
        raise UsageError(f"MECHANISM: expected some of {', '.join(MECHANISMS)}, got '{unknown[0]}'")
    tasks = []
    for name in names:
        starts = range(0, runs, RUNS_AT_ONCE)
        tasks += [Task(name, range(start, min(start + RUNS_AT_ONCE, runs)), calls) for start in starts]
        tasks += [Task(name, range(runs + k, runs + k + 1), longest, long=True) for k in range(long_runs)]
    return tasks


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
