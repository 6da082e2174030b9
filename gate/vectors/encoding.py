"""Exact numbers as JSON for the test vectors.

A number has `decimal`, correctly rounded to 40 significant digits. It also has `exact` if it is rational or a
sum of rational multiples of square roots, and short. Decimals of a lazy real depend on its value alone.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from privboost.errors import Undecided
from privboost.reference.exact import (
    ClosedInterval,
    Extended,
    Infinity,
    Number,
    Real,
    decimal,
    enclose,
    exact,
)

DIGITS = 40
LONGEST_EXACT = 90
"""Maximum length of an exact number."""
SMALLEST_EXPONENT, GREATEST_EXPONENT = -6, 20
"""Range of exponents in which decimals are written without an exponent."""
LEAST_BITS = 1 << 16


def encode_value(value: Any) -> Any:
    """Return an exact value as JSON, within lists and objects."""
    if isinstance(value, dict):
        return {name: encode_value(entry) for name, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [encode_value(entry) for entry in value]
    if isinstance(value, ClosedInterval):
        if value.lo == value.hi:
            return encode_number(value.lo)
        return {"lo": encode_number(value.lo), "hi": encode_number(value.hi)}
    return value if isinstance(value, str) else encode_number(value)


def encode_number(value: Extended | int) -> str | dict[str, str]:
    """Return a number as JSON that depends on its value alone; an infinity as its name."""
    if isinstance(value, Infinity):
        return str(value)
    number = exact(value)
    digits = {"decimal": format_significant(number)}
    if isinstance(number, Real):
        return digits
    string = str(number)
    return {"exact": string} | digits if len(string) <= LONGEST_EXACT else digits


def format_significant(value: Number, digits: int = DIGITS) -> str:
    """Return a decimal string of `digits` significant digits, rounded half to even and certified."""
    if isinstance(value, Fraction) and not value:
        return "0"
    exponent = _exponent(value)
    mantissa = decimal(value / Fraction(10) ** exponent, digits - 1)
    if len(mantissa.lstrip("-").partition(".")[0]) > 1:
        # Rounded up to a power of ten.
        exponent += 1
        mantissa = decimal(value / Fraction(10) ** exponent, digits - 1)
    short = mantissa.rstrip("0").rstrip(".")
    if SMALLEST_EXPONENT <= exponent <= GREATEST_EXPONENT:
        return (
            decimal(Fraction(short) * Fraction(10) ** exponent, max(0, digits - 1 - exponent))
            .rstrip("0")
            .rstrip(".")
        )
    return f"{short}e{exponent}"


def _exponent(value: Number) -> int:
    """Return the e for which 10^e <= |value| < 10^(e + 1), or e - 1 or e + 1 if it is too close to decide."""
    bits = 64
    while bits <= LEAST_BITS:
        interval = enclose(value, bits)
        lo, hi = sorted((abs(interval.lo), abs(interval.hi)))
        if interval.lo * interval.hi > 0 and hi <= lo * (1 + Fraction(1, 1 << 32)):
            exponent = (lo.numerator.bit_length() - lo.denominator.bit_length()) * 30103 // 100000 - 1
            while lo >= Fraction(10) ** (exponent + 1):
                exponent += 1
            return exponent
        bits *= 2
    raise Undecided(f"the size of {value}", LEAST_BITS)
