"""Composition of (epsilon, delta), and groups of rows.

Notation:
    epsilon_i, delta_i    parameters of the i-th of k mechanisms        E    sum of all epsilon_i
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod

from privboost.errors import PreconditionError
from privboost.reference.exact import Enclosure, Exact, Number, exact_sum, exp, log, sqrt

from .arguments import check_count, check_delta, not_negative, positive, rational
from .gaussian import BITS
from .solving import enclose_root


def basic_composition(parts: Iterable[tuple[Exact, Exact]]) -> tuple[Number, Number]:
    """Return the sum of all epsilon_i and the sum of all delta_i.

    Source: Dwork and Roth 2014, Theorem 3.16.
    """
    pairs = [(not_negative(epsilon, "epsilon"), check_delta(delta, zero=True)) for epsilon, delta in parts]
    return exact_sum(epsilon for epsilon, _ in pairs), exact_sum(delta for _, delta in pairs)


def advanced_composition(epsilon: Exact, delta: Exact, k: int, slack: Exact) -> tuple[Number, Number]:
    """Return sqrt(2 k log(1 / slack)) epsilon + k epsilon (e^epsilon - 1), and k delta + slack.

    Source: Dwork, Rothblum and Vadhan 2010, Theorem III.3; Dwork and Roth 2014, Theorem 3.20.
    """
    budget, times = positive(epsilon, "epsilon"), check_count(k, "k")
    total = sqrt(2 * times * log(1 / check_delta(slack))) * budget + times * budget * (exp(budget) - 1)
    return total, times * check_delta(delta, zero=True) + slack


def optimal_delta(total: Exact, epsilons: Sequence[Exact], deltas: Sequence[Exact] = ()) -> Number:
    """Return the least delta of the composition at epsilon = `total`.

    It is 1 - prod (1 - delta_i) (1 - W / prod (1 + e^epsilon_i)), where W is the sum of
    max{0, e^x - e^(total + E - x)} over all subsets, and x is the sum of the epsilon_i of a subset.

    Source: Kairouz, Oh and Viswanath 2015, Theorem 3.3; Murtagh and Vadhan 2016, Theorem 1.5.
    Requires: every epsilon_i is rational; no deltas means that all are 0.
    """
    return _delta_at(not_negative(total, "total"), _subset_sums(epsilons), _all_hold(deltas))


def enclose_optimal_epsilon(
    delta: Exact, epsilons: Sequence[Exact], deltas: Sequence[Exact] = (), bits: int = BITS
) -> Enclosure:
    """Return an enclosure of the least epsilon of the composition at a delta.

    Requires: delta is at least 1 - prod (1 - delta_i), and less than the delta at epsilon = 0.
    """
    slack, subsets, all_hold = check_delta(delta, zero=True), _subset_sums(epsilons), _all_hold(deltas)
    if not 1 - all_hold <= slack < _delta_at(Fraction(0), subsets, all_hold):
        raise PreconditionError("delta", "between the deltas at epsilon = infinity and epsilon = 0", delta)
    return enclose_root(lambda total: _delta_at(total, subsets, all_hold) > slack, bits)


@dataclass(frozen=True, slots=True)
class _Subsets:
    """The subsets of mechanisms whose epsilon_i have one sum x: how many there are, and e^x."""

    count: int
    power: Number


def _subset_sums(epsilons: Sequence[Exact]) -> dict[Fraction, _Subsets]:
    """Return the subsets by the sum of their epsilon_i."""
    counts: Counter[Fraction] = Counter({Fraction(0): 1})
    for epsilon in epsilons:
        part = rational(positive(epsilon, "epsilon"), "epsilon")
        counts.update(Counter({x + part: count for x, count in counts.items()}))
    return {x: _Subsets(count, exp(x)) for x, count in counts.items()}


def _delta_at(total: Number, subsets: dict[Fraction, _Subsets], all_hold: Number) -> Number:
    """Return 1 - prod (1 - delta_i) (1 - W / prod (1 + e^epsilon_i)); the last product adds all e^x."""
    whole, odds = max(subsets), exp(total)
    weight = exact_sum(
        same.count * (same.power - odds * subsets[whole - x].power)
        for x, same in subsets.items()
        if 2 * x > total + whole
    )
    return 1 - all_hold * (1 - weight / exact_sum(same.count * same.power for same in subsets.values()))


def _all_hold(deltas: Sequence[Exact]) -> Number:
    """Return prod (1 - delta_i)."""
    return prod((1 - check_delta(delta, zero=True) for delta in deltas), start=Fraction(1))


def group_privacy(epsilon: Exact, delta: Exact, k: int) -> tuple[Number, Number]:
    """Return k epsilon and delta (1 + e^epsilon + ... + e^((k - 1) epsilon)), for k rows that differ.

    Source: Vadhan 2017, Lemma 2.2, whose proof gives this sum.
    """
    budget, slack = not_negative(epsilon, "epsilon"), check_delta(delta, zero=True)
    times = check_count(k, "k")
    return times * budget, slack * exact_sum(exp(i * budget) for i in range(times))
