"""Effects of features on the score of a fitted model, computed from the released model alone.

No data are read, so effects cost no privacy. A public measure stands in place of the rows: the features are
independent, and all values of a feature are equally likely.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from privboost.fast.arrays import Array
from privboost.fast.features import Feature
from privboost.fast.growth import Tree

from .regions import every_code, leaves_of, reachable_part

ROUNDING = 2.0**-40
"""Effects below this share of the largest possible score are errors of rounding, and count as 0."""


@dataclass(frozen=True, slots=True)
class FeatureEffect:
    """How the mean score of a model depends on one feature.

    Parameters
    ----------
    feature : Numeric, Date or Categorical
        The feature.
    effects : tuple of float
        For each value of the feature, the mean score of rows with this value minus that of all rows, if all
        values of a feature are equally likely and the features are independent.
    importance : float
        The variance of the effects, as a share of the sum over all features.

    Attributes
    ----------
    values : tuple of str
        The values of the feature: ranges, or categories.
    """

    feature: Feature
    effects: tuple[float, ...]
    importance: float

    @property
    def values(self) -> tuple[str, ...]:
        """Return the values of the feature."""
        return self.feature.value_names

    def __str__(self) -> str:
        pairs = zip(self.effects, self.values, strict=True)
        lines = (f"{effect:+12.6g}  {value}" for effect, value in pairs)
        return "\n".join([f"{self.feature.name}, importance {self.importance:.3f}", *lines])


def sum_effects(trees: Sequence[Tree], values: Sequence[Array], sizes: Sequence[int]) -> list[Array]:
    """Return the effects of every feature on the sum of the values of leaves, exactly up to rounding."""
    # For each feature, the values of leaves times their chances, by the codes that the leaves allow.
    masses: list[dict[int, float]] = [{} for _ in sizes]
    for tree, of_tree in zip(trees, values, strict=True):
        for leaf in leaves_of(reachable_part(tree, of_tree.tolist(), sizes)):
            pairs = list(zip(leaf.codes, sizes, strict=True))
            mass = leaf.value * prod(codes.bit_count() / size for codes, size in pairs)
            for of_feature, (codes, size) in zip(masses, pairs, strict=True):
                if codes != every_code(size):
                    of_feature[codes] = of_feature.get(codes, 0.0) + mass
    largest = sum(float(np.abs(of_tree).max()) for of_tree in values)
    effects = [_effect(of_feature, size) for of_feature, size in zip(masses, sizes, strict=True)]
    return [np.where(np.abs(effect) > ROUNDING * largest, effect, 0.0) for effect in effects]


def _effect(masses: Mapping[int, float], size: int) -> Array:
    """Return the mass on each code minus the mean; the mass of a set is divided evenly among its codes."""
    effect = np.zeros(size)
    for codes, mass in masses.items():
        flags = np.array([codes >> code & 1 for code in range(size)])
        effect += mass * (flags * (size / codes.bit_count()) - 1)
    return effect


def feature_effects(features: Sequence[Feature], effects: Sequence[Array]) -> tuple[FeatureEffect, ...]:
    """Return effects with their importances."""
    variances = [float(np.mean(effect**2)) for effect in effects]
    total = sum(variances) or 1.0
    triples = zip(features, effects, variances, strict=True)
    return tuple(
        FeatureEffect(feature, tuple(effect.tolist()), variance / total)
        for feature, effect, variance in triples
    )
