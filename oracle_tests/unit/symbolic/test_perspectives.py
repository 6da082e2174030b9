"""Compare the derived perspectives with the reference; every check must reject a perturbed value.

That their statements are derived as printed is among the tests of closed forms.
"""

from __future__ import annotations

from fractions import Fraction

import pytest
from sympy import Rational, sqrt

from privboost.oracle_tests.support.symbolic_regions import check_sharply, to_sympy
from privboost.reference import losses as reference
from privboost.reference.losses import Loss, m_alpha
from privboost.reference.privacy.sensitivity import bound_lem_phi_proof, bound_sens_alpha
from privboost.symbolic.algebra.regions import ALPHA, M, U
from privboost.symbolic.closed_forms import NAMES
from privboost.symbolic.sections import section3_perspectives

THIRD = Fraction(1, 3)
LOSSES: dict[str, Loss] = {
    "square": reference.SQUARE,
    "log": reference.LOG,
    "zero_one": reference.ZERO_ONE,
    "matsushita": reference.MATSUSHITA,
    "m_alpha": m_alpha(THIRD),
}
SIZES = (2, 3, 5, 12)

every_name = pytest.mark.parametrize("name", NAMES)


@pytest.mark.claim("lemPhiProof")
@every_name
@pytest.mark.parametrize("m", SIZES)
def test_lemPhiProof__values_are_those_of_the_reference(name: str, m: int) -> None:  # noqa: N802
    at = {M: m, ALPHA: to_sympy(THIRD)}
    for values, size in (
        (section3_perspectives.PERSPECTIVES, m + 1),
        (section3_perspectives.SHARP_VALUES, m),
    ):
        assert check_sharply(values[name].subs(at), reference.perspective(LOSSES[name], 1, size))


@pytest.mark.claim("lemPhiProof")
@every_name
@pytest.mark.parametrize("m", SIZES)
def test_lemPhiProof__bounds_are_those_of_the_reference(name: str, m: int) -> None:  # noqa: N802
    derived = 1 + section3_perspectives.STARS[name].subs({M: m, ALPHA: to_sympy(THIRD)})
    expected = bound_sens_alpha(THIRD, m) if name == "m_alpha" else bound_lem_phi_proof(name, m)
    assert check_sharply(derived, expected)


@pytest.mark.claim("lemcurv")
@every_name
def test_lemcurv__slope_is_between_the_steps_before_and_after(name: str) -> None:
    value, slope = (
        expression.subs(ALPHA, Rational(1, 3))
        for expression in (section3_perspectives.PERSPECTIVES[name], section3_perspectives.SLOPES[name])
    )
    before, after = (value.subs(M, high) - value.subs(M, high - 1) for high in (7, 8))
    assert before >= slope.subs(M, 7) >= after
    assert name == "zero_one" or not before >= 2 * slope.subs(M, 7) >= after


@pytest.mark.claim("lemcurv")
@pytest.mark.parametrize("m", [1, 7])
def test_lemcurv__half_of_the_weight_is_the_slope_and_the_whole_is_not(m: int) -> None:
    product = Rational(m, 16 * (m + 1) ** 4) ** Rational(1, 3)
    a = (1 - sqrt(1 - 4 * product)) / 2
    weight = -section3_perspectives.lower_risk("matsushita").diff(U, 2).subs(U, a)
    slope = section3_perspectives.SLOPES["matsushita"].subs(M, m)
    assert abs((weight / (2 * (m + 1) ** 2) - slope).evalf(50)) < Rational(1, 10**40)
    assert abs((weight / (m + 1) ** 2 - slope).evalf(50)) > Rational(1, 10)
    assert 0 < a.evalf(50) < Rational(1, m + 1)
