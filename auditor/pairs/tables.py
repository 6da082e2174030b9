"""Tables of rows and labels, from a CSV file or from arrays."""

from __future__ import annotations

import csv
import io
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from privboost.errors import UsageError
from privboost.files import read_file
from privboost.printing import shorten

MISSING = ("", "na", "nan", "null", "none")
"""Cells without a value, in any case."""

FEWEST_ROWS = 4
LONGEST_LIST = 1000
"""Maximum number of characters of column names in a message."""


@dataclass(frozen=True, slots=True)
class TableOfRows:
    """Rows of numbers and strings; a missing number is NaN, a missing string None."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    labels: tuple[Any, ...] | None = None
    """One label per row; None without a label column."""

    def numeric(self) -> list[int]:
        """Return the indices of the columns that hold numbers."""
        return [
            index
            for index in range(len(self.columns))
            if all(isinstance(row[index], float) for row in self.rows)
        ]

    def classes(self) -> list[Any]:
        """Return the labels that occur, in order of first appearance; empty for a regression or no labels."""
        labels = list(dict.fromkeys(self.labels or ()))
        whole = all(isinstance(label, str | int) for label in labels)
        return labels if whole and len(labels) <= max(2, len(self.rows) // 2) else []


def read_table(path: Path | str, label: str | None) -> TableOfRows:
    """Return the table of a CSV file with a header line; `label` names the column of labels.

    A column whose cells are all numbers is numeric, and integer labels are kept as integers.
    Ensures: UsageError with file and line for a file that is no such table.
    """
    lines = [row for row in csv.reader(io.StringIO(_content(path))) if row]
    if len(lines) <= FEWEST_ROWS:
        raise _refusal(f"a header and at least {FEWEST_ROWS} rows", f"{len(lines)} lines in '{path}'")
    header, *rows = lines
    names = [name.strip() for name in header]
    if len(set(names)) < len(names):
        raise _refusal("different column names", f"{_list_names(names)} in '{path}'")
    for number, row in enumerate(rows, start=2):
        if len(row) != len(names):
            raise _refusal(f"{len(names)} cells", f"{len(row)} in row {number} of '{path}'")
    if label is not None and label not in names:
        raise _refusal(f"one of {_list_names(names)}", repr(label), "label")
    by_name = {name: _column([row[index].strip() for row in rows]) for index, name in enumerate(names)}
    labels = None if label is None else _labels(by_name.pop(label), label)
    if not by_name:
        raise _refusal("a column besides the label", f"none in '{path}'")
    return TableOfRows(tuple(by_name), tuple(zip(*by_name.values(), strict=True)), labels)


def table_of(X: Any, y: Any = None) -> TableOfRows:  # noqa: N803
    """Return the table of rows and labels: arrays, lists or a data frame, whose columns keep their names.

    Ensures: UsageError for what is no such table.
    """
    names = tuple(map(str, X.columns)) if hasattr(X, "columns") else None
    cells = np.asarray(X, dtype=object)
    if cells.ndim != 2 or len(cells) < FEWEST_ROWS or not cells.shape[1]:
        expected = f"a table with at least {FEWEST_ROWS} rows and a column"
        raise _refusal(expected, f"an array of shape {cells.shape}", "X")
    columns = [_column([_cell(cell) for cell in column]) for column in cells.T.tolist()]
    labels = None if y is None else np.asarray(y).tolist()
    if labels is not None and (np.ndim(y) != 1 or len(labels) != len(cells)):
        raise _refusal(f"one label for each of {len(cells)} rows", f"shape {np.shape(y)}", "y")
    named = names or tuple(f"x{index}" for index in range(len(columns)))
    return TableOfRows(named, tuple(zip(*columns, strict=True)), labels and _labels(labels, "y"))


def _cell(cell: Any) -> str:
    """Return a cell as it would be written in a file."""
    if isinstance(cell, bool | np.bool_):
        return str(int(cell))
    return "" if cell is None else str(cell)


def _refusal(expected: str, got: str, argument: str = "table") -> UsageError:
    return UsageError(f"expected {expected}, got {got}", argument=argument)


def _list_names(names: list[str]) -> str:
    return shorten(", ".join(names), LONGEST_LIST)


def _content(path: Path | str) -> str:
    try:
        return read_file(Path(path)).decode("utf-8-sig")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise _refusal("a CSV file", f"'{path}' ({reason})") from None


def _column(cells: list[str]) -> list[Any]:
    """Return a column as floats if all cells are numbers or missing, else as strings."""
    try:
        return [float("nan") if cell.lower() in MISSING else float(cell) for cell in cells]
    except ValueError:
        return [None if cell.lower() in MISSING else cell for cell in cells]


def _labels(column: list[Any], name: str) -> tuple[Any, ...]:
    if any(label is None or (isinstance(label, float) and math.isnan(label)) for label in column):
        raise _refusal("a label in every row", f"a missing one in {name!r}", "label")
    if all(isinstance(label, float) and label.is_integer() for label in column):
        return tuple(int(label) for label in column)
    return tuple(column)
