"""Accounting in floats: the implementation without a mistake."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import product

SAFETY = 1 + 1e-9
"""Numbers that are searched for are rounded up by this factor."""
FAR = 40
"""Standard deviations beyond which discrete Gaussian noise is left out."""


def normal_tail(x: float) -> float:
    """Return P(X > x) of standard normal noise."""
    return math.erfc(x / math.sqrt(2)) / 2


def least(holds: Callable[[float], bool], high: float = 1.0) -> float:
    """Return about the least positive number for which something holds, and for all greater ones."""
    while not holds(high):
        high *= 2
    low = high
    while holds(low) and low > 1e-300:
        low /= 2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high * SAFETY


class Accountant:
    """The rules of accounting, each a method of its name."""

    def gaussian_delta(self, sigma: float, sensitivity: float, at_epsilon: float) -> float:
        """Return the delta of normal noise."""
        ratio = sensitivity / sigma
        first = normal_tail(at_epsilon / ratio - ratio / 2)
        second = normal_tail(at_epsilon / ratio + ratio / 2)
        return max(0.0, first - math.exp(at_epsilon) * second) if at_epsilon < 700 else first

    def gaussian_sigma(self, epsilon: float, delta: float, sensitivity: float) -> float:
        """Return the least standard deviation."""
        return least(lambda sigma: self.gaussian_delta(sigma, sensitivity, epsilon) <= delta)

    def clipped_sum_delta(self, sigma: float, bound: float, relation: str, at_epsilon: float) -> float:
        """Return the delta of normal noise on a sum of rows of a bounded norm."""
        return self.gaussian_delta(sigma, self.distance(bound, relation), at_epsilon)

    def distance(self, bound: float, relation: str) -> float:
        """Return how far a sum moves between neighbours."""
        return 2 * bound if relation == "exchange" else bound

    def laplace_delta(self, scale: float, sensitivity: float, at_epsilon: float) -> float:
        """Return the delta of Laplace noise."""
        return max(0.0, -math.expm1((at_epsilon - sensitivity / scale) / 2))

    def randomised_response_delta(self, categories: int, epsilon: float, at_epsilon: float) -> float:
        """Return the delta of randomised response."""
        share = math.exp(epsilon) + categories - 1
        return max(0.0, (math.exp(epsilon) - math.exp(at_epsilon)) / share)

    def discrete_gaussian_delta(self, sigma: float, sensitivity: int, at_epsilon: float) -> float:
        """Return the delta of discrete Gaussian noise."""
        reach = math.ceil(FAR * sigma) + sensitivity
        total = math.fsum(math.exp(-(k * k) / (2 * sigma * sigma)) for k in range(-reach, reach + 1))
        losses = (
            math.exp(-(k * k) / (2 * sigma * sigma))
            - math.exp(at_epsilon - (k - sensitivity) ** 2 / (2 * sigma * sigma))
            for k in range(-reach, reach + 1)
        )
        return math.fsum(max(0.0, loss) for loss in losses) / total * SAFETY

    def basic_composition_epsilon(self, epsilons: Sequence[float]) -> float:
        """Return the sum."""
        return math.fsum(epsilons) * SAFETY

    def pure_composition_delta(self, epsilons: Sequence[float], at_epsilon: float) -> float:
        """Return the delta of randomised responses, which are the worst mechanisms."""
        if len(set(epsilons)) == 1:
            return self._equal_composition(epsilons[0], len(epsilons), at_epsilon)
        total = math.prod(1 + math.exp(epsilon) for epsilon in epsilons)
        gains = []
        for signs in product((0, 1), repeat=len(epsilons)):
            kept = math.fsum(e for e, sign in zip(epsilons, signs, strict=True) if sign)
            turned = math.fsum(e for e, sign in zip(epsilons, signs, strict=True) if not sign)
            gains.append(max(0.0, math.exp(kept) - math.exp(at_epsilon + turned)))
        return math.fsum(gains) / total * SAFETY

    def _equal_composition(self, epsilon: float, times: int, at_epsilon: float) -> float:
        total = times * math.log1p(math.exp(epsilon))
        gains = (
            math.comb(times, k)
            * (math.exp(k * epsilon - total) - math.exp(at_epsilon + (times - k) * epsilon - total))
            for k in range(times + 1)
        )
        return math.fsum(max(0.0, gain) for gain in gains) * SAFETY

    def advanced_composition_epsilon(self, epsilon: float, times: int, delta: float) -> float:
        """Return the least epsilon of all together at delta."""
        if self._equal_composition(epsilon, times, 0.0) <= delta:
            return 0.0
        return least(lambda at: self._equal_composition(epsilon, times, at) <= delta)

    def zcdp_of_gaussian(self, sigma: float, sensitivity: float) -> float:
        """Return rho."""
        return (sensitivity / sigma) ** 2 / 2

    def zcdp_of_pure(self, epsilon: float) -> float:
        """Return rho."""
        return epsilon * epsilon / 2

    def zcdp_of_bounded_range(self, epsilon: float) -> float:
        """Return rho."""
        return epsilon * epsilon / 8

    def zcdp_composition(self, rhos: Sequence[float]) -> float:
        """Return the sum."""
        return math.fsum(rhos) * SAFETY

    def zcdp_epsilon(self, rho: float, delta: float) -> float:
        """Return epsilon by the conversion of Bun and Steinke."""
        return rho + 2 * math.sqrt(rho * -math.log(delta))

    def gdp_of_gaussian(self, sigma: float, sensitivity: float) -> float:
        """Return mu."""
        return sensitivity / sigma

    def gdp_composition(self, mus: Sequence[float]) -> float:
        """Return the root of the sum of squares."""
        return math.hypot(*mus) * SAFETY

    def gdp_delta(self, mu: float, at_epsilon: float) -> float:
        """Return the delta of normal noise."""
        return self.gaussian_delta(1.0, mu, at_epsilon)

    def subsampling_epsilon(self, epsilon: float, rate: float) -> float:
        """Return epsilon on a sample."""
        return math.log1p(rate * math.expm1(epsilon))

    def subsampled_gaussian_delta(self, sigma: float, rate: float, at_epsilon: float) -> float:
        """Return the greater of the deltas of adding and of removing a row."""
        return max(self.added_delta(sigma, rate, at_epsilon), self.removed_delta(sigma, rate, at_epsilon))

    def removed_delta(self, sigma: float, rate: float, at_epsilon: float) -> float:
        """Return the delta of a mixture against normal noise."""
        inner = (math.exp(at_epsilon) - (1 - rate)) / rate
        if inner <= 0:
            return -math.expm1(at_epsilon)
        return rate * self.gaussian_delta(sigma, 1.0, math.log(inner)) * SAFETY

    def added_delta(self, sigma: float, rate: float, at_epsilon: float) -> float:
        """Return the delta of normal noise against a mixture."""
        factor = math.exp(-at_epsilon) - (1 - rate)
        if factor <= 0:
            return 0.0
        cut = 0.5 + sigma * sigma * math.log(factor / rate)
        apart = normal_tail(-cut / sigma)
        mixed = (1 - rate) * apart + rate * normal_tail((1 - cut) / sigma)
        return max(0.0, apart - math.exp(at_epsilon) * mixed) * SAFETY

    def group_epsilon(self, epsilon: float, times: int) -> float:
        """Return the epsilon of a group."""
        return times * epsilon

    def group_delta(self, epsilon: float, delta: float, times: int) -> float:
        """Return the delta of a group."""
        return delta * math.fsum(math.exp(k * epsilon) for k in range(times))

    def laplace_threshold(self, epsilon: float, delta: float) -> float:
        """Return the threshold."""
        return 1 + (-math.log(2 * delta) if delta <= 1 / 2 else math.log(2 - 2 * delta)) / epsilon

    def bounded_range_delta(self, epsilon: float, times: int, at_epsilon: float) -> float:
        """Return the delta of the composition of basic bounds, which is not the least."""
        return 1.0 if at_epsilon < times * epsilon else 0.0
