"""Section 5, linear combinations of classifiers: the weak learning assumption, the weights, the theorem.

| here | paper |
|---|---|
| `surrogate(z)`, `weight(z)` | F(z) of the M-alpha-loss, and link^-1(-z), the weight at margin z |
| `W`, `C` | sums of w_i and of w_i y_i h(x_i) over examples |
| `S`, `E` | sums over rounds of squared mean weights, and of these times squared edges |
| `f`, `err` | mean of F(y_i H_T(x_i)), and the share of examples with y_i H_T(x_i) <= 0 |
"""

from __future__ import annotations

from fractions import Fraction

from privboost.proofs_check import meant, ours, paper
from privboost.proofs_check.claims.common import HALF, ONE, ZERO, add_up
from privboost.proofs_check.entry import Induction, Severity
from privboost.proofs_check.kernel.terms import Claim, Term
from privboost.proofs_check.language import (
    absolute,
    between,
    both,
    either,
    equal,
    implies,
    larger,
    reals,
    smaller,
    sqrt,
)
from privboost.proofs_check.proofs import Counterexample, Identity, Smt, Witness

from .computations import weights_vanish

alpha, pi, gamma, xi, M, a, beta, m, w, y, h, z = reals("alpha pi gamma xi M a beta m w y h z")
d, f, n, s, t, x, C, E, S, W, err = reals("d f n s t x C E S W err")
old, new, edge, total, aligned = reals("old new edge total aligned")

ALPHA = (0 < alpha, alpha <= 1)
PI = (0 <= pi, pi < 1)


def soft(margin: Term) -> Term:
    """Return margin / 2 soft-thresholded by 1 - alpha: 0 on the plateau |margin| <= 2 (1 - alpha)."""
    return larger(margin / 2 - (1 - alpha), 0) + smaller(margin / 2 + (1 - alpha), 0)


def root(s: Term) -> Term:
    """Return sqrt(alpha^2 + s^2)."""
    return sqrt(alpha**2 + s**2)


def slope(s: Term) -> Term:
    """Return s / sqrt(alpha^2 + s^2), the derivative of `root`."""
    return s / root(s)


def surrogate(margin: Term) -> Term:
    """Return the convex surrogate F of the M-alpha-loss.

    Paper: f-alphaM (in the form of entry fEQ1.surrogate-form).
    """
    return 1 - margin / 2 + root(soft(margin)) - alpha


def weight(margin: Term) -> Term:
    """Return link^-1(-margin), the weight of an example with this margin.

    Paper: defwunMF (in the form of entry defwunMF.start).
    """
    return (1 - slope(soft(margin))) / 2


def smooth_link(u: Term) -> Term:
    """Return the part alpha (2u - 1) / sqrt(u (1 - u)) of the link.

    Paper: f-alphaM.
    """
    return alpha * (2 * u - 1) / sqrt(u * (1 - u))


RUN = (0 <= S, gamma**2 * M**2 * S <= E, f <= 1 - a * (1 - a * M**2 / (8 * alpha)) * E, 0 < f, err <= f)
"""Facts after T rounds: the assumption, the sum of all decreases, and the means of 0 < F and [z <= 0] ≤ F."""

WLA = gamma * M <= absolute(edge)
"""The weak learning assumption: the edge of a round is at least γ M."""

LABELLED = (equal(y**2, 1), *between(-M, h, M))
"""An example's label and what a weak hypothesis says of it."""

COUNTED = either(both(equal(x, 1), z <= 0), both(equal(x, 0), 0 < z))
"""x is 1 for a margin z of at most 0, and 0 otherwise."""

RUN_PROOFS = (
    add_up("thBoostLC1.run.edges", {"S": S + w**2, "E": E + w**2 * edge**2}, (WLA,)),
    Induction(
        "eqSEQ.at-zero",
        {"f": surrogate(ZERO), "E": 0},
        "thBoostLC1.run.falls",
        {"f": new / n, "E": E + (C / n) ** 2},
        {"f": old / n},
        (0 < n, equal(beta, a * (C / n)), *LABELLED),
    ),
    add_up(
        "thBoostLC1.run.errors", {"err": err + x / n, "f": f + surrogate(z) / n}, (*ALPHA, 0 < n, COUNTED)
    ),
)
"""The proofs of the facts in `RUN`."""

