"""Theorem th3P, case A1: the leaf keeps its weight, and weight delta may change its class."""

from __future__ import annotations

from fractions import Fraction

from privboost.proofs_check import meant, paper
from privboost.proofs_check.claims.common import HALF, SQUARE
from privboost.proofs_check.entry import Entry, Severity
from privboost.proofs_check.kernel.certificates import Chord, Mirror
from privboost.proofs_check.kernel.terms import Claim
from privboost.proofs_check.language import absolute, both, equal, implies, risk
from privboost.proofs_check.proofs import Counterexample, Use, by_z3

from .terms import (
    BEFORE,
    CHANGE_FLIP,
    EXCESS,
    FLIP,
    FLIPPED,
    NORMAL,
    NOW,
    SIZE,
    at,
    delta,
    greatest,
    m,
    nonnegative,
    rising,
    steep,
    w,
    w1,
)

_LOW = (*FLIP, EXCESS <= -delta / 2)
_NEAR = (*_LOW, HALF < FLIPPED)
_MIDDLE = (*FLIP, -delta / 2 < EXCESS, EXCESS < delta / 2)
_HIGH = (*FLIP, delta / 2 <= EXCESS)
_V = (w - 2 * w1) / (2 * w)
_ABOVE = (2 * w1 + 2 * delta - w) / (2 * w)

_ORDER = Use("th3P.A1B1.low.order")

