"""Outputs of types that only a repr shows: they are unpacked, and what is not read is never CONSISTENT."""

from __future__ import annotations

import datetime
import enum
import json
import random
import sys
from collections import deque
from collections.abc import Callable
from pathlib import PurePosixPath
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeClassifier

from privboost.auditor import audit
from privboost.auditor.guessing.outputs import OutputTable
from privboost.auditor.result import Verdict
from privboost.auditor.values.plain_values import Opaque, plain_value
from privboost.auditor.values.tagged_json import from_json, output_to_json
from privboost.strict_json import parse

SHIFT = 100.0
"""The difference of the two sides; the noise has standard deviation 1."""


class Shown:
    """An object that prints its content."""

    def __init__(self, value: float) -> None:
        self.value, self.rng = value, np.random.default_rng(0)

    def __repr__(self) -> str:
        return f"Shown({self.value!r})"


class Hidden:
    """An object with a slot, which prints its address only."""

    __slots__ = ("value",)

    def __init__(self, value: float) -> None:
        self.value = value


class Tensor:
    """An array that must be detached before it can be read, as those of torch."""

    def __init__(self, value: float, attached: bool = True) -> None:
        self._content, self._attached = np.array([value]), attached

    def detach(self) -> Tensor:
        """Return the tensor without its history."""
        return Tensor(self._content[0], attached=False)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        if self._attached:
            raise RuntimeError("can't call numpy() on a tensor that requires grad")
        return np.array(self._content, dtype=dtype, copy=copy)


def fitted_line(value: float) -> Any:
    """Return a regression of which only an attribute shows the value."""
    return LinearRegression().fit([[0.0], [1.0]], [value, value + 1])


def fitted_tree(value: float) -> Any:
    """Return a tree whose threshold, inside a compiled object, shows the value."""
    return DecisionTreeClassifier().fit([[value - 1], [value + 1]], [0, 1])


OUTPUTS: dict[str, Callable[[float], Any]] = {
    "frame": lambda value: pd.DataFrame({"a": [value, 0.0], "b": ["x", "y"]}),
    "frame, equal names": lambda value: pd.DataFrame([[0.0, value]], columns=["a", "a"]),
    "series": lambda value: pd.Series([0.0, value], index=["m", "n"]),
    "index": lambda value: pd.Index([value]),
    "timestamp": lambda value: pd.Timestamp(2020, 1, 1) + pd.Timedelta(days=value),
    "regression": fitted_line,
    "tree": fitted_tree,
    "datetime": lambda value: datetime.datetime(2020, 1, 1) + datetime.timedelta(days=value),
    "date": lambda value: datetime.date(2020, 1, 1) + datetime.timedelta(days=value),
    "duration": lambda value: datetime.timedelta(days=value),
    "dates": lambda value: np.array([np.datetime64("2020-01-01T00:00") + int(1e6 * value)]),
    "class with a repr": Shown,
    "class with a slot": Hidden,
    "tensor": Tensor,
    "sparse": lambda value: sparse.csr_matrix([[0.0, value]]),
    "records": lambda value: np.array([(1, value)], dtype=[("n", int), ("x", float)]),
    "deque": lambda value: deque([value]),
    "string with a number": lambda value: f"the sum is {value!r}, as asked",
    "error": lambda value: ValueError("sum", value),
}


@pytest.mark.parametrize("make", OUTPUTS.values(), ids=OUTPUTS)
def test_unread__numbers_inside_other_types_are_read(make: Callable[[float], Any]) -> None:
    def mechanism(data: float, rng: np.random.Generator) -> Any:
        return make(data + rng.normal())

    result = audit(mechanism, (0.0, SHIFT), epsilon=1.0, calls=600, seed=0)
    assert result.verdict is Verdict.VIOLATION, result.reason


def random_prefix(data: float, rng: np.random.Generator) -> str:
    """Return a string whose beginning is random."""
    return "".join(chr(97 + letter) for letter in rng.integers(0, 26, 12)) + (" high" if data else " low")


