"""How far two results of a target are apart, exactly: differences of doubles are fractions.

| distance        | of two results                                                                   |
|-----------------|----------------------------------------------------------------------------------|
| `absolute`      | the difference of two numbers                                                    |
| `l1`, `l2`      | the sum, or the root of the sum of squares, of the differences of their numbers  |
| `linf`          | the greatest difference of a number                                              |
| `symmetric`     | the number of rows that only one of them has, each as often as it occurs         |
| `insert_delete` | the least number of rows to insert and to delete; order counts                   |
| `exchange`      | the number of positions at which the rows differ                                 |
| `equal`         | 0 if they are equal, else 1                                                      |

Results are plain values. A dictionary of numbers is a sparse vector: a missing key is 0. Rows and results are
equal by value, except that -0.0 is not 0.0. What no number measures, such as NaN on one side, is more than
any bound, and has a kind of its own.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from privboost.auditor.pairs.relations import count_edits
from privboost.auditor.values.objects import Opaque
from privboost.auditor.values.plain_values import is_numeric, number_string
from privboost.errors import PreconditionError
from privboost.limits import DISTANCES
from privboost.printing import format_value

_FRACTION = re.compile(r"-?\d+/\d*[1-9]\d*", re.ASCII)
"""A fraction as programs write it."""

_LONG = re.compile(r"(-?0x[0-9a-f]+)(?:/(0x[0-9a-f]+))?", re.ASCII)
_LONGEST_HEXADECIMAL_NAME = 1000
"""Integers and fractions of more than 4096 bits are hexadecimal strings of more characters than this."""

_ROUNDING = Fraction(1, 1 << 40)
"""Rounding of doubles moves a result by less than this share of its size, unless errors add up."""

_ABSENT = object()


class MoveKind(StrEnum):
    """How two results differ."""

    DISTANCE = "distance"
    NAN = "nan"
    INFINITE = "infinite"
    SHAPE = "shape"
    TYPE = "type"
    FAILURE = "failure"


@dataclass(frozen=True, slots=True)
class Move:
    """How far a result moved: a distance, or a difference that no number measures."""

    kind: MoveKind
    distance: Fraction = Fraction(0)
    squared: bool = False
    """Whether `distance` is the square of the distance, which may have no exact root."""
    where: str = ""
    """The entry of the result that differs, if no number measures how."""
    scale: Fraction = Fraction(0)
    """The greatest size of a double among the numbers that differ; 0 if none is a double."""

    def exceeds(self, bound: Fraction) -> bool:
        """Return whether a result that may move by at most `bound` has moved by more."""
        greatest = bound * bound if self.squared else bound
        return self.kind is not MoveKind.DISTANCE or self.distance > greatest

    def is_rounding(self, bound: Fraction) -> bool:
        """Return whether it exceeds a bound by no more than rounding of doubles explains."""
        room = _ROUNDING * max(self.scale, bound)
        return self.scale > 0 and self.exceeds(bound) and not self.exceeds(bound + room)


def compare_results(distance: str, left: Any, right: Any) -> Move:
    """Return how far two results are apart.

    Requires: the results are plain values, and the distance is one of privboost.limits.DISTANCES.
    Ensures: PreconditionError for results that the distance does not apply to.
    """
    return _COMPARISONS[distance](left, right)


def is_measurable(distance: str, result: Any) -> bool:
    """Return whether a result has what the distance measures: a number, or rows."""
    if distance == "equal":
        return not isinstance(result, Opaque)
    if distance in _ROW_DISTANCES:
        return isinstance(result, list | np.ndarray)
    if isinstance(result, np.ndarray):
        return bool(result.size)
    if isinstance(result, list | dict):
        entries = result.values() if isinstance(result, dict) else result
        return not result or any(is_measurable(distance, entry) for entry in entries)
    return number_of(result) is not None


# Numbers --------------------------------------------------------------------------------------------------


def number_of(value: Any) -> int | float | Fraction | None:
    """Return a plain value as a number; None if it is none."""
    if isinstance(value, bool | int | float | Fraction):
        return value
    if not isinstance(value, str):
        return None
    if _FRACTION.fullmatch(value):
        return Fraction(value)
    parts = _LONG.fullmatch(value) if len(value) > _LONGEST_HEXADECIMAL_NAME else None
    return Fraction(int(parts[1], 16), int(parts[2] or "1", 16)) if parts else None


def _combine(combine: Callable[[Iterable[Fraction]], Fraction], left: Any, right: Any) -> Move:
    """Return the distance that a function makes of the differences of all numbers of two results."""
    changes, scale = [], Fraction(0)
    for path, one, other in _entries(left, right, "result"):
        move = _compare_numbers(path, one, other)
        if move.kind is not MoveKind.DISTANCE:
            return move
        changes.append(move.distance)
        scale = max(scale, move.scale)
    return Move(MoveKind.DISTANCE, combine(changes), scale=scale)


def _entries(left: Any, right: Any, path: str) -> Iterator[tuple[str, Any, Any]]:
    """Yield the entries of two results, each with its path; parts of different shapes are entries."""
    if _are_alike(left, right):
        # Most entries of large arrays are equal.
        for index in np.argwhere(left != right).tolist():
            at = tuple(index)
            yield f"{path}{index}", left[at].item(), right[at].item()
        return
    left, right = (side.tolist() if isinstance(side, np.ndarray) else side for side in (left, right))
    if isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
        for position, (one, other) in enumerate(zip(left, right, strict=True)):
            yield from _entries(one, other, f"{path}[{position}]")
    elif isinstance(left, dict) and isinstance(right, dict):
        for key in dict.fromkeys((*left, *right)):
            one, other = left.get(key, _ABSENT), right.get(key, _ABSENT)
            yield from _entries(_zero_for(one, other), _zero_for(other, one), f"{path}[{key!r}]")
    else:
        yield path, left, right


def _are_alike(left: Any, right: Any) -> bool:
    """Return whether two results are arrays of numbers of one type and shape."""
    return (
        isinstance(left, np.ndarray)
        and isinstance(right, np.ndarray)
        and left.dtype == right.dtype
        and left.shape == right.shape
        and is_numeric(left.dtype)
    )


def _zero_for(value: Any, other: Any) -> Any:
    """Return a value; for one that is absent, zeros in the shape of the other one."""
    if value is not _ABSENT:
        return value
    if isinstance(other, np.ndarray):
        return np.zeros_like(other)
    if isinstance(other, list):
        return [_zero_for(_ABSENT, entry) for entry in other]
    return None if number_of(other) is None else 0


def _compare_numbers(path: str, left: Any, right: Any) -> Move:
    """Return how far two entries are apart."""
    one, other = number_of(left), number_of(right)
    if one is None or other is None:
        return _compare_others(path, left, right)
    sides = (one, other)
    if one == other or all(map(_is_nan, sides)):
        return Move(MoveKind.DISTANCE)
    if any(map(_is_nan, sides)):
        return Move(MoveKind.NAN, where=path)
    if any(map(_is_infinite, sides)):
        return Move(MoveKind.INFINITE, where=path)
    scale = max((abs(Fraction(side)) for side in sides if isinstance(side, float)), default=Fraction(0))
    return Move(MoveKind.DISTANCE, abs(Fraction(one) - Fraction(other)), scale=scale)


def _compare_others(path: str, left: Any, right: Any) -> Move:
    """Return how two entries differ of which one is no number.

    Ensures: PreconditionError if neither is, and they differ.
    """
    if key_of(left) == key_of(right):
        return Move(MoveKind.DISTANCE)
    sides = (left, right)
    parts = [isinstance(side, list | dict) for side in sides]
    if all(parts):
        return Move(MoveKind.SHAPE, where=path)
    if any(parts) or any(number_of(side) is not None for side in sides) or None in sides:
        return Move(MoveKind.SHAPE if any(parts) else MoveKind.TYPE, where=path)
    got = f"{path} = {format_value(left)} and {format_value(right)}"
    raise PreconditionError("distance", "numbers as results; for others the distance is equal", got)


def _is_nan(number: float | Fraction) -> bool:
    return isinstance(number, float) and math.isnan(number)


def _is_infinite(number: float | Fraction) -> bool:
    return isinstance(number, float) and math.isinf(number)


def _absolute(left: Any, right: Any) -> Move:
    sides = [_single(side) for side in (left, right)]
    if all(isinstance(side, list | dict) for side in sides):
        expected = "one number as the result; for several the distance is l1, l2 or linf"
        raise PreconditionError("distance", expected, format_value(sides[0]))
    return _compare_numbers("result", *sides)


def _single(value: Any) -> Any:
    """Return the entry of a list or an array of one entry; any other value as it is."""
    value = value.tolist() if isinstance(value, np.ndarray) else value
    return _single(value[0]) if isinstance(value, list) and len(value) == 1 else value


def _l2(left: Any, right: Any) -> Move:
    squares = _combine(lambda changes: sum((change * change for change in changes), Fraction(0)), left, right)
    return replace(squares, squared=squares.kind is MoveKind.DISTANCE)


# Rows -----------------------------------------------------------------------------------------------------


def key_of(value: Any) -> Hashable:
    """Return a key that is equal for equal plain values; the order of keys in a dictionary does not count."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, bool | int | float | Fraction):
        return number_string(value)
    if isinstance(value, list):
        return tuple(key_of(entry) for entry in value)
    if isinstance(value, Mapping):
        return frozenset((key_of(key), key_of(entry)) for key, entry in value.items())
    return type(value).__name__, repr(value)


