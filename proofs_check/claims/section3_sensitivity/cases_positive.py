"""Theorem th3P, case A2 and B1, the other u: weight delta of class 1 enters the leaf."""

from __future__ import annotations

from fractions import Fraction

from privboost.proofs_check import meant, paper
from privboost.proofs_check.claims.common import FLAT, HALF, SQUARE
from privboost.proofs_check.entry import Entry, Severity
from privboost.proofs_check.kernel.certificates import Chord, Mirror
from privboost.proofs_check.kernel.terms import Claim
from privboost.proofs_check.language import absolute, both, equal, risk
from privboost.proofs_check.proofs import Counterexample, Smt, Sum, Use, by_z3

from .terms import (
    BEFORE,
    CHANGE_RICHER,
    ENTER,
    EXCESS,
    NEXT,
    RICHER,
    RISE,
    SIZE,
    TURN,
    at,
    close,
    delta,
    greatest,
    m,
    nonnegative,
    small,
    steep,
    w,
    w1,
)

_MIDDLE = (*ENTER, -TURN < EXCESS, EXCESS < TURN)
_UPPER = (*_MIDDLE, HALF <= BEFORE)
_LOWER = (*_MIDDLE, BEFORE < HALF)
_HIGH = (*ENTER, TURN <= EXCESS)
_TAIL = delta * risk(BEFORE)

_REWRITTEN = (w + delta) * (risk(RICHER) - risk(BEFORE)) + _TAIL

_TURNED = (w + delta) * (risk(BEFORE) - risk(RICHER)) + _TAIL
_DISTANCE = Use("eqPROP11")

_MIDDLE_ENTRIES = (
    paper.Equation(
        "eqPROP11",
        "For u between -(δ/2) w/(2w + δ) and (δ/2) w/(2w + δ) the new weight does not raise L. As f(S') - "
        "f(S) = (w + δ)(L(new share) - L(old share)) + δ L(old share), Δ is at most the absolute value of "
        "the first part plus the second, which is (w + δ)(L(old share) - L(new share)) + δ L(old share).",
        also_lines=(1115, 1119, 1124, 1129),
        given=_MIDDLE,
        then=both(
            risk(RICHER) <= risk(BEFORE),
            equal((w + delta) * risk(RICHER) - w * risk(BEFORE), _REWRITTEN),
            CHANGE_RICHER <= absolute((w + delta) * (risk(RICHER) - risk(BEFORE))) + _TAIL,
            equal(absolute((w + delta) * (risk(RICHER) - risk(BEFORE))) + _TAIL, _TURNED),
            CHANGE_RICHER <= _TURNED,
        ),
        proof=by_z3(Mirror("L", RICHER), Chord("L", 1 - RICHER, BEFORE, RICHER), nonnegative(BEFORE)),
        control=CHANGE_RICHER <= _TURNED - _TAIL,
    ),
    paper.Equation(
        "eq46",
        "In the middle case of A2 and B1 with w^1/w ≥ 1/2, Δ ≤ (w + δ) L(d) + δ L(w^1/w) with d = new "
        "share - old share = δ (w - w^1)/(w (w + δ)); u = δ (w - w^1)/w and v = w + δ may be put into "
        "(C), so that Δ ≤ (m + 1) L(1/(m + 1)) + δ L(w^1/w) ≤ (m + 1) L(1/(m + 1)) + 1.",
        also_lines=(1139, 1143, 1148, 1152),
        given=(*_UPPER, *SIZE),
        then=both(
            CHANGE_RICHER <= (w + delta) * risk(RICHER - BEFORE) + _TAIL,
            CHANGE_RICHER <= (w + delta) * risk(RISE) + _TAIL,
            0 < delta * (w - w1) / w,
            delta * (w - w1) / w <= delta,
            delta * (w - w1) / w <= w + delta,
            w + delta <= m + 1,
            equal(delta * (w - w1) / w / (w + delta), RISE),
            CHANGE_RICHER <= NEXT + _TAIL,
            NEXT + _TAIL <= NEXT + delta,
            NEXT + delta <= NEXT + 1,
        ),
        proof=by_z3(
            _DISTANCE,
            Use("lemI2.B.upper", {"p": RICHER, "q": BEFORE}),
            close(BEFORE, RICHER),
            small(delta * (w - w1) / w, w + delta),
            greatest(BEFORE),
        ),
        control=CHANGE_RICHER <= NEXT / 4,
        remark="In truth v ≤ m: the m examples of S' weigh at most m.",
    ),
    meant.Text(
        "th3P.A2B1.middle.passes-half",
        "In the middle case of A2 and B1, |u| < (δ/2) w/(2w + δ) with u = w^1 - w/2, a share w^1/w < 1/2 "
        "becomes > 1/2.",
        label="eqPROP11",
        line=1157,
        claim=Claim(_LOWER, HALF < RICHER),
        proofs=(Sum(), Smt()),
        control=Fraction(3, 5) < RICHER,
    ),
    paper.Text(
        "th3P.A2B1.middle.side-condition",
        "The step δ (w - w^1)/(w (w + δ)), at which (D) of Lemma lemI2 is used, is ≤ 1/2, as (D) needs.",
        label="eqTHF1",
        line=1193,
        claim=Claim(_LOWER, RISE <= HALF),
        refutation=Counterexample(
            at(w=Fraction(1, 4), w1=Fraction(1, 20), delta=1), at(w=2, w1=Fraction(9, 10), delta=1), SQUARE
        ),
        correction="eq47",
        severity=Severity.GAP,
        remark="16/25 against 1/2. For δ > 2 w the step can leave the domain of L (th3P.A2B1.middle.step); "
        "(D) used at the new share itself gives the bound.",
    ),
    paper.Text(
        "th3P.A2B1.middle.step",
        "For δ ≤ 2 w the step δ (w - w^1)/(w (w + δ)) of the middle case of A2 and B1 is ≤ 1/2.",
        label="eqTHF1",
        line=1193,
        claim=Claim(_LOWER, RISE <= HALF),
        added=(delta <= 2 * w,),
        hypothesis="δ ≤ 2 w",
        without=Counterexample(
            at(w=Fraction(1, 4), w1=Fraction(1, 20), delta=1), at(w=2, w1=Fraction(9, 10), delta=1), SQUARE
        ),
        proofs=(Sum(), Smt()),
        control=RISE <= Fraction(1, 3),
    ),
    paper.Equation(
        "eq47",
        "In the middle case of A2 and B1 with w^1/w < 1/2 the new share is at most 1/2 + d, where d = δ "
        "(w - w^1)/(w (w + δ)), and Δ ≤ (w + δ)(L(1/2) - L(new share)) + δ L(w^1/w) ≤ (w + δ) 2 d + δ "
        "L(w^1/w) = 2 δ (1 - w^1/w) + δ L(w^1/w) ≤ 3 δ ≤ 3, for every δ.",
        also=("eqCOND14", "eqTHF1"),
        also_lines=(1162, 1167, 1172, 1178, 1184, 1187, 1188, 1193),
        given=_LOWER,
        then=both(
            RICHER <= HALF + RISE,
            CHANGE_RICHER <= (w + delta) * (risk(HALF) - risk(RICHER)) + _TAIL,
            CHANGE_RICHER <= (w + delta) * (2 * RISE) + _TAIL,
            equal((w + delta) * (2 * RISE) + _TAIL, 2 * delta * (1 - BEFORE) + _TAIL),
            2 * delta * (1 - BEFORE) + _TAIL <= 3 * delta,
            3 * delta <= 3,
            CHANGE_RICHER <= 3 * delta,
        ),
        proof=by_z3(Mirror("L", RICHER), _DISTANCE, greatest(BEFORE), steep(1 - RICHER)),
        control=2 * delta * (1 - BEFORE) + _TAIL <= 2 * delta,
    ),
)

