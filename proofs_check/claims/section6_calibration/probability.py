"""Appendix, proof of thBOOSTDP1: the probability that all splits are fat, from the exponents.

| here | paper |
|---|---|
| `x` | Q' J ε √m / log m, the bound on the exponent Q A; `exponent` is Q A |
| `fat`, `slim`, `log_rho` | numbers of fat and slim splits, and log of their quotient ρ |
| `n`, `mu` | the number of splits in L, and the mean over L of exp(-Q' J ε √m / log m) |
| `rate` | ε √m / log m |
| `t`, `root` | log m and √m, along a sequence of sample sizes; `s` is the root of log m |
"""

from __future__ import annotations

from fractions import Fraction

from privboost.proofs_check import ours, paper
from privboost.proofs_check.claims.common import HALF, ONE, at
from privboost.proofs_check.engines.elementary import Fact
from privboost.proofs_check.entry import Entry, Severity
from privboost.proofs_check.kernel.terms import Claim, term
from privboost.proofs_check.language import both, equal, exp, implies, log, reals
from privboost.proofs_check.proofs import Counterexample, Smt, Sum, Use, by_z3
from privboost.reference.exact import Number
from privboost.reference.exact import exp as exact_exp

from .terms import logistic

gamma, delta, beta, eps, mean, x, exponent = reals("gamma delta beta eps mean x exponent")
log_rho, fat, slim, whole, factor, n, mu, y = reals("log_rho fat slim whole factor n mu y")
sum_logs, sum_y, k, xi, efficiency, rate, depth = reals("sum_logs sum_y k xi efficiency rate depth")
power, left, right, t, s, root, eta, unsure, c = reals("power left right t s root eta unsure c")
(size,) = reals("size")

CONSTANT = beta * mean * (1 - delta**2) * gamma**2 / 256
ROOT_OF_ODDS = exp(log(1 / (1 - xi)) / n)
"""(1/(1 - ξ))^(1/n)."""


def _along(s: int) -> dict[str, Number]:
    """Return the point of the sequence ε = log^(3/2) m/√m, d = log m at log m = s²."""
    root = exact_exp(Fraction(s * s, 2))
    return {**at(s=s, depth=s * s, unsure=0), "root": root, "eps": s**3 / root}


