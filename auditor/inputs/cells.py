"""Hostile values of single cells, by class, and the classes of a cell."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from .kinds import INT64, CellKind, Choice, Day, Double, Drawn, Integer, Text, Union, ValueKind, scalars_of

WIDTHS = (31, 63, 53, 24, 15, 7, 32, 64, 16, 8)
"""Exponents of the powers of two at which integers, or exact doubles, have a limit."""
INTEGER_LIMITS = tuple(
    dict.fromkeys(
        sign * 2**width + step
        for width in WIDTHS
        for sign, steps in ((1, (-1, 0, 1)), (-1, (0, -1, 1)))
        for step in steps
    )
)
LARGEST = sys.float_info.max
MAGNITUDES = (
    *(1e300, -1e300, LARGEST, -LARGEST, 1e16, 1e-300, 1e-17, 1e20, 1e154, 1e155, -1e16, 1e-9, 1e9),
    *(3.5e38, 1e-40),
)
"""Numbers whose sums with others are rounded, whose squares overflow, or that no double of 32 bits has."""
LARGE_INTEGERS = (10**18, -(10**18), 10**15, 10**9, 10**30, -(10**30))
SUBNORMAL = (5e-324, 2.2250738585072009e-308, -5e-324)
ODD_STRINGS = (
    *(" ", "nan", "\x00", "0", "a ", "A", "\n", "null", "None", "-1", "1e999", "true", '"', "'", ",", "\\"),
    *("e\u0301", "\u00e9", "\u0130", "\u00df", "\U0001f600", "\ufeffa", "\u202ea", "\uffff"),
    *("a" * 300, "a\x00b", "=1+1", "%s", "{}", "\u00b2", "1_0", "\u0663"),
)
UNDECLARED = "undeclared"
"""A category that no description declares."""
FAR = 2.0**53
"""A number of at least this size, or of at most 1 / FAR, is lost in sums with 1, or rounds them."""

Candidates = Iterator[tuple[str, Any]]


@dataclass(frozen=True, slots=True)
class HostileCell:
    """A value, the class for which it is tried, and whether it is beyond the description."""

    key: str
    value: Any
    outside: bool


def hostile_cells(kind: ValueKind, constants: Sequence[Any]) -> list[HostileCell]:
    """Return the hostile values for a cell of a kind, those beyond it as well."""
    cells: dict[str, HostileCell] = {}
    for key, value in _candidates(kind, constants):
        outside = not kind.contains(value)
        if not (outside and key == "undeclared_category" and isinstance(kind, Double | Integer | Day)):
            cells.setdefault(_identity(value), HostileCell(key, value, outside))
    return list(cells.values())


def _identity(value: Any) -> str:
    return f"{type(value).__name__} {value!r}"


def _candidates(kind: ValueKind, constants: Sequence[Any]) -> Candidates:
    if isinstance(kind, Union):
        for other in kind.kinds[1:]:
            yield from (("null" if value is None else "wrong_type", value) for value in other.simple())
        for part in kind.kinds:
            of_part = _candidates(part, constants)
            yield from (each for each in of_part if each[0] != "wrong_type" or not kind.contains(each[1]))
        return
    if isinstance(kind, Drawn):
        for value in kind.values:
            yield from ((key, value) for key in sorted(classes_of_cell(kind, value)))
        return
    yield from _own_candidates(kind, constants)
    yield "null", None
    yield "nan", math.nan
    wrong: tuple[Any, ...] = ("1", 1, "x", True, [], 0.5)
    yield from (("wrong_type", value) for value in wrong if not kind.contains(value))


def _own_candidates(kind: ValueKind, constants: Sequence[Any]) -> Candidates:
    if isinstance(kind, Double):
        yield from _real_candidates(kind, constants)
    elif isinstance(kind, Integer):
        yield from _integer_candidates(kind, constants)
    elif isinstance(kind, Day):
        yield from (("at_bounds", value) for value in kind.simple())
        for day in (kind.first - timedelta(days=1), kind.last + timedelta(days=1)):
            yield "outside_bounds", day.isoformat()
        yield from (("odd_string", value) for value in ("0001-01-01", "9999-12-31", "2019-02-29", ""))
    elif isinstance(kind, Text | Choice):
        yield from _string_candidates(constants)


def _real_candidates(kind: Double, constants: Sequence[Any]) -> Candidates:
    yield from (("source_constant", float(value)) for value in near_numbers(constants))
    for end, away in ((kind.low, -math.inf), (kind.high, math.inf)):
        if end is not None:
            yield "at_bounds", float(end)
            yield "at_bounds", math.nextafter(end, -away)
            yield from (("outside_bounds", value) for value in _beyond(float(end), away))
    yield "infinity", math.inf
    yield "infinity", -math.inf
    yield "negative_zero", -0.0
    yield from (("subnormal", value) for value in SUBNORMAL)
    yield from (("magnitudes", value) for value in MAGNITUDES)
    yield from (("integer_limits", float(value)) for value in INTEGER_LIMITS)


def _beyond(end: float, away: float) -> tuple[float, ...]:
    sign = math.copysign(1.0, away)
    return end + sign, math.nextafter(end, away), end + sign * 1000.0, sign * LARGEST


def _integer_candidates(kind: Integer, constants: Sequence[Any]) -> Candidates:
    yield from (("source_constant", int(value)) for value in near_numbers(constants) if value == int(value))
    bounded = (kind.low, kind.high) != INT64
    for end, step in ((kind.low, 1), (kind.high, -1)):
        yield "at_bounds", end
        yield "at_bounds", end + step
        if bounded:
            yield "outside_bounds", end - step
            yield "outside_bounds", end - 1000 * step
    yield from (("integer_limits", value) for value in INTEGER_LIMITS)
    yield from (("magnitudes", value) for value in LARGE_INTEGERS)
    yield "infinity", math.inf
    yield "negative_zero", -0.0


def _string_candidates(constants: Sequence[Any]) -> Candidates:
    yield from (("source_constant", value) for value in near_strings(constants))
    yield "empty_string", ""
    yield "undeclared_category", UNDECLARED
    yield from (("odd_string", value) for value in ODD_STRINGS)


def near_numbers(constants: Sequence[Any]) -> Iterator[float]:
    """Yield finite constants and their neighbours, those of the source first."""
    numbers = [value for value in constants if isinstance(value, int | float) and abs(value) <= LARGEST]
    yield from numbers
    for value in numbers:
        yield from (value - 1, value + 1)
    for value in numbers:
        yield from (math.nextafter(value, -math.inf), math.nextafter(value, math.inf))


def near_strings(constants: Sequence[Any]) -> Iterator[str]:
    """Yield constants that are strings, and strings that differ from them in spaces or case."""
    strings = [value for value in constants if isinstance(value, str)]
    yield from strings
    for value in strings:
        yield from (f"{value} ", value.swapcase())


def classes_of_cell(kind: ValueKind, value: Any) -> set[str]:
    """Return the classes that a value of a cell has, whatever else is in the data set."""
    if isinstance(kind, Drawn):
        return {key for part in scalars_of(value) for key in classes_of_cell(_kind_of(part), part)}
    if not isinstance(kind, CellKind):
        return set()
    if value is None:
        return {"null"}
    if isinstance(value, str):
        return _classes_of_string(kind, value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return set() if kind.contains(value) else {"wrong_type"}
    return _classes_of_number(kind, value)


def _kind_of(value: Any) -> ValueKind:
    """Return a kind without bounds that has a value of a row that was drawn."""
    if isinstance(value, str):
        return Text()
    return Double() if isinstance(value, float) else Integer()


def _classes_of_string(kind: ValueKind, value: str) -> set[str]:
    if isinstance(kind, Double | Integer):
        return {"wrong_type"}
    if isinstance(kind, Union) and not kind.kinds[0].contains(value):
        return {"wrong_type"}
    if isinstance(kind, Choice | Day) and kind.contains(value):
        return {"at_bounds"} if isinstance(kind, Day) and value in kind.simple() else set()
    if not value:
        return {"empty_string"}
    if isinstance(kind, Day):
        return {"outside_bounds"}
    return {"odd_string"} if value in ODD_STRINGS else {"undeclared_category"} & _find_undeclared(kind, value)


def _find_undeclared(kind: ValueKind, value: str) -> set[str]:
    declared = value != UNDECLARED if isinstance(kind, Text | Union) else kind.contains(value)
    return set() if declared else {"undeclared_category"}


def _classes_of_number(kind: ValueKind, value: Any) -> set[str]:
    if isinstance(value, float) and not math.isfinite(value):
        return {"nan" if math.isnan(value) else "infinity"}
    if isinstance(kind, Union):
        own = next((part for part in kind.kinds if part.contains(value)), kind.kinds[0])
        return _classes_of_number(own, value) | (set() if own is kind.kinds[0] else {"wrong_type"})
    if not isinstance(kind, Double | Integer):
        return set() if kind.contains(value) else {"wrong_type"}
    classes = set()
    if value in _LIMITS:
        classes.add("integer_limits")
    elif abs(value) >= FAR or 0 < abs(value) <= 1 / FAR:
        classes.add("subnormal" if abs(value) < sys.float_info.min else "magnitudes")
    if value == 0 and isinstance(value, float) and math.copysign(1.0, value) < 0:
        classes.add("negative_zero")
    if value in (kind.low, kind.high):
        classes.add("at_bounds")
    if not kind.contains(value):
        classes.add("outside_bounds")
    return classes


_LIMITS = frozenset(value for value in INTEGER_LIMITS if abs(value) > 300) | {
    float(value) for value in INTEGER_LIMITS if abs(value) > 300
}
