"""Corner cases of exact numbers: floors, derived enclosures, infinite arguments, constructors, limits."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings

from privboost.errors import PreconditionError, Undecided
from privboost.oracle_tests.support.enclosures import true_value
from privboost.oracle_tests.support.expressions import Tree, evaluate_exact, trees
from privboost.reference.exact import (
    INFINITY,
    ClosedInterval,
    Enclosure,
    Exact,
    Infinity,
    Real,
    Surd,
    enclose,
    exp,
    floor,
    log,
    point,
    sqrt,
)

# Floors --------------------------------------------------------------------------------------------------

FLOORS: list[tuple[Exact, int]] = [
    (0, 0),
    (7, 7),
    (Fraction(-1, 3), -1),
    (sqrt(2), 1),
    (-sqrt(2), -2),
    (exp(1), 2),
    (-exp(1), -3),
    (1000 * log(2), 693),
    (2 - exp(-300), 1),
    (2 + exp(-300), 2),
]


@pytest.mark.parametrize(("value", "expected"), FLOORS, ids=[str(value) for value, _ in FLOORS])
def test_floor__of_known_numbers(value: Exact, expected: int) -> None:
    assert floor(value) == expected


@settings(max_examples=150)
@given(trees())
def test_floor__is_just_below_the_true_value(tree: Tree) -> None:
    truth = true_value(tree, 400)
    try:
        whole = floor(evaluate_exact(tree))
    except Undecided:
        whole = round(truth.lo)
    slack = Fraction(1, 2**399)
    assert whole - slack <= truth.lo <= whole + 1 + slack


def test_floor__of_a_hidden_integer_is_undecided() -> None:
    with pytest.raises(Undecided):
        floor(exp(log(2) + log(3)))


@pytest.mark.parametrize("exponent", [1000, 14_000])
def test_floor__of_a_surd_is_always_decided(exponent: int) -> None:
    unit = (sqrt(2) - 1) ** exponent
    assert (floor(unit), floor(-unit), floor(5 - unit)) == (0, -1, 4)


# Derived enclosures and intervals -------------------------------------------------------------------------


@pytest.mark.parametrize("factor", [2, Fraction(-1, 3), sqrt(2), -exp(1), 0], ids=str)
def test_enclosure__scaled_holds_the_multiple(factor: Any) -> None:
    assert factor * log(2) in enclose(log(2), 40).scale(factor)


@pytest.mark.parametrize(
    ("lo", "hi", "expected"), [(1, 2, True), (2, 3, True), (3, 4, False), (-1, 0, False)]
)
def test_enclosure__meets(lo: int, hi: int, expected: bool) -> None:
    one_to_two = Enclosure(Fraction(1), Fraction(2))
    other = Enclosure(Fraction(lo), Fraction(hi))
    assert (one_to_two.meets(other), other.meets(one_to_two)) == (expected, expected)


def test_closed_interval__negated_swaps_its_ends() -> None:
    assert -ClosedInterval(-1, INFINITY) == ClosedInterval(-INFINITY, 1)


@pytest.mark.parametrize("value", [Fraction(1, 3), sqrt(2), INFINITY], ids=str)
def test_closed_interval__point_is_a_point(value: Any) -> None:
    assert (point(value).is_point, value in point(value)) == (True, True)


@pytest.mark.parametrize(
    ("interval", "expected"),
    [(ClosedInterval(0, sqrt(2)), "[0, sqrt(2)]"), (point(Fraction(1, 2)), "{1/2}")],
    ids=str,
)
def test_closed_interval__string(interval: ClosedInterval, expected: str) -> None:
    assert str(interval) == expected


# Infinite arguments --------------------------------------------------------------------------------------


@pytest.mark.parametrize("function", [sqrt, log])
def test_infinity__functions_of_infinity_and_not_of_its_negative(function: Any) -> None:
    assert function(INFINITY) == INFINITY
    with pytest.raises(PreconditionError):
        function(-INFINITY)


@pytest.mark.parametrize("other", [None, "1", (1,)], ids=repr)
def test_infinity__differs_from_other_types(other: Any) -> None:
    assert other != INFINITY


@pytest.mark.parametrize("direction", [0, 2, Fraction(1, 2)])
def test_infinity__has_two_directions(direction: Any) -> None:
    with pytest.raises(PreconditionError):
        Infinity(direction)


# Constructors and signs ----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [Surd, Real])
def test_constructors__are_replaced_by_arithmetic(kind: Any) -> None:
    with pytest.raises(TypeError, match="arithmetic"):
        kind()


@pytest.mark.parametrize("value", [sqrt(2), -sqrt(2), exp(1), -log(2)], ids=str)
def test_plus__is_the_number_itself(value: Any) -> None:
    assert +value is value


@pytest.mark.parametrize("value", [exp(1), log(Fraction(1, 2)), exp(1) - 3], ids=str)
def test_absolute_value__of_reals_is_positive(value: Any) -> None:
    assert abs(value) > 0
    assert bool(value)


@pytest.mark.parametrize(
    "primes", [(2, 3, 5, 7, 11, 13), (2, 3, 5, 7, 11, 13, 17), (2, 3, 5, 7, 11, 13, 17, 19)]
)
def test_quotients__by_many_roots_are_enclosed(primes: tuple[int, ...]) -> None:
    divisor = sum((sqrt(p) for p in primes), Fraction(0))
    assert 1 in enclose(sqrt(2) / divisor * divisor / sqrt(2), 100)


# Limits --------------------------------------------------------------------------------------------------


def test_limits__a_quotient_by_nearly_zero_has_no_enclosure() -> None:
    with pytest.raises(Undecided):
        enclose(1 / (exp(log(2) + log(3)) - 6 + exp(-30_000)), 10)


def test_limits__long_sums_and_products_have_a_short_string() -> None:
    total: Exact = Fraction(0)
    product: Exact = Fraction(1)
    for n in range(2, 100):
        total, product = total + exp(Fraction(1, n)), product * log(exp(1) + n)
    assert len(str(total)) < 1000
    assert len(str(product)) < 1000
