"""Splits and trees of the reference as vectorised mechanisms, sampled from their exact finite laws."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache, partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from privboost.auditor.pairs.samples import ENCLOSURE_BITS, Rows, float_above, sample_from
from privboost.reference.data import binary_domain, initial_weights
from privboost.reference.exact import Number, enclose, log
from privboost.reference.learners.boosting import INITIAL_BOUND
from privboost.reference.learners.leaves import centre_of_leaf, leaf_scale
from privboost.reference.learners.privacy_loss import exact_losses, tree_law
from privboost.reference.learners.protocol import SOUND, BetaRule, LeafRule, Parameters, Protocol, SplitLaw
from privboost.reference.learners.splitting import Setting, split_law
from privboost.reference.privacy.mechanisms import GridLaplace
from privboost.reference.trees.risks import leaf_masses
from privboost.reference.trees.tree import Tree

from .mechanism import Array, Known, Rng

ROWS = (["00-", "01+"], ["00-", "10+"])
"""The worst exchange of one example in samples of two over {0, 1}^2: what `privboost verify` finds."""

CLAIM = Fraction(2)
TABLE_BITS = 62
FINITE = replace(SOUND, name="SOUND, finite", leaf=LeafRule.LINK_CLAMP_NOISE, beta=BetaRule.CONSTANT)
"""SOUND with leaves clamped before and after noise on a coarse grid, so that the law of a tree is finite."""


def loss_of_laws(first: Mapping[Any, Number], second: Mapping[Any, Number]) -> float:
    """Return the greatest log ratio of two finite laws, in either direction, rounded up to a float."""
    ratios = [log(first[outcome] / second[outcome]) for outcome in first]
    return max(float_above(signed) for ratio in ratios for signed in (ratio, -ratio))


class FiniteLaw(NamedTuple):
    """A sampling table: outcome k covers the integers below 2^62 from ends[k - 1] up to ends[k]."""

    outcomes: Array
    ends: Array

    @classmethod
    def of(cls, law: Iterable[tuple[Any, Number]]) -> FiniteLaw:
        """Return the table of a law; probabilities are accurate to 2^-61."""
        outcomes, probabilities = zip(*law, strict=True)
        total, ends = Fraction(0), []
        for probability in probabilities:
            total += enclose(probability, ENCLOSURE_BITS).hi
            ends.append(min(math.ceil(total * (1 << TABLE_BITS)), 1 << TABLE_BITS))
        return cls(np.array(outcomes, dtype=np.float64), np.array(ends, dtype=np.int64))

    def draw(self, rng: Rng, calls: int) -> Array:
        """Return the outcomes of independent draws."""
        indices = np.searchsorted(self.ends, rng.integers(0, 1 << TABLE_BITS, calls), side="right")
        drawn: Array = self.outcomes[indices]
        return drawn


def tiny_setting(protocol: Protocol, size: int, grid: Fraction = Fraction(1, 1024)) -> Setting:
    """Return the setting of one tree of depth 1 over {0, 1}^2, with the claimed budget."""
    parameters = Parameters(epsilon=CLAIM, bound=Fraction(1), grid=grid)
    return Setting(protocol, parameters, binary_domain(2), size, INITIAL_BOUND)


def law_of_split(law: SplitLaw, rows: Rows) -> dict[int, Number]:
    """Return the law of the index of the root's split; half of the claim is the budget of splits."""
    setting = tiny_setting(replace(SOUND, split_law=law), len(rows))
    probabilities = split_law(setting, initial_weights(sample_from(rows)), Tree(), ())
    return dict(enumerate(probabilities.values()))


