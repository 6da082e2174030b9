"""Exact witnesses of the errata: each evaluates a printed definition at a point where it fails."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from privboost.reference.erratum import Witness
from privboost.reference.exact import INFINITY, Enclosure, exact, sqrt
from privboost.reference.exact.jets import variable

from .definition import enclose_bayes_risk, enclose_conjugate
from .forms import (
    Selection,
    bayes_risk,
    conjugate,
    expected_loss,
    inverse_link,
    link,
    partial_loss,
    select,
    weight,
)
from .logarithmic import LOG
from .loss import HALF, iverson
from .m_alpha import (
    MATSUSHITA,
    ZERO_ONE,
    ZERO_ONE_AS_PRINTED,
    curvature_as_printed,
    inverse_link_as_printed,
    m_alpha,
    m_alpha_as_printed,
)
from .predicates import check_proper, check_symmetric
from .square import SQUARE

QUARTER = Fraction(1, 4)
FIFTH = Fraction(1, 5)


def zero_one_variable() -> Witness:
    """Evaluate the printed indicators, which depend on pi alone."""

    def literal_risk(pi: Fraction) -> Fraction:
        return pi * iverson(pi <= HALF) + (1 - pi) * iverson(pi >= HALF)

    third = Fraction(1, 3)
    for_one, for_other = iverson(third <= HALF), iverson(third >= HALF)
    inner, chord = literal_risk(QUARTER), (literal_risk(Fraction(0)) + literal_risk(HALF)) / 2
    return Witness(
        (
            f"at pi = 1/3 the partial losses are {for_one} and {for_other} for every u, so not symmetric",
            f"the risk at 1/4 is {inner}, below the chord from 0 to 1/2, which is {chord} there: not concave",
        ),
        for_one != for_other and inner < chord,
    )


def tie_at_half() -> Witness:
    """Compare the prediction 1/2 with others where the class probability is 1/2."""
    losses = (ZERO_ONE_AS_PRINTED, m_alpha_as_printed(HALF))
    costs = [
        (loss, expected_loss(loss, HALF, HALF), expected_loss(loss, HALF, Fraction(2, 5))) for loss in losses
    ]
    facts = (
        f"{loss}: at pi = 1/2, u = 1/2 costs {at_pi} and u = 2/5 costs {other}"
        for loss, at_pi, other in costs
    )
    return Witness(tuple(facts), all(other < at_pi for _, at_pi, other in costs))


def malpha_factor() -> Witness:
    """Compare the definition's infimum with the stated risk at pi = 1/2."""
    printed = enclose_bayes_risk(m_alpha_as_printed(1), FIFTH, 64)
    at_pi = expected_loss(m_alpha_as_printed(1), FIFTH, FIFTH)
    stated = bayes_risk(MATSUSHITA, FIFTH)
    return Witness(
        (f"alpha = 1, pi = 1/5: u = pi costs {at_pi}, within 2^-64 of the infimum; stated {stated}",),
        printed.lo <= at_pi <= printed.hi and printed.lo > stated,
    )


def range_extended() -> Witness:
    """Evaluate partial losses where the label had probability 0."""
    values = partial_loss(LOG, 1, 0), partial_loss(m_alpha_as_printed(HALF), -1, 1)
    return Witness(
        (f"log: partial(1, 0) = {values[0]}", f"M-alpha, alpha = 1/2: partial(-1, 1) = {values[1]}"),
        values == (INFINITY, INFINITY),
    )


def link_infinite() -> Witness:
    """Evaluate the link at a pure leaf."""
    ends = select(link(MATSUSHITA, 0)), select(link(LOG, 1))
    return Witness(
        (f"Matsushita: link(0) = {ends[0]}", f"log: link(1) = {ends[1]}"), ends == (-INFINITY, INFINITY)
    )


def two_normalisations() -> Witness:
    """Evaluate the convex combination with the 0/1 risk of Section 2 and with that of the appendix."""
    section_two = min(HALF, 1 - HALF)
    appendix = bayes_risk(ZERO_ONE, HALF)
    return Witness(
        (f"0/1 risk at 1/2: {section_two} in Section 2, {appendix} in Section 4 and the appendix",),
        section_two != appendix,
    )


def normalise_constant() -> Witness:
    """Evaluate the risk of the loss that is 0 everywhere."""
    nothing = replace(ZERO_ONE, name="zero loss", partial=lambda *_: Fraction(0))
    points = (Fraction(0), FIFTH, HALF, Fraction(1))
    risk_at_half = enclose_bayes_risk(nothing, HALF, 64)
    return Witness(
        (f"the zero loss is symmetric and proper; no factor makes its risk at 1/2, {risk_at_half.hi}, be 1",),
        risk_at_half == Enclosure(Fraction(0), Fraction(0))
        and bool(check_symmetric(nothing, points) and check_proper(nothing, points)),
    )


def square_surrogate() -> Witness:
    """Show three collinear points of the surrogate of the square loss, which no parabola has."""
    values = [conjugate(SQUARE, z) for z in (4, 5, 6)]
    collinear = values[0] + values[2] == 2 * values[1]
    return Witness(
        (f"normalised square surrogate at margins -4, -5, -6: {', '.join(map(str, values))}, on a line",),
        collinear,
    )


