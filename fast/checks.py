"""Checks of rows against their declaration, for the eyes of their owner. They are not private."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np

from privboost.printing import format_value, truncate
from privboost.tables import Format, Table, render

from .cells import plain
from .features import Categorical, Date, Feature

NOT_PRIVATE = "NOT PRIVATE: this table tells about rows. It is for the owner of the data only."
N_EXAMPLES = 3
"""Number of different entries that are shown of a column."""
WIDEST, NARROW = 24, 18
"""Maximum lengths in a printed table, of a declaration and of other strings. Two dates need 24."""

HEADS = (
    "column",
    "declared",
    "rows",
    "invalid",
    "below",
    "above",
    "counted as",
    "examples",
    "used",
    "unused",
)


@dataclass(frozen=True, slots=True)
class ColumnCheck:
    """How many entries of a column, or labels, are outside of their declaration. Not private.

    Parameters
    ----------
    name : str
        Name of the feature, or ``'y'``.
    declared : str
        The declaration: bounds, first and last date, or categories.
    n_rows : int
        Number of entries.
    n_invalid : int
        Number of entries that are missing, not of the declared kind, or none of the categories.
    n_below : int
        Number of entries below the lower bound or before the first date, which count there.
    n_above : int
        Number of entries above the upper bound or after the last date, which count there.
    invalid_value : str
        The value that invalid entries have in a fit with ``invalid='lowest'``.
    examples : tuple of (str, int)
        The most frequent of these entries, and how often they occur.
    used : str
        How many of the values of the declaration occur, such as ``'1 of 10'``. Few mean a range too wide.
    unused : tuple of str
        Categories or classes that do not occur. If there are invalid entries, one may be misspelt.
    """

    name: str
    declared: str
    n_rows: int
    n_invalid: int
    n_below: int
    n_above: int
    invalid_value: str
    examples: tuple[tuple[str, int], ...]
    used: str
    unused: tuple[str, ...]

    def to_cells(self) -> tuple[str, ...]:
        """Return the cells of a line of the printed table."""
        counts = (str(count) if count else "" for count in (self.n_invalid, self.n_below, self.n_above))
        examples = ", ".join(f"{entry} ({count})" for entry, count in self.examples)
        strings = (self.invalid_value if self.n_invalid else "", examples, self.used, ", ".join(self.unused))
        short = (truncate(string, NARROW) for string in strings)
        return (self.name, truncate(self.declared, WIDEST), str(self.n_rows), *counts, *short)


@dataclass(frozen=True, slots=True)
class DomainCheck:
    """What `Domain.check` has counted. Print it to see a table. Not private.

    Parameters
    ----------
    columns : tuple of ColumnCheck
        One check for each feature.
    labels : ColumnCheck, default=None
        The check of the labels, if they were given.

    Attributes
    ----------
    n_outside : int
        Number of entries and labels that are outside of their declaration.
    """

    columns: tuple[ColumnCheck, ...]
    labels: ColumnCheck | None = None

    @property
    def n_outside(self) -> int:
        """Return the number of entries and labels that are outside of their declaration."""
        return sum(check.n_invalid + check.n_below + check.n_above for check in self._all())

    def _all(self) -> tuple[ColumnCheck, ...]:
        return self.columns if self.labels is None else (*self.columns, self.labels)

    def __str__(self) -> str:
        table = Table("check", HEADS, tuple(check.to_cells() for check in self._all()))
        return f"{NOT_PRIVATE}\n{render(table, Format.TEXT).rstrip()}"


def check_column(feature: Feature, column: Any) -> ColumnCheck:
    """Count the entries of a column that are outside of their declaration, which is not private."""
    invalid = feature.is_invalid(column)
    below = above = np.zeros_like(invalid)
    unused: tuple[str, ...] = ()
    occurring = set(feature.codes(column)[~invalid].tolist())
    if isinstance(feature, Categorical):
        names = feature.value_names[: len(feature.categories)]
        declared = ", ".join(names)
        unused = tuple(name for code, name in enumerate(names) if code not in occurring)
    else:
        numbers = feature.read(column)
        below = numbers < feature.lo
        above = numbers >= feature.hi if isinstance(feature, Date) else numbers > feature.hi
        ends = (feature.first, feature.last) if isinstance(feature, Date) else (feature.lo, feature.hi)
        declared = "{} to {}".format(*(f"{end:g}" if isinstance(end, float) else str(end) for end in ends))
    at = getattr(column, "iloc", column)
    outside = Counter(_format_entry(at[row]) for row in np.flatnonzero(invalid | below | above))
    return ColumnCheck(
        feature.name,
        declared,
        len(invalid),
        int(invalid.sum()),
        int(below.sum()),
        int(above.sum()),
        feature.value_names[feature.codes([None])[0]],
        tuple(outside.most_common(N_EXAMPLES)),
        f"{len(occurring)} of {feature.values - feature.missing}",
        unused,
    )


def _format_entry(entry: Any) -> str:
    """Return an entry as a string; a date without its time."""
    return str(entry)[:10] if isinstance(entry, date | np.datetime64) else format_value(plain(entry))
