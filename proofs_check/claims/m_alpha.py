"""Section 4, the M-alpha loss: what the text says around it, its definition, properness and Bayes risk.

The definition is printed with two errors (the factor 2 alpha, and the price of a tie). Claims are judged as
printed; what replaces a refuted one is about the corrected loss: factor alpha, ties at half price.
"""

from __future__ import annotations

from fractions import Fraction

from privboost.reference.exact import INFINITY
from privboost.reference.losses import m_alpha_as_printed, partial_loss

from ..entry import Entry, Severity
from ..kernel.certificates import Chord, Rejected
from ..kernel.terms import Claim, term
from ..language import between, both, either, equal, larger, negation, reals, risk, smaller, sqrt
from ..proofs import Cited, Computed, Counterexample, Derived, Identity, Smt, Sum, Use
from .common import AT_HALF, AT_ZERO, FLAT, HALF, ONE, ZERO, ZERO_ONE
from .m_alpha_terms import (
    CURVED,
    WEIGHTED,
    a,
    against,
    bracket,
    corrected_loss,
    i,
    j,
    matsushita_loss,
    mistake,
    odds,
    p,
    printed_brackets,
    printed_loss,
    root,
    s,
    u,
    v,
    whole_risk,
    zero_one_loss,
)

A, B, C, D, b, k, l, m, t, x, y = reals("A B C D b k l m t x y")
BLEND = l * x + (1 - l) * y
CHORDS = {
    "A": l * (2 * root(x)) + (1 - l) * (2 * root(y)),
    "B": 2 * root(BLEND),
    "C": l * (2 * smaller(x, 1 - x)) + (1 - l) * (2 * smaller(y, 1 - y)),
    "D": 2 * smaller(BLEND, 1 - BLEND),
}
"""Matsushita risk: chord and value; 0/1 risk: chord and value."""
INNER = (0 < u, u < 1)
TRUTH = (0 < p, p < 1)
PRINTED_AT_U = printed_brackets(i, j, u)
PRINTED_AT_P = printed_brackets(k, l, p)
CORRECTED = (*TRUTH, *INNER, mistake(i, u), mistake(j, p))


def infinite_loss(label: int, prediction: Fraction) -> str:
    """Show that a printed partial loss is no real number, at alpha = 1/2."""
    value = partial_loss(m_alpha_as_printed(HALF), label, prediction)
    if value != INFINITY:
        raise Rejected(f"the loss is {value}")
    return f"alpha = 1/2: the partial loss of label {label} at u = {prediction} is infinite"


TIE = {"a": HALF, "p": HALF, "k": Fraction(1), "l": Fraction(1), "u": Fraction(2, 5), "i": Fraction(1), "j": Fraction(0)}
NO_TIE = {**TIE, "p": Fraction(1, 5), "l": Fraction(0)}
"""At p = 1/2 both labels pay for the prediction 1/2; at p = 1/5 only label 1 pays for the prediction 1/5."""

MIXED = {
    "A": matsushita_loss(p),
    "B": matsushita_loss(u),
    "C": zero_one_loss(j),
    "D": zero_one_loss(i),
}
MIXING = (
    Use("theoremalpha.link.radicand", {"x": p}),
    Use("defMatsualpha.matsushita-proper", {}),
    Use("defMatsualpha.matsushita-risk", {}),
    Use("defMatsualpha.zero-one-proper", {}),
)

