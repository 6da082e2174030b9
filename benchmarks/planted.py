"""Plain functions with one mistake each, of the kinds that published bugs have, and the same without it.

A deterministic function has a claim of stability: one row moves its result by at most `bound`. A function
with noise has a claim of `epsilon`. `classes` are the hostile classes of which one shows the mistake.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from privboost.auditor.inputs.description import Description, describe_examples

Rng = np.random.Generator
UNIT = "vector:10,low=0,high=1"
ANY = "vector:10"
CATEGORIES = "strings:8,categories=a|b|c"
NULLABLE = describe_examples([[0.5, None, 0.25, 1.0, 0.0, 0.75, None, 0.5]], size=8)
MIXED = describe_examples([[1, 0, 5, "1"], [3, 2, 2, 4]])
"""Inputs that are described by examples: eight numbers of which some are missing, and cells of two types."""


@dataclass(frozen=True, slots=True)
class Planted:
    """A mistake in a function, and the function without it."""

    name: str
    classes: frozenset[str]
    inputs: str | Description
    relation: str
    wrong: Callable[..., Any]
    right: Callable[..., Any]
    bound: Fraction | None = None
    distance: str = "absolute"
    epsilon: float | None = None
    beyond: bool = False
    """Whether only inputs beyond the description show the mistake, which is then no counterexample."""


PLANTED: list[Planted] = []


def register_stable(
    classes: str,
    inputs: str | Description,
    bound: float | str,
    right: Callable[..., Any],
    *,
    relation: str = "add_remove",
    distance: str = "absolute",
    beyond: bool = False,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a deterministic function with a mistake."""

    def register(wrong: Callable[..., Any]) -> Callable[..., Any]:
        name, keys = wrong.__name__.strip("_"), frozenset(classes.split())
        limit = Fraction(bound)
        PLANTED.append(Planted(name, keys, inputs, relation, wrong, right, limit, distance, beyond=beyond))
        return wrong

    return register


