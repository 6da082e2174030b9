"""The log loss; its normalised risk is the entropy in bits, and its surrogate the logistic loss."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from privboost.errors import PreconditionError
from privboost.reference.exact import INFINITY, ClosedInterval, Extended, Number, exp, log, point
from privboost.reference.exact.jets import x_log_x
from privboost.reference.exact.real import real

from .loss import Loss, Weight

# These two are nodes as `log(2)` and `1 / log(2)` make them, without the evaluation that division needs.
LOG_TWO = real("log", argument=Fraction(2))
_NORMALISER = real("product", powers=((LOG_TWO, -1),))
GREATEST = 1 << 16
"""Greatest absolute value of a prediction."""


def partial_log(y: int, u: Any, side: int) -> Any:
    """Return -log u for label 1 and -log(1 - u) for label -1; infinite where the label had probability 0.

    Paper: sec:def (losses).
    """
    del side
    given = u if y == 1 else 1 - u
    # Erratum range-extended: the paper's codomain is the reals, but -log 0 is infinite.
    return INFINITY if isinstance(given, Fraction) and not given else -log(given)


def _risk(u: Any, side: int) -> Any:
    """Return -(u log u + (1 - u) log(1 - u)) / log 2, with 0 log 0 = 0."""
    del side
    return -(x_log_x(u) + x_log_x(1 - u)) / LOG_TWO


def _link(u: Number) -> ClosedInterval:
    """Return log(u / (1 - u)) / log 2, infinite at the ends of [0, 1]."""
    if u in (0, 1):
        return point(INFINITY if u else -INFINITY)
    return point((log(u) - log(1 - u)) / LOG_TWO)


def _inverse_link(z: Number) -> ClosedInterval:
    """Return 1 / (1 + 2^-z)."""
    return point(1 / (1 + _power_of_two(-z)))


def _conjugate(z: Number) -> Number:
    """Return log(1 + 2^z) / log 2."""
    return log(1 + _power_of_two(z)) / LOG_TWO


def _curvature(z: Number) -> ClosedInterval:
    """Return log 2 * u (1 - u) at u = 1 / (1 + 2^-z)."""
    u = 1 / (1 + _power_of_two(-z))
    return point(LOG_TWO * u * (1 - u))


def _power_of_two(z: Number) -> Number:
    """Return 2^z, a Fraction at integers.

    Requires: |z| <= GREATEST, because the exact result has |z| bits.
    """
    if abs(z) > GREATEST:
        raise PreconditionError("log loss", f"a prediction from {-GREATEST} to {GREATEST}", z)
    if isinstance(z, Fraction) and z.denominator == 1:
        return Fraction(2) ** z.numerator
    return exp(z * LOG_TWO)


def _density(u: Number) -> Extended:
    """Return 1 / (u (1 - u) log 2)."""
    spread = u * (1 - u)
    return 1 / (spread * LOG_TWO) if spread else INFINITY


LOG = Loss(
    name="log",
    label="sec:def",
    partial=partial_log,
    normaliser=_NORMALISER,
    risk=_risk,
    link=_link,
    inverse_link=_inverse_link,
    conjugate=_conjugate,
    curvature=_curvature,
    weight=Weight(density=_density, atoms=()),
)
