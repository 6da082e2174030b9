"""The default number of trees and depth, from the public quantities m and epsilon.

With noisy nets and uniform splits, m epsilon decides: the mass of a leaf grows like m / 2^depth, and its
noise like T / epsilon. The rule was fitted to 16 synthetic tasks, at m epsilon from 30 to 11000, and to no
data set whose errors are reported. docs/fast_results.md has the tasks and the best values.

With a delta, mu m decides in the same way, where mu is the distance of neighbours in standard deviations of
all noise. Many trees with a small step cost no more than few: the noise of a score follows from the product
of step and number. docs/fast_results.md says which tables this rule was tried on.

Other protocols get 20 trees, and the depth at which a leaf contains about 50 / epsilon rows on average.
"""

from __future__ import annotations

from fractions import Fraction
from math import log2, sqrt

from privboost.fast.concentrated import greatest_rho
from privboost.fast.protocol import LeafRule, Protocol, SplitLaw

TREES = 20
EXAMPLES_IN_A_LEAF = 50
SHALLOWEST, DEEPEST = 2, 8
FEWEST, MOST = 2, 128


GAUSSIAN_TREES = 12
FEWEST_GAUSSIAN, MOST_GAUSSIAN = 50, 3000


def choose_parameters(
    size: int,
    features: int,  # noqa: ARG001
    epsilon: Fraction,
    protocol: Protocol,
    delta: Fraction = Fraction(0),
) -> tuple[int, int]:
    """Return the number of trees and their depth.

    Noisy nets with uniform splits have 3/4 sqrt(m epsilon) trees, from 2 to 128, of depth
    3 + log2(m epsilon) / 5. With a delta, and mu = sqrt(2 rho), they have 12 sqrt(mu m) trees, from 50 to
    3000, of depth log2(mu m) / 2. Others have 20 trees of depth log2(m epsilon / 50). All are rounded, and
    depths are from 2 to 8.
    Requires: size >= 1, epsilon > 0.
    """
    if delta:
        strength = sqrt(2 * greatest_rho(epsilon, delta)) * min(size, 1 << 60)
        trees = min(max(round(GAUSSIAN_TREES * sqrt(strength)), FEWEST_GAUSSIAN), MOST_GAUSSIAN)
        return trees, _within_depths(log2(max(strength, 1.0)) / 2)
    strength = float(min(max(size * epsilon, Fraction(1, 1 << 40)), Fraction(1 << 60)))
    if protocol.leaf is LeafRule.NOISY_NET and protocol.split_law is SplitLaw.UNIFORM:
        trees, depth = round(0.75 * sqrt(strength)), 3 + log2(strength) / 5
    else:
        trees, depth = TREES, log2(strength / EXAMPLES_IN_A_LEAF)
    return min(max(trees, FEWEST), MOST), _within_depths(depth)


def _within_depths(depth: float) -> int:
    return min(max(round(depth), SHALLOWEST), DEEPEST)