_FAT = (
    paper.Equation(
        "condJJ.rho",
        "log ρ ≥ -x exactly if fat/slim ≥ exp(-x).",
        lines=(2344, 2350),
        given=(0 < fat, 0 < slim),
        then=both(
            implies(-x <= log(fat / slim), exp(-x) <= fat / slim),
            implies(exp(-x) <= fat / slim, -x <= log(fat / slim)),
        ),
        proof=by_z3(
            Fact("exp(log(x)) = x if x > 0", (fat / slim,)),
            Fact("exp(x) <= exp(y) if x <= y", (-x, log(fat / slim))),
            Fact("exp(x) < exp(y) if x < y", (log(fat / slim), -x)),
        ),
        control=implies(exp(-x) <= 2 * (fat / slim), -x <= log(fat / slim)),
    ),
    paper.Equation(
        "condJJ.share",
        "fat/slim ≥ exp(-x) exactly if fat ≥ |G|/(1 + exp(x)), where every split is fat or slim.",
        line=2356,
        given=(0 < fat, 0 < slim, equal(whole, fat + slim)),
        then=both(
            implies(exp(-x) <= fat / slim, whole / (1 + exp(x)) <= fat),
            implies(whole / (1 + exp(x)) <= fat, exp(-x) <= fat / slim),
        ),
        proof=by_z3(Fact("exp(x + y) = exp(x) exp(y)", (x, -x)), Fact("exp(0) = 1")),
        control=implies(whole / (2 + exp(x)) <= fat, exp(-x) <= fat / slim),
    ),
    paper.Text(
        "condJJ.vanishing",
        "If the share of fat splits is at least 1/(1 + exp(x)), as condJJ has it, it does not fall below "
        "exp(-x)/2.",
        line=2360,
        given=(0 <= x, 0 <= fat, 0 <= slim, equal(whole, fat + slim), whole / (1 + exp(x)) <= fat),
        then=whole * exp(-x) <= 2 * fat,
        proof=by_z3(
            Fact("exp(x) >= 1 + x", (x,)), Fact("exp(x + y) = exp(x) exp(y)", (x, -x)), Fact("exp(0) = 1")
        ),
        control=whole * exp(-x) <= fat,
        example=at(x=0, whole=2, fat=1, slim=1),
        remark="x grows like ε √m/log m, so for a fixed ε the share may vanish as fast as that.",
    ),
    paper.Equation(
        "condJJ.key",
        "Q A ≥ x and log ρ ≥ -x give F(Q A + log ρ) ≤ F(x), where F(z) = log(1 + exp(-z)) is the"
        " surrogate of the log loss, Q A the exponent of eqBOUND22 (`exponent`) and ρ the quotient of the"
        " numbers of fat and slim splits.",
        line=2363,
        claim=Claim((0 <= x, x <= exponent, -x <= log_rho), logistic(exponent + log_rho) <= logistic(x)),
        refutation=Counterexample(at(x=1, exponent=1, log_rho=-1), at(x=1, exponent=2, log_rho=-1)),
        correction="condJJ.halved",
        severity=Severity.CONSTANT,
        remark="Q A = x = 1 and log ρ = -1: F(0) = 0.693, and F(1) = 0.313 is claimed. Q A + log ρ ≥ 0 is"
        " all that follows: the bound was spent twice.",
    ),
    ours.Equation(
        "condJJ.halved",
        "Q A ≥ x and log ρ ≥ -x/2 give F(Q A + log ρ) ≤ F(x/2), where F(z) = log(1 + exp(-z)) is the"
        " surrogate of the log loss, Q A the exponent of eqBOUND22 and ρ the quotient of the numbers of"
        " fat and slim splits.",
        line=2363,
        claim=Claim((x <= exponent, -x / 2 <= log_rho), logistic(exponent + log_rho) <= logistic(x / 2)),
        proof=by_z3(
            Fact("exp(x) <= exp(y) if x <= y", (-(exponent + log_rho), -(x / 2))),
            Fact("log(x) <= log(y) if 0 < x <= y", (1 + exp(-(exponent + log_rho)), 1 + exp(-(x / 2)))),
        ),
        control=logistic(exponent + log_rho) <= logistic(x),
    ),
    paper.Equation(
        "condJJ.constant",
        "Q' = β ξ' (1 - δ²) γ²/256 is in (0, 1/256].",
        lines=(2369, 2372),
        given=(0 < beta, beta <= 1, 0 < mean, mean <= 1, 0 <= delta, delta < 1, 0 < gamma),
        then=both(0 < CONSTANT, CONSTANT <= Fraction(1, 256)),
        added=(gamma <= 1,),
        hypothesis="γ ≤ 1, which holds where a split meets the assumption: no edge is above 1",
        control=both(0 < CONSTANT, CONSTANT <= Fraction(1, 257)),
        without=Counterexample(at(beta=1, mean=1, delta=0, gamma=2), at(beta=1, mean=1, delta=0, gamma=1)),
        remark="It does not depend on m, if the mean weight ξ' does not.",
    ),
)

