"""Mistakes in noisy aggregates of rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from .mistake import MistakesIn
from .model import Args, PlainLibrary, Source

wrong_count = MistakesIn(PlainLibrary.count, "count")
wrong_sensitivity = MistakesIn(PlainLibrary.sensitivity_of_sum, "bounded-sum")
wrong_sum = MistakesIn(PlainLibrary.bounded_sum, "bounded-sum")
wrong_mean = MistakesIn(PlainLibrary.bounded_mean, "bounded-mean")
wrong_histogram = MistakesIn(PlainLibrary.histogram, "histogram")
wrong_stable = MistakesIn(PlainLibrary.stable_histogram, "stable-histogram")
wrong_quantile = MistakesIn(PlainLibrary.quantile, "quantile")


@wrong_count("Without rows nothing is added to 0.")
def count_nothing_exact(right: PlainLibrary, a: Args, source: Source) -> float:
    return right.count(a, source) if a["rows"] else 0.0


@wrong_count("Rows that are 0 are not counted.")
def count_without_zeros(right: PlainLibrary, a: Args, source: Source) -> float:
    return right.count(dict(a) | {"rows": [row for row in a["rows"] if row]}, source)


@wrong_count("Noise is divided by the number of rows.")
def count_noise_of_size(right: PlainLibrary, a: Args, source: Source) -> float:
    epsilon = a["epsilon"] * max(len(a["rows"]), 1)
    return right.count(dict(a) | {"epsilon": epsilon}, source)


@wrong_sensitivity("The sensitivity is upper - lower under both relations.")
def sum_of_range(right: PlainLibrary, a: Args) -> Fraction:
    return right.sensitivity_of_sum(dict(a) | {"relation": "exchange"})


@wrong_sensitivity("The sensitivity is the greatest size under both relations.")
def sum_of_greatest(right: PlainLibrary, a: Args) -> Fraction:
    return right.sensitivity_of_sum(dict(a) | {"relation": "add_remove"})


@wrong_sensitivity("The sensitivity is the upper bound, also where the lower one is greater in size.")
def sum_of_upper(right: PlainLibrary, a: Args) -> Fraction:
    return Fraction(abs(a["upper"]))


@wrong_sum("Rows are not clamped.")
def sum_unclamped(right: PlainLibrary, a: Args, source: Source) -> float:
    scale = right.scale(right.sensitivity_of_sum(a), a["epsilon"])
    return float(sum(a["rows"], Fraction(0))) + right.laplace_noise(scale, source)


@wrong_sum("Noise is added before the sum is clamped to what m rows can have.")
def sum_clamped_after_noise(right: PlainLibrary, a: Args, source: Source) -> float:
    size = len(a["rows"])
    return min(max(right.bounded_sum(a, source), float(size * a["lower"])), float(size * a["upper"]))


@wrong_sum("The sum wraps at 32 bits.")
def sum_wraps(right: PlainLibrary, a: Args, source: Source) -> float:
    noisy = right.bounded_sum(a, source)
    return (noisy + 2.0**31) % 2.0**32 - 2.0**31


@wrong_sum("The scale of the noise is estimated from the rows.")
def sum_scale_of_rows(right: PlainLibrary, a: Args, source: Source) -> float:
    rows = right.clamp(a["rows"], a["lower"], a["upper"])
    reach = max(rows, default=Fraction(0)) - min(rows, default=Fraction(0))
    return float(sum(rows, Fraction(0))) + right.laplace_noise(right.scale(reach, a["epsilon"]), source)


@wrong_mean("The noise of a mean is not divided by the number of rows.")
def mean_noise_of_sum(right: PlainLibrary, a: Args, source: Source) -> float:
    return right.bounded_mean(dict(a) | {"epsilon": a["epsilon"] / len(a["rows"])}, source)


@wrong_mean("The noise of a mean is divided by the number of rows twice.")
def mean_noise_divided_twice(right: PlainLibrary, a: Args, source: Source) -> float:
    return right.bounded_mean(dict(a) | {"epsilon": a["epsilon"] * len(a["rows"])}, source)


@wrong_histogram("Categories that were not counted get no noise.")
def histogram_exact_zeros(right: PlainLibrary, a: Args, source: Source) -> list[float]:
    counts = Counter[int](a["rows"])
    noisy = right.histogram(a, source)
    return [value if counts[code] else 0 for code, value in enumerate(noisy)]


@wrong_histogram("All categories get the same noise.")
def histogram_one_draw(right: PlainLibrary, a: Args, source: Source) -> list[float]:
    counts, noisy = Counter[int](a["rows"]), right.histogram(a, source)
    return [counts[code] + noisy[0] - counts[0] for code in range(a["categories"])]


@wrong_histogram("An exchanged row is taken to change one count only.")
def histogram_as_add_remove(right: PlainLibrary, a: Args, source: Source) -> list[float]:
    return right.histogram(dict(a) | {"relation": "add_remove"}, source)


@wrong_stable("The threshold is that of delta = 1/2.")
def stable_threshold_too_low(right: PlainLibrary, a: Args, source: Source) -> list[int]:
    return right.stable_histogram(dict(a) | {"delta": Fraction(1, 2)}, source)


@wrong_stable("All categories that occur are released.")
def stable_without_threshold(right: PlainLibrary, a: Args, source: Source) -> list[int]:
    return sorted(set(a["rows"]))


@wrong_stable("Neighbouring codes are released, which do not occur.")
def stable_strange_codes(right: PlainLibrary, a: Args, source: Source) -> list[int]:
    return [*right.stable_histogram(a, source), max(a["rows"]) + 1]


@wrong_quantile("The quantile q is taken for 1 - q.")
def quantile_reversed(right: PlainLibrary, a: Args, source: Source) -> int:
    return right.quantile(dict(a) | {"quantile": 1 - a["quantile"]}, source)


@wrong_quantile("The 2 in the exponent is left out.")
def quantile_without_2(right: PlainLibrary, a: Args, source: Source) -> int:
    return right.quantile(dict(a) | {"epsilon": 2 * a["epsilon"]}, source)


@wrong_quantile("The candidate is the true quantile, without noise.")
def quantile_exact(right: PlainLibrary, a: Args, source: Source) -> int:
    scores: Sequence[Any] = right.quantile_scores(a["rows"], a["candidates"], a["quantile"])
    return scores.index(max(scores))
