"""Checks of stability: exact distances, the search, counterexamples of every kind, and what is no verdict."""

from __future__ import annotations

import json
import math
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies

from privboost.auditor import Pair, StabilityVerdict, check_stability
from privboost.auditor.files.stability_report import difference_sentence
from privboost.auditor.inputs.declared import Declared
from privboost.auditor.inputs.description import parse_description
from privboost.auditor.stability import search
from privboost.auditor.stability.chains import trials_of
from privboost.auditor.stability.claim import exact_bound, make_claim
from privboost.auditor.stability.metrics import MoveKind, compare_results
from privboost.auditor.stability.plan import make_plan
from privboost.auditor.values.plain_values import plain_value
from privboost.errors import PreconditionError, TargetError, UsageError
from privboost.oracle_tests.support.command_line import Markup

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


def test_rounding__is_reported_only_if_nothing_worse_is_there() -> None:
    """Naive sums of doubles exceed a sharp bound by rounding, which must not hide a greater mistake."""
    rounded = check_stability(sum, inputs=UNIT, bound=1, seed=1)
    assert rounded.counterexample is not None
    assert rounded.counterexample.is_rounding
    assert "by rounding only" in str(rounded)
    assert check_stability(sum, inputs=UNIT, bound=1 + 1e-9, seed=1).verdict is NONE_FOUND
    worse = check_stability(lambda rows: sum(rows) + (len(rows) == 9), inputs=UNIT, bound=1, seed=1)
    assert worse.counterexample is not None
    assert not worse.counterexample.is_rounding
    assert "by rounding only" not in str(worse)


def test_noise__is_no_step() -> None:
    generator = random.Random(1)
    with pytest.raises(TargetError, match="the same result on the same input"):
        check_stability(lambda rows: len(rows) + generator.random(), inputs=UNIT, bound=1, seed=1)


def test_noise__that_is_rare_never_makes_a_counterexample() -> None:
    """The function fails on its hundredth call alone: a counterexample has to come again."""
    calls: list[int] = []

    def fails_once(rows: list[float]) -> int:
        calls.append(len(rows))
        if len(calls) == 100:
            raise ValueError("once")
        return len(rows)

    with pytest.raises(TargetError, match="the same result on the same input"):
        check_stability(fails_once, inputs=UNIT, bound=1, seed=1)


def test_failures__on_both_sides_are_counted_and_no_counterexample() -> None:
    def refuses_long(rows: list[float]) -> Any:
        raise ValueError(f"{len(rows)} rows") if len(rows) > 2 else KeyError("short")

    result = check_stability(refuses_long, inputs=UNIT, bound=1, seed=1, n_inputs=100)
    assert result.verdict is StabilityVerdict.INCONCLUSIVE
    assert sum(result.failures.values()) == result.inputs == 100
    assert "no result on any of 100 pairs" in str(result)


def test_seeds__choose_the_drawn_inputs() -> None:
    tried: list[list[str]] = []

    def count(rows: list[float]) -> int:
        tried[-1].append(repr(rows))
        return len(rows)

    for seed in (1, 1, 2):
        tried.append([])
        check_stability(count, inputs=UNIT, bound=1, seed=seed, n_inputs=900)
    # How many inputs are called twice follows from the speed of the calls.
    first, again, other = (list(dict.fromkeys(own)) for own in tried)
    assert first == again
    assert first != other


def test_search__tries_the_same_inputs_however_many_are_called_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tried: list[list[str]] = []

    def count(rows: list[float]) -> int:
        tried[-1].append(repr(rows))
        return len(rows)

    for at_once in (1, 64):
        monkeypatch.setattr(search, "MOST_AT_ONCE", at_once)
        tried.append([])
        check_stability(count, inputs=UNIT, bound=1, seed=1, n_inputs=900)
    one, many = (list(dict.fromkeys(own)) for own in tried)
    assert one == many


def test_strategies__describe_inputs() -> None:
    inputs = strategies.lists(strategies.integers(0, 3), max_size=6)
    assert check_stability(sum, inputs=inputs, bound=3, seed=1, n_inputs=200).verdict is NONE_FOUND
    assert check_stability(sum, inputs=inputs, bound=2, seed=1).verdict is COUNTEREXAMPLE


# What an object declares -----------------------------------------------------------------------------------

DECLARED = Declared(
    parse_description("rows:6,columns=2,low=0,high=1,size=6"), "exchange", "l1", fractions(2, 4)
)


