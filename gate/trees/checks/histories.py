"""The history of a seeded run: for every split and every leaf, what was drawn and what its law depends on.

Given the splits, values and coefficients that a run has released before, the law of the next draw is exact:
the weights of a tree follow from the earlier trees, the rows of a node from the splits above it. All numbers
are floats; the tests compare the laws with those of the reference. A draw whose law depends on how a number
was rounded is not `known`, and no bet is made on it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privboost.gate.protocol.wire import WireError, read_finite, read_list
from privboost.gate.trees.expected.learner import setting_and_sample, split_of
from privboost.gate.trees.operations.candidates import Candidate
from privboost.gate.trees.operations.requests import Arguments
from privboost.gate.trees.operations.training import candidates_of, read_data
from privboost.reference.learners.ensemble import setting_of_tree
from privboost.reference.learners.leaves import leaf_scale
from privboost.reference.learners.splitting import node_budget

from .laws import nearby_fraction
from .tapes import trees_of

Floats = NDArray[np.float64]

NUDGE = 1e-9
"""Margins, links and masses that are closer may be rounded or compared differently."""


@dataclass(frozen=True, slots=True)
class Scores:
    """The scores of all candidates of a node, for every alpha: -(alpha smooth + (1 - alpha) kink)."""

    smooth: Floats
    kink: Floats

    def at(self, alpha: float) -> Floats:
        """Return the scores at one alpha."""
        return -(alpha * self.smooth + (1 - alpha) * self.kink)


@dataclass(frozen=True, slots=True)
class SplitDraw:
    """The split of a node."""

    tree: int
    level: int
    node: int
    """The index of the node in its tree, level by level."""
    choice: int
    """The index of the candidate that was drawn."""
    alpha: float
    raw_alpha: float
    """The alpha that raw labels would give, by the minority reading."""
    scores: Scores
    first_scores: Scores
    """The scores with the weights of the first tree."""
    root_scores: Scores
    """The scores on all rows instead of those of the node."""
    size: int
    """Number of rows in the node."""
    known: bool


@dataclass(frozen=True, slots=True)
class LeafDraw:
    """The value of a leaf."""

    tree: int
    leaf: int
    masses: tuple[float, float]
    scale: Fraction
    value: float
    known: bool


@dataclass(frozen=True, slots=True)
class TreeDraws:
    """The draws of one tree, in the order in which they are made."""

    splits: tuple[SplitDraw, ...]
    leaves: tuple[LeafDraw, ...]


def link(alpha: float, q: float) -> float:
    """Return the link of the M-alpha loss at 0 < q < 1; 0 at 1/2."""
    if q == 0.5:
        return 0.0
    return alpha * (2 * q - 1) / math.sqrt(q * (1 - q)) + math.copysign(2 * (1 - alpha), q - 0.5)


def inverse_link(alpha: float, z: float) -> float:
    """Return the inverse link of the M-alpha loss, alpha > 0."""
    beyond = abs(z) - 2 * (1 - alpha)
    if beyond <= 0:
        return 0.5
    t = beyond / alpha
    length = math.sqrt(4 + t * t)
    small = 2 / (length * (length + t))
    return 1 - small if z > 0 else small


class History:
    """Read the results of one request with many seeds."""

    def __init__(self, args: Mapping[str, Any]) -> None:
        training = read_data(Arguments("train", args))
        self._public, _ = setting_and_sample(training)
        self.words = training.words
        parameters = training.parameters
        self.alphas = [float(alpha) for alpha in parameters["alphas"]]
        self.boost_alpha = float(parameters["boost_alpha"])
        self.trees, self.depth = int(parameters["trees"]), int(parameters["depth"])
        self.bound, self.grid = parameters["bound"], parameters["grid"]
        self.zeta = float(parameters["zeta"])
        self.candidates = candidates_of(training.domain)
        self._index = {candidate: index for index, candidate in enumerate(self.candidates)}
        tests = [split_of(Candidate.read(candidate, "splits")) for candidate in self.candidates]
        self.holds = np.array([[test(row.x) for row in training.rows] for test in tests], dtype=np.bool_)
        self.signs = np.array([row.y for row in training.rows])
        self.size = len(training.rows)
        self.one_sided = self.words["relation"] == "add_remove" and self.words["sensitivity"] == "sharp"
        self._scale = lru_cache(maxsize=None)(self._leaf_scale)
        self._budget = lru_cache(maxsize=None)(self._node_budget)

    def rate(self, tree: int, level: int, alpha: float) -> float:
        """Return epsilon / (2 Delta) of a node, without the 2 if the law is one-sided."""
        return self._budget(level) / ((1 if self.one_sided else 2) * self.sensitivity(tree, alpha))

    def sensitivity(self, tree: int, alpha: float, size: int | None = None) -> float:
        """Return the sensitivity of a node, for all rows or for another number of rows above 1."""
        m = size or self.size
        if self.words["sensitivity"] == "printed":
            return 3 + 2 * alpha * (math.sqrt(m) - 1)
        bound = 1.0 if tree else 0.5
        return 2 * bound * (alpha * math.sqrt(m - 1) + 1 - alpha)

    def node_share(self, draw: SplitDraw) -> float:
        """Return the sensitivity over that at the number of rows in the node, or at 2 if it has fewer."""
        own = self.sensitivity(draw.tree, draw.alpha, max(draw.size, 2))
        return self.sensitivity(draw.tree, draw.alpha) / own

    def draws(self, result: Any) -> list[TreeDraws]:
        """Return the draws of a run; raise WireError if the result is not a model of this request."""
        trees = trees_of(result)
        if len(trees) != self.trees:
            raise WireError("trees", f"{self.trees} trees", len(trees))
        weights: Floats | None = np.full(self.size, 0.5)
        margins = np.zeros(self.size)
        draws = []
        for index, tree in enumerate(trees):
            splits = [
                self._choice(split) for split in read_list(tree["splits"], "splits", (1 << self.depth) - 1)
            ]
            values = np.array([float(read_finite(value)) for value in tree["values"]])
            grown, at = self._splits(index, weights, splits)
            draws.append(TreeDraws(grown, self._leaves(index, weights, at, values)))
            predicted = values[at - len(splits)] * float(read_finite(tree["beta"]))
            margins = margins + predicted
            weights = self._next_weights(weights, margins, predicted)
        return draws

    def _choice(self, split: Any) -> int:
        if split not in self._index:
            raise WireError("splits", f"one of {', '.join(self.candidates)}", split)
        return self._index[split]

    def _node_budget(self, level: int) -> float:
        return float(nearby_fraction(node_budget(self._public, (0,) * level)))

    def _leaf_scale(self, later: bool) -> Fraction:
        return nearby_fraction(leaf_scale(setting_of_tree(self._public, int(later)), 1 << self.depth))

    def _splits(
        self, index: int, weights: Floats | None, choices: Sequence[int]
    ) -> tuple[tuple[SplitDraw, ...], NDArray[np.int64]]:
        """Return the draws of the splits of a tree, and the leaf of every row, counted after the nodes."""
        half = np.full(self.size, 0.5)
        used = half if weights is None else weights
        at = np.zeros(self.size, dtype=np.int64)
        everywhere = self._scores(used)
        draws = []
        for node, choice in enumerate(choices):
            level = (node + 1).bit_length() - 1
            inside = at == node
            minority = self._raw_alpha("raw_minority", used, at)
            alpha: float | None = self.alphas[min(level, len(self.alphas) - 1)]
            if self.words["alpha"] != "schedule":
                alpha = self._raw_alpha(self.words["alpha"], used, at)
            draws.append(
                SplitDraw(
                    index,
                    level,
                    node,
                    choice,
                    alpha or 0.0,
                    minority or 0.0,
                    self._scores(used * inside),
                    self._scores(half * inside),
                    everywhere,
                    int(inside.sum()),
                    known=weights is not None and alpha is not None,
                )
            )
            at = np.where(inside, 2 * node + 1 + self.holds[choice], at)
        return tuple(draws), at

    def _scores(self, weights: Floats) -> Scores:
        positive, negative = weights * (self.signs > 0), weights * (self.signs < 0)
        # Both sides are summed, because a difference of sums is not exactly 0 for an empty side.
        sides = [(side @ positive, side @ negative) for side in (self.holds, ~self.holds)]
        smooth = sum(2 * np.sqrt(a * b) for a, b in sides)
        kink = sum(2 * np.minimum(a, b) for a, b in sides)
        return Scores(np.asarray(smooth), np.asarray(kink))

    def _raw_alpha(self, rule: str, weights: Floats, at: NDArray[np.int64]) -> float | None:
        """Return the alpha that labels give; None if a draw of two masses cannot be told in floats."""
        whole, parts = (self._error(rule, weights, each) for each in (np.zeros_like(at), at))
        if whole is None or parts is None:
            return None
        return min(parts / whole, 1.0) if whole else 1.0

    def _error(self, rule: str, weights: Floats, at: NDArray[np.int64]) -> float | None:
        positive, negative = (np.bincount(at, weights * (self.signs == sign)) for sign in (1, -1))
        errors = np.minimum(positive, negative)
        if rule == "raw_strict":
            near = np.abs(positive - negative) < NUDGE
            if near.any() and self._is_inexact(weights):
                return None
            errors = np.where(near, 0.0, errors)
        return float(errors.sum())

    @staticmethod
    def _is_inexact(weights: Floats) -> bool:
        """Return whether some weight has no short binary fraction, so that sums may be rounded."""
        return bool(np.any(weights * 2**20 != np.floor(weights * 2**20)))

    def _leaves(
        self, index: int, weights: Floats | None, at: NDArray[np.int64], values: Floats
    ) -> tuple[LeafDraw, ...]:
        used = np.full(self.size, 0.5) if weights is None else weights
        first = len(values) - 1
        leaves = []
        for leaf, value in enumerate(values):
            inside = at == first + leaf
            masses = [float(used[inside & (self.signs == sign)].sum()) for sign in (1, -1)]
            leaves.append(
                LeafDraw(
                    index,
                    leaf,
                    (masses[0], masses[1]),
                    self._scale(index > 0),
                    float(value),
                    known=weights is not None,
                )
            )
        return tuple(leaves)

    def _next_weights(self, weights: Floats | None, margins: Floats, predicted: Floats) -> Floats | None:
        """Return the weights of the next tree; None if one of them may be rounded in two ways."""
        alpha = self.boost_alpha
        if self.words["beta"] == "raw":
            assert weights is not None
            moves = self.signs * predicted
            moved = zip(weights, moves, strict=True)
            return np.array([inverse_link(alpha, link(alpha, weight) - move) for weight, move in moved])
        updated = []
        for sign, margin in zip(self.signs, margins, strict=True):
            # A margin of 0 is exact: it is a sum of zeros.
            nudges = (0.0,) if margin == 0 else (-NUDGE, NUDGE)
            ends = {self._on_grid(inverse_link(alpha, -sign * margin + nudge)) for nudge in nudges}
            if len(ends) > 1:
                return None
            updated.append(ends.pop())
        return np.array(updated)

    def _on_grid(self, weight: float) -> float:
        return float(max(self.grid, self.grid * math.floor(Fraction(min(weight, 1.0)) / self.grid)))
