"""Input paths of the estimators: ways to pass rows to `fit`, and the entries that each of them can hold."""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import repeat
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import strategies as st
from numpy.typing import NDArray

from privboost.fast import ArraySource, Categorical, Date, Domain, Numeric, ParquetSource

pandas = pytest.importorskip("pandas")
pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")
arrays = pytest.importorskip("dask.array")

Array = NDArray[Any]
Row = Sequence[Any]
"""The features and the label of a row."""

BIG = 2**53
"""The least integer such that it and the next one are the same float."""

MIXED = Domain(
    (
        Numeric("a", 0.0, 10.0, 5, missing=True),
        Categorical("b", ("x", "y", "z")),
        Categorical("c", (7, BIG - 1, str(BIG), str(BIG + 1))),
        Categorical("d", (False, True), missing=True),
    )
)
SMALL = Domain((*MIXED.features[:2], Categorical("c", (7, 8, 9)), MIXED.features[3]))
DATES = Domain(
    (Date("a", "2019-12-01", "2020-12-31", 7), Date("b", "1960-01-01", "2030-01-01", missing=True))
)
NUMBERS = Domain((Numeric("a", 0.0, 10.0, 5), Numeric("b", -1.0, 1.0, 4)))
WORDS = Domain((Categorical("a", ("x", "y", "z")), Categorical("b", ("1", "2", "nan"))))


# Entries -------------------------------------------------------------------------------------------------


def refuse(*_: object) -> Any:
    """Raise an exception."""
    raise RuntimeError("compared, hashed, converted or tested")


class Hostile:
    """An entry that raises an exception whatever is asked of it."""

    __eq__ = __hash__ = __float__ = __bool__ = refuse

    def __repr__(self) -> str:
        return "Hostile()"


class HostileInteger(int):
    """An integer that cannot be compared."""

    __eq__ = __lt__ = __abs__ = refuse
    __hash__ = int.__hash__


class Disguised(str):
    """A string that is equal to others and says otherwise."""

    __slots__ = ()

    def __str__(self) -> str:
        return "y"


Cells = dict[str, tuple[Any, ...]]
"""Entries by their class, a key of the table of hostile classes."""

DAYS: Cells = {
    "null": (pandas.NaT, np.datetime64("NaT")),
    "outside_bounds": (
        pandas.Timestamp(0),
        pandas.Timestamp(np.datetime64("20000-01-01", "s")),
        datetime.date.min,
    ),
    "at_bounds": (datetime.date(2020, 12, 31), np.datetime64("2019-12-01")),
    "ordinary": (
        pandas.Timestamp("2020-03-01 23:30", tz="America/New_York"),
        np.datetime64("2020-02-29T12:00"),
        datetime.date(2020, 1, 1),
        datetime.datetime(2020, 7, 1, 23, 59, tzinfo=datetime.timezone(datetime.timedelta(hours=9))),
    ),
}
"""Dates and times, with classes for a feature from 2019-12-01 to 2020-12-31."""
ODD: Cells = {
    "null": (None, pandas.NA),
    "nan": (float("nan"),),
    "infinity": (float("inf"), -float("inf")),
    "negative_zero": (-0.0,),
    "subnormal": (5e-324, -2.2250738585072009e-308),
    "magnitudes": (1e300, -1e300, Decimal("1e9999999"), np.float32(3e38)),
    "integer_limits": (2**31 - 1, 2**31, 2**63 - 1, -(2**63), np.uint64(2**64 - 1), np.int8(127)),
    "at_bounds": (0.0, 10.0, 2.0, math.nextafter(2.0, 0.0), np.float64(10)),
    "outside_bounds": (math.nextafter(10.0, 11.0), -1, 1000, Fraction(-7, 2)),
    "source_constant": (BIG - 1, BIG, BIG + 1, str(BIG + 1), 256, 255),
    "empty_string": ("", np.str_("")),
    "odd_string": (" ", " x", "X", "nan", "NaN", "x\x00", "e\u0301", "5", "1e999", "None"),
    "undeclared_category": ("undeclared", "w"),
    "wrong_type": (
        *(b"x", Decimal("1.5"), Fraction(7, 2), np.float32(0.1), np.int8(7), np.bool_(True), np.str_("x")),
        *(7 + 0j, 2j),
    ),
}
"""Entries of objects, for features from 0 to 10 in parts of 2, and of the categories x, y and z."""
ODDER: Cells = {
    "magnitudes": (10**400, -(10**400), np.longdouble("1e4000")),
    "nan": (Decimal("sNaN"),),
    "wrong_type": (
        *([1, 2], {"x": 1}, np.array([1.0, 2.0]), np.array(5.0)),
        *(Hostile(), HostileInteger(7), Disguised("x")),
    ),
}
"""Entries that some containers cannot hold, or that cannot be compared."""


