"""Mistakes in combining correct parts: noise, coefficients, weights, predictions."""

# ruff: noqa: D101, D102

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from .mistake import mistake
from .model import Grown, Implementation
from .model_numbers import RefusedError
from .model_privacy import Noise
from .model_reading import Run


@mistake("noise-shared-by-leaves", "sec-solv", "All leaves of a tree have the same noise.")
class NoiseSharedByLeaves(Implementation):
    def drawn_noise(self, run: Run, index: int, tree: Grown) -> Sequence[Noise]:
        noise = super().drawn_noise(run, index, tree)
        return [noise[0]] * len(noise)


@mistake("noise-shared-by-classes", "sec-solv", "Both masses of a leaf have the same noise.")
class NoiseSharedByClasses(Implementation):
    def drawn_noise(self, run: Run, index: int, tree: Grown) -> Sequence[Noise]:
        noise = super().drawn_noise(run, index, tree)
        return [dict.fromkeys(part, next(iter(part.values()))) for part in noise]


@mistake("noise-missing", "sec-solv", "Training adds no noise to the leaves.")
class NoiseMissing(Implementation):
    def leaf_noise(self, scale: Fraction, grid: Fraction, source: random.Random) -> Fraction:
        return 0 * super().leaf_noise(scale, grid, source)


@mistake("noise-one-class", "sec-solv", "Only the positive mass of a leaf gets noise.")
class NoiseOneClass(Implementation):
    def drawn_noise(self, run: Run, index: int, tree: Grown) -> Sequence[Noise]:
        noise = super().drawn_noise(run, index, tree)
        return [{name: part[name] * (name != "negative") for name in part} for part in noise]


@mistake(
    "noise-of-all-trees", "sec-solv", "Training draws the noise of a tree as if it had the budget of all."
)
class NoiseOfAllTrees(Implementation):
    def noise_scale(self, run: Run, index: int, tree: Grown) -> Fraction:
        trees: int = run.numbers["trees"]
        return super().noise_scale(run, index, tree) / trees


@mistake("noise-reused", "sec-solv", "All trees have the noise of the first.")
class NoiseReused(Implementation):
    def drawn_noise(self, run: Run, index: int, tree: Grown) -> Sequence[Noise]:
        if index == 0:
            run.first_noise = super().drawn_noise(run, index, tree)
        return run.first_noise


@mistake(
    "beta-from-raw-masses",
    "cboost",
    "The coefficient is computed from raw masses even if the rule requires noisy ones.",
)
class BetaFromRawMasses(Implementation):
    def tree_coefficient(self, run: Run, tree: Grown, noise: Sequence[Noise]) -> Fraction:
        silence = [dict.fromkeys(part, Fraction(0)) for part in noise]
        return super().tree_coefficient(run, tree, silence)


@mistake("beta-from-clamped-masses", "cboost", "Negative noisy masses are set to 0 in the coefficient, too.")
class BetaFromClampedMasses(Implementation):
    def noisy_masses(self, masses: Sequence[Fraction], noise: Noise) -> list[Fraction]:
        return [max(mass, Fraction(0)) for mass in super().noisy_masses(masses, noise)]


@mistake("beta-missing", "cboost", "Every tree has the coefficient 1.")
class BetaMissing(Implementation):
    def tree_coefficient(self, run: Run, tree: Grown, noise: Sequence[Noise]) -> Fraction:
        return Fraction(1) + 0 * super().tree_coefficient(run, tree, noise)


@mistake(
    "beta-zero-without-masses",
    "cboost",
    "If the leaves have no noisy masses, the coefficient is 0 instead of 1.",
)
class BetaZeroWithoutMasses(Implementation):
    def tree_coefficient(self, run: Run, tree: Grown, noise: Sequence[Noise]) -> Fraction:
        beta = super().tree_coefficient(run, tree, noise)
        without = run.words["beta"] == "noisy_masses" and run.words["leaf"] != "noisy_masses"
        return Fraction(0) if without else beta


@mistake("first-weights-one", "defwunMF", "The weights of the first tree are 1 instead of 1/2.")
class FirstWeightsOne(Implementation):
    def first_weights(self, run: Run) -> list[Fraction]:
        return [Fraction(1)] * len(super().first_weights(run))


@mistake("weights-normalised", "defwunMF", "The weights of later trees are divided by their sum.")
class WeightsNormalised(Implementation):
    def next_weights(
        self, run: Run, tree: Grown, weights: Sequence[Fraction], margins: list[Fraction]
    ) -> list[Fraction]:
        updated = super().next_weights(run, tree, weights, margins)
        return [weight / sum(updated) for weight in updated]


@mistake("mirror-for-accumulated", "defwunMF", "Weights are always updated by the mirror rule.")
class MirrorForAccumulated(Implementation):
    def next_weights(
        self, run: Run, tree: Grown, weights: Sequence[Fraction], margins: list[Fraction]
    ) -> list[Fraction]:
        return super().next_weights(replace(run, words={**run.words, "beta": "raw"}), tree, weights, margins)


