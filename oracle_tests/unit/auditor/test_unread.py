"""Outputs of types that only a repr shows: they are unpacked, and what is not read is never CONSISTENT."""

from __future__ import annotations

import datetime
import enum
import json
import random
import sys
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import InitVar, dataclass
from fractions import Fraction
from pathlib import PurePosixPath
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KDTree
from sklearn.tree import DecisionTreeClassifier

from privboost.auditor import audit
from privboost.auditor.files.sentences import explain
from privboost.auditor.guessing.outputs import OutputTable
from privboost.auditor.mechanisms.mechanism import Mechanism
from privboost.auditor.result import Verdict
from privboost.auditor.values.objects import Opaque
from privboost.auditor.values.plain_values import plain_value
from privboost.auditor.values.tagged_json import from_json, output_to_json
from privboost.errors import TargetError
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

    def __init__(self, value: Any) -> None:
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
    assert result.verdict is Verdict.VIOLATION, explain(result)


def rare_string(data: float, noise: float) -> str:
    """Return a string of which all that tell the data occur once."""
    return f"{noise!r}x{data}" if noise > 1.6 else "none"


def random_prefix(data: float, rng: np.random.Generator) -> str:
    """Return a string whose beginning is random."""
    return "".join(chr(97 + letter) for letter in rng.integers(0, 26, 12)) + (" high" if data else " low")


ALONE = "could not be compared"
UNREAD: dict[str, tuple[Any, str]] = {
    "random prefix": (lambda x, rng: random_prefix(x + rng.normal(), rng), "in text(output) are different"),
    "in a dictionary": (lambda x, rng: {"n": random_prefix(x, rng), "x": 0.0}, "(output.n) are different"),
    "function": (lambda x, rng: lambda: x + rng.normal(), "not read: output, of type builtins.function"),
    "iterator": (lambda x, rng: {"x": 1.0, "f": (x for _ in [rng])}, "read: output.f, of type builtins.gen"),
    "generator": (lambda x, rng: [x * 0, rng], "not read: output[1], of type numpy.random"),
    "object": (lambda *_: object(), "not read: output, of type builtins.object"),
    "function as a key": (lambda x, rng: {(max if x else min): rng.normal()}, "was not read"),
    "key": (lambda x, rng: {x + rng.normal(): 1}, ALONE),
    "index": (lambda x, rng: pd.Series([1.0], index=[x + rng.normal()]), ALONE),
    "threshold": (lambda x, rng: {"tree": {f"x < {x + rng.normal()}": {"leaf": 1.0}}}, ALONE),
    "rare strings": (lambda x, rng: rare_string(x, rng.normal()), ALONE),
}


@pytest.mark.parametrize(("mechanism", "reason"), UNREAD.values(), ids=UNREAD)
def test_unread__what_cannot_be_read_is_inconclusive(mechanism: Any, reason: str) -> None:
    result = audit(mechanism, (0.0, SHIFT), epsilon=1.0, calls=2_000, seed=0)
    assert result.verdict is Verdict.INCONCLUSIVE
    assert reason in explain(result)


BUFFER = np.empty((1 << 16, 1))


@pytest.mark.parametrize("form", [np.asarray, list], ids=["array", "list of views"])
def test_unread__batches_may_reuse_their_buffer(form: Callable[[Any], Any]) -> None:
    def batch(data: int, rng: np.random.Generator, count: int) -> Any:
        BUFFER[:count, 0] = data + rng.laplace(scale=0.2, size=count)
        return form(BUFFER[:count])

    mechanism = Mechanism("reused", lambda data, rng: batch(data, rng, 1)[0], batch)
    assert audit(mechanism, (0, 1), epsilon=1.0, calls=600, seed=3).verdict is Verdict.VIOLATION


