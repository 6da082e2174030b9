"""Section 3: the curvature lemma, its proof and its consequences in the text, as printed and corrected.

| here | paper |
|---|---|
| `risk(x)`, `slope(x)`, `weight(x)` | L(x), L'(x), -L''(x) |
| `tangent(u)` | J = L(u) - u L'(u), the derivative of v L(1 / v) at v = 1 / u |
| `_U` | 1 / (m + 1) |
"""

from __future__ import annotations

from fractions import Fraction

from privboost.proofs_check import meant, ours, paper
from privboost.proofs_check.claims.common import AT_ZERO, HALF, ONE, ZERO
from privboost.proofs_check.engines.elementary import Fact
from privboost.proofs_check.entry import Severity
from privboost.proofs_check.kernel.certificates import Chord, Mirror
from privboost.proofs_check.kernel.terms import Claim, Functions, Term, term
from privboost.proofs_check.language import both, equal, function, log, reals, risk, sqrt
from privboost.proofs_check.proofs import Cited, Counterexample, Derived, Identity, Smt, by_z3

from .comparisons import KEARNS_MANSOUR
from .sharp import NEXT, SHARP

a, k, m, p, theta, u, v, v2, x = reals("a k m p theta u v v2 x")


def slope(argument: Term) -> Term:
    """Return L'(argument)."""
    return function(argument, "D")


def weight(argument: Term) -> Term:
    """Return -L''(argument)."""
    return function(argument, "W")


def tangent(at: Term) -> Term:
    """Return L(at) - at L'(at), the derivative of v L(1 / v) at v = 1 / at."""
    return risk(at) - at * slope(at)


_U = 1 / (m + 1)
_PLACE = (1 <= m, 0 <= a, a <= _U)
_RATIO = (m + 1) / m
_SQUARE: Functions = {"L": ("x", 4 * x * (1 - x)), "D": ("x", 4 - 8 * x), "W": ("x", term(8))}
_HALVED: Functions = {**_SQUARE, "W": ("x", term(4))}
_TAYLOR_PRINTED = equal(risk(0), risk(1 / x) + (0 - 1 / x) * slope(1 / x) - (0 - 1 / x) ** 2 * weight(a))
_SQUARE_J = 4 * _U * (1 - _U) - _U * (4 - 8 * _U)

