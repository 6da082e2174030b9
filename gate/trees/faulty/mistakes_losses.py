"""Mistakes in risks, partial losses, links, surrogates and perspectives."""

# ruff: noqa: D101, D102

from __future__ import annotations

import math
from fractions import Fraction

from .mistake import mistake
from .model import Implementation
from .model_numbers import HALF, INFINITY, Number, exponential, log2, logarithm, root, sign

NAN = float("nan")


@mistake("risk-not-normalised", "pbr", "All risks are 1/2 at 1/2, as the losses are often printed.")
class RiskNotNormalised(Implementation):
    def risk(self, kind: str, alpha: Fraction, u: Fraction) -> Fraction:
        return super().risk(kind, alpha, u) / 2


@mistake("entropy-base-e", "pbr", "The risk of the log loss is in nats, so that it is log 2 at 1/2.")
class EntropyBaseE(Implementation):
    def log_risk(self, u: Fraction) -> Fraction:
        return super().log_risk(u) * logarithm(Fraction(2))


@mistake("entropy-nan-at-zero", "pbr", "0 log 0 is not a number.")
class EntropyNan(Implementation):
    def risk(self, kind: str, alpha: Fraction, u: Fraction) -> Fraction:
        broken = kind == "log" and u in (0, 1)
        return NAN if broken else super().risk(kind, alpha, u)  # type: ignore[return-value]


@mistake("gini-without-4", "pbr", "The square loss has the risk u (1 - u), without the 4.")
class GiniWithout4(Implementation):
    def square_risk(self, u: Fraction) -> Fraction:
        return u * (1 - u)


@mistake("matsushita-without-2", "pbr", "Matsushita's risk is sqrt(u (1 - u)), without the 2.")
class MatsushitaWithout2(Implementation):
    def smooth_risk(self, u: Fraction) -> Fraction:
        return root(u * (1 - u))


@mistake("zero-one-without-2", "pbr", "The 0/1 risk is min(u, 1 - u), without the 2.")
class ZeroOneWithout2(Implementation):
    def kink_risk(self, u: Fraction) -> Fraction:
        return min(u, 1 - u)


@mistake("alpha-swapped", "pbr", "Alpha weighs the 0/1 part, and 1 - alpha Matsushita's.")
class AlphaSwapped(Implementation):
    def risk(self, kind: str, alpha: Fraction, u: Fraction) -> Fraction:
        return super().risk(kind, 1 - alpha, u)


@mistake(
    "partial-factor-2", "eqpartialloss", "The M-alpha loss has the factor 2 alpha that the paper prints."
)
class PartialFactor2(Implementation):
    def smooth_partial(self, alpha: Fraction, p: Fraction) -> Number:
        return 2 * super().smooth_partial(alpha, p)


@mistake("tie-paid-in-full", "eqpartialloss", "At u = 1/2 both labels pay their whole jump.")
class TiePaidInFull(Implementation):
    def zero_one_partial(self, p: Fraction) -> Fraction:
        return Fraction(p <= HALF)


@mistake("labels-swapped", "eqpartialloss", "The losses of the two labels are exchanged.")
class LabelsSwapped(Implementation):
    def partial(self, kind: str, alpha: Fraction, y: int, u: Fraction) -> Number:
        return super().partial(kind, alpha, -y, u)


@mistake("square-halved", "eqpartialloss", "The square loss is (1 - u)^2 / 2, while its risk is normalised.")
class SquareHalved(Implementation):
    def partial(self, kind: str, alpha: Fraction, y: int, u: Fraction) -> Number:
        loss = super().partial(kind, alpha, y, u)
        return loss / 8 if kind == "square" else loss


@mistake(
    "log-loss-clipped", "eqpartialloss", "The log loss clips probabilities at 1e-15, so it is finite at 0."
)
class LogLossClipped(Implementation):
    def partial(self, kind: str, alpha: Fraction, y: int, u: Fraction) -> Number:
        least = Fraction(1, 10**15)
        return super().partial(kind, alpha, y, min(max(u, least), 1 - least) if kind == "log" else u)


@mistake("log-loss-base-e", "eqpartialloss", "The log loss is in nats, while its risk is in bits.")
class LogLossBaseE(Implementation):
    def partial(self, kind: str, alpha: Fraction, y: int, u: Fraction) -> Number:
        loss = super().partial(kind, alpha, y, u)
        return loss * logarithm(Fraction(2)) if kind == "log" and loss != INFINITY else loss


@mistake("link-sign", "f-alphaM", "The link is the derivative of the risk, without the minus.")
class LinkSign(Implementation):
    def link_at(self, kind: str, alpha: Fraction, u: Fraction) -> Number:
        return -super().link_at(kind, alpha, u)


