"""Compare enclosures of the reference with Arb at a much higher precision."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from flint import arb, ctx, fmpz

from privboost.errors import Undecided
from privboost.oracle_tests.support.expressions import Bounds, Tree, dyadic, evaluate_arb
from privboost.reference.exact import Enclosure

# A ball of positive radius is never inside a point, so rational values are compared with this tolerance,
# which is far smaller than any rounding error.
GUARD_BITS = 1000


def true_value(tree: Tree, bits: int) -> Bounds:
    """Return bounds by Arb on the value of a tree, with a width of at most 2**-bits."""
    precision = bits + 64
    while True:
        bounds = evaluate_arb(tree, precision)
        if bounds and bounds.hi - bounds.lo <= Fraction(1, 2**bits):
            return bounds
        precision *= 2


def check_contains(enclosure: Enclosure, tree: Tree, bits: int) -> bool:
    """Return whether an enclosure of width 2**-bits contains the high-precision value of a tree."""
    slack = Fraction(1, 2 ** (bits + GUARD_BITS))
    truth = true_value(tree, bits + GUARD_BITS + 1)
    return enclosure.lo - slack <= truth.lo and truth.hi <= enclosure.hi + slack


def check_overlaps(enclosure: Enclosure, bounds: Bounds) -> bool:
    """Return whether an enclosure and independent bounds of the same number share a point."""
    return enclosure.lo <= bounds.hi and bounds.lo <= enclosure.hi


def check_inside(inner: Enclosure, outer: Enclosure) -> bool:
    """Return whether one enclosure lies inside another."""
    return outer.lo <= inner.lo and inner.hi <= outer.hi


def check_width(enclosure: Enclosure, bits: int) -> bool:
    """Return whether an enclosure is ordered and at most 2**-bits wide."""
    return 0 <= enclosure.hi - enclosure.lo <= Fraction(1, 2**bits)


def answer(question: Callable[[], bool]) -> bool | None:
    """Return the answer to a question about reals, or None if it is undecided."""
    try:
        return question()
    except Undecided:
        return None


def image(function: Callable[[arb], arb], value: int, precision: int) -> tuple[Fraction, Fraction]:
    """Return bounds of function(value / 2^precision) * 2^precision from Arb, much narrower than a unit."""
    before, ctx.prec = ctx.prec, 4 * precision + 2 * abs(value).bit_length() + 2000
    try:
        ball = function(arb(fmpz(value)) / arb(2) ** precision) * arb(2) ** precision
        return dyadic(ball.mid()) - dyadic(ball.rad()), dyadic(ball.mid()) + dyadic(ball.rad())
    finally:
        ctx.prec = before
