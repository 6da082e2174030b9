"""Mistakes in leaf values, coefficients and weights."""

# ruff: noqa: D101, D102

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import ceil, trunc
from typing import Any

from .mistake import mistake
from .model import Implementation
from .model_numbers import HALF, Number, exponential
from .model_privacy import Noise

NAN = float("nan")
Rows = Sequence[tuple[Any, int, Fraction]]


@mistake("zeta-missing", "predDT", "Proportions are not clamped to [zeta, 1 - zeta].")
class ZetaMissing(Implementation):
    def inner(self, u: Fraction, zeta: Fraction) -> Fraction:
        return u + 0 * zeta


@mistake("clamp-missing", "predDT", "Values are not clamped to [-M, M] after the noise.")
class ClampMissing(Implementation):
    def value_of_leaf(
        self, rule: str, numbers: Mapping[str, Any], masses: Sequence[Fraction], noise: Noise
    ) -> Fraction:
        if rule == "noisy_masses":
            return super().value_of_leaf(rule, numbers, masses, noise)
        value = self.raw_value(numbers["boost_alpha"], numbers["zeta"], masses)
        if rule == "link_clamp_noise":
            value = self.clamp(value, numbers["bound"])
        return Fraction(self.round_to(value, numbers["grid"]) + noise["value"])


@mistake(
    "clamp-first",
    "predDT",
    "The clamp to [-M, M] comes before the noise, even if the rule clamps only after it.",
)
class ClampFirst(Implementation):
    def value_of_leaf(
        self, rule: str, numbers: Mapping[str, Any], masses: Sequence[Fraction], noise: Noise
    ) -> Fraction:
        order = "link_clamp_noise" if rule == "link_noise_clamp" else rule
        return super().value_of_leaf(order, numbers, masses, noise)


@mistake("round-to-nearest", "predDT", "Values and weights are rounded to the nearest step of the grid.")
class RoundToNearest(Implementation):
    def round_to(self, value: Number, grid: Fraction) -> Number:
        return value if isinstance(value, float) else grid * round(value / grid)


@mistake("round-to-zero", "predDT", "Values are rounded towards 0, as a cast to an integer does.")
class RoundToZero(Implementation):
    def round_to(self, value: Number, grid: Fraction) -> Number:
        return value if isinstance(value, float) else grid * trunc(value / grid)


@mistake("noise-subtracted", "predDT", "Noise is subtracted instead of added.")
class NoiseSubtracted(Implementation):
    def value_of_leaf(
        self, rule: str, numbers: Mapping[str, Any], masses: Sequence[Fraction], noise: Noise
    ) -> Fraction:
        return super().value_of_leaf(rule, numbers, masses, {name: -part for name, part in noise.items()})


@mistake("negative-mass-mirrored", "predDT", "A negative noisy mass is replaced by its absolute value.")
class NegativeMassMirrored(Implementation):
    def at_least_zero(self, mass: Fraction) -> Fraction:
        return abs(mass)


@mistake("empty-leaf-nan", "predDT", "A leaf without noisy mass has the value 0 / 0.")
class EmptyLeafNan(Implementation):
    def value_of_masses(self, alpha: Fraction, bound: Fraction, noisy: Sequence[Fraction]) -> Fraction:
        empty = max(noisy) <= 0
        return NAN if empty else super().value_of_masses(alpha, bound, noisy)  # type: ignore[return-value]


@mistake("empty-leaf-bound", "predDT", "An empty leaf predicts -M, as if its proportion were 0.")
class EmptyLeafBound(Implementation):
    def value_of_masses(self, alpha: Fraction, bound: Fraction, noisy: Sequence[Fraction]) -> Fraction:
        return super().value_of_masses(alpha, bound, noisy) if max(noisy) > 0 else -bound


@mistake("noise-of-other-class", "predDT", "The noises of the two masses are exchanged.")
class NoiseOfOtherClass(Implementation):
    def noisy_masses(self, masses: Sequence[Fraction], noise: Noise) -> list[Fraction]:
        return [masses[0] + noise["negative"], masses[1] + noise["positive"]]


@mistake(
    "leaf-predicts-proportion",
    "predDT",
    "From noisy masses, leaves predict 2 q - 1 instead of the link of q.",
)
class LeafPredictsProportion(Implementation):
    def value_of_masses(self, alpha: Fraction, bound: Fraction, noisy: Sequence[Fraction]) -> Fraction:
        positive, negative = (self.at_least_zero(mass) for mass in noisy)
        total = positive + negative
        value = (positive - negative) / total if total else total
        return self.clamp(value, bound) + 0 * alpha


@mistake("leverage-not-over-m", "cboost", "The coefficient is not divided by the number of examples.")
class LeverageNotOverM(Implementation):
    def coefficient(
        self, alpha: Fraction, bound: Fraction, m: int, values: Sequence[Fraction], nets: Sequence[Fraction]
    ) -> Fraction:
        return super().coefficient(alpha, bound, m, values, nets) * m


@mistake("leverage-bound-not-squared", "cboost", "The coefficient is divided by M instead of M^2.")
class LeverageBoundNotSquared(Implementation):
    def coefficient(
        self, alpha: Fraction, bound: Fraction, m: int, values: Sequence[Fraction], nets: Sequence[Fraction]
    ) -> Fraction:
        return super().coefficient(alpha, bound, m, values, nets) * bound


