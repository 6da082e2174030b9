"""Appendix, proof of thBOOSTDP1: a sequence of splits, their budgets, and the probability that all are fat.

| here | paper |
|---|---|
| `rho`, `odds`, `bound` | fat over slim splits, odds of a fat one, and the exponent of eqBOUND22 |
| `chance`, `chance2`, `together` | probability of fat splits so far, of one more, and of all of them |
| `total` | the sum of the ξ_l |
| `trees`, `depth`, `power`, `number` | T, d, 2^k, and the number of splits at a depth k |
"""

from __future__ import annotations

from fractions import Fraction

from privboost.proofs_check import meant, paper
from privboost.proofs_check.claims.common import HALF, at
from privboost.proofs_check.claims.section7_experiments.computations import check_reference
from privboost.proofs_check.claims.section7_experiments.proofs import Indexed
from privboost.proofs_check.engines.elementary import Fact
from privboost.proofs_check.entry import Entry, Severity
from privboost.proofs_check.kernel.terms import Claim
from privboost.proofs_check.language import between, both, equal, exp, implies, log, reals
from privboost.proofs_check.proofs import Counterexample, Identity, Use, by_z3

from .split import EVEN, ODDS, bound
from .terms import logistic

alpha, gamma, delta, share, eps, sens, tree, odds = reals("alpha gamma delta share eps sens tree odds")
rho, xi, xi2, chance, chance2, together = reals("rho xi xi2 chance chance2 together")
total, beta, trees, depth, power, number = reals("total beta trees depth power number")

