"""The closed forms of a loss, as functions that check their exact arguments.

Notation: y, u, pi, z, L as in `loss`. All risks are normalised except `partial_loss` and `expected_loss`.
"""

from __future__ import annotations

from enum import Enum
from fractions import Fraction

from privboost.reference.exact import (
    INFINITY,
    ClosedInterval,
    Exact,
    Extended,
    Infinity,
    Number,
    exact,
    point,
)

from .loss import Loss, Weight, check_label, prediction, probability, side_of, weigh


class Selection(Enum):
    """The choice of an element of a subdifferential with more than one.

    Paper: predDT (any selection).
    """

    LEAST = "least"
    """The element of least absolute value: 0 at the kink of a symmetric risk."""
    LOWER = "lower"
    UPPER = "upper"


def partial_loss(loss: Loss, y: int, u: Exact) -> Extended:
    """Return the partial loss of label y at prediction u, un-normalised.

    Paper: eqpartialloss.
    Requires: y in {-1, 1}, 0 <= u <= 1.
    """
    exact_u = probability(u, "u", "eqpartialloss")
    value: Extended = loss.partial(check_label(y), exact_u, side_of(exact_u))
    return value


def expected_loss(loss: Loss, pi: Exact, u: Exact) -> Extended:
    """Return pi * partial(1, u) + (1 - pi) * partial(-1, u), with 0 * infinity = 0.

    Paper: pbr.
    Requires: 0 <= pi <= 1, 0 <= u <= 1.
    """
    share = probability(pi, "pi", "pbr")
    value: Extended = weigh(share, partial_loss(loss, 1, u)) + weigh(1 - share, partial_loss(loss, -1, u))
    return value


def bayes_risk(loss: Loss, u: Exact) -> Number:
    """Return the normalised Bayes risk L(u) in closed form.

    Paper: pbr, defMatsualpha.
    Requires: 0 <= u <= 1.
    Ensures: L(1/2) = 1, L(0) = L(1) = 0.
    """
    exact_u = probability(u, "u", "pbr")
    value: Number = loss.risk(exact_u, side_of(exact_u))
    return value


def link(loss: Loss, u: Exact) -> ClosedInterval:
    """Return the canonical link: the whole subdifferential of -L at u, infinite ends included.

    Paper: predDT, f-alphaM.
    Requires: 0 <= u <= 1.
    """
    return loss.link(probability(u, "u", "predDT"))


def select(interval: ClosedInterval, selection: Selection = Selection.LEAST) -> Extended:
    """Return one element of a subdifferential.

    Paper: predDT (any selection).
    """
    if selection is Selection.LOWER or interval.lo > 0:
        return interval.lo
    if selection is Selection.UPPER or interval.hi < 0:
        return interval.hi
    return Fraction(0)


def inverse_link(loss: Loss, z: Exact | Infinity) -> ClosedInterval:
    """Return the inverse link: all u whose subdifferential contains z.

    Paper: f-alphaM.
    Ensures: z in link(u) if and only if u in inverse_link(z).
    """
    exact_z = prediction(z)
    if isinstance(exact_z, Infinity):
        return point(Fraction(1 if exact_z > 0 else 0))
    return loss.inverse_link(exact_z)


def conjugate(loss: Loss, z: Exact | Infinity) -> Extended:
    """Return (-L)*(z) = sup over u in [0, 1] of z u + L(u), in closed form.

    Paper: defLOSSGENR, negent.
    """
    exact_z = prediction(z)
    if isinstance(exact_z, Infinity):
        return INFINITY if exact_z > 0 else Fraction(0)
    return loss.conjugate(exact_z)


def surrogate(loss: Loss, z: Exact | Infinity) -> Extended:
    """Return the convex surrogate (-L)*(-z) at margin z.

    Paper: defLOSSGENR, propCSUR.
    """
    return conjugate(loss, -prediction(z))


def surrogate_slope(loss: Loss, z: Exact | Infinity) -> ClosedInterval:
    """Return the subdifferential of the surrogate, minus the inverse link at -z.

    Paper: propCSUR.
    """
    return -inverse_link(loss, -prediction(z))


def surrogate_curvature(loss: Loss, z: Exact) -> ClosedInterval:
    """Return the second derivative of the surrogate; at a jump, the interval between its two limits.

    Paper: f-der2.
    """
    return loss.curvature(-exact(z, "z"))


def weight(loss: Loss) -> Weight:
    """Return the weight function -L'' with its point masses.

    Paper: theoremalpha (proof).
    """
    return loss.weight


def perspective(loss: Loss, u: Exact, v: Exact) -> Extended:
    """Return v L(u / v), and the concave conventions elsewhere: 0 at (0, 0), -infinity outside 0 <= u <= v.

    Paper: defpt, defPF.
    """
    above, below = exact(u, "u"), exact(v, "v")
    if below < 0 or not 0 <= above <= below:
        return -INFINITY
    return below * bayes_risk(loss, above / below) if below else Fraction(0)