@mistake("link-without-jump", "f-alphaM", "The link omits the 0/1 part.")
class LinkWithoutJump(Implementation):
    def jump(self, alpha: Fraction, u: Fraction) -> Fraction:
        return 0 * super().jump(alpha, u)


@mistake("link-jump-halved", "f-alphaM", "The jump of the link is (1 - alpha) sign, without the 2.")
class LinkJumpHalved(Implementation):
    def jump(self, alpha: Fraction, u: Fraction) -> Fraction:
        return super().jump(alpha, u) / 2


@mistake("link-logit", "f-alphaM", "The link of the log loss is the logit with the natural logarithm.")
class LinkLogit(Implementation):
    def link_at(self, kind: str, alpha: Fraction, u: Fraction) -> Number:
        link = super().link_at(kind, alpha, u)
        return link * logarithm(Fraction(2)) if kind == "log" and 0 < u < 1 else link


@mistake(
    "link-finite-at-ends", "f-alphaM", "Probabilities are clipped at 1e-12, so the link is finite at 0 and 1."
)
class LinkFiniteAtEnds(Implementation):
    def link_at(self, kind: str, alpha: Fraction, u: Fraction) -> Number:
        least = Fraction(1, 10**12)
        return super().link_at(kind, alpha, min(max(u, least), 1 - least))


@mistake("link-outside-at-half", "f-alphaM", "At 1/2 the link is 2 instead of a number of its interval.")
class LinkOutsideAtHalf(Implementation):
    def link_at(self, kind: str, alpha: Fraction, u: Fraction) -> Number:
        return Fraction(2) if u == HALF else super().link_at(kind, alpha, u)


@mistake("plateau-halved", "f-alphaM", "The plateau of the inverse link ends at 1 - alpha, without the 2.")
class PlateauHalved(Implementation):
    def plateau(self, alpha: Fraction) -> Fraction:
        return 1 - alpha


@mistake("plateau-missing", "f-alphaM", "The inverse link has no plateau.")
class PlateauMissing(Implementation):
    def plateau(self, alpha: Fraction) -> Fraction:
        return 0 * alpha


@mistake("plateau-jumps", "f-alphaM", "Beyond the plateau the inverse link goes on as if there were none.")
class PlateauJumps(Implementation):
    def off_plateau(self, alpha: Fraction, z: Fraction, beyond: Fraction) -> Fraction:
        return super().off_plateau(alpha, z, beyond + self.plateau(alpha))


@mistake("inverse-without-alpha", "f-alphaM", "In the inverse link t is not divided by alpha.")
class InverseWithoutAlpha(Implementation):
    def off_plateau(self, alpha: Fraction, z: Fraction, beyond: Fraction) -> Fraction:
        return super().off_plateau(alpha, z, beyond * alpha)


@mistake("inverse-without-4", "f-alphaM", "The inverse link has sqrt(1 + t^2) instead of sqrt(4 + t^2).")
class InverseWithout4(Implementation):
    def off_plateau(self, alpha: Fraction, z: Fraction, beyond: Fraction) -> Fraction:
        return super().off_plateau(alpha, z, 2 * beyond)


@mistake(
    "inverse-half-at-zero-alpha", "f-alphaM", "At alpha = 0 the inverse link avoids a division: it is 1/2."
)
class InverseHalfAtZeroAlpha(Implementation):
    def off_plateau(self, alpha: Fraction, z: Fraction, beyond: Fraction) -> Fraction:
        return super().off_plateau(alpha, z, beyond) if alpha else HALF


@mistake("inverse-sigmoid", "f-alphaM", "The inverse link of the log loss is the sigmoid with base e.")
class InverseSigmoid(Implementation):
    def inverse_at(self, kind: str, alpha: Fraction, z: Number) -> Fraction:
        if kind == "log" and isinstance(z, Fraction):
            return 1 / (1 + exponential(min(-z, Fraction(5000))))
        return super().inverse_at(kind, alpha, z)


@mistake("inverse-unclipped", "f-alphaM", "The inverse link of the square loss leaves [0, 1].")
class InverseUnclipped(Implementation):
    def inverse_at(self, kind: str, alpha: Fraction, z: Number) -> Fraction:
        if kind == "square" and isinstance(z, Fraction):
            return (z + 4) / 8
        return super().inverse_at(kind, alpha, z)


@mistake("surrogate-sign", "f-alphaM", "The surrogate grows with the margin.")
class SurrogateSign(Implementation):
    def surrogate_at(self, kind: str, alpha: Fraction, z: Number) -> Number:
        return super().surrogate_at(kind, alpha, -z)


