"""Surds: field axioms, equality independent of construction, hashes, and order."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privboost.oracle_tests.support.enclosures import true_value
from privboost.oracle_tests.support.expressions import Binary, Tree, evaluate_exact, surd_trees
from privboost.reference.exact import Exact, Surd, exact_sum, sign, sqrt

RADICANDS = (1, 2, 3, 5, 6, 7, 10, 15)
SurdValue: TypeAlias = int | Fraction | Surd
Builder: TypeAlias = Callable[[], Exact]

coefficients = st.builds(Fraction, st.integers(-20, 20), st.integers(1, 12))
surds: st.SearchStrategy[Exact] = st.lists(
    st.tuples(st.sampled_from(RADICANDS), coefficients), max_size=3
).map(lambda parts: exact_sum(c * sqrt(n) for n, c in parts))
few_terms: st.SearchStrategy[Exact] = st.lists(
    st.tuples(st.sampled_from((1, 2, 3, 5)), coefficients), max_size=3
).map(lambda parts: exact_sum(c * sqrt(n) for n, c in parts))


# Field axioms --------------------------------------------------------------------------------------------


AXIOMS: dict[str, Callable[[Any, Any, Any], bool]] = {
    "addition commutes": lambda a, b, _: a + b == b + a,
    "multiplication commutes": lambda a, b, _: a * b == b * a,
    "addition associates": lambda a, b, c: (a + b) + c == a + (b + c),
    "multiplication associates": lambda a, b, c: (a * b) * c == a * (b * c),
    "multiplication distributes": lambda a, b, c: a * (b + c) == a * b + a * c,
    "there are negatives": lambda a, _, __: a + (-a) == 0,
    "there are inverses": lambda _, __, c: c * (1 / c) == 1,
    "division undoes multiplication": lambda a, _, c: (a * c) / c == a,
}


@pytest.mark.parametrize("axiom", AXIOMS)
@settings(max_examples=150)
@given(surds, surds, few_terms.filter(bool))
def test_surds__satisfy_the_axioms_of_a_field(axiom: str, a: SurdValue, b: SurdValue, c: SurdValue) -> None:
    assert AXIOMS[axiom](a, b, c)


@settings(max_examples=100)
@given(surds, st.integers(0, 5))
def test_surds__powers_are_repeated_products(a: SurdValue, exponent: int) -> None:
    product: SurdValue = 1
    for _ in range(exponent):
        product = product * a
    assert a**exponent == product


@settings(max_examples=60)
@given(few_terms.filter(bool), st.integers(1, 4))
def test_surds__negative_powers_invert(a: SurdValue, exponent: int) -> None:
    assert a**-exponent * a**exponent == 1


# Equality independent of construction --------------------------------------------------------------------

SAME: list[tuple[Builder, Builder]] = [
    (lambda: sqrt(2) * sqrt(3), lambda: sqrt(6)),
    (lambda: (1 + sqrt(2)) ** 2, lambda: 3 + 2 * sqrt(2)),
    (lambda: 1 / (sqrt(3) - sqrt(2)), lambda: sqrt(3) + sqrt(2)),
    (lambda: sqrt(8), lambda: 2 * sqrt(2)),
    (lambda: sqrt(Fraction(1, 2)), lambda: sqrt(2) / 2),
    (lambda: sqrt(Fraction(3, 8)), lambda: sqrt(6) / 4),
    (lambda: sqrt(2) + sqrt(3) + sqrt(5), lambda: sqrt(5) + (sqrt(3) + sqrt(2))),
    (lambda: sqrt(2) * sqrt(2), lambda: 2),
    (lambda: sqrt(9), lambda: 3),
    (lambda: sqrt(Fraction(4, 9)), lambda: Fraction(2, 3)),
    (lambda: sqrt(2) - sqrt(2), lambda: 0),
    (lambda: (sqrt(5) + 1) / 2 * ((sqrt(5) - 1) / 2), lambda: 1),
    (lambda: ((1 + sqrt(5)) / 2) ** 12 + ((1 - sqrt(5)) / 2) ** 12, lambda: 322),
    (lambda: sqrt(2) ** -3, lambda: sqrt(2) / 4),
    (lambda: 1 / (1 + sqrt(2) + sqrt(3)), lambda: Fraction(1, 2) + sqrt(2) / 4 - sqrt(6) / 4),
    (lambda: sqrt(10**40), lambda: 10**20),
    (lambda: sqrt(2 * 10**40), lambda: 10**20 * sqrt(2)),
    (lambda: sqrt(Fraction(1, 2)), lambda: 1 / sqrt(2)),
    (lambda: abs(1 - sqrt(2)), lambda: sqrt(2) - 1),
    (lambda: sqrt((2**61 - 1) ** 2 * 3), lambda: (2**61 - 1) * sqrt(3)),
]


@pytest.mark.parametrize(("first", "second"), SAME)
def test_surds__built_in_different_ways_are_equal(first: Builder, second: Builder) -> None:
    assert first() == second()
    assert hash(first()) == hash(second())


@settings(max_examples=150)
@given(st.lists(st.tuples(st.sampled_from(RADICANDS), coefficients), max_size=8))
def test_surds__exact_sum_is_the_loop_of_additions(parts: list[tuple[int, Fraction]]) -> None:
    total: Exact = 0
    for n, c in parts:
        total = total + c * sqrt(n)
    assert exact_sum(c * sqrt(n) for n, c in parts) == total


@settings(max_examples=200)
@given(surds, surds)
def test_surds__equal_values_have_equal_hashes(a: SurdValue, b: SurdValue) -> None:
    assert hash(a + b) == hash(b + a)


@settings(max_examples=200)
@given(surds)
def test_surds__rational_values_collapse(a: SurdValue) -> None:
    difference = (a + Fraction(1, 3)) - a
    assert (type(difference), hash(difference)) == (Fraction, hash(Fraction(1, 3)))


@pytest.mark.parametrize("other", [2, Fraction(1, 2), sqrt(3), "sqrt(2)", None, (1, 2)])
def test_surds__differ_from_what_they_are_not(other: object) -> None:
    assert sqrt(2) != other


def test_surds__are_keys_of_dictionaries() -> None:
    table = {sqrt(2): "a", 2: "b"}
    assert (table[sqrt(8) / 2], table[sqrt(2) * sqrt(2)]) == ("a", "b")


# Normal form ---------------------------------------------------------------------------------------------


def test_surds__terms_are_sorted_square_free_and_nonzero() -> None:
    value = sqrt(12) - Fraction(1, 2) + sqrt(2) + sqrt(50) - sqrt(7) + sqrt(7)
    assert isinstance(value, Surd)
    assert value.terms == ((1, Fraction(-1, 2)), (2, Fraction(6)), (3, Fraction(2)))


@settings(max_examples=200)
@given(surds)
def test_surds__are_the_sum_of_their_terms(a: SurdValue) -> None:
    assert not isinstance(a, Surd) or exact_sum(c * sqrt(n) for n, c in a.terms) == a


# Order ---------------------------------------------------------------------------------------------------


@settings(max_examples=400)
@given(surd_trees(), surd_trees())
def test_surds__order_agrees_with_arb(first: Tree, second: Tree) -> None:
    bounds = true_value(Binary("-", first, second), 400)
    a, b = evaluate_exact(first), evaluate_exact(second)
    assert (a > b, a < b) == (bounds.lo > 0, bounds.hi < 0)


LAWS_OF_ORDER: dict[str, Callable[[Any, Any, Any], bool]] = {
    "total": lambda a, b, _: [a < b, a == b, a > b].count(True) == 1,
    "weak order matches strict order": lambda a, b, _: (a <= b, a >= b) == (not a > b, not a < b),
    "kept by addition": lambda a, b, c: (a < b) == (a + c < b + c),
    "sign": lambda a, _, __: sign(a) == (a > 0) - (a < 0),
    "absolute value": lambda a, _, __: abs(a) == (a if a >= 0 else -a),
}


@pytest.mark.parametrize("law", LAWS_OF_ORDER)
@settings(max_examples=200)
@given(surds, surds, surds)
def test_surds__are_an_ordered_field(law: str, a: SurdValue, b: SurdValue, c: SurdValue) -> None:
    assert LAWS_OF_ORDER[law](a, b, c)


@settings(max_examples=100)
@given(st.lists(surds, min_size=1, max_size=8))
def test_surds__sort(values: list[SurdValue]) -> None:
    ordered = sorted(values)
    assert all(a <= b for a, b in itertools.pairwise(ordered))
    assert max(values) == max(reversed(values)) == ordered[-1]


@pytest.mark.parametrize(
    ("value", "expected"), [(sqrt(2), True), (sqrt(2) - sqrt(2), False), (-sqrt(3), True)]
)
def test_surds__are_true_unless_zero(value: Exact, expected: bool) -> None:
    assert bool(value) is expected
