"""Section 2: the square, log and 0/1 losses, their symmetry, their Bayes risks and their names for trees.

| here | paper |
|---|---|
| `u` | prediction |
| `p` | pi, the probability of label 1 |
"""

from __future__ import annotations

from fractions import Fraction

from privboost.proofs_check import meant, paper
from privboost.proofs_check.claims.common import HALF, at
from privboost.proofs_check.engines.elementary import Fact
from privboost.proofs_check.entry import Severity
from privboost.proofs_check.kernel.terms import Claim, Formula, term
from privboost.proofs_check.language import (
    between,
    both,
    either,
    equal,
    implies,
    log,
    negation,
    reals,
    smaller,
)
from privboost.proofs_check.proofs import Counterexample, Derived, Identity, Smt, Witness, by_z3

from . import computations

a, b, c, e, p, u, x = reals("a b c e p u x")
HALVES = (0 < u, u < 1, 0 < p, p < 1)
SQUARE_COST = p * ((1 - u) ** 2 / 2) + (1 - p) * (u**2 / 2)
LOG_COST = -p * log(u) - (1 - p) * log(1 - u)
ENTROPY = -p * log(p) - (1 - p) * log(1 - p)
LOG_RATIOS = tuple(
    Fact(name, arguments)
    for top, bottom in ((u, p), (1 - u, 1 - p))
    for name, arguments in (
        ("log(x) <= x - 1 if x > 0", (top / bottom,)),
        ("log(x y) = log(x) + log(y) if x, y > 0", (bottom, top / bottom)),
    )
)


def same(first: Formula, second: Formula) -> Formula:
    """State that two Iverson brackets are equal."""
    return either(both(first, second), both(negation(first), negation(second)))


def state_normalisation(factor: int) -> Formula:
    """State that the square risk times a factor, the log risk and the 0/1 risk are 1 at x."""
    entropy = -x * log(x) - (1 - x) * log(1 - x)
    log_is_one = equal(entropy / log(2), 1)
    return both(equal(factor * (x * (1 - x) / 2), 1), both(equal(2 * smaller(x, 1 - x), 1), log_is_one))


