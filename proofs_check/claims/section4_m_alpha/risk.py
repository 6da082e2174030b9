"""Section 4, the Bayes risk of the M-alpha loss, as printed and corrected."""

from __future__ import annotations

from fractions import Fraction

from privboost.proofs_check import meant, ours, paper
from privboost.proofs_check.claims.common import HALF, ONE, ZERO, at
from privboost.proofs_check.entry import Severity
from privboost.proofs_check.kernel.terms import Claim, term
from privboost.proofs_check.language import between, both, equal, negation, reals, smaller
from privboost.proofs_check.proofs import Counterexample, Derived, Smt, Sum, Use, by_z3

from .terms import (
    WEIGHTED,
    against,
    corrected_loss,
    matsushita_loss,
    mistake,
    printed_brackets,
    printed_loss,
    root,
    whole_risk,
    zero_one_loss,
)

a, i, j, p, u, k, share, m, x, y = reals("a i j p u k l m x y")

BLEND = share * x + (1 - share) * y

CHORDS = {
    "A": share * (2 * root(x)) + (1 - share) * (2 * root(y)),
    "B": 2 * root(BLEND),
    "C": share * (2 * smaller(x, 1 - x)) + (1 - share) * (2 * smaller(y, 1 - y)),
    "D": 2 * smaller(BLEND, 1 - BLEND),
}
"""Matsushita risk: chord and value; 0/1 risk: chord and value."""

INNER = (0 < u, u < 1)

TRUTH = (0 < p, p < 1)

PRINTED_AT_P = printed_brackets(k, share, p)

CORRECTED = (*TRUTH, *INNER, mistake(i, u), mistake(j, p))

