"""The passes over rows, compiled by numba. The module `twins` has them in NumPy and documents them.

Three things make them fast. A test is packed into one integer, so a step down a tree is two reads without a
branch. Rows descend level by level in blocks, so their steps overlap. The sums of the two classes share one
64-bit integer, and two features are summed at a time. All are functions of the module, because numba does not
cache compiled closures.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from privboost.fast.arrays import Array, Codes, Features, Flags, Indices, Nodes, Signs, Values

WALKED = 512
"""Number of rows that descend a tree together."""

LISTED = 1024
"""Number of rows that are listed before they are summed; the lists stay in the first-level cache."""

HALF = (1 << 32) - 1
"""Largest sum of weights that fits into half of a 64-bit integer."""

compile_ = numba.njit(cache=True, nogil=True)

narrow, wide, byte = np.uint32, np.uint64, np.uint8


def _tests(feature: Features, value: Values, equal: Flags) -> NDArray[np.uint64]:
    """Return every test as one integer: feature, value, and span, the largest difference that goes right."""
    least = value.astype(np.uint64)
    span: NDArray[np.uint64] = np.where(equal, np.uint64(0), np.uint64(255) - least)
    return feature.astype(np.uint64) << np.uint64(16) | least << np.uint64(8) | span


@compile_
def goes_right(test: Any, code: Any) -> Any:
    """Return 1 if value <= code <= value + span, else 0: for smaller codes, code - value wraps around."""
    return narrow(byte(code - byte(test >> wide(8))) <= byte(test))


@compile_
def walk_level(codes: Any, nodes: Any, tests: Any) -> None:
    """Move every row to a child of its node; tests are packed."""
    for i in range(nodes.size):
        test = tests[nodes[i]]
        nodes[i] = 2 * nodes[i] + goes_right(test, codes[test >> wide(16), i])


@compile_
def walk_block(codes: Any, start: Any, stop: Any, tests: Any, depth: Any, at: Any) -> None:
    """Move a block of rows from the root to their leaves; `at` gets indices in level order."""
    for i in range(stop - start):
        at[i] = 0
    for _ in range(depth):
        for i in range(stop - start):
            test = tests[at[i]]
            right = goes_right(test, codes[test >> wide(16), start + i])
            at[i] = narrow(2) * at[i] + narrow(1) + right


@compile_
def walk_tree(codes: Any, nodes: Any, tests: Any, depth: Any) -> None:
    """Move every row to its leaf, level by level in blocks; tests are packed."""
    at = np.empty(WALKED, dtype=np.uint32)
    for start in range(0, nodes.size, WALKED):
        stop = min(start + WALKED, nodes.size)
        walk_block(codes, start, stop, tests, depth, at)
        for i in range(stop - start):
            nodes[start + i] = at[i] + 1 - (1 << depth)


@compile_
def walk_batch(codes: Any, nodes: Any, tests: Any, depth: Any) -> None:
    """Move every row to its leaf of every tree; tests are packed, with a row for each tree."""
    at = np.empty(WALKED, dtype=np.uint32)
    for start in range(0, nodes.shape[1], WALKED):
        stop = min(start + WALKED, nodes.shape[1])
        for tree in range(nodes.shape[0]):
            walk_block(codes, start, stop, tests[tree], depth, at)
            for i in range(stop - start):
                nodes[tree, start + i] = at[i] + 1 - (1 << depth)


@compile_
def sum_nets(before: Any, values: Any, here: Any, margins: Any, signs: Any, table: Any, nets: Any) -> None:
    """Add the values of one tree to the margins, and the signed weights then to the nets of the next."""
    middle = table.size // 2
    for i in range(margins.size):
        margins[i] += values[before[i]]
        at = min(max(middle + signs[i] * margins[i], 0), table.size - 1)
        nets[here[i]] += signs[i] * np.int64(table[at])


@compile_
def walk_trees(codes: Any, depths: Any, tests: Any, values: Any, totals: Any) -> None:
    """Add the values of the leaves of every row to its total, tree after tree; tests are packed."""
    at = np.empty(WALKED, dtype=np.uint32)
    for start in range(0, totals.size, WALKED):
        stop = min(start + WALKED, totals.size)
        test, leaf = 0, 0
        for depth in depths:
            nodes = (1 << depth) - 1
            walk_block(codes, start, stop, tests[test : test + nodes], depth, at)
            here = values[leaf : leaf + nodes + 1]
            for i in range(stop - start):
                totals[start + i] += here[at[i] - narrow(nodes)]
            test, leaf = test + nodes, leaf + nodes + 1


@compile_
def count_edges(number: Any, edges: Any) -> Any:
    """Return the count of edges that are at most a number, by bisection."""
    low, high = 0, edges.size
    while low < high:
        middle = (low + high) // 2
        if number >= edges[middle]:
            low = middle + 1
        else:
            high = middle
    return low


@compile_
def reached_near(number: Any, near: Any, edges: Any) -> Any:
    """Return the count of edges that are at most a number, starting from the guess `near`."""
    last, at = edges.size, 0
    if near >= last:
        at = last
    elif near > 0:
        at = int(near)
    while at > 0 and number < edges[at - 1]:
        at -= 1
    while at < last and number >= edges[at]:
        at += 1
    return at


@compile_
def code(column: Any, lo: Any, scale: Any, edges: Any, codes: Any) -> None:
    """Write the code of every number to `codes`."""
    for i in range(column.size):
        number = np.float64(column[i])
        if scale > 0:
            codes[i] = reached_near(number, (number - lo) * scale, edges)
        else:
            codes[i] = count_edges(number, edges)


@compile_
def sum_classes(nodes: Any, signs: Any, weights: Any, masses: Any) -> None:
    """Add every weight at masses[leaf, class]."""
    for i in range(nodes.size):
        masses[nodes[i], 1 if signs[i] > 0 else 0] += weights[i]


@compile_
def sum_floats(codes: Any, nodes: Any, signs: Any, weights: Any, counted: Any, masses: Any) -> None:
    """Add float weights at masses[node, feature, code, class], in the order of the rows."""
    for i in range(nodes.size):
        j = nodes[i]
        if counted[j]:
            for f in range(codes.shape[0]):
                masses[j, f, codes[f, i], 1 if signs[i] > 0 else 0] += weights[i]


@compile_
def sum_packed(
    codes: Any, nodes: Any, signs: Any, weights: Any, first: Any, packed: Any, begin: Any, end: Any
) -> None:
    """Add weights at packed[feature, first[node] + code], those of positives in the upper half.

    Rows with first[node] < 0 are skipped. The other rows are listed block by block; then two features are
    added at a time, so that their additions overlap.
    """
    features = codes.shape[0]
    row, offset = np.empty(LISTED, dtype=np.uint32), np.empty(LISTED, dtype=np.uint32)
    weight = np.empty(LISTED, dtype=np.uint64)
    for start in range(begin, end, LISTED):
        stop = min(start + LISTED, end)
        listed = wide(0)
        for i in range(start, stop):
            at = first[nodes[i]]
            row[listed], offset[listed] = i - start, at
            weight[listed] = wide(weights[i]) << wide(32 if signs[i] > 0 else 0)
            listed += wide(at >= 0)
        for f in range(0, features - 1, 2):
            one, other = codes[f, start:stop], codes[f + 1, start:stop]
            ones, others = packed[f], packed[f + 1]
            for k in range(listed):
                ones[offset[k] + one[row[k]]] += weight[k]
                others[offset[k] + other[row[k]]] += weight[k]
        if features % 2:
            one, ones = codes[features - 1, start:stop], packed[features - 1]
            for k in range(listed):
                ones[offset[k] + one[row[k]]] += weight[k]


@compile_
def add_values(margins: Any, nodes: Any, values: Any) -> None:
    """Add to the margin of every row the value of its leaf."""
    for i in range(nodes.size):
        margins[i] += values[nodes[i]]


@compile_
def fill_weights(margins: Any, signs: Any, table: Any, weights: Any) -> None:
    """Write the weight of every row, from its signed margin; the middle of the table is a margin of 0.

    Signed margins beyond the ends of the table have the weights of its ends.
    """
    middle = table.size // 2
    for i in range(margins.size):
        weights[i] = table[min(max(middle + signs[i] * margins[i], 0), table.size - 1)]


def class_masses(nodes: Nodes, signs: Signs, weights: Array, leaves: int) -> Array:
    """Return the mass of each class in each leaf."""
    masses = np.zeros((leaves, 2), dtype=np.float64 if weights.dtype.kind == "f" else np.int64)
    sum_classes(nodes, signs, weights, masses)
    return masses


def route_level(codes: Codes, nodes: Nodes, feature: Features, value: Values, equal: Flags) -> None:
    """Pack the tests of a level, and move every row to a child."""
    walk_level(codes, nodes, _tests(feature, value, equal))


def route_tree(
    codes: Codes, nodes: Nodes, feature: Features, value: Values, equal: Flags, depth: int
) -> None:
    """Pack the tests of a tree, and move every row to its leaf."""
    walk_tree(codes, nodes, _tests(feature, value, equal), depth)


def route_trees(
    codes: Codes, nodes: Nodes, feature: Features, value: Values, equal: Flags, depth: int
) -> None:
    """Pack the tests of a batch of trees, and move every row to its leaf of each."""
    walk_batch(codes, nodes, _tests(feature, value, equal), depth)


def sum_trees(
    codes: Codes,
    depths: Indices,
    feature: Features,
    value: Values,
    equal: Flags,
    values: Array,
    totals: Array,
) -> None:
    """Pack the tests of all trees, and add the values of the leaves of every row."""
    walk_trees(codes, depths, _tests(feature, value, equal), values, totals)


def histograms(codes: Codes, nodes: Nodes, signs: Signs, weights: Array, counted: Flags, bins: int) -> Array:
    """Return class masses; integer ones are summed in halves of 64 bits."""
    if weights.dtype.kind == "f":
        floats = np.zeros((counted.size, codes.shape[0], bins, 2), dtype=np.float64)
        sum_floats(codes, nodes, signs, weights, counted, floats)
        return floats
    slots = int(counted.sum())
    first = np.where(counted, (np.cumsum(counted) - 1) * bins, -1)
    masses = np.zeros((counted.size, codes.shape[0], bins, 2), dtype=np.int64)
    # Few enough rows at a time that neither half of a sum overflows.
    step = HALF // max(int(weights.max(initial=1)), 1)
    for start in range(0, nodes.size, step):
        packed = np.zeros((codes.shape[0], slots * bins), dtype=np.uint64)
        stop = min(start + step, nodes.size)
        sum_packed(codes, nodes, signs, weights, first, packed, start, stop)
        shaped = packed.reshape(codes.shape[0], slots, bins).swapaxes(0, 1)
        masses[counted, ..., 0] += (shaped & np.uint64(HALF)).astype(np.int64)
        masses[counted, ..., 1] += (shaped >> np.uint64(32)).astype(np.int64)
    return masses


def weigh(margins: Array, signs: Signs, table: Array) -> Array:
    """Return the weight of every row, from its signed margin."""
    weights = np.empty(margins.size, dtype=table.dtype)
    fill_weights(margins, signs, table, weights)
    return weights


PASSES: dict[str, Callable[..., Any]] = {
    "route_level": route_level,
    "route_tree": route_tree,
    "route_trees": route_trees,
    "sum_trees": sum_trees,
    "sum_nets": sum_nets,
    "code": code,
    "class_masses": class_masses,
    "histograms": histograms,
    "add_values": add_values,
    "weigh": weigh,
}
"""The compiled passes by name."""
