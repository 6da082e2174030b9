"""The weights of the next tree, from the table and from floats, compared with the reference's rule."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from privboost.fast.loss import float_weights, link, link_steps, mirror_weights, weight_table
from privboost.fast.protocol import GRID
from privboost.reference.data import Example, binary_domain
from privboost.reference.exact import enclose, exact, floor
from privboost.reference.learners.boosting import LATER_BOUND, WeightRule, mirror_update, weight_rule
from privboost.reference.learners.protocol import SOUND, Parameters
from privboost.reference.learners.splitting import Setting
from privboost.reference.losses import link as exact_link
from privboost.reference.losses import m_alpha, select

Array = NDArray[Any]
ALPHAS = (Fraction(1), Fraction(1, 2), Fraction(1, 10))
REACH = 20 * GRID
FINE = 1 << 24

every_alpha = pytest.mark.parametrize("alpha", ALPHAS, ids=str)


@cache
def rule_of(alpha: Fraction, unit: int) -> WeightRule:
    """Return the reference's rule for rows whose only feature is their margin, in fractions 1 / unit."""
    setting = Setting(SOUND, Parameters(boost_alpha=alpha), binary_domain(1), 9, LATER_BOUND)
    return weight_rule(setting, [lambda x: Fraction(x[0], unit)])  # type: ignore[list-item]


def exact_steps(margin: int, y: int, alpha: Fraction, unit: int = GRID) -> int:
    """Return the reference's weight of a row with a margin, in grid steps."""
    steps = exact(rule_of(alpha, unit)(Example((margin,), y))) * GRID
    assert isinstance(steps, Fraction)
    assert steps.denominator == 1
    return int(steps)


def wrong_margins(table: Array, alpha: Fraction) -> list[int]:
    """Return the signed margins at which a table differs from the reference's rule.

    The rule decreases with the margin. So a decreasing table that is right at its ends and on both sides of
    every change is right everywhere.
    """
    reach = table.size // 2
    falls = np.diff(table.astype(np.int64))
    edges = np.flatnonzero(falls)
    if (falls > 0).any():
        return (np.flatnonzero(falls > 0) - reach).tolist()
    indices = {0, table.size - 1, *edges.tolist(), *(edges + 1).tolist()}
    return [
        index - reach
        for index in sorted(indices)
        if int(table[index]) != exact_steps(index - reach, 1, alpha)
    ]


