"""Noise-free top-down induction: the best split of a leaf, in two orders of leaves.

Ties are decided exactly: the first split in the public order of `splits(domain)` wins.
"""

from __future__ import annotations

from enum import Enum

from privboost.errors import PreconditionError
from privboost.reference.data import Domain, Split, WeightedSample, splits
from privboost.reference.losses import Loss

from .risks import Mass, leaf_masses, total_risk
from .tree import Path, Tree, level_of


class Order(Enum):
    """The order in which leaves are split.

    Paper: thBoostDT1, boostCOND.
    """

    HEAVIEST = "heaviest"
    """The leaf of greatest mass first, up to the given number of splits."""
    ALL_LEAVES = "all_leaves"
    """Every leaf of a level, level by level."""


def best_split(loss: Loss, domain: Domain, tree: Tree, leaf: Path, data: WeightedSample) -> Split:
    """Return the split g that minimises F(h (+) (g, leaf)); the first one wins a tie.

    Paper: thBoostDT1 (the next tree).
    """
    candidates = splits(domain)
    if not candidates:
        raise PreconditionError("expSPLIT", "a domain with a split", domain)
    return min(candidates, key=lambda split: total_risk(loss, tree.grow(leaf, split), data))


def induce(
    loss: Loss,
    domain: Domain,
    data: WeightedSample,
    *,
    depth: int,
    order: Order = Order.ALL_LEAVES,
    max_splits: int | None = None,
) -> Tree:
    """Return a noise-free tree of at most the given depth; pure and empty leaves are not split.

    Paper: sec-boost, sub-sec-gen (purity test).
    """
    tree = Tree()
    n_splits = 2**depth - 1 if max_splits is None else max_splits
    while len(tree.nodes) < n_splits:
        masses = leaf_masses(tree, data)
        open_leaves = [leaf for leaf in tree.leaves() if level_of(leaf) < depth and not is_pure(masses[leaf])]
        if not open_leaves:
            break
        leaf = _next_leaf(open_leaves, masses, order)
        tree = tree.grow(leaf, best_split(loss, domain, tree, leaf, data))
    return tree


def is_pure(mass: Mass) -> bool:
    """Return whether a leaf contains at most one class.

    Paper: sub-sec-gen.
    """
    return not (mass.positive and mass.negative)


def _next_leaf(leaves: list[Path], masses: dict[Path, Mass], order: Order) -> Path:
    """Return the leaf to split: the leftmost of the heaviest leaves, or the leftmost of the least depth."""
    if order is Order.ALL_LEAVES:
        return min(leaves, key=lambda leaf: (len(leaf), leaf))
    return max(leaves, key=lambda leaf: masses[leaf].total)
