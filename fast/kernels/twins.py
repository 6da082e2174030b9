"""The passes over rows in NumPy, each the twin of a compiled one.

`codes[f, i]` is the code of feature f in row i. Masses are sums of integer weights, so both twins return the
same bits for every order and partition of the rows. Float weights, which only the mirror update of the paper
makes, are summed in the order of the rows by both.

`feature`, `value` and `equal` describe the tests of one level, or of a whole tree in level order. A row goes
right (bit 1) if its code is at least `value`, or equal to it if the test is categorical.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from privboost.fast.arrays import Array, Codes, Features, Flags, Indices, Nodes, Signs, Values

Passes = dict[str, Callable[..., Any]]

BLOCK = 1 << 18
"""Number of rows per block, which bounds the memory of intermediate results."""


def route_level_numpy(codes: Codes, nodes: Nodes, feature: Features, value: Values, equal: Flags) -> None:
    """Move every row from its node to a child, in place."""
    for start in range(0, nodes.size, BLOCK):
        here = nodes[start : start + BLOCK]
        tested = codes[feature[here], np.arange(start, start + here.size)]
        compared = value[here]
        here[:] = 2 * here + np.where(equal[here], tested == compared, tested >= compared)


def route_tree_numpy(
    codes: Codes, nodes: Nodes, feature: Features, value: Values, equal: Flags, depth: int
) -> None:
    """Move every row from the root to its leaf, in place."""
    nodes[:] = 0
    for level in range(depth):
        part = slice((1 << level) - 1, (1 << level + 1) - 1)
        route_level_numpy(codes, nodes, feature[part], value[part], equal[part])


def route_trees_numpy(
    codes: Codes, nodes: Nodes, feature: Features, value: Values, equal: Flags, depth: int
) -> None:
    """Move every row from the root to its leaf of every tree, in place; arrays have a row for each tree."""
    for tree in range(len(nodes)):
        route_tree_numpy(codes, nodes[tree], feature[tree], value[tree], equal[tree], depth)


def sum_nets_numpy(
    before: Nodes,
    values: Array,
    here: Nodes,
    margins: Array,
    signs: Signs,
    table: Array,
    nets: Indices,
) -> None:
    """Add the values of one tree to the margins, and the signed weights that follow to the nets of the next.

    Signed margins beyond the ends of the table have the weights of its ends.
    """
    margins += values[before]
    at = np.clip(table.size // 2 + signs.astype(margins.dtype) * margins, 0, table.size - 1)
    nets += _sum_by_index(here.astype(np.int64), table[at].astype(np.int64) * signs, nets.size)


def class_masses_numpy(nodes: Nodes, signs: Signs, weights: Array, leaves: int) -> Array:
    """Return the class masses of each leaf, shape (leaves, 2): negatives, then positives."""
    index = 2 * nodes.astype(np.int64) + (signs > 0)
    return _sum_by_index(index, weights, 2 * leaves).reshape(leaves, 2)


def histograms_numpy(
    codes: Codes, nodes: Nodes, signs: Signs, weights: Array, counted: Flags, bins: int
) -> Array:
    """Return the class masses of every value of every feature in the counted nodes.

    The result has shape (nodes, features, bins, 2), and is 0 for nodes that are not counted.
    """
    total, features = counted.size, codes.shape[0]
    masses = np.zeros((total, features, bins, 2), dtype=np.float64 if weights.dtype.kind == "f" else np.int64)
    rows = np.flatnonzero(counted[nodes])
    base = nodes[rows].astype(np.int64) * (2 * bins) + (signs[rows] > 0)
    chosen = weights[rows]
    for f in range(features):
        index = base + 2 * codes[f, rows].astype(np.int64)
        masses[:, f] = _sum_by_index(index, chosen, total * bins * 2).reshape(total, bins, 2)
    return masses


def sum_trees_numpy(
    codes: Codes,
    depths: Indices,
    feature: Features,
    value: Values,
    equal: Flags,
    values: Array,
    totals: Array,
) -> None:
    """Add the values of its leaves to the total of every row, tree after tree, in place.

    Tests and values of all trees are concatenated.
    """
    nodes = np.empty(codes.shape[1], dtype=np.uint16)
    test, leaf = 0, 0
    for depth in depths.tolist():
        part = slice(test, test + (1 << depth) - 1)
        route_tree_numpy(codes, nodes, feature[part], value[part], equal[part], depth)
        add_values_numpy(totals, nodes, values[leaf : leaf + (1 << depth)])
        test, leaf = part.stop, leaf + (1 << depth)


def code_numpy(column: Array, lo: float, scale: float, edges: Array, codes: Codes) -> None:
    """Write the code of every number to `codes`.

    The code of a number is the count of edges that are at most it, and 0 for NaN. If scale > 0, the compiled
    twin starts at `(number - lo) * scale`; the result is the same.
    Requires: edges in increasing order, at most 255.
    """
    del lo, scale
    missing = np.isnan(column)
    codes[:] = np.where(missing, 0, np.searchsorted(edges, column, side="right"))


def add_values_numpy(margins: Array, nodes: Nodes, values: Array) -> None:
    """Add the value of its leaf to every row's margin, in place."""
    margins += values[nodes]


def weigh_numpy(margins: Array, signs: Signs, table: Array) -> Array:
    """Return the weight of every row, from its signed margin; the middle of the table is a margin of 0.

    Signed margins beyond the ends of the table have the weights of its ends.
    """
    at = np.clip(table.size // 2 + signs.astype(margins.dtype) * margins, 0, table.size - 1)
    weights: Array = table[at]
    return weights


def _sum_by_index(index: Indices, weights: Array, size: int) -> Array:
    """Return the sums of weights by index; sums of integer weights are exact, as they are below 2^53."""
    # Without rows, bincount returns integers even if weights are floats.
    sums = np.bincount(index, weights=weights, minlength=size).astype(np.float64, copy=False)
    return sums if weights.dtype.kind == "f" else np.rint(sums).astype(np.int64)


TWINS: Passes = {
    "route_level": route_level_numpy,
    "route_tree": route_tree_numpy,
    "sum_trees": sum_trees_numpy,
    "code": code_numpy,
    "route_trees": route_trees_numpy,
    "sum_nets": sum_nets_numpy,
    "class_masses": class_masses_numpy,
    "histograms": histograms_numpy,
    "add_values": add_values_numpy,
    "weigh": weigh_numpy,
}
"""The NumPy passes by name."""
