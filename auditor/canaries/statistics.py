"""What scores say besides a bound: AUROC, true positive rates, and the trade-off of errors with a band."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from privboost.errors import PreconditionError

Floats = NDArray[np.float64]

FALSE_POSITIVE_RATES = (0.001, 0.01, 0.1)
MOST_POINTS = 200
"""Greatest number of points of a trade-off curve."""


class ErrorRates(NamedTuple):
    """The errors of guessing "in" above a threshold: of canaries that are out, and of those that are in."""

    false_positive: float
    false_negative: float


@dataclass(frozen=True, slots=True)
class ScoreStatistics:
    """A description of scores; no bound depends on it."""

    auroc: float
    """The probability that a canary that is in has a higher score than one that is out; ties count half."""
    true_positive_rates: tuple[tuple[float, float], ...]
    """The greatest true positive rate at a false positive rate of at most the first number."""
    tradeoff: tuple[ErrorRates, ...]
    """Both error rates by threshold, from the highest one to the lowest."""
    band: tuple[float, float]
    """By how much the false positive rate and the false negative rate may differ from those of other
    canaries, at all thresholds at once; for scores that are independent given the coins."""


def describe_scores(inside: Floats, outside: Floats, confidence: float) -> ScoreStatistics:
    """Return the description of scores of canaries that are in and out, none of them NaN.

    Ensures: PreconditionError without a score of either kind.
    """
    if not (inside.size and outside.size):
        raise PreconditionError("scores", "at least one score of each kind", f"{inside.size}, {outside.size}")
    ranks = rankdata(np.concatenate([inside, outside]))[: inside.size]
    auroc = (ranks.sum() - inside.size * (inside.size + 1) / 2) / (inside.size * outside.size)
    thresholds = np.unique(np.concatenate([inside, outside]))[::-1]
    positive = [
        np.concatenate([[0.0], 1 - np.searchsorted(np.sort(scores), thresholds, side="left") / scores.size])
        for scores in (inside, outside)
    ]
    rates = tuple(
        (rate, float(positive[0][positive[1] <= rate + 1e-12].max())) for rate in FALSE_POSITIVE_RATES
    )
    kept = np.unique(np.linspace(0, thresholds.size, MOST_POINTS).round().astype(int))
    tradeoff = tuple(ErrorRates(float(positive[1][k]), float(1 - positive[0][k])) for k in kept)
    # Dvoretzky, Kiefer, Wolfowitz and Massart, for both laws at once.
    band = [math.sqrt(math.log(4 / (1 - confidence)) / (2 * scores.size)) for scores in (outside, inside)]
    return ScoreStatistics(float(auroc), rates, tradeoff, (band[0], band[1]))
