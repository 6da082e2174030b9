"""Constructors of variables, functions and connectives, and formulas as strings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from privboost.proofs_check.kernel.terms import (
    Claim,
    Formula,
    Scalar,
    Term,
    term,
    walk,
)

Function = str
SIGNS = {"<=": "≤", "<": "<", "=": "="}


def reals(names: str) -> tuple[Term, ...]:
    """Return one variable for every name."""
    return tuple(Term("variable", (), name) for name in names.split())


def risk(argument: Term | Scalar, name: Function = "L") -> Term:
    """Return L(argument) for a Bayes risk, a concave and symmetric function on [0, 1]."""
    return Term("risk", (term(argument),), name)


def function(argument: Term | Scalar, name: Function) -> Term:
    """Return f(argument) for a function of which only the hypotheses of the claim are known."""
    return Term("apply", (term(argument),), name)


def sqrt(argument: Term | Scalar) -> Term:
    """Return the square root of a term."""
    return Term("sqrt", (term(argument),))


def exp(argument: Term | Scalar) -> Term:
    """Return the exponential."""
    return Term("exp", (term(argument),))


def log(argument: Term | Scalar) -> Term:
    """Return the natural logarithm of a term."""
    return Term("log", (term(argument),))


def absolute(argument: Term | Scalar) -> Term:
    """Return the absolute value."""
    return Term("abs", (term(argument),))


def smaller(first: Term | Scalar, second: Term | Scalar) -> Term:
    """Return the minimum of two terms."""
    return Term("min", (term(first), term(second)))


def larger(first: Term | Scalar, second: Term | Scalar) -> Term:
    """Return the maximum of two terms."""
    return Term("max", (term(first), term(second)))


def equal(left: Term | Scalar, right: Term | Scalar) -> Formula:
    """Return the equation left = right."""
    return Formula("=", (term(left), term(right)))


def negation(formula: Formula) -> Formula:
    """Return the negation."""
    return Formula("not", (formula,))


def both(*formulas: Formula) -> Formula:
    """Return the conjunction."""
    return Formula("and", formulas)


def either(*formulas: Formula) -> Formula:
    """Return the disjunction."""
    return Formula("or", formulas)


def implies(premise: Formula, conclusion: Formula) -> Formula:
    """Return the implication, as a disjunction."""
    return either(negation(premise), conclusion)


def between(lower: Term | Scalar, middle: Term, upper: Term | Scalar) -> tuple[Formula, Formula]:
    """Return lower <= middle and middle <= upper, as two formulas to unpack into `given`."""
    return term(lower) <= middle, middle <= term(upper)


def substitute(node: Term, values: Mapping[str, Term]) -> Term:
    """Return a term with variables replaced."""
    if node.op == "variable":
        return values.get(str(node.name), node)
    return Term(node.op, tuple(substitute(part, values) for part in node.args), node.name)


def substitute_in(formula: Formula, values: Mapping[str, Term]) -> Formula:
    """Return a formula with variables replaced."""
    return Formula(
        formula.op,
        tuple(
            substitute(part, values) if isinstance(part, Term) else substitute_in(part, values)
            for part in formula.args
        ),
    )


def variables(formula: Formula) -> set[str]:
    """Return the names of the variables of a formula."""
    return {str(part.name) for part in walk(formula) if isinstance(part, Term) and part.op == "variable"}


_PRECEDENCE = {"+": 1, "*": 2, "/": 2, "^": 4}


def infix(node: Term | Formula) -> str:
    """Return a term or formula in the infix notation that `book.formulas` reads back as the same one."""
    if isinstance(node, Formula):
        return infix_formula(node, infix)
    match node.op:
        case "number" | "variable":
            return str(node.name)
        case "^":
            return f"{_wrap(node.args[0], 5)}^{node.name}"
        case "+":
            return _infix_sum(*node.args)
        case "*":
            if node.args[0] == term(-1):
                factor = _wrap(node.args[1], 2)
                return f"-({factor})" if factor.isdecimal() else f"-{factor}"
            return f"{_wrap(node.args[0], 2)}·{_wrap(node.args[1], 3)}"
        case "/":
            left, right = _wrap(node.args[0], 2), _wrap(node.args[1], 3)
            return f"({left})/{right}" if left.isdecimal() and right.isdecimal() else f"{left}/{right}"
    inner = ", ".join(infix(part) for part in node.args)
    return f"{node.name if node.op in ('apply', 'risk') else node.op}({inner})"


def _infix_sum(first: Term, second: Term) -> str:
    if second.op == "*" and second.args[0] == term(-1):
        subtracted = second.args[1]
        positive = subtracted.op == "number" and Fraction(subtracted.name) >= 0
        return f"{infix(first)} - {infix(subtracted) if positive else _wrap(subtracted, 2)}"
    negative = second.op == "number" and Fraction(second.name) < 0
    return f"{infix(first)} + {f'({second.name})' if negative else _wrap(second, 2, is_fraction_loose=False)}"


def _wrap(node: Term, level: int, *, is_fraction_loose: bool = True) -> str:
    inner = infix(node)
    is_fraction = node.op == "number" and "/" in inner and is_fraction_loose
    loose = _PRECEDENCE.get(node.op, 9) < level or is_fraction
    return f"({inner})" if loose or inner.startswith("-") else inner


def infix_formula(formula: Formula, write_term: Callable[[Term], str]) -> str:
    """Return a formula as a string in infix notation, with its terms written by a function."""
    parts = [
        write_term(part) if isinstance(part, Term) else infix_formula(part, write_term)
        for part in formula.args
    ]
    if formula.op in SIGNS:
        return f"{parts[0]} {SIGNS[formula.op]} {parts[1]}"
    if formula.op == "not":
        return f"not ({parts[0]})"
    op, inner = formula.op, formula.args
    if op == "or" and len(inner) == 2 and inner[0].op == "not":
        op, inner = "implies", (inner[0].args[0], inner[1])
        parts[0] = parts[0].removeprefix("not (").removesuffix(")")
    return f" {op} ".join(
        part if each.op in SIGNS else f"({part})" for part, each in zip(parts, inner, strict=True)
    )


def infix_claim(claim: Claim) -> str:
    """Return a claim as a string in infix notation."""
    given = [f"{name} is concave and symmetric on [0, 1]" for name in risks(claim)]
    given += [infix(formula) for formula in claim.given]
    return f"{', '.join(given)} ⊢ {infix(claim.then)}" if given else f"⊢ {infix(claim.then)}"


def risks(claim: Claim) -> list[str]:
    """Return the names of the Bayes risks of a claim."""
    parts = (part for formula in (*claim.given, claim.then) for part in walk(formula))
    return sorted({str(part.name) for part in parts if isinstance(part, Term) and part.op == "risk"})
