"""Ranges: certified bounds of a formula over a whole box of arguments.

A formula such as sqrt((1 - u) / u) is written once and evaluated on exact numbers, on a `Range` and on a
`Jet` of either, because all of them support + - * / sqrt and log.

Rounding direction: lower ends down, upper ends up (see `fixed`). None stands for an infinite end.
Operations never fail: where no bound is known the result is the whole line.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from . import fixed
from .evaluation import bounds_of
from .real import operand


@dataclass(frozen=True, slots=True)
class Range:
    """The interval [lo / 2^precision, hi / 2^precision], where None stands for an infinite end."""

    lo: int | None
    hi: int | None
    precision: int

    def __add__(self, other: object) -> Range:
        that = self._lift(other)
        return Range(_plus(self.lo, that.lo), _plus(self.hi, that.hi), self.precision)

    __radd__ = __add__

    def __neg__(self) -> Range:
        return Range(_minus(self.hi), _minus(self.lo), self.precision)

    def __sub__(self, other: object) -> Range:
        return self + -self._lift(other)

    def __rsub__(self, other: object) -> Range:
        return self._lift(other) + -self

    def __mul__(self, other: object) -> Range:
        """Return the product, with 0 * infinity = 0 for an exact 0, as in an expectation."""
        that = self._lift(other)
        if self.is_zero or that.is_zero:
            return Range(0, 0, self.precision)
        if self.lo is None or self.hi is None or that.lo is None or that.hi is None:
            return _unbounded_product(self, that)
        bounds = fixed.multiply((self.lo, self.hi), (that.lo, that.hi), self.precision)
        return Range(*bounds, self.precision)

    __rmul__ = __mul__

    def __truediv__(self, other: object) -> Range:
        return self * self._lift(other).reciprocal()

    def __rtruediv__(self, other: object) -> Range:
        return self._lift(other) * self.reciprocal()

    def reciprocal(self) -> Range:
        """Return 1 / x: unbounded on one side if an end is 0, the whole line if 0 is inside."""
        one = 1 << 2 * self.precision
        if self.lo is not None and self.lo >= 0 and self.hi != 0:
            below = 0 if self.hi is None else one // self.hi
            return Range(below, fixed.ceil_div(one, self.lo) if self.lo else None, self.precision)
        if self.hi is not None and self.hi <= 0 and self.lo != 0:
            return -(-self).reciprocal()
        return Range(None, None, self.precision)

    def exact_sqrt(self) -> Range:
        """Return the square roots of the non-negative part."""
        lo, hi = fixed.root((self.lo or 0, self.hi or 0), self.precision)
        return Range(lo, None if self.hi is None else hi, self.precision)

    def exact_log(self) -> Range:
        """Return the logarithms of the positive part."""
        below = fixed.logarithm((self.lo, self.lo), self.precision) if self.lo is not None else None
        above = fixed.logarithm((self.hi, self.hi), self.precision) if self.hi is not None else None
        return Range(below[0] if below else None, above[1] if above else None, self.precision)

    def x_log_x(self) -> Range:
        """Return x log x, which decreases up to 1/e, increases after it, and is at least -2/5.

        Requires: 0 <= lo and hi is finite.
        """
        assert self.lo is not None
        assert self.hi is not None
        ends = [self._x_log_x_at(end) for end in (self.lo, self.hi)]
        one = 1 << self.precision
        falling, rising = 100 * self.hi <= 36 * one, 100 * self.lo >= 37 * one
        around = max(-2 * one // 5, (self * self.exact_log()).lo or -one) if self.lo else -2 * one // 5
        lo = ends[1][0] if falling else ends[0][0] if rising else around
        return Range(lo, max(end[1] for end in ends), self.precision)

    def _x_log_x_at(self, value: int) -> fixed.Bounds:
        """Return bounds of x log x at one end; the value at 0 is 0."""
        logarithm = fixed.logarithm((value, value), self.precision)
        return fixed.multiply((value, value), logarithm, self.precision) if logarithm else (0, 0)

    @property
    def is_zero(self) -> bool:
        """Return whether the range is [0, 0]."""
        return self.lo == 0 == self.hi

    def at_least(self, bound: int) -> bool:
        """Return whether every value is at least bound / 2^precision."""
        return self.lo is not None and self.lo >= bound

    def at_most(self, bound: int) -> bool:
        """Return whether every value is at most bound / 2^precision."""
        return self.hi is not None and self.hi <= bound

    def _lift(self, other: object) -> Range:
        """Return a constant as a range of the same precision."""
        if isinstance(other, Range):
            return other
        number = operand(other)
        if number is None:
            raise TypeError(f"a Range does not combine with {type(other).__name__}")
        return Range(*bounds_of(number, self.precision), self.precision)


def box(lo: Fraction, hi: Fraction, precision: int) -> Range:
    """Return the range from lo to hi."""
    return Range(fixed.of_fraction(lo, precision)[0], fixed.of_fraction(hi, precision)[1], precision)


def _unbounded_product(first: Range, second: Range) -> Range:
    """Return a product with an infinite end, from the signs of the factors; else the whole line."""
    for a, b in ((first, second), (second, first)):
        if a.at_least(0):
            return _product_by_positive(a, b)
        if a.at_most(0):
            return -_product_by_positive(-a, b)
    return Range(None, None, first.precision)


def _product_by_positive(a: Range, b: Range) -> Range:
    """Return a * b for a >= 0, from the end of `a` that matters at each end of `b`."""
    low_end, high_end = (a.lo if b.at_least(0) else a.hi), (a.lo if b.at_most(0) else a.hi)
    lo = None if b.lo is None or low_end is None else b.lo * low_end >> a.precision
    hi = None if b.hi is None or high_end is None else fixed.ceil_shift(b.hi * high_end, a.precision)
    return Range(lo, hi, a.precision)


def _plus(first: int | None, second: int | None) -> int | None:
    """Return the sum of two ends on the same side."""
    return None if first is None or second is None else first + second


def _minus(end: int | None) -> int | None:
    """Return the negated end."""
    return None if end is None else -end
