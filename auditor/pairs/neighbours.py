"""Neighbouring tables on which estimators tend to leak: made from a table of the user, under both relations.

Rows are added and removed in front and at the end, labels flipped, the lone row of a class removed; a value
is missing, at a corner of the table, at the edge of a bin, far beyond the table, or in a new category; and
all values are far from 0.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from privboost.limits import ADD_REMOVE, EXCHANGE

from .pair import Pair
from .tables import TableOfRows

PROBES = 6
"""Number of rows on which fitted estimators are compared."""

FAR = 1000.0
"""Distance of an extreme value from the table, and of a shifted table from 0, in units of the range."""

OUTSIDE = ("missing", "new category", "extreme", "far from 0")
"""Words in the names of pairs whose inputs need not be inputs of the claim."""

CLASSES = {
    "missing": "nan",
    "new category": "undeclared_category",
    "extreme": "outside_bounds",
    "far from 0": "magnitudes",
    "corner": "at_bounds",
    "greatest": "at_bounds",
    "edge of a bin": "at_bounds",
    "lone": "lone_group",
}
"""Hostile classes (`inputs.classes`), by words in the names of pairs."""

OTHERS = ("ordinary",)
"""The class of all other pairs."""

NEW_CATEGORY = "a new category"

Row = tuple[tuple[Any, ...], Any]
"""The cells of a row, and its label (None without labels)."""


def table_pairs(table: TableOfRows) -> tuple[Pair, ...]:
    """Return all neighbouring tables, each pair with its relation; inputs are as `FitOnTable` takes them."""
    labels: Sequence[Any] = table.labels or [None] * len(table.rows)
    rows = list(zip(table.rows, labels, strict=True))
    maker = _Maker(table, rows)
    pairs = []
    for relation, candidates in ((ADD_REMOVE, maker.add_or_remove_rows()), (EXCHANGE, maker.exchange_rows())):
        for name, left, right in candidates:
            probes = maker.probes(left, right)
            outside = any(word in name for word in OUTSIDE)
            classes = tuple(key for words, key in CLASSES.items() if words in name) or OTHERS
            sides = _input(left, probes), _input(right, probes)
            pairs.append(Pair(name, *sides, relation, outside=outside, classes=classes))
    return tuple(pair for pair in pairs if repr(pair.left) != repr(pair.right))


def _input(rows: Sequence[Row], probes: Sequence[tuple[Any, ...]]) -> dict[str, Any]:
    labels = [label for _, label in rows]
    return {
        "X": [list(cells) for cells, _ in rows],
        "y": None if None in labels else labels,
        "probes": [list(cells) for cells in probes],
    }


Candidate = tuple[str, list[Row], list[Row]]


@dataclass(frozen=True, slots=True)
class _Maker:
    """Makes neighbours of one table."""

    table: TableOfRows
    rows: list[Row]

    def add_or_remove_rows(self) -> Iterator[Candidate]:
        """Yield pairs in which the right side has one row more or less."""
        rows, corner = self.rows, self._at(max, self.rows[-1])
        yield "last row removed", rows, rows[:-1]
        yield "first row removed", rows, rows[1:]
        yield "corner row added at the end", rows, [*rows, corner]
        yield "corner row added in front", rows, [corner, *rows]
        if lone := self._lone_row():
            yield "lone row of a class removed", lone, lone[:-1]
        far = self._shift_rows()
        yield "row removed, all values far from 0", far, far[:-1]
        if self.table.numeric():
            yield "extreme row added", rows, [*rows, self._move(rows[-1], self._beyond)]
            yield "row with a missing value added", rows, [*rows, self._drop_value(rows[-1])]
        if (new := self._new_category(rows[-1])) is not None:
            yield "row of a new category added", rows, [*rows, new]

    def exchange_rows(self) -> Iterator[Candidate]:
        """Yield pairs in which one row differs."""
        rows, first, last = self.rows, self.rows[0], self.rows[-1]
        others = rows[:-1]
        if self.table.labels is not None:
            yield "first label flipped", rows, [self._relabel(first), *rows[1:]]
            yield "last label flipped", rows, [*others, self._relabel(last)]
        if lone := self._lone_row():
            yield "lone row of a class relabelled", lone, [*lone[:-1], self._relabel(lone[-1])]
        low, high = self._at(min, last), self._at(max, last)
        yield "corner exchanged for the opposite one", [*others, low], [*others, high]
        if self.table.numeric():
            far = self._shift_rows()
            lowest = self._move(far[-1], lambda column: FAR * self._range(column) + self._low(column))
            yield "row exchanged, all values far from 0", far, [*far[:-1], lowest]
            yield "greatest value replaced", rows, self._replace_greatest()
            yield "extreme row in", rows, [*others, self._move(last, self._beyond)]
            edge = self._move(last, self._middle)
            below = self._move(last, lambda column: math.nextafter(self._middle(column), -math.inf))
            yield "value at the edge of a bin", [*others, edge], [*others, below]
            yield "missing value in", rows, [*others, self._drop_value(last)]
        if (new := self._new_category(last)) is not None:
            yield "new category in", rows, [*others, new]

    def probes(self, left: list[Row], right: list[Row]) -> list[tuple[Any, ...]]:
        """Return complete rows to compare predictions on: those that differ, then rows of the table."""
        differing = [row[0] for row in (right[-1], right[0], left[-1], left[0])]
        spread = [self.rows[len(self.rows) * k // PROBES][0] for k in range(PROBES)]
        known = [set(column) for column in zip(*self.table.rows, strict=True)]
        numeric = set(self.table.numeric())
        complete = [
            cells
            for cells in dict.fromkeys([*differing, *spread])
            if all(
                math.isfinite(cell) if index in numeric else cell in known[index]
                for index, cell in enumerate(cells)
            )
        ]
        return complete[:PROBES]

    def _column(self, index: int) -> list[float]:
        present = [row[index] for row in self.table.rows if not math.isnan(row[index])]
        return present or [0.0]

    def _low(self, index: int) -> float:
        return float(min(self._column(index)))

    def _range(self, index: int) -> float:
        column = self._column(index)
        return float(max(column) - min(column)) or 1.0

    def _middle(self, index: int) -> float:
        return self._low(index) + self._range(index) / 2

    def _beyond(self, index: int) -> float:
        return float(max(self._column(index)) + FAR * self._range(index))

    def _move(self, row: Row, value: Any) -> Row:
        """Return a row with new values in all numeric columns; `value` is a function of the column."""
        for index in self.table.numeric():
            row = _replace_cell(row, index, value(index))
        return row

    def _at(self, choose: Any, row: Row) -> Row:
        """Return a row at a corner of the table: the least or the greatest value of every column."""
        return self._move(row, lambda column: float(choose(self._column(column))))

    def _shift_rows(self) -> list[Row]:
        """Return the table with all numbers far from 0, in units of the range of their column."""

        def shift(row: Row) -> Row:
            return self._move(row, lambda column: row[0][column] + FAR * self._range(column))

        return [shift(row) for row in self.rows]

    def _drop_value(self, row: Row) -> Row:
        return _replace_cell(row, self.table.numeric()[0], math.nan)

    def _new_category(self, row: Row) -> Row | None:
        """Return a row with a new category in the first column of strings; None if there is none."""
        strings = set(range(len(self.table.columns))) - set(self.table.numeric())
        return _replace_cell(row, min(strings), NEW_CATEGORY) if strings else None

    def _relabel(self, row: Row) -> Row:
        """Return a row with another class, or with the label that is farthest away."""
        labels, classes = list(self.table.labels or ()), self.table.classes()
        if classes:
            return row[0], next((label for label in classes if label != row[1]), row[1])
        return row[0], max(
            labels, key=lambda label: abs(label - row[1]) if isinstance(label, float | int) else 0
        )

    def _lone_row(self) -> list[Row]:
        """Return a table that ends in the only row of its rarest class; empty if there is no such table."""
        classes, labels = self.table.classes(), list(self.table.labels or ())
        if len(classes) < 2:
            return []
        rarest = min(classes, key=labels.count)
        others = [row for row in self.rows if row[1] != rarest]
        return [*others, next(row for row in self.rows if row[1] == rarest)]

    def _replace_greatest(self) -> list[Row]:
        """Return the table with the row of the greatest value, in the first numeric column, at the middle."""
        index = self.table.numeric()[0]
        greatest = max(range(len(self.rows)), key=lambda k: _or_least(self.rows[k][0][index]))
        changed = _replace_cell(self.rows[greatest], index, self._middle(index))
        return [*self.rows[:greatest], changed, *self.rows[greatest + 1 :]]


def _replace_cell(row: Row, index: int, value: Any) -> Row:
    cells, label = row
    return (*cells[:index], value, *cells[index + 1 :]), label


def _or_least(value: float) -> float:
    return -math.inf if math.isnan(value) else value
