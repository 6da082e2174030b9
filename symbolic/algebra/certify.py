"""Certify zeros and signs of closed forms on a region.

An expression is first freed of case distinctions (`resolve`) and then written in the positive
parameters of the region, where its roots are rational. It is zero if its polynomial vanishes, and
its sign follows from the signs of coefficients. Sample points only refute. If a question is neither
certified nor refuted, `HarnessError` is raised.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cache, reduce
from typing import cast

from sympy import (
    Abs,
    And,
    Eq,
    Expr,
    Ge,
    Gt,
    Integer,
    Le,
    Lt,
    Max,
    Min,
    Ne,
    Not,
    Or,
    Piecewise,
    Rational,
    S,
    Symbol,
    sign,
)
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean

from privboost.errors import HarnessError

from .rational import factors, rationalise, sign_of
from .regions import DELTA, A, K, Q, R, Region, T, U

_SAMPLE_DIGITS = 60
_CLEARLY_NONZERO = Rational(1, 10**30)
_TRUE_FOR = {Lt: (-1,), Le: (-1, 0), Gt: (1,), Ge: (0, 1), Eq: (0,), Ne: (-1, 1)}


def _sample(**ratios: tuple[int, int]) -> dict[Symbol, Rational]:
    """Return a rational value for every parameter."""
    symbols = {"a": A, "t": T, "r": R, "k": K, "q": Q, "delta": DELTA, "u": U}
    return {symbols[name]: Rational(*ratio) for name, ratio in ratios.items()}


_SAMPLES = (
    _sample(a=(2, 3), t=(9, 7), r=(3, 5), k=(7, 4), q=(8, 3), delta=(5, 4), u=(1, 5)),
    _sample(a=(5, 2), t=(4, 9), r=(7, 3), k=(2, 5), q=(1, 6), delta=(-3, 4), u=(5, 7)),
    _sample(a=(1, 1), t=(5, 4), r=(1, 1), k=(1, 1), q=(1, 1), delta=(1, 1), u=(1, 3)),
    _sample(a=(1, 9), t=(11, 2), r=(1, 8), k=(9, 2), q=(6, 5), delta=(8, 3), u=(4, 9)),
)


def resolve(expression: Expr, region: Region) -> Expr:
    """Return the expression with its case distinctions decided on the region."""
    if isinstance(expression, Piecewise):
        for branch, condition in expression.args:
            if decide(condition, region):
                return resolve(branch, region)
        raise HarnessError(f"no case of {expression} covers {region.name}")
    if not expression.args:
        return expression
    arguments = [resolve(cast("Expr", argument), region) for argument in expression.args]
    if isinstance(expression, Abs | sign):
        direction = Integer(sign_of(region.apply(arguments[0])))
        return direction * arguments[0] if isinstance(expression, Abs) else direction
    if isinstance(expression, Min | Max):
        orientation = 1 if isinstance(expression, Max) else -1
        return reduce(lambda x, y: x if sign_of(region.apply(x - y)) == orientation else y, arguments)
    return cast("Expr", expression.func(*arguments))


@cache
def decide(condition: Boolean, region: Region) -> bool:
    """Return whether a condition holds on the whole region.

    Ensures: HarnessError unless it holds everywhere or nowhere on the region.
    """
    if condition in (S.true, S.false):
        return condition is S.true
    if isinstance(condition, And):
        return all(decide(part, region) for part in condition.args)
    if isinstance(condition, Or):
        return any(decide(part, region) for part in condition.args)
    if isinstance(condition, Not):
        return not decide(condition.args[0], region)
    if not isinstance(condition, Relational):
        raise HarnessError(f"cannot decide {condition} on {region.name}")
    return sign_on(condition.lhs - condition.rhs, region) in _TRUE_FOR[type(condition)]


def in_parameters(expression: Expr, region: Region) -> Expr:
    """Return an expression as a rational function of the parameters of a region and logarithms."""
    return rationalise(region.apply(resolve(expression, region)))


def sign_on(expression: Expr, region: Region) -> int:
    """Return the sign that an expression has on the whole region."""
    return sign_of(region.apply(resolve(expression, region)))


def lowest_sign_on(expression: Expr, region: Region) -> int:
    """Return the certified sign of an expression on a region, or -1 if it is negative at some point."""
    try:
        return sign_on(expression, region)
    except HarnessError:
        value = region.apply(resolve(expression, region))
        if any(_at(value, sample) < -_CLEARLY_NONZERO for sample in _SAMPLES):
            return -1
        raise


def is_zero(expression: Expr, region: Region) -> bool:
    """Return whether an expression vanishes identically on the region."""
    value = region.apply(resolve(expression, region))
    with suppress(HarnessError):
        if factors(rationalise(value))[0] == 0:
            return True
    if any(abs(_at(value, sample)) > _CLEARLY_NONZERO for sample in _SAMPLES):
        return False
    raise HarnessError(f"neither zero nor non-zero on {region.name}: {value}")


def _at(value: Expr, sample: dict[Symbol, Rational]) -> Expr:
    """Return a value at one point, to a fixed number of digits."""
    return value.subs(sample).evalf(_SAMPLE_DIGITS)
