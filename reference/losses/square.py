"""The square loss: half the squared distance; its normalised risk is Gini's 4 u (1 - u)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from privboost.reference.exact import INFINITY, ClosedInterval, Number, point

from .loss import Loss, Weight


def partial_square(y: int, u: Any, side: int) -> Any:
    """Return (1 - u)^2 / 2 for label 1 and u^2 / 2 for label -1.

    Paper: sec:def (losses).
    """
    del side
    return (1 - u) * (1 - u) / 2 if y == 1 else u * u / 2


def _risk(u: Any, side: int) -> Any:
    """Return 4 u (1 - u)."""
    del side
    return 4 * u * (1 - u)


def _link(u: Number) -> ClosedInterval:
    """Return 8 u - 4, extended to infinity at the ends of [0, 1]."""
    slope = 8 * u - 4
    return ClosedInterval(-INFINITY if u == 0 else slope, INFINITY if u == 1 else slope)


def _inverse_link(z: Number) -> ClosedInterval:
    """Return (z + 4) / 8 clipped to [0, 1]."""
    return point(min(max((z + 4) / 8, Fraction(0)), Fraction(1)))


def _conjugate(z: Number) -> Number:
    """Return 0 below -4, (z + 4)^2 / 16 up to 4, z above."""
    if z <= -4:
        return Fraction(0)
    return z if z >= 4 else (z + 4) * (z + 4) / 16


def _curvature(z: Number) -> ClosedInterval:
    """Return 1/8 inside (-4, 4), 0 outside, both at the ends."""
    size = abs(z)
    inside = Fraction(1, 8) if size <= 4 else Fraction(0)
    return ClosedInterval(Fraction(0) if size >= 4 else inside, inside)


def _density(u: Number) -> Number:
    """Return 8, as a constant function."""
    return 0 * u + 8


SQUARE = Loss(
    name="square",
    label="sec:def",
    partial=partial_square,
    normaliser=Fraction(8),
    risk=_risk,
    link=_link,
    inverse_link=_inverse_link,
    conjugate=_conjugate,
    curvature=_curvature,
    weight=Weight(density=_density, atoms=()),
)