TEXT = (
    Entry(
        "sec:matalpha.least-risk",
        "No normalised Bayes risk is below that of the 0/1 loss: 2x ≤ L(x) on [0, 1/2].",
        "text",
        label="sec:matalpha",
        line=271,
        claim=Claim((*between(0, x, HALF), AT_ZERO, AT_HALF), 2 * x <= risk(x)),
        proofs=(Smt((Chord("L", ZERO, x, term(HALF)),)), Sum((Chord("L", ZERO, x, term(HALF)),))),
        control=3 * x <= risk(x),
    ),
    Entry(
        "sec:matalpha.least-budget",
        "The 0/1 loss needs the smallest budget: for every Bayes risk and m ≥ 1, (m + 1) L(1/(m + 1)) is at least"
        " 2, which is what it is for the 0/1 loss.",
        "text",
        label="sec:matalpha",
        line=271,
        claim=Claim(
            (1 <= m, AT_ZERO, AT_HALF),
            both(
                2 <= (m + 1) * risk(1 / (m + 1)),
                equal((m + 1) * (2 * smaller(1 / (m + 1), 1 - 1 / (m + 1))), 2),
            ),
        ),
        proofs=(Smt((Chord("L", ZERO, 1 / (m + 1), term(HALF)),)),),
        control=Fraction(5, 2) <= (m + 1) * risk(1 / (m + 1)),
    ),
    Entry(
        "sec:matalpha.only-least-below",
        "It is the only one for m ≥ 2: a Bayes risk with L(y) = 2y at some y < 1/2 has L(x) = 2x for x ≤ y.",
        "text",
        label="sec:matalpha",
        line=271,
        claim=Claim(
            (*between(0, x, y), 0 < y, y < HALF, equal(risk(y), 2 * y), AT_ZERO, AT_HALF), equal(risk(x), 2 * x)
        ),
        proofs=(Smt((Chord("L", ZERO, x, term(HALF)), Chord("L", x, y, term(HALF)))),),
        example={"x": Fraction(1, 8), "y": Fraction(1, 4)},
        functions=ZERO_ONE,
        control=Claim(
            (*between(0, x, y), 0 < y, y <= HALF, equal(risk(y), 2 * y), AT_ZERO, AT_HALF), equal(risk(x), 2 * x)
        ),
    ),
    Entry(
        "sec:matalpha.only-least-above",
        "Likewise for x between y and 1/2.",
        "text",
        label="sec:matalpha",
        line=271,
        claim=Claim(
            (0 < y, *between(y, x, HALF), equal(risk(y), 2 * y), AT_ZERO, AT_HALF), equal(risk(x), 2 * x)
        ),
        proofs=(Smt((Chord("L", ZERO, x, term(HALF)), Chord("L", ZERO, y, x))),),
        example={"x": Fraction(3, 8), "y": Fraction(1, 4)},
        functions=ZERO_ONE,
        control=Claim(
            (0 <= y, *between(y, x, HALF), equal(risk(y), 2 * y), AT_ZERO, AT_HALF), equal(risk(x), 2 * x)
        ),
    ),
    Entry(
        "sec:matalpha.no-worse",
        "A split never raises a Bayes risk: with mixing weight λ, λ L(x) + (1 - λ) L(y) ≤ L(λ x + (1 - λ) y). So a"
        " guaranteed decrease of 0 is the poorest possible.",
        "text",
        label="sec:matalpha",
        line=272,
        claim=Claim(
            (0 <= x, x < y, y <= 1, 0 < l, l < 1), l * risk(x) + (1 - l) * risk(y) <= risk(l * x + (1 - l) * y)
        ),
        proofs=(Smt((Chord("L", x, l * x + (1 - l) * y, y),)),),
        control=risk(l * x + (1 - l) * y) <= l * risk(x) + (1 - l) * risk(y),
    ),
    Entry(
        "sec:matalpha.poorest",
        "The 0/1 loss has the poorest guarantee: a split whose two sides are both at most 1/2 positive leaves it as"
        " it is, though the edge of the split can be 2/3 (a quarter positive, sides 0 and 1/2 of equal weight).",
        "text",
        label="sec:matalpha",
        line=272,
        claim=Claim(
            (*between(0, x, HALF), *between(0, y, HALF), *between(0, l, 1)),
            both(
                equal(
                    l * whole_risk(x, 0) + (1 - l) * whole_risk(y, 0), whole_risk(l * x + (1 - l) * y, 0)
                ),
                equal(HALF * (2 * ONE - 1) - HALF * (2 * (Fraction(1, 4) / (1 - ONE / 4)) - 1), Fraction(2, 3)),
            ),
        ),
        proofs=(Smt(),),
        control=l * whole_risk(x, 0) + (1 - l) * whole_risk(y, 0) < whole_risk(l * x + (1 - l) * y, 0),
    ),
    Entry(
        "sec:matalpha.optimal-rate",
        "The Matsushita loss guarantees the optimal rate of convergence of boosting.",
        "text",
        label="sec:matalpha",
        line=274,
        proofs=(Cited("Kearns and Mansour 1999; Nock and Nielsen 2004"),),
    ),
    Entry(
        "sec:matalpha.matsushita-budget",
        "The Matsushita loss needs a considerable budget: (m + 1) L(1/(m + 1)) = 2 sqrt(m).",
        "text",
        label="sec:matalpha",
        line=275,
        also=("lemPhiProof",),
        claim=Claim((1 <= m,), equal((m + 1) * (2 * root(1 / (m + 1))), 2 * sqrt(m))),
        proofs=(Smt(), Derived("matsushita.perspective")),
        control=equal((m + 1) * (2 * root(1 / (m + 1))), 2 * sqrt(m + 1)),
    ),
    Entry(
        "sec:matalpha.matsushita-greatest",
        "The Matsushita loss is the other extreme: no Bayes risk needs a greater budget, (m + 1) L(1/(m + 1)) ≤"
        " 2 sqrt(m).",
        "text",
        label="sec:matalpha",
        line=270,
        also_lines=(275,),
        claim=Claim((1 <= m, AT_ZERO, AT_HALF), (m + 1) * risk(1 / (m + 1)) <= 2 * sqrt(m)),
        refutation=Counterexample({"m": Fraction(3)}, {"m": Fraction(8)}, FLAT),
        correction="sec:matalpha.between",
        severity=Severity.HARMLESS,
        remark="The witness is concave, symmetric and normalised; only among the risks named in the paper, or the"
        " M-alpha losses, is Matsushita's the greatest.",
    ),
    Entry(
        "sec:matalpha.between",
        "The M-alpha risk grows with α, from the 0/1 risk at α = 0 to the Matsushita risk at α = 1.",
        "text",
        label="sec:matalpha",
        line=278,
        claim=Claim(
            (0 <= a, a <= b, b <= 1, *between(0, u, 1)),
            both(
                whole_risk(u) <= whole_risk(u, b),
                equal(whole_risk(u, 0), 2 * smaller(u, 1 - u)),
                equal(whole_risk(u, 1), 2 * root(u)),
            ),
        ),
        proofs=(Smt(),),
        control=whole_risk(u, b) <= whole_risk(u),
    ),
    Entry(
        "sec:matalpha.anywhere",
        "Every value y between the 0/1 and the Matsushita risk at u is the M-alpha risk there for some α in [0, 1].",
        "text",
        label="sec:matalpha",
        line=278,
        claim=Claim(
            (
                *INNER,
                negation(equal(u, HALF)),
                *between(2 * smaller(u, 1 - u), y, 2 * root(u)),
                equal(a, (y - 2 * smaller(u, 1 - u)) / (2 * root(u) - 2 * smaller(u, 1 - u))),
            ),
            both(0 <= a, a <= 1, equal(whole_risk(u), y)),
        ),
        proofs=(Smt(),),
        control=equal(whole_risk(u), y / 2),
    ),
    Entry(
        "f-alphaM.caption",
        "The figure shows formulas of link, inverse link and surrogate, and plots of risk, sensitivity, inverse link"
        " and surrogate for several α. The plots are not part of the source.",
        "figure",
        label="f-alphaM",
        line=261,
    ),
)

