"""Post-processing of released trees: leaf values, coefficients, margins and the next weights.

Notation:
    H       ensemble so far, sum of beta_t h_t      a       step of the coefficients, alpha / M^2
    w_bar   public bound on the weights             grid    weights are rounded down to multiples of it
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from privboost.reference.data import Example, Observation, WeightedSample
from privboost.reference.exact import Number, exact, exact_sum, floor
from privboost.reference.losses import Loss, inverse_link, link, m_alpha, select
from privboost.reference.trees.risks import Mass
from privboost.reference.trees.tree import Path, Tree

from .leaves import NoisyLeaf, noisy_leaf, noisy_numbers
from .protocol import BetaRule, LeafRule, Protocol
from .splitting import Setting

WeightRule: TypeAlias = Callable[[Example], Number]


@dataclass(frozen=True, slots=True)
class Release:
    """One released tree: its splits, its leaf values and its coefficient."""

    tree: Tree
    values: tuple[tuple[Path, Number], ...]
    beta: Number

    def __call__(self, x: Observation) -> Number:
        """Return beta_t h_t(x)."""
        return self.beta * dict(self.values)[self.tree.leaf_of(x)]


def leverage(step: Number, size: int, values: Mapping[Path, Number], masses: Mapping[Path, Mass]) -> Number:
    """Return beta_t = (a / m) * sum over leaves of h(leaf) (w^1(leaf) - w^-1(leaf)).

    Paper: cboost (step 2.2), defwunMF. From raw masses it is the printed coefficient; from noisy masses it is
    post-processing.
    """
    net = (values[leaf] * (mass.positive - mass.negative) for leaf, mass in masses.items())
    return step * exact_sum(net) / size


def release_of(setting: Setting, tree: Tree, noisy: Mapping[Path, Mass]) -> Release:
    """Return the release of a tree with the given noisy masses or their nets, by post-processing only."""
    no_noise = dict.fromkeys(noisy_numbers(setting), Fraction(0))
    leaves = {leaf: noisy_leaf(setting, mass, no_noise, len(noisy)) for leaf, mass in noisy.items()}
    return release_of_leaves(setting, tree, leaves)


def release_of_leaves(setting: Setting, tree: Tree, leaves: Mapping[Path, NoisyLeaf]) -> Release:
    """Return the release of a tree with the given leaves: their values, and the coefficient of the protocol.

    Paper: cboost (step 2.2). BetaRule.NOISY_MASSES gives 1 if the leaves have no noisy masses.
    """
    values = {path: leaf.value for path, leaf in leaves.items()}
    step, size = setting.parameters.step, setting.size
    beta: Number = Fraction(1)
    if setting.protocol.beta is BetaRule.RAW:
        beta = leverage(step, size, values, {path: leaf.mass for path, leaf in leaves.items()})
    elif setting.protocol.beta is BetaRule.NOISY_MASSES and setting.protocol.leaf is LeafRule.NOISY_MASSES:
        beta = leverage(step, size, values, {path: Mass(**leaf.noisy) for path, leaf in leaves.items()})
    return Release(tree, tuple(values.items()), beta)


def margin(releases: Sequence[Release], x: Observation) -> Number:
    """Return H(x), the sum of beta_t h_t(x).

    Paper: sec-boost (linear combination).
    """
    return exact_sum(release(x) for release in releases)


def weight_rule(setting: Setting, releases: Sequence[Release]) -> WeightRule:
    """Return (x, y) -> link^-1(-y H(x)), at most w_bar and rounded down to the grid.

    Paper: defwunMF. Rounding direction: down, which keeps every weight at most w_bar. Weights are at least
    one grid step, because they are positive. The rule depends on released quantities only, so it is free.
    """
    loss, grid = m_alpha(setting.parameters.boost_alpha), setting.parameters.grid

    def rule(example: Example) -> Number:
        weight = exact(select(inverse_link(loss, -example.y * margin(releases, example.x))))
        return max(grid, grid * floor(min(weight, setting.weight_bound) / grid))

    return rule


def mirror_update(loss: Loss, weight: Number, beta: Number, y: int, prediction: Number) -> Number:
    """Return w_(t+1) = link^-1(-beta y h(x) + link(w_t)), with the selection of least magnitude of the link.

    Paper: defwunMF.
    """
    return exact(select(inverse_link(loss, exact(select(link(loss, weight))) - beta * y * prediction)))


def mirror_weights(loss: Loss, data: WeightedSample, release: Release) -> WeightedSample:
    """Return the sample with all weights updated as printed.

    Paper: defwunMF, defwun.
    """
    values = dict(release.values)
    updated = tuple(
        mirror_update(loss, weight, release.beta, e.y, values[release.tree.leaf_of(e.x)])
        for e, weight in data
    )
    return WeightedSample(data.sample, updated)


INITIAL_BOUND = Fraction(1, 2)
"""w_bar of the first tree, whose weights are all 1/2."""

LATER_BOUND = Fraction(1)
"""w_bar of every later tree, unless leaves are noisy nets."""


def weight_bound_of_tree(protocol: Protocol, index: int) -> Fraction:
    """Return the public bound w_bar on the weights of tree 0, 1, ...: 1/2 for the first tree, then 1.

    With noisy nets the bound stays 1/2, and greater weights are clipped to it. A misclassified example then
    weighs no more than in the first tree, and the noise is half of that for a bound of 1.
    """
    if index == 0 or protocol.leaf is LeafRule.NOISY_NET:
        return INITIAL_BOUND
    return LATER_BOUND
