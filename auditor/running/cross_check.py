"""The cross-check with a fixed number of calls: choose an event on one part, test it once on the rest.

Given that a side is guessed, the number of right guesses is binomial, and under epsilon-privacy its success
probability is at most e^epsilon / (1 + e^epsilon). The lower Clopper-Pearson limit on this probability, as
log odds, is a lower confidence bound on epsilon. There is one test, on calls that were not used for the
choice.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv

from privboost.auditor.betting.wealth import calls_to_catch
from privboost.auditor.guessing.guessers import Guesser, learn, new_kinds
from privboost.auditor.result import FixedBound

from .sequential import SequentialTest, guessed_events

FEWEST_CALLS = 200
LEARNED_FROM, CHOSEN_ON = 0.2, 0.4
"""Partitions are learned on the calls up to the first share, the event is chosen up to the second."""

Floats = NDArray[np.float64]


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
