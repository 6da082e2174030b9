"""Link, inverse link, conjugate, surrogate, weight and perspective against each other, exactly."""

from __future__ import annotations

from fractions import Fraction

import pytest

from privboost.errors import InexactInputError, PreconditionError
from privboost.oracle_tests.support.loss_points import (
    ALPHAS,
    CORRECTED,
    FEW,
    HALF,
    INNER,
    PROBABILITIES,
    margins,
)
from privboost.reference.exact import (
    INFINITY,
    ClosedInterval,
    Infinity,
    Number,
    enclose,
    exact,
    log,
    point,
    sqrt,
)
from privboost.reference.exact.jets import variable
from privboost.reference.losses import (
    LOG,
    MATSUSHITA,
    SQUARE,
    ZERO_ONE,
    Loss,
    Selection,
    bayes_risk,
    conjugate,
    inverse_link,
    link,
    m_alpha,
    partial_loss,
    perspective,
    select,
    surrogate,
    surrogate_curvature,
    surrogate_slope,
    weight,
)
from privboost.reference.losses.logarithmic import LOG_TWO
from privboost.reference.losses.loss import side_of
from privboost.reference.losses.m_alpha import inverse_link_as_printed

EVERY_KIND_OF_PREDICTION: tuple[Fraction | Infinity, ...] = (
    -INFINITY,
    *map(Fraction, ("-5", "-2", "-1", "0", "1/5", "9/5", "2", "3")),
    INFINITY,
)
ALGEBRAIC = tuple(loss for loss in CORRECTED if loss is not LOG)


@pytest.mark.claim("theoremalpha")
@pytest.mark.parametrize("alpha", ALPHAS, ids=str)
def test_theoremalpha__inverse_link_and_link_invert_each_other_at_200_points(alpha: Fraction) -> None:
    loss = m_alpha(alpha)
    for u in PROBABILITIES:
        for z in (link(loss, u).lo, link(loss, u).hi):
            inverse = inverse_link(loss, z)
            assert u in inverse
            assert inverse.is_point or alpha == 0
    for z in margins(alpha):
        inverse = inverse_link(loss, z)
        assert z in link(loss, inverse.lo)  # type: ignore[arg-type]
        assert z in link(loss, inverse.hi)  # type: ignore[arg-type]


@pytest.mark.claim("theoremalpha")
@pytest.mark.parametrize("loss", ALGEBRAIC, ids=str)
def test_theoremalpha__link_and_inverse_link_are_inverse_relations(loss: Loss) -> None:
    for u in (*FEW, Fraction(1, 4)):
        for z in EVERY_KIND_OF_PREDICTION:
            assert (z in link(loss, u)) == (u in inverse_link(loss, z)), (u, z)


@pytest.mark.claim("theoremalpha")
@pytest.mark.parametrize("alpha", ALPHAS[1:], ids=str)
def test_theoremalpha__printed_inverse_link_is_the_inverse_for_positive_alpha(alpha: Fraction) -> None:
    for z in margins(alpha):
        assert inverse_link(m_alpha(alpha), z) == point(inverse_link_as_printed(alpha, z))


@pytest.mark.claim("theoremalpha")
def test_theoremalpha__printed_inverse_link_is_a_selection_at_alpha_zero() -> None:
    for z in margins(Fraction(0)):
        assert inverse_link_as_printed(Fraction(0), z) in inverse_link(ZERO_ONE, z)
    assert inverse_link(ZERO_ONE, 2) == ClosedInterval(HALF, Fraction(1))
    assert inverse_link(ZERO_ONE, -2) == ClosedInterval(Fraction(0), HALF)


@pytest.mark.claim("predDT")
@pytest.mark.parametrize("loss", ALGEBRAIC, ids=str)
def test_predDT__link_is_minus_the_slope_of_the_risk(loss: Loss) -> None:  # noqa: N802
    for u in INNER:
        for side in [side_of(u)] if u != HALF else [-1, 1]:
            slope = loss.risk(variable(u), side).slope
            assert -slope in link(loss, u)
            assert link(loss, u).is_point or -slope in (link(loss, u).lo, link(loss, u).hi)


