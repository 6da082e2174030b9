"""Changes of a data set that a neighbouring relation allows, as pairs of rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Any

from privboost.auditor.pairs.relations import distance_of_numbers
from privboost.limits import (
    ADD_REMOVE,
    ANSWERS,
    CHANGE_VALUE,
    DELETE_INSERT,
    EXCHANGE,
    INSERT_DELETE,
    L1,
    L2,
    USER,
)

from .description import Description
from .kinds import Path, get_part, replace_part

INSIDE = 1 - 2**-40
"""Numbers change by at most this share of what a relation allows, so that rounding keeps them inside."""

Rows = list[Any]
Sides = tuple[Rows, Rows]


@dataclass(frozen=True, slots=True)
class NewRow:
    """A row that a change brings, and the path of the cell for which it was made, if there is one."""

    row: Any
    path: Path | None = None


@dataclass(frozen=True, slots=True)
class Changer:
    """Makes neighbours of data sets under one relation."""

    description: Description
    relation: str
    random: Random

    def change(self, base: Sequence[Any], new: NewRow, at: int) -> Sides | None:
        """Return a data set and its neighbour with a new row at an index; None if there is none."""
        return _CHANGES[self.relation](self, list(base), new, at)

    def insert(self, base: Rows, new: NewRow, at: int) -> Sides:
        """Insert the row."""
        return base, [*base[:at], new.row, *base[at:]]

    def exchange(self, base: Rows, new: NewRow, at: int) -> Sides | None:
        """Exchange a row for the new one, or an equal one for an ordinary one."""
        if not base:
            return None
        at = min(at, len(base) - 1)
        row = new.row if repr(base[at]) != repr(new.row) else self.other_row(new.row)
        return base, [*base[:at], row, *base[at + 1 :]]

    def change_value(self, base: Rows, new: NewRow, at: int) -> Sides | None:
        """Replace one cell of a row by that of the new one, or an equal one by an ordinary one."""
        if not base:
            return None
        at = min(at, len(base) - 1)
        row, kind = base[at], self.description.row
        paths = [new.path] if new.path is not None else [path for path, _ in kind.leaves(row)]
        path = self.random.choice(paths)
        leaf = dict(kind.leaves(row)).get(path)
        if leaf is None or path not in dict(kind.leaves(new.row)):
            return None
        part = get_part(new.row, path)
        if repr(part) == repr(get_part(row, path)):
            part = leaf.draw(self.random)
        return base, [*base[:at], replace_part(row, path, part), *base[at + 1 :]]

    def add_user(self, base: Rows, new: NewRow, at: int) -> Sides | None:
        """Add rows of a user that the data set does not have."""
        cell = (self.description.check_user(),)
        known = [get_part(row, cell) for row in base]
        user = get_part(new.row, cell)
        if new.path != cell or _is_among(user, known):
            kind = dict(self.description.row.leaves(new.row)).get(cell)
            drawn = [] if kind is None else [*kind.simple(), *(kind.draw(self.random) for _ in range(20))]
            users = [each for each in drawn if not _is_among(each, known)]
            if not users:
                return None
            user = self.random.choice(users)
        row = replace_part(new.row, cell, user)
        count = self.random.choice((1, 2, 3, self.description.about))
        others = [self.description.row.draw(self.random) for _ in range(count - 1)]
        alike = self.random.random() < 0.5
        return base, [
            *base[:at],
            row,
            *(row if alike else replace_part(other, cell, user) for other in others),
            *base[at:],
        ]

    def delete_and_insert(self, base: Rows, new: NewRow, at: int) -> Sides | None:
        """Insert the row, and delete that at the other end, so that all rows between them move."""
        if not base:
            return None
        at = min(at, len(base) - 1)
        kept = base[1:] if 2 * at >= len(base) - 1 else base[:-1]
        return base, [*kept[:at], new.row, *kept[at:]]

    def move_number(self, base: Rows, new: NewRow, at: int) -> Sides | None:
        """Put the number in the place of another, and move one of all by at most 1."""
        left = self._with_number(base, new, at)
        moved = self.random.randrange(len(left) or 1)
        return (left, [*left[:moved], self._move(left[moved]), *left[moved + 1 :]]) if left else None

    def move_numbers(self, base: Rows, new: NewRow, at: int) -> Sides | None:
        """Put the number in the place of another, and move all by at most 1, each up or down or all alike."""
        left = self._with_number(base, new, at)
        up = self.random.choice((1, -1, 0))
        return (left, [self._move(number, up) for number in left]) if left else None

    def move_in_length(self, base: Rows, new: NewRow, at: int) -> Sides | None:
        """Put the number in the place of another, and move one by at most 1, or all by the same part of 1."""
        left = self._with_number(base, new, at)
        step = self.random.choice((1, -1)) * INSIDE / math.sqrt(len(left) or 1)
        right = [number + step if isinstance(number, float) else number for number in left]
        changes = map(distance_of_numbers, left, right)
        if all(map(self.description.row.contains, right)) and 0 < sum(each**2 for each in changes) <= 1:
            return left, right
        return self.move_number(base, new, at)

    def _with_number(self, base: Rows, new: NewRow, at: int) -> Rows:
        """Return numbers with the new one in the place of another, or none if one is no number.

        Half of the time all others are equal and simple.
        """
        others = [self.description.row.simple()[0]] * len(base) if self.random.random() < 0.5 else base
        last = len(base) - 1
        numbers = [new.row if index == min(at, last) else other for index, other in enumerate(others)]
        are = (isinstance(number, int | float) and not isinstance(number, bool) for number in numbers)
        return numbers if all(are) else []

    def _move(self, number: Any, up: int = 0) -> Any:
        """Return another number of the description at most 1 away, or the number if there is none.

        It is above (1) or below (-1) if there is one, or where chance says.
        """
        up = up or self.random.choice((1, -1))
        nearest = (math.nextafter(number, up * math.inf),) if isinstance(number, float) else ()
        candidates = (number + up, number - up, *nearest) if math.isfinite(number) else ()
        return next(filter(partial(self._is_next, number), candidates), number)

    def _is_next(self, number: Any, other: Any) -> bool:
        return self.description.row.contains(other) and 0 < distance_of_numbers(number, other) <= 1

    def other_row(self, row: Any) -> Any:
        """Return a simple or an ordinary row other than a given one, if there is one."""
        kind = self.description.row
        others = [*kind.simple(), *(kind.draw(self.random) for _ in range(5))]
        self.random.shuffle(others)
        return next((other for other in others if repr(other) != repr(row)), row)


def _is_among(value: Any, others: Sequence[Any]) -> bool:
    """Return whether a value is one of others; equal ones are one, and so are two of one spelling, as NaN."""
    return any(value == other or repr(value) == repr(other) for other in others)


_CHANGES: dict[str, Callable[[Changer, Rows, NewRow, int], Sides | None]] = {
    EXCHANGE: Changer.exchange,
    ADD_REMOVE: Changer.insert,
    INSERT_DELETE: Changer.insert,
    CHANGE_VALUE: Changer.change_value,
    USER: Changer.add_user,
    DELETE_INSERT: Changer.delete_and_insert,
    L1: Changer.move_number,
    L2: Changer.move_in_length,
    ANSWERS: Changer.move_numbers,
}
