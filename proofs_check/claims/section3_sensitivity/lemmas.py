"""Appendix, the two lemmas before Theorem th3P: perspectives and Bayes risks, for every Bayes risk L.

A Bayes risk is known by four facts: it is concave on [0, 1], symmetric, 0 at 0 and 1 at 1/2.

| here | paper |
|---|---|
| `risk(x)` | L(x), any Bayes risk |
| `v * risk(u / v)` | the perspective of L at (u, v) |
| `s` | a slope of L at u / v, so that (-L)' is -s |
"""

from __future__ import annotations

from fractions import Fraction

from privboost.proofs_check import meant, ours, paper
from privboost.proofs_check.claims.common import AT_HALF, AT_ZERO, HALF, ONE, SQUARE, ZERO
from privboost.proofs_check.entry import Entry, Severity
from privboost.proofs_check.kernel.certificates import Chord, Mirror
from privboost.proofs_check.kernel.terms import Claim, Formula, Term, term
from privboost.proofs_check.language import (
    both,
    equal,
    function,
    implies,
    negation,
    reals,
    risk,
    smaller,
    sqrt,
)
from privboost.proofs_check.proofs import Counterexample, Smt, Sum, Use, by_z3

a, b, u, v, v2, p, q, r, x, s, t, y = reals("a b u v v2 p q r x s t y")


def under_line(at: Term, point: Term, slope: Term = s) -> Formula:
    """State that L(at) is at most the value of the line of a slope through (point, L(point))."""
    return risk(at) <= risk(point) + slope * (at - point)


