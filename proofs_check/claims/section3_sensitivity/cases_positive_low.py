"""Theorem th3P, case A2 and B1, where class 1 is the minority: weight delta of class 1 enters the leaf."""

from __future__ import annotations

from fractions import Fraction

from privboost.proofs_check import meant, ours, paper
from privboost.proofs_check.claims.common import FLAT, HALF
from privboost.proofs_check.entry import Entry, Severity
from privboost.proofs_check.kernel.certificates import Chord, Mirror
from privboost.proofs_check.kernel.terms import Claim
from privboost.proofs_check.language import both, either, equal, implies, reals, risk
from privboost.proofs_check.proofs import Counterexample, Use, by_z3

from .terms import (
    BEFORE,
    CHANGE_RICHER,
    ENTER,
    EXCESS,
    NEXT,
    POORER,
    RICHER,
    RISE,
    SIZE,
    TURN,
    at,
    equivalent,
    greatest,
    nonnegative,
    rising,
    steep,
)

delta, m, w, w1, x0, x1, y0, y1 = reals("delta m w w1 x0 x1 y0 y1")

_LOW = (*ENTER, EXCESS <= -TURN)
_BELOW = (*_LOW, RICHER <= HALF)
_PASSING = (*_LOW, HALF < RICHER)
_CONDITIONS = (HALF <= RICHER, BEFORE <= HALF, RICHER - HALF <= HALF - BEFORE)
_TAIL = delta * risk(BEFORE)
_NEW = delta / (w + delta)
_REWRITTEN = (w + delta) * (risk(RICHER) - risk(BEFORE)) + _TAIL


_ORDER_ENTRIES = (
    paper.Text(
        "th3P.A2B1.no-flip",
        "If the weight of the leaf and of class 1 grow by the same δ > 0, the example has class 1 in both "
        "samples, as far as it is in the leaf: no class is flipped.",
        line=983,
        given=(
            *(0 <= x1, 0 <= x0, 0 <= y1, 0 <= y0),
            *(either(equal(x1, 0), equal(x0, 0)), either(equal(y1, 0), equal(y0, 0))),
            *(equal(y1 + y0 - x1 - x0, delta), equal(y1 - x1, delta), 0 < delta),
        ),
        then=both(equal(x0, 0), equal(y0, 0)),
        control=both(equal(x1, 0), equal(y0, 0)),
    ),
    paper.Step(
        "th3P.A2B1.low.sufficient",
        "That the new share is ≤ 1/2 suffices for the new weight not to lower L, without any condition on u.",
        line=990,
        claim=Claim((*ENTER, RICHER <= HALF), risk(BEFORE) <= risk(RICHER)),
        proof=by_z3(rising(BEFORE, RICHER)),
        control=risk(RICHER) <= risk(BEFORE),
    ),
    paper.Step(
        "th3P.A2B1.low.conditions",
        "The three displayed conditions together suffice too: the new share is ≥ 1/2, the old one ≤ 1/2, and "
        "the new one not farther from 1/2.",
        label="eqB11",
        claim=Claim((*ENTER, *_CONDITIONS), risk(BEFORE) <= risk(RICHER)),
        proof=by_z3(Mirror("L", BEFORE), Chord("L", BEFORE, RICHER, 1 - BEFORE)),
        control=risk(RICHER) <= risk(BEFORE),
    ),
    paper.Equation(
        "eqB11",
        "The new share is ≤ 1/2 exactly if u ≤ -δ/2. Of the three displayed conditions the first, a new "
        "share ≥ 1/2, says u ≥ -δ/2; the second, an old share ≤ 1/2, u ≤ 0; the third, the new one not "
        "farther from 1/2, u ≤ -(δ/2) w/(2w + δ). All hold if u is strictly between -δ/2 and -(δ/2) "
        "w/(2w + δ).",
        also=("th3P", "eqBM1", "eqBMZ"),
        also_lines=(993, 995, 1000, 1001, 1005, 1006, 1008, 1012),
        given=ENTER,
        then=both(
            equivalent(RICHER <= HALF, w1 <= w / 2 - delta / 2),
            equivalent(w1 <= w / 2 - delta / 2, EXCESS <= -delta / 2),
            implies(both(-delta / 2 < EXCESS, EXCESS < -TURN), both(*_CONDITIONS)),
            equivalent(_CONDITIONS[0], -delta / 2 <= EXCESS),
            equivalent(_CONDITIONS[1], EXCESS <= 0),
            equivalent(_CONDITIONS[2], EXCESS <= -TURN),
        ),
        control=equivalent(_CONDITIONS[2], EXCESS <= -2 * TURN),
    ),
    meant.Step(
        "th3P.A2B1.low.closed-union",
        "The interval -δ/2 < u ≤ -(δ/2) w/(2w + δ) and u ≤ -δ/2 together make up the condition u ≤ -(δ/2) "
        "w/(2w + δ) of the case.",
        label="eqB11",
        line=1014,
        given=ENTER,
        then=equivalent(
            either(EXCESS <= -delta / 2, both(-delta / 2 < EXCESS, EXCESS <= -TURN)), EXCESS <= -TURN
        ),
        control=equivalent(
            either(EXCESS <= -delta, both(-delta / 2 < EXCESS, EXCESS <= -TURN)), EXCESS <= -TURN
        ),
    ),
    paper.Step(
        "th3P.A2B1.low.change",
        "In the low case of A2 and B1, u ≤ -(δ/2) w/(2w + δ), the new weight does not lower L, and Δ is "
        "f(S') - f(S) = (w + δ)(L(new share) - L(old share)) + δ L(old share), without absolute value.",
        lines=(1017, 986, 1030, 1064),
        given=_LOW,
        then=both(
            risk(BEFORE) <= risk(RICHER),
            equal(CHANGE_RICHER, (w + delta) * risk(RICHER) - w * risk(BEFORE)),
            equal(CHANGE_RICHER, _REWRITTEN),
        ),
        proof=by_z3(Mirror("L", BEFORE), Chord("L", BEFORE, RICHER, 1 - BEFORE), nonnegative(RICHER)),
        control=equal(CHANGE_RICHER, w * risk(BEFORE) - (w + delta) * risk(RICHER)),
    ),
)

