"""The exact output law of one tree, and the exact privacy loss between two samples.

The law of the splits is finite and is computed by enumerating all trees. The losses of the released leaves
and alphas are suprema in closed form (see `leaves` and `calibration`). The privacy loss is the maximum, over
all trees, of the sum of these losses.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from privboost.reference.data import WeightedSample
from privboost.reference.exact import Extended, Infinity, Number, log
from privboost.reference.privacy.mechanisms import greatest
from privboost.reference.trees.tree import Tree, next_leaf

from .calibration import alpha_loss
from .leaves import leaf_loss
from .splitting import Setting, check_data, split_law


def tree_law(
    setting: Setting, data: WeightedSample, tree: Tree | None = None
) -> Iterator[tuple[Tree, Number]]:
    """Yield every tree that can be grown, with its exact probability.

    Paper: expSPLIT.
    """
    current = Tree() if tree is None else tree
    leaf = next_leaf(current, setting.parameters.depth)
    if leaf is None:
        yield current, Fraction(1)
        return
    for split, chance in split_law(setting, data, current, leaf).items():
        for grown, rest in tree_law(setting, data, current.grow(leaf, split)):
            yield grown, chance * rest


@dataclass(frozen=True, slots=True)
class ExactLoss:
    """The greatest log likelihood ratio of one sample against another, and the tree that attains it."""

    total: Extended
    splits: Number
    alphas: Number
    leaves: Extended
    tree: Tree


def exact_loss(setting: Setting, first: WeightedSample, second: WeightedSample) -> ExactLoss:
    """Return the privacy loss of one tree on the first sample against the second.

    Paper: defEDPRIV.
    """
    return exact_losses(setting, first, second)[0]


def split_loss(setting: Setting, first: WeightedSample, second: WeightedSample) -> Extended:
    """Return the privacy loss of the splits alone of one tree on the first sample against the second.

    Paper: expSPLIT, defEDPRIV.
    """
    law, other_law = (dict(tree_law(setting, data)) for data in (first, second))
    zero = Fraction(0)
    ratios = (_loss_of_tree(tree, log(law[tree] / other_law[tree]), zero, zero) for tree in law)
    return greatest(list(ratios), lambda loss: loss.total).total


def exact_losses(
    setting: Setting, first: WeightedSample, second: WeightedSample
) -> tuple[ExactLoss, ExactLoss]:
    """Return the privacy losses of one tree: first sample against second, and second against first.

    Paper: defEDPRIV.
    """
    for data in (first, second):
        check_data(setting, data)
    law, other_law = dict(tree_law(setting, first)), dict(tree_law(setting, second))
    there, back = [], []
    for tree, chance in law.items():
        ratio, released = log(chance / other_law[tree]), alpha_loss(setting, tree, first, second)
        there.append(_loss_of_tree(tree, ratio, released, leaf_loss(setting, tree, first, second)))
        back.append(_loss_of_tree(tree, -ratio, released, leaf_loss(setting, tree, second, first)))
    return greatest(there, lambda loss: loss.total), greatest(back, lambda loss: loss.total)


def _loss_of_tree(tree: Tree, splits: Number, alphas: Number, leaves: Extended) -> ExactLoss:
    """Return the loss of one tree: the sum of the losses of its splits, released alphas and leaves."""
    total = leaves if isinstance(leaves, Infinity) else splits + alphas + leaves
    return ExactLoss(total, splits, alphas, leaves, tree)
