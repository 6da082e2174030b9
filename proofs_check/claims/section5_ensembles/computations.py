"""Exact computations for the claims on linear combinations: printed updates, second derivatives.

Margins of one weak hypothesis are the numbers y_i h(x_i), one per example; M = 1 throughout.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from sympy import Rational, S

from privboost.proofs_check.engines.derivations import check_derivation
from privboost.proofs_check.kernel.certificates import Rejected
from privboost.reference.exact import Number, exact, exact_sum, sign
from privboost.reference.learners.boosting import mirror_update
from privboost.reference.losses import inverse_link, m_alpha, select
from privboost.symbolic import printed
from privboost.symbolic.algebra.certify import is_zero
from privboost.symbolic.algebra.normal_form import end_limit
from privboost.symbolic.algebra.regions import ALPHA, ALPHA_INSIDE, Z_LEFT, Z_PLATEAU, Z_RIGHT, Z
from privboost.symbolic.closed_forms import surrogate_curvature_expr

HALF = Fraction(1, 2)


def _weight(alpha: Fraction, margin: Number) -> Number:
    """Return link^-1(-margin)."""
    return exact(select(inverse_link(m_alpha(alpha), -margin)))


def printed_run(
    alpha: Fraction, margins: Sequence[Fraction], rounds: int, xi: Fraction, gamma: Fraction
) -> str:
    """Run the printed algorithm with pi = 0 and one weak hypothesis, and show that the error stays above xi.

    Paper: thBoostLC1, defwunMF. The hypotheses of the theorem are checked in every round. The selection of
    the link at 1/2 is 0.
    """
    loss, m = m_alpha(alpha), len(margins)
    weights: list[Number] = [HALF] * m
    totals: list[Number] = [Fraction(0)] * m
    squares: Number = Fraction(0)
    for _ in range(rounds):
        mean = exact_sum(weights) / m
        edge = exact_sum(w * margin for w, margin in zip(weights, margins, strict=True)) / (m * mean)
        if abs(edge) < gamma:
            raise Rejected(f"the edge is {edge}")
        beta = alpha * mean * edge
        squares += mean * mean
        totals = [total + beta * margin for total, margin in zip(totals, margins, strict=True)]
        weights = [
            mirror_update(loss, w, beta, 1, margin) for w, margin in zip(weights, margins, strict=True)
        ]
    needed = 2 * (1 - xi) / (gamma * gamma * alpha)
    error = Fraction(sum(total < 0 for total in totals), m)
    if squares < needed or error <= xi:
        raise Rejected(f"the sum is {squares} of {needed} needed, the error {error}")
    return (
        f"γ = {gamma}, π = 0, a = α = {alpha}, M = 1, ξ = {xi}. {m} examples, and in each of {rounds} rounds "
        f"the same h, with y h = {', '.join(map(str, margins))}: all edges are at least γ, the squared mean "
        f"weights sum to {squares}, {needed} is asked for, and the error is {error}, above ξ."
    )


def weights_vanish(alpha: Fraction, margins: Sequence[Fraction]) -> str:
    """Show that all weights are 0, so that they cannot be normalised.

    Paper: wlaKMLC.
    """
    weights = [_weight(alpha, margin) for margin in margins]
    if any(sign(w) for w in weights):
        raise Rejected(f"the weights are {weights}")
    return f"α = {alpha}, margins {', '.join(map(str, margins))}: every weight is 0."


def curvature_is_printed_times(factor: Fraction) -> str:
    """Show that the second derivative of the surrogate is the printed one times a factor, off the kinks.

    Paper: f-der2.
    """
    difference = surrogate_curvature_expr("m_alpha") - Rational(factor) * printed.CURVATURE
    if not all(is_zero(difference, region) for region in (Z_LEFT, Z_PLATEAU, Z_RIGHT)):
        raise Rejected(f"the second derivative is not {factor} times the printed one")
    return f"differentiated twice on each of three intervals; the factor is {factor}"


def curvature_differs(alpha: Fraction, z: Fraction) -> str:
    """Show that the printed second derivative is wrong at a point.

    Paper: f-der2.
    """
    at = {ALPHA: Rational(alpha), Z: Rational(z)}
    derived, stated = (e.subs(at) for e in (surrogate_curvature_expr("m_alpha"), printed.CURVATURE))
    if (derived - stated).equals(0):
        raise Rejected(f"both are {derived}")
    return f"α = {alpha}, z = {z}: the second derivative is {derived}, and the printed one is {stated}."


def curvature_at_end(alpha: Fraction) -> str:
    """Show that the slope of the surrogate has a derivative at the end z = 2(1 - alpha) of the plateau.

    Paper: f-der2. The slope is continuous, so that its one-sided derivatives are limits of the second ones.
    """
    if alpha < 1:
        within, beyond = S.Zero, end_limit(surrogate_curvature_expr("m_alpha"), Z_RIGHT, S.Zero)
        beyond = beyond.subs(ALPHA, Rational(alpha))
    else:
        within = beyond = surrogate_curvature_expr("matsushita").subs(Z, 0)
    if beyond != within:
        raise Rejected(f"the one-sided second derivatives are {within} and {beyond}")
    return f"α = {alpha}: the second derivative at z = {2 * (1 - alpha)} exists and is {within}."


def supremum_is_not(factor: Fraction) -> str:
    """Show that the supremum of the second derivative, its limit at the plateau's end, is not factor / alpha.

    Paper: f-der2. Beyond the plateau it decreases, by the derivation m_alpha.curvature-monotone.
    """
    check_derivation("m_alpha.curvature-monotone", 0)
    supremum = end_limit(surrogate_curvature_expr("m_alpha"), Z_RIGHT, S.Zero)
    if is_zero(supremum - Rational(factor) / ALPHA, ALPHA_INSIDE):
        raise Rejected(f"the supremum is {supremum}")
    derived, stated = (str(e).replace("*alpha", "α") for e in (supremum, Rational(factor) / ALPHA))
    return f"The supremum is {derived}, in place of {stated}."
