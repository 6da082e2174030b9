"""Bet against the law of every leaf value of seeded trainings, given the history of its run."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

from privboost.gate.checks.bets import RivalBets

from . import trained_splits
from .float_laws import (
    REACH,
    NoiseTable,
    inner_ratios,
    laplace_table,
    noisy_masses_law,
    normal_table,
    one_noise_law,
    ratio_of_value,
    value_of_ratio,
)
from .histories import NUDGE, History, LeafDraw, TreeDraws, link
from .laws import Floats
from .trained_bets import Bet, Draw, TrainingBets

SHARES = ("1/4 of", "1/2 of", "2/3 of", "4/5 of", "5/4 times", "3/2 times", "twice", "4 times")
FACTORS = {name: trained_splits.FACTORS[name] for name in SHARES}
RIVALS = (
    *(f"noise of {name} the scale" for name in FACTORS),
    "normal noise of the same standard deviation",
    "no noise",
    "noise that is never negative",
    "the same noise on both masses",
    "opposite noise on the two masses",
    "noise on the positive mass only",
    "no noise on masses that are 0",
)
PARTS = ("all leaves", "the first tree", "later trees", "empty leaves", "leaves of one class")
SENTENCE = "the values of {count} leaves, {part}, do not follow their laws. Closer to them: {rival}"
PAIRS = "thirds of the laws of two leaves, which must be independent:"
SIBLING = f"{PAIRS} neighbours in a tree"
FIRST = f"{PAIRS} the first leaf of a tree and another"
LAST_TREE = f"{PAIRS} the same leaf in the tree before"
LAST_RUN = f"{PAIRS} the same leaf in the request before"
TOLERANCE = 1e-9
"""Tolerance of a value, relative to max(1, abs(value)), as in the protocol."""
MOST_RATIOS = 120
"""Number of values of a request whose masses are reconstructed."""
MOST_LAWS = 800
"""Number of different laws of a request that are computed; later leaves with other laws are left out."""


@dataclass(frozen=True, slots=True)
class LeafLaw:
    """The law of a value in cells, the laws of all rivals, and the increasing ends of the cells."""

    law: Floats
    rivals: Floats
    ends: tuple[float, ...]

    def cell(self, value: float) -> int:
        """Return the cell of a value."""
        return int(np.searchsorted(self.ends, value))


def leaf_bets(names: Sequence[str]) -> TrainingBets:
    """Return bets on the leaf values of all runs of several requests."""
    laws: dict[str, dict[object, LeafLaw | None]] = {name: {} for name in names}

    def draws(name: str, history: History, tree: TreeDraws) -> Iterator[Draw]:
        for leaf in (leaf for leaf in tree.leaves if leaf.known):
            key = leaf.masses, leaf.scale
            if key not in laws[name] and len(laws[name]) < MOST_LAWS:
                laws[name][key] = law_of_leaf(history, *key)
            law = laws[name].get(key)
            if law is not None:
                yield _draw(name, leaf, law)

    rivals = RivalBets(RIVALS, (*PARTS, *map(_request_part, names)))
    learned = (*map(_by_cell, names), SIBLING, FIRST, LAST_TREE)
    return TrainingBets(rivals, SENTENCE, learned, LAST_RUN, draws)


def _by_cell(name: str) -> str:
    return f"values of leaves in '{name}', by cell"


def _request_part(name: str) -> str:
    return f"of the protocol '{name}'"


def _draw(name: str, leaf: LeafDraw, law: LeafLaw) -> Draw:
    cell = law.cell(leaf.value)
    parts = ["all leaves", "later trees" if leaf.tree else "the first tree"]
    parts += ["empty leaves"] if not any(leaf.masses) else []
    parts += ["leaves of one class"] if sum(mass > 0 for mass in leaf.masses) == 1 else []
    parts.append(_request_part(name))
    earlier = {LAST_TREE: (leaf.tree - 1, leaf.leaf)}
    if leaf.leaf % 2:
        earlier[SIBLING] = (leaf.tree, leaf.leaf - 1)
    if leaf.leaf > 1:
        earlier[FIRST] = (leaf.tree, 0)
    keys = {_by_cell(name): range(len(law.law))}
    thirds = _thirds(law.law)
    bet = Bet(
        law.law, law.rivals, cell, parts, keys, earlier, lambda other: [(other, third) for third in thirds]
    )
    return Draw((leaf.tree, leaf.leaf), thirds[cell], bet)


def _thirds(law: Floats) -> list[int]:
    """Return for every cell whether it is in the lower, middle or upper third of a law."""
    middles = np.cumsum(law) - law / 2
    return [min(2, int(3 * middle)) for middle in middles]


def law_of_leaf(history: History, masses: tuple[float, float], scale: Fraction) -> LeafLaw | None:
    """Return the law of a leaf's value; None if rounding decides it."""
    if history.words["leaf"] == "noisy_masses":
        return _law_of_masses(history, masses, scale)
    return _law_of_value(history, masses, scale)


