"""Theorem th3P: the part of the paper's proof before its cases.

The notation is that of `terms`.
"""

from __future__ import annotations

from privboost.proofs_check import meant, ours, paper
from privboost.proofs_check.claims.common import HALF, SQUARE, ZERO
from privboost.proofs_check.entry import Entry, Severity
from privboost.proofs_check.kernel.certificates import Mirror
from privboost.proofs_check.kernel.terms import Claim
from privboost.proofs_check.language import (
    absolute,
    between,
    both,
    either,
    equal,
    implies,
    negation,
    reals,
    risk,
)
from privboost.proofs_check.proofs import Counterexample, by_z3

from .terms import BEFORE, EXCESS, EXCHANGED, NORMAL, TURN, at, delta, q, q2, w, w1, x0, x1, y0, y1

w2, w12, i, j, f, g = reals("w2 w12 i j F F2")

_TOTAL = y1 + y0 - x1 - x0
_CLASS = y1 - x1


ENTRIES: tuple[Entry, ...] = (
    paper.Equation(
        "th3P.change", "Δ is |f(S') - f(S)|, with w and w^1 of the leaf in S and w' and w'^1 in S'.", line=845
    ),
    paper.Text(
        "th3P.one-example",
        "In samples of one example Δ = 0: a leaf with it is pure (q = 0 or q = 1), and one without is empty.",
        line=853,
        given=(
            either(equal(w, 0), equal(q, 0), equal(q, 1)),
            either(equal(w2, 0), equal(q2, 0), equal(q2, 1)),
            *(0 <= w, 0 <= w2, *between(0, q, 1), *between(0, q2, 1), *NORMAL),
        ),
        then=equal(absolute(w2 * risk(q2) - w * risk(q)), 0),
        proof=by_z3(Mirror("L", ZERO)),
        control=equal(absolute(w2 * risk(q2) - w * risk(q)), 1),
    ),
    paper.Text(
        "th3P.delta",
        "What the exchange changes, in the leaf and of class 1 in it, is at most 1 in absolute value.",
        line=855,
        claim=Claim(EXCHANGED, both(absolute(_TOTAL) <= 1, absolute(_CLASS) <= 1)),
        control=both(absolute(_TOTAL) < 1, absolute(_CLASS) <= 1),
    ),
    paper.Text(
        "th3P.cases",
        "There is one δ such that the weight of the leaf changes by δ or not, and that of class 1 by δ or "
        "not: one of the two changes is 0, or they are equal. x1 and x0 are what the exchanged example adds "
        "to class 1 and class -1 of the leaf in S, y1 and y0 in S'.",
        lines=(861, 866),
        claim=Claim(EXCHANGED, either(equal(_TOTAL, 0), equal(_CLASS, 0), equal(_TOTAL, _CLASS))),
        refutation=Counterexample(at(x1=0, x0=HALF, y1=1, y0=0), at(x1=0, x0=1, y1=1, y0=0), SQUARE),
        correction="sharp.exchange",
        severity=Severity.GAP,
        remark="An example of class -1 and weight 1/2 is replaced by one of class 1 and weight 1: the leaf "
        "changes by 1/2 and class 1 by 1. The proof has no case for that; the theorem is true all the same "
        "(th3P), and the cases are right for equal weights (th3P.cases.same-weight).",
    ),
    meant.Text(
        "th3P.cases.same-weight",
        "The cases of the proof, one of the two changes 0 or both equal, are exhaustive for examples that "
        "keep their weight or are outside the leaf on one side. (x1, x0, y1, y0 as in th3P.cases.)",
        lines=(861, 866),
        claim=Claim(EXCHANGED, either(equal(_TOTAL, 0), equal(_CLASS, 0), equal(_TOTAL, _CLASS))),
        added=(either(equal(x1 + x0, 0), equal(y1 + y0, 0), equal(x1 + x0, y1 + y0)),),
        hypothesis="the exchanged example has the same weight in both samples, or reaches the leaf in one "
        "only",
        without=Counterexample(at(x1=0, x0=HALF, y1=1, y0=0), at(x1=0, x0=1, y1=1, y0=0), SQUARE),
        control=either(equal(_TOTAL, 0), equal(_TOTAL, _CLASS)),
    ),
    paper.Text(
        "th3P.u",
        "w^1 = w/2 + u for a u in (w/2) [-1, 1].",
        lines=(872, 870),
        claim=Claim((0 <= w1, w1 <= w), both(equal(w1, w / 2 + EXCESS), -w / 2 <= EXCESS, EXCESS <= w / 2)),
        control=both(equal(w1, w / 2 + EXCESS), -w / 4 <= EXCESS, EXCESS <= w / 2),
    ),
    ours.Text(
        "th3P.u-cases",
        "The three, three and two conditions on u of the cases leave no u out.",
        line=868,
        given=(0 < w, 0 < delta),
        then=both(
            either(EXCESS <= -delta / 2, both(-delta / 2 < EXCESS, EXCESS < delta / 2), delta / 2 <= EXCESS),
            either(EXCESS <= -TURN, both(-TURN < EXCESS, EXCESS < TURN), TURN <= EXCESS),
            either(EXCESS <= 2 * TURN, 2 * TURN < EXCESS),
        ),
        control=either(EXCESS <= -TURN, both(-TURN < EXCESS, EXCESS < TURN)),
    ),
    paper.Text(
        "th3P.wlog-sign",
        "Exchanging S and S' makes δ positive where it is not, and leaves Δ as it is.",
        line=874,
        given=(equal(w2, w + delta), delta <= 0),
        then=both(equal(w, w2 + -delta), 0 < -delta, equal(absolute(f - g), absolute(g - f))),
        added=(negation(equal(delta, 0)),),
        hypothesis="δ ≠ 0; for δ = 0 nothing changes and Δ = 0",
        without=Counterexample(at(w=1, w2=1, delta=0, F=1, F2=1), at(w=2, w2=1, delta=-1, F=1, F2=1)),
        control=both(equal(w, w2 + delta), equal(absolute(f - g), absolute(g - f))),
    ),
    paper.Text(
        "th3P.wlog-side",
        "Exchanging the classes turns u into -u and leaves f of both samples, and so Δ, as it is.",
        line=876,
        given=(0 < w, 0 <= w1, w1 <= w, 0 < w2, 0 <= w12, w12 <= w2),
        then=both(
            equal(w * risk((w - w1) / w), w * risk(w1 / w)),
            equal(w2 * risk((w2 - w12) / w2), w2 * risk(w12 / w2)),
            equal((w - w1) - w / 2, -EXCESS),
        ),
        proof=by_z3(Mirror("L", BEFORE), Mirror("L", w12 / w2)),
        control=both(equal(w * risk((w - w1) / w), w * risk(w1 / w)), equal((w - w1) - w / 2, EXCESS)),
        remark="It is right for all cases taken together, not within one: it turns B1 into B2 where the "
        "weight of the leaf changes (th3P.wlog-side.classes).",
    ),
    ours.Text(
        "th3P.wlog-side.classes",
        "If the leaf changes by δ and class 1 by δ, class -1 does not change, and the reverse; if the leaf "
        "does not change and class 1 does by δ, class -1 changes by -δ.",
        line=878,
        then=both(
            *(
                implies(
                    both(equal(w2 - w, change), equal(w12 - w1, part)),
                    equal((w2 - w12) - (w - w1), change - part),
                )
                for change, part in ((delta, delta), (delta, ZERO), (ZERO, delta))
            )
        ),
        control=implies(
            both(equal(w2 - w, delta), equal(w12 - w1, delta)), equal((w2 - w12) - (w - w1), delta)
        ),
    ),
)
