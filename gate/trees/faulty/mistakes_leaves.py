"""Mistakes in leaf values, coefficients and weights."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import ceil, trunc

from .mistake import MistakesIn
from .model import Port
from .model_numbers import HALF, Number, exponential
from .model_privacy import Leverage, Masses, Noise, PortLeaf, Update

NAN = float("nan")
wrong_leaf_value = MistakesIn(Port.leaf_value, "predDT")
wrong_value_of_masses = MistakesIn(Port.value_of_masses, "predDT")
wrong_rounding = MistakesIn(Port.round_to, "predDT")
wrong_leverage = MistakesIn(Port.leverage, "cboost")
wrong_mirror = MistakesIn(Port.mirror, "defwunMF")
wrong_weight = MistakesIn(Port.accumulate, "defwunMF")


@MistakesIn(Port.inner, "predDT")("Proportions are not clamped to [zeta, 1 - zeta].")
def zeta_missing(right: Port, u: Fraction, zeta: Fraction) -> Fraction:
    return u


@wrong_leaf_value("Values are not clamped to [-M, M] after the noise.")
def clamp_missing(right: Port, leaf: PortLeaf) -> Fraction:
    return right.leaf_value(leaf) if leaf.rule == "noisy_masses" else Fraction(right.noisy_value(leaf))


@wrong_leaf_value("The clamp to [-M, M] comes before the noise, even if the rule clamps only after it.")
def clamp_first(right: Port, leaf: PortLeaf) -> Fraction:
    rule = "link_clamp_noise" if leaf.rule == "link_noise_clamp" else leaf.rule
    return right.leaf_value(replace(leaf, rule=rule))


@wrong_rounding("Values and weights are rounded to the nearest step of the grid.")
def round_to_nearest(right: Port, value: Number, grid: Fraction) -> Number:
    return value if isinstance(value, float) else grid * round(value / grid)


@wrong_rounding("Values are rounded towards 0, as a cast to an integer does.")
def round_to_zero(right: Port, value: Number, grid: Fraction) -> Number:
    return value if isinstance(value, float) else grid * trunc(value / grid)


@wrong_leaf_value("Noise is subtracted instead of added.")
def noise_subtracted(right: Port, leaf: PortLeaf) -> Fraction:
    return right.leaf_value(replace(leaf, noise={name: -part for name, part in leaf.noise.items()}))


@MistakesIn(Port.at_least_zero, "predDT")("A negative noisy mass is replaced by its absolute value.")
def negative_mass_mirrored(right: Port, mass: Fraction) -> Fraction:
    return abs(mass)


@wrong_value_of_masses("A leaf without noisy mass has the value 0 / 0.")
def empty_leaf_nan(right: Port, alpha: Fraction, bound: Fraction, noisy: Masses) -> Fraction:
    empty = max(noisy.positive, noisy.negative) <= 0
    return NAN if empty else right.value_of_masses(alpha, bound, noisy)  # type: ignore[return-value]


@wrong_value_of_masses("An empty leaf predicts -M, as if its proportion were 0.")
def empty_leaf_bound(right: Port, alpha: Fraction, bound: Fraction, noisy: Masses) -> Fraction:
    empty = max(noisy.positive, noisy.negative) <= 0
    return -bound if empty else right.value_of_masses(alpha, bound, noisy)


@MistakesIn(Port.noisy_masses, "predDT")("The noises of the two masses are exchanged.")
def noise_of_other_class(right: Port, masses: Masses, noise: Noise) -> Masses:
    return Masses(masses.positive + noise["negative"], masses.negative + noise["positive"])


@wrong_value_of_masses("From noisy masses, leaves predict 2 q - 1 instead of the link of q.")
def leaf_predicts_proportion(right: Port, alpha: Fraction, bound: Fraction, noisy: Masses) -> Fraction:
    masses = Masses(right.at_least_zero(noisy.positive), right.at_least_zero(noisy.negative))
    return right.clamp((masses.positive - masses.negative) / (masses.total or 1), bound)


@wrong_leverage("The coefficient is not divided by the number of examples.")
def leverage_not_over_m(right: Port, tree: Leverage) -> Fraction:
    return right.leverage(tree) * tree.m


@wrong_leverage("The coefficient is divided by M instead of M^2.")
def leverage_bound_not_squared(right: Port, tree: Leverage) -> Fraction:
    return right.leverage(tree) * tree.bound


@wrong_leverage("The coefficient omits alpha.")
def leverage_without_alpha(right: Port, tree: Leverage) -> Fraction:
    return right.leverage(replace(tree, alpha=Fraction(1)))


@wrong_leverage("The coefficient sums absolute values, so no leaf can lower it.")
def leverage_absolute(right: Port, tree: Leverage) -> Fraction:
    return right.leverage(replace(tree, values=[*map(abs, tree.values)], nets=[*map(abs, tree.nets)]))


@wrong_weight("Examples that are classified right gain weight.")
def weight_sign(right: Port, update: Update) -> Fraction:
    return right.accumulate(replace(update, y=-update.y))


@wrong_mirror("The mirror update adds instead of subtracting.")
def mirror_sign(right: Port, alpha: Fraction, y: int, weight: Fraction, prediction: Fraction) -> Fraction:
    return right.mirror(alpha, -y, weight, prediction)


@wrong_mirror("The mirror update omits the previous weight.")
def mirror_without_weight(
    right: Port, alpha: Fraction, y: int, weight: Fraction, prediction: Fraction
) -> Fraction:
    return right.mirror(alpha, y, HALF, prediction)


@MistakesIn(Port.weight_of_margin, "defwunMF")("Weights are exp(-y H) / 2, as in AdaBoost.")
def weight_exponential(right: Port, update: Update) -> Fraction:
    return exponential(min(-update.y * update.margin, Fraction(100))) / 2


@wrong_weight("Weights may be rounded down to 0.")
def weight_may_vanish(right: Port, update: Update) -> Fraction:
    return Fraction(right.round_to(min(right.weight_of_margin(update), update.bound), update.grid))


@wrong_weight("Weights may exceed their public bound.")
def weight_unbounded(right: Port, update: Update) -> Fraction:
    return right.accumulate(replace(update, bound=max(update.bound, Fraction(1))))


@wrong_weight("Weights are rounded up, so that they may exceed their bound.")
def weight_rounded_up(right: Port, update: Update) -> Fraction:
    return update.grid * ceil(min(right.weight_of_margin(update), update.bound) / update.grid)


@wrong_leaf_value("The bound M is rounded down to the grid before it is used.")
def bound_on_grid(right: Port, leaf: PortLeaf) -> Fraction:
    return right.leaf_value(replace(leaf, bound=Fraction(right.round_to(leaf.bound, leaf.grid))))


@wrong_value_of_masses("At alpha = 0 a leaf has the value 0: its jump is forgotten.")
def leaf_alpha_zero(right: Port, alpha: Fraction, bound: Fraction, noisy: Masses) -> Fraction:
    return right.value_of_masses(alpha, bound, noisy) if alpha else alpha


@wrong_leaf_value("The noise of a leaf is rounded down to the grid.")
def noise_rounded_to_grid(right: Port, leaf: PortLeaf) -> Fraction:
    noise = {name: Fraction(right.round_to(part, leaf.grid)) for name, part in leaf.noise.items()}
    return right.leaf_value(replace(leaf, noise=noise))


@MistakesIn(Port.scale_of_values, "sec-solv")("The number of leaves is rounded up to a power of 2.")
def leaves_of_complete_trees(right: Port, leaves: int, budget: Fraction, bound: Fraction) -> Fraction:
    return right.scale_of_values(1 << (leaves - 1).bit_length(), budget, bound)
