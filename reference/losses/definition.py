"""Risks and conjugates from their definitions, as certified infima and suprema without closed forms.

The interval [0, 1] is cut at 1/2, where the indicators of the partial losses jump. On each open side a
formula is smooth, and its infimum is that of its continuous extension. The point 1/2 is treated separately.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from typing import Any

from privboost.reference.exact import Enclosure, Exact, Infinity, Number, enclose, exact
from privboost.reference.exact.infimum import Infimum, infimum

from .forms import expected_loss
from .loss import HALF, Loss, probability

Expectation = Callable[[Any], Any]
"""An expected loss as a function of the prediction, which is a number, a range or a jet."""

SIDES = ((-1, Fraction(0), HALF), (1, HALF, Fraction(1)))
"""(side, lo, hi) of the two smooth pieces."""


def expectation(loss: Loss, pi: Number, side: int) -> Expectation:
    """Return u -> pi * partial(1, u) + (1 - pi) * partial(-1, u) on one side of 1/2.

    Paper: pbr. A label of probability 0 is left out, because 0 * infinity = 0.
    """
    shares = [(y, share) for y, share in ((1, pi), (-1, 1 - pi)) if share]

    def formula(u: Any) -> Any:
        return sum((share * loss.partial(y, u, side) for y, share in shares), start=u * 0)

    return formula


def least_expectation(loss: Loss, pi: Number, bits: int) -> Infimum:
    """Return the infimum over u of the expected loss, and the u with the least value evaluated.

    Paper: pbr.
    """
    infima = [infimum(expectation(loss, pi, side), lo, hi, bits) for side, lo, hi in SIDES]
    middle = expected_loss(loss, pi, HALF)
    if not isinstance(middle, Infinity):
        infima.append(Infimum(enclose(middle, bits), HALF))
    best = min(infima, key=lambda least: least.enclosure.hi)
    lower = min(least.enclosure.lo for least in infima)
    return Infimum(Enclosure(lower, best.enclosure.hi), best.argument)


def enclose_bayes_risk(loss: Loss, pi: Exact, bits: int) -> Enclosure:
    """Return the un-normalised Bayes risk, inf over u of the expected loss, from the definition.

    Paper: pbr.
    Requires: 0 <= pi <= 1.
    Ensures: width at most 2^-bits.
    """
    return least_expectation(loss, probability(pi, "pi", "pbr"), bits).enclosure


def enclose_conjugate(loss: Loss, z: Exact, bits: int) -> Enclosure:
    """Return sup over u in [0, 1] of z u + L(u), from the definition.

    Paper: defLOSSGENR, negent.
    Ensures: width at most 2^-bits.
    """
    exact_z = exact(z, "z")

    def negative_objective(side: int, u: Any) -> Any:
        return -(exact_z * u + loss.risk(u, side))

    infima = [infimum(partial(negative_objective, side), lo, hi, bits).enclosure for side, lo, hi in SIDES]
    return Enclosure(-min(one.hi for one in infima), -min(one.lo for one in infima))


def pieces_outside(
    pi: Fraction, reach: Fraction, lo: Fraction, hi: Fraction
) -> Iterator[tuple[Fraction, Fraction]]:
    """Yield the parts of [lo, hi] at distance `reach` or more from pi."""
    if lo < pi - reach:
        yield lo, min(pi - reach, hi)
    if pi + reach < hi:
        yield max(pi + reach, lo), hi
