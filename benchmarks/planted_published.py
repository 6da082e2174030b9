"""Published mistakes of libraries as plain functions, and the same without the mistake.

They join the list of `planted.py`, in whose words they are registered. The name of a function ends with the
number of the issue or the change at github.com that reports the mistake; the docstring names the project. The
functions are our own and show the mistake only.
"""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
from planted import ANY, CATEGORIES, UNIT, Rng, clamped_sum, noisy_sum, register_private, register_stable

Rows = list[Any]
USERS = "rows:12,columns=3,low=0,high=3,user=0"
"""A user, and a key and a value that are read as integers."""
WHOLE = 2**31 - 1


# Sums and means -------------------------------------------------------------------------------------------


@register_stable("one_row no_rows ordinary", UNIT, "1/10", lambda rows: clamped_sum(rows) / 10)
def mean_of_present_rows_356(rows: list[float]) -> Fraction:
    """Take the number of rows at hand for a public one (opendp/smartnoise-core)."""
    return clamped_sum(rows) / max(len(rows), 1)


def _clipped_products(rows: Rows) -> Fraction:
    clipped = ([clamped_sum([cell]) for cell in row] for row in rows)
    return sum((one * other for one, other in clipped), Fraction(0))


@register_stable("magnitudes nan infinity integer_limits ordinary", "rows:8,columns=2", 1, _clipped_products)
def products_of_raw_data_622(rows: Rows) -> float:
    """Clip the data, and continue with what was not clipped (opendp/smartnoise-sdk)."""
    _clipped_products(rows)
    return float(np.sum([np.prod(row) for row in rows]))


@register_stable(
    "another_order integer_limits at_bounds",
    f"integers:6,low={-WHOLE},high={WHOLE}",
    WHOLE,
    lambda rows: max(-WHOLE, min(WHOLE, sum(rows))),
)
def saturating_sum_459(rows: list[int]) -> int:
    """Stop at the limit after each row, in the order of the rows (opendp/opendp)."""
    total = 0
    for row in rows:
        total = max(-WHOLE, min(WHOLE, total + row))
    return total


@register_stable(
    "integer_limits at_bounds",
    f"integers:6,low={-WHOLE},high={WHOLE}",
    WHOLE,
    lambda rows: max(-WHOLE, min(WHOLE, sum(rows))),
)
def error_of_overflow_6954(rows: list[int]) -> int:
    """Raise an error where a sum has more than 32 bits (OpenMined/PySyft)."""
    if abs(sum(rows)) > WHOLE:
        raise OverflowError("sum")
    return sum(rows)


# Bounds and bins ------------------------------------------------------------------------------------------


def _magnitudes(rows: list[float]) -> list[int]:
    counts = Counter(min(max(math.frexp(row)[1], -9), 9) for row in rows if math.isfinite(row))
    return [counts[exponent] for exponent in range(-9, 10)]


@register_stable("nan infinity", ANY, 1, _magnitudes, distance="l1")
def bins_of_finite_numbers_574(rows: list[float]) -> list[int]:
    """Raise an error at NaN and infinities (opendp/smartnoise-sdk)."""
    if not all(map(math.isfinite, rows)):
        raise ValueError("outside of the range in which bounds are inferred")
    return _magnitudes(rows)


@register_stable("subnormal magnitudes integer_limits", "vector:10,low=0", 1, _magnitudes, distance="l1")
def bins_without_the_lowest_572(rows: list[float]) -> list[int]:
    """Have no bin below the smallest edge (opendp/smartnoise-sdk)."""
    counts = [0] * 19
    for row in rows:
        counts[[*range(-9, 10)].index(min(math.frexp(row)[1], 9))] += 1
    return counts


@register_private("equal_rows one_row no_rows ordinary even_rows at_bounds", UNIT, noisy_sum)
def bounds_of_the_data_20(rows: list[float], rng: Rng) -> float:
    """Read the range from the data (IBM/differential-privacy-library)."""
    return sum(rows) + float(rng.laplace(0, max(rows, default=0) - min(rows, default=0)))


def _squares(rows: list[float], rng: Rng, sensitivity: float) -> float:
    return sum(row**2 for row in rows) + float(rng.laplace(0, sensitivity))


@register_private(
    "at_bounds ordinary magnitudes source_constant one_row",
    "vector:10,low=1,high=10",
    lambda rows, rng: _squares(rows, rng, 100),
)
def square_of_the_lower_bound_105(rows: list[float], rng: Rng) -> float:
    """Take the lower bound twice for the sensitivity (IBM/differential-privacy-library)."""
    return _squares(rows, rng, max(abs(1), abs(1)) ** 2)


def _signed_sum(rows: list[float], rng: Rng, sensitivity: float) -> float:
    return sum(rows) + float(rng.laplace(0, sensitivity))


@register_private(
    "at_bounds ordinary source_constant integer_limits",
    "vector:8,low=-1,high=1,size=8",
    lambda rows, rng: _signed_sum(rows, rng, 2),
    relation="exchange",
)
def radius_for_exchanged_rows_378(rows: list[float], rng: Rng) -> float:
    """Take a bound on rows for the sensitivity to an exchange (google/differential-privacy)."""
    return _signed_sum(rows, rng, 1)