@mistake("surrogate-logistic", "f-alphaM", "The surrogate of the log loss is the logistic loss with base e.")
class SurrogateLogistic(Implementation):
    def surrogate_at(self, kind: str, alpha: Fraction, z: Number) -> Number:
        if kind == "log" and isinstance(z, Fraction):
            two = logarithm(Fraction(2))
            return super().surrogate_at(kind, alpha, z / two) * two
        return super().surrogate_at(kind, alpha, z)


@mistake("surrogate-plateau", "f-alphaM", "The surrogate of the M-alpha loss is that of Matsushita's loss.")
class SurrogatePlateau(Implementation):
    def surrogate_at(self, kind: str, alpha: Fraction, z: Number) -> Number:
        return super().surrogate_at(kind, alpha / alpha if alpha else Fraction(1), z)


@mistake("perspective-not-scaled", "defpt", "The perspective is L(u / v), without the factor v.")
class PerspectiveNotScaled(Implementation):
    def perspective_at(self, kind: str, alpha: Fraction, u: Fraction, v: Fraction) -> Number:
        value = super().perspective_at(kind, alpha, u, v)
        return value / v if v > 0 and value != -INFINITY else value


@mistake(
    "perspective-zero-outside", "defpt", "Outside 0 <= u <= v the perspective is 0 instead of -infinity."
)
class PerspectiveZeroOutside(Implementation):
    def perspective_at(self, kind: str, alpha: Fraction, u: Fraction, v: Fraction) -> Number:
        return max(super().perspective_at(kind, alpha, u, v), Fraction(0))


@mistake("perspective-nan", "defpt", "At (0, 0) the perspective is 0 / 0.")
class PerspectiveNan(Implementation):
    def perspective_at(self, kind: str, alpha: Fraction, u: Fraction, v: Fraction) -> Number:
        return NAN if u == v == 0 else super().perspective_at(kind, alpha, u, v)


@mistake(
    "link-jump-at-half",
    "predDT",
    "The sign at 0 is taken to be 1, so a balanced leaf predicts 2 (1 - alpha).",
)
class LinkJumpAtHalf(Implementation):
    def jump(self, alpha: Fraction, u: Fraction) -> Fraction:
        return 2 * (1 - alpha) * (sign(2 * u - 1) or 1)


@mistake("odds-for", "eqpartialloss", "The M-alpha loss has the odds for the label, not those against it.")
class OddsFor(Implementation):
    def smooth_partial(self, alpha: Fraction, p: Fraction) -> Number:
        return super().smooth_partial(alpha, 1 - p)


@mistake("entropy-of-one-class", "pbr", "The entropy sums -u log u over the positive class alone.")
class EntropyOfOneClass(Implementation):
    def log_risk(self, u: Fraction) -> Fraction:
        return -u * log2(u) if u else u


@mistake(
    "inverse-overflows",
    "f-alphaM",
    "The inverse link of the log loss is 2^z / (1 + 2^z) in floats, which overflows.",
)
class InverseOverflows(Implementation):
    def inverse_at(self, kind: str, alpha: Fraction, z: Number) -> Fraction:
        if kind == "log" and isinstance(z, Fraction):
            power = float_power(z)
            return NAN if power == INFINITY else Fraction(power / (1 + power))  # type: ignore[return-value]
        return super().inverse_at(kind, alpha, z)


@mistake(
    "surrogate-overflows",
    "f-alphaM",
    "The surrogate of the log loss is log2(1 + 2^-z) in floats, which overflows.",
)
class SurrogateOverflows(Implementation):
    def surrogate_at(self, kind: str, alpha: Fraction, z: Number) -> Number:
        if kind == "log" and isinstance(z, Fraction):
            power = float_power(-z)
            return INFINITY if power == INFINITY else log2(1 + Fraction(power))
        return super().surrogate_at(kind, alpha, z)


def float_power(z: Fraction) -> float:
    """Return 2^z as a float, infinity if it overflows."""
    try:
        return math.pow(2, z)
    except OverflowError:
        return INFINITY


@mistake(
    "link-log-cancels",
    "f-alphaM",
    "The link of the log loss is log2(u) - log2(1 - u) in floats, which cancels near 1/2.",
)
class LinkLogCancels(Implementation):
    def link_at(self, kind: str, alpha: Fraction, u: Fraction) -> Number:
        if kind == "log" and 0 < u < 1:
            return Fraction(math.log2(u) - math.log2(1 - u))
        return super().link_at(kind, alpha, u)
