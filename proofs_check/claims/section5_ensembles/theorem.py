"""Section 5, linear combinations of classifiers: Theorem thBoostLC1, and its consequences in the text.

Variables as in `weak_learning`; `T` is the number of rounds.
"""

from __future__ import annotations

from fractions import Fraction

from privboost.proofs_check import meant, ours, paper
from privboost.proofs_check.claims.common import HALF
from privboost.proofs_check.engines.elementary import Fact
from privboost.proofs_check.entry import Severity
from privboost.proofs_check.kernel.terms import Claim
from privboost.proofs_check.language import between, both, equal, log, reals
from privboost.proofs_check.proofs import Counterexample, Use, Witness, by_z3

from .computations import printed_run
from .weak_learning import ALPHA, PI, RUN, RUN_PROOFS, root, soft, surrogate, weight

M, a, alpha, gamma, pi, w, xi, z, c, f, t, S, T, err = reals("M a alpha gamma pi w xi z c f t S T err")

ROWS = (Fraction(1), Fraction(1), Fraction(1), Fraction(-1))
"""Margins of a weak hypothesis that is right on three of four examples."""

THEOREM = (
    paper.Theorem(
        "thBoostLC1",
        "With the printed update, if all weak hypotheses satisfy the γ-WLA and the squared mean weights"
        " sum to at least 2(1 - ξ)/((1 - π²)γ²α), where a = α/M² (1 ± π) is the factor of the"
        " coefficients, the empirical risk of H_T is at most ξ.",
        also=("eqCONST111M",),
        lines=(440, 445),
        refutation=Witness(
            printed_run,
            (Fraction(4, 5), ROWS, 32, Fraction(1, 5), HALF),
            (Fraction(4, 5), ROWS, 31, Fraction(1, 5), HALF),
        ),
        correction="thBoostLC1.accumulated",
        severity=Severity.THEOREM,
        erratum="mirror-plateau",
        remark="The root of it is defwunMF.accumulates. π = 0 and a = 4/5; the coefficient is 1/5 each"
        " time, inside the plateau [-2/5, 2/5], on which any value of the link may be taken: with 0 the"
        " weights stay 1/2 for ever and the error stays 1/4, however many rounds are added.",
    ),
    meant.Theorem(
        "thBoostLC1.accumulated",
        "With weights link^-1(-y_i H_(t-1)(x_i)) the theorem holds, for α in (0, 1], π in [0, 1) and ξ in "
        "[0, 1].",
        also=("eqCONST111M",),
        lines=(440, 445),
        given=(
            *ALPHA,
            0 < M,
            0 < gamma,
            *PI,
            *between(alpha / M**2 * (1 - pi), a, alpha / M**2 * (1 + pi)),
            *between(0, xi, 1),
            *RUN,
            2 * (1 - xi) / ((1 - pi**2) * gamma**2 * alpha) <= S,
        ),
        then=err <= xi,
        control=err <= xi / 2,
        remark="Of the least empirical risk reached it says little: see thBoostLC1.out-of-reach.",
        rests_on=RUN_PROOFS,
    ),
)

TEXT = (
    paper.Text(
        "thBoostLC1.flavour",
        "The condition is like that for trees, but its dependence on ξ looks milder: 1 - ξ stands where "
        "log(1/ξ), which is never smaller, stands there.",
        line=451,
        claim=Claim((0 < xi, xi <= 1), 1 - xi <= log(1 / xi)),
        proof=by_z3(Fact("log(1/x) = -log(x) if x > 0", (xi,)), Fact("log(x) <= x - 1 if x > 0", (xi,))),
        control=2 - xi <= log(1 / xi),
        remark="Trees have a sum of weights where this has a sum of squared ones.",
    ),
    meant.Text(
        "thBoostLC1.large-weights",
        "If the mean weight never falls below c, then 2(1 - ξ)/((1 - π²)γ²α c²) rounds meet the condition.",
        line=454,
        given=(
            *ALPHA,
            0 < gamma,
            *PI,
            *between(0, xi, 1),
            0 < c,
            T * c**2 <= S,
            2 * (1 - xi) / ((1 - pi**2) * gamma**2 * alpha * c**2) <= T,
        ),
        then=2 * (1 - xi) / ((1 - pi**2) * gamma**2 * alpha) <= S,
        control=4 * (1 - xi) / ((1 - pi**2) * gamma**2 * alpha) <= S,
        remark="The text has the vector w_t for the mean weight. Mean weights cannot stay so large for so "
        "long: see thBoostLC1.out-of-reach.",
    ),
    meant.Text(
        "thBoostLC1.rate-bound",
        "A weight is at most F/(2α), F being the surrogate at its margin, so the mean weight is at most the"
        " mean surrogate over 2α: as the latter falls, the sum of squared mean weights grows more slowly.",
        line=459,
        claim=Claim(ALPHA, weight(z) <= surrogate(z) / (2 * alpha)),
        proof=by_z3(
            Use("fEQ1.root-at-least-alpha", {"s": soft(z)}),
            Use("thBoostLC1.weight-and-surrogate"),
            Use("thBoostLC1.scaled", {"t": root(soft(z)), "w": weight(z), "f": surrogate(z)}),
        ),
        control=Claim((equal(alpha, 1), equal(z, 0)), weight(z) <= surrogate(z) / (3 * alpha)),
    ),
    ours.Step(
        "thBoostLC1.weight-and-surrogate",
        "Twice sqrt(α² + s²) times the weight is at most the surrogate, and the weight is positive.",
        line=459,
        claim=Claim(ALPHA, both(0 < weight(z), 2 * root(soft(z)) * weight(z) <= surrogate(z))),
        control=3 * root(soft(z)) * weight(z) <= surrogate(z),
    ),
    ours.Step(
        "thBoostLC1.scaled",
        "If 2 t w ≤ f with w > 0 and t ≥ α > 0, then w ≤ f/(2α).",
        line=459,
        claim=Claim((0 < alpha, alpha <= t, 0 < w, 2 * t * w <= f), w <= f / (2 * alpha)),
        control=w <= f / (3 * alpha),
    ),
    paper.Text(
        "thBoostLC1.iterations",
        "With a = α/M² and weights of the margins, enough rounds meet the condition of the theorem for"
        " every ξ > 0: what it asks for, 2(1 - ξ)/(γ² α), is below 8/(7 α γ²), which the sum of squared"
        " mean weights cannot exceed.",
        line=461,
        given=(*ALPHA, 0 < gamma, gamma <= 1, 0 < xi, xi <= 1),
        then=2 * (1 - xi) / (gamma**2 * alpha) < 8 / (7 * alpha * gamma**2),
        refutation=Counterexample(
            {"alpha": 1, "gamma": 1, "xi": Fraction(1, 10)}, {"alpha": 1, "gamma": 1, "xi": HALF}
        ),
        correction="thBoostLC1.rounds",
        severity=Severity.CONSTANT,
        remark="At α = γ = 1 and ξ = 1/10 the condition asks for 1.8, and 8/7 = 1.143 cannot be exceeded"
        " (`thBoostLC1.out-of-reach`). For ξ ≤ 3/7 the theorem is empty, not false.",
    ),
)

ENTRIES = (*THEOREM, *TEXT)
