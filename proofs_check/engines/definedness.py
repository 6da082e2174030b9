"""Definedness: every divisor of a claim is nonzero, every radicand >= 0, every argument of log > 0.

In Coq these parts have some value anyway, and an identity of quotients does not look at divisors. So a proof
of that kind is completed here, by a sum of products that the kernel checks, or by z3. The kernel sees a
variable in place of a part that is not algebraic, and knows that exp is > 0 and an absolute value >= 0.
"""

from __future__ import annotations

from functools import cache

from privboost.proofs_check.kernel.certificates import Rejected, check_sum
from privboost.proofs_check.kernel.terms import Claim, Formula, Term, holds, term, walk
from privboost.proofs_check.language import infix, negation

from . import smt, sums

ALGEBRAIC = ("number", "variable", "+", "*", "/", "^", "sqrt")


@cache
def check_defined(claim: Claim) -> tuple[str, ...]:
    """Return the tools that show that a claim is defined where its hypotheses hold, or raise `Rejected`."""
    conditions = smt.conditions((*claim.given, claim.then))
    return tuple(sorted({_check_condition(condition, claim.given) for condition in conditions}))


def _check_condition(condition: Formula, given: tuple[Formula, ...]) -> str:
    if all(part.op not in ("variable", "apply", "risk") for part in walk(condition)):
        if not holds(condition, {}, {}):
            raise Rejected(f"the claim is undefined: {infix(condition)} does not hold")
        return "kernel"
    comparison = condition
    if condition.op == "not" and isinstance(condition.args[0], Formula):
        comparison = Formula("<", (term(0), condition.args[0].args[0]))
    names: dict[Term, Term] = {}
    known = [_algebraic(formula, names) for formula in given]
    goal = _algebraic(comparison, names)
    known += [term(0) < name for part, name in names.items() if part.op == "exp"]
    known += [term(0) <= name for part, name in names.items() if part.op == "abs"]
    claim = Claim(tuple(known), goal)
    try:
        check_sum(claim, *sums.find_sum(claim, (), 2))
    except Rejected:
        if smt.ask_z3(smt.Script().to_smtlib((*given, negation(condition)))) != "unsat":
            raise Rejected(f"{infix(condition)} is not shown, so the claim may be undefined") from None
        return "z3"
    return "kernel"


def _algebraic(formula: Formula, names: dict[Term, Term]) -> Formula:
    """Return a formula with variables in place of parts that are not algebraic."""
    parts = tuple(
        _algebraic_term(part, names) if isinstance(part, Term) else _algebraic(part, names)
        for part in formula.args
    )
    return Formula(formula.op, parts)


def _algebraic_term(node: Term, names: dict[Term, Term]) -> Term:
    if node.op in ALGEBRAIC:
        return Term(node.op, tuple(_algebraic_term(part, names) for part in node.args), node.name)
    return names.setdefault(node, Term("variable", (), f"_part{len(names)}"))