_CHANGE = Use("th3P.A2B1.low.change")

_LOW_ENTRIES = (
    paper.Equation(
        "eqBEF1",
        "In the low case of A2 and B1 with a new share ≤ 1/2 the old one is not larger. With L(w^1/(w + "
        "δ)) in the place of L(w^1/w) in the difference, and (B), Δ ≤ (w + δ) L(δ/(w + δ)) + δ L(w^1/w) "
        "≤ (w + δ) L(δ/(w + δ)) + δ.",
        also=("th3P",),
        also_lines=(1024, 1026, 1034, 1038),
        given=_BELOW,
        then=both(
            BEFORE <= RICHER,
            CHANGE_RICHER <= (w + delta) * (risk(RICHER) - risk(POORER)) + _TAIL,
            CHANGE_RICHER <= (w + delta) * risk(_NEW) + _TAIL,
            CHANGE_RICHER <= (w + delta) * risk(_NEW) + delta,
        ),
        proof=by_z3(
            _CHANGE, rising(POORER, BEFORE), Use("lemI2.B", {"p": POORER, "q": RICHER}), greatest(BEFORE)
        ),
        control=CHANGE_RICHER <= (w + delta) * risk(_NEW) - delta,
        remark="Not sharp: Δ ≤ (w + δ) L(δ/(w + δ)) holds without the last δ.",
    ),
    ours.Lemma(
        "th3P.A2B1.low.no-tail",
        "In case A2 and B1, Δ ≤ (w + δ) L(δ/(w + δ)) whatever u is.",
        label="eqBEF1",
        claim=Claim(ENTER, CHANGE_RICHER <= (w + delta) * risk(_NEW)),
        proof=by_z3(
            Use("th3P.rays", {"p": BEFORE, "q": RICHER}),
            Use("th3P.rays", {"p": _NEW, "q": RICHER}),
            nonnegative(_NEW),
        ),
        control=2 * CHANGE_RICHER <= (w + delta) * risk(_NEW),
    ),
    paper.Equation(
        "eq44",
        "In the low case of A2 and B1 with a new share ≤ 1/2, m ≥ 2 and w ≤ m, (w + δ) L(δ/(w + δ)) ≤ "
        "(m + 1) L(δ/(m + 1)), which is ≤ (m + 1) L(1/(m + 1)) because 1/(m + 1) ≤ 1/2. So "
        "Δ ≤ (m + 1) L(1/(m + 1)) + 1.",
        also_lines=(1045, 1049, 1052),
        given=(*_BELOW, *SIZE),
        then=both(
            (w + delta) * risk(_NEW) <= (m + 1) * risk(delta / (m + 1)),
            1 / (m + 1) <= HALF,
            (m + 1) * risk(delta / (m + 1)) <= NEXT,
            CHANGE_RICHER <= NEXT + 1,
        ),
        proof=by_z3(
            Use("lemI", {"u": delta, "v": w + delta, "v2": m + 1}),
            rising(delta / (m + 1), 1 / (m + 1)),
            Use("eqBEF1"),
        ),
        control=CHANGE_RICHER <= NEXT - 1,
    ),
    paper.Equation(
        "eqCOND13",
        "(w^1 + δ)/(w + δ) = w^1/w + δ (w - w^1)/(w (w + δ)), so a share that passes 1/2 was at least "
        "1/2 - δ (w - w^1)/(w (w + δ)).",
        also=("eqCOND12",),
        also_lines=(1084, 1086),
        claim=Claim(ENTER, both(equal(RICHER, BEFORE + RISE), implies(HALF < RICHER, HALF - RISE <= BEFORE))),
        control=implies(HALF < RICHER, HALF - RISE / 2 <= BEFORE),
    ),
    paper.Step(
        "th3P.A2B1.low.replaced",
        "The bound (w + δ) 2 δ (w - w^1)/(w (w + δ)) + δ L(w^1/w) equals 2 δ (1 - w^1/w) + δ.",
        label="eq45",
        line=1100,
        claim=Claim(_PASSING, equal((w + delta) * (2 * RISE) + _TAIL, 2 * delta * (1 - BEFORE) + delta)),
        refutation=Counterexample(
            at(w=1, w1=Fraction(1, 5), delta=1), at(w=1, w1=Fraction(1, 3), delta=1), FLAT
        ),
        correction="eq45",
        severity=Severity.SLIP,
        remark="2.4 against 2.6, for L(1/5) = 4/5: δ L(w^1/w) has become δ, an inequality, because L ≤ 1, "
        "not an equation.",
    ),
    meant.Equation(
        "eq45",
        "In the low case of A2 and B1 with a new share > 1/2, v = 1/2 - w^1/w is ≤ d = δ (w - w^1)/(w (w "
        "+ δ)), and Δ ≤ (w + δ)(L(1/2) - L(w^1/w)) + δ L(w^1/w), where L(w^1/w) is L(1/2 - v). So Δ ≤ (w "
        "+ δ) 2 d + δ L(w^1/w) ≤ 2 δ (1 - w^1/w) + δ ≤ 3 δ ≤ 3.",
        also=("eqBM2", "eqSZ1", "eqCOND13"),
        also_lines=(1060, 1068, 1075, 1079, 1093, 1097),
        given=_PASSING,
        then=both(
            CHANGE_RICHER <= (w + delta) * (risk(HALF) - risk(BEFORE)) + _TAIL,
            equal(risk(BEFORE), risk(HALF - (HALF - BEFORE))),
            CHANGE_RICHER <= (w + delta) * (risk(HALF) - risk(HALF - (HALF - BEFORE))) + _TAIL,
            HALF - BEFORE <= RISE,
            CHANGE_RICHER <= (w + delta) * (2 * RISE) + _TAIL,
            (w + delta) * (2 * RISE) + _TAIL <= 2 * delta * (1 - BEFORE) + delta,
            2 * delta * (1 - BEFORE) + delta <= 3 * delta,
            3 * delta <= 3,
            CHANGE_RICHER <= 3 * delta,
        ),
        proof=by_z3(_CHANGE, greatest(RICHER), steep(BEFORE), greatest(BEFORE)),
        control=2 * delta * (1 - BEFORE) + delta <= 2 * delta,
    ),
)

ENTRIES: tuple[Entry, ...] = (*_ORDER_ENTRIES, *_LOW_ENTRIES)
