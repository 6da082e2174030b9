"""Choices and quantiles: their privacy for all shifts of utilities, and between all small neighbours.

Every law has a wrong twin, which the same comparison rejects.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product

import pytest

from privboost.errors import PreconditionError
from privboost.oracle_tests.support.exact_losses import is_private, loss, neighbours
from privboost.reference.data import Relation
from privboost.reference.exact import Exact, Number, enclose, exact_sum, exp, log
from privboost.reference.mechanisms.choices import (
    exponential,
    permute_and_flip,
    quantile_of_candidates,
    quantile_of_intervals,
    quantile_utilities,
    randomised_response,
)

HALF, ONE, ZERO = Fraction(1, 2), Fraction(1), Fraction(0)


SHIFTS = list(product([-1, 0, 1], repeat=3))


# Choices -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("relation", list(Relation))
@pytest.mark.parametrize("q", [ZERO, HALF, Fraction(9, 10)], ids=str)
def test_quantiles__epsilon_holds_between_all_neighbours(relation: Relation, q: Fraction) -> None:
    def law(data: Sequence[int], epsilon: Exact = ONE) -> dict[Number, Number]:
        return quantile_of_candidates(data, [0, 1, 2], q, epsilon=epsilon, relation=relation)

    pairs = list(neighbours(relation))
    assert all(is_private(law(a), law(b), 1) for a, b in pairs)
    assert not all(is_private(law(a, 3), law(b, 3), 1) for a, b in pairs)


@pytest.mark.parametrize("relation", list(Relation))
def test_quantiles__intervals_are_private_between_all_neighbours(relation: Relation) -> None:
    def density(data: Sequence[int], epsilon: Exact = ONE) -> dict[int, Number]:
        law = quantile_of_intervals(data, -1, 3, HALF, epsilon=epsilon, relation=relation)
        assert 0 in enclose(exact_sum(law.values()) - 1, 100)
        return {
            x: next(chance / (b - a) for (a, b), chance in law.items() if a <= x and x + 1 <= b)
            for x in range(-1, 3)
        }

    pairs = list(neighbours(relation))
    assert all(is_private(density(a), density(b), 1) for a, b in pairs)
    assert not all(is_private(density(a, 3), density(b, 3), 1) for a, b in pairs)


def test_quantiles__utilities_count_values_below() -> None:
    assert quantile_utilities([1, 1, 5], [0, 1, 3, 9], HALF) == {
        ZERO: Fraction(-3, 2),
        ONE: Fraction(-3, 2),
        Fraction(3): -HALF,
        Fraction(9): Fraction(-3, 2),
    }
    law = quantile_of_intervals([7, 2], 0, 4, HALF, epsilon=2, relation=Relation.EXCHANGE)
    assert list(law) == [(ZERO, Fraction(2)), (Fraction(2), Fraction(4))]
    assert 0 in enclose(law[Fraction(2), Fraction(4)] / law[ZERO, Fraction(2)] - exp(1), 100)
    with pytest.raises(PreconditionError, match="q: expected 0 <= q <= 1"):
        quantile_utilities([1], [0], 2)


@pytest.mark.parametrize("monotonic", [False, True])
@pytest.mark.parametrize("mechanism", [exponential, permute_and_flip])
def test_choices__epsilon_holds_for_all_shifts_of_utilities(
    mechanism: Callable[..., dict[int, Number]], monotonic: bool
) -> None:
    def law(shift: Sequence[int], epsilon: Exact) -> dict[int, Number]:
        utilities = {i: i + move for i, move in enumerate(shift)}
        return mechanism(utilities, epsilon, 1, monotonic=monotonic)

    shifts = [shift for shift in SHIFTS if not monotonic or min(shift) >= 0]
    assert all(is_private(law((0, 0, 0), 1), law(shift, 1), 1) for shift in shifts)
    assert not all(is_private(law((0, 0, 0), 2), law(shift, 2), 1) for shift in shifts)
    # Base 2 in place of base e spends less than it may, by log 2.
    worst = max((loss(law((0, 0, 0), 1), law(shift, 1)) for shift in shifts), key=lambda x: enclose(x, 60).lo)
    assert worst > log(2)


@pytest.mark.parametrize("k", [2, 5])
def test_randomised_response__ratio_is_e_to_the_epsilon(k: int) -> None:
    true, other = randomised_response(k, Fraction(3, 2))
    assert 0 in enclose(true + (k - 1) * other - 1, 100)
    assert 0 in enclose(log(true / other) - Fraction(3, 2), 100)
    with pytest.raises(PreconditionError, match="an integer >= 2"):
        randomised_response(1, 1)
