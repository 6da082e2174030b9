"""Compare answers with exact values within the protocol's tolerances, and explain differences.

The tolerances are those of docs/gate_protocol.md. A complaint has the path, the expected value, the actual
value, and a hint if their ratio is that of a common mistake.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from privboost.gate.protocol.kinds import INFINITIES
from privboost.gate.protocol.operation import Tolerance
from privboost.gate.protocol.wire import WireError, read_finite, read_list, read_number, read_object
from privboost.gate.trees.cases.flags import FLAGS
from privboost.gate.trees.expected.numbers import is_interval, is_number, number_of
from privboost.gate.trees.operations.operations import OPERATIONS
from privboost.printing import format_value
from privboost.reference.exact import Number, enclose

RELATIVE = Fraction(1, 1 << 47)
"""64 ulp."""
SMALLEST = Fraction(1, 1 << 1022)
COMPOSED = Fraction(1, 10**9)
"""Tolerance of results that follow from many numbers, relative to max(1, abs(number))."""
OF_TERMS = Fraction(1, 1 << 40)
"""Tolerance of a margin, relative to the sum of the absolute values of its terms."""
LAW = Fraction(1, 10**9)
LEAST_PROBABILITY = Fraction(1, 10**300)

Slack = Callable[[Fraction], Fraction]

SCALED_OPERATIONS = ("bayes_risk", "partial_loss", "link", "perspective")
"""Operations whose results are proportional to the unit of the logarithm and to the normalisation."""
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
BASES, SIGNS = ("log-base",), ("score-sign", "margin-sign", "symmetry")
FACTORS = ("factor-two", "exchange-two", "normalisation")
"""Flags of mistakes that change a whole number by a factor: of a logarithm, of -1, and others."""


def slack_of(op: str, args: Mapping[str, Any]) -> Slack:
    """Return the tolerance of an operation: a function of the exact number."""
    tolerance = OPERATIONS[op].tolerance
    if tolerance is Tolerance.COMPOSED:
        return lambda exact: COMPOSED * max(Fraction(1), abs(exact))
    if tolerance is Tolerance.TERMS:
        return lambda _: OF_TERMS * _terms(args["model"])
    if tolerance is Tolerance.LAW:
        return lambda exact: LAW * exact if exact > LEAST_PROBABILITY else LAW
    if tolerance is Tolerance.MARGIN:
        z = Fraction(0) if args["z"] in INFINITIES else abs(Fraction(args["z"]))
        return lambda exact: RELATIVE * max(Fraction(1), z, abs(exact))
    return lambda exact: max(RELATIVE * abs(exact), SMALLEST)


def _terms(model: Mapping[str, Any]) -> Fraction:
    """Return a bound on the sum of the absolute values of the terms of a margin."""
    total = Fraction(0)
    for tree in model["trees"]:
        greatest = max(abs(read_finite(value)) for value in tree["values"])
        total += abs(read_finite(tree["beta"])) * greatest
    return total


def grid_of(args: Mapping[str, Any]) -> Fraction | None:
    """Return the grid of the arguments of a request; None if they have none."""
    grid = args.get("parameters", args).get("grid")
    return None if grid is None else Fraction(grid)


def complaint(expected: Any, result: Any, slack: Slack, path: str = "result") -> str:
    """Return a complaint about a result, given the expected value of a vector; empty if it is right."""
    try:
        return readable_complaint(expected, result, slack, path)
    except WireError as error:
        return str(error)


def readable_complaint(
    expected: Any, result: Any, slack: Slack, path: str = "result", grid: Fraction | None = None
) -> str:
    """Return a complaint as `complaint` does, but raise WireError if the result has the wrong shape.

    A complaint about a number that is off by one step of `grid` says so.
    """
    if is_interval(expected):
        return _outside(expected, result, slack, path)
    if is_number(expected):
        return _wrong_number(expected, result, slack, path, grid)
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
    complaints = (readable_complaint(value, entry, slack, inner, grid) for value, entry, inner in parts)
    return next((message for message in complaints if message), "")


def _outside(expected: Mapping[str, Any], result: Any, slack: Slack, path: str) -> str:
    """Return a complaint if a number is outside an interval."""
    value = read_number(result, path)
    lo, hi = _end(expected["lo"]), _end(expected["hi"])
    below = lo - slack(lo) if isinstance(lo, Fraction) else lo
    above = hi + slack(hi) if isinstance(hi, Fraction) else hi
    # Comparisons with nan are false.
    if below <= value <= above:
        return ""
    ends = f"from {format_number(lo)} to {format_number(hi)}"
    return f"{path}: expected any number {ends}, got {format_value(result)}"


def _end(number: str | dict[str, str]) -> Fraction | float:
    if isinstance(number, str) and "infinity" in number:
        return -math.inf if number.startswith("-") else math.inf
    return number_of(number)


def _wrong_number(
    expected: str | dict[str, str], result: Any, slack: Slack, path: str, grid: Fraction | None
) -> str:
    """Return a complaint if a number is not the expected one."""
    value, exact = read_number(result, path), _end(expected)
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
    hint = _grid_hint(Fraction(value) - exact, grid) or _hint(exact, Fraction(value))
    return f"{path}: expected {interval}, got {format_value(result)}{hint}"


def _grid_hint(difference: Fraction, grid: Fraction | None) -> str:
    """Return a hint if a number is off by one step of the grid."""
    if grid is None or abs(abs(difference) - grid) > COMPOSED * grid:
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
        if _is_about(ratio, tell_tale):
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


def _is_about(ratio: float, tell_tale: float) -> bool:
    return abs(ratio - tell_tale) <= 1e-9 * abs(tell_tale)


def float_of(value: Fraction) -> float:
    """Return a number as a float; infinity if it is out of range."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def nearby_fraction(value: Number) -> Fraction:
    """Return an exact number as a fraction: itself if it is rational, else one at most 2^-96 below it."""
    return enclose(value, 96).lo