WEAK_LEARNING = (
    paper.Definition(
        "wlaKMLC.combination",
        "A linear combination H_T is the sum of beta_t h_t over rounds t = 1, ..., T; all |h_t| are at most "
        "M > 0.",
        line=403,
    ),
    paper.Text(
        "wlaKMLC.mean-weight",
        "The mean of weights in [0, 1] is in [0, 1].",
        line=411,
        claim=Claim((0 < n, both(*between(0, total, n))), both(*between(0, total / n, 1))),
        control=both(*between(0, total / n, HALF)),
        rests_on=(add_up("wlaKMLC.mean-weight.sum", {"total": total + w, "n": n + 1}, between(0, w, 1)),),
    ),
    paper.Step(
        "wlaKMLC.mean-weight.sum",
        "The sum of n weights in [0, 1] is in [0, n]: one more weight.",
        line=411,
        claim=Claim((*between(0, w, 1), both(*between(0, total, n))), both(*between(0, total + w, n + 1))),
        control=both(*between(0, total + w, n)),
    ),
    paper.Text(
        "wlaKMLC.normalised",
        "The weights of a round, divided by m times their mean, sum to 1.",
        line=413,
        claim=Claim((0 < m, 0 <= W), equal(W / (m * (W / m)), 1)),
        added=(0 < W,),
        hypothesis="not all weights are 0, which is so for α > 0",
        without=Witness(
            weights_vanish, (Fraction(0), (Fraction(3), Fraction(3))), (HALF, (Fraction(3), Fraction(3)))
        ),
        proofs=(Identity(), Smt()),
        control=equal(W / (m * W), 1),
    ),
    paper.Definition(
        "wlaKMLC",
        "A weak hypothesis satisfies the assumption if its edge on the normalised weights is at least γ M in "
        "absolute value.",
        line=416,
        remark="γ > 0 is fixed with the assumption for trees.",
    ),
    ours.Lemma(
        "wlaKMLC.edge-bound",
        "An edge, the sum of w_i y_i h(x_i) over that of w_i, is in [-M, M].",
        line=417,
        given=(0 < total, both(*between(-M * total, aligned, M * total))),
        then=both(*between(-M, aligned / total, M)),
        control=both(*between(-M, 2 * aligned / total, M)),
        rests_on=(
            add_up(
                "wlaKMLC.edge-bound.sum",
                {"total": total + w, "aligned": aligned + w * y * h},
                (0 <= w, *LABELLED),
            ),
        ),
    ),
    ours.Step(
        "wlaKMLC.edge-bound.sum",
        "The sum of w_i y_i h(x_i) is at most M times that of w_i in absolute value: one more example.",
        line=417,
        given=(0 <= w, *LABELLED, both(*between(-M * total, aligned, M * total))),
        then=both(*between(-M * (total + w), aligned + w * y * h, M * (total + w))),
        control=aligned + w * y * h <= M * total,
    ),
    ours.Step(
        "wlaKMLC.gamma",
        "The weak learning assumption for linear combinations, |edge| ≥ γ M with |h| ≤ M, can be met only"
        " with γ ≤ 1, because edges are in [-M, M] (`wlaKMLC.edge-bound`).",
        line=417,
        claim=Claim((0 < M, *between(-M, edge, M), WLA), gamma <= 1),
        control=gamma <= HALF,
    ),
    paper.Text(
        "wlaKMLC.similar",
        "The assumption has the form of that for trees, because a split g in {0, 1} gives |2g - 1| = 1, so "
        "M = 1.",
        line=419,
        claim=Claim((either(equal(x, 0), equal(x, 1)),), equal(absolute(2 * x - 1), 1)),
        control=equal(absolute(x - 1), 1),
        remark="For trees the weights are balanced between the classes of a leaf, here they are not.",
    ),
)