@pytest.mark.claim("defwunMF")
@every_alpha
def test_defwunMF__table_is_the_reference_s_rule_at_every_margin(alpha: Fraction) -> None:  # noqa: N802
    table = weight_table(REACH, alpha)
    assert table.size == 2 * REACH + 1
    assert (table.min(), table.max()) >= (1, GRID // 2)
    assert wrong_margins(table, alpha) == []


@pytest.mark.claim("defwunMF")
def test_defwunMF__table_that_all_fits_share_cannot_be_changed() -> None:  # noqa: N802
    with pytest.raises(ValueError, match="read-only"):
        weight_table(100, Fraction(1))[0] = 0


@pytest.mark.claim("defwunMF")
def test_defwunMF__table_that_is_one_step_off_is_refused() -> None:  # noqa: N802
    table = weight_table(100, Fraction(1)).copy()
    change = int(np.flatnonzero(np.diff(table.astype(np.int64)))[10])
    table[change + 1] = table[change]
    assert wrong_margins(table, Fraction(1)) == [change + 1 - 100]
    rounded_up = weight_table(100, Fraction(1)) + np.uint16(1)
    assert wrong_margins(rounded_up, Fraction(1))
    assert wrong_margins(weight_table(100, Fraction(99, 100)), Fraction(1))


@pytest.mark.claim("defwunMF")
@every_alpha
def test_defwunMF__floats_give_the_table_s_weights_on_the_grid(alpha: Fraction) -> None:  # noqa: N802
    steps = np.arange(-REACH, REACH + 1)
    for sign in (-1, 1):
        signs = np.full(steps.size, sign, dtype=np.int8)
        weights = float_weights(sign * steps / GRID, signs, float(alpha))
        assert np.array_equal(weights, weight_table(REACH, alpha))


@pytest.mark.claim("defwunMF")
@every_alpha
@settings(max_examples=25)
@given(
    margins=st.lists(st.integers(-30 * FINE, 30 * FINE), min_size=4, max_size=8), y=st.sampled_from((-1, 1))
)
def test_defwunMF__floats_give_the_reference_s_weights_off_the_grid(  # noqa: N802
    alpha: Fraction, margins: list[int], y: int
) -> None:
    signs = np.full(len(margins), y, dtype=np.int8)
    weights = float_weights(np.array(margins) / FINE, signs, float(alpha))
    assert weights.dtype == np.uint16
    assert weights.tolist() == [exact_steps(margin, y, alpha, FINE) for margin in margins]


@pytest.mark.claim("defwunMF")
def test_defwunMF__least_weight_is_one_step_and_the_plateau_is_a_half() -> None:  # noqa: N802
    assert weight_table(REACH, Fraction(1, 10))[-1] == 1 == exact_steps(REACH, 1, Fraction(1, 10))
    plateau = weight_table(REACH, Fraction(1, 2))[REACH - GRID : REACH + GRID + 1]
    assert set(plateau.tolist()) == {GRID // 2}
    assert float_weights(np.array([1e9]), np.array([1]), 1.0).tolist() == [1]
    assert float_weights(np.array([-1e9]), np.array([1]), 1.0).tolist() == [GRID]


@pytest.mark.claim("defwunMF")
@every_alpha
@settings(max_examples=40)
@given(
    weight=st.fractions(Fraction(1, 100), Fraction(99, 100), max_denominator=1000),
    move=st.fractions(-1, 1, max_denominator=1000),
)
def test_defwunMF__literal_update_is_the_reference_s(  # noqa: N802
    alpha: Fraction, weight: Fraction, move: Fraction
) -> None:
    updated = mirror_weights(np.array([float(weight)]), np.array([float(move)]), float(alpha))[0]
    around = enclose(mirror_update(m_alpha(alpha), weight, move, 1, Fraction(1)), 80)
    assert around.lo - Fraction(1, 1 << 44) <= Fraction(float(updated)) <= around.hi + Fraction(1, 1 << 44)
    other = mirror_weights(np.array([float(weight)]), np.array([float(move) + 0.5]), float(alpha))[0]
    assert other < updated or (alpha < 1 and updated == other == 0.5)


# Links on the grid ---------------------------------------------------------------------------------------


@pytest.mark.claim("predDT")
@every_alpha
@settings(max_examples=120)
@given(part=st.integers(1, 200), rest=st.integers(1, 200))
def test_predDT__link_is_rounded_down_exactly(alpha: Fraction, part: int, rest: int) -> None:  # noqa: N802
    u = Fraction(part, part + rest)
    value = exact(select(exact_link(m_alpha(alpha), u)))
    assert link_steps(u, alpha) == floor(value * GRID)


@pytest.mark.claim("predDT")
def test_predDT__floats_put_links_on_the_grid_below_it() -> None:  # noqa: N802
    u = Fraction(16, 17)
    assert link_steps(u, Fraction(1)) == Fraction(15, 4) * GRID
    assert int(np.floor(GRID * link(np.array(float(u)), 1.0))) == link_steps(u, Fraction(1)) - 1


@pytest.mark.parametrize("margin", [np.nan, np.inf, -np.inf])
def test_weights__margins_that_overflowed_have_weights_on_the_grid(margin: float) -> None:
    with np.errstate(invalid="ignore"):
        weights = float_weights(np.array([margin, 0.0]), np.array([1, 1]), 1.0)
    assert weights.min() >= 1
    assert weights.max() <= GRID
    assert weights[1] == GRID // 2
