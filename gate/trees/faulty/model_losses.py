"""The losses of the implementation, one method per formula."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from .model_numbers import HALF, INFINITY, Number, Reader, log2, power_of_two, root, sign

LOSSES = ("square", "log", "zero_one", "matsushita", "m_alpha")
Args = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class PortLoss:
    """A loss: `square`, `log`, or M-alpha with its alpha."""

    kind: str
    alpha: Fraction


def m_alpha(alpha: Fraction) -> PortLoss:
    """Return the M-alpha loss."""
    return PortLoss("m_alpha", alpha)


class Losses(Reader):
    """Risks, links and surrogates; `zero_one` and `matsushita` are M-alpha with alpha 0 and 1."""

    def read_loss(self, args: Args) -> PortLoss:
        """Return the loss of a request."""
        name = self.read_word(args["loss"], "loss", LOSSES)
        if name == "m_alpha":
            return m_alpha(self.read_probability(args["alpha"], "alpha"))
        if name in ("zero_one", "matsushita"):
            return m_alpha(Fraction(name == "matsushita"))
        return PortLoss(name, Fraction(1))

    def bayes_risk(self, loss: PortLoss, u: Fraction) -> Fraction:
        """Return L(u)."""
        if loss.kind == "square":
            return self.square_risk(u)
        if loss.kind == "log":
            return self.log_risk(u)
        return loss.alpha * self.smooth_risk(u) + (1 - loss.alpha) * self.kink_risk(u)

    def square_risk(self, u: Fraction) -> Fraction:
        """Return 4 u (1 - u)."""
        return 4 * u * (1 - u)

    def log_risk(self, u: Fraction) -> Fraction:
        """Return the entropy in bits."""
        return sum((-p * log2(p) for p in (u, 1 - u) if p), Fraction(0))

    def smooth_risk(self, u: Fraction) -> Fraction:
        """Return 2 sqrt(u (1 - u))."""
        return 2 * root(u * (1 - u))

    def kink_risk(self, u: Fraction) -> Fraction:
        """Return 2 min(u, 1 - u)."""
        return 2 * min(u, 1 - u)

    def partial_loss(self, loss: PortLoss, y: int, u: Fraction) -> Number:
        """Return the loss of predicting u when the label is y."""
        p = u if y == 1 else 1 - u
        if loss.kind == "square":
            return 4 * (1 - p) ** 2
        if loss.kind == "log":
            return -log2(p) if p else INFINITY
        zero_one = self.zero_one_partial(p)
        if not loss.alpha:
            return 2 * zero_one
        return self.smooth_partial(loss.alpha, p) + 2 * (1 - loss.alpha) * zero_one

    def smooth_partial(self, alpha: Fraction, p: Fraction) -> Number:
        """Return alpha sqrt((1 - p) / p), where p is the predicted probability of the label."""
        return alpha * root((1 - p) / p) if p else INFINITY

    def zero_one_partial(self, p: Fraction) -> Fraction:
        """Return 1 if p < 1/2, 1/2 if p = 1/2, and 0 otherwise."""
        return Fraction(1 - sign(p - HALF), 2)

    def link(self, loss: PortLoss, u: Fraction) -> Number:
        """Return a subgradient of -L at u."""
        if loss.kind == "square":
            return 8 * u - 4
        jump = self.jump(loss.alpha, u)
        if u in (0, 1) and (loss.alpha or loss.kind == "log"):
            return INFINITY if u else -INFINITY
        if loss.kind == "log":
            return log2(u / (1 - u))
        slope = self.slope(u) if loss.alpha else Fraction(0)
        return loss.alpha * slope + jump

    def slope(self, u: Fraction) -> Fraction:
        """Return (2 u - 1) / sqrt(u (1 - u))."""
        return (2 * u - 1) / root(u * (1 - u))

    def jump(self, alpha: Fraction, u: Fraction) -> Fraction:
        """Return 2 (1 - alpha) sign(2 u - 1)."""
        return 2 * (1 - alpha) * sign(2 * u - 1)

    def inverse_link(self, loss: PortLoss, z: Number) -> Fraction:
        """Return a probability whose link contains z."""
        if isinstance(z, float):
            return Fraction(z > 0)
        if loss.kind == "square":
            return min(max((z + 4) / 8, Fraction(0)), Fraction(1))
        if loss.kind == "log":
            return 1 / (1 + power_of_two(-z))
        beyond = abs(z) - self.plateau(loss.alpha)
        return self.off_plateau(loss.alpha, z, beyond) if beyond > 0 else HALF

    def plateau(self, alpha: Fraction) -> Fraction:
        """Return the half width of the plateau of the inverse link."""
        return 2 * (1 - alpha)

    def off_plateau(self, alpha: Fraction, z: Fraction, beyond: Fraction) -> Fraction:
        """Return 1/2 (1 + sign(z) t / sqrt(4 + t^2)) with t = beyond / alpha."""
        if not alpha:
            return Fraction(z > 0)
        t = beyond / alpha
        length = root(4 + t * t)
        small = 2 / (length * (length + t))
        return 1 - small if z > 0 else small

    def surrogate(self, loss: PortLoss, z: Number) -> Number:
        """Return sup over u of (-z u + L(u))."""
        if isinstance(z, float):
            return Fraction(0) if z > 0 else INFINITY
        if loss.kind == "square":
            return Fraction(0) if z >= 4 else -z if z <= -4 else (4 - z) ** 2 / 16
        if loss.kind == "log":
            # log2(1 + 2^-z), without cancellation.
            return -z * (z < 0) + log2(1 + power_of_two(-abs(z)))
        beyond = abs(z) / 2 - (1 - loss.alpha)
        if beyond <= 0:
            return 1 - z / 2
        length = root(loss.alpha**2 + beyond**2)
        if z < 0:
            return 2 - 2 * loss.alpha + beyond + length
        return loss.alpha**2 / (length + beyond)

    def answer_perspective(self, args: Args) -> Number:
        """Answer `perspective`, whose u need not be a probability."""
        loss = self.read_loss(args)
        return self.perspective(loss, self.read_number(args["u"], "u"), self.read_number(args["v"], "v"))

    def perspective(self, loss: PortLoss, u: Fraction, v: Fraction) -> Number:
        """Return v L(u / v)."""
        if not 0 <= u <= v:
            return -INFINITY
        return v * self.bayes_risk(loss, u / v) if v else Fraction(0)
