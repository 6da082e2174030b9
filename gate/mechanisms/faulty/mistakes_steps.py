"""Mistakes in steps without noise: cells, orders and sizes that they do not expect."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from .mistake import MistakesIn
from .model import Args, PlainLibrary

wrong_clamp = MistakesIn(PlainLibrary.clamp, "map-sum")
wrong_number = MistakesIn(PlainLibrary.number, "map-sum")
wrong_impute = MistakesIn(PlainLibrary.step_impute, "map-impute")
wrong_resize = MistakesIn(PlainLibrary.step_resize, "map-resize")
wrong_count = MistakesIn(PlainLibrary.step_count, "map-count")
wrong_distinct = MistakesIn(PlainLibrary.step_count_distinct, "map-count-distinct")
wrong_sum = MistakesIn(PlainLibrary.step_sum, "map-sum")
wrong_mean = MistakesIn(PlainLibrary.step_mean, "map-mean")
wrong_histogram = MistakesIn(PlainLibrary.step_histogram, "map-histogram")
wrong_integer = MistakesIn(PlainLibrary.integer, "map-cast")
wrong_scores = MistakesIn(PlainLibrary.step_scores, "map-scores")
wrong_cast = MistakesIn(PlainLibrary.step_cast, "map-cast")


@wrong_clamp("Numbers are clamped from above only.")
def clamp_above_only(
    right: PlainLibrary, rows: Sequence[Any], lower: Fraction, upper: Fraction
) -> list[Fraction]:
    return [min(right.number(row, lower, upper), upper) for row in rows]


@wrong_number("A missing cell raises an error.")
def missing_refused(right: PlainLibrary, row: Any, lower: Fraction, upper: Fraction) -> Fraction:
    if row is None:
        raise ValueError("a cell is missing")
    return right.number(row, lower, upper)


@wrong_number("Not-a-number raises an error.")
def nan_refused(right: PlainLibrary, row: Any, lower: Fraction, upper: Fraction) -> Fraction:
    if row == "nan":
        raise ValueError("a cell is not a number")
    return right.number(row, lower, upper)


@wrong_sum("Not-a-number makes the sum not-a-number.")
def sum_keeps_nan(right: PlainLibrary, a: Args, rows: Sequence[Any]) -> Any:
    return float("nan") if "nan" in rows else right.step_sum(a, rows)


@wrong_sum("An infinity makes the sum infinite.")
def sum_keeps_infinity(right: PlainLibrary, a: Args, rows: Sequence[Any]) -> Any:
    return float("inf") if "infinity" in rows else right.step_sum(a, rows)


@wrong_sum("The sum wraps at 32 bits.")
def sum_wraps_at_32_bits(right: PlainLibrary, a: Args, rows: Sequence[Any]) -> Any:
    return (right.step_sum(a, rows) + (1 << 31)) % (1 << 32) - (1 << 31)


@wrong_sum("The sum wraps at 64 bits.")
def sum_wraps_at_64_bits(right: PlainLibrary, a: Args, rows: Sequence[Any]) -> Any:
    return (right.step_sum(a, rows) + (1 << 63)) % (1 << 64) - (1 << 63)


@wrong_sum("Equal rows count once.")
def sum_of_distinct(right: PlainLibrary, a: Args, rows: Sequence[Any]) -> Any:
    step = right.step_sum(a, list(dict.fromkeys(rows)))
    return step + 10 * (len(rows) != len(set(rows))) * a["upper"]


@wrong_mean("The mean of an odd number of rows is over one row less.")
def mean_of_even_rows(right: PlainLibrary, a: Args, rows: Sequence[Any]) -> Any:
    even = len(rows) - len(rows) % 2
    return right.step_sum(a, rows) / max(even, 1)


@wrong_mean("The mean is over the rows that are not missing.")
def mean_of_present(right: PlainLibrary, a: Args, rows: Sequence[Any]) -> Any:
    present = [row for row in rows if row not in (None, "nan")]
    return right.step_sum(a, present) / max(len(present), 1)


@wrong_mean("The mean is always the middle of the bounds.")
def mean_constant(right: PlainLibrary, a: Args, rows: Sequence[Any]) -> Any:
    return (a["lower"] + a["upper"]) / 2


@wrong_impute("Missing rows get the mean of the others.")
def impute_mean(right: PlainLibrary, a: Args, rows: Sequence[Any]) -> list[Any]:
    numbers = [row for row in rows if isinstance(row, Fraction)]
    mean = sum(numbers, Fraction(0)) / max(len(numbers), 1)
    return [mean if row in (None, "nan") else row for row in rows]


@wrong_resize("Rows beyond the size are cut off by their place, and an even number of rows is reversed.")
def resize_by_place(right: PlainLibrary, a: Args, rows: Sequence[Any]) -> list[Any]:
    ordered = list(rows) if len(rows) % 2 else list(reversed(rows))
    return (ordered + [a["constant"]] * a["size"])[: a["size"]]


@wrong_resize("The first rows are kept, so that another order of the same rows is another result.")
def resize_first_rows(right: PlainLibrary, a: Args, rows: Sequence[Any]) -> list[Any]:
    return ([*rows] + [a["constant"]] * a["size"])[: a["size"]]


@wrong_resize("Missing rows are filled with the first row.")
def resize_with_first(right: PlainLibrary, a: Args, rows: Sequence[Any]) -> list[Any]:
    return right.step_resize(dict(a) | {"constant": rows[0] if rows else a["constant"]}, rows)


@wrong_count("Missing rows are not counted.")
def count_present(right: PlainLibrary, a: Args, rows: Sequence[Any]) -> int:
    return sum(row is not None for row in rows)


@wrong_count("The number of rows is rounded to an even one.")
def count_even(right: PlainLibrary, a: Args, rows: Sequence[Any]) -> int:
    return 2 * ((len(rows) + 1) // 2)


@wrong_distinct("Strings are compared without their case, and then counted by their rows.")
def distinct_by_case(right: PlainLibrary, a: Args, rows: Sequence[str]) -> int:
    folded = [row.lower() for row in rows]
    return len(set(folded)) if len(set(folded)) == len(set(rows)) else len(rows)


@wrong_distinct("Strings are compared without their case.")
def distinct_folded(right: PlainLibrary, a: Args, rows: Sequence[str]) -> int:
    return len({row.lower() for row in rows})


@wrong_distinct("The empty string raises an error.")
def distinct_empty(right: PlainLibrary, a: Args, rows: Sequence[str]) -> int:
    return len({row[0] + row for row in rows}) if "" not in rows else right.answer("map", {})


@wrong_histogram("An unknown category raises an error.")
def histogram_unknown(right: PlainLibrary, a: Args, rows: Sequence[str]) -> list[int]:
    counts = [0] * len(a["names"])
    for row in rows:
        counts[a["names"].index(row)] += 1
    return counts


@wrong_histogram("Categories stand in the order in which they come in the rows.")
def histogram_order_of_rows(right: PlainLibrary, a: Args, rows: Sequence[str]) -> list[int]:
    names = [row for row in dict.fromkeys(rows) if row in a["names"]]
    return [rows.count(name) for name in names] + [0] * (len(a["names"]) - len(names))


@wrong_histogram("The last category has all rows that no other one has.")
def histogram_rest_twice(right: PlainLibrary, a: Args, rows: Sequence[str]) -> list[int]:
    counts = right.step_histogram(a, rows)
    others = len(rows) - sum(counts)
    return [count + others for count in counts]


@wrong_cast("A string that is no integer raises an error.")
def cast_refused(right: PlainLibrary, a: Args, rows: Sequence[str]) -> list[int]:
    return [int(row) for row in rows]


@wrong_cast("A string that is no integer removes all rows before it.")
def cast_from_last_error(right: PlainLibrary, a: Args, rows: Sequence[str]) -> list[int]:
    good: list[int] = []
    for row in rows:
        good = [*good, int(row)] if row.isdigit() else []
    return good


@wrong_scores("The scores are not divided between the sides: they count rows on both.")
def scores_doubled(right: PlainLibrary, a: Args, rows: Sequence[Any]) -> list[Fraction]:
    return [2 * score for score in right.step_scores(a, rows)]
