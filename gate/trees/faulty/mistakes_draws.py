"""Mistakes in random draws: splits, noise, seeds. What is computed is right."""

# ruff: noqa: D101, D102

from __future__ import annotations

import random
from bisect import bisect
from collections.abc import Mapping
from fractions import Fraction
from itertools import accumulate
from math import floor, sqrt
from typing import Any

from .mistake import mistake
from .model import Implementation


@mistake("seed-ignored", "expSPLIT", "The generator is seeded with a constant instead of the seed.")
class SeedIgnored(Implementation):
    def generator(self, seed: Any) -> random.Random:
        super().generator(seed)
        return random.Random(0)


@mistake("seed-truncated", "sec-solv", "Seeds are taken modulo 2^32, so that noise is used again.")
class SeedTruncated(Implementation):
    def generator(self, seed: Any) -> random.Random:
        super().generator(seed)
        return random.Random(int(seed) % 2**32)


@mistake("draws-repeated", "expSPLIT", "The generator is created again for every draw of a request.")
class DrawsRepeated(Implementation):
    def drawn_splits(
        self, law: str, scores: Mapping[str, Fraction], rate: Fraction, source: random.Random, count: int
    ) -> list[str]:
        return super().drawn_splits(law, scores, rate, source, 1) * count


@mistake(
    "draws-in-turn", "expSPLIT", "Candidates come in the right proportions, but in turn instead of by chance."
)
class DrawsInTurn(Implementation):
    def drawn_splits(
        self, law: str, scores: Mapping[str, Fraction], rate: Fraction, source: random.Random, count: int
    ) -> list[str]:
        if count == 1:
            return super().drawn_splits(law, scores, rate, source, count)
        chances = self.law_of(law, scores, rate)
        start, names = source.random(), list(chances)
        ends = list(accumulate(float(chance) for chance in chances.values()))
        indices = (bisect(ends[:-1], (start + index / count) % 1) for index in range(count))
        return [names[index] for index in indices]


@mistake(
    "noisy-max",
    "expSPLIT",
    "Splits are drawn by the greatest score with Laplace noise of scale 2 Delta / epsilon.",
)
class NoisyMax(Implementation):
    def drawn_splits(
        self, law: str, scores: Mapping[str, Fraction], rate: Fraction, source: random.Random, count: int
    ) -> list[str]:
        del law
        powers = {name: float(rate * score) for name, score in scores.items()}

        def noisy(name: str) -> float:
            return powers[name] + source.expovariate(1) - source.expovariate(1)

        return [max(powers, key=noisy) for _ in range(count)]


@mistake(
    "draws-permute-and-flip-as-exponential",
    "expSPLIT",
    "Permute-and-flip is drawn by the exponential mechanism.",
)
class DrawsPermuteAndFlipAsExponential(Implementation):
    def drawn_splits(
        self, law: str, scores: Mapping[str, Fraction], rate: Fraction, source: random.Random, count: int
    ) -> list[str]:
        del law
        return super().drawn_splits("exponential", scores, rate, source, count)


@mistake("draws-without-2", "expSPLIT", "Splits are drawn with twice their rate: the 2 is dropped.")
class DrawsWithout2(Implementation):
    def drawn_splits(
        self, law: str, scores: Mapping[str, Fraction], rate: Fraction, source: random.Random, count: int
    ) -> list[str]:
        return super().drawn_splits(law, scores, 2 * rate, source, count)


@mistake("laplace-one-sided", "sec-solv", "Noise is exponential: never negative.")
class LaplaceOneSided(Implementation):
    def laplace(self, scale: Fraction, grid: Fraction, source: random.Random) -> Fraction:
        return abs(super().laplace(scale, grid, source))


@mistake("laplace-rate", "sec-solv", "The scale is treated as a rate.")
class LaplaceRate(Implementation):
    def laplace(self, scale: Fraction, grid: Fraction, source: random.Random) -> Fraction:
        return super().laplace(1 / scale, grid, source)


@mistake("laplace-variance", "sec-solv", "The scale is treated as a variance.")
class LaplaceVariance(Implementation):
    def laplace(self, scale: Fraction, grid: Fraction, source: random.Random) -> Fraction:
        return super().laplace(Fraction(sqrt(scale / 2)), grid, source)


