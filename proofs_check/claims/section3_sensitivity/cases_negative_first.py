"""Theorem th3P, case A2 and B2, first part: weight delta of class -1 enters a leaf and L decreases."""

from __future__ import annotations

from fractions import Fraction

from privboost.proofs_check import meant, ours, paper
from privboost.proofs_check.claims.common import FLAT, HALF, SQUARE
from privboost.proofs_check.entry import Entry, Severity
from privboost.proofs_check.kernel.certificates import Chord, Mirror
from privboost.proofs_check.kernel.terms import Claim
from privboost.proofs_check.language import absolute, both, equal, implies, risk
from privboost.proofs_check.proofs import Counterexample, Identity, Smt, Use, by_z3

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
    equivalent,
    greatest,
    m,
    nonnegative,
    rising,
    small,
    w,
    w1,
)

_LOW = (*ENTER, EXCESS <= 2 * TURN)
_DOWN = risk(POORER) <= risk(BEFORE)
_UP = risk(BEFORE) <= risk(POORER)
_LOWER = (*_LOW, _DOWN, BEFORE <= HALF)
_NOT_FARTHER = BEFORE - HALF <= HALF - POORER
_FROM = (w + delta) * (risk(POORER) - risk(BEFORE))
_TAIL = delta * risk(BEFORE)
_STRICT = (
    implies(both(1 - BEFORE < POORER, POORER <= HALF), risk(1 - BEFORE) < risk(POORER)),
    implies(both(HALF <= POORER, POORER < BEFORE), risk(BEFORE) < risk(POORER)),
)
_STRICTLY = "L increases strictly on [0, 1/2]; flat risks exist"

