"""Certificates of zeros, signs, cases and limits, and inputs that cannot be certified."""

from __future__ import annotations

import pytest
from sympy import Abs, Expr, Max, Min, Piecewise, S, cos, log, oo, sqrt

from privboost.errors import HarnessError
from privboost.symbolic.algebra.certify import decide, is_zero, lowest_sign_on, resolve, sign_on
from privboost.symbolic.algebra.normal_form import tidy
from privboost.symbolic.algebra.rational import rationalise
from privboost.symbolic.algebra.regions import (
    ALPHA,
    PLATEAU_END,
    U_HALF,
    U_INSIDE,
    U_LEFT,
    U_RIGHT,
    Z_LEFT,
    Z_PLATEAU,
    Z_RIGHT,
    R,
    Region,
    T,
    U,
    Z,
)
from privboost.symbolic.derive import KINKED, SMOOTH, end_values, invert, maximise

ROOT = sqrt(U * (1 - U))
BEYOND = sqrt(4 * ALPHA**2 + (Z - PLATEAU_END) ** 2)


@pytest.mark.parametrize(
    ("zero", "region"),
    [
        (ROOT - U * sqrt((1 - U) / U), U_INSIDE),
        (log(U / (1 - U)) - log(U) + log(1 - U), U_INSIDE),
        (BEYOND - (4 * ALPHA**2 + (Z - PLATEAU_END) ** 2) / BEYOND, Z_RIGHT),
        (Abs(Z) + Z, Z_LEFT),
        (Max(U, 1 - U) + Min(U, 1 - U) - 1, U_LEFT),
    ],
)
def test_is_zero__accepts_an_identity_and_rejects_its_perturbation(zero: Expr, region: Region) -> None:
    assert is_zero(zero, region)
    assert not is_zero(zero + S(1) / 10**20, region)


def test_is_zero__root_of_a_non_square_is_refuted_by_a_witness() -> None:
    assert not is_zero(sqrt(ALPHA**2 + Z**2 - ALPHA * Z) - ALPHA, Z_RIGHT)


def test_is_zero__identity_that_cannot_be_certified_raises() -> None:
    with pytest.raises(HarnessError, match="neither zero nor non-zero"):
        is_zero(cos(U) ** 2 + cos(U + S.Pi / 2) ** 2 - 1, U_INSIDE)


@pytest.mark.parametrize(
    ("expression", "region", "expected"),
    [
        (2 * U - 1, U_LEFT, -1),
        (2 * U - 1, U_HALF, 0),
        (2 * U - 1, U_RIGHT, 1),
        (BEYOND - 2 * ALPHA, Z_RIGHT, 1),
    ],
)
def test_sign_on__is_that_of_the_whole_region(expression: Expr, region: Region, expected: int) -> None:
    assert sign_on(expression, region) == expected


def test_sign_on__change_of_sign_is_refused() -> None:
    with pytest.raises(HarnessError, match="sign not certified"):
        sign_on(2 * U - 1, U_INSIDE)
    assert lowest_sign_on(2 * U - 1, U_INSIDE) == -1


def test_lowest_sign_on__positive_without_certificate_is_not_guessed() -> None:
    with pytest.raises(HarnessError, match="sign not certified"):
        lowest_sign_on(T**2 - T + 1, U_INSIDE)


def test_rationalise__root_of_a_negative_number_is_refused() -> None:
    with pytest.raises(HarnessError, match="negative number"):
        rationalise(sqrt(-R - 1 - R**2))


def test_resolve__case_that_is_not_covered_is_refused() -> None:
    with pytest.raises(HarnessError, match="no case"):
        resolve(Piecewise((U, S.Half > U)), U_RIGHT)


def test_decide__condition_that_splits_the_region_is_refused() -> None:
    assert decide((Z < PLATEAU_END) & (Z > -PLATEAU_END), Z_PLATEAU)
    assert not decide((Z >= PLATEAU_END) | (Z <= -PLATEAU_END), Z_PLATEAU)
    with pytest.raises(HarnessError, match="sign not certified"):
        decide(Z > 0, Z_PLATEAU)


@pytest.mark.claim("predDT")
def test_predDT__limits_of_the_link_have_the_right_signs() -> None:  # noqa: N802
    assert end_values((2 * U - 1) / ROOT, U_INSIDE) == (-oo, oo)
    assert end_values((2 * U - 1) / ROOT, U_LEFT) == (-oo, 0)
    assert end_values((2 * U - 1) / ROOT, U_RIGHT) == (0, oo)


@pytest.mark.claim("theoremalpha")
def test_theoremalpha__zero_of_the_squared_equation_only_is_rejected() -> None:
    link = ALPHA * (2 * U - 1) / ROOT + PLATEAU_END
    root = invert(link, U_RIGHT, Z_RIGHT)
    assert is_zero(link.subs(U, root) - Z, Z_RIGHT)
    assert not is_zero(link.subs(U, 1 - root) - Z, Z_RIGHT)
    with pytest.raises(HarnessError, match="not inverted"):
        invert((1 - 2 * U) / ROOT, U_RIGHT, Z_RIGHT.at_alpha(1))


@pytest.mark.claim("negent")
def test_negent__value_below_another_is_no_supremum() -> None:
    convex = (U * (U - 1),)
    with pytest.raises(HarnessError, match=r"not the supremum|no argument|not inverted"):
        maximise(convex, (1 - 2 * U,), SMOOTH, Z_PLATEAU)


def test_tidy__is_p_plus_q_root() -> None:
    assert tidy(U * sqrt((1 - U) / U) + 1, U_INSIDE) == 1 + ROOT
    assert [tidy(Max(U, 1 - U), piece) for piece in KINKED] == [1 - U, U]