def format_number(value: Fraction | float) -> str:
    """Return a number as a string: exactly if that is short, else with 17 digits."""
    if isinstance(value, float):
        return format_value(value)
    is_short = value.denominator < 10**6 and abs(value.numerator) < 10**9
    return str(value) if is_short else f"{float_of(value):.17g}"


def plausible_flags(flags: Sequence[str], op: str, expected: Any, result: Any) -> list[str]:
    """Return the flags of the mistakes that could explain a wrong result, those that fit it best first."""
    if not is_number(expected):
        return list(flags)
    exact, value = _end(expected), read_number(result)
    is_finite = isinstance(value, Fraction) or math.isfinite(value)
    has_ratio = isinstance(exact, Fraction) and exact != 0 and is_finite
    ratio = float_of(Fraction(value) / Fraction(exact)) if has_ratio else math.nan
    is_scaled, is_factor = op in SCALED_OPERATIONS, any(_is_about(ratio, factor) for _, factor in RATIOS)
    unfit: set[str] = set()
    if has_ratio and abs(ratio - 1) < NEARLY:
        # The complaint names single precision, or a small term; hints about the whole would mislead.
        if is_single_precision(Fraction(value)):
            return []
        unfit.update(BASES, SIGNS, FACTORS)
    if is_scaled and not any(_is_about(ratio, base) for base in LOGARITHMS):
        unfit.add("log-base")
    if is_scaled and not is_factor:
        unfit.add("normalisation")
    # After an overflow or underflow, a number is not a simple multiple of the right one.
    if is_factor or (is_scaled and abs(ratio) > 0):
        unfit |= {"tiny", "huge", "ulp-near-zero"}
    telling = _telling_flags(ratio)
    return sorted((flag for flag in flags if flag not in unfit), key=lambda flag: flag not in telling)


def _telling_flags(ratio: float) -> tuple[str, ...]:
    """Return the flags of the mistakes that change a number by a factor."""
    if any(_is_about(ratio, base) for base in LOGARITHMS):
        return BASES
    if _is_about(ratio, -1.0):
        return SIGNS
    is_factor = any(_is_about(ratio, factor) for _, factor in RATIOS)
    return FACTORS if is_factor else ()


def hints_of(flags: Sequence[str]) -> str:
    """Return the hints of flags, to be appended to a complaint."""
    hints = "; or ".join(FLAGS[flag] for flag in flags if flag in FLAGS)
    return f". Perhaps: {hints}" if hints else ""
