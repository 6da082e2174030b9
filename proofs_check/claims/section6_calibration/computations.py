"""Exact counterexamples to statements of Section 6 and of its proof: samples, trees and splits.

| here | paper |
|---|---|
| `gap_factor` | u of condGAP |
| `faint` | the mass of the minority class in a nearly pure leaf |
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from privboost.proofs_check.kernel.certificates import Rejected
from privboost.reference.data import (
    Observation,
    Split,
    Threshold,
    WeightedSample,
    binary_domain,
    initial_weights,
    sample_of,
    splits,
    unit_weights,
)
from privboost.reference.exact import Number, decimal, exp, log, sqrt
from privboost.reference.losses import m_alpha
from privboost.reference.privacy.mechanisms import exponential_law, rate
from privboost.reference.trees.risks import RiskReading, empirical_risk, total_risk
from privboost.reference.trees.tree import ROOT, Path, Tree, level_of
from privboost.reference.trees.weak import (
    check_monotonic,
    check_weak_split,
    normalised_leaf_weight,
    tree_efficiency,
)

Rows = Sequence[tuple[Observation, int]]

HALF = Fraction(1, 2)
LEFT: Path = (0,)


def _listed(rows: Rows) -> str:
    """Return examples as a string of observations and signs of classes."""
    return ", ".join(f"({''.join(map(str, x))},{'+' if y > 0 else '-'})" for x, y in rows)


def check_alpha_undefined(rows: Rows) -> str:
    """Accept examples without mistakes (y h < 0) at the root and with some after one split.

    Paper: fixALPHA.
    """
    domain = binary_domain(1)
    data = unit_weights(sample_of(domain, rows))
    at_root, after = (
        empirical_risk(tree, data, m_alpha(1)) for tree in (Tree(), Tree().grow(ROOT, splits(domain)[0]))
    )
    if not at_root == 0 < after:
        raise Rejected(f"the risks are {at_root} and {after}")
    return f"{_listed(rows)}: the share of errors is {at_root} at the root and {after} after the split on x1."


def check_alpha_rises(rows: Rows) -> str:
    """Accept examples on which alpha, with mistakes y h < 0, increases at the second split.

    Paper: fixALPHA, thBoostDT1 (K-monotonic, with K = 1/16).
    """
    data = unit_weights(sample_of(binary_domain(2), rows))
    first = Tree().grow(ROOT, Threshold(0, 1))
    trees = (Tree(), first, first.grow(LEFT, Threshold(1, 1)))
    risks = [empirical_risk(tree, data, m_alpha(1)) for tree in trees]
    alphas = [risk / risks[0] for risk in risks]
    shares = [normalised_leaf_weight(trees[-1], node, data) for node in (ROOT, LEFT, LEFT)]
    if not alphas[1] < alphas[2] or check_monotonic(Fraction(1, 16), alphas, shares):
        raise Rejected(f"the alphas are {alphas}")
    return (
        f"{_listed(rows)}: splitting on x1, then its left leaf on x2, α is {', '.join(map(str, alphas))} for "
        "the trees with 1, 2 and 3 leaves."
    )


def check_efficiency(positive: int, negative: int) -> str:
    """Accept numbers of examples for which the root's tree-efficiency is above 1.

    Paper: condGAP (tree-efficiency J).
    """
    rows = [((0,), 1)] * positive + [((0,), -1)] * negative
    data = initial_weights(sample_of(binary_domain(1), rows))
    value = tree_efficiency(ROOT, 1, empirical_risk(Tree(), data, m_alpha(1)))
    if value <= 1:
        raise Rejected(f"J = {value}")
    return f"{positive} positives and {negative} negatives at the root: J = {value}, above 1."


def minority_alpha(tree: Tree, data: WeightedSample) -> Number:
    """Return the mass of the minority classes of a tree over that of its root.

    Paper: fixALPHA.
    """
    risks = [empirical_risk(t, data, m_alpha(1), RiskReading.MINORITY) for t in (tree, Tree())]
    return risks[0] / risks[1]


def gap_factor(tree: Tree, leaf: Path, split: Split, gamma: Fraction, data: WeightedSample) -> Number:
    """Return u, the decrease of the tree's risk over gamma^2 alpha w(leaf) / 16 times that risk.

    Paper: condGAP.
    """
    alpha = minority_alpha(tree, data)
    before = total_risk(m_alpha(alpha), tree, data)
    decrease = before - total_risk(m_alpha(alpha), tree.grow(leaf, split), data)
    return 16 * decrease / (gamma * gamma * alpha * normalised_leaf_weight(tree, leaf, data) * before)


def check_small_gain(faint: Fraction) -> str:
    """Accept a nearly pure leaf whose best possible split, with edge 1, has u < 1.

    Four examples: weights `faint` and 1 in the leaf, 1/5 and 4/5 in the other; no leaf is tied.
    Paper: condGAP, lemPRELIM.
    """
    rows = [((0, 1), 1), ((0, 0), -1), ((1, 0), 1), ((1, 1), -1)]
    data = WeightedSample(
        sample_of(binary_domain(2), rows), (faint, Fraction(1), Fraction(1, 5), Fraction(4, 5))
    )
    tree, split = Tree().grow(ROOT, Threshold(0, 1)), Threshold(1, 1)
    if not check_weak_split(Fraction(1), tree, LEFT, split, data):
        raise Rejected("the split does not satisfy the weak learning assumption")
    u = gap_factor(tree, LEFT, split, Fraction(1), data)
    if u >= 1:
        raise Rejected(f"u = {u}")
    before = total_risk(m_alpha(1), tree, data)
    taken = before - total_risk(m_alpha(1), tree.grow(LEFT, split), data)
    return (
        f"Weights of the positives and negatives: {faint} and 1 in the leaf, 1/5 and 4/5 in the other one; "
        f"γ = 1, α = {minority_alpha(tree, data)}, and the split separates the leaf perfectly. It takes "
        f"{taken} of the risk {before}, which is u = {decimal(u, 3)} < 1."
    )


def _counted(heavy: int) -> tuple[WeightedSample, int]:
    """Return a weighted sample, and the size of the sample of equal weights that it represents.

    The leaf x0 = 0 holds 8 positive examples and `heavy` negative ones, x0 = 1 holds `heavy` examples, a
    fifth of them positive. In the first leaf, the split x1 has edge 1/2 and x2 has edge 3/8. In the other
    leaf x1 sends a quarter of both classes right, so it gains nothing there and almost nothing at the root.
    """
    counts = {
        ((0, 0, 0), 1): 2,
        ((0, 1, 0), 1): 3,
        ((0, 1, 1), 1): 3,
        ((0, 0, 0), -1): 3 * heavy // 4,
        ((0, 1, 0), -1): heavy // 4,
        ((1, 0, 0), 1): 3 * heavy // 20,
        ((1, 1, 0), 1): heavy // 20,
        ((1, 0, 0), -1): 3 * heavy // 5,
        ((1, 1, 0), -1): heavy // 5,
    }
    weights = tuple(Fraction(count, max(counts.values())) for count in counts.values())
    return WeightedSample(sample_of(binary_domain(3), list(counts)), weights), sum(counts.values())


def check_theorem_fails(heavy: int, constant: int) -> str:
    """Accept a first tree and a budget that satisfy every hypothesis, with P(weak split) < 1/2 < 1 - xi.

    The hidden constants are `constant` in the efficiency's bound and 1 / `constant` in the exponent.
    Paper: thBOOSTDP1. With T = 1, d = 2, weights 1/2, all the budget for splits, gamma = 1/2, xi = 1/4 and
    L of one split. No leaf is tied, and all weights are equal, so every reading of the risk is the same.
    """
    (data, size), gamma, xi = _counted(heavy), HALF, Fraction(1, 4)
    tree, candidates = Tree().grow(ROOT, Threshold(0, 1)), splits(binary_domain(3))
    alpha = minority_alpha(tree, data)
    weak = [g for g in candidates if check_weak_split(gamma, tree, LEFT, g, data)]
    slim = {g: gap_factor(tree, LEFT, g, gamma, data) for g in candidates if g not in weak}
    if len(weak) != 1 or max(slim.values()) >= 1:
        raise Rejected(f"{len(weak)} weak splits, u = {max(slim.values())} at most among the others")
    for other, leaf in ((Tree(), ROOT), (tree, (1,))):
        # The gap assumption is about every leaf on the way, not only about the one in L.
        for g in candidates:
            gains = gap_factor(other, leaf, g, gamma, data)
            if gains >= 1 and not check_weak_split(gamma, other, leaf, g, data):
                raise Rejected(f"the gap does not hold at {leaf}: {g} has u = {gains}")
    risk = empirical_risk(tree, data, m_alpha(1), RiskReading.MINORITY)
    efficiency = tree_efficiency(LEFT, normalised_leaf_weight(tree, LEFT, data), risk)
    epsilon = constant * log(size) * log(1 / xi) / (efficiency * sqrt(size))
    spent = efficiency * epsilon * sqrt(size) / log(size)
    if log(size) < 2 or len(weak) < len(slim) * exp(-spent / constant):
        raise Rejected("a hypothesis of the theorem does not hold")
    scale = HALF * size / data.total
    scores = {g: -scale * total_risk(m_alpha(alpha), tree.grow(LEFT, g), data) for g in candidates}
    sensitivity = 3 + 2 * alpha * (sqrt(size) - 1)
    law = exponential_law(scores, rate(epsilon / (2 * 2 ** level_of(LEFT)), sensitivity))
    if law[weak[0]] >= HALF:
        raise Rejected(f"P = {law[weak[0]]}")
    return (
        f"The leaf: 8 positives, {heavy} negatives; the other leaf: {heavy // 5} and {4 * heavy // 5}, "
        f"where x1 sends a quarter of both classes right and x2 nothing. In the leaf, split "
        f"x1 sends 6 of the 8 positives and 1/4 of the negatives right (edge 1/2 = γ, u = "
        f"{decimal(gap_factor(tree, LEFT, weak[0], gamma, data), 3)}), x2 sends 3 of the 8 and no negative "
        f"(edge 3/8, u = {decimal(max(slim.values()), 3)}). T = 1, d = 2, ξ = {xi}, hidden constants "
        f"{constant} and 1/{constant}, ε = {decimal(epsilon, 1)}: P(x1) = {decimal(law[weak[0]], 3)}, and "
        f"{1 - xi} is claimed."
    )
