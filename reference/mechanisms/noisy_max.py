"""Report noisy max: the index of the greatest value after noise was added to each.

Notation:
    epsilon    privacy parameter    Delta    sensitivity of the scores    b    scale of the noise
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum
from fractions import Fraction

from privboost.errors import PreconditionError
from privboost.reference.exact import Exact, Number, exact
from privboost.reference.privacy.mechanisms import exponential_law, permute_and_flip_law, rate

from .arguments import check_integers, positive
from .races import Noisy, Terms, add, probability


class Noise(Enum):
    """The law of the noise; `GEOMETRIC` is discrete Laplace noise on the integers."""

    LAPLACE = "laplace"
    EXPONENTIAL = "exponential"
    GUMBEL = "gumbel"
    GEOMETRIC = "geometric"


class Ties(Enum):
    """Which of several greatest values is reported; only noise on a grid has ties."""

    FIRST = "first"
    UNIFORM = "uniform"


def noisy_max_scale(epsilon: Exact, sensitivity: Exact, *, monotonic: bool = False) -> Number:
    """Return 2 Delta / epsilon, or Delta / epsilon for monotonic scores, with any of the four laws.

    Source: Dwork and Roth 2014, Claim 3.9 (Laplace); Ding et al. 2021 (exponential); Durfee and Rogers 2019
        (Gumbel).
    """
    budget, reach = positive(epsilon, "epsilon"), positive(sensitivity, "sensitivity")
    return 1 / rate(budget, reach, one_sided=monotonic)


def noisy_max(
    scores: Sequence[Exact], scale: Exact, noise: Noise, ties: Ties = Ties.FIRST
) -> dict[int, Number]:
    """Return the probability that each index is reported.

    With Gumbel noise this is the exponential mechanism (McFadden 1974), and with exponential noise it is
    permute-and-flip (Ding et al. 2021).

    Requires: at least one score; integers for noise on a grid.
    """
    width = positive(scale, "scale")
    values = {i: exact(score, "score") for i, score in enumerate(scores)}
    if noise is Noise.GUMBEL:
        return exponential_law(values, 1 / width)
    if noise is Noise.EXPONENTIAL:
        return permute_and_flip_law(values, 1 / width)
    if not values:
        raise PreconditionError("scores", "at least one score", "none")
    grid = noise is Noise.GEOMETRIC
    if grid:
        check_integers(values.values(), "scores")
    # A common shift does not change the law; it keeps the exponentials small.
    top = max(values.values())
    racers = [Noisy(value - top, Fraction(1), 1 / width, grid) for value in values.values()]
    return {i: probability(racers, _factors(racers, i, ties)) for i in values}


def _factors(racers: Sequence[Noisy], winner: int, ties: Ties) -> Iterator[tuple[Terms, Terms]]:
    """Yield the density of the winner, and the chance of every other value to lose against it."""
    for j, racer in enumerate(racers):
        if j == winner:
            yield racer.density()
        elif ties is Ties.UNIFORM and racer.grid:
            # Values get random ranks: that of the winner is v, and a tied value loses if its own is less.
            less, equal = racer.below(strict=True), racer.density()
            yield add(less[0], _times_rank(equal[0])), add(less[1], _times_rank(equal[1]))
        else:
            yield racer.below(strict=racer.grid and j < winner)


def _times_rank(terms: Terms) -> Terms:
    """Return a sum times v."""
    return {(rate, power + 1): value for (rate, power), value in terms.items()}
