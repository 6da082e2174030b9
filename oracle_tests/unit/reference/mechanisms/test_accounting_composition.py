"""Composition, conversions, groups and thresholds, against worst cases that are enumerated.

Every formula has a wrong twin, often a published mistake, that the same comparison rejects.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import mpmath
import pytest

from privboost.errors import PreconditionError, Undecided
from privboost.oracle_tests.support.divergences import (
    Real,
    finite_hockey_stick,
    is_near,
    product_law,
    to_mpf,
    worst_pair,
)
from privboost.reference.exact import Exact, enclose, exp, log, sqrt
from privboost.reference.mechanisms.bounded_range import optimal_bounded_range_delta
from privboost.reference.mechanisms.composition import (
    advanced_composition,
    basic_composition,
    enclose_optimal_epsilon,
    group_privacy,
    optimal_delta,
)
from privboost.reference.mechanisms.concentrated import (
    compose_zcdp,
    enclose_zcdp_delta,
    enclose_zcdp_epsilon,
    group_zcdp,
    rho_of_bounded_range,
    rho_of_gaussian,
    rho_of_pure,
    zcdp_epsilon,
)
from privboost.reference.mechanisms.curves import randomised_response_delta
from privboost.reference.mechanisms.gaussian import classic_sigma, enclose_gaussian_epsilon, gaussian_delta
from privboost.reference.mechanisms.noise import Gaussian, GridLaplace, Laplace
from privboost.reference.mechanisms.solving import enclose_root
from privboost.reference.mechanisms.thresholds import (
    enclose_gaussian_threshold,
    geometric_threshold,
    laplace_threshold,
    release_chance,
)

HALF, TENTH = Fraction(1, 2), Fraction(1, 10)
MILLIONTH = Fraction(1, 10**6)


def delta_of_worst_pairs(total: Exact, epsilons: Sequence[Fraction], deltas: Sequence[Fraction]) -> Real:
    """Return the delta of the product of the worst pairs, outcome by outcome."""
    pairs = [worst_pair(*each) for each in zip(epsilons, deltas, strict=True)]
    return finite_hockey_stick(product_law([p for p, _ in pairs]), product_law([q for _, q in pairs]), total)


MIXTURES = [
    ([HALF] * 4, [Fraction(0)] * 4),
    ([TENTH, Fraction(1), Fraction(1, 3)], [Fraction(1, 100), Fraction(0), TENTH]),
    ([Fraction(1), Fraction(1), Fraction(2)], [Fraction(1, 1000)] * 3),
]


@pytest.mark.parametrize("total", [Fraction(0), Fraction(1, 3), Fraction(1), log(3)], ids=str)
@pytest.mark.parametrize(("epsilons", "deltas"), MIXTURES)
def test_composition__optimal_delta_is_that_of_worst_pairs(
    total: Exact, epsilons: list[Fraction], deltas: list[Fraction]
) -> None:
    expected = delta_of_worst_pairs(total, epsilons, deltas)
    assert is_near(optimal_delta(total, epsilons, deltas), expected)
    # To add the deltas of the parts is an upper bound, and not the optimum.
    added = to_mpf(optimal_delta(total, epsilons) + sum(deltas))
    assert added > expected * (1 + mpmath.mpf(10) ** -9) or not any(deltas)
    assert not is_near(optimal_delta(total, [*epsilons, 3], deltas), expected)


def test_composition__one_mechanism_is_itself_and_all_of_epsilon_leaves_the_deltas() -> None:
    assert 0 in enclose(optimal_delta(HALF, [1]) - randomised_response_delta(HALF, 1), 100)
    assert optimal_delta(4, [1] * 4, [TENTH] * 2) == 1 - Fraction(9, 10) ** 2
    assert basic_composition([(1, 0), (HALF, TENTH)]) == (Fraction(3, 2), TENTH)


@pytest.mark.parametrize(("epsilon", "k"), [(TENTH, 30), (TENTH, 3), (HALF, 8)])
def test_composition__optimal_epsilon_is_less_than_basic_and_advanced(epsilon: Fraction, k: int) -> None:
    best = enclose_optimal_epsilon(MILLIONTH, [epsilon] * k)
    assert best.width <= best.lo / 2**40
    assert optimal_delta(best.hi, [epsilon] * k) <= MILLIONTH < optimal_delta(best.lo, [epsilon] * k)
    assert best.hi < min(k * epsilon, advanced_composition(epsilon, 0, k, MILLIONTH)[0])


def test_composition__advanced_composition_without_its_second_term_is_too_small() -> None:
    epsilon, k, slack = Fraction(1), 50, HALF
    total, delta = advanced_composition(epsilon, MILLIONTH, k, slack)
    assert delta == k * MILLIONTH + slack
    assert optimal_delta(total, [epsilon] * k) <= slack
    first_term = total - k * epsilon * (exp(epsilon) - 1)
    assert optimal_delta(first_term, [epsilon] * k) > slack


def test_composition__literal_formulas_have_the_values_of_mpmath() -> None:
    with mpmath.workdps(40):
        logs = [mpmath.log(mpmath.mpf(10) ** 6), mpmath.log(mpmath.mpf(125000))]
        advanced = mpmath.sqrt(100 * logs[0]) / 10 + 5 * (mpmath.exp(mpmath.mpf(1) / 10) - 1)
        classic = 3 * mpmath.sqrt(2 * logs[1]) * 2
        concentrated = mpmath.mpf(1) / 8 + 2 * mpmath.sqrt(logs[0] / 8)
    assert is_near(advanced_composition(TENTH, 0, 50, MILLIONTH)[0], advanced, 30)
    assert is_near(classic_sigma(HALF, Fraction(1, 10**5), 3), classic, 30)
    assert is_near(zcdp_epsilon(Fraction(1, 8), MILLIONTH), concentrated, 30)


def test_composition__no_epsilon_for_a_delta_below_that_of_the_parts() -> None:
    with pytest.raises(PreconditionError, match="between the deltas"):
        enclose_optimal_epsilon(MILLIONTH, [1], [TENTH])
    with pytest.raises(PreconditionError, match="a rational number"):
        optimal_delta(1, [log(2)])


@pytest.mark.parametrize("k", [1, 2, 4])
def test_groups__a_chain_of_worst_pairs_is_within_the_bound(k: int) -> None:
    # Neighbours in a chain: every law is obtained from the next one by its worst change at one outcome.
    epsilon, delta = Fraction(1), Fraction(1, 1000)
    mass, chain = Fraction(1, 10**6), [Fraction(1, 10**6)]
    for _ in range(k):
        mass = enclose(exp(epsilon) * mass + delta, 300).lo
        chain.append(mass)
    bound_epsilon, bound_delta = group_privacy(epsilon, delta, k)
    exceeds = chain[-1] - exp(bound_epsilon) * chain[0]
    assert abs(enclose(exceeds - bound_delta, 200).lo) < Fraction(1, 2**190)
    assert k == 1 or exceeds > k * delta


# Concentrated privacy ------------------------------------------------------------------------------------


def zcdp_delta_by_search(rho: Exact, epsilon: Exact) -> Real:
    """Return the infimum over the order alpha of the bound by the Renyi divergence, by a search of mpmath."""
    with mpmath.workdps(30):
        cost, budget = to_mpf(rho), to_mpf(epsilon)

        def log_delta(alpha: Real) -> Real:
            bound = (alpha - 1) * (alpha * cost - budget) - mpmath.log(alpha - 1)
            return bound + alpha * mpmath.log(1 - 1 / alpha)

        start = (budget / cost + 1) / 2 + 1
        alpha = mpmath.findroot(lambda a: mpmath.diff(log_delta, a), start)
        return mpmath.exp(log_delta(alpha))


RHOS = [(HALF, Fraction(3)), (Fraction(1, 100), Fraction(1)), (Fraction(2), Fraction(10))]


@pytest.mark.parametrize(("rho", "epsilon"), RHOS, ids=str)
def test_zcdp__tight_delta_is_the_infimum(rho: Fraction, epsilon: Fraction) -> None:
    delta = enclose_zcdp_delta(rho, epsilon)
    assert delta.width <= delta.lo / 2**40
    assert is_near(delta, zcdp_delta_by_search(rho, epsilon))
    # The conversion of Bun and Steinke 2016 is weaker, and Gaussian noise has a smaller delta.
    assert gaussian_delta(epsilon, 1, rho_to_sensitivity(rho)) < delta.lo
    assert zcdp_epsilon(rho, delta.lo) > epsilon


def rho_to_sensitivity(rho: Fraction) -> Exact:
    """Return the sensitivity at which noise with sigma = 1 has a rho."""
    return sqrt(2 * rho)


@pytest.mark.parametrize(("rho", "epsilon"), RHOS, ids=str)
def test_zcdp__tight_epsilon_is_the_inverse(rho: Fraction, epsilon: Fraction) -> None:
    delta = enclose_zcdp_delta(rho, epsilon, 60)
    for end in (delta.lo, delta.hi):
        inverse = enclose_zcdp_epsilon(rho, end)
        assert inverse.width <= Fraction(1, 2**40)
        assert abs(inverse.lo - epsilon) < Fraction(1, 2**38)
    assert enclose_zcdp_epsilon(rho, MILLIONTH).hi < zcdp_epsilon(rho, MILLIONTH)


@pytest.mark.parametrize("epsilon", [TENTH, Fraction(1), Fraction(3)], ids=str)
@pytest.mark.parametrize("order", [Fraction(101, 100), Fraction(2), Fraction(50)], ids=str)
def test_zcdp__renyi_divergences_are_within_rho(epsilon: Fraction, order: Fraction) -> None:
    # Worst pairs of epsilon and of a range epsilon; noise attains its rho, at every order.
    with mpmath.workdps(30):
        alpha, odds = to_mpf(order), mpmath.exp(to_mpf(epsilon))
        yes, no = odds / (1 + odds), 1 / (1 + odds)
        pure = mpmath.log(yes**alpha * no ** (1 - alpha) + no**alpha * yes ** (1 - alpha)) / (alpha - 1)
        ranged = max(renyi_of_range(alpha, to_mpf(epsilon), mpmath.mpf(i) / 64) for i in range(1, 64))
    assert pure <= alpha * to_mpf(rho_of_pure(epsilon))
    assert ranged <= alpha * to_mpf(rho_of_bounded_range(epsilon))
    # A pair of (epsilon) does not have a quarter of its rho, which is that of a range.
    assert order > 2 or epsilon > 1 or pure > alpha * to_mpf(rho_of_bounded_range(epsilon))


def renyi_of_range(alpha: Real, epsilon: Real, share: Real) -> Real:
    """Return the Renyi divergence of two laws on two outcomes, with the losses t and t - epsilon."""
    t = share * epsilon
    p = (mpmath.exp(-t) - mpmath.exp(-epsilon)) / (1 - mpmath.exp(-epsilon))
    return mpmath.log(p * mpmath.exp(alpha * t) + (1 - p) * mpmath.exp(alpha * (t - epsilon))) / (alpha - 1)


def test_zcdp__sums_and_groups() -> None:
    assert rho_of_gaussian(2, 3) == Fraction(9, 8)
    assert compose_zcdp([HALF, TENTH]) == Fraction(3, 5)
    assert group_zcdp(rho_of_gaussian(2, 1), 3) == rho_of_gaussian(2, 3)
    assert enclose_gaussian_epsilon(MILLIONTH, 1).hi < enclose_zcdp_epsilon(rho_of_gaussian(1), MILLIONTH).lo


# Bounded range -------------------------------------------------------------------------------------------


def range_delta(total: Exact, epsilon: Exact, ends: Sequence[Real]) -> Real:
    """Return the delta of independent pairs with losses t and t - epsilon, for given t."""
    with mpmath.workdps(30):
        width = to_mpf(epsilon)
        pairs = []
        for t in ends:
            p = (mpmath.exp(-t) - mpmath.exp(-width)) / (1 - mpmath.exp(-width))
            pairs.append(({0: p * mpmath.exp(t), 1: (1 - p) * mpmath.exp(t - width)}, {0: p, 1: 1 - p}))
    return finite_hockey_stick(product_law([p for p, _ in pairs]), product_law([q for _, q in pairs]), total)


@pytest.mark.parametrize(("epsilon", "k"), [(Fraction(1), 1), (HALF, 2), (Fraction(2), 3)])
@pytest.mark.parametrize("total", [Fraction(0), Fraction(1, 3), Fraction(6, 5)], ids=str)
def test_bounded_range__no_losses_on_a_grid_are_worse(total: Exact, epsilon: Fraction, k: int) -> None:
    best = to_mpf(optimal_bounded_range_delta(total, epsilon, k))
    steps = 12
    ends = [to_mpf(epsilon) * i / steps for i in range(steps + 1)]
    deltas = {t: range_delta(total, epsilon, t) for t in product(ends, repeat=k) if list(t) == sorted(t)}
    greatest = max(deltas.values())
    rounding = 1 + mpmath.mpf(10) ** -13
    assert greatest <= best * rounding
    # The grid comes close, so that a bound without slack would be refuted.
    assert greatest >= best * mpmath.mpf("0.96")
    assert best <= to_mpf(optimal_delta(total, [epsilon] * k)) * rounding


# Thresholds ----------------------------------------------------------------------------------------------

DELTAS = [Fraction(9, 10), TENTH, MILLIONTH, Fraction(1, 10**12)]


@pytest.mark.parametrize("delta", DELTAS, ids=str)
@pytest.mark.parametrize("cells", [1, 3])
@pytest.mark.parametrize("scale", [HALF, Fraction(7)], ids=str)
def test_thresholds__keys_of_one_row_stay_hidden(delta: Fraction, cells: int, scale: Fraction) -> None:
    continuous = laplace_threshold(scale, delta, cells)
    chance = Laplace(Fraction(1), scale).above(continuous)
    assert 0 in enclose(1 - (1 - chance) ** cells - delta, 80)
    least = geometric_threshold(scale, delta, cells)
    law = GridLaplace(Fraction(1), scale, Fraction(1))
    assert 1 - (1 - law.above(least)) ** cells <= delta
    assert least == 1 or 1 - (1 - law.above(least - 1)) ** cells > delta


def test_thresholds__of_gaussian_noise_solve_their_equation() -> None:
    threshold = enclose_gaussian_threshold(2, MILLIONTH, 2)
    noise = Gaussian(Fraction(1), Fraction(2))
    assert 1 - (1 - noise.above(threshold.hi)) ** 2 <= MILLIONTH < 1 - (1 - noise.above(threshold.lo)) ** 2
    with pytest.raises(PreconditionError, match="chance of release"):
        enclose_gaussian_threshold(2, Fraction(9, 10))


def test_thresholds__delta_split_between_cells_is_nearly_the_same() -> None:
    assert release_chance(TENTH, 1) == TENTH
    assert TENTH / 3 < release_chance(TENTH, 3) < TENTH / 2
    # A threshold for one key is too low for three.
    law = Laplace(Fraction(1), Fraction(1))
    assert 1 - (1 - law.above(laplace_threshold(1, TENTH))) ** 3 > TENTH


def test_roots__are_given_up_beyond_any_size() -> None:
    with pytest.raises(Undecided, match="a solution between"):
        enclose_root(lambda _: True, 10)
    assert Fraction(1, 3) in enclose_root(lambda x: x < Fraction(1, 3), 20)