def _compare_rows(count: Callable[[list[Any], list[Any]], int | None], left: Any, right: Any) -> Move:
    """Return a distance of two lists of rows, or that only one result is such a list."""
    sides = [side.tolist() if isinstance(side, np.ndarray) else side for side in (left, right)]
    lists = [isinstance(side, list) for side in sides]
    if not any(lists):
        raise PreconditionError("distance", "a list of rows as the result", format_value(left))
    if not all(lists):
        return Move(MoveKind.TYPE, where="result")
    distance = count(*([key_of(row) for row in side] for side in sides))
    if distance is None:
        return Move(MoveKind.SHAPE, where="result")
    return Move(MoveKind.DISTANCE, Fraction(distance))


def _symmetric(left: list[Any], right: list[Any]) -> int:
    one, other = Counter(left), Counter(right)
    return (one - other).total() + (other - one).total()


def _insert_delete(left: list[Any], right: list[Any]) -> int | None:
    return count_edits(left, right, len(left) + len(right))


def _exchange(left: list[Any], right: list[Any]) -> int | None:
    """Return the number of positions that differ; None for lists of different lengths."""
    if len(left) != len(right):
        return None
    return sum(bool(one != other) for one, other in zip(left, right, strict=True))


def _equal(left: Any, right: Any) -> Move:
    return Move(MoveKind.DISTANCE, Fraction(key_of(left) != key_of(right)))


_ROW_DISTANCES: dict[str, Callable[[list[Any], list[Any]], int | None]] = {
    "symmetric": _symmetric,
    "insert_delete": _insert_delete,
    "exchange": _exchange,
}
_COMPARISONS: dict[str, Callable[[Any, Any], Move]] = {
    "absolute": _absolute,
    "l1": partial(_combine, lambda changes: sum(changes, Fraction(0))),
    "l2": _l2,
    "linf": partial(_combine, lambda changes: max(changes, default=Fraction(0))),
    **{name: partial(_compare_rows, count) for name, count in _ROW_DISTANCES.items()},
    "equal": _equal,
}
assert set(_COMPARISONS) == set(DISTANCES)
