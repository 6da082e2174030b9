"""Sensitivity: the exact supremum by enumeration, the sharp value, and the slack in the paper's bounds."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest

from privboost.errors import PreconditionError
from privboost.reference.data import Relation
from privboost.reference.exact import sqrt
from privboost.reference.losses import LOG, MATSUSHITA, SQUARE, ZERO_ONE, Loss, m_alpha
from privboost.reference.privacy.sensitivity import (
    bound_lem_phi_proof,
    bound_sens_alpha,
    bound_th3p,
    exact_sensitivity,
    sharp_sensitivity,
)

LOSSES = (SQUARE, ZERO_ONE, MATSUSHITA, m_alpha(Fraction(1, 3)))
WEIGHTS = (Fraction(1, 2), Fraction(1))


@pytest.mark.claim("gensen")
@pytest.mark.parametrize("relation", Relation)
@pytest.mark.parametrize(("m", "leaves"), [*product((2, 3, 4, 5), (1, 2)), (6, 1)])
@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_gensen__exact_sensitivity_is_the_sharp_value(
    loss: Loss, m: int, leaves: int, relation: Relation
) -> None:
    sensitivity = exact_sensitivity(loss, m, WEIGHTS, relation, leaves=leaves)
    assert sensitivity.value == sharp_sensitivity(loss, m)
    assert len(sensitivity.second) == m


@pytest.mark.claim("gensen")
@pytest.mark.parametrize("relation", Relation)
@pytest.mark.parametrize("m", [2, 3, 4])
def test_gensen__whole_tree_of_three_leaves(m: int, relation: Relation) -> None:
    sensitivity = exact_sensitivity(MATSUSHITA, m, (1,), relation, leaves=3, outside=False)
    assert sensitivity.value == sharp_sensitivity(MATSUSHITA, m)


@pytest.mark.claim("gensen")
def test_gensen__smaller_weights_scale_the_sharp_value() -> None:
    half = Fraction(1, 2)
    sensitivity = exact_sensitivity(MATSUSHITA, 4, (Fraction(1, 4), half), Relation.EXCHANGE)
    assert sensitivity.value == sharp_sensitivity(MATSUSHITA, 4, half)


@pytest.mark.claim("gensen")
@pytest.mark.parametrize("relation", Relation)
def test_gensen__a_single_example_has_no_sensitivity(relation: Relation) -> None:
    assert exact_sensitivity(MATSUSHITA, 1, WEIGHTS, relation).value == 0
    assert sharp_sensitivity(MATSUSHITA, 1) == 0


def test_gensen__wrong_sharp_value_is_rejected() -> None:
    assert exact_sensitivity(MATSUSHITA, 3, WEIGHTS, Relation.EXCHANGE).value != sharp_sensitivity(
        MATSUSHITA, 4
    )


@pytest.mark.claim("th3P")
@pytest.mark.claim("sensALPHA")
@pytest.mark.parametrize("m", [1, 2, 3, 6, 1000])
def test_th3P__paper_bounds_hold_with_slack(m: int) -> None:  # noqa: N802
    for loss in (*LOSSES, LOG):
        assert sharp_sensitivity(loss, m) < bound_th3p(loss, m)
    for alpha in (Fraction(0), Fraction(1, 3), Fraction(1)):
        assert bound_th3p(m_alpha(alpha), m) == bound_sens_alpha(alpha, m)
        assert bound_sens_alpha(alpha, m) - sharp_sensitivity(m_alpha(alpha), m) >= 1


@pytest.mark.claim("lemPhiProof")
@pytest.mark.parametrize("m", [1, 2, 5, 100])
def test_lemPhiProof__closed_forms_bound_the_perspective(m: int) -> None:  # noqa: N802
    for loss in (MATSUSHITA, SQUARE, ZERO_ONE):
        assert bound_lem_phi_proof(loss.name, m) == bound_th3p(loss, m)
    assert bound_th3p(LOG, m) <= bound_lem_phi_proof("log", m)


@pytest.mark.claim("lemPhiProof")
def test_lemPhiProof__values_as_printed() -> None:  # noqa: N802
    assert bound_lem_phi_proof("matsushita", 5) == 1 + 2 * sqrt(5)
    assert bound_lem_phi_proof("zero_one", 5) == 3
    with pytest.raises(PreconditionError, match="matsushita, log, square or zero_one"):
        bound_lem_phi_proof("hinge", 5)
    with pytest.raises(PreconditionError, match="m >= 1"):
        bound_th3p(SQUARE, 0)
