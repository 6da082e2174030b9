"""Theorem th3P, case A2 and B2, the other sub-cases: weight delta of class -1 enters the leaf."""

from __future__ import annotations

from fractions import Fraction

from privboost.proofs_check import meant, paper
from privboost.proofs_check.claims.common import FLAT, HALF, SQUARE, ZERO_ONE
from privboost.proofs_check.entry import Entry, Severity
from privboost.proofs_check.kernel.certificates import Mirror
from privboost.proofs_check.kernel.terms import Claim
from privboost.proofs_check.language import absolute, both, equal, implies, risk
from privboost.proofs_check.proofs import Counterexample, Smt, Sum, Use, by_z3

from .terms import (
    BEFORE,
    CHANGE_POORER,
    ENTER,
    EXCESS,
    FALL,
    NEXT,
    POORER,
    SIZE,
    TURN,
    at,
    close,
    delta,
    greatest,
    small,
    steep,
    w,
    w1,
)

_LOW = (*ENTER, EXCESS <= 2 * TURN)
_DOWN = risk(POORER) <= risk(BEFORE)
_UP = risk(BEFORE) <= risk(POORER)
_UPPER = (*_LOW, _DOWN, HALF <= BEFORE)
_RISING = (*_LOW, _UP)
_HIGH = (*ENTER, 2 * TURN < EXCESS)
_FROM = (w + delta) * (risk(POORER) - risk(BEFORE))

_UPPER_ENTRIES = (
    meant.Text(
        "th3P.A2B2.below-half",
        "In the whole case u ≤ (δ/2) 2w/(2w + δ) the new share w^1/(w + δ) is < 1/2.",
        label="const1B",
        line=1270,
        claim=Claim(_LOW, POORER < HALF),
        proofs=(Sum(), Smt()),
        control=POORER < Fraction(49, 100),
    ),
    paper.Text(
        "th3P.A2B2.upper.side-condition",
        "The step w^1 δ/(w (w + δ)), at which (D) of Lemma lemI2 is used, is ≤ 1/2, as (D) needs.",
        label="eq49",
        line=1275,
        claim=Claim((*_UPPER, POORER <= HALF), FALL <= HALF),
        refutation=Counterexample(
            at(w=Fraction(1, 4), w1=Fraction(3, 16), delta=1), at(w=1, w1=HALF, delta=1), SQUARE
        ),
        correction="eq49",
        severity=Severity.GAP,
        remark="3/5 against 1/2. For δ > 2 w the step can leave the domain of L; L(x) ≥ 2x at w^1/(w + δ) "
        "itself gives the bound.",
    ),
    paper.Equation(
        "eq49",
        "In the case u ≤ (δ/2) 2w/(2w + δ) of A2 and B2 with L(w^1/(w + δ)) ≤ L(w^1/w) and w^1/w ≥ 1/2, "
        "w^1/(w + δ) ≥ 1/2 - w^1 δ/(w (w + δ)) and Δ ≤ (w + δ)(L(1/2) - L(w^1/(w + δ))) + δ ≤ 2 w^1 δ/w + δ "
        "≤ 3 δ ≤ 3, for every δ and every risk.",
        also_lines=(1273, 1277, 1281, 1285, 1288),
        given=_UPPER,
        then=both(
            HALF - FALL <= POORER,
            CHANGE_POORER <= (w + delta) * (risk(HALF) - risk(POORER)) + delta,
            equal((w + delta) * (2 * FALL) + delta, 2 * w1 * delta / w + delta),
            CHANGE_POORER <= 2 * w1 * delta / w + delta,
            2 * w1 * delta / w + delta <= 3 * delta,
            3 * delta <= 3,
        ),
        proof=by_z3(Use("eqB2B2"), greatest(BEFORE), steep(POORER)),
        control=2 * w1 * delta / w + delta <= 2 * delta,
    ),
)