DEFINITION = (
    Entry(
        "defMatsualpha.definition",
        "The M-alpha loss of label y at u is 2α ((1 - u)/u)^(y/2) + 2 (1 - α) [y u ≤ y/2].",
        "definition",
        label="defMatsualpha",
        line=284,
    ),
    Entry(
        "defMatsualpha.exponent",
        "For label -1 the power is sqrt(u/(1 - u)), the reciprocal of sqrt((1 - u)/u).",
        "definition",
        label="defMatsualpha",
        line=284,
        claim=Claim(INNER, equal(1 / odds(u), against(u))),
        proofs=(Smt(),),
        control=equal(odds(u), against(u)),
    ),
    Entry(
        "defMatsualpha.range",
        "The partial losses are real numbers for every u in [0, 1].",
        "definition",
        label="defMatsualpha",
        line=281,
        also_lines=(147,),
        refutation=Computed(infinite_loss, (-1, Fraction(1)), (-1, HALF), engine="witness"),
        correction="defMatsualpha.range-extended",
        severity=Severity.HARMLESS,
        erratum="range-extended",
    ),
    Entry(
        "defMatsualpha.range-extended",
        "For α > 0 the loss of label 1 is real and positive for 0 < u < 1, and above every bound B somewhere: it is"
        " more than B at u = α^2 / (α^2 + B^2). By symmetry so is that of label -1.",
        "definition",
        label="defMatsualpha",
        line=284,
        reading="ours",
        claim=Claim((*CURVED, 0 < B, equal(u, a**2 / (a**2 + B**2))), both(0 < u, u < 1, B < 2 * a * odds(u))),
        proofs=(Smt(),),
        control=3 * B < 2 * a * odds(u),
    ),
    Entry(
        "defMatsualpha.symmetric",
        "The loss is symmetric: the loss of label 1 at u is that of label -1 at 1 - u.",
        "text",
        label="defMatsualpha",
        line=288,
        also=("theoremalpha",),
        also_lines=(278, 1390),
        claim=Claim(
            (*WEIGHTED, *INNER, bracket(i, u <= HALF), bracket(j, -(1 - u) <= -HALF)),
            equal(2 * a * odds(u) + 2 * (1 - a) * i, 2 * a * against(1 - u) + 2 * (1 - a) * j),
        ),
        proofs=(Smt(), Derived("m_alpha_as_printed.symmetric")),
        control=equal(2 * a * odds(u) + 2 * (1 - a) * i, 2 * a * against(u) + 2 * (1 - a) * j),
    ),
    Entry(
        "defMatsualpha.proper",
        "The loss as printed is proper: no prediction u costs less on average than the true probability p.",
        "text",
        label="defMatsualpha",
        line=288,
        also_lines=(278, 1391),
        claim=Claim(
            (*WEIGHTED, *TRUTH, *INNER, *PRINTED_AT_U, *PRINTED_AT_P), printed_loss(p, k, l) <= printed_loss(u, i, j)
        ),
        refutation=Counterexample(TIE, NO_TIE),
        correction="defMatsualpha.proper-corrected",
        severity=Severity.THEOREM,
        erratum="tie-at-half",
        remark="At p = 1/2 the prediction 1/2 costs 2, and 2/5 costs 1/2 + 5/12 sqrt(6), about 1.52.",
    ),
    Entry(
        "defMatsualpha.strict",
        "For α > 0 the loss as printed is strictly proper: every prediction u other than p costs more.",
        "text",
        label="defMatsualpha",
        line=288,
        claim=Claim(
            (*CURVED, *TRUTH, *INNER, *PRINTED_AT_U, *PRINTED_AT_P, negation(equal(u, p))),
            printed_loss(p, k, l) < printed_loss(u, i, j),
        ),
        refutation=Counterexample(TIE, NO_TIE),
        correction="defMatsualpha.strict-corrected",
        severity=Severity.THEOREM,
        erratum="tie-at-half",
    ),
    Entry(
        "defMatsualpha.improper-below-one",
        "As printed the loss is improper for every α < 1: with t = 1 + (1 - α)/2, the prediction u = 1/(1 + t^2)"
        " costs less at p = 1/2 than 1/2 does, which costs 2.",
        "remark",
        label="defMatsualpha",
        line=288,
        reading="ours",
        claim=Claim(
            (
                0 <= a,
                a < 1,
                equal(p, HALF),
                equal(t, 1 + (1 - a) / 2),
                equal(u, 1 / (1 + t**2)),
                *PRINTED_AT_U,
                *PRINTED_AT_P,
            ),
            both(equal(printed_loss(p, k, l), 2), printed_loss(u, i, j) < 2),
        ),
        proofs=(Smt(),),
        control=printed_loss(u, i, j) < 1,
    ),
)

