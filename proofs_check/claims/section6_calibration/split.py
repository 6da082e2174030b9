"""Appendix, proof of thBOOSTDP1: one split by the exponential mechanism.

| here | paper |
|---|---|
| `fat`, `slim` | numbers of fat and of slim splits; `rho` is their quotient |
| `sum_fat`, `sum_slim` | sums of exp(κ gain) over them; `odds` is their quotient |
| `unit`, `bound` | least gain of a fat split, D in the words; the exponent κ (1 - δ²) D of eqBOUND22 |
| `v`, `u` | the gains of a fat and of a slim split, over D |
| `logistic(z)` | log(1 + exp(-z)) |
"""

from __future__ import annotations

from fractions import Fraction

from privboost.proofs_check import meant, paper
from privboost.proofs_check.claims.common import HALF, add_up, at
from privboost.proofs_check.engines.elementary import Fact
from privboost.proofs_check.entry import Cite, Entry, Reading, Severity
from privboost.proofs_check.kernel.terms import Claim, Term
from privboost.proofs_check.language import between, both, equal, exp, implies, log, reals
from privboost.proofs_check.proofs import Counterexample, Identity, Smt, Sum, by_z3

from .terms import logistic

alpha, gamma, delta, share, eps, kappa, sens, u = reals("alpha gamma delta share eps kappa sens u")
drop, unit, tree, first, second, same, p1, v = reals("drop unit tree first second same p1 v")
p2, fat, slim, sum_fat, sum_slim, odds, rho = reals("p2 fat slim sum_fat sum_slim odds rho")
xi, z, y = reals("xi z y")

bound = kappa * unit * (1 - delta**2)
step_alpha = gamma**2 * alpha * share / 16


def _above(x: Term) -> Term:
    """Return 1 / (exp(x) - 1), whose logarithm is the inverse of the logistic loss."""
    return 1 / (exp(x) - 1)


def _odds(key: str, reading: Reading, name: str, factor: Term, remark: str) -> Entry:
    """Return the bound on the odds of a fat split, if slim ones gain at most a factor times as much."""
    return paper.Equation(
        key,
        f"The odds of a fat split are at least ρ exp(κ (1 - {name}) D), where ρ is the quotient of the "
        "numbers of fat and slim splits, if fat ones lower the risk by at least D and slim ones by at most "
        f"{name} D.",
        label="eqBOUND22",
        line=2154,
        reading=reading,
        given=(
            *(0 < fat, 0 < slim, 0 < sum_slim, 0 <= kappa, 0 <= unit, fat * exp(kappa * unit) <= sum_fat),
            sum_slim <= slim * exp(kappa * factor * unit),
        ),
        then=fat / slim * exp(kappa * unit * (1 - factor)) <= sum_fat / sum_slim,
        proof=by_z3(Fact("exp(x + y) = exp(x) exp(y)", (kappa * unit * (1 - factor), kappa * factor * unit))),
        control=fat / slim * exp(kappa * unit) <= sum_fat / sum_slim,
        example=at(fat=1, slim=1, kappa=1, unit=1, delta=HALF, sum_fat=3, sum_slim=1, v=1, u=0),
        remark=remark,
        rests_on=(
            add_up(
                "eqBOUND22.fat-sum", {"fat": fat + 1, "sum_fat": sum_fat + exp(kappa * (v * unit))}, (1 <= v,)
            ),
            add_up(
                f"{key}.slim-sum",
                {"slim": slim + 1, "sum_slim": sum_slim + exp(kappa * (u * unit))},
                (u <= factor,),
            ),
        ),
    )


def _slim_sum(key: str, reading: Reading, name: str, factor: Term) -> Entry:
    """Return the bound on the weights of slim splits, for one more of them."""
    return paper.Step(
        f"{key}.slim-sum",
        f"Slim splits that lower the risk by at most {name} D each have weights of at most exp(κ {name} D),"
        " together at most their number times that: one more.",
        label="eqBOUND22",
        line=2154,
        reading=reading,
        given=(0 <= kappa, 0 <= unit, u <= factor, sum_slim <= slim * exp(kappa * factor * unit)),
        then=sum_slim + exp(kappa * (u * unit)) <= (slim + 1) * exp(kappa * factor * unit),
        proof=by_z3(Fact("exp(x) <= exp(y) if x <= y", (kappa * (u * unit), kappa * factor * unit))),
        control=sum_slim + exp(kappa * (u * unit)) <= slim * exp(kappa * factor * unit),
        example=at(kappa=1, unit=1, delta=HALF, u=0, slim=1, sum_slim=1),
    )


