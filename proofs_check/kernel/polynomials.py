"""Terms as quotients of rational polynomials, with roots and applied functions as extra variables."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction

from .terms import Term

Monomial = tuple[tuple[str, int], ...]
"""Variables with their exponents, sorted by name."""

Polynomial = dict[Monomial, Fraction]
"""Monomials with their coefficients, none of them zero."""

Factors = Counter[frozenset[tuple[Monomial, Fraction]]]
"""A product of polynomials that is not multiplied out, so that common denominators stay small."""

Ratio = tuple[Polynomial, Factors]
"""A numerator, and a nonzero denominator."""

ONE: Polynomial = {(): Fraction(1)}


def plus(p: Polynomial, q: Polynomial, factor: Fraction = Fraction(1)) -> Polynomial:
    """Return p + factor * q."""
    total = dict(p)
    for monomial, coefficient in q.items():
        total[monomial] = total.get(monomial, Fraction(0)) + factor * coefficient
    return {monomial: coefficient for monomial, coefficient in total.items() if coefficient}


def times(p: Polynomial, q: Polynomial) -> Polynomial:
    """Return p * q."""
    total: Polynomial = {}
    for left, a in p.items():
        for right, b in q.items():
            powers = dict(left)
            for name, exponent in right:
                powers[name] = powers.get(name, 0) + exponent
            monomial = tuple(sorted(powers.items()))
            total[monomial] = total.get(monomial, Fraction(0)) + a * b
    return {monomial: coefficient for monomial, coefficient in total.items() if coefficient}


def expand(factors: Factors) -> Polynomial:
    """Return a product of polynomials multiplied out."""
    product = ONE
    for factor, exponent in factors.items():
        product = times(product, power(dict(factor), exponent))
    return product


def power(p: Polynomial, exponent: int) -> Polynomial:
    """Return p ^ exponent."""
    return times(p, power(p, exponent - 1)) if exponent else ONE


@dataclass(slots=True)
class Atoms:
    """The variables that stand for roots and applied functions; equal arguments share a variable."""

    known: list[tuple[str, str, Ratio]] = field(default_factory=list)

    def name_of(self, op: str, argument: Ratio) -> str:
        """Return the variable for sqrt(argument) or L(argument), which is the same for equal arguments."""
        for name, other_op, other in self.known:
            (a, b), (c, d) = argument, other
            crossed = plus(times(a, expand(d)), times(c, expand(b)), Fraction(-1))
            if op == other_op and not self.reduce_roots(crossed):
                return name
        self.known.append((f"{op}#{len(self.known)}", op, argument))
        return self.known[-1][0]

    def reduce_roots(self, polynomial: Polynomial) -> Polynomial:
        """Return a polynomial times powers of the radicands' denominators, with no root squared.

        Ensures: if the result is 0, the given polynomial is 0 wherever all terms are defined.
        """
        for name, op, radicand in reversed(self.known):
            if op == "sqrt":
                polynomial = _without_squares(polynomial, name, radicand)
        return polynomial

    def ratio(self, node: Term) -> Ratio:
        """Return a term without exp, log, abs, min or max as a quotient of polynomials."""
        if node.op == "number":
            return plus({}, ONE, Fraction(node.name)), Counter()
        if node.op == "variable" and "#" not in str(node.name):
            return {((str(node.name), 1),): Fraction(1)}, Counter()
        parts = [self.ratio(part) for part in node.args]
        match node.op, parts:
            case "+", [(a, b), (c, d)]:
                common = b | d
                return plus(times(a, expand(common - b)), times(c, expand(common - d))), common
            case "*", [(a, b), (c, d)]:
                return times(a, c), b + d
            case "/", [(a, b), (c, d)] if self.reduce_roots(c):
                return times(a, expand(d)), b + Counter([frozenset(c.items())])
            case "^", [(a, b)]:
                exponent = int(Fraction(node.name))
                return power(a, exponent), Counter({factor: n * exponent for factor, n in b.items()})
            case (("sqrt" | "apply" | "risk"), [argument]):
                return {((self.name_of(f"{node.op}{node.name}", argument), 1),): Fraction(1)}, Counter()
        raise TypeError(f"'{node.op}' is not a polynomial operation, or divides by zero")


def _without_squares(polynomial: Polynomial, name: str, radicand: Ratio) -> Polynomial:
    """Return a polynomial with name^2 replaced by the radicand, times a power of its denominator."""
    halves = max((dict(monomial).get(name, 0) for monomial in polynomial), default=0) // 2
    total: Polynomial = {}
    for monomial, coefficient in polynomial.items():
        exponent = dict(monomial).get(name, 0)
        rest = tuple((other, n if other != name else 1) for other, n in monomial if other != name or n % 2)
        lower = power(expand(radicand[1]), halves - exponent // 2)
        value = times(power(radicand[0], exponent // 2), lower)
        total = plus(total, times({rest: coefficient}, value))
    return total
