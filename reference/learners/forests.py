"""The two private random forests: random splits that cost nothing, private leaves.

RF-Lap adds Laplace noise to the class counts of every leaf. RF-Exp draws the class of every leaf with the
exponential mechanism on its counts. There are two accountings: the printed one divides the budget of a tree
evenly among its leaves, and the tight one uses that leaves are disjoint.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from privboost.errors import PreconditionError
from privboost.reference.data import Domain, Observation, Relation, Sample, splits, unit_weights
from privboost.reference.exact import Exact, Number, exact, exact_sum, log
from privboost.reference.privacy.accounting import Ledger
from privboost.reference.privacy.bits import BitSource
from privboost.reference.privacy.mechanisms import exponential_law, greatest, rate
from privboost.reference.privacy.samplers import sample_choice, sample_discrete_laplace, sample_uniform_below
from privboost.reference.trees.risks import Mass, leaf_masses
from privboost.reference.trees.tree import Path, Tree, next_leaf


class LeafMechanism(Enum):
    """The mechanism that makes the class of a leaf private.

    Paper: sub-sec-sum-imp (random forests).
    """

    LAPLACE = "rf_lap"
    EXPONENTIAL = "rf_exp"


class Accounting(Enum):
    """The division of the budget of a tree among its leaves.

    Paper: sub-sec-sum-imp (random forests).
    """

    PRINTED = "printed"
    """Evenly: epsilon / (T 2^d) per leaf."""
    TIGHT = "tight"
    """epsilon / T for the counts of all leaves together, because an example is in one leaf."""


@dataclass(frozen=True, slots=True)
class Forest:
    """Public parameters of a private random forest."""

    mechanism: LeafMechanism
    accounting: Accounting
    domain: Domain
    trees: int
    depth: int
    epsilon: Number
    relation: Relation = Relation.EXCHANGE

    def __post_init__(self) -> None:
        if self.trees < 1 or self.depth < 1 or self.epsilon <= 0:
            values = f"{self.trees}, {self.depth}, {self.epsilon}"
            raise PreconditionError("sub-sec-sum-imp", "trees >= 1, depth >= 1, epsilon > 0", values)

    @property
    def leaf_budget(self) -> Number:
        """Return the budget of the mechanism of one leaf."""
        per_tree = self.epsilon / self.trees
        return per_tree / (1 << self.depth) if self.accounting is Accounting.PRINTED else per_tree

    @property
    def scale(self) -> Number:
        """Return the scale of the Laplace noise on a count: the number of changed counts over the budget.

        Two class counts differ between neighbours under exchange, one under add/remove.
        """
        return (2 if self.relation is Relation.EXCHANGE else 1) / self.leaf_budget


def random_trees(domain: Domain, depth: int, tree: Tree | None = None) -> Iterator[tuple[Tree, Fraction]]:
    """Yield every tree with uniformly drawn splits, and its probability, which is public.

    Paper: sub-sec-sum-imp (random forests).
    """
    current = Tree() if tree is None else tree
    leaf = next_leaf(current, depth)
    if leaf is None:
        yield current, Fraction(1)
        return
    candidates = splits(domain)
    for split in candidates:
        for grown, chance in random_trees(domain, depth, current.grow(leaf, split)):
            yield grown, chance / len(candidates)


def leaf_class_law(forest: Forest, mass: Mass) -> dict[int, Number]:
    """Return the law of a leaf's class under RF-Exp: proportional to exp(budget * count / 2).

    Paper: sub-sec-sum-imp (random forests), sec:def (exponential mechanism, sensitivity 1).
    """
    return exponential_law({1: mass.positive, -1: mass.negative}, rate(forest.leaf_budget, 1))


def sample_forest_tree(forest: Forest, sample: Sample, bits: BitSource) -> tuple[Tree, dict[Path, Number]]:
    """Return one random tree with private leaf values: noisy count differences, or classes.

    Paper: sub-sec-sum-imp (random forests).
    """
    tree = Tree()
    candidates = splits(forest.domain)
    while (leaf := next_leaf(tree, forest.depth)) is not None:
        tree = tree.grow(leaf, candidates[sample_uniform_below(len(candidates), bits)])
    values: dict[Path, Number] = {}
    for leaf, mass in leaf_masses(tree, unit_weights(sample)).items():
        if forest.mechanism is LeafMechanism.LAPLACE:
            noise = [sample_discrete_laplace(forest.scale, Fraction(1), bits) for _ in range(2)]
            values[leaf] = mass.positive + noise[0] - mass.negative - noise[1]
        else:
            law = leaf_class_law(forest, mass)
            values[leaf] = exact(list(law)[sample_choice(list(law.values()), bits)])
    return tree, values


@dataclass(frozen=True, slots=True)
class ForestModel:
    """Private random trees, their leaf values and the ledger."""

    trees: tuple[tuple[Tree, dict[Path, Number]], ...]
    ledger: Ledger

    def predict(self, x: Observation) -> int:
        """Return the majority of the signs of the trees' values at x, and 1 for a tie."""
        votes = sum(1 if values[tree.leaf_of(x)] >= 0 else -1 for tree, values in self.trees)
        return 1 if votes >= 0 else -1


def sample_forest(forest: Forest, sample: Sample, bits: BitSource) -> ForestModel:
    """Return a private random forest and its ledger.

    Paper: sub-sec-sum-imp (random forests).
    """
    ledger = Ledger(forest.relation)
    grown = []
    for index in range(forest.trees):
        grown.append(sample_forest_tree(forest, sample, bits))
        ledger = ledger.spend(
            f"leaves of tree {index}", forest.epsilon / forest.trees, forest.accounting.value
        )
    return ForestModel(tuple(grown), ledger)


def exact_forest_loss(forest: Forest, first: Sample, second: Sample) -> Number:
    """Return the exact privacy loss of one tree of a forest: the sum over its leaves, as splits are public.

    Paper: defEDPRIV.
    """
    trees = random_trees(forest.domain, forest.depth)
    losses = (_leaves_loss(forest, tree, first, second) for tree, _ in trees)
    return greatest([Fraction(0), *losses], lambda loss: loss)


def _leaves_loss(forest: Forest, tree: Tree, first: Sample, second: Sample) -> Number:
    """Return the loss of all leaves of one tree."""
    here, there = leaf_masses(tree, unit_weights(first)), leaf_masses(tree, unit_weights(second))
    losses: list[Exact] = []
    for leaf, mass in here.items():
        other = there[leaf]
        if forest.mechanism is LeafMechanism.LAPLACE:
            distance = abs(mass.positive - other.positive) + abs(mass.negative - other.negative)
            losses.append(distance / forest.scale)
        elif mass != other:
            law, other_law = leaf_class_law(forest, mass), leaf_class_law(forest, other)
            ratios = [log(law[y] / other_law[y]) for y in law]
            losses.append(greatest(ratios, lambda ratio: ratio))
    return exact_sum(losses)
