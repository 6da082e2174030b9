"""Appendix, proof of Theorem thBoostLC1: one round, all rounds, from the surrogate to the error.

| here | paper |
|---|---|
| `z`, `d` | margin y_i H(x_i) before a round, and its change in the round, beta y_i h(x_i) |
| `W`, `C` | sums of w_i and of w_i y_i h(x_i) over examples |
| `e` | C / m, the mean of w_i y_i h(x_i): the mean weight times the edge of the normalised weights |
| `f`, `g` | mean of F(y_i H(x_i)) before and after a round |
"""

from __future__ import annotations

from privboost.proofs_check import meant, ours, paper
from privboost.proofs_check.claims.common import ONE, ZERO, add_up
from privboost.proofs_check.entry import Cite
from privboost.proofs_check.kernel.terms import Claim
from privboost.proofs_check.language import absolute, both, either, equal, reals
from privboost.proofs_check.proofs import Smt, Sum, Use, by_z3

from .weak_learning import ALPHA, COUNTED, LABELLED, PI, WLA, surrogate, weight

M, a, alpha, beta, gamma, h, pi, w, xi, y, z = reals("M a alpha beta gamma h pi w xi y z")
d, e, f, g, n, x, b, k = reals("d e f g n x b k")
C, E, S, share, total, old, new, edge, err = reals("C E S share total old new edge err")

DECREASED = f <= 1 - (1 - pi**2) * alpha / (2 * M**2) * E
"""The mean surrogate after all rounds, by the sum of their decreases."""
STEP_RANGE = (0 <= pi, pi <= 1, alpha / M**2 * (1 - pi) <= a, a <= alpha / M**2 * (1 + pi))
"""The interval for the constant a, with π = 1 allowed as in line 1903."""

MEANS_FALL = add_up("eqSEQ.average", {"new": new + g, "old": old + f, "C": C + x, "n": n + 1}, LABELLED)
"""The sum of the surrogates after a round is bounded by that before it, example by example."""

RUN = (
    ours.Step(
        "thBoostLC1.run.edges",
        "With the WLA in every round, the sum of squared mean weights times squared edges is at least γ² M²"
        " times the sum of squared mean weights: one more round.",
        line=440,
        given=(0 < gamma, 0 < M, WLA, gamma**2 * M**2 * S <= E),
        then=gamma**2 * M**2 * (S + w**2) <= E + w**2 * edge**2,
        proof=by_z3(Use("eqCONST111.wla")),
        control=gamma * M**2 * (S + w**2) <= E + w**2 * edge**2,
    ),
    ours.Lemma(
        "eqSEQ.fall",
        "In one round, with the mean C/n of w y h and the coefficient a C/n, the mean surrogate falls by at"
        " least a (C/n)² (1 - a M²/(8α)).",
        line=1906,
        given=(
            *(*ALPHA, 0 < M, 0 < n, equal(beta, a * (C / n))),
            new <= old - beta * C + n * (beta**2 * M**2 / (8 * alpha)),
        ),
        then=a * (C / n) ** 2 * (1 - a * M**2 / (8 * alpha)) <= old / n - new / n,
        proof=by_z3(Use("eqSEQ.one-round", {"f": old / n, "g": new / n, "e": C / n})),
        control=a * (C / n) ** 2 <= old / n - new / n,
        rests_on=(MEANS_FALL,),
    ),
    ours.Step(
        "thBoostLC1.run.falls",
        "If the mean surrogate is at most 1 - a(1 - a M²/(8α)) E, then after one more round, with the mean"
        " C/n of w y h and the coefficient a C/n, it is at most that with E + (C/n)².",
        line=440,
        given=(
            *(*ALPHA, 0 < M, 0 < n, equal(beta, a * (C / n))),
            new <= old - beta * C + n * (beta**2 * M**2 / (8 * alpha)),
            old / n <= 1 - a * (1 - a * M**2 / (8 * alpha)) * E,
        ),
        then=new / n <= 1 - a * (1 - a * M**2 / (8 * alpha)) * (E + (C / n) ** 2),
        proof=by_z3(Use("eqSEQ.fall")),
        control=new / n <= 1 - a * (E + (C / n) ** 2),
        rests_on=(MEANS_FALL,),
    ),
    ours.Step(
        "thBoostLC1.run.errors",
        "The share of examples with margin at most 0 is at most the mean surrogate: one more of n examples.",
        line=440,
        given=(*ALPHA, 0 < n, err <= f, COUNTED),
        then=err + x / n <= f + surrogate(z) / n,
        control=err + 2 * x / n <= f + surrogate(z) / n,
    ),
)

