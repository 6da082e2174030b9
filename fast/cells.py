"""How the entries of a table are read: every entry on its own, without an error, whatever it is.

An entry is a number if it is one or is a string that spells one, such as "3.5" or "true". It is a category if
both have the same text or the same number. It is a date if it is one or is a string such as "2020-01-31". All
other entries are invalid. A column is never converted as a whole in a way in which one entry could change how
the others are read.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from fractions import Fraction
from math import inf, isnan, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privboost.errors import PreconditionError

Number = int | float | Decimal | Fraction

_SCALARS = [np.dtype(kind).type for kind in "?bhilqBHILQefdgFDG"]
READ = {id(kind) for kind in (Decimal, Fraction, complex, *_SCALARS)}
"""Identities of the types of numbers, beside int, float and str. No method of any other type is called."""

EXACT = 1 << 53
"""Bound on integer categories: smaller integers are still distinct after a conversion to floats."""

INVALID = -1
"""Index of an entry that is none of the categories."""

ISO_DATE = re.compile(
    r"(\d{4}-\d{2}-\d{2})([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?", re.ASCII
)
"""A date, with a time that is not used. Digits alone are no date, whether they are a string or an integer."""

EPOCH = date(1970, 1, 1).toordinal()
"""The day from which days are counted, as Python numbers days."""

NO_DAY = date.min.toordinal() - EPOCH
"""The first day that Python has. A missing date of pandas is an object of Python with this day."""

FEW = 8
"""Largest number of categories that are compared with a whole column, one after the other."""


def plain(value: Any) -> Any:
    """Return a NumPy scalar as a Python scalar, and other values unchanged."""
    return value.item() if isinstance(value, np.generic) else value


def entry_of(entry: Any) -> str | Number | None:
    """Return an entry as a string or a number of Python's own types; None if it is neither.

    The methods of other types are not called, since they may do anything. Strings and numbers of a subclass
    are those of their base class, as in a column that a library makes of them.
    """
    kind = type(entry)
    if issubclass(kind, str):
        return str.__str__(entry)
    if issubclass(kind, bool):
        return bool(entry)
    if issubclass(kind, int):
        return int.__int__(entry)
    if issubclass(kind, float):
        return float.__float__(entry)
    if id(kind) not in READ:
        return None
    if kind is Fraction and not (type(entry.numerator) is int and type(entry.denominator) is int):
        return None
    number: Any = entry.item() if isinstance(entry, np.generic) else entry
    # As in a column that another entry makes one of complex numbers.
    is_complex = isinstance(number, complex | np.clongdouble)
    if is_complex and number.imag:
        return None
    real = number.real if is_complex else number
    # NumPy's long double is no type of Python.
    return float(real) if isinstance(real, np.floating) else real


def number_of(entry: Any) -> Number | None:
    """Return the number that an entry is or spells; None if there is none."""
    try:
        number = entry_of(entry)
        if isinstance(number, str):
            return _parse_number(number)
        if number is None or (isinstance(number, Decimal) and number.is_nan()) or number != number:  # noqa: PLR0124
            return None
    except Exception:
        # Such as a fraction whose denominator was set to 0.
        return None
    return number


def _parse_number(text: str) -> Number | None:
    """Return the number that a string spells; integers are exact."""
    word = text.strip().lower()
    if word in ("true", "false"):
        return word == "true"
    try:
        return int(text)
    except ValueError:
        pass
    try:
        number = float(text)
    except ValueError:
        return None
    return None if isnan(number) else number


def float_of(entry: Any) -> float:
    """Return the nearest float of the number that an entry is or spells; NaN if there is none."""
    number = number_of(entry)
    if number is None:
        return nan
    try:
        return float(number)
    except OverflowError:
        return inf if number > 0 else -inf
    except Exception:
        return nan


def day_of(entry: Any) -> float:
    """Return the day of the date that an entry is or spells, counted from 1970-01-01; NaN if there is none.

    The day is the one that is written: a time and a time zone do not change it.
    """
    kind = type(entry)
    try:
        if issubclass(kind, str):
            match = ISO_DATE.fullmatch(str.__str__(entry).strip())
            day = nan if match is None else date.fromisoformat(match[1]).toordinal() - EPOCH
        elif issubclass(kind, date):
            is_pandas = kind is getattr(sys.modules.get("pandas"), "Timestamp", None)
            # A timestamp of pandas can have a year that Python has not.
            if is_pandas and not date.min.year <= entry.year <= date.max.year:
                return inf if entry.year > 0 else -inf
            day = date.toordinal(entry) - EPOCH
        else:
            day = float(_days_of(np.array([entry]))[0]) if kind is np.datetime64 else nan
    except Exception:
        # Such as the 30th of February.
        return nan
    return nan if day == NO_DAY else float(day)


def _days_of(dates: NDArray[np.datetime64]) -> NDArray[np.float64]:
    days = dates.astype("datetime64[D]")
    numbers = days.astype(np.int64).astype(np.float64)
    return np.where(np.isnat(days) | (numbers == NO_DAY), nan, numbers)


def read_days(column: Any) -> NDArray[np.float64]:
    """Return a column as days counted from 1970-01-01, with NaN for entries that are no dates."""
    declared = getattr(column, "dtype", None)
    if isinstance(declared, np.dtype) and declared.kind == "M":
        try:
            return _days_of(np.asarray(column))
        except Exception:
            # Some entry is too far away.
            return np.array([day_of(entry) for entry in np.asarray(column)])
    entries = read_column(column)
    if not isinstance(entries, list):
        return np.full(len(entries), nan)
    return np.fromiter(map(day_of, entries), dtype=np.float64, count=len(entries))


def read_column(column: Any) -> NDArray[Any] | list[Any]:
    """Return a column as an array of booleans, integers or floats, or as a list of its entries.

    The entries of other types, such as differences of times, are all invalid. This is no error, because one
    row may decide whether a column has such a type.
    """
    declared = getattr(column, "dtype", None)
    if isinstance(declared, np.dtype):
        if declared.kind in "biuf":
            return np.asarray(column)
        return np.asarray(column).tolist() if declared.kind in "OUTc" else [None] * len(column)
    convert = getattr(column, "to_list", None)
    try:
        return list(column if convert is None else convert())
    except Exception:
        # Some entry has no value in Python, such as a string of Arrow that is not valid.
        at = getattr(column, "iloc", column)
        return [_entry_at(at, row) for row in range(len(column))]


def _entry_at(column: Any, row: int) -> Any:
    try:
        return column[row]
    except Exception:
        return None


def read_numbers(column: Any) -> NDArray[Any]:
    """Return a column as numbers, with NaN for invalid entries; a column of floats is not copied."""
    declared = getattr(column, "dtype", None)
    if not isinstance(declared, np.dtype) and getattr(declared, "kind", "O") in "biuf":
        # A nullable type of pandas.
        numbers: NDArray[Any] = column.to_numpy(dtype=np.float64, na_value=np.nan)
        return numbers
    entries = read_column(column)
    # Numbers of more digits may overflow; a warning would tell about rows.
    with np.errstate(all="ignore"):
        if isinstance(entries, list):
            return np.fromiter(map(float_of, entries), dtype=np.float64, count=len(entries))
        is_read_directly = entries.dtype in (np.float32, np.float64)
        return entries if is_read_directly else entries.astype(np.float64)


class Categories:
    """The index of every entry of a column in a public list of categories.

    Requires: strings, booleans, and numbers below 2^53, all different, also if they are written as strings.
    """

    def __init__(self, categories: Sequence[Any], argument: str) -> None:
        numbers = [(_key(category, argument), index) for index, category in enumerate(categories)]
        self._exact = {category: index for index, category in enumerate(categories)}
        self._texts = {str(category): index for index, category in enumerate(categories)}
        keys = [(number, index) for number, index in numbers if number is not None]
        times = Counter(number for number, _ in keys)
        self._numbers = {number: index for number, index in keys if times[number] == 1}
        # Strings such as "01" and "1" have one number. They are told apart by their text alone.
        twins = [categories[index] for number, index in keys if times[number] > 1]
        self._has_twins = bool(twins)
        if len(self._texts) != len(categories) or not all(isinstance(twin, str) for twin in twins):
            raise PreconditionError(argument, "distinct categories", list(categories))

    def indices(self, column: Any) -> NDArray[np.int64]:
        """Return the index of the category of every entry, and INVALID for all other entries."""
        # A categorical column of pandas: each of its categories is looked up once.
        is_coded = hasattr(getattr(column, "cat", None), "codes")
        entries = read_column(column.cat.categories if is_coded else column)
        if isinstance(entries, list) or self._has_twins or len(self._numbers) > FEW:
            indices = self._of_list(entries if isinstance(entries, list) else entries.tolist())
        else:
            # A warning of an overflow would tell about rows.
            with np.errstate(all="ignore"):
                wide = entries.astype(np.float64) if entries.dtype.kind == "f" else entries
            indices = np.full(len(wide), INVALID, dtype=np.int64)
            for number, index in self._numbers.items():
                indices[wide == number] = index
        if is_coded:
            # Missing entries have the code -1: the last item.
            indices = np.append(indices, INVALID)[np.asarray(column.cat.codes)]
        return indices

    def _of_list(self, entries: list[Any]) -> NDArray[np.int64]:
        # Most entries are strings or integers, which are looked up first.
        listed = [
            self._exact.get(entry, INVALID) if type(entry) is str or type(entry) is int else INVALID
            for entry in entries
        ]
        indices = np.array(listed, dtype=np.int64)
        for row in np.flatnonzero(indices == INVALID):
            indices[row] = self._index(entries[row])
        return indices

    def _index(self, entry: Any) -> int:
        number = number_of(entry)
        text = str.__str__(entry) if issubclass(type(entry), str) else None
        if text is not None and (index := self._texts.get(text)) is not None:
            return index
        try:
            if number is None or not -EXACT < number < EXACT:
                return INVALID
            # An integer has the same text if another entry makes its column one of floats.
            if text is None and number == int(number):
                text = str(int(number))
            elif isinstance(number, float):
                text = str(number)
            index = self._texts.get(text or "")
            return self._numbers.get(number, INVALID) if index is None else index
        except Exception:
            return INVALID


def _key(category: Any, argument: str) -> Number | None:
    """Return the number of a category if an entry can match it by its number.

    Ensures: PreconditionError if the category is not a string, a boolean or a number below 2^53.
    """
    number = number_of(category)
    is_exact = number is not None and -EXACT < number < EXACT
    if not isinstance(category, str) and not (is_exact and isinstance(category, bool | int | float)):
        wanted = "categories that are strings, booleans or numbers below 2^53, whose floats are distinct"
        raise PreconditionError(argument, wanted, repr(category))
    return number if is_exact else None


def is_list(X: Any) -> bool:  # noqa: N803
    """Return whether rows or labels are a list, or another sequence of Python."""
    return isinstance(X, Sequence) and not isinstance(X, str | bytes)


def read_table(X: Any, names: Sequence[str]) -> tuple[list[str] | None, list[Any]]:  # noqa: N803
    """Return the names of the columns of a table, if it has names, and its columns.

    A table is a data frame, a mapping from names to columns, an array, or a list of rows. A list has one
    column for each of `names`, whatever the lengths of its rows, which are lists, tuples, arrays or dicts.
    """
    if isinstance(X, Mapping):
        columns = list(X.values())
        if len({len(column) for column in columns}) > 1:
            raise PreconditionError("X", "columns of the same length", "columns of different lengths")
        return list(map(str, X)), columns
    if hasattr(X, "columns"):
        frame = X.iloc if hasattr(X, "iloc") else None
        columns = [X[name] if frame is None else frame[:, index] for index, name in enumerate(X.columns)]
        return list(map(str, X.columns)), columns
    if is_list(X):
        return None, [[_entry(row, index, name) for row in X] for index, name in enumerate(names)]
    table = np.asarray(X)
    if table.ndim != 2:
        raise PreconditionError("X", "a table with rows and columns", f"{table.ndim} dimensions")
    return None, [table[:, index] for index in range(table.shape[1])]


def _entry(row: Any, index: int, name: str) -> Any:
    """Return an entry of a row, and None if the row is too short or is not a row at all."""
    kind = type(row)
    if issubclass(kind, dict):
        try:
            return dict.get(row, name)
        except Exception:
            # Another key of the row cannot be compared.
            return None
    for base in (list, tuple):
        if issubclass(kind, base):
            return base.__getitem__(row, index) if index < base.__len__(row) else None
    is_row = kind is np.ndarray and row.ndim == 1
    return row[index] if is_row and index < len(row) else None
