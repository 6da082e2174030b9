"""Enclosures of random expressions against Arb and mpmath."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privboost.oracle_tests.support.enclosures import (
    check_contains,
    check_inside,
    check_overlaps,
    check_width,
)
from privboost.oracle_tests.support.expressions import (
    Binary,
    Bounds,
    Number,
    Power,
    Tree,
    Unary,
    evaluate_arb,
    evaluate_exact,
    evaluate_interval,
    inside_domain,
    surd_trees,
    trees,
)
from privboost.reference.exact import Enclosure, enclose, exp

precisions = st.one_of(st.integers(1, 20), st.integers(1, 600))
SAMPLE = Binary("+", Unary("exp", Number(Fraction(-1, 2))), Unary("sqrt", Number(Fraction(2))))


# Containment ---------------------------------------------------------------------------------------------


@settings(max_examples=600)
@given(st.one_of(trees(), surd_trees(), trees(max_leaves=30)), precisions)
def test_enclosures__contain_the_true_value_and_are_as_narrow_as_promised(tree: Tree, bits: int) -> None:
    enclosure = enclose(evaluate_exact(tree), bits)
    assert check_contains(enclosure, tree, bits)
    assert check_width(enclosure, bits)


@pytest.mark.parametrize("bits", [1, 2, 3, 8, 53, 64, 256, 600])
@pytest.mark.parametrize("ulps", [-2, -1, 1, 2])
def test_containment_check__rejects_a_shifted_enclosure(bits: int, ulps: int) -> None:
    enclosure = enclose(evaluate_exact(SAMPLE), bits)
    shift = ulps * max(enclosure.hi - enclosure.lo, Fraction(1, 2**bits))
    assert not check_contains(Enclosure(enclosure.lo + shift, enclosure.hi + shift), SAMPLE, bits)


@pytest.mark.parametrize("bits", [1, 53, 600])
def test_containment_check__rejects_a_rational_off_by_little(bits: int) -> None:
    third = Fraction(1, 3) + Fraction(1, 2 ** (bits + 500))
    assert not check_contains(Enclosure(third, third), Number(Fraction(1, 3)), bits)


@pytest.mark.parametrize("evaluate", [evaluate_arb, evaluate_interval])
@settings(max_examples=150)
@given(trees(), st.integers(20, 300))
def test_enclosures__intersect_those_of_other_libraries(
    evaluate: Callable[[Tree, int], Bounds | None], tree: Tree, bits: int
) -> None:
    bounds = evaluate(tree, bits + 64)
    assert bounds is None or check_overlaps(enclose(evaluate_exact(tree), bits), bounds)


def test_overlap_check__rejects_disjoint_bounds() -> None:
    enclosure = enclose(evaluate_exact(SAMPLE), 53)
    assert not check_overlaps(enclosure, Bounds(enclosure.hi + Fraction(1, 2**60), enclosure.hi + 1))


@settings(max_examples=120)
@given(trees())
def test_oracles__agree_with_each_other(tree: Tree) -> None:
    ball, interval = evaluate_arb(tree, 300), evaluate_interval(tree, 300)
    assert not ball or not interval or (ball.lo <= interval.hi and interval.lo <= ball.hi)


# Width ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bits", range(1, 601))
def test_enclosures__of_one_number_keep_every_width(bits: int) -> None:
    assert check_width(enclose(evaluate_exact(SAMPLE), bits), bits)


def test_width_check__rejects_a_wide_enclosure() -> None:
    assert not check_width(Enclosure(Fraction(0), Fraction(1, 2**52)), 53)


# Nesting -------------------------------------------------------------------------------------------------


@settings(max_examples=120)
@given(trees(), st.lists(st.integers(1, 400), min_size=2, max_size=5))
def test_enclosures__of_one_object_hold_in_any_order_of_precisions(tree: Tree, precisions: list[int]) -> None:
    value = evaluate_exact(tree)
    for bits in precisions:
        enclosure = enclose(value, bits)
        assert (check_width(enclosure, bits), check_contains(enclosure, tree, bits)) == (True, True)


@settings(max_examples=120)
@given(trees(), st.integers(1, 100), st.integers(1, 300))
def test_enclosures__of_one_object_are_nested(tree: Tree, bits: int, more: int) -> None:
    value = evaluate_exact(tree)
    outer = enclose(value, bits)
    assert check_inside(enclose(value, bits + more), outer)


@pytest.mark.parametrize("numerator", [82, 156, 300])
def test_enclosures__of_large_exponentials_are_nested(numerator: int) -> None:
    value, outer = exp(Fraction(numerator, 7)), enclose(exp(Fraction(numerator, 7)), 1)
    assert check_inside(enclose(value, 2), enclose(value, 1))
    assert check_inside(enclose(exp(Fraction(numerator, 7)), 2), outer)


def test_nesting_check__rejects_an_enclosure_that_sticks_out() -> None:
    assert not check_inside(Enclosure(Fraction(1), Fraction(3)), Enclosure(Fraction(0), Fraction(2)))


# The trees themselves ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "tree",
    [
        Unary("log", Number(Fraction(0))),
        Unary("sqrt", Number(Fraction(-2))),
        Binary(
            "/",
            Number(Fraction(1)),
            Binary("-", Unary("sqrt", Number(Fraction(2))), Unary("sqrt", Number(Fraction(2)))),
        ),
        Power(Number(Fraction(0)), -1),
        Unary("exp", Number(Fraction(10**6))),
        Power(Unary("exp", Number(Fraction(100))), 4),
    ],
)
def test_inside_domain__moves_what_has_no_value(tree: Tree) -> None:
    assert inside_domain(tree) != tree