def of_type(kind: type) -> Cells:
    """Return the entries of exactly this type, and those classes that have some."""
    own = {key: tuple(each for each in entries if type(each) is kind) for key, entries in ODD.items()}
    return {key: entries for key, entries in own.items() if entries}


def cells_of(*tables: Cells) -> st.SearchStrategy[Any]:
    """Return a strategy of the entries of tables: first a class, then one of its entries."""
    by_class = [entries for table in tables for entries in table.values()]
    # Entries that cannot be compared are drawn by their index.
    return st.sampled_from(range(len(by_class))).flatmap(
        lambda of_class: st.integers(0, len(by_class[of_class]) - 1).map(by_class[of_class].__getitem__)
    )


ORDINARY = (0, 1, 3.5, 7, 8, -1, 12, "x", "y", "w", True, False)
plain = st.sampled_from((*ORDINARY, BIG - 2, BIG - 1, BIG, BIG + 1))
anything = st.one_of(
    plain, cells_of(ODD), cells_of(DAYS), cells_of(ODDER), st.floats(), st.integers(), st.text(max_size=2)
)
reals = st.one_of(cells_of(of_type(float)), st.floats())
words = st.one_of(st.sampled_from(("x", "y", "z", "1", "2")), cells_of(of_type(str)), st.text(max_size=3))
small_integers = st.integers(-3, 12)
integers = st.one_of(small_integers, cells_of(of_type(int)), st.integers(-(2**63), 2**63 - 1))
hashable = st.one_of(
    st.sampled_from(ORDINARY), st.sampled_from((None, b"x", pandas.NA)), reals, st.text(max_size=2)
)
truths = st.booleans()


def rows_of(*entries: st.SearchStrategy[Any]) -> st.SearchStrategy[Row]:
    """Return a strategy of rows with these entries; the last one is the label."""
    return st.tuples(*entries)


ANY_ROW = rows_of(*[anything] * 5)
HASHABLE_ROW = rows_of(*[hashable] * 5)
TYPED_ROW = rows_of(reals, words, integers, truths, integers)
NULLABLE_ROW = rows_of(*(kind | st.none() for kind in (reals, words, integers, truths, integers)))


class Bare(NamedTuple):
    """Something in place of a row, and its label."""

    row: Any
    label: Any


NO_ROWS: tuple[Any, ...] = (None, 5, "xyz", {}, {"a": 3, "b": "x"}, range(4), np.zeros((2, 2)), Hostile())
NO_ROW = st.builds(Bare, st.integers(0, len(NO_ROWS) - 1).map(NO_ROWS.__getitem__), anything)
RAGGED_ROW = st.one_of(ANY_ROW, st.lists(anything, min_size=1, max_size=7), NO_ROW)


# Input paths ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class InputPath:
    """One way to pass rows to a fit: how rows are drawn, and the arguments of `fit` that hold them."""

    domain: Domain
    row: st.SearchStrategy[Row]
    given: Callable[[list[Row], Path], tuple[Any, ...]]
    changed: st.SearchStrategy[Row] | None = None
    """The row that replaces another one; drawn like the others if None."""
    classes: tuple[tuple[Any, Any], ...] = ((0, 1), (BIG - 2, BIG - 1), ("no", "x"))
    size: int = 5
    """Largest number of rows."""


def labels_of(rows: list[Row]) -> list[Any]:
    """Return the labels as a list."""
    return [row[-1] for row in rows]


def columns_of(rows: list[Row]) -> dict[str, list[Any]]:
    """Return the columns by name, the label last, as `y`."""
    names = [*"abcd"[: len(rows[0]) - 1], "y"]
    return {name: [row[index] for row in rows] for index, name in enumerate(names)}


def typed_arrays(kind: str) -> Callable[[list[Row], Path], tuple[Any, ...]]:
    """Return a path by arrays of one type."""

    def give(rows: list[Row], folder: Path) -> tuple[Any, ...]:  # noqa: ARG001
        with np.errstate(over="ignore"):
            table = np.array([row[:-1] for row in rows]).astype(kind)
        return table, np.array(labels_of(rows))

    return give


