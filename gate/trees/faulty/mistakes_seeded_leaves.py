"""Mistakes in the leaf noise of seeded trainings. Reported numbers are right, and so are tapes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import sqrt
from random import Random

from .mistake import MistakesIn
from .mistakes_learner import silence
from .model import Port
from .model_privacy import Noise
from .model_training import PortTree

wrong_noise = MistakesIn(Port.sample_noise, "sec-solv")
wrong_leaf_noise = MistakesIn(Port.sample_leaf_noise, "sec-solv")


def has_noisy_masses(tree: PortTree) -> bool:
    """Return whether the masses of the leaves get noise, and not their values."""
    return tree.run.protocol.leaf == "noisy_masses"


def sample_scaled(right: Port, tree: PortTree, factor: Fraction | int) -> Sequence[Noise]:
    """Return noise whose scale is multiplied by a factor."""
    return right.sample_noise(replace(tree, scale=tree.scale * factor))


@wrong_noise("Later trees have noise for the weight bound 1/2.")
def noise_later_bound_half(right: Port, tree: PortTree) -> Sequence[Noise]:
    return sample_scaled(right, tree, Fraction(1, 2) if tree.index and has_noisy_masses(tree) else 1)


@wrong_noise("The first tree has noise for the weight bound 1: twice too much.")
def noise_first_bound_one(right: Port, tree: PortTree) -> Sequence[Noise]:
    return sample_scaled(right, tree, 1 if tree.index or not has_noisy_masses(tree) else 2)


@wrong_noise("Under exchange, noise has half of its scale, as under add/remove.")
def noise_of_add_remove(right: Port, tree: PortTree) -> Sequence[Noise]:
    is_halved = tree.run.protocol.relation == "exchange" and has_noisy_masses(tree)
    return sample_scaled(right, tree, Fraction(1, 2) if is_halved else 1)


@wrong_noise("Under add/remove, noise has twice its scale, as under exchange.")
def noise_of_exchange(right: Port, tree: PortTree) -> Sequence[Noise]:
    is_doubled = tree.run.protocol.relation == "add_remove" and has_noisy_masses(tree)
    return sample_scaled(right, tree, 2 if is_doubled else 1)


@wrong_noise("The noise of leaves is drawn with the share 1 - beta missing.")
def noise_of_whole_epsilon(right: Port, tree: PortTree) -> Sequence[Noise]:
    return sample_scaled(right, tree, 1 - tree.run.parameters.beta_tree)


@wrong_noise("The noise of leaves is drawn with the share beta of the splits.")
def noise_of_split_share(right: Port, tree: PortTree) -> Sequence[Noise]:
    return sample_scaled(right, tree, 1 / tree.run.parameters.beta_tree - 1)


@wrong_noise("The noise of values is drawn as if there were one leaf.")
def noise_over_leaves_missing(right: Port, tree: PortTree) -> Sequence[Noise]:
    return sample_scaled(right, tree, 1 if has_noisy_masses(tree) else Fraction(1, len(tree.masses)))


@wrong_noise("The noise of values is drawn with half of its scale.")
def noise_of_values_halved(right: Port, tree: PortTree) -> Sequence[Noise]:
    return sample_scaled(right, tree, 1 if has_noisy_masses(tree) else Fraction(1, 2))


@wrong_noise("The noise of masses is drawn with a budget divided among the leaves.")
def noise_over_leaves(right: Port, tree: PortTree) -> Sequence[Noise]:
    return sample_scaled(right, tree, len(tree.masses) if has_noisy_masses(tree) else 1)


@wrong_leaf_noise("In training the scale is treated as a standard deviation.")
def noise_deviation(right: Port, scale: Fraction, grid: Fraction, source: Random) -> Fraction:
    return right.sample_leaf_noise(scale / Fraction(sqrt(2)), grid, source)


@wrong_leaf_noise("In training noise is normal with the same standard deviation.")
def noise_gaussian(right: Port, scale: Fraction, grid: Fraction, source: Random) -> Fraction:
    return grid * round(source.gauss(0, sqrt(2) * float(scale / grid)))


@wrong_leaf_noise("In training noise is never negative.")
def noise_one_sided(right: Port, scale: Fraction, grid: Fraction, source: Random) -> Fraction:
    return abs(right.sample_leaf_noise(scale, grid, source))


@wrong_leaf_noise("In training noise beyond three scales is drawn again.")
def noise_truncated(right: Port, scale: Fraction, grid: Fraction, source: Random) -> Fraction:
    while abs(noise := right.sample_leaf_noise(scale, grid, source)) > 3 * scale:
        pass
    return noise


@wrong_leaf_noise("In training noise is a float from the continuous law.")
def noise_continuous(right: Port, scale: Fraction, grid: Fraction, source: Random) -> Fraction:
    return Fraction(float(scale) * (source.expovariate(1) - source.expovariate(1)))


@wrong_noise("In training the noise of masses is a float from the continuous law.")
def noise_of_masses_continuous(right: Port, tree: PortTree) -> Sequence[Noise]:
    noise, sample, scale = right.sample_noise(tree), tree.run.random.expovariate, float(tree.scale)
    if not has_noisy_masses(tree):
        return noise
    return [{name: Fraction(scale * (sample(1) - sample(1))) for name in part} for part in noise]


@wrong_leaf_noise(
    "In training continuous noise is rounded to the grid.",
    missed="the grid is much finer than the scale, so that the laws hardly differ",
)
def noise_rounded(right: Port, scale: Fraction, grid: Fraction, source: Random) -> Fraction:
    return grid * round(float(scale / grid) * (source.expovariate(1) - source.expovariate(1)))


@wrong_noise("The two masses of a leaf have opposite noise.")
def noise_opposite_classes(right: Port, tree: PortTree) -> Sequence[Noise]:
    noise = right.sample_noise(tree)
    return [{**part, "negative": -part["positive"]} if "positive" in part else part for part in noise]


@wrong_noise("Neighbouring leaves have opposite noise.")
def noise_opposite_leaves(right: Port, tree: PortTree) -> Sequence[Noise]:
    noise = list(right.sample_noise(tree))
    noise[1::2] = [{name: -part[name] for name in part} for part in noise[::2]]
    return noise


@wrong_noise("Neighbouring leaves have the same noise.")
def noise_shared_by_neighbours(right: Port, tree: PortTree) -> Sequence[Noise]:
    noise = list(right.sample_noise(tree))
    noise[1::2] = noise[::2]
    return noise


@wrong_noise("Empty leaves get no noise.")
def noise_not_in_empty_leaves(right: Port, tree: PortTree) -> Sequence[Noise]:
    noise = zip(right.sample_noise(tree), tree.masses, strict=True)
    return [part if masses.total else silence([part])[0] for part, masses in noise]


@wrong_noise("A mass that is 0 gets no noise.")
def noise_not_on_zero(right: Port, tree: PortTree) -> Sequence[Noise]:
    noise = zip(right.sample_noise(tree), tree.masses, strict=True)
    if not has_noisy_masses(tree):
        return [part for part, _ in noise]
    return [{name: part[name] * bool(getattr(masses, name)) for name in part} for part, masses in noise]


@wrong_noise("Only the first tree gets noise.")
def noise_of_first_tree_only(right: Port, tree: PortTree) -> Sequence[Noise]:
    noise = right.sample_noise(tree)
    return silence(noise) if tree.index else noise
