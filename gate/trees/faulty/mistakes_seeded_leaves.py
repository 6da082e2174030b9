"""Mistakes in the leaf noise of seeded trainings. Reported numbers are right, and so are tapes."""

# ruff: noqa: D101, D102

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction
from math import sqrt

from .mistake import mistake
from .model import Grown, Implementation
from .model_privacy import Noise
from .model_reading import Run


@mistake("noise-later-bound-half", "sec-solv", "Later trees have noise for the weight bound 1/2.")
class NoiseLaterBoundHalf(Implementation):
    def noise_scale(self, run: Run, index: int, tree: Grown) -> Fraction:
        scale = super().noise_scale(run, index, tree)
        return scale / 2 if index and run.words["leaf"] == "noisy_masses" else scale


@mistake(
    "noise-first-bound-one", "sec-solv", "The first tree has noise for the weight bound 1: twice too much."
)
class NoiseFirstBoundOne(Implementation):
    def noise_scale(self, run: Run, index: int, tree: Grown) -> Fraction:
        scale = super().noise_scale(run, index, tree)
        return scale if index or run.words["leaf"] != "noisy_masses" else 2 * scale


@mistake(
    "noise-of-add-remove", "sec-solv", "Under exchange, noise has half of its scale, as under add/remove."
)
class NoiseOfAddRemove(Implementation):
    def noise_scale(self, run: Run, index: int, tree: Grown) -> Fraction:
        halved = run.words["relation"] == "exchange" and run.words["leaf"] == "noisy_masses"
        return super().noise_scale(run, index, tree) / (2 if halved else 1)


@mistake("noise-of-exchange", "sec-solv", "Under add/remove, noise has twice its scale, as under exchange.")
class NoiseOfExchange(Implementation):
    def noise_scale(self, run: Run, index: int, tree: Grown) -> Fraction:
        doubled = run.words["relation"] == "add_remove" and run.words["leaf"] == "noisy_masses"
        return super().noise_scale(run, index, tree) * (2 if doubled else 1)


@mistake(
    "noise-of-whole-epsilon", "sec-solv", "The noise of leaves is drawn with the share 1 - beta missing."
)
class NoiseOfWholeEpsilon(Implementation):
    def noise_scale(self, run: Run, index: int, tree: Grown) -> Fraction:
        return super().noise_scale(run, index, tree) * (1 - run.shares[1])


@mistake(
    "noise-of-split-share", "sec-solv", "The noise of leaves is drawn with the share beta of the splits."
)
class NoiseOfSplitShare(Implementation):
    def noise_scale(self, run: Run, index: int, tree: Grown) -> Fraction:
        return super().noise_scale(run, index, tree) * (1 - run.shares[1]) / run.shares[1]


@mistake("noise-over-leaves-missing", "sec-solv", "The noise of values is drawn as if there were one leaf.")
class NoiseOverLeavesMissing(Implementation):
    def noise_scale(self, run: Run, index: int, tree: Grown) -> Fraction:
        of_values = run.words["leaf"] != "noisy_masses"
        return super().noise_scale(run, index, tree) / (len(tree.masses) if of_values else 1)


@mistake("noise-of-values-halved", "sec-solv", "The noise of values is drawn with half of its scale.")
class NoiseOfValuesHalved(Implementation):
    def noise_scale(self, run: Run, index: int, tree: Grown) -> Fraction:
        of_values = run.words["leaf"] != "noisy_masses"
        return super().noise_scale(run, index, tree) / (2 if of_values else 1)


@mistake(
    "noise-over-leaves", "sec-solv", "The noise of masses is drawn with a budget divided among the leaves."
)
class NoiseOverLeaves(Implementation):
    def noise_scale(self, run: Run, index: int, tree: Grown) -> Fraction:
        of_masses = run.words["leaf"] == "noisy_masses"
        return super().noise_scale(run, index, tree) * (len(tree.masses) if of_masses else 1)


@mistake("noise-deviation", "sec-solv", "In training the scale is treated as a standard deviation.")
class NoiseDeviation(Implementation):
    def leaf_noise(self, scale: Fraction, grid: Fraction, source: random.Random) -> Fraction:
        return super().leaf_noise(scale / Fraction(sqrt(2)), grid, source)


@mistake("noise-gaussian", "sec-solv", "In training noise is normal with the same standard deviation.")
class NoiseGaussian(Implementation):
    def leaf_noise(self, scale: Fraction, grid: Fraction, source: random.Random) -> Fraction:
        return grid * round(source.gauss(0, sqrt(2) * float(scale / grid)))