_TOGETHER = (
    paper.Step(
        "cond1a1.tangent",
        "log lies below its tangent: log(1 + y) ≤ log(1 + μ) + (y - μ)/(1 + μ).",
        line=2374,
        claim=Claim((0 <= y, 0 <= mu), log(1 + y) <= log(1 + mu) + (y - mu) / (1 + mu)),
        proof=by_z3(
            Fact("log(x) <= x - 1 if x > 0", ((1 + y) / (1 + mu),)),
            Fact("log(x y) = log(x) + log(y) if x, y > 0", ((1 + y) / (1 + mu), 1 + mu)),
        ),
        control=log(1 + y) <= log(1 + mu) + (y - mu) / (2 + mu),
    ),
    paper.Step(
        "cond1a1.jensen",
        "Σ log(1 + y_l) ≤ n log(1 + μ), μ the mean of the y_l: tangents at μ add up (one more each), and "
        "Σ (y_l - μ) = 0.",
        line=2374,
        given=(*(0 <= mu, 0 <= k, 0 <= y), sum_logs <= k * log(1 + mu) + (sum_y - k * mu) / (1 + mu)),
        then=both(
            sum_logs + log(1 + y) <= (k + 1) * log(1 + mu) + (sum_y + y - (k + 1) * mu) / (1 + mu),
            implies(equal(sum_y + y, (k + 1) * mu), sum_logs + log(1 + y) <= (k + 1) * log(1 + mu)),
        ),
        proof=by_z3(Use("cond1a1.tangent")),
        control=implies(equal(sum_y + y, (k + 1) * mu), sum_logs + log(1 + y) <= k * log(1 + mu)),
        example=at(mu=0, k=0, y=0, sum_logs=0, sum_y=0),
    ),
    paper.Definition("cond1a1.choice", "ξ_l is taken as the logistic loss of Q' J ε √m/log m.", line=2385),
    paper.Equation(
        "cond1a1",
        "μ ≤ (1/(1 - ξ))^(1/n) - 1 gives n log(1 + μ) ≤ log(1/(1 - ξ)), and so bb1.",
        line=2391,
        claim=Claim((0 <= mu, 1 <= n, 0 <= xi, mu <= ROOT_OF_ODDS - 1), n * log(1 + mu) <= log(1 / (1 - xi))),
        added=(xi < 1,),
        hypothesis="ξ < 1",
        proof=by_z3(
            Fact("log(x) <= log(y) if 0 < x <= y", (1 + mu, ROOT_OF_ODDS)),
            Fact("log(exp(x)) = x", (log(1 / (1 - xi)) / n,)),
        ),
        control=2 * n * log(1 + mu) <= log(1 / (1 - xi)),
        example=at(mu=0, n=1, xi=HALF),
    ),
    paper.Equation(
        "cond1a1.bernoulli",
        "(1/(1 - ξ))^(1/n) - 1 ≥ ξ/n for n ≥ 1 and ξ in [0, 1].",
        lines=(2400, 2398),
        claim=Claim((0 <= xi, 1 <= n), xi / n <= ROOT_OF_ODDS - 1),
        added=(xi < 1,),
        hypothesis="ξ < 1: at 1 the left side is not defined",
        proof=by_z3(
            Fact("exp(x) >= 1 + x", (log(1 / (1 - xi)) / n,)),
            Fact("log(1/x) = -log(x) if x > 0", (1 - xi,)),
            Fact("log(x) <= x - 1 if x > 0", (1 - xi,)),
        ),
        control=2 * xi / n <= ROOT_OF_ODDS - 1,
    ),
    paper.Equation(
        "cond1a1.enough",
        "For cond1a1 it is enough that the mean μ of the exponentials over L is at most ξ/n, n = |L|.",
        line=2405,
        claim=Claim((1 <= n, 0 <= xi, mu <= xi / n), mu <= ROOT_OF_ODDS - 1),
        added=(xi < 1,),
        hypothesis="ξ < 1: at 1 cond1a1 is not defined",
        proof=by_z3(Use("cond1a1.bernoulli")),
        control=mu <= (ROOT_OF_ODDS - 1) / 2,
    ),
    paper.Equation(
        "condJJ",
        "J ≥ (1/Q') (log m/(ε √m)) log(n/ξ) gives exp(-Q' J ε √m/log m) ≤ ξ/n, for each split in L and so "
        "for the mean.",
        line=2412,
        given=(0 < factor, 0 < rate, 0 < xi, 1 <= n, 1 / factor * (1 / rate) * log(n / xi) <= efficiency),
        then=exp(-factor * efficiency * rate) <= xi / n,
        proof=by_z3(
            Fact("exp(log(x)) = x if x > 0", (n / xi,)),
            Fact("exp(x) <= exp(y) if x <= y", (log(n / xi), factor * efficiency * rate)),
            Fact("exp(x + y) = exp(x) exp(y)", (factor * efficiency * rate, -factor * efficiency * rate)),
            Fact("exp(0) = 1"),
        ),
        control=exp(-factor * efficiency * rate) <= xi / (2 * n),
        example=at(factor=1, rate=1, xi=1, n=1, efficiency=1),
    ),
)

