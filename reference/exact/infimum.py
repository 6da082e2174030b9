"""The infimum of a smooth formula over an interval, enclosed by branch and bound.

A box is closed in one of three cases. Its values are no better than the best known value. Or the formula
is monotone on the box, so the least value is at an end. Or the formula is convex on the box: bisection on
the sign of the slope then finds the least value, and f(u) >= f(c) + f'(c) (u - c) certifies it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from privboost.errors import Undecided

from .functions import Enclosure
from .jets import Jet, variable
from .ranges import Range, box

Formula = Callable[[Jet], Jet]

BOX_LIMIT = 4_000
"""Number of boxes after which the search gives up."""


@dataclass(frozen=True, slots=True)
class Infimum:
    """A certified enclosure of an infimum, and the argument of the least value evaluated."""

    enclosure: Enclosure
    argument: Fraction


@dataclass(slots=True)
class _Search:
    """State of one search; values are in units of 2^-precision."""

    formula: Formula
    precision: int
    tolerance: int
    lower: int | None
    best: int | None
    argument: Fraction

    def at(self, point: Fraction) -> Jet:
        """Return the jet at a point, and keep the point if its value is the best so far."""
        jet = self.over(point, point)
        if jet.value.hi is not None and (self.best is None or jet.value.hi < self.best):
            self.best, self.argument = jet.value.hi, point
        return jet

    def over(self, lo: Fraction, hi: Fraction) -> Jet:
        """Return the jet over a box."""
        return self.formula(variable(box(lo, hi, self.precision)))

    def close(self, lower: int) -> None:
        """Record that no value in a finished box is below `lower`."""
        self.lower = lower if self.lower is None else min(self.lower, lower)

    def close_if_no_better(self, lower: int | None) -> bool:
        """Close a box that cannot improve on the best value by more than the tolerance; return whether."""
        if lower is None or self.best is None or lower < self.best - self.tolerance:
            return False
        self.close(lower)
        return True


def infimum(formula: Formula, lo: Fraction, hi: Fraction, bits: int) -> Infimum:
    """Return the infimum of a continuous formula over [lo, hi], enclosed to width 2^-bits.

    Requires: lo <= hi; the formula is a composition of + - * / sqrt log, twice differentiable inside.
    """
    precision = 2 * bits + 64
    search = _Search(formula, precision, 1 << precision - bits - 1, None, None, lo)
    search.at(lo)
    search.at(hi)
    boxes = [(lo, hi)]
    for _ in range(BOX_LIMIT):
        if not boxes:
            break
        boxes += _examine(search, *boxes.pop())
    if boxes or search.lower is None or search.best is None:
        raise Undecided(f"an infimum over [{lo}, {hi}] within {BOX_LIMIT} boxes", precision)
    unit = Fraction(1, 1 << precision)
    return Infimum(Enclosure(min(search.lower, search.best) * unit, search.best * unit), search.argument)


def _examine(search: _Search, lo: Fraction, hi: Fraction) -> list[tuple[Fraction, Fraction]]:
    """Close a box, or return its two halves."""
    jet = search.over(lo, hi)
    if search.close_if_no_better(jet.value.lo):
        return []
    if jet.slope.at_least(0) or jet.slope.at_most(0):
        end = search.at(lo if jet.slope.at_least(0) else hi).value
        if end.lo is not None:
            search.close(end.lo)
            return []
    if jet.curvature.at_least(0) and _close_convex(search, lo, hi):
        return []
    middle = (lo + hi) / 2
    search.at(middle)
    return [(lo, middle), (middle, hi)]


def _close_convex(search: _Search, lo: Fraction, hi: Fraction) -> bool:
    """Close a box on which the formula is convex; return False if the precision does not suffice."""
    while True:
        middle, reach = (lo + hi) / 2, (hi - lo) / 2
        jet = search.at(middle)
        if jet.value.lo is None or jet.slope.lo is None or jet.slope.hi is None:
            return False
        steepest = max(abs(jet.slope.lo), abs(jet.slope.hi))
        lower = jet.value.lo - -(-steepest * reach.numerator // reach.denominator)
        if search.close_if_no_better(lower):
            return True
        if jet.slope.lo <= 0 <= jet.slope.hi:
            return False
        lo, hi = _narrow(search, lo, hi, jet.slope)


def _narrow(search: _Search, lo: Fraction, hi: Fraction, slope: Range) -> tuple[Fraction, Fraction]:
    """Return a part of a convex box that contains its least value.

    It is the lower half for a positive slope at the middle, the upper half for a negative one, cut by a
    Newton step from the middle with the least and greatest curvature of the box.
    """
    middle = (lo + hi) / 2
    step = box(middle, middle, search.precision) - slope / search.over(lo, hi).curvature
    lo, hi = (lo, middle) if slope.at_least(0) else (middle, hi)
    unit = Fraction(1, 1 << search.precision)
    if step.lo is not None and step.lo * unit > lo:
        lo = min(step.lo * unit, hi)
    if step.hi is not None and step.hi * unit < hi:
        hi = max(step.hi * unit, lo)
    return lo, hi
