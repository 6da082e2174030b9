"""The random draws of a fit, as an argument: the learner samples them, and tests can supply their own."""

from __future__ import annotations

from fractions import Fraction
from typing import Protocol

from privboost.fast.arrays import Array
from privboost.fast.bits import Bits, discrete_laplace, uniform_below
from privboost.fast.protocol import SplitLaw

from .split_laws import draw


class Draws(Protocol):
    """The three kinds of random draws of a fit, called in the order in which the fit needs them."""

    def uniform(self, candidates: int, nodes: int) -> list[int]:
        """Return the index of a candidate for each node, independent of the data."""

    def splits(self, law: SplitLaw, scores: Array, rate: float) -> list[int]:
        """Return the index of a candidate for each row of scores, shape (nodes, candidates)."""

    def noise(self, scale: Fraction) -> int:
        """Return Laplace noise in grid steps, an integer; the scale is in grid steps too."""


class Sampled:
    """Draws sampled exactly from their distributions; only these have a privacy guarantee."""

    def __init__(self, bits: Bits) -> None:
        self._bits = bits

    def uniform(self, candidates: int, nodes: int) -> list[int]:
        """Return the index of a candidate for each node, drawn uniformly."""
        return [uniform_below(candidates, self._bits) for _ in range(nodes)]

    def splits(self, law: SplitLaw, scores: Array, rate: float) -> list[int]:
        """Return the index of a candidate for each row of scores, drawn from the law of the row."""
        return draw(law, scores, rate, self._bits)

    def noise(self, scale: Fraction) -> int:
        """Return discrete Laplace noise: an integer k with probability proportional to exp(-|k| / scale)."""
        return discrete_laplace(scale, self._bits)
