"""The hostile classes that a pair has, read from its inputs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

from privboost.limits import ADD_REMOVE, DELETE_INSERT

from .cells import classes_of_cell, near_numbers, near_strings
from .description import Description
from .kinds import Path, ValueKind, get_part

MANY = 3
"""At least this number of rows are many."""
TRIVIAL = 2
"""Integers of at most this size are in nearly every function, and are not named as its constants."""


class Sides:
    """The rows of both sides of a pair, and their cells; equal rows are read once."""

    def __init__(
        self,
        description: Description,
        relation: str,
        left: Sequence[Any],
        right: Sequence[Any],
        constants: tuple[Any, ...] = (),
    ) -> None:
        self.description, self.relation, self.constants = description, relation, constants
        by_object = {id(row): row for row in (*left, *right)}
        spellings = {key: repr(row) for key, row in by_object.items()}
        self.spelled = tuple([spellings[id(row)] for row in side] for side in (left, right))
        """The rows of the left and of the right side, as strings."""
        self.rows = {spellings[key]: row for key, row in by_object.items()}
        """Every row once, by the string for it."""

    def datasets(self) -> list[list[Any]]:
        """Return the rows of both sides."""
        return [[self.rows[spelling] for spelling in side] for side in self.spelled]

    @cached_property
    def cells(self) -> dict[str, list[Cell]]:
        """Return the cells of every row, by the string for the row."""
        kind = self.description.row
        return {
            spelling: [Cell(path, leaf, get_part(row, path)) for path, leaf in leaves_of(kind, row)]
            for spelling, row in self.rows.items()
        }

    def columns(self) -> Iterator[tuple[list[Any], list[int]]]:
        """Yield the different values of each column of each side that has rows, and how often each occurs."""
        for spelled in self.spelled:
            columns: dict[Path, dict[str, Any]] = defaultdict(dict)
            counts: Counter[tuple[Path, str]] = Counter()
            for spelling, count in Counter(spelled).items():
                for cell in self.cells[spelling]:
                    columns[cell.path][repr(cell.value)] = cell.value
                    counts[cell.path, repr(cell.value)] += count
            for path, values in columns.items():
                yield list(values.values()), [counts[path, spelling] for spelling in values]

    def differing(self) -> list[list[Any]]:
        """Return the cells of the rows that only one side has."""
        left, right = map(Counter, self.spelled)
        return [[cell.value for cell in self.cells[row]] for row in (left - right) + (right - left)]

    def values(self) -> dict[tuple[Path, str], Cell]:
        """Return every cell once."""
        return {(cell.path, repr(cell.value)): cell for cells in self.cells.values() for cell in cells}


class Cell(NamedTuple):
    """A part of a row, and what it may be."""

    path: Path
    kind: ValueKind
    value: Any


def leaves_of(kind: ValueKind, row: Any) -> list[tuple[Path, ValueKind]]:
    """Return the leaves of a row; a row of another shape is one leaf."""
    try:
        return list(kind.leaves(row))
    except TypeError:
        return [((), kind)]


def classes_of(sides: Sides) -> set[str]:
    """Return the classes of a pair; those that nearly every pair has are left out."""
    classes = {key for key, holds in _OF_ROWS.items() if holds(sides)}
    for cell in sides.values().values():
        classes |= classes_of_cell(cell.kind, cell.value) | near_constants(sides.constants, cell.value)
    return classes | _sizes_in(sides)


def loose_classes_of(left: int, right: int) -> set[str]:
    """Return the class of nearly every pair: whether the greater number of rows is odd or even."""
    return {"odd_rows" if max(left, right) % 2 else "even_rows"}


def _has_one_row(sides: Sides) -> bool:
    return any(len(rows) == 1 for rows in sides.spelled)


def _has_no_rows(sides: Sides) -> bool:
    return not all(sides.spelled)


def _has_equal_rows(sides: Sides) -> bool:
    return any(len(rows) >= MANY and len(set(rows)) == 1 for rows in sides.spelled)


def _is_reordered(sides: Sides) -> bool:
    """Return whether the rows that both sides have come in another order, where neighbours may have that."""
    if sides.relation == DELETE_INSERT:
        left, right = map(Counter, sides.spelled)
        return left == right
    if sides.relation != ADD_REMOVE:
        return False
    shorter, longer = sorted(sides.spelled, key=len)
    rest = iter(longer)
    return not all(row in rest for row in shorter)


def _is_first_another(sides: Sides) -> bool:
    if not all(sides.spelled):
        return False
    left, right = (
        {cell.path: cell.value for cell in sides.cells[rows[0]] if isinstance(cell.value, str)}
        for rows in sides.spelled
    )
    return any(path in right and right[path] != value for path, value in left.items())


def _has_lone_group(sides: Sides) -> bool:
    return any(
        1 in counts and all(isinstance(value, str | bool) for value in values)
        for values, counts in sides.columns()
    )


def _has_bounds(sides: Sides) -> bool:
    """Return whether a row that only one side has consists of numbers that descend, or are equal."""
    for numbers in sides.differing():
        if len(numbers) > 1 and all(map(_is_number, numbers)):
            pairs = list(pairwise(numbers))
            if all(one > other for one, other in pairs) or all(one == other for one, other in pairs):
                return True
    return False


def _has_zeros(sides: Sides) -> bool:
    """Return whether a column is all 0, or a row with several cells that only one side has has a 0."""
    if any(all(map(_is_zero, values)) for values, _ in sides.columns()):
        return True
    return any(len(cells) > 1 and any(map(_is_zero, cells)) for cells in sides.differing())


def _is_zero(value: Any) -> bool:
    return _is_number(value) and bool(value == 0)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_OF_ROWS: dict[str, Callable[[Sides], bool]] = {
    "one_row": _has_one_row,
    "no_rows": _has_no_rows,
    "equal_rows": _has_equal_rows,
    "another_order": _is_reordered,
    "first_category": _is_first_another,
    "lone_group": _has_lone_group,
    "bounds": _has_bounds,
    "zero_divisor": _has_zeros,
}
"""Whether the rows of a pair are of a class."""


def _sizes_in(sides: Sides) -> set[str]:
    """Return the class of constants if a number of rows is one of them, and not fixed."""
    if sides.description.size is not None:
        return set()
    _, sizes = _near(sides.constants)
    return {"source_constant"} if any(len(rows) in sizes for rows in sides.spelled) else set()


def near_constants(constants: tuple[Any, ...], cell: Any) -> set[str]:
    """Return the class of constants if a cell is one of them or next to one."""
    is_scalar = isinstance(cell, str | int | float)
    return {"source_constant"} if is_scalar and cell in _near(constants)[0] else set()


@lru_cache(maxsize=64)
def _near(constants: tuple[Any, ...]) -> tuple[frozenset[Any], frozenset[int]]:
    """Return the values near to constants, and the constants that can be numbers of rows."""
    named = (number for number in constants if _is_number(number))
    numbers = [number for number in named if abs(number) > TRIVIAL or not float(number).is_integer()]
    values = {*near_numbers(numbers), *near_strings(constants)} - {""}
    return frozenset(values), frozenset(number for number in numbers if isinstance(number, int))
