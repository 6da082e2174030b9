"""Format numbers for sentences: bounds, probabilities and counts, each rounded in a safe direction."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from fractions import Fraction

LARGEST_SHOWN, LONGEST_RATIO = 10**20, 10**4
"""Integers up to this size, and ratios with denominators up to this one, are printed in full."""


def format_number(value: float) -> str:
    """Return a number with four significant digits, rounded to nearest."""
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    return f"{value:.4g}"


def round_up(value: float) -> str:
    """Return a number rounded up to four significant digits.

    Requires: value is finite.
    """
    return _round(value, ROUND_CEILING)


def round_down(value: float) -> str:
    """Return a number rounded down to four significant digits.

    Requires: value is finite.
    """
    return _round(value, ROUND_FLOOR)


def _round(value: float, direction: str) -> str:
    written = Decimal(repr(value))
    step = Decimal(1).scaleb(written.adjusted() - 3)
    return f"{float((written / step).to_integral_value(direction) * step):.4g}"


def format_exactly(value: float) -> str:
    """Return a number with up to ten significant digits."""
    return f"{value:.10g}" if math.isfinite(value) else format_number(value)


def format_fraction(value: Fraction) -> str:
    """Return a fraction as an integer, a decimal or a ratio if that is short, else as a decimal near it."""
    if value.denominator == 1 and abs(value) < LARGEST_SHOWN:
        return f"{value.numerator:,}"
    try:
        nearest = float(value)
    except OverflowError:
        return f"{'−' if value < 0 else ''}more than 1e308"
    if Fraction(repr(nearest)) == value:
        return repr(nearest)
    return str(value) if value.denominator <= LONGEST_RATIO else f"{nearest:.17g}"


def floor_to_decimals(bound: float, decimals: int = 3) -> str:
    """Return a lower bound with some decimals, rounded down and never below 0."""
    if not math.isfinite(bound):
        return format_number(bound)
    step = Decimal(1).scaleb(-decimals)
    return f"{float(Decimal(repr(max(bound, 0.0))).quantize(step, ROUND_FLOOR)):.10g}"


def format_bound(bound: float, claimed: float) -> str:
    """Return a lower bound as "> b": every epsilon up to b is refuted, b included.

    A bound equal to the claim is printed with the same digits as the claim, and one just above it with six
    decimals, so that the difference shows.
    """
    if bound <= 0:
        return "≥ 0"
    decimals = 6 if claimed < bound < claimed + 0.001 else 3
    return f"> {format_exactly(bound) if bound == claimed else floor_to_decimals(bound, decimals)}"


def format_percent(share: float) -> str:
    """Return a share of 1 in percent, with up to four significant digits."""
    return f"{float(f'{100 * share:.4g}'):.10g} %"


def count_with_noun(count: int, noun: str) -> str:
    """Return a count and a noun, in the plural unless the count is 1."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
