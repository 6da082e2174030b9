"""Compare answers with the exact values of vectors.

A complaint has the path, the expected value, the actual value, and a hint if their ratio is that of a common
mistake.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from privboost.gate.protocol.operation import Slack
from privboost.gate.protocol.wire import WireError, read_list, read_number, read_object
from privboost.gate.vectors.files import is_interval, is_number, number_of
from privboost.printing import format_value

OFF_BY_ONE = Fraction(1, 10**9)
"""Relative difference from one step of a grid that is taken for one step."""
NEARLY = 0.01
"""Relative difference below which only a small term is assumed to be wrong."""

LOGARITHMS = (math.log(2), 1 / math.log(2))
RATIOS: tuple[tuple[str, float], ...] = (
    ("twice", 2.0),
    ("half of", 0.5),
    ("four times", 4.0),
    ("a quarter of", 0.25),
    ("eight times", 8.0),
    ("an eighth of", 0.125),
    ("minus", -1.0),
    ("log 2 times (a logarithm of the wrong base)", LOGARITHMS[0]),
    ("1 / log 2 times (a logarithm of the wrong base)", LOGARITHMS[1]),
)


def grid_of(args: Mapping[str, Any]) -> Fraction | None:
    """Return the argument `grid` of a request, also within another argument; None if there is none."""
    objects = (args, *(value for value in args.values() if isinstance(value, Mapping)))
    return next((Fraction(each["grid"]) for each in objects if "grid" in each), None)


def complaint(expected: Any, result: Any, slack: Slack, path: str = "result") -> str:
    """Return a complaint about a result, given the expected value of a vector; empty if it is right."""
    try:
        return readable_complaint(expected, result, slack, path)
    except WireError as error:
        return str(error)


def readable_complaint(
    expected: Any,
    result: Any,
    slack: Slack,
    path: str = "result",
    grid: Fraction | None = None,
    *,
    guesses: bool = True,
) -> str:
    """Return a complaint as `complaint` does, but raise WireError if the result has the wrong shape.

    A complaint about a number that is off by one step of `grid` says so. Only `guesses` name other mistakes.
    """
    if is_interval(expected):
        return _outside(expected, result, slack, path)
    if is_number(expected):
        return _wrong_number(expected, result, slack, path, grid, guesses=guesses)
    if isinstance(expected, dict):
        members = read_object(result, path, tuple(expected))
        if unknown := sorted(set(members) - set(expected)):
            return f"{path}: expected no member but {', '.join(expected)}, got {format_value(unknown[0])}"
        parts = [(expected[name], members[name], f"{path}[{name!r}]") for name in expected]
    else:
        entries = read_list(result, path, len(expected))
        parts = [
            (value, entry, f"{path}[{index}]")
            for index, (value, entry) in enumerate(zip(expected, entries, strict=True))
        ]
    complaints = (
        readable_complaint(value, entry, slack, inner, grid, guesses=guesses) for value, entry, inner in parts
    )
    return next((message for message in complaints if message), "")


def _outside(expected: Mapping[str, Any], result: Any, slack: Slack, path: str) -> str:
    """Return a complaint if a number is outside an interval."""
    value = read_number(result, path)
    lo, hi = read_end(expected["lo"]), read_end(expected["hi"])
    below = lo - slack(lo) if isinstance(lo, Fraction) else lo
    above = hi + slack(hi) if isinstance(hi, Fraction) else hi
    # Comparisons with nan are false.
    if below <= value <= above:
        return ""
    ends = f"from {format_number(lo)} to {format_number(hi)}"
    return f"{path}: expected any number {ends}, got {format_value(result)}"


def read_end(number: str | dict[str, str]) -> Fraction | float:
    """Return a number of a vector, which may be infinite."""
    if isinstance(number, str) and "infinity" in number:
        return -math.inf if number.startswith("-") else math.inf
    return number_of(number)


def _wrong_number(
    expected: str | dict[str, str],
    result: Any,
    slack: Slack,
    path: str,
    grid: Fraction | None,
    *,
    guesses: bool,
) -> str:
    """Return a complaint if a number is not the expected one."""
    value, exact = read_number(result, path), read_end(expected)
    if isinstance(exact, float):
        return (
            "" if value == exact else f"{path}: expected {format_value(expected)}, got {format_value(result)}"
        )
    reach = slack(exact)
    if isinstance(value, float) and not math.isfinite(value):
        return f"{path}: expected {format_number(exact)}, got {format_value(result)}"
    if abs(Fraction(value) - exact) <= reach:
        return ""
    lo, hi = format_number(exact - reach), format_number(exact + reach)
    interval = f"{format_number(exact)}, within [{lo}, {hi}]"
    hint = (_grid_hint(Fraction(value) - exact, grid) or _hint(exact, Fraction(value))) if guesses else ""
    return f"{path}: expected {interval}, got {format_value(result)}{hint}"


def _grid_hint(difference: Fraction, grid: Fraction | None) -> str:
    """Return a hint if a number is off by one step of the grid."""
    if grid is None or abs(abs(difference) - grid) > OFF_BY_ONE * grid:
        return ""
    side = "above" if difference > 0 else "below"
    rule = "round down to the grid, negative numbers too: not toward 0, not to the nearest step"
    return f": it is one step of the grid {side} what it should be; {rule}"


def _hint(exact: Fraction, value: Fraction) -> str:
    """Return a hint if the ratio of two numbers is that of a common mistake."""
    if not exact:
        return ""
    ratio = float_of(value / exact)
    for phrase, tell_tale in RATIOS:
        if is_about(ratio, tell_tale):
            return f": it is {phrase} what it should be"
    if abs(ratio - 1) > NEARLY:
        return ""
    if is_single_precision(value):
        return ": it is a number of single precision (float32), which is not accurate enough"
    digits = max(1, math.floor(-math.log10(max(abs(ratio - 1), 1e-16))))
    return f": it is right to about {digits} digits; a small term is wrong, or lost as in log(1 - u) near 0"


def is_single_precision(value: Fraction) -> bool:
    """Return whether a number has 17 to 24 significant bits, as those of 32-bit floats, and is no integer."""
    power_of_two = value.denominator > 1 and not value.denominator & (value.denominator - 1)
    size = abs(value.numerator)
    return power_of_two and size > 0 and 16 < (size // (size & -size)).bit_length() <= 24


def is_about(ratio: float, tell_tale: float) -> bool:
    """Return whether a ratio is that of a mistake, but for rounding."""
    return abs(ratio - tell_tale) <= 1e-9 * abs(tell_tale)


def float_of(value: Fraction) -> float:
    """Return a number as a float; infinity if it is out of range."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def format_number(value: Fraction | float) -> str:
    """Return a number as a string: exactly if that is short, else with 17 digits."""
    if isinstance(value, float):
        return format_value(value)
    is_short = value.denominator < 10**6 and abs(value.numerator) < 10**9
    return str(value) if is_short else f"{float_of(value):.17g}"
