"""Entries of tables as numbers and categories: every one on its own, and never an error."""

from __future__ import annotations

from collections import deque
from decimal import Decimal
from enum import IntEnum
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privboost.errors import PreconditionError
from privboost.fast.cells import EXACT, INVALID, Categories, float_of, number_of, read_numbers, read_table


class Rude(float):
    """A number that cannot be compared, hashed or converted."""

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("private")

    __hash__ = None  # type: ignore[assignment]

    def __float__(self) -> float:
        raise RuntimeError("private")


@pytest.mark.parametrize(
    ("entry", "number"),
    [
        (3, 3),
        ("3", 3),
        (" 3.5 ", 3.5),
        ("1e3", 1000),
        (True, 1),
        (Rude(3), 3),
        ("False", 0),
        ("TRUE", 1),
        (np.float32(0.5), 0.5),
        (np.bool_(True), 1),
        (Decimal("0.25"), 0.25),
        (Fraction(1, 4), 0.25),
        (10**400, np.inf),
        ("-" + "9" * 400, -np.inf),
        ("9" * 5000, np.inf),
        (Decimal("-1e999"), -np.inf),
        ("-inf", -np.inf),
        *[
            (entry, None)
            for entry in (
                *(None, np.nan, "nan", Decimal("sNaN"), pd.NA, pd.NaT, "", "x", b"3", 3j, [3], {}, object()),
                *(np.datetime64(3, "ns"), np.timedelta64(3, "s"), pd.Timestamp(3), float),
            )
        ],
    ],
)
def test_number__is_what_an_entry_is_or_spells(entry: Any, number: float | None) -> None:
    assert (number_of(entry) is None) == (number is None)
    assert np.array_equal(float_of(entry), np.nan if number is None else number, equal_nan=True)


class Word(str):
    """A string of another type."""

    __slots__ = ()


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ([3 + 0j, "no"], [3 + 0j, [1, 2]]),
        ([Word("no"), 3], [Word("no"), Decimal("sNaN")]),
        (pd.Series([3, 4]), pd.Series([3, 2j])),
        (np.array([3.0, 4.0]), np.array([3.0, np.longdouble("1e4000")])),
    ],
    ids=["hash", "hash of a string", "complex", "overflow"],
)
def test_categories__another_entry_changes_no_type_and_no_way_of_looking_up(first: Any, second: Any) -> None:
    categories = Categories(("no", 3), "categories")
    assert categories.indices(first)[0] == categories.indices(second)[0] != INVALID
    assert np.array_equal(read_numbers(first)[:1], read_numbers(second)[:1], equal_nan=True)


CELLS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=4),
    st.sampled_from(["1", "01", "1.0", "true", "no", b"no", 2**53, 2**53 + 1, -(2**53), [], {}, pd.NA]),
    st.decimals(),
    st.fractions(),
)


@given(st.lists(CELLS, min_size=1, max_size=6))
def test_categories__column_is_read_as_each_of_its_entries(column: list[Any]) -> None:
    for listed in (("no", "yes"), (0, 1), (False, True), ("01", "1", 2), (-0.5, 0.25)):
        categories = Categories(listed, "categories")
        whole = categories.indices(column)
        alone = [categories.indices([entry]).tolist() for entry in column]
        assert whole.tolist() == [index for indices in alone for index in indices]


@given(st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(-2, 3), min_size=1, max_size=5))
def test_categories__integers_are_the_same_in_any_kind_of_column(column: list[int]) -> None:
    for listed in ((0, 1), ("1", "2"), ("01", "1"), (EXACT - 1, 1)):
        categories = Categories(listed, "categories")
        expected = categories.indices(column).tolist()
        for other in (
            np.array(column),
            np.array(column, dtype=object),
            np.array(column, dtype=np.float64),
            pd.Series(column),
            pd.Series([*column, None])[:-1],
            pd.Series(column, dtype="Int64"),
            pd.Series(column).astype("category"),
        ):
            assert categories.indices(other).tolist() == expected


def test_categories__match_by_text_or_by_number() -> None:
    categories = Categories(("no", "7", 2.5, True), "categories")
    column = ["no", "No", 7, "7", "7.0", 7.0, "2.50", True, "true", 1, None, 2.5]
    assert categories.indices(column).tolist() == [0, INVALID, 1, 1, 1, 1, 2, 3, 3, 3, INVALID, 2]


@pytest.mark.parametrize(
    "listed",
    [("a", "a"), (1, "1"), (1, 1.0), (1, True), (1, "1.0"), (None,), (float("nan"),), (2**53,), ((),)],
)
def test_categories__that_entries_could_confuse_are_refused(listed: tuple[Any, ...]) -> None:
    with pytest.raises(PreconditionError, match=r"^colour: expected .*categories"):
        Categories(listed, "colour")


def test_columns__of_other_types_are_invalid_and_no_error() -> None:
    for kind in ("datetime64[ns]", "timedelta64[s]", "S3"):
        column = np.zeros(2, dtype=kind)
        assert np.isnan(read_numbers(column)).all()
        for other in (column, pd.Series(column).astype("category")):
            assert Categories((0, 1), "categories").indices(other).tolist() == [INVALID] * 2


def test_rows__of_a_list_are_sequences_or_mappings_of_any_length() -> None:
    rows = [[1, 2], (3,), np.array([4.0, 5.0, 6.0]), {"b": 7}, None, "89", np.zeros((1, 2))]
    names, (first, second) = read_table(rows, ("a", "b"))
    assert names is None
    assert first == [1, 3, 4.0, None, None, None, None]
    assert second == [2, None, 5.0, 7, None, None, None]


def nest(depth: int) -> Any:
    """Return a tuple in a tuple, and so on, whose hash would need more stack than there is."""
    entry: Any = ()
    for _ in range(depth):
        entry = (entry,)
    return entry


class Hostile:
    """An object whose methods end the process if they are called."""

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        raise SystemExit

    def __hash__(self) -> int:
        raise SystemExit

    def __eq__(self, other: object) -> bool:
        raise SystemExit


class Size(IntEnum):
    """Integers with names."""

    SMALL = 1


def test_entries__of_other_types_are_not_touched() -> None:
    broken, rude = Fraction(1, 2), Fraction(1, 2)
    broken._denominator = 0  # type: ignore[attr-defined]
    rude._numerator = Hostile()  # type: ignore[attr-defined]
    odd = [nest(10**6), Hostile(), broken, Fraction(1, 10**5000), b"1", deque([1]), rude]
    assert np.isnan(read_numbers([entry for row, entry in enumerate(odd) if row != 3])).all()
    assert Categories((0, 1), "categories").indices(odd).tolist() == [INVALID] * len(odd)
    _, (column,) = read_table(odd, ("a",))
    assert column[1:5] == [None] * 4


def test_entries__of_subclasses_are_those_of_their_base_class() -> None:
    class Text(str):
        __slots__ = ()

        def strip(self, *_: Any) -> str:
            raise SystemExit

    column = [Size.SMALL, Text("1"), np.str_("1"), np.int8(1), np.float32(1), 1 + 0j]
    assert read_numbers(column).tolist() == [1.0] * 6
    assert Categories((0, 1), "categories").indices(column).tolist() == [1] * 6
