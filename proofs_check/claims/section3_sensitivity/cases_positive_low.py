"""Theorem th3P, case A2 and B1, where class 1 is the minority: weight delta of class 1 enters the leaf."""

from __future__ import annotations

from fractions import Fraction

from privboost.proofs_check.claims.common import FLAT, HALF
from privboost.proofs_check.entry import Entry, Severity
from privboost.proofs_check.kernel.certificates import Chord, Mirror
from privboost.proofs_check.kernel.terms import Claim
from privboost.proofs_check.language import both, either, equal, risk
from privboost.proofs_check.proofs import Counterexample, Identity, Smt, Use

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
    delta,
    equivalent,
    greatest,
    m,
    nonnegative,
    rising,
    steep,
    w,
    w1,
    x0,
    x1,
    y0,
    y1,
)

_LOW = (*ENTER, EXCESS <= -TURN)
_BELOW = (*_LOW, RICHER <= HALF)
_PASSING = (*_LOW, HALF < RICHER)
_CONDITIONS = (HALF <= RICHER, BEFORE <= HALF, RICHER - HALF <= HALF - BEFORE)
_TAIL = delta * risk(BEFORE)
_NEW = delta / (w + delta)

_ORDER = Use("th3P.A2B1.low.order", {})

_ORDER_ENTRIES = (
    Entry(
        "th3P.A2B1.no-flip",
        "If the weight of the leaf and of class 1 change by the same δ ≠ 0, the example has class 1 in both "
        "samples, as far as it is in the leaf: no class is flipped.",
        "text",
        label="th3P",
        line=983,
        claim=Claim(
            (
                *(0 <= x1, 0 <= x0, 0 <= y1, 0 <= y0),
                *(either(equal(x1, 0), equal(x0, 0)), either(equal(y1, 0), equal(y0, 0))),
                *(equal(y1 + y0 - x1 - x0, delta), equal(y1 - x1, delta), 0 < delta),
            ),
            both(equal(x0, 0), equal(y0, 0)),
        ),
        proofs=(Smt(),),
        control=both(equal(x1, 0), equal(y0, 0)),
    ),
    Entry(
        "th3P.A2B1.low.order",
        "For u ≤ -(δ/2) w/(2w + δ) the new weight does not lower L.",
        "step",
        label="th3P",
        line=986,
        claim=Claim(_LOW, risk(BEFORE) <= risk(RICHER)),
        proofs=(Smt((Mirror("L", BEFORE), Chord("L", BEFORE, RICHER, 1 - BEFORE))),),
        control=risk(RICHER) <= risk(BEFORE),
    ),
    Entry(
        "th3P.A2B1.low.sufficient",
        "That the new share is ≤ 1/2 suffices for the new weight not to lower L, without any condition on u.",
        "step",
        label="th3P",
        line=990,
        claim=Claim((*ENTER, RICHER <= HALF), risk(BEFORE) <= risk(RICHER)),
        proofs=(Smt(uses=(rising(BEFORE, RICHER),)),),
        control=risk(RICHER) <= risk(BEFORE),
    ),
    Entry(
        "th3P.A2B1.low.below-half",
        "The new share is ≤ 1/2 exactly if w^1 ≤ w/2 - δ/2, that is u ≤ -δ/2.",
        "step",
        label="th3P",
        line=993,
        also_lines=(995,),
        claim=Claim(
            ENTER,
            both(
                equivalent(RICHER <= HALF, w1 <= w / 2 - delta / 2),
                equivalent(w1 <= w / 2 - delta / 2, EXCESS <= -delta / 2),
            ),
        ),
        proofs=(Smt(),),
        control=equivalent(RICHER <= HALF, w1 <= w / 2 - delta),
    ),
    Entry(
        "th3P.A2B1.low.conditions",
        "The three displayed conditions together suffice too: the new share is ≥ 1/2, the old one ≤ 1/2, and "
        "the new one not farther from 1/2.",
        "step",
        label="eqB11",
        line=1003,
        claim=Claim((*ENTER, *_CONDITIONS), risk(BEFORE) <= risk(RICHER)),
        proofs=(Smt((Mirror("L", BEFORE), Chord("L", BEFORE, RICHER, 1 - BEFORE))),),
        control=risk(RICHER) <= risk(BEFORE),
    ),
    Entry(
        "eqBM1",
        "The first of them says u ≥ -δ/2.",
        "equation",
        label="eqBM1",
        line=1000,
        also_lines=(1005,),
        claim=Claim(ENTER, equivalent(_CONDITIONS[0], -delta / 2 <= EXCESS)),
        proofs=(Smt(),),
        control=equivalent(_CONDITIONS[0], -delta <= EXCESS),
    ),
    Entry(
        "eqBMZ",
        "The second says u ≤ 0.",
        "equation",
        label="eqBMZ",
        line=1001,
        also_lines=(1006,),
        claim=Claim(ENTER, equivalent(_CONDITIONS[1], EXCESS <= 0)),
        proofs=(Smt(),),
        control=equivalent(_CONDITIONS[1], EXCESS < 0),
    ),
    Entry(
        "eqB11",
        "The third says u ≤ -(δ/2) w/(2w + δ).",
        "equation",
        label="eqB11",
        line=1003,
        also_lines=(1008,),
        claim=Claim(ENTER, equivalent(_CONDITIONS[2], EXCESS <= -TURN)),
        proofs=(Smt(),),
        control=equivalent(_CONDITIONS[2], EXCESS <= -2 * TURN),
    ),
    Entry(
        "th3P.A2B1.low.interval",
        "The new share is ≥ 1/2, the old one ≤ 1/2 and not closer to it, if u lies strictly between -δ/2 "
        "and -(δ/2) w/(2w + δ).",
        "step",
        label="eqB11",
        line=1012,
        claim=Claim((*ENTER, -delta / 2 < EXCESS, EXCESS < -TURN), both(*_CONDITIONS)),
        proofs=(Smt(),),
        control=both(*_CONDITIONS, EXCESS <= -delta / 2),
    ),
    Entry(
        "th3P.A2B1.low.closed-union",
        "The interval -δ/2 < u ≤ -(δ/2) w/(2w + δ) and u ≤ -δ/2 together make up the condition u ≤ -(δ/2) "
        "w/(2w + δ) of the case.",
        "step",
        label="eqB11",
        line=1014,
        reading="intended",
        claim=Claim(
            ENTER,
            equivalent(
                either(EXCESS <= -delta / 2, both(-delta / 2 < EXCESS, EXCESS <= -TURN)), EXCESS <= -TURN
            ),
        ),
        proofs=(Smt(),),
        control=equivalent(
            either(EXCESS <= -delta, both(-delta / 2 < EXCESS, EXCESS <= -TURN)), EXCESS <= -TURN
        ),
    ),
    Entry(
        "th3P.A2B1.low.change",
        "In the low case of A2 and B1, where L does not fall, Δ is f(S') - f(S), without absolute value.",
        "step",
        label="th3P",
        line=1017,
        claim=Claim(_LOW, equal(CHANGE_RICHER, (w + delta) * risk(RICHER) - w * risk(BEFORE))),
        proofs=(Smt(uses=(_ORDER, nonnegative(RICHER))),),
        control=equal(CHANGE_RICHER, w * risk(BEFORE) - (w + delta) * risk(RICHER)),
    ),
)