@pytest.mark.parametrize("outputs", [pd.DataFrame({"x": [0.0]}), {"x": 0.0}], ids=["frame", "dictionary"])
def test_unread__a_batch_is_a_list_or_an_array(outputs: Any) -> None:
    mechanism = Mechanism("frames", lambda *_: 0.0, lambda *_: outputs)
    with pytest.raises(TargetError, match="expected a list or an array of outputs, got"):
        audit(mechanism, (0, 1), epsilon=1.0, calls=600, seed=3)


def one_of_three(data: float, rng: np.random.Generator) -> str:
    """Return one of three strings, with a tenth of evidence."""
    return ["yes", "no", "perhaps"][int(rng.integers(0, 3)) if rng.random() < 0.9 else int(data > 0)]


@pytest.mark.parametrize(
    ("mechanism", "epsilon", "calls", "verdict"),
    [
        (one_of_three, 1.0, 15_000, Verdict.CONSISTENT),
        (one_of_three, 0.0, 20_000, Verdict.VIOLATION),
        (lambda data, _: type("Yes" if data else "No", (), {})(), 1.0, 200, Verdict.VIOLATION),
        (lambda _, rng: [np.nan, rng.normal()], 1.0, 15_000, Verdict.CONSISTENT),
    ],
    ids=["few strings", "few strings, many calls", "types without content", "number that is always missing"],
)
def test_unread__what_is_read_is_evidence(
    mechanism: Any, epsilon: float, calls: int, verdict: Verdict
) -> None:
    assert audit(mechanism, (0, 1), epsilon=epsilon, calls=calls, seed=0).verdict is verdict


def test_unread__columns_of_a_string() -> None:
    table = OutputTable()
    outputs = table.read(["sum 1.5 of 2e3", "sum -2 of 7", "0x1f a2 3b"])
    first, second = "number(output)[0]", "number(output)[1]"
    assert table.names == (
        "text(output)",
        first,
        f"decimals({first})",
        second,
        f"decimals({second})",
        f"style({second})",
    )
    rows = [[0, 1.5, 1, 2000, 0, 1], [0, -2, 0, 7, 0, np.nan], [2, *[np.nan] * 5]]
    np.testing.assert_array_equal(outputs.columns, rows)
    assert len({*table.read(["01 a", "1 a", "1.0 a"]).keys.tolist()}) == 3


class Counts(dict[str, float]):
    """A dictionary with attributes."""


class Quantity(float):
    """A number with attributes."""


class Pinned:
    """A number with an exact attribute beside its noisy value."""

    def __init__(self, noise: float, exact: float) -> None:
        self.noise, self.exact = noise, exact

    def __float__(self) -> float:
        return self.noise


class Measured(np.ndarray[Any, Any]):
    """An array with attributes."""


class Neighbours(KDTree):  # type: ignore[misc]
    """A compiled class with attributes of Python."""


@dataclass
class Derived:
    """A dataclass with an attribute that is no field."""

    noise: float
    secret: InitVar[float]

    def __post_init__(self, secret: float) -> None:
        self.kept = secret


class Left(NamedTuple):
    """The result of one side."""

    x: float


class Right(NamedTuple):
    """The result of the other side."""

    x: float


def with_attribute(output: Any, name: str, value: Any) -> Any:
    """Return an output after setting one of its attributes."""
    setattr(output, name, value)
    return output


def raise_with(side: int, noise: float, change: Callable[[Exception, int], Any]) -> float:
    """Raise an error for half of the noise; what it says is in something else than its message."""
    if noise > 0:
        return noise
    error = ValueError("no rows")
    change(error, side)
    raise error


