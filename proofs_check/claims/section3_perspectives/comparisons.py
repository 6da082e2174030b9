"""Section 3: the four bounds compared with each other, with the sharp values and with earlier bounds."""

from __future__ import annotations

from fractions import Fraction

from privboost.proofs_check import meant, ours, paper
from privboost.proofs_check.engines.elementary import Fact
from privboost.proofs_check.kernel.terms import Claim, term
from privboost.proofs_check.language import absolute, both, equal, log, reals, sqrt
from privboost.proofs_check.proofs import Boxes, Cited, Derived, Use, by_z3

from .bounds import BITS, BITS_POSITIVE, LOG_MONOTONE, LOG_PRODUCT, LOG_TANGENT, STARS, bound
from .leaf_risk import with_names

m, x = reals("m x")

KEARNS_MANSOUR = (
    "Kearns and Mansour, On the boosting ability of top-down decision tree learning algorithms, STOC 1996"
)
_HALF_ROOT = sqrt(m + 1) / 2

ENTRIES = (
    paper.Text(
        "lemPhiProof.text.within-one.log",
        "The bound for the log risk is within 1 of the known one, log(m + 1) + 1/log 2 with the first in "
        "base 2.",
        line=228,
        claim=Claim((1 <= m,), absolute(bound(STARS["log"]) - (log(m + 1) / BITS + 1 / BITS)) <= 1),
        hypothesis="the bound of Friedman and Schuster, KDD 2010, is as quoted",
        proof=by_z3(*BITS_POSITIVE, Fact(LOG_MONOTONE, (term(2), m + 1)), Fact(LOG_TANGENT, (term(2),))),
        control=absolute(bound(STARS["log"]) - (log(m + 1) / BITS + 1 / BITS)) <= Fraction(1, 2),
    ),
    meant.Text(
        "lemPhiProof.text.within-one.square",
        "The bound for the square risk is within 1 of the known one, which is 2 for the Gini index 2 p "
        "(1 - p) and so 4 for the risk 4 p (1 - p); that for the 0/1 risk is 1 above the known one, "
        "which is 1 for a count of errors and so 2 for the risk 2 min{p, 1 - p}.",
        line=228,
        given=(1 <= m,),
        then=both(absolute(bound(STARS["square"]) - 2 * 2) <= 1, equal(bound(STARS["zero-one"]) - 2 * 1, 1)),
        hypothesis="the bound of Friedman and Schuster, KDD 2010, is as quoted",
        control=absolute(bound(STARS["square"]) - 2 * 2) <= Fraction(1, 2),
        remark="For m < 3 it is the smaller of the two.",
    ),
    paper.Text(
        "lemPhiProof.text.optimal",
        "The Matsushita loss guarantees the optimal boosting rate, the 0/1 loss the poorest.",
        lines=(224, 272, 274),
        proof=Cited(KEARNS_MANSOUR),
    ),
    ours.Step(
        "lemPhiProof.log-of-two",
        "The logarithm of a number from 2 to 3 is at least 69/100.",
        claim=Claim((2 <= x, x <= 3), Fraction(69, 100) <= log(x)),
        proof=Boxes(limit=40),
        control=Fraction(7, 10) <= log(x),
    ),
    meant.Text(
        "lemPhiProof.text.most-expensive.log",
        "For m ≥ 3 the bound of the Matsushita risk is at least that of the log risk.",
        line=224,
        claim=Claim((3 <= m,), STARS["log"] <= STARS["matsushita"]),
        proof=by_z3(
            Fact(LOG_TANGENT, (_HALF_ROOT,)),
            Fact(LOG_PRODUCT, (_HALF_ROOT, _HALF_ROOT)),
            Fact(LOG_PRODUCT, (term(4), _HALF_ROOT * _HALF_ROOT)),
            Fact(LOG_PRODUCT, (term(2), term(2))),
            Use("lemPhiProof.log-of-two", with_names(x=term(2))),
        ),
        control=Claim((2 <= m,), STARS["log"] <= STARS["matsushita"]),
    ),
    paper.Text(
        "lemPhiProof.text.most-expensive.others",
        "For m ≥ 1 the bound of the Matsushita risk is at least those of the square and of the 0/1 risk.",
        line=224,
        given=(1 <= m,),
        then=both(STARS["square"] <= STARS["matsushita"], STARS["zero-one"] <= STARS["matsushita"]),
        control=both(STARS["square"] <= sqrt(m), STARS["zero-one"] <= STARS["matsushita"]),
    ),
    meant.Text(
        "lemPhiProof.text.most-expensive.sharp",
        "By the sharp values the Matsushita risk is the most expensive of the four risks for m ≥ 4: none of "
        "the others exceeds 2 sqrt(m - 1).",
        line=224,
        given=(4 <= m,),
        then=both(
            (log(m) + (m - 1) * log(m / (m - 1))) / BITS <= 2 * sqrt(m - 1),
            4 * (m - 1) / m <= 2 * sqrt(m - 1),
            2 <= 2 * sqrt(m - 1),
        ),
        proof=by_z3(
            *BITS_POSITIVE,
            Fact(LOG_TANGENT, (m / (m - 1),)),
            Use("lemPhiProof.text.most-expensive.log", with_names(m=m - 1)),
        ),
        control=(log(m) + (m - 1) * log(m / (m - 1))) / BITS <= sqrt(m - 1),
        remark="At m = 2 all four are 2, and m = 3 is lemPhiProof.text.most-expensive.sharp.three.",
    ),
    ours.Text(
        "lemPhiProof.text.most-expensive.sharp.three",
        "At m = 3 too the sharp value of the Matsushita risk, 2 sqrt(2), is greater than that of the log "
        "risk, (3 log 3 - 2 log 2)/log 2.",
        line=224,
        claim=Claim((3 <= x, x <= 3), (x * log(x) - 2 * log(x - 1)) / log(x - 1) < 2 * sqrt(x - 1)),
        proof=Boxes(limit=4),
        control=(x * log(x) - 2 * log(x - 1)) / log(x - 1) < 1 + sqrt(x - 1),
        remark="Those of the square and the 0/1 risk are 8/3 and 2.",
    ),
    paper.Text(
        "lemPhiProof.text.growth",
        "As m grows the perspectives at (1, m + 1) behave as 2 sqrt(m), as log m in base 2, as 4 and as 2: "
        "the Matsushita risk needs a considerable budget.",
        line=275,
        proofs=tuple(Derived(f"{name}.growth") for name in ("matsushita", "log", "square", "zero_one")),
    ),
    ours.Lemma(
        "lemPhiProof.slack",
        "The excess of the printed bound over the sharp value tends to 1 for each of the four risks.",
        line=226,
        proofs=tuple(Derived(f"{name}.slack-limit") for name in ("matsushita", "log", "square", "zero_one")),
    ),
    ours.Lemma(
        "lemPhiProof.sharp-values",
        "The sharp values m L(1/m) are 2 sqrt(m - 1), (log m + (m - 1) log(m/(m - 1)))/log 2, 4 (m - 1)/m "
        "and 2.",
        line=226,
        proofs=tuple(Derived(f"{name}.sharp") for name in ("matsushita", "log", "square", "zero_one")),
    ),
)
