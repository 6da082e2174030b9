"""Outputs of every shape as tables, partitions of them, and targets that repeat themselves."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from privboost.auditor.files.events import format_event
from privboost.auditor.guessing.outputs import CallHistory, Outputs, OutputTable, lowest_bits
from privboost.auditor.running.repeats import constant_sides, count_stuck, refuse_repeats
from privboost.auditor.running.sequential import SequentialTest
from privboost.auditor.values.columns import MOST_COLUMNS
from privboost.errors import TargetError

INF, NAN = float("inf"), float("nan")
Sides = NDArray[np.int64]


@dataclass(frozen=True)
class Leaf:
    """A structured output."""

    value: float
    path: tuple[int, ...]


# Tables --------------------------------------------------------------------------------------------------


def test_outputs__any_shape_becomes_columns() -> None:
    table = OutputTable()
    outputs = table.read([Leaf(0.5, (1, 2)), {"value": INF, "path": []}, {"value": None, "path": [True]}])
    names = ("output.value", "len(output.path)", "output.path[0]", "output.path[1]", "text(output.__class__)")
    assert table.names == (*names, "none(output.value)")
    columns = [[0.5, 2, 1, 2, 0, NAN], [INF, 0, NAN, NAN, NAN, NAN], [NAN, 1, 1, NAN, NAN, 1]]
    np.testing.assert_array_equal(outputs.columns, columns)
    assert len(set(outputs.keys.tolist())) == 3


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (0.0, -0.0),
        (1.0, np.nextafter(1.0, 2)),
        ("a", "b"),
        ("1", 1),
        ([1], [1, 1]),
        (None, NAN),
        ({"x": 1}, {"y": 1}),
        ({"row": {}}, {}),
        ({}, []),
        ({1: 0.5}, {"1": 0.5}),
        ({"a.b": 1}, {"a": {"b": 1}}),
        ({"a[0]": 1}, {"a": {0: 1}}),
        ({(1, 2): 1}, {"(1, 2)": 1}),
        (Decimal("1.000000000000000000000000001"), 1),
        (Fraction(1, 3), 1 / 3),
        (2**60, 2**60 + 1),
    ],
    ids=str,
)
def test_outputs__different_outputs_have_different_keys(one: Any, other: Any) -> None:
    table = OutputTable().read([one, other, one])
    assert table.keys[0] == table.keys[2] != table.keys[1]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, 1.0),
        (True, 1),
        (np.int64(1), 1.0),
        (np.float32(0.5), 0.5),
        (Fraction(1), 1),
        (Decimal("0.5"), 0.5),
        (2**60, 2.0**60),
        ((1, 2), [1.0, np.int8(2)]),
        ([1, 2], np.array([1.0, 2.0])),
        ({"a": 1, "b": 2}, {"a": True, "b": 2.0}),
        ({1: "x", "y": 2}, {1.0: "x", "y": 2}),
    ],
    ids=str,
)
def test_outputs__are_compared_by_value_and_not_by_type(one: Any, other: Any) -> None:
    table = OutputTable().read([one, other])
    assert table.keys[0] == table.keys[1]
    np.testing.assert_array_equal(table.columns[0], table.columns[1])


def test_outputs__keys_of_a_dictionary_have_columns_of_their_own() -> None:
    reader = OutputTable()
    reader.read([{1: 0.5, "1": 0.6, "a.b": 1, "a": {"b": 2}, "row": {}}])
    assert reader.names == ("output{1}", "output['1']", "output['a.b']", "output.a.b", "empty(output.row)")


def test_outputs__arrays_and_lists_of_the_same_numbers_agree() -> None:
    rng = np.random.default_rng(0)
    values = rng.integers(0, 3, (50, 4)).astype(float)
    array, listed = OutputTable().read(values), OutputTable().read(values.tolist())
    np.testing.assert_array_equal(array.columns, listed.columns)
    assert array.keys.tolist() == listed.keys.tolist()
    assert len(set(array.keys.tolist())) == len({tuple(row) for row in values.tolist()})


@pytest.mark.parametrize("dtype", [bool, np.int8, np.int64, np.uint64, np.float32, np.float64])
@pytest.mark.parametrize("shape", [(), (1,), (3,), (0,), (2, 3), (2, 0), (2, 1, 2)], ids=str)
def test_outputs__rows_do_not_depend_on_the_batch_that_holds_them(shape: tuple[int, ...], dtype: Any) -> None:
    batch = np.random.default_rng(0).integers(0, 200, (5, *shape)).astype(dtype)
    if dtype in (np.int64, np.uint64) and batch.size:
        batch.flat[:3] = [2**53 + 1, 2**60 + 1, 4611686018427388000]
    if dtype is np.float64 and batch.size:
        batch.flat[:4] = [NAN, -NAN, -0.0, INF]
    alone, mixed = OutputTable(), OutputTable()
    one_by_one = [alone.read(batch[index : index + 1]) for index in range(5)]
    # A string among the outputs makes this table read them one by one.
    together = mixed.read([*batch, "x"])
    assert [int(table.keys[0]) for table in one_by_one] == together.keys[:5].tolist()
    assert mixed.names == (*alone.names, "text(output)")
    for index, table in enumerate(one_by_one):
        np.testing.assert_array_equal(table.columns[0], together.columns[index, : table.columns.shape[1]])
        assert np.isnan(together.columns[index, table.columns.shape[1] :]).all()


@pytest.mark.parametrize(
    ("same", "other"),
    [
        ([1.0, 2.0], [True, 2]),
        ([0.5, NAN], np.array([0.5, -NAN])),
        ([2.0**60, 0.0], [2**60, 0]),
    ],
)
def test_outputs__of_equal_length_are_read_as_others_are(same: Any, other: Any) -> None:
    # A string among the outputs makes the second table read them one by one.
    together, apart = OutputTable().read([same, same]), OutputTable().read([same, other, "x"])
    assert together.keys.tolist() == apart.keys[:2].tolist()
    np.testing.assert_array_equal(together.columns[0], apart.columns[0, : together.columns.shape[1]])
    zeros = [[0.0], [0.0, 0.0], [], [None], ["0"], [2**60 + 1], [2.0**60], [-0.0], [10**400], [[0.0]]]
    assert len(set(OutputTable().read(zeros).keys.tolist())) == len(zeros)


def test_outputs__exotic_numbers_are_read() -> None:
    reader = OutputTable()
    table = reader.read([10**400, -(10**400), Fraction(1, 2), np.float32(0.25), np.int8(3), "word"])
    assert table.columns[:5, 0].tolist() == [INF, -INF, 0.5, 0.25, 3.0]
    assert table.columns[5, reader.names.index("text(output)")] == 0.0


class Stubborn(dict[str, float]):
    """An output whose content cannot be listed."""

    def items(self) -> Any:
        """Raise an error."""
        raise RuntimeError("no items")


@pytest.mark.parametrize("output", [Stubborn(), [Stubborn()]], ids=["alone", "in a list"])
def test_outputs__that_cannot_be_converted_raise_a_target_error(output: Any) -> None:
    with pytest.raises(TargetError, match="got RuntimeError: no items"):
        OutputTable().read([output])


@pytest.mark.parametrize(
    "output",
    [{}, 10**5000, np.datetime64("2020-01-01"), np.complex128(1j), float],
    ids=["empty", "huge", "date", "complex", "a class"],
)
def test_outputs__odd_ones_are_read(output: Any) -> None:
    test = SequentialTest(1.0)
    test.update([output] * 100, np.arange(100) % 2)
    assert not test.refuted
    assert test.output_table.unread_note == ""


@pytest.mark.parametrize("outputs", [np.empty((100, 0)), [[]] * 100], ids=["arrays", "lists"])
def test_outputs__without_any_number_are_overlooked(outputs: Any) -> None:
    reader = OutputTable()
    reader.read(outputs)
    assert reader.unread_note == "the outputs are empty"


def test_outputs__keys_do_not_depend_on_the_type_of_an_array() -> None:
    values = np.array([[1, 2], [2**60, 2**60 + 1]])
    whole, floats = OutputTable().read(values[:1]), OutputTable().read(values[:1].astype(float))
    assert whole.keys.tolist() == floats.keys.tolist()
    assert len(set(OutputTable().read(np.array([2**60, 2**60 + 1])).keys.tolist())) == 2


def test_outputs__a_path_that_appears_later_gets_a_new_column() -> None:
    reader = OutputTable()
    history = CallHistory()
    for outputs in ([[1.0], [2.0]], [[1.0, 5.0], [1.0]]):
        history.append(reader.read(outputs), np.zeros(2, dtype=np.int64))
    table, _ = history.part(0, 4)
    np.testing.assert_array_equal(table.columns, [[1, 1, NAN], [1, 2, NAN], [2, 1, 5], [1, 1, NAN]])
    assert [reader.known_before(call) for call in (0, 1, 2, 3)] == [0, 2, 2, 3]
    assert reader.names == ("len(output)", "output[0]", "output[1]")


def test_outputs__paths_beyond_the_last_column_have_a_key_only() -> None:
    table = OutputTable().read([[0.0] * MOST_COLUMNS + [5.0], [0.0] * MOST_COLUMNS + [6.0]])
    assert table.columns.shape == (2, MOST_COLUMNS)
    assert table.keys[0] != table.keys[1]


def test_outputs__lowest_bits_are_exact() -> None:
    values = np.array([1.0, 1.5, 3 * 2.0**-30, -(2.0**60), 5e-324, 1 + 2.0**-52, 0.0, INF, NAN])
    np.testing.assert_array_equal(lowest_bits(values), [0, -1, -30, 60, -1074, -52, NAN, NAN, NAN])
    reader = OutputTable(low_bits=True)
    assert reader.read(np.array([0.5, 0.75])).columns.tolist() == [[0.5, -1], [0.75, -2]]
    assert reader.names == ("output", "lowest bit of output")
    assert reader.read(np.array([8.0])).columns.tolist() == [[8.0, 3]]


# The test of any outputs ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "outputs",
    [
        lambda sides, rng: [[bool(s)] * (1 + rng.integers(3)) for s in sides],
        lambda sides, rng: [
            {"tree": {"split": int(rng.integers(3)), "leaf": "up" if s else "down"}} for s in sides
        ],
        lambda sides, _: [INF if s else NAN for s in sides],
        lambda sides, _: [None if s else "none" for s in sides],
        lambda sides, rng: [f"{100 * s + rng.normal():.6f}" for s in sides],
        lambda sides, rng: [complex(rng.normal(), 100 * s + rng.normal()) for s in sides],
        lambda sides, rng: [bytes([100 * s + rng.integers(50)]) for s in sides],
        lambda sides, rng: [{100 * s + rng.normal()} for s in sides],
        lambda sides, rng: [Fraction(100 * s + int(rng.integers(50))) ** 400 for s in sides],
    ],
    ids=["lists", "trees", "inf and nan", "nothing", "text", "complex", "bytes", "sets", "fractions"],
)
def test_sequential__tells_sides_apart_by_any_shape_of_output(outputs: Any) -> None:
    rng = np.random.default_rng(0)
    sides = rng.integers(0, 2, 300)
    test = SequentialTest(1.0)
    test.update(outputs(sides.tolist(), rng), sides)
    assert test.refuted
    assert test.cells()


@pytest.mark.parametrize(
    ("left", "right"),
    [(None, NAN), (0.1, 0.1 + 1e-9), ("a", 0), ({"x": 1}, {"x": "1"}), (0.1, float(np.nextafter(0.1, 1)))],
    ids=str,
)
def test_sequential__cells_have_distinct_descriptions(left: Any, right: Any) -> None:
    sides = np.random.default_rng(0).integers(0, 2, 300)
    test = SequentialTest(1.0)
    test.update([right if side else left for side in sides], sides)
    assert test.refuted
    descriptions = [format_event(cell.event) for cell in test.cells()]
    assert len(set(descriptions)) == len(descriptions) == 2


def test_sequential__low_bits_find_what_values_hide() -> None:
    # Both sides have the same distribution up to 2^-40; one of them is on a coarser grid.
    rng = np.random.default_rng(0)
    sides = rng.integers(0, 2, 2000)
    values = rng.random(2000)
    outputs = np.where(sides == 1, np.round(values * 2**40) / 2**40, values)
    refuted = {}
    for low_bits in (False, True):
        test = SequentialTest(1.0, low_bits=low_bits)
        test.update(outputs, sides)
        refuted[low_bits] = test.refuted
    assert refuted == {False: False, True: True}


# Repeats ---------------------------------------------------------------------------------------------------


def repeating(period: int) -> tuple[Outputs, Sides]:
    """Return outputs whose noise repeats after `period` calls, and random sides."""
    rng = np.random.default_rng(0)
    sides = rng.integers(0, 2, 512)
    noise = np.tile(rng.laplace(size=period), 512 // period + 1)[:512]
    return OutputTable().read(sides + noise), sides


@pytest.mark.parametrize("period", [2, 7, 40, 128])
def test_repeats__noise_that_repeats_is_refused(period: int) -> None:
    with pytest.raises(TargetError, match="occurs twice in the same order"):
        refuse_repeats("target", *repeating(period))


def test_repeats__one_long_number_for_each_input_is_refused() -> None:
    sides = np.random.default_rng(0).integers(0, 2, 100)
    with pytest.raises(TargetError, match="one output per input on all of 100 calls"):
        refuse_repeats("target", OutputTable().read(sides + 0.123456789), sides)
    # Plain constants, one constant for both, and a constant beside other outputs are no stuck stream.
    for outputs in (sides, np.full(100, 0.1), np.where(sides, 0.1, np.arange(100) / 7)):
        refuse_repeats("target", OutputTable().read(outputs), sides)


def test_repeats__inputs_without_noise_are_named() -> None:
    sides = np.random.default_rng(0).integers(0, 2, 100)
    assert constant_sides(OutputTable().read(sides + 0.123456789), sides) == ("left", "right")
    assert constant_sides(OutputTable().read(sides * np.arange(100)), sides) == ("left",)
    assert constant_sides(OutputTable().read(np.arange(100)), sides) == ()
    assert count_stuck(OutputTable().read(np.full(100, 0.1))) == 100
    assert count_stuck(OutputTable().read(np.ones(100))) == 0
    assert count_stuck(OutputTable().read(sides + 0.1)) == 0


@pytest.mark.parametrize("values", [2, 3, 20, 10**9])
def test_repeats__honest_outputs_pass(values: int) -> None:
    rng = np.random.default_rng(1)
    for _ in range(20):
        sides = rng.integers(0, 2, 512)
        refuse_repeats("target", OutputTable().read(rng.integers(0, values, 512) / 7), sides)


def test_repeats__a_rare_event_may_not_have_been_seen_yet() -> None:
    sides = np.random.default_rng(0).integers(0, 2, 512)
    refuse_repeats("target", OutputTable().read(np.ones(512)), sides)
    refuse_repeats("target", OutputTable().read(sides.astype(float)), sides)
