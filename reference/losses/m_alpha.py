"""The M-alpha-loss, from the 0/1 loss (alpha = 0) to Matsushita's loss (alpha = 1).

The partial losses are given as printed, and corrected so that they have the properties stated in the paper.
The closed forms are those of L(u) = 2 alpha sqrt(u (1 - u)) + 2 (1 - alpha) min(u, 1 - u).
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from privboost.reference.exact import INFINITY, ClosedInterval, Extended, Number, point, sign, sqrt

from .loss import HALF, Loss, PartialFormula, Weight, iverson, probability, side_of, weigh


def partial_m_alpha_as_printed(alpha: Number) -> PartialFormula:
    """Return 2 alpha ((1 - u) / u)^(y/2) + 2 (1 - alpha) [y u <= y/2].

    Paper: defMatsualpha.
    """
    # Erratum malpha-factor: 2 alpha gives the risk 4 alpha sqrt(u (1 - u)) + ..., twice the stated one.
    # Erratum tie-at-half: at u = 1/2 both labels pay in full, so the loss is not proper at pi = 1/2.
    return lambda y, u, side: (
        weigh(2 * alpha, sqrt(_odds_against(y, u))) + 2 * (1 - alpha) * iverson(y * side <= 0)
    )


def partial_m_alpha(alpha: Number) -> PartialFormula:
    """Return alpha ((1 - u) / u)^(y/2) + 2 (1 - alpha) ([y u < y/2] + [u = 1/2] / 2), the corrected loss.

    Paper: defMatsualpha, errata malpha-factor and tie-at-half.
    """
    return lambda y, u, side: weigh(alpha, sqrt(_odds_against(y, u))) + 2 * (1 - alpha) * _mistake(y, side)


def partial_zero_one_as_printed(y: int, u: Any, side: int) -> Any:
    """Return [u <= 1/2] for label 1 and [u >= 1/2] for label -1, reading u where the paper prints pi.

    Paper: sec:def (losses).
    """
    del u  # Erratum zero-one-variable: as printed the indicators depend on pi, not on the prediction u.
    return Fraction(iverson(y * side <= 0))


def partial_zero_one(y: int, u: Any, side: int) -> Any:
    """Return 1 for a prediction on the wrong side of 1/2, and 1/2 at 1/2: the corrected loss.

    Paper: sec:def (losses), erratum tie-at-half.
    """
    del u
    return _mistake(y, side)


def _mistake(y: int, side: int) -> Fraction:
    """Return [y side < 0] + [side = 0] / 2."""
    return iverson(y * side < 0) + iverson(side == 0) * HALF


def _odds_against(y: int, u: Any) -> Any:
    """Return ((1 - u) / u)^y, the odds against label y; infinite where it had probability 0."""
    against, given = (1 - u, u) if y == 1 else (u, 1 - u)
    # Erratum range-extended: the paper's codomain is the reals, but the odds are infinite at u = 0 or 1.
    return INFINITY if isinstance(given, Fraction) and not given else against / given


def m_alpha(alpha: object) -> Loss:
    """Return the corrected M-alpha-loss.

    Paper: defMatsualpha, theoremalpha.
    Requires: 0 <= alpha <= 1, exact.
    """
    number = probability(alpha, "alpha", "defMatsualpha")
    return _loss(f"m_alpha({number})", "defMatsualpha", number, partial_m_alpha(number), Fraction(1))


def m_alpha_as_printed(alpha: object) -> Loss:
    """Return the M-alpha-loss with the printed partial losses and the closed forms claimed for them.

    Paper: defMatsualpha, theoremalpha.
    Requires: 0 <= alpha <= 1, exact.
    """
    number = probability(alpha, "alpha", "defMatsualpha")
    partial = partial_m_alpha_as_printed(number)
    return _loss(f"m_alpha_as_printed({number})", "defMatsualpha", number, partial, Fraction(1))


def _loss(name: str, label: str, alpha: Number, partial: PartialFormula, normaliser: Number) -> Loss:
    """Return a loss with the closed forms of the M-alpha risk."""
    atom = 4 * (1 - alpha)
    return Loss(
        name=name,
        label=label,
        partial=partial,
        normaliser=normaliser,
        risk=lambda u, side: risk(alpha, u, side),
        link=lambda u: link(alpha, u),
        inverse_link=lambda z: inverse_link(alpha, z),
        conjugate=lambda z: conjugate(alpha, z),
        curvature=lambda z: curvature(alpha, z),
        weight=Weight(density=lambda u: density(alpha, u), atoms=((HALF, atom),) if atom else ()),
    )


def risk(alpha: Number, u: Any, side: int) -> Any:
    """Return 2 alpha sqrt(u (1 - u)) + 2 (1 - alpha) min(u, 1 - u).

    Paper: defMatsualpha (Bayes risk), theoremalpha (proof).
    """
    return 2 * alpha * sqrt(u * (1 - u)) + 2 * (1 - alpha) * (u if side <= 0 else 1 - u)


def link(alpha: Number, u: Number) -> ClosedInterval:
    """Return alpha (2 u - 1) / sqrt(u (1 - u)) - 2 (1 - alpha) {1, [-1, 1], -1}, the subdifferential of -L.

    Paper: f-alphaM.
    """
    if u in (0, 1):
        # Erratum link-infinite: the printed link divides by 0 here; the paper requires a real prediction.
        end = INFINITY if u else -INFINITY
        if alpha:
            return point(end)
        return ClosedInterval(Fraction(2), INFINITY) if u else ClosedInterval(-INFINITY, Fraction(-2))
    smooth = alpha * (2 * u - 1) / sqrt(u * (1 - u))
    jump = 2 * (1 - alpha)
    side = side_of(u)
    return point(smooth + jump * side) if side else ClosedInterval(-jump, jump)


def inverse_link(alpha: Number, z: Number) -> ClosedInterval:
    """Return 1/2 on the plateau, else (1 + sign(z) s / sqrt(alpha^2 + s^2)) / 2 with s = |z|/2 - (1 - alpha).

    Paper: f-alphaM. At alpha = 0 and z = +-2 the subdifferential of the conjugate is an interval.
    """
    beyond = abs(z) / 2 - (1 - alpha)
    if not alpha and not beyond:
        return ClosedInterval(HALF, Fraction(1)) if z > 0 else ClosedInterval(Fraction(0), HALF)
    if beyond <= 0:
        return point(HALF)
    return point((1 + sign(z) * beyond / sqrt(alpha * alpha + beyond * beyond)) / 2)


def inverse_link_as_printed(alpha: Number, z: Number) -> Number:
    """Return the printed inverse link, one value for every z.

    Paper: f-alphaM. Erratum inverse-at-zero-alpha: at alpha = 0 and z = +-2 it is one selection of many.
    """
    if abs(z) <= 2 * (1 - alpha):
        return HALF
    beyond = abs(z) / 2 - (1 - alpha)
    return (1 + (z / 2 - sign(z) * (1 - alpha)) / sqrt(alpha * alpha + beyond * beyond)) / 2


def conjugate(alpha: Number, z: Number) -> Number:
    """Return 1 + z/2 + [z not in plateau] (sqrt(alpha^2 + (|z|/2 - (1 - alpha))^2) - alpha).

    Paper: negent, theoremalpha (proof).
    """
    beyond = abs(z) / 2 - (1 - alpha)
    if beyond <= 0:
        return 1 + z / 2
    return 1 + z / 2 + sqrt(alpha * alpha + beyond * beyond) - alpha


def curvature(alpha: Number, z: Number) -> ClosedInterval:
    """Return the second derivative of the conjugate; at the plateau's ends, the interval of its two limits.

    Paper: f-der2. Outside the plateau 2 alpha^2 / (4 alpha^2 + (|z| - 2 (1 - alpha))^2)^(3/2).
    """
    beyond = abs(z) / 2 - (1 - alpha)
    if beyond < 0:
        return point(Fraction(0))
    if not alpha:
        return point(Fraction(0)) if beyond else ClosedInterval(Fraction(0), INFINITY)
    length = sqrt(alpha * alpha + beyond * beyond)
    # Erratum surrogate-curvature-factor: the paper prints twice this value, and 1 / (2 alpha) as supremum.
    outside = alpha * alpha / (4 * length * length * length)
    inside_too = not beyond and alpha != 1
    return ClosedInterval(Fraction(0) if inside_too else outside, outside)


def curvature_as_printed(alpha: Number, z: Number) -> Number:
    """Return 4 alpha^2 / (4 alpha^2 + (|z| - 2 (1 - alpha))^2)^(3/2), printed off the plateau.

    Paper: f-der2.
    """
    beyond = abs(z) - 2 * (1 - alpha)
    if beyond <= 0:
        return Fraction(0)
    length = sqrt(4 * alpha * alpha + beyond * beyond)
    return 4 * alpha * alpha / (length * length * length)


def density(alpha: Number, u: Number) -> Extended:
    """Return alpha / (2 (u (1 - u))^(3/2)), the density of -L''.

    Paper: theoremalpha (proof).
    """
    if not alpha:
        return Fraction(0)
    spread = u * (1 - u)
    return alpha / (2 * spread * sqrt(spread)) if spread else INFINITY


ZERO_ONE = _loss("zero_one", "sec:def", Fraction(0), partial_zero_one, Fraction(2))
ZERO_ONE_AS_PRINTED = _loss(
    "zero_one_as_printed", "sec:def", Fraction(0), partial_zero_one_as_printed, Fraction(2)
)
MATSUSHITA = _loss("matsushita", "sec:priv", Fraction(1), partial_m_alpha(Fraction(1)), Fraction(1))