def law_of_tree(rows: Rows) -> dict[tuple[Number, ...], Number]:
    """Return the law of a tree: the index of its split and the values of its two leaves."""
    setting = tiny_setting(FINITE, len(rows), Fraction(1, 2))
    data, scale = initial_weights(sample_from(rows)), leaf_scale(setting, 2)
    edge, step = setting.parameters.bound, setting.parameters.grid
    inside = [-edge + step * k for k in range(1, 4)]
    probabilities: dict[tuple[Number, ...], Number] = {}
    for index, (tree, probability) in enumerate(tree_law(setting, data)):
        laws: list[dict[Number, Number]] = []
        for mass in leaf_masses(tree, data).values():
            noise = GridLaplace(centre_of_leaf(setting, mass), scale, step)
            middle = {x: noise.below(x) - noise.below(x - step) for x in inside}
            laws.append({-edge: noise.below(-edge), **middle, edge: noise.above(edge)})
        for left, right in product(*laws):
            probabilities[Fraction(index), left, right] = probability * laws[0][left] * laws[1][right]
    return probabilities


@lru_cache(maxsize=64)
def _table(law: SplitLaw | None, rows: tuple[str, ...]) -> FiniteLaw:
    """Return the sampling table of a split, or of a whole tree if `law` is None."""
    probabilities: Mapping[Any, Number] = law_of_split(law, rows) if law else law_of_tree(rows)
    return FiniteLaw.of(probabilities.items())


def root_split(given: Rows, rng: Rng, calls: int, law: SplitLaw) -> Array:
    """Return the index of the split of the root."""
    return _table(law, tuple(given)).draw(rng, calls)


def finite_tree(given: Rows, rng: Rng, calls: int) -> Array:
    """Return a tree: the index of its split and its two clamped leaf values."""
    return _table(None, tuple(given)).draw(rng, calls)


@lru_cache(maxsize=64)
def _raw_masses(rows: tuple[str, ...]) -> Array:
    """Return the class masses of the two leaves for every split of the root: shape (splits, 4)."""
    setting, data = tiny_setting(SOUND, len(rows)), initial_weights(sample_from(rows))
    tables = [leaf_masses(tree, data).values() for tree, _ in tree_law(setting, data)]
    numbers = [[n for mass in masses for n in (mass.positive, mass.negative)] for masses in tables]
    return np.array([[float_above(n) for n in row] for row in numbers])


def noisy_tree(given: Rows, rng: Rng, calls: int) -> Array:
    """Return a released SOUND tree: the index of its split and four noisy class masses."""
    indices = root_split(given, rng, calls, SplitLaw.EXPONENTIAL).astype(np.int64)
    setting = tiny_setting(SOUND, len(given))
    grid = setting.parameters.grid
    success = -math.expm1(-float_above(grid / leaf_scale(setting, 2)))
    steps = rng.geometric(success, (calls, 4)) - rng.geometric(success, (calls, 4))
    return np.concatenate(
        [indices[:, None], _raw_masses(tuple(given))[indices] + steps * float(grid)], axis=1
    )


def _split(law: SplitLaw) -> Known:
    """Return the split of the root under a law; its claim is half of the claim of a tree."""
    exact = loss_of_laws(*(law_of_split(law, rows) for rows in ROWS))
    purpose = f"Return the index of the split of the root, chosen by the law {law.value}."
    return Known(partial(root_split, law=law), ROWS, claim=float(CLAIM / 2), exact=exact, purpose=purpose)


def _finite_tree() -> Known:
    """Return the tree with a finite law: all 50 trees."""
    exact = loss_of_laws(*(law_of_tree(rows) for rows in ROWS))
    return Known(finite_tree, ROWS, claim=float(CLAIM), exact=exact)


def _noisy_tree() -> Known:
    """Return the SOUND tree; its leaves have noise on a fine grid, and a loss in closed form."""
    first, second = (initial_weights(sample_from(rows)) for rows in ROWS)
    exact = max(float_above(loss.total) for loss in exact_losses(tiny_setting(SOUND, 2), first, second))
    return Known(noisy_tree, ROWS, claim=float(CLAIM), exact=exact)


TREES: dict[str, Callable[[], Known]] = {
    "exponential_split": partial(_split, SplitLaw.EXPONENTIAL),
    "permute_and_flip_split": partial(_split, SplitLaw.PERMUTE_AND_FLIP),
    "finite_tree": _finite_tree,
    "noisy_tree": _noisy_tree,
}
"""Entries of the bank of private mechanisms by name."""