@mistake("laplace-deviation", "sec-solv", "The scale is treated as a standard deviation.")
class LaplaceDeviation(Implementation):
    def laplace(self, scale: Fraction, grid: Fraction, source: random.Random) -> Fraction:
        return super().laplace(scale / Fraction(sqrt(2)), grid, source)


@mistake("laplace-doubled", "sec-solv", "The scale is doubled: a needless factor 2.")
class LaplaceDoubled(Implementation):
    def laplace(self, scale: Fraction, grid: Fraction, source: random.Random) -> Fraction:
        return super().laplace(2 * scale, grid, source)


@mistake(
    "laplace-continuous",
    "sec-solv",
    "Noise is a float from the continuous law, which leaks information in its last digits.",
)
class LaplaceContinuous(Implementation):
    def laplace(self, scale: Fraction, grid: Fraction, source: random.Random) -> Fraction:
        del grid
        return Fraction(float(scale) * (source.expovariate(1) - source.expovariate(1)))


@mistake(
    "laplace-rounded",
    "sec-solv",
    "Continuous noise is rounded to the grid, which is not the law on the grid.",
)
class LaplaceRounded(Implementation):
    def laplace(self, scale: Fraction, grid: Fraction, source: random.Random) -> Fraction:
        return grid * round(float(scale / grid) * (source.expovariate(1) - source.expovariate(1)))


@mistake(
    "laplace-zero-twice", "sec-solv", "A random sign and a random size: 0 comes twice as often as it should."
)
class LaplaceZeroTwice(Implementation):
    def laplace(self, scale: Fraction, grid: Fraction, source: random.Random) -> Fraction:
        return grid * self.geometric(float(scale / grid), source) * source.choice((1, -1))


@mistake("laplace-truncated", "sec-solv", "Noise beyond three scales is drawn again.")
class LaplaceTruncated(Implementation):
    def laplace(self, scale: Fraction, grid: Fraction, source: random.Random) -> Fraction:
        while True:
            noise = super().laplace(scale, grid, source)
            if abs(noise) <= 3 * scale:
                return noise


@mistake("laplace-gaussian", "sec-solv", "Noise is normal with the same standard deviation.")
class LaplaceGaussian(Implementation):
    def laplace(self, scale: Fraction, grid: Fraction, source: random.Random) -> Fraction:
        return grid * round(source.gauss(0, sqrt(2) * float(scale / grid)))


@mistake("laplace-grid-ignored", "sec-solv", "Noise is on the grid of 1/1024, not on the requested one.")
class LaplaceGridIgnored(Implementation):
    def laplace(self, scale: Fraction, grid: Fraction, source: random.Random) -> Fraction:
        return super().laplace(scale, 0 * grid + Fraction(1, 1024), source)


@mistake("laplace-step-missing", "sec-solv", "Noise is a number of steps that is not multiplied by the grid.")
class LaplaceStepMissing(Implementation):
    def laplace(self, scale: Fraction, grid: Fraction, source: random.Random) -> Fraction:
        return super().laplace(scale, grid, source) / grid


@mistake("laplace-5-percent-small", "sec-solv", "The scale is 5 percent too small: 0.95 of it.")
class Laplace5PercentSmall(Implementation):
    def laplace(self, scale: Fraction, grid: Fraction, source: random.Random) -> Fraction:
        return super().laplace(scale * Fraction("0.95"), grid, source)


@mistake("laplace-5-percent-large", "sec-solv", "The scale is 5 percent too large: 1.05 times it.")
class Laplace5PercentLarge(Implementation):
    def laplace(self, scale: Fraction, grid: Fraction, source: random.Random) -> Fraction:
        return super().laplace(scale * Fraction("1.05"), grid, source)


@mistake(
    "laplace-2-percent-small",
    "sec-solv",
    "The scale is 2 percent too small: 0.98 of it.",
    missed="50,000 draws do not show an error of 2 percent",
)
class Laplace2PercentSmall(Implementation):
    def laplace(self, scale: Fraction, grid: Fraction, source: random.Random) -> Fraction:
        return super().laplace(scale * Fraction("0.98"), grid, source)


