"""The exact laws of draws: every column of a draw as outcomes, or as cells between edges.

A draw of most operations is one column. A draw of `histogram` has one for each category, and a draw of
`stable_histogram` one for each category that occurs: released, or kept back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import floor
from typing import Any, Protocol

from privboost.reference.exact import Exact, Number, enclose
from privboost.reference.mechanisms.above_threshold import above_threshold, above_threshold_scales
from privboost.reference.mechanisms.choices import (
    exponential,
    permute_and_flip,
    quantile_utilities,
    randomised_response,
)
from privboost.reference.mechanisms.gaussian import enclose_sigma
from privboost.reference.mechanisms.noise import DiscreteGaussian, Gaussian, GridLaplace, Laplace
from privboost.reference.mechanisms.noisy_max import Noise, noisy_max, noisy_max_scale

Arguments = Mapping[str, Any]

POINTS = tuple(Fraction(tenths, 10) for tenths in (1, 3, 6, 10, 15, 22, 30, 45, 70))
"""Distances of the edges of cells from the centre, in units of the scale."""
WIDE = tuple(sorted({Fraction(0), *POINTS, *(-point for point in POINTS)}))
SIGMA_BITS = 60
RELEASED, KEPT = "released", "kept"


class Cumulative(Protocol):
    """A law of numbers."""

    def below(self, x: Exact) -> Number:
        """Return P(X <= x)."""


@dataclass(frozen=True, slots=True)
class NoisyNumber:
    """A number with noise: its law, and where the edges of its cells are."""

    law: Cumulative
    centre: Fraction
    scale: Fraction
    is_integer: bool = False

    def edges(self) -> tuple[Fraction, ...]:
        """Return the edges of cells of comparable probability: a cell has the numbers up to its edge."""
        edges = (self.centre + self.scale * point for point in WIDE)
        return tuple(dict.fromkeys(Fraction(floor(edge)) if self.is_integer else edge for edge in edges))

    def chances(self, edges: Sequence[Fraction]) -> list[Number]:
        """Return the probabilities of the cells between edges."""
        below = [Fraction(0), *map(self.law.below, edges), Fraction(1)]
        return [high - low for low, high in pairwise(below)]


@dataclass(frozen=True, slots=True)
class Chosen:
    """An outcome that is one of several, by its string in vectors."""

    law: Mapping[str, Number]


Column = NoisyNumber | Chosen
Columns = tuple[Column, ...]


def _laplace(centre: Fraction, scale: Fraction) -> NoisyNumber:
    return NoisyNumber(Laplace(centre, scale), centre, scale)


def _geometric(centre: Fraction, scale: Fraction) -> NoisyNumber:
    return NoisyNumber(GridLaplace(centre, scale, Fraction(1)), centre, scale, is_integer=True)


NOISES: Mapping[str, Callable[[Fraction, Fraction], NoisyNumber]] = {
    "laplace": _laplace,
    "geometric": _geometric,
}


def gaussian_columns(a: Arguments, factor: Fraction = Fraction(1)) -> Columns:
    """Return normal noise of the least standard deviation, times a factor."""
    least = enclose_sigma(a["epsilon"], a["delta"], a["sensitivity"], SIGMA_BITS).lo
    sigma = factor * least
    return (NoisyNumber(Gaussian(a["value"], sigma), a["value"], least),)


def _discrete_gaussian(a: Arguments) -> Columns:
    centre, sigma = Fraction(a["value"]), a["sigma"]
    return (NoisyNumber(DiscreteGaussian(centre, sigma), centre, sigma, is_integer=True),)


def _law_of_scores(law: Callable[..., Mapping[str, Number]], a: Arguments) -> Columns:
    monotonic = a["monotonic"] == "yes"
    return (Chosen(law(a["scores"], a["epsilon"], a["sensitivity"], monotonic=monotonic)),)


def _noisy_max(a: Arguments) -> Columns:
    noise, scores = Noise[a["noise"].upper()], a["scores"]
    scale = noisy_max_scale(a["epsilon"], a["sensitivity"], monotonic=a["monotonic"] == "yes")
    chances = noisy_max(list(scores.values()), scale, noise)
    return (Chosen({name: chances[index] for index, name in enumerate(scores)}),)


def _randomised_response(a: Arguments) -> Columns:
    true, other = randomised_response(a["categories"], a["epsilon"])
    law = {str(code): true if code == a["truth"] else other for code in range(a["categories"])}
    return (Chosen(law),)


def _above_threshold(a: Arguments) -> Columns:
    scales = above_threshold_scales(a["epsilon"], a["sensitivity"])
    chances = above_threshold(a["answers"], a["threshold"], *scales)
    return (Chosen({str(index): chance for index, chance in enumerate(chances)}),)


def clamped_sum(a: Arguments) -> Fraction:
    """Return the sum of the clamped rows."""
    return sum((min(max(row, a["lower"]), a["upper"]) for row in a["rows"]), Fraction(0))


def reach_of_sum(a: Arguments) -> Fraction:
    """Return how far one row moves the sum of clamped rows."""
    if a["relation"] == "exchange":
        return Fraction(a["upper"] - a["lower"])
    return Fraction(max(abs(a["lower"]), abs(a["upper"])))


def _bounded_mean(a: Arguments) -> Columns:
    rows = len(a["rows"])
    return (_laplace(clamped_sum(a) / rows, (a["upper"] - a["lower"]) / (rows * a["epsilon"])),)


def _histogram(a: Arguments) -> Columns:
    scale = (1 if a["relation"] == "add_remove" else 2) / a["epsilon"]
    counts = (Fraction(a["rows"].count(code)) for code in range(a["categories"]))
    return tuple(NOISES[a["noise"]](count, scale) for count in counts)


def _stable_histogram(a: Arguments) -> Columns:
    """Return the most that a category of one row may be released."""
    delta, rows = a["delta"], a["rows"]
    alone = sorted({code for code in rows if rows.count(code) == 1})
    return tuple(Chosen({RELEASED: delta, KEPT: 1 - delta}) for _ in alone)


def _quantile(a: Arguments) -> Columns:
    candidates = a["candidates"]
    law = exponential(quantile_utilities(a["rows"], candidates, a["quantile"]), a["epsilon"], 1)
    return (Chosen({str(index): law[candidate] for index, candidate in enumerate(candidates)}),)


LAWS: Mapping[str, Callable[[Arguments], Columns]] = {
    "laplace": lambda a: (_laplace(a["value"], a["sensitivity"] / a["epsilon"]),),
    "geometric": lambda a: (_geometric(Fraction(a["value"]), a["sensitivity"] / a["epsilon"]),),
    "gaussian": gaussian_columns,
    "discrete_gaussian": _discrete_gaussian,
    "exponential": lambda a: _law_of_scores(exponential, a),
    "permute_and_flip": lambda a: _law_of_scores(permute_and_flip, a),
    "noisy_max": _noisy_max,
    "randomised_response": _randomised_response,
    "above_threshold": _above_threshold,
    "count": lambda a: (NOISES[a["noise"]](Fraction(len(a["rows"])), 1 / a["epsilon"]),),
    "bounded_sum": lambda a: (_laplace(clamped_sum(a), reach_of_sum(a) / a["epsilon"]),),
    "bounded_mean": _bounded_mean,
    "histogram": _histogram,
    "stable_histogram": _stable_histogram,
    "quantile": _quantile,
}
"""The law of every operation that draws, given the arguments that were read."""


def probabilities(column: Column, edges: Sequence[Fraction] | None) -> dict[str, Number]:
    """Return the probabilities of the outcomes, or of the cells, which are named by their index."""
    if isinstance(column, Chosen):
        return dict(column.law)
    assert edges is not None
    return {str(index): chance for index, chance in enumerate(column.chances(edges))}


def as_float(chance: Number) -> float:
    """Return a probability as a float."""
    return float(enclose(chance, 128).hi)