WEIGHTS = (
    paper.Text(
        "defwunMF.start",
        "The inverse link of the figure at -z, with its cases, is (1 - s/sqrt(α² + s²))/2, where s is "
        "z/2 moved towards 0 by 1 - α and 0 on the plateau. At margin 0 it is the initial weight 1/2.",
        lines=(423, 427),
        also=("f-alphaM",),
        given=ALPHA,
        then=both(
            implies(absolute(-z) <= 2 * (1 - alpha), equal(weight(z), HALF)),
            implies(
                2 * (1 - alpha) < -z,
                equal(weight(z), (1 + (-z / 2 - (1 - alpha)) / root(absolute(-z) / 2 - (1 - alpha))) / 2),
            ),
            implies(
                -z < -2 * (1 - alpha),
                equal(weight(z), (1 + (-z / 2 + (1 - alpha)) / root(absolute(-z) / 2 - (1 - alpha))) / 2),
            ),
            equal(weight(ZERO), HALF),
        ),
        control=equal(weight(ONE), HALF),
    ),
    paper.Equation(
        "defwunMF.accumulates",
        "The printed update keeps every weight the inverse link of minus the margin so far, on which the"
        " proof relies: after two rounds that add x and t to the margin y H(x_i) of an example, with any"
        " value s of the link chosen at 1/2 (the plateau, where the link is the interval from -2(1 - α)"
        " to 2(1 - α)).",
        also=("defwun", "fEQ2"),
        lines=(427, 1809, 1848),
        given=(*ALPHA, absolute(s) <= 2 * (1 - alpha), absolute(x - s) <= 2 * (1 - alpha)),
        then=equal(weight(t - s), weight(x + t)),
        refutation=Counterexample(
            {"alpha": HALF, "s": 0, "x": Fraction(3, 4), "t": Fraction(3, 4)},
            {"alpha": 1, "s": 0, "x": 0, "t": Fraction(3, 4)},
        ),
        correction="defwunMF.off-plateau",
        severity=Severity.THEOREM,
        erratum="mirror-plateau",
        remark="With α = 1/2 and two rounds that add 3/4 each the printed weight is 1/2, and the inverse"
        " link of minus the margin 3/2 is 0.276. On the plateau the link forgets the margin, so that also"
        " an example of greater margin can keep the greater weight (margins 3/4 + 3/4 stay at 1/2, 6/5 +"
        " 0 goes to 0.402). Weights taken from the margins, w = link^-1(-y H(x)), mend it.",
    ),
    meant.Equation(
        "defwunMF.off-plateau",
        "Off the plateau the link of the weight is minus the margin, so that the update gives the inverse "
        "link of minus the new margin.",
        line=427,
        given=ALPHA,
        then=both(
            implies(z < 0, equal(smooth_link(weight(z)) + 2 * (1 - alpha), -z)),
            implies(0 < z, equal(smooth_link(weight(z)) - 2 * (1 - alpha), -z)),
        ),
        added=(2 * (1 - alpha) < absolute(z),),
        hypothesis="the margin z is off the plateau; for α = 1 it always is, but for z = 0",
        without=Counterexample({"alpha": HALF, "z": HALF}, {"alpha": HALF, "z": 2}),
        control=Claim((equal(alpha, 1), equal(z, 2)), equal(smooth_link(weight(z)), -1 - z)),
    ),
    paper.Text(
        "defwunMF.complete",
        "Start, update and coefficient describe the algorithm completely: two values s and t of the link"
        " chosen at 1/2 give the same weight after a round that adds x to the margin.",
        line=437,
        given=(*ALPHA, absolute(s) <= 2 * (1 - alpha), absolute(t) <= 2 * (1 - alpha)),
        then=equal(weight(x - s), weight(x - t)),
        refutation=Counterexample(
            {"alpha": HALF, "s": 0, "t": -1, "x": HALF}, {"alpha": HALF, "s": 0, "t": 1, "x": HALF}
        ),
        correction="defwunMF.from-margins",
        severity=Severity.GAP,
        erratum="mirror-plateau",
        remark="The root of it is defwunMF.accumulates. For α < 1 the link at 1/2, where all weights"
        " start, is an interval, and which value to take is not said: with α = 1/2 and x = 1/2 the value"
        " 0 gives the weight 1/2, the value -1 gives 0.276.",
    ),
    ours.Text(
        "defwunMF.from-margins",
        "Weights defined as link^-1(-y H(x)) leave no choice: by definition they are a function of the margin"
        " z alone, whatever rounds x and t it is the sum of, and at the start, where it is 0, they are 1/2.",
        line=437,
        given=(*ALPHA, equal(z, x + t)),
        then=both(equal(weight(z - z), HALF), equal(weight(x + t), weight(z))),
        control=both(equal(weight(z - z), HALF), equal(weight(x), weight(z))),
    ),
    ours.Equation(
        "defwunMF.stuck",
        "With selection s of the link at 1/2, a weight of 1/2 stays 1/2 as long as |s - beta y h| ≤ 2(1 - "
        "α).",
        line=427,
        claim=Claim((*ALPHA, absolute(s - x) <= 2 * (1 - alpha)), equal(weight(x - s), HALF)),
        control=equal(weight(x), HALF),
        remark="So for every selection inside the plateau there is an α small enough that no weight ever "
        "moves.",
    ),
    meant.Text(
        "defwunMF.monotone",
        "If weights are those of the margins, they never grow with the margin: the better an example is"
        " classified, the smaller its weight, or as large.",
        line=457,
        claim=Claim((*ALPHA, 0 <= d), weight(z + d) <= weight(z)),
        control=Claim((equal(alpha, 1), equal(z, 0), equal(d, 1)), weight(z) <= weight(z + d)),
    ),
)

ENTRIES = (*WEAK_LEARNING, *WEIGHTS)
