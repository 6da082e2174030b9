"""The choice of the number of trees and their depth, from public quantities only.

The signal of a leaf is its mass, m / 2^depth examples on average; its noise has a scale proportional to
T / epsilon. The depth is the one at which a leaf holds about 50 / epsilon examples on average.
"""

from __future__ import annotations

from fractions import Fraction
from math import log2

from .protocol import Protocol

TREES = 20
EXAMPLES_IN_A_LEAF = 50
SHALLOWEST, DEEPEST = 2, 8


def choose_parameters(
    size: int,
    features: int,  # noqa: ARG001
    epsilon: Fraction,
    protocol: Protocol,  # noqa: ARG001
) -> tuple[int, int]:
    """Return the number of trees and their depth: log2(m epsilon / 50), rounded, between 2 and 8.

    Requires: size >= 1, epsilon > 0.
    """
    leaves = size * epsilon / EXAMPLES_IN_A_LEAF
    return TREES, round(log2(min(max(leaves, Fraction(1 << SHALLOWEST)), Fraction(1 << DEEPEST))))
