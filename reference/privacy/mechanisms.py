"""Exact laws of the private mechanisms: exponential, permute-and-flip, Laplace, clamped Laplace.

Notation:
    epsilon     privacy parameter       Delta   sensitivity of the scores       b   scale of Laplace noise
    q_r         exp(epsilon (f_r - max f) / (2 Delta))

A finite law maps outcomes to exact probabilities. Laplace laws are kept in closed form, with the atoms that
clamping creates, so that privacy losses are suprema over all outputs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

from privboost.errors import PreconditionError
from privboost.reference.exact import Exact, Extended, Infinity, Number, enclose, exact, exact_sum, exp, log

Outcome = TypeVar("Outcome")

HALF = Fraction(1, 2)


def rate(epsilon: Exact, sensitivity: Exact, *, one_sided: bool = False) -> Number:
    """Return epsilon / (2 Delta), or epsilon / Delta if all scores move in the same direction.

    Paper: expSPLIT.
    Requires: epsilon >= 0, Delta > 0.
    """
    budget, reach = exact(epsilon, "epsilon"), exact(sensitivity, "sensitivity")
    if budget < 0:
        raise PreconditionError("expSPLIT", "epsilon >= 0", budget)
    if reach <= 0:
        raise PreconditionError("expSPLIT", "sensitivity > 0", reach)
    return budget / reach if one_sided else budget / (2 * reach)


def exponential_law(scores: Mapping[Outcome, Number], per_score: Number) -> dict[Outcome, Number]:
    """Return the law with probabilities proportional to exp(rate * score).

    Paper: sec:def (exponential mechanism), expSPLIT.
    Requires: at least one outcome.
    """
    first = _first(scores)
    weights = {outcome: exp(per_score * (score - first)) for outcome, score in scores.items()}
    total = exact_sum(weights.values())
    return {outcome: weight / total for outcome, weight in weights.items()}


def permute_and_flip_law(scores: Mapping[Outcome, Number], per_score: Number) -> dict[Outcome, Number]:
    """Return the law of permute-and-flip, P(r) = q_r * sum over k of (-1)^k e_k(other q) / (k + 1).

    Outcomes are tried in random order, and each is accepted with probability q_r. The e_k are elementary
    symmetric polynomials (McKenna and Sheldon 2020).
    Requires: at least one outcome.
    """
    _first(scores)
    best = max(scores.values())
    accept = {outcome: exp(per_score * (score - best)) for outcome, score in scores.items()}
    law = {}
    for outcome, chance in accept.items():
        symmetric = _elementary_symmetric([other for key, other in accept.items() if key != outcome])
        series = (Fraction((-1) ** k, k + 1) * value for k, value in enumerate(symmetric))
        law[outcome] = chance * exact_sum(series)
    return law


def _elementary_symmetric(values: list[Number]) -> list[Number]:
    """Return e_0, ..., e_n of n values."""
    result: list[Number] = [Fraction(1)]
    for value in values:
        shifted = [Fraction(0), *(value * entry for entry in result)]
        result = [a + b for a, b in zip([*result, Fraction(0)], shifted, strict=True)]
    return result


def _first(scores: Mapping[Outcome, Number]) -> Number:
    """Return the score of the first outcome, or raise PreconditionError if there is none."""
    if not scores:
        raise PreconditionError("expSPLIT", "at least one outcome", "none")
    return next(iter(scores.values()))


@dataclass(frozen=True, slots=True)
class Laplace:
    """The Laplace law with density exp(-|x - centre| / scale) / (2 scale).

    Paper: sec:def (Laplace mechanism).
    """

    centre: Number
    scale: Number

    def __post_init__(self) -> None:
        if self.scale <= 0:
            raise PreconditionError("sec:def", "a Laplace scale > 0", self.scale)

    def below(self, x: Exact) -> Number:
        """Return P(X <= x)."""
        distance = (exact(x) - self.centre) / self.scale
        return HALF * exp(distance) if distance <= 0 else 1 - HALF * exp(-distance)

    def above(self, x: Exact) -> Number:
        """Return P(X >= x)."""
        return Laplace(-self.centre, self.scale).below(-exact(x))

    def log_density_ratio(self, other: Laplace, x: Exact) -> Number:
        """Return the log ratio of two densities at x.

        Requires: both laws have the same scale.
        """
        at = exact(x)
        return (abs(at - other.centre) - abs(at - self.centre)) / self.scale


@dataclass(frozen=True, slots=True)
class LossAt:
    """A privacy loss, the logarithm of a likelihood ratio, and the output that attains it."""

    loss: Number
    output: str


def laplace_loss(first: Laplace, second: Laplace) -> LossAt:
    """Return the greatest log density ratio of two Laplace laws: distance of the centres over the scale.

    Paper: sec:def (Laplace mechanism).
    Requires: both laws have the same scale.
    """
    _check_scales(first, second)
    gap = first.centre - second.centre
    direction = "at and above" if gap >= 0 else "at and below"
    return LossAt(abs(gap) / first.scale, f"noisy value {direction} {first.centre}")


def clamped_laplace_loss(first: Laplace, second: Laplace, bound: Exact) -> LossAt:
    """Return the greatest log likelihood ratio after clamping to [-M, M], atoms included.

    Paper: sub-sec-sum-imp (clamping to M after the noise).
    Requires: M > 0.
    """
    _check_scales(first, second)
    edge = exact(bound, "M")
    if edge <= 0:
        raise PreconditionError("sub-sec-sum-imp", "M > 0", edge)
    inner = min(max(first.centre, -edge), edge)
    candidates = [
        LossAt(log(first.below(-edge)) - log(second.below(-edge)), f"clamped value -{edge}"),
        LossAt(log(first.above(edge)) - log(second.above(edge)), f"clamped value {edge}"),
        *(
            LossAt(first.log_density_ratio(second, output), f"value near {output}")
            for output in dict.fromkeys((-edge, inner, edge))
        ),
    ]
    return greatest(candidates, lambda candidate: candidate.loss)


@dataclass(frozen=True, slots=True)
class GridLaplace:
    """Laplace noise on a grid: P(centre + k step) proportional to exp(-|k| step / scale).

    This is the law of `sample_discrete_laplace`, so it gives the losses of the sampled values.
    """

    centre: Number
    scale: Number
    step: Fraction

    def below(self, x: Exact) -> Number:
        """Return P(X <= x) at a point of the grid: a geometric tail, or 1 minus the other tail.

        Requires: x is centre + k step for an integer k.
        """
        steps = steps_from(self.centre, self.step, x)
        ratio = exp(-self.step / self.scale)
        if steps < 0:
            return exp(steps * self.step / self.scale) / (1 + ratio)
        return 1 - exp(-(steps + 1) * self.step / self.scale) / (1 + ratio)

    def at(self, x: Exact) -> Number:
        """Return P(X = x) at a point of the grid."""
        steps = steps_from(self.centre, self.step, x)
        ratio = exp(-self.step / self.scale)
        return exp(-abs(steps) * self.step / self.scale) * (1 - ratio) / (1 + ratio)

    def above(self, x: Exact) -> Number:
        """Return P(X >= x) at a point of the grid."""
        return GridLaplace(-self.centre, self.scale, self.step).below(-exact(x))


def steps_from(centre: Number, step: Fraction, x: Exact) -> int:
    """Return the integer k with x = centre + k step."""
    steps = (exact(x) - centre) / step
    if not isinstance(steps, Fraction) or steps.denominator != 1:
        raise PreconditionError("sub-sec-sum-imp", "a point on the grid of the noise", x)
    return steps.numerator


def clamped_grid_loss(first: GridLaplace, second: GridLaplace, bound: Exact) -> LossAt:
    """Return the greatest log likelihood ratio of noise on a grid after clamping to [-M, M], atoms included.

    Paper: sub-sec-sum-imp (clamping to M after the noise).
    Requires: both laws have the same scale and grid; M > 0 is on the grid.
    """
    if (first.scale, first.step) != (second.scale, second.step):
        raise PreconditionError("sub-sec-sum-imp", "one scale and one grid for both laws", (first, second))
    edge = exact(bound, "M")
    candidates = [
        LossAt(log(first.below(-edge)) - log(second.below(-edge)), f"clamped value -{edge}"),
        LossAt(log(first.above(edge)) - log(second.above(edge)), f"clamped value {edge}"),
    ]
    last = edge - first.step
    inner = min(max(first.centre, -last), last)
    for output in dict.fromkeys((-last, inner, last)):
        gap = abs(output - second.centre) - abs(output - first.centre)
        candidates.append(LossAt(gap / first.scale, f"value {output}"))
    return greatest(candidates, lambda candidate: candidate.loss)


def greatest(candidates: Sequence[Outcome], loss_of: Callable[[Outcome], Extended]) -> Outcome:
    """Return the candidate with the greatest loss, or the first of several that cannot be told apart."""
    best = candidates[0]
    for candidate in candidates[1:]:
        if certainly_less(loss_of(best), loss_of(candidate)):
            best = candidate
    return best


def certainly_less(first: Extended, second: Extended, bits: int = 128) -> bool:
    """Return whether an enclosure of width 2^-bits shows that first < second.

    Losses of mirrored outputs are equal in ways that algebra does not detect, so that an exact comparison
    would raise Undecided.
    """
    if isinstance(first, Infinity) or isinstance(second, Infinity):
        return first < second
    return enclose(second - exact(first), bits).lo > 0


def _check_scales(first: Laplace, second: Laplace) -> None:
    """Raise PreconditionError for laws of different scales: the formulas of the loss do not apply to them."""
    if first.scale != second.scale:
        raise PreconditionError("sec:def", "one scale for both laws", f"{first.scale} and {second.scale}")
