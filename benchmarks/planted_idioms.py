"""Plain functions with one mistake each, of ordinary Python and numpy idioms, written after the search.

They join the list of `planted.py`, in whose words they are registered.
"""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from planted import ANY, CATEGORIES, UNIT, Rng, clamped_sum, noisy_sum, register_private, register_stable

PAIRS_OF_NUMBERS = "rows:8,columns=2,low=0,high=3"
LARGE = 2**24


def _range(rows: list[float]) -> Fraction:
    clamped = [clamped_sum([row]) for row in rows]
    return max(clamped, default=Fraction(0)) - min(clamped, default=Fraction(0))


@register_stable("nan", ANY, 1, _range)
def range_of_clipped(rows: list[float]) -> float:
    """Leave NaN out of a range, which is NaN if there is nothing else."""
    clipped = np.clip(np.array(rows, dtype=float), 0, 1)
    return float(np.nanmax(clipped) - np.nanmin(clipped)) if len(rows) else 0.0


@register_stable(
    "first_category lone_group one_row no_rows another_order",
    CATEGORIES,
    1,
    lambda rows: [rows.count(key) for key in "abc"],
    distance="l1",
)
def counts_by_first_appearance(rows: list[str]) -> list[int]:
    """Put counts in the order in which categories appear."""
    return [rows.count(key) for key in dict.fromkeys(rows)]


def _lower_median(rows: list[float]) -> Fraction:
    ordered = sorted(clamped_sum([row]) for row in rows)
    return ordered[(len(ordered) - 1) // 2] if ordered else Fraction(0)


@register_stable("ordinary even_rows one_row no_rows", "vector:10,low=2,high=3", 1, _lower_median)
def median_without_halving(rows: list[float]) -> float:
    """Add the two middle values of an even number of rows, and do not halve."""
    ordered, middle = sorted(rows), len(rows) // 2
    if not rows:
        return 2.0
    return ordered[middle] if len(rows) % 2 else ordered[middle - 1] + ordered[middle]


@register_stable(
    "lone_group one_row no_rows even_rows equal_rows",
    CATEGORIES,
    1,
    lambda rows: min(Counter(rows).most_common(1), default=("", 0))[1],
)
def mode_or_modes(rows: list[str]) -> Any:
    """Return the count of the mode, and a list of counts if there are several."""
    counts = Counter(rows)
    most = max(counts.values(), default=0)
    modes = [count for count in counts.values() if count == most]
    return modes if len(modes) > 1 else most


@register_stable(
    "lone_group one_row zero_divisor bounds ordinary",
    PAIRS_OF_NUMBERS,
    1,
    lambda rows: len({int(group) for group, _ in rows}),
)
def groups_with_spread(rows: list[list[float]]) -> int:
    """Compute a standard deviation of every group, which fails for one row."""
    groups = defaultdict(list)
    for group, value in rows:
        groups[int(group)].append(value)
    return len([statistics.stdev(values) for values in groups.values()])


@register_stable("odd_string", "strings:6", 1, lambda rows: sum(row.isdecimal() for row in rows))
def numbers_in_strings(rows: list[str]) -> int:
    """Take every string of digits for a number; a superscript is a digit, and none."""
    return sum(int(row) >= 0 for row in rows if row.isdigit())


@register_stable("another_order", UNIT, 1, lambda rows: clamped_sum(sorted(rows)[:6]))
def sum_of_a_sample(rows: list[float]) -> Fraction:
    """Sum the first six rows, whatever their order."""
    return clamped_sum(rows[:6])


def _single(rows: Sequence[int]) -> float:
    total = np.float32(0)
    for row in rows:
        total = np.float32(total + np.float32(row))
    return float(total)


@register_stable("integer_limits at_bounds equal_rows", f"integers:6,low=0,high={LARGE}", LARGE, sum)
def sum_in_single_precision(rows: list[int]) -> float:
    """Add integers in 32-bit floating point."""
    return _single(rows)


@register_stable(
    "ordinary integer_limits at_bounds",
    "integers:8",
    1,
    lambda rows: len(set(rows)),
)
def distinct_by_text(rows: list[int]) -> int:
    """Count distinct numbers in a string of all, in which one may contain the other."""
    text = ",".join(map(str, rows))
    return sum(text.count(str(row)) == 1 for row in dict.fromkeys(rows))


@register_private("one_row no_rows at_bounds ordinary magnitudes zero_divisor", UNIT, noisy_sum)
def one_noise_for_two(rows: list[float], rng: Rng) -> list[float]:
    """Release a sum and a count with the same noise."""
    noise = float(rng.laplace(0.0, 2.0))
    return [float(clamped_sum(rows)) + noise, len(rows) + noise]


def _round_release(rows: list[float], rng: Rng) -> float:
    return round(noisy_sum(rows, rng), 3)


@register_private("ordinary magnitudes at_bounds subnormal", UNIT, _round_release)
def noise_on_a_grid(rows: list[float], rng: Rng) -> float:
    """Round the noise before it is added, and not the sum."""
    return round(float(clamped_sum(rows)) + round(float(rng.laplace(0.0, 1.0)), 1), 3)


@register_private(
    "equal_rows odd_rows even_rows ordinary",
    "integers:6",
    lambda rows, rng: len(set(rows)) + float(rng.laplace(0.0, 1.0)),
)
def noise_of_duplicates(rows: list[int], rng: Rng) -> float:
    """Count distinct rows with noise whose scale depends on the number of duplicates."""
    distinct = len(set(rows))
    return distinct + float(rng.laplace(0.0, 1.0 / max(1, len(rows) - distinct)))
