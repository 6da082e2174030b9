"""The random draws of a fit, as an argument: the learner samples them, and tests can supply their own.

Fits with Gaussian noise draw for many trees at a time, since neither their splits nor their noise depend on
the rows.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Protocol, runtime_checkable

from privboost.fast.arrays import Array, Indices
from privboost.fast.bits import Bits, discrete_laplace, uniform_below
from privboost.fast.gaussian import discrete_gaussians, uniforms_below
from privboost.fast.protocol import SplitLaw

from .split_laws import draw


class DrawsOfTree(Protocol):
    """The random draws of a tree, called in the order in which it needs them."""

    def uniform(self, candidates: int, nodes: int) -> list[int]:
        """Return the index of a candidate for each node, independent of the data."""

    def splits(self, law: SplitLaw, scores: Array, rate: float) -> list[int]:
        """Return the index of a candidate for each row of scores, shape (nodes, candidates)."""

    def noise(self, scale: Fraction) -> int:
        """Return noise in grid steps, an integer; the scale is in grid steps too."""


@runtime_checkable
class Draws(DrawsOfTree, Protocol):
    """The random draws of a fit with Gaussian noise, for many trees at a time."""

    def batch(self, candidates: int, nodes: int, variance: Fraction, leaves: int) -> tuple[Indices, Indices]:
        """Return indices of candidates for many nodes, and Gaussian noise in grid steps for many leaves."""


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

    def batch(self, candidates: int, nodes: int, variance: Fraction, leaves: int) -> tuple[Indices, Indices]:
        """Return indices drawn uniformly, and discrete Gaussian noise."""
        chosen = uniforms_below(candidates, nodes, self._bits)
        return chosen, discrete_gaussians(variance, leaves, self._bits)


class TapeOfTree:
    """The draws of one tree of a batch, in order: candidates of its nodes, and the noise of its leaves."""

    def __init__(self, chosen: Indices, noise: Indices) -> None:
        self._chosen, self._noise = iter(chosen.tolist()), iter(noise.tolist())

    def uniform(self, candidates: int, nodes: int) -> list[int]:
        """Return the next candidates."""
        return [next(self._chosen) for _ in range(nodes)]

    def splits(self, law: SplitLaw, scores: Array, rate: float) -> list[int]:
        """Return the next candidates."""
        return self.uniform(scores.shape[1], len(scores))

    def noise(self, scale: Fraction) -> int:
        """Return the noise of the next leaf."""
        return int(next(self._noise))
