"""The hostile classes that a pair has, read from its inputs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

from privboost.limits import ADD_REMOVE

from .cells import classes_of_cell, near_numbers, near_strings
from .description import Description
from .kinds import Path, ValueKind, get_part

MANY = 3
"""At least this number of rows are many."""
TRIVIAL = 2
"""Constants of at most this size are in nearly every function, and are not named."""

Rows = Sequence[Any]


@dataclass(frozen=True, slots=True)
class Sides:
    """The rows of both sides of a pair."""

    description: Description
    relation: str
    left: Rows
    right: Rows
    constants: tuple[Any, ...] = ()

    @property
    def longer(self) -> Rows:
        """Return the rows of the side with more of them."""
        return self.left if len(self.left) >= len(self.right) else self.right

    @property
    def sides(self) -> tuple[Rows, Rows]:
        """Return the rows of both."""
        return self.left, self.right

    def columns(self) -> Iterator[tuple[ValueKind, list[Any]]]:
        """Yield the cells of each column of each side that has rows."""
        kind = self.description.row
        for rows in filter(None, self.sides):
            columns: dict[Path, tuple[ValueKind, list[Any]]] = {}
            for row in rows:
                for path, leaf in leaves_of(kind, row):
                    columns.setdefault(path, (leaf, []))[1].append(get_part(row, path))
            yield from columns.values()

    def differing(self) -> list[Any]:
        """Return the rows that only one side has."""
        counts = [Counter(map(repr, rows)) for rows in self.sides]
        extra = (counts[0] - counts[1]) + (counts[1] - counts[0])
        return list({repr(row): row for rows in self.sides for row in rows if repr(row) in extra}.values())

    def leaves(self) -> list[tuple[ValueKind, Any]]:
        """Return every cell of both sides once, with its kind."""
        kind = self.description.row
        cells = {}
        for row in {repr(row): row for row in (*self.left, *self.right)}.values():
            for path, leaf in leaves_of(kind, row):
                part = get_part(row, path)
                cells[path, repr(part)] = leaf, part
        return list(cells.values())


def leaves_of(kind: ValueKind, row: Any) -> list[tuple[Path, ValueKind]]:
    """Return the leaves of a row; a row of another shape is one leaf."""
    try:
        return list(kind.leaves(row))
    except TypeError:
        return [((), kind)]


def classes_of(sides: Sides) -> set[str]:
    """Return the classes of a pair; those that nearly every pair has are left out."""
    classes = {key for kind, value in sides.leaves() for key in classes_of_cell(kind, value)}
    return classes | {key for key, holds in _OF_ROWS.items() if holds(sides)} | _constants_in(sides)


def loose_classes_of(left: int, right: int) -> set[str]:
    """Return the class of nearly every pair: whether the greater number of rows is odd or even."""
    return {"odd_rows" if max(left, right) % 2 else "even_rows"}


def _has_one_row(sides: Sides) -> bool:
    return any(len(rows) == 1 for rows in sides.sides)


def _has_no_rows(sides: Sides) -> bool:
    return not all(sides.sides)


def _has_equal_rows(sides: Sides) -> bool:
    return any(len(rows) >= MANY and len(set(map(repr, rows))) == 1 for rows in sides.sides)


def _is_reordered(sides: Sides) -> bool:
    """Return whether the rows that both sides have come in another order, where that has no meaning."""
    if sides.relation != ADD_REMOVE:
        return False
    shorter, longer = sorted((list(map(repr, rows)) for rows in sides.sides), key=len)
    rest = iter(longer)
    return not all(row in rest for row in shorter)


def _is_first_another(sides: Sides) -> bool:
    if not all(sides.sides):
        return False
    kind = sides.description.row
    first = [
        {
            path: part
            for path, _ in leaves_of(kind, rows[0])
            if isinstance(part := get_part(rows[0], path), str)
        }
        for rows in sides.sides
    ]
    return any(path in first[1] and first[1][path] != part for path, part in first[0].items())


def _has_lone_group(sides: Sides) -> bool:
    return any(
        1 in Counter(cells).values()
        for _, cells in sides.columns()
        if all(isinstance(cell, str | bool) for cell in cells)
    )


def _has_bounds(sides: Sides) -> bool:
    """Return whether a row that only one side has consists of numbers that descend, or are equal."""
    kind = sides.description.row
    for row in sides.differing():
        cells = [get_part(row, path) for path, _ in leaves_of(kind, row)]
        if len(cells) > 1 and all(map(_is_number, cells)):
            pairs = list(pairwise(cells))
            if all(one > other for one, other in pairs) or all(one == other for one, other in pairs):
                return True
    return False


def _has_zeros(sides: Sides) -> bool:
    return any(all(_is_number(cell) and cell == 0 for cell in cells) for _, cells in sides.columns())


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


def _constants_in(sides: Sides) -> set[str]:
    """Return the class of constants if a cell, or a number of rows, is one of them or next to one."""
    _, sizes = _near(sides.constants)
    if any(len(rows) in sizes for rows in sides.sides):
        return {"source_constant"}
    return set().union(*(near_constants(sides.constants, cell) for _, cell in sides.leaves()))


def near_constants(constants: tuple[Any, ...], cell: Any) -> set[str]:
    """Return the class of constants if a cell is one of them or next to one."""
    is_scalar = isinstance(cell, str | int | float)
    return {"source_constant"} if is_scalar and cell in _near(constants)[0] else set()


@lru_cache(maxsize=64)
def _near(constants: tuple[Any, ...]) -> tuple[frozenset[Any], frozenset[int]]:
    """Return the values near to constants, and the constants that can be numbers of rows."""
    numbers = [number for number in constants if _is_number(number) and abs(number) > TRIVIAL]
    values = {*near_numbers(numbers), *near_strings(constants)} - {""}
    return frozenset(values), frozenset(number for number in numbers if isinstance(number, int))
