"""Appendix, proof of Theorem thBoostLC1: the surrogate of the M-alpha-loss, its slope and its curvature.

The main step is a bound without second derivatives, so the ends of the plateau need no special treatment:
F(z + d) <= F(z) - d weight(z) + d^2 / (8 alpha) for all z and d, where weight(z) = link^-1(-z) = -F'(z).

| here | paper |
|---|---|
| `z`, `d` | margin y_i H(x_i) before a round, and its change in the round, beta y_i h(x_i) |
| `s`, `t` | thresholded margins, soft(z) and soft(z + d) |
"""

from __future__ import annotations

from fractions import Fraction

from privboost.proofs_check import meant, ours, paper
from privboost.proofs_check.claims.common import HALF, ZERO
from privboost.proofs_check.entry import Severity
from privboost.proofs_check.kernel.terms import Claim
from privboost.proofs_check.language import absolute, both, equal, implies, larger, reals, smaller, sqrt
from privboost.proofs_check.proofs import Computed, Derived, Smt, Use, Witness, by_z3

from .computations import curvature_at_end, curvature_differs, curvature_is_printed_times, supremum_is_not
from .weak_learning import ALPHA, alpha, root, slope, soft, surrogate, weight, z

d, s, t, k, q, r, x = reals("d s t k q r x")

SLOPE_BOUNDS = (smaller(0, s / alpha) <= slope(s), slope(s) <= larger(0, s / alpha))
"""The slope of sqrt(alpha^2 + s^2) lies between 0 and s / alpha."""

AT_ONE = (equal(alpha, 1), equal(z, 0), equal(d, 1))
"""A point at which the negative controls are refuted quickly."""

