"""Appendix, Lemma lemI2, parts (B), (C) and (D): upper bounds on a Bayes risk.

The notation is that of `lemmas`.
"""

from __future__ import annotations

from privboost.proofs_check import meant, ours, paper
from privboost.proofs_check.claims.common import AT_HALF, AT_ZERO, HALF, ZERO
from privboost.proofs_check.entry import Entry, Severity
from privboost.proofs_check.kernel.certificates import Chord, Mirror
from privboost.proofs_check.kernel.terms import Claim, term
from privboost.proofs_check.language import absolute, both, equal, reals, risk, smaller
from privboost.proofs_check.proofs import Counterexample, Identity, Smt, Sum, Use, by_z3

from .terms import NEXT, equivalent

u, v, p, q, r, m, x, t = reals("u v p q r m x t")

_BY_SLOPES = (risk(q) - risk(p)) / (q - p) <= (risk(q - p) - risk(0)) / (q - p - 0)

_B = (
    paper.Lemma(
        "lemI2.B.left",
        "For 0 ≤ p ≤ q ≤ 1/2 the difference L(q) - L(p) is ≥ 0.",
        lines=(785, 807),
        claim=Claim((0 <= p, p <= q, q <= HALF), 0 <= risk(q) - risk(p)),
        proof=by_z3(Use("lemI2.A")),
        control=0 < risk(q) - risk(p),
        remark="Part (A) suffices; L(0) = 0, which is also named, is not needed.",
    ),
    paper.Lemma(
        "lemI2.B",
        "For 0 ≤ p ≤ q ≤ 1/2 the difference L(q) - L(p) is at most L(|q - p|).",
        line=785,
        claim=Claim((0 <= p, p <= q, q <= HALF, AT_ZERO), risk(q) - risk(p) <= risk(absolute(q - p))),
        proof=by_z3(Use("lemI2.B.everywhere")),
        control=2 * risk(q) - risk(p) <= risk(absolute(q - p)),
    ),
    paper.Lemma(
        "lemI2.B.upper",
        "For 1/2 ≤ q ≤ p ≤ 1 the difference L(q) - L(p) is between 0 and L(|q - p|).",
        lines=(785, 806),
        given=(HALF <= q, q <= p, p <= 1, AT_ZERO),
        then=both(0 <= risk(q) - risk(p), risk(q) - risk(p) <= risk(absolute(q - p))),
        proof=by_z3(Use("lemI2.B.everywhere", {"p": q, "q": p}), Use("lemI2.A.upper", {"p": q, "q": p})),
        control=both(0 <= risk(q) - risk(p), 2 * risk(q) - risk(p) <= risk(absolute(q - p))),
    ),
    ours.Lemma(
        "lemI2.B.everywhere",
        "For all 0 ≤ p ≤ q ≤ 1, on one side of 1/2 or not, |L(q) - L(p)| ≤ L(q - p).",
        line=785,
        given=(0 <= p, p <= q, q <= 1, AT_ZERO),
        then=both(risk(q) - risk(p) <= risk(q - p), risk(p) - risk(q) <= risk(q - p)),
        proof=by_z3(
            Mirror("L", p),
            Mirror("L", q),
            Use("lemI2.B.subadditive"),
            Use("lemI2.B.subadditive", {"p": 1 - q, "q": 1 - p}),
        ),
        control=both(risk(q) - risk(p) <= risk(q - p), 2 * risk(p) - risk(q) <= risk(q - p)),
    ),
    ours.Lemma(
        "lemI2.B.subadditive",
        "L(q) ≤ L(p) + L(q - p) for all 0 ≤ p ≤ q ≤ 1: two chords from 0.",
        line=785,
        claim=Claim((0 <= p, p <= q, q <= 1, AT_ZERO), risk(q) - risk(p) <= risk(q - p)),
        proof=by_z3(Chord("L", ZERO, p, q), Chord("L", ZERO, q - p, q)),
        control=2 * risk(q) - risk(p) <= risk(q - p),
    ),
    paper.Step(
        "lemI2.B.constant-difference",
        "Slopes of chords over intervals of one length do not increase from left to right.",
        line=812,
        given=(0 <= r, r <= p, 0 < t, p + t <= 1),
        then=(risk(p + t) - risk(p)) / t <= (risk(r + t) - risk(r)) / t,
        proof=by_z3(Chord("L", r, p, p + t), Chord("L", r, r + t, p + t)),
        control=(risk(r + t) - risk(r)) / t <= (risk(p + t) - risk(p)) / t,
    ),
    paper.Step(
        "lemI2.B.slopes-hold",
        "The right inequality of (B) is the same as one between slopes over q - p, and that one holds: "
        "the slope from p to q is at most the slope from 0 to q - p.",
        line=810,
        given=(0 <= p, p <= q, q <= HALF, AT_ZERO),
        then=both(equivalent(_BY_SLOPES, risk(q) - risk(p) <= risk(q - p)), _BY_SLOPES),
        added=(p < q,),
        hypothesis="p < q, because the slopes divide by q - p",
        proof=by_z3(Use("lemI2.B.constant-difference", {"r": ZERO, "p": p, "t": q - p})),
        control=2 * (risk(q) - risk(p)) / (q - p) <= (risk(q - p) - risk(0)) / (q - p - 0),
    ),
)