_PERSPECTIVES = (
    paper.Lemma(
        "lemI",
        "For fixed u ≥ 0 the perspective v L(u/v) does not decrease as v > 0 grows from u.",
        line=757,
        claim=Claim((0 <= u, u <= v, 0 < v, v <= v2, AT_ZERO), v * risk(u / v) <= v2 * risk(u / v2)),
        proof=by_z3(Chord("L", ZERO, u / v2, u / v)),
        control=v2 * risk(u / v2) <= v * risk(u / v),
        remark="At v = u = 0 the perspective is 0, and nothing is below that.",
    ),
    ours.Lemma(
        "lemI.positive",
        "For u > 0 the same with a certificate: one chord from 0, multiplied out.",
        line=757,
        claim=Claim((0 < u, u <= v, v <= v2, AT_ZERO), v * risk(u / v) <= v2 * risk(u / v2)),
        proof=Sum((0 < v, 0 < v2, Chord("L", ZERO, u / v2, u / v)), degree=2),
        control=2 * v * risk(u / v) <= v2 * risk(u / v2),
    ),
    paper.Step(
        "lemI.divergence",
        "The Bregman divergence of -L between 0 and u/v is L(u/v) - L(0) - (0 - u/v)(-L)', and it is ≥ 0 for "
        "every slope of L at u/v.",
        line=763,
        given=(0 < u, u <= v, under_line(ZERO, u / v)),
        then=both(
            equal(risk(u / v) - risk(0) - (0 - u / v) * -s, -risk(0) + risk(u / v) - (0 - u / v) * -s),
            0 <= risk(u / v) - risk(0) - (0 - u / v) * -s,
        ),
        control=0 <= risk(u / v) - risk(0) - (0 - u / v) * s,
    ),
    paper.Equation(
        "defphi",
        "Because L(0) = 0, the divergence of lemI.divergence says L(u/v) + (u/v)(-L)' ≥ 0.",
        claim=Claim((0 < u, u <= v, under_line(ZERO, u / v), AT_ZERO), 0 <= risk(u / v) + u / v * -s),
        proofs=(Sum((0 < v,), degree=2), Smt()),
        control=0 <= risk(u / v) + 2 * u / v * -s,
    ),
    paper.Text(
        "defphi.slope",
        "L has a slope at u/v for every v ≥ u: to the right of it no chord is steeper than any to the left.",
        line=765,
        given=(0 < u, u <= v, 0 <= x, x < u / v, u / v <= y, y <= 1),
        then=risk(y) <= risk(u / v) + (risk(u / v) - risk(x)) / (u / v - x) * (y - u / v),
        added=(u < v,),
        hypothesis="v > u; at v = u the place is 1, where L may have no slope (defphi.no-slope-at-one)",
        proof=by_z3(Chord("L", x, u / v, y)),
        control=risk(y) <= risk(u / v) + 2 * (risk(u / v) - risk(x)) / (u / v - x) * (y - u / v),
        remark="The derivative speaks of v > u only; v = u follows as a limit, or by the chord of lemI.",
    ),
    ours.Step(
        "defphi.no-slope-at-one",
        "The Matsushita risk has no slope s < 0 at 1: it is above the line of that slope through (1, 0) at "
        "y = s^2 / (s^2 + 3).",
        line=765,
        claim=Claim((s < 0, equal(y, s**2 / (s**2 + 3))), s * (y - 1) < 2 * sqrt(y * (1 - y))),
        control=2 * s * (y - 1) < 2 * sqrt(y * (1 - y)),
        remark="Nor any slope s ≥ 0: the risk is > 0 inside (0, 1).",
    ),
    paper.Equation(
        "SI_1",
        "For every slope s of L at u/v, L(u/v) - (u/v) s is a slope of the perspective in v.",
        given=(0 < u, u <= v, u <= v2, under_line(u / v2, u / v)),
        then=v2 * risk(u / v2) <= v * risk(u / v) + (v2 - v) * (risk(u / v) + u / v * -s),
        proofs=(Smt(), Sum((0 < v, 0 < v2), degree=2)),
        control=v2 * risk(u / v2) <= v * risk(u / v) + (v2 - v) * (risk(u / v) + u / v * s),
    ),
    paper.Equation(
        "SI_1.converse",
        "Every slope t of the perspective in v is L(u/v) - (u/v) s for a slope s of L at u/v, namely "
        "s = (L(u/v) - t) v/u.",
        given=(
            *(0 < u, u <= v, u <= v2, equal(s, (risk(u / v) - t) * v / u)),
            v2 * risk(u / v2) <= v * risk(u / v) + (v2 - v) * t,
        ),
        then=both(under_line(u / v2, u / v), equal(t, risk(u / v) + u / v * -s)),
        control=both(under_line(u / v2, u / v), equal(t, risk(u / v) + u / v * s)),
        remark="All places in (0, 1] are u/v2 for some v2; at 0 the line stays above L by continuity.",
    ),
    paper.Step(
        "lemI.conclusion",
        "If a slope of the perspective at every v2 > u is ≥ 0, the perspective does not decrease from v ≥ u.",
        line=774,
        given=(0 < u, u <= v, v < v2, AT_ZERO, under_line(ZERO, u / v2), under_line(u / v, u / v2)),
        then=v * risk(u / v) <= v2 * risk(u / v2),
        control=v2 * risk(u / v2) <= v * risk(u / v),
    ),
)