def typed_frame(*kinds: str) -> Callable[[list[Row], Path], tuple[Any, ...]]:
    """Return a path by a frame whose columns have these types, the label last, or inferred types."""

    def give(rows: list[Row], folder: Path) -> tuple[Any, ...]:  # noqa: ARG001
        columns = zip(columns_of(rows).items(), kinds or repeat(None), strict=bool(kinds))
        frame = pandas.DataFrame(
            {name: pandas.Series(column, dtype=kind) for (name, column), kind in columns}
        )
        return frame.drop(columns="y"), frame["y"]

    return give


def category_frame(rows: list[Row], folder: Path) -> tuple[Any, ...]:  # noqa: ARG001
    """Return a frame of categorical columns, whose declared categories are those that occur."""
    frame = pandas.DataFrame(columns_of(rows), dtype=object).astype("category")
    return frame.drop(columns="y"), frame["y"]


def object_arrays(rows: list[Row], folder: Path) -> tuple[Any, ...]:  # noqa: ARG001
    """Return arrays of objects; an entry may be a sequence itself."""
    table = np.empty((len(rows), len(rows[0])), dtype=object)
    for index, row in enumerate(rows):
        for column, entry in enumerate(row):
            table[index, column] = entry
    return table[:, :-1], table[:, -1]


def lists(rows: list[Row], folder: Path) -> tuple[Any, ...]:  # noqa: ARG001
    """Return lists of lists, which may be of different lengths, or of anything else."""
    return [row.row if isinstance(row, Bare) else list(row[:-1]) for row in rows], labels_of(rows)


def lists_of_arrays(rows: list[Row], folder: Path) -> tuple[Any, ...]:  # noqa: ARG001
    """Return a list of arrays, whose types and lengths may be different."""
    return [np.array(row[:-1]) for row in rows], labels_of(rows)


def list_source(rows: list[Row], folder: Path) -> tuple[Any, ...]:
    """Return a source over lists."""
    return (ArraySource(*lists(rows, folder)),)


def object_source(rows: list[Row], folder: Path) -> tuple[Any, ...]:
    """Return a source over arrays of objects."""
    return (ArraySource(*object_arrays(rows, folder)),)


def mapped_source(rows: list[Row], folder: Path) -> tuple[Any, ...]:
    """Return a source over a memory-mapped file."""
    np.save(folder / "X.npy", np.array([row[:-1] for row in rows], dtype=np.float64))
    return (ArraySource(np.load(folder / "X.npy", mmap_mode="r"), np.array(labels_of(rows))),)


def parquet_source(*kinds: Any) -> Callable[[list[Row], Path], tuple[Any, ...]]:
    """Return a path by a Parquet file whose columns have these types, the label's type last."""

    def give(rows: list[Row], folder: Path) -> tuple[Any, ...]:
        columns = zip(columns_of(rows).items(), kinds, strict=True)
        table = pyarrow.table({name: pyarrow.array(column, kind) for (name, column), kind in columns})
        parquet.write_table(table, folder / "rows.parquet")
        return (ParquetSource(folder / "rows.parquet", "y"),)

    return give


def dask_objects(rows: list[Row], folder: Path) -> tuple[Any, ...]:
    """Return Dask arrays of objects, in partitions of two rows."""
    X, y = object_arrays(rows, folder)  # noqa: N806
    return arrays.from_array(X, chunks=(2, 4)), arrays.from_array(y, chunks=2)


def dask_floats(rows: list[Row], folder: Path) -> tuple[Any, ...]:
    """Return Dask arrays of floats and integers."""
    X, y = typed_arrays("float64")(rows, folder)  # noqa: N806
    return arrays.from_array(X, chunks=(2, 1)), arrays.from_array(y, chunks=3)


ISO_DATES = ("2020-02-29", "2019-02-29", "2020-06-01T08:00Z", " 2020-01-31 ", "0001-01-01", "20200131")
days = st.one_of(cells_of(DAYS), st.sampled_from(ISO_DATES), st.dates(), st.datetimes())
DATE_ROW = rows_of(days, days, small_integers)
ODD_DATE_ROW = rows_of(*[st.one_of(days, anything)] * 2, small_integers)
STAMP_ROW = rows_of(*[st.datetimes() | st.none()] * 2, small_integers)
DATE_KINDS = (pyarrow.date32(), pyarrow.timestamp("us"), pyarrow.int64())
FLOAT_ROW = rows_of(reals, reals, small_integers)
LONG_ROW = rows_of(*[st.one_of(reals, st.just(np.longdouble("1e4000")))] * 3)
INTEGER_ROW = rows_of(integers, integers, integers)
WORD_ROW = rows_of(words, words, words)
WORD_CLASSES = (("x", "y"), ("1", "2"))
SMALL_CLASSES = ((0, 1), (False, True), ("x", "y"))