PARTS: dict[str, Callable[[int, float], Any]] = {
    "mask": lambda side, noise: np.ma.array([noise, 1.0], mask=[bool(side), False]),
    "fill value": lambda side, noise: np.ma.array(
        [noise, 1.0], mask=[False, True], fill_value=side + noise / 9
    ),
    "no field": lambda side, noise: Derived(noise, 9 * side + noise),
    "attribute of a number": lambda side, noise: with_attribute(
        Quantity(noise), "unit", "kg" if side else "g"
    ),
    "attribute beside a number": lambda side, noise: Pinned(noise, side),
    "attribute of a dictionary": lambda side, noise: with_attribute(Counts(a=noise), "total", side),
    "attribute of a standard dictionary": lambda s, noise: with_attribute(OrderedDict(a=noise), "total", s),
    "attribute of an array": lambda s, noise: with_attribute(np.array([noise]).view(Measured), "unit", s),
    "compiled state": lambda s, noise: with_attribute(Neighbours([[0.0], [9 * s + noise]]), "n", noise),
    "categories": lambda s, noise: pd.Categorical(["a" if noise > 0 else "b"], ["a", "b"] + ["z"] * s),
    "name of a series": lambda side, noise: pd.Series([noise], name=f"n{side}"),
    "name of an index": lambda s, noise: pd.DataFrame({"a": [noise]}, index=pd.Index(["u"], name=f"n{s}")),
    "attributes of a frame": lambda s, noise: with_attribute(pd.DataFrame({"a": [noise]}), "attrs", {"n": s}),
    "rows without columns": lambda side, noise: [pd.DataFrame(index=range(3 + side)), noise],
    "time zone": lambda side, noise: pd.Timestamp(10**9 * int(1e6 * noise), tz=["UTC", "Asia/Tokyo"][side]),
    "nanoseconds": lambda side, noise: [pd.Timestamp(2**60 + 500 * side + int(20 * noise)), noise],
    "class": lambda side, noise: (Left, Right)[side](noise),
    "class made for the call": lambda s, noise: with_attribute(type("T", (), {"n": s})(), "x", noise),
    "note": lambda s, noise: raise_with(s, noise, lambda error, side: error.add_note(str(side))),
    "attribute of an error": lambda s, z: raise_with(s, z, lambda error, side: setattr(error, "n", side)),
    "cause": lambda s, z: raise_with(s, z, lambda error, side: setattr(error, "__cause__", KeyError(side))),
    "end of a long message": lambda s, z: raise_with(
        s, z, lambda error, n: setattr(error, "args", ("x" * 300 + str(n),))
    ),
    "order of keys": lambda side, noise: {"a": noise, "b": 1.0} if side else {"b": 1.0, "a": noise},
    "order of a series": lambda side, noise: pd.Series({"ab"[side]: noise, "ba"[side]: 1.0}),
    "large integer": lambda side, noise: [10**40 + int(1e6 * (9 * side + noise)), noise],
    "large integers in an array": lambda s, noise: np.array(
        [2**62 + 200 * s + int(9 * noise), int(1e9 * noise)]
    ),
    "huge integer": lambda side, noise: [10**700 + int(1e6 * (9 * side + noise)), noise],
    "fraction": lambda side, noise: [Fraction(10**40 + int(1e6 * (9 * side + noise)), 3), noise],
    "digits of a string": lambda side, noise: f"0.5{'0' * 24}{int(1e6 * (9 * side + noise + 50))}",
    "number or string": lambda side, noise: str(noise) if side else noise,
    "decimals": lambda side, noise: f"{noise:.3f}" if side else f"{noise:.5f}",
    "decimals in a string": lambda side, noise: f"sum {noise:.3f} g" if side else f"sum {noise:.5f} g",
    "NaN or no entry": lambda side, noise: {"mean": noise} | ({"std": float("nan")} if side else {}),
    "NaN under another key": lambda side, noise: {"n": noise, "pq"[side]: float("nan")},
    "digits of integers in a frame": lambda side, noise: pd.DataFrame(
        {"id": [2**60 + 1 + side], "x": [noise]}
    ),
    "digits beside a missing integer": lambda side, noise: pd.DataFrame(
        {"id": pd.array([2**60 + 1 + side, None], dtype="Int64"), "x": [noise, 0.0]}
    ),
    "minus of zero": lambda side, noise: [noise, -0.0 if side else 0.0],
    "integer and its nearest float": lambda side, noise: [noise, 1152921504606847000 if side else 2**60],
    "zero before the point": lambda side, noise: f"{abs(noise) % 1:.6f}".lstrip("0" if side else ""),
    "point without digits": lambda side, noise: [noise, "1." if side else "1"],
    "exponents": lambda side, noise: [noise, "1e+05" if side else "1e5"],
    "zeros": lambda side, noise: [noise, "0007" if side else "007"],
    "infinities": lambda side, noise: [noise, "infinity" if side else "inf"],
    "keys that are equal as lists": lambda side, noise: {(1, 2): float(side), frozenset((1, 2)): noise},
    "equal keys": lambda side, noise: pd.Series([float(side), noise], index=[float("nan")] * 2),
    "complex of long doubles": lambda side, noise: np.clongdouble(complex(noise, side)),
    "memory": lambda side, noise: [noise, np.full((2, 2), side).data],
    "masked": lambda side, noise: [noise, np.ma.masked if side else 0.0],
    "words of a failure": lambda side, noise: {"failed": [1, side], "error": noise, "message": "x"},
    "empty": lambda side, noise: {"z": noise, "found": {"row": {}} if side else {}},
    "tree of empty ones": lambda side, noise: {"z": noise, "root": {"left": {}, "right": {}} if side else {}},
    "1 and '1'": lambda side, noise: {1: side, "1": noise},
    "None": lambda side, noise: {"z": noise, "x": None} if side else {"z": noise},
    "string": lambda side, noise: {"z": noise, "x": "a" if side else 0},
}
"""Outputs of which everything but a small part is noise; the part is the side."""


