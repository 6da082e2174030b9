"""Laws of noise and of noisy queries: against mpmath, and their privacy between all small neighbours.

Every law has a wrong twin, which the same comparison rejects.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise, product
from math import prod

import mpmath
import pytest

from privboost.errors import PreconditionError
from privboost.oracle_tests.support.divergences import is_near, on_integers, to_mpf
from privboost.oracle_tests.support.exact_losses import is_private, neighbours
from privboost.reference.data import Relation
from privboost.reference.exact import INFINITY, Exact, Extended, Number, enclose, exact, exact_sum, sqrt
from privboost.reference.mechanisms.noise import DiscreteGaussian, Gaussian, GridLaplace, Laplace, cell
from privboost.reference.mechanisms.queries import (
    bounded_mean_law,
    bounded_sum_law,
    clamped_sum,
    count_law,
    histogram_law,
    mean_sensitivity,
    stable_histogram_law,
    sum_sensitivity,
)
from privboost.reference.mechanisms.thresholds import geometric_threshold

HALF, ONE, ZERO = Fraction(1, 2), Fraction(1), Fraction(0)


# Noise ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sigma", [ONE, Fraction(1, 3), sqrt(5)], ids=str)
def test_gaussian__cells_are_those_of_mpmath(sigma: Exact) -> None:
    law = Gaussian(HALF, exact(sigma))
    ends: list[Extended] = [-INFINITY, Fraction(-2), ZERO, HALF, Fraction(3, 2), INFINITY]
    cells = [cell(law, lo, hi) for lo, hi in pairwise(ends)]
    assert 0 in enclose(exact_sum(cells) - 1, 100)
    with mpmath.workdps(40):
        expected = mpmath.ncdf(0, mpmath.mpf(1) / 2, to_mpf(sigma)) - mpmath.ncdf(
            -2, mpmath.mpf(1) / 2, to_mpf(sigma)
        )
        wrong = mpmath.ncdf(0, mpmath.mpf(1) / 2, to_mpf(sigma) ** 2) - mpmath.ncdf(
            -2, mpmath.mpf(1) / 2, to_mpf(sigma) ** 2
        )
    assert is_near(cells[1], expected)
    assert sigma == 1 or not is_near(cells[1], wrong)
    assert 0 in enclose(law.above(3) - cell(law, 3, INFINITY), 100)


@pytest.mark.parametrize(("sigma", "step"), [(ONE, ONE), (sqrt(3), HALF), (Fraction(1, 4), ONE)], ids=str)
def test_discrete_gaussian__law_is_the_normalised_sum(sigma: Exact, step: Fraction) -> None:
    law = DiscreteGaussian(Fraction(3), exact(sigma), step)
    width = to_mpf(sigma) / to_mpf(step)
    expected = on_integers(lambda k: mpmath.exp(-k * k / (2 * width**2)), 60)
    for k in (-3, -1, 0, 2):
        assert is_near(law.at(3 + k * step), expected[k])
        assert is_near(law.below(3 + k * step), mpmath.fsum(expected[j] for j in range(-60, k + 1)))
        assert is_near(law.above(3 + k * step), mpmath.fsum(expected[j] for j in range(k, 61)))
    # To round continuous noise is another law.
    rounded = cell(Gaussian(Fraction(3), exact(sigma)), 3 - step / 2, 3 + step / 2)
    assert not is_near(rounded, expected[0])
    with pytest.raises(PreconditionError, match="on the grid"):
        law.at(3 + step / 3)


def test_discrete_laplace__probabilities_are_differences_of_the_law() -> None:
    law = GridLaplace(Fraction(2), Fraction(5, 3), HALF)
    for k in (-4, 0, 1, 7):
        x = 2 + k * HALF
        assert 0 in enclose(law.at(x) - cell(law, x - HALF, x), 100)
    expected = on_integers(lambda k: mpmath.exp(-abs(k) * mpmath.mpf("0.3")), 400)
    assert is_near(law.at(3), expected[2])


def test_cells__need_increasing_ends() -> None:
    with pytest.raises(PreconditionError, match="lo < hi"):
        cell(Laplace(ZERO, ONE), 1, 1)
    assert cell(Laplace(ZERO, ONE), -INFINITY, INFINITY) == 1
    with pytest.raises(PreconditionError, match="sigma"):
        Gaussian(ZERO, ZERO)


# Queries -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("relation", list(Relation))
@pytest.mark.parametrize("bounds", [(0, 2), (-3, 1), (HALF, Fraction(3, 2))], ids=str)
def test_queries__sensitivities_are_the_greatest_changes(
    relation: Relation, bounds: tuple[Exact, Exact]
) -> None:
    rows = [*bounds, -7, 0, 1, 7]
    rests = [(), (1,), (0, 7)]
    pairs = [
        ((*rest, a), (*rest, b) if relation is Relation.EXCHANGE else rest)
        for rest, a, b in product(rests, rows, rows)
    ]
    changes = [abs(clamped_sum(a, *bounds) - clamped_sum(b, *bounds)) for a, b in pairs]
    assert max(changes) == sum_sensitivity(*bounds, relation)
    if relation is Relation.EXCHANGE:
        means = [abs(clamped_sum(a, *bounds) - clamped_sum(b, *bounds)) / 3 for a, b in pairs if len(a) == 3]
        assert max(means) == mean_sensitivity(*bounds, 3)
    # Under the other relation the greatest change is another one, unless a bound is 0.
    other = next(each for each in Relation if each is not relation)
    assert sum_sensitivity(*bounds, other) != sum_sensitivity(*bounds, relation) or bounds[0] == 0


def test_queries__laws_have_centre_scale_and_grid() -> None:
    assert count_law(3, HALF) == GridLaplace(Fraction(3), Fraction(2), ONE)
    exchange = bounded_sum_law([5, -9, 1], -1, 2, 1, relation=Relation.EXCHANGE)
    assert exchange == Laplace(Fraction(2), Fraction(3))
    grid = bounded_sum_law([5, -9, 1], -1, 2, 1, relation=Relation.ADD_REMOVE, step=HALF)
    assert grid == GridLaplace(Fraction(2), Fraction(2), HALF)
    assert bounded_mean_law([5, -9, 1], -1, 2, HALF) == Laplace(Fraction(2, 3), Fraction(2))
    with pytest.raises(PreconditionError, match="lo < hi"):
        bounded_sum_law([1], 2, 1, 1, relation=Relation.EXCHANGE)
    with pytest.raises(PreconditionError, match="n: expected an integer >= 1"):
        bounded_mean_law([], 0, 1, 1)


@pytest.mark.parametrize("relation", list(Relation))
def test_histograms__epsilon_holds_between_all_neighbours(relation: Relation) -> None:
    counts = (-5, 0, 1, 9)

    def law(data: Sequence[int], epsilon: Exact = ONE) -> dict[tuple[int, ...], Number]:
        cells = histogram_law({key: data.count(key) for key in range(3)}, epsilon, relation)
        at = {(key, x): cells[key].at(x) for key in range(3) for x in counts}
        return {
            output: prod((at[cell] for cell in enumerate(output)), start=ONE)
            for output in product(counts, repeat=3)
        }

    pairs = list(neighbours(relation, 2))[-4:]
    assert all(is_private(law(a), law(b), 1) for a, b in pairs)
    assert not all(is_private(law(a, Fraction(3, 2)), law(b, Fraction(3, 2)), 1) for a, b in pairs)


@pytest.mark.parametrize("relation", list(Relation))
@pytest.mark.parametrize("delta", [Fraction(1, 10), Fraction(1, 1000)], ids=str)
def test_stable_histograms__delta_is_that_of_a_key_of_one_row(relation: Relation, delta: Fraction) -> None:
    epsilon, scale = ONE, Fraction(1 if relation is Relation.ADD_REMOVE else 2)
    threshold = geometric_threshold(scale, delta)
    one, none = (stable_histogram_law({"a": n}, epsilon, threshold, relation)["a"] for n in (1, 0))
    assert none.absent == 1
    assert none.at(threshold + 5) == 0
    released = exact_sum(one.at(threshold + k) for k in range(200))
    assert 0 in enclose(released + one.absent - 1, 30)
    assert 1 - one.absent <= delta
    assert one.at(threshold - 1) == 0
    lower = stable_histogram_law({"a": 1}, epsilon, threshold - 1, relation)["a"]
    assert 1 - lower.absent > delta
    # Absence has at least e^-epsilon of the probability that it has without the row.
    assert is_private({"absent": one.absent}, {"absent": none.absent}, epsilon)
