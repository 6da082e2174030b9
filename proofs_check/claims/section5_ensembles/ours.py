"""Ours, on linear combinations: better constants, unreachable errors, and sufficient numbers of rounds.

All of this is for weights of the accumulated margins, link^-1(-y H(x)); variables as in `weak_learning`.
"""

from __future__ import annotations

from fractions import Fraction

from privboost.proofs_check import ours
from privboost.proofs_check.claims.common import HALF, add_up
from privboost.proofs_check.entry import Induction
from privboost.proofs_check.kernel.terms import Claim
from privboost.proofs_check.language import between, both, either, equal, reals, smaller
from privboost.proofs_check.proofs import Smt, Sum, Use, by_z3

from .weak_learning import ALPHA, COUNTED, PI, RUN, RUN_PROOFS, WLA, M, a, alpha, gamma, pi, w, weight, xi, z

u, x, E, S, T, W, err, f, best, edge, count = reals("u x E S T W err f best edge n")

BEST = 4 * alpha / M**2
"""The step with the greatest guaranteed decrease."""

SETTING = (*ALPHA, 0 < M, 0 < gamma)

WEIGHED = (*ALPHA, 0 < count, equal(w, weight(z)), COUNTED)
"""One of n examples with its margin z and its weight w; x says whether z is at most 0."""