def _law_of_masses(history: History, masses: tuple[float, float], scale: Fraction) -> LeafLaw:
    alpha, bound = history.boost_alpha, float(history.bound)
    steps, grid = float(scale / history.grid), float(history.grid)
    counts = [mass / grid for mass in masses]
    greatest = ratio_of_value(alpha, bound)
    ratios = [1 / greatest, *inner_ratios(counts, steps, greatest), greatest]
    table = laplace_table(steps)

    def law(noise: NoiseTable) -> Floats:
        return noisy_masses_law(counts, noise, ratios)

    def joint(*noises: str) -> Floats:
        return one_noise_law(counts, table, ratios, *(NOISES[noise] for noise in noises))

    noises = ["as drawn" if mass else "none" for mass in masses]
    without_zero = law(table) if all(masses) else joint(*noises)
    rivals = [
        *(law(laplace_table(steps * factor)) for factor in FACTORS.values()),
        law(normal_table(steps)),
        joint("none", "none"),
        law(one_sided(table)),
        joint("as drawn", "as drawn"),
        joint("as drawn", "opposite"),
        joint("as drawn", "none"),
        without_zero,
    ]
    slack = TOLERANCE * max(1.0, bound)
    inner = [value_of_ratio(alpha, ratio) for ratio in ratios[1:-1]]
    return LeafLaw(law(table), np.array(rivals), (slack - bound, *inner, bound - slack))


NOISES: dict[str, Callable[[Floats], Floats]] = {
    "as drawn": np.positive,
    "opposite": np.negative,
    "none": np.zeros_like,
}


@lru_cache(maxsize=64)
def one_sided(table: NoiseTable) -> NoiseTable:
    """Return the law of the size of noise."""
    upper = np.where(table.noise > 0, 2 * table.chances, 0.0)
    upper[table.reach] = table.chances[table.reach]
    return NoiseTable(upper, table.reach)


def centre_of(history: History, masses: tuple[float, float]) -> int | None:
    """Return the value of a leaf without noise, in steps; None if it may be rounded in two ways."""
    total = sum(masses)
    value = 0.0
    if total:
        value = link(history.boost_alpha, min(max(masses[0] / total, history.zeta), 1 - history.zeta))
    bound = float(history.bound)
    if history.words["leaf"] == "link_clamp_noise":
        value = min(max(value, -bound), bound)
    exact = value in (0.0, bound, -bound)
    ends = {
        math.floor((Fraction(value) + Fraction(nudge)) / history.grid)
        for nudge in ((0.0,) if exact else (-NUDGE, NUDGE))
    }
    return ends.pop() if len(ends) == 1 else None


def _law_of_value(history: History, masses: tuple[float, float], scale: Fraction) -> LeafLaw | None:
    centre = centre_of(history, masses)
    if centre is None:
        return None
    steps, table = float(scale / history.grid), laplace_table(float(scale / history.grid))
    bound = history.bound / history.grid
    lowest, highest = math.floor(-bound) - centre, math.ceil(bound) - centre
    inner = [round(steps * shift) for shift in (-2.3, -1.1, -0.4, 0.0, 0.4, 1.1, 2.3)]
    edges = sorted({k for k in inner if lowest < k < highest - 1} | {lowest, highest - 1})
    silent = np.zeros(len(edges) + 1)
    silent[int(np.searchsorted(edges, 0))] = 1.0
    right = table.between(edges)
    rivals = [
        *(laplace_table(steps * factor).between(edges) for factor in FACTORS.values()),
        normal_table(steps).between(edges),
        silent,
        one_sided(table).between(edges),
        *[right] * 3,
        right if any(masses) else silent,
    ]
    grid = float(history.grid)
    ends = tuple((centre + k + 0.5) * grid for k in edges)
    slack = TOLERANCE * max(1.0, float(history.bound))
    limits = (-float(history.bound) + slack, *ends[1:-1], float(history.bound) - slack)
    return LeafLaw(right, np.array(rivals), limits)


def off_grid(history: History, runs: Sequence[Sequence[TreeDraws]]) -> str:
    """Return a complaint if values are not links of two noisy masses that are whole steps of the grid.

    The link determines the ratio of the masses, which must be a fraction of small integers: noise beyond
    REACH scales is too unlikely. Ratios of continuous noise are seldom so close to such a fraction.
    """
    if history.words["leaf"] != "noisy_masses" or history.words["beta"] == "raw":
        return ""
    alpha, bound = history.boost_alpha, float(history.bound)
    leaves = [leaf for trees in runs for tree in trees for leaf in tree.leaves]
    inside = [leaf for leaf in leaves if 0 < abs(leaf.value) < bound * (1 - 1e-6)]
    for leaf in inside[:MOST_RATIOS]:
        most = math.ceil((sum(leaf.masses) + REACH * float(leaf.scale)) / float(history.grid))
        ratio = ratio_of_value(alpha, leaf.value)
        near = Fraction(ratio if ratio < 1 else 1 / ratio).limit_denominator(most)
        value = math.copysign(value_of_ratio(alpha, float(near)), leaf.value) if near else 0.0
        if abs(value - leaf.value) > TOLERANCE * max(1.0, abs(leaf.value)):
            return (
                f"the value {leaf.value!r} is not the link of two masses that are whole steps of the grid "
                f"{history.grid}: the noise of a leaf is not on the grid"
            )
    return ""
