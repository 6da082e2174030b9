"""Random expression trees, and their evaluation in three independent arithmetics.

A tree is a frozen dataclass that does not depend on the numbers that evaluate it. The arithmetics share no
code: exact numbers of the reference, intervals of mpmath and balls of Arb (python-flint).
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Generic, TypeAlias, TypeVar

from flint import arb, ctx, fmpq
from hypothesis import strategies as st
from mpmath import iv
from mpmath.libmp import to_rational

from privboost.reference.exact import Exact, exact, exact_sum, exp, log, sqrt

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Number:
    """A rational leaf."""

    value: Fraction


@dataclass(frozen=True, slots=True)
class Unary:
    """A function of one tree: "neg", "sqrt", "exp" or "log"."""

    name: str
    child: Tree


@dataclass(frozen=True, slots=True)
class Binary:
    """An operation on two trees: "+", "-", "*" or "/"."""

    name: str
    left: Tree
    right: Tree


@dataclass(frozen=True, slots=True)
class Power:
    """An integer power of a tree."""

    base: Tree
    exponent: int


@dataclass(frozen=True, slots=True)
class Total:
    """A sum of any number of trees."""

    children: tuple[Tree, ...]


Tree: TypeAlias = Number | Unary | Binary | Power | Total

OPERATORS: Mapping[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}


@dataclass(frozen=True, slots=True)
class Arithmetic(Generic[T]):
    """The functions that evaluate a tree, in addition to the operators of its numbers."""

    number: Callable[[Fraction], T]
    functions: Mapping[str, Callable[[T], T]]
    power: Callable[[T, int], T]
    total: Callable[[Sequence[T]], T]


@dataclass(frozen=True, slots=True)
class Bounds:
    """A rational lower and upper bound."""

    lo: Fraction
    hi: Fraction


def evaluate(tree: Tree, arithmetic: Arithmetic[T]) -> T:
    """Return the value of a tree in an arithmetic."""
    match tree:
        case Number(value):
            return arithmetic.number(value)
        case Unary(name, child):
            return arithmetic.functions[name](evaluate(child, arithmetic))
        case Binary(name, left, right):
            result: T = OPERATORS[name](evaluate(left, arithmetic), evaluate(right, arithmetic))
            return result
        case Power(base, exponent):
            return arithmetic.power(evaluate(base, arithmetic), exponent)
        case Total(children):
            return arithmetic.total([evaluate(child, arithmetic) for child in children])


# The reference -------------------------------------------------------------------------------------------

EXACT: Arithmetic[Any] = Arithmetic(
    number=exact,
    functions={"neg": operator.neg, "sqrt": sqrt, "exp": exp, "log": log},
    power=operator.pow,
    total=exact_sum,
)


def evaluate_exact(tree: Tree) -> Exact:
    """Return the value of a tree in the exact numbers of the reference, built afresh."""
    value: Exact = evaluate(tree, EXACT)
    return value


# Arb -----------------------------------------------------------------------------------------------------


def _power_of_ball(base: arb, exponent: int) -> arb:
    """Return an integer power by multiplication; that of Arb is undefined if the base may be zero."""
    product = arb(1)
    for _ in range(abs(exponent)):
        product *= base
    return product if exponent >= 0 else 1 / product


BALLS: Arithmetic[arb] = Arithmetic(
    number=lambda value: arb(fmpq(value.numerator, value.denominator)),
    functions={"neg": operator.neg, "sqrt": arb.sqrt, "exp": arb.exp, "log": arb.log},
    power=_power_of_ball,
    total=lambda values: sum(values, arb(0)),
)


def evaluate_ball(tree: Tree, precision: int) -> arb:
    """Return the value of a tree as a ball, computed with `precision` bits."""
    before, ctx.prec = ctx.prec, precision
    try:
        return evaluate(tree, BALLS)
    finally:
        ctx.prec = before


def dyadic(ball: arb) -> Fraction:
    """Return an exact ball as a rational."""
    mantissa, exponent = ball.man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def evaluate_arb(tree: Tree, precision: int) -> Bounds | None:
    """Return bounds by Arb on the value of a tree, or None if the ball is not finite at this precision."""
    ball = evaluate_ball(tree, precision)
    if not ball.is_finite():
        return None
    middle, radius = dyadic(ball.mid()), dyadic(ball.rad())
    return Bounds(middle - radius, middle + radius)


# mpmath --------------------------------------------------------------------------------------------------

INTERVALS: Arithmetic[Any] = Arithmetic(
    number=lambda value: iv.mpf(value.numerator) / iv.mpf(value.denominator),
    functions={"neg": operator.neg, "sqrt": iv.sqrt, "exp": iv.exp, "log": iv.log},
    power=operator.pow,
    total=lambda values: sum(values, iv.mpf(0)),
)


def evaluate_interval(tree: Tree, precision: int) -> Bounds | None:
    """Return bounds by mpmath on the value of a tree, or None if the interval is unbounded."""
    before, iv.prec = iv.prec, precision
    try:
        lo, hi = evaluate(tree, INTERVALS)._mpi_
    finally:
        iv.prec = before
    # A raw number of mpmath (sign, mantissa, exponent, size) without a mantissa is 0 or not finite.
    if any(exponent and not mantissa for _, mantissa, exponent, _ in (lo, hi)):
        return None
    return Bounds(*(Fraction(*map(int, to_rational(raw))) for raw in (lo, hi)))


# Trees inside the domain ---------------------------------------------------------------------------------

ONE = Number(Fraction(1))
LARGEST_ARGUMENT_BITS = 7
LARGEST_POWER_BITS = 400
REPAIR_PRECISION = 1024


def inside_domain(tree: Tree) -> Tree:
    """Return a tree with a value, by moving arguments outside the domain of a function into it.

    Ensures: arguments of log and sqrt are positive, no divisor is zero, exp and powers are bounded.
    """
    match tree:
        case Number():
            return tree
        case Unary("sqrt" | "log" as name, child):
            return Unary(name, _positive(inside_domain(child)))
        case Unary("exp", child):
            return Unary("exp", _bound(inside_domain(child)))
        case Unary(name, child):
            return Unary(name, inside_domain(child))
        case Binary(name, left, right):
            divisor = inside_domain(right)
            return Binary(name, inside_domain(left), _nonzero(divisor) if name == "/" else divisor)
        case Power(base, exponent):
            return _bounded_power(inside_domain(base), exponent)
        case Total(children):
            return Total(tuple(inside_domain(child) for child in children))


def _above_one(tree: Tree) -> Tree:
    """Return 1 + x * x."""
    return Binary("+", ONE, Binary("*", tree, tree))


def _positive(tree: Tree) -> Tree:
    """Return x or -x, whichever is positive, or 1 + x * x if the sign of x is not clear."""
    ball = evaluate_ball(tree, REPAIR_PRECISION)
    if ball > 0:
        return tree
    return Unary("neg", tree) if ball < 0 else _above_one(tree)


def _nonzero(tree: Tree) -> Tree:
    """Return x, or 1 + x * x if x may be zero."""
    ball = evaluate_ball(tree, REPAIR_PRECISION)
    return tree if ball != 0 and not ball.contains(0) else _above_one(tree)


def _size(tree: Tree) -> int:
    """Return an upper bound on the number of bits in the integer part of a value."""
    bound = dyadic(evaluate_ball(tree, REPAIR_PRECISION).abs_upper())
    return (bound.numerator // bound.denominator).bit_length()


def _bound(tree: Tree) -> Tree:
    """Return x, divided by a power of two if it is too large an argument for exp."""
    excess = _size(tree) - LARGEST_ARGUMENT_BITS
    return tree if excess <= 0 else Binary("/", tree, Number(Fraction(2**excess)))


def _bounded_power(base: Tree, exponent: int) -> Tree:
    """Return base ** exponent, changed so that it is defined and bounded."""
    if exponent < 0:
        base = _nonzero(base)
    inverse = Binary("/", ONE, base) if exponent < 0 else base
    return Power(base, exponent) if abs(exponent) * _size(inverse) <= LARGEST_POWER_BITS else base


# Strategies ----------------------------------------------------------------------------------------------

small_rationals = st.builds(Fraction, st.integers(-60, 60), st.integers(1, 64))
rationals = st.one_of(
    st.integers(-9, 9).map(Fraction),
    small_rationals,
    st.builds(Fraction, st.integers(-(10**12), 10**12), st.integers(1, 10**9)),
    st.builds(lambda odd, shift: Fraction(2 * odd + 1, 2**shift), st.integers(-50, 50), st.integers(0, 120)),
)
numbers: st.SearchStrategy[Tree] = rationals.map(Number)
root_leaves: st.SearchStrategy[Tree] = st.integers(2, 30).map(lambda n: Unary("sqrt", Number(Fraction(n))))


def _grow(functions: Sequence[str], children: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
    """Return a strategy for trees that are one level deeper."""
    return st.one_of(
        st.builds(Unary, st.sampled_from(functions), children),
        st.builds(Binary, st.sampled_from(sorted(OPERATORS)), children, children),
        st.builds(Power, children, st.integers(-3, 4)),
        st.lists(children, max_size=4).map(lambda parts: Total(tuple(parts))),
    )


def trees(max_leaves: int = 8) -> st.SearchStrategy[Tree]:
    """Return a strategy for trees of all operations, each with a value."""
    leaves = st.one_of(numbers, root_leaves)
    raw = st.recursive(
        leaves, lambda below: _grow(("neg", "sqrt", "exp", "log"), below), max_leaves=max_leaves
    )
    return raw.map(inside_domain)


def surd_trees(max_leaves: int = 6) -> st.SearchStrategy[Tree]:
    """Return a strategy for trees without nested roots, exp or log, whose values are surds or rationals."""
    small: st.SearchStrategy[Tree] = small_rationals.map(Number)
    roots: st.SearchStrategy[Tree] = st.integers(2, 12).map(lambda n: Unary("sqrt", Number(Fraction(n))))
    raw = st.recursive(st.one_of(small, roots), lambda below: _grow(("neg",), below), max_leaves=max_leaves)
    return raw.map(inside_domain)
