"""Estimate the calibrated alpha privately, from the noisy mass of the minority classes.

Notation:
    w_bar   public bound on the weights     m       public size
    n       noisy minority mass; alpha = n / (w_bar m / 2), clamped to [0, 1]

Adding an example raises the minority mass of a partition by between 0 and w_bar. So exchanging, adding or
removing one example changes it by at most w_bar. The estimate has its own budget. The root has alpha = 1, as
in the paper, and costs nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from privboost.reference.data import WeightedSample
from privboost.reference.exact import Number, exact_sum
from privboost.reference.privacy.accounting import alpha_budget
from privboost.reference.trees.risks import leaf_masses
from privboost.reference.trees.tree import Path, Tree, level_of

from .protocol import AlphaRule
from .splitting import Setting


@dataclass(frozen=True, slots=True)
class AlphaEstimate:
    """The minority mass of a level, its noise, and the alpha computed from the noisy mass."""

    level: int
    minority: Number
    noise: Number
    noisy: Number
    alpha: Number


def wants_estimate(setting: Setting, leaf: Path) -> bool:
    """Return whether the protocol estimates alpha and the level of a leaf has none yet."""
    estimates = setting.protocol.alpha is AlphaRule.NOISY_MINORITY
    return estimates and level_of(leaf) > len(setting.alphas)


def alpha_scale(setting: Setting) -> Number:
    """Return the scale of the noise on a minority mass: w_bar over its budget.

    Paper: fixALPHA.
    """
    p = setting.parameters
    return setting.weight_bound / alpha_budget(p.epsilon, p.beta_tree * p.alpha_share, p.trees, p.depth)


def estimate(setting: Setting, data: WeightedSample, tree: Tree, noise: Number) -> AlphaEstimate:
    """Return the estimate of alpha for the next level of a tree, given the noise.

    Paper: fixALPHA.
    """
    mass = minority_mass(tree, data)
    noisy = mass + noise
    share = noisy / (setting.weight_bound * setting.size / 2)
    alpha = min(max(share, Fraction(0)), Fraction(1))
    return AlphaEstimate(len(setting.alphas) + 1, mass, noise, noisy, alpha)


def with_alpha(setting: Setting, alpha: Number) -> Setting:
    """Return the setting with the released alpha of the next level added."""
    return replace(setting, alphas=(*setting.alphas, alpha))


def minority_mass(tree: Tree, data: WeightedSample) -> Number:
    """Return the mass of the minority classes, summed over the leaves.

    Paper: fixALPHA, erratum empirical-risk-tie.
    """
    return exact_sum(mass.minority for mass in leaf_masses(tree, data).values())


def alpha_loss(setting: Setting, tree: Tree, first: WeightedSample, second: WeightedSample) -> Number:
    """Return the exact privacy loss of the released alphas of a tree, given its splits; 0 without alphas.

    Paper: defEDPRIV.
    """
    levels = range(1, setting.parameters.depth)
    if setting.protocol.alpha is not AlphaRule.NOISY_MINORITY or not levels:
        return Fraction(0)
    above = (Tree(tuple(node for node in tree.nodes if level_of(node[0]) < level)) for level in levels)
    gaps = (abs(minority_mass(part, first) - minority_mass(part, second)) for part in above)
    return exact_sum(gaps) / alpha_scale(setting)
