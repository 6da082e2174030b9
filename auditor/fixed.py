"""The cross-check with a fixed number of calls: an event chosen on one part, one binomial test on the rest.

Given that a side is named at all, the number of right names is binomial, and under epsilon-privacy its
success probability is at most e^epsilon / (1 + e^epsilon). So one lower limit of Clopper and Pearson on it,
turned into log odds, is a lower confidence bound on epsilon. There is one test, on calls that the choice has
not seen.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv

from .guessers import KINDS, Guesser, learn
from .result import FixedBound
from .sequential import SequentialTest, event_text

FEWEST_CALLS = 200
LEARNED_FROM, CHOSEN_ON = 0.2, 0.4
"""The parts of the calls up to which partitions are learned and the event is chosen; the rest is counted."""

Floats = NDArray[np.float64]


def lower_log_odds(right: Floats, wrong: Floats, error: float) -> Floats:
    """Return the lower limit of Clopper and Pearson on a success probability, as log odds, at least 0."""
    counted = np.asarray(right) > 0
    share = np.where(counted, betaincinv(np.maximum(right, 1), np.asarray(wrong) + 1, error), 0.0)
    with np.errstate(divide="ignore"):
        odds = np.log(share) - np.log1p(-share)
    found: Floats = np.maximum(odds, 0.0)
    return found


def fixed_bound(test: SequentialTest) -> FixedBound | None:
    """Return the cross-check of a sequential test from the same outputs; None for delta > 0 or few calls.

    It is valid by itself at the error of the test, for a number of calls fixed beforehand: of a run that was
    stopped at a violation it is a description.
    """
    outputs, sides = test.history()
    if outputs.size < FEWEST_CALLS or test.wealth.delta > 0:
        return None
    first, last = int(LEARNED_FROM * outputs.size), int(CHOSEN_ON * outputs.size)
    learned = [learn(kind, outputs[:first], sides[:first], test.wealth) for kind in KINDS]
    best: tuple[float, Guesser | None, int] = (-1.0, None, 0)
    for guesser in learned:
        if guesser is not None:
            right, wrong, _ = guesser.count(outputs[first:last], sides[first:last])
            hoped = lower_log_odds(right, wrong, test.wealth.error)
            place = int(hoped.argmax())
            best = max(best, (float(hoped[place]), guesser, place), key=lambda found: found[0])
    _, guesser, place = best
    if guesser is None:
        return None
    right, wrong, _ = guesser.count(outputs[last:], sides[last:])[:, place]
    bound = float(lower_log_odds(right, wrong, test.wealth.error))
    event = event_text(guesser.partition, guesser.guesses[place], test.output_table.names)
    return FixedBound(event, int(right), int(wrong), bound)