@mistake("laplace-truncated-at-5", "sec-solv", "Noise beyond 5 scales is drawn again.")
class LaplaceTruncatedAt5(Implementation):
    def laplace(self, scale: Fraction, grid: Fraction, source: random.Random) -> Fraction:
        while abs(noise := super().laplace(scale, grid, source)) > 5 * scale:
            pass
        return noise


@mistake("laplace-truncated-at-6", "sec-solv", "Noise beyond 6 scales is drawn again.")
class LaplaceTruncatedAt6(Implementation):
    def laplace(self, scale: Fraction, grid: Fraction, source: random.Random) -> Fraction:
        while abs(noise := super().laplace(scale, grid, source)) > 6 * scale:
            pass
        return noise


@mistake(
    "laplace-truncated-at-8",
    "sec-solv",
    "Noise beyond 8 scales is drawn again.",
    missed="about 14 of 50,000 draws are beyond 8 scales; that they are missing may be chance",
)
class LaplaceTruncatedAt8(Implementation):
    def laplace(self, scale: Fraction, grid: Fraction, source: random.Random) -> Fraction:
        while abs(noise := super().laplace(scale, grid, source)) > 8 * scale:
            pass
        return noise


@mistake("laplace-clamped-at-5", "sec-solv", "Noise is clamped to 5 scales.")
class LaplaceClampedAt5(Implementation):
    def laplace(self, scale: Fraction, grid: Fraction, source: random.Random) -> Fraction:
        most = grid * floor(5 * scale / grid)
        return min(max(super().laplace(scale, grid, source), -most), most)


@mistake("laplace-sign-bias", "sec-solv", "One negative draw in 20 has the wrong sign.")
class LaplaceSignBias(Implementation):
    def laplace(self, scale: Fraction, grid: Fraction, source: random.Random) -> Fraction:
        noise = super().laplace(scale, grid, source)
        return abs(noise) if source.randrange(20) == 0 else noise


@mistake("laplace-opposite-pairs", "sec-solv", "Every second draw of a request is minus the draw before.")
class LaplaceOppositePairs(Implementation):
    def sample_laplace(self, args: Mapping[str, Any]) -> Any:
        drawn = super().sample_laplace(args)
        drawn[1::2] = [str(-Fraction(noise)) for noise in drawn[::2][: len(drawn) // 2]]
        return drawn


@mistake("draws-rate-10-percent", "expSPLIT", "Splits are drawn with 0.9 of their rate.")
class DrawsRate10Percent(Implementation):
    def drawn_splits(
        self, law: str, scores: Mapping[str, Fraction], rate: Fraction, source: random.Random, count: int
    ) -> list[str]:
        return super().drawn_splits(law, scores, rate * Fraction("0.9"), source, count)


@mistake("draws-rate-5-percent", "expSPLIT", "Splits are drawn with 0.95 of their rate.")
class DrawsRate5Percent(Implementation):
    def drawn_splits(
        self, law: str, scores: Mapping[str, Fraction], rate: Fraction, source: random.Random, count: int
    ) -> list[str]:
        return super().drawn_splits(law, scores, rate * Fraction("0.95"), source, count)


@mistake("draws-mixed-with-uniform", "expSPLIT", "One split in 20 is drawn uniformly.")
class DrawsMixedWithUniform(Implementation):
    def drawn_splits(
        self, law: str, scores: Mapping[str, Fraction], rate: Fraction, source: random.Random, count: int
    ) -> list[str]:
        names, drawn = list(scores), super().drawn_splits(law, scores, rate, source, count)
        return [source.choice(names) if source.randrange(20) == 0 else name for name in drawn]


@mistake("draws-last-missing", "expSPLIT", "The last candidate of several is never drawn.")
class DrawsLastMissing(Implementation):
    def drawn_splits(
        self, law: str, scores: Mapping[str, Fraction], rate: Fraction, source: random.Random, count: int
    ) -> list[str]:
        kept = dict(list(scores.items())[:-1]) or scores
        return super().drawn_splits(law, kept, rate, source, count)