@pytest.mark.parametrize(
    ("mechanism", "reason"),
    [
        (lambda data, rng: random_prefix(data + rng.normal(), rng), "strings in text(output) are different"),
        (lambda data, rng: {"name": random_prefix(data, rng), "x": 0.0}, "text(output.name) are different"),
        (lambda data, rng: lambda: data + rng.normal(), "not read: output, of type builtins.function"),
        (
            lambda data, rng: {"x": 1.0, "f": (data for _ in [rng])},
            "not read: output.f, of type builtins.gen",
        ),
        (lambda data, rng: [data * 0, rng], "not read: output[1], of type numpy.random"),
        (lambda data, rng: object(), "not read: output, of type builtins.object"),  # noqa: ARG005
    ],
    ids=["random prefix", "in a dictionary", "function", "iterator", "generator", "object"],
)
def test_unread__what_cannot_be_read_is_inconclusive(mechanism: Any, reason: str) -> None:
    result = audit(mechanism, (0.0, SHIFT), epsilon=1.0, calls=2_000, seed=0)
    assert result.verdict is Verdict.INCONCLUSIVE
    assert reason in result.reason


def test_unread__few_different_strings_are_evidence() -> None:
    words = ["yes", "no", "perhaps"]

    def mechanism(data: int, rng: np.random.Generator) -> str:
        return words[int(rng.integers(0, 3))] if rng.random() < 0.9 else words[data]

    assert audit(mechanism, (0, 1), epsilon=1.0, calls=2_000, seed=0).verdict is Verdict.CONSISTENT
    assert audit(mechanism, (0, 1), epsilon=0.0, calls=20_000, seed=0).verdict is Verdict.VIOLATION


def test_unread__types_of_objects_without_content_are_evidence() -> None:
    class Yes: ...

    class No: ...

    result = audit(lambda data, _: Yes() if data else No(), (0, 1), epsilon=1.0, calls=200, seed=0)
    assert result.verdict is Verdict.VIOLATION


def test_unread__columns_of_a_string() -> None:
    table = OutputTable()
    outputs = table.read(["sum 1.5 of 2e3", "sum -2 of 7", "0x1f a2 3b"])
    assert table.names == ("text(output)", "number(output)[0]", "number(output)[1]")
    np.testing.assert_array_equal(outputs.columns, [[0, 1.5, 2000], [0, -2, 7], [1, np.nan, np.nan]])
    assert len({*table.read(["01 a", "1 a", "1.0 a"]).keys.tolist()}) == 3


class Color(enum.Enum):
    """A choice."""

    RED = 1


class Node:
    """A node that knows its parent."""

    def __init__(self, parent: Any) -> None:
        self.parent, self.weight = parent, 1.5
        self.child = None if isinstance(parent, Node) else Node(self)


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (datetime.datetime(1970, 1, 2), 86_400_000_000),
        (
            datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone(datetime.timedelta(hours=1))),
            -3_600_000_000,
        ),
        (datetime.timedelta(seconds=2), 2_000_000),
        (datetime.date(1, 1, 2), 2),
        (datetime.time(0, 0, 1), 1_000_000),
        (pd.NaT, None),
        (Color.RED, "RED"),
        (PurePosixPath("a/b"), "a/b"),
        (float, "builtins.float"),
        (range(3), [0, 1, 2]),
        (pd.DataFrame({"a": [1, 2]}, index=["u", "v"]), {"a": [1, 2], "index": ["u", "v"]}),
        (pd.Series([1, 2], index=["u", "v"]), {"u": 1, "v": 2}),
        (pd.Series([1, 2], index=["u", "u"]), {"index": ["u", "u"], "values": [1, 2]}),
        (Node(None), {"parent": None, "weight": 1.5, "child": {"parent": 2, "weight": 1.5, "child": None}}),
        (Shown(1.0), {"value": 1.0}),
        (sys, Opaque("builtins.module")),
        (random.Random(1), Opaque("random.Random")),
    ],
    ids=lambda value: type(value).__name__,
)
def test_unread__plain_values(value: Any, plain: Any) -> None:
    def as_lists(entry: Any) -> Any:
        if isinstance(entry, dict):
            return {key: as_lists(inner) for key, inner in entry.items()}
        return entry.tolist() if isinstance(entry, np.ndarray) else entry

    converted = plain_value(value)
    assert as_lists(converted) == plain
    assert as_lists(plain_value(converted)) == plain
    assert as_lists(from_json(parse(json.dumps(output_to_json(value)), "output"))) == plain


def test_unread__a_module_or_logger_inside_an_object_is_not_searched() -> None:
    class Holder:
        def __init__(self) -> None:
            self.module: ModuleType = sys

    assert plain_value(Holder()) == {"module": Opaque("builtins.module")}
