"""Ranges, jets and infima: bounds over a box hold at every point of the box."""

from __future__ import annotations

import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privboost.errors import Undecided
from privboost.reference.exact import Exact, enclose, exact, exp, log, sqrt
from privboost.reference.exact import infimum as infimum_module
from privboost.reference.exact.infimum import infimum
from privboost.reference.exact.jets import Jet, variable, x_log_x
from privboost.reference.exact.ranges import Range, box

PRECISION = 40
UNIT = Fraction(1, 2**PRECISION)
points = st.builds(Fraction, st.integers(-60, 60), st.integers(1, 40))
unit_points = st.integers(2, 96).map(lambda n: Fraction(n, 97))
ENTIRE = Range(None, None, PRECISION)


def holds(result: Range, value: Exact) -> bool:
    """Return whether a value lies in a range."""
    above = result.lo is None or result.lo * UNIT <= value
    return above and (result.hi is None or value <= result.hi * UNIT)


def around(points_inside: list[Fraction]) -> Range:
    """Return the smallest box that contains some points."""
    return box(min(points_inside), max(points_inside), PRECISION)


some_points = st.lists(points, min_size=1, max_size=3)
some_unit_points = st.lists(unit_points, min_size=1, max_size=3)


# Ranges --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("operation", [operator.add, operator.sub, operator.mul, operator.truediv])
@settings(max_examples=300)
@given(some_points, some_points)
def test_ranges__hold_the_results_of_every_pair(
    operation: Callable[[Any, Any], Any], xs: list[Fraction], ys: list[Fraction]
) -> None:
    result = operation(around(xs), around(ys))
    pairs = [(x, y) for x in xs for y in ys if y or operation is not operator.truediv]
    assert all(holds(result, operation(x, y)) for x, y in pairs)


@settings(max_examples=300)
@given(some_points, some_points, some_points)
def test_ranges__products_with_a_quotient_hold(
    xs: list[Fraction], ys: list[Fraction], zs: list[Fraction]
) -> None:
    result = around(xs) * (around(ys) / around(zs))
    assert all(holds(result, x * (y / z)) for x in xs for y in ys for z in zs if z)


@pytest.mark.parametrize("function", [sqrt, log])
@settings(max_examples=200)
@given(some_points)
def test_ranges__hold_the_values_of_functions(function: Callable[[Any], Any], xs: list[Fraction]) -> None:
    assert all(holds(function(around(xs)), function(x)) for x in xs if x > 0 or (not x and function is sqrt))


@settings(max_examples=300)
@given(st.lists(st.integers(0, 180).map(lambda n: Fraction(n, 60)), min_size=1, max_size=3))
def test_ranges__x_log_x_holds_every_value(xs: list[Fraction]) -> None:
    assert all(holds(around(xs).x_log_x(), x_log_x(x)) for x in xs)


def test_ranges__the_check_rejects_a_value_outside() -> None:
    assert not holds(around([Fraction(0), Fraction(1)]), Fraction(1) + UNIT)


@pytest.mark.parametrize("constant", [2, Fraction(-1, 3), sqrt(2), exp(1)], ids=str)
def test_ranges__constants_of_every_kind_combine(constant: Any) -> None:
    one = around([Fraction(1)])
    results = [(one + constant) - constant, (constant * one) / constant, constant - (constant - one)]
    assert all(holds(result, Fraction(1)) for result in results)


@pytest.mark.parametrize("other", [None, "1", [1], 0.5])
@pytest.mark.parametrize("operation", [operator.add, operator.mul])
def test_ranges__refuse_floats_and_other_types(operation: Callable[[Any, Any], Any], other: Any) -> None:
    with pytest.raises(TypeError):
        operation(around([Fraction(1)]), other)


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (around([Fraction(0)]) * ENTIRE, Range(0, 0, PRECISION)),
        (around([Fraction(-1), Fraction(1)]) * ENTIRE, ENTIRE),
        (ENTIRE + 1, ENTIRE),
        (-ENTIRE, ENTIRE),
        (1 / around([Fraction(0)]), ENTIRE),
        (1 / around([Fraction(-1), Fraction(1)]), ENTIRE),
        (log(ENTIRE), ENTIRE),
        (sqrt(ENTIRE), Range(0, None, PRECISION)),
    ],
)
def test_ranges__infinite_ends(result: Range, expected: Range) -> None:
    assert result == expected


# Jets ----------------------------------------------------------------------------------------------------