@pytest.mark.claim("theoremalpha")
@pytest.mark.parametrize("loss", CORRECTED, ids=str)
def test_theoremalpha__weight_is_minus_the_curvature_and_its_atom_the_jump_of_the_link(loss: Loss) -> None:
    for u in INNER:
        assert weight(loss).density(u) == -loss.risk(variable(u), side_of(u) or 1).curvature
    jump = link(loss, HALF)
    width = exact(jump.hi) - exact(jump.lo)
    assert sum(mass for _, mass in weight(loss).atoms) == width
    assert all(position == HALF for position, _ in weight(loss).atoms)


@pytest.mark.claim("defLOSSGENR")
@pytest.mark.parametrize("loss", ALGEBRAIC, ids=str)
def test_defLOSSGENR__conjugate_is_attained_at_the_inverse_link(loss: Loss) -> None:  # noqa: N802
    for z in margins(HALF)[::5]:
        for u in (inverse_link(loss, z).lo, inverse_link(loss, z).hi):
            assert conjugate(loss, z) == z * exact(u) + bayes_risk(loss, exact(u))


@pytest.mark.claim("defLOSSGENR")
@pytest.mark.claim("defLOSSGENPROB")
@pytest.mark.parametrize("loss", CORRECTED, ids=str)
def test_defLOSSGENR__expected_surrogate_at_the_link_is_the_risk(loss: Loss) -> None:  # noqa: N802
    for q in INNER:
        for selection in Selection:
            h = exact(select(link(loss, q), selection))
            expected = q * exact(surrogate(loss, h)) + (1 - q) * exact(surrogate(loss, -h))
            assert _close(expected, bayes_risk(loss, q))


@pytest.mark.claim("defLOSSGENR")
@pytest.mark.parametrize("loss", CORRECTED, ids=str)
def test_defLOSSGENR__pure_leaf_has_no_loss(loss: Loss) -> None:  # noqa: N802
    assert surrogate(loss, select(link(loss, 1), Selection.UPPER)) == 0
    assert surrogate(loss, -INFINITY) == INFINITY


def _close(first: Number, second: Number) -> bool:
    """Return whether two numbers are equal; to 2^-200 if their difference is not known to be rational."""
    return 0 in enclose(first - second, 200)


@pytest.mark.claim("f-der2")
@pytest.mark.parametrize("alpha", ALPHAS[1:], ids=str)
def test_f_der2__curvature_is_the_inverse_weight_and_at_most_a_quarter_over_alpha(alpha: Fraction) -> None:
    loss = m_alpha(alpha)
    for u in INNER:
        if u != HALF:
            z = exact(link(loss, u).lo)
            assert surrogate_curvature(loss, -z) == point(1 / exact(weight(loss).density(u)))
    greatest = 1 / (4 * alpha)
    assert surrogate_curvature(loss, 2 * (1 - alpha)).hi == greatest
    assert all(surrogate_curvature(loss, z).hi <= greatest for z in margins(alpha))


@pytest.mark.claim("f-der2")
def test_f_der2__curvature_at_the_ends_of_the_plateau() -> None:
    assert surrogate_curvature(m_alpha(HALF), 1) == ClosedInterval(Fraction(0), HALF)
    assert surrogate_curvature(MATSUSHITA, 0) == point(Fraction(1, 4))
    assert surrogate_curvature(ZERO_ONE, 2) == ClosedInterval(Fraction(0), INFINITY)
    assert surrogate_curvature(ZERO_ONE, 3) == point(Fraction(0))
    assert surrogate_curvature(SQUARE, 4) == ClosedInterval(Fraction(0), Fraction(1, 8))
    assert surrogate_curvature(SQUARE, 5) == point(Fraction(0))


@pytest.mark.claim("propCSUR")
@pytest.mark.parametrize("loss", ALGEBRAIC, ids=str)
def test_propCSUR__slope_bounds_the_surrogate_and_the_surrogate_the_mistake(loss: Loss) -> None:  # noqa: N802
    grid = margins(HALF)[::9]
    for z in grid:
        for slope in (surrogate_slope(loss, z).lo, surrogate_slope(loss, z).hi):
            tangent = [exact(surrogate(loss, z)) + exact(slope) * (other - z) for other in grid]
            assert all(line <= surrogate(loss, other) for line, other in zip(tangent, grid, strict=True))
    assert surrogate(loss, 0) == 1
    assert all(surrogate(loss, z) >= (1 if z <= 0 else 0) for z in margins(HALF))


