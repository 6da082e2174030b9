"""Section 4, the M-alpha loss: its definition and properness.

The definition is printed with two errors: the factor 2 alpha, and the cost of a tie. Claims are judged as
printed. Corrections of refuted claims are about the corrected loss: factor alpha, and ties at half the cost.
"""

from __future__ import annotations

from fractions import Fraction

from privboost.proofs_check.claims.common import HALF
from privboost.proofs_check.entry import Entry, Severity
from privboost.proofs_check.kernel.certificates import Rejected
from privboost.proofs_check.kernel.terms import Claim
from privboost.proofs_check.language import between, both, either, equal, negation, reals, smaller
from privboost.proofs_check.proofs import Computed, Counterexample, Derived, Smt, Sum, Use
from privboost.reference.exact import INFINITY
from privboost.reference.losses import m_alpha_as_printed, partial_loss

from .terms import (
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
    u,
    zero_one_loss,
)

A, B, C, D, k, share, m, t = reals("A B C D k l m t")

INNER = (0 < u, u < 1)

TRUTH = (0 < p, p < 1)

PRINTED_AT_U = printed_brackets(i, j, u)

PRINTED_AT_P = printed_brackets(k, share, p)

CORRECTED = (*TRUTH, *INNER, mistake(i, u), mistake(j, p))


def infinite_loss(label: int, prediction: Fraction) -> str:
    """Show that a printed partial loss is infinite at alpha = 1/2."""
    value = partial_loss(m_alpha_as_printed(HALF), label, prediction)
    if value != INFINITY:
        raise Rejected(f"the loss is {value}")
    return f"alpha = 1/2: the partial loss of label {label} at u = {prediction} is infinite"


TIE = {
    "a": HALF,
    "p": HALF,
    "k": Fraction(1),
    "l": Fraction(1),
    "u": Fraction(2, 5),
    "i": Fraction(1),
    "j": Fraction(0),
}

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

DEFINITION = (
    Entry(
        "defMatsualpha.definition",
        "The M-alpha loss of label y at u is 2α ((1 - u)/u)^(y/2) + 2 (1 - α) [y u ≤ y/2].",
        "definition",
        line=284,
    ),
    Entry(
        "defMatsualpha.exponent",
        "For label -1 the power is sqrt(u/(1 - u)), the reciprocal of sqrt((1 - u)/u).",
        "definition",
        line=284,
        claim=Claim(INNER, equal(1 / odds(u), against(u))),
        control=equal(odds(u), against(u)),
    ),
    Entry(
        "defMatsualpha.range",
        "The partial losses are real numbers for every u in [0, 1].",
        "definition",
        line=281,
        also_lines=(147,),
        refutation=Computed(infinite_loss, (-1, Fraction(1)), (-1, HALF), engine="witness"),
        correction="defMatsualpha.range-extended",
        severity=Severity.PEDANTRY,
        erratum="range-extended",
    ),
    Entry(
        "defMatsualpha.range-extended",
        "For α > 0 the loss of label 1 is above every bound B > 0 somewhere in (0, 1): its first summand is "
        "more than B at u = α^2 / (α^2 + B^2). By symmetry so is that of label -1.",
        "definition",
        line=284,
        reading="ours",
        claim=Claim(
            (*CURVED, 0 < B, equal(u, a**2 / (a**2 + B**2))), both(0 < u, u < 1, B < 2 * a * odds(u))
        ),
        control=3 * B < 2 * a * odds(u),
    ),
    Entry(
        "defMatsualpha.symmetric",
        "The loss is symmetric: the loss of label 1 at u is that of label -1 at 1 - u.",
        "text",
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
        line=288,
        also_lines=(278, 1391),
        claim=Claim(
            (*WEIGHTED, *TRUTH, *INNER, *PRINTED_AT_U, *PRINTED_AT_P),
            printed_loss(p, k, share) <= printed_loss(u, i, j),
        ),
        refutation=Counterexample(TIE, NO_TIE),
        correction="defMatsualpha.proper-corrected",
        severity=Severity.SLIP,
        erratum="tie-at-half",
        remark="In the witness a is α and i, j, k, l are the brackets of the four partial losses at u and"
        " at p. At p = 1/2 "
        "the prediction 1/2 costs 2, and 2/5 costs 1/2 + 5/12 sqrt(6), about 1.52. It is a matter of ties"
        " alone: at every "
        "other p the loss is proper, and nothing later uses the value at 1/2.",
    ),
    Entry(
        "defMatsualpha.strict",
        "For α > 0 the loss as printed is strictly proper: every prediction u other than p costs more.",
        "text",
        line=288,
        claim=Claim(
            (*CURVED, *TRUTH, *INNER, *PRINTED_AT_U, *PRINTED_AT_P, negation(equal(u, p))),
            printed_loss(p, k, share) < printed_loss(u, i, j),
        ),
        refutation=Counterexample(TIE, NO_TIE),
        correction="defMatsualpha.strict-corrected",
        severity=Severity.SLIP,
        erratum="tie-at-half",
        remark="The tie at 1/2 again: a is α, p = 1/2, and the prediction u = 2/5 costs about 1.52 where"
        " 1/2 costs 2.",
    ),
    Entry(
        "defMatsualpha.improper-below-one",
        "As printed the loss is improper for every α < 1: with t = 1 + (1 - α)/2, the prediction u = 1/(1 + "
        "t^2) costs less at p = 1/2 than 1/2 does, which costs 2.",
        "remark",
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
            both(equal(printed_loss(p, k, share), 2), printed_loss(u, i, j) < 2),
        ),
        control=printed_loss(u, i, j) < 1,
    ),
)

