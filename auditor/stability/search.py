"""Search a counterexample to a claim of stability: call a step on hostile neighbours and compare the results.

Every pair is two calls, and no statistics are needed. A counterexample is made as small as it gets, and
called twice more before it is reported. One that rounding of doubles explains is kept, and the search goes on
for one that it does not.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, groupby, islice
from typing import Any

from privboost.auditor.inputs.classes import HOSTILE
from privboost.auditor.inputs.crossing import cross_pairs
from privboost.auditor.inputs.neighbours import iterate_pairs
from privboost.auditor.inputs.shrinking import shrink_pair
from privboost.auditor.pairs.pair import Pair
from privboost.auditor.values.failures import HUNG, failure_string
from privboost.auditor.values.tagged_json import equal_outputs
from privboost.errors import PreconditionError, TargetError
from privboost.printing import format_value
from privboost.workers.interrupts import ignore_further_stops

from .calls import Caller
from .chains import Trial, trials_of
from .counts import SearchCounts, compare_pair, has_ended
from .metrics import Move
from .plan import SearchPlan
from .result import ComparedPair, StabilityResult, StabilityVerdict

MOST_AT_ONCE = 64
"""Number of pairs that are called together."""

SLOW = 0.25
"""If pairs that are called together take more seconds than this, fewer are from then on."""

CALLED_TWICE, CHECKED_EVERY = 8, 64
"""The first pairs, and then every so many, are called twice, to see that the step is deterministic."""

CROSSED_ROWS, CROSSED_SHARE = 32, 8
"""Near the end the change that moved the results most is tried among equal rows: at most so many different
rows, and one in so many of all pairs."""
CROSSED_FROM = 1_000
"""The rows are those that the first pairs change."""

SHRINKING_CALLS, SHRINKING_SECONDS = 2_000, 20.0


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
    return _PairSearch(caller, plan, progress or (lambda _: None)).run()


class _PairSearch:
    """A search that is running."""

    def __init__(
        self, caller: Caller, plan: SearchPlan, progress: Callable[[StabilityProgress], None]
    ) -> None:
        self._caller, self._plan, self._progress = caller, plan, progress
        self._started, self._calls, self._at_once = time.monotonic(), 0, 1
        self._counts, self._cut_short = SearchCounts(plan.claim), ""

    def run(self) -> StabilityResult:
        """Try all pairs, shrink what shows that the claim is false, and return the result."""
        plan, interrupted = self._plan, False
        try:
            pairs = iterate_pairs(
                plan.description,
                plan.claim.relation,
                seed=plan.seed,
                count=plan.n_inputs,
                constants=self._caller.constants,
                beyond=plan.beyond,
            )
            for outside, group in groupby(pairs, lambda pair: pair.outside):
                self._try_all(group, outside)
                if not plan.beyond:
                    break
            if self._counts.best is not None:
                self._counts.best = self._confirm(self._shrink(self._counts.best), self._counts.best)
        except KeyboardInterrupt:
            interrupted = True
            ignore_further_stops()
        return self._result(interrupted)

    def _phases(self, pairs: Iterator[Pair]) -> Iterator[Iterable[Pair]]:
        """Yield pairs, and when these were tried the change that moved the results most, among equal rows."""
        crossed = min(CROSSED_ROWS, self._plan.n_inputs // CROSSED_SHARE)
        tried: list[Pair] = []

        def first_pairs() -> Iterator[Pair]:
            for pair in islice(pairs, self._plan.n_inputs - crossed):
                if len(tried) < CROSSED_FROM:
                    tried.append(pair)
                yield pair

        yield first_pairs()
        made: Iterable[Pair] = ()
        if self._counts.farthest is not None:
            worst, constants = self._counts.farthest.pair, self._caller.constants
            made = cross_pairs(self._plan.description, (worst,), tried, crossed, constants)
        yield islice(chain(made, pairs), crossed)

    # Trying ----------------------------------------------------------------------------------------------

    def _try_all(self, pairs: Iterable[Pair], outside: bool) -> None:
        """Try pairs until one shows that the claim is false, for other reasons than rounding."""
        for phase in [pairs] if outside else self._phases(iter(pairs)):
            self._try_phase(phase, outside)
            if not outside and self._counts.is_refuted:
                return

    def _try_phase(self, pairs: Iterable[Pair], outside: bool) -> None:
        trials, begun = trials_of(pairs, self._plan.description, self._plan.claim.d_in), time.monotonic()
        while not self._is_over() and (portion := list(islice(trials, self._at_once))):
            for trial, results in zip(portion, self._call(portion), strict=True):
                self._counts.take(trial, results)
            tried, of = self._counts.tried[outside], self._plan.n_inputs * self._plan.claim.d_in
            self._progress(StabilityProgress(tried, of, self._counts.greatest))
            if not outside and self._counts.is_refuted:
                return
            begun, seconds = time.monotonic(), time.monotonic() - begun
            if seconds > SLOW:
                self._at_once = max(self._at_once // 2, 1)
            elif seconds < SLOW / 4:
                self._at_once = min(2 * self._at_once, MOST_AT_ONCE)

    def _is_over(self) -> bool:
        """Return whether the time is over, or nothing but ends of processes can be expected."""
        if self._counts.is_hopeless:
            self._cut_short = f"no input has a result: {next(iter(self._counts.failures))}"
            return True
        seconds = self._plan.seconds
        return seconds is not None and time.monotonic() - self._started >= seconds

    def _call(self, trials: Sequence[Trial]) -> Iterator[tuple[Any, Any]]:
        """Return the two results of every pair; call some twice, to see that the step is deterministic."""
        inputs = [side for trial in trials for side in (trial.pair.left, trial.pair.right)]
        made = sum(self._counts.tried.values())
        results = self._results(inputs)
        if made < CALLED_TWICE or made // CHECKED_EVERY < (made + len(trials)) // CHECKED_EVERY:
            self._call_again(inputs[: 2 * CALLED_TWICE], results)
        return zip(results[0::2], results[1::2], strict=True)

    def _call_again(self, inputs: Sequence[Any], results: Sequence[Any]) -> None:
        """Call inputs a second time, but for those on which the process ended or did not answer."""
        first = [
            (data, result) for data, result in zip(inputs, results, strict=False) if not has_ended(result)
        ]
        second = self._results([data for data, _ in first])
        for (data, result), again in zip(first, second, strict=True):
            self._check_repeated(data, result, again)

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

    # A counterexample ------------------------------------------------------------------------------------

    def _shrink(self, example: ComparedPair) -> Pair:
        """Return the smallest pair with a counterexample of the same kind."""
        if any(has_ended(result) and result["failed"] == HUNG for result in example.outputs):
            return example.pair
        smallest = example.pair

        def shows(pair: Pair) -> bool:
            nonlocal smallest
            left, right = self._results([pair.left, pair.right])
            if not _is_alike(compare_pair(pair, (left, right), self._plan.claim, example.apart), example):
                return False
            smallest = pair
            return True

        try:
            return shrink_pair(
                self._plan.description,
                example.pair,
                shows,
                SHRINKING_CALLS,
                self._caller.constants,
                seconds=SHRINKING_SECONDS,
            )
        except KeyboardInterrupt:
            ignore_further_stops()
            return smallest

    def _confirm(self, pair: Pair, example: ComparedPair) -> ComparedPair:
        """Return a pair as a counterexample, if it is one on two calls of each side; else the given example.

        Ensures: TargetError if a side has two results.
        """
        tried = compare_pair(pair, self._call_twice(pair), self._plan.claim, example.apart)
        if _is_alike(tried, example) and tried is not None:
            return tried
        for data, before, now in zip(
            (example.left, example.right), example.outputs, self._call_twice(example.pair), strict=True
        ):
            self._check_repeated(data, before, now)
        return example

    def _call_twice(self, pair: Pair) -> tuple[Any, Any]:
        """Return the two results of a pair, after a second call of each side."""
        inputs = (pair.left, pair.right)
        left, right = self._results(inputs)
        self._call_again(inputs, (left, right))
        return left, right

    def _result(self, interrupted: bool) -> StabilityResult:
        plan, counts = self._plan, self._counts
        if counts.n_results and not counts.n_measurable and not interrupted:
            got = f"{plan.claim.distance}, for results such as {format_value(counts.sample)}"
            raise PreconditionError("distance", "one that measures the results", got)
        return StabilityResult(
            target=self._caller.name,
            claim=plan.claim,
            described=plan.description.text,
            seed=plan.seed,
            verdict=_conclude(counts),
            inputs=counts.tried[False],
            classes={key: counts.classes[key] for key in HOSTILE if counts.classes[key]},
            counterexample=counts.best,
            greatest=counts.greatest,
            failures=dict(counts.failures.most_common()),
            beyond=tuple(counts.beyond.values()),
            inputs_beyond=counts.tried[True],
            calls=self._calls,
            seconds=time.monotonic() - self._started,
            interrupted=interrupted,
            cut_short=self._cut_short,
        )


def _conclude(counts: SearchCounts) -> StabilityVerdict:
    if counts.best is not None:
        return StabilityVerdict.COUNTEREXAMPLE
    return StabilityVerdict.NONE_FOUND if counts.n_results else StabilityVerdict.INCONCLUSIVE


def _is_alike(tried: ComparedPair | None, example: ComparedPair) -> bool:
    """Return whether a pair is a counterexample for the same reason as another one."""
    if tried is None or not tried.moved.exceeds(tried.bound) or tried.moved.kind is not example.moved.kind:
        return False
    if tried.is_rounding and not example.is_rounding:
        return False
    return _errors(tried) == _errors(example)


def _errors(example: ComparedPair) -> list[Any]:
    """Return the name of the error on each side, if any."""
    return [
        None if failure_string(result) is None else (result["failed"], result["error"])
        for result in example.outputs
    ]