ODDS = Cite(
    "eqBOUND22",
    {"odds": sum_fat / sum_slim, "rho": fat / slim},
    (0 < fat, 0 < slim, 0 < sum_slim, 0 <= kappa, 0 <= unit, 1 <= v, u <= delta**2),
)
"""The bound on the odds, with quotients as symbols."""
EVEN = at(fat=1, slim=1, kappa=0, unit=1, delta=0, v=1, u=0, sum_slim=1, rho=1)
"""As many fat as slim splits, and no difference between them."""

ENTRIES: tuple[Entry, ...] = (
    paper.Definition(
        "eqBOUND22.law",
        "The probability of a split is exp(-κ w(S) F) / Z, with F the risk of the tree after it.",
        line=2117,
    ),
    paper.Step(
        "eqBOUND22.normaliser",
        "Z is the sum over all splits g' of the exponential at g itself; then the probabilities p1, p2 of"
        " two splits with the exponentials `first` and `second` are in proportion to these.",
        line=2120,
        given=(
            *(0 < first, 0 < second),
            *(equal(p1, first / (first + first)), equal(p2, second / (second + second))),
        ),
        then=equal(p1 * second, p2 * first),
        refutation=Counterexample(
            at(first=1, second=2, p1=HALF, p2=HALF), at(first=1, second=1, p1=HALF, p2=HALF)
        ),
        correction="eqBOUND22.normaliser-fixed",
        severity=Severity.SLIP,
        remark="A misprint: g for g' in the sum. Exponentials 1 and 2 both get the probability 1/2.",
    ),
    meant.Step(
        "eqBOUND22.normaliser-fixed",
        "With the exponentials of g' in the sum Z the probabilities of the splits add up to 1 and are in"
        " proportion to the exponentials. Here for two splits.",
        line=2120,
        given=(
            *(0 < first, 0 < second),
            *(equal(p1, first / (first + second)), equal(p2, second / (first + second))),
        ),
        then=both(equal(p1 + p2, 1), equal(p1 * second, p2 * first)),
        control=both(equal(p1 + p2, 1), equal(p1 * first, p2 * second)),
    ),
    paper.Equation(
        "eqBOUND22.gain",
        "The part `same` of the risk that a split leaves alone cancels between the exponential and Z, "
        "and the probabilities are in proportion to exp(κ gain), gain the risk of the tree less that "
        "after the split. Here for two splits with children's risks `first` and `second`; `tree` is the "
        "risk of the leaf before them.",
        lines=(2132, 2125),
        then=both(
            equal(
                exp(-kappa * (same + first)) / (exp(-kappa * (same + first)) + exp(-kappa * (same + second))),
                exp(-kappa * first) / (exp(-kappa * first) + exp(-kappa * second)),
            ),
            equal(
                exp(kappa * (tree - first)) * exp(-kappa * second),
                exp(kappa * (tree - second)) * exp(-kappa * first),
            ),
        ),
        proof=by_z3(
            *(Fact("exp(x + y) = exp(x) exp(y)", (-kappa * same, -kappa * part)) for part in (first, second)),
            *tuple(
                Fact("exp(x + y) = exp(x) exp(y)", (kappa * tree, -kappa * part)) for part in (first, second)
            ),
        ),
        control=equal(
            exp(kappa * (tree - first)) * exp(-kappa * first),
            exp(kappa * (tree - second)) * exp(-kappa * second),
        ),
    ),
    paper.Definition(
        "eqKM1bb",
        "Fat splits are those that take γ² α w/16 of its risk off the tree.",
        line=2140,
        remark="Not those that meet the weak learning assumption: condGAP.at-least-one.",
    ),
    paper.Equation(
        "eqKM1cc",
        "Under the Gap assumption (u ≤ δ in condGAP) the other splits take at most δ² times as much off"
        " as is asked of fat ones. `unit` is γ² α w/16 times the risk, `drop` = u times that.",
        line=2144,
        given=(0 <= delta, delta < 1, 0 <= u, u <= delta, 0 < unit, equal(drop, u * unit)),
        then=drop <= delta**2 * unit,
        refutation=Counterexample(
            at(delta=HALF, u=HALF, unit=1, drop=HALF), at(delta=HALF, u=0, unit=1, drop=0)
        ),
        correction="eqKM1cc.linear",
        severity=Severity.CONSTANT,
        remark="With u = δ = 1/2 the drop is 1/2 of the unit, and 1/4 is claimed. The δ of the appendix"
        " is the root of the δ of the main text; 1 - δ² must be 1 - δ there.",
    ),
    meant.Equation(
        "eqKM1cc.linear",
        "Under the Gap assumption (u ≤ δ in condGAP) the other splits take at most δ times as much of the"
        " risk off as is asked of fat ones.",
        line=2144,
        claim=Claim((u <= delta, 0 < unit), u * unit <= delta * unit),
        proofs=(Sum(), Smt()),
        control=u * unit <= delta**2 * unit,
    ),
    paper.Step(
        "eqBOUND22.terms",
        "Each fat split has a weight of at least exp(κ D), each other one of at most exp(κ δ² D), D the "
        "least gain of a fat split.",
        line=2154,
        given=(0 <= kappa, 0 <= unit, 1 <= v, u <= delta**2),
        then=both(
            exp(kappa * unit) <= exp(kappa * (v * unit)),
            exp(kappa * (u * unit)) <= exp(kappa * delta**2 * unit),
        ),
        proof=by_z3(
            Fact("exp(x) <= exp(y) if x <= y", (kappa * unit, kappa * (v * unit))),
            Fact("exp(x) <= exp(y) if x <= y", (kappa * (u * unit), kappa * delta**2 * unit)),
        ),
        control=exp(kappa * (v * unit)) <= exp(kappa * unit),
    ),
    paper.Step(
        "eqBOUND22.exponent",
        "With κ = ε/(2 Δ*) and D = γ² α w/16 times the risk, κ (D - δ² D) is the printed exponent.",
        line=2157,
        given=(0 < sens,),
        then=equal(
            eps / (2 * sens) * (step_alpha * tree - delta**2 * step_alpha * tree),
            (1 - delta**2) * gamma**2 * alpha * eps * share / 32 * (tree / sens),
        ),
        proof=Identity(),
        control=equal(
            eps / (2 * sens) * (step_alpha * tree - delta**2 * step_alpha * tree),
            (1 - delta**2) * gamma**2 * alpha * eps * share / 16 * (tree / sens),
        ),
    ),
    paper.Step(
        "eqBOUND22.fat-sum",
        "Fat splits that lower the risk by at least D each have weights of at least exp(κ D) each, together"
        " at least their number times that: one more.",
        line=2154,
        given=(0 <= kappa, 0 <= unit, 1 <= v, fat * exp(kappa * unit) <= sum_fat),
        then=(fat + 1) * exp(kappa * unit) <= sum_fat + exp(kappa * (v * unit)),
        proof=by_z3(Fact("exp(x) <= exp(y) if x <= y", (kappa * unit, kappa * (v * unit)))),
        control=(fat + 2) * exp(kappa * unit) <= sum_fat + exp(kappa * (v * unit)),
        example=at(kappa=1, unit=0, v=1, fat=1, sum_fat=1),
    ),
    _slim_sum("eqBOUND22", "literal", "δ²", delta**2),
    _slim_sum("eqBOUND22.linear", "intended", "δ", delta),
    _odds("eqBOUND22", "literal", "δ²", delta**2, "The odds need a slim split to exist."),
    _odds("eqBOUND22.linear", "intended", "δ", delta, "As the Gap assumption of the main text has it."),
    paper.Equation(
        "eqBOUND22.text-gap",
        "Under the Gap assumption of the main text (u ≤ δ) the odds of a fat split are at least ρ exp(κ"
        " (1 - δ²) D), where D is γ² α w/16 times the risk (`unit`), ρ = fat/slim the quotient of the"
        " numbers of splits and sum_fat, sum_slim are the sums of their exponentials.",
        line=2154,
        given=(
            *(0 < fat, 0 < slim, 0 < sum_slim, fat * exp(kappa * unit) <= sum_fat),
            *(sum_slim <= slim * exp(kappa * delta * unit), *between(0, delta, 1)),
        ),
        then=fat / slim * exp(kappa * unit * (1 - delta**2)) <= sum_fat / sum_slim,
        refutation=Counterexample(
            at(fat=1, slim=1, kappa=1, unit=1, delta=HALF, sum_fat=3, sum_slim=Fraction(8, 5)),
            at(fat=1, slim=1, kappa=1, unit=1, delta=HALF, sum_fat=3, sum_slim=1),
        ),
        correction="eqBOUND22.linear",
        severity=Severity.CONSTANT,
        example=at(fat=1, slim=1, kappa=1, unit=1, delta=HALF, sum_fat=3, sum_slim=1, v=1, u=0),
        remark="The root of it is eqKM1cc. One fat split and one slim one, κ = D = 1, δ = 1/2: sums 3 ≥ e"
        " and 8/5 ≤ √e have the odds 1.875, and exp(3/4) = 2.117 is claimed.",
    ),
    paper.Step(
        "eqBOUND22.odds",
        "The probability of a fat split is at least exp(-ξ) exactly if its odds are at least 1/(exp(ξ) - 1).",
        line=2161,
        given=(0 < xi, 0 < odds),
        then=both(
            implies(_above(xi) <= odds, exp(-xi) <= odds / (1 + odds)),
            implies(exp(-xi) <= odds / (1 + odds), _above(xi) <= odds),
        ),
        proof=by_z3(
            Fact("exp(x) >= 1 + x", (xi,)), Fact("exp(x + y) = exp(x) exp(y)", (-xi, xi)), Fact("exp(0) = 1")
        ),
        control=implies(_above(xi) <= 2 * odds, exp(-xi) <= odds / (1 + odds)),
    ),
    paper.Equation(
        "eqBOUND22.sufficient",
        "An exponent of at least log(1/(exp(ξ) - 1)) - log ρ makes the probability of a fat split at least "
        "exp(-ξ).",
        line=2165,
        given=(0 < xi, 0 < rho, rho * exp(bound) <= odds, log(_above(xi)) - log(rho) <= bound),
        then=exp(-xi) <= odds / (1 + odds),
        proof=by_z3(
            Fact("exp(x) >= 1 + x", (xi,)),
            Fact("exp(x + y) = exp(x) exp(y)", (-xi, xi)),
            Fact("exp(0) = 1"),
            Fact("exp(log(x)) = x if x > 0", (_above(xi),)),
            Fact("exp(log(x)) = x if x > 0", (rho,)),
            Fact("exp(x + y) = exp(x) exp(y)", (log(_above(xi)) - log(rho), log(rho))),
            Fact("exp(x) <= exp(y) if x <= y", (log(_above(xi)) - log(rho), bound)),
        ),
        control=exp(-xi) <= odds / (2 + odds),
        example=EVEN | at(xi=1, odds=3, sum_fat=3),
        rests_on=(ODDS,),
    ),
    paper.Equation(
        "eqBOUND22.inverse",
        "log(1/(exp(ξ) - 1)) is the inverse of the logistic loss log(1 + exp(-z)): applied one after the "
        "other they give ξ back for ξ > 0, and z.",
        line=2171,
        given=(0 < xi,),
        then=both(equal(logistic(log(_above(xi))), xi), equal(log(_above(logistic(z))), z)),
        proof=by_z3(
            Fact("exp(x) >= 1 + x", (xi,)),
            Fact("exp(log(x)) = x if x > 0", (_above(xi),)),
            Fact("exp(x + y) = exp(x) exp(y)", (log(_above(xi)), -log(_above(xi)))),
            Fact("exp(0) = 1"),
            Fact("log(exp(x)) = x", (xi,)),
            Fact("exp(x + y) = exp(x) exp(y)", (z, -z)),
            Fact("exp(log(x)) = x if x > 0", (1 + exp(-z),)),
            Fact("log(exp(x)) = x", (z,)),
        ),
        control=both(equal(logistic(log(_above(xi))), -xi), equal(log(_above(logistic(z))), z)),
    ),
    paper.Text(
        "eqBOUND22.surrogate",
        "log(1 + exp(-z)) bounds -z u - u log u - (1 - u) log(1 - u) for every u in (0, 1): it is the "
        "surrogate of the log loss.",
        line=2173,
        claim=Claim((0 < u, u < 1), -z * u - u * log(u) - (1 - u) * log(1 - u) <= logistic(z)),
        proof=by_z3(
            Fact("log(x) <= x - 1 if x > 0", (exp(-z) / (u * (1 + exp(-z))),)),
            Fact("log(x) <= x - 1 if x > 0", (1 / ((1 - u) * (1 + exp(-z))),)),
            Fact(
                "log(x y) = log(x) + log(y) if x, y > 0", (exp(-z) / (u * (1 + exp(-z))), u * (1 + exp(-z)))
            ),
            Fact(
                "log(x y) = log(x) + log(y) if x, y > 0",
                (1 / ((1 - u) * (1 + exp(-z))), (1 - u) * (1 + exp(-z))),
            ),
            Fact("log(x y) = log(x) + log(y) if x, y > 0", (u, 1 + exp(-z))),
            Fact("log(x y) = log(x) + log(y) if x, y > 0", (1 - u, 1 + exp(-z))),
            Fact("log(exp(x)) = x", (-z,)),
            Fact("log(1) = 0"),
        ),
        control=-z * u - u * log(u) - (1 - u) * log(1 - u) <= logistic(z) - u,
        remark="Of the loss itself: normalised to 1 at 1/2, as Section 2 asks, it would be divided by log 2.",
    ),
    paper.Text(
        "eqBOUND22.surrogate-reached",
        "The bound is reached at u = exp(-z)/(1 + exp(-z)).",
        line=2173,
        given=(equal(u, exp(-z) / (1 + exp(-z))),),
        then=equal(-z * u - u * log(u) - (1 - u) * log(1 - u), logistic(z)),
        proof=by_z3(
            Fact("log(x y) = log(x) + log(y) if x, y > 0", (u, 1 + exp(-z))),
            Fact("log(x y) = log(x) + log(y) if x, y > 0", (1 - u, 1 + exp(-z))),
            Fact("log(exp(x)) = x", (-z,)),
            Fact("log(1) = 0"),
        ),
        control=equal(-z * u - u * log(u) - (1 - u) * log(1 - u), logistic(z) + u),
        example=at(z=0, u=HALF),
    ),
    paper.Text(
        "eqBOUND22.decreasing",
        "log(1 + exp(-z)) strictly decreases.",
        line=2175,
        claim=Claim((y < z,), logistic(z) < logistic(y)),
        proof=by_z3(
            Fact("exp(x) < exp(y) if x < y", (-z, -y)),
            Fact("log(x) < log(y) if 0 < x < y", (1 + exp(-z), 1 + exp(-y))),
        ),
        control=logistic(z) < logistic(y) - 1,
    ),
    paper.Equation(
        "eqBOUND22.inverted",
        "The exponent is at least log(1/(exp(ξ) - 1)) - log ρ exactly if ξ is at least the logistic loss of "
        "the exponent plus log ρ.",
        line=2178,
        given=(0 < xi, 0 < rho, equal(z, bound + log(rho))),
        then=both(
            implies(log(_above(xi)) - log(rho) <= bound, logistic(z) <= xi),
            implies(logistic(z) <= xi, log(_above(xi)) - log(rho) <= bound),
        ),
        proof=by_z3(
            Fact("exp(x) >= 1 + x", (xi,)),
            Fact("exp(log(x)) = x if x > 0", (_above(xi),)),
            Fact("exp(x + y) = exp(x) exp(y)", (log(_above(xi)), -log(_above(xi)))),
            Fact("exp(0) = 1"),
            Fact("log(exp(x)) = x", (xi,)),
            Fact("exp(x) < exp(y) if x < y", (-z, -log(_above(xi)))),
            Fact("exp(x) < exp(y) if x < y", (-log(_above(xi)), -z)),
            Fact("log(x) < log(y) if 0 < x < y", (1 + exp(-z), exp(xi))),
            Fact("log(x) < log(y) if 0 < x < y", (exp(xi), 1 + exp(-z))),
        ),
        control=implies(logistic(z) <= 2 * xi, log(_above(xi)) - log(rho) <= bound),
        example=EVEN | at(xi=1, z=0),
    ),
)
