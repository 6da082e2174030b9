"""The numbers of accounting in the vectors, derived again with mpmath from densities and outcomes.

A delta is the integral, or the sum, of what the first law has above e^epsilon times the second one. A number
that is a root is put into its equation, a bit below and a bit above. No formula is that of the reference.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import pytest
from mpmath import mp, mpf

from privboost.oracle_tests.support.checkout import ROOT

VECTORS = ROOT / "gate" / "mechanisms" / "vectors"
WORKING_DIGITS = 34
CLOSE = mpf(10) ** -18
"""The greatest relative difference of two derivations."""
REACH = 14
"""Standard deviations beyond which normal noise has less than CLOSE of its mass."""
ZERO = mpf(10) ** -30
GROWING = (0, 1, 2, 4, 8, 16, 32, 64)
"""Ends of intervals in which a mass that fades is integrated, in units of its length."""
Law = Callable[[Any], Any]


def normal(mean: Any, sigma: Any) -> Law:
    """Return the density of normal noise."""
    return lambda x: mp.exp(-((x - mean) ** 2) / (2 * sigma**2)) / (sigma * mp.sqrt(2 * mp.pi))


def laplace(mean: Any, scale: Any) -> Law:
    """Return the density of Laplace noise."""
    return lambda x: mp.exp(-abs(x - mean) / scale) / (2 * scale)


def excess(first: Law, second: Law, ends: Sequence[Any]) -> Any:
    """Return the integral of first - second where it is positive; `ends` has all points where it may turn."""
    # Errors of integrals are absolute, so that small densities are scaled.
    scale = max(map(first, ends))
    parts = (
        mp.quad(lambda x: (first(x) - second(x)) / scale, pair, method="gauss-legendre")
        for pair in pairwise(ends)
    )
    return scale * mp.fsum(part for part in parts if part > 0)


def summed_excess(pairs: Iterable[tuple[Any, Any]], at: Any) -> Any:
    """Return the sum of p - e^at q over outcomes with the probabilities p and q, where it is positive."""
    return mp.fsum(max(p - mp.exp(at) * q, mpf(0)) for p, q in pairs)


def above(turn: Any, mean: Any, sigma: Any) -> list[Any]:
    """Return the ends of intervals that hold the mass of normal noise above a point."""
    if turn >= mean:
        return [turn + each * sigma / max(mpf(1), (turn - mean) / sigma) for each in GROWING]
    start = max(turn, mean - REACH * sigma)
    return [start, *(mean + i * sigma for i in range(-REACH, REACH + 1) if mean + i * sigma > start)]


def gaussian_delta(sigma: Any, sensitivity: Any, at_epsilon: Any) -> Any:
    """Integrate above the point where the densities have the ratio e^epsilon."""
    turn = sensitivity / 2 + at_epsilon * sigma**2 / sensitivity
    right, left = normal(sensitivity, sigma), normal(mpf(0), sigma)
    return excess(right, lambda x: mp.exp(at_epsilon) * left(x), above(turn, sensitivity, sigma))


def normal_tail_delta(sigma: Any, sensitivity: Any, at_epsilon: Any) -> Any:
    """Return the delta by error functions, for roots."""
    turn, tail = sensitivity / 2 + at_epsilon * sigma**2 / sensitivity, mp.sqrt(2) * sigma
    return (mp.erfc((turn - sensitivity) / tail) - mp.exp(at_epsilon) * mp.erfc(turn / tail)) / 2


def laplace_delta(scale: Any, sensitivity: Any, at_epsilon: Any) -> Any:
    """Integrate between the points where the ratio of the densities changes."""
    middle = (sensitivity + at_epsilon * scale) / 2
    ends = [min(middle, sensitivity), sensitivity, *(sensitivity + scale * each for each in GROWING)]
    right, left = laplace(sensitivity, scale), laplace(mpf(0), scale)
    return excess(right, lambda x: mp.exp(at_epsilon) * left(x), ends)


def discrete_gaussian_delta(sigma: Any, sensitivity: Any, at_epsilon: Any) -> Any:
    """Add up over the integers."""
    points = range(int(-REACH * sigma) - 9, int(REACH * sigma) + 9)
    weights = {k: mp.exp(-(mpf(k) ** 2) / (2 * sigma**2)) for k in range(points[0] - 9, points[-1] + 9)}
    total = mp.fsum(weights.values())
    moved = int(sensitivity)
    return summed_excess(((weights[k] / total, weights[k + moved] / total) for k in points), at_epsilon)


def randomised_response(epsilon: Any, categories: int = 2) -> list[tuple[Any, Any]]:
    """Return the probabilities of all reports for the truths 0 and 1."""
    weights = [[mp.exp(epsilon) if k == truth else mpf(1) for k in range(categories)] for truth in (0, 1)]
    return [(p / mp.fsum(weights[0]), q / mp.fsum(weights[1])) for p, q in zip(*weights, strict=True)]


def compose(parts: Sequence[list[tuple[Any, Any]]]) -> Iterator[tuple[Any, Any]]:
    """Yield the probabilities of all outcomes of several mechanisms."""
    for outcome in product(*parts):
        yield mp.fprod(p for p, _ in outcome), mp.fprod(q for _, q in outcome)


def compose_equal(part: list[tuple[Any, Any]], times: int) -> list[tuple[Any, Any]]:
    """Return the probabilities of how often the first of two outcomes occurs."""
    (p, q), (other, another) = part
    ways = [mp.binomial(times, k) for k in range(times + 1)]
    return [
        (way * p**k * other ** (times - k), way * q**k * another ** (times - k)) for k, way in enumerate(ways)
    ]


def divergence(pairs: Sequence[tuple[Any, Any]]) -> Any:
    """Return the Kullback-Leibler divergence."""
    return mp.fsum(p * mp.log(p / q) for p, q in pairs)


def outcomes_of_range(epsilon: Any, top: Any) -> list[tuple[Any, Any]]:
    """Return two outcomes with the losses `top` and `top` - epsilon."""
    chance = (1 - mp.exp(top - epsilon)) / (mp.exp(top) - mp.exp(top - epsilon))
    return [
        (mp.exp(top) * chance, chance),
        (mp.exp(top - epsilon) * (1 - chance), 1 - chance),
    ]


def greatest(value: Law, low: Any, high: Any) -> Any:
    """Return the greatest value of a function with one peak between two points."""
    for _ in range(60):
        third = (high - low) / 3
        inner = low + third, high - third
        low, high = (inner[0], high) if value(inner[0]) < value(inner[1]) else (low, inner[1])
    return value((low + high) / 2)


def bounded_range_delta(epsilon: Any, times: Any, at_epsilon: Any) -> Any:
    """Search for the worst losses; in a cell all terms of the sum keep their sign."""

    def delta(top: Any) -> Any:
        return summed_excess(compose_equal(outcomes_of_range(epsilon, top), int(times)), at_epsilon)

    inside = [(at_epsilon + i * epsilon) / times for i in range(int(times) + 1)]
    ends = sorted({mpf(0), epsilon, *(end for end in inside if 0 < end < epsilon)})
    tops = (greatest(delta, low, high) for low, high in pairwise(ends))
    # The losses of one mechanism are worst at an end.
    return max(*tops, *(delta(end) for end in ends if 0 < end < epsilon), mpf(0))


def subsampled_gaussian_delta(sigma: Any, rate: Any, at_epsilon: Any) -> Any:
    """Integrate the mixture against normal noise, and the reverse; the ratio of densities is monotonic."""
    plain, factor = normal(mpf(0), sigma), mp.exp(at_epsilon)
    moved = normal(mpf(1), sigma)

    def mixture(x: Any) -> Any:
        return (1 - rate) * plain(x) + rate * moved(x)

    def turn(ratio: Any) -> Any:
        """Return where the mixture has `ratio` times the density of the noise."""
        inner = (ratio - (1 - rate)) / rate
        return sigma**2 * mp.log(inner) + mpf(1) / 2 if inner > 0 else None

    start, end = turn(factor), turn(1 / factor)
    removed = excess(mixture, lambda x: factor * plain(x), above(start, mpf(1), sigma))
    if end is None:
        return removed
    ends = [-x for x in reversed(above(-end, mpf(0), sigma))]
    added = excess(plain, lambda x: factor * mixture(x), ends)
    return max(removed, added)


def tail_of_laplace(epsilon: Any, threshold: Any) -> Any:
    """Return the probability that one row and noise of scale 1 / epsilon are above a threshold."""
    away = epsilon * (threshold - 1)
    return mp.exp(-away) / 2 if away > 0 else 1 - mp.exp(away) / 2


def normal_divergence(sigma: Any, sensitivity: Any) -> Any:
    """Return the loss at the mean, which is the mean of the loss because it is linear: this is rho."""
    # The densities may differ by little: sigma goes up to 2^100.
    with mp.workdps(WORKING_DIGITS + 70):
        return mp.log(normal(sensitivity, sigma)(sensitivity) / normal(mpf(0), sigma)(sensitivity))


def group_delta(epsilon: Any, delta: Any, times: Any) -> Any:
    """Change one row after the other."""
    total = mpf(0)
    for _ in range(int(times)):
        total = mp.exp(epsilon) * total + delta
    return total


def sampled_epsilon(epsilon: Any, rate: Any) -> Any:
    """Return the greatest loss of randomised response on a sample that may have the row, and without it."""
    (with_row, without), _ = randomised_response(epsilon)
    return mp.log((rate * with_row + (1 - rate) * without) / without)


def clipped_sum_delta(sigma: Any, bound: Any, relation: str, at_epsilon: Any) -> Any:
    """Move a sum from a row at one end of its range to none, or to one at the other end."""
    other = -bound if relation == "exchange" else mpf(0)
    return gaussian_delta(sigma, bound - other, at_epsilon)


VALUES: dict[str, Callable[..., Any]] = {
    "gaussian_delta": gaussian_delta,
    "clipped_sum_delta": clipped_sum_delta,
    "laplace_delta": laplace_delta,
    "randomised_response_delta": lambda categories, epsilon, at_epsilon: summed_excess(
        randomised_response(epsilon, int(categories)), at_epsilon
    ),
    "discrete_gaussian_delta": discrete_gaussian_delta,
    "basic_composition_epsilon": lambda epsilons: mp.log(
        mp.fprod(p / q for p, q in (randomised_response(each)[0] for each in epsilons))
    ),
    "pure_composition_delta": lambda epsilons, at_epsilon: summed_excess(
        compose([randomised_response(each) for each in epsilons]), at_epsilon
    ),
    "zcdp_of_gaussian": normal_divergence,
    "zcdp_of_pure": lambda epsilon: divergence(randomised_response(epsilon)),
    "zcdp_of_bounded_range": lambda epsilon: greatest(
        lambda t: divergence(outcomes_of_range(epsilon, t)), mpf(0), epsilon
    ),
    "zcdp_composition": lambda rhos: normal_divergence(mpf(1), mp.norm([mp.sqrt(2 * rho) for rho in rhos])),
    "gdp_of_gaussian": lambda sigma, sensitivity: mp.sqrt(2 * normal_divergence(sigma, sensitivity)),
    "gdp_composition": lambda mus: mp.sqrt(2 * mp.fsum(normal_divergence(mpf(1), mu) for mu in mus)),
    "gdp_delta": lambda mu, at_epsilon: gaussian_delta(mpf(1), mu, at_epsilon),
    "subsampling_epsilon": sampled_epsilon,
    "subsampled_gaussian_delta": subsampled_gaussian_delta,
    "group_epsilon": lambda epsilon, times: mp.log(mp.exp(epsilon) ** int(times)),
    "group_delta": group_delta,
    "bounded_range_delta": bounded_range_delta,
}
"""The number of a rule, from its arguments."""

DELTAS_AT: dict[str, Callable[..., Any]] = {
    "gaussian_sigma": lambda sigma, epsilon, sensitivity: normal_tail_delta(sigma, sensitivity, epsilon),
    "advanced_composition_epsilon": lambda at, epsilon, times: summed_excess(
        compose_equal(randomised_response(epsilon), int(times)), at
    ),
    "zcdp_epsilon": lambda at, rho: normal_tail_delta(mpf(1), mp.sqrt(2 * rho), at),
    "laplace_threshold": lambda threshold, epsilon: tail_of_laplace(epsilon, threshold),
}
"""The delta of a number, which falls while the number grows."""


def number(value: Any) -> Any:
    """Return an exact string as a number of mpmath, words as they are, and lists of them."""
    if isinstance(value, list):
        return [number(entry) for entry in value]
    if value in ("add_remove", "exchange"):
        return value
    return mpf(Fraction(value).numerator) / Fraction(value).denominator


def cases_of(rule: str) -> list[tuple[dict[str, Any], Any]]:
    """Return the arguments and the least right number of every case of a rule."""
    cases = json.loads((VECTORS / "accounting.json").read_bytes())["cases"]
    chosen = [case for case in cases if case["args"].get("rule") == rule and "interval" in case]
    assert all(case["interval"]["hi"] == "infinity" for case in chosen)
    return [
        (
            {name: number(value) for name, value in case["args"].items() if name != "rule"},
            case["interval"]["lo"],
        )
        for case in chosen
    ]


def agrees(rule: str, args: dict[str, Any], least: Any) -> bool:
    """Return whether a number is what mpmath says, up to CLOSE."""
    if rule in VALUES:
        value = VALUES[rule](**args)
        return bool(abs(value - least) <= CLOSE * least if least else value < ZERO)
    delta = args["delta"]
    given = {name: value for name, value in args.items() if name != "delta"}
    if not least:
        return bool(DELTAS_AT[rule](mpf(0), **given) <= delta)
    below, above = (DELTAS_AT[rule](least + side * CLOSE * abs(least), **given) for side in (-1, 1))
    return bool(below >= delta >= above)


@pytest.mark.parametrize("rule", [*VALUES, *DELTAS_AT])
def test_mechanisms__numbers_agree_with_mpmath(rule: str) -> None:
    with mp.workdps(WORKING_DIGITS):
        cases = [(args, mpf(least["decimal"])) for args, least in cases_of(rule)]
        assert len(cases) >= 2
        assert [args for args, least in cases if not agrees(rule, args, least)] == []
        # Negative control: a number that differs in its tenth digit is rejected.
        args, least = next((args, least) for args, least in cases if least)
        assert not agrees(rule, args, least * (1 + mpf(10) ** -10))


def test_mechanisms__every_rule_has_a_second_derivation() -> None:
    cases = json.loads((VECTORS / "accounting.json").read_bytes())["cases"]
    assert {case["args"]["rule"] for case in cases if "interval" in case} == {*VALUES, *DELTAS_AT}