_LOW_ENTRIES = (
    paper.Step(
        "th3P.A1B1.low.order",
        "For u ≤ -δ/2 the flip does not lower L, so that Δ is w times the difference of L, without absolute "
        "value: w^1 + δ ≤ w/2 if u ≤ -δ, and otherwise the share passes 1/2 and is then no farther from it.",
        lines=(889, 884, 886, 893),
        given=_LOW,
        then=both(
            implies(EXCESS <= -delta, w1 + delta <= w / 2),
            implies(-delta < EXCESS, both(BEFORE <= HALF, HALF < FLIPPED, FLIPPED - HALF <= HALF - BEFORE)),
            risk(BEFORE) <= risk(FLIPPED),
            equal(CHANGE_FLIP, w * absolute(risk(FLIPPED) - risk(BEFORE))),
            equal(CHANGE_FLIP, w * (risk(FLIPPED) - risk(BEFORE))),
        ),
        proof=by_z3(Mirror("L", BEFORE), Chord("L", BEFORE, FLIPPED, 1 - BEFORE)),
        control=risk(FLIPPED) <= risk(BEFORE),
    ),
    paper.Equation(
        "eq2",
        "For u ≤ -δ/2 and a new share (w^1 + δ)/w ≤ 1/2, Δ ≤ w L(δ/w), the perspective at (δ, w).",
        line=902,
        claim=Claim((*_LOW, FLIPPED <= HALF), CHANGE_FLIP <= w * risk(delta / w)),
        proof=by_z3(_ORDER, Use("lemI2.B", {"p": BEFORE, "q": FLIPPED})),
        control=2 * CHANGE_FLIP <= w * risk(delta / w),
    ),
    paper.Step(
        "eq4.weight",
        "If the weight of m - 1 examples is at most m - 1, that of a leaf with m is at most m: the m-th adds "
        "at most 1.",
        line=905,
        claim=Claim((1 <= m, 0 <= w1, w1 <= m - 1, 0 < delta, delta <= 1, equal(w, w1 + delta)), w <= m),
        control=w < m,
        remark="w^1 stands for the weight without the last example here, and δ for that example's.",
    ),
    paper.Equation(
        "eq4",
        "For u ≤ -δ/2, a new share (w^1 + δ)/w ≤ 1/2, m ≥ 2 and δ ≤ w ≤ m, w L(δ/w) ≤ m L(1/m), and so "
        "Δ ≤ m L(1/m).",
        line=905,
        claim=Claim((*_LOW, *SIZE, FLIPPED <= HALF), both(w * risk(delta / w) <= NOW, CHANGE_FLIP <= NOW)),
        proof=by_z3(Use("eq2"), Use("lemI", {"u": delta, "v": w, "v2": m}), rising(delta / m, 1 / m)),
        control=2 * w * risk(delta / w) <= NOW,
    ),
    paper.Text(
        "eq4.reason",
        "Part (C) of Lemma lemI2, which is stated for m ≥ 2 and bounds v L(u/v) by (m + 1) L(1/(m + 1)), "
        "gives the bound m L(1/m) for every m ≥ 2: it is used with m - 1, which is ≥ 2.",
        line=909,
        claim=Claim((2 <= m,), 2 <= m - 1),
        refutation=Counterexample({"m": 2}, {"m": 3}),
        correction="lemI2.C.from-one",
        severity=Severity.GAP,
        remark="1 against 2, for m = 2. (C) holds one size earlier than stated (lemI2.C.from-one), which is "
        "enough.",
    ),
    paper.Text(
        "th3P.A1B1.low.side-condition",
        "Part (D) of Lemma lemI2, L(1/2) - L(1/2 - t) ≤ 2 t for t ≤ 1/2, may be used at t = δ/w, because "
        "w/δ ≥ 2 (w the weight of the leaf, δ what goes over to class 1).",
        label="eq42",
        line=938,
        claim=Claim(_NEAR, 2 <= w / delta),
        refutation=Counterexample(at(w=1, w1=0, delta=1), at(w=3, w1=1, delta=1), SQUARE),
        correction="eq42",
        severity=Severity.GAP,
        remark="1 against 2: a leaf with one example (w1 = 0 of class 1) whose class is flipped. (D) at v = "
        "1/2 - w^1/w, which is ≤ 1/2, gives the same bound.",
    ),
    paper.Equation(
        "eq42",
        "For u ≤ -δ/2 and a new share (w^1 + δ)/w > 1/2, v = 1/2 - w^1/w = (w - 2 w^1)/(2 w) is at most "
        "δ/w and Δ ≤ w (L(1/2) - L(1/2 - v)), so that Δ ≤ 2 δ ≤ 2, for every δ ≤ w.",
        also=("th3P",),
        also_lines=(914, 921, 927, 931, 934),
        given=_NEAR,
        then=both(
            HALF - BEFORE <= delta / w,
            CHANGE_FLIP <= w * (risk(HALF) - risk(HALF - _V)),
            _V <= delta / w,
            CHANGE_FLIP <= 2 * delta,
            2 * delta <= 2,
        ),
        proof=by_z3(_ORDER, greatest(FLIPPED), steep(BEFORE)),
        control=CHANGE_FLIP <= delta,
    ),
)

