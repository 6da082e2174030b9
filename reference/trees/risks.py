"""Masses and risks of trees on weighted samples.

Notation:
    w(leaf)     mass of the examples that reach a leaf      w^1(leaf)   mass of those with label 1
    q(leaf)     w^1(leaf) / w(leaf)                         w(S)        mass of the sample
    f(leaf)     w(leaf) L(q(leaf))                          F(h; S)     sum of f over the leaves / w(S)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from privboost.errors import PreconditionError
from privboost.reference.data import WeightedSample
from privboost.reference.exact import Extended, Number, exact, exact_sum
from privboost.reference.losses import Loss, Selection, link, perspective, select

from .tree import Path, Tree


@dataclass(frozen=True, slots=True)
class Mass:
    """The masses of the two classes in a leaf."""

    positive: Number = Fraction(0)
    negative: Number = Fraction(0)

    @property
    def total(self) -> Number:
        """Return w(leaf)."""
        return self.positive + self.negative

    @property
    def proportion(self) -> Number:
        """Return q(leaf) = w^1(leaf) / w(leaf).

        Requires: the leaf is not empty.
        """
        if not self.total:
            raise PreconditionError("predDT", "a non-empty leaf", "an empty leaf")
        return self.positive / self.total

    @property
    def minority(self) -> Number:
        """Return the mass of the minority class."""
        return min(self.positive, self.negative)

    def add(self, y: int, weight: Number) -> Mass:
        """Return the mass with one more example."""
        if y == 1:
            return Mass(self.positive + weight, self.negative)
        return Mass(self.positive, self.negative + weight)


def leaf_masses(tree: Tree, data: WeightedSample) -> dict[Path, Mass]:
    """Return the class masses of every leaf, empty leaves included.

    Paper: defMECH.
    """
    masses = {leaf: Mass() for leaf in tree.leaves()}
    for example, weight in data:
        leaf = tree.leaf_of(example.x)
        masses[leaf] = masses[leaf].add(example.y, weight)
    return masses


def leaf_risk(loss: Loss, mass: Mass) -> Number:
    """Return f(leaf) = w(leaf) L(w^1(leaf) / w(leaf)), and 0 for an empty leaf.

    Paper: defMECH.
    """
    return exact(perspective(loss, mass.positive, mass.total))


def total_risk(loss: Loss, tree: Tree, data: WeightedSample) -> Number:
    """Return w(S) F(h; S) = sum of f over the leaves.

    Paper: defMECH.
    """
    return exact_sum(leaf_risk(loss, mass) for mass in leaf_masses(tree, data).values())


def tree_risk(loss: Loss, tree: Tree, data: WeightedSample) -> Number:
    """Return F(h; S), the weighted mean over examples of L(q of the leaf reached).

    Paper: defLOSSGENPROB. Erratum risk-unweighted: the paper prints it without weights.
    """
    if not data.sample:
        raise PreconditionError("defLOSSGENPROB", "a non-empty sample", "an empty sample")
    masses = leaf_masses(tree, data)
    risks = {leaf: leaf_risk(loss, mass) / mass.total for leaf, mass in masses.items() if mass.total}
    return exact_sum(weight * risks[tree.leaf_of(example.x)] for example, weight in data) / data.total


class RiskReading(Enum):
    """An interpretation of the empirical risk of a tree.

    Paper: defLOSSGENR (empirical risk), erratum empirical-risk-tie.
    """

    STRICT = "strict"
    """Count y h(x) < 0, as printed, so that a leaf that predicts 0 makes no mistake."""
    MINORITY = "minority"
    """Mass of the minority class of every leaf, as given by the 0/1 risk."""


def leaf_predictions(
    loss: Loss, masses: Mapping[Path, Mass], selection: Selection = Selection.LEAST
) -> dict[Path, Extended]:
    """Return h(leaf) = -L'(q(leaf)); an empty leaf predicts 0.

    Paper: predDT.
    """
    return {
        leaf: select(link(loss, mass.proportion), selection) if mass.total else Fraction(0)
        for leaf, mass in masses.items()
    }


def empirical_risk(
    tree: Tree, data: WeightedSample, loss: Loss, reading: RiskReading = RiskReading.STRICT
) -> Number:
    """Return the share of the mass that the tree misclassifies.

    Paper: defLOSSGENR (empirical risk), fixALPHA.
    """
    masses = leaf_masses(tree, data)
    if reading is RiskReading.MINORITY:
        return exact_sum(mass.minority for mass in masses.values()) / data.total
    predictions = leaf_predictions(loss, masses)
    wrong = (weight for example, weight in data if example.y * predictions[tree.leaf_of(example.x)] < 0)
    return exact_sum(wrong) / data.total