SURROGATE = (
    ours.Step(
        "fEQ1.surrogate-form",
        "The surrogate of the figure, with its case distinction, is 1 - z/2 - α + sqrt(α² + s²), where s is "
        "z/2 moved towards 0 by 1 - α and 0 on the plateau.",
        line=1842,
        given=ALPHA,
        then=both(
            implies(absolute(z) <= 2 * (1 - alpha), equal(surrogate(z), 1 - z / 2)),
            implies(
                2 * (1 - alpha) < absolute(z),
                equal(
                    surrogate(z), 1 - z / 2 + (sqrt(alpha**2 + (absolute(z) / 2 - (1 - alpha)) ** 2) - alpha)
                ),
            ),
        ),
        control=implies(absolute(z) <= 2 - alpha, equal(surrogate(z), 1 - z / 2)),
    ),
    ours.Step(
        "fEQ1.root-above-tangent",
        "sqrt(α² + s²) lies above its tangents.",
        line=1842,
        claim=Claim((0 < alpha,), root(s) + (t - s) * slope(s) <= root(t)),
        control=root(s) + (t - s) * slope(s) + 1 <= root(t) + alpha,
    ),
    ours.Step(
        "fEQ1.root-below-parabola",
        "sqrt(α² + t²) is at most its tangent at s plus (t - s)²/(2 sqrt(α² + s²)): the arithmetic mean is "
        "above the geometric one.",
        label="bY",
        claim=Claim((0 < alpha,), root(t) <= root(s) + (t - s) * slope(s) + (t - s) ** 2 / (2 * root(s))),
        control=root(t) <= root(s) + (t - s) * slope(s) + (t - s) ** 2 / (3 * root(s)),
    ),
    ours.Step(
        "fEQ1.root-at-least-alpha",
        "sqrt(α² + s²) is at least α.",
        label="bY",
        claim=Claim((0 < alpha,), alpha <= root(s)),
        control=2 * alpha <= root(s),
    ),
    ours.Step(
        "fEQ1.root-curvature",
        "sqrt(α² + t²) is at most its tangent at s plus (t - s)²/(2α).",
        label="bY",
        claim=Claim((0 < alpha,), root(t) <= root(s) + (t - s) * slope(s) + (t - s) ** 2 / (2 * alpha)),
        proof=by_z3(Use("fEQ1.root-below-parabola"), Use("fEQ1.root-at-least-alpha")),
        control=root(t) <= root(s) + (t - s) * slope(s) + (t - s) ** 2 / (3 * alpha),
    ),
    ours.Step(
        "fEQ1.slope-bounds",
        "The slope s/sqrt(α² + s²) lies between 0 and s/α.",
        label="bY",
        claim=Claim((0 < alpha,), both(*SLOPE_BOUNDS)),
        control=slope(s) <= larger(0, s / (2 * alpha)),
    ),
    ours.Step(
        "fEQ1.threshold",
        "In all nine pairs of regions (left, plateau, right) the part of a step that the threshold swallows "
        "does not hurt: (d/2 - (t - s)) k + (t - s)(d/2 - (t - s))/α is not negative, for s and t the "
        "thresholded margins and k between 0 and s/α.",
        label="bY",
        given=(*ALPHA, smaller(0, soft(z) / alpha) <= k, k <= larger(0, soft(z) / alpha)),
        then=0
        <= (d / 2 - (soft(z + d) - soft(z))) * k
        + (soft(z + d) - soft(z)) * (d / 2 - (soft(z + d) - soft(z))) / alpha,
        control=0
        <= (d / 2 - (soft(z + d) - soft(z))) * k
        + (soft(z + d) - soft(z)) * (d / 2 - (soft(z + d) - soft(z))) / (2 * alpha),
    ),
    ours.Step(
        "fEQ1.threshold-tangent",
        "What the threshold swallows of a step never goes up along the slope at its start.",
        line=1842,
        given=(*ALPHA, smaller(0, soft(z) / alpha) <= k, k <= larger(0, soft(z) / alpha)),
        then=(d / 2 - (soft(z + d) - soft(z))) * k <= 0,
        control=d / 2 * k <= 0,
    ),
    ours.Step(
        "fEQ1.assembled",
        "A bound for the thresholded step and one for what is swallowed make a bound for the whole step.",
        label="bY",
        given=(
            0 < alpha,
            q <= r + (t - s) * k + (t - s) ** 2 / (2 * alpha),
            0 <= (d / 2 - (t - s)) * k + (t - s) * (d / 2 - (t - s)) / alpha,
        ),
        then=q <= r + d / 2 * k + d**2 / (8 * alpha),
        control=q <= r + d / 2 * k + d**2 / (9 * alpha),
    ),
    ours.Step(
        "fEQ1.descent",
        "F(z + d) ≤ F(z) - d weight(z) + d²/(8α) for all margins z and steps d, ends of the plateau"
        " included: as if F had a second derivative of at most 1/(4α) everywhere.",
        label="bY",
        line=1893,
        claim=Claim(ALPHA, surrogate(z + d) <= surrogate(z) - d * weight(z) + d**2 / (8 * alpha)),
        proof=by_z3(
            Use("fEQ1.root-curvature", {"s": soft(z), "t": soft(z + d)}),
            Use("fEQ1.slope-bounds", {"s": soft(z)}),
            Use("fEQ1.threshold", {"k": slope(soft(z))}),
            Use(
                "fEQ1.assembled",
                {
                    "q": root(soft(z + d)),
                    "r": root(soft(z)),
                    "s": soft(z),
                    "t": soft(z + d),
                    "k": slope(soft(z)),
                },
            ),
        ),
        control=Claim(AT_ONE, surrogate(z + d) <= surrogate(z) - d * weight(z) + d**2 / (9 * alpha)),
        remark="No Taylor formula and no second derivative is needed.",
    ),
    ours.Step(
        "fEQ1.convex",
        "F(z + d) ≥ F(z) - d weight(z): the surrogate lies above its tangents, so it is convex.",
        line=1842,
        claim=Claim(ALPHA, surrogate(z) - d * weight(z) <= surrogate(z + d)),
        proof=by_z3(
            Use("fEQ1.root-above-tangent", {"s": soft(z), "t": soft(z + d)}),
            Use("fEQ1.slope-bounds", {"s": soft(z)}),
            Use("fEQ1.threshold-tangent", {"k": slope(soft(z))}),
        ),
        control=Claim(AT_ONE, surrogate(z) - d * weight(z) + Fraction(1, 5) <= surrogate(z + d)),
    ),
    paper.Step(
        "fEQ1.slope",
        "The slope of the surrogate at z is minus the inverse link at -z, at the ends of the plateau too: "
        "the difference to that tangent is between 0 and d²/(8α).",
        also=("propCSUR",),
        line=1852,
        given=ALPHA,
        then=both(
            0 <= surrogate(z + d) - surrogate(z) + d * weight(z),
            surrogate(z + d) - surrogate(z) + d * weight(z) <= d**2 / (8 * alpha),
        ),
        proofs=(by_z3(Use("fEQ1.convex"), Use("fEQ1.descent")), Derived("m_alpha.slope")),
        control=Claim(AT_ONE, surrogate(z + d) - surrogate(z) + d * weight(z) <= d**2 / (9 * alpha)),
    ),
)

