"""Mistakes in accounting."""

from __future__ import annotations

import math
from collections.abc import Sequence

from .mistake import MistakesIn
from .model import PlainLibrary

wrong_sigma = MistakesIn(PlainLibrary.gaussian_sigma, "gaussian-sigma")
wrong_gaussian = MistakesIn(PlainLibrary.gaussian_delta, "gaussian-delta")
wrong_distance = MistakesIn(PlainLibrary.distance, "clipped-sum-delta")
wrong_laplace = MistakesIn(PlainLibrary.laplace_delta, "laplace-delta")
wrong_discrete = MistakesIn(PlainLibrary.discrete_gaussian_delta, "discrete-gaussian-delta")
wrong_basic = MistakesIn(PlainLibrary.basic_composition_epsilon, "basic-composition-epsilon")
wrong_advanced = MistakesIn(PlainLibrary.advanced_composition_epsilon, "advanced-composition-epsilon")
wrong_pure = MistakesIn(PlainLibrary.pure_composition_delta, "pure-composition-delta")
wrong_rho = MistakesIn(PlainLibrary.zcdp_of_gaussian, "zcdp-of-gaussian")
wrong_rho_of_pure = MistakesIn(PlainLibrary.zcdp_of_pure, "zcdp-of-pure")
wrong_rhos = MistakesIn(PlainLibrary.zcdp_composition, "zcdp-composition")
wrong_conversion = MistakesIn(PlainLibrary.zcdp_epsilon, "zcdp-epsilon")
wrong_mus = MistakesIn(PlainLibrary.gdp_composition, "gdp-composition")
wrong_gdp = MistakesIn(PlainLibrary.gdp_delta, "gdp-delta")
wrong_sampling = MistakesIn(PlainLibrary.subsampling_epsilon, "subsampling-epsilon")
wrong_sampled = MistakesIn(PlainLibrary.subsampled_gaussian_delta, "subsampled-gaussian-delta")
wrong_group = MistakesIn(PlainLibrary.group_delta, "group-delta")
wrong_threshold = MistakesIn(PlainLibrary.laplace_threshold, "laplace-threshold")
wrong_response = MistakesIn(PlainLibrary.randomised_response_delta, "randomised-response-delta")


@wrong_sigma("Sigma is that of delta / epsilon.")
def sigma_of_other_delta(right: PlainLibrary, epsilon: float, delta: float, sensitivity: float) -> float:
    return right.gaussian_sigma(epsilon, min(delta * 2, 0.99), sensitivity)


@wrong_gaussian("The second tail is not subtracted with e^epsilon, but added to the first one.")
def delta_of_one_tail(right: PlainLibrary, sigma: float, sensitivity: float, at_epsilon: float) -> float:
    return right.gaussian_delta(sigma, sensitivity / 2, at_epsilon)


@wrong_gaussian("The tail is 1 - cdf, which is 0 far out.")
def delta_of_cdf(right: PlainLibrary, sigma: float, sensitivity: float, at_epsilon: float) -> float:
    delta = right.gaussian_delta(sigma, sensitivity, at_epsilon)
    return delta if delta > 2.0**-53 else 0.0


@wrong_distance("The bound of one row is the sensitivity, also where a row is replaced.")
def clipped_sum_of_one_row(right: PlainLibrary, bound: float, relation: str) -> float:
    return bound


@wrong_laplace("The exponent is not halved.")
def laplace_delta_not_halved(
    right: PlainLibrary, scale: float, sensitivity: float, at_epsilon: float
) -> float:
    return max(0.0, 1 - math.exp(at_epsilon - sensitivity / scale)) / 2


@wrong_discrete("The delta of discrete noise is that of continuous noise.")
def discrete_as_continuous(right: PlainLibrary, sigma: float, sensitivity: int, at_epsilon: float) -> float:
    return right.gaussian_delta(sigma, sensitivity, at_epsilon)


