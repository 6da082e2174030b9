"""Arguments without meaning are refused, with the name of the argument."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest

from privboost.errors import InexactInputError, PreconditionError
from privboost.reference.data import Relation
from privboost.reference.exact import Exact
from privboost.reference.mechanisms.above_threshold import above_threshold_scales
from privboost.reference.mechanisms.bounded_range import optimal_bounded_range_delta
from privboost.reference.mechanisms.choices import exponential, quantile_sensitivity, randomised_response
from privboost.reference.mechanisms.composition import (
    advanced_composition,
    basic_composition,
    group_privacy,
    optimal_delta,
)
from privboost.reference.mechanisms.concentrated import enclose_zcdp_delta, rho_of_pure, zcdp_epsilon
from privboost.reference.mechanisms.curves import discrete_gaussian_delta, laplace_delta
from privboost.reference.mechanisms.gaussian import enclose_sigma, gaussian_delta
from privboost.reference.mechanisms.noise import laplace_scale
from privboost.reference.mechanisms.noisy_max import noisy_max_scale
from privboost.reference.mechanisms.queries import bounded_sum_law, count_law, sum_sensitivity
from privboost.reference.mechanisms.subsampling import amplify
from privboost.reference.mechanisms.thresholds import laplace_threshold

TENTH = Fraction(1, 10)
EXCHANGE = Relation.EXCHANGE

POSITIVE_EPSILON: dict[str, Callable[[Exact], object]] = {
    "laplace_scale": lambda value: laplace_scale(value, 1),
    "exponential": lambda value: exponential({0: 1}, value, 1),
    "randomised_response": lambda value: randomised_response(2, value),
    "noisy_max_scale": lambda value: noisy_max_scale(value, 1),
    "above_threshold_scales": lambda value: above_threshold_scales(value, 1),
    "count_law": lambda value: count_law(1, value),
    "bounded_sum_law": lambda value: bounded_sum_law([1], 0, 1, value, relation=EXCHANGE),
    "advanced_composition": lambda value: advanced_composition(value, 0, 2, TENTH),
    "optimal_delta": lambda value: optimal_delta(1, [value]),
    "optimal_bounded_range_delta": lambda value: optimal_bounded_range_delta(1, value, 2),
    "rho_of_pure": rho_of_pure,
}


@pytest.mark.parametrize("epsilon", [0, -1, Fraction(-1, 100)], ids=str)
@pytest.mark.parametrize("function", POSITIVE_EPSILON.values(), ids=POSITIVE_EPSILON.keys())
def test_refusals__epsilon_must_be_positive(function: Callable[[Exact], object], epsilon: Exact) -> None:
    with pytest.raises(PreconditionError, match="epsilon: expected a number > 0"):
        function(epsilon)


@pytest.mark.parametrize("function", POSITIVE_EPSILON.values(), ids=POSITIVE_EPSILON.keys())
@pytest.mark.parametrize("epsilon", [0.5, float("nan"), float("inf"), True, None], ids=str)
def test_refusals__floats_and_other_types(function: Callable[[object], object], epsilon: object) -> None:
    with pytest.raises(InexactInputError, match="expected an exact number"):
        function(epsilon)


DELTA: dict[str, Callable[[Exact], object]] = {
    "enclose_sigma": lambda value: enclose_sigma(1, value),
    "advanced_composition": lambda value: advanced_composition(1, 0, 2, value),
    "zcdp_epsilon": lambda value: zcdp_epsilon(1, value),
    "laplace_threshold": lambda value: laplace_threshold(1, value),
}


@pytest.mark.parametrize("delta", [0, -1, 1, Fraction(3, 2)], ids=str)
@pytest.mark.parametrize("function", DELTA.values(), ids=DELTA.keys())
def test_refusals__delta_must_be_between_0_and_1(function: Callable[[Exact], object], delta: Exact) -> None:
    with pytest.raises(PreconditionError, match="delta: expected 0 < delta < 1"):
        function(delta)


@pytest.mark.parametrize("delta", [-1, 1])
def test_refusals__a_delta_that_may_be_0(delta: int) -> None:
    for call in (
        lambda: basic_composition([(1, delta)]),
        lambda: group_privacy(1, delta, 2),
        lambda: amplify(1, delta, TENTH),
        lambda: laplace_scale(1, 1, delta),
    ):
        with pytest.raises(PreconditionError, match="delta: expected 0 <= delta < 1"):
            call()
    assert group_privacy(1, 0, 2) == (Fraction(2), Fraction(0))


OTHERS: dict[str, tuple[Callable[[], object], str]] = {
    "epsilon < 0": (lambda: gaussian_delta(-1, 1), "epsilon: expected a number >= 0"),
    "epsilon < 0 of Laplace": (lambda: laplace_delta(-1, 1), "epsilon: expected a number >= 0"),
    "sigma = 0": (lambda: gaussian_delta(1, 0), "sigma: expected a number > 0"),
    "sensitivity = 0": (lambda: laplace_scale(1, 0), "sensitivity: expected a number > 0"),
    "sensitivity < 0": (lambda: gaussian_delta(1, 1, -1), "sensitivity: expected a number > 0"),
    "sensitivity 0 on a grid": (lambda: discrete_gaussian_delta(1, 1, 0), "sensitivity: expected an integer"),
    "swapped bounds": (lambda: sum_sensitivity(1, 0, EXCHANGE), "bounds: expected lo < hi"),
    "equal bounds": (lambda: sum_sensitivity(1, 1, EXCHANGE), "bounds: expected lo < hi"),
    "q > 1": (lambda: quantile_sensitivity(2, EXCHANGE), "q: expected 0 <= q <= 1"),
    "rho = 0": (lambda: enclose_zcdp_delta(0, 1), "rho: expected a number > 0"),
    "k = 0": (lambda: group_privacy(1, 0, 0), "k: expected an integer >= 1"),
    "step = 0": (lambda: bounded_sum_law([1], 0, 1, 1, relation=EXCHANGE, step=0), "step: expected"),
}


@pytest.mark.parametrize(("call", "message"), OTHERS.values(), ids=OTHERS.keys())
def test_refusals__name_the_argument(call: Callable[[], object], message: str) -> None:
    with pytest.raises(PreconditionError, match=message):
        call()