CURVATURE = (
    paper.Equation(
        "f-der2.curvature",
        "Off the closed plateau the second derivative of the surrogate is 4α²/(4α² + (|z| - 2(1 - "
        "α))²)^(3/2).",
        line=1869,
        refutation=Witness(
            curvature_differs, (Fraction(1, 2), Fraction(2)), (Fraction(1, 2), Fraction(0)), trust=("sympy",)
        ),
        correction="f-der2.curvature-corrected",
        severity=Severity.CONSTANT,
        erratum="surrogate-curvature-factor",
        remark="The printed one is twice too large.",
    ),
    ours.Equation(
        "f-der2.curvature-corrected",
        "The second derivative of the surrogate is half the printed one: 0 inside the plateau and "
        "2α²/(4α² + (|z| - 2(1 - α))²)^(3/2) beyond it.",
        line=1869,
        proof=Computed(
            curvature_is_printed_times, (Fraction(1, 2),), (Fraction(1),), "derivation", ("sympy",)
        ),
    ),
    paper.Equation(
        "f-der2.plateau",
        "Inside the plateau the second derivative is 0: the surrogate is the line 1 - z/2 there.",
        line=1869,
        given=(*ALPHA, absolute(z) < 2 * (1 - alpha), absolute(x) < 2 * (1 - alpha)),
        then=equal(surrogate(x) - surrogate(z), (z - x) / 2),
        control=equal(surrogate(x) - surrogate(z), z - x),
    ),
    meant.Equation(
        "f-der2.ends",
        "For α < 1 there is no second derivative at the ends of the plateau: it is 0 on one side and tends "
        "to 1/(4α) on the other.",
        line=1872,
        proof=Derived("m_alpha.curvature-ends"),
    ),
    paper.Equation(
        "f-der2.ends-at-one",
        "For every α, 1 included, the second derivative is undefined at ±2(1 - α).",
        line=1872,
        refutation=Witness(curvature_at_end, (Fraction(1),), (Fraction(1, 2),), trust=("sympy",)),
        correction="f-der2.curvature-at-zero",
        severity=Severity.PEDANTRY,
        erratum="curvature-at-one",
    ),
    ours.Equation(
        "f-der2.curvature-at-zero",
        "For α = 1 the surrogate has the second derivative 1/4 at 0: the quotient of slopes, "
        "(weight(0) - weight(z))/z, is between 1/4 - z²/32 and 1/4.",
        line=1872,
        given=(equal(alpha, 1), 0 < absolute(z)),
        then=both(
            Fraction(1, 4) - z**2 / 32 <= (weight(ZERO) - weight(z)) / z,
            (weight(ZERO) - weight(z)) / z <= Fraction(1, 4),
        ),
        control=both(
            Fraction(1, 4) - z**2 / 64 <= (weight(ZERO) - weight(z)) / z,
            (weight(ZERO) - weight(z)) / z <= Fraction(1, 4),
        ),
    ),
    paper.Equation(
        "f-der2.supremum",
        "The supremum of the second derivative is 1/(2α).",
        line=1878,
        refutation=Witness(supremum_is_not, (Fraction(1, 2),), (Fraction(1, 4),), trust=("sympy",)),
        correction="f-der2.supremum-corrected",
        severity=Severity.CONSTANT,
        erratum="surrogate-curvature-factor",
        remark="At α = 1 it is 1/4, and 1/2 is printed. Too large by a factor 2, so that what the proof"
        " does with it stays true.",
    ),
    ours.Equation(
        "f-der2.supremum-corrected",
        "The supremum of the second derivative α²/(4 sqrt(α² + s²)³), for s > 0, is 1/(4α): it is no more, "
        "and no less than (1 - 3s²/(2α²))/(4α).",
        line=1878,
        given=(*ALPHA, 0 < s),
        then=both(
            alpha**2 / (4 * root(s) ** 3) <= 1 / (4 * alpha),
            (1 - 3 * s**2 / (2 * alpha**2)) / (4 * alpha) <= alpha**2 / (4 * root(s) ** 3),
        ),
        control=both(
            alpha**2 / (4 * root(s) ** 3) <= 1 / (5 * alpha),
            (1 - 3 * s**2 / (2 * alpha**2)) / (4 * alpha) <= alpha**2 / (4 * root(s) ** 3),
        ),
        remark="It is a value only for α = 1, at z = 0.",
    ),
)

