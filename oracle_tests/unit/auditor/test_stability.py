"""Checks of stability: exact distances, the search, counterexamples of every kind, and what is no verdict."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from privboost.auditor import StabilityVerdict, check_stability
from privboost.auditor.stability.claim import exact_bound, make_claim
from privboost.auditor.stability.metrics import MoveKind, compare_results
from privboost.auditor.values.plain_values import plain_value
from privboost.errors import PreconditionError, UsageError

UNIT = "vector:6,low=0,high=1"
NONE_FOUND, COUNTEREXAMPLE = StabilityVerdict.NONE_FOUND, StabilityVerdict.COUNTEREXAMPLE
THIRD = Fraction(1, 3)
UNIT_CLAIM: dict[str, Any] = {"inputs": UNIT, "bound": 1}
SIXTH = {"inputs": "vector:6,size=6", "bound": "1/6", "relation": "exchange"}


def fractions(*numbers: int) -> tuple[Fraction, ...]:
    """Return integers as fractions."""
    return tuple(map(Fraction, numbers))


def distance(metric: str, left: Any, right: Any) -> Fraction | MoveKind:
    """Return the distance of two results, its square for l2, or how else they differ."""
    moved = compare_results(metric, plain_value(left), plain_value(right))
    assert moved.squared is (metric == "l2" and moved.kind is MoveKind.DISTANCE)
    return moved.distance if moved.kind is MoveKind.DISTANCE else moved.kind


# Distances ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("metric", "left", "right", "expected"),
    [
        ("absolute", 3, 1.5, Fraction(3, 2)),
        ("absolute", 0.3, 0.1, Fraction(0.3) - Fraction(0.1)),
        ("absolute", True, 0, 1),
        ("absolute", THIRD, Decimal("0.5"), Fraction(1, 6)),
        ("absolute", "1/3", "1/2", Fraction(1, 6)),
        ("absolute", np.float32(0.1), 0.1, abs(Fraction(float(np.float32(0.1))) - Fraction(0.1))),
        ("absolute", np.array([2.0]), [1], 1),
        ("absolute", 2**200, 2**200 + 1, 1),
        ("absolute", Fraction(2**5000, 3), Fraction(2**5000 - 3, 3), 1),
        ("absolute", 1e308, -1e308, 2 * Fraction(1e308)),
        ("absolute", 0.0, -0.0, 0),
        ("absolute", math.nan, math.nan, 0),
        ("absolute", math.inf, math.inf, 0),
        ("absolute", None, None, 0),
        ("l1", [1, 2.5], (0, 3), Fraction(3, 2)),
        ("l1", np.arange(4), np.array([0, 1, 2, 5]), 2),
        ("l1", {"a": 1, "b": [1, 2]}, {"a": 3}, 5),
        ("l1", {"a": np.ones(2)}, {}, 2),
        ("l1", [], [], 0),
        ("l2", [3, 0], [0, 4], 25),
        ("linf", [3, 0], [0, 4], 4),
        ("symmetric", [1, 1, 2], [2, 1], 1),
        ("symmetric", ["a", None, math.nan], [math.nan, "b", None], 2),
        ("symmetric", np.array([[1, 2], [3, 4]]), [[3.0, 4.0]], 1),
        ("insert_delete", [1, 2, 3], [2, 3, 4], 2),
        ("insert_delete", [1, 2], [2, 1], 2),
        ("exchange", ["a", "b"], ["a", "c"], 1),
        ("equal", {"a": 1, "b": [True]}, {"b": [1.0], "a": 1}, 0),
        ("equal", -0.0, 0.0, 1),
        ("equal", 1, "1", 1),
    ],
)
def test_distances__are_exact(metric: str, left: Any, right: Any, expected: Any) -> None:
    assert distance(metric, left, right) == expected
    assert distance(metric, right, left) == expected


@pytest.mark.parametrize(
    ("metric", "left", "right", "kind", "where"),
    [
        ("absolute", math.nan, 1.0, MoveKind.NAN, "result"),
        ("l1", [0, math.nan], [0, 1.0], MoveKind.NAN, "result[1]"),
        ("l1", np.array([[0, math.nan]]), np.array([[0, 1.0]]), MoveKind.NAN, "result[0, 1]"),
        ("linf", {"a": math.inf}, {"a": 1}, MoveKind.INFINITE, "result['a']"),
        ("absolute", math.inf, -math.inf, MoveKind.INFINITE, "result"),
        ("absolute", None, 1, MoveKind.TYPE, "result"),
        ("absolute", "a", 1, MoveKind.TYPE, "result"),
        ("absolute", [1, 2], 1, MoveKind.SHAPE, "result"),
        ("l1", [1, 2], [1], MoveKind.SHAPE, "result"),
        ("l2", [[1], 2], [[1, 1], 2], MoveKind.SHAPE, "result[0]"),
        ("exchange", [1], [1, 2], MoveKind.SHAPE, "result"),
        ("symmetric", [1], None, MoveKind.TYPE, "result"),
    ],
)
def test_differences__that_no_number_measures_exceed_every_bound(
    metric: str, left: Any, right: Any, kind: MoveKind, where: str
) -> None:
    for sides in ((left, right), (right, left)):
        moved = compare_results(metric, *map(plain_value, sides))
        assert (moved.kind, moved.where) == (kind, where)
        assert moved.exceeds(Fraction(10**400))


@pytest.mark.parametrize(
    ("metric", "left", "right", "message"),
    [
        ("absolute", [1, 2], [1, 3], "l1, l2 or linf"),
        ("absolute", "a", "b", "for others the distance is equal"),
        ("l1", ["a", 1], ["b", 1], r"result\[0\] = 'a' and 'b'"),
        ("symmetric", 1, 2, "a list of rows"),
    ],
)
def test_distances__are_refused_for_results_that_they_are_not_for(
    metric: str, left: Any, right: Any, message: str
) -> None:
    with pytest.raises(PreconditionError, match=message):
        compare_results(metric, left, right)


def test_l2__is_compared_by_squares() -> None:
    """The root of 2 has no decimals that end: a bound is compared with its square, without rounding."""
    moved = compare_results("l2", [1, 1], [0, 0])
    assert moved.exceeds(Fraction(14142135623730950488, 10**19))
    assert not moved.exceeds(Fraction(14142135623730950489, 10**19))


def test_rounding__is_told_apart_from_a_greater_move() -> None:
    bound = Fraction(1, 10)
    assert compare_results("absolute", 0.53, 0.43).is_rounding(bound)
    assert not compare_results("absolute", 0.53, 0.4299).is_rounding(bound)
    exact = compare_results("absolute", Fraction(53, 100), Fraction(43, 100) - Fraction(1, 2**60))
    assert exact.exceeds(bound)
    assert not exact.is_rounding(bound), "fractions are not rounded"
    assert not compare_results("absolute", 0.5, 0.4).is_rounding(bound), "the bound is not exceeded"


# Claims ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bound", "exact"),
    [
        (1, Fraction(1)),
        (0.1, Fraction(0.1)),
        ("0.1", Fraction(1, 10)),
        ("1/3", THIRD),
        (THIRD, THIRD),
        ("1e-3", Fraction(1, 1000)),
    ],
)
def test_bounds__are_exact(bound: Any, exact: Fraction) -> None:
    assert exact_bound(bound) == exact


@pytest.mark.parametrize("bound", [None, -1, "x", math.nan, math.inf, "1/0", [1]])
def test_bounds__that_are_no_numbers_are_refused(bound: Any) -> None:
    with pytest.raises(PreconditionError, match="bound"):
        exact_bound(bound)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"relation": "as_given"}, "relation: expected one of exchange"),
        ({"distance": "l3"}, "distance: expected one of absolute"),
        ({"d_in": 0}, "d_in"),
        ({"d_in": 65}, "d_in"),
        ({"bound": None}, "bound"),
        ({"bound": lambda _: -1}, "bound"),
        ({"n_inputs": 0}, "n_inputs"),
        ({"seed": -1}, "seed"),
        ({"inputs": "vect:3"}, "vector:10"),
        ({"inputs": "vector:5,size=5"}, "size="),
    ],
)
def test_claims__that_are_none_are_refused(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises((PreconditionError, UsageError), match=message):
        check_stability(len, **UNIT_CLAIM | wrong)


def test_maps__give_a_bound_for_every_distance_of_inputs() -> None:
    assert make_claim(bound=lambda steps: 2 * steps, d_in=3).bounds == fractions(2, 4, 6)
    assert make_claim(bound=5, d_in=2).bounds == fractions(5, 5)
    assert make_claim(distance="equal").bounds == fractions(0)


# The search -----------------------------------------------------------------------------------------------


def exact_sum(rows: list[float]) -> Fraction:
    """Return the exact sum of rows in [0, 1]; NaN counts as 0."""
    return sum((Fraction(min(max(row, 0.0), 1.0)) for row in rows if not math.isnan(row)), Fraction(0))


def mean_of_numbers(rows: list[float]) -> Fraction:
    """Return the mean of the rows that are not NaN."""
    return exact_sum(rows) / max(sum(not math.isnan(row) for row in rows), 1)


def counts(rows: list[str]) -> list[int]:
    """Return how often a and b occur."""
    counted = Counter(rows)
    return [counted["a"], counted["b"]]


@pytest.mark.parametrize(
    ("function", "claim"),
    [
        (len, {"bound": 1}),
        (exact_sum, {"inputs": "vector:6", "bound": 1}),
        (exact_sum, {"inputs": "vector:6", "bound": 1, "relation": "exchange"}),
        (lambda rows: exact_sum(rows) / 6, SIXTH),
        (counts, {"inputs": "strings:6,categories=a|b|c", "bound": 1, "distance": "l1"}),
        (counts, {"inputs": "strings:6", "bound": 2, "distance": "l1", "relation": "exchange"}),
        (lambda rows: [min(row, 0.5) for row in rows], {"bound": 1, "distance": "symmetric"}),
        (lambda rows: rows[:3], {"bound": 2, "distance": "insert_delete", "relation": "insert_delete"}),
        (lambda rows: [-row for row in rows], {"bound": 1, "distance": "exchange", "relation": "exchange"}),
        (lambda _: "constant", {"distance": "equal"}),
        (lambda rows: len(rows) // 2, {"bound": lambda steps: (steps + 1) // 2, "d_in": 4}),
    ],
)
def test_true_claims__have_no_counterexample(function: Callable[..., Any], claim: dict[str, Any]) -> None:
    result = check_stability(function, **{"inputs": UNIT} | claim, seed=3, n_inputs=600)
    assert result.verdict is NONE_FOUND, str(result)
    assert result.inputs >= 600
    result.assert_none_found()


@pytest.mark.parametrize(
    ("function", "claim", "classes"),
    [
        (mean_of_numbers, SIXTH, {"nan"}),
        (lambda rows: len(rows) + (len(rows) > 6), {"bound": 1}, {"source_constant", "even_rows"}),
        (lambda rows: 2 * len(rows), {"bound": 1}, {"ordinary"}),
        (lambda rows: sum(rows[:2]), {"inputs": "integers:4,low=0,high=1", "bound": 1}, {"another_order"}),
        (lambda rows: rows[0], {"distance": "equal"}, {"no_rows"}),
        (lambda rows: rows[::-1][:3], {"bound": 1, "distance": "symmetric"}, {"ordinary", "another_order"}),
        (lambda rows: len(rows) // 2, {"bound": lambda _: 1, "d_in": 3}, {"ordinary"}),
    ],
)
def test_false_claims__are_refuted_with_their_class(
    function: Callable[..., Any], claim: dict[str, Any], classes: set[str]
) -> None:
    result = check_stability(function, **{"inputs": UNIT} | claim, seed=3)
    assert result.verdict is COUNTEREXAMPLE, str(result)
    example = result.counterexample
    assert example is not None
    assert example.moved.exceeds(example.bound)
    assert classes & set(example.classes)
    with pytest.raises(AssertionError, match="COUNTEREXAMPLE"):
        result.assert_none_found()