_C = (
    paper.Lemma(
        "lemI2.C",
        "For m ≥ 2, 0 < v ≤ m + 1 and 0 < u ≤ min{1, v} the perspective at (u, v) is at most that at (1, m "
        "+ 1).",
        line=787,
        claim=Claim((2 <= m, 0 < v, v <= m + 1, 0 < u, u <= smaller(1, v), AT_ZERO), v * risk(u / v) <= NEXT),
        proof=by_z3(Use("lemI2.C.from-one")),
        control=2 * v * risk(u / v) <= NEXT,
    ),
    ours.Lemma(
        "lemI2.C.from-one",
        "Part (C) of Lemma lemI2, v L(u/v) ≤ (m + 1) L(1/(m + 1)), holds for real m ≥ 1 too, and for u = 0.",
        line=787,
        claim=Claim((1 <= m, 0 < v, v <= m + 1, 0 <= u, u <= 1, u <= v, AT_ZERO), v * risk(u / v) <= NEXT),
        proof=by_z3(Use("lemI", {"v2": m + 1}), Use("lemI2.A", {"p": u / (m + 1), "q": 1 / (m + 1)})),
        control=2 * v * risk(u / v) <= NEXT,
    ),
    paper.Equation(
        "eqaa",
        "The perspective v L(u/v) does not decrease in v, so that v L(u/v) ≤ (m + 1) L(u/(m + 1)) for "
        "m ≥ 2, v ≤ m + 1 and 0 < u ≤ min{1, v}.",
        given=(2 <= m, 0 < v, v <= m + 1, 0 < u, u <= smaller(1, v), AT_ZERO),
        then=v * risk(u / v) <= (m + 1) * risk(u / (m + 1)),
        proof=by_z3(Use("lemI", {"v2": m + 1})),
        control=2 * v * risk(u / v) <= (m + 1) * risk(u / (m + 1)),
    ),
    paper.Text(
        "eqaa.reason",
        "The step eqaa, v L(u/v) ≤ (m + 1) L(u/(m + 1)), is said to hold because v ≤ m, which would have to "
        "follow from the lemma's v ≤ m + 1.",
        line=823,
        claim=Claim((2 <= m, 0 < v, v <= m + 1), v <= m),
        refutation=Counterexample({"m": 2, "v": 3}, {"m": 2, "v": 2}),
        correction="eqaa",
        severity=Severity.SLIP,
        remark="3 against 2. A slip: v ≤ m + 1 is what the lemma assumes and what is used.",
    ),
    paper.Equation(
        "eqbb",
        "For 0 < u ≤ 1 and m ≥ 2, (m + 1) L(u/(m + 1)) ≤ (m + 1) L(1/(m + 1)).",
        claim=Claim((2 <= m, 0 < u, u <= 1), (m + 1) * risk(u / (m + 1)) <= NEXT),
        proof=by_z3(Use("lemI2.A", {"p": u / (m + 1), "q": 1 / (m + 1)})),
        control=2 * (m + 1) * risk(u / (m + 1)) <= NEXT,
    ),
    paper.Text(
        "eqbb.reason",
        "u/m ≤ 1/m ≤ 1/2 for 0 < u ≤ 1 and m ≥ 2.",
        line=823,
        claim=Claim((2 <= m, 0 < u, u <= 1), both(u / m <= 1 / m, 1 / m <= HALF)),
        control=both(u / m <= 1 / m, 1 / m < HALF),
        remark="True, but not what is needed: the places are over m + 1 (eqbb.reason-intended).",
    ),
    meant.Text(
        "eqbb.reason-intended",
        "u/(m + 1) ≤ 1/(m + 1) ≤ 1/2 for 0 < u ≤ 1, already for m ≥ 1.",
        line=823,
        claim=Claim((1 <= m, 0 < u, u <= 1), both(u / (m + 1) <= 1 / (m + 1), 1 / (m + 1) <= HALF)),
        control=both(u / (m + 1) <= 1 / (m + 1), 1 / (m + 1) < HALF),
    ),
)

