"""Evaluate one node of an expression: its bounds from the bounds of its children."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Final

from privboost.errors import Undecided

from . import fixed, special

if TYPE_CHECKING:
    from .real import Exact, Real

LIMIT_BITS: Final = 1 << 14
"""Extra bits of working precision after which refinement gives up."""


EXPONENT_LIMIT: Final = 1 << 17
"""Greatest k for which exponentials near 2^k are evaluated; their integer part alone has k bits."""


class CoarseError(Exception):
    """Raised when a working precision does not separate an argument from a singularity."""


def bounds_of(value: Exact, precision: int) -> fixed.Bounds:
    """Return certified fixed-point bounds of any exact number, by one evaluation."""
    if isinstance(value, (int, Fraction)):
        return fixed.of_fraction(Fraction(value), precision)
    return value.bounds(precision)


def evaluate(node: Real, precision: int) -> fixed.Bounds:
    """Return bounds of a node whose children have been evaluated at this precision."""
    if node.operation == "product":
        return _evaluate_product(node, precision)
    if node.operation in ("sum", "constant"):
        lo, hi = bounds_of(node.constant, precision)
        for child, coefficient in node.pairs:
            below, above = fixed.scale(coefficient, child.bounds(precision))
            lo, hi = lo + below, hi + above
        return lo, hi
    argument = bounds_of(node.argument, precision)
    if node.operation == "sqrt":
        return fixed.root(argument, precision)
    if node.operation == "erfc":
        return special.erfc(argument, precision)
    if node.operation == "theta":
        return _require_bounds(special.theta(argument, precision))
    if node.operation == "exp":
        if fixed.exponent_of_two(argument[0], precision) > EXPONENT_LIMIT:
            raise Undecided(f"{node}, which exceeds 2^{EXPONENT_LIMIT}", LIMIT_BITS)
        if fixed.exponent_of_two(argument[1], precision) > EXPONENT_LIMIT:
            raise CoarseError
        return fixed.exponential(argument, precision)
    return _require_bounds(fixed.logarithm(argument, precision))


def _evaluate_product(node: Real, precision: int) -> fixed.Bounds:
    """Return bounds of a product of powers."""
    result = (1 << precision, 1 << precision)
    for child, power in node.powers:
        base = child.bounds(precision)
        if power < 0:
            base = _require_bounds(fixed.invert(base, precision))
        result = fixed.multiply(result, fixed.power(base, abs(power), precision), precision)
    return result


def _require_bounds(bounds: fixed.Bounds | None) -> fixed.Bounds:
    """Return the bounds, or raise CoarseError if there are none."""
    if bounds is None:
        raise CoarseError
    return bounds