ENTRIES: tuple[Entry, ...] = (
    paper.Definition(
        "expSPLIT2",
        "The split of the l-th leaf is drawn with its own budget ε_l.",
        line=2191,
        remark="The sensitivity is that of α_l, printed without the index.",
    ),
    paper.Equation(
        "expSPLIT2.implication",
        "If ξ is at least the logistic loss of exponent plus log ρ, a fat split has probability ≥ exp(-ξ).",
        line=2198,
        given=(0 < rho, rho * exp(bound) <= odds, logistic(bound + log(rho)) <= xi),
        then=exp(-xi) <= odds / (1 + odds),
        proof=by_z3(
            Fact("exp(log(x)) = x if x > 0", (rho,)),
            Fact("exp(x + y) = exp(x) exp(y)", (bound, log(rho))),
            Fact("exp(x + y) = exp(x) exp(y)", (bound + log(rho), -(bound + log(rho)))),
            Fact("exp(0) = 1"),
            Fact("exp(log(x)) = x if x > 0", (1 + exp(-(bound + log(rho))),)),
            Fact("exp(x) <= exp(y) if x <= y", (logistic(bound + log(rho)), xi)),
            Fact("exp(x + y) = exp(x) exp(y)", (xi, -xi)),
        ),
        control=exp(-xi) <= odds / (2 + odds),
        example=EVEN | at(odds=1, sum_fat=1, xi=1),
        rests_on=(ODDS,),
    ),
    paper.Equation(
        "expSPLIT2.constants",
        "Q A with Q = (1 - δ²) γ²/32 and A = ε w α risk / Δ* is the exponent of eqBOUND22.",
        line=2208,
        given=(0 < sens,),
        then=equal(
            (1 - delta**2) * gamma**2 / 32 * (eps * share * alpha * tree / sens),
            (1 - delta**2) * gamma**2 * alpha * eps * share / 32 * (tree / sens),
        ),
        proof=Identity(),
        control=equal(
            (1 - delta) * gamma**2 / 32 * (eps * share * alpha * tree / sens),
            (1 - delta**2) * gamma**2 * alpha * eps * share / 32 * (tree / sens),
        ),
    ),
    paper.Text(
        "expSPLIT2.theorem",
        "A theorem on trees with monotonic α is cited by the label of its condition, eqBOOST11.",
        line=2204,
        severity=Severity.SLIP,
        proof=Indexed(
            check_reference, ("another kind", "eqBOOST11", 2205), ("another kind", "thBoostDT1", 2186)
        ),
    ),
    paper.Step(
        "bb2.product",
        "If each split in L is fat with probability ≥ exp(-ξ_l), all are with probability ≥ exp(-Σ ξ_l)."
        " Where fat splits meet the WLA, that is the premise of thBoostDT1 for the splits in L. Here for"
        " the splits so far (`chance`, ξ) and one more (`chance2`, ξ2).",
        line=2213,
        given=(
            *(*between(0, chance, 1), *between(0, chance2, 1), chance + chance2 - 1 <= together),
            *(together <= chance, together <= chance2, exp(-xi) <= chance, exp(-xi2) <= chance2),
        ),
        then=exp(-xi - xi2) <= together,
        added=(exp(-xi2) * chance <= together,),
        hypothesis="the bound on each split holds whatever fat splits were drawn before it: α, ρ, J and the "
        "Gap are of the tree that was drawn",
        proof=by_z3(Fact("exp(x + y) = exp(x) exp(y)", (-xi, -xi2))),
        control=exp(-xi) <= together,
        without=Counterexample(
            at(chance=Fraction(3, 4), chance2=Fraction(3, 4), together=HALF)
            | at(xi=Fraction(3, 10), xi2=Fraction(3, 10)),
            at(chance=1, chance2=1, together=1, xi=1, xi2=1),
        ),
        example=at(chance=1, chance2=1, together=1, xi=1, xi2=1),
    ),
    paper.Text(
        "bb2.boosting-condition",
        "Once all splits meet the weak learning assumption, the condition eqBOOST11 on the sum of w α is"
        " met. Here for one split, of normalised weight `share`.",
        line=2216,
        given=(0 < gamma, gamma <= 1, 0 < xi, xi < 1, *between(0, share, 1), *between(0, alpha, 1)),
        then=16 / gamma**2 * log(1 / xi) <= share * alpha,
        refutation=Counterexample(
            at(gamma=1, xi=HALF, share=1, alpha=1), at(gamma=1, xi=Fraction(99, 100), share=1, alpha=1)
        ),
        correction="bb2.product",
        severity=Severity.SLIP,
        remark="One split has the sum 1, and 16 log 2 = 11.09 is asked for at γ = 1, ξ = 1/2. What is met"
        " is the premise of thBoostDT1 that all splits satisfy the WLA; eqBOOST11 is another one, on how"
        " much was split. And splits outside the set L are not covered.",
    ),
    meant.Equation(
        "bb1.budget-at-most",
        "The at most 2^k splits at depth k spend at most β ε/(T d), so the d levels of a tree at most β "
        "ε/T; a full tree spends just that.",
        line=2224,
        given=(0 <= beta, 0 <= eps, 1 <= trees, 1 <= depth, 1 <= power, 0 <= number, number <= power),
        then=both(
            number * (beta * eps / (trees * depth * power)) <= beta * eps / (trees * depth),
            equal(power * (beta * eps / (trees * depth * power)), beta * eps / (trees * depth)),
            equal(depth * (beta * eps / (trees * depth)), beta * eps / trees),
        ),
        control=number * (beta * eps / (trees * depth * power)) <= beta * eps / (2 * trees * depth),
    ),
    paper.Equation(
        "bb1",
        "Σ ξ_l ≤ log(1/(1 - ξ)) exactly if exp(-Σ ξ_l) ≥ 1 - ξ. `total` is the sum.",
        given=(0 < xi,),
        then=both(
            implies(total <= -log(1 - xi), 1 - xi <= exp(-total)),
            implies(1 - xi <= exp(-total), total <= -log(1 - xi)),
        ),
        added=(xi < 1,),
        hypothesis="ξ < 1; for larger ξ nothing is claimed in the end",
        proof=by_z3(
            Fact("exp(log(x)) = x if x > 0", (1 - xi,)),
            Fact("exp(x) <= exp(y) if x <= y", (log(1 - xi), -total)),
            Fact("exp(x) < exp(y) if x < y", (-total, log(1 - xi))),
        ),
        control=implies(1 - xi <= exp(-total), total <= -2 * log(1 - xi) - 1),
    ),
    paper.Equation(
        "bb2",
        "If bb1 holds and all splits are fat with probability ≥ exp(-Σ ξ_l), as `bb2.product` gives where"
        " each ξ_l is at least its logistic loss, then that probability is ≥ 1 - ξ.",
        also_lines=(2237,),
        claim=Claim((0 < xi, total <= log(1 / (1 - xi)), exp(-total) <= together), 1 - xi <= together),
        added=(xi < 1,),
        hypothesis="the bounds hold whatever fat splits were drawn before, as in bb2.product",
        proof=by_z3(Fact("log(1/x) = -log(x) if x > 0", (1 - xi,)), Use("bb1")),
        control=1 - xi / 2 <= together,
        example=at(xi=HALF, total=0, together=1),
    ),
)
