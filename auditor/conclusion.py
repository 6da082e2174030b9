"""The verdict of an audit, concluded from finished tests."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from privboost.auditor.betting.wealth import power_of
from privboost.auditor.pairs.pair import Pair
from privboost.auditor.running.cross_check import cross_check
from privboost.auditor.running.envelope import envelope_of
from privboost.auditor.running.repeats import constant_sides, reused_noise, stuck_number
from privboost.auditor.running.sequential import SequentialTest
from privboost.auditor.running.settings import Settings

from .numbers import round_up
from .result import AuditResult, FailedCalls, PairResult, Verdict


def conclude(
    target: str,
    pairs: tuple[Pair, ...],
    tests: Sequence[SequentialTest],
    settings: Settings,
    seed: int,
    *,
    envelopes: Sequence[Sequence[SequentialTest]] = (),
    seconds: float = 0.0,
    interrupted: bool = False,
) -> AuditResult:
    """Return the verdict on finished tests."""
    error = settings.error_of_a_pair(len(pairs))
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
        )
        for pair, test in zip(pairs, tests, strict=True)
    )
    fewest = min(result.calls for result in results)
    refuted = [(result, test) for result, test in zip(results, tests, strict=True) if test.refuted]
    power = (
        power_of(fewest, settings.claim.points_of(np.array([settings.claim.value])), error) if fewest else ()
    )
    if refuted:
        verdict = Verdict.VIOLATION
        best, test = max(refuted, key=lambda entry: entry[0].bound)
        constant = constant_sides(*test.history())
        reason = (
            f"on the pair '{best.pair.name}' the sides were guessed better than {_claim(settings)} allows, "
            f"after {best.calls} calls" + (f"; {constant}" if constant else "")
        )
        if len(refuted) > 1:
            reason += f"; in all on {len(refuted)} of {len(results)} pairs"
    elif not power or power[0].epsilon is None:
        verdict = Verdict.INCONCLUSIVE
        reason = f"{fewest} calls on a pair are too few to judge a claim of {_claim(settings)}"
    elif note := next(filter(None, (result.note for result in results)), ""):
        verdict = Verdict.INCONCLUSIVE
        reason = f"no violation was found, but {note}"
    else:
        verdict = Verdict.CONSISTENT
        reason = (
            f"no violation in {sum(result.calls for result in results)} calls; one of ε ≥ "
            f"{round_up(power[0].epsilon)}, by an event seen on half of the calls and learned from the "
            "first half of them, would have been caught with 95 % probability"
        )
    return AuditResult(
        target,
        settings.claim,
        settings.confidence,
        seed,
        verdict,
        reason,
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


def _claim(settings: Settings) -> str:
    return str(settings.claim).replace("≤", "=", 1)
