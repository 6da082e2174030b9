"""exp, log and sqrt at ordinary and at extreme arguments, against Arb at a higher precision."""

from __future__ import annotations

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
EXP_ARGUMENTS = [TINY, -TINY, 1 - TINY, 1 + TINY]
EXP_ARGUMENTS += map(Fraction, ("1", "-1", "1/3", "355/113", "1000", "-1000", "-100000", "-8192/3"))
EXP_ARGUMENTS += map(Fraction, ("12345678901234567890/98765432109876543", "0.693147180559945309417232121458"))
LOG_ARGUMENTS = [TINY, 1 - TINY, 1 + TINY, HUGE, 1 / HUGE, Fraction(10**1000 + 1)]
LOG_ARGUMENTS += map(Fraction, ("2", "1/2", "3", "2.718281828459045235360287471352"))
LOG_ARGUMENTS += [Fraction(2**1000), Fraction(1, 2**1000), 2**1000 + Fraction(1, 3)]
LOG_ARGUMENTS += [1 + Fraction(1, 2**64), 1 - Fraction(1, 2**31)]
ARGUMENTS = [*(("exp", x) for x in EXP_ARGUMENTS), *(("log", x) for x in LOG_ARGUMENTS)]


def holds_the_true_value(tree: Unary, bits: int) -> bool:
    """Return whether the enclosure of a tree contains its value."""
    return check_contains(enclose(evaluate_exact(tree), bits), tree, bits)


# Chosen arguments ----------------------------------------------------------------------------------------


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


def scale_by_powers(mantissas: st.SearchStrategy[Fraction], most: int) -> st.SearchStrategy[Fraction]:
    """Return rationals times powers of two, with exponents from -most to most."""
    exponents = st.integers(-most, most)
    return st.builds(lambda mantissa, exponent: mantissa * Fraction(2) ** exponent, mantissas, exponents)


near_one = st.builds(
    lambda ulps, shift: 1 + Fraction(ulps, 2**shift), st.integers(-9, 9), st.integers(1, 700)
)
RANDOM: dict[str, tuple[str, st.SearchStrategy[Fraction]]] = {
    "exp": ("exp", st.fractions(-1000, 1000) | rationals.map(lambda x: min(x / 10**4, Fraction(1000)))),
    "log": ("log", scale_by_powers(st.fractions(min_value=Fraction(1, 10**30)), 2000)),
    "log near one": ("log", near_one.map(lambda x: max(x, Fraction(1, 7)))),
    "sqrt": ("sqrt", scale_by_powers(st.fractions(min_value=0), 1200)),
}


@pytest.mark.parametrize(("function", "arguments"), RANDOM.values(), ids=RANDOM.keys())
@settings(max_examples=300)
@given(st.data(), st.integers(1, 1500))
def test_functions__of_random_rationals_contain_the_true_value(
    function: str, arguments: st.SearchStrategy[Fraction], data: st.DataObject, bits: int
) -> None:
    assert holds_the_true_value(Unary(function, Number(data.draw(arguments))), bits)


@settings(max_examples=100)
@given(rationals)
def test_sqrt__of_a_square_is_the_absolute_value(x: Fraction) -> None:
    assert sqrt(x * x) == abs(x)


@pytest.mark.parametrize("bits", range(1, 65))
@pytest.mark.parametrize("function", ["exp", "log"])
def test_functions__at_every_small_precision(function: str, bits: int) -> None:
    assert holds_the_true_value(Unary(function, Number(Fraction(7, 5))), bits)


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
    assert holds_the_true_value(tree, bits)


# Values that stay simple ---------------------------------------------------------------------------------

RATIONAL_RESULTS: list[tuple[Exact, str]] = [
    (exp(0), "1"),
    (exp(Fraction(0)), "1"),
    (exp(sqrt(2) - sqrt(2)), "1"),
    (exp(log(2)), "2"),
    (log(1), "0"),
    (log(sqrt(2) * sqrt(2) - 1), "0"),
    (log(exp(2)), "2"),
    (sqrt(0), "0"),
    (sqrt(4), "2"),
    (sqrt(Fraction(9, 16)), "3/4"),
    (sqrt(Fraction(9, 4)), "3/2"),
    (sqrt(2) * sqrt(2), "2"),
    (sqrt(exp(1)) ** 2 / exp(1), "1"),
    (exp(1) / exp(1), "1"),
    (exp(1) ** 0, "1"),
    (sqrt(2) ** 0, "1"),
    (exact_sum([]), "0"),
    (exact_sum([1, 2]), "3"),
]


@pytest.mark.parametrize(("value", "expected"), RATIONAL_RESULTS, ids=range(len(RATIONAL_RESULTS)))
def test_rational_results__are_fractions(value: Exact, expected: str) -> None:
    assert value == Fraction(expected)
    assert isinstance(value, Fraction)
