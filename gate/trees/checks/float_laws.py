"""Laws of splits and of leaf values in floats, for bets on many draws that each have their own law."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np

from .laws import Floats


def split_laws(law: str, exponents: Floats) -> Floats:
    """Return the laws of several nodes, one per row, given the rate times the score of every candidate."""
    chances = np.exp(exponents - exponents.max(axis=1, keepdims=True))
    if law == "exponential":
        return np.asarray(chances / chances.sum(axis=1, keepdims=True))
    return permute_and_flip(chances)


def permute_and_flip(chances: Floats) -> Floats:
    """Return q times the integral over [0, 1] of the product of the others' 1 - q x, by exact quadrature."""
    count = chances.shape[1]
    points, weights = _quadrature(count // 2 + 1)
    factors = 1 - chances[:, :, None] * points
    laws = np.empty_like(chances)
    for i in range(count):
        others = factors[:, [j for j in range(count) if j != i]].prod(axis=1)
        laws[:, i] = chances[:, i] * (others @ weights)
    return laws


@lru_cache(maxsize=8)
def _quadrature(count: int) -> tuple[Floats, Floats]:
    points, weights = np.polynomial.legendre.leggauss(count)
    return (points + 1) / 2, weights / 2


REACH = 30
"""Noise beyond this many scales has probability below 1e-13 and is left out."""


class NoiseTable:
    """The law of noise in steps of the grid, from -reach to reach."""

    def __init__(self, chances: Floats, reach: int) -> None:
        self.chances, self.reach = chances, reach
        self.noise = np.arange(-reach, reach + 1).astype(np.float64)
        self._sums = np.concatenate([[0.0], np.cumsum(chances)])

    def at_most(self, k: Floats) -> Floats:
        """Return P(K <= k) for many integers k."""
        index = np.clip(k, -self.reach - 1, self.reach).astype(np.int64) + self.reach + 1
        return self._sums[index]

    def between(self, edges: Sequence[int]) -> Floats:
        """Return the probabilities of the cells between increasing integers; an edge is in the cell below."""
        reached = self.at_most(np.array(edges, dtype=np.float64))
        return np.diff([0.0, *reached, self._sums[-1]])


@lru_cache(maxsize=256)
def laplace_table(steps: float) -> NoiseTable:
    """Return discrete Laplace noise with a scale in steps."""
    reach = math.ceil(REACH * steps)
    size = np.abs(np.arange(-reach, reach + 1))
    return NoiseTable(np.exp(-size / steps) * math.tanh(0.5 / steps), reach)


@lru_cache(maxsize=64)
def normal_table(steps: float) -> NoiseTable:
    """Return rounded normal noise with the standard deviation of Laplace noise."""
    reach = math.ceil(REACH * steps)
    ends = np.arange(-reach, reach + 2) - 0.5
    below = np.array([0.5 * math.erfc(-end / (2 * steps)) for end in ends])
    return NoiseTable(np.diff(below), reach)


def value_of_ratio(alpha: float, ratio: float) -> float:
    """Return the link of the proportion of two masses with a ratio."""
    smooth = math.sqrt(ratio) - 1 / math.sqrt(ratio)
    return alpha * smooth + (0.0 if ratio == 1 else math.copysign(2 * (1 - alpha), ratio - 1))


def ratio_of_value(alpha: float, value: float) -> float:
    """Return the ratio of the masses whose proportion has this link; 1 within the jump at 1/2."""
    smooth = max(abs(value) - 2 * (1 - alpha), 0.0) / alpha
    root = (smooth + math.sqrt(smooth * smooth + 4)) / 2
    return root * root if value > 0 else 1 / (root * root)


def inner_ratios(masses: Sequence[float], steps: float, greatest: float) -> list[float]:
    """Return ratios that divide the values of a leaf, from its masses in steps; never a simple fraction."""
    positive, negative = masses
    ratios = set()
    for shift in (-2.1, -0.7, 0.7, 2.1):
        above, below = max(positive + shift * steps, 0.0), max(negative - shift * steps, 0.0)
        ratio = (above + 0.1 * steps) / (below + 0.1 * steps)
        ratios.add(min(max(ratio, 1.1 / greatest), greatest / 1.1) * (1 + math.pi * 1e-8))
    return sorted(ratios)


def noisy_masses_law(masses: Sequence[float], table: NoiseTable, ratios: Sequence[float]) -> Floats:
    """Return the law of a leaf's value between the values at increasing ratios, given masses in steps.

    The sum is over the noise of one mass; for each, the noise of the other mass is a tail.
    """

    def above(first: float, second: float, ratio: float) -> float:
        """Return P(first mass > 0 and first mass > ratio times second mass), both with noise."""
        mass = first + table.noise
        kept = mass > 0
        most = np.ceil(mass[kept] / ratio - second) - 1
        return float(table.chances[kept] @ table.at_most(most))

    positive, negative = masses
    reached = [
        above(positive, negative, ratio) if ratio >= 1 else 1 - above(negative, positive, 1 / ratio)
        for ratio in ratios
    ]
    ends = np.array([1.0, *reached, 0.0])
    return np.asarray(np.maximum(ends[:-1] - ends[1:], 0.0))


def one_noise_law(
    masses: Sequence[float], table: NoiseTable, ratios: Sequence[float], *noises: Callable[[Floats], Floats]
) -> Floats:
    """Return the same law if the noises of both masses are functions of one draw."""
    positive, negative = (
        np.maximum(mass + noise(table.noise), 0) for mass, noise in zip(masses, noises, strict=True)
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where((positive == 0) & (negative == 0), 1.0, positive / negative)
    cells = np.searchsorted(np.array(ratios), ratio)
    return np.bincount(cells, weights=table.chances, minlength=len(ratios) + 1).astype(np.float64)
