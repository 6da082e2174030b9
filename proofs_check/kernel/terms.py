"""Statements as data: terms over the reals, formulas, claims, and their exact values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from operator import index
from typing import Any

from privboost.reference.exact import exp, log, sign, sqrt
from privboost.reference.exact.ranges import Range

Scalar = int | Fraction
# `apply` applies any function, `risk` a Bayes risk: a concave and symmetric function on [0, 1].
ARITY = {"number": 0, "variable": 0} | dict.fromkeys(("^", "sqrt", "exp", "log", "abs", "apply", "risk"), 1)
ARITY |= dict.fromkeys(("+", "*", "/", "min", "max"), 2)
NAMED = ("variable", "apply", "risk")
CONNECTIVES = {"not": range(1, 2), "and": range(1, 100), "or": range(1, 100)}


@dataclass(frozen=True, slots=True)
class Term:
    """A number, a variable, or an operation on terms; `name` is the number, name or integer exponent."""

    op: str
    args: tuple[Term, ...] = ()
    name: str | Fraction = ""

    def __post_init__(self) -> None:
        if len(self.args) != ARITY[self.op]:
            raise TypeError(f"'{self.op}' takes {ARITY[self.op]} terms, got {len(self.args)}")
        if self.op == "^" and (Fraction(self.name).denominator != 1 or Fraction(self.name) < 0):
            raise ValueError(f"exponent: expected an integer >= 0, got {self.name}")
        if self.op in NAMED and not (str(self.name).isascii() and str(self.name).isidentifier()):
            raise ValueError(f"name: expected letters, digits and underscores, got '{self.name}'")

    def __add__(self, other: Term | Scalar) -> Term:
        return Term("+", (self, term(other)))

    def __radd__(self, other: Scalar) -> Term:
        return Term("+", (term(other), self))

    def __neg__(self) -> Term:
        return Term("*", (term(-1), self))

    def __sub__(self, other: Term | Scalar) -> Term:
        return Term("+", (self, -term(other)))

    def __rsub__(self, other: Scalar) -> Term:
        return Term("+", (term(other), -self))

    def __mul__(self, other: Term | Scalar) -> Term:
        return Term("*", (self, term(other)))

    def __rmul__(self, other: Scalar) -> Term:
        return Term("*", (term(other), self))

    def __truediv__(self, other: Term | Scalar) -> Term:
        return Term("/", (self, term(other)))

    def __rtruediv__(self, other: Scalar) -> Term:
        return Term("/", (term(other), self))

    def __pow__(self, exponent: int) -> Term:
        return Term("^", (self,), Fraction(index(exponent)))

    def __le__(self, other: Term | Scalar) -> Formula:
        return Formula("<=", (self, term(other)))

    def __lt__(self, other: Term | Scalar) -> Formula:
        return Formula("<", (self, term(other)))

    def __ge__(self, other: Term | Scalar) -> Formula:
        return Formula("<=", (term(other), self))

    def __gt__(self, other: Term | Scalar) -> Formula:
        return Formula("<", (term(other), self))


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula: a comparison (<=, <, =) of two terms, or not, and, or of formulas."""

    op: str
    args: tuple[Term | Formula, ...]

    def __post_init__(self) -> None:
        kind, counts = (Term, (2,)) if self.op in ("<=", "<", "=") else (Formula, CONNECTIVES[self.op])
        if len(self.args) not in counts or not all(isinstance(part, kind) for part in self.args):
            raise TypeError(f"'{self.op}' does not take {self.args}")

    def __bool__(self) -> bool:
        raise TypeError("a formula has no truth value; write a <= b and b <= c as two formulas")


@dataclass(frozen=True, slots=True)
class Claim:
    """For all real values of the variables: if every formula of `given` holds, so does `then`."""

    given: tuple[Formula, ...]
    then: Formula


def term(value: Term | Scalar) -> Term:
    """Return a term or number as a term."""
    if isinstance(value, Term):
        return value
    if isinstance(value, bool) or not isinstance(value, (int, Fraction)):
        raise TypeError(f"value: expected a Term, int or Fraction, got {type(value).__name__}")
    return Term("number", (), Fraction(value))


def walk(node: Term | Formula) -> Iterator[Term | Formula]:
    """Yield all parts of a term or formula, inner ones first and the whole last."""
    for part in node.args:
        yield from walk(part)
    yield node


Functions = Mapping[str, tuple[str, Term]]
"""The definitions of applied functions: parameter name and body, by name."""

Point = Mapping[str, Any]
"""The values of the variables: exact numbers, or ranges."""


def value(node: Term, point: Point, functions: Functions) -> Any:
    """Return the value of a term at a point: an exact number, or a certified range over a box."""
    if node.op == "number":
        return Fraction(node.name)
    if node.op == "variable":
        number = point[str(node.name)]
        return Fraction(number) if isinstance(number, int) else number
    values = [value(part, point, functions) for part in node.args]
    match node.op:
        case "apply" | "risk":
            parameter, body = functions[str(node.name)]
            return value(body, {parameter: values[0]}, functions)
        case "+":
            return values[0] + values[1]
        case "*":
            return values[0] * values[1]
        case "/":
            if isinstance(values[1], Range) and not (values[1].at_least(1) or values[1].at_most(-1)):
                raise ValueError("a divisor is not shown to be nonzero")
            return values[0] / values[1]
        case "^":
            return prod([values[0]] * int(Fraction(node.name)), start=Fraction(1))
        case "abs":
            return -values[0] if sign(values[0]) < 0 else values[0]
        case "min" | "max":
            return values[(sign(values[0] - values[1]) <= 0) != (node.op == "min")]
    if isinstance(values[0], Range) and not values[0].at_least(int(node.op == "log")):
        raise ValueError(f"the argument of {node.op} is not shown to be in its domain")
    return {"sqrt": sqrt, "exp": exp, "log": log}[node.op](values[0])


def holds(formula: Formula, point: Point, functions: Functions) -> bool:
    """Return whether a formula holds at a point, decided exactly."""
    if formula.op in ("and", "or", "not"):
        truths = [holds(part, point, functions) for part in formula.args if isinstance(part, Formula)]
        return not truths[0] if formula.op == "not" else all(truths) if formula.op == "and" else any(truths)
    left, right = (value(part, point, functions) for part in formula.args if isinstance(part, Term))
    order = sign(left - right)
    return {"<=": order <= 0, "<": order < 0, "=": order == 0}[formula.op]
