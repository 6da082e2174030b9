"""Exact laws that samples are compared with, as floats: splits, and noise on a grid."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privboost.gate.trees.expected.ask import expected_of
from privboost.reference.exact import Number, enclose

Floats = NDArray[np.float64]

BINS = 24
"""Number of cells, of about equal probability, for noise on a fine grid."""


def nearby_fraction(value: Number) -> Fraction:
    """Return an exact number as a fraction: itself if it is rational, else one at most 2^-96 below it."""
    return enclose(value, 96).lo


def exact_split_law(args: Mapping[str, Any]) -> dict[Hashable, float]:
    """Return the law of a split as floats, from the reference."""
    law = expected_of("split_law", args)
    return {name: float(enclose(chance, 128).hi) for name, chance in law.items()}


def rivals_of_split(args: Mapping[str, Any]) -> dict[str, dict[Hashable, float]]:
    """Return the laws of common mistakes in drawing a split."""
    epsilon, scores = Fraction(args["epsilon"]), args["scores"]
    negated = {name: str(-Fraction(score)) for name, score in scores.items()}
    other_law = "permute_and_flip" if args["law"] == "exponential" else "exponential"
    changes: dict[str, dict[str, Any]] = {
        "the law with epsilon score / Delta, without the 2": {"epsilon": str(2 * epsilon)},
        "the law with a factor 1/2 too many": {"epsilon": str(epsilon / 2)},
        "the law of minus the scores": {"scores": negated},
        f"the law {other_law}": {"law": other_law},
    }
    rivals = {name: exact_split_law(dict(args) | change) for name, change in changes.items()}
    return rivals | {
        "all candidates alike (do exponentials overflow?)": dict.fromkeys(scores, 1 / len(scores))
    }


@dataclass(frozen=True, slots=True)
class GridLaw:
    """Noise k with probability proportional to exp(-|k| step / scale), k an integer."""

    scale: Fraction
    step: Fraction

    @property
    def rate(self) -> float:
        """Return step / scale."""
        return float(self.step / self.scale)

    def at_most(self, k: int) -> float:
        """Return P(K <= k)."""
        share = 1 + math.exp(-self.rate)
        if k < 0:
            return math.exp(k * self.rate) / share
        return 1 - math.exp(-(k + 1) * self.rate) / share

    def between(self, lo: int | None, hi: int | None) -> float:
        """Return P(lo <= K <= hi), computed from the smaller tail; None means unbounded."""
        if lo is None:
            return 1.0 if hi is None else self.at_most(hi)
        if lo > 0:
            return self.between(None if hi is None else -hi, -lo)
        return (1.0 if hi is None else self.at_most(hi)) - self.at_most(lo - 1)

    def edges(self) -> tuple[int, ...]:
        """Return the largest k of every cell but the last; cells have about equal probability."""
        edges: list[int] = []
        for i in range(1, BINS):
            k = self._quantile(i / BINS)
            if not edges or k > edges[-1]:
                edges.append(k)
        return tuple(edges)

    def _quantile(self, chance: float) -> int:
        """Return the approximate quantile: the k with P(K <= k) equal to `chance`."""
        if chance > 0.5:
            return -self._quantile(1 - chance) - 1
        return math.floor(math.log(chance * (1 + math.exp(-self.rate))) / self.rate)


SCALES = {"half": 0.5, "0.8 times": 0.8, "0.9 times": 0.9, "1.1 times": 1.1, "1.25 times": 1.25, "twice": 2.0}


def rivals_of_noise(law: GridLaw, edges: Sequence[int]) -> dict[str, tuple[float, ...]]:
    """Return the probabilities of the cells between edges under the laws of common mistakes."""

    def continuous(k: float) -> float:
        half = math.exp(-abs(k) * law.rate) / 2
        return half if k < 0 else 1 - half

    at_most: dict[str, Callable[[int], float]] = {
        f"noise of {name} the scale": GridLaw(law.scale * Fraction(factor), law.step).at_most
        for name, factor in SCALES.items()
    }
    at_most["a continuous draw, rounded to the nearest step of the grid"] = lambda k: continuous(k + 0.5)
    at_most["a continuous draw, rounded down to the grid"] = lambda k: continuous(k + 1)
    at_most["a size and a sign, which count 0 twice"] = lambda k: continuous(k + (k >= 0))
    rivals = {}
    for name, below in at_most.items():
        reached = [0.0, *map(below, edges), 1.0]
        rivals[name] = tuple(hi - lo for lo, hi in pairwise(reached))
    return rivals


@lru_cache(maxsize=64)
def cells_of_noise(law: GridLaw) -> tuple[tuple[int, ...], tuple[float, ...]]:
    """Return the edges of the cells of a law, and their probabilities."""
    edges = law.edges()
    ends: list[int | None] = [None, *edges, None]
    chances = []
    for cell in range(len(ends) - 1):
        below = ends[cell]
        chances.append(law.between(None if below is None else below + 1, ends[cell + 1]))
    return edges, tuple(chances)


def remainders(law: GridLaw, modulus: int = 4) -> dict[Hashable, float]:
    """Return the law of k modulo a small integer, to catch samplers with wrong low digits."""
    ratio = math.exp(-law.rate)
    zero = -math.expm1(-law.rate) / (1 + ratio)
    cycle = -math.expm1(-modulus * law.rate)
    chances: dict[Hashable, float] = {}
    for remainder in range(modulus):
        upward = ratio ** (remainder or modulus) / cycle
        downward = ratio ** (modulus - remainder) / cycle
        chances[remainder] = zero * ((1 if remainder == 0 else 0) + upward + downward)
    return chances
