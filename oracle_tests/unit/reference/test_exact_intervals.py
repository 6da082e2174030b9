"""Infinity, closed intervals and enclosures; floors, signs, constructors and limits of exact numbers."""

from __future__ import annotations

import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings

from privboost.errors import DivisionByZeroError, PreconditionError, Undecided
from privboost.oracle_tests.support.enclosures import true_value
from privboost.oracle_tests.support.expressions import Tree, evaluate_exact, trees
from privboost.reference.exact import (
    INFINITY,
    ClosedInterval,
    Enclosure,
    Exact,
    Extended,
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

FINITE: list[Exact] = [0, 5, -(10**50), Fraction(-1, 3), sqrt(2), -sqrt(3), exp(1), log(Fraction(1, 2))]
NEGATIVE = -INFINITY
POSITIVE: list[Exact] = [1, Fraction(1, 3), sqrt(2), exp(1)]
each_finite = pytest.mark.parametrize("value", FINITE, ids=str)
each_positive = pytest.mark.parametrize("value", POSITIVE, ids=str)


# Order of infinity ---------------------------------------------------------------------------------------

ORDERINGS: list[Callable[[Any, Any], Any]] = [operator.lt, operator.le, operator.gt, operator.ge]


def order(first: Any, second: Any) -> list[bool]:
    """Return the results of <, <=, > and >=."""
    return [compare(first, second) for compare in ORDERINGS]


BELOW, ABOVE = [True, True, False, False], [False, False, True, True]


@each_finite
def test_infinity__bounds_every_number(value: Any) -> None:
    assert (order(value, INFINITY), order(INFINITY, value)) == (BELOW, ABOVE)
    assert (order(value, -INFINITY), order(-INFINITY, value)) == (ABOVE, BELOW)


@each_finite
@pytest.mark.parametrize("infinity", [INFINITY, -INFINITY], ids=str)
def test_infinity__equals_no_number(value: Any, infinity: Infinity) -> None:
    assert [value == infinity, infinity == value, value != infinity] == [False, False, True]


@settings(max_examples=100)
@given(trees())
def test_infinity__bounds_random_numbers(tree: Tree) -> None:
    assert -INFINITY < evaluate_exact(tree) < INFINITY


LAWS: dict[str, Callable[[], bool]] = {
    "has a string": lambda: str(INFINITY).lower().startswith("inf"),
    "has a negative with a string": lambda: str(NEGATIVE).lower().startswith("-inf"),
    "equals the negative of its negative": lambda: -NEGATIVE == INFINITY,
    "hashes like the negative of its negative": lambda: hash(-NEGATIVE) == hash(INFINITY),
    "differs from its negative": lambda: INFINITY != NEGATIVE,
    "is ordered with its negative": lambda: order(NEGATIVE, INFINITY) == BELOW,
    "is its own weak bound": lambda: order(INFINITY, -NEGATIVE) == [False, True, False, True],
    "has a type": lambda: {type(INFINITY), type(NEGATIVE)} == {Infinity},
    "sum": lambda: INFINITY + INFINITY == INFINITY,
    "product": lambda: INFINITY * INFINITY == NEGATIVE * NEGATIVE == INFINITY,
    "absolute value": lambda: abs(NEGATIVE) == INFINITY,
}


@pytest.mark.parametrize("law", LAWS)
def test_infinity__and_its_negative(law: str) -> None:
    assert LAWS[law]()


# Arithmetic of infinity ----------------------------------------------------------------------------------


@each_finite
def test_infinity__absorbs_finite_numbers(value: Any) -> None:
    assert INFINITY + value == value + INFINITY == INFINITY
    assert (INFINITY - value, value - INFINITY) == (INFINITY, -INFINITY)
    assert value / INFINITY == 0


@each_positive
def test_infinity__times_a_number_has_the_sign_of_the_number(value: Any) -> None:
    assert value * INFINITY == INFINITY * value == INFINITY / value == INFINITY
    assert -value * INFINITY == INFINITY * -value == INFINITY / -value == -INFINITY


UNDETERMINED: dict[str, Callable[[], Any]] = {
    "inf - inf": lambda: INFINITY - INFINITY,
    "inf + -inf": lambda: INFINITY + (-INFINITY),
    "0 * inf": lambda: 0 * INFINITY,
    "inf * 0": lambda: INFINITY * Fraction(0),
    "inf / inf": lambda: INFINITY / INFINITY,
}


@pytest.mark.parametrize("expression", UNDETERMINED.values(), ids=UNDETERMINED.keys())
def test_infinity__refuses_what_is_not_determined(expression: Callable[[], Any]) -> None:
    with pytest.raises(PreconditionError):
        expression()


def test_infinity__refuses_division_by_zero() -> None:
    with pytest.raises(DivisionByZeroError):
        INFINITY / 0


# Closed intervals ----------------------------------------------------------------------------------------

MEMBERSHIP: list[tuple[Extended, ClosedInterval, bool]] = [
    *((value, ClosedInterval(0, 1), True) for value in (0, Fraction(1, 2), 1)),
    *((value, ClosedInterval(0, 1), False) for value in (-1, 2, INFINITY)),
    (sqrt(2), ClosedInterval(sqrt(2), 2), True),
    (sqrt(2), ClosedInterval(1, Fraction(141421356, 10**8)), False),
    (exp(1), ClosedInterval(2, 3), True),
    (10**100, ClosedInterval(0, INFINITY), True),
    (INFINITY, ClosedInterval(0, INFINITY), True),
    (-INFINITY, ClosedInterval(-INFINITY, 0), True),
    (exp(-1000), ClosedInterval(-INFINITY, INFINITY), True),
]


@pytest.mark.parametrize(("value", "interval", "expected"), MEMBERSHIP, ids=range(len(MEMBERSHIP)))
def test_closed_interval__membership(value: Extended, interval: ClosedInterval, expected: bool) -> None:
    assert (value in interval) is expected


@pytest.mark.parametrize(
    ("interval", "expected"),
    [
        (ClosedInterval(1, 1), True),
        (ClosedInterval(sqrt(2), sqrt(8) / 2), True),
        (ClosedInterval(0, 1), False),
        (ClosedInterval(1, INFINITY), False),
    ],
    ids=str,
)
def test_closed_interval__points(interval: ClosedInterval, expected: bool) -> None:
    assert interval.is_point is expected


@pytest.mark.parametrize(
    ("lo", "hi"), [(1, 0), (INFINITY, 0), (sqrt(3), sqrt(2)), (INFINITY, -INFINITY), (3, exp(1))], ids=str
)
def test_intervals__refuse_reversed_ends(lo: Extended, hi: Extended) -> None:
    with pytest.raises(PreconditionError):
        ClosedInterval(lo, hi)
    with pytest.raises(PreconditionError):
        Enclosure(Fraction(1), Fraction(0))


# Enclosures ----------------------------------------------------------------------------------------------


@settings(max_examples=150)
@given(trees())
def test_enclosure__contains_what_it_encloses(tree: Tree) -> None:
    value = evaluate_exact(tree)
    assert value in enclose(value, 30)


def test_enclosure__contains_its_ends_and_no_other_numbers() -> None:
    enclosure = enclose(exp(1), 30)
    assert enclosure.lo in enclosure
    assert enclosure.hi in enclosure
    assert not any(value in enclosure for value in (2, Fraction(3), sqrt(3), exp(2)))


def test_enclosure__ends_are_fractions() -> None:
    assert all(
        type(end) is Fraction for value in FINITE for end in (enclose(value, 9).lo, enclose(value, 9).hi)
    )


@pytest.mark.parametrize("value", [ClosedInterval(0, 1), enclose(1, 1)], ids=str)
def test_intervals__are_frozen(value: Any) -> None:
    with pytest.raises(AttributeError):
        value.lo = Fraction(2)


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


@pytest.mark.parametrize("value", [Fraction(1, 3), sqrt(2), INFINITY], ids=str)
def test_closed_interval__point_is_a_point(value: Any) -> None:
    assert (point(value).is_point, value in point(value)) == (True, True)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (ClosedInterval(0, sqrt(2)), ClosedInterval(0, 2 / sqrt(2))),
        (-ClosedInterval(-1, INFINITY), ClosedInterval(-INFINITY, 1)),
        (Enclosure(Fraction(1, 3), Fraction(1, 2)).width, Fraction(1, 6)),
        (str(ClosedInterval(0, sqrt(2))), "[0, sqrt(2)]"),
        (str(point(Fraction(1, 2))), "{1/2}"),
    ],
    ids=["equality", "negative", "width", "string", "string of a point"],
)
def test_intervals__have_their_negative_width_and_string(value: object, expected: object) -> None:
    assert value == expected


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