_RISING_ENTRIES = (
    paper.Step(
        "const1B3.imposes",
        "Where L(w^1/(w + δ)) ≥ L(w^1/w), both shares, w^1/w before and w^1/(w + δ) after weight δ of class "
        "-1 has entered, are ≥ 1/2.",
        line=1298,
        claim=Claim(_RISING, both(POORER <= BEFORE, HALF <= POORER)),
        refutation=Counterexample(at(w=1, w1=Fraction(3, 4), delta=1), at(w=1, w1=HALF, delta=1), SQUARE),
        correction="const1B3",
        severity=Severity.GAP,
        remark="3/4 falls to 3/8, below 1/2, where L is larger (15/16 against 3/4). In this case the new "
        "share is never ≥ 1/2 (th3P.A2B2.below-half), so (B) is used where it does not speak; what it says "
        "holds there too (lemI2.B.everywhere), and the bound is right.",
    ),
    meant.Equation(
        "const1B3",
        "Where L(w^1/(w + δ)) ≥ L(w^1/w), w^1/w is ≥ 1/2 and at least as far from 1/2 as w^1/(w + δ).",
        claim=Claim(_RISING, both(POORER <= BEFORE, 1 <= POORER + BEFORE, HALF <= BEFORE)),
        added=(
            0 < w1,
            implies(both(POORER < BEFORE, BEFORE <= HALF), risk(POORER) < risk(BEFORE)),
            implies(both(POORER < 1 - BEFORE, HALF <= BEFORE), risk(POORER) < risk(1 - BEFORE)),
        ),
        hypothesis="L increases strictly on [0, 1/2], and the leaf has some weight of class 1",
        without=Counterexample(at(w=5, w1=2, delta=1), at(w=1, w1=Fraction(3, 4), delta=1), FLAT),
        proof=by_z3(Mirror("L", BEFORE)),
        control=both(POORER <= BEFORE, HALF <= POORER),
    ),
    paper.Step(
        "const1B3.parenthesis",
        "In the sub-case L(w^1/(w + δ)) ≥ L(w^1/w), Δ ≤ (w + δ) L(w^1/(w + δ) - L(w^1/w)) + δ.",
        label="eq410",
        line=1303,
        given=(*_RISING, risk(BEFORE) <= POORER),
        then=CHANGE_POORER <= (w + delta) * risk(POORER - risk(BEFORE)) + delta,
        refutation=Counterexample(
            at(w=1, w1=Fraction(4, 5), delta=1), at(w=Fraction(1, 4), w1=Fraction(1, 4), delta=1), ZERO_ONE
        ),
        correction="const1B3.change",
        severity=Severity.SLIP,
        remark="1.2 against 1, for the 0/1 risk (shares 4/5 and 2/5). A parenthesis is misplaced: one L is "
        "inside the other's argument.",
    ),
    meant.Step(
        "const1B3.change",
        "In the sub-case L(w^1/(w + δ)) ≥ L(w^1/w), Δ ≤ (w + δ)(L(w^1/(w + δ)) - L(w^1/w)) + δ ≤ (w + δ) "
        "L(w^1/w - w^1/(w + δ)) + δ, also where 1/2 is between the shares.",
        label="eq410",
        lines=(1303, 1307),
        given=(*ENTER, _UP),
        then=both(
            CHANGE_POORER <= _FROM + delta, CHANGE_POORER <= (w + delta) * risk(BEFORE - POORER) + delta
        ),
        proof=by_z3(Use("eqB2B"), close(POORER, BEFORE)),
        control=CHANGE_POORER <= _FROM - delta,
    ),
    paper.Equation(
        "eq410",
        "In case A2 and B2, Δ ≤ (m + 1) L(1/(m + 1)) + 1 where L(w^1/(w + δ)) ≥ L(w^1/w), for every Bayes "
        "risk, m ≥ 2 and w ≤ m.",
        claim=Claim((*ENTER, _UP, *SIZE), CHANGE_POORER <= NEXT + 1),
        proof=by_z3(Use("const1B3.change"), small(w1 * delta / w, w + delta)),
        control=CHANGE_POORER <= NEXT - 1,
    ),
    paper.Text(
        "th3P.A2B2.high.same-case",
        "In case A2 and B2, where weight δ of class -1 enters, and for u = w^1 - w/2 > (δ/2) 2w/(2w + δ), "
        "putting class -1 in the place of class 1 leads to the same case A2 and B2 with u at most that, and "
        "the same Δ.",
        line=1318,
        given=_HIGH,
        then=equal(
            CHANGE_POORER, absolute((w + delta) * risk((w - w1) / (w + delta)) - w * risk((w - w1) / w))
        ),
        refutation=Counterexample(at(w=1, w1=1, delta=1), at(w=8, w1=5, delta=1), FLAT),
        correction="th3P.A2B2.high.mirror",
        severity=Severity.SLIP,
        remark="Δ = |2 L(1/2) - L(1)| = 2 against |2 L(0) - L(0)| = 0. The weight of class -1 grows here, "
        "so the mirror image is in case A2 and B1.",
    ),
    meant.Text(
        "th3P.A2B2.high.mirror",
        "In case A2 and B2 with u > (δ/2) 2w/(2w + δ), exchanging the classes leads to the case A2 and B1 "
        "with u ≤ -(δ/2) w/(2w + δ) and the same Δ.",
        line=1318,
        given=_HIGH,
        then=both(
            (w - w1) - w / 2 <= -TURN,
            equal(
                CHANGE_POORER,
                absolute((w + delta) * risk((w - w1 + delta) / (w + delta)) - w * risk((w - w1) / w)),
            ),
        ),
        proof=by_z3(Mirror("L", BEFORE), Mirror("L", POORER)),
        control=both((w - w1) - w / 2 <= -3 * TURN),
    ),
    paper.Step(
        "th3P.A2B2.high",
        "In case A2 and B2 with u > (δ/2) 2w/(2w + δ), m ≥ 2 and w ≤ m, Δ ≤ (m + 1) L(1/(m + 1)).",
        line=1318,
        claim=Claim((*_HIGH, *SIZE), CHANGE_POORER <= NEXT),
        proof=by_z3(
            Use("th3P.A2B2.high.mirror"),
            Use("th3P.A2B1.low.no-tail", {"w1": w - w1}),
            small(delta, w + delta),
        ),
        control=CHANGE_POORER <= NEXT - 1,
    ),
)

ENTRIES: tuple[Entry, ...] = (*_UPPER_ENTRIES, *_RISING_ENTRIES)