_D = (
    paper.Lemma(
        "lemI2.D",
        "For x ≥ 2, L(1/2) - L(1/2 - 1/x) ≤ 2/x.",
        lines=(790, 792),
        claim=Claim((2 <= x, AT_ZERO, AT_HALF), risk(HALF) - risk(HALF - 1 / x) <= 2 / x),
        proofs=(
            by_z3(Use("eqbinf", {"x": HALF - 1 / x})),
            Sum((0 < x, Chord("L", ZERO, HALF - 1 / x, term(HALF))), degree=2),
        ),
        control=risk(HALF) - risk(HALF - 1 / x) <= 1 / x,
    ),
    paper.Equation(
        "eqbinf",
        "L(x) ≥ 2 x on [0, 1/2], where 2 x is a chord.",
        line=826,
        claim=Claim((0 <= x, x <= HALF, AT_ZERO, AT_HALF), 2 * x <= risk(x)),
        proofs=(Sum((Chord("L", ZERO, x, term(HALF)),), degree=2), by_z3(Chord("L", ZERO, x, term(HALF)))),
        control=3 * x <= risk(x),
    ),
    paper.Text(
        "eqbinf.chord",
        "The line 2 x passes through (0, L(0)) and (1/2, L(1/2)).",
        line=829,
        claim=Claim((AT_ZERO, AT_HALF), both(equal(risk(0), 2 * ZERO), equal(risk(HALF), 2 * term(HALF)))),
        control=both(equal(risk(0), 2 * ZERO), equal(risk(HALF), 4 * term(HALF))),
    ),
    paper.Step(
        "lemI2.D.half",
        "L(1/2) - L(1/2 - 1/x) = 1 - L(1/2 - 1/x) for x ≥ 2.",
        line=834,
        claim=Claim((2 <= x, AT_HALF), equal(risk(HALF) - risk(HALF - 1 / x), 1 - risk(HALF - 1 / x))),
        control=equal(risk(HALF) - risk(HALF - 1 / x), 2 - risk(HALF - 1 / x)),
    ),
    paper.Step(
        "lemI2.D.chord",
        "1 - L(1/2 - 1/x) ≤ 1 - 2 (1/2 - 1/x) for x ≥ 2.",
        line=836,
        claim=Claim((2 <= x, AT_ZERO, AT_HALF), 1 - risk(HALF - 1 / x) <= 1 - 2 * (HALF - 1 / x)),
        proof=by_z3(Use("eqbinf", {"x": HALF - 1 / x})),
        control=1 - risk(HALF - 1 / x) <= 1 - 3 * (HALF - 1 / x),
    ),
    paper.Step(
        "lemI2.D.end",
        "1 - 2 (1/2 - 1/x) = 2/x for x ≥ 2.",
        line=838,
        claim=Claim((2 <= x,), equal(1 - 2 * (HALF - 1 / x), 2 / x)),
        proofs=(Identity(), Smt()),
        control=equal(1 - 2 * (HALF - 1 / x), 1 / x),
    ),
)

ENTRIES: tuple[Entry, ...] = (*_B, *_C, *_D)
