"""Search a counterexample to a claim of stability: call a step on hostile neighbours and compare the results.

Every pair is two calls, and no statistics are needed. A counterexample is made as small as it gets, and
called twice more before it is reported. One that rounding of doubles explains is kept, and the search goes on
for one that it does not.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from privboost.auditor.inputs.classes import HOSTILE
from privboost.auditor.inputs.description import Description
from privboost.auditor.inputs.neighbours import hostile_pairs
from privboost.auditor.inputs.shrinking import shrink_pair
from privboost.auditor.pairs.pair import Pair
from privboost.auditor.running.calls import check_integer
from privboost.auditor.values.failures import EXITED, HUNG, KINDS, failure_string
from privboost.auditor.values.tagged_json import equal_outputs
from privboost.errors import PreconditionError, TargetError
from privboost.printing import format_value
from privboost.workers.interrupts import ignore_further_stops

from .calls import Caller
from .chains import Trial, trials_of
from .claim import StabilityClaim
from .metrics import Move, MoveKind, compare_results, is_measurable
from .result import Counterexample, StabilityResult, StabilityVerdict

N_INPUTS, SECONDS = 2_000, 60.0
"""Default limits, of which the first to be reached applies."""

MOST_AT_ONCE = 64
"""Number of pairs that are called together."""

SLOW = 0.25
"""If pairs that are called together take more seconds than this, fewer are from then on."""

CALLED_TWICE, CHECKED_EVERY = 8, 64
"""The first pairs, and then every so many, are called twice, to see that the step is deterministic."""

SHRINKING_CALLS, SHRINKING_SECONDS = 2_000, 20.0
MOST_BEYOND = 12
"""Number of counterexamples beyond the description that are kept, of different classes."""


@dataclass(frozen=True, slots=True)
class SearchPlan:
    """What is claimed of which inputs, and how long to search."""

    claim: StabilityClaim
    description: Description
    seed: int
    n_inputs: int = N_INPUTS
    seconds: float | None = SECONDS
    beyond: bool = False

    def __post_init__(self) -> None:
        check_integer("n_inputs", self.n_inputs, 1)
        check_integer("seed", self.seed, 0)


@dataclass(frozen=True, slots=True)
class StabilityProgress:
    """How far a search is."""

    inputs: int
    of: int
    greatest: Move | None


def search(
    caller: Caller, plan: SearchPlan, progress: Callable[[StabilityProgress], None] | None = None
) -> StabilityResult:
    """Search a counterexample; an interrupt ends the search, and its result is what was tried so far."""
    return _Search(caller, plan, progress or (lambda _: None)).run()


def compare_pair(
    pair: Pair, results: tuple[Any, Any], claim: StabilityClaim, apart: int = 1
) -> Counterexample | None:
    """Return the two results of a pair with how far they are apart; None if both are errors."""
    failed = [failure_string(result) is not None for result in results]
    if all(failed):
        return None
    moved = Move(MoveKind.FAILURE) if any(failed) else compare_results(claim.distance, *results)
    return Counterexample(pair, results, moved, claim, apart)


class _Search:
    """A search that is running."""

    def __init__(
        self, caller: Caller, plan: SearchPlan, progress: Callable[[StabilityProgress], None]
    ) -> None:
        self._caller, self._plan, self._progress = caller, plan, progress
        self._started, self._calls, self._at_once = time.monotonic(), 0, 1
        self._tried = {False: 0, True: 0}
        """The number of pairs that were tried, by whether an input is beyond the description."""
        self._classes, self._failures = Counter[str](), Counter[str]()
        self._ended = Counter[str]()
        self._has_results = self._has_measurable = False
        self._greatest: Move | None = None
        self._best: Counterexample | None = None
        self._beyond: dict[tuple[str, ...], Counterexample] = {}
        self._cut_short = ""

    def run(self) -> StabilityResult:
        """Try all pairs, shrink what shows that the claim is false, and return the result."""
        plan, interrupted = self._plan, False
        try:
            pairs = hostile_pairs(
                plan.description,
                plan.claim.relation,
                seed=plan.seed,
                count=plan.n_inputs,
                constants=self._caller.constants,
                beyond=plan.beyond,
            )
            for outside in (False, True):
                self._try_all([pair for pair in pairs if pair.outside is outside], outside)
            if self._best is not None:
                self._best = self._confirm(self._shrink(self._best), self._best)
        except KeyboardInterrupt:
            interrupted = True
            ignore_further_stops()
        return self._result(interrupted)

    # Trying ----------------------------------------------------------------------------------------------

    def _try_all(self, pairs: Sequence[Pair], outside: bool) -> None:
        """Try pairs until one shows that the claim is false, for other reasons than rounding."""
        trials = trials_of(pairs, self._plan.description, self._plan.claim.d_in)
        while not self._is_over() and (portion := list(islice(trials, self._at_once))):
            begun = time.monotonic()
            for trial, results in zip(portion, self._call(portion), strict=True):
                self._tried[outside] += 1
                self._take(trial, results)
            self._progress(StabilityProgress(self._tried[outside], len(pairs), self._greatest))
            if not outside and self._best is not None and not self._best.is_rounding:
                return
            seconds = time.monotonic() - begun
            if seconds > SLOW:
                self._at_once = max(self._at_once // 2, 1)
            elif seconds < SLOW / 4:
                self._at_once = min(2 * self._at_once, MOST_AT_ONCE)

    def _is_over(self) -> bool:
        """Return whether the time is over, or nothing but ends of processes can be expected."""
        hopeless = [kind for kind, count in self._ended.items() if count >= KINDS[kind]]
        if hopeless and not self._has_results:
            self._cut_short = f"no input has a result: {next(iter(self._failures))}"
            return True
        seconds = self._plan.seconds
        return seconds is not None and time.monotonic() - self._started >= seconds

    def _call(self, trials: Sequence[Trial]) -> Iterator[tuple[Any, Any]]:
        """Return the two results of every pair; call some twice, to see that the step is deterministic."""
        inputs = [side for trial in trials for side in (trial.pair.left, trial.pair.right)]
        made = sum(self._tried.values())
        due = made < CALLED_TWICE or made // CHECKED_EVERY < (made + len(trials)) // CHECKED_EVERY
        again = inputs[: 2 * CALLED_TWICE] if due else []
        results = self._results([*inputs, *again])
        for data, first, second in zip(again, results, results[len(inputs) :], strict=False):
            self._check_repeated(data, first, second)
        return zip(results[0 : len(inputs) : 2], results[1 : len(inputs) : 2], strict=True)

    def _results(self, inputs: Sequence[Any]) -> list[Any]:
        self._calls += len(inputs)
        return self._caller.results(inputs)

    def _check_repeated(self, data: Any, first: Any, second: Any) -> None:
        """Raise TargetError if a step has two results on one input; messages of errors may differ."""
        failed = [failure_string(result) is not None for result in (first, second)]
        if all(failed) or (not any(failed) and equal_outputs(first, second)):
            return
        expected = "the same result on the same input, since only a step without noise has a stability"
        got = f"{format_value(first)}, then {format_value(second)} on {format_value(data)}"
        raise TargetError(self._caller.name, expected, got)

    def _take(self, trial: Trial, results: tuple[Any, Any]) -> None:
        """Count a pair, and keep it if it shows that the claim is false."""
        pair = trial.pair
        if not pair.outside:
            self._classes.update(pair.classes)
        found = self._compare(pair, results, trial.apart)
        if found is None:
            self._count_failure(results[0])
        elif pair.outside:
            if found.moved.exceeds(found.bound) and len(self._beyond) < MOST_BEYOND:
                self._beyond.setdefault(pair.classes, found)
        else:
            self._measure(found)

    def _compare(self, pair: Pair, results: tuple[Any, Any], apart: int) -> Counterexample | None:
        return compare_pair(pair, results, self._plan.claim, apart)

    def _measure(self, tried: Counterexample) -> None:
        """Note the distance of two results, of which one exists."""
        self._has_results, moved = True, tried.moved
        self._has_measurable |= any(is_measurable(tried.claim.distance, result) for result in tried.outputs)
        if moved.kind is MoveKind.DISTANCE and (
            self._greatest is None or moved.distance > self._greatest.distance
        ):
            self._greatest = moved
        if moved.exceeds(tried.bound) and (self._best is None or self._best.is_rounding):
            self._best = tried

    def _count_failure(self, result: Any) -> None:
        self._failures[failure_string(result) or ""] += 1
        if result["failed"] in (EXITED, HUNG):
            self._ended[result["failed"]] += 1

    # A counterexample ------------------------------------------------------------------------------------

    def _shrink(self, example: Counterexample) -> Pair:
        """Return the smallest pair with a counterexample of the same kind."""
        if any(isinstance(side, dict) and side.get("failed") == HUNG for side in example.outputs):
            return example.pair
        smallest, deadline = example.pair, time.monotonic() + SHRINKING_SECONDS

        def shows(pair: Pair) -> bool:
            nonlocal smallest
            if time.monotonic() > deadline:
                return False
            left, right = self._results([pair.left, pair.right])
            if not _is_alike(self._compare(pair, (left, right), example.apart), example):
                return False
            smallest = pair
            return True

        try:
            return shrink_pair(self._plan.description, example.pair, shows, SHRINKING_CALLS)
        except KeyboardInterrupt:
            ignore_further_stops()
            return smallest

    def _confirm(self, pair: Pair, example: Counterexample) -> Counterexample:
        """Return a pair as a counterexample, after a call of each side that must have the same result."""
        left, right, *again = self._results([pair.left, pair.right] * 2)
        for data, first, second in zip((pair.left, pair.right), (left, right), again, strict=True):
            self._check_repeated(data, first, second)
        tried = self._compare(pair, (left, right), example.apart)
        if tried is None or not tried.moved.exceeds(tried.bound):
            self._check_repeated(example.left, example.outputs[0], left)
            self._check_repeated(example.right, example.outputs[1], right)
        return tried or example

    def _result(self, interrupted: bool) -> StabilityResult:
        plan = self._plan
        if self._has_results and not self._has_measurable and not interrupted:
            raise PreconditionError("distance", "one that measures the results", plan.claim.distance)
        return StabilityResult(
            target=self._caller.name,
            claim=plan.claim,
            described=plan.description.text,
            seed=plan.seed,
            verdict=self._verdict(),
            inputs=self._tried[False],
            classes={key: self._classes[key] for key in HOSTILE if self._classes[key]},
            counterexample=self._best,
            greatest=self._greatest,
            failures=dict(self._failures.most_common()),
            beyond=tuple(self._beyond.values()),
            inputs_beyond=self._tried[True],
            calls=self._calls,
            seconds=time.monotonic() - self._started,
            interrupted=interrupted,
            cut_short=self._cut_short,
        )

    def _verdict(self) -> StabilityVerdict:
        if self._best is not None:
            return StabilityVerdict.COUNTEREXAMPLE
        return StabilityVerdict.NONE_FOUND if self._has_results else StabilityVerdict.INCONCLUSIVE


def _is_alike(tried: Counterexample | None, example: Counterexample) -> bool:
    """Return whether a pair is a counterexample for the same reason as another one."""
    if tried is None or not tried.moved.exceeds(tried.bound) or tried.moved.kind is not example.moved.kind:
        return False
    if tried.is_rounding and not example.is_rounding:
        return False
    return _errors(tried) == _errors(example)


def _errors(example: Counterexample) -> list[Any]:
    """Return the name of the error on each side, if any."""
    return [
        None if failure_string(result) is None else (result["failed"], result["error"])
        for result in example.outputs
    ]
