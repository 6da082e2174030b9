"""Training rows in parts: in memory, on disk, or on the workers of a cluster.

A learner sends splits and leaf values to the parts and receives tables of masses; rows never leave their
part. Masses are integers, so their sum over parts does not depend on how the rows are divided.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from privboost.fast.arrays import Array, Codes
from privboost.fast.kernels import KERNELS
from privboost.fast.loss import float_weights, mirror_weights
from privboost.fast.protocol import GRID

Operation = Callable[..., "tuple[Part, Any]"]

BLOCK = 1 << 18
"""Number of rows per block when rows do not fit into memory."""


@dataclass(frozen=True, slots=True)
class Part:
    """Some of the rows: their codes and labels, and the current node, margin and weight of each.

    In a batch of trees, `nodes` has a row for each tree, and `nets` are those of one tree.
    """

    codes: Codes
    signs: Array
    nodes: Array
    margins: Array
    weights: Array
    nets: Array

    @classmethod
    def of(cls, codes: Codes, signs: Array) -> Part:
        """Return rows at the root of the first tree, with margin 0 and weight 1/2."""
        rows = signs.size
        return cls(
            codes,
            signs.astype(np.int8),
            np.zeros(rows, dtype=np.uint16),
            np.zeros(rows, dtype=np.int32),
            np.full(rows, GRID // 2, dtype=np.uint16),
            np.zeros(0, dtype=np.int64),
        )


def to_root(part: Part) -> tuple[Part, None]:
    """Move every row to the root."""
    return replace(part, nodes=np.zeros(part.signs.size, dtype=np.uint16)), None


def route_level(part: Part, feature: Array, value: Array, equal: Array) -> tuple[Part, None]:
    """Move every row to a child of its node."""
    nodes = part.nodes.copy()
    KERNELS["route_level"](part.codes, nodes, feature, value, equal)
    return replace(part, nodes=nodes), None


def route_tree(part: Part, feature: Array, value: Array, equal: Array, depth: int) -> tuple[Part, None]:
    """Move every row from the root to its leaf."""
    nodes = np.zeros(part.signs.size, dtype=np.uint16)
    KERNELS["route_tree"](part.codes, nodes, feature, value, equal, depth)
    return replace(part, nodes=nodes), None


def class_masses(part: Part, leaves: int) -> tuple[Part, Array]:
    """Return the class masses of each node, shape (leaves, 2): negatives, then positives."""
    return part, KERNELS["class_masses"](part.nodes, part.signs, part.weights, leaves)


def histograms(part: Part, counted: Array, bins: int) -> tuple[Part, Array]:
    """Return the class masses by node, feature and value; 0 in nodes that are not counted."""
    return part, KERNELS["histograms"](part.codes, part.nodes, part.signs, part.weights, counted, bins)


def add_values(part: Part, values: Array) -> tuple[Part, None]:
    """Add the value of its leaf to the margin of every row."""
    margins = part.margins.astype(values.dtype, copy=True)
    KERNELS["add_values"](margins, part.nodes, values)
    return replace(part, margins=margins), None


def weigh_by_table(part: Part, table: Array) -> tuple[Part, None]:
    """Set every weight from the margin of its row, an integer of grid steps."""
    return replace(part, weights=KERNELS["weigh"](part.margins, part.signs, table)), None


def weigh_by_link(part: Part, boost_alpha: float) -> tuple[Part, None]:
    """Set every weight from the margin of its row, rounded down to the grid."""
    return replace(part, weights=float_weights(part.margins, part.signs, boost_alpha)), None


def mirror(part: Part, steps: Array, boost_alpha: float) -> tuple[Part, None]:
    """Apply the paper's mirror update to every weight, without rounding."""
    start = part.weights if part.weights.dtype.kind == "f" else part.weights / GRID
    return replace(part, weights=mirror_weights(start, part.signs * steps[part.nodes], boost_alpha)), None


def route_batch(part: Part, feature: Array, value: Array, equal: Array, depth: int) -> tuple[Part, None]:
    """Move every row to its leaf of each of several trees, whose tests have a row for each tree."""
    nodes = np.empty((len(feature), part.signs.size), dtype=np.uint16)
    KERNELS["route_trees"](part.codes, nodes, feature, value, equal, depth)
    return replace(part, nodes=nodes), None


def move_on(part: Part, index: int, values: Array, table: Array) -> tuple[Part, None]:
    """Add the values of the leaves of the tree before, and sum the nets of a tree of a batch.

    The first tree of a batch stands for the one before it, with values of 0.
    """
    margins, nets = part.margins.copy(), np.zeros(values.size, dtype=np.int64)
    before, here = part.nodes[max(index - 1, 0)], part.nodes[index]
    KERNELS["sum_nets"](before, values, here, margins, part.signs, table, nets)
    return replace(part, margins=margins, nets=nets), None


def nets_of(part: Part) -> tuple[Part, Array]:
    """Return the nets that were summed last."""
    return part, part.nets


def finish_batch(part: Part, values: Array) -> tuple[Part, None]:
    """Add the values of the leaves of the last tree of a batch."""
    return add_values(replace(part, nodes=part.nodes[-1]), values)


class Rows(Protocol):
    """Rows that apply operations to their parts and return sums of tables."""

    @property
    def size(self) -> int:
        """Return the number of rows."""

    def tell(self, operation: Operation, *arguments: Any) -> None:
        """Apply an operation to every part."""

    def ask(self, operation: Operation, *arguments: Any) -> Array:
        """Return the sum of the tables that an operation computes from the parts."""


class LocalRows:
    """Rows in this process, with codes in memory or in a mapped file."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self._parts = list(parts)

    @classmethod
    def in_memory(cls, codes: Codes, signs: Array) -> LocalRows:
        """Return rows whose codes are in memory."""
        return cls([Part.of(codes, signs)])

    @property
    def size(self) -> int:
        """Return the number of rows of all parts."""
        return sum(part.signs.size for part in self._parts)

    def tell(self, operation: Operation, *arguments: Any) -> None:
        """Replace every part by the result of an operation."""
        self._parts = [operation(part, *arguments)[0] for part in self._parts]

    def ask(self, operation: Operation, *arguments: Any) -> Array:
        """Compute a table from each part, and return their sum."""
        return add_tables(operation(part, *arguments)[1] for part in self._parts)


def add_tables(tables: Iterable[Array]) -> Array:
    """Return the sum of tables of the same shape."""
    total: Array | None = None
    for table in tables:
        total = table if total is None else total + table
    assert total is not None
    return total