SHAPE = (
    paper.Step(
        "eqCONST111.positive",
        "For α > 0 the surrogate is not negative; indeed it is positive.",
        line=1932,
        claim=Claim(ALPHA, 0 < surrogate(z)),
        proofs=(Smt(), Derived("m_alpha.non-negative")),
        control=alpha / 2 < surrogate(z),
    ),
    ours.Step(
        "eqCONST111.infimum",
        "The infimum of the surrogate is 0: beyond the plateau, at thresholded margin s > 0, it is at most "
        "α²/(2s).",
        line=1940,
        given=(*ALPHA, 0 < s),
        then=both(
            0 < surrogate(2 * s + 2 * (1 - alpha)), 2 * s * surrogate(2 * s + 2 * (1 - alpha)) <= alpha**2
        ),
        control=3 * s * surrogate(2 * s + 2 * (1 - alpha)) <= alpha**2,
    ),
    ours.Step(
        "eqCONST111.threshold-monotone",
        "A step d > 0 of the margin moves the thresholded margin up by no more than d/2, and slopes are "
        "below 1.",
        line=1931,
        given=(*ALPHA, 0 < d),
        then=both(soft(z) <= soft(z + d), soft(z + d) - soft(z) <= d / 2, slope(soft(z + d)) < 1),
        control=soft(z + d) - soft(z) <= d / 3,
    ),
    ours.Step(
        "eqCONST111.below-tangent-strictly",
        "If q lies above the tangent r + (s - t) k, with s ≤ t ≤ s + d/2 and k < 1, then q - z/2 is greater "
        "than r - (z + d)/2.",
        line=1931,
        given=(0 < d, s <= t, t - s <= d / 2, k < 1, r + (s - t) * k <= q),
        then=1 - (z + d) / 2 + r - alpha < 1 - z / 2 + q - alpha,
        control=1 - z / 2 + r - alpha < 1 - z / 2 + q - alpha,
    ),
    paper.Step(
        "eqCONST111.decreasing",
        "For α > 0 the surrogate decreases strictly, so that it is at least F(θ) at margins of at most θ.",
        also=("thBoostLC1",),
        lines=(1931, 1933),
        claim=Claim((*ALPHA, 0 < d), surrogate(z + d) < surrogate(z)),
        proofs=(
            by_z3(
                Use("eqCONST111.threshold-monotone"),
                Use("fEQ1.root-above-tangent", {"s": soft(z + d), "t": soft(z)}),
                Use(
                    "eqCONST111.below-tangent-strictly",
                    {
                        "q": root(soft(z)),
                        "r": root(soft(z + d)),
                        "s": soft(z),
                        "t": soft(z + d),
                        "k": slope(soft(z + d)),
                    },
                ),
            ),
            Derived("m_alpha.decreasing"),
        ),
        control=Claim(AT_ONE, surrogate(z + d) + HALF < surrogate(z)),
    ),
    paper.Equation(
        "eqSEQ.at-zero",
        "The surrogate is 1 at margin 0, for every α in [0, 1].",
        also=("eqBB1",),
        lines=(1916, 1965),
        claim=Claim((0 <= alpha, alpha <= 1), equal(surrogate(ZERO), 1)),
        proofs=(Smt(), Derived("m_alpha.surrogate-at-zero")),
        control=equal(surrogate(ZERO), 1 - alpha),
    ),
)

ENTRIES = (*SURROGATE, *CURVATURE, *SHAPE)
