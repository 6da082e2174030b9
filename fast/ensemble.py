"""Fitting: trees one after the other, each from released quantities of the ones before.

Read from the top: `fit_trees` fits T trees; `_Grower.grow` chooses the splits of one, level by level; its
`release` makes the leaves private; `_advance` moves margins and weights on. What each step reads and releases
is told to `record`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privboost.errors import PreconditionError

from . import rows as operations
from .domain import Domain
from .links import link, link_steps, weight_table
from .protocol import GRID, AlphaRule, BetaRule, LeafRule, Parameters, Protocol, Relation, SplitLaw
from .randomness import Bits, discrete_laplace, uniform_below
from .rows import Rows
from .spending import alpha_budget, expenses_of_tree, leaf_scale, node_budget
from .splits import child_masses, draw, rate, scores_of, sensitivity
from .trees import Candidates, Tree

Array = NDArray[Any]
Record = Mapping[str, Any]
Recorder = Callable[[Record], None]


NET_STEP = GRID // 4
"""The greatest absolute value of a leaf of noisy nets, in grid steps: what one tree may move a margin by."""

NAMES: dict[LeafRule, tuple[str, ...]] = {
    LeafRule.NOISY_MASSES: ("positive", "negative"),
    LeafRule.NOISY_NET: ("net",),
}
"""What has noise in a leaf, where it is not the leaf's value."""

LIFT = 2.0**-20
"""Part of a grid step that rounding cannot reach: what is that close below the grid is on it."""


def ignore(_record: Record) -> None:
    """Take a record and keep nothing."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What is public about a fit."""

    protocol: Protocol
    parameters: Parameters
    domain: Domain
    size: int
    """The public number m of rows, or a public bound on it under add/remove."""

    def weight_bound(self, number: int) -> Fraction:
        """Return the public bound on the weights of tree 0, 1, ...: 1/2, then 1, and always 1/2 with nets."""
        always_half = self.protocol.leaf is LeafRule.NOISY_NET
        return Fraction(1) if number and not always_half else Fraction(1, 2)


def fit_trees(
    setting: Setting, rows: Rows, bits: Bits, record: Recorder = ignore
) -> tuple[tuple[Tree, float], ...]:
    """Return the trees with their coefficients."""
    _check(setting, rows)
    fitted: list[tuple[Tree, float]] = []
    candidates = Candidates.of(setting.domain)
    spent = Fraction(0)
    for number in range(setting.parameters.trees):
        record({"kind": "tree", "tree": number, "weight_bound": setting.weight_bound(number)})
        grower = _Grower(setting, rows, bits, record, candidates, number)
        tree = grower.grow()
        released = grower.release(tree)
        fitted.append(released)
        for expense in expenses_of_tree(setting.protocol, setting.parameters):
            spent += expense.epsilon
            record({"kind": "expense", "tree": number, **asdict(expense)})
        if number + 1 < setting.parameters.trees:
            _advance(setting, rows, released)
    record({"kind": "total", "epsilon": spent, "claim": setting.parameters.epsilon})
    return tuple(fitted)


def _check(setting: Setting, rows: Rows) -> None:
    """Refuse rows that the public size does not allow, and domains without a split."""
    exchange = setting.protocol.relation is Relation.EXCHANGE
    if rows.size > setting.size or (exchange and rows.size != setting.size):
        wanted = f"{setting.size} rows" if exchange else f"at most {setting.size} rows"
        raise PreconditionError("X", wanted, f"{rows.size} rows")
    if not len(Candidates.of(setting.domain)):
        raise PreconditionError("domain", "a feature with at least two values", setting.domain.names)


