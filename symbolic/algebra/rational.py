"""Rational functions of positive parameters: lowest terms, factors, roots of squares, signs.

A generator is a part of an expression that is not a sum, product or integer power: a symbol or a
logarithm. All results are exact; `HarnessError` is raised if a property cannot be certified.
"""

from __future__ import annotations

from functools import reduce
from operator import add, mul
from typing import cast

from sympy import QQ, Expr, Pow, Rational, S, log, sign
from sympy.core.sorting import default_sort_key
from sympy.polys.fields import FracElement, FracField
from sympy.polys.orderings import lex
from sympy.polys.rings import PolyElement

from privboost.errors import HarnessError

from .regions import A


def rationalise(expression: Expr) -> Expr:
    """Return the expression with roots of squares taken and logarithms of products split.

    Requires: every symbol under a root or in a logarithm is a positive parameter of a region.
    """
    if not expression.args:
        return expression
    arguments = [rationalise(cast("Expr", argument)) for argument in expression.args]
    if isinstance(expression, Pow) and expression.exp.is_Rational and expression.exp.q != 1:
        constant, parts = _positive_factors(arguments[0])
        return reduce(mul, (base ** (m * expression.exp) for base, m in parts), constant**expression.exp)
    if isinstance(expression, log):
        constant, parts = _positive_factors(arguments[0])
        return reduce(add, (m * log(base) for base, m in parts), log(constant))
    return cast("Expr", expression.func(*arguments))


def sign_of(expression: Expr) -> int:
    """Return the sign -1, 0 or 1 that an expression has for all positive parameters."""
    constant, parts = factors(rationalise(expression))
    signs = (_orientation(base) ** abs(multiplicity) for base, multiplicity in parts)
    return reduce(mul, signs, int(sign(constant)))


def quotient(expression: Expr) -> tuple[Expr, Expr]:
    """Return numerator and denominator in lowest terms, both expanded."""
    value = _element(expression)
    return value.numer.as_expr(), value.denom.as_expr()


def factor(expression: Expr) -> Expr:
    """Return a rational function as a product of irreducible factors."""
    constant, parts = factors(expression)
    return reduce(mul, (base.as_expr() ** multiplicity for base, multiplicity in parts), constant)


def factors(expression: Expr) -> tuple[Rational, list[tuple[PolyElement, int]]]:
    """Return a constant and the irreducible factors; multiplicities are negative in the denominator."""
    value = _element(expression)
    if value.numer.is_zero:
        return S.Zero, []
    constant, parts = S.One, []
    for polynomial, direction in ((value.numer, 1), (value.denom, -1)):
        coefficient, bases = polynomial.factor_list()
        constant *= QQ.to_sympy(QQ.convert(coefficient)) ** direction
        parts += [(base, direction * multiplicity) for base, multiplicity in bases]
    return constant, parts


def _positive_factors(expression: Expr) -> tuple[Rational, list[tuple[Expr, int]]]:
    """Return the factors of a positive or vanishing expression, each of them positive."""
    constant, parts = factors(expression)
    oriented = []
    for base, multiplicity in parts:
        orientation = _orientation(base)
        constant *= orientation ** abs(multiplicity)
        oriented.append(((orientation * base).as_expr(), multiplicity))
    if constant < 0:
        raise HarnessError(f"root or logarithm of a negative number: {expression}")
    return constant, oriented


def _orientation(polynomial: PolyElement) -> int:
    """Return the common sign of all coefficients, which is the sign for positive generators."""
    signs = {1 if coefficient > 0 else -1 for coefficient in polynomial.coeffs()}
    degrees = zip(polynomial.ring.symbols, polynomial.degrees(), strict=True)
    if len(signs) != 1 or not all(generator.is_positive for generator, degree in degrees if degree > 0):
        raise HarnessError(f"sign not certified: {polynomial.as_expr()}")
    return signs.pop()


def _element(expression: Expr) -> FracElement:
    """Return an expression as an element of the field of rational functions of its generators."""
    generators = sorted(_generators(expression) | {A}, key=default_sort_key)
    domain = FracField(generators, QQ, lex)
    images = dict(zip(generators, domain.gens, strict=True))

    def evaluate(node: Expr) -> FracElement:
        if node in images:
            return images[node]
        if node.is_Rational:
            return domain(QQ(node.p, node.q))
        if node.is_Pow:
            return evaluate(node.base) ** int(node.exp)
        return reduce(add if node.is_Add else mul, map(evaluate, node.args))

    return evaluate(expression)


def _generators(expression: Expr) -> set[Expr]:
    """Return the generators of an expression."""
    if expression.is_Rational:
        return set()
    if expression.is_Add or expression.is_Mul:
        return set().union(*map(_generators, expression.args))
    if expression.is_Pow and expression.exp.is_Integer:
        return _generators(expression.base)
    if expression.is_finite is False or expression is S.NaN:
        raise HarnessError(f"not a finite expression: {expression}")
    return {expression}
