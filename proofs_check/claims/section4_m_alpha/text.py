"""Section 4, the M-alpha loss: the claims of the text around it."""

from __future__ import annotations

from fractions import Fraction

from privboost.proofs_check import paper
from privboost.proofs_check.claims.common import AT_HALF, AT_ZERO, HALF, ONE, ZERO, ZERO_ONE, at
from privboost.proofs_check.kernel.certificates import Chord
from privboost.proofs_check.kernel.terms import Claim, term
from privboost.proofs_check.language import between, both, equal, negation, reals, risk, smaller, sqrt
from privboost.proofs_check.proofs import Cited, Derived, Smt, Sum, by_z3

from .terms import a, root, s, u, v, whole_risk

b, share, m, x, y = reals("b l m x y")

INNER = (0 < u, u < 1)

TEXT = (
    paper.Text(
        "sec:matalpha.least-risk",
        "No normalised Bayes risk is below that of the 0/1 loss: 2x ≤ L(x) on [0, 1/2].",
        line=271,
        claim=Claim((*between(0, x, HALF), AT_ZERO, AT_HALF), 2 * x <= risk(x)),
        proofs=(by_z3(Chord("L", ZERO, x, term(HALF))), Sum((Chord("L", ZERO, x, term(HALF)),))),
        control=3 * x <= risk(x),
    ),
    paper.Text(
        "sec:matalpha.least-budget",
        "The 0/1 loss needs the smallest budget: for every Bayes risk and m ≥ 1, (m + 1) L(1/(m + 1)) is at "
        "least 2, which is what it is for the 0/1 loss.",
        line=271,
        given=(1 <= m, AT_ZERO, AT_HALF),
        then=both(
            2 <= (m + 1) * risk(1 / (m + 1)), equal((m + 1) * (2 * smaller(1 / (m + 1), 1 - 1 / (m + 1))), 2)
        ),
        proof=by_z3(Chord("L", ZERO, 1 / (m + 1), term(HALF))),
        control=Fraction(5, 2) <= (m + 1) * risk(1 / (m + 1)),
    ),
    paper.Text(
        "sec:matalpha.only-least-below",
        "A Bayes risk with L(y) = 2y at some y in (0, 1/2), as at y = 1/(m + 1) for the smallest budget and "
        "m ≥ 2, has L(x) = 2x for x ≤ y.",
        line=271,
        given=(*between(0, x, y), 0 < y, y < HALF, equal(risk(y), 2 * y), AT_ZERO, AT_HALF),
        then=equal(risk(x), 2 * x),
        proof=by_z3(Chord("L", ZERO, x, term(HALF)), Chord("L", x, y, term(HALF))),
        example=at(x=Fraction(1, 8), y=Fraction(1, 4)),
        functions=ZERO_ONE,
        control=Claim(
            (*between(0, x, y), 0 < y, y <= HALF, equal(risk(y), 2 * y), AT_ZERO, AT_HALF),
            equal(risk(x), 2 * x),
        ),
    ),
    paper.Text(
        "sec:matalpha.only-least-above",
        "A Bayes risk with L(y) = 2y at some y in (0, 1/2] has L(x) = 2x for x from y to 1/2 too.",
        line=271,
        given=(0 < y, *between(y, x, HALF), equal(risk(y), 2 * y), AT_ZERO, AT_HALF),
        then=equal(risk(x), 2 * x),
        proof=by_z3(Chord("L", ZERO, x, term(HALF)), Chord("L", ZERO, y, x)),
        example=at(x=Fraction(3, 8), y=Fraction(1, 4)),
        functions=ZERO_ONE,
        control=Claim(
            (0 <= y, *between(y, x, HALF), equal(risk(y), 2 * y), AT_ZERO, AT_HALF), equal(risk(x), 2 * x)
        ),
        remark="With sec:matalpha.only-least-below: for m ≥ 2 only the 0/1 risk has the smallest budget.",
    ),
    paper.Text(
        "sec:matalpha.no-worse",
        "A split never raises a Bayes risk: with mixing weight λ, λ L(x) + (1 - λ) L(y) ≤ L(λ x + (1 - λ) "
        "y). So a guaranteed decrease of 0 is the poorest possible.",
        line=272,
        given=(0 <= x, x < y, y <= 1, 0 < share, share < 1),
        then=share * risk(x) + (1 - share) * risk(y) <= risk(share * x + (1 - share) * y),
        proof=by_z3(Chord("L", x, share * x + (1 - share) * y, y)),
        control=risk(share * x + (1 - share) * y) <= share * risk(x) + (1 - share) * risk(y),
    ),
    paper.Text(
        "sec:matalpha.poorest",
        "The 0/1 loss has the poorest guarantee: a split whose two sides are both at most 1/2 positive "
        "leaves it as it is, though the edge of the split can be 2/3 (a quarter positive, sides 0 and 1/2 "
        "of equal weight).",
        line=272,
        given=(*between(0, x, HALF), *between(0, y, HALF), *between(0, share, 1)),
        then=both(
            equal(
                share * whole_risk(x, 0) + (1 - share) * whole_risk(y, 0),
                whole_risk(share * x + (1 - share) * y, 0),
            ),
            equal(HALF * (2 * ONE - 1) - HALF * (2 * (Fraction(1, 4) / (1 - ONE / 4)) - 1), Fraction(2, 3)),
        ),
        control=share * whole_risk(x, 0) + (1 - share) * whole_risk(y, 0)
        < whole_risk(share * x + (1 - share) * y, 0),
    ),
    paper.Text(
        "sec:matalpha.optimal-rate",
        "The Matsushita loss guarantees the optimal rate of convergence of boosting.",
        line=274,
        proof=Cited("Kearns and Mansour 1999; Nock and Nielsen 2004"),
    ),
    paper.Text(
        "sec:matalpha.matsushita-budget",
        "The Matsushita loss needs a considerable budget: (m + 1) L(1/(m + 1)) = 2 sqrt(m).",
        line=275,
        also=("lemPhiProof",),
        claim=Claim((1 <= m,), equal((m + 1) * (2 * root(1 / (m + 1))), 2 * sqrt(m))),
        proofs=(Smt(), Derived("matsushita.perspective")),
        control=equal((m + 1) * (2 * root(1 / (m + 1))), 2 * sqrt(m + 1)),
    ),
    paper.Text(
        "sec:matalpha.between",
        "The M-alpha risk does not fall as α grows, from the 0/1 risk at α = 0 to the Matsushita risk at "
        "α = 1.",
        line=278,
        given=(0 <= a, a <= b, b <= 1, *between(0, u, 1)),
        then=both(
            whole_risk(u) <= whole_risk(u, b),
            equal(whole_risk(u, 0), 2 * smaller(u, 1 - u)),
            equal(whole_risk(u, 1), 2 * root(u)),
        ),
        control=whole_risk(u, b) <= whole_risk(u),
    ),
    paper.Text(
        "sec:matalpha.anywhere",
        "At every u in (0, 1) other than 1/2, each value y between the 0/1 and the Matsushita risk is the "
        "M-alpha risk for some α in [0, 1].",
        line=278,
        given=(
            *INNER,
            negation(equal(u, HALF)),
            *between(2 * smaller(u, 1 - u), y, 2 * root(u)),
            equal(a, (y - 2 * smaller(u, 1 - u)) / (2 * root(u) - 2 * smaller(u, 1 - u))),
        ),
        then=both(0 <= a, a <= 1, equal(whole_risk(u), y)),
        control=equal(whole_risk(u), y / 2),
    ),
    paper.Figure(
        "f-alphaM.caption",
        "The figure shows formulas of link, inverse link and surrogate, and plots of risk, sensitivity, "
        "inverse link and surrogate for several α. The plots are not part of the source.",
        line=261,
    ),
)

SENSITIVITY = (
    paper.Text(
        "theoremalpha.not-differentiable",
        "The 0/1 risk is not differentiable at 1/2: every s in [-2, 2] is a slope of it there.",
        line=302,
        given=(*between(0, v, 1), *between(-2, s, 2)),
        then=whole_risk(v, 0) <= whole_risk(term(HALF), 0) - s * (v - HALF),
        control=whole_risk(v, 0) <= whole_risk(term(HALF), 0) - 2 * s * (v - HALF),
    ),
)

ENTRIES = (*TEXT, *SENSITIVITY)