OFF_HALF = (
    Entry(
        "defMatsualpha.zero-one-off-half",
        "Off p = 1/2 the 0/1 loss as printed is proper.",
        "lemma",
        label="defMatsualpha",
        line=288,
        reading="ours",
        claim=Claim(
            (*TRUTH, *INNER, *PRINTED_AT_U, *PRINTED_AT_P, negation(equal(p, HALF))),
            p * k + (1 - p) * l <= p * i + (1 - p) * j,
        ),
        proofs=(Smt(),),
        control=Claim(
            (*TRUTH, *INNER, *PRINTED_AT_U, *PRINTED_AT_P), p * k + (1 - p) * l <= p * i + (1 - p) * j
        ),
    ),
    Entry(
        "defMatsualpha.strict-off-half",
        "Off p = 1/2 the loss as printed is strictly proper for α > 0: the tie is the only thing that breaks it.",
        "remark",
        label="defMatsualpha",
        line=288,
        reading="ours",
        claim=Claim(
            (
                *CURVED,
                *TRUTH,
                *INNER,
                *PRINTED_AT_U,
                *PRINTED_AT_P,
                negation(equal(p, HALF)),
                negation(equal(u, p)),
            ),
            printed_loss(p, k, l) < printed_loss(u, i, j),
        ),
        proofs=(
            Sum(
                degree=1,
                uses=(
                    Use("theoremalpha.link.radicand", {"x": p}),
                    Use("defMatsualpha.matsushita-strict", {}),
                    Use("defMatsualpha.matsushita-risk", {}),
                    Use("defMatsualpha.zero-one-off-half", {}),
                    Use(
                        "defMatsualpha.mixture-strict",
                        {
                            "A": 2 * matsushita_loss(p),
                            "B": 2 * matsushita_loss(u),
                            "C": 2 * (p * k + (1 - p) * l),
                            "D": 2 * (p * i + (1 - p) * j),
                        },
                    ),
                ),
            ),
        ),
        control=Claim(
            (*CURVED, *TRUTH, *INNER, *PRINTED_AT_U, *PRINTED_AT_P, negation(equal(u, p))),
            printed_loss(p, k, l) < printed_loss(u, i, j),
        ),
    ),
)

