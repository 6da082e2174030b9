"""Fixed-point bounds against Arb, at all sizes of arguments."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from fractions import Fraction

import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from privboost.oracle_tests.support.enclosures import image
from privboost.reference.exact import fixed

precisions = st.one_of(st.integers(1, 12), st.integers(1, 80), st.integers(1, 600))
slopes = st.one_of(st.just(0), st.integers(0, 5), st.integers(0, 2**40))


def check_bounds(
    bounds: fixed.Bounds, function: Callable[[arb], arb], ends: tuple[int, int], precision: int
) -> bool:
    """Return whether bounds contain the images of both ends under an increasing function."""
    least, greatest = image(function, ends[0], precision), image(function, ends[1], precision)
    return bounds[0] <= least[1] and greatest[0] <= bounds[1]


@settings(max_examples=500)
@given(precisions, st.integers(-(2**20), 2**12), st.integers(0, 2**30), slopes)
def test_fixed__exp_bounds_hold(precision: int, whole: int, part: int, width: int) -> None:
    lo = (whole << precision >> 10) + part * (1 << precision) // 2**30
    width = min(width, 4 << precision)
    bounds = fixed.exponential((lo, lo + width), precision)
    assert check_bounds(bounds, arb.exp, (lo, lo + width), precision)


@settings(max_examples=500)
@given(precisions, st.integers(1, 2**64), st.integers(-80, 400), slopes)
def test_fixed__log_bounds_hold(precision: int, mantissa: int, shift: int, width: int) -> None:
    lo = max(1, (mantissa << max(shift, 0)) >> max(-shift, 0))
    bounds = fixed.logarithm((lo, lo + width), precision)
    assert bounds is not None
    assert check_bounds(bounds, arb.log, (lo, lo + width), precision)


@settings(max_examples=300)
@given(precisions, st.integers(0, 2**80), slopes)
def test_fixed__root_bounds_hold(precision: int, lo: int, width: int) -> None:
    assert check_bounds(fixed.root((lo, lo + width), precision), arb.sqrt, (lo, lo + width), precision)


@settings(max_examples=200)
@given(precisions, st.integers(1, 2**64))
def test_fixed__bounds_at_a_point_are_narrow(precision: int, value: int) -> None:
    for bounds in (
        fixed.exponential((-value, -value), precision),
        fixed.logarithm((value, value), precision),
    ):
        assert bounds is not None
        assert bounds[1] - bounds[0] <= 2


def test_fixed_check__rejects_bounds_one_unit_short() -> None:
    _, hi = fixed.exponential((1 << 60, 1 << 60), 60)
    assert not check_bounds((hi, hi + 2), arb.exp, (1 << 60, 1 << 60), 60)


@pytest.mark.parametrize("precision", [1, 2, 3, 64, 255, 256, 257, 1000, 5000])
def test_fixed__log_two_is_the_floor(precision: int) -> None:
    lo, _ = image(arb.log, 2 << precision, precision)
    assert fixed.log_two(precision) == lo.numerator // lo.denominator


ENDS = range(-9, 10)
BOXES = [(a, b) for a in ENDS for b in ENDS if a <= b and b - a <= 6]


@pytest.mark.parametrize("precision", [0, 1, 2, 3])
def test_fixed__products_hold_every_product(precision: int) -> None:
    wrong = [
        (x, y)
        for x, y in itertools.product(BOXES, BOXES)
        for a, b in itertools.product(x, y)
        if not _holds(fixed.multiply(x, y, precision), Fraction(a * b, 2**precision))
    ]
    assert wrong == []


@pytest.mark.parametrize("exponent", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("precision", [0, 1, 3])
def test_fixed__powers_hold_every_power(precision: int, exponent: int) -> None:
    wrong = [
        (box, a)
        for box in BOXES
        for a in range(box[0], box[1] + 1)
        if not _holds(
            fixed.power(box, exponent, precision), Fraction(a**exponent, 2 ** (precision * (exponent - 1)))
        )
    ]
    assert wrong == []


@pytest.mark.parametrize("precision", [0, 1, 3, 6])
def test_fixed__reciprocals_hold_every_reciprocal(precision: int) -> None:
    wrong = [
        (box, a)
        for box in BOXES
        if box[0] > 0 or box[1] < 0
        for a in box
        if not _holds(fixed.invert(box, precision) or (1, 0), Fraction(4**precision, a))
    ]
    assert wrong == []


@pytest.mark.parametrize("box", [(-1, 1), (0, 1), (0, 0), (-1, 0), (-3, -2)])
def test_fixed__no_reciprocal_around_zero_and_no_logarithm_at_or_below(box: tuple[int, int]) -> None:
    assert fixed.logarithm(box, 8) is None
    assert (fixed.invert(box, 8) is None) == (box[1] >= 0)


def _holds(bounds: fixed.Bounds, value: Fraction) -> bool:
    """Return whether a value lies between bounds."""
    return bounds[0] <= value <= bounds[1]