@wrong_basic("The greatest epsilon stands for all mechanisms.")
def composition_greatest(right: PlainLibrary, epsilons: Sequence[float]) -> float:
    return max(epsilons)


@wrong_basic("The last mechanism is forgotten.")
def composition_without_last(right: PlainLibrary, epsilons: Sequence[float]) -> float:
    return right.basic_composition_epsilon(epsilons[:-1])


@wrong_advanced("The term k epsilon (e^epsilon - 1) is left out, and the root halved.")
def advanced_without_mean(right: PlainLibrary, epsilon: float, times: int, delta: float) -> float:
    return epsilon * math.sqrt(times * math.log(1 / delta) / 2)


@wrong_pure("Only half of the mechanisms are composed.")
def pure_composition_halved(right: PlainLibrary, epsilons: Sequence[float], at_epsilon: float) -> float:
    return right.pure_composition_delta([epsilon / 2 for epsilon in epsilons], at_epsilon)


@wrong_rho("Rho is divided by 4.")
def rho_quarter(right: PlainLibrary, sigma: float, sensitivity: float) -> float:
    return right.zcdp_of_gaussian(sigma, sensitivity) / 2


@wrong_rho("Rho has the sensitivity, not its square.")
def rho_of_sensitivity(right: PlainLibrary, sigma: float, sensitivity: float) -> float:
    return sensitivity / sigma**2 / 2


@wrong_rho_of_pure("A pure mechanism is taken for one of bounded range.")
def rho_of_range(right: PlainLibrary, epsilon: float) -> float:
    return epsilon**2 / 8


@wrong_rhos("The greatest rho stands for all mechanisms.")
def rhos_greatest(right: PlainLibrary, rhos: Sequence[float]) -> float:
    return max(rhos)


@wrong_conversion("The rho before the root is left out, and the 2 as well.")
def conversion_without_rho(right: PlainLibrary, rho: float, delta: float) -> float:
    return math.sqrt(-rho * math.log(delta))


@wrong_mus("Values of mu are averaged.")
def mus_averaged(right: PlainLibrary, mus: Sequence[float]) -> float:
    return right.gdp_composition(mus) / math.sqrt(len(mus))


@wrong_gdp("Mu is taken for sigma.")
def gdp_inverted(right: PlainLibrary, mu: float, at_epsilon: float) -> float:
    return right.gdp_delta(1 / mu, at_epsilon)


@wrong_sampling("Epsilon is multiplied by the rate.")
def sampling_times_rate(right: PlainLibrary, epsilon: float, rate: float) -> float:
    return epsilon * rate


@wrong_sampling("The rate is squared.")
def sampling_squared(right: PlainLibrary, epsilon: float, rate: float) -> float:
    return right.subsampling_epsilon(epsilon, rate * rate)


@wrong_sampled("Only the loss of an added row is taken.")
def sampled_added_only(right: PlainLibrary, sigma: float, rate: float, at_epsilon: float) -> float:
    return right.added_delta(sigma, rate, at_epsilon)


@wrong_group("Delta of a group is k times delta.")
def group_times_delta(right: PlainLibrary, epsilon: float, delta: float, times: int) -> float:
    return times * delta


@wrong_threshold("The 1 of the threshold is left out.")
def threshold_without_one(right: PlainLibrary, epsilon: float, delta: float) -> float:
    return right.laplace_threshold(epsilon, delta) - 1


@wrong_threshold("The noise of the threshold has the scale of epsilon = 2.")
def threshold_of_half_noise(right: PlainLibrary, epsilon: float, delta: float) -> float:
    return 1 + (right.laplace_threshold(epsilon, delta) - 1) / 2


@wrong_response("The number of categories is taken to be 2, and epsilon halved.")
def response_delta_of_half(right: PlainLibrary, categories: int, epsilon: float, at_epsilon: float) -> float:
    return right.randomised_response_delta(categories, epsilon / 2, at_epsilon)
