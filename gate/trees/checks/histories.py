"""The replay of a seeded run: for every split and every leaf, what was drawn and what its law depends on.

Given the splits, values and coefficients that a run has released before, all other numbers and the law of the
next draw follow: the weights of a tree from the earlier trees, the rows of a node from the splits above it.
All numbers are floats; the tests compare the laws with those of the reference. A draw whose law depends on
how a number was rounded is not `known`, and no bet is made on it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
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
Nodes = NDArray[np.int64]
"""The node or leaf of every row, counted level by level."""

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
    alpha_known: bool
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
class Weights:
    """The smallest and the largest weight that every row may have, given the release."""

    low: Floats
    high: Floats

    @property
    def middle(self) -> Floats:
        """Return the mean of both ends."""
        return (self.low + self.high) / 2

    @property
    def known(self) -> bool:
        """Return whether all weights are known."""
        return bool(np.array_equal(self.low, self.high))


@dataclass(frozen=True, slots=True)
class TreeDraws:
    """The draws of one tree, in the order in which they are made, and what they were made on."""

    splits: tuple[SplitDraw, ...]
    leaves: tuple[LeafDraw, ...]
    weights: Weights
    at: Nodes


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
        self.public, _ = setting_and_sample(training)
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
        levels = range(self.depth)
        self.budgets = [nearby_fraction(node_budget(self.public, (0,) * level)) for level in levels]
        """The budget of a node, by level."""
        factor = 1 if self.one_sided else 2
        self._factors = [float(budget) / factor for budget in self.budgets]
        settings = (setting_of_tree(self.public, index) for index in (0, 1))
        self._scales = [nearby_fraction(leaf_scale(setting, 1 << self.depth)) for setting in settings]

    def rate(self, tree: int, level: int, alpha: float) -> float:
        """Return epsilon / (2 Delta) of a node, without the 2 if the law is one-sided."""
        return self._factors[level] / self.sensitivity(tree, alpha)

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
        return list(self.replay(trees))

    def replay(self, trees: Sequence[Mapping[str, Any]]) -> Iterator[TreeDraws]:
        """Yield the draws of every tree of a result."""
        weights = Weights(np.full(self.size, 0.5), np.full(self.size, 0.5))
        margins = np.zeros(self.size)
        n_nodes = (1 << self.depth) - 1
        for index, tree in enumerate(trees):
            choices = [self._choice(split) for split in read_list(tree["splits"], "splits", n_nodes)]
            values = np.array([float(read_finite(value)) for value in tree["values"]])
            splits, at = self._splits(index, weights, choices)
            yield TreeDraws(splits, self._leaves(index, weights, at, values), weights, at)
            predicted = values[at - n_nodes] * float(read_finite(tree["beta"]))
            margins = margins + predicted
            weights = self._next_weights(weights, margins, predicted)

    def leaf_masses(self, weights: Floats, at: Nodes) -> Floats:
        """Return the positive masses of all leaves, and the negative ones."""
        leaves = at - ((1 << self.depth) - 1)
        signs = (self.signs == sign for sign in (1, -1))
        return np.array([np.bincount(leaves, weights * sign, 1 << self.depth) for sign in signs])

    def leverage(self, draws: TreeDraws) -> float:
        """Return the coefficient of a tree from its raw masses and released values."""
        positive, negative = self.leaf_masses(draws.weights.middle, draws.at)
        values = np.array([leaf.value for leaf in draws.leaves])
        return self.boost_alpha / float(self.bound) ** 2 / self.size * float(values @ (positive - negative))

    def _choice(self, split: Any) -> int:
        if split not in self._index:
            raise WireError("splits", f"one of {', '.join(self.candidates)}", split)
        return self._index[split]

    def _splits(
        self, index: int, weights: Weights, choices: Sequence[int]
    ) -> tuple[tuple[SplitDraw, ...], Nodes]:
        """Return the draws of the splits of a tree, and the leaf of every row."""
        used, half, known = weights.middle, np.full(self.size, 0.5), weights.known
        at = np.zeros(self.size, dtype=np.int64)
        everywhere = self._scores(used)
        draws = []
        for node, choice in enumerate(choices):
            level = (node + 1).bit_length() - 1
            inside = at == node
            alpha: float | None = self.alphas[min(level, len(self.alphas) - 1)]
            if self.words["alpha"] != "schedule":
                alpha = self._raw_alpha(self.words["alpha"], used, at) if known else None
            draws.append(
                SplitDraw(
                    tree=index,
                    level=level,
                    node=node,
                    choice=choice,
                    alpha=alpha or 0.0,
                    alpha_known=alpha is not None,
                    raw_alpha=self._raw_alpha("raw_minority", used, at) or 0.0,
                    scores=self._scores(used * inside),
                    first_scores=self._scores(half * inside),
                    root_scores=everywhere,
                    size=int(inside.sum()),
                    known=known and alpha is not None,
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

    def _raw_alpha(self, rule: str, weights: Floats, at: Nodes) -> float | None:
        """Return the alpha that labels give; None if floats cannot tell whether two masses are equal."""
        whole, parts = (self._error(rule, weights, each) for each in (np.zeros_like(at), at))
        if whole is None or parts is None:
            return None
        return min(parts / whole, 1.0) if whole else 1.0

    def _error(self, rule: str, weights: Floats, at: Nodes) -> float | None:
        positive, negative = (np.bincount(at, weights * (self.signs == sign)) for sign in (1, -1))
        errors = np.minimum(positive, negative)
        if rule == "raw_strict":
            near = (np.abs(positive - negative) < NUDGE) & (errors > 0)
            if near.any() and self._is_inexact(weights):
                return None
            errors = np.where(near, 0.0, errors)
        return float(errors.sum())

    @staticmethod
    def _is_inexact(weights: Floats) -> bool:
        """Return whether some weight has no short binary fraction, so that sums may be rounded."""
        return bool(np.any(weights * 2**20 != np.floor(weights * 2**20)))

    def _leaves(self, index: int, weights: Weights, at: Nodes, values: Floats) -> tuple[LeafDraw, ...]:
        known, scale = weights.known, self._scales[index > 0]
        columns = zip(*self.leaf_masses(weights.middle, at).tolist(), strict=True)
        return tuple(
            LeafDraw(index, leaf, masses, scale, value, known)
            for leaf, (masses, value) in enumerate(zip(columns, values.tolist(), strict=True))
        )

    def _next_weights(self, weights: Weights, margins: Floats, predicted: Floats) -> Weights:
        """Return the weights of the next tree; both ends differ if they may be rounded in two ways."""
        alpha = self.boost_alpha
        if self.words["beta"] == "raw":
            moves = zip(weights.middle, self.signs * predicted, strict=True)
            moved = np.array([inverse_link(alpha, link(alpha, weight) - move) for weight, move in moves])
            return Weights(moved, moved)
        ends = []
        for sign, margin in zip(self.signs, margins, strict=True):
            # A margin of 0 is exact: it is a sum of zeros.
            nudges = (0.0, 0.0) if margin == 0 else (-NUDGE, NUDGE)
            ends.append([self._on_grid(inverse_link(alpha, -sign * margin + nudge)) for nudge in nudges])
        low, high = np.array(ends).T
        return Weights(low, high)

    def _on_grid(self, weight: float) -> float:
        return float(max(self.grid, self.grid * math.floor(Fraction(min(weight, 1.0)) / self.grid)))
