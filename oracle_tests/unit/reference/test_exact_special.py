"""Pi, the complementary error function and the theta function, against Arb and against their definitions."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest
from flint import acb, arb, ctx, fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from privboost.errors import PreconditionError
from privboost.oracle_tests.support.enclosures import image
from privboost.oracle_tests.support.expressions import dyadic
from privboost.reference.exact import Exact, decimal, enclose, erfc, exact_sum, exp, special, sqrt, theta

precisions = st.one_of(st.integers(4, 12), st.integers(4, 80), st.integers(4, 300))
widths = st.one_of(st.just(0), st.integers(0, 5), st.integers(0, 2**20))


def theta_of_arb(r: arb) -> arb:
    """Return theta(r) by Arb, whose theta functions have the nome exp(i pi tau)."""
    return acb.modular_theta(acb(0), acb(0, 1) * r / arb.pi())[2].real


def holds(
    bounds: tuple[int, int], function: Callable[[arb], arb], ends: tuple[int, int], precision: int
) -> bool:
    """Return whether bounds contain the images of both ends under a decreasing function."""
    greatest, least = image(function, ends[0], precision), image(function, ends[1], precision)
    return bounds[0] <= least[1] and greatest[0] <= bounds[1]


@settings(max_examples=60)
@given(precisions, st.integers(-(2**14), 2**14), widths)
def test_erfc__bounds_hold(precision: int, thousandths: int, width: int) -> None:
    lo = (thousandths << precision) >> 10
    assert holds(special.erfc((lo, lo + width), precision), arb.erfc, (lo, lo + width), precision)


@settings(max_examples=200)
@given(precisions, st.integers(1, 2**14), widths)
def test_theta__bounds_hold_or_there_are_none(precision: int, thousandths: int, width: int) -> None:
    lo = max(1, (thousandths << precision) >> 10)
    bounds = special.theta((lo, lo + width), precision)
    if bounds is None:
        # No bounds only for arguments so near 0, or so wide, that a finer precision is needed.
        assert lo < 8 or width > 1 << precision - 3
    else:
        assert holds(bounds, theta_of_arb, (lo, lo + width), precision)


def test_bounds_check__rejects_bounds_one_unit_short() -> None:
    _, hi = special.erfc((1 << 40, 1 << 40), 40)
    assert not holds((hi, hi + 2), arb.erfc, (1 << 40, 1 << 40), 40)


@pytest.mark.parametrize("precision", [1, 2, 64, 257, 1000])
def test_pi__bounds_hold_and_are_narrow(precision: int) -> None:
    lo, hi = special.pi(precision)
    below, above = image(lambda one: one * arb.pi(), 1 << precision, precision)
    assert lo <= below <= above <= hi <= lo + 2


ARGUMENTS = [Fraction(1, 1000), Fraction(3, 7), Fraction(1), sqrt(2), exp(1), Fraction(5), Fraction(30)]


@pytest.mark.parametrize("x", ARGUMENTS, ids=str)
def test_erfc__numbers_are_enclosed_to_relative_precision(x: Exact) -> None:
    # A quotient of two tiny values needs far more bits than either has zeros.
    middle = enclose(x, 2900).lo
    before, ctx.prec = ctx.prec, 3000
    ball = arb(fmpq(middle.numerator, middle.denominator))
    expected = dyadic((ball.erfc() / (ball + 1).erfc()).mid())
    ctx.prec = before
    ratio = enclose(erfc(x) / erfc(x + 1), 100)
    assert abs(ratio.lo - expected) <= Fraction(1, 2**99)
    assert 0 in enclose(erfc(x) + erfc(-x) - 2, 100)


@pytest.mark.parametrize("r", [*ARGUMENTS[1:], Fraction(1, 50)], ids=str)
def test_theta__is_the_sum_of_its_definition(r: Exact) -> None:
    # The terms from k = 100 on are at most exp(-200), of which there are few.
    terms = exact_sum([Fraction(1), *(2 * exp(-k * k * r) for k in range(1, 100))])
    assert abs(enclose(theta(r) - terms, 260).lo) < Fraction(1, 2**250)


def test_special_functions__values_without_refinement() -> None:
    assert erfc(0) == 1
    assert erfc(Fraction(-1, 3)) + erfc(Fraction(1, 3)) == 2
    assert decimal(theta(Fraction(10**6)), 30) == "1." + 30 * "0"
    assert str(erfc(2)) == "erfc(2)"


@pytest.mark.parametrize("r", [0, -1, -sqrt(2)])
def test_theta__refuses_arguments_that_are_not_positive(r: Exact) -> None:
    with pytest.raises(PreconditionError, match="argument > 0"):
        theta(r)