def inverse_at_zero_alpha() -> Witness:
    """Apply the printed inverse link after the link at alpha = 0."""
    z = select(link(ZERO_ONE, Fraction(3, 4)))
    printed, full = inverse_link_as_printed(Fraction(0), exact(z)), inverse_link(ZERO_ONE, z)
    return Witness(
        (f"alpha = 0: link(3/4) = {z}, printed inverse of {z} = {printed}, all inverses {full}",),
        printed != Fraction(3, 4) and Fraction(3, 4) in full,
    )


def empirical_risk_tie() -> Witness:
    """Count the mistakes of a leaf with one example of each class by the strict predicate."""
    prediction = select(link(ZERO_ONE, HALF), Selection.LEAST)
    counted = sum(HALF * iverson(y * prediction < 0) for y in (-1, 1))
    stated = min(HALF, 1 - HALF)
    return Witness(
        (f"a leaf with q = 1/2 predicts {prediction}: the predicate counts {counted}, 0/1 risk {stated}",),
        counted != stated,
    )


def risk_unweighted() -> Witness:
    """Evaluate both forms of the tree's risk on one leaf with weights 1 and 1/2."""
    weights = {1: Fraction(1), -1: HALF}
    total = weights[1] + weights[-1]
    by_count = total * bayes_risk(MATSUSHITA, HALF)
    by_weight = total * bayes_risk(MATSUSHITA, weights[1] / total)
    return Witness(
        (f"one leaf, labels 1 and -1, weights 1 and 1/2: w(S) F = {by_count}, sum over leaves {by_weight}",),
        by_count != by_weight,
    )


def pointwise_privacy() -> Witness:
    """Release f(S) + U[0, 1] with f(S) = 0 and f(S') = 1/2, and compare single outcomes with an event."""

    def chance(start: Fraction, lo: Fraction, hi: Fraction) -> Fraction:
        return max(Fraction(0), min(hi, start + 1) - max(lo, start))

    at_points = {chance(start, h, h) for start in (Fraction(0), HALF) for h in (Fraction(0), QUARTER, HALF)}
    event = chance(Fraction(0), Fraction(0), HALF), chance(HALF, Fraction(0), HALF)
    return Witness(
        (
            "every single outcome has probability 0, so the printed inequality holds with epsilon = 0",
            f"the event [0, 1/2] has probability {event[0]} under S and {event[1]} under S'",
        ),
        at_points == {0} and event[0] > 0 == event[1],
    )


def conjugate_at_zero() -> Witness:
    """Evaluate the conjugate at 0."""
    value, by_definition = conjugate(m_alpha(HALF), 0), enclose_conjugate(m_alpha(HALF), 0, 64)
    return Witness(
        (f"alpha = 1/2: conjugate(0) = {value}, printed 1/2",),
        by_definition.lo <= value <= by_definition.hi and HALF not in by_definition,
    )


def plateau_half() -> Witness:
    """Evaluate both sides of the plateau condition at alpha = 1, delta = 1, u = 0."""
    alpha, delta, u = Fraction(1), Fraction(1), Fraction(0)
    z = -2 * (1 - alpha) + delta
    true_side = (1 + z / 2 - (z + 2 * (1 - alpha)) * u) / alpha
    printed_side = 1 + delta / alpha * (1 - u)
    return Witness(
        (f"alpha = 1, delta = 1, u = 0: right side {true_side}, printed {printed_side}",),
        true_side != printed_side,
    )


def surrogate_curvature_factor() -> Witness:
    """Differentiate the printed surrogate twice at z = 1, exactly, and compare with the printed result."""
    alpha, z = HALF, variable(Fraction(2))
    beyond = z / 2 - (1 - alpha)
    derived = (1 - z / 2 + sqrt(alpha * alpha + beyond * beyond) - alpha).curvature
    printed = curvature_as_printed(alpha, z.value)
    return Witness(
        (f"alpha = 1/2, z = 2: the second derivative is {derived}, printed {printed}",),
        printed == 2 * derived and derived != 0,
    )


def spurious_root() -> Witness:
    """Compare the printed argument of the maximum over [0, 1/2] with u = 1/2 at alpha = 1, z = 2."""
    z = Fraction(2)
    stationary = HALF - z / (2 * sqrt(4 + z * z))
    at_printed, at_half = (z * u + bayes_risk(MATSUSHITA, u) for u in (stationary, HALF))
    return Witness(
        (f"alpha = 1, z = 2: z u + L(u) = {at_printed} at the printed u = {stationary}, {at_half} at 1/2",),
        at_printed < at_half,
    )


def weight_atom() -> Witness:
    """Compare the jump of the link at 1/2 with the weight function there."""
    loss = m_alpha(HALF)
    jump, (atom,) = link(loss, HALF), weight(loss).atoms
    return Witness(
        (f"alpha = 1/2: the link jumps over {jump} at 1/2: -L'' has the mass {atom[1]} there, no value",),
        exact(jump.hi) - exact(jump.lo) == atom[1] != 0,
    )


def curvature_at_one() -> Witness:
    """Differentiate the surrogate twice at the point where the printed case says there is no derivative."""
    z = variable(Fraction(0))
    derived = (1 - z / 2 + sqrt(1 + z * z / 4) - 1).curvature
    return Witness(
        (f"alpha = 1, z = 0: the second derivative is {derived}, printed undefined",),
        derived == Fraction(1, 4),
    )