CURVATURE = (
    paper.Lemma(
        "lemcurv",
        "For twice differentiable L there is an a in [0, 1/(m + 1)] at which the derivative of the "
        "perspective v L(1/v) at v = m + 1 is -L''(a)/(m + 1)^2. (D and W stand for L' and -L'' in the "
        "witness.)",
        also=("eqCURV1",),
        lines=(221, 219),
        claim=Claim(_PLACE, equal(tangent(_U), _U**2 * weight(a))),
        refutation=Counterexample({"m": 1, "a": 0}, {"m": 0, "a": 0}, _SQUARE),
        correction="lemcurv.corrected",
        severity=Severity.CONSTANT,
        remark="The derivative is 1, the printed value 2 (square risk, m = 1). Taylor's formula has the "
        "factor 1/2. -L'' of the square risk is 8 for every a, so that no other a helps "
        "(lemcurv.square-never).",
    ),
    ours.Lemma(
        "lemcurv.square-never",
        "For the square risk the corrected equation holds at every a, and the printed right side exceeds "
        "the derivative for every a: by 4/(m + 1)^2.",
        line=221,
        given=(1 <= m,),
        then=both(equal(8 * _U**2 - _SQUARE_J, 4 * _U**2), equal(_SQUARE_J, _U**2 * 8 / 2)),
        proofs=(
            Identity(),
            Derived("square.curvature-excess"),
            Derived("square.curvature-half"),
            Derived("square.slope-at-next"),
        ),
        control=equal(8 * _U**2 - _SQUARE_J, 0 * m),
    ),
    ours.Lemma(
        "lemcurv.corrected",
        "If L' is continuous on [0, 1/(m + 1)] and L'' exists inside, the derivative of the perspective v "
        "L(1/v) at v = m + 1 is half of -L''(a)/(m + 1)^2 for some a between 0 and 1/(m + 1).",
        also=("eqCURV1",),
        line=221,
        claim=Claim((*_PLACE, AT_ZERO), equal(tangent(_U), _U**2 * weight(a) / 2)),
        added=(equal(risk(0), risk(_U) + (0 - _U) * slope(_U) - (0 - _U) ** 2 / 2 * weight(a)),),
        hypothesis="Taylor's theorem with the remainder of Lagrange, about 1/(m + 1) and at 0: L' is "
        "continuous on [0, 1/(m + 1)] and L'' exists inside",
        control=equal(tangent(_U), _U**2 * weight(a)),
        example={"m": 1, "a": 0},
        functions=_SQUARE,
        remark="For the log and Matsushita risks L' is infinite at 0, so that the lemma's hypothesis fails; "
        "Cauchy's mean value theorem for L - x L' and x^2 gives the same, and an explicit a is in "
        "lemcurv.log and lemcurv.matsushita.",
    ),
    ours.Lemma(
        "lemcurv.zero-one",
        "For the 0/1 risk both sides of the corrected equation are 0 for m > 1, where 1/(m + 1) < 1/2.",
        line=221,
        claim=Claim((1 < m,), equal(2 * _U - _U * 2, _U**2 * 0 / 2)),
        proofs=(Identity(), Derived("zero_one.curvature-half"), Derived("zero_one.slope-at-next")),
        control=equal(2 * _U - _U * 2, _U**2),
    ),
    ours.Lemma(
        "lemcurv.log",
        "For the log risk the corrected equation holds where a (1 - a) = 1 / (2 (m + 1)^2 log((m + "
        "1)/m)), and that a is at most 1/(m + 1).",
        lines=(219, 221),
        claim=Claim((1 <= m,), 1 / (2 * (m + 1) ** 2 * log(_RATIO)) <= m / (m + 1) ** 2),
        proofs=(
            by_z3(
                Fact("log(x) <= x - 1 if x > 0", (1 / _RATIO,)),
                Fact("log(1/x) = -log(x) if x > 0", (_RATIO,)),
            ),
            Derived("log.curvature-half", own_words=True),
            Derived("log.slope-at-next", own_words=True),
        ),
        control=1 / ((m + 1) ** 2 * log(_RATIO)) <= m / (m + 1) ** 2,
    ),
    ours.Lemma(
        "lemcurv.matsushita",
        "For the Matsushita risk the corrected equation holds where a (1 - a) is the cube root of m / "
        "(16 (m + 1)^4), and that a is at most 1/(m + 1). For the Mα risk it holds at the same a, for "
        "every α in (0, 1) and m > 1.",
        lines=(219, 221),
        claim=Claim((1 <= m, 0 < p, equal(16 * p**3 * (m + 1) ** 4, m)), p <= m / (m + 1) ** 2),
        proofs=(
            Smt(),
            Derived("matsushita.curvature-half", own_words=True),
            Derived("matsushita.slope-at-next", own_words=True),
            Derived("matsushita.curvature-place", own_words=True),
            Derived("m_alpha.curvature-half", own_words=True),
            Derived("m_alpha.slope-at-next", own_words=True),
        ),
        control=4 * p <= m / (m + 1) ** 2,
    ),
    ours.Step(
        "lemcurv.differentiable",
        "The Matsushita risk is not differentiable at 0: its slope exceeds every k near 0, so that the "
        "lemma's hypothesis excludes the loss that the section is about.",
        line=219,
        claim=Claim((0 < x, 0 <= k, x * (k**2 + 4) <= 1), k <= (1 - 2 * x) / sqrt(x * (1 - x))),
        control=k + 1 <= (1 - 2 * x) / sqrt(x * (1 - x)),
    ),
)

PROOF = (
    paper.Step(
        "lemcurv.taylor",
        "Expanding L about 1/x to second order, L(0) = L(1/x) - (1/x) L'(1/x) + (1/x)^2 L''(a) for some a. "
        "(x = m + 1; D and W stand for L' and -L'' in the witness.)",
        label="proof_lemcurv",
        lines=(1348, 1349),
        claim=Claim((2 <= x, 0 <= a, a <= 1 / x), _TAYLOR_PRINTED),
        refutation=Counterexample({"x": 2, "a": 0}, {"x": 1, "a": 0}, _SQUARE),
        correction="lemcurv.taylor.corrected",
        severity=Severity.CONSTANT,
        remark="L(0) = 0 against 1 - 0 - 8/4 = -1, for the square risk and x = 2. L'' is constant for the "
        "square risk, so that every a fails.",
    ),
    ours.Step(
        "lemcurv.taylor.corrected",
        "With the factor 1/2 in its last term, (1/2) (1/x)^2 L''(a), the expansion of the square risk about "
        "1/x is exact at 0, for every a.",
        label="proof_lemcurv",
        line=1348,
        given=(1 <= x,),
        then=equal(
            0 * x, 4 * (1 / x) * (1 - 1 / x) + (0 - 1 / x) * (4 - 8 * (1 / x)) - (0 - 1 / x) ** 2 / 2 * 8
        ),
        proofs=(Identity(), Smt()),
        control=equal(
            0 * x, 4 * (1 / x) * (1 - 1 / x) + (0 - 1 / x) * (4 - 8 * (1 / x)) - (0 - 1 / x) ** 2 * 8
        ),
        remark="For every L it is Taylor's theorem, the hypothesis of lemcurv.corrected.",
    ),
    paper.Step(
        "lemcurv.range",
        "The place a of the remainder is in [0, x] with x = m + 1, as the proof says, and so in the "
        "interval [0, 1/x] of the lemma.",
        label="proof_lemcurv",
        line=1351,
        claim=Claim((1 <= x, 0 <= a, a <= x), a <= 1 / x),
        refutation=Counterexample({"x": 2, "a": 1}, {"x": 2, "a": Fraction(1, 4)}),
        correction="lemcurv.range.corrected",
        severity=Severity.SLIP,
        remark="1 against 1/2. A slip: [0, 1/x] is meant.",
    ),
    ours.Step(
        "lemcurv.range.corrected",
        "The place a of the remainder lies between the two points of the expansion, 0 and 1/x.",
        label="proof_lemcurv",
        line=1351,
        given=(1 <= x, 0 <= theta, theta <= 1, equal(a, theta * 0 + (1 - theta) * (1 / x))),
        then=both(0 <= a, a <= 1 / x),
        control=both(0 <= a, 2 * a <= 1 / x),
    ),
    paper.Step(
        "lemcurv.slope",
        "L(1/x) - (1/x) L'(1/x), the first two terms of the expansion (J in the paper), is the derivative "
        "of v L(1/v) at v = x.",
        label="proof_lemcurv",
        line=1351,
        proofs=(
            Derived("perspective.slope"),
            *(Derived(f"{name}.tangent") for name in ("square", "log", "zero_one", "matsushita", "m_alpha")),
        ),
    ),
    paper.Step(
        "lemcurv.reorder",
        "From the expansion as printed, with x = m + 1 and L(0) = 0, the printed equation of the lemma "
        "follows: the lemma lacks the half because the expansion does.",
        label="proof_lemcurv",
        line=1351,
        given=(1 <= m, equal(x, m + 1), AT_ZERO, _TAYLOR_PRINTED),
        then=equal(tangent(_U), _U**2 * weight(a)),
        control=equal(tangent(_U), _U**2 * weight(a) / 2),
        example={"m": 1, "x": 2, "a": 0},
        functions=_HALVED,
    ),
)


