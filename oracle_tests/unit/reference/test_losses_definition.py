"""Values from the definitions (infima and suprema) against closed forms, at 200 points or more."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from privboost.errors import PreconditionError, Undecided
from privboost.oracle_tests.support.loss_points import (
    ALPHAS,
    CORRECTED,
    FEW,
    FIXED,
    HALF,
    PROBABILITIES,
    margins,
)
from privboost.oracle_tests.support.marks import slow
from privboost.reference.exact import Enclosure, Infinity, sqrt
from privboost.reference.exact.infimum import infimum
from privboost.reference.losses import (
    MATSUSHITA,
    SQUARE,
    ZERO_ONE,
    Loss,
    bayes_risk,
    conjugate,
    enclose_bayes_risk,
    enclose_conjugate,
    m_alpha,
    m_alpha_as_printed,
)

BITS = 200
WIDTH = Fraction(1, 1 << BITS)


def definition_agrees(loss: Loss, pi: Fraction) -> bool:
    """Return whether normaliser * infimum agrees with the closed form to 2^-200 at pi."""
    enclosure = enclose_bayes_risk(loss, pi, BITS)
    return enclosure.width <= WIDTH and bayes_risk(loss, pi) / loss.normaliser in enclosure


def conjugate_agrees(loss: Loss, z: Fraction) -> bool:
    """Return whether the supremum agrees with the closed form to 2^-200 at z."""
    enclosure = enclose_conjugate(loss, z, BITS)
    value = conjugate(loss, z)
    assert not isinstance(value, Infinity)
    return enclosure.width <= WIDTH and value in enclosure


def test_pbr__two_hundred_points() -> None:
    assert len(PROBABILITIES) == 200


@pytest.mark.no_cover
@pytest.mark.claim("pbr")
@pytest.mark.claim("defMatsualpha")
@pytest.mark.parametrize("alpha", ALPHAS, ids=str)
@pytest.mark.parametrize("every", [10, *slow([1])])
def test_defMatsualpha__definition_is_closed_form(alpha: Fraction, every: int) -> None:  # noqa: N802
    loss = m_alpha(alpha)
    assert [pi for pi in PROBABILITIES[::every] if not definition_agrees(loss, pi)] == []


@pytest.mark.no_cover
@pytest.mark.claim("pbr")
@pytest.mark.parametrize("loss", FIXED, ids=str)
def test_pbr__definition_is_closed_form(loss: Loss) -> None:
    assert [pi for pi in PROBABILITIES[::4] if not definition_agrees(loss, pi)] == []


@pytest.mark.claim("defMatsualpha")
@pytest.mark.parametrize("alpha", [alpha for alpha in ALPHAS if alpha], ids=str)
def test_defMatsualpha__printed_partial_losses_do_not_give_the_risk(alpha: Fraction) -> None:  # noqa: N802
    loss = m_alpha_as_printed(alpha)
    inner = [pi for pi in FEW if 0 < pi < 1]
    assert not any(definition_agrees(loss, pi) for pi in inner)


@pytest.mark.claim("defMatsualpha")
@pytest.mark.parametrize("alpha", ALPHAS, ids=str)
def test_defMatsualpha__printed_partial_losses_give_twice_the_matsushita_part(alpha: Fraction) -> None:  # noqa: N802
    for pi in FEW:
        value = 2 * alpha * bayes_risk(MATSUSHITA, pi) + (1 - alpha) * bayes_risk(ZERO_ONE, pi)
        assert value in enclose_bayes_risk(m_alpha_as_printed(alpha), pi, BITS)


@pytest.mark.claim("negent")
@pytest.mark.parametrize("alpha", ALPHAS, ids=str)
def test_negent__definition_is_closed_form(alpha: Fraction) -> None:
    loss = m_alpha(alpha)
    assert [z for z in margins(alpha)[::2] if not conjugate_agrees(loss, z)] == []


@pytest.mark.claim("defLOSSGENR")
@pytest.mark.parametrize("loss", FIXED, ids=str)
def test_defLOSSGENR__definition_is_closed_form(loss: Loss) -> None:  # noqa: N802
    assert [z for z in margins(Fraction(0))[::3] if not conjugate_agrees(loss, z)] == []


@pytest.mark.no_cover
def test_definition__wrong_closed_form_is_rejected() -> None:
    off = Fraction(1, 1 << 190)

    def shift(loss: Loss) -> Loss:
        return replace(
            loss,
            risk=lambda u, side: loss.risk(u, side) + off,
            conjugate=lambda z: loss.conjugate(z) + 3 * off,
        )

    for loss in map(shift, CORRECTED):
        assert not any(definition_agrees(loss, pi) for pi in FEW)
        assert not conjugate_agrees(loss, Fraction(1, 3))


def test_infimum__two_wells() -> None:
    def wells(u: Any) -> Any:
        left, right = u - Fraction(1, 5), u - Fraction(4, 5)
        return left * left * right * right + u / 1000

    enclosure = infimum(wells, Fraction(0), Fraction(1), 60).enclosure
    assert enclosure.lo <= min(wells(Fraction(k, 1000)) for k in range(1001))
    assert enclosure.width <= Fraction(1, 1 << 60)


def test_infimum__unbounded_below_is_undecided() -> None:
    with pytest.raises(Undecided, match="infimum over"):
        infimum(lambda u: -1 / u, Fraction(0), Fraction(1), 20)


@pytest.mark.parametrize("pi", [Fraction(-1, 3), Fraction(4, 3)])
def test_pbr__probability_outside_the_unit_interval_is_refused(pi: Fraction) -> None:
    with pytest.raises(PreconditionError, match="0 <= pi <= 1"):
        enclose_bayes_risk(SQUARE, pi, 10)


def test_pbr__irrational_probability() -> None:
    pi = sqrt(2) / 2
    assert bayes_risk(MATSUSHITA, pi) in enclose_bayes_risk(MATSUSHITA, pi, 100)


def test_pbr__enclosure_at_the_kink_of_the_printed_loss_is_an_infimum_not_attained() -> None:
    enclosure = enclose_bayes_risk(m_alpha_as_printed(HALF), HALF, 60)
    assert isinstance(enclosure, Enclosure)
    assert Fraction(3, 2) in enclosure
