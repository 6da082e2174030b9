"""Mistakes in the scores and laws of splits."""

# ruff: noqa: D101, D102

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import exp, prod
from typing import Any

from numpy.polynomial.legendre import leggauss

from .mistake import mistake
from .model import Implementation
from .model_numbers import power_of_two

NAN = float("nan")
Rows = Sequence[tuple[Any, int, Fraction]]


@mistake("score-sign", "expSPLIT", "Scores are risks, so the worst split is the most likely.")
class ScoreSign(Implementation):
    def score(self, alpha: Fraction, rows: Rows, candidate: str) -> Fraction:
        return -super().score(alpha, rows, candidate)


@mistake("score-mean", "expSPLIT", "Scores are divided by the mass of the leaf, but the sensitivity is not.")
class ScoreMean(Implementation):
    def score(self, alpha: Fraction, rows: Rows, candidate: str) -> Fraction:
        total = sum((weight for _, _, weight in rows), Fraction(0))
        return super().score(alpha, rows, candidate) / (total or 1)


@mistake("score-unweighted", "expSPLIT", "Scores count examples instead of adding up their weights.")
class ScoreUnweighted(Implementation):
    def score(self, alpha: Fraction, rows: Rows, candidate: str) -> Fraction:
        return super().score(alpha, [(codes, y, Fraction(1)) for codes, y, _ in rows], candidate)


@mistake("score-one-child", "expSPLIT", "Scores leave out the left side of the cut.")
class ScoreOneChild(Implementation):
    def score(self, alpha: Fraction, rows: Rows, candidate: str) -> Fraction:
        return super().score(alpha, [row for row in rows if self.holds(candidate, row[0])], candidate)


@mistake("labels-zero-one", "expSPLIT", "Labels are taken to be 0 and 1, so -1 counts as positive.")
class LabelsZeroOne(Implementation):
    def score(self, alpha: Fraction, rows: Rows, candidate: str) -> Fraction:
        return super().score(alpha, [(codes, 1, weight) for codes, _, weight in rows], candidate)


@mistake("threshold-strict", "expSPLIT", "A cut 'x >= c' is tested as x > c.")
class ThresholdStrict(Implementation):
    def holds(self, candidate: str, codes: Sequence[int]) -> bool:
        attribute, relation, value = self.test_of(candidate)
        return codes[attribute] > value if relation == ">=" else codes[attribute] == value


@mistake("categorical-as-ordinal", "expSPLIT", "Categories are cut as if they were ordered.")
class CategoricalAsOrdinal(Implementation):
    def holds(self, candidate: str, codes: Sequence[int]) -> bool:
        attribute, _, value = self.test_of(candidate)
        return codes[attribute] >= value


@mistake("law-without-2", "expSPLIT", "The law is exp(epsilon score / Delta), without the 2.")
class LawWithout2(Implementation):
    def rate_of(self, epsilon: Fraction, delta: Fraction, *, one_sided: bool) -> Fraction:
        return super().rate_of(epsilon, delta, one_sided=bool(delta) or one_sided)


@mistake("law-with-4", "expSPLIT", "The factor 2 of the law is applied twice.")
class LawWith4(Implementation):
    def rate_of(self, epsilon: Fraction, delta: Fraction, *, one_sided: bool) -> Fraction:
        return super().rate_of(epsilon / 2, delta, one_sided=one_sided)


@mistake("law-times-sensitivity", "expSPLIT", "The law multiplies by the sensitivity instead of dividing.")
class LawTimesSensitivity(Implementation):
    def rate_of(self, epsilon: Fraction, delta: Fraction, *, one_sided: bool) -> Fraction:
        return super().rate_of(epsilon * delta * delta, delta, one_sided=one_sided)


@mistake("law-base-2", "expSPLIT", "The law has powers of 2 instead of exponentials.")
class LawBase2(Implementation):
    def chances(self, scores: Mapping[str, Fraction], rate: Fraction) -> dict[str, Fraction]:
        best = max(scores.values())
        return {name: power_of_two(rate * (score - best)) for name, score in scores.items()}


@mistake(
    "law-overflows",
    "expSPLIT",
    "Exponentials are taken of the scores themselves: floats overflow and underflow.",
)
class LawOverflows(Implementation):
    def split_law(self, args: Mapping[str, Any]) -> Any:
        law, scores, rate = self.law_args(args)
        if law != "exponential":
            return super().split_law(args)
        powers = {name: self.power(rate * score) for name, score in scores.items()}
        total = sum(powers.values())
        quotient = {name: power / total if total else NAN for name, power in powers.items()}
        return {name: self.written(part) for name, part in quotient.items()}

    def power(self, exponent: Fraction) -> float:
        """Return exp(exponent) as a float."""
        return float("inf") if exponent > 709 else exp(exponent)


@mistake("law-greedy", "expSPLIT", "The best split is taken.")
class LawGreedy(Implementation):
    def chances(self, scores: Mapping[str, Fraction], rate: Fraction) -> dict[str, Fraction]:
        del rate
        best = max(scores.values())
        return {name: Fraction(score == best) for name, score in scores.items()}


@mistake(
    "permute-and-flip-is-exponential",
    "expSPLIT",
    "Permute-and-flip is answered by the exponential mechanism.",
)
class PermuteAndFlipIsExponential(Implementation):
    def permute_and_flip(self, chances: Mapping[str, Fraction]) -> dict[str, Fraction]:
        total = sum(chances.values())
        return {name: chance / total for name, chance in chances.items()}


@mistake("permute-without-permuting", "expSPLIT", "Permute-and-flip tries the candidates in their own order.")
class PermuteWithoutPermuting(Implementation):
    def permute_and_flip(self, chances: Mapping[str, Fraction]) -> dict[str, Fraction]:
        law, left = {}, Fraction(1)
        for name, chance in chances.items():
            law[name] = left * chance
            left *= 1 - chance
        return law


@mistake(
    "permute-and-flip-quadrature",
    "expSPLIT",
    "Permute-and-flip is integrated with 4 Gauss points, which is exact for 8 candidates at most.",
)
class PermuteAndFlipQuadrature(Implementation):
    def permute_and_flip(self, chances: Mapping[str, Fraction]) -> dict[str, Fraction]:
        points, weights = leggauss(4)
        law = {}
        for name, chance in chances.items():
            others = [float(q) for other, q in chances.items() if other != name]
            parts = (
                weight / 2 * prod(1 - q * (point + 1) / 2 for q in others)
                for point, weight in zip(points, weights, strict=True)
            )
            law[name] = chance * Fraction(sum(parts))
        return law


@mistake("score-duplicates-dropped", "expSPLIT", "Scores count rows that are equal only once.")
class ScoreDuplicatesDropped(Implementation):
    def score(self, alpha: Fraction, rows: Rows, candidate: str) -> Fraction:
        unique = {(tuple(codes), y, weight) for codes, y, weight in rows}
        return super().score(alpha, sorted(unique), candidate)


@mistake("weight-zero-refused", "expSPLIT", "Rows of weight 0 are refused.")
class WeightZeroRefused(Implementation):
    def mass(self, value: Any, name: str) -> Fraction:
        return self.positive(value, name) if name == "w" else super().mass(value, name)