ENTRIES = (
    ours.Theorem(
        "thBoostLC1.sharper",
        "With weights of the margins and a as printed, squared mean weights that sum to 8(1 - ξ)/((1 - π)(7"
        " + π)γ²α) already suffice for an empirical risk of at most ξ.",
        line=440,
        given=(
            *SETTING,
            *PI,
            *between(alpha / M**2 * (1 - pi), a, alpha / M**2 * (1 + pi)),
            *between(0, xi, 1),
            *RUN,
            8 * (1 - xi) / ((1 - pi) * (7 + pi) * gamma**2 * alpha) <= S,
        ),
        then=err <= xi,
        rests_on=RUN_PROOFS,
        control=err <= xi / 2,
        remark="At π = 0 it asks for 4/7 of the printed sum.",
    ),
    ours.Theorem(
        "thBoostLC1.sharper-comparison",
        "The sum 8(1 - ξ)/((1 - π)(7 + π)γ²α) of squared mean weights, which suffices, is never more than"
        " the printed 2(1 - ξ)/((1 - π²)γ²α).",
        line=440,
        claim=Claim((0 <= pi, pi < 1), 8 / ((1 - pi) * (7 + pi)) <= 2 / (1 - pi**2)),
        proofs=(Sum(), Smt()),
        control=8 / ((1 - pi) * (7 + pi)) <= 1 / (1 - pi**2),
    ),
    ours.Theorem(
        "thBoostLC1.best-step",
        "The fall a(1 - a M²/(8α)) guaranteed per round is at most 2α/M², and that is what a = 4α/M² gives.",
        line=440,
        given=(0 < alpha, 0 < M),
        then=both(
            a * (1 - a * M**2 / (8 * alpha)) <= 2 * alpha / M**2,
            equal(BEST * (1 - BEST * M**2 / (8 * alpha)), 2 * alpha / M**2),
        ),
        control=a * (1 - a * M**2 / (8 * alpha)) <= alpha / M**2,
        remark="Four times the best fall of the printed proof, α/(2M²).",
    ),
    ours.Theorem(
        "thBoostLC1.best-interval",
        "With weights of the margins and a in (4α/M²)·[1 - π, 1 + π], squared mean weights that sum to (1 -"
        " ξ)/(2(1 - π²)γ²α) suffice for an empirical risk of at most ξ: a quarter of the printed sum.",
        line=440,
        given=(
            *SETTING,
            *PI,
            *between(BEST * (1 - pi), a, BEST * (1 + pi)),
            *between(0, xi, 1),
            *RUN,
            (1 - xi) / (2 * (1 - pi**2) * gamma**2 * alpha) <= S,
        ),
        then=err <= xi,
        rests_on=RUN_PROOFS,
        control=err <= xi / 2,
    ),
    ours.Theorem(
        "thBoostLC1.sum-bounded",
        "With weights of the margins and 0 < a ≤ 8α/M², γ² M² a(1 - a M²/(8α)) times the sum of squared"
        " mean weights never reaches 1, because the mean surrogate stays positive.",
        line=440,
        given=(*SETTING, 0 < a, a * M**2 <= 8 * alpha, *RUN),
        then=gamma**2 * M**2 * (a * (1 - a * M**2 / (8 * alpha))) * S < 1,
        rests_on=RUN_PROOFS,
        control=gamma**2 * M**2 * (a * (1 - a * M**2 / (8 * alpha))) * S < HALF,
        remark="So at ξ = 0 the condition of the theorem is never met.",
    ),
    ours.Theorem(
        "thBoostLC1.reach",
        "With weights of the margins and a = u α/M², u in [1 - π, 1 + π], the printed condition can be met"
        " only for 1 - ξ < 4(1 - π²)/(u(8 - u)).",
        line=440,
        given=(
            *SETTING,
            *PI,
            *between(1 - pi, u, 1 + pi),
            equal(a, u * alpha / M**2),
            *RUN,
            2 * (1 - xi) / ((1 - pi**2) * gamma**2 * alpha) <= S,
        ),
        then=1 - xi < 4 * (1 - pi**2) / (u * (8 - u)),
        proof=by_z3(Use("thBoostLC1.sum-bounded")),
        control=1 - xi < 2 * (1 - pi**2) / (u * (8 - u)),
        remark="Only for u = 1 - π and π near 1, where the condition asks for very much, is a small ξ not"
        " excluded.",
        rests_on=RUN_PROOFS,
    ),
    ours.Theorem(
        "thBoostLC1.out-of-reach",
        "With weights of the margins and a = α/M², that is π = 0, no run meets the condition of the theorem"
        " for any ξ ≤ 3/7.",
        line=440,
        given=(*SETTING, equal(a, alpha / M**2), *between(0, xi, Fraction(3, 7)), *RUN),
        then=S < 2 * (1 - xi) / (gamma**2 * alpha),
        rests_on=RUN_PROOFS,
        control=S < (1 - xi) / (gamma**2 * alpha),
        remark="There the theorem is true, and empty.",
    ),
    ours.Step(
        "thBoostLC1.mistakes",
        "The mean weight is at least half the share of examples with margin at most 0: one more of n"
        " examples.",
        line=457,
        given=(*WEIGHED, err / 2 <= W),
        then=(err + x / count) / 2 <= W + w / count,
        proof=by_z3(Use("thBoostLC1.mistakes.weight")),
        control=err + x / count <= W + w / count,
        remark="x is whether the next example has margin z at most 0, and w its weight.",
    ),
    ours.Step(
        "thBoostLC1.mistakes.weight",
        "The weight of an example is not negative, and at least 1/2 where its margin is at most 0.",
        line=457,
        claim=Claim(ALPHA, both(0 <= weight(z), either(0 < z, HALF <= weight(z)))),
        control=both(0 <= weight(z), HALF <= weight(z)),
    ),
    ours.Theorem(
        "thBoostLC1.rounds",
        "With weights of the margins and a = 4α/M², after T ≥ 2(1 - ξ)/(α γ² ξ²) rounds at least one of"
        " H_0, ..., H_T has margin at most 0 on at most a share ξ of the examples: were it not so, every"
        " squared mean weight would be at least ξ²/4.",
        line=461,
        given=(
            *(*SETTING, equal(a, BEST), 0 < xi, xi <= 1, 0 < f, 0 <= T),
            f <= 1 - a * (1 - a * M**2 / (8 * alpha)) * E,
            err <= f,
            either(best <= xi, gamma**2 * M**2 * (T * (xi / 2) ** 2) <= E),
        ),
        then=either(smaller(best, err) <= xi, T < 2 * (1 - xi) / (alpha * gamma**2 * xi**2)),
        control=either(smaller(best, err) <= xi, T < (1 - xi) / (alpha * gamma**2 * xi**2)),
        remark="best is the least error of H_0, ..., H_(T-1), and err that of H_T. a = 4α/M² is outside the"
        " paper's interval, which ends below 2α/M², and only some H_t among them is good, not H_T itself.",
        rests_on=(
            *RUN_PROOFS[1:],
            Induction(
                None,
                {"best": 1, "T": 0, "E": 0},
                "thBoostLC1.rounds.step",
                {"best": smaller(best, err), "T": T + 1, "E": E + w**2 * edge**2},
                given=(WLA, *WEIGHED),
            ),
        ),
    ),
    ours.Step(
        "thBoostLC1.rounds.step",
        "A round with an error above ξ adds at least γ² M² (ξ/2)² to the sum of squared mean weights times"
        " squared edges.",
        line=461,
        given=(
            *(0 < gamma, 0 < M, 0 < xi, WLA, err / 2 <= w),
            either(best <= xi, gamma**2 * M**2 * (T * (xi / 2) ** 2) <= E),
        ),
        then=either(
            smaller(best, err) <= xi, gamma**2 * M**2 * ((T + 1) * (xi / 2) ** 2) <= E + w**2 * edge**2
        ),
        proof=by_z3(Use("eqCONST111.wla"), Use("thBoostLC1.rounds.square")),
        control=either(smaller(best, err) <= xi, gamma**2 * M**2 * ((T + 1) * xi**2) <= E + w**2 * edge**2),
        rests_on=(
            add_up(
                "thBoostLC1.mistakes", {"err": err + x / count, "w": W + w / count}, WEIGHED, before={"w": W}
            ),
        ),
    ),
    ours.Step(
        "thBoostLC1.rounds.square",
        "A mean weight of at least err/2 > ξ/2 has a square of at least (ξ/2)², times γ² M².",
        line=461,
        given=(0 < gamma, 0 < M, 0 < xi, err / 2 <= w),
        then=either(err <= xi, gamma**2 * M**2 * (xi / 2) ** 2 <= w**2 * gamma**2 * M**2),
        control=either(err <= xi, gamma**2 * M**2 * xi**2 <= w**2 * gamma**2 * M**2),
    ),
)