_REWRITTEN = (w + delta) * (risk(RICHER) - risk(BEFORE)) + _TAIL
_CHANGE = Use("th3P.A2B1.low.change", {})

_LOW_ENTRIES = (
    Entry(
        "th3P.A2B1.low.shares",
        "If the new share is ≤ 1/2, the old one is not larger than it.",
        "step",
        label="th3P",
        line=1026,
        also_lines=(1024,),
        claim=Claim(_BELOW, BEFORE <= RICHER),
        proofs=(Smt(),),
        control=RICHER <= BEFORE,
    ),
    Entry(
        "th3P.A2B1.low.rewriting",
        "Δ = (w + δ)(L(new share) - L(old share)) + δ L(old share).",
        "step",
        label="th3P",
        line=1030,
        also_lines=(1064,),
        claim=Claim(_LOW, equal(CHANGE_RICHER, _REWRITTEN)),
        proofs=(Smt(uses=(_CHANGE,)),),
        control=equal(CHANGE_RICHER, _REWRITTEN + _TAIL),
    ),
    Entry(
        "th3P.A2B1.low.smaller-share",
        "If the new share is ≤ 1/2, L(w^1/w) may be replaced by L(w^1/(w + δ)) in the difference.",
        "step",
        label="eqBEF1",
        line=1034,
        claim=Claim(_BELOW, CHANGE_RICHER <= (w + delta) * (risk(RICHER) - risk(POORER)) + _TAIL),
        proofs=(Smt(uses=(_CHANGE, rising(POORER, BEFORE))),),
        control=CHANGE_RICHER <= (w + delta) * (risk(RICHER) - risk(POORER)),
    ),
    Entry(
        "th3P.A2B1.low.difference",
        "By (B) then Δ ≤ (w + δ) L(δ/(w + δ)) + δ L(w^1/w).",
        "step",
        label="eqBEF1",
        line=1038,
        claim=Claim(_BELOW, CHANGE_RICHER <= (w + delta) * risk(_NEW) + _TAIL),
        proofs=(
            Smt(
                uses=(
                    Use("th3P.A2B1.low.smaller-share", {}),
                    Use("lemI2.B", {"p": POORER, "q": RICHER}),
                )
            ),
        ),
        control=CHANGE_RICHER <= (w + delta) * risk(_NEW) - _TAIL,
    ),
    Entry(
        "eqBEF1",
        "In the low case of A2 and B1 with a new share ≤ 1/2, Δ ≤ (w + δ) L(δ/(w + δ)) + δ.",
        "equation",
        label="eqBEF1",
        line=1041,
        claim=Claim(_BELOW, CHANGE_RICHER <= (w + delta) * risk(_NEW) + delta),
        proofs=(Smt(uses=(Use("th3P.A2B1.low.difference", {}), greatest(BEFORE))),),
        control=CHANGE_RICHER <= (w + delta) * risk(_NEW) - delta,
        remark="Not sharp: Δ ≤ (w + δ) L(δ/(w + δ)) holds without the last δ.",
    ),
    Entry(
        "th3P.A2B1.low.no-tail",
        "Δ ≤ (w + δ) L(δ/(w + δ)) already, whatever u is.",
        "lemma",
        label="eqBEF1",
        line=1041,
        reading="ours",
        claim=Claim(ENTER, CHANGE_RICHER <= (w + delta) * risk(_NEW)),
        proofs=(
            Smt(
                uses=(
                    Use("th3P.rays", {"p": BEFORE, "q": RICHER}),
                    Use("th3P.rays", {"p": _NEW, "q": RICHER}),
                    nonnegative(_NEW),
                )
            ),
        ),
        control=2 * CHANGE_RICHER <= (w + delta) * risk(_NEW),
    ),
    Entry(
        "th3P.A2B1.low.grow",
        "(w + δ) L(δ/(w + δ)) ≤ (m + 1) L(δ/(m + 1)) for w ≤ m.",
        "step",
        label="eq44",
        line=1045,
        claim=Claim((*ENTER, *SIZE), (w + delta) * risk(_NEW) <= (m + 1) * risk(delta / (m + 1))),
        proofs=(Smt(uses=(Use("lemI", {"u": delta, "v": w + delta, "v2": m + 1}),)),),
        control=2 * (w + delta) * risk(_NEW) <= (m + 1) * risk(delta / (m + 1)),
    ),
    Entry(
        "th3P.A2B1.low.unit",
        "(m + 1) L(δ/(m + 1)) ≤ (m + 1) L(1/(m + 1)), because 1/(m + 1) ≤ 1/2.",
        "step",
        label="eq44",
        line=1049,
        also_lines=(1052,),
        claim=Claim((*ENTER, *SIZE), both(1 / (m + 1) <= HALF, (m + 1) * risk(delta / (m + 1)) <= NEXT)),
        proofs=(Smt(uses=(rising(delta / (m + 1), 1 / (m + 1)),)),),
        control=both(1 / (m + 1) <= HALF, 2 * (m + 1) * risk(delta / (m + 1)) <= NEXT),
    ),
    Entry(
        "eq44",
        "If the new share is ≤ 1/2, Δ ≤ (m + 1) L(1/(m + 1)) + 1.",
        "equation",
        label="eq44",
        line=1056,
        claim=Claim((*_BELOW, *SIZE), CHANGE_RICHER <= NEXT + 1),
        proofs=(
            Smt(
                uses=(
                    Use("eqBEF1", {}),
                    Use("th3P.A2B1.low.grow", {}),
                    Use("th3P.A2B1.low.unit", {}),
                )
            ),
        ),
        control=CHANGE_RICHER <= NEXT - 1,
    ),
    Entry(
        "eqBM2",
        "If the new share is > 1/2, L of it may be replaced by L(1/2).",
        "equation",
        label="eqBM2",
        line=1060,
        also_lines=(1068,),
        claim=Claim(_PASSING, CHANGE_RICHER <= (w + delta) * (risk(HALF) - risk(BEFORE)) + _TAIL),
        proofs=(Smt(uses=(_CHANGE, greatest(RICHER))),),
        control=CHANGE_RICHER <= (w + delta) * (risk(HALF) - risk(BEFORE)),
    ),
    Entry(
        "eqSZ1",
        "With v = 1/2 - w^1/w, (w + δ)(L(1/2) - L(w^1/w)) + δ L(w^1/w) is (w + δ)(L(1/2) - L(1/2 - v)) + δ "
        "L(w^1/w).",
        "equation",
        label="eqSZ1",
        line=1075,
        also_lines=(1079,),
        claim=Claim(
            _PASSING,
            both(
                equal(risk(BEFORE), risk(HALF - (HALF - BEFORE))),
                CHANGE_RICHER <= (w + delta) * (risk(HALF) - risk(HALF - (HALF - BEFORE))) + _TAIL,
            ),
        ),
        proofs=(Smt(uses=(Use("eqBM2", {}),)),),
        control=CHANGE_RICHER <= (w + delta) * (risk(HALF) - risk(HALF - (HALF - BEFORE))),
    ),
    Entry(
        "eqCOND12",
        "(w^1 + δ)/(w + δ) = w^1/w + δ (w - w^1)/(w (w + δ)).",
        "equation",
        label="eqCOND12",
        line=1084,
        claim=Claim(ENTER, equal(RICHER, BEFORE + RISE)),
        proofs=(Identity(), Smt()),
        control=equal(RICHER, BEFORE - RISE),
    ),
    Entry(
        "eqCOND13",
        "A share that passes 1/2 was at least 1/2 - δ (w - w^1)/(w (w + δ)).",
        "equation",
        label="eqCOND13",
        line=1089,
        also_lines=(1086,),
        claim=Claim((*_PASSING, BEFORE <= HALF), HALF - RISE <= BEFORE),
        proofs=(Smt(),),
        control=HALF - RISE / 2 <= BEFORE,
    ),
    Entry(
        "th3P.A2B1.low.v",
        "v = 1/2 - w^1/w is ≤ δ (w - w^1)/(w (w + δ)), where the new share is > 1/2.",
        "step",
        label="eqCOND13",
        line=1093,
        claim=Claim(_PASSING, HALF - BEFORE <= RISE),
        proofs=(Smt(),),
        control=HALF - BEFORE <= RISE / 2,
    ),
    Entry(
        "th3P.A2B1.low.by-v",
        "Δ ≤ (w + δ) 2 δ (w - w^1)/(w (w + δ)) + δ L(w^1/w).",
        "step",
        label="eq45",
        line=1097,
        claim=Claim(_PASSING, CHANGE_RICHER <= (w + delta) * (2 * RISE) + _TAIL),
        proofs=(Smt(uses=(Use("eqBM2", {}), Use("th3P.A2B1.low.v", {}), steep(BEFORE))),),
        control=CHANGE_RICHER <= (w + delta) * RISE + _TAIL / 2,
    ),
    Entry(
        "th3P.A2B1.low.replaced",
        "The bound (w + δ) 2 δ (w - w^1)/(w (w + δ)) + δ L(w^1/w) equals 2 δ (1 - w^1/w) + δ.",
        "step",
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
    Entry(
        "eq45",
        "The bound (w + δ) 2 δ (w - w^1)/(w (w + δ)) + δ L(w^1/w) is at most 2 δ (1 - w^1/w) + δ ≤ 3 δ ≤ 3, "
        "so that Δ ≤ 3 in this sub-case.",
        "equation",
        label="eq45",
        line=1102,
        reading="intended",
        claim=Claim(
            _PASSING,
            both(
                (w + delta) * (2 * RISE) + _TAIL <= 2 * delta * (1 - BEFORE) + delta,
                2 * delta * (1 - BEFORE) + delta <= 3 * delta,
                3 * delta <= 3,
                CHANGE_RICHER <= 3 * delta,
            ),
        ),
        proofs=(Smt(uses=(Use("th3P.A2B1.low.by-v", {}), greatest(BEFORE))),),
        control=2 * delta * (1 - BEFORE) + delta <= 2 * delta,
    ),
)

ENTRIES: tuple[Entry, ...] = (*_ORDER_ENTRIES, *_LOW_ENTRIES)