PROPERNESS = (
    Entry(
        "defMatsualpha.matsushita-proper",
        "The Matsushita loss is proper: p sqrt((1 - u)/u) + (1 - p) sqrt(u/(1 - u)) is at least 2 sqrt(p (1 - p)).",
        "step",
        label="theoremalpha",
        line=1392,
        claim=Claim((*between(0, p, 1), *INNER), 2 * root(p) <= matsushita_loss(u)),
        proofs=(Smt(), Derived("m_alpha_at_1.proper")),
        control=3 * root(p) <= matsushita_loss(u),
    ),
    Entry(
        "defMatsualpha.matsushita-strict",
        "It is strictly so for u other than p.",
        "step",
        label="theoremalpha",
        line=1392,
        claim=Claim((*TRUTH, *INNER, negation(equal(u, p))), 2 * root(p) < matsushita_loss(u)),
        proofs=(Smt(), Derived("m_alpha_at_1.strict")),
        control=Claim((*TRUTH, *INNER), 2 * root(p) < matsushita_loss(u)),
    ),
    Entry(
        "defMatsualpha.matsushita-risk",
        "The prediction p costs 2 sqrt(p (1 - p)), which therefore is the Matsushita risk.",
        "step",
        label="theoremalpha",
        line=1396,
        claim=Claim(TRUTH, equal(matsushita_loss(p), 2 * root(p))),
        proofs=(Smt(),),
        control=equal(matsushita_loss(p), 4 * root(p)),
    ),
    Entry(
        "defMatsualpha.zero-one-improper",
        "The 0/1 loss as the paper has it (label 1 pays for u ≤ 1/2, label -1 for u ≥ 1/2) is proper.",
        "step",
        label="theoremalpha",
        line=1392,
        also=("defMatsualpha",),
        claim=Claim(
            (*TRUTH, *INNER, *PRINTED_AT_U, *PRINTED_AT_P), p * k + (1 - p) * l <= p * i + (1 - p) * j
        ),
        refutation=Counterexample(TIE, NO_TIE),
        correction="defMatsualpha.zero-one-proper",
        severity=Severity.HARMLESS,
        erratum="tie-at-half",
    ),
    Entry(
        "defMatsualpha.zero-one-proper",
        "The 0/1 loss with ties at half price is proper.",
        "step",
        label="theoremalpha",
        line=1392,
        reading="intended",
        claim=Claim(
            (*between(0, p, 1), mistake(i, u), mistake(j, p)), zero_one_loss(j) <= zero_one_loss(i)
        ),
        proofs=(Smt(), Derived("zero_one.proper")),
        control=zero_one_loss(j) <= zero_one_loss(i) - Fraction(1, 100),
    ),
    Entry(
        "defMatsualpha.zero-one-risk",
        "Its expected cost, normalised, is at least 2m for every m ≤ min(p, 1 - p), and 2 min(p, 1 - p) for u = p.",
        "step",
        label="theoremalpha",
        line=1396,
        reading="intended",
        claim=Claim(
            (*between(0, p, 1), mistake(i, u), mistake(j, p), m <= p, m <= 1 - p),
            both(2 * m <= zero_one_loss(i), equal(zero_one_loss(j), 2 * smaller(p, 1 - p))),
        ),
        proofs=(Smt(), Derived("zero_one.risk")),
        control=3 * m <= zero_one_loss(i),
    ),
    Entry(
        "defMatsualpha.mixture-proper",
        "A convex combination of proper losses is proper: where the true probability costs at most as much as u under"
        " both losses (A ≤ B, C ≤ D), it does so under α times the first plus 1 - α times the second; strictly so"
        " where α > 0 and A < B.",
        "step",
        label="theoremalpha",
        line=1391,
        claim=Claim(
            (*WEIGHTED, A <= B, C <= D),
            both(
                a * A + (1 - a) * C <= a * B + (1 - a) * D,
                either(equal(a, 0), equal(A, B), a * A + (1 - a) * C < a * B + (1 - a) * D),
            ),
        ),
        proofs=(Smt(),),
        control=a * A + (1 - a) * C < a * B + (1 - a) * D,
    ),
    Entry(
        "defMatsualpha.mixture-strict",
        "The strict part alone: α > 0, A < B and C ≤ D make the combination strictly smaller.",
        "lemma",
        reading="ours",
        claim=Claim((*CURVED, A < B, C <= D), a * A + (1 - a) * C < a * B + (1 - a) * D),
        proofs=(Sum(), Smt()),
        control=Claim((*WEIGHTED, A < B, C <= D), a * A + (1 - a) * C < a * B + (1 - a) * D),
    ),
    Entry(
        "defMatsualpha.proper-corrected",
        "With ties at half price (and the factor α) the loss is proper.",
        "text",
        label="defMatsualpha",
        line=288,
        reading="intended",
        also=("theoremalpha",),
        also_lines=(278, 1391),
        claim=Claim((*WEIGHTED, *CORRECTED), corrected_loss(p, j) <= corrected_loss(u, i)),
        proofs=(Sum(degree=1, uses=(*MIXING, Use("theoremalpha.mixture", MIXED))), Derived("m_alpha.proper")),
        control=corrected_loss(p, j) <= corrected_loss(u, i) - (1 - a) / 100,
    ),
    Entry(
        "defMatsualpha.strict-corrected",
        "With ties at half price the loss is strictly proper for α > 0.",
        "text",
        label="defMatsualpha",
        line=288,
        reading="intended",
        claim=Claim((*CURVED, *CORRECTED, negation(equal(u, p))), corrected_loss(p, j) < corrected_loss(u, i)),
        proofs=(
            Sum(
                degree=1,
                uses=(*MIXING, Use("defMatsualpha.matsushita-strict", {}), Use("defMatsualpha.mixture-strict", MIXED)),
            ),
            Derived("m_alpha.strict"),
        ),
        control=Claim((*CURVED, *CORRECTED), corrected_loss(p, j) < corrected_loss(u, i)),
    ),
)

