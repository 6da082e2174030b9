"""Mistakes in combining correct parts: noise, coefficients, weights, predictions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from .mistake import MistakesIn
from .model import Port
from .model_numbers import RefusedError
from .model_privacy import Masses, Noise
from .model_training import PortTree, Run

Trees = Sequence[Mapping[str, Any]]
wrong_noise = MistakesIn(Port.sample_noise, "sec-solv")
wrong_coefficient = MistakesIn(Port.tree_coefficient, "cboost")
wrong_weights = MistakesIn(Port.update_weights, "defwunMF")
wrong_leaf_budget = MistakesIn(Port.budget_of_leaves, "sec-solv")
wrong_prediction = MistakesIn(Port.predict, "sec-solv")


@wrong_noise("All leaves of a tree have the same noise.")
def noise_shared_by_leaves(right: Port, tree: PortTree) -> Sequence[Noise]:
    noise = right.sample_noise(tree)
    return [noise[0]] * len(noise)


@wrong_noise("Both masses of a leaf have the same noise.")
def noise_shared_by_classes(right: Port, tree: PortTree) -> Sequence[Noise]:
    return [dict.fromkeys(part, next(iter(part.values()))) for part in right.sample_noise(tree)]


@wrong_noise("Training adds no noise to the leaves.")
def noise_missing(right: Port, tree: PortTree) -> Sequence[Noise]:
    return silence(right.sample_noise(tree))


def silence(noise: Sequence[Noise]) -> list[Noise]:
    """Return no noise for every leaf."""
    return [dict.fromkeys(part, Fraction(0)) for part in noise]


@wrong_noise("Only the positive mass of a leaf gets noise.")
def noise_one_class(right: Port, tree: PortTree) -> Sequence[Noise]:
    noise = right.sample_noise(tree)
    return [part | {"negative": Fraction(0)} if "negative" in part else part for part in map(dict, noise)]


@wrong_noise("Training draws the noise of a tree as if it had the budget of all.")
def noise_of_all_trees(right: Port, tree: PortTree) -> Sequence[Noise]:
    return right.sample_noise(replace(tree, scale=tree.scale / tree.run.parameters.trees))


@wrong_noise("All trees have the noise of the first.")
def noise_reused(right: Port, tree: PortTree) -> Sequence[Noise]:
    return tree.run.trees[0].noise if tree.index else right.sample_noise(tree)


@wrong_coefficient("The coefficient is computed from raw masses even if the rule requires noisy ones.")
def beta_from_raw_masses(right: Port, tree: PortTree) -> Fraction:
    return right.tree_coefficient(replace(tree, noise=silence(tree.noise)))


@MistakesIn(Port.noisy_masses, "cboost")("Negative noisy masses are set to 0 in the coefficient, too.")
def beta_from_clamped_masses(right: Port, masses: Masses, noise: Noise) -> Masses:
    noisy = right.noisy_masses(masses, noise)
    return Masses(right.at_least_zero(noisy.positive), right.at_least_zero(noisy.negative))


@wrong_coefficient("Every tree has the coefficient 1.")
def beta_missing(right: Port, tree: PortTree) -> Fraction:
    return Fraction(1)


@wrong_coefficient("If the leaves have no noisy masses, the coefficient is 0 instead of 1.")
def beta_zero_without_masses(right: Port, tree: PortTree) -> Fraction:
    protocol = tree.run.protocol
    without = protocol.beta == "noisy_masses" and protocol.leaf != "noisy_masses"
    return Fraction(0) if without else right.tree_coefficient(tree)


@MistakesIn(Port.first_weights, "defwunMF")("The weights of the first tree are 1 instead of 1/2.")
def first_weights_one(right: Port, run: Run) -> list[Fraction]:
    return [Fraction(1)] * len(run.rows)


@wrong_weights("The weights of later trees are divided by their sum.")
def weights_normalised(right: Port, tree: PortTree) -> list[Fraction]:
    weights = right.update_weights(tree)
    return [weight / sum(weights) for weight in weights]


@wrong_weights("Weights are always updated by the mirror rule.")
def mirror_for_accumulated(right: Port, tree: PortTree) -> list[Fraction]:
    return right.update_weights(with_beta_rule(tree, "raw"))


@wrong_weights("Weights are always computed from the margin, and rounded.")
def accumulated_for_mirror(right: Port, tree: PortTree) -> list[Fraction]:
    return right.update_weights(with_beta_rule(tree, "constant"))


def with_beta_rule(tree: PortTree, rule: str) -> PortTree:
    """Return a tree under another rule of coefficients."""
    return replace(tree, run=replace(tree.run, protocol=replace(tree.run.protocol, beta=rule)))


@wrong_weights("Weights follow from the last tree instead of the sum of all.")
def margin_of_last_tree(right: Port, tree: PortTree) -> list[Fraction]:
    tree.run.margins = [Fraction(0)] * len(tree.rows)
    return right.update_weights(tree)


@wrong_weights("Weights follow from the sum of the trees without their coefficients.")
def margin_without_beta(right: Port, tree: PortTree) -> list[Fraction]:
    return right.update_weights(replace(tree, beta=Fraction(1)))


@wrong_weights("Every tree is grown with the first weights.")
def weights_not_updated(right: Port, tree: PortTree) -> list[Fraction]:
    return right.first_weights(tree.run)


@wrong_leaf_budget("Training pays the leaves with the share of the splits.")
def train_leaf_budget_of_splits(right: Port, run: Run) -> Fraction:
    return run.parameters.beta_tree * run.parameters.epsilon / run.parameters.trees


@wrong_prediction("Predictions sum the trees without their coefficients.")
def predict_without_beta(right: Port, trees: Trees, codes: Sequence[int]) -> Fraction:
    return right.predict([{**tree, "beta": 1} for tree in trees], codes)


@wrong_prediction("Predictions are the mean over the trees instead of the sum.")
def predict_mean(right: Port, trees: Trees, codes: Sequence[int]) -> Fraction:
    return right.predict(trees, codes) / len(trees)


@wrong_prediction("Predictions are the class instead of the margin.")
def predict_sign(right: Port, trees: Trees, codes: Sequence[int]) -> Fraction:
    return Fraction(1 if right.predict(trees, codes) >= 0 else -1)


@MistakesIn(Port.value_at, "sec-solv")("In predictions, rows where a test holds go left.")
def predict_mirrored(right: Port, tree: Mapping[str, Any], codes: Sequence[int]) -> Fraction:
    splits, node = tree["splits"], 0
    while node < len(splits):
        node = 2 * node + 2 - right.holds(splits[node], codes)
    return right.read_model_number(tree["values"][node - len(splits)])


@wrong_prediction("Predictions are those of the last tree.")
def predict_last_tree(right: Port, trees: Trees, codes: Sequence[int]) -> Fraction:
    return right.predict(trees[-1:], codes)


@wrong_leaf_budget("Training gives the leaves of every tree the budget of all trees.")
def train_leaf_scale_one_tree(right: Port, run: Run) -> Fraction:
    return right.budget_of_leaves(run) * run.parameters.trees


@MistakesIn(Port.check_tree, "sec-solv")("A tree without splits is refused.")
def predict_stump_refused(right: Port, tree: Mapping[str, Any], candidates: Sequence[str]) -> None:
    right.check_tree(tree, candidates)
    if not tree["splits"]:
        raise RefusedError("splits", "a split", tree["splits"])


@wrong_prediction("A model whose trees have different depths is refused.")
def predict_one_depth(right: Port, trees: Trees, codes: Sequence[int]) -> Fraction:
    for tree in trees:
        if len(tree["splits"]) != len(trees[0]["splits"]):
            raise RefusedError("splits", "trees of one depth", tree["splits"])
    return right.predict(trees, codes)


@wrong_prediction("A model without trees is refused.")
def predict_without_trees(right: Port, trees: Trees, codes: Sequence[int]) -> Fraction:
    if not trees:
        raise RefusedError("trees", "a tree", trees)
    return right.predict(trees, codes)


@MistakesIn(Port.read_model_number, "sec-solv")("Numbers of a model that are doubles are refused.")
def predict_strings_only(right: Port, value: Any) -> Fraction:
    return right.read_number(value, "model")