PARQUET = (pyarrow.float64(), pyarrow.string(), pyarrow.int64(), pyarrow.bool_(), pyarrow.int64())
ENCODED = (pyarrow.float32(), pyarrow.dictionary(pyarrow.int8(), pyarrow.string()), *PARQUET[2:])

PATHS = {
    "float64 arrays": InputPath(NUMBERS, FLOAT_ROW, typed_arrays("float64")),
    "float32 arrays": InputPath(NUMBERS, FLOAT_ROW, typed_arrays("float32")),
    "long double arrays": InputPath(NUMBERS, LONG_ROW, typed_arrays("longdouble")),
    "int64 arrays": InputPath(NUMBERS, INTEGER_ROW, typed_arrays("int64")),
    "string arrays": InputPath(WORDS, WORD_ROW, typed_arrays("U3"), classes=WORD_CLASSES),
    "object arrays": InputPath(MIXED, ANY_ROW, object_arrays),
    "object arrays, numeric features": InputPath(NUMBERS, rows_of(*[anything] * 3), object_arrays),
    "lists": InputPath(MIXED, ANY_ROW, lists, RAGGED_ROW),
    "lists, numeric features": InputPath(NUMBERS, rows_of(*[anything] * 3), lists, RAGGED_ROW),
    "lists of arrays": InputPath(NUMBERS, FLOAT_ROW, lists_of_arrays, st.one_of(FLOAT_ROW, WORD_ROW)),
    "frame of objects": InputPath(MIXED, ANY_ROW, typed_frame(*["object"] * 5)),
    "frame of plain types": InputPath(
        MIXED, TYPED_ROW, typed_frame("float64", "str", "int64", "bool", "int64")
    ),
    "frame of nullable types": InputPath(
        MIXED, NULLABLE_ROW, typed_frame("Float64", "string", "Int64", "boolean", "Int64")
    ),
    "frame of arrow types": InputPath(
        MIXED,
        NULLABLE_ROW,
        typed_frame(
            "double[pyarrow]", "string[pyarrow]", "int64[pyarrow]", "bool[pyarrow]", "int64[pyarrow]"
        ),
    ),
    "frame of categories": InputPath(MIXED, HASHABLE_ROW, category_frame),
    "frame of inferred types": InputPath(
        SMALL,
        rows_of(*[st.sampled_from(ORDINARY)] * 5),
        typed_frame(),
        rows_of(*[st.one_of(st.sampled_from(ORDINARY), cells_of(ODD, DAYS))] * 5),
        SMALL_CLASSES,
    ),
    "lists of dates": InputPath(DATES, DATE_ROW, lists, RAGGED_ROW),
    "object arrays of dates": InputPath(DATES, DATE_ROW, object_arrays, ODD_DATE_ROW),
    "frame of inferred types, dates": InputPath(DATES, DATE_ROW, typed_frame(), ODD_DATE_ROW),
    "frame of dates": InputPath(
        DATES, STAMP_ROW, typed_frame("datetime64[us]", "timestamp[us][pyarrow]", "int64")
    ),
    "Parquet, dates": InputPath(DATES, STAMP_ROW, parquet_source(*DATE_KINDS)),
    "source of lists": InputPath(MIXED, ANY_ROW, list_source, RAGGED_ROW),
    "source of objects": InputPath(MIXED, ANY_ROW, object_source),
    "source of a memory map": InputPath(NUMBERS, FLOAT_ROW, mapped_source),
    "Parquet": InputPath(MIXED, NULLABLE_ROW, parquet_source(*PARQUET)),
    "Parquet, dictionaries": InputPath(MIXED, NULLABLE_ROW, parquet_source(*ENCODED)),
    "Dask, objects": InputPath(MIXED, ANY_ROW, dask_objects),
    "Dask, floats": InputPath(NUMBERS, FLOAT_ROW, dask_floats),
}
