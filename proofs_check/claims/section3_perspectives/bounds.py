"""Section 3: the four bounds of Lemma lemPhiProof, and every display of their proofs.

| here | paper |
|---|---|
| `STARS` | Delta*(m) of the Matsushita, log, square and 0/1 risks |
| `CHANGE`, `LEFT` | the change of the risk of a leaf if one of m examples is exchanged inside it, or leaves |
| `BITS` | log 2, so that log(x) / BITS has base 2 |
"""

from __future__ import annotations

from fractions import Fraction

from privboost.proofs_check import ours, paper
from privboost.proofs_check.claims.common import AT_ZERO, SQUARE
from privboost.proofs_check.engines.elementary import Fact
from privboost.proofs_check.entry import Severity
from privboost.proofs_check.kernel.terms import Claim, Formula, Term, term
from privboost.proofs_check.language import absolute, both, equal, larger, log, reals, risk, smaller, sqrt
from privboost.proofs_check.proofs import Counterexample, Derived, Identity, Smt, Use, by_z3

from .leaf_risk import example, leaf, shared

a, b, m, p, p2, q, q2, x = reals("a b m p p2 q q2 x")

BITS = log(2)
STARS = {
    "matsushita": 2 * sqrt(m),
    "log": (1 + log(m + 1)) / BITS,
    "square": 4 * m / (m + 1),
    "zero-one": term(2),
}
CHANGE = absolute(leaf(a + p, b + q) - leaf(a + p2, b + q2))
LEFT = absolute(leaf(a + p, b + q) - leaf(a, b))
NEIGHBOURS = (*shared(a, b), a + b <= m - 1, *example(p, q), *example(p2, q2), AT_ZERO)

LOG_PRODUCT = "log(x y) = log(x) + log(y) if x, y > 0"
LOG_TANGENT = "log(x) <= x - 1 if x > 0"
LOG_MONOTONE = "log(x) <= log(y) if 0 < x <= y"
LOG_STRICT = "log(x) < log(y) if 0 < x < y"
BITS_POSITIVE = (Fact(LOG_STRICT, (term(1), term(2))), Fact("log(1) = 0"))

_RATIO = (m + 1) / m
_ENTROPY = (log(m + 1) + m * log(_RATIO)) / BITS


def bound(star: Term) -> Term:
    """Return max{3, 1 + star}, the form of every bound of the lemma."""
    return larger(3, 1 + star)


def within_lemma(here: Formula, star: Term) -> Claim:
    """State that a risk with a known value at 1/m changes by at most the bound of the lemma."""
    return Claim((2 <= m, *NEIGHBOURS, here), both(CHANGE <= bound(star), LEFT <= bound(star)))


SHARP_USES = (Use("sharp.exchange"), Use("sharp.example.at-most"), Use("sharp.example.raises"))


LEMMA = (
    paper.Lemma(
        "lemPhiProof.matsushita",
        "Exchanging one of m ≥ 2 examples changes the Matsushita risk of a leaf, which it may leave or enter,"
        " by at most max{3, 1 + 2 sqrt(m)}.",
        line=226,
        claim=within_lemma(equal(risk(1 / m), 2 * sqrt(1 / m * (1 - 1 / m))), STARS["matsushita"]),
        proof=by_z3(*SHARP_USES),
        control=CHANGE <= sqrt(m),
        remark="The sharp value is 2 sqrt(m - 1).",
    ),
    paper.Lemma(
        "lemPhiProof.log",
        "Exchanging one of m ≥ 2 examples changes the log risk of a leaf, which it may leave or enter,"
        " by at most max{3, 1 + (1 + log(m + 1)) / log 2}.",
        line=226,
        claim=within_lemma(equal(m * BITS * risk(1 / m), log(m) + (m - 1) * log(m / (m - 1))), STARS["log"]),
        proof=by_z3(
            Fact(LOG_MONOTONE, (m, m + 1)), Fact(LOG_TANGENT, (m / (m - 1),)), *BITS_POSITIVE, *SHARP_USES
        ),
        control=CHANGE <= 1,
        example={"m": 2, "a": 0, "b": 1, "p": 1, "q": 0, "p2": 0, "q2": 1},
        functions=SQUARE,
        remark="The sharp value is the entropy of 1/m in bits, m times.",
    ),
    paper.Lemma(
        "lemPhiProof.square",
        "Exchanging one of m ≥ 2 examples changes the square risk of a leaf, which it may leave or enter,"
        " by at most max{3, 1 + 4m/(m + 1)}.",
        line=226,
        claim=within_lemma(equal(risk(1 / m), 4 / m * (1 - 1 / m)), STARS["square"]),
        proof=by_z3(*SHARP_USES),
        control=CHANGE <= 1,
        remark="The sharp value is 4 (m - 1)/m.",
    ),
    paper.Lemma(
        "lemPhiProof.zero-one",
        "Exchanging one of m ≥ 2 examples changes the 0/1 risk of a leaf, which it may leave or enter,"
        " by at most max{3, 1 + 2} = 3.",
        line=226,
        claim=within_lemma(equal(risk(1 / m), 2 * smaller(1 / m, 1 - 1 / m)), STARS["zero-one"]),
        proof=by_z3(*SHARP_USES),
        control=CHANGE <= 1,
        remark="The sharp value is 2.",
    ),
)

