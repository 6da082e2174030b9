"""Counts, clamped sums and means, histograms: sensitivities, and laws of the private answers.

Notation:
    lo, hi     bounds to which values are clamped      n    number of rows
    epsilon    privacy parameter

Under `EXCHANGE` a row is replaced and n is public; under `ADD_REMOVE` a row more or less is present.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

from privboost.reference.data import Relation
from privboost.reference.exact import Exact, Number, exact, exact_sum

from .arguments import check_bounds, check_count, positive, rational
from .noise import GridLaplace, Laplace, Law, laplace_scale

Key = TypeVar("Key", bound=Hashable)


def count_sensitivity() -> Fraction:
    """Return 1: how much the number of rows with a property changes, under either relation."""
    return Fraction(1)


def sum_sensitivity(lo: Exact, hi: Exact, relation: Relation) -> Number:
    """Return max{|lo|, |hi|} for a row more or less, and hi - lo for a row replaced."""
    below, above = check_bounds(lo, hi)
    return above - below if relation is Relation.EXCHANGE else max(abs(below), abs(above))


def mean_sensitivity(lo: Exact, hi: Exact, n: int) -> Number:
    """Return (hi - lo) / n, for a row replaced among n."""
    return sum_sensitivity(lo, hi, Relation.EXCHANGE) / check_count(n, "n")


def histogram_sensitivity(relation: Relation) -> Fraction:
    """Return how much all counts of a histogram change together: 1, or 2 for a row replaced."""
    return Fraction(2 if relation is Relation.EXCHANGE else 1)


def clamped_sum(values: Sequence[Exact], lo: Exact, hi: Exact) -> Number:
    """Return the sum of values clamped to [lo, hi]."""
    below, above = check_bounds(lo, hi)
    return exact_sum(min(max(exact(value, "value"), below), above) for value in values)


def count_law(n: int, epsilon: Exact) -> GridLaplace:
    """Return the law of a count with discrete Laplace noise.

    Source: Ghosh, Roughgarden and Sundararajan 2009 (geometric mechanism).
    """
    scale = laplace_scale(epsilon, count_sensitivity())
    return GridLaplace(Fraction(check_count(n, "n", 0)), scale, Fraction(1))


def bounded_sum_law(
    values: Sequence[Exact],
    lo: Exact,
    hi: Exact,
    epsilon: Exact,
    *,
    relation: Relation,
    step: Exact | None = None,
) -> Law:
    """Return the law of a clamped sum with Laplace noise, or with discrete Laplace noise on a grid.

    Requires: with a step, the bounds and the clamped values are multiples of it.
    """
    scale = laplace_scale(epsilon, sum_sensitivity(lo, hi, relation))
    total = clamped_sum(values, lo, hi)
    if step is None:
        return Laplace(total, scale)
    return GridLaplace(total, scale, rational(positive(step, "step"), "step"))


def bounded_mean_law(values: Sequence[Exact], lo: Exact, hi: Exact, epsilon: Exact) -> Laplace:
    """Return the law of a clamped mean with Laplace noise, where the number of rows is public."""
    n = check_count(len(values), "n")
    return Laplace(clamped_sum(values, lo, hi) / n, laplace_scale(epsilon, mean_sensitivity(lo, hi, n)))


def histogram_law(counts: Mapping[Key, int], epsilon: Exact, relation: Relation) -> dict[Key, GridLaplace]:
    """Return the laws of the counts of public keys, with independent discrete Laplace noise.

    Source: Dwork, McSherry, Nissim and Smith 2006, Example 1.
    """
    scale = laplace_scale(epsilon, histogram_sensitivity(relation))
    return {
        key: GridLaplace(Fraction(check_count(n, "n", 0)), scale, Fraction(1)) for key, n in counts.items()
    }


@dataclass(frozen=True, slots=True)
class ReleaseLaw:
    """The law of one key of a histogram without public keys: a noisy count, released from a threshold on.

    A key without rows is never released. `thresholds` has thresholds for (epsilon, delta).

    Source: Korolova, Kenthapadi, Mishra and Ntoulas 2009; Bun, Nissim and Stemmer 2016.
    """

    noisy: GridLaplace
    threshold: Number

    @property
    def absent(self) -> Number:
        """Return the probability that the key is not released."""
        return 1 - self.noisy.above(self.threshold) if self.noisy.centre else Fraction(1)

    def at(self, x: Exact) -> Number:
        """Return the probability that the key is released with a count."""
        is_released = self.noisy.centre and exact(x) >= self.threshold
        return self.noisy.at(x) if is_released else Fraction(0)


def stable_histogram_law(
    counts: Mapping[Key, int], epsilon: Exact, threshold: int, relation: Relation
) -> dict[Key, ReleaseLaw]:
    """Return the law of every key, with discrete Laplace noise."""
    laws = histogram_law(counts, epsilon, relation)
    return {key: ReleaseLaw(law, exact(threshold, "threshold")) for key, law in laws.items()}
