"""Appendix, the proof of theoremalpha up to the plateau: weight, supremum, the case alpha = 0, u = 1/2.

The second half of the proof, the maxima left and right of 1/2, is in `maxima`.
"""

from __future__ import annotations

from fractions import Fraction

from privboost.proofs_check import meant, ours, paper
from privboost.proofs_check.claims.common import HALF, ZERO, at
from privboost.proofs_check.entry import Entry, Severity
from privboost.proofs_check.kernel.terms import Claim, Formula, Term, term
from privboost.proofs_check.language import (
    absolute,
    between,
    both,
    either,
    equal,
    implies,
    infix,
    reals,
    sqrt,
)
from privboost.proofs_check.proofs import Counterexample, Derived, Identity, Smt

from .links import same
from .terms import (
    CURVED,
    WEIGHTED,
    bracket,
    conjugate,
    corrected_loss,
    edge,
    link_part,
    matsushita_loss,
    objective,
    odds,
    root,
    zero_one_loss,
)

a, d, i, p, u, v, z, e = reals("a d i p u v z e")
LEFT = between(0, u, HALF)
RIGHT = between(HALF, u, 1)
ANY = between(0, u, 1)
ROOT = 2 * root(u)
ON_LEFT = z * u + 2 * a * root(u) + edge() * u
ON_RIGHT = z * u + 2 * a * root(u) + edge() * (1 - u)
CONDITION_LEFT = 1 + d / a * (HALF - u)
CONDITION_LEFT_PRINTED = 1 + d / a * (1 - u)
CONDITION_RIGHT = 1 - d / a * (u - HALF)


def top_left(margin: Term) -> Term:
    """Return (1 + z/2 - (z + 2 (1 - alpha)) u) / alpha, the bound of 2 sqrt(u (1 - u)) left of 1/2."""
    return (1 + margin / 2 - (margin + edge()) * u) / a


def top_right(margin: Term) -> Term:
    """Return (1 - 2 (1 - alpha) + z/2 - (z - 2 (1 - alpha)) u) / alpha, the same right of 1/2."""
    return (1 - edge() + margin / 2 - (margin - edge()) * u) / a


MIXTURE = (
    paper.Step(
        "defMatsualpha.mixture-of-losses",
        "The loss as printed is the mixture, with weights α and 1 - α, of the Matsushita and the 0/1 loss "
        "whose risks are 2 sqrt(u (1 - u)) and 2 min(u, 1 - u); here for label 1.",
        label="theoremalpha",
        line=1391,
        also=("defMatsualpha",),
        given=(*WEIGHTED, 0 < u, u < 1, bracket(i, u <= HALF)),
        then=equal(2 * a * odds(u) + 2 * (1 - a) * i, a * odds(u) + (1 - a) * (2 * i)),
        refutation=Counterexample(at(a=1, u=Fraction(1, 5), i=1), at(a=0, u=Fraction(1, 5), i=1)),
        correction="defMatsualpha.corrected-mixture",
        severity=Severity.CONSTANT,
        erratum="malpha-factor",
    ),
    meant.Step(
        "defMatsualpha.corrected-mixture",
        "The corrected loss costs, on average, α times what the Matsushita loss costs plus 1 - α times "
        "twice what the 0/1 loss costs.",
        label="theoremalpha",
        line=1391,
        given=(0 < p, p < 1, 0 < u, u < 1),
        then=equal(corrected_loss(u, i), a * matsushita_loss(u) + (1 - a) * zero_one_loss(i)),
        proofs=(Identity(), Smt()),
        control=equal(corrected_loss(u, i), 2 * a * matsushita_loss(u) + (1 - a) * zero_one_loss(i)),
    ),
)

