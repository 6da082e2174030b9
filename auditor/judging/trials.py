"""Runs of auditors on mechanisms of known privacy loss: false bounds, and how close the bounds come.

A run draws the outputs of a mechanism on both sides, assigned by fair coins, and asks an auditor for a bound.
A bound is false if it exceeds the exact epsilon by more than `TOLERANCE`. Each mechanism is used twice: on
its pair, and with the same input on both sides, where the exact epsilon is 0. Our own auditor gets the same
outputs. A run is determined by the mechanism, the case and its number.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv
from scipy.stats import binom

from privboost.auditor.betting.wealth import PROBABILITY
from privboost.auditor.calibration import GREATEST_RATIO, STEPS
from privboost.auditor.claims import PrivacyClaim
from privboost.auditor.mechanisms.mechanism import Claimed
from privboost.auditor.mechanisms.private import MECHANISMS
from privboost.auditor.pairs.pair import Pair
from privboost.auditor.running.calls import Portion, Registration, run_calls
from privboost.auditor.running.sequential import SequentialTest
from privboost.errors import UsageError
from privboost.workers.spread import spread

from .programs import AuditorAnswer, AuditorTarget, BoundRequest, running_auditor

ONE_NUMBER = (
    "laplace",
    "geometric",
    "randomised_response",
    "clamped_leaf",
    "truncated_geometric",
    "gaussian",
)
"""Mechanisms with one number as output, which is a score as well: great outputs speak for right."""

INTERVAL = 0.99
"""The confidence of all intervals of an auditor together."""
TOLERANCE = 1e-6
"""A bound above the exact epsilon by at most this is not false: auditors find theirs by bisection."""
RUNS_AT_ONCE, VALUES_AT_ONCE = 50, 50_000
"""Runs of a task, and outputs of the runs that an auditor is asked at once."""
MOST_FAULTS = 3
"""A task asks no more once its auditor has crashed or hung so often."""
RATES = np.arange(1, 1000) / 1000


@dataclass(frozen=True, slots=True)
class JudgingCase:
    """A mechanism with its pair, or with the same input on both sides."""

    mechanism: str
    has_equal_inputs: bool
    delta: float
    """The delta that auditors get."""

    @property
    def exact(self) -> float:
        """Return the exact epsilon of the case at its delta, or at 0 if the mechanism needs none."""
        exact = 0.0 if self.has_equal_inputs else MECHANISMS[self.mechanism].exact
        assert exact is not None
        return exact

    def pair(self) -> Pair:
        """Return the inputs of the two sides."""
        (pair,) = MECHANISMS[self.mechanism].pairs
        return Pair("equal inputs", pair.left, pair.left) if self.has_equal_inputs else pair


@dataclass(frozen=True, slots=True)
class JudgingTask:
    """Some runs of an auditor on a case; None is our own auditor."""

    auditor: AuditorTarget | None
    case: JudgingCase
    runs: range
    calls: int
    level: float


@dataclass(slots=True)
class JudgedCase:
    """The bounds of an auditor on a case."""

    case: JudgingCase
    planned: int
    """The number of runs that were to be made."""
    bounds: list[float] = field(default_factory=list)
    false: int = 0
    refused: int = 0
    """Runs without a bound."""
    refusal: str = ""
    """The reason of the first of these."""
    is_supported: bool = True

    @property
    def runs(self) -> int:
        """Return the number of runs that count; a run without a bound has no false one."""
        return len(self.bounds) + self.refused if self.bounds else 0

    def interval(self, confidence: float) -> tuple[float, float]:
        """Return the Clopper-Pearson interval of the rate of false bounds."""
        return exact_interval(self.false, self.runs, confidence)

    @property
    def tightness(self) -> float:
        """Return the mean of bound / exact epsilon, negative bounds as 0; NaN if it is not defined."""
        if not self.bounds or not self.case.exact:
            return math.nan
        return float(np.maximum(self.bounds, 0.0).mean() / self.case.exact)


@dataclass(frozen=True, slots=True)
class JudgedAuditor:
    """The results of one auditor."""

    name: str
    version: str
    target: str
    level: float
    calls: int
    cases: tuple[JudgedCase, ...]
    is_ours: bool = False

    @property
    def title(self) -> str:
        """Return the name and the version."""
        return f"{self.name} {self.version}".strip()

    @property
    def confidence(self) -> float:
        """Return the confidence of each interval, with which all of them hold together with INTERVAL."""
        return 1 - (1 - INTERVAL) / len(self.cases)

    def false_cases(self) -> tuple[JudgedCase, ...]:
        """Return the cases on which the rate of false bounds exceeds the level with evidence."""
        return tuple(case for case in self.cases if case.interval(self.confidence)[0] > self.level)

    def unanswered_cases(self) -> tuple[JudgedCase, ...]:
        """Return the cases for which the auditor failed to give some bounds."""
        return tuple(case for case in self.cases if case.refused and case.is_supported)

    @property
    def has_bounds(self) -> bool:
        """Return whether there is any bound to judge."""
        return any(case.bounds for case in self.cases)

    @property
    def is_complete(self) -> bool:
        """Return whether all runs were made."""
        return all(len(case.bounds) + case.refused >= case.planned for case in self.cases)

    def detectable_rate(self) -> float:
        """Return the smallest rate at one case that would have been found with PROBABILITY.

        It is that of the case with the fewest runs; NaN if no rate would.
        """
        runs = min((case.runs for case in self.cases if case.bounds), default=0)
        counts = range(runs + 1)
        least = next((k for k in counts if exact_interval(k, runs, self.confidence)[0] > self.level), None)
        if least is None:
            return math.nan
        found = RATES[binom.sf(least - 1, runs, RATES) >= PROBABILITY]
        return float(found[0]) if found.size else math.nan


def exact_interval(count: int, of: int, confidence: float) -> tuple[float, float]:
    """Return the Clopper-Pearson interval of a rate."""
    tail = (1 - confidence) / 2
    low = float(betaincinv(count, of - count + 1, tail)) if count else 0.0
    high = float(betaincinv(count + 1, of - count, 1 - tail)) if count < of else 1.0
    return low, high


def judging_cases(names: Sequence[str], delta: float) -> tuple[JudgingCase, ...]:
    """Return two cases for every mechanism; `delta` is for those that need none.

    Ensures: UsageError for a name that is not one of ONE_NUMBER.
    """
    for name in names:
        if name not in ONE_NUMBER:
            expected = f"some of {', '.join(ONE_NUMBER)} for other auditors"
            raise UsageError(f"MECHANISM: expected {expected}, got '{name}'")
    return tuple(
        JudgingCase(name, has_equal_inputs, MECHANISMS[name].delta or delta)
        for name in dict.fromkeys(names)
        for has_equal_inputs in (False, True)
    )


def judging_tasks(
    runs: Mapping[AuditorTarget | None, int], cases: Sequence[JudgingCase], calls: int, level: float
) -> list[JudgingTask]:
    """Return the tasks, given the number of runs of each auditor.

    The first runs of all cases come first, so that a stop leaves some of each.
    """
    return [
        JudgingTask(auditor, case, range(start, min(start + RUNS_AT_ONCE, own_runs)), calls, level)
        for start in range(0, max(runs.values()), RUNS_AT_ONCE)
        for auditor, own_runs in runs.items()
        for case in cases
        if start < own_runs
    ]


def run_judging_task(task: JudgingTask) -> JudgedCase:
    """Return the bounds of a task."""
    judged = JudgedCase(task.case, len(task.runs))
    left = list(task.runs)
    at_once = max(1, VALUES_AT_ONCE // task.calls)
    while left:
        answers = _answers(task, left[:at_once])
        del left[: len(answers)]
        for answer in answers:
            if not answer.refusal:
                judged.bounds.append(answer.bound)
                judged.false += answer.bound > task.case.exact + TOLERANCE
                continue
            judged.refused += 1
            judged.refusal = judged.refusal or answer.refusal
            judged.is_supported = judged.is_supported and answer.is_supported
        if not judged.is_supported or (judged.refused >= MOST_FAULTS and not judged.bounds):
            judged.refused += len(left)
            break
    return judged


def _answers(task: JudgingTask, runs: Sequence[int]) -> list[AuditorAnswer]:
    """Return the answers to some runs, at least one."""
    drawn = [draw_outputs(task.case, run, task.calls) for run in runs]
    if task.auditor is None:
        return [AuditorAnswer(_our_bound(task, outputs, sides)) for outputs, sides in drawn]
    requests = [
        BoundRequest(outputs[sides == 0].tolist(), outputs[sides == 1].tolist(), task.level, task.case.delta)
        for outputs, sides in drawn
    ]
    return running_auditor(task.auditor).ask(requests)


def draw_outputs(case: JudgingCase, run: int, calls: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the outputs of a run and their sides."""
    known: Claimed = MECHANISMS[case.mechanism]
    key = f"judged {case.mechanism} {'equal' if case.has_equal_inputs else 'pair'}"
    registration = Registration(crc32(key.encode()) << 32 | run)
    outputs = run_calls(known.mechanism, case.pair(), registration, Portion(0, 0, calls))
    return np.asarray(outputs, dtype=np.float64), registration.sides(0, 0, calls)


