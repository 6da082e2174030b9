"""Mistakes in noise and in choices: laws, calibration, sources of randomness."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from .mistake import MistakesIn
from .model import Args, PlainLibrary, Source

wrong_laplace = MistakesIn(PlainLibrary.laplace_noise, "laplace")
wrong_geometric = MistakesIn(PlainLibrary.geometric_noise, "geometric")
wrong_normal = MistakesIn(PlainLibrary.normal_noise, "gaussian")
wrong_scale = MistakesIn(PlainLibrary.scale, "laplace")
wrong_sigma = MistakesIn(PlainLibrary.gaussian_sigma, "gaussian")
wrong_discrete = MistakesIn(PlainLibrary.discrete_gaussian, "discrete-gaussian")
wrong_rate = MistakesIn(PlainLibrary.rate, "exponential")
wrong_powers = MistakesIn(PlainLibrary.powers, "exponential")
wrong_choice = MistakesIn(PlainLibrary.exponential, "exponential")
wrong_flip = MistakesIn(PlainLibrary.permute_and_flip, "permute-and-flip")
wrong_noise_of_score = MistakesIn(PlainLibrary.noise_of_score, "noisy-max")
wrong_response = MistakesIn(PlainLibrary.randomised_response, "randomised-response")
wrong_threshold = MistakesIn(PlainLibrary.above_threshold, "above-threshold")
wrong_source = MistakesIn(PlainLibrary.generator, "laplace")
wrong_draws = MistakesIn(PlainLibrary.repeat, "laplace")


@wrong_laplace("Laplace noise is never negative.")
def laplace_one_sided(right: PlainLibrary, scale: float, source: Source) -> float:
    return abs(right.laplace_noise(scale, source))


@wrong_laplace("The scale of Laplace noise is taken for its standard deviation.")
def laplace_deviation(right: PlainLibrary, scale: float, source: Source) -> float:
    return right.laplace_noise(scale / math.sqrt(2), source)


@wrong_laplace("The scale of Laplace noise is taken for its rate.")
def laplace_rate(right: PlainLibrary, scale: float, source: Source) -> float:
    return right.laplace_noise(1 / scale if scale else 0.0, source)


@wrong_laplace("Laplace noise is cut off at four scales.")
def laplace_truncated(right: PlainLibrary, scale: float, source: Source) -> float:
    return max(-4 * scale, min(right.laplace_noise(scale, source), 4 * scale))


@wrong_laplace("Normal noise of the same standard deviation takes the place of Laplace noise.")
def laplace_as_normal(right: PlainLibrary, scale: float, source: Source) -> float:
    return source.gauss(0, math.sqrt(2) * scale)


@wrong_laplace("Laplace noise is a uniform number's logarithm with the sign of another one that repeats it.")
def laplace_sign_of_size(right: PlainLibrary, scale: float, source: Source) -> float:
    uniform = source.random()
    return scale * -math.log(1 - uniform) * (1 if uniform < 0.5 else -1)


@wrong_laplace("Noise is rounded to multiples of half of the scale.")
def laplace_coarse(right: PlainLibrary, scale: float, source: Source) -> float:
    return round(2 * right.laplace_noise(scale, source) / scale) * scale / 2 if scale else 0.0


@wrong_geometric("Geometric noise counts 0 twice: a size and a sign are drawn.", label="geometric")
def geometric_zero_twice(right: PlainLibrary, scale: float, source: Source) -> int:
    return right.steps(scale, source) * source.choice((-1, 1))


@wrong_geometric("Geometric noise is Laplace noise, rounded to the nearest integer.")
def geometric_rounded(right: PlainLibrary, scale: float, source: Source) -> int:
    return round(right.laplace_noise(scale, source))


@wrong_geometric("Geometric noise is Laplace noise, rounded down.")
def geometric_floor(right: PlainLibrary, scale: float, source: Source) -> int:
    return math.floor(right.laplace_noise(scale, source))


@wrong_geometric("The loop that draws geometric noise gives up after 10 steps.")
def geometric_capped(right: PlainLibrary, scale: float, source: Source) -> int:
    return min(right.steps(scale, source), 10) - min(right.steps(scale, source), 10)


@wrong_scale("Noise has half of the scale that epsilon and the sensitivity need.")
def scale_half(right: PlainLibrary, sensitivity: Fraction, epsilon: Fraction) -> float:
    return right.scale(sensitivity, epsilon) / 2


@wrong_scale("The sensitivity does not enter the scale.")
def scale_without_sensitivity(right: PlainLibrary, sensitivity: Fraction, epsilon: Fraction) -> float:
    return right.scale(Fraction(1), epsilon)


@wrong_scale("Epsilon does not enter the scale.")
def scale_without_epsilon(right: PlainLibrary, sensitivity: Fraction, epsilon: Fraction) -> float:
    return right.scale(sensitivity, Fraction(1))


@wrong_scale("The scale is epsilon over the sensitivity.")
def scale_inverted(right: PlainLibrary, sensitivity: Fraction, epsilon: Fraction) -> float:
    return float(epsilon / sensitivity) if sensitivity else 0.0


@wrong_scale("The scale is an integer: fractions of it are lost.")
def scale_as_integer(right: PlainLibrary, sensitivity: Fraction, epsilon: Fraction) -> float:
    return float(math.floor(right.scale(sensitivity, epsilon)))


@wrong_sigma("The classic formula is used for any epsilon.")
def sigma_classic(right: PlainLibrary, epsilon: float, delta: float, sensitivity: float) -> float:
    return sensitivity * math.sqrt(2 * math.log(1.25 / delta)) / epsilon


@wrong_sigma("Sigma is taken for a variance.")
def sigma_as_variance(right: PlainLibrary, epsilon: float, delta: float, sensitivity: float) -> float:
    return math.sqrt(right.gaussian_sigma(epsilon, delta, sensitivity))


@wrong_sigma("Delta does not enter sigma.")
def sigma_without_delta(right: PlainLibrary, epsilon: float, delta: float, sensitivity: float) -> float:
    return right.gaussian_sigma(epsilon, 0.5, sensitivity)


@wrong_sigma("The sensitivity does not enter sigma.")
def sigma_without_sensitivity(right: PlainLibrary, epsilon: float, delta: float, sensitivity: float) -> float:
    return right.gaussian_sigma(epsilon, delta, 1.0)


@wrong_normal("Normal noise has half of its standard deviation.")
def normal_half(right: PlainLibrary, sigma: float, source: Source) -> float:
    return right.normal_noise(sigma / 2, source)


@wrong_normal("Normal noise is a tenth too small.")
def normal_tenth_less(right: PlainLibrary, sigma: float, source: Source) -> float:
    return right.normal_noise(0.9 * sigma, source)


@wrong_discrete("Discrete Gaussian noise is normal noise, rounded.")
def discrete_gaussian_rounded(right: PlainLibrary, a: Args, source: Source) -> int:
    return int(a["value"]) + round(source.gauss(0, float(a["sigma"])))


@wrong_discrete("Sigma of discrete Gaussian noise is taken for its variance.")
def discrete_gaussian_variance(right: PlainLibrary, a: Args, source: Source) -> int:
    return right.discrete_gaussian(dict(a) | {"sigma": math.sqrt(a["sigma"])}, source)


@wrong_discrete("Values beyond 32 bits wrap before noise is added.")
def discrete_gaussian_wraps(right: PlainLibrary, a: Args, source: Source) -> int:
    wrapped = (a["value"] + (1 << 31)) % (1 << 32) - (1 << 31)
    return right.discrete_gaussian(dict(a) | {"value": wrapped}, source)


@wrong_rate("The 2 in the exponent is left out.")
def exponential_without_2(right: PlainLibrary, a: Args) -> Fraction:
    return right.rate(dict(a) | {"monotonic": "yes"})


@wrong_rate("Monotonic scores get the 2 in the exponent as well.")
def exponential_monotonic_ignored(right: PlainLibrary, a: Args) -> Fraction:
    return right.rate(dict(a) | {"monotonic": "no"})


@wrong_rate("The sensitivity of the scores is ignored.")
def exponential_without_sensitivity(right: PlainLibrary, a: Args) -> Fraction:
    return right.rate(dict(a) | {"sensitivity": Fraction(1)})


@wrong_powers("The worst candidate is the most likely one.")
def exponential_sign(right: PlainLibrary, a: Args) -> list[float]:
    worst = min(a["scores"].values())
    return [float(right.rate(a) * (worst - score)) for score in a["scores"].values()]


@wrong_choice("Exponentials of scores overflow, and all candidates are alike.")
def exponential_overflow(right: PlainLibrary, a: Args, source: Source) -> Any:
    try:
        weights = [math.exp(right.rate(a) * score) for score in a["scores"].values()]
        return list(a["scores"])[right.choose(weights, source)]
    except (OverflowError, ValueError):
        return source.choice(list(a["scores"]))


@wrong_choice("The best candidate is returned without noise.")
def exponential_best(right: PlainLibrary, a: Args, source: Source) -> Any:
    return max(a["scores"], key=a["scores"].__getitem__)


@wrong_flip("Permute-and-flip does not permute.")
def flip_without_permutation(right: PlainLibrary, a: Args, source: Source) -> Any:
    candidates = zip(a["scores"], right.powers(a), strict=True)
    return next((name for name, power in candidates if source.random() <= math.exp(power)), "a")


@wrong_flip("The exponential mechanism takes the place of permute-and-flip.")
def flip_as_exponential(right: PlainLibrary, a: Args, source: Source) -> Any:
    return right.exponential(a, source)


@wrong_noise_of_score("Scores get Gumbel noise whatever the noise is.")
def noisy_max_gumbel(right: PlainLibrary, noise: str, source: Source) -> float:
    return right.noise_of_score("gumbel", source)


@wrong_noise_of_score("Scores get half of their noise.")
def noisy_max_half(right: PlainLibrary, noise: str, source: Source) -> float:
    return right.noise_of_score(noise, source) / 2


@wrong_response("The truth is told with the probability e^epsilon / (1 + e^epsilon), whatever k is.")
def response_of_two(right: PlainLibrary, a: Args, source: Source) -> int:
    odds = math.exp(a["epsilon"])
    if source.random() < odds / (1 + odds):
        return int(a["truth"])
    return int((a["truth"] + 1 + source.randrange(a["categories"] - 1)) % a["categories"])


@wrong_response("A false answer may be the truth as well.")
def response_truth_again(right: PlainLibrary, a: Args, source: Source) -> int:
    odds = math.exp(a["epsilon"])
    if source.random() < odds / (odds + a["categories"] - 1):
        return int(a["truth"])
    return source.randrange(a["categories"])


@wrong_threshold("The threshold gets no noise.")
def threshold_without_noise(right: PlainLibrary, a: Args, source: Source) -> int:
    scale = right.scale(a["sensitivity"], a["epsilon"])
    noisy = (float(answer) + right.laplace_noise(4 * scale, source) for answer in a["answers"])
    return next((i for i, answer in enumerate(noisy) if answer >= a["threshold"]), len(a["answers"]))


@wrong_threshold("Answers get no noise.")
def threshold_answers_without_noise(right: PlainLibrary, a: Args, source: Source) -> int:
    scale = right.scale(a["sensitivity"], a["epsilon"])
    threshold = float(a["threshold"]) + right.laplace_noise(2 * scale, source)
    return next((i for i, answer in enumerate(a["answers"]) if answer >= threshold), len(a["answers"]))


@wrong_threshold("One draw of noise serves for all answers.")
def threshold_one_draw(right: PlainLibrary, a: Args, source: Source) -> int:
    scale = right.scale(a["sensitivity"], a["epsilon"])
    threshold = float(a["threshold"]) + right.laplace_noise(2 * scale, source)
    noise = right.laplace_noise(4 * scale, source)
    noisy = (float(answer) + noise for answer in a["answers"])
    return next((i for i, answer in enumerate(noisy) if answer >= threshold), len(a["answers"]))


@wrong_source("The seed is ignored: all requests have the same draws.")
def source_constant(right: PlainLibrary, seed: int) -> Source:
    return right.generator(1)


@wrong_draws("The first draw of a request is returned for all of them.")
def draws_repeated(
    right: PlainLibrary, draw: Callable[[Args, Source], Any], a: Args, source: Source, count: int
) -> Sequence[Any]:
    return [entry for entry in right.repeat(draw, a, source, 1) for _ in range(count)]


@wrong_draws("Every second draw repeats the one before.")
def draws_in_pairs(
    right: PlainLibrary, draw: Callable[[Args, Source], Any], a: Args, source: Source, count: int
) -> Sequence[Any]:
    return [entry for entry in right.repeat(draw, a, source, count) for _ in range(2)][:count]
