"""Exact computations on trees for Section 5: counterexamples to the printed theorem, and exhaustive checks.

Notation:
    A       a leaf that no test can improve         B       a nearly pure leaf of negatives, always split
    P_j     a group of positives in B, separated by attribute j only      core    the negatives of B
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import sympy

from privboost.proofs_check.kernel.certificates import Rejected
from privboost.reference.data import Example, Split, Threshold, WeightedSample
from privboost.reference.exact import Number, decimal, exact_sum, exp, log, sqrt
from privboost.reference.trees.risks import Mass, leaf_masses
from privboost.reference.trees.tree import ROOT, Tree
from privboost.reference.trees.weak import (
    check_monotonic,
    check_weak_split,
)

IN_A = Threshold(0, 1)
"""The test that separates leaf A from leaf B."""


Counts = tuple[int, int, int]
"""The numbers of positives and of negatives of A, and of negatives of the core."""


def peeling_sample(
    counts: Counts, first: Fraction, rate: Fraction, groups: int, apart: int = 0
) -> WeightedSample:
    """Return a sample over {0, 1}^(groups + 1): A, the core, and positives of B in decreasing groups.

    The positives of B have the total weight `first`. Group j holds the fraction `rate` of the weight that the
    groups before it leave; the remainder has the same x as the core. Attribute `apart` separates the classes
    of A; if it is 0, no attribute does.
    """
    mixed_positives, mixed_negatives, core = counts
    origin = (0,) * (groups + 1)
    negatives_of_a = tuple(int(i in (0, apart)) for i in range(groups + 1))
    rows = [(Example((1, *origin[1:]), 1), Fraction(1))] * mixed_positives
    rows += [(Example(negatives_of_a, -1), Fraction(1))] * mixed_negatives
    rows += [(Example(origin, -1), Fraction(1))] * core
    remainder = first
    for j in range(1, groups + 1):
        rows.append((Example(tuple(int(i == j) for i in range(groups + 1)), 1), rate * remainder))
        remainder *= 1 - rate
    rows.append((Example(origin, 1), remainder))
    return WeightedSample(tuple(example for example, _ in rows), tuple(weight for _, weight in rows))


def mass_of(data: WeightedSample) -> Mass:
    """Return the class masses of a sample."""
    return leaf_masses(Tree(), data)[ROOT]


def sides_of(data: WeightedSample, split: Split) -> tuple[WeightedSample, WeightedSample]:
    """Return the examples that a split sends left and right."""
    return data.restricted(lambda x: not split(x)), data.restricted(lambda x: bool(split(x)))


def matsushita_sum(*masses: Mass) -> Number:
    """Return the Matsushita risk of leaves, sum of 2 sqrt(w^1 (w - w^1))."""
    return exact_sum(2 * sqrt(mass.positive * mass.negative) for mass in masses)


def _demand(condition: bool, complaint: str) -> None:
    if not condition:
        raise Rejected(complaint)


def _check_greedy_root(data: WeightedSample, tests: list[Split], alpha: Fraction) -> None:
    """Check that separating A from B is the best first split for the risk alpha M + (1 - alpha) err."""

    def risk(split: Split) -> Number:
        masses = [mass_of(part) for part in sides_of(data, split)]
        return alpha * matsushita_sum(*masses) + (1 - alpha) * 2 * exact_sum(m.minority for m in masses)

    # Each test separates positives only, and the first one separates most, so it is the best of them. The
    # last test is compared too, because it may also separate the negatives of A.
    for test in (tests[0], tests[-1]):
        _demand(risk(IN_A) < risk(test), "the first split is not the best")


@dataclass(frozen=True)
class _Peeled:
    """A tree grown by peeling groups off B: its sample, leaves A and B, and weights of the split leaves."""

    data: WeightedSample
    leaf_a: WeightedSample
    leaf_b: WeightedSample
    weights: list[Number]


def _peel(
    counts: Counts, gamma: Fraction, alpha: Fraction, leaves: int, xi: Fraction, *, apart: int = 0
) -> _Peeled:
    """Split A from B, then peel the groups off B one by one; check all hypotheses but the sum of the theorem.

    Every split has an edge of at least gamma and minimises the risk of its leaf for the constant alpha. B is
    always the heaviest leaf. The risk is checked for the trees with `leaves` leaves and with one more.
    """
    data = peeling_sample(counts, Fraction(1, 100), gamma, leaves, apart)
    tests: list[Split] = [Threshold(j, 1) for j in range(1, leaves + 1)]
    _demand(check_weak_split(gamma, Tree(), ROOT, IN_A, data), "the first split is too weak")
    _check_greedy_root(data, tests, alpha)
    open_leaf, leaf_a = sides_of(data, IN_A)
    weights: list[Number] = [Fraction(1)]
    closed = [leaf_a]
    for step in range(leaves - 1):
        masses = [mass_of(sides_of(open_leaf, test)[1]) for test in tests[step : step + 2]]
        _demand(masses[0].positive > masses[1].positive, "another group is larger")
        _demand(masses[0].negative == masses[1].negative == 0, "a group is not pure")
        _demand(
            check_weak_split(gamma, Tree(), ROOT, tests[step], open_leaf), f"split {step + 2} is too weak"
        )
        _demand(open_leaf.total > max(leaf.total for leaf in closed), "B is not the heaviest leaf")
        weights.append(open_leaf.total / data.total)
        open_leaf, peeled = sides_of(open_leaf, tests[step])
        closed.append(peeled)
        if step >= leaves - 3:
            _check_risk(open_leaf, closed, data, xi)
    _demand(check_monotonic(gamma**2 / 16, [alpha] * leaves, weights), "alpha is not monotonic")
    return _Peeled(data, leaf_a, open_leaf, weights)


def _failure(
    peeled: _Peeled, counts: Counts, gamma: Fraction, alpha: Fraction, xi: Fraction, *, of_a: str
) -> str:
    """Check that the sum of eqBOOST11 is large enough, and return a description of the counterexample."""
    positives, negatives, core = counts
    reached, asked = alpha * exact_sum(peeled.weights), 16 / gamma**2 * log(1 / xi)
    _demand(reached >= asked, f"the sum {decimal(reached, 4)} is too small")
    size = len(peeled.data.sample)
    return (
        f"γ = {gamma}, α = {alpha}, ξ = {xi}. Leaf A: {positives} positives and {negatives} negatives,"
        f" {of_a}. Leaf B: {core} negatives, and positives of total weight 1/100 in groups, each told apart"
        f" by one attribute; group j holds {gamma} of what those before it left. The first split tells A"
        f" from B, each of the {len(peeled.weights) - 1} others takes one group off B; all edges are at"
        f" least γ. The sum of w α is {decimal(reached, 2)}, and (16/γ²) log(1/ξ) = {decimal(asked, 2)} is"
        f" asked for; yet the error is at least {negatives}/{decimal(peeled.data.total, 2)} by weight and"
        f" {negatives}/{size} by count, both above ξ."
    )


def printed_theorem_fails(counts: Counts, gamma: Fraction, alpha: Fraction, leaves: int, xi: Fraction) -> str:
    """Grow a tree greedily by splits that satisfy the weak learning assumption, and refute the theorem on it.

    Paper: thBoostDT1, eqBOOST11, lemBCONV. Every split is the one that minimises the risk for the constant
    alpha over all leaves and all tests x_j = 1. The sum of eqBOOST11 is over the leaves that are split on
    the way from the root to a tree with `leaves` + 1 leaves; the tree with `leaves` leaves is checked too.
    """
    peeled = _peel(counts, gamma, alpha, leaves, xi)
    _demand(len({example.x for example in peeled.leaf_a.sample}) == 1, "A could be split")
    return _failure(peeled, counts, gamma, alpha, xi, of_a="all with the same x")


def splittable_theorem_fails(
    counts: Counts, gamma: Fraction, alpha: Fraction, leaves: int, xi: Fraction
) -> str:
    """Refute the theorem where the heaviest leaf is split and every mixed leaf could be split.

    Paper: thBoostDT1, boostCOND. Within the leaf the split is the one that minimises the risk.
    """
    peeled = _peel(counts, gamma, alpha, leaves, xi, apart=leaves)
    # All other leaves are groups, which are pure.
    for leaf in (peeled.leaf_a, peeled.leaf_b):
        _demand(check_weak_split(gamma, Tree(), ROOT, Threshold(leaves, 1), leaf), "a leaf cannot be split")
    of_a = "which the attribute of the last group of B tells apart"
    return (
        f"{_failure(peeled, counts, gamma, alpha, xi, of_a=of_a)} B, always the heaviest leaf, is split; A"
        " and B could both be split by the attribute of the last group, with edges of at least γ."
    )


def _check_risk(
    open_leaf: WeightedSample, closed: list[WeightedSample], data: WeightedSample, xi: Fraction
) -> None:
    """Check that the share of errors exceeds xi, by weight and by count, with no leaf undecided."""
    by_weight: Number = Fraction(0)
    by_count = 0
    for leaf in (open_leaf, *closed):
        mass = mass_of(leaf)
        _demand(mass.positive != mass.negative, "a leaf predicts 0")
        label = 1 if mass.positive > mass.negative else -1
        by_weight += mass.minority
        by_count += sum(example.y != label for example in leaf.sample)
    _demand(by_weight / data.total > xi, "the weighted risk is at most xi")
    _demand(Fraction(by_count, len(data.sample)) > xi, "the share of errors is at most xi")


def heaviest_leaf_fails(counts: Counts, first: Fraction, rate: Fraction, gamma: Fraction) -> str:
    """Check an invariant that keeps the risk above a constant although the heaviest leaf is always split.

    Paper: boostCOND. The invariant: A, pure leaves of total weight at most `first`, and B with the core and
    positives of weight p in (0, first]. It holds after the first split and is preserved by all others.
    """
    core = counts[2]
    data = peeling_sample(counts, first, rate, 2)
    _demand(check_weak_split(gamma, Tree(), ROOT, IN_A, data), "the first split is too weak")
    leaf_b, leaf_a = (mass_of(part) for part in sides_of(data, IN_A))
    _demand(
        (leaf_b.positive, leaf_b.negative) == (first, Fraction(core)), "the first split gives another leaf B"
    )
    # For every p in (0, first]: B weighs more than core, every other leaf at most the larger of A and first.
    _demand(core > max(leaf_a.total, first), "B is not the heaviest leaf")
    _demand(0 < rate < 1 and rate >= gamma, "a peel does not satisfy the weak learning assumption")
    for positives in (first, first * (1 - rate)):
        # The edge of a peel is rate * p / p - 0 / core for every p, and p (1 - rate) is again in (0, first].
        peel = unit_peel(positives, core, rate)
        _demand(check_weak_split(rate, Tree(), ROOT, Threshold(0, 1), peel), "the edge of a peel is not rate")
    _demand(leaf_a.positive > leaf_a.negative > 0, "A makes no error")
    risk = leaf_a.minority / data.total
    return (
        f"γ = {gamma}. Leaf A: {counts[0]} positives and {counts[1]} negatives with the same x. Leaf B:"
        f" {core} negatives, and positives of total weight {first} in as many groups as there are splits,"
        f" group j holding {rate} of what those before it left. The first split tells A from B, each other"
        f" one takes a group off B, the heaviest leaf, with edge {rate}: the risk stays at or above {risk}."
    )


def unit_peel(positives: Fraction, core: int, rate: Fraction) -> WeightedSample:
    """Return leaf B with its positives in two parts, the next group and the rest."""
    sample = (Example((1,), 1), Example((0,), 1), *(Example((0,), -1),) * core)
    return WeightedSample(sample, (rate * positives, (1 - rate) * positives, *(Fraction(1),) * core))


def small_leaves() -> Iterator[tuple[int, int, int, int]]:
    """Yield the counts of positives and negatives of small leaves, in all and right of a split."""
    for positives, negatives in product(range(1, 6), repeat=2):
        yield from product((positives,), (negatives,), range(positives + 1), range(negatives + 1))


def every_small_split_drops(constant: Fraction) -> str:
    """Check drop >= constant * edge^2 * risk for the Matsushita risk on every split of every small leaf.

    Paper: eqKM1.
    """
    count = 0
    for positives, negatives, right_positives, right_negatives in small_leaves():
        parent = Mass(Fraction(positives), Fraction(negatives))
        right = Mass(Fraction(right_positives), Fraction(right_negatives))
        left = Mass(parent.positive - right.positive, parent.negative - right.negative)
        split_edge = right.positive / parent.positive - right.negative / parent.negative
        before, after = matsushita_sum(parent), matsushita_sum(left, right)
        _demand(before - after >= constant * split_edge**2 * before, f"not for {parent} and {right}")
        count += 1
    return f"{count} splits of leaves with up to 5 + 5 examples"


def integral_of_reciprocal(shift: int) -> str:
    """Derive that the integral of 1/z from 1 to L + 1 is log(L + 1); `shift` is added as a control."""
    z, size = sympy.symbols("z L", positive=True)
    difference = sympy.integrate(1 / z, (z, 1, size + 1)) - sympy.log(size + 1) - shift
    _demand(sympy.simplify(difference) == 0, f"the two differ by {difference}")
    return "integrated by sympy"


def full_levels(depth: int, extra: int) -> str:
    """Count the splits of full levels and add up the normalised weights of the leaves that are split.

    Paper: boostCOND. `extra` is added to the count as a control.
    """
    leaves, split_count, weight_sum = [Fraction(1)], extra, Fraction(0)
    for level in range(depth):
        split_count += len(leaves)
        weight_sum += sum(leaves)
        _demand(weight_sum == level + 1, "the weights of a level do not add up to 1")
        _demand(split_count == 2 ** (level + 1) - 1, "the number of splits differs")
        leaves = [part for weight in leaves for part in (weight / 3, 2 * weight / 3)]
    return f"up to depth {depth}"


def printed_bound_at_root(alpha: Fraction, gamma: Fraction) -> str:
    """Evaluate eqCONV1C for L = 1, where the tree is the root alone, with q = 1/2."""
    bound = exp(-(gamma**2) / 16 * alpha)
    _demand(1 > bound, "the bound holds")
    return (
        f"L = 1, γ = {gamma}, α_1 = {alpha}: the root with q = 1/2 has the risk 1, and the bound is"
        f" {decimal(bound, 4)}."
    )