OFF_HALF = ()

PROPERNESS = (
    Entry(
        "defMatsualpha.matsushita-proper",
        "The Matsushita loss is proper: p sqrt((1 - u)/u) + (1 - p) sqrt(u/(1 - u)) is at least 2 sqrt(p (1 "
        "- p)).",
        "step",
        label="theoremalpha",
        line=1392,
        claim=Claim((*between(0, p, 1), *INNER), 2 * root(p) <= matsushita_loss(u)),
        proofs=(Smt(), Derived("m_alpha_at_1.proper")),
        control=3 * root(p) <= matsushita_loss(u),
    ),
    Entry(
        "defMatsualpha.matsushita-strict",
        "The Matsushita loss is strictly proper for 0 < p < 1: a prediction u other than p costs more than "
        "2 sqrt(p (1 - p)).",
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
            (*TRUTH, *INNER, *PRINTED_AT_U, *PRINTED_AT_P), p * k + (1 - p) * share <= p * i + (1 - p) * j
        ),
        refutation=Counterexample(TIE, NO_TIE),
        correction="defMatsualpha.zero-one-proper",
        severity=Severity.SLIP,
        erratum="tie-at-half",
    ),
    Entry(
        "defMatsualpha.zero-one-proper",
        "The 0/1 loss with ties at half price is proper.",
        "step",
        label="theoremalpha",
        line=1392,
        reading="intended",
        claim=Claim((*between(0, p, 1), mistake(i, u), mistake(j, p)), zero_one_loss(j) <= zero_one_loss(i)),
        proofs=(Smt(), Derived("zero_one.proper")),
        control=zero_one_loss(j) <= zero_one_loss(i) - Fraction(1, 100),
    ),
    Entry(
        "defMatsualpha.zero-one-risk",
        "Twice the expected 0/1 loss, with ties at half price, is at least 2m for every m ≤ min(p, 1 - p), "
        "and 2 min(p, 1 - p) for u = p.",
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
        "A convex combination of proper losses is proper: where the true probability costs at most as much "
        "as u under both losses (A ≤ B, C ≤ D), it does so under α times the first plus 1 - α times the "
        "second; strictly so where α > 0 and A < B.",
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
        "With ties at half price (and the factor α) the loss is proper, for p and u in (0, 1).",
        "text",
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
        "With ties at half price (and the factor α) the loss is strictly proper for α > 0, for p and u in "
        "(0, 1).",
        "text",
        line=288,
        reading="intended",
        claim=Claim(
            (*CURVED, *CORRECTED, negation(equal(u, p))), corrected_loss(p, j) < corrected_loss(u, i)
        ),
        proofs=(
            Sum(
                degree=1,
                uses=(
                    *MIXING,
                    Use("defMatsualpha.matsushita-strict", {}),
                    Use("defMatsualpha.mixture-strict", MIXED),
                ),
            ),
            Derived("m_alpha.strict"),
        ),
        control=Claim((*CURVED, *CORRECTED), corrected_loss(p, j) < corrected_loss(u, i)),
    ),
)

ENTRIES = (*DEFINITION, *OFF_HALF, *PROPERNESS)
