"""The choice of the number of trees and their depth, from public quantities only: m and epsilon.

With noisy nets and uniform splits, what decides is m epsilon: the mass of a leaf grows like m / 2^depth, its
noise like T / epsilon. The rule was fitted to sixteen synthetic tasks (scikit-learn's generators, and linear
and additive ones, 4 to 30 features, half of them with heavy tails), at m epsilon from 30 to 11000 and several
seeds each; no data set on which errors are reported had a part in it. The best numbers of trees were 1, 4, 8,
24, 48 and 96 at m epsilon = 30, 100, 350, 1100, 4000 and 11000, and the best depths 3 to 5 throughout, with
little to lose by one more or one less. docs/fast_results.md has the table.

Other protocols get 20 trees, and the depth at which a leaf holds about 50 / epsilon examples on average.
"""

from __future__ import annotations

from fractions import Fraction
from math import log2, sqrt

from privboost.fast.protocol import LeafRule, Protocol, SplitLaw

TREES = 20
EXAMPLES_IN_A_LEAF = 50
SHALLOWEST, DEEPEST = 2, 8
FEWEST, MOST = 2, 128


def choose_parameters(
    size: int,
    features: int,  # noqa: ARG001
    epsilon: Fraction,
    protocol: Protocol,
) -> tuple[int, int]:
    """Return the number of trees and their depth.

    Nets with uniform splits: 3/4 sqrt(m epsilon) trees, from 2 to 128, of depth 3 + log2(m epsilon) / 5, from
    2 to 8, both rounded. Others: 20 trees of depth log2(m epsilon / 50), rounded, from 2 to 8.
    Requires: size >= 1, epsilon > 0.
    """
    strength = float(min(max(size * epsilon, Fraction(1, 1 << 40)), Fraction(1 << 60)))
    if protocol.leaf is LeafRule.NOISY_NET and protocol.split_law is SplitLaw.UNIFORM:
        trees, depth = round(0.75 * sqrt(strength)), 3 + log2(strength) / 5
    else:
        trees, depth = TREES, log2(strength / EXAMPLES_IN_A_LEAF)
    return min(max(trees, FEWEST), MOST), min(max(round(depth), SHALLOWEST), DEEPEST)
