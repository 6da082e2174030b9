"""The verdict of an audit, concluded from finished tests, and its cross-check.

The cross-check has a fixed number of calls: choose an event on one part, test it once on the rest. Given that
a side is guessed, the number of right guesses is binomial, and under epsilon-privacy its success probability
is at most e^epsilon / (1 + e^epsilon). The lower Clopper-Pearson limit on this probability, as log odds, is a
lower confidence bound on epsilon.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv

from privboost.auditor.betting.wealth import (
    Power,
    bound_without_errors,
    calls_to_catch,
    power_of,
)
from privboost.auditor.guessing.guessers import Guesser, learn, new_kinds
from privboost.auditor.pairs.pair import Pair
from privboost.auditor.running.plan import AuditPlan, envelope_of
from privboost.auditor.running.repeats import (
    constant_sides,
    count_stuck,
    find_shared_noise,
    noiseless_parts,
)
from privboost.auditor.running.sequential import SequentialTest, guessed_events
from privboost.auditor.values.columns import UnmatchedPart

from .result import AuditResult, FailedCalls, FixedBound, PairResult, Required, Verdict

PROJECTED = 1_000
"""A run in which no guess is wrong is projected to this number of calls, and a longer one to more."""

FEWEST_CALLS = 200
LEARNED_FROM, CHOSEN_ON = 0.2, 0.4
"""Partitions are learned on the calls up to the first share, the event is chosen up to the second."""

Floats = NDArray[np.float64]


def conclude(
    target: str,
    pairs: tuple[Pair, ...],
    tests: Sequence[SequentialTest],
    plan: AuditPlan,
    *,
    envelopes: Sequence[Sequence[SequentialTest]] = (),
    seconds: float = 0.0,
    interrupted: bool = False,
) -> AuditResult:
    """Return the verdict on finished tests."""
    errors = plan.errors(len(pairs))
    error = min(errors)
    results = tuple(map(_result_of, pairs, errors, tests))
    fewest = min(result.calls for result in results)
    points = plan.claim.points_of(np.array([plan.claim.value]))
    power = power_of(fewest, points, error) if fewest else ()
    required = plan.required
    if any(result.refuted for result in results):
        verdict = Verdict.VIOLATION
    elif not _is_enough(power, required):
        verdict = Verdict.INCONCLUSIVE
        each = [
            calls_to_catch(required.epsilon, required.share, points, level, too_few)
            for level, too_few in ((error, fewest), (1 - plan.confidence, 0))
        ]
        total = None if each[0] is None else each[0] * (plan.shared_by or len(pairs))
        required = replace(required, met=False, calls=total, calls_on_one_pair=each[1])
    elif any(result.note or result.n_stuck or (result.fixed and result.fixed.exceeds) for result in results):
        verdict = Verdict.INCONCLUSIVE
    else:
        verdict = Verdict.CONSISTENT
    return AuditResult(
        target,
        plan.claim,
        plan.confidence,
        plan.seed,
        verdict,
        results,
        power,
        interrupted,
        seconds,
        envelope=envelope_of(envelopes),
        required=required,
        ignored=plan.ignored,
        shared_by=plan.shared_by,
        unmatched=unmatched_in(tests),
    )


def unmatched_in(tests: Sequence[SequentialTest]) -> tuple[UnmatchedPart, ...]:
    """Return the parts that were to be ignored and that no output has; none before every pair was called."""
    if not all(test.calls for test in tests):
        return ()
    first, *others = (test.output_table.unmatched for test in tests)
    elsewhere = [{part.name for part in parts} for parts in others]
    return tuple(part for part in first if all(part.name in names for names in elsewhere))


def _is_enough(power: Sequence[Power], required: Required) -> bool:
    """Return whether a run would have caught what it has to."""
    caught = next((entry.epsilon for entry in power if entry.share == required.share), None)
    return caught is not None and caught <= required.epsilon


def _result_of(pair: Pair, error: float, test: SequentialTest) -> PairResult:
    cells, (outputs, sides) = test.cells(), test.history()
    failures = [FailedCalls(text, *counts) for text, counts in test.failures.by_string.items()]
    result = PairResult(
        pair,
        error,
        tuple(test.curve),
        cells,
        cross_check(test),
        failures=tuple(sorted(failures, key=lambda entry: -entry.left - entry.right)),
        refuted=test.refuted,
        note=test.failures.note or test.output_table.unread_note,
        n_stuck=count_stuck(outputs),
        side_calls=(int(np.count_nonzero(sides == 0)), int(np.count_nonzero(sides))),
    )
    if not test.refuted:
        return result
    separates = all(0 in (cell.left, cell.right) for cell in cells if cell.guess)
    return replace(
        result,
        shared_noise=find_shared_noise(outputs, sides, test.output_table.names),
        constant=constant_sides(outputs, sides),
        noiseless=noiseless_parts(outputs, sides, test.output_table),
        projected=_project(test, error) if separates else None,
    )


def _project(test: SequentialTest, error: float) -> tuple[int, float]:
    """Return a number of calls, and the bound after them if no guess is ever wrong."""
    calls, nulls = PROJECTED * 10 ** max(0, len(str(test.calls)) - 3), test.claim.nulls()
    return calls, bound_without_errors(calls, nulls, test.claim.points_of(nulls), error)


def lower_log_odds(right: Floats, wrong: Floats, error: float) -> Floats:
    """Return the lower Clopper-Pearson limit on a success probability, as log odds, at least 0."""
    counted = np.asarray(right) > 0
    share = np.where(counted, betaincinv(np.maximum(right, 1), np.asarray(wrong) + 1, error), 0.0)
    with np.errstate(divide="ignore"):
        odds = np.log(share) - np.log1p(-share)
    limits: Floats = np.maximum(odds, 0.0)
    return limits


def cross_check(test: SequentialTest) -> FixedBound | None:
    """Return the cross-check of a sequential test from the same outputs; None for delta > 0 or few calls.

    It is valid by itself, at the error probability of the test, if the number of calls was fixed beforehand.
    For a run that stopped at a violation it is only a description.
    """
    outputs, sides = test.history()
    if outputs.size < FEWEST_CALLS or test.wealth.delta.any():
        return None
    first, last = int(LEARNED_FROM * outputs.size), int(CHOSEN_ON * outputs.size)
    kinds = new_kinds().values()
    learned = [learn(kind, outputs[:first], sides[:first], first, test.wealth)[0] for kind in kinds]
    best: tuple[float, Guesser | None, int] = (-1.0, None, 0)
    for guesser in learned:
        if guesser is not None:
            right, wrong, *_ = guesser.count(outputs[first:last], sides[first:last])
            limits = lower_log_odds(right, wrong, test.wealth.error)
            null = int(limits.argmax())
            best = max(best, (float(limits[null]), guesser, null), key=lambda candidate: candidate[0])
    _, guesser, null = best
    if guesser is None:
        return None
    right, wrong = (part[null] for part in guesser.count(outputs[last:], sides[last:])[:2])
    bound = float(lower_log_odds(right, wrong, test.wealth.error))
    events = guessed_events(guesser.partition, guesser.guesses[null], test.output_table.columns)
    fixed = FixedBound(tuple(map(test.output_table.add_strings, events)), int(right), int(wrong), bound)
    points = test.claim.points_of(np.array([test.claim.value]))
    if test.refuted or bound <= points.epsilon.min():
        return fixed
    share, odds = (right + wrong) / (outputs.size - last), np.log(right / (wrong + 1))
    after = calls_to_catch(float(odds), float(share), points, test.wealth.error)
    return replace(fixed, exceeds=True, decided_after=after)