WEIGHT = (
    paper.Step(
        "theoremalpha.weight.density",
        "Off u = 1/2 the weight -L'' is α / (2 (u (1 - u))^(3/2)), the slope of the link.",
        line=1410,
        proofs=(
            Derived("m_alpha.weight-density[0 < u < 1/2]"),
            Derived("m_alpha.weight-density[1/2 < u < 1]"),
        ),
    ),
    paper.Step(
        "theoremalpha.weight.function",
        "The weight is the function -L'', so that across 1/2 the link rises by the integral of the density, "
        "which is the difference of α (2u - 1)/sqrt(u (1 - u)).",
        line=1410,
        given=(*WEIGHTED, 0 < u, u < HALF, HALF < v, v < 1),
        then=equal((link_part(v) + edge()) - (link_part(u) - edge()), link_part(v) - link_part(u)),
        refutation=Counterexample(
            at(a=HALF, u=Fraction(1, 5), v=Fraction(4, 5)), at(a=1, u=Fraction(1, 5), v=Fraction(4, 5))
        ),
        correction="theoremalpha.weight.atom",
        severity=Severity.PEDANTRY,
        erratum="weight-atom",
        remark="For α < 1 the risk has no second derivative at 1/2.",
    ),
    ours.Step(
        "theoremalpha.weight.atom",
        "Across 1/2 the link rises by the integral of the density and 4 (1 - α): the weight has a point "
        "mass there.",
        line=1410,
        given=(*WEIGHTED, 0 < u, u < HALF, HALF < v, v < 1),
        then=equal(
            (link_part(v) + edge()) - (link_part(u) - edge()), link_part(v) - link_part(u) + 4 * (1 - a)
        ),
        proofs=(Identity(), Smt()),
        control=equal(
            (link_part(v) + edge()) - (link_part(u) - edge()), link_part(v) - link_part(u) + 2 * (1 - a)
        ),
    ),
)

SUPREMUM = (
    paper.Equation(
        "negent.finite",
        "The supremum that defines the conjugate is finite: z u + L(u) is at most 1 + |z|. It is "
        "attained at u ≤ 1/2 for z < 0 and at u ≥ 1/2 for z > 0, because any other u gives less than 1 - "
        "u, and at u = 1/2 for z = 0.",
        also_lines=(1415,),
        given=(*WEIGHTED, *ANY),
        then=both(
            objective(z, u) <= 1 + absolute(z),
            implies(both(HALF < u, z < 0), objective(z, u) < objective(z, 1 - u)),
            implies(both(u < HALF, 0 < z), objective(z, u) < objective(z, 1 - u)),
            objective(ZERO, u) <= objective(ZERO, term(HALF)),
        ),
        control=objective(z, u) <= absolute(z),
    ),
    paper.Step(
        "negent.value-at-zero",
        "The conjugate at 0 is 1/2: L(u) is at most 1/2.",
        line=1415,
        claim=Claim((*WEIGHTED, *ANY), objective(ZERO, u) <= HALF),
        refutation=Counterexample({"a": HALF, "u": HALF}, at(a=HALF, u=0)),
        correction="negent.value-at-zero-corrected",
        severity=Severity.SLIP,
        erratum="conjugate-at-zero",
    ),
    ours.Step(
        "negent.value-at-zero-corrected",
        "The conjugate at 0 is 1.",
        line=1415,
        claim=Claim((*WEIGHTED, *ANY), both(objective(ZERO, u) <= 1, equal(objective(ZERO, term(HALF)), 1))),
        proofs=(Smt(), Derived("m_alpha.surrogate-at-zero")),
        control=objective(ZERO, u) <= HALF,
    ),
)


def zero_alpha(region: str, where: str, given: tuple[Formula, ...], x: Fraction | int, value: Term) -> Entry:
    """Return the claim on the conjugate at alpha = 0 for one region of z: the maximiser u and the value.

    Paper: csurzero.
    """
    point = term(x)
    return paper.Equation(
        f"csurzero.{region}",
        f"At α = 0 and {where}, the supremum is attained at u = {x} and is {infix(value)}.",
        lines=({"left": 1420, "middle": 1421, "right": 1422}[region], 1416),
        claim=Claim((*given, *ANY), both(objective(z, u, 0) <= value, equal(objective(z, point, 0), value))),
        proofs=(Smt(), Derived("zero_one.conjugate")),
        control=equal(objective(z, 1 - point if region != "middle" else ZERO, 0), value),
    )


CASE_ONE = (
    zero_alpha("left", "z < -2", (z < -2,), 0, ZERO),
    zero_alpha("middle", "-2 ≤ z ≤ 2", between(-2, z, 2), HALF, 1 + z / 2),
    zero_alpha("right", "z > 2", (2 < z,), 1, z),
)