_MIDDLE_ENTRIES = (
    paper.Text(
        "th3P.A1B1.middle.v-half",
        "v = (w^1 + δ)/w - 1/2, the distance of the new share of class 1 from 1/2, is ≥ 1/2 (w and w^1: "
        "weights of the leaf and of class 1 in it, δ: what goes over to class 1).",
        line=964,
        claim=Claim(_MIDDLE, HALF <= _ABOVE),
        refutation=Counterexample(
            at(w=4, w1=2, delta=1), at(w=1, w1=Fraction(1, 4), delta=Fraction(3, 4)), SQUARE
        ),
        correction="eq43",
        severity=Severity.SLIP,
        remark="(2 + 1)/4 - 1/2 = 1/4 against 1/2. A slip: ≤ is meant and used.",
    ),
    paper.Equation(
        "eq43",
        "For |u| < δ/2 the flip does not raise L, and v = (w^1 + δ)/w - 1/2 = (2 w^1 + 2 δ - w)/(2 w) is "
        "positive and ≤ 1/2, as the symmetry of L and (D) need. Hence Δ = w (L(w^1/w) - L((w^1 + δ)/w)) "
        "≤ w (L(1/2) - L(1/2 - v)) ≤ 2 w v = 2 (u + δ) ≤ 3 δ ≤ 3.",
        also=("th3P", "eqUSE1"),
        also_lines=(944, 948, 951, 957, 961, 963, 964, 967, 971, 975),
        given=_MIDDLE,
        then=both(
            risk(FLIPPED) <= risk(BEFORE),
            equal(CHANGE_FLIP, w * (risk(BEFORE) - risk(FLIPPED))),
            CHANGE_FLIP <= w * (risk(HALF) - risk(FLIPPED)),
            equal(FLIPPED, HALF + _ABOVE),
            -delta <= -delta / 2,
            w / 2 - delta <= w1,
            0 <= _ABOVE,
            _ABOVE <= HALF,
            CHANGE_FLIP <= w * (risk(HALF) - risk(HALF - _ABOVE)),
            0 < _ABOVE,
            2 <= 1 / _ABOVE,
            w * (risk(HALF) - risk(HALF - _ABOVE)) <= w * ((2 * w1 + 2 * delta - w) / w),
            equal(w * ((2 * w1 + 2 * delta - w) / w), 2 * w1 + 2 * delta - w),
            equal(2 * w1 + 2 * delta - w, 2 * (EXCESS + delta)),
            2 * (EXCESS + delta) <= 3 * delta,
            3 * delta <= 3,
            CHANGE_FLIP <= 3 * delta,
        ),
        proof=by_z3(
            Mirror("L", FLIPPED),
            Chord("L", 1 - FLIPPED, BEFORE, FLIPPED),
            greatest(BEFORE),
            steep(HALF - _ABOVE),
        ),
        control=2 * (EXCESS + delta) <= 2 * delta,
        remark="Not sharp: Δ ≤ w L(δ/w) holds here too, by lemI2.B.everywhere.",
    ),
)

_MIRRORED = absolute(w * risk((w - w1 - delta + delta) / w) - w * risk((w - w1 - delta) / w))

_OTHER_ENTRIES = (
    meant.Text(
        "th3P.A1B1.high.mirror",
        "In case A1 and B1 with u ≥ δ/2, exchanging the classes and also S and S' leads to u ≤ -δ/2 with the "
        "same Δ: w^1 becomes w - w^1 - δ and u becomes -u - δ.",
        line=977,
        given=_HIGH,
        then=both(
            0 <= w - w1 - delta,
            equal((w - w1 - delta) - w / 2, -EXCESS - delta),
            (w - w1 - delta) - w / 2 <= -delta / 2,
            equal(CHANGE_FLIP, _MIRRORED),
        ),
        proof=by_z3(Mirror("L", BEFORE), Mirror("L", FLIPPED)),
        control=both(equal((w - w1 - delta) - w / 2, -EXCESS), equal(CHANGE_FLIP, _MIRRORED)),
    ),
    paper.Step(
        "th3P.A1B1.high",
        "In case A1 and B1 with u ≥ δ/2, m ≥ 2 and w ≤ m, Δ ≤ m L(1/m).",
        line=977,
        claim=Claim((*_HIGH, *SIZE), CHANGE_FLIP <= NOW),
        proof=by_z3(Use("th3P.A1B1.high.mirror"), Use("eq4", {"w1": w - w1 - delta})),
        control=2 * CHANGE_FLIP <= NOW,
    ),
    paper.Step(
        "th3P.A1B2",
        "If neither the weight of the leaf nor that of class 1 changes, Δ = 0 ≤ m L(1/m).",
        line=980,
        given=(0 < w, 0 <= w1, w1 <= w, *SIZE, *NORMAL),
        then=both(equal(absolute(w * risk(BEFORE) - w * risk(BEFORE)), 0), 0 <= NOW),
        proof=by_z3(nonnegative(1 / m)),
        control=both(equal(absolute(w * risk(BEFORE) - w * risk(BEFORE)), 0), 1 <= -NOW),
    ),
)

ENTRIES: tuple[Entry, ...] = (*_LOW_ENTRIES, *_MIDDLE_ENTRIES, *_OTHER_ENTRIES)