_FIRST = (
    paper.Equation(
        "eqB2B",
        "Where weight δ of class -1 enters, f(S') - f(S) = (w + δ)(L(w^1/(w + δ)) - L(w^1/w)) + δ "
        "L(w^1/w), whatever u is. So Δ is at most the absolute value of the first part plus the second, "
        "which is at most δ.",
        also_lines=(1202, 1206, 1211),
        given=ENTER,
        then=both(
            equal((w + delta) * risk(POORER) - w * risk(BEFORE), _FROM + _TAIL),
            CHANGE_POORER <= absolute(_FROM) + _TAIL,
            CHANGE_POORER <= absolute(_FROM) + delta,
        ),
        proof=by_z3(nonnegative(BEFORE), greatest(BEFORE)),
        control=CHANGE_POORER <= absolute(_FROM) - delta,
    ),
    paper.Equation(
        "const1B",
        "u ≤ 0 suffices for L(w^1/(w + δ)) ≤ L(w^1/w).",
        also_lines=(1225,),
        claim=Claim((*ENTER, EXCESS <= 0), _DOWN),
        proof=by_z3(rising(POORER, BEFORE)),
        control=_UP,
    ),
    paper.Step(
        "const1B.needed",
        "For w^1/w ≥ 1/2, L(w^1/(w + δ)) ≤ L(w^1/w) needs that the new share w^1/(w + δ) is < 1/2, and not "
        "closer to 1/2 than the old one, w^1/w.",
        line=1228,
        claim=Claim((*ENTER, HALF <= BEFORE, _DOWN), both(POORER < HALF, _NOT_FARTHER)),
        refutation=Counterexample(at(w=5, w1=3, delta=1), at(w=1, w1=HALF, delta=1), FLAT),
        correction="const1B.needed-strictly",
        severity=Severity.PEDANTRY,
        remark="The shares are 3/5 and 1/2, and L = 1 at both: for risks that are flat around 1/2 nothing "
        "is needed there.",
    ),
    meant.Step(
        "const1B.needed-strictly",
        "For w^1/w ≥ 1/2 and a strictly increasing L on [0, 1/2], L(w^1/(w + δ)) ≤ L(w^1/w) needs that the "
        "new share w^1/(w + δ) is < 1/2, and not closer to 1/2 than w^1/w.",
        line=1228,
        claim=Claim((*ENTER, HALF <= BEFORE, _DOWN), both(POORER < HALF, _NOT_FARTHER)),
        added=_STRICT,
        hypothesis=_STRICTLY,
        without=Counterexample(at(w=5, w1=3, delta=1), at(w=1, w1=HALF, delta=1), FLAT),
        proof=by_z3(Mirror("L", BEFORE)),
        control=both(POORER < HALF, BEFORE - HALF < HALF - POORER),
    ),
    meant.Step(
        "const1B.enough",
        "For w^1/w ≥ 1/2 it is enough for L(w^1/(w + δ)) ≤ L(w^1/w) that w^1/(w + δ) is not closer to 1/2 "
        "than w^1/w.",
        line=1229,
        claim=Claim((*ENTER, HALF <= BEFORE, _NOT_FARTHER), both(POORER < HALF, _DOWN)),
        proof=by_z3(Mirror("L", BEFORE), rising(POORER, 1 - BEFORE)),
        control=both(POORER < HALF, _UP),
    ),
    paper.Step(
        "const1B.share",
        "w^1/(w + δ) is not closer to 1/2 than w^1/w, where 1/2 is between them, exactly if w^1/w ≤ (w + "
        "δ)/(2w + δ).",
        line=1235,
        claim=Claim(ENTER, equivalent(_NOT_FARTHER, BEFORE <= (w + delta) / (2 * w + delta))),
        control=equivalent(_NOT_FARTHER, BEFORE <= w / (2 * w + delta)),
    ),
    paper.Step(
        "const1B.difference",
        "(w + δ)/(2w + δ) - 1/2 = δ/(2w + δ).",
        line=1241,
        claim=Claim((0 < w, 0 < delta), equal((w + delta) / (2 * w + delta) - HALF, delta / (2 * w + delta))),
        refutation=Counterexample(at(w=1, delta=1), at(w=-1, delta=1)),
        correction="const1B.half-difference",
        severity=Severity.SLIP,
        remark="2/3 - 1/2 = 1/6 against 1/3: it is half of that, so the condition on u of the case is twice "
        "too wide.",
    ),
    meant.Step(
        "const1B.half-difference",
        "(w + δ)/(2w + δ) - 1/2 = (δ/2)/(2w + δ).",
        line=1241,
        given=(0 < w, 0 < delta),
        then=equal((w + delta) / (2 * w + delta) - HALF, delta / 2 / (2 * w + delta)),
        proofs=(Identity(), Smt()),
        control=equal((w + delta) / (2 * w + delta) - HALF, delta / (2 * w + delta)),
    ),
    paper.Step(
        "const1B.case",
        "The condition of the case, u = w^1 - w/2 ≤ (δ/2) 2w/(2w + δ), gives L(w^1/(w + δ)) ≤ L(w^1/w).",
        lines=(1243, 1198),
        claim=Claim(_LOW, _DOWN),
        refutation=Counterexample(at(w=1, w1=Fraction(3, 4), delta=1), at(w=1, w1=HALF, delta=1), SQUARE),
        correction="const1B.narrow-case",
        severity=Severity.GAP,
        remark="u = 1/4 ≤ 1/3, but L(3/8) = 15/16 against L(3/4) = 3/4. The rest of the case is treated "
        "under the opposite inequality, but with a wrong consequence (const1B3.imposes).",
    ),
    meant.Step(
        "const1B.narrow-case",
        "u ≤ (δ/2) w/(2w + δ) gives L(w^1/(w + δ)) ≤ L(w^1/w).",
        line=1243,
        claim=Claim((*ENTER, EXCESS <= TURN), _DOWN),
        proof=by_z3(Mirror("L", POORER), Chord("L", POORER, BEFORE, 1 - POORER)),
        control=_UP,
    ),
    paper.Equation(
        "eqB2B2",
        "In case A2 and B2, where L(w^1/(w + δ)) ≤ L(w^1/w), Δ ≤ (w + δ)(L(w^1/w) - L(w^1/(w + δ))) + δ.",
        claim=Claim((*ENTER, _DOWN), CHANGE_POORER <= -_FROM + delta),
        proof=by_z3(Use("eqB2B")),
        control=CHANGE_POORER <= -_FROM - delta,
    ),
    ours.Lemma(
        "eqB2B2.sharp",
        "In case A2 and B2, where L(w^1/(w + δ)) ≤ L(w^1/w), Δ ≤ δ: the triangle inequality gives away the "
        "rest.",
        claim=Claim((*ENTER, _DOWN), CHANGE_POORER <= delta),
        proof=by_z3(greatest(BEFORE), nonnegative(BEFORE), Use("th3P.rays", {"p": POORER, "q": BEFORE})),
        control=2 * CHANGE_POORER <= delta,
    ),
)