@mistake("accumulated-for-mirror", "defwunMF", "Weights are always computed from the margin, and rounded.")
class AccumulatedForMirror(Implementation):
    def next_weights(
        self, run: Run, tree: Grown, weights: Sequence[Fraction], margins: list[Fraction]
    ) -> list[Fraction]:
        return super().next_weights(
            replace(run, words={**run.words, "beta": "constant"}), tree, weights, margins
        )


@mistake("margin-of-last-tree", "defwunMF", "Weights follow from the last tree instead of the sum of all.")
class MarginOfLastTree(Implementation):
    def next_weights(
        self, run: Run, tree: Grown, weights: Sequence[Fraction], margins: list[Fraction]
    ) -> list[Fraction]:
        margins[:] = [Fraction(0)] * len(margins)
        return super().next_weights(run, tree, weights, margins)


@mistake(
    "margin-without-beta", "defwunMF", "Weights follow from the sum of the trees without their coefficients."
)
class MarginWithoutBeta(Implementation):
    def next_weights(
        self, run: Run, tree: Grown, weights: Sequence[Fraction], margins: list[Fraction]
    ) -> list[Fraction]:
        beta, tree.beta = tree.beta, Fraction(1)
        updated = super().next_weights(run, tree, weights, margins)
        tree.beta = beta
        return updated


@mistake("weights-not-updated", "defwunMF", "Every tree is grown with the first weights.")
class WeightsNotUpdated(Implementation):
    def next_weights(
        self, run: Run, tree: Grown, weights: Sequence[Fraction], margins: list[Fraction]
    ) -> list[Fraction]:
        super().next_weights(run, tree, weights, margins)
        return list(weights)


@mistake("train-leaf-budget-of-splits", "sec-solv", "Training pays the leaves with the share of the splits.")
class TrainLeafBudgetOfSplits(Implementation):
    def leaf_price(self, run: Run) -> Fraction:
        epsilon, share, trees = run.shares
        return share * epsilon / trees


@mistake("predict-without-beta", "sec-solv", "Predictions sum the trees without their coefficients.")
class PredictWithoutBeta(Implementation):
    def margin(self, trees: Sequence[Mapping[str, Any]], codes: Sequence[int]) -> Fraction:
        return super().margin([{**tree, "beta": 1} for tree in trees], codes)


@mistake("predict-mean", "sec-solv", "Predictions are the mean over the trees instead of the sum.")
class PredictMean(Implementation):
    def margin(self, trees: Sequence[Mapping[str, Any]], codes: Sequence[int]) -> Fraction:
        return super().margin(trees, codes) / len(trees)


@mistake("predict-sign", "sec-solv", "Predictions are the class instead of the margin.")
class PredictSign(Implementation):
    def margin(self, trees: Sequence[Mapping[str, Any]], codes: Sequence[int]) -> Fraction:
        return Fraction(1 if super().margin(trees, codes) >= 0 else -1)


@mistake("predict-mirrored", "sec-solv", "In predictions, rows where a test holds go left.")
class PredictMirrored(Implementation):
    def value_at(self, tree: Mapping[str, Any], codes: Sequence[int]) -> Fraction:
        splits, node = tree["splits"], 0
        while node < len(splits):
            node = 2 * node + 2 - self.holds(splits[node], codes)
        return self.answered_number(tree["values"][node - len(splits)])


@mistake("predict-last-tree", "sec-solv", "Predictions are those of the last tree.")
class PredictLastTree(Implementation):
    def margin(self, trees: Sequence[Mapping[str, Any]], codes: Sequence[int]) -> Fraction:
        return super().margin(trees[-1:], codes)


@mistake(
    "train-leaf-scale-one-tree",
    "sec-solv",
    "Training gives the leaves of every tree the budget of all trees.",
)
class TrainLeafScaleOneTree(Implementation):
    def leaf_price(self, run: Run) -> Fraction:
        trees: int = run.numbers["trees"]
        return super().leaf_price(run) * trees


@mistake("predict-stump-refused", "sec-solv", "A tree without splits is refused.")
class PredictStumpRefused(Implementation):
    def check_tree(self, tree: Mapping[str, Any], candidates: Sequence[str]) -> None:
        super().check_tree(tree, candidates)
        if not tree["splits"]:
            raise RefusedError("splits", "a split", tree["splits"])


@mistake("predict-one-depth", "sec-solv", "A model whose trees have different depths is refused.")
class PredictOneDepth(Implementation):
    def margin(self, trees: Sequence[Mapping[str, Any]], codes: Sequence[int]) -> Fraction:
        for tree in trees:
            if len(tree["splits"]) != len(trees[0]["splits"]):
                raise RefusedError("splits", "trees of one depth", tree["splits"])
        return super().margin(trees, codes)


@mistake("predict-without-trees", "sec-solv", "A model without trees is refused.")
class PredictWithoutTrees(Implementation):
    def margin(self, trees: Sequence[Mapping[str, Any]], codes: Sequence[int]) -> Fraction:
        if not trees:
            raise RefusedError("trees", "a tree", trees)
        return super().margin(trees, codes)


@mistake("predict-strings-only", "sec-solv", "Numbers of a model that are doubles are refused.")
class PredictStringsOnly(Implementation):
    def answered_number(self, value: Any) -> Fraction:
        return self.number(value, "model")
