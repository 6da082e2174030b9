"""Mistakes in the scores and laws of splits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import exp, prod
from typing import Any

from numpy.polynomial.legendre import leggauss

from .mistake import MistakesIn
from .model import Port
from .model_losses import Args
from .model_numbers import power_of_two
from .model_privacy import PortRow, normalise

NAN = float("nan")
wrong_score = MistakesIn(Port.score, "expSPLIT")
wrong_side = MistakesIn(Port.holds, "expSPLIT")
wrong_rate = MistakesIn(Port.rate_of, "expSPLIT")
wrong_chances = MistakesIn(Port.chances, "expSPLIT")
wrong_permute_and_flip = MistakesIn(Port.permute_and_flip, "expSPLIT")


@wrong_score("Scores are risks, so the worst split is the most likely.")
def score_sign(right: Port, alpha: Fraction, rows: Sequence[PortRow], candidate: str) -> Fraction:
    return -right.score(alpha, rows, candidate)


@wrong_score("Scores are divided by the mass of the leaf, but the sensitivity is not.")
def score_mean(right: Port, alpha: Fraction, rows: Sequence[PortRow], candidate: str) -> Fraction:
    return right.score(alpha, rows, candidate) / (sum((row.weight for row in rows), Fraction(0)) or 1)


@wrong_score("Scores count examples instead of adding up their weights.")
def score_unweighted(right: Port, alpha: Fraction, rows: Sequence[PortRow], candidate: str) -> Fraction:
    return right.score(alpha, [replace(row, weight=Fraction(1)) for row in rows], candidate)


@wrong_score("Scores leave out the left side of the cut.")
def score_one_child(right: Port, alpha: Fraction, rows: Sequence[PortRow], candidate: str) -> Fraction:
    return right.score(alpha, [row for row in rows if right.holds(candidate, row.codes)], candidate)


@wrong_score("Labels are taken to be 0 and 1, so -1 counts as positive.")
def labels_zero_one(right: Port, alpha: Fraction, rows: Sequence[PortRow], candidate: str) -> Fraction:
    return right.score(alpha, [replace(row, y=1) for row in rows], candidate)


@wrong_side("A cut 'x >= c' is tested as x > c.")
def threshold_strict(right: Port, candidate: str, codes: Sequence[int]) -> bool:
    test = right.read_test(candidate)
    return codes[test.attribute] > test.value if test.operator == ">=" else right.holds(candidate, codes)


@wrong_side("Categories are cut as if they were ordered.")
def categorical_as_ordinal(right: Port, candidate: str, codes: Sequence[int]) -> bool:
    test = right.read_test(candidate)
    return codes[test.attribute] >= test.value


@wrong_rate("The law is exp(epsilon score / Delta), without the 2.")
def law_without_2(right: Port, epsilon: Fraction, delta: Fraction, *, one_sided: bool) -> Fraction:
    return right.rate_of(epsilon, delta, one_sided=True)


@wrong_rate("The factor 2 of the law is applied twice.")
def law_with_4(right: Port, epsilon: Fraction, delta: Fraction, *, one_sided: bool) -> Fraction:
    return right.rate_of(epsilon / 2, delta, one_sided=one_sided)


@wrong_rate("The law multiplies by the sensitivity instead of dividing.")
def law_times_sensitivity(right: Port, epsilon: Fraction, delta: Fraction, *, one_sided: bool) -> Fraction:
    return right.rate_of(epsilon * delta * delta, delta, one_sided=one_sided)


@wrong_chances("The law has powers of 2 instead of exponentials.")
def law_base_2(right: Port, scores: Mapping[str, Fraction], rate: Fraction) -> dict[str, Fraction]:
    best = max(scores.values())
    return {name: power_of_two(rate * (score - best)) for name, score in scores.items()}


@MistakesIn(Port.answer_split_law, "expSPLIT")(
    "Exponentials are taken of the scores themselves: floats overflow and underflow."
)
def law_overflows(right: Port, args: Args) -> Any:
    law = right.read_law(args)
    if law.kind != "exponential":
        return right.split_law(law)
    exponents = {name: law.rate * score for name, score in law.scores.items()}
    powers = {name: float("inf") if each > 709 else exp(each) for name, each in exponents.items()}
    total = sum(powers.values())
    return {name: power / total if total else NAN for name, power in powers.items()}


@wrong_chances("The best split is taken.")
def law_greedy(right: Port, scores: Mapping[str, Fraction], rate: Fraction) -> dict[str, Fraction]:
    best = max(scores.values())
    return {name: Fraction(score == best) for name, score in scores.items()}


@wrong_permute_and_flip("Permute-and-flip is answered by the exponential mechanism.")
def permute_and_flip_is_exponential(right: Port, chances: Mapping[str, Fraction]) -> dict[str, Fraction]:
    return normalise(chances)


@wrong_permute_and_flip("Permute-and-flip tries the candidates in their own order.")
def permute_without_permuting(right: Port, chances: Mapping[str, Fraction]) -> dict[str, Fraction]:
    law, left = {}, Fraction(1)
    for name, chance in chances.items():
        law[name] = left * chance
        left *= 1 - chance
    return law


@wrong_permute_and_flip(
    "Permute-and-flip is integrated with 4 Gauss points, which is exact for 8 candidates at most."
)
def permute_and_flip_quadrature(right: Port, chances: Mapping[str, Fraction]) -> dict[str, Fraction]:
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


@wrong_score("Scores count rows that are equal only once.")
def score_duplicates_dropped(
    right: Port, alpha: Fraction, rows: Sequence[PortRow], candidate: str
) -> Fraction:
    return right.score(alpha, list(dict.fromkeys(rows)), candidate)


@MistakesIn(Port.read_mass, "expSPLIT")("Rows of weight 0 are refused.")
def weight_zero_refused(right: Port, value: Any, name: str) -> Fraction:
    return right.read_positive(value, name) if name == "w" else right.read_mass(value, name)