_SIZES = (
    paper.Step(
        "condJJ2.count",
        "A tree of depth d has at most 2^d - 1 splits, fewer than the 2^(d+1) - 1 that are printed: one, and "
        "those of two subtrees with at most `power` - 1 each, `power` = 2^(d-1). The step of an induction.",
        lines=(2419, 518),
        given=(left <= power - 1, right <= power - 1, 1 <= power),
        then=both(1 + left + right <= 2 * power - 1, 2 * power - 1 <= 2 * (2 * power) - 1),
        control=1 + left + right <= 2 * power - 2,
        remark="2^(d+1) - 1 counts the leaves too.",
    ),
    paper.Equation(
        "condJJ2",
        "log(|L|/ξ) ≤ 2 (d + log(1/ξ)) for |L| ≤ 2^(d+1) - 1: condJJ2 with twice the constant gives condJJ.",
        line=2422,
        given=(1 <= depth, 0 < xi, xi <= 1, 1 <= n, n <= exp((depth + 1) * log(2)) - 1),
        then=log(n / xi) <= 2 * (depth + log(1 / xi)),
        proof=by_z3(
            Fact("log(x y) = log(x) + log(y) if x, y > 0", (n, 1 / xi)),
            Fact("log(x) <= log(y) if 0 < x <= y", (n, exp((depth + 1) * log(2)))),
            Fact("log(exp(x)) = x", ((depth + 1) * log(2),)),
            Fact("log(x) <= x - 1 if x > 0", (term(2),)),
            Fact("log(1/x) = -log(x) if x > 0", (xi,)),
            Fact("log(x) <= x - 1 if x > 0", (xi,)),
        ),
        control=log(n / xi) <= (depth + log(1 / xi)) / 2,
        example=at(depth=1, xi=HALF, n=1),
    ),
    paper.Equation(
        "condJJ2.vanishes",
        "If log m/√m = o(ε) and d, log(1/ξ) = o(√m/log m), the bound (log m/(ε √m)) (d + log(1/ξ)) on J"
        " vanishes. Here along ε = log^(3/2) m/√m, d = log m and T = 1, where it would have to stay below"
        " 1; s = √(log m), `root` is √m and `unsure` is log(1/ξ).",
        lines=(2427, 521, 524, 2430),
        given=(
            *(1 <= s, equal(root, exp(s**2 / 2)), 0 < root),
            *(equal(eps, s**3 / root), equal(depth, s**2), 0 <= unsure),
        ),
        then=s**2 / (eps * root) * (depth + unsure) <= 1,
        refutation=Counterexample(_along(2), _along(1)),
        example=_along(1),
        correction="condJJ2.vanishes-fixed",
        severity=Severity.CONSTANT,
        remark="Both premises hold along the sequence (`condJJ2.premises`), and the bound is √(log m),"
        " which is 2 at m = exp(4) and grows beyond all limits. ε must be in the second premise"
        " (`condJJ2.vanishes-fixed`).",
    ),
    ours.Equation(
        "condJJ2.premises",
        "Along ε = log^(3/2) m/√m, d = log m, with s = √(log m), the quotients (log m/√m)/ε = 1/s and"
        " d/(√m/log m) ≤ 216/s² vanish, and the bound (log m/(ε √m)) d is s.",
        line=2427,
        given=(0 < s, equal(root, exp(s**2 / 2)), equal(eps, s**3 / root), equal(depth, s**2)),
        then=both(
            equal(s**2 / root / eps, 1 / s),
            depth / (root / s**2) <= 216 / s**2,
            equal(s**2 / (eps * root) * depth, s),
        ),
        proof=by_z3(
            Fact("exp(x) >= 1 + x", (s**2 / 6,)),
            Fact("exp(x + y) = exp(x) exp(y)", (s**2 / 6, s**2 / 6)),
            Fact("exp(x + y) = exp(x) exp(y)", (s**2 / 6 + s**2 / 6, s**2 / 6)),
        ),
        control=both(equal(s**2 / root / eps, 1 / s), depth / (root / s**2) <= 1 / s**3),
        example={"s": Fraction(1), "root": exact_exp(HALF), "eps": 1 / exact_exp(HALF), "depth": Fraction(1)},
    ),
    ours.Equation(
        "condJJ2.vanishes-fixed",
        "If d and log(1/ξ) are o(ε √m/log m), the bound (log m/(ε √m)) (d + log(1/ξ)) vanishes: if each"
        " is at most η ε √m/log m, it is at most 2 η.",
        lines=(2427, 521, 524, 2430),
        given=(0 < t, 0 < eps, 0 < root, depth <= eta * (eps * root / t), unsure <= eta * (eps * root / t)),
        then=t / (eps * root) * (depth + unsure) <= 2 * eta,
        proofs=(Sum(), Smt()),
        control=t / (eps * root) * (depth + unsure) <= eta,
    ),
    paper.Text(
        "condJJ2.regime",
        "ε = log^(1+c) m/√m satisfies log m/√m = o(ε): the quotient is 1/log^c m ≤ 1/(1 + c log log m).",
        line=525,
        given=(0 < c, 1 < t, 0 < root, equal(size, exp(c * log(t))), equal(eps, t * size / root)),
        then=both(equal(t / root / eps, 1 / size), 1 / size <= 1 / (1 + c * log(t))),
        proof=by_z3(
            Fact("exp(x) >= 1 + x", (c * log(t),)),
            Fact("log(1) = 0"),
            Fact("log(x) < log(y) if 0 < x < y", (ONE, t)),
        ),
        control=both(equal(t / root / eps, 1 / size), 1 / size < 1 / (2 + c * log(t))),
        example=at(c=1, t=2, root=1, size=2, eps=4),
        remark="With it, d and log(1/ξ) must be o(log^c m) for the bound to vanish: for c ≤ 1 not even d = "
        "log m is.",
    ),
)

ENTRIES: tuple[Entry, ...] = (*_FAT, *_TOGETHER, *_SIZES)
