"""Normal forms in the variables of the paper, and limits at the ends of a region."""

from __future__ import annotations

from functools import cache

from sympy import Dummy, Expr, Poly, Rational, S, Symbol, fraction, limit, log

from .certify import in_parameters, resolve
from .rational import factor, quotient, sign_of
from .regions import ROOT, Region


@cache
def tidy(expression: Expr, region: Region) -> Expr:
    """Return the form p + q * sqrt(radicand) of an expression on a region, in the paper's variables.

    Requires: the expression is rational in the region's parameters and their logarithms.
    """
    resolved = resolve(expression, region)
    if resolved.has(log) and region.radicand != 0:
        return resolved
    rational, irrational = split_root(resolved, region)
    return rational + _times_root(irrational, region.radicand)


def split_root(expression: Expr, region: Region) -> tuple[Expr, Expr]:
    """Return (p, q) with expression = p + q * sqrt(radicand) on a region, both free of the root."""
    numerator, denominator = quotient(in_parameters(expression, region))
    value = _in_variables(numerator / denominator, region)
    (a, b), (c, d) = (_reduce(part, region.radicand) for part in quotient(value))
    norm = c**2 - d**2 * region.radicand
    return factor((a * c - b * d * region.radicand) / norm), factor((b * c - a * d) / norm)


@cache
def end_limit(expression: Expr, region: Region, end: Expr) -> Expr:
    """Return the limit of an expression as the parameter of a region tends to 0 or to infinity.

    Limits of rational functions are computed from the leading terms, since `sympy.limit` returns
    the wrong sign for some roots of non-negative symbols.
    """
    value = in_parameters(expression, region)
    if value.has(log):
        free = Dummy()
        return limit(value.subs(region.parameter, free), free, end, "-" if end is S.Infinity else "+")
    (top, leading), (bottom, divisor) = (_dominant(part, region.parameter, end) for part in quotient(value))
    growth = top - bottom if end is S.Infinity else bottom - top
    if growth != 0:
        return S.Zero if growth < 0 else sign_of(leading / divisor) * S.Infinity
    return factor(_in_variables(leading / divisor, region))


def _in_variables(value: Expr, region: Region) -> Expr:
    """Return a function of the parameters in the paper's variables, with `ROOT` for the root."""
    for parameter, original in region.inverse:
        value = value.subs(parameter, original)
    return value


def _dominant(polynomial: Expr, parameter: Symbol, end: Expr) -> tuple[int, Expr]:
    """Return degree and coefficient of the term that dominates a polynomial at an end."""
    terms = Poly(polynomial, parameter).terms()
    (degree,), coefficient = terms[0] if end is S.Infinity else terms[-1]
    return degree, coefficient


def _times_root(factor_of_root: Expr, radicand: Expr) -> Expr:
    """Return factor * sqrt(radicand), with powers of the radicand cancelled from the denominator."""
    power = 1
    while factor_of_root != 0:
        shorter = factor(factor_of_root * radicand)
        if fraction(shorter)[1].count_ops() >= fraction(factor_of_root)[1].count_ops():
            break
        factor_of_root, power = shorter, power - 2
    return factor_of_root * radicand ** Rational(power, 2)


def _reduce(polynomial: Expr, radicand: Expr) -> tuple[Expr, Expr]:
    """Return (p, q) with polynomial = p + q * ROOT modulo ROOT^2 = radicand."""
    remainder = Poly(polynomial, ROOT).rem(Poly(ROOT**2 - radicand, ROOT))
    return remainder.coeff_monomial(1), remainder.coeff_monomial(ROOT)
