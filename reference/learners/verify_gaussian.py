"""The exact delta of trees with Gaussian noise, on all neighbouring samples of a tiny domain.

Uniform splits do not depend on the data, so what is released of a tree is its nets with independent discrete
Gaussian noise Z. If neighbours differ by d in the nets of a tree, the privacy loss at an output is

    (|d|^2 + 2 <d, Z>) / (2 sigma^2)

and delta(epsilon) is the mean of max(0, 1 - exp(epsilon - loss)). The entries of d are multiples of a whole
number g of grid steps, so the loss follows from a sum of integer multiples of Z, whose law is a convolution.
It is computed with integers that enclose probabilities in steps of 2^-bits.

Several trees are judged together as if each changed by as much as the first tree can, which no tree exceeds.
That later trees depend on releases of earlier ones is left to the theorem on composition.

Notation:
    moves       entries of d / g, for all trees
    reach       the noise beyond this many grid steps has a probability below 2^-bits
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import product
from math import gcd, isqrt

from privboost.errors import PreconditionError
from privboost.reference.data import (
    Domain,
    Sample,
    WeightedSample,
    initial_weights,
    neighbouring_pairs,
)
from privboost.reference.exact import Enclosure, Number, enclose, exp, floor
from privboost.reference.trees.risks import leaf_masses
from privboost.reference.trees.tree import Tree

from .leaves import leaf_variance
from .privacy_loss import tree_law
from .protocol import Parameters, Protocol
from .splitting import Setting
from .verification import sizes_of_pairs

HALF = Fraction(1, 2)
BITS = 96
"""Number of bits of the integers that enclose a probability."""


@dataclass(frozen=True, slots=True)
class DeltaVerification:
    """The extent of a check of (epsilon, delta), the greatest delta at epsilon, and where it is attained."""

    epsilon: Number
    claim: Number
    pairs: int
    trees: int
    moves: int
    """Number of distinct changes of the nets of a tree."""
    together: int
    """Number of trees that were judged together."""
    greatest: Enclosure
    first: Sample
    second: Sample
    tree: Tree

    @property
    def holds(self) -> bool:
        """Return whether the greatest delta is at most the claim, decided by its upper bound."""
        return self.greatest.hi <= self.claim


def verify_delta(
    protocol: Protocol,
    parameters: Parameters,
    domain: Domain,
    size: int,
    progress: Callable[[int, int], object] | None = None,
) -> DeltaVerification:
    """Return the greatest exact delta of all T trees together, over all neighbours and all trees.

    Paper: defEDPRIV.
    Requires: uniform splits, noisy nets, and a delta.
    """
    if not parameters.delta:
        raise PreconditionError("defEDPRIV", "parameters with a delta", parameters.delta)
    setting = Setting(protocol, parameters, domain, size, HALF)
    variance = leaf_variance(setting) / parameters.grid**2
    pairs = [
        pair
        for m in sizes_of_pairs(protocol.relation, size)
        for pair in neighbouring_pairs(domain, m, protocol.relation)
    ]
    trees = [tree for tree, _ in tree_law(setting, WeightedSample((), ()))]
    changes: dict[tuple[int, ...], tuple[Sample, Sample, Tree]] = {}
    for (one, other), tree in product(pairs, trees):
        moves = _moves(setting, tree, one, other)
        changes.setdefault(moves, (one, other, tree))
    deltas = {}
    for done, moves in enumerate(changes, start=1):
        deltas[moves] = enclose_delta(moves * parameters.trees, variance, parameters.epsilon)
        if progress is not None:
            progress(done, len(changes))
    worst = max(deltas, key=lambda moves: deltas[moves].hi)
    return DeltaVerification(
        parameters.epsilon,
        parameters.delta,
        len(pairs),
        len(trees),
        len(changes),
        parameters.trees,
        deltas[worst],
        *changes[worst],
    )


def _moves(setting: Setting, tree: Tree, one: Sample, other: Sample) -> tuple[int, ...]:
    """Return by how many grid steps the nets of neighbours differ, without zeros, in increasing order.

    The law of the noise is symmetric, so signs do not matter.
    """
    tables = (leaf_masses(tree, initial_weights(sample)) for sample in (one, other))
    nets = [[mass.positive - mass.negative for mass in table.values()] for table in tables]
    differences = [abs(a - b) / setting.parameters.grid for a, b in zip(*nets, strict=True)]
    return tuple(sorted(floor(step) for step in differences if step))


def enclose_delta(moves: Sequence[int], variance: Number, epsilon: Number) -> Enclosure:
    """Return an enclosure of the delta at epsilon of nets that differ by `moves`, in grid steps.

    Rounding direction: outwards.
    """
    if not moves:
        return Enclosure(Fraction(0), Fraction(0))
    unit = reduce(gcd, moves)
    square = sum(move * move for move in moves)
    reach = isqrt(floor(2 * variance * BITS)) + 2
    law = [1]
    for move in moves:
        law = _convolve(law, _spread(_half_law(variance, reach), move // unit))
    middle, total = len(law) // 2, Fraction(1)
    # Probabilities are rounded down, and what is missing may be anywhere.
    missing = total - Fraction(sum(law), 1 << BITS * len(moves))
    low = high = Fraction(0)
    for index, part in enumerate(law):
        loss = (square + 2 * unit * (index - middle)) / (2 * variance)
        if part and loss > epsilon:
            gap = _enclose_gap(epsilon - loss)
            low, high = low + part * gap.lo, high + part * gap.hi
    scale = Fraction(1, 1 << BITS * len(moves))
    return Enclosure(low * scale, high * scale + missing)


def _enclose_gap(exponent: Number) -> Enclosure:
    """Return an enclosure of 1 - exp(exponent), for a negative exponent."""
    power = enclose(exp(exponent), 64)
    return Enclosure(max(1 - power.hi, Fraction(0)), 1 - power.lo)


def _half_law(variance: Number, reach: int) -> list[int]:
    """Return the probabilities of 0, ..., reach under the discrete Gaussian, rounded down to 2^-bits."""
    precision = BITS + 64
    parts = [
        int(enclose(exp(-(k * k) / (2 * variance)), precision).lo * (1 << precision)) for k in range(reach)
    ]
    # The sum over all integers is at most this: terms are rounded down by less than 1 each, and those that
    # are left out add up to less than 2^-94 of the first for each that is not.
    whole = parts[0] + 2 * sum(parts[1:]) + 2 * reach + (4 << 64) * reach
    return [(part << BITS) // whole for part in parts]


def _spread(half: Sequence[int], stride: int) -> list[int]:
    """Return the symmetric law of stride times the noise."""
    law = [0] * (2 * stride * (len(half) - 1) + 1)
    middle = len(law) // 2
    for k, part in enumerate(half):
        law[middle + stride * k] = law[middle - stride * k] = part
    return law


def _convolve(one: Sequence[int], other: Sequence[int]) -> list[int]:
    """Return the convolution of two lists of natural numbers, by one product of long integers."""
    width = (
        max(one).bit_length() + max(other).bit_length() + min(len(one), len(other)).bit_length() + 7
    ) // 8
    packed = [
        int.from_bytes(b"".join(n.to_bytes(width, "little") for n in law), "little") for law in (one, other)
    ]
    length = len(one) + len(other) - 1
    joined = (packed[0] * packed[1]).to_bytes(width * length, "little")
    return [
        int.from_bytes(joined[start : start + width], "little") for start in range(0, width * length, width)
    ]
