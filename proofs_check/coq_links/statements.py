"""A claim of the ledger as a Coq proposition over the real numbers.

Operations of Coq are total: a quotient by 0, a root and a logarithm of a negative number have some value.
The engines of the ledger show that no such part occurs where the hypotheses hold.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from privboost.proofs_check.kernel.terms import Claim, Formula, Term, walk

FUNCTIONS = {"sqrt": "sqrt", "exp": "exp", "log": "ln", "abs": "Rabs", "min": "Rmin", "max": "Rmax"}


def proposition(claim: Claim) -> str:
    """Return a claim as a closed proposition."""
    formulas = (*claim.given, claim.then)
    names = variables(formulas)
    applied, risks = functions(formulas)
    binders = [f"({' '.join((*applied, *risks))} : R -> R)"] if applied or risks else []
    binders += [f"({' '.join(names)} : R)"] if names else []
    premises = [f"concave_symmetric {name}" for name in risks] + [coq_formula(part) for part in claim.given]
    quantified = f"forall {' '.join(binders)}, " if binders else ""
    return quantified + " -> ".join([*premises, coq_formula(claim.then)])


def variables(formulas: Iterable[Formula]) -> list[str]:
    """Return the Coq names of the variables of some formulas."""
    return sorted({f"v_{part.name}" for part in _parts(formulas) if part.op == "variable"})


def functions(formulas: Iterable[Formula]) -> tuple[list[str], list[str]]:
    """Return the Coq names of the applied functions and of the Bayes risks of some formulas."""
    parts = list(_parts(formulas))
    applied, risks = ({f"f_{part.name}" for part in parts if part.op == op} for op in ("apply", "risk"))
    return sorted(applied - risks), sorted(risks)


def _parts(formulas: Iterable[Formula]) -> Iterable[Term]:
    return (part for formula in formulas for part in walk(formula) if isinstance(part, Term))


def coq_formula(node: Formula) -> str:
    """Return a formula in Coq's notation."""
    parts = [coq_formula(part) if isinstance(part, Formula) else coq_term(part) for part in node.args]
    match node.op:
        case "not":
            return f"(~ {parts[0]})"
        case "and" | "or":
            return "(" + (" /\\ " if node.op == "and" else " \\/ ").join(parts) + ")"
    return f"({parts[0]} {node.op} {parts[1]})"


def coq_term(node: Term) -> str:
    """Return a term in Coq's notation."""
    parts = [coq_term(part) for part in node.args]
    match node.op:
        case "number":
            return constant(Fraction(node.name))
        case "variable":
            return f"v_{node.name}"
        case "^":
            return f"({parts[0]} ^ {int(Fraction(node.name))})"
        case "+" | "*" | "/":
            return f"({parts[0]} {node.op} {parts[1]})"
    return f"({FUNCTIONS.get(node.op, f'f_{node.name}')} {' '.join(parts)})"


def constant(value: Fraction) -> str:
    """Return a rational constant in Coq's notation."""
    digits = (
        str(abs(value.numerator))
        if value.denominator == 1
        else f"({abs(value.numerator)} / {value.denominator})"
    )
    return f"(- {digits})" if value < 0 else digits
