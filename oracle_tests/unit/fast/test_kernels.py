"""The compiled passes over rows and their NumPy twins return the same bits as a plain loop."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from privboost.fast import kernels
from privboost.fast.kernels import KERNELS
from privboost.fast.kernels.twins import TWINS, Passes
from privboost.fast.rows.parts import Part, class_masses, histograms, route_level, route_tree

Array = NDArray[Any]

compiled_and_twins = pytest.mark.parametrize(
    "passes",
    [
        pytest.param(
            KERNELS,
            id="compiled",
            marks=pytest.mark.skipif(KERNELS is TWINS, reason="numba is not installed, or switched off"),
        ),
        pytest.param(TWINS, id="numpy"),
    ],
)


def rows_of(data: st.DataObject) -> tuple[Array, Array, int, int]:
    """Return codes, signs, a depth and a number of values, sometimes without rows or with extreme codes."""
    rows = data.draw(st.sampled_from((0, 1, 2, 37, 300)), "rows")
    features, depth = data.draw(st.integers(1, 4), "features"), data.draw(st.integers(1, 5), "depth")
    bins = data.draw(st.sampled_from((2, 3, 10, 256)), "bins")
    generator = np.random.default_rng(data.draw(st.integers(0, 2**32), "seed"))
    codes = generator.integers(0, bins, (features, rows)).astype(np.uint8)
    if rows and data.draw(st.booleans(), "extremes"):
        codes[0, :] = generator.choice([0, bins - 1], rows)
    return codes, generator.choice([-1, 1], rows).astype(np.int8), depth, bins


def splits_of(data: st.DataObject, features: int, nodes: int, bins: int) -> tuple[Array, Array, Array]:
    """Return the tests of some nodes, numeric and categorical."""
    generator = np.random.default_rng(data.draw(st.integers(0, 2**32), "tests"))
    return (
        generator.integers(0, features, nodes).astype(np.int32),
        generator.integers(0, bins, nodes).astype(np.uint8),
        generator.random(nodes) < 0.5,
    )


def plain_leaf(codes: Array, row: int, tests: tuple[Array, Array, Array], depth: int) -> int:
    """Return the leaf of one row, by a plain loop."""
    leaf = 0
    for level in range(depth):
        node = (1 << level) - 1 + leaf
        feature, value, equal = (column[node] for column in tests)
        code = int(codes[feature, row])
        leaf = 2 * leaf + (code == int(value) if equal else code >= int(value))
    return leaf


def weights_of(data: st.DataObject, rows: int) -> Array:
    """Return integer weights from 1 to 1024, or floats."""
    generator = np.random.default_rng(data.draw(st.integers(0, 2**32), "weights"))
    if data.draw(st.booleans(), "floats"):
        return generator.random(rows)
    return generator.integers(1, 1025, rows).astype(np.uint16)


# Routes --------------------------------------------------------------------------------------------------


@compiled_and_twins
@settings(max_examples=40)
@given(data=st.data())
def test_kernels__rows_reach_the_leaves_of_a_plain_loop(passes: Passes, data: st.DataObject) -> None:
    codes, signs, depth, bins = rows_of(data)
    tests = splits_of(data, codes.shape[0], (1 << depth) - 1, bins)
    whole, stepwise = np.zeros(signs.size, dtype=np.uint16), np.zeros(signs.size, dtype=np.uint16)
    passes["route_tree"](codes, whole, *tests, depth)
    for level in range(depth):
        part = slice((1 << level) - 1, (1 << level + 1) - 1)
        passes["route_level"](codes, stepwise, *(column[part] for column in tests))
    expected = [plain_leaf(codes, row, tests, depth) for row in range(signs.size)]
    assert whole.tolist() == stepwise.tolist() == expected
    assert whole.dtype == stepwise.dtype == np.uint16


@compiled_and_twins
def test_kernels__sixteen_levels_fit_into_two_bytes(passes: Passes) -> None:
    inner = (1 << 16) - 1
    tests = np.zeros(inner, dtype=np.int32), np.zeros(inner, dtype=np.uint8), np.zeros(inner, dtype=np.bool_)
    nodes = np.zeros(3, dtype=np.uint16)
    passes["route_tree"](np.array([[0, 7, 255]], dtype=np.uint8), nodes, *tests, 16)
    assert nodes.tolist() == [inner] * 3


@compiled_and_twins
@settings(max_examples=30)
@given(data=st.data())
def test_kernels__trees_of_many_depths_are_summed_in_order(passes: Passes, data: st.DataObject) -> None:
    codes, signs, _, bins = rows_of(data)
    depths = data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=3), "depths")
    inner, leaves = sum((1 << depth) - 1 for depth in depths), sum(1 << depth for depth in depths)
    tests = splits_of(data, codes.shape[0], inner, bins)
    values = np.random.default_rng(data.draw(st.integers(0, 2**32), "values")).normal(size=leaves)
    totals = np.zeros(signs.size)
    passes["sum_trees"](codes, np.array(depths), *tests, values, totals)
    for row in range(signs.size):
        total, test, leaf = 0.0, 0, 0
        for depth in depths:
            here = tests[0][test:], tests[1][test:], tests[2][test:]
            total += values[leaf + plain_leaf(codes, row, here, depth)]
            test, leaf = test + (1 << depth) - 1, leaf + (1 << depth)
        assert totals[row] == total


@compiled_and_twins
def test_kernels__categorical_test_is_not_a_threshold(passes: Passes) -> None:
    codes = np.array([[0, 1, 2, 255]], dtype=np.uint8)
    feature, value = np.zeros(1, dtype=np.int32), np.ones(1, dtype=np.uint8)
    children = []
    for equal in (False, True):
        nodes = np.zeros(4, dtype=np.uint16)
        passes["route_level"](codes, nodes, feature, value, np.array([equal]))
        children.append(nodes.tolist())
    assert children == [[0, 1, 1, 1], [0, 1, 0, 0]]


# Sums ----------------------------------------------------------------------------------------------------


@compiled_and_twins
@settings(max_examples=40)
@given(data=st.data())
def test_kernels__masses_are_those_of_a_plain_loop(passes: Passes, data: st.DataObject) -> None:
    codes, signs, depth, bins = rows_of(data)
    weights = weights_of(data, signs.size)
    generator = np.random.default_rng(data.draw(st.integers(0, 2**32), "nodes"))
    nodes = generator.integers(0, 1 << depth, signs.size).astype(np.uint16)
    counted = generator.random(1 << depth) < 0.7
    kind = np.float64 if weights.dtype.kind == "f" else np.int64
    masses = np.zeros((1 << depth, 2), dtype=kind)
    tables = np.zeros((1 << depth, codes.shape[0], bins, 2), dtype=kind)
    for row in range(signs.size):
        side = int(signs[row] > 0)
        masses[nodes[row], side] += weights[row]
        if counted[nodes[row]]:
            for feature in range(codes.shape[0]):
                tables[nodes[row], feature, codes[feature, row], side] += weights[row]
    summed = passes["class_masses"](nodes, signs, weights, 1 << depth)
    assert summed.dtype == kind
    assert np.array_equal(summed, masses)
    table = passes["histograms"](codes, nodes, signs, weights, counted, bins)
    assert table.dtype == kind
    assert np.array_equal(table, tables)
    if signs.size:
        assert not np.array_equal(passes["class_masses"](nodes, -signs, weights, 1 << depth), masses)


@pytest.mark.skipif(KERNELS is TWINS, reason="numba is not installed, or switched off")
def test_kernels__many_rows_of_many_blocks_give_the_same_bits() -> None:
    generator = np.random.default_rng(4)
    rows = 3 * 8192 + 17
    codes = generator.integers(0, 256, (3, rows)).astype(np.uint8)
    signs = generator.choice([-1, 1], rows).astype(np.int8)
    nodes = generator.integers(0, 4, rows).astype(np.uint16)
    for weights in (generator.random(rows), generator.integers(1, 1025, rows).astype(np.uint16)):
        tables = [
            passes["histograms"](codes, nodes, signs, weights, np.array([True, False, True, True]), 256)
            for passes in (KERNELS, TWINS)
        ]
        assert tables[0].tobytes() == tables[1].tobytes()
        masses = [passes["class_masses"](nodes, signs, weights, 4) for passes in (KERNELS, TWINS)]
        assert masses[0].tobytes() == masses[1].tobytes()
        # Sums of floats depend on the order of the rows, sums of integers do not.
        order = np.argsort(weights, kind="stable")
        reordered = KERNELS["class_masses"](nodes[order], signs[order], weights[order], 4)
        assert (reordered.tobytes() == masses[0].tobytes()) == (weights.dtype.kind != "f")


@compiled_and_twins
def test_kernels__sums_above_32_bits_do_not_overflow(passes: Passes) -> None:
    rows = 2**32 // 1024 + 5
    codes = np.zeros((2, rows), dtype=np.uint8)
    codes[1, :7] = 1
    signs, nodes = np.ones(rows, dtype=np.int8), np.zeros(rows, dtype=np.uint16)
    signs[:3] = -1
    weights = np.full(rows, 1024, dtype=np.uint16)
    table = passes["histograms"](codes, nodes, signs, weights, np.ones(1, dtype=np.bool_), 2)
    assert table[0].tolist() == [
        [[3 * 1024, (rows - 3) * 1024], [0, 0]],
        [[0, (rows - 7) * 1024], [3 * 1024, 4 * 1024]],
    ]


# Codes ---------------------------------------------------------------------------------------------------


@compiled_and_twins
@settings(max_examples=60)
@given(
    column=st.lists(st.floats(width=32) | st.integers(-3, 13), max_size=30),
    lo=st.sampled_from((-2.0, 0.0, 0.1)),
    values=st.sampled_from((1, 2, 10, 256)),
)
def test_kernels__codes_count_the_edges_that_are_reached(
    passes: Passes, column: list[float], lo: float, values: int
) -> None:
    edges = lo + 10.0 * np.arange(1, values) / values
    numbers = np.array([*column, *edges[:40], *np.nextafter(edges[:40], -np.inf)], dtype=np.float64)
    expected = [sum(number >= edge for edge in edges.tolist()) for number in numbers.tolist()]
    # Near guesses, no guesses and wrong guesses give the same codes.
    for scale in (values / 10.0, 0.0, 1e9):
        codes = np.full(numbers.size, 77, dtype=np.uint8)
        passes["code"](numbers, lo, scale, edges, codes)
        assert codes.tolist() == expected


# Margins and weights -------------------------------------------------------------------------------------


@compiled_and_twins
@settings(max_examples=40)
@given(data=st.data())
def test_kernels__margins_and_weights_are_those_of_a_plain_loop(passes: Passes, data: st.DataObject) -> None:
    rows = data.draw(st.sampled_from((0, 1, 40)), "rows")
    generator = np.random.default_rng(data.draw(st.integers(0, 2**32), "seed"))
    nodes = generator.integers(0, 8, rows).astype(np.uint16)
    signs = generator.choice([-1, 1], rows).astype(np.int8)
    values = generator.integers(-1024, 1025, 8).astype(np.int32)
    margins = generator.integers(-1024, 1025, rows).astype(np.int32)
    expected = [int(margin) + int(values[node]) for margin, node in zip(margins, nodes, strict=True)]
    passes["add_values"](margins, nodes, values)
    assert margins.tolist() == expected
    table = generator.integers(1, 1025, 4097).astype(np.uint16)
    table.flags.writeable = False
    weights = passes["weigh"](margins, signs, table)
    assert weights.dtype == np.uint16
    assert weights.tolist() == [int(table[2048 + int(s) * h]) for s, h in zip(signs, expected, strict=True)]
    real = generator.normal(size=rows)
    doubled = real.copy()
    passes["add_values"](doubled, nodes, values.astype(np.float64) / 7)
    assert doubled.tolist() == [x + float(values[n]) / 7 for x, n in zip(real, nodes, strict=True)]


# The choice of passes ------------------------------------------------------------------------------------


def test_kernels__passes_can_be_switched_to_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRIVBOOST_NUMPY_ONLY", "1")
    assert kernels.choose_passes() is TWINS
    assert set(KERNELS) == set(TWINS)


def test_kernels__without_numba_the_twins_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> Passes:
        raise ImportError("numba")

    monkeypatch.delenv("PRIVBOOST_NUMPY_ONLY", raising=False)
    monkeypatch.setattr(kernels, "compiled_passes", missing)
    assert kernels.choose_passes() is TWINS


# Operations of parts -------------------------------------------------------------------------------------


def test_kernels__operations_do_not_change_their_part() -> None:
    codes = np.array([[0, 1, 2, 3]], dtype=np.uint8)
    part = Part.of(codes, np.array([1, -1, 1, -1]))
    tests = (np.zeros(1, dtype=np.int32), np.array([2], dtype=np.uint8), np.array([False]))
    moved, _ = route_level(part, *tests)
    assert part.nodes.tolist() == [0, 0, 0, 0]
    assert moved.nodes.tolist() == route_tree(part, *tests, 1)[0].nodes.tolist() == [0, 0, 1, 1]
    assert class_masses(moved, 2)[1].tolist() == [[512, 512], [512, 512]]
    table = histograms(part, np.ones(1, dtype=np.bool_), 4)[1]
    assert table[0, 0].tolist() == [[0, 512], [512, 0], [0, 512], [512, 0]]