@mistake("noise-one-sided", "sec-solv", "In training noise is never negative.")
class NoiseOneSided(Implementation):
    def leaf_noise(self, scale: Fraction, grid: Fraction, source: random.Random) -> Fraction:
        return abs(super().leaf_noise(scale, grid, source))


@mistake("noise-truncated", "sec-solv", "In training noise beyond three scales is drawn again.")
class NoiseTruncated(Implementation):
    def leaf_noise(self, scale: Fraction, grid: Fraction, source: random.Random) -> Fraction:
        while abs(noise := super().leaf_noise(scale, grid, source)) > 3 * scale:
            pass
        return noise


@mistake("noise-continuous", "sec-solv", "In training noise is a float from the continuous law.")
class NoiseContinuous(Implementation):
    def leaf_noise(self, scale: Fraction, grid: Fraction, source: random.Random) -> Fraction:
        del grid
        return Fraction(float(scale) * (source.expovariate(1) - source.expovariate(1)))


@mistake(
    "noise-of-masses-continuous",
    "sec-solv",
    "In training the noise of masses is a float from the continuous law.",
)
class NoiseOfMassesContinuous(Implementation):
    def drawn_noise(self, run: Run, index: int, tree: Grown) -> Sequence[Noise]:
        noise = super().drawn_noise(run, index, tree)
        if run.words["leaf"] != "noisy_masses":
            return noise
        draw, scale = run.random.expovariate, float(tree.scale)
        return [{name: Fraction(scale * (draw(1) - draw(1))) for name in part} for part in noise]


@mistake(
    "noise-rounded",
    "sec-solv",
    "In training continuous noise is rounded to the grid.",
    missed="the grid is much finer than the scale, so that the laws hardly differ",
)
class NoiseRounded(Implementation):
    def leaf_noise(self, scale: Fraction, grid: Fraction, source: random.Random) -> Fraction:
        return grid * round(float(scale / grid) * (source.expovariate(1) - source.expovariate(1)))


@mistake("noise-opposite-classes", "sec-solv", "The two masses of a leaf have opposite noise.")
class NoiseOppositeClasses(Implementation):
    def drawn_noise(self, run: Run, index: int, tree: Grown) -> Sequence[Noise]:
        noise = super().drawn_noise(run, index, tree)
        return [{**part, "negative": -part["positive"]} if "positive" in part else part for part in noise]


@mistake("noise-opposite-leaves", "sec-solv", "Neighbouring leaves have opposite noise.")
class NoiseOppositeLeaves(Implementation):
    def drawn_noise(self, run: Run, index: int, tree: Grown) -> Sequence[Noise]:
        noise = list(super().drawn_noise(run, index, tree))
        noise[1::2] = [{name: -part[name] for name in part} for part in noise[::2]]
        return noise


@mistake("noise-shared-by-neighbours", "sec-solv", "Neighbouring leaves have the same noise.")
class NoiseSharedByNeighbours(Implementation):
    def drawn_noise(self, run: Run, index: int, tree: Grown) -> Sequence[Noise]:
        noise = list(super().drawn_noise(run, index, tree))
        noise[1::2] = noise[::2]
        return noise


@mistake("noise-not-in-empty-leaves", "sec-solv", "Empty leaves get no noise.")
class NoiseNotInEmptyLeaves(Implementation):
    def drawn_noise(self, run: Run, index: int, tree: Grown) -> Sequence[Noise]:
        noise = zip(super().drawn_noise(run, index, tree), tree.masses, strict=True)
        return [{name: part[name] * any(masses) for name in part} for part, masses in noise]


@mistake("noise-not-on-zero", "sec-solv", "A mass that is 0 gets no noise.")
class NoiseNotOnZero(Implementation):
    def drawn_noise(self, run: Run, index: int, tree: Grown) -> Sequence[Noise]:
        noise = zip(super().drawn_noise(run, index, tree), tree.masses, strict=True)
        return [
            {name: part[name] * bool(masses[name == "negative"]) for name in part} if len(part) > 1 else part
            for part, masses in noise
        ]


@mistake("noise-of-first-tree-only", "sec-solv", "Only the first tree gets noise.")
class NoiseOfFirstTreeOnly(Implementation):
    def drawn_noise(self, run: Run, index: int, tree: Grown) -> Sequence[Noise]:
        noise = super().drawn_noise(run, index, tree)
        return [{name: part[name] * (index == 0) for name in part} for part in noise]
