"""Zeros that algebra does not detect are never reported as nonzero; coarse bounds are refined."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypeAlias

import pytest

from privboost.errors import PreconditionError, Undecided
from privboost.oracle_tests.support.enclosures import answer
from privboost.reference.exact import INFINITY, Exact, enclose, exp, log, sqrt

Builder: TypeAlias = Callable[[], Exact]

# Zeros that algebra does not detect ----------------------------------------------------------------------


def hidden_zero() -> Exact:
    """Return exp(log 2 + log 3) - 6, which is zero."""
    return exp(log(2) + log(3)) - 6


HIDDEN_ZEROS: dict[str, Builder] = {
    "itself": hidden_zero,
    "square": lambda: hidden_zero() ** 2,
    "product with itself": lambda: hidden_zero() * hidden_zero(),
    "fourth power": lambda: hidden_zero() ** 4,
    "cube": lambda: hidden_zero() ** 3,
    "multiple": lambda: 3 * hidden_zero(),
    "multiple by a surd": lambda: sqrt(2) * hidden_zero(),
    "multiple by a real": lambda: exp(1) * hidden_zero(),
    "multiple of the square": lambda: -log(2) * hidden_zero() ** 2,
    "sum of squares": lambda: hidden_zero() ** 2 + (exp(log(2) + log(5)) - 10) ** 2,
}
each_hidden_zero = pytest.mark.parametrize("zero", HIDDEN_ZEROS.values(), ids=HIDDEN_ZEROS.keys())


QUESTIONS: dict[str, tuple[Callable[[Any], bool], bool]] = {
    "positive": (lambda zero: zero > 0, False),
    "negative": (lambda zero: zero < 0, False),
    "zero": (lambda zero: zero == 0, True),
    "true": (bool, False),
    "root is positive": (lambda zero: sqrt(zero) > 0, False),
}


@each_hidden_zero
@pytest.mark.parametrize("question", QUESTIONS)
def test_hidden_zeros__are_zero_or_undecided(zero: Builder, question: str) -> None:
    ask, truth = QUESTIONS[question]
    assert answer(lambda: ask(zero())) in (truth, None)


@each_hidden_zero
@pytest.mark.parametrize(
    "operation", [log, *(lambda zero, top=top: top / zero for top in (1, sqrt(2), exp(1)))], ids=range(4)
)
def test_hidden_zeros__have_no_logarithm_and_are_no_divisors(
    zero: Builder, operation: Callable[[Any], Any]
) -> None:
    with pytest.raises(ArithmeticError):
        operation(zero())


@each_hidden_zero
def test_hidden_zeros__times_infinity_are_not_determined(zero: Builder) -> None:
    with pytest.raises((ArithmeticError, PreconditionError)):
        zero() * INFINITY


def test_hidden_zeros__of_any_size_are_undecided() -> None:
    with pytest.raises(Undecided):
        bool(hidden_zero() * 10**5000 > 0)


# Coarse bounds that a finer precision repairs ------------------------------------------------------------


@pytest.mark.parametrize("size", [10, 22, 54, 100, 400])
def test_coarse_bounds__of_an_exponent_are_refined(size: int) -> None:
    argument = sqrt(exp(2 * size) + 1) / sqrt(exp(2 * size) + 3)
    assert Fraction(27, 10) < exp(argument) < 3
    assert Fraction(2) < enclose(exp(argument), 1).hi < 4


@pytest.mark.parametrize("size", [10, 100, 1000])
def test_coarse_bounds__of_a_divisor_and_of_a_logarithm_are_refined(size: int) -> None:
    assert exp(size) / (exp(size) + 1) > Fraction(99, 100)
    assert abs(log(exp(-size) + exp(-2 * size)) + size) < Fraction(1, 1000)


@pytest.mark.parametrize("argument", [10**6, 10**30, 10**300])
def test_coarse_bounds__of_exponentials_beyond_memory(argument: int) -> None:
    assert answer(lambda: exp(argument) > 1) is not False
    assert exp(-argument) < Fraction(1, 10**6)
