"""Choices among outcomes: exponential mechanism, permute-and-flip, randomised response, quantiles.

Notation:
    epsilon    privacy parameter    u_r    utility of outcome r     Delta    sensitivity of the utilities
    q          a quantile           n      number of values         k        number of answers
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import TypeVar

from privboost.reference.data import Relation
from privboost.reference.exact import Exact, Number, exact, exact_sum, exp
from privboost.reference.privacy.mechanisms import exponential_law, permute_and_flip_law, rate

from .arguments import check_bounds, check_count, check_share, positive

Outcome = TypeVar("Outcome")


def exponential(
    utilities: Mapping[Outcome, Exact], epsilon: Exact, sensitivity: Exact, *, monotonic: bool = False
) -> dict[Outcome, Number]:
    """Return P(r) proportional to exp(epsilon u_r / (2 Delta)), without the 2 if utilities are monotonic.

    Source: McSherry and Talwar 2007, Theorem 6; monotonic utilities all rise or all fall with a new row.
    """
    return exponential_law(_exact_values(utilities), _rate(epsilon, sensitivity, monotonic))


def permute_and_flip(
    utilities: Mapping[Outcome, Exact], epsilon: Exact, sensitivity: Exact, *, monotonic: bool = False
) -> dict[Outcome, Number]:
    """Return the law of the first outcome, in random order, that is accepted.

    A coin accepts r with probability exp(epsilon (u_r - max u) / (2 Delta)), without the 2 if `monotonic`.

    Source: McKenna and Sheldon 2020, Algorithm 1.
    """
    return permute_and_flip_law(_exact_values(utilities), _rate(epsilon, sensitivity, monotonic))


def _rate(epsilon: Exact, sensitivity: Exact, monotonic: bool) -> Number:
    """Return what multiplies a utility."""
    return rate(positive(epsilon, "epsilon"), positive(sensitivity, "sensitivity"), one_sided=monotonic)


def _exact_values(utilities: Mapping[Outcome, Exact]) -> dict[Outcome, Number]:
    return {outcome: exact(utility, "utility") for outcome, utility in utilities.items()}


def randomised_response(k: int, epsilon: Exact) -> tuple[Number, Number]:
    """Return the probability e^epsilon / (e^epsilon + k - 1) of the true answer, and that of each other one.

    Source: Warner 1965 for k = 2; Kairouz, Bonawitz and Ramage 2016.
    Requires: k >= 2.
    """
    odds = exp(positive(epsilon, "epsilon"))
    total = odds + check_count(k, "k", 2) - 1
    return odds / total, 1 / total


def quantile_sensitivity(q: Exact, relation: Relation) -> Number:
    """Return how much the rank error of a candidate changes: 1, or max{q, 1 - q} for a row more or less.

    A new row moves the number of values below a candidate by 0 or 1, and q n by q.
    """
    share = check_share(q, "q")
    return Fraction(1) if relation is Relation.EXCHANGE else max(share, 1 - share)


def quantile_utilities(
    values: Sequence[Exact], candidates: Sequence[Exact], q: Exact
) -> dict[Number, Number]:
    """Return -|number of values below c, minus q n| for every candidate c.

    Source: Smith 2011, Algorithm 2, whose utilities these are between two values.
    """
    data, target = [exact(value, "value") for value in values], check_share(q, "q") * len(values)
    points = [exact(candidate, "candidate") for candidate in candidates]
    return {point: -abs(sum(value < point for value in data) - target) for point in points}


def quantile_of_candidates(
    values: Sequence[Exact], candidates: Sequence[Exact], q: Exact, *, epsilon: Exact, relation: Relation
) -> dict[Number, Number]:
    """Return the law of the exponential mechanism on public candidates."""
    return exponential(quantile_utilities(values, candidates, q), epsilon, quantile_sensitivity(q, relation))


def quantile_of_intervals(
    values: Sequence[Exact], lo: Exact, hi: Exact, q: Exact, *, epsilon: Exact, relation: Relation
) -> dict[tuple[Number, Number], Number]:
    """Return the probability of every interval between neighbouring values; the output is uniform inside.

    It is proportional to length * exp(-epsilon |i - q n| / (2 Delta)), for i values below the interval.

    Source: Smith 2011, Algorithm 2. Values are clamped to [lo, hi].
    """
    below, above = check_bounds(lo, hi)
    per_rank = _rate(epsilon, quantile_sensitivity(q, relation), monotonic=False)
    ends = [below, *sorted(min(max(exact(value, "value"), below), above) for value in values), above]
    weights = {
        (left, right): (right - left) * exp(-per_rank * abs(i - check_share(q, "q") * len(values)))
        for i, (left, right) in enumerate(pairwise(ends))
        if left < right
    }
    total = exact_sum(weights.values())
    return {interval: weight / total for interval, weight in weights.items()}