ROUNDS = (
    ours.Step(
        "eqSEQ.example",
        "In one round the surrogate of an example goes from F(z) to at most F(z) - beta w y h + beta² "
        "M²/(8α).",
        line=1906,
        given=(*ALPHA, *LABELLED),
        then=surrogate(z + beta * y * h)
        <= surrogate(z) - beta * y * h * weight(z) + beta**2 * M**2 / (8 * alpha),
        proof=by_z3(
            Use("bY.squares"),
            Use("fEQ1.descent", {"d": beta * y * h}),
            Use(
                "eqSEQ.wider",
                {
                    "f": surrogate(z) - beta * y * h * weight(z),
                    "g": surrogate(z + beta * y * h),
                    "d": beta * y * h,
                    "e": beta**2 * M**2,
                },
            ),
        ),
        control=Claim(
            (equal(alpha, 1), equal(z, 0), equal(beta, 1), equal(y, 1), equal(h, 1), equal(M, 1)),
            surrogate(z + beta * y * h)
            <= surrogate(z) - beta * y * h * weight(z) + beta**2 * M**2 / (9 * alpha),
        ),
    ),
    ours.Step(
        "eqSEQ.wider",
        "A bound with d²/(8α) is one with e/(8α) for every e ≥ d².",
        line=1906,
        claim=Claim((0 < alpha, d**2 <= e, g <= f + d**2 / (8 * alpha)), g <= f + e / (8 * alpha)),
        control=g <= f + e / (9 * alpha),
    ),
    ours.Step(
        "eqSEQ.average",
        "The bounds of `eqSEQ.example` add up over examples: one more example.",
        line=1906,
        given=(
            *ALPHA,
            new <= old - beta * C + n * (beta**2 * M**2 / (8 * alpha)),
            g <= f - beta * x + beta**2 * M**2 / (8 * alpha),
        ),
        then=new + g <= old + f - beta * (C + x) + (n + 1) * (beta**2 * M**2 / (8 * alpha)),
        proofs=(Sum(), Smt()),
        control=new + g <= old + f - beta * (C + x) + n * (beta**2 * M**2 / (8 * alpha)),
        remark="The step of an induction over examples; for no example both sums are 0.",
        rests_on=(
            Cite(
                "eqSEQ.example",
                {"g": surrogate(z + beta * y * h), "f": surrogate(z), "x": y * h * weight(z)},
                LABELLED,
            ),
        ),
    ),
    ours.Step(
        "eqSEQ.one-round",
        "With beta = a e the mean surrogate falls in one round by at least a e² (1 - a M²/(8α)).",
        line=1906,
        given=(0 < alpha, equal(beta, a * e), g <= f - beta * e + beta**2 * M**2 / (8 * alpha)),
        then=a * e**2 * (1 - a * M**2 / (8 * alpha)) <= f - g,
        control=a * e**2 <= f - g,
    ),
    paper.Step(
        "eqSEQ.printed-constant",
        "For a in the interval and π in [0, 1], a (1 - a M²/(2α)) is at least (1 - π²) α/(2M²).",
        line=1907,
        given=(0 < alpha, 0 < M, *STEP_RANGE),
        then=(1 - pi**2) * alpha / (2 * M**2) <= a * (1 - a * M**2 / (2 * alpha)),
        proofs=(Sum(), Smt()),
        control=(1 - pi**2) * alpha / M**2 <= a * (1 - a * M**2 / (2 * alpha)),
    ),
    meant.Step(
        "eqSEQ.round",
        "In one round the mean surrogate falls by at least (1 - π²) α/(2M²) times the squared mean weight "
        "times the squared edge, if the weights are those of the margins.",
        line=1907,
        given=(
            0 < alpha,
            0 < M,
            *STEP_RANGE,
            equal(beta, a * e),
            g <= f - beta * e + beta**2 * M**2 / (8 * alpha),
        ),
        then=(1 - pi**2) * alpha / (2 * M**2) * e**2 <= f - g,
        proof=by_z3(Use("eqSEQ.one-round")),
        control=(1 - pi**2) * alpha / M**2 * e**2 <= f - g,
        remark="Our proof has no Taylor formula; the hypothesis on g is what entries eqSEQ.example and "
        "eqSEQ.average give.",
    ),
    meant.Step(
        "eqSEQ",
        "The falls of the mean surrogate in single rounds add up, from 1 at H = 0: it is at most 1 minus"
        " c times the sum of the squared mean weights times squared edges, c = (1 - π²) α/(2M²).",
        claim=Claim((f <= 1 - k * E, k * e**2 <= f - g), g <= 1 - k * (E + e**2)),
        proofs=(Sum(), Smt()),
        control=g <= 1 - 2 * k * (E + e**2),
        remark="The step of an induction over rounds; it starts with entry eqSEQ.at-zero.",
    ),
    paper.Step(
        "eqCONST1112",
        "By the bound of eqSEQ, if the sum of squared mean weights times squared edges, over M², is at"
        " least 2(1 - ξ)/((1 - π²)α), the mean surrogate is at most ξ.",
        also=("eqCONST1111",),
        also_lines=(1924,),
        given=(*ALPHA, 0 < M, *PI, DECREASED, 2 * (1 - xi) / ((1 - pi**2) * alpha) <= E / M**2),
        then=f <= xi,
        control=f <= xi / 2,
    ),
)