@dataclass(slots=True)
class _Grower:
    """The growth of one tree."""

    setting: Setting
    rows: Rows
    bits: Bits
    record: Recorder
    candidates: Candidates
    number: int

    def grow(self) -> Array:
        """Return the chosen candidate of every node, in level order."""
        depth = self.setting.parameters.depth
        recorded = self.record is not ignore
        if self.setting.protocol.split_law is SplitLaw.UNIFORM and not recorded:
            chosen = [uniform_below(len(self.candidates), self.bits) for _ in range((1 << depth) - 1)]
            found = np.array(chosen)
            self.rows.tell(operations.route_tree, *self._tests(found), depth)
            return found
        self.rows.tell(operations.to_root)
        found = np.empty((1 << depth) - 1, dtype=np.int64)
        alpha = _Alpha(self)
        histogram, counted = None, np.ones(1, dtype=np.bool_)
        for level in range(depth):
            alpha.open_level(level)
            histogram = self._histogram(histogram, counted)
            part, counted = self._choose_level(level, histogram, alpha)
            found[(1 << level) - 1 : (1 << level + 1) - 1] = part
            self.rows.tell(operations.route_level, *self._tests(part))
        return found

    def _tests(self, chosen: Array) -> tuple[Array, Array, Array]:
        of = self.candidates
        return of.feature[chosen], of.value[chosen], of.equal[chosen]

    def _histogram(self, parents: Array | None, counted: Array) -> Array:
        """Return the histograms of a level; of two siblings the lighter is counted, the other is the rest."""
        bins = self.setting.domain.bins
        table = self.rows.ask(operations.histograms, counted, bins)
        if parents is None:
            return table
        if table.dtype.kind == "f":
            # Sums of floats would not be the same by subtraction, so both siblings are counted.
            return table + self.rows.ask(operations.histograms, ~counted, bins)
        siblings = table.reshape(len(parents), 2, *table.shape[1:])
        rest = parents - siblings.sum(axis=1)
        siblings[~counted.reshape(-1, 2)] = rest
        return siblings.reshape(table.shape)

    def _choose_level(self, level: int, histogram: Array, alpha: _Alpha) -> tuple[Array, Array]:
        """Return the chosen candidate of every node of a level, and which children are the lighter ones."""
        setting = self.setting
        budget = node_budget(setting.protocol, setting.parameters, level)
        bound = float(setting.weight_bound(self.number))
        left, right = child_masses(histogram, self.candidates)
        chosen = np.empty(1 << level, dtype=np.int64)
        # All nodes that have one alpha are scored at once.
        step = 1 << level if alpha.is_of_level else 1
        for start in range(0, 1 << level, step):
            value = alpha.of_node(level)
            part = slice(start, start + step)
            scores = scores_of(left[part], right[part], np.array([value]))
            delta = sensitivity(setting.protocol, setting.size, bound, float(value))
            per_score = rate(setting.protocol, budget, delta, bound * setting.size)
            chosen[part] = draw(setting.protocol, scores, per_score, self.bits)
            if not alpha.is_of_level:
                choice = chosen[start]
                alpha.split(histogram[start], left[start, choice], right[start, choice])
            if self.record is not ignore:
                what = {"alpha": value, "budget": budget, "sensitivity": delta}
                for node in range(start, start + step):
                    path = format(node, f"0{level}b") if level else ""
                    self._record_node({"leaf": path, **what}, scores[node - start], int(chosen[node]))
        pick = (np.arange(1 << level), chosen)
        right_lighter = right[pick].sum(axis=1) <= left[pick].sum(axis=1)
        return chosen, np.column_stack((~right_lighter, right_lighter)).ravel()

    def _record_node(self, what: Record, scores: Array, choice: int) -> None:
        texts = [self.candidates.text(number) for number in range(len(self.candidates))]
        self.record(
            {
                "kind": "node",
                "tree": self.number,
                **what,
                "scores": dict(zip(texts, scores.tolist(), strict=True)),
                "choice": texts[choice],
            }
        )

    def release(self, chosen: Array) -> tuple[Tree, float]:
        """Return the tree with its private leaf values, and its coefficient."""
        setting, leaves = self.setting, 1 << self.setting.parameters.depth
        masses = self.rows.ask(operations.class_masses, leaves)
        scale = leaf_scale(setting.protocol, setting.parameters, setting.weight_bound(self.number))
        release = _Leaves(setting, self.bits, scale, masses)
        for leaf in range(leaves):
            release.add(leaf)
            if self.record is not ignore:
                self.record({"kind": "leaf", "tree": self.number, **release.record_of(leaf)})
        beta = release.coefficient()
        self.record({"kind": "beta", "tree": self.number, "value": beta})
        tree = Tree(setting.parameters.depth, *self._tests(chosen), np.array(release.values))
        return tree, beta