def register_private(
    classes: str,
    inputs: str | Description,
    right: Callable[..., Any],
    *,
    relation: str = "add_remove",
    epsilon: float = 1.0,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a function with noise and a mistake."""

    def register(wrong: Callable[..., Any]) -> Callable[..., Any]:
        name, keys = wrong.__name__.strip("_"), frozenset(classes.split())
        PLANTED.append(Planted(name, keys, inputs, relation, wrong, right, epsilon=epsilon))
        return wrong

    return register


def _clamp(number: float, low: float, high: float) -> float:
    return low if math.isnan(number) else min(max(number, low), high)


# Sums and counts ------------------------------------------------------------------------------------------


def clamped_sum(rows: list[float]) -> Fraction:
    """Return the sum of numbers clamped to [0, 1], exactly."""
    return sum((Fraction(_clamp(row, 0.0, 1.0)) for row in rows), Fraction(0))


def clamped_integers(rows: list[int]) -> int:
    """Return the sum of integers clamped to [0, 2^31 - 1]."""
    return sum(min(max(row, 0), 2**31 - 1) for row in rows)


@register_stable("integer_limits at_bounds magnitudes", "integers:5", 2**31 - 1, clamped_integers)
def sum_wraps_at_32_bits(rows: list[int]) -> int:
    """Sum in 32 bits."""
    clamped = np.array([min(max(row, 0), 2**31 - 1) for row in rows], dtype=np.int32)
    return int(clamped.sum(dtype=np.int32))


def clamped_to_62_bits(rows: list[int]) -> int:
    """Return the sum of integers clamped to [0, 2^62]."""
    return sum(min(max(row, 0), 2**62) for row in rows)


@register_stable("integer_limits at_bounds magnitudes", "integers:5", 2**62, clamped_to_62_bits)
def sum_wraps_at_64_bits(rows: list[int]) -> int:
    """Sum in 64 bits."""
    return int(np.array([min(max(row, 0), 2**62) for row in rows], dtype=np.int64).sum())


def sizes(rows: list[int]) -> int:
    """Return the sum of sizes, at most 1000 each."""
    return sum(min(abs(row), 1000) for row in rows)


@register_stable("integer_limits at_bounds", "integers:6,low=-2147483648,high=2147483647", 1000, sizes)
def size_of_least_integer(rows: list[int]) -> int:
    """Take the absolute value in 32 bits, where that of the least integer is negative."""
    return int(np.minimum(np.abs(np.array(rows, dtype=np.int32)), 1000).astype(np.int64).sum())


@register_stable("nan", ANY, 1, clamped_sum)
def clamp_keeps_nan(rows: list[float]) -> float:
    """Clamp by comparisons, which are all false for NaN."""
    return math.fsum(min(max(row, 0.0), 1.0) for row in rows)


def normalise(rows: list[float]) -> Fraction:
    """Return the sum of x / (1 + x) of the positive numbers, which is 1 for infinity."""
    shares = (Fraction(1) if math.isinf(row) else 1 - 1 / (1 + Fraction(row)) for row in rows if row > 0)
    return sum(shares, Fraction(0))


@register_stable("infinity", ANY, 1, normalise)
def normalise_infinity(rows: list[float]) -> float:
    """Divide infinity by infinity."""
    return math.fsum(row / (1 + row) for row in rows if row > 0)


def angles(rows: list[float]) -> float:
    """Return the sum of the angles of sizes, which are all 0."""
    return math.fsum(math.atan2(0.0, abs(row)) for row in rows)


@register_stable("negative_zero", UNIT, 1, angles)
def angle_of_negative_zero(rows: list[float]) -> float:
    """Sum the angles of non-negative numbers, which are 0 but for -0.0."""
    return math.fsum(math.atan2(0.0, row) for row in rows)


def signs(rows: list[float]) -> int:
    """Return the number of positive rows."""
    return sum(row > 0 for row in rows)


@register_stable("subnormal", UNIT, 1, signs)
def inverse_of_subnormal(rows: list[float]) -> float:
    """Multiply by the inverse, which overflows."""
    return sum(row * (1.0 / row) for row in rows if row > 0)


def count_rows(rows: list[Any]) -> int:
    """Return the number of rows."""
    return len(rows)


@register_stable("magnitudes integer_limits at_bounds", "vector:10,low=-1e300,high=1e300", 1, count_rows)
def count_by_difference(rows: list[float]) -> float:
    """Count by two sums, whose difference is rounded."""
    return sum(row + 1 for row in rows) - sum(rows)


@register_stable(
    "integer_limits", "integers:6,low=0,high=9007199254740993", 1, lambda rows: sum(row % 2 for row in rows)
)
def parity_in_doubles(rows: list[int]) -> int:
    """Count odd numbers by the error of rounding to a double, twice where rounding fails."""
    return sum(row % 2 + 2 * abs(int(float(row)) - row) for row in rows)


# Missing values and types ---------------------------------------------------------------------------------


def mean_of_all(rows: list[float | None]) -> Fraction:
    """Return the mean of numbers clamped to [0, 1] over all rows, where a missing one is 0."""
    return sum((Fraction(_clamp(row or 0.0, 0.0, 1.0)) for row in rows), Fraction(0)) / max(len(rows), 1)


@register_stable("null", NULLABLE, "1/8", mean_of_all, relation="exchange")
def mean_of_present(rows: list[float | None]) -> Fraction:
    """Divide by the number of rows that are not missing."""
    present = [Fraction(_clamp(row, 0.0, 1.0)) for row in rows if row is not None]
    return sum(present, Fraction(0)) / max(len(present), 1)


@register_stable("nan", "vector:10,size=10", "1/10", mean_of_all, relation="exchange")
def mean_without_nan(rows: list[float]) -> Fraction:
    """Divide by the number of rows that are not NaN."""
    present = [Fraction(_clamp(row, 0.0, 1.0)) for row in rows if not math.isnan(row)]
    return sum(present, Fraction(0)) / max(len(present), 1)


@register_stable("empty_string", "strings:6", 1, lambda rows: sum(row.startswith("a") for row in rows))
def first_letter(rows: list[str]) -> int:
    """Take the first letter of every string."""
    return sum(row[0] == "a" for row in rows)


def count_known(rows: list[Any]) -> list[int]:
    """Return how often each of three categories occurs."""
    return [sum(row == name for row in rows) for name in ("a", "b", "c")]


@register_stable("odd_string", "strings:6", 1, count_rows)
def rows_joined_by_commas(rows: list[str]) -> int:
    """Count the entries of a line, of which a string with a comma is two."""
    return len(",".join(rows).split(",")) if rows else 0


@register_stable("undeclared_category", CATEGORIES, 1, count_known, distance="l1", beyond=True)
def index_of_category(rows: list[Any]) -> list[int]:
    """Look every row up among the known categories, and fail for another."""
    counts = [0, 0, 0]
    for row in rows:
        counts[("a", "b", "c").index(row)] += 1
    return counts


@register_stable("first_category another_order lone_group no_rows", CATEGORIES, 1, count_known, distance="l1")
def order_of_first_rows(rows: list[str]) -> list[int]:
    """Order the counts by which category comes first in the data."""
    counts = list(Counter(rows).values())
    return counts + [0] * (3 - len(counts))


@register_stable("wrong_type", MIXED, 1, lambda rows: sum(isinstance(row, int) and row > 0 for row in rows))
def sum_of_mixed(rows: list[Any]) -> int:
    """Compare every cell with 0, which fails for a string."""
    return sum(row > 0 for row in rows)


# Numbers of rows, order, groups ---------------------------------------------------------------------------


@register_stable("odd_rows even_rows one_row no_rows", UNIT, 1, count_rows)
def even_number_of_rows(rows: list[float]) -> int:
    """Leave out the last row of an odd number."""
    return len(rows) - len(rows) % 2


@register_stable("odd_rows even_rows one_row", UNIT, 1, count_rows)
def next_even_number_of_rows(rows: list[float]) -> int:
    """Repeat the last row of an odd number."""
    return len(rows) + len(rows) % 2


@register_stable("no_rows", UNIT, 1, lambda rows: math.fsum(rows) / max(len(rows), 1))
def mean_of_none(rows: list[float]) -> float:
    """Divide by the number of rows."""
    return math.fsum(rows) / len(rows)


@register_stable("one_row no_rows", UNIT, 1, lambda rows: float(np.var(rows)) if rows else 0.0)
def variance_of_one(rows: list[float]) -> float:
    """Divide by the number of rows less one."""
    mean = math.fsum(rows) / max(len(rows), 1)
    return math.fsum((row - mean) ** 2 for row in rows) / (len(rows) - 1)


def place_of_mean(rows: list[float]) -> float:
    """Return where the mean of three rows or more is between the least and the greatest, or 0."""
    low, high = min(rows, default=0.0), max(rows, default=0.0)
    is_range = low < high and len(rows) > 2
    return min((math.fsum(rows) / len(rows) - low) / (high - low), 1.0) if is_range else 0.0


@register_stable("equal_rows", UNIT, 1, place_of_mean)
def place_of_equal_rows(rows: list[float]) -> float:
    """Divide by the range of the data, which is 0 if all rows are equal."""
    if len(rows) < 3:
        return 0.0
    return min((math.fsum(rows) / len(rows) - min(rows)) / (max(rows) - min(rows)), 1.0)


@register_stable("another_order", UNIT, 1, clamped_sum)
def first_three_rows(rows: list[float]) -> float:
    """Sum the first three rows, which another order changes."""
    return math.fsum(rows[:3])


def lengths(rows: list[list[float]]) -> int:
    """Return the number of ranges that are longer than 1/4."""
    return sum(math.sqrt(abs(high - low)) > 0.5 for low, high in rows)


@register_stable("bounds", "rows:6,columns=2,low=0,high=1", 1, lengths)
def root_of_swapped_range(rows: list[list[float]]) -> int:
    """Take the root of the length of a range that may descend."""
    return sum(math.sqrt(high - low) > 0.5 for low, high in rows)


def ratio(rows: list[list[float]]) -> float:
    """Return the ratio of the sums of two columns, at most 1; 1 if the second is 0."""
    above, below = sum(a for a, _ in rows), sum(b for _, b in rows)
    return above / below if above < below else 1.0


@register_stable("zero_divisor", "rows:6,columns=2,low=0,high=1", 1, ratio)
def ratio_of_sums(rows: list[list[float]]) -> float:
    """Divide by the sum of a column."""
    return min(1.0, sum(a for a, _ in rows) / sum(b for _, b in rows)) if rows else 1.0


@register_stable(
    "lone_group first_category no_rows",
    CATEGORIES,
    1,
    lambda rows: sum(count > 0 for count in Counter(rows).values()),
)
def drop_lone_groups(rows: list[str]) -> int:
    """Count the rows of groups of two or more."""
    return sum(count for count in Counter(rows).values() if count > 1)


def _bins(rows: list[float]) -> list[int]:
    counts = Counter(min(int(4 * row), 3) for row in rows)
    return [counts[index] for index in range(4)]


@register_stable("at_bounds", UNIT, 1, _bins, distance="l1")
def last_edge_of_bins(rows: list[float]) -> list[int]:
    """Put a value at the upper end into a bin that does not exist."""
    counts = [0] * 4
    for row in rows:
        counts[int(4 * row)] += 1
    return counts


def _finite(rows: list[Any]) -> list[Fraction]:
    return [Fraction(row) for row in rows if isinstance(row, int | float) and math.isfinite(row)]


def clamped_sum_of_anything(rows: list[Any]) -> Fraction:
    """Return the sum of finite numbers clamped to [0, 1], exactly."""
    return sum((min(max(row, Fraction(0)), Fraction(1)) for row in _finite(rows)), Fraction(0))


@register_stable("outside_bounds", UNIT, 1, clamped_sum_of_anything, beyond=True)
def sum_without_clamping(rows: list[Any]) -> Fraction:
    """Sum finite numbers as they are, though some may be beyond the range that is promised."""
    return sum(_finite(rows), Fraction(0))


@register_stable("source_constant", "integers:6,low=0,high=1000000", 1, count_rows)
def special_value(rows: list[int]) -> int:
    """Treat one value as a code for several rows."""
    return sum(5 if row == 86_028 else 1 for row in rows)


@register_stable("source_constant", "strings:6", 1, count_rows)
def special_string(rows: list[str]) -> int:
    """Treat one string as a code for several rows."""
    return sum(3 if row == "total" else 1 for row in rows)


@register_stable("ordinary magnitudes infinity integer_limits", ANY, 1, clamped_sum)
def clamp_above_only(rows: list[float]) -> float:
    """Clamp from above only."""
    return math.fsum(min(row, 1.0) for row in rows if not math.isnan(row))


# With noise -----------------------------------------------------------------------------------------------


def noisy_sum(rows: list[float], rng: Rng) -> float:
    """Release the sum of numbers clamped to [0, 1]."""
    return float(clamped_sum(rows)) + float(rng.laplace(0.0, 1.0))


@register_private("no_rows one_row odd_rows even_rows equal_rows", UNIT, noisy_sum)
def scale_of_size(rows: list[float], rng: Rng) -> float:
    """Release a sum with noise whose scale contains the number of rows."""
    return float(clamped_sum(rows)) + float(rng.laplace(0.0, 4.0 / (1 + len(rows))))


@register_private("no_rows zero_divisor", UNIT, noisy_sum)
def no_noise_on_nothing(rows: list[float], rng: Rng) -> float:
    """Release nothing without noise."""
    return noisy_sum(rows, rng) if rows else 0.0


@register_private("nan", ANY, noisy_sum)
def noise_on_nan(rows: list[float], rng: Rng) -> float:
    """Add noise to a sum that may be NaN."""
    return math.fsum(min(max(row, 0.0), 1.0) for row in rows) + float(rng.laplace(0.0, 1.0))


@register_private("source_constant equal_rows odd_rows even_rows", UNIT, noisy_sum)
def exact_above_threshold(rows: list[float], rng: Rng) -> float:
    """Release a large sum with less noise."""
    return float(clamped_sum(rows)) + float(rng.laplace(0.0, 1.0 if len(rows) < 12 else 0.1))


@register_private("at_bounds", UNIT, noisy_sum, relation="exchange")
def overflow_at_the_bound(rows: list[float], rng: Rng) -> float:
    """Count values at the upper end in a bin that is beyond."""
    return noisy_sum(rows, rng) + 10.0 * sum(int(row) for row in rows)


@register_private("empty_string", "strings:6", lambda rows, rng: len(rows) + float(rng.laplace(0.0, 1.0)))
def error_on_one_side(rows: list[str], rng: Rng) -> float:
    """Fail for an empty string."""
    return sum(ord(row[0]) > 0 for row in rows) + float(rng.laplace(0.0, 1.0))
