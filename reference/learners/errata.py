"""Errata of Sections 5 and 6: printed algorithms without their stated properties, with exact witnesses."""

from __future__ import annotations

from fractions import Fraction

from privboost.reference.data import WeightedSample, binary_domain, initial_weights, sample_of, splits
from privboost.reference.erratum import Erratum, Witness
from privboost.reference.exact import exact, exact_sum
from privboost.reference.losses import inverse_link, m_alpha, select
from privboost.reference.trees.risks import empirical_risk
from privboost.reference.trees.tree import ROOT, Tree
from privboost.reference.trees.weak import balanced_weights, balanced_weights_as_printed, tree_efficiency

from .boosting import mirror_update

_LINE = binary_domain(1)
_HALF = Fraction(1, 2)


def balanced_unnormalised() -> Witness:
    """Add up the printed balanced weights of one leaf, and the corrected ones."""
    data = initial_weights(sample_of(_LINE, [((0,), 1), ((0,), 1), ((1,), -1)]))
    printed = exact_sum(balanced_weights_as_printed(Tree(), ROOT, data))
    corrected = exact_sum(balanced_weights(Tree(), ROOT, data))
    return Witness(
        (f"three examples, two of label 1: the printed weights sum to {printed}, not to {corrected}",),
        printed != 1 == corrected,
    )


def mirror_plateau() -> Witness:
    """Update a weight twice with a small margin, and compare with the inverse link of the summed margin."""
    loss, beta_h = m_alpha(_HALF), Fraction(3, 4)
    once = mirror_update(loss, _HALF, Fraction(1), 1, beta_h)
    twice = mirror_update(loss, once, Fraction(1), 1, beta_h)
    from_sum = exact(select(inverse_link(loss, -2 * beta_h)))
    return Witness(
        (f"alpha = 1/2, two margins of 3/4: the update gives {twice}, their sum {from_sum}",),
        twice == _HALF != from_sum,
    )


def efficiency_range() -> Witness:
    """Evaluate the tree efficiency of the root of a sample with two positive examples of five."""
    data = initial_weights(sample_of(_LINE, [((0,), 1)] * 2 + [((0,), -1)] * 3))
    risk = empirical_risk(Tree(), data, m_alpha(1))
    value = tree_efficiency(ROOT, 1, risk)
    return Witness((f"five examples, two of label 1, at the root: risk {risk}, J = {value}",), value > 1)


def alpha_undefined() -> Witness:
    """Evaluate both risks of the calibrated alpha for a root with equal class masses."""
    domain = binary_domain(1)
    data = WeightedSample(
        sample_of(domain, [((0,), 1), ((0,), 1), ((0,), -1), ((1,), -1)]), (Fraction(1),) * 4
    )
    grown = Tree().grow(ROOT, splits(domain)[0])
    at_root, after = (empirical_risk(tree, data, m_alpha(1)) for tree in (Tree(), grown))
    return Witness(
        (f"four examples, q = 1/2 at the root: alpha after one split is {after} / {at_root}",),
        at_root == 0 < after,
    )


LEARNER_ERRATA: tuple[Erratum, ...] = (
    Erratum("balanced-unnormalised", "wlaKMDT", balanced_unnormalised),
    Erratum("mirror-plateau", "defwunMF", mirror_plateau),
    Erratum("alpha-undefined", "fixALPHA", alpha_undefined),
    Erratum("efficiency-range", "condGAP", efficiency_range),
)
