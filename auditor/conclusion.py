"""The verdict of an audit, concluded from finished tests."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from privboost.auditor.betting.wealth import power_of
from privboost.auditor.pairs.pair import Pair
from privboost.auditor.running.cross_check import cross_check
from privboost.auditor.running.plan import AuditPlan, envelope_of
from privboost.auditor.running.repeats import constant_sides, reused_noise, stuck_number
from privboost.auditor.running.sequential import SequentialTest

from .result import AuditResult, FailedCalls, PairResult, Verdict


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
    error = plan.error_of_a_pair(len(pairs))
    results = tuple(
        PairResult(
            pair,
            error,
            tuple(test.curve),
            test.cells(),
            cross_check(test),
            failures=_failed_calls(test),
            refuted=test.refuted,
            note=_describe_unread(test),
            side_calls=_side_calls(test),
            hint=reused_noise(*test.history(), test.output_table.names) if test.refuted else "",
            constant=constant_sides(*test.history()) if test.refuted else (),
        )
        for pair, test in zip(pairs, tests, strict=True)
    )
    fewest = min(result.calls for result in results)
    power = power_of(fewest, plan.claim.points_of(np.array([plan.claim.value])), error) if fewest else ()
    if any(result.refuted for result in results):
        verdict = Verdict.VIOLATION
    elif not power or power[0].epsilon is None or any(result.note for result in results):
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
    )


def _describe_unread(test: SequentialTest) -> str:
    """Return why the outputs of a test say little; the empty string if they do not."""
    notes = (test.failures.note, test.output_table.unread_note, stuck_number(test.history()[0]))
    return next(filter(None, notes), "")


def _side_calls(test: SequentialTest) -> tuple[int, int]:
    sides = test.history()[1]
    right = int(np.count_nonzero(sides))
    return sides.size - right, right


def _failed_calls(test: SequentialTest) -> tuple[FailedCalls, ...]:
    failures = [FailedCalls(text, *counts) for text, counts in test.failures.by_string.items()]
    return tuple(sorted(failures, key=lambda entry: -entry.left - entry.right))
