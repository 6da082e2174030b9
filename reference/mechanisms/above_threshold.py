"""Above threshold, the core of the sparse vector technique: the first noisy answer above a noisy threshold.

Notation:
    epsilon    privacy parameter    Delta    sensitivity of the queries
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from privboost.reference.exact import Exact, Number, exact
from privboost.reference.privacy.mechanisms import rate

from .arguments import check_integers, positive, rational
from .races import Noisy, Terms, complement, probability


def above_threshold_scales(
    epsilon: Exact, sensitivity: Exact, *, monotonic: bool = False
) -> tuple[Number, Number]:
    """Return the scales of the noise of the threshold, 2 Delta / epsilon, and of answers, 4 Delta / epsilon.

    If all answers rise, or all fall, with a new row, the answers need only 2 Delta / epsilon.

    Source: Dwork and Roth 2014, Algorithm 1 and Theorem 3.23; Lyu, Su and Li 2017, Theorem 5 (monotonic).
    """
    budget, reach = positive(epsilon, "epsilon"), positive(sensitivity, "sensitivity")
    return 2 * reach / budget, 2 / rate(budget, reach, one_sided=monotonic)


def above_threshold(
    answers: Sequence[Exact],
    threshold: Exact,
    threshold_scale: Exact,
    answer_scale: Exact,
    *,
    grid: bool = False,
) -> tuple[Number, ...]:
    """Return the probability of each answer to be the first above the threshold, and last that of none.

    The noise is Laplace, or discrete Laplace on the integers (`grid`). An answer is above if answer + noise
    >= threshold + noise; the noise of the threshold is drawn once.

    Requires: the quotient of the scales is rational; with `grid`, integers.
    """
    width = positive(threshold_scale, "threshold_scale")
    ratio = rational(width / positive(answer_scale, "answer_scale"), "scales")
    centres = [exact(value, "answer") for value in (threshold, *answers)]
    if grid:
        check_integers(centres, "answers")
    # A common shift does not change the law; it keeps the exponentials small.
    racers = [
        Noisy(centre - centres[0], ratio if j else Fraction(1), 1 / width, grid)
        for j, centre in enumerate(centres)
    ]
    return tuple(probability(racers, _factors(racers, first)) for first in range(1, len(racers) + 1))


def _factors(racers: Sequence[Noisy], first: int) -> Iterator[tuple[Terms, Terms]]:
    """Yield the density of the threshold, the chances of answers to be below it, and of one to be above."""
    yield racers[0].density()
    for racer in racers[1:first]:
        yield racer.below(strict=True)
    if first < len(racers):
        left, right = racers[first].below(strict=True)
        yield complement(left), complement(right)
