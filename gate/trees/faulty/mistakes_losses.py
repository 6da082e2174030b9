"""Mistakes in risks, partial losses, links, surrogates and perspectives."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

from .mistake import MistakesIn
from .model import Port
from .model_losses import PortLoss
from .model_numbers import HALF, INFINITY, Number, exponential, log2, logarithm, root, sign

NAN = float("nan")
wrong_risk = MistakesIn(Port.bayes_risk, "pbr")
wrong_log_risk = MistakesIn(Port.log_risk, "pbr")
wrong_partial_loss = MistakesIn(Port.partial_loss, "eqpartialloss")
wrong_smooth_partial = MistakesIn(Port.smooth_partial, "eqpartialloss")
wrong_link = MistakesIn(Port.link, "f-alphaM")
wrong_jump = MistakesIn(Port.jump, "f-alphaM")
wrong_plateau = MistakesIn(Port.plateau, "f-alphaM")
wrong_off_plateau = MistakesIn(Port.off_plateau, "f-alphaM")
wrong_inverse_link = MistakesIn(Port.inverse_link, "f-alphaM")
wrong_surrogate = MistakesIn(Port.surrogate, "f-alphaM")
wrong_perspective = MistakesIn(Port.perspective, "defpt")


@wrong_risk("All risks are 1/2 at 1/2, as the losses are often printed.")
def risk_not_normalised(right: Port, loss: PortLoss, u: Fraction) -> Fraction:
    return right.bayes_risk(loss, u) / 2


@wrong_log_risk("The risk of the log loss is in nats, so that it is log 2 at 1/2.")
def entropy_base_e(right: Port, u: Fraction) -> Fraction:
    return right.log_risk(u) * logarithm(Fraction(2))


@wrong_risk("0 log 0 is not a number.")
def entropy_nan_at_zero(right: Port, loss: PortLoss, u: Fraction) -> Fraction:
    broken = loss.kind == "log" and u in (0, 1)
    return NAN if broken else right.bayes_risk(loss, u)  # type: ignore[return-value]


@MistakesIn(Port.square_risk, "pbr")("The square loss has the risk u (1 - u), without the 4.")
def gini_without_4(right: Port, u: Fraction) -> Fraction:
    return u * (1 - u)


@MistakesIn(Port.smooth_risk, "pbr")("Matsushita's risk is sqrt(u (1 - u)), without the 2.")
def matsushita_without_2(right: Port, u: Fraction) -> Fraction:
    return root(u * (1 - u))


@MistakesIn(Port.kink_risk, "pbr")("The 0/1 risk is min(u, 1 - u), without the 2.")
def zero_one_without_2(right: Port, u: Fraction) -> Fraction:
    return min(u, 1 - u)


@wrong_risk("Alpha weighs the 0/1 part, and 1 - alpha Matsushita's.")
def alpha_swapped(right: Port, loss: PortLoss, u: Fraction) -> Fraction:
    return right.bayes_risk(replace(loss, alpha=1 - loss.alpha), u)


@wrong_smooth_partial("The M-alpha loss has the factor 2 alpha that the paper prints.")
def partial_factor_2(right: Port, alpha: Fraction, p: Fraction) -> Number:
    return 2 * right.smooth_partial(alpha, p)


@MistakesIn(Port.zero_one_partial, "eqpartialloss")("At u = 1/2 both labels pay their whole jump.")
def tie_paid_in_full(right: Port, p: Fraction) -> Fraction:
    return Fraction(p <= HALF)


@wrong_partial_loss("The losses of the two labels are exchanged.")
def labels_swapped(right: Port, loss: PortLoss, y: int, u: Fraction) -> Number:
    return right.partial_loss(loss, -y, u)


@wrong_partial_loss("The square loss is (1 - u)^2 / 2, while its risk is normalised.")
def square_halved(right: Port, loss: PortLoss, y: int, u: Fraction) -> Number:
    return right.partial_loss(loss, y, u) / (8 if loss.kind == "square" else 1)


@wrong_partial_loss("The log loss clips probabilities at 1e-15, so it is finite at 0.")
def log_loss_clipped(right: Port, loss: PortLoss, y: int, u: Fraction) -> Number:
    least = Fraction(1, 10**15)
    return right.partial_loss(loss, y, min(max(u, least), 1 - least) if loss.kind == "log" else u)


@wrong_partial_loss("The log loss is in nats, while its risk is in bits.")
def log_loss_base_e(right: Port, loss: PortLoss, y: int, u: Fraction) -> Number:
    value = right.partial_loss(loss, y, u)
    return value * logarithm(Fraction(2)) if loss.kind == "log" and value != INFINITY else value


@wrong_link("The link is the derivative of the risk, without the minus.")
def link_sign(right: Port, loss: PortLoss, u: Fraction) -> Number:
    return -right.link(loss, u)


@wrong_jump("The link omits the 0/1 part.")
def link_without_jump(right: Port, alpha: Fraction, u: Fraction) -> Fraction:
    return Fraction(0)


@wrong_jump("The jump of the link is (1 - alpha) sign, without the 2.")
def link_jump_halved(right: Port, alpha: Fraction, u: Fraction) -> Fraction:
    return right.jump(alpha, u) / 2


@wrong_link("The link of the log loss is the logit with the natural logarithm.")
def link_logit(right: Port, loss: PortLoss, u: Fraction) -> Number:
    link = right.link(loss, u)
    return link * logarithm(Fraction(2)) if loss.kind == "log" and 0 < u < 1 else link


@wrong_link("Probabilities are clipped at 1e-12, so the link is finite at 0 and 1.")
def link_finite_at_ends(right: Port, loss: PortLoss, u: Fraction) -> Number:
    least = Fraction(1, 10**12)
    return right.link(loss, min(max(u, least), 1 - least))


@wrong_link("At 1/2 the link is 2 instead of a number of its interval.")
def link_outside_at_half(right: Port, loss: PortLoss, u: Fraction) -> Number:
    return Fraction(2) if u == HALF else right.link(loss, u)


@wrong_plateau("The plateau of the inverse link ends at 1 - alpha, without the 2.")
def plateau_halved(right: Port, alpha: Fraction) -> Fraction:
    return 1 - alpha


@wrong_plateau("The inverse link has no plateau.")
def plateau_missing(right: Port, alpha: Fraction) -> Fraction:
    return Fraction(0)


@wrong_off_plateau("Beyond the plateau the inverse link goes on as if there were none.")
def plateau_jumps(right: Port, alpha: Fraction, z: Fraction, beyond: Fraction) -> Fraction:
    return right.off_plateau(alpha, z, beyond + right.plateau(alpha))


@wrong_off_plateau("In the inverse link t is not divided by alpha.")
def inverse_without_alpha(right: Port, alpha: Fraction, z: Fraction, beyond: Fraction) -> Fraction:
    return right.off_plateau(alpha, z, beyond * alpha)


@wrong_off_plateau("The inverse link has sqrt(1 + t^2) instead of sqrt(4 + t^2).")
def inverse_without_4(right: Port, alpha: Fraction, z: Fraction, beyond: Fraction) -> Fraction:
    return right.off_plateau(alpha, z, 2 * beyond)


@wrong_off_plateau("At alpha = 0 the inverse link avoids a division: it is 1/2.")
def inverse_half_at_zero_alpha(right: Port, alpha: Fraction, z: Fraction, beyond: Fraction) -> Fraction:
    return right.off_plateau(alpha, z, beyond) if alpha else HALF


@wrong_inverse_link("The inverse link of the log loss is the sigmoid with base e.")
def inverse_sigmoid(right: Port, loss: PortLoss, z: Number) -> Fraction:
    if loss.kind == "log" and isinstance(z, Fraction):
        return 1 / (1 + exponential(min(-z, Fraction(5000))))
    return right.inverse_link(loss, z)


@wrong_inverse_link("The inverse link of the square loss leaves [0, 1].")
def inverse_unclipped(right: Port, loss: PortLoss, z: Number) -> Fraction:
    is_wrong = loss.kind == "square" and isinstance(z, Fraction)
    return Fraction(z + 4) / 8 if is_wrong else right.inverse_link(loss, z)


@wrong_surrogate("The surrogate grows with the margin.")
def surrogate_sign(right: Port, loss: PortLoss, z: Number) -> Number:
    return right.surrogate(loss, -z)


@wrong_surrogate("The surrogate of the log loss is the logistic loss with base e.")
def surrogate_logistic(right: Port, loss: PortLoss, z: Number) -> Number:
    if loss.kind == "log" and isinstance(z, Fraction):
        two = logarithm(Fraction(2))
        return right.surrogate(loss, z / two) * two
    return right.surrogate(loss, z)


@wrong_surrogate("The surrogate of the M-alpha loss is that of Matsushita's loss.")
def surrogate_plateau(right: Port, loss: PortLoss, z: Number) -> Number:
    return right.surrogate(replace(loss, alpha=Fraction(1)), z)


@wrong_perspective("The perspective is L(u / v), without the factor v.")
def perspective_not_scaled(right: Port, loss: PortLoss, u: Fraction, v: Fraction) -> Number:
    value = right.perspective(loss, u, v)
    return value / v if v > 0 and value != -INFINITY else value


@wrong_perspective("Outside 0 <= u <= v the perspective is 0 instead of -infinity.")
def perspective_zero_outside(right: Port, loss: PortLoss, u: Fraction, v: Fraction) -> Number:
    return max(right.perspective(loss, u, v), Fraction(0))


@wrong_perspective("At (0, 0) the perspective is 0 / 0.")
def perspective_nan(right: Port, loss: PortLoss, u: Fraction, v: Fraction) -> Number:
    return NAN if u == v == 0 else right.perspective(loss, u, v)


@wrong_jump("The sign at 0 is taken to be 1, so a balanced leaf predicts 2 (1 - alpha).", label="predDT")
def link_jump_at_half(right: Port, alpha: Fraction, u: Fraction) -> Fraction:
    return 2 * (1 - alpha) * (sign(2 * u - 1) or 1)


@wrong_smooth_partial("The M-alpha loss has the odds for the label, not those against it.")
def odds_for(right: Port, alpha: Fraction, p: Fraction) -> Number:
    return right.smooth_partial(alpha, 1 - p)


@wrong_log_risk("The entropy sums -u log u over the positive class alone.")
def entropy_of_one_class(right: Port, u: Fraction) -> Fraction:
    return -u * log2(u) if u else u


@wrong_inverse_link("The inverse link of the log loss is 2^z / (1 + 2^z) in floats, which overflows.")
def inverse_overflows(right: Port, loss: PortLoss, z: Number) -> Fraction:
    if loss.kind == "log" and isinstance(z, Fraction):
        power = float_power(z)
        return NAN if power == INFINITY else Fraction(power / (1 + power))  # type: ignore[return-value]
    return right.inverse_link(loss, z)


@wrong_surrogate("The surrogate of the log loss is log2(1 + 2^-z) in floats, which overflows.")
def surrogate_overflows(right: Port, loss: PortLoss, z: Number) -> Number:
    if loss.kind == "log" and isinstance(z, Fraction):
        power = float_power(-z)
        return INFINITY if power == INFINITY else log2(1 + Fraction(power))
    return right.surrogate(loss, z)


def float_power(z: Fraction) -> float:
    """Return 2^z as a float, infinity if it overflows."""
    try:
        return math.pow(2, z)
    except OverflowError:
        return INFINITY


@wrong_link("The link of the log loss is log2(u) - log2(1 - u) in floats, which cancels near 1/2.")
def link_log_cancels(right: Port, loss: PortLoss, u: Fraction) -> Number:
    if loss.kind == "log" and 0 < u < 1:
        return Fraction(math.log2(u) - math.log2(1 - u))
    return right.link(loss, u)