def _our_bound(task: JudgingTask, outputs: NDArray[np.float64], sides: NDArray[np.int64]) -> float:
    """Return our bound, the greatest null of a grid up to which all are refuted."""
    exact = task.case.exact
    scale = exact or 1.0
    nulls = (scale * (np.arange(int(GREATEST_RATIO * STEPS) + 1) / STEPS)).tolist()
    claim = PrivacyClaim("eps", exact, task.case.delta)
    test = SequentialTest(claim, error=task.level, nulls=nulls, stop=False)
    test.update(outputs, sides)
    test.finish()
    # A refuted null means a greater epsilon, so a bound that equals the exact epsilon is false already.
    return max(test.bound, math.nextafter(exact, math.inf) + 2 * TOLERANCE) if test.refuted else test.bound


def judge_auditors(
    auditors: Sequence[AuditorTarget],
    names: Sequence[tuple[str, str]],
    cases: Sequence[JudgingCase],
    *,
    runs: int,
    our_runs: int | None = None,
    calls: int,
    level: float,
    jobs: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> list[JudgedAuditor]:
    """Return the results of auditors, given with their names and versions, and of ours as the last.

    Ours, which takes longer, may have another number of runs; its calls are the same.

    Ctrl-C ends it early; what is done is returned.
    """
    planned: dict[AuditorTarget | None, int] = dict.fromkeys(auditors, runs)
    planned[None] = runs if our_runs is None else our_runs
    tasks = judging_tasks(planned, cases, calls, level)
    results = spread(run_judging_task, tasks, jobs, progress)
    judged = []
    for auditor, (name, version) in zip(planned, (*names, ("ours", "")), strict=True):
        own = [task for task in tasks if task in results and task.auditor == auditor]
        parts = tuple(
            _combine(case, planned[auditor], [results[task] for task in own if task.case == case])
            for case in cases
        )
        target = "" if auditor is None else auditor.name
        judged.append(JudgedAuditor(name, version, target, level, calls, parts, is_ours=auditor is None))
    return judged


def _combine(case: JudgingCase, planned: int, parts: Sequence[JudgedCase]) -> JudgedCase:
    """Return the parts of a case as one."""
    whole = JudgedCase(case, planned)
    for part in parts:
        whole.bounds += part.bounds
        whole.false += part.false
        whole.refused += part.refused
        whole.refusal = whole.refusal or part.refusal
        whole.is_supported = whole.is_supported and part.is_supported
    return whole