_AS_NEGATIVE = absolute((w + delta) * risk((w - w1) / (w + delta)) - w * risk((w - w1) / w))

_HIGH_ENTRIES = (
    paper.Text(
        "th3P.A2B1.high.same-case",
        "In case A2 and B1, where weight δ of class 1 enters, and for u = w^1 - w/2 ≥ (δ/2) w/(2w + δ), "
        "putting class -1 in the place of class 1 leads to the same case A2 and B1 with u ≤ -(δ/2) w/(2w + "
        "δ) and the same Δ.",
        line=1195,
        given=_HIGH,
        then=both(
            (w - w1) - w / 2 <= -TURN,
            equal(
                CHANGE_RICHER,
                absolute((w + delta) * risk((w - w1 + delta) / (w + delta)) - w * risk((w - w1) / w)),
            ),
        ),
        refutation=Counterexample(at(w=1, w1=1, delta=1), at(w=10, w1=6, delta=1), FLAT),
        correction="th3P.A2B1.high.mirror",
        severity=Severity.SLIP,
        remark="Δ = |2 L(1) - L(1)| = 0 against |2 L(1/2) - L(0)| = 2, for a leaf of class 1 only. The "
        "weight of class -1 does not change here, so the mirror image is in case A2 and B2.",
    ),
    meant.Text(
        "th3P.A2B1.high.mirror",
        "In case A2 and B1 with u ≥ (δ/2) w/(2w + δ), exchanging the classes leads to the case A2 and B2 "
        "with u ≤ -(δ/2) w/(2w + δ) and the same Δ.",
        line=1195,
        claim=Claim(_HIGH, both((w - w1) - w / 2 <= -TURN, equal(CHANGE_RICHER, _AS_NEGATIVE))),
        proof=by_z3(Mirror("L", BEFORE), Mirror("L", RICHER)),
        control=both((w - w1) - w / 2 <= -2 * TURN, equal(CHANGE_RICHER, _AS_NEGATIVE)),
    ),
    paper.Step(
        "th3P.A2B1.high",
        "In case A2 and B1 with u ≥ (δ/2) w/(2w + δ), m ≥ 2 and w ≤ m, Δ ≤ (m + 1) L(1/(m + 1)) + 1.",
        line=1195,
        claim=Claim((*_HIGH, *SIZE), CHANGE_RICHER <= NEXT + 1),
        proof=by_z3(Use("th3P.A2B1.high.mirror"), Use("eq48", {"w1": w - w1})),
        control=CHANGE_RICHER <= NEXT / 4,
    ),
)

ENTRIES: tuple[Entry, ...] = (*_MIDDLE_ENTRIES, *_HIGH_ENTRIES)