RISK = (
    paper.Equation(
        "defMatsualpha.risk",
        "The prediction p ≠ 1/2 costs, under the loss as printed, the stated risk 2 (α sqrt(p (1 - p)) + (1 "
        "- α) min(p, 1 - p)).",
        lines=(292, 1396),
        also=("theoremalpha",),
        given=(*WEIGHTED, *TRUTH, negation(equal(p, HALF)), *PRINTED_AT_P),
        then=equal(printed_loss(p, k, share), whole_risk(p)),
        refutation=Counterexample(at(a=1, p=Fraction(1, 5), k=1, l=0), at(a=0, p=Fraction(1, 5), k=1, l=0)),
        correction="defMatsualpha.risk-attained",
        severity=Severity.CONSTANT,
        erratum="malpha-factor",
        remark="At α = 1 and p = 1/5 it costs 8/5, the stated risk is 4/5.",
    ),
    meant.Equation(
        "defMatsualpha.risk-normalised",
        "The loss as printed has the stated risk once it is divided by 1 + α, so that the risk at 1/2 is 1.",
        line=292,
        given=(*WEIGHTED, *TRUTH, negation(equal(p, HALF)), *PRINTED_AT_P),
        then=equal(printed_loss(p, k, share) / (1 + a), whole_risk(p)),
        refutation=Counterexample(
            at(a=HALF, p=Fraction(1, 5), k=1, l=0), at(a=1, p=Fraction(1, 5), k=1, l=0)
        ),
        correction="defMatsualpha.risk-attained",
        severity=Severity.CONSTANT,
        erratum="malpha-factor",
        remark="At α = 1/2 and p = 1/5 it is 2/3, the stated risk is 3/5: no normalisation repairs the "
        "factor.",
    ),
    meant.Equation(
        "defMatsualpha.risk-attained",
        "With the factor α and ties at half price, the prediction p in (0, 1) costs 2 (α sqrt(p (1 - p)) + "
        "(1 - α) min(p, 1 - p)).",
        lines=(292, 1396),
        also=("theoremalpha",),
        claim=Claim((*WEIGHTED, *TRUTH, mistake(j, p)), equal(corrected_loss(p, j), whole_risk(p))),
        proofs=(by_z3(Use("defMatsualpha.matsushita-risk")), Derived("m_alpha.risk")),
        control=equal(corrected_loss(p, j), 2 * whole_risk(p)),
    ),
    meant.Equation(
        "defMatsualpha.risk-least",
        "No prediction u in (0, 1) costs less than 2 (α sqrt(p (1 - p)) + (1 - α) m), for p in (0, 1) and "
        "any m ≤ min(p, 1 - p), the minimum itself included.",
        lines=(292, 1396),
        also=("theoremalpha",),
        given=(*WEIGHTED, *CORRECTED, m <= p, m <= 1 - p),
        then=2 * (a * root(p) + (1 - a) * m) <= corrected_loss(u, i),
        proofs=(
            Sum(
                degree=1,
                uses=(
                    Use("theoremalpha.link.radicand", {"x": p}),
                    Use("defMatsualpha.matsushita-proper"),
                    Use("defMatsualpha.zero-one-risk"),
                    Use(
                        "theoremalpha.mixture",
                        {"A": 2 * root(p), "B": matsushita_loss(u), "C": 2 * m, "D": zero_one_loss(i)},
                    ),
                ),
            ),
            Derived("m_alpha.risk"),
        ),
        control=2 * (a * root(p) + m) <= corrected_loss(u, i),
    ),
    meant.Equation(
        "defMatsualpha.risk-ends",
        "At p = 0 the prediction 0 costs nothing and no u < 1 costs less than 0. By symmetry it is so at "
        "p = 1, and the risk is 0 at both ends.",
        line=292,
        given=(*WEIGHTED, 0 <= u, u < 1, mistake(i, u)),
        then=both(0 <= a * against(u) + 2 * (1 - a) * (1 - i), equal(a * against(ZERO), 0)),
        control=0 < a * against(u) + 2 * (1 - a) * (1 - i),
    ),
    paper.Equation(
        "defMatsualpha.two-normalisations",
        "The stated risk is the convex combination with the 0/1 risk min(u, 1 - u) of Section 2.",
        lines=(292, 163),
        given=(*WEIGHTED, *between(0, u, 1)),
        then=equal(a * (2 * root(u)) + (1 - a) * smaller(u, 1 - u), whole_risk(u)),
        refutation=Counterexample({"a": HALF, "u": HALF}, at(a=1, u=HALF)),
        correction="defMatsualpha.combination",
        severity=Severity.PEDANTRY,
        erratum="two-normalisations",
        remark="At α = u = 1/2 the combination is 3/4 and the risk 1. Section 2 says that risks are"
        " normalised, and prints them otherwise.",
    ),
    meant.Equation(
        "defMatsualpha.combination",
        "The stated risk is the convex combination of the normalised risks 2 sqrt(u (1 - u)) and 2 min(u, 1 "
        "- u).",
        lines=(292, 1396),
        also=("theoremalpha",),
        given=(*WEIGHTED, *between(0, u, 1)),
        then=equal(a * (2 * root(u)) + (1 - a) * (2 * smaller(u, 1 - u)), whole_risk(u)),
        proofs=(Smt(), Derived("m_alpha.combination"), Derived("m_alpha.risk-appendix")),
        control=equal(a * root(u) + (1 - a) * (2 * smaller(u, 1 - u)), whole_risk(u)),
    ),
    ours.Remark(
        "defMatsualpha.normalised",
        "The M-alpha risk is 1 at 1/2, 0 at 0 and 1, symmetric, and nowhere above 1.",
        line=292,
        given=(*WEIGHTED, *between(0, u, 1)),
        then=both(
            equal(whole_risk(term(HALF)), 1),
            equal(whole_risk(ZERO), 0),
            equal(whole_risk(ONE), 0),
            equal(whole_risk(u), whole_risk(1 - u)),
            whole_risk(u) <= 1,
        ),
        control=whole_risk(u) < 1,
    ),
    ours.Lemma(
        "defMatsualpha.root-concave",
        "2 sqrt(x (1 - x)) is concave on [0, 1].",
        given=(*between(0, x, 1), *between(0, y, 1), *between(0, share, 1)),
        then=CHORDS["A"] <= CHORDS["B"],
        control=CHORDS["B"] <= CHORDS["A"],
    ),
    ours.Lemma(
        "defMatsualpha.minimum-concave",
        "2 min(x, 1 - x) is concave.",
        given=between(0, share, 1),
        then=CHORDS["C"] <= CHORDS["D"],
        control=CHORDS["D"] <= CHORDS["C"],
    ),
    ours.Remark(
        "defMatsualpha.concave",
        "The M-alpha risk, as the mixture of the Matsushita and 0/1 risks, is concave on [0, 1].",
        line=292,
        given=(*WEIGHTED, *between(0, x, 1), *between(0, y, 1), *between(0, share, 1)),
        then=a * CHORDS["A"] + (1 - a) * CHORDS["C"] <= a * CHORDS["B"] + (1 - a) * CHORDS["D"],
        proof=by_z3(
            Use("defMatsualpha.root-concave"),
            Use("defMatsualpha.minimum-concave"),
            Use("theoremalpha.mixture", CHORDS),
        ),
        control=a * CHORDS["A"] + CHORDS["C"] <= a * CHORDS["B"] + (1 - a) * CHORDS["D"],
    ),
)

ENTRIES = RISK
