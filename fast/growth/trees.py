"""Complete trees as arrays in level order, and the list of splits that a domain allows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from privboost.fast.arrays import Array, Codes, Features, Flags, Indices, Nodes, Values
from privboost.fast.domain import Domain
from privboost.fast.features import Categorical
from privboost.fast.kernels import KERNELS


@dataclass(frozen=True, slots=True)
class Candidates:
    """Every split of a domain, in order of features: code >= value, or code = value for a category."""

    feature: Features
    value: Values
    equal: Flags

    @classmethod
    def of(cls, domain: Domain) -> Candidates:
        """Return the splits of a domain; a feature with two categories has a single split."""
        rows: list[tuple[int, int, bool]] = []
        for index, feature in enumerate(domain.features):
            if isinstance(feature, Categorical):
                count = feature.values if feature.values > 2 else feature.values - 1
                rows += [(index, value, True) for value in range(count)]
            else:
                rows += [(index, cut, False) for cut in range(1, feature.values)]
        columns = np.array(rows, dtype=np.int64).reshape(-1, 3).T
        return cls(columns[0].astype(np.int32), columns[1].astype(np.uint8), columns[2].astype(np.bool_))

    def __len__(self) -> int:
        return int(self.feature.size)

    def name_of(self, index: int) -> str:
        """Return a split as the transcripts write it, such as 'x0 >= 3' or 'x2 = 1'."""
        sign = "=" if self.equal[index] else ">="
        return f"x{self.feature[index]} {sign} {self.value[index]}"

    def tests(self, chosen: Indices) -> tuple[Features, Values, Flags]:
        """Return the arrays feature, value and equal of the chosen splits."""
        return self.feature[chosen], self.value[chosen], self.equal[chosen]


@dataclass(frozen=True, slots=True)
class Tree:
    """A complete tree: the tests of its nodes in level order, and the values of its leaves left to right."""

    depth: int
    feature: Features
    value: Values
    equal: Flags
    values: Array

    def leaves_of(self, codes: Codes) -> Nodes:
        """Return the index of the leaf of every row."""
        nodes = np.zeros(codes.shape[1], dtype=np.uint16)
        KERNELS["route_tree"](codes, nodes, self.feature, self.value, self.equal, self.depth)
        return nodes

    def decide(self, codes: Codes) -> Array:
        """Return the value of the leaf of every row."""
        return self.values[self.leaves_of(codes)]


def sum_of_values(trees: Sequence[Tree], values: Sequence[Array], codes: Codes) -> Array:
    """Return the sum of the values of the leaves of every row, added in the order of the trees."""
    total = np.zeros(codes.shape[1], dtype=np.float64)
    depths = np.array([tree.depth for tree in trees], dtype=np.int64)
    tests = map(np.concatenate, zip(*((tree.feature, tree.value, tree.equal) for tree in trees), strict=True))
    KERNELS["sum_trees"](codes, depths, *tests, np.concatenate(values), total)
    return total