DISPLAYS = (
    paper.Step(
        "lemPhiProof.notation",
        "In the proof the check on L is dropped: L with two arguments is the perspective.",
        label="proof_lemPhiProof",
        lines=(1357, 1366, 1375, 1382),
        severity=Severity.SLIP,
    ),
    paper.Step(
        "lemPhiProof.matsushita.value",
        "The perspective of the Matsushita risk at (1, m + 1) is (m + 1) 2 sqrt(1/(m + 1) m/(m + 1)) = 2 "
        "sqrt(m).",
        label="proof_lemPhiProof",
        lines=(1357, 1359),
        claim=Claim((1 <= m,), equal((m + 1) * 2 * sqrt(1 / (m + 1) * (m / (m + 1))), 2 * sqrt(m))),
        proofs=(Smt(), Derived("matsushita.perspective")),
        control=equal((m + 1) * 2 * sqrt(1 / (m + 1) * (m / (m + 1))), sqrt(m)),
    ),
    paper.Step(
        "lemPhiProof.log.value",
        "The perspective of the log risk at (1, m + 1) is log(m + 1) + m log((m + 1)/m), in base 2.",
        label="proof_lemPhiProof",
        lines=(1366, 1368),
        given=(1 <= m,),
        then=equal(
            (m + 1) * (-(1 / (m + 1)) * (log(1 / (m + 1)) / BITS) - m / (m + 1) * (log(m / (m + 1)) / BITS)),
            _ENTROPY,
        ),
        proofs=(
            by_z3(
                Fact("log(1/x) = -log(x) if x > 0", (m + 1,)),
                Fact("log(1/x) = -log(x) if x > 0", (_RATIO,)),
                *BITS_POSITIVE,
            ),
            Derived("log.perspective"),
        ),
        control=equal((m + 1) * (-(1 / (m + 1)) * (log(1 / (m + 1)) / BITS)), _ENTROPY),
    ),
    paper.Step(
        "lemPhiProof.log.bound",
        "m log((m + 1)/m) is at most 1 with natural logarithms, so at most 1/log 2 in base 2, and the "
        "perspective of the log risk at (1, m + 1) is at most log(m + 1) + 1/log 2, the first in base 2. "
        "That is the constant (1 + log(m + 1))/log 2 of the lemma, where log is natural.",
        label="proof_lemPhiProof",
        lines=(1369, 226, 1364, 1371),
        also=("lemPhiProof",),
        given=(1 <= m,),
        then=both(
            m * log(_RATIO) <= 1,
            _ENTROPY <= log(m + 1) / BITS + 1 / BITS,
            equal(log(m + 1) / BITS + 1 / BITS, STARS["log"]),
        ),
        proof=by_z3(Fact(LOG_TANGENT, (_RATIO,)), *BITS_POSITIVE),
        control=_ENTROPY <= log(m + 1) / BITS,
        remark="The paper cites Claim 1 of Friedman and Schuster for it; log(1 + x) ≤ x is enough.",
    ),
    ours.Step(
        "lemPhiProof.log.base-matters",
        "Read in base 2, as the appendix reads log, the lemma's constant would be 1 + log(m + 1), which is "
        "below the perspective already at m = 2.",
        line=1364,
        claim=Claim((equal(x, 2),), 1 + log(x + 1) / BITS < (log(x + 1) + x * log((x + 1) / x)) / BITS),
        proof=by_z3(
            *BITS_POSITIVE,
            Fact(LOG_PRODUCT, (term(Fraction(3, 2)), term(Fraction(3, 2)))),
            Fact(LOG_STRICT, (term(2), term(Fraction(9, 4)))),
        ),
        control=2 + log(x + 1) / BITS < (log(x + 1) + x * log((x + 1) / x)) / BITS,
    ),
    paper.Step(
        "lemPhiProof.square.value",
        "The perspective of the square risk at (1, m + 1) is (m + 1) 4/(m + 1) m/(m + 1) = 4m/(m + 1).",
        label="proof_lemPhiProof",
        lines=(1375, 1376),
        claim=Claim((1 <= m,), equal((m + 1) * (4 / (m + 1)) * (m / (m + 1)), 4 * m / (m + 1))),
        proofs=(Identity(), Smt(), Derived("square.perspective")),
        control=equal((m + 1) * (4 / (m + 1)) * (m / (m + 1)), 4 * m),
    ),
    paper.Step(
        "lemPhiProof.zero-one.value",
        "The perspective of the 0/1 risk at (1, m + 1) is (m + 1) 2 min{1/(m + 1), m/(m + 1)} = 2, for m ≥ "
        "1.",
        label="proof_lemPhiProof",
        lines=(1382, 1384),
        claim=Claim((0 <= m,), equal((m + 1) * 2 * smaller(1 / (m + 1), m / (m + 1)), 2)),
        added=(1 <= m,),
        hypothesis="there is at least one example",
        without=Counterexample({"m": 0}, {"m": 1}),
        proofs=(Smt(), Derived("zero_one.perspective")),
        control=equal((m + 1) * 2 * smaller(1 / (m + 1), m / (m + 1)), 2 * m),
    ),
)

ENTRIES = (*LEMMA, *DISPLAYS)