_A = (
    paper.Text(
        "lemI2.chords",
        "A concave function lies above all its chords.",
        line=798,
        given=(0 <= p, p <= r, r <= q, q <= 1),
        then=(q - r) * risk(p) + (r - p) * risk(q) <= (q - p) * risk(r),
        proofs=(Sum((Chord("L", p, r, q),), degree=1), by_z3(Chord("L", p, r, q))),
        control=(q - p) * risk(r) <= (q - r) * risk(p) + (r - p) * risk(q),
    ),
    paper.Lemma(
        "lemI2.A",
        "A Bayes risk does not decrease on [0, 1/2].",
        line=780,
        claim=Claim((0 <= p, p <= q, q <= HALF), risk(p) <= risk(q)),
        proof=by_z3(Mirror("L", p), Chord("L", p, q, 1 - p)),
        control=risk(q) <= risk(p),
    ),
    paper.Lemma(
        "lemI2.A.upper",
        "A Bayes risk does not increase on [1/2, 1], by symmetry.",
        lines=(781, 804),
        claim=Claim((HALF <= p, p <= q, q <= 1), risk(q) <= risk(p)),
        proof=by_z3(Mirror("L", q), Chord("L", 1 - q, p, q)),
        control=risk(p) <= risk(q),
    ),
    paper.Step(
        "lemI2.A.greatest",
        "No value of a Bayes risk exceeds L(1/2) = 1.",
        line=802,
        claim=Claim((0 <= p, p <= 1, AT_HALF), both(risk(p) <= risk(HALF), risk(p) <= 1)),
        proof=by_z3(Mirror("L", p), Use("lemI2.A", {"p": smaller(p, 1 - p), "q": term(HALF)})),
        control=both(risk(p) <= risk(HALF), risk(p) <= Fraction(99, 100)),
    ),
    paper.Step(
        "lemI2.A.negation",
        "What the proof of (A) calls impossible is so: there are no a ≥ b in [0, 1/2] with L(a) > L(b).",
        line=801,
        claim=Claim((0 <= b, b <= a, a <= HALF), negation(risk(b) < risk(a))),
        refutation=Counterexample({"a": HALF, "b": 0}, {"a": HALF, "b": HALF}, SQUARE),
        correction="lemI2.A",
        severity=Severity.SLIP,
        remark="L(1/2) = 1 > 0 = L(0). A slip: the inequality is turned round; what cannot be is a ≥ b with "
        "L(a) < L(b).",
    ),
    paper.Step(
        "lemI2.A.chord-as-printed",
        "For a ≥ b in [0, 1/2] with L(a) > L(b), the point over a lies below the chord from b to 1/2.",
        line=803,
        given=(0 <= b, b <= a, a <= HALF, risk(b) < risk(a), AT_HALF),
        then=(HALF - b) * risk(a) < (HALF - a) * risk(b) + (a - b) * risk(HALF),
        refutation=Counterexample({"a": Fraction(1, 4), "b": 0}, {"a": 0, "b": 0}, SQUARE),
        correction="lemI2.A.chord",
        severity=Severity.SLIP,
        remark="L(1/4) = 3/4 against 1/2 on the chord from (0, 0) to (1/2, 1). The same slip as in "
        "lemI2.A.negation.",
    ),
    meant.Step(
        "lemI2.A.chord",
        "For a ≥ b in [0, 1/2] with L(a) < L(b) ≤ 1, the point over a lies below the chord from b to 1/2.",
        line=803,
        given=(
            0 <= b,
            b <= a,
            a <= HALF,
            function(a, "F") < function(b, "F"),
            function(b, "F") <= 1,
            equal(function(HALF, "F"), 1),
        ),
        then=implies(
            b < HALF,
            (HALF - b) * function(a, "F") < (HALF - a) * function(b, "F") + (a - b) * function(HALF, "F"),
        ),
        control=implies(
            b < HALF,
            (HALF - a) * function(b, "F") + (a - b) * function(HALF, "F") <= (HALF - b) * function(a, "F"),
        ),
        example={"a": Fraction(1, 4), "b": 0},
        functions={"F": ("x", (4 * x - 1) ** 2)},
        remark="The hypotheses are those of a proof by contradiction; of L, here F, only these are used.",
    ),
    ours.Step(
        "lemI2.nonnegative",
        "A Bayes risk is ≥ 0 on [0, 1].",
        line=807,
        claim=Claim((0 <= p, p <= 1, AT_ZERO), 0 <= risk(p)),
        proof=Sum((Mirror("L", ZERO), Chord("L", ZERO, p, ONE)), degree=2),
        control=0 < risk(p),
    ),
)

ENTRIES: tuple[Entry, ...] = (*_PERSPECTIVES, *_A)