@dataclass(slots=True)
class _Alpha:
    """The alpha of the node that is split next: public, estimated, or from the raw error so far."""

    grower: _Grower
    released: Fraction | float = Fraction(1)
    error: Any = None
    at_root: Any = None

    def open_level(self, level: int) -> None:
        """Estimate the alpha of a level below the root, where the protocol does."""
        setting = self.grower.setting
        if setting.protocol.alpha is not AlphaRule.NOISY_MINORITY or level == 0:
            return
        masses = self.grower.rows.ask(operations.class_masses, 1 << level)
        bound = setting.weight_bound(self.grower.number)
        scale = bound / alpha_budget(setting.parameters)
        noise = discrete_laplace(scale * GRID, self.grower.bits)
        minority = _in_steps(masses).min(axis=1).sum().item()
        share = Fraction(minority + noise) / (GRID * bound * setting.size / 2)
        clamped = min(max(share, Fraction(0)), Fraction(1))
        self.released = clamped if isinstance(minority, int) else float(clamped)
        self.grower.record(
            {
                "kind": "alpha",
                "tree": self.grower.number,
                "level": level,
                "minority": _in_units(minority),
                "scale": scale,
                "noise": _in_units(noise),
                "noisy": _in_units(minority + noise),
                "value": self.released,
            }
        )

    @property
    def is_of_level(self) -> bool:
        """Return whether all nodes of a level have the same alpha, whatever is chosen at them."""
        return self.grower.setting.protocol.alpha in (AlphaRule.SCHEDULE, AlphaRule.NOISY_MINORITY)

    def of_node(self, level: int) -> Any:
        """Return the alpha of the next node of a level."""
        setting = self.grower.setting
        rule = setting.protocol.alpha
        if rule is AlphaRule.SCHEDULE:
            return setting.parameters.alpha_of_level(level)
        if rule is AlphaRule.NOISY_MINORITY:
            return self.released
        if self.error is None:
            root = self.grower.rows.ask(operations.class_masses, 1)
            self.error = self.at_root = self._error(root[0])
        if not self.at_root:
            return 1.0
        return min(max(float(self.error) / float(self.at_root), 0.0), 1.0)

    def split(self, histogram: Array, left: Array, right: Array) -> None:
        """Take note of a split: the tree's error changes from that of the leaf to that of its children."""
        leaf = histogram[0].sum(axis=0)
        self.error = self.error - self._error(leaf) + self._error(left) + self._error(right)

    def _error(self, masses: Array) -> Any:
        """Return the error of a leaf: its minority mass, or nothing at a draw for the strict reading."""
        strict = self.grower.setting.protocol.alpha is AlphaRule.RAW_STRICT
        return 0 if strict and _proportion(masses) == Fraction(1, 2) else masses.min()


def _in_steps(masses: Array) -> Array:
    """Return masses in grid steps: whole ones as they are, and floats, which are in units, multiplied."""
    return masses * GRID if masses.dtype.kind == "f" else masses


def _in_units(steps: int | float) -> Fraction | float:
    """Return a number of grid steps as an exact number of units, or as a float where it is one."""
    return Fraction(steps, GRID) if isinstance(steps, int) else steps / GRID


def _proportion(masses: Array) -> Fraction | None:
    """Return the positive part of the masses (negative, positive) of a leaf, and None for an empty one.

    Rounding blurs ratios of floats such as 1/2; a simple fraction within 2^-44 is taken for what was meant.
    """
    negative, positive = masses.tolist()
    if not negative + positive:
        return None
    if isinstance(positive, int):
        return Fraction(positive, positive + negative)
    share = Fraction(positive / (positive + negative))
    simple = share.limit_denominator(1 << 16)
    return simple if abs(simple - share) < Fraction(1, 1 << 44) else share