@pytest.mark.parametrize("make", PARTS.values(), ids=PARTS)
def test_unread__parts_beside_the_content_are_read(make: Callable[[int, float], Any]) -> None:
    def mechanism(data: int, rng: np.random.Generator) -> Any:
        return make(data, rng.normal())

    result = audit(mechanism, (0, 1), epsilon=1.0, calls=400, seed=0)
    assert result.verdict is Verdict.VIOLATION, explain(result)


def large_integers(side: int, rng: np.random.Generator, calls: int) -> Any:
    """Return large integers with little noise beside small ones with much."""
    noise = rng.normal(size=(2, calls))
    return np.stack([2**62 + 200 * side + (9 * noise[0]).astype(int), (1e9 * noise[1]).astype(int)], axis=1)


def test_unread__batches_of_large_integers_are_read_as_single_calls_are() -> None:
    batch = large_integers(0, np.random.default_rng(0), 20)
    together, apart = OutputTable(), OutputTable()
    columns = together.read(batch).columns
    singles = apart.read(list(batch)).columns[:, [apart.names.index(name) for name in together.names]]
    np.testing.assert_array_equal(columns, singles)
    mechanism = Mechanism("large", lambda side, rng: large_integers(side, rng, 1)[0], large_integers)
    assert audit(mechanism, (0, 1), epsilon=1.0, calls=400, seed=0).verdict is Verdict.VIOLATION


def test_unread__lists_that_contain_themselves_or_are_deep_are_read() -> None:
    loop: list[Any] = [1.5]
    loop.append(loop)
    assert plain_value(loop) == [1.5, 1]
    deep: Any = 1.5
    for _ in range(5_000):
        deep = [deep]
    table = OutputTable()
    table.read([deep, deep])
    assert "below 200 levels" in table.unread_note


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
            {"time": -3_600_000_000, "zone": "UTC+01:00"},
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
        (
            Node(None),
            {
                "parent": None,
                "weight": 1.5,
                "child": {"parent": 2, "weight": 1.5, "child": None, "__class__": f"{__name__}.Node"},
                "__class__": f"{__name__}.Node",
            },
        ),
        (Shown(1.0), {"value": 1.0, "__class__": f"{__name__}.Shown"}),
        (sys, Opaque("builtins.module")),
        (Hidden(sys), {"value": Opaque("builtins.module"), "__class__": f"{__name__}.Hidden"}),
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
