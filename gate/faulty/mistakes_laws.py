"""Mistakes in the scores and laws of splits."""

# ruff: noqa: D101, D102

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import exp
from typing import Any

from .mistake import mistake
from .model import Plain
from .model_numbers import power_of_two

NAN = float("nan")
Rows = Sequence[tuple[Any, int, Fraction]]


@mistake("score-sign", "expSPLIT", "Scores are risks, so that the worst split is the likeliest.")
class ScoreSign(Plain):
    def score(self, alpha: Fraction, rows: Rows, text: str) -> Fraction:
        return -super().score(alpha, rows, text)


@mistake(
    "score-mean", "expSPLIT", "Scores are divided by the mass of the leaf, which the sensitivity is not."
)
class ScoreMean(Plain):
    def score(self, alpha: Fraction, rows: Rows, text: str) -> Fraction:
        total = sum((weight for _, _, weight in rows), Fraction(0))
        return super().score(alpha, rows, text) / (total or 1)


@mistake("score-unweighted", "expSPLIT", "Scores count examples instead of adding up their weights.")
class ScoreUnweighted(Plain):
    def score(self, alpha: Fraction, rows: Rows, text: str) -> Fraction:
        return super().score(alpha, [(codes, y, Fraction(1)) for codes, y, _ in rows], text)


@mistake("score-one-child", "expSPLIT", "Scores leave out the left side of the cut.")
class ScoreOneChild(Plain):
    def score(self, alpha: Fraction, rows: Rows, text: str) -> Fraction:
        return super().score(alpha, [row for row in rows if self.holds(text, row[0])], text)


@mistake("labels-zero-one", "expSPLIT", "Labels are taken to be 0 and 1, so -1 counts as positive.")
class LabelsZeroOne(Plain):
    def score(self, alpha: Fraction, rows: Rows, text: str) -> Fraction:
        return super().score(alpha, [(codes, 1, weight) for codes, _, weight in rows], text)


@mistake("threshold-strict", "expSPLIT", "A cut 'x >= c' is tested as x > c.")
class ThresholdStrict(Plain):
    def holds(self, text: str, codes: Sequence[int]) -> bool:
        place, relation, value = self.test_of(text)
        return codes[place] > value if relation == ">=" else codes[place] == value


@mistake("categorical-as-ordinal", "expSPLIT", "Categories are cut as if they were ordered.")
class CategoricalAsOrdinal(Plain):
    def holds(self, text: str, codes: Sequence[int]) -> bool:
        place, _, value = self.test_of(text)
        return codes[place] >= value


@mistake("law-without-2", "expSPLIT", "The law is exp(epsilon score / Delta), without the 2.")
class LawWithout2(Plain):
    def rate_of(self, epsilon: Fraction, delta: Fraction, *, one_sided: bool) -> Fraction:
        return super().rate_of(epsilon, delta, one_sided=bool(delta) or one_sided)


@mistake("law-with-4", "expSPLIT", "The 2 of the law is there twice.")
class LawWith4(Plain):
    def rate_of(self, epsilon: Fraction, delta: Fraction, *, one_sided: bool) -> Fraction:
        return super().rate_of(epsilon / 2, delta, one_sided=one_sided)


@mistake("law-times-sensitivity", "expSPLIT", "The law multiplies by the sensitivity instead of dividing.")
class LawTimesSensitivity(Plain):
    def rate_of(self, epsilon: Fraction, delta: Fraction, *, one_sided: bool) -> Fraction:
        return super().rate_of(epsilon * delta * delta, delta, one_sided=one_sided)


@mistake("law-base-2", "expSPLIT", "The law has powers of 2 instead of exponentials.")
class LawBase2(Plain):
    def chances(self, scores: Mapping[str, Fraction], rate: Fraction) -> dict[str, Fraction]:
        best = max(scores.values())
        return {name: power_of_two(rate * (score - best)) for name, score in scores.items()}


@mistake(
    "law-overflows",
    "expSPLIT",
    "Exponentials are taken of the scores themselves: floats overflow and underflow.",
)
class LawOverflows(Plain):
    def split_law(self, args: Mapping[str, Any]) -> Any:
        law, scores, rate = self.law_args(args)
        if law != "exponential":
            return super().split_law(args)
        powers = {name: self.power(rate * score) for name, score in scores.items()}
        total = sum(powers.values())
        quotient = {name: power / total if total else NAN for name, power in powers.items()}
        return {name: self.written(part) for name, part in quotient.items()}

    def power(self, exponent: Fraction) -> float:
        """Return exp as floats have it."""
        return float("inf") if exponent > 709 else exp(exponent)


@mistake("law-greedy", "expSPLIT", "The best split is taken.")
class LawGreedy(Plain):
    def chances(self, scores: Mapping[str, Fraction], rate: Fraction) -> dict[str, Fraction]:
        del rate
        best = max(scores.values())
        return {name: Fraction(score == best) for name, score in scores.items()}


@mistake(
    "permute-and-flip-is-exponential",
    "expSPLIT",
    "Permute-and-flip is answered by the exponential mechanism.",
)
class PermuteAndFlipIsExponential(Plain):
    def permute_and_flip(self, chances: Mapping[str, Fraction]) -> dict[str, Fraction]:
        total = sum(chances.values())
        return {name: chance / total for name, chance in chances.items()}


@mistake("permute-without-permuting", "expSPLIT", "Permute-and-flip tries the candidates in their own order.")
class PermuteWithoutPermuting(Plain):
    def permute_and_flip(self, chances: Mapping[str, Fraction]) -> dict[str, Fraction]:
        law, left = {}, Fraction(1)
        for name, chance in chances.items():
            law[name] = left * chance
            left *= 1 - chance
        return law
