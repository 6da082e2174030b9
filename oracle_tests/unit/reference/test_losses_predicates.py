"""Checks of symmetric, fair, normalised, proper and strictly proper losses, with negative controls."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from privboost.errors import PreconditionError
from privboost.oracle_tests.support.loss_points import ALPHAS, AS_PRINTED, CORRECTED, FEW, HALF, INNER
from privboost.reference.losses import (
    LOG,
    MATSUSHITA,
    SQUARE,
    ZERO_ONE,
    ZERO_ONE_AS_PRINTED,
    Loss,
    check_fair,
    check_normalised,
    check_proper,
    check_strictly_proper,
    check_symmetric,
    m_alpha,
    m_alpha_as_printed,
)


@pytest.mark.claim("sec:def")
@pytest.mark.parametrize("loss", CORRECTED + AS_PRINTED, ids=str)
def test_sec_def__losses_are_symmetric_fair_and_normalised(loss: Loss) -> None:
    assert check_symmetric(loss, FEW)
    assert check_fair(loss)
    assert check_normalised(loss)


@pytest.mark.claim("defMatsualpha")
@pytest.mark.parametrize("loss", CORRECTED, ids=str)
def test_defMatsualpha__corrected_losses_are_proper(loss: Loss) -> None:  # noqa: N802
    assert check_proper(loss, FEW)


@pytest.mark.claim("defMatsualpha")
@pytest.mark.parametrize("loss", [SQUARE, LOG, MATSUSHITA, *(m_alpha(a) for a in ALPHAS[1:])], ids=str)
def test_defMatsualpha__strictly_proper_for_positive_alpha(loss: Loss) -> None:  # noqa: N802
    assert check_strictly_proper(loss, INNER)


@pytest.mark.claim("defMatsualpha")
def test_defMatsualpha__not_strictly_proper_at_alpha_zero() -> None:  # noqa: N802
    verdict = check_strictly_proper(m_alpha(0), [Fraction(1, 7)])
    assert verdict.witness == "at pi = 1/7 the prediction 1/14 costs 2/7, the prediction pi costs 2/7"


@pytest.mark.claim("defMatsualpha")
@pytest.mark.parametrize(
    "loss", [ZERO_ONE_AS_PRINTED, *(m_alpha_as_printed(a) for a in ALPHAS[:-1])], ids=str
)
def test_defMatsualpha__printed_losses_are_not_proper_at_one_half(loss: Loss) -> None:  # noqa: N802
    assert not check_proper(loss, FEW)
    assert check_proper(loss, [pi for pi in FEW if pi != HALF])


@pytest.mark.claim("defMatsualpha")
def test_defMatsualpha__printed_loss_is_strictly_proper_at_alpha_one() -> None:  # noqa: N802
    assert check_strictly_proper(m_alpha_as_printed(1), INNER)


def test_check_proper__loss_with_a_wrong_minimiser_is_rejected() -> None:
    skewed = replace(SQUARE, partial=lambda y, u, side: SQUARE.partial(y, u, side) * (2 if y == 1 else 1))
    verdict = check_proper(skewed, [Fraction(1, 3)])
    assert not verdict
    assert verdict.witness is not None
    assert "at pi = 1/3" in verdict.witness


def test_checks__reject_losses_without_the_property() -> None:
    absolute = replace(SQUARE, partial=lambda y, u, _: 1 - u if y == 1 else u)
    assert not check_proper(absolute, [Fraction(1, 3)])
    assert not check_strictly_proper(m_alpha_as_printed(HALF), [HALF])
    assert not check_normalised(replace(SQUARE, risk=lambda u, _: u * (1 - u)))
    skewed = check_symmetric(replace(SQUARE, partial=lambda y, u, _: u * u if y == 1 else u), FEW)
    assert (skewed.holds, skewed.witness) == (False, "partial(1, 0) = 0, partial(-1, 1 - 0) = 1")
    raised = replace(ZERO_ONE, partial=lambda y, u, side: ZERO_ONE.partial(y, u, side) + 1)
    assert check_fair(raised).witness == "partial(1, 1) = 1, partial(-1, 0) = 1"


@pytest.mark.parametrize("pi", [Fraction(0), Fraction(1)])
def test_check_strictly_proper__ends_are_refused(pi: Fraction) -> None:
    with pytest.raises(PreconditionError, match="0 < pi < 1"):
        check_strictly_proper(SQUARE, [pi])
