"""Sensitivity of a Bayes risk: the paper's bounds, the sharp value, and the exact value by enumeration.

Notation:
    m       size of the larger sample           L       normalised Bayes risk
    w_bar   public bound on the weights         f(a, b) = (a + b) L(a / (a + b)), risk of a leaf
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product

from privboost.errors import PreconditionError
from privboost.reference.data import Relation
from privboost.reference.exact import Exact, Number, exact, exact_sum, log, sqrt
from privboost.reference.losses import Loss, perspective
from privboost.reference.trees.risks import Mass, leaf_risk


def bound_th3p(loss: Loss, m: int) -> Number:
    """Return max{3, 1 + (m + 1) L(1 / (m + 1))}.

    Paper: th3P.
    """
    return max(Fraction(3), 1 + _perspective_at_one(loss, _size(m) + 1))


def bound_lem_phi_proof(name: str, m: int) -> Number:
    """Return max{3, 1 + Delta*} with Delta* = 2 sqrt(m), (1 + log(m + 1)) / log 2, 4 m / (m + 1), 2.

    Paper: lemPhiProof.
    """
    size = _size(m)
    stars: dict[str, Number] = {
        "matsushita": 2 * sqrt(size),
        "log": (1 + log(size + 1)) / log(2),
        "square": Fraction(4 * size, size + 1),
        "zero_one": Fraction(2),
    }
    if name not in stars:
        raise PreconditionError("lemPhiProof", "matsushita, log, square or zero_one", name)
    return max(Fraction(3), 1 + stars[name])


def bound_sens_alpha(alpha: Exact, m: int) -> Number:
    """Return Delta*(m) = 3 + 2 alpha (sqrt(m) - 1).

    Paper: sensALPHA.
    """
    return 3 + 2 * exact(alpha, "alpha") * (sqrt(_size(m)) - 1)


def sharp_sensitivity(loss: Loss, m: int, weight_bound: Exact = 1) -> Number:
    """Return w_bar m L(1 / m), the exact sensitivity of a leaf, of two children and of a partition.

    Ours: sharp sensitivity. For add/remove, m is the size of the larger sample.
    Requires: m >= 1.
    """
    return exact(weight_bound, "w_bar") * _perspective_at_one(loss, _size(m))


def _perspective_at_one(loss: Loss, v: int) -> Number:
    """Return v L(1 / v)."""
    return exact(perspective(loss, 1, v))


def _size(m: int) -> int:
    """Return a sample size, which must be at least 1."""
    if m < 1:
        raise PreconditionError("th3P", "m >= 1", m)
    return m


@dataclass(frozen=True, slots=True)
class Placement:
    """The leaf of an example, None if outside all leaves, with its label and weight."""

    leaf: int | None
    y: int = 1
    weight: Number = Fraction(1)

    def __str__(self) -> str:
        if self.leaf is None:
            return "outside"
        return f"{'+' if self.y == 1 else '-'}{self.weight} in leaf {self.leaf}"


@dataclass(frozen=True, slots=True)
class ExactSensitivity:
    """The greatest change of the risk between neighbours, and a pair that attains it."""

    value: Number
    first: tuple[Placement, ...]
    second: tuple[Placement, ...]


def exact_sensitivity(
    loss: Loss, m: int, weights: Sequence[Exact], relation: Relation, *, leaves: int = 1, outside: bool = True
) -> ExactSensitivity:
    """Return the greatest change of the summed risk of some leaves over all neighbours, by enumeration.

    Use leaves=1 for one leaf of a tree, leaves=2 for both children of a split, and all leaves with
    outside=False for a whole tree.

    Paper: gensen.
    Requires: m >= 1 is the size of the larger sample.
    """
    masses = [exact(weight, "weight") for weight in weights]
    placements = [Placement(leaf, y, mass) for leaf, y, mass in product(range(leaves), (1, -1), masses)]
    placements += [Placement(None)] if outside else []
    memo: dict[tuple[Number, ...], Number] = {}
    best = ExactSensitivity(Fraction(0), (), ())
    for first, second in _neighbours(placements, _size(m), relation):
        change = abs(_summed_risk(loss, leaves, first, memo) - _summed_risk(loss, leaves, second, memo))
        if change > best.value:
            best = ExactSensitivity(change, first, second)
    return best


def _neighbours(
    placements: list[Placement], m: int, relation: Relation
) -> Iterator[tuple[tuple[Placement, ...], tuple[Placement, ...]]]:
    """Yield all neighbouring samples, as multisets of placements."""
    for rest in combinations_with_replacement(placements, m - 1):
        if relation is Relation.EXCHANGE:
            for old, new in combinations(placements, 2):
                yield (*rest, old), (*rest, new)
        else:
            for new in placements:
                yield rest, (*rest, new)


def _summed_risk(
    loss: Loss, leaves: int, sample: tuple[Placement, ...], memo: dict[tuple[Number, ...], Number]
) -> Number:
    """Return the sum of f over the leaves, memoised by the masses."""
    masses = [Mass() for _ in range(leaves)]
    for placement in sample:
        if placement.leaf is not None:
            masses[placement.leaf] = masses[placement.leaf].add(placement.y, placement.weight)
    key = tuple(part for mass in masses for part in (mass.positive, mass.negative))
    if key not in memo:
        memo[key] = exact_sum(leaf_risk(loss, mass) for mass in masses)
    return memo[key]