_LOWER_ENTRIES = (
    paper.Step(
        "th3P.A2B2.lower.difference",
        "In case A2 and B2 with w^1/w ≤ 1/2, (B) gives Δ ≤ (w + δ) L(w^1/w - w^1/(w + δ)) + δ.",
        label="eq48",
        line=1254,
        claim=Claim(_LOWER, CHANGE_POORER <= (w + delta) * risk(BEFORE - POORER) + delta),
        proof=by_z3(Use("eqB2B2"), Use("lemI2.B", {"p": POORER, "q": BEFORE})),
        control=CHANGE_POORER <= (w + delta) * risk(BEFORE - POORER) - delta,
    ),
    paper.Step(
        "th3P.A2B2.side-conditions",
        "w^1/w - w^1/(w + δ) = w^1 δ/(w (w + δ)); u = w^1 δ/w and v = w + δ may be put into (C): u ≤ 1, "
        "u ≤ δ ≤ v and v ≤ m + 1.",
        label="eq48",
        lines=(1262, 1258, 1268, 1310, 1314),
        given=(*ENTER, *SIZE),
        then=both(
            equal(BEFORE - POORER, FALL),
            equal(BEFORE, POORER + FALL),
            w1 * delta / w <= 1,
            w1 * delta / w <= delta,
            delta <= w + delta,
            w + delta <= m + 1,
            equal(w1 * delta / w / (w + delta), FALL),
        ),
        control=both(w1 * delta / w <= 1, w + delta <= m),
    ),
    paper.Text(
        "th3P.A2B2.positive-part",
        "The number w^1 δ/w, at which (C) of Lemma lemI2 is used, is > 0, as (C) asks.",
        label="eq48",
        lines=(1262, 1314),
        claim=Claim(_LOWER, 0 < w1 * delta / w),
        refutation=Counterexample(at(w=1, w1=0, delta=1), at(w=2, w1=1, delta=1), SQUARE),
        correction="lemI2.C.from-one",
        severity=Severity.PEDANTRY,
        remark="0: a leaf without class 1 (w1 = 0). (C) holds there too (lemI2.C.from-one).",
    ),
    paper.Equation(
        "eq48",
        "Δ ≤ (m + 1) L(1/(m + 1)) + 1 for w^1/w ≤ 1/2, m ≥ 2 and w ≤ m, where weight δ of class -1 enters.",
        claim=Claim((*ENTER, *SIZE, BEFORE <= HALF), CHANGE_POORER <= NEXT + 1),
        proof=by_z3(Use("eqB2B"), Use("const1B"), close(POORER, BEFORE), small(w1 * delta / w, w + delta)),
        control=CHANGE_POORER <= NEXT / 4,
        remark="Not sharp: Δ ≤ δ here (eqB2B2.sharp).",
    ),
)

ENTRIES: tuple[Entry, ...] = (*_FIRST, *_LOWER_ENTRIES)
