"""The part of a tree that rows can reach.

Splits are drawn without regard to those above them, so a test can be decided by the path to its node. One of
its branches is then impossible. A set of codes of a feature is an integer whose bit k says whether code k is
in the set.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from privboost.fast.growth import Tree


@dataclass(frozen=True, slots=True)
class ReachableLeaf:
    """A leaf that rows can reach: its value, and the codes that such rows have, one set for each feature."""

    value: float
    codes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ReachableSplit:
    """A node with two possible branches: its index in level order, and where its test fails and holds."""

    node: int
    fails: Reachable
    holds: Reachable


Reachable = ReachableSplit | ReachableLeaf


def every_code(n_values: int) -> int:
    """Return the set of all codes of a feature."""
    return (1 << n_values) - 1


def reachable_part(tree: Tree, values: Sequence[float], sizes: Sequence[int]) -> Reachable:
    """Return the part of a tree that rows can reach; `sizes` are the numbers of codes of the features."""
    return _part(tree, values, 0, tuple(map(every_code, sizes)))


def _part(tree: Tree, values: Sequence[float], node: int, codes: tuple[int, ...]) -> Reachable:
    if node >= len(tree.feature):
        return ReachableLeaf(values[node - len(tree.feature)], codes)
    feature, value = int(tree.feature[node]), int(tree.value[node])
    before = codes[feature]
    passing = before & (1 << value) if tree.equal[node] else before >> value << value
    parts = [
        _part(tree, values, child, (*codes[:feature], kept, *codes[feature + 1 :]))
        for child, kept in ((2 * node + 1, before & ~passing), (2 * node + 2, passing))
        if kept
    ]
    return ReachableSplit(node, *parts) if len(parts) == 2 else parts[0]


def leaves_of(part: Reachable) -> Iterator[ReachableLeaf]:
    """Yield the leaves of a part, from left to right."""
    if isinstance(part, ReachableLeaf):
        yield part
    else:
        yield from leaves_of(part.fails)
        yield from leaves_of(part.holds)
