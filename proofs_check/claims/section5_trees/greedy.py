"""A counterexample to the printed boosting theorem for greedy trees in which every mixed leaf can be split.

Notation:
    A       1 + 1 of mass; its binary attributes are independent given the label, and agree with it with
            probability (1 + gamma)/2, so that each has the edge gamma in every leaf
    B       `CORE` of negatives and 1/(100 CORE) of positives in groups; group j holds the fraction gamma of
            what the groups before it left, and has an attribute of its own
    r, s    sqrt(1 - gamma) and sqrt(1 + gamma), both rational
"""

from __future__ import annotations

from fractions import Fraction
from math import comb

from privboost.proofs_check.kernel.certificates import Rejected
from privboost.reference.exact import decimal, exact, log, sqrt
from privboost.reference.trees.risks import Mass

from .computations import matsushita_sum

CORE = 12
POSITIVES = Fraction(1, 100 * CORE)
"""The mass of the positives of B; its Matsushita risk is 2 sqrt(1/100) at first."""


def _check_drops(r: Fraction, s: Fraction) -> None:
    """Check the edges, and the fractions 1 - r s and 1 - r of their risk that splits take off A and B."""
    gamma = 1 - r * r
    if r * r * s * s != 1 - gamma**2:
        raise Rejected("r and s are not the roots of 1 - gamma and 1 + gamma")
    agree, differ = (1 + gamma) / 2, (1 - gamma) / 2
    sides = Mass(agree, differ), Mass(differ, agree)
    rest = Mass(POSITIVES * (1 - gamma), Fraction(CORE))
    if not (agree - differ == gamma and matsushita_sum(*sides) == 2 * r * s):
        raise Rejected("a split of A has another edge or another drop")
    if matsushita_sum(rest) != r * matsushita_sum(Mass(POSITIVES, Fraction(CORE))):
        raise Rejected("a split of B has another drop")


def _check_root(gamma: Fraction) -> None:
    """Check that separating A from B is the best test of the root, and has an edge of at least gamma."""
    one, core, positives = Fraction(1), Fraction(CORE), POSITIVES
    agree, differ = (1 + gamma) / 2, (1 - gamma) / 2
    best = matsushita_sum(Mass(one, one), Mass(positives, core))
    by_attribute = matsushita_sum(Mass(agree, differ), Mass(differ + positives, agree + core))
    by_group = matsushita_sum(Mass(1 + positives * (1 - gamma), 1 + core))
    if not (best < by_attribute and best < by_group):
        raise Rejected("another test of the root is better")
    if 1 / (1 + positives) - 1 / (1 + core) < gamma:
        raise Rejected("the split of the root is too weak")


def _peels(r: Fraction, s: Fraction, levels: int) -> int:
    """Return the number of splits of B that lower the risk by more than a split of A at depth `levels`.

    A leaf of A at depth k loses 2 (r s/2)^k (1 - r s), and B loses 2 sqrt(1/100) r^n (1 - r) when it has been
    split n times.
    """
    threshold = (r * s / 2) ** levels * (1 - r * s) / ((1 - r) * sqrt(Fraction(CORE) * POSITIVES))
    low, high = 0, 64 * levels
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if r**middle > threshold else (low, middle)
    return low


def _error_of_a(gamma: Fraction, levels: int) -> Fraction:
    """Return the probability that most of `levels` attributes, an odd number, disagree with the label."""
    agree, differ = (1 + gamma) / 2, (1 - gamma) / 2
    good, bad = agree.numerator, differ.numerator
    total = 0
    for wrong in range(levels, levels // 2, -1):
        total = total * bad + comb(levels, wrong) * good ** (levels - wrong)
    return Fraction(total * bad ** (levels // 2 + 1), agree.denominator**levels)


def greedy_theorem_fails(k: int, levels: int, xi: Fraction) -> str:
    """Refute the theorem where leaf and split lower the risk most, and every mixed leaf can be split.

    Paper: thBoostDT1, eqBOOST11. r = (k^2 - 2k - 1)/(k^2 + 1). The tree is the one in which all leaves of A
    have the odd depth `levels` and B has been split as long as it loses more than they would. Drops fall from
    a leaf to its children, so the greedy tree reaches this state, however ties are resolved. There are more
    attributes and groups than are used, so all leaves with both classes can still be split with edge gamma.
    """
    scale = k * k + 1
    r, s = Fraction(k * k - 1 - 2 * k, scale), Fraction(k * k - 1 + 2 * k, scale)
    gamma = 1 - r * r
    if levels % 2 == 0:
        raise Rejected("a leaf of A predicts 0")
    _check_drops(r, s)
    _check_root(gamma)
    peels = _peels(r, s, levels)
    total = 2 + CORE + POSITIVES
    reached = 1 + Fraction(2 * levels + CORE * peels) / total
    asked = 16 / exact(gamma) ** 2 * log(1 / xi)
    if reached < asked:
        raise Rejected(f"the sum {decimal(reached, 2)} is too small")
    error = 2 * _error_of_a(gamma, levels) / total
    if error <= xi:
        raise Rejected("the risk is at most xi")
    return (
        f"γ = 1 - ({r})² = {decimal(gamma, 5)}, α = 1, ξ = {xi}. A: mass 1 of each class, {levels} and more "
        "attributes, independent given the label and equal to it with probability (1 + γ)/2. B: negatives of "
        f"mass {CORE} and positives of mass {POSITIVES} in groups with an attribute each; group j holds γ of "
        f"what those before it left. The greedy tree tells A from B, splits A to depth {levels} and takes "
        f"{peels} groups off B; all edges are at least γ. The sum of w α is {decimal(reached, 1)}, and "
        f"(16/γ²) log(1/ξ) = {decimal(asked, 1)} is asked for; yet the error is {decimal(error, 7)}, above ξ."
    )
