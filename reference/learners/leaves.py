"""The leaves of a private tree: their released values, and the exact privacy loss.

Notation:
    M       greatest absolute leaf value        zeta    clamp of the proportions
    n       noisy masses of the two classes in every leaf
    net     w^1(leaf) - w^-1(leaf), mass of label 1 minus that of label -1
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from privboost.reference.data import Relation, WeightedSample
from privboost.reference.exact import INFINITY, Extended, Infinity, Number, exact_sum, floor, sqrt
from privboost.reference.losses import link, m_alpha, select
from privboost.reference.privacy.accounting import leaf_budget
from privboost.reference.privacy.mechanisms import GridLaplace, clamped_grid_loss
from privboost.reference.trees.risks import Mass, leaf_masses
from privboost.reference.trees.tree import Tree

from .protocol import BetaRule, LeafRule
from .splitting import Setting, split_share


def clamp(value: Extended, bound: Number) -> Number:
    """Return a value clamped to [-M, M].

    Paper: sub-sec-sum-imp.
    """
    if isinstance(value, Infinity):
        return bound if value > 0 else -bound
    return min(max(value, -bound), bound) if not isinstance(value, int) else clamp(Fraction(value), bound)


def raw_leaf_value(setting: Setting, mass: Mass) -> Number:
    """Return the link of the proportion clamped to [zeta, 1 - zeta], before any noise; 0 for an empty leaf.

    Paper: predDT, sub-sec-sum-imp.
    """
    if not mass.total:
        return Fraction(0)
    zeta = setting.parameters.zeta
    q = min(max(mass.proportion, zeta), 1 - zeta)
    value = select(link(m_alpha(setting.parameters.boost_alpha), q))
    assert not isinstance(value, (Infinity, int))
    if setting.protocol.leaf is LeafRule.LINK_CLAMP_NOISE:
        return clamp(value, setting.parameters.bound)
    return value


def value_of_noisy_mass(setting: Setting, noisy: Mass) -> Number:
    """Return the value of a leaf from its noisy masses; as post-processing, it costs no budget.

    Negative masses count as 0. A leaf without positive noisy mass predicts 0.
    """
    positive, negative = max(noisy.positive, Fraction(0)), max(noisy.negative, Fraction(0))
    total = positive + negative
    if not total:
        return Fraction(0)
    value = select(link(m_alpha(setting.parameters.boost_alpha), positive / total))
    return clamp(value, setting.parameters.bound)


NET_STEP = Fraction(1, 4)
"""Greatest absolute value of a leaf of noisy nets: the greatest change of a margin by one tree."""


def value_of_noisy_net(setting: Setting, noisy: Number, leaves: int) -> Number:
    """Return net / (mass + scale), clamped to [-1, 1], divided by 4 and rounded to the grid.

    The mass m / (2 leaves) is public: the average mass of a leaf of the first tree. Adding the scale of the
    noise shrinks the values of noisier nets. As post-processing, this costs no budget. Rounding direction:
    down.
    """
    grid = setting.parameters.grid
    if setting.parameters.delta:
        # The value is net / (sigma sqrt(T)), rounded to the nearest: the noise of T values has deviation 1.
        return clamp(grid * floor(noisy / _gaussian_unit(setting) / grid + Fraction(1, 2)), NET_STEP)
    ratio = clamp(noisy / _net_unit(setting, leaves), Fraction(1))
    return grid * floor(NET_STEP * ratio / grid)


def _gaussian_unit(setting: Setting) -> Number:
    """Return sigma sqrt(T), rounded to the grid: down, but not to 0."""
    grid, trees = setting.parameters.grid, setting.parameters.trees
    return grid * max(floor(sqrt(leaf_variance(setting) * trees) / grid), 1)


def net_values(setting: Setting, leaves: int) -> list[Fraction]:
    """Return all values that a leaf of noisy nets can have, in increasing order.

    A value is a multiple of the grid from -1/4 to 1/4: one of 513 on a grid of 1/1024. Noisy nets are
    multiples of the grid, too, so a value is possible if the least of them that does not give less has it, or
    the one before, which the clamp may raise.
    """
    grid, unit = setting.parameters.grid, _net_unit(setting, leaves)
    values = []
    for steps in range(floor(-NET_STEP / grid), floor(NET_STEP / grid) + 1):
        least = -floor(-steps * unit / NET_STEP)
        noisy = (grid * index for index in (least, least - 1))
        if any(value_of_noisy_net(setting, net, leaves) == steps * grid for net in noisy):
            values.append(steps * grid)
    return values


def _net_unit(setting: Setting, leaves: int) -> Number:
    """Return the noisy net whose value is 1/4: the public mass of a leaf plus the scale of the noise."""
    return Fraction(setting.size, 2 * leaves) + leaf_scale(setting, leaves)


@dataclass(frozen=True, slots=True)
class NoisyLeaf:
    """A leaf: its raw masses, the noise, the noisy numbers and its value.

    The keys of `noise` and `noisy` are `positive` and `negative`, or `net`, or `value` (see `noisy_numbers`).
    """

    mass: Mass
    noise: Mapping[str, Fraction]
    noisy: Mapping[str, Number]
    value: Number


def noisy_numbers(setting: Setting) -> tuple[str, ...]:
    """Return the names of the numbers of a leaf that receive noise, in the order of the draws."""
    if setting.protocol.leaf is LeafRule.NOISY_MASSES:
        return ("positive", "negative")
    return ("net",) if setting.protocol.leaf is LeafRule.NOISY_NET else ("value",)


def noisy_leaf(setting: Setting, mass: Mass, noise: Mapping[str, Fraction], leaves: int) -> NoisyLeaf:
    """Return a leaf with given noise; `leaves` is the number of leaves of the tree.

    Paper: sec-solv (private predictions), sub-sec-sum-imp.
    """
    if setting.protocol.leaf is LeafRule.NOISY_MASSES:
        masses = Mass(mass.positive + noise["positive"], mass.negative + noise["negative"])
        noisy = {"positive": masses.positive, "negative": masses.negative}
        return NoisyLeaf(mass, noise, noisy, value_of_noisy_mass(setting, masses))
    if setting.protocol.leaf is LeafRule.NOISY_NET:
        net = _net(mass) + noise["net"]
        return NoisyLeaf(mass, noise, {"net": net}, value_of_noisy_net(setting, net, leaves))
    value = centre_of_leaf(setting, mass) + noise["value"]
    return NoisyLeaf(mass, noise, {"value": value}, clamp(value, setting.parameters.bound))


def centre_of_leaf(setting: Setting, mass: Mass) -> Number:
    """Return the raw value of a leaf on the grid of the noise.

    Rounding direction: down. Without rounding, the low-order digits of the noisy value would reveal the raw
    value. M is on the grid, so a clamped value stays within [-M, M].
    """
    grid = setting.parameters.grid
    return grid * floor(raw_leaf_value(setting, mass) / grid)


def leaf_scale(setting: Setting, leaves: int) -> Number:
    """Return the scale of the Laplace noise of one released number.

    Paper: sec-solv (private predictions). As printed the sensitivity of a value is 2 M. The budget of a tree
    is divided evenly among its leaves, as the appendix says of forests; the paper does not say so of boosted
    trees. Exchanging an example changes two masses by w_bar each, and adding one changes one mass. Nets
    change as much: two of them by w_bar each, or one by 2 w_bar.
    """
    p = setting.parameters
    budget = leaf_budget(p.epsilon, split_share(setting), p.trees)
    if setting.protocol.leaf in (LeafRule.NOISY_MASSES, LeafRule.NOISY_NET):
        touched = 2 if setting.protocol.relation is Relation.EXCHANGE else 1
        return touched * setting.weight_bound / budget
    return 2 * p.bound * leaves / budget


def leaf_variance(setting: Setting) -> Number:
    """Return the variance of the Gaussian noise of a net, Delta^2 T / (2 rho).

    Delta is the Euclidean distance of the nets of neighbours. Adding an example changes one net by w_bar.
    Exchanging one changes two by w_bar each, or one by 2 w_bar, which is more.
    """
    p = setting.parameters
    touched = 2 if setting.protocol.relation is Relation.EXCHANGE else 1
    return (touched * setting.weight_bound) ** 2 * p.trees / (2 * p.rho)


def leaf_spread(setting: Setting, leaves: int) -> Number:
    """Return the scale of Laplace noise, or the variance of Gaussian noise."""
    return leaf_variance(setting) if setting.parameters.delta else leaf_scale(setting, leaves)


def leaf_loss(setting: Setting, tree: Tree, first: WeightedSample, second: WeightedSample) -> Extended:
    """Return the exact privacy loss of the released leaves and coefficient of one tree, given its splits.

    Paper: defEDPRIV. The noise of each released number is independent, so the losses add up. The loss is
    that of releasing the noisy masses or nets themselves; post-processing them does not increase it.
    """
    masses, others = leaf_masses(tree, first), leaf_masses(tree, second)
    if setting.parameters.delta and any(_net(masses[k]) != _net(others[k]) for k in masses):
        # Noise far out has any loss; the delta at epsilon is what is promised (`verify_gaussian`).
        return INFINITY
    if setting.protocol.beta is BetaRule.RAW and any(_net(masses[k]) != _net(others[k]) for k in masses):
        # beta = (a / m) * sum of net masses times released values lies on another hyperplane for each sample.
        return INFINITY
    scale = leaf_scale(setting, len(masses))
    if setting.protocol.leaf is LeafRule.NOISY_MASSES:
        changes = (
            abs(mass.positive - others[leaf].positive) + abs(mass.negative - others[leaf].negative)
            for leaf, mass in masses.items()
        )
        return exact_sum(changes) / scale
    if setting.protocol.leaf is LeafRule.NOISY_NET:
        return exact_sum(abs(_net(mass) - _net(others[leaf])) for leaf, mass in masses.items()) / scale
    bound, grid = setting.parameters.bound, setting.parameters.grid
    laws, other_laws = (
        [GridLaplace(centre_of_leaf(setting, table[leaf]), scale, grid) for leaf in masses]
        for table in (masses, others)
    )
    return exact_sum(clamped_grid_loss(a, b, bound).loss for a, b in zip(laws, other_laws, strict=True))


def _net(mass: Mass) -> Number:
    """Return the mass of label 1 minus that of label -1."""
    return mass.positive - mass.negative
