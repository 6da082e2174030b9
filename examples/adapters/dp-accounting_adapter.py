"""dp-accounting (github.com/google/differential-privacy): accounting only, by privacy loss distributions."""

from functools import reduce
from importlib.metadata import version
from math import exp

import dp_accounting as dp
from dp_accounting.pld import accountant
from dp_accounting.pld import privacy_loss_distribution as loss
from dp_accounting.pld.common import DifferentialPrivacyParameters as Spent
from serve import serve


def compose(epsilons):
    parts = [loss.from_privacy_parameters(Spent(epsilon, 0)) for epsilon in epsilons]
    return reduce(lambda first, second: first.compose(second), parts)


def randomised_response(categories, epsilon):
    return loss.from_randomized_response(categories / (exp(epsilon) + categories - 1), categories)


def zcdp_epsilon(rho, delta):
    return dp.rdp.RdpAccountant().compose(dp.dp_event.ZCDpEvent(rho)).get_epsilon(delta)


def gaussian(sigma, sensitivity=1, rate=1.0):
    fine = 1e-4 * max(1, (sensitivity / sigma) ** 2)
    given = {"sampling_prob": rate, "value_discretization_interval": fine}
    return loss.from_gaussian_mechanism(sigma, sensitivity, **given)


RULES = {
    "gaussian_sigma": lambda epsilon, delta, sensitivity: sensitivity * dp.get_sigma_gaussian(epsilon, delta),
    "gaussian_delta": lambda sigma, sensitivity, at_epsilon: gaussian(
        sigma, sensitivity
    ).get_delta_for_epsilon(at_epsilon),
    "laplace_delta": lambda scale, sensitivity, at_epsilon: loss.from_laplace_mechanism(
        scale, sensitivity
    ).get_delta_for_epsilon(at_epsilon),
    "randomised_response_delta": lambda categories, epsilon, at_epsilon: randomised_response(
        categories, epsilon
    ).get_delta_for_epsilon(at_epsilon),
    "discrete_gaussian_delta": lambda sigma, sensitivity, at_epsilon: loss.from_discrete_gaussian_mechanism(
        sigma, sensitivity
    ).get_delta_for_epsilon(at_epsilon),
    "advanced_composition_epsilon": lambda epsilon, times, delta: accountant.advanced_composition(
        Spent(epsilon, 0), times, delta
    ),
    "pure_composition_delta": lambda epsilons, at_epsilon: compose(epsilons).get_delta_for_epsilon(
        at_epsilon
    ),
    "zcdp_epsilon": zcdp_epsilon,
    "subsampled_gaussian_delta": lambda sigma, rate, at_epsilon: gaussian(
        sigma, rate=rate
    ).get_delta_for_epsilon(at_epsilon),
}
serve("dp-accounting", version("dp-accounting"), {}, RULES)