Formula = Callable[[Any], Any]
FORMULAS: dict[str, tuple[Formula, Formula, Formula]] = {
    "square": (lambda u: 4 * u * (1 - u), lambda u: 4 - 8 * u, lambda _: Fraction(-8)),
    "root": (
        lambda u: 2 * sqrt(u * (1 - u)),
        lambda u: (1 - 2 * u) / sqrt(u * (1 - u)),
        lambda u: -1 / (2 * u * (1 - u) * sqrt(u * (1 - u))),
    ),
    "logarithm": (
        lambda u: log(u / (1 - u)),
        lambda u: 1 / (u * (1 - u)),
        lambda u: (2 * u - 1) / (u * (1 - u)) ** 2,
    ),
    "entropy": (
        lambda u: -x_log_x(u) - x_log_x(1 - u),
        lambda u: log(1 - u) - log(u),
        lambda u: -1 / (u * (1 - u)),
    ),
    "reciprocal": (lambda u: 1 / (1 + u), lambda u: -1 / (1 + u) ** 2, lambda u: 2 / (1 + u) ** 3),
    "affine": (lambda u: (3 - u) / 2 + 1, lambda _: Fraction(-1, 2), lambda _: Fraction(0)),
}
each_formula = pytest.mark.parametrize(
    ("formula", "slope", "curvature"), FORMULAS.values(), ids=FORMULAS.keys()
)


@each_formula
@pytest.mark.parametrize("u", [Fraction(1, 2), Fraction(1, 3), Fraction(9, 10)], ids=str)
def test_jets__at_a_point_are_the_derivatives(
    formula: Formula, slope: Formula, curvature: Formula, u: Fraction
) -> None:
    jet = formula(variable(u))
    differences = [
        exact(jet.value - formula(u)),
        exact(jet.slope - slope(u)),
        exact(jet.curvature - curvature(u)),
    ]
    assert all(abs(enclose(difference, 100).hi) <= Fraction(1, 2**99) for difference in differences)


@each_formula
@settings(max_examples=60)
@given(some_unit_points)
def test_jets__over_a_box_hold_the_derivatives(
    formula: Formula, slope: Formula, curvature: Formula, us: list[Fraction]
) -> None:
    jet = formula(variable(around(us)))
    assert all(
        holds(jet.value, formula(u)) and holds(jet.slope, slope(u)) and holds(jet.curvature, curvature(u))
        for u in us
    )


def test_jets__lift_constants() -> None:
    assert 1 - variable(Fraction(1, 3)) == Jet(Fraction(2, 3), Fraction(-1), Fraction(0))


# Infima --------------------------------------------------------------------------------------------------

INFIMA: dict[str, tuple[Formula, Fraction, Fraction, Exact]] = {
    "parabola": (lambda u: (u - Fraction(1, 3)) * (u - Fraction(1, 3)), Fraction(0), Fraction(1), 0),
    "monotone": (lambda u: u * 2 + 1, Fraction(0), Fraction(1), 1),
    "falling": (lambda u: -log(u), Fraction(1, 10), Fraction(1), 0),
    "x log x": (x_log_x, Fraction(0), Fraction(1), -exp(-1)),
    "concave": (lambda u: sqrt(u * (1 - u)), Fraction(0), Fraction(1), 0),
    "sum of inverses": (lambda u: 2 / u + 1 / (1 - u), Fraction(1, 100), Fraction(99, 100), 3 + 2 * sqrt(2)),
    "root and line": (lambda u: u - sqrt(u), Fraction(0), Fraction(2), Fraction(-1, 4)),
    "point": (lambda u: u * u, Fraction(2), Fraction(2), 4),
    "infinite at an end": (lambda u: sqrt(1 / u), Fraction(0), Fraction(1), 1),
}
each_infimum = pytest.mark.parametrize(("formula", "lo", "hi", "least"), INFIMA.values(), ids=INFIMA.keys())


@each_infimum
@pytest.mark.parametrize("bits", [5, 40])
def test_infimum__encloses_the_least_value_as_narrowly_as_promised(
    formula: Formula, lo: Fraction, hi: Fraction, least: Exact, bits: int
) -> None:
    enclosure = infimum(formula, lo, hi, bits).enclosure
    assert least in enclosure
    assert enclosure.width <= Fraction(1, 2**bits)


@each_infimum
def test_infimum__is_met_at_its_argument(formula: Formula, lo: Fraction, hi: Fraction, least: Exact) -> None:
    argument = infimum(formula, lo, hi, 30).argument
    assert (lo <= argument <= hi, formula(argument) - least <= Fraction(1, 2**29)) == (True, True)


@settings(max_examples=60)
@given(st.lists(points, min_size=1, max_size=4), some_points)
def test_infimum__of_a_polynomial_is_below_every_value(
    coefficients: list[Fraction], xs: list[Fraction]
) -> None:
    def polynomial(u: Any) -> Any:
        total: Any = u * 0
        for coefficient in coefficients:
            total = total * u + coefficient
        return total

    least = infimum(polynomial, min(xs), max(xs), 10).enclosure.lo
    assert all(least <= polynomial(x) for x in xs)


def test_infimum__gives_up_on_a_formula_without_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(infimum_module, "BOX_LIMIT", 50)
    with pytest.raises(Undecided):
        infimum(lambda u: 1 / (u * u - u * u), Fraction(0), Fraction(1), 10)