def _gap(argument: Term | int) -> Term:
    """Return G(argument), G being the difference of two risks."""
    return function(argument, "G")


_CROSS = (0 < u, 0 < v, v <= v2, 1 <= u * v)

TEXT = (
    paper.Text(
        "lemcurv.text.linked",
        "How the attained sensitivity m L(1/m) grows from m to m + 1 is tied to the derivative of the "
        "perspective: for differentiable L the step is between the derivatives at m + 1 and at m.",
        line=224,
        given=(
            1 <= m,
            risk(1 / m) <= risk(_U) + slope(_U) * (1 / m - _U),
            risk(_U) <= risk(1 / m) + slope(1 / m) * (_U - 1 / m),
        ),
        then=both(tangent(_U) <= NEXT - SHARP, NEXT - SHARP <= tangent(1 / m)),
        control=both(tangent(1 / m) <= NEXT - SHARP, NEXT - SHARP <= tangent(_U)),
        example={"m": 2},
        functions=_SQUARE,
        remark="The last two hypotheses are that L lies below its tangents.",
    ),
    meant.Text(
        "lemcurv.text.weight-order",
        "Where the difference G of two risks is concave on (0, u), the gap between the two perspectives does "
        "not shrink as v grows from 1/u.",
        line=224,
        given=(
            *_CROSS,
            equal(_gap(0), 0),
            v / v2 * _gap(1 / (u * v)) + (1 - v / v2) * _gap(0) <= _gap(1 / (u * v2)),
        ),
        then=v * _gap(1 / (u * v)) <= v2 * _gap(1 / (u * v2)),
        control=v2 * _gap(1 / (u * v2)) <= v * _gap(1 / (u * v)),
        remark="G(x) stands for the difference at u x; the last hypothesis is that it is concave. It is so"
        " where the weight -L'' of one risk exceeds that of the other, which is not part of the formula. The"
        " curvature lemma alone does not give this, because it takes each weight at an a of its own.",
    ),
    ours.Text(
        "lemcurv.text.weight-order.everywhere",
        "On all of [0, 1] the weights of two normalised risks are never ordered unless the risks are equal: "
        "a symmetric concave difference that is 0 at 0 and at 1/2 is 0.",
        line=224,
        given=(0 <= x, x <= HALF, equal(risk(0, "G"), 0), equal(risk(HALF, "G"), 0)),
        then=equal(risk(x, "G"), 0),
        proof=by_z3(
            Mirror("G", ZERO), Mirror("G", x), Chord("G", ZERO, x, ONE), Chord("G", x, term(HALF), 1 - x)
        ),
        control=equal(risk(x, "G"), x),
        example={"x": 0},
        functions={"G": ("x", term(0))},
        remark="So 'the larger the weight' can only be meant near 0; on (0, 1/2) every smooth normalised "
        "risk has the integral 1 of x times its weight.",
    ),
    paper.Text(
        "lemcurv.text.boosting",
        "The larger the weight, the better is the rate that boosting guarantees.",
        line=224,
        proof=Cited(KEARNS_MANSOUR),
        remark="What of this concerns the Mα loss is proved with Theorem thBoostDT1.",
    ),
)

ENTRIES = (*CURVATURE, *PROOF, *TEXT)
