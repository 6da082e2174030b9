"""exp, log and sqrt at ordinary and at extreme arguments, against Arb at a higher precision."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privboost.oracle_tests.support.enclosures import check_contains, check_width
from privboost.oracle_tests.support.expressions import Number, Unary, evaluate_exact, rationals
from privboost.reference.exact import Exact, enclose, exact_sum, exp, log, sqrt

TINY = Fraction(1, 2**500)
HUGE = Fraction(10**60 + 7, 3)
PRECISIONS = [1, 2, 10, 53, 113, 500, 1000, 4000]
EXP_ARGUMENTS = [
    TINY,
    -TINY,
    Fraction(1),
    Fraction(-1),
    Fraction(1, 3),
    Fraction(355, 113),
    1 - TINY,
    1 + TINY,
    Fraction(1000),
    Fraction(-1000),
    Fraction(-(10**5)),
    Fraction(12345678901234567890, 98765432109876543),
    Fraction(-(2**13), 3),
    Fraction(693147180559945309417232121458, 10**30),
]
LOG_ARGUMENTS = [
    TINY,
    Fraction(2),
    Fraction(1, 2),
    Fraction(3),
    1 + TINY,
    1 - TINY,
    1 + Fraction(1, 2**64),
    Fraction(2**1000),
    Fraction(1, 2**1000),
    2**1000 + Fraction(1, 3),
    HUGE,
    1 / HUGE,
    Fraction(10**1000 + 1),
    Fraction(2718281828459045235360287471352, 10**30),
    Fraction(2**31 - 1, 2**31),
]


# Chosen arguments ----------------------------------------------------------------------------------------


ARGUMENTS = [*(("exp", x) for x in EXP_ARGUMENTS), *(("log", x) for x in LOG_ARGUMENTS)]


@pytest.mark.parametrize("bits", PRECISIONS)
@pytest.mark.parametrize(("function", "argument"), ARGUMENTS, ids=range(len(ARGUMENTS)))
def test_functions__enclose_the_true_value_as_narrowly_as_promised(
    function: str, argument: Fraction, bits: int
) -> None:
    tree = Unary(function, Number(argument))
    enclosure = enclose(evaluate_exact(tree), bits)
    assert check_contains(enclosure, tree, bits)
    assert check_width(enclosure, bits)


# Random arguments ----------------------------------------------------------------------------------------


@settings(max_examples=300)
@given(st.one_of(st.fractions(-1000, 1000), rationals.map(lambda x: x / 10**4)), st.integers(1, 1500))
def test_exp__of_random_rationals_contains_the_true_value(argument: Fraction, bits: int) -> None:
    tree = Unary("exp", Number(argument))
    assert check_contains(enclose(exp(argument), bits), tree, bits)


@settings(max_examples=300)
@given(st.fractions(min_value=Fraction(1, 10**30)), st.integers(-2000, 2000), st.integers(1, 1500))
def test_log__of_random_rationals_contains_the_true_value(
    mantissa: Fraction, exponent: int, bits: int
) -> None:
    argument = mantissa * Fraction(2) ** exponent
    tree = Unary("log", Number(argument))
    assert check_contains(enclose(log(argument), bits), tree, bits)


@settings(max_examples=300)
@given(st.integers(-9, 9), st.integers(1, 700), st.integers(1, 1500))
def test_log__near_one_contains_the_true_value(ulps: int, shift: int, bits: int) -> None:
    argument = max(1 + Fraction(ulps, 2**shift), Fraction(1, 7))
    tree = Unary("log", Number(argument))
    assert check_contains(enclose(log(argument), bits), tree, bits)


@settings(max_examples=300)
@given(st.fractions(min_value=0), st.integers(-600, 600), st.integers(1, 1500))
def test_sqrt__of_random_rationals_contains_the_true_value(
    mantissa: Fraction, exponent: int, bits: int
) -> None:
    argument = mantissa * Fraction(4) ** exponent
    tree = Unary("sqrt", Number(argument))
    assert check_contains(enclose(sqrt(argument), bits), tree, bits)


@settings(max_examples=100)
@given(rationals)
def test_sqrt__of_a_square_is_the_absolute_value(x: Fraction) -> None:
    assert sqrt(x * x) == abs(x)


@pytest.mark.parametrize("bits", range(1, 65))
@pytest.mark.parametrize("function", ["exp", "log"])
def test_functions__at_every_small_precision(function: str, bits: int) -> None:
    tree = Unary(function, Number(Fraction(7, 5)))
    assert check_contains(enclose(evaluate_exact(tree), bits), tree, bits)


# Nested and tiny -----------------------------------------------------------------------------------------

NESTED: list[Unary] = [
    Unary("exp", Unary("exp", Unary("exp", Number(Fraction(1))))),
    Unary("log", Unary("log", Unary("log", Number(Fraction(10**9))))),
    Unary("log", Unary("exp", Number(Fraction(-700)))),
    Unary("exp", Unary("neg", Unary("exp", Number(Fraction(6))))),
    Unary("sqrt", Unary("exp", Number(Fraction(-1000)))),
    Unary("log", Unary("sqrt", Number(Fraction(2)))),
    Unary("exp", Unary("sqrt", Number(Fraction(2)))),
    Unary("sqrt", Unary("sqrt", Unary("sqrt", Number(Fraction(2))))),
]


@pytest.mark.parametrize("bits", [1, 50, 400, 1500])
@pytest.mark.parametrize("tree", NESTED, ids=range(len(NESTED)))
def test_nested_functions__contain_the_true_value(tree: Unary, bits: int) -> None:
    assert check_contains(enclose(evaluate_exact(tree), bits), tree, bits)


# Values that stay simple ---------------------------------------------------------------------------------

RATIONAL_RESULTS: list[tuple[Exact, Fraction]] = [
    (exp(0), Fraction(1)),
    (exp(Fraction(0)), Fraction(1)),
    (exp(sqrt(2) - sqrt(2)), Fraction(1)),
    (log(1), Fraction(0)),
    (log(sqrt(2) * sqrt(2) - 1), Fraction(0)),
    (sqrt(0), Fraction(0)),
    (sqrt(Fraction(9, 16)), Fraction(3, 4)),
    (sqrt(Fraction(9, 4)), Fraction(3, 2)),
]


@pytest.mark.parametrize(("value", "expected"), RATIONAL_RESULTS, ids=range(len(RATIONAL_RESULTS)))
def test_rational_results__are_fractions(value: Exact, expected: Fraction) -> None:
    assert value == expected
    assert isinstance(value, Fraction)


FRACTION_RESULTS: dict[str, Callable[[], Exact]] = {
    "root": lambda: sqrt(4),
    "exp of log": lambda: exp(log(2)),
    "log of exp": lambda: log(exp(2)),
    "empty sum": lambda: exact_sum([]),
    "sum of integers": lambda: exact_sum([1, 2]),
    "product of roots": lambda: sqrt(2) * sqrt(2),
    "square of a root": lambda: sqrt(exp(1)) ** 2 / exp(1),
    "quotient": lambda: exp(1) / exp(1),
    "zeroth power": lambda: exp(1) ** 0,
    "zeroth power of a surd": lambda: sqrt(2) ** 0,
}


@pytest.mark.parametrize("build", FRACTION_RESULTS.values(), ids=FRACTION_RESULTS.keys())
def test_rational_results__divide_without_floats(build: Callable[[], Exact]) -> None:
    assert isinstance(build() / 4, Fraction)