ENTRIES = (
    paper.Definition(
        "eqpartialloss.real",
        "Losses are real at every prediction of [0, 1]; the log loss is one of them.",
        line=148,
        refutation=Witness(
            computations.infinite_partial, ("log", 1, Fraction(0)), ("square", 1, Fraction(0))
        ),
        correction="eqpartialloss.extended",
        severity=Severity.PEDANTRY,
        erratum="range-extended",
        remark="For label 1 at prediction 0. The risk is not affected: such a prediction is never the best "
        "one unless the label has probability 0.",
    ),
    meant.Definition(
        "eqpartialloss.extended",
        "The partial losses named in Section 2 take values in [0, infinity]: infinite only for the log loss "
        "where the prediction gives the label probability 0, and at least 0 everywhere else.",
        line=148,
        claim=Claim((0 < u, u <= 1), both(0 <= -log(u), both(0 <= (1 - u) ** 2 / 2, 0 <= u**2 / 2))),
        proof=by_z3(Fact("log(x) <= x - 1 if x > 0", (u,))),
        control=both(u <= -log(u), both(0 <= (1 - u) ** 2 / 2, 0 <= u**2 / 2)),
    ),
    paper.Text(
        "eqpartialloss.square-symmetric",
        "The square loss, (1 - u)^2 / 2 and u^2 / 2, is symmetric.",
        line=158,
        then=both(equal((1 - u) ** 2 / 2, (1 - u) ** 2 / 2), equal((1 - (1 - u)) ** 2 / 2, u**2 / 2)),
        proofs=(Identity(), Smt(), Derived("square.symmetric")),
        control=both(equal((1 - u) ** 2 / 2, (1 - u) ** 2 / 2), equal((1 - u) ** 2 / 2, u**2 / 2)),
    ),
    paper.Text(
        "eqpartialloss.log-symmetric",
        "The log loss, -log u and -log(1 - u), is symmetric.",
        line=158,
        claim=Claim((0 < u, u < 1), equal(-log(u), -log(1 - (1 - u)))),
        proofs=(Smt(), Derived("log.symmetric")),
        control=equal(-log(u), -log(1 - u)),
    ),
    paper.Text(
        "eqpartialloss.zero-one-printed",
        "The 0/1 loss, printed with indicators of π (here p) where the prediction u is meant, is symmetric: "
        "π ≤ 1/2 exactly where π ≥ 1/2.",
        lines=(158, 162, 163),
        claim=Claim(between(0, p, 1), same(p <= HALF, p >= HALF)),
        refutation=Counterexample(at(p=Fraction(1, 3)), {"p": HALF}),
        correction="eqpartialloss.zero-one-symmetric",
        severity=Severity.SLIP,
        erratum="zero-one-variable",
        also=("pbr",),
        remark="A slip of the letter: 1/3 ≤ 1/2, but not 1/3 ≥ 1/2. Read literally no prediction has any "
        "influence, and at π = 1/2 each costs 1. The log and 0/1 risks have the opposite slip: they are "
        "printed as L(u), with π on the right.",
    ),
    meant.Text(
        "eqpartialloss.zero-one-symmetric",
        "The 0/1 loss with indicators of u is symmetric: u ≤ 1/2 exactly where 1 - u ≥ 1/2.",
        line=158,
        claim=Claim(between(0, u, 1), same(u <= HALF, 1 - u >= HALF)),
        proofs=(Smt(), Derived("zero_one_in_u.symmetric")),
        control=same(u < HALF, 1 - u >= HALF),
    ),
    meant.Text(
        "pbr.zero-one-proper",
        "The 0/1 loss with indicators of u, under which both labels pay 1 at u = 1/2, is proper: no "
        "prediction costs less on average than the probability itself.",
        line=158,
        refutation=Witness(computations.improper, ("zero_one_in_u", HALF), ("zero_one", HALF)),
        correction="pbr.zero-one-halved",
        severity=Severity.SLIP,
        erratum="tie-at-half",
        remark="Line 163 speaks of symmetric proper losses; the least cost is right, and not attained at "
        "1/2.",
    ),
    meant.Text(
        "pbr.zero-one-halved",
        "With half the price at u = 1/2 the 0/1 loss is proper: a prediction below 1/2 costs π, one above 1 "
        "- π, and 1/2 costs 1/2; the cost e of predicting π itself is the least of them.",
        line=158,
        given=(
            *between(0, p, 1),
            implies(p < HALF, equal(e, p)),
            implies(HALF < p, equal(e, 1 - p)),
            implies(equal(p, HALF), equal(e, HALF)),
        ),
        then=both(equal(e, smaller(p, 1 - p)), both(e <= p, both(e <= 1 - p, e <= HALF))),
        proofs=(Smt(), Derived("zero_one.proper")),
        control=both(equal(e, smaller(p, 1 - p)), both(e <= p, both(e <= 1 - p, e < HALF))),
    ),
    paper.Equation(
        "pbr.square",
        "The Bayes risk of the square loss is π (1 - π) / 2: the cost of u exceeds it by (u - π)^2 / 2.",
        line=162,
        claim=Claim((), equal(SQUARE_COST - p * (1 - p) / 2, (u - p) ** 2 / 2)),
        proofs=(Identity(), Derived("square.risk"), Derived("square.proper")),
        control=equal(SQUARE_COST - p * (1 - p) / 2, (u - p) ** 2),
    ),
    paper.Text(
        "pbr.gini",
        "The Bayes risk of the square loss is Gini's criterion up to a factor: 1 - π^2 - (1 - π)^2 is four "
        "times π (1 - π) / 2.",
        line=162,
        claim=Claim((), equal(1 - p**2 - (1 - p) ** 2, 4 * (p * (1 - p) / 2))),
        proof=Identity(),
        control=equal(1 - p**2 - (1 - p) ** 2, 2 * (p * (1 - p) / 2)),
    ),
    paper.Equation(
        "pbr.log",
        "The Bayes risk of the log loss is -π log π - (1 - π) log(1 - π), inside (0, 1): no prediction "
        "costs less, and π costs that.",
        lines=(162, 163),
        claim=Claim(HALVES, ENTROPY <= LOG_COST),
        proofs=(by_z3(*LOG_RATIOS), Derived("log.risk"), Derived("log.proper")),
        control=ENTROPY < LOG_COST,
    ),
    meant.Text(
        "pbr.log-gain",
        "The log loss gives the information gain: that is a parent's entropy a minus the mean entropy of "
        "the children, so it is greater exactly where the children's, the risk, is less.",
        line=162,
        claim=Claim((), same(b <= c, a - c <= a - b)),
        control=same(b <= c, a - b <= a - c),
        remark="The entropy itself is no gain; the two are minimised and maximised by the same split.",
    ),
    meant.Equation(
        "pbr.zero-one",
        "The Bayes risk of the 0/1 loss is min(π, 1 - π): predictions cost π, 1 - π or 1, the first two "
        "both occur, and none costs less.",
        line=163,
        given=between(0, p, 1),
        then=both(
            either(equal(smaller(p, 1 - p), p), equal(smaller(p, 1 - p), 1 - p)),
            both(smaller(p, 1 - p) <= p, both(smaller(p, 1 - p) <= 1 - p, smaller(p, 1 - p) <= 1)),
        ),
        proofs=(Smt(), Derived("zero_one_in_u.risk")),
        control=both(
            either(equal(smaller(p, 1 - p), p), equal(smaller(p, 1 - p), 1 - p)),
            both(smaller(p, 1 - p) <= p, both(smaller(p, 1 - p) < 1 - p, smaller(p, 1 - p) <= 1)),
        ),
    ),
    meant.Text(
        "pbr.examples-factors",
        "The risks of the square, log and 0/1 losses become 1 at 1/2 with the factors 8, 1 / log 2 and 2.",
        line=163,
        claim=Claim((equal(x, HALF),), state_normalisation(8)),
        proof=by_z3(
            Fact("log(x y) = log(x) + log(y) if x, y > 0", (term(2), x)),
            Fact("log(1) = 0"),
            Fact("log(x) < log(y) if 0 < x < y", (term(1), term(2))),
        ),
        control=state_normalisation(4),
    ),
    meant.Text(
        "pbr.exponential-scale",
        "A public factor c on the criterion, a score of a, changes no choice of the exponential mechanism "
        "with budget e if the sensitivity b is multiplied by c too: the exponent stays e a / (2 b).",
        lines=(162, 193),
        also=("defMECH",),
        claim=Claim((0 < c, 0 < b), equal(e * (c * a) / (2 * (c * b)), e * a / (2 * b))),
        proofs=(Identity(), Smt()),
        control=equal(e * (c * a) / (2 * b), e * a / (2 * b)),
    ),
)