RISK = (
    Entry(
        "defMatsualpha.risk",
        "The prediction p ≠ 1/2 costs, under the loss as printed, the stated risk 2 (α sqrt(p (1 - p)) + (1 - α)"
        " min(p, 1 - p)).",
        "equation",
        label="defMatsualpha",
        line=292,
        also=("theoremalpha",),
        also_lines=(1396,),
        claim=Claim(
            (*WEIGHTED, *TRUTH, negation(equal(p, HALF)), *PRINTED_AT_P), equal(printed_loss(p, k, l), whole_risk(p))
        ),
        refutation=Counterexample(
            {"a": Fraction(1), "p": Fraction(1, 5), "k": Fraction(1), "l": Fraction(0)},
            {"a": Fraction(0), "p": Fraction(1, 5), "k": Fraction(1), "l": Fraction(0)},
        ),
        correction="defMatsualpha.risk-attained",
        severity=Severity.CONSTANT,
        erratum="malpha-factor",
        remark="At α = 1 and p = 1/5 it costs 8/5, the stated risk is 4/5.",
    ),
    Entry(
        "defMatsualpha.risk-normalised",
        "The loss as printed has the stated risk once it is divided by 1 + α, so that the risk at 1/2 is 1.",
        "equation",
        label="defMatsualpha",
        line=292,
        reading="intended",
        claim=Claim(
            (*WEIGHTED, *TRUTH, negation(equal(p, HALF)), *PRINTED_AT_P),
            equal(printed_loss(p, k, l) / (1 + a), whole_risk(p)),
        ),
        refutation=Counterexample(
            {"a": HALF, "p": Fraction(1, 5), "k": Fraction(1), "l": Fraction(0)},
            {"a": Fraction(1), "p": Fraction(1, 5), "k": Fraction(1), "l": Fraction(0)},
        ),
        correction="defMatsualpha.risk-attained",
        severity=Severity.CONSTANT,
        erratum="malpha-factor",
        remark="At α = 1/2 and p = 1/5 it is 2/3, the stated risk is 3/5: no normalisation repairs the factor.",
    ),
    Entry(
        "defMatsualpha.risk-as-printed",
        "As printed, the prediction p ≠ 1/2 costs 4 α sqrt(p (1 - p)) + 2 (1 - α) min(p, 1 - p): the Matsushita part"
        " counts twice.",
        "equation",
        label="defMatsualpha",
        line=284,
        reading="ours",
        claim=Claim(
            (*WEIGHTED, *TRUTH, negation(equal(p, HALF)), *PRINTED_AT_P),
            equal(printed_loss(p, k, l), 4 * a * root(p) + 2 * (1 - a) * smaller(p, 1 - p)),
        ),
        proofs=(Smt(),),
        control=equal(printed_loss(p, k, l), whole_risk(p)),
    ),
    Entry(
        "defMatsualpha.risk-attained",
        "With the factor α and ties at half price, the prediction p costs 2 (α sqrt(p (1 - p)) + (1 - α) min(p, 1 - p)).",
        "equation",
        label="defMatsualpha",
        line=292,
        reading="intended",
        also=("theoremalpha",),
        also_lines=(1396,),
        claim=Claim((*WEIGHTED, *TRUTH, mistake(j, p)), equal(corrected_loss(p, j), whole_risk(p))),
        proofs=(Smt(uses=(Use("defMatsualpha.matsushita-risk", {}),)), Derived("m_alpha.risk")),
        control=equal(corrected_loss(p, j), 2 * whole_risk(p)),
    ),
    Entry(
        "defMatsualpha.risk-least",
        "No prediction u costs less: with any m ≤ min(p, 1 - p) in place of the minimum, the risk is a lower bound.",
        "equation",
        label="defMatsualpha",
        line=292,
        reading="intended",
        also=("theoremalpha",),
        also_lines=(1396,),
        claim=Claim(
            (*WEIGHTED, *CORRECTED, m <= p, m <= 1 - p), 2 * (a * root(p) + (1 - a) * m) <= corrected_loss(u, i)
        ),
        proofs=(
            Sum(
                degree=1,
                uses=(
                    Use("theoremalpha.link.radicand", {"x": p}),
                    Use("defMatsualpha.matsushita-proper", {}),
                    Use("defMatsualpha.zero-one-risk", {}),
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
    Entry(
        "defMatsualpha.risk-ends",
        "At p = 0 the prediction 0 costs nothing and no u < 1 costs less than 0; likewise at p = 1. So the risk is 0"
        " at both ends.",
        "equation",
        label="defMatsualpha",
        line=292,
        reading="intended",
        claim=Claim(
            (*WEIGHTED, 0 <= u, u < 1, mistake(i, u)),
            both(0 <= a * against(u) + 2 * (1 - a) * (1 - i), equal(a * against(ZERO), 0)),
        ),
        proofs=(Smt(),),
        control=0 < a * against(u) + 2 * (1 - a) * (1 - i),
    ),
    Entry(
        "defMatsualpha.two-normalisations",
        "The stated risk is the convex combination with the 0/1 risk min(u, 1 - u) of Section 2.",
        "equation",
        label="defMatsualpha",
        line=292,
        also_lines=(163,),
        claim=Claim(
            (*WEIGHTED, *between(0, u, 1)),
            equal(a * (2 * root(u)) + (1 - a) * smaller(u, 1 - u), whole_risk(u)),
        ),
        refutation=Counterexample({"a": HALF, "u": HALF}, {"a": Fraction(1), "u": HALF}),
        correction="defMatsualpha.combination",
        severity=Severity.CONSTANT,
        erratum="two-normalisations",
    ),
    Entry(
        "defMatsualpha.combination",
        "The stated risk is the convex combination of the normalised risks 2 sqrt(u (1 - u)) and 2 min(u, 1 - u).",
        "equation",
        label="defMatsualpha",
        line=292,
        reading="intended",
        also=("theoremalpha",),
        also_lines=(1396,),
        claim=Claim(
            (*WEIGHTED, *between(0, u, 1)),
            equal(a * (2 * root(u)) + (1 - a) * (2 * smaller(u, 1 - u)), whole_risk(u)),
        ),
        proofs=(Smt(), Derived("m_alpha.combination"), Derived("m_alpha.risk-appendix")),
        control=equal(a * root(u) + (1 - a) * (2 * smaller(u, 1 - u)), whole_risk(u)),
    ),
    Entry(
        "defMatsualpha.normalised",
        "The M-alpha risk is 1 at 1/2, 0 at 0 and 1, symmetric, and nowhere above 1.",
        "remark",
        label="defMatsualpha",
        line=292,
        reading="ours",
        claim=Claim(
            (*WEIGHTED, *between(0, u, 1)),
            both(
                equal(whole_risk(term(HALF)), 1),
                equal(whole_risk(ZERO), 0),
                equal(whole_risk(ONE), 0),
                equal(whole_risk(u), whole_risk(1 - u)),
                whole_risk(u) <= 1,
            ),
        ),
        proofs=(Smt(),),
        control=whole_risk(u) < 1,
    ),
    Entry(
        "defMatsualpha.root-concave",
        "2 sqrt(x (1 - x)) is concave on [0, 1].",
        "lemma",
        reading="ours",
        claim=Claim(
            (*between(0, x, 1), *between(0, y, 1), *between(0, l, 1)),
            CHORDS["A"] <= CHORDS["B"],
        ),
        proofs=(Smt(),),
        control=CHORDS["B"] <= CHORDS["A"],
    ),
    Entry(
        "defMatsualpha.minimum-concave",
        "2 min(x, 1 - x) is concave.",
        "lemma",
        reading="ours",
        claim=Claim(
            between(0, l, 1),
            CHORDS["C"] <= CHORDS["D"],
        ),
        proofs=(Smt(),),
        control=CHORDS["D"] <= CHORDS["C"],
    ),
    Entry(
        "defMatsualpha.concave",
        "The M-alpha risk, as the mixture of the Matsushita and 0/1 risks, is concave on [0, 1].",
        "remark",
        label="defMatsualpha",
        line=292,
        reading="ours",
        claim=Claim(
            (*WEIGHTED, *between(0, x, 1), *between(0, y, 1), *between(0, l, 1)),
            a * CHORDS["A"] + (1 - a) * CHORDS["C"] <= a * CHORDS["B"] + (1 - a) * CHORDS["D"],
        ),
        proofs=(
            Smt(
                uses=(
                    Use("defMatsualpha.root-concave", {}),
                    Use("defMatsualpha.minimum-concave", {}),
                    Use("theoremalpha.mixture", CHORDS),
                )
            ),
        ),
        control=a * CHORDS["A"] + CHORDS["C"] <= a * CHORDS["B"] + (1 - a) * CHORDS["D"],
    ),
)

SENSITIVITY = (
    Entry(
        "defMatsualpha.interpolation",
        "The perspective (m + 1) L(1/(m + 1)) of the M-alpha risk is α 2 sqrt(m) + (1 - α) 2 for m ≥ 1: between those"
        " of the two losses.",
        "text",
        label="defMatsualpha",
        line=295,
        also=("sensALPHA",),
        claim=Claim((*WEIGHTED, 1 <= m), equal((m + 1) * whole_risk(1 / (m + 1)), a * (2 * sqrt(m)) + (1 - a) * 2)),
        proofs=(Smt(),),
        control=equal((m + 1) * whole_risk(1 / (m + 1)), a * (2 * sqrt(m)) + (1 - a)),
    ),
    Entry(
        "defMatsualpha.interpolated-bounds",
        "So are the bounds of the lemma: α max(3, 1 + 2 sqrt(m)) + (1 - α) max(3, 1 + 2) = 3 + 2α (sqrt(m) - 1).",
        "text",
        label="defMatsualpha",
        line=295,
        also=("sensALPHA", "lemPhiProof"),
        also_lines=(300,),
        claim=Claim(
            (*WEIGHTED, 1 <= m),
            equal(a * larger(3, 1 + 2 * sqrt(m)) + (1 - a) * larger(3, 1 + 2), 3 + 2 * a * (sqrt(m) - 1)),
        ),
        proofs=(Smt(),),
        control=equal(a * larger(3, 1 + 2 * sqrt(m)) + (1 - a) * larger(3, 1 + 2), 3 + 2 * a * sqrt(m)),
    ),
    Entry(
        "theoremalpha.not-differentiable",
        "The 0/1 risk is not differentiable at 1/2: every s in [-2, 2] is a slope of it there.",
        "text",
        label="theoremalpha",
        line=302,
        claim=Claim(
            (*between(0, v, 1), *between(-2, s, 2)), whole_risk(v, 0) <= whole_risk(term(HALF), 0) - s * (v - HALF)
        ),
        proofs=(Smt(),),
        control=whole_risk(v, 0) <= whole_risk(term(HALF), 0) - 2 * s * (v - HALF),
    ),
)

ENTRIES = (*TEXT, *DEFINITION, *OFF_HALF, *PROPERNESS, *RISK, *SENSITIVITY)
"""Section 4 up to its theorem."""
