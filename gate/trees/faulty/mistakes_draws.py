"""Mistakes in random samples: splits, noise, seeds. What is computed is right."""

from __future__ import annotations

from bisect import bisect
from dataclasses import replace
from fractions import Fraction
from itertools import accumulate
from math import floor, sqrt
from random import Random
from typing import Any

from .mistake import MistakesIn
from .model import Port
from .model_losses import Args
from .model_privacy import PortLaw

wrong_generator = MistakesIn(Port.generator, "sec-solv")
wrong_splits = MistakesIn(Port.sample_splits, "expSPLIT")
wrong_noise = MistakesIn(Port.sample_laplace, "sec-solv")


@wrong_generator("The generator is seeded with a constant instead of the seed.", label="expSPLIT")
def seed_ignored(right: Port, seed: Any) -> Random:
    right.generator(seed)
    return Random(0)


@wrong_generator("Seeds are taken modulo 2^32, so that noise is used again.")
def seed_truncated(right: Port, seed: Any) -> Random:
    right.generator(seed)
    return Random(int(seed) % 2**32)


@wrong_splits("The generator is created again for every draw of a request.")
def draws_repeated(right: Port, law: PortLaw, source: Random, count: int) -> list[str]:
    return right.sample_splits(law, source, 1) * count


@wrong_splits("Candidates come in the right proportions, but in turn instead of by chance.")
def draws_in_turn(right: Port, law: PortLaw, source: Random, count: int) -> list[str]:
    if count == 1:
        return right.sample_splits(law, source, count)
    chances, start = right.split_law(law), source.random()
    ends = list(accumulate(float(chance) for chance in chances.values()))
    return [list(chances)[bisect(ends[:-1], (start + index / count) % 1)] for index in range(count)]


@wrong_splits("Splits are drawn by the greatest score with Laplace noise of scale 2 Delta / epsilon.")
def noisy_max(right: Port, law: PortLaw, source: Random, count: int) -> list[str]:
    powers = {name: float(law.rate * score) for name, score in law.scores.items()}

    def add_noise(name: str) -> float:
        return powers[name] + source.expovariate(1) - source.expovariate(1)

    return [max(powers, key=add_noise) for _ in range(count)]


@wrong_splits("Permute-and-flip is drawn by the exponential mechanism.")
def draws_permute_and_flip_as_exponential(right: Port, law: PortLaw, source: Random, count: int) -> list[str]:
    return right.sample_splits(replace(law, kind="exponential"), source, count)


@wrong_splits("Splits are drawn with twice their rate: the 2 is dropped.")
def draws_without_2(right: Port, law: PortLaw, source: Random, count: int) -> list[str]:
    return right.sample_splits(replace(law, rate=2 * law.rate), source, count)


@wrong_noise("Noise is exponential: never negative.")
def laplace_one_sided(right: Port, scale: Fraction, grid: Fraction, source: Random) -> Fraction:
    return abs(right.sample_laplace(scale, grid, source))


@wrong_noise("The scale is treated as a rate.")
def laplace_rate(right: Port, scale: Fraction, grid: Fraction, source: Random) -> Fraction:
    return right.sample_laplace(1 / scale, grid, source)


@wrong_noise("The scale is treated as a variance.")
def laplace_variance(right: Port, scale: Fraction, grid: Fraction, source: Random) -> Fraction:
    return right.sample_laplace(Fraction(sqrt(scale / 2)), grid, source)


@wrong_noise("The scale is treated as a standard deviation.")
def laplace_deviation(right: Port, scale: Fraction, grid: Fraction, source: Random) -> Fraction:
    return right.sample_laplace(scale / Fraction(sqrt(2)), grid, source)


@wrong_noise("The scale is doubled: a needless factor 2.")
def laplace_doubled(right: Port, scale: Fraction, grid: Fraction, source: Random) -> Fraction:
    return right.sample_laplace(2 * scale, grid, source)


@wrong_noise("Noise is a float from the continuous law, which leaks information in its last digits.")
def laplace_continuous(right: Port, scale: Fraction, grid: Fraction, source: Random) -> Fraction:
    return Fraction(float(scale) * (source.expovariate(1) - source.expovariate(1)))


@wrong_noise("Continuous noise is rounded to the grid, which is not the law on the grid.")
def laplace_rounded(right: Port, scale: Fraction, grid: Fraction, source: Random) -> Fraction:
    return grid * round(float(scale / grid) * (source.expovariate(1) - source.expovariate(1)))


@wrong_noise("A random sign and a random size: 0 comes twice as often as it should.")
def laplace_zero_twice(right: Port, scale: Fraction, grid: Fraction, source: Random) -> Fraction:
    return grid * right.sample_geometric(float(scale / grid), source) * source.choice((1, -1))


@wrong_noise("Noise beyond three scales is drawn again.")
def laplace_truncated(right: Port, scale: Fraction, grid: Fraction, source: Random) -> Fraction:
    return truncate(3, right, scale, grid, source)


