"""Weak learning: balanced weights, edges, the weak learning assumptions, and quantities of the proofs.

Notation:
    gamma       weak learning constant          eta(w, h)   edge, sum of w_i y_i h(x_i)
    g^(+/-)     2 g - 1, a split as a vote      tau         share of a leaf's mass that goes right
    delta       difference of the class proportions right and left, r - p
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from privboost.errors import PreconditionError
from privboost.reference.data import Observation, Sample, Split, WeightedSample, Weights
from privboost.reference.exact import Exact, Number, exact, exact_sum, exp
from privboost.reference.losses import Loss, bayes_risk

from .risks import Mass, leaf_masses
from .tree import Path, Tree, level_of

Classifier = Callable[[Observation], Exact]


def balanced_weights(tree: Tree, leaf: Path, data: WeightedSample) -> Weights:
    """Return weights that give half the mass of a leaf to each class, and 0 to examples outside the leaf.

    Paper: wlaKMDT, wlaKM. Erratum balanced-unnormalised: as printed (1/(2q) in the text, w_i/(2q) in the
    appendix) they do not sum to 1; dividing by w(leaf) makes them a distribution.
    Requires: the leaf holds both classes.
    """
    mass = leaf_masses(tree, data)[leaf]
    if not (mass.positive and mass.negative):
        raise PreconditionError("wlaKMDT", "a leaf with both classes", mass)
    share = {1: 2 * mass.positive, -1: 2 * mass.negative}
    return tuple(
        weight / share[example.y] if tree.leaf_of(example.x) == leaf else Fraction(0)
        for example, weight in data
    )


def balanced_weights_as_printed(tree: Tree, leaf: Path, data: WeightedSample) -> Weights:
    """Return 0 outside a leaf, 1 / (2 q) for its positive examples and 1 / (2 (1 - q)) for the others.

    Paper: wlaKMDT (balanced weights).
    Requires: the leaf holds both classes.
    """
    q = leaf_masses(tree, data)[leaf].proportion
    if not 0 < q < 1:
        raise PreconditionError("wlaKMDT", "a leaf with both classes", f"q = {q}")
    share = {1: 2 * q, -1: 2 * (1 - q)}
    return tuple(1 / share[e.y] if tree.leaf_of(e.x) == leaf else Fraction(0) for e in data.sample)


def edge(weights: Weights, sample: Sample, classifier: Classifier) -> Number:
    """Return eta(w, h) = sum of w_i y_i h(x_i).

    Paper: wlaKMDT.
    """
    pairs = zip(sample, weights, strict=True)
    return exact_sum(weight * e.y * exact(classifier(e.x), "h(x)") for e, weight in pairs)


def as_vote(split: Split) -> Classifier:
    """Return g^(+/-) = 2 g - 1.

    Paper: wlaKMDT.
    """
    return lambda x: 2 * split(x) - 1


def check_weak_split(gamma: Exact, tree: Tree, leaf: Path, split: Split, data: WeightedSample) -> bool:
    """Decide |eta(balanced weights of the leaf, g^(+/-))| >= gamma.

    Paper: wlaKMDT.
    """
    return abs(edge(balanced_weights(tree, leaf, data), data.sample, as_vote(split))) >= gamma


def check_weak_split_km(gamma: Exact, tree: Tree, leaf: Path, split: Split, data: WeightedSample) -> bool:
    """Decide |balanced mass of the examples where g and y disagree - 1/2| >= gamma.

    Paper: wlaKM, wladef1.
    """
    balanced = balanced_weights(tree, leaf, data)
    wrong = exact_sum(
        weight
        for example, weight in zip(data.sample, balanced, strict=True)
        if (split(example.x) == 0) == (example.y == 1)
    )
    return abs(wrong - Fraction(1, 2)) >= gamma


def mean_weight(data: WeightedSample) -> Number:
    """Return the expected unnormalised weight, sum of w_i / m.

    Paper: wlaKMLC.
    """
    if not data.sample:
        raise PreconditionError("wlaKMLC", "a non-empty sample", "an empty sample")
    return data.total / len(data.sample)


def normalised_weights(data: WeightedSample) -> Weights:
    """Return the weights divided by their sum.

    Paper: wlaKMLC.
    """
    total = data.total
    return tuple(weight / total for weight in data.weights)


def check_weak_classifier(gamma: Exact, bound: Exact, classifier: Classifier, data: WeightedSample) -> bool:
    """Decide |eta(normalised weights, h)| >= gamma M.

    Paper: wlaKMLC.
    """
    return abs(edge(normalised_weights(data), data.sample, classifier)) >= exact(gamma) * bound


def check_monotonic(k: Exact, alphas: Sequence[Number], leaf_weights: Sequence[Number]) -> bool:
    """Decide K-monotonicity: alpha_l <= alpha_(l-1) exp(K w_l (1 - alpha_(l-1))) for l > 2.

    Paper: thBoostDT1 (K-monotonic). The index starts at 1; leaf_weights[l - 1] is the normalised weight
    of the leaf split at step l.
    """
    return all(
        alphas[i] <= alphas[i - 1] * exp(exact(k) * leaf_weights[i] * (1 - alphas[i - 1]))
        for i in range(2, len(alphas))
    )


def normalised_leaf_weight(tree: Tree, leaf: Path, data: WeightedSample) -> Number:
    """Return the share of the sample's mass that reaches a node.

    Paper: defNW.
    """
    reached = (weight for example, weight in data if tree.leaf_of(example.x)[: len(leaf)] == leaf)
    return exact_sum(reached) / data.total


def tree_efficiency(node: Path, share: Exact, risk: Exact) -> Number:
    """Return J = 8 w(node) err(h)^2 / 2^depth.

    Paper: condGAP (tree-efficiency J).
    """
    return 8 * exact(share) * exact(risk) * exact(risk) / (1 << level_of(node))


def split_decrease(loss: Loss, before: Mass, left: Mass, right: Mass) -> Number:
    """Return w(leaf) L(q) - w(left) L(p) - w(right) L(r), the decrease of the risk by a split.

    Paper: defDELTA1, condGAP.
    """
    return exact_sum(
        sign * mass.total * bayes_risk(loss, mass.proportion)
        for sign, mass in ((1, before), (-1, left), (-1, right))
        if mass.total
    )


def one_step_decrease(loss: Loss, q: Exact, tau: Exact, delta: Exact) -> Number:
    """Return L(q) - (1 - tau) L(q - tau delta) - tau L(q + (1 - tau) delta).

    Paper: defDELTA1.
    """
    centre, right, gap = exact(q, "q"), exact(tau, "tau"), exact(delta, "delta")
    return (
        bayes_risk(loss, centre)
        - (1 - right) * bayes_risk(loss, centre - right * gap)
        - right * bayes_risk(loss, centre + (1 - right) * gap)
    )