def test_declared__inputs_and_map_are_the_defaults() -> None:
    plan = make_plan(DECLARED)
    assert plan.claim == make_claim("exchange", "l1", lambda steps: 2 * steps, 2)
    assert plan.description is DECLARED.inputs
    other = make_plan(DECLARED, inputs=UNIT, relation="add_remove", distance="equal", bound=0)
    assert (other.claim, other.description.text) == (make_claim("add_remove", "equal"), UNIT)


@pytest.mark.parametrize(
    ("declared", "given", "message"),
    [
        (None, {"bound": 1}, "expected a description of the data sets"),
        (replace(DECLARED, distance=""), {}, "a step without noise"),
        (DECLARED, {"d_in": 3}, "at most 2"),
        (replace(DECLARED, bounds=()), {}, "bound: expected a number"),
    ],
)
def test_declared__what_is_missing_has_to_be_given(
    declared: Declared | None, given: dict[str, Any], message: str
) -> None:
    with pytest.raises((UsageError, PreconditionError), match=message):
        make_plan(declared, **given)


# Several steps --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("relation", "inputs", "left", "right", "expected"),
    [
        ("add_remove", UNIT, [0.0], [0.0, 1.0], ([0.0], [0.0, 1.0, 1.0])),
        ("insert_delete", UNIT, [1.0, 0.0], [0.0], ([1.0, 1.0, 0.0], [0.0])),
        ("exchange", UNIT, [0.5, 0.0], [0.5, 1.0], ([0.0, 0.0], [1.0, 1.0])),
        ("exchange", f"{UNIT},size=1", [0.0], [1.0], None),
        ("add_remove", f"{UNIT},size=2", [0.0], [0.0, 1.0], None),
        ("l1", "vector:2", [0.0, 3.0], [0.0, 4.0], ([0.0, 3.0], [0.0, 5.0])),
        ("answers", "integers:2", [0, 3], [1, 2], ([0, 3], [2, 1])),
        ("l2", "integers:2", [0, 3], [0, 2], ([0, 3], [0, 1])),
        ("l2", "integers:5", [0] * 5, [0, 0, 1, 0, 0], ([0] * 5, [1, 1, 1, 1, 0])),
    ],
)
def test_trials__of_two_steps_change_a_second_row(
    relation: str, inputs: str, left: list[float], right: list[float], expected: Any
) -> None:
    trials = list(trials_of([Pair("one", left, right, relation)], parse_description(inputs), 2))
    assert (trials[0].pair.left, trials[0].pair.right, trials[0].apart) == (left, right, 1)
    further = [(trial.pair.left, trial.pair.right) for trial in trials[1:]]
    assert further == ([] if expected is None else [expected])
    assert [trial.apart for trial in trials[1:]] == [2] * len(further)


# Reports --------------------------------------------------------------------------------------------------


def test_results__print_save_and_show_themselves(tmp_path: Path) -> None:
    result = check_stability(lambda rows: 2 * len(rows), inputs=UNIT, bound=1, seed=1)
    assert str(result).startswith("verdict            COUNTEREXAMPLE\n")
    assert repr(result).startswith("<StabilityResult COUNTEREXAMPLE: ")
    for ending in (".txt", ".json", ".html"):
        result.save(tmp_path / f"report{ending}")
    assert (tmp_path / "report.txt").read_text("utf-8").rstrip("\n") == str(result)
    assert json.loads((tmp_path / "report.json").read_text("utf-8"))["verdict"] == "COUNTEREXAMPLE"
    page, fragment = (tmp_path / "report.html").read_text("utf-8"), result._repr_html_()
    assert Markup(page).is_well_formed
    assert Markup(fragment).is_well_formed
    assert "The claim is false" in Markup(fragment).text
    with pytest.raises(PreconditionError, match="path"):
        result.save(tmp_path / "report.pdf")


@pytest.mark.parametrize(
    ("left", "right", "difference"),
    [
        ([1, 2, 3], [1, 5, 3], "row 2 is 2 on the left and 5 on the right"),
        ([1, 2], [1, 2, 2], "only the right input has 2 (row 3)"),
        ([7, 1], [1], "only the left input has 7 (row 1)"),
        ([1, 2], [2, 1], "another order of the same rows"),
        ({"X": []}, {"X": [[1]]}, ""),
    ],
)
def test_differences__of_inputs_are_named_by_row(left: Any, right: Any, difference: str) -> None:
    assert difference_sentence(left, right) == difference
