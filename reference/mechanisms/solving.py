"""Solve equations in one unknown by bisection, with exact comparisons."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from privboost.errors import Undecided
from privboost.reference.exact import Enclosure

REACH = 256
"""Powers of two tried on each side of 1 before a solution is given up."""


def enclose_root(is_below: Callable[[Fraction], bool], bits: int) -> Enclosure:
    """Return an enclosure of the number r > 0 with is_below(x) for x < r and not for x > r.

    Ensures: the width is at most 2^-bits times the lower end.
    """
    exponent = 0
    direction = 1 if is_below(Fraction(1)) else -1
    while is_below(Fraction(2) ** (exponent + direction)) == (direction > 0):
        exponent += direction
        if abs(exponent) > REACH:
            raise Undecided(f"a solution between 2^-{REACH} and 2^{REACH}", REACH)
    lo, hi = sorted((Fraction(2) ** exponent, Fraction(2) ** (exponent + direction)))
    while hi - lo > lo / 2**bits:
        middle = (lo + hi) / 2
        lo, hi = (middle, hi) if is_below(middle) else (lo, middle)
    return Enclosure(lo, hi)
