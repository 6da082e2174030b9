"""The random draws of a fit, as an argument: the learner samples them, a test or a replay gives its own."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Protocol

from numpy.typing import NDArray

from privboost.fast.bits import Bits, discrete_laplace, uniform_below
from privboost.fast.protocol import SplitLaw

from .split_laws import draw

Array = NDArray[Any]


class Draws(Protocol):
    """The three kinds of random draws of a fit, asked for in the order in which the fit needs them."""

    def uniform(self, candidates: int, nodes: int) -> list[int]:
        """Return the index of a candidate for each of some nodes, independent of the data."""

    def splits(self, law: SplitLaw, scores: Array, rate: float) -> list[int]:
        """Return the index of a candidate for each row of scores, shape (nodes, candidates)."""

    def noise(self, scale: Fraction) -> int:
        """Return Laplace noise as a whole number of grid steps; the scale is in grid steps, too."""


class Sampled:
    """Draws sampled exactly from their laws: the only ones with a privacy guarantee."""

    def __init__(self, bits: Bits) -> None:
        self._bits = bits

    def uniform(self, candidates: int, nodes: int) -> list[int]:
        """Return the index of a candidate for each of some nodes, each candidate equally likely."""
        return [uniform_below(candidates, self._bits) for _ in range(nodes)]

    def splits(self, law: SplitLaw, scores: Array, rate: float) -> list[int]:
        """Return the index of a candidate for each row of scores, drawn from the law of its scores."""
        return draw(law, scores, rate, self._bits)

    def noise(self, scale: Fraction) -> int:
        """Return a whole number k with probability proportional to exp(-|k| / scale)."""
        return discrete_laplace(scale, self._bits)