def truncate(most: int, right: Port, scale: Fraction, grid: Fraction, source: Random) -> Fraction:
    """Return noise that is drawn again until it is at most `most` scales."""
    while abs(noise := right.sample_laplace(scale, grid, source)) > most * scale:
        pass
    return noise


@wrong_noise("Noise is normal with the same standard deviation.")
def laplace_gaussian(right: Port, scale: Fraction, grid: Fraction, source: Random) -> Fraction:
    return grid * round(source.gauss(0, sqrt(2) * float(scale / grid)))


@wrong_noise("Noise is on the grid of 1/1024, not on the requested one.")
def laplace_grid_ignored(right: Port, scale: Fraction, grid: Fraction, source: Random) -> Fraction:
    return right.sample_laplace(scale, Fraction(1, 1024), source)


@wrong_noise("Noise is a number of steps that is not multiplied by the grid.")
def laplace_step_missing(right: Port, scale: Fraction, grid: Fraction, source: Random) -> Fraction:
    return right.sample_laplace(scale, grid, source) / grid


@wrong_noise("The scale is 5 percent too small: 0.95 of it.")
def laplace_5_percent_small(right: Port, scale: Fraction, grid: Fraction, source: Random) -> Fraction:
    return right.sample_laplace(scale * Fraction("0.95"), grid, source)


@wrong_noise("The scale is 5 percent too large: 1.05 times it.")
def laplace_5_percent_large(right: Port, scale: Fraction, grid: Fraction, source: Random) -> Fraction:
    return right.sample_laplace(scale * Fraction("1.05"), grid, source)


@wrong_noise(
    "The scale is 2 percent too small: 0.98 of it.", missed="50,000 draws do not show an error of 2 percent"
)
def laplace_2_percent_small(right: Port, scale: Fraction, grid: Fraction, source: Random) -> Fraction:
    return right.sample_laplace(scale * Fraction("0.98"), grid, source)


@wrong_noise("Noise beyond 5 scales is drawn again.")
def laplace_truncated_at_5(right: Port, scale: Fraction, grid: Fraction, source: Random) -> Fraction:
    return truncate(5, right, scale, grid, source)


@wrong_noise("Noise beyond 6 scales is drawn again.")
def laplace_truncated_at_6(right: Port, scale: Fraction, grid: Fraction, source: Random) -> Fraction:
    return truncate(6, right, scale, grid, source)


@wrong_noise(
    "Noise beyond 8 scales is drawn again.",
    missed="about 14 of 50,000 draws are beyond 8 scales; that they are missing may be chance",
)
def laplace_truncated_at_8(right: Port, scale: Fraction, grid: Fraction, source: Random) -> Fraction:
    return truncate(8, right, scale, grid, source)


@wrong_noise("Noise is clamped to 5 scales.")
def laplace_clamped_at_5(right: Port, scale: Fraction, grid: Fraction, source: Random) -> Fraction:
    return right.clamp(right.sample_laplace(scale, grid, source), grid * floor(5 * scale / grid))


@wrong_noise("One negative draw in 20 has the wrong sign.")
def laplace_sign_bias(right: Port, scale: Fraction, grid: Fraction, source: Random) -> Fraction:
    noise = right.sample_laplace(scale, grid, source)
    return abs(noise) if source.randrange(20) == 0 else noise


@MistakesIn(Port.answer_sample_laplace, "sec-solv")(
    "Every second draw of a request is minus the draw before."
)
def laplace_opposite_pairs(right: Port, args: Args) -> list[str]:
    noise = right.answer_sample_laplace(args)
    noise[1::2] = [str(-Fraction(part)) for part in noise[::2][: len(noise) // 2]]
    return noise


@wrong_splits("Splits are drawn with 0.9 of their rate.")
def draws_rate_10_percent(right: Port, law: PortLaw, source: Random, count: int) -> list[str]:
    return right.sample_splits(replace(law, rate=law.rate * Fraction("0.9")), source, count)


@wrong_splits("Splits are drawn with 0.95 of their rate.")
def draws_rate_5_percent(right: Port, law: PortLaw, source: Random, count: int) -> list[str]:
    return right.sample_splits(replace(law, rate=law.rate * Fraction("0.95")), source, count)


@wrong_splits("One split in 20 is drawn uniformly.")
def draws_mixed_with_uniform(right: Port, law: PortLaw, source: Random, count: int) -> list[str]:
    names, splits = list(law.scores), right.sample_splits(law, source, count)
    return [source.choice(names) if source.randrange(20) == 0 else name for name in splits]


@wrong_splits("The last candidate of several is never drawn.")
def draws_last_missing(right: Port, law: PortLaw, source: Random, count: int) -> list[str]:
    kept = dict(list(law.scores.items())[:-1]) or law.scores
    return right.sample_splits(replace(law, scores=kept), source, count)