class _Leaves:
    """The leaves of one tree, from raw masses to released values; all in grid steps."""

    def __init__(self, setting: Setting, bits: Bits, scale: Fraction, masses: Array) -> None:
        self._setting, self._bits, self._scale, self._masses = setting, bits, scale, _in_steps(masses)
        self._noise_scale = scale * GRID
        self._divisor = GRID * (Fraction(setting.size, 2 << setting.parameters.depth) + scale)
        self._names = NAMES.get(setting.protocol.leaf, ("value",))
        self._noise: list[tuple[int, ...]] = []
        self._noisy: list[tuple[Any, ...]] = []
        self.values: list[Any] = []

    def add(self, leaf: int) -> None:
        """Draw the noise of a leaf and find its value."""
        negative, positive = self._masses[leaf].tolist()
        rule = self._setting.protocol.leaf
        noise = tuple(discrete_laplace(self._noise_scale, self._bits) for _ in self._names)
        if rule is LeafRule.NOISY_NET:
            noisy: tuple[Any, ...] = (positive - negative + noise[0],)
            value: Any = self._net_value(noisy[0])
        elif rule is LeafRule.NOISY_MASSES:
            noisy = (positive + noise[0], negative + noise[1])
            value = self._mass_value(*noisy)
        else:
            noisy = (self._centre(leaf) + noise[0],)
            bound = int(self._setting.parameters.bound * GRID)
            value = min(max(noisy[0], -bound), bound) / GRID
        self._noise.append(noise)
        self._noisy.append(noisy)
        self.values.append(value)

    def _net_value(self, noisy: int) -> int:
        """Return the value in grid steps: floor of GRID / 4 clamp(net / (mass + scale)), a whole number."""
        divisor = self._divisor
        steps = noisy * divisor.denominator * NET_STEP // divisor.numerator
        return min(max(steps, -NET_STEP), NET_STEP)

    def _mass_value(self, positive: float, negative: float) -> float:
        """Return the link of the noisy proportion, clamped; 0 without positive noisy mass."""
        up, down = max(positive, 0), max(negative, 0)
        bound = float(self._setting.parameters.bound)
        if not up + down:
            return 0.0
        if not up or not down:
            return bound if up else -bound
        alpha = float(self._setting.parameters.boost_alpha)
        value = alpha * (up - down) / np.sqrt(float(up) * float(down)) + 2 * (1 - alpha) * np.sign(up - down)
        return float(min(max(value, -bound), bound))

    def _centre(self, leaf: int) -> int:
        """Return the raw value of a leaf on the grid, rounded down."""
        share, p = _proportion(self._masses[leaf]), self._setting.parameters
        if share is None:
            return 0
        inner = min(max(share, p.zeta), 1 - p.zeta)
        if self._masses.dtype.kind == "f":
            # Rounding has blurred values that are on the grid; so small a lift brings them back.
            steps = int(np.floor(GRID * link(np.array(float(inner)), float(p.boost_alpha)) + LIFT))
        else:
            steps = link_steps(inner, p.boost_alpha)
        if self._setting.protocol.leaf is LeafRule.LINK_CLAMP_NOISE:
            bound = int(p.bound * GRID)
            return min(max(steps, -bound), bound)
        return steps

    def record_of(self, leaf: int) -> Record:
        """Return the record of a leaf."""
        depth = self._setting.parameters.depth
        negative, positive = self._masses[leaf].tolist()
        exact = self._setting.protocol.leaf is LeafRule.NOISY_NET
        noise, noisy = self._noise[leaf], self._noisy[leaf]
        return {
            "leaf": format(leaf, f"0{depth}b"),
            "masses": {"positive": _in_units(positive), "negative": _in_units(negative)},
            "scale": self._scale,
            "noise": {name: _in_units(steps) for name, steps in zip(self._names, noise, strict=True)},
            "noisy": {name: _in_units(steps) for name, steps in zip(self._names, noisy, strict=True)},
            "value": _in_units(self.values[leaf]) if exact else self.values[leaf],
        }

    def coefficient(self) -> float:
        """Return beta: (a / m) times the sum of values times net masses, raw or noisy, or 1."""
        setting = self._setting
        if setting.protocol.beta is BetaRule.CONSTANT:
            return 1.0
        if setting.protocol.beta is BetaRule.RAW:
            nets = (self._masses[:, 1] - self._masses[:, 0]) / GRID
        elif setting.protocol.leaf is LeafRule.NOISY_MASSES:
            nets = np.array([up - down for up, down in self._noisy]) / GRID
        else:
            return 1.0
        step = float(setting.parameters.boost_alpha / setting.parameters.bound**2)
        return float(step * np.dot(np.array(self.values, dtype=np.float64), nets) / setting.size)


def _advance(setting: Setting, rows: Rows, released: tuple[Tree, float]) -> None:
    """Set the weights of the next tree, from released quantities, or by the literal mirror update."""
    tree, beta = released
    alpha = float(setting.parameters.boost_alpha)
    if setting.protocol.beta is BetaRule.RAW:
        rows.tell(operations.mirror, beta * tree.values.astype(np.float64), alpha)
    elif setting.protocol.leaf is LeafRule.NOISY_NET:
        rows.tell(operations.add_values, tree.values.astype(np.int32))
        most = int(setting.weight_bound(1) * GRID)
        table = weight_table(setting.parameters.trees * NET_STEP, setting.parameters.boost_alpha, most)
        rows.tell(operations.weigh_by_table, table)
    else:
        rows.tell(operations.add_values, beta * tree.values.astype(np.float64))
        rows.tell(operations.weigh_by_link, alpha)