# Rows of users --------------------------------------------------------------------------------------------


def _whole(rows: Rows) -> list[tuple[float, int, int]]:
    return sorted((user, int(key), int(value)) for user, key, value in rows)


def _distinct_of_bounded(rows: Rows) -> int:
    first = {user: (key, value) for user, key, value in reversed(_whole(rows))}
    return len(set(first.values()))


@register_stable(
    "ordinary equal_rows bounds at_bounds lone_group zero_divisor source_constant",
    USERS,
    1,
    _distinct_of_bounded,
    relation="user",
)
def distinct_before_bounding_84(rows: Rows) -> int:
    """Remove duplicates first, and then all but one value of each user (google/differential-privacy)."""
    owners = {(key, value): user for user, key, value in reversed(_whole(rows))}
    return len(set(owners.values()))


def _histogram_of_users(rows: Rows) -> list[int]:
    last = {user: value for user, _, value in _whole(rows)}
    counts = Counter(last.values())
    return [counts[value] for value in range(4)]


@register_stable(
    "ordinary equal_rows bounds at_bounds lone_group zero_divisor no_rows one_row",
    USERS,
    1,
    _histogram_of_users,
    relation="user",
    distance="l1",
)
def bins_of_all_rows_87(rows: Rows) -> list[int]:
    """Count all rows of a user in a histogram made for one (google/differential-privacy)."""
    counts = Counter(value for _, _, value in _whole(rows))
    return [counts[value] for value in range(4)]


# Releases -------------------------------------------------------------------------------------------------


@register_private("nan", ANY, noisy_sum)
def comparisons_with_nan_405(rows: list[float], rng: Rng) -> float:
    """Clamp by two comparisons, which are false for NaN (google/differential-privacy)."""
    clamped = (1.0 if row > 1 else 0.0 if row < 0 else row for row in rows)
    return sum(clamped) + float(rng.laplace(0, 1))


@register_private("ordinary at_bounds magnitudes one_row no_rows", UNIT, noisy_sum)
def sensitivity_of_no_bounds_317(rows: list[float], rng: Rng) -> float:
    """Add no noise where no bounds are stated (opendp/smartnoise-sdk)."""
    sensitivity = None
    return sum(rows) + float(rng.laplace(0, sensitivity or 0))


def _noisy_counts(rows: list[str], rng: Rng, order: Any) -> list[Any]:
    return [(key, rows.count(key) + float(rng.laplace(0, 1))) for key in order]


@register_private(
    "first_category another_order lone_group one_row no_rows ordinary",
    CATEGORIES,
    lambda rows, rng: _noisy_counts(rows, rng, "abc"),
)
def order_of_groups_1826(rows: list[str], rng: Rng) -> list[Any]:
    """Release groups in the order of the data (opendp/opendp)."""
    return _noisy_counts(rows, rng, dict.fromkeys([*rows, *"abc"]))


@register_private(
    "odd_string empty_string source_constant undeclared_category lone_group",
    "strings:6",
    lambda rows, rng: len(rows) + float(rng.laplace(0, 1)),
)
def column_of_integers_420(rows: list[str], rng: Rng) -> float:
    """Select a column as integers, if all of its cells are (opendp/opendp)."""
    if any(row.isdecimal() for row in rows) and not all(row.isdecimal() for row in rows):
        raise TypeError("a column of integers was expected")
    return len(rows) + float(rng.laplace(0, 1))


@register_private("one_row no_rows zero_divisor", UNIT, noisy_sum)
def empty_batch_161(rows: list[float], rng: Rng) -> float:
    """Draw a batch of all rows, and fail if it is empty (meta-pytorch/opacus)."""
    if not rows:
        raise IndexError("a batch is never empty")
    return noisy_sum(rows, rng)


def _gradients(rows: list[float], rng: Rng, divisor: float) -> list[float]:
    noise = rng.laplace(0, 32.0, size=32)
    return [float(each) / divisor for each in clamped_sum(rows) + noise]


@register_private(
    "ordinary odd_rows even_rows one_row no_rows at_bounds equal_rows source_constant",
    UNIT,
    lambda rows, rng: _gradients(rows, rng, 5.0),
)
def divisor_of_the_rows_571(rows: list[float], rng: Rng) -> list[float]:
    """Divide gradients and noise by the expected size of a batch of the rows (meta-pytorch/opacus)."""
    return _gradients(rows, rng, max(len(rows) // 2, 1))


@register_private(
    "ordinary odd_rows even_rows one_row no_rows at_bounds equal_rows",
    "integers:6,low=0,high=1",
    lambda rows, rng: sum(rows) + float(rng.laplace(0, 1)),
)
def responses_of_all_rows_2930(rows: list[int], rng: Rng) -> list[int]:
    """Randomize each of a number of bits that is private (opendp/opendp)."""
    return [int(row ^ (rng.random() < 1 / (1 + math.e))) for row in rows]