ERROR = (
    paper.Step(
        "eqCONST111.share",
        "The share of examples with margin at most θ, times F(θ), is at most the mean surrogate.",
        line=1936,
        given=(0 < k, total * k <= f, either(both(equal(x, 1), k <= b), both(equal(x, 0), 0 <= b))),
        then=(total + x) * k <= f + b,
        control=(total + x + 1) * k <= f + b,
        remark="The step of an induction over examples: k is F(θ), b the surrogate of one more example, x "
        "whether its margin is at most θ.",
    ),
    paper.Step(
        "eqCONST111.tail",
        "For α > 0: if more than a share ξ has margin at most θ, the mean surrogate exceeds ξ F(θ) + (1 - "
        "ξ) inf F, which is ξ F(θ).",
        line=1938,
        claim=Claim((0 < k, xi < share, share * k <= f), xi * k + (1 - xi) * ZERO < f),
        control=xi * k + (1 - xi) * ONE < f,
        remark="k is F(θ), positive by entry eqCONST111.positive; inf F = 0 is entry eqCONST111.infimum. The "
        "probability of an Iverson bracket is meant to be that of the event.",
    ),
    paper.Step(
        "eqCONST111",
        "By the bound of eqSEQ, if the sum of squared mean weights times squared edges is at least 2M²(1 -"
        " ξ F(θ))/((1 - π²)α), the mean surrogate is at most ξ F(θ).",
        given=(*ALPHA, 0 < M, *PI, DECREASED, 2 * M**2 * (1 - xi * k) / ((1 - pi**2) * alpha) <= E),
        then=f <= xi * k,
        control=f <= xi * k / 2,
        remark="The label is given to two displays. k is F(θ).",
    ),
    paper.Step(
        "eqBB1",
        "If the mean surrogate f is at most ξ F(θ), then a share of at most ξ of the examples has margin"
        " at most θ; k = F(θ) > 0 is the surrogate at θ, and that share times k is at most f.",
        claim=Claim((0 < k, share * k <= f, f <= xi * k), share <= xi),
        proofs=(Sum(), Smt()),
        control=share <= xi / 2,
    ),
    paper.Step(
        "eqBB1.empirical-risk",
        "The empirical risk, the share of examples with margin below 0, is at most the share with margin at"
        " most 0: a margin below 0 is at most 0.",
        line=1963,
        claim=Claim((z < 0,), z <= 0),
        proofs=(Sum(), Smt()),
        control=z <= -1,
    ),
    paper.Equation(
        "eqCONST111.wla",
        "Under the weak learning assumption the squared mean weight times the squared edge is at least the "
        "squared mean weight times γ² M².",
        line=1967,
        given=(0 < gamma, 0 < M, gamma * M <= absolute(edge)),
        then=w**2 * gamma**2 * M**2 <= w**2 * edge**2,
        control=w**2 * gamma * M**2 <= w**2 * edge**2,
        remark="The sign of the edge does not matter, because beta carries it.",
    ),
    meant.Step(
        "eqCONST111.summary",
        "By the bound of eqSEQ and the weak learning assumption, a sum of squared mean weights of at least"
        " 2(1 - ξ)/((1 - π²)γ²α) makes the share of margins at most 0 at most ξ.",
        line=1977,
        given=(
            *ALPHA,
            0 < M,
            *PI,
            0 < gamma,
            gamma**2 * M**2 * S <= E,
            DECREASED,
            share <= f,
            2 * (1 - xi) / ((1 - pi**2) * gamma**2 * alpha) <= S,
        ),
        then=share <= xi,
        control=share <= xi / 2,
    ),
)

ENTRIES = (*ROUNDS, *ERROR, *RUN)
