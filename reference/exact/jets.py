"""Jets: a formula's value, slope and curvature together, over exact numbers or over ranges.

A jet over numbers gives exact derivatives at a point. A jet over ranges gives bounds of the derivatives
over a box.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from .functions import exact, log, sqrt

ZERO = Fraction(0)


@dataclass(frozen=True, slots=True)
class Jet:
    """Value, slope and curvature: three exact numbers or three ranges."""

    value: Any
    slope: Any
    curvature: Any

    def __add__(self, other: object) -> Jet:
        that = _lift(other)
        return Jet(self.value + that.value, self.slope + that.slope, self.curvature + that.curvature)

    __radd__ = __add__

    def __neg__(self) -> Jet:
        return Jet(-self.value, -self.slope, -self.curvature)

    def __sub__(self, other: object) -> Jet:
        return self + -_lift(other)

    def __rsub__(self, other: object) -> Jet:
        return _lift(other) + -self

    def __mul__(self, other: object) -> Jet:
        if not isinstance(other, Jet):
            return Jet(self.value * other, self.slope * other, self.curvature * other)
        return Jet(
            self.value * other.value,
            self.slope * other.value + self.value * other.slope,
            self.curvature * other.value + 2 * self.slope * other.slope + self.value * other.curvature,
        )

    __rmul__ = __mul__

    def __truediv__(self, other: object) -> Jet:
        return self * (other.reciprocal() if isinstance(other, Jet) else 1 / exact(other, "divisor"))

    def __rtruediv__(self, other: object) -> Jet:
        return self.reciprocal() * other

    def reciprocal(self) -> Jet:
        """Return 1 / f: slope -f' / f^2, curvature 2 f'^2 / f^3 - f'' / f^2."""
        inverse = 1 / self.value
        square = inverse * inverse
        return Jet(
            inverse,
            -self.slope * square,
            2 * self.slope * self.slope * square * inverse - self.curvature * square,
        )

    def exact_sqrt(self) -> Jet:
        """Return the square root: slope f' / (2 sqrt f), curvature (f'' - 2 slope^2) / (2 sqrt f)."""
        root = sqrt(self.value)
        slope = self.slope / (2 * root)
        return Jet(root, slope, (self.curvature - 2 * slope * slope) / (2 * root))

    def exact_log(self) -> Jet:
        """Return log f: slope f' / f, curvature f'' / f - slope^2."""
        slope = self.slope / self.value
        return Jet(log(self.value), slope, self.curvature / self.value - slope * slope)

    def x_log_x(self) -> Jet:
        """Return f log f: slope f' (log f + 1), curvature f'' (log f + 1) + f'^2 / f."""
        rate = log(self.value) + 1
        return Jet(
            x_log_x(self.value),
            self.slope * rate,
            self.curvature * rate + self.slope * self.slope / self.value,
        )


def variable(value: Any) -> Jet:
    """Return the jet of the identity at a number or over a box."""
    is_box = hasattr(value, "reciprocal")
    return Jet(value, value * 0 + 1, value * 0) if is_box else Jet(value, Fraction(1), ZERO)


def x_log_x(value: Any) -> Any:
    """Return x log x of a number, a range or a jet, and 0 at 0."""
    if hasattr(value, "x_log_x"):
        return value.x_log_x()
    return value * log(value) if value else ZERO


def _lift(other: object) -> Jet:
    """Return a constant as a jet."""
    return other if isinstance(other, Jet) else Jet(other, ZERO, ZERO)