PLATEAU = (
    paper.Equation(
        "feq1.halves",
        "At u = 1/2 the quantity z u + L(u) is 1 + z/2. For u ≤ 1/2 it is the left side of the first "
        "condition, and for u ≥ 1/2 that of the second one. z in 2 (1 - α) [-1, 1] is |z| ≤ 2 (1 - α), and "
        "there alone, as the derivation shows, 1/2 attains the supremum.",
        lines=(1430, 1431, 1442, 1457),
        given=(*WEIGHTED, *ANY),
        then=both(
            equal(objective(z, term(HALF)), 1 + z / 2),
            implies(u <= HALF, equal(objective(z, u), ON_LEFT)),
            implies(HALF <= u, equal(objective(z, u), ON_RIGHT)),
            same(both(-edge() <= z, z <= edge()), absolute(z) <= edge()),
        ),
        proofs=(Smt(), Derived("m_alpha.plateau", own_words=True)),
        control=equal(objective(z, u), ON_LEFT),
    ),
    paper.Step(
        "feq1.reorganised",
        "The first condition is 2α sqrt(u (1 - u)) ≤ 1 + z/2 - (z + 2 (1 - α)) u, and the second is 2α "
        "sqrt(u (1 - u)) ≤ 1 - 2 (1 - α) + z/2 - (z - 2 (1 - α)) u.",
        lines=(1434, 1438),
        given=between(0, u, 1),
        then=both(
            equal(1 + z / 2 - ON_LEFT, 1 + z / 2 - (z + edge()) * u - 2 * a * root(u)),
            equal(1 + z / 2 - ON_RIGHT, 1 - edge() + z / 2 - (z - edge()) * u - 2 * a * root(u)),
        ),
        proof=Identity(),
        control=equal(1 + z / 2 - ON_LEFT, 1 + z / 2 - (z - edge()) * u - 2 * a * root(u)),
    ),
    paper.Equation(
        "feq1.left-shifted",
        "With z = -2 (1 - α) + δ, the first condition, divided by α, is 2 sqrt(u (1 - u)) ≤ 1 + (δ/α) "
        "(1 - u).",
        line=1436,
        claim=Claim((*CURVED, *LEFT), equal(top_left(d - edge()), CONDITION_LEFT_PRINTED)),
        refutation=Counterexample(at(a=1, d=1, u=0), at(a=1, d=0, u=0)),
        correction="feq1.left-shifted-corrected",
        severity=Severity.SLIP,
        erratum="plateau-half",
    ),
    ours.Equation(
        "feq1.left-shifted-corrected",
        "With z = -2 (1 - α) + δ, the first condition, divided by α, is 2 sqrt(u (1 - u)) ≤ 1 + (δ/α) "
        "(1/2 - u).",
        line=1436,
        claim=Claim((*CURVED, *LEFT), equal(top_left(d - edge()), CONDITION_LEFT)),
        proofs=(Identity(), Smt()),
        control=equal(top_left(d - edge()), CONDITION_LEFT_PRINTED),
    ),
    meant.Step(
        "feq1.left-holds",
        "The first condition holds for δ ≥ 0, that is for z ≥ -2 (1 - α), as printed and corrected.",
        lines=(1438, 1430),
        claim=Claim((*CURVED, *LEFT, 0 <= d), both(ROOT <= CONDITION_LEFT_PRINTED, ROOT <= CONDITION_LEFT)),
        control=Claim((*CURVED, *LEFT), ROOT <= CONDITION_LEFT),
    ),
    paper.Step(
        "feq1.left-violated-printed",
        "The first condition as printed is violated for δ < 0, at u = 1/2 already, where the left side is 1.",
        line=1438,
        claim=Claim((*CURVED, d < 0, equal(u, HALF)), CONDITION_LEFT_PRINTED < ROOT),
        control=Claim((*CURVED, d <= 0, equal(u, HALF)), CONDITION_LEFT_PRINTED < ROOT),
    ),
    meant.Step(
        "feq1.left-reason",
        "The first condition, corrected, is violated for δ < 0 wherever the left side is within e of 1, for "
        "any e > 0.",
        line=1438,
        claim=Claim((*CURVED, *LEFT, d < 0, 0 < e, 1 - e <= ROOT), CONDITION_LEFT < ROOT),
        refutation=Counterexample(
            at(a=1, u=HALF, d=-1, e=Fraction(1, 100)), at(a=1, u=Fraction(2, 5), d=-1, e=Fraction(1, 10))
        ),
        correction="feq1.left-violated",
        severity=Severity.GAP,
        remark="Both sides tend to 1 together as u tends to 1/2; their slopes decide. The conclusion is "
        "right.",
    ),
    meant.Step(
        "feq1.left-violated",
        "The first condition, corrected, is violated for δ < 0: with e = δ/α, at u = 1/2 + e/(4 + e^2), "
        "which is in [0, 1/2).",
        line=1438,
        given=(*CURVED, d < 0, equal(e, d / a), equal(u, HALF + e / (4 + e**2))),
        then=both(0 <= u, u < HALF, CONDITION_LEFT < ROOT),
        control=both(0 <= u, u < HALF, ROOT < CONDITION_LEFT),
    ),
    paper.Equation(
        "feq1.right-shifted",
        "With z = 2 (1 - α) + δ, the second condition, divided by α, is 2 sqrt(u (1 - u)) ≤ 1 - (δ/α) "
        "(u - 1/2).",
        line=1440,
        claim=Claim((*CURVED, *RIGHT), equal(top_right(d + edge()), CONDITION_RIGHT)),
        proofs=(Identity(), Smt(), Derived("m_alpha.plateau-right")),
        control=equal(top_right(d + edge()), 1 - d / a * u),
    ),
    paper.Step(
        "feq1.right-holds",
        "The second condition holds for δ ≤ 0, that is for z ≤ 2 (1 - α).",
        line=1442,
        claim=Claim((*CURVED, *RIGHT, d <= 0), ROOT <= CONDITION_RIGHT),
        control=Claim((*CURVED, *RIGHT), ROOT <= CONDITION_RIGHT),
    ),
    paper.Step(
        "feq1.right-reason",
        "The second condition is violated for δ > 0 wherever the left side is within e of 1, for any e > 0.",
        line=1442,
        claim=Claim((*CURVED, *RIGHT, 0 < d, 0 < e, 1 - e <= ROOT), CONDITION_RIGHT < ROOT),
        refutation=Counterexample(
            at(a=1, u=HALF, d=1, e=Fraction(1, 100)), at(a=1, u=Fraction(3, 5), d=1, e=Fraction(1, 10))
        ),
        correction="feq1.right-violated",
        severity=Severity.GAP,
        remark="Both sides tend to 1 together as u tends to 1/2; their slopes decide. The conclusion is "
        "right.",
    ),
    paper.Step(
        "feq1.right-violated",
        "The second condition is violated for δ > 0: with e = δ/α, at u = 1/2 + e/(4 + e^2), which is in "
        "(1/2, 1].",
        line=1442,
        given=(*CURVED, 0 < d, equal(e, d / a), equal(u, HALF + e / (4 + e**2))),
        then=both(HALF < u, u <= 1, CONDITION_RIGHT < ROOT),
        control=both(HALF < u, u <= 1, ROOT < CONDITION_RIGHT),
    ),
    paper.Step(
        "csurzero.limit-inside",
        "As α tends to 0 the plateau becomes the middle case of α = 0: |z| < 2 is on the plateau once α ≤ 1 "
        "- |z|/2.",
        line=1446,
        claim=Claim((*WEIGHTED, a <= 1 - absolute(z) / 2), absolute(z) <= edge()),
        proofs=(Smt(), Derived("m_alpha.conjugate-limit")),
        control=absolute(z) <= edge() - a,
    ),
    paper.Step(
        "csurzero.limit-ends",
        "At z = 2 and z = -2, never on the plateau for α > 0, the conjugate exceeds 1 + z/2 by (sqrt(2) - "
        "1) α, which tends to 0.",
        line=1446,
        given=(*CURVED, either(equal(z, 2), equal(z, -2))),
        then=equal(conjugate(z), 1 + z / 2 + (sqrt(2) - 1) * a),
        proofs=(Smt(), Derived("m_alpha.conjugate-limit")),
        control=equal(conjugate(z), 1 + z / 2),
    ),
)

ENTRIES = (*MIXTURE, *WEIGHT, *SUPREMUM, *CASE_ONE, *PLATEAU)
"""The proof of theoremalpha up to the plateau."""