@mistake("leverage-without-alpha", "cboost", "The coefficient omits alpha.")
class LeverageWithoutAlpha(Implementation):
    def coefficient(
        self, alpha: Fraction, bound: Fraction, m: int, values: Sequence[Fraction], nets: Sequence[Fraction]
    ) -> Fraction:
        return super().coefficient(alpha / alpha if alpha else Fraction(1), bound, m, values, nets)


@mistake("leverage-absolute", "cboost", "The coefficient sums absolute values, so no leaf can lower it.")
class LeverageAbsolute(Implementation):
    def coefficient(
        self, alpha: Fraction, bound: Fraction, m: int, values: Sequence[Fraction], nets: Sequence[Fraction]
    ) -> Fraction:
        return super().coefficient(alpha, bound, m, [abs(v) for v in values], [abs(net) for net in nets])


@mistake("weight-sign", "defwunMF", "Examples that are classified right gain weight.")
class WeightSign(Implementation):
    def accumulated(
        self, alpha: Fraction, y: int, margin: Fraction, bound: Fraction, grid: Fraction
    ) -> Fraction:
        return super().accumulated(alpha, -y, margin, bound, grid)


@mistake("mirror-sign", "defwunMF", "The mirror update adds instead of subtracting.")
class MirrorSign(Implementation):
    def mirror(self, alpha: Fraction, y: int, weight: Fraction, beta: Fraction, value: Fraction) -> Fraction:
        return super().mirror(alpha, -y, weight, beta, value)


@mistake("mirror-without-weight", "defwunMF", "The mirror update omits the previous weight.")
class MirrorWithoutWeight(Implementation):
    def mirror(self, alpha: Fraction, y: int, weight: Fraction, beta: Fraction, value: Fraction) -> Fraction:
        return super().mirror(alpha, y, HALF + 0 * weight, beta, value)


@mistake("weight-exponential", "defwunMF", "Weights are exp(-y H) / 2, as in AdaBoost.")
class WeightExponential(Implementation):
    def accumulated(
        self, alpha: Fraction, y: int, margin: Fraction, bound: Fraction, grid: Fraction
    ) -> Fraction:
        weight = min(exponential(min(-y * margin, Fraction(100))) / 2, bound)
        return Fraction(max(self.round_to(weight, grid), grid)) + 0 * alpha


@mistake("weight-may-vanish", "defwunMF", "Weights may be rounded down to 0.")
class WeightMayVanish(Implementation):
    def accumulated(
        self, alpha: Fraction, y: int, margin: Fraction, bound: Fraction, grid: Fraction
    ) -> Fraction:
        weight = min(self.inverse_at("m_alpha", alpha, -y * margin), bound)
        return Fraction(self.round_to(weight, grid))


@mistake("weight-unbounded", "defwunMF", "Weights may exceed their public bound.")
class WeightUnbounded(Implementation):
    def accumulated(
        self, alpha: Fraction, y: int, margin: Fraction, bound: Fraction, grid: Fraction
    ) -> Fraction:
        return super().accumulated(alpha, y, margin, max(bound, Fraction(1)), grid)


@mistake("weight-rounded-up", "defwunMF", "Weights are rounded up, so that they may exceed their bound.")
class WeightRoundedUp(Implementation):
    def accumulated(
        self, alpha: Fraction, y: int, margin: Fraction, bound: Fraction, grid: Fraction
    ) -> Fraction:
        weight = min(self.inverse_at("m_alpha", alpha, -y * margin), bound)
        return grid * ceil(weight / grid)


@mistake("bound-on-grid", "predDT", "The bound M is rounded down to the grid before it is used.")
class BoundOnGrid(Implementation):
    def value_of_leaf(
        self, rule: str, numbers: Mapping[str, Any], masses: Sequence[Fraction], noise: Noise
    ) -> Fraction:
        bound = self.round_to(numbers["bound"], numbers["grid"])
        return super().value_of_leaf(rule, {**numbers, "bound": bound}, masses, noise)


@mistake("leaf-alpha-zero", "predDT", "At alpha = 0 a leaf has the value 0: its jump is forgotten.")
class LeafAlphaZero(Implementation):
    def value_of_masses(self, alpha: Fraction, bound: Fraction, noisy: Sequence[Fraction]) -> Fraction:
        return super().value_of_masses(alpha, bound, noisy) if alpha else alpha


@mistake("noise-rounded-to-grid", "predDT", "The noise of a leaf is rounded down to the grid.")
class NoiseRoundedToGrid(Implementation):
    def value_of_leaf(
        self, rule: str, numbers: Mapping[str, Any], masses: Sequence[Fraction], noise: Noise
    ) -> Fraction:
        rounded = {name: Fraction(self.round_to(part, numbers["grid"])) for name, part in noise.items()}
        return super().value_of_leaf(rule, numbers, masses, rounded)


@mistake("leaves-of-complete-trees", "sec-solv", "The number of leaves is rounded up to a power of 2.")
class LeavesOfCompleteTrees(Implementation):
    def scale_of_values(self, leaves: int, budget: Fraction, bound: Fraction) -> Fraction:
        return super().scale_of_values(1 << (leaves - 1).bit_length(), budget, bound)