def test_log__constants_are_the_nodes_that_arithmetic_makes() -> None:
    assert LOG_TWO is log(2)
    assert LOG.normaliser is 1 / log(2)


@pytest.mark.claim("f-der2")
def test_log__curvature_and_slope_at_zero() -> None:
    assert inverse_link(LOG, 0) == point(HALF)
    assert surrogate_slope(LOG, 0) == point(-HALF)
    assert surrogate_curvature(LOG, 0) == point(log(2) / 4)


@pytest.mark.claim("defpt")
def test_defpt__perspective_and_its_conventions() -> None:
    assert perspective(MATSUSHITA, 1, 10) == 6
    assert perspective(MATSUSHITA, 0, 0) == 0
    assert perspective(MATSUSHITA, 1, 0) == -INFINITY
    assert perspective(MATSUSHITA, 0, -1) == -INFINITY
    assert perspective(MATSUSHITA, 2, 1) == -INFINITY
    assert perspective(MATSUSHITA, -1, 1) == -INFINITY


@pytest.mark.claim("lemPhiProof")
@pytest.mark.parametrize("m", [1, 2, 3, 10, 10**6])
def test_lemPhiProof__perspective_at_one_and_m_plus_one(m: int) -> None:  # noqa: N802
    assert perspective(MATSUSHITA, 1, m + 1) == 2 * sqrt(m)
    assert perspective(SQUARE, 1, m + 1) == Fraction(4 * m, m + 1)
    assert perspective(ZERO_ONE, 1, m + 1) == 2


@pytest.mark.claim("predDT")
def test_predDT__named_selections_and_link_at_pure_leaves() -> None:  # noqa: N802
    kink = link(m_alpha(HALF), HALF)
    assert [select(kink, selection) for selection in Selection] == [0, -1, 1]
    assert select(link(ZERO_ONE, 0)) == -2
    assert select(link(ZERO_ONE, 1)) == 2
    assert link(ZERO_ONE, 0) == ClosedInterval(-INFINITY, Fraction(-2))
    assert link(SQUARE, 1) == ClosedInterval(Fraction(4), INFINITY)
    assert link(m_alpha(HALF), 1) == link(LOG, 1) == point(INFINITY)


@pytest.mark.claim("eqpartialloss")
def test_eqpartialloss__values_as_printed() -> None:
    third = Fraction(1, 3)
    assert [partial_loss(SQUARE, y, third) for y in (1, -1)] == [Fraction(2, 9), Fraction(1, 18)]
    assert [partial_loss(MATSUSHITA, y, third) for y in (1, -1)] == [sqrt(2), sqrt(2) / 2]
    assert str(partial_loss(LOG, 1, third)) == "log(3)"
    assert weight(LOG).density(exact(0)) == weight(MATSUSHITA).density(exact(1)) == INFINITY


def test_losses__floats_are_refused_with_advice() -> None:
    for call in (bayes_risk, link):
        with pytest.raises(InexactInputError, match=r"write Fraction\(1, 2\)"):
            call(MATSUSHITA, 0.5)  # type: ignore[arg-type]
    with pytest.raises(InexactInputError, match=r"alpha: .*write Fraction\(1, 10\)"):
        m_alpha(0.1)


@pytest.mark.parametrize("y", [0, 2, True, "1"])
def test_eqpartialloss__label_is_checked(y: object) -> None:
    with pytest.raises(PreconditionError, match="label y of -1 or 1"):
        partial_loss(SQUARE, y, HALF)  # type: ignore[arg-type]


@pytest.mark.parametrize("alpha", ["-1/2", "3/2"])
def test_defMatsualpha__alpha_is_checked(alpha: str) -> None:  # noqa: N802
    with pytest.raises(PreconditionError, match="0 <= alpha <= 1"):
        m_alpha(alpha)
