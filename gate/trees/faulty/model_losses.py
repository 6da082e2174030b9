"""The losses of the implementation, one method per formula."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from .model_numbers import HALF, INFINITY, Number, Reading, log2, power_of_two, root, sign

LOSSES = ("square", "log", "zero_one", "matsushita", "m_alpha")
Args = Mapping[str, Any]


class Losses(Reading):
    """Risks, links and surrogates; `zero_one` and `matsushita` are M-alpha with alpha 0 and 1."""

    def loss(self, args: Args) -> tuple[str, Fraction]:
        """Return the kind of a loss and its alpha; 1 for a loss without alpha."""
        name = self.word(args["loss"], "loss", LOSSES)
        if name == "m_alpha":
            return name, self.probability(args["alpha"], "alpha")
        if name in ("zero_one", "matsushita"):
            return "m_alpha", Fraction(name == "matsushita")
        return name, Fraction(1)

    def bayes_risk(self, args: Args) -> Any:
        """Answer `bayes_risk`."""
        return self.written(self.risk(*self.loss(args), self.probability(args["u"], "u")))

    def partial_loss(self, args: Args) -> Any:
        """Answer `partial_loss`."""
        loss, y = self.loss(args), self.label(args["y"])
        return self.written(self.partial(*loss, y, self.probability(args["u"], "u")))

    def link(self, args: Args) -> Any:
        """Answer `link`."""
        return self.written(self.link_at(*self.loss(args), self.probability(args["u"], "u")))

    def inverse_link(self, args: Args) -> Any:
        """Answer `inverse_link`."""
        return self.written(self.inverse_at(*self.loss(args), self.extended(args["z"], "z")))

    def surrogate(self, args: Args) -> Any:
        """Answer `surrogate`."""
        return self.written(self.surrogate_at(*self.loss(args), self.extended(args["z"], "z")))

    def perspective(self, args: Args) -> Any:
        """Answer `perspective`."""
        loss, u, v = self.loss(args), self.number(args["u"], "u"), self.number(args["v"], "v")
        return self.written(self.perspective_at(*loss, u, v))

    def risk(self, kind: str, alpha: Fraction, u: Fraction) -> Fraction:
        """Return L(u)."""
        if kind == "square":
            return self.square_risk(u)
        if kind == "log":
            return self.log_risk(u)
        return alpha * self.smooth_risk(u) + (1 - alpha) * self.kink_risk(u)

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

    def partial(self, kind: str, alpha: Fraction, y: int, u: Fraction) -> Number:
        """Return the loss of predicting u when the label is y."""
        p = u if y == 1 else 1 - u
        if kind == "square":
            return 4 * (1 - p) ** 2
        if kind == "log":
            return -log2(p) if p else INFINITY
        zero_one = self.zero_one_partial(p)
        if not alpha:
            return 2 * zero_one
        return self.smooth_partial(alpha, p) + 2 * (1 - alpha) * zero_one

    def smooth_partial(self, alpha: Fraction, p: Fraction) -> Number:
        """Return alpha sqrt((1 - p) / p), where p is the predicted probability of the label."""
        return alpha * root((1 - p) / p) if p else INFINITY

    def zero_one_partial(self, p: Fraction) -> Fraction:
        """Return 1 if p < 1/2, 1/2 if p = 1/2, and 0 otherwise."""
        return Fraction(1 - sign(p - HALF), 2)

    def link_at(self, kind: str, alpha: Fraction, u: Fraction) -> Number:
        """Return a subgradient of -L at u."""
        if kind == "square":
            return 8 * u - 4
        jump = self.jump(alpha, u)
        if u in (0, 1) and (alpha or kind == "log"):
            return INFINITY if u else -INFINITY
        if kind == "log":
            return log2(u / (1 - u))
        slope = self.slope(u) if alpha else Fraction(0)
        return alpha * slope + jump

    def slope(self, u: Fraction) -> Fraction:
        """Return (2 u - 1) / sqrt(u (1 - u))."""
        return (2 * u - 1) / root(u * (1 - u))

    def jump(self, alpha: Fraction, u: Fraction) -> Fraction:
        """Return 2 (1 - alpha) sign(2 u - 1)."""
        return 2 * (1 - alpha) * sign(2 * u - 1)

    def inverse_at(self, kind: str, alpha: Fraction, z: Number) -> Fraction:
        """Return a probability whose link contains z."""
        if isinstance(z, float):
            return Fraction(z > 0)
        if kind == "square":
            return min(max((z + 4) / 8, Fraction(0)), Fraction(1))
        if kind == "log":
            return 1 / (1 + power_of_two(-z))
        beyond = abs(z) - self.plateau(alpha)
        if beyond <= 0:
            return HALF
        return self.off_plateau(alpha, z, beyond)

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

    def surrogate_at(self, kind: str, alpha: Fraction, z: Number) -> Number:
        """Return sup over u of (-z u + L(u))."""
        if isinstance(z, float):
            return Fraction(0) if z > 0 else INFINITY
        if kind == "square":
            return Fraction(0) if z >= 4 else -z if z <= -4 else (4 - z) ** 2 / 16
        if kind == "log":
            # log2(1 + 2^-z), without cancellation.
            return -z * (z < 0) + log2(1 + power_of_two(-abs(z)))
        beyond = abs(z) / 2 - (1 - alpha)
        if beyond <= 0:
            return 1 - z / 2
        length = root(alpha * alpha + beyond * beyond)
        if z < 0:
            return 2 - 2 * alpha + beyond + length
        return alpha * alpha / (length + beyond)

    def perspective_at(self, kind: str, alpha: Fraction, u: Fraction, v: Fraction) -> Number:
        """Return v L(u / v)."""
        if not 0 <= u <= v:
            return -INFINITY
        return v * self.risk(kind, alpha, u / v) if v else Fraction(0)
