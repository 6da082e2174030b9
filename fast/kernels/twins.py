"""The passes over rows in NumPy, each the twin of a compiled one.

Codes are feature-major: `codes[f, i]` is the value of feature f in row i. Masses are sums of whole weights,
so both twins, and any order of rows and partitions, give the same bits. Weights that are floats (the printed
protocol's literal update) are summed in the order of the rows by both.

`feature`, `value` and `equal` describe the tests of one level or of a whole tree in level order: a row goes
right (bit 1) where its code is at least `value`, or equal to it for a categorical test.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.uint8]
Integers = NDArray[Any]
Passes = dict[str, Callable[..., Any]]

BLOCK = 1 << 18
"""Rows of which NumPy keeps intermediate results."""


def route_level_numpy(
    codes: Codes, nodes: Integers, feature: Integers, value: Integers, equal: Integers
) -> None:
    """Send every row from its node of a level to a child, in place."""
    for start in range(0, nodes.size, BLOCK):
        here = nodes[start : start + BLOCK]
        found = codes[feature[here], np.arange(start, start + here.size)]
        wanted = value[here]
        here[:] = 2 * here + np.where(equal[here], found == wanted, found >= wanted)


def route_tree_numpy(
    codes: Codes, nodes: Integers, feature: Integers, value: Integers, equal: Integers, depth: int
) -> None:
    """Send every row from the root to its leaf, in place."""
    nodes[:] = 0
    for level in range(depth):
        part = slice((1 << level) - 1, (1 << level + 1) - 1)
        route_level_numpy(codes, nodes, feature[part], value[part], equal[part])


def class_masses_numpy(nodes: Integers, signs: Integers, weights: Integers, leaves: int) -> Integers:
    """Return the mass of each class in each leaf, shape (leaves, 2): negatives, then positives."""
    index = 2 * nodes.astype(np.int64) + (signs > 0)
    return _binned(index, weights, 2 * leaves).reshape(leaves, 2)


def histograms_numpy(
    codes: Codes, nodes: Integers, signs: Integers, weights: Integers, counted: Integers, bins: int
) -> Integers:
    """Return the class masses of every value of every feature in the counted nodes.

    Shape (nodes, features, bins, 2); nodes that are not counted stay 0.
    """
    total, features = counted.size, codes.shape[0]
    found = np.zeros((total, features, bins, 2), dtype=np.float64 if weights.dtype.kind == "f" else np.int64)
    rows = np.flatnonzero(counted[nodes])
    base = nodes[rows].astype(np.int64) * (2 * bins) + (signs[rows] > 0)
    chosen = weights[rows]
    for f in range(features):
        index = base + 2 * codes[f, rows].astype(np.int64)
        found[:, f] = _binned(index, chosen, total * bins * 2).reshape(total, bins, 2)
    return found


def sum_trees_numpy(
    codes: Codes,
    depths: Integers,
    feature: Integers,
    value: Integers,
    equal: Integers,
    values: Integers,
    found: Integers,
) -> None:
    """Add to every row what the leaves it reaches are worth, tree after tree, in place.

    Tests and values of all trees are one after the other.
    """
    nodes = np.empty(codes.shape[1], dtype=np.uint16)
    test, leaf = 0, 0
    for depth in depths.tolist():
        part = slice(test, test + (1 << depth) - 1)
        route_tree_numpy(codes, nodes, feature[part], value[part], equal[part], depth)
        add_values_numpy(found, nodes, values[leaf : leaf + (1 << depth)])
        test, leaf = part.stop, leaf + (1 << depth)


def code_numpy(column: Integers, lo: float, scale: float, edges: Integers, found: Codes) -> int:
    """Write for every number how many edges are at most it, and none for NaN; count what is not finite.

    Where scale > 0, `(number - lo) * scale` is near the answer, which helps the compiled twin; edges decide.
    Requires: edges in order, at most 255.
    """
    del lo, scale
    missing = np.isnan(column)
    found[:] = np.where(missing, 0, np.searchsorted(edges, column, side="right"))
    return int(column.size - np.isfinite(column).sum())


def add_values_numpy(margins: Integers, nodes: Integers, values: Integers) -> None:
    """Add the value of its leaf to every row's margin, in place."""
    margins += values[nodes]


def weigh_numpy(margins: Integers, signs: Integers, table: Integers) -> Integers:
    """Return the weight of every row from its signed margin: the table's middle is a margin of 0."""
    found: Integers = table[table.size // 2 + signs.astype(margins.dtype) * margins]
    return found


def _binned(index: Integers, weights: Integers, size: int) -> Integers:
    """Return sums of weights by index; of whole weights exactly, because they stay below 2^53."""
    # Without rows bincount forgets that weights are floats.
    sums = np.bincount(index, weights=weights, minlength=size).astype(np.float64, copy=False)
    return sums if weights.dtype.kind == "f" else np.rint(sums).astype(np.int64)


TWINS: Passes = {
    "route_level": route_level_numpy,
    "route_tree": route_tree_numpy,
    "sum_trees": sum_trees_numpy,
    "code": code_numpy,
    "class_masses": class_masses_numpy,
    "histograms": histograms_numpy,
    "add_values": add_values_numpy,
    "weigh": weigh_numpy,
}
"""Every pass in NumPy, by name."""
