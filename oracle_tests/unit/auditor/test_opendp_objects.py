"""What objects of OpenDP declare, read from objects with the same attributes: OpenDP itself is not needed."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from privboost.auditor import Verdict, audit
from privboost.auditor.inputs.crossing import cross_pairs
from privboost.auditor.inputs.description import Description
from privboost.auditor.inputs.groupings import KEYS, LENGTHS, Grouping
from privboost.auditor.inputs.kinds import Choice, Columns, Integer
from privboost.auditor.inputs.neighbours import hostile_pairs
from privboost.auditor.inputs.shrinking import shrink_pair
from privboost.auditor.mechanisms.naming import find_target
from privboost.auditor.mechanisms.opendp_objects import OpenDPObject, read_object
from privboost.errors import PreconditionError, UsageError
from privboost.limits import EXCHANGE


@dataclass
class Part:
    """A domain, a metric or a measure: its spelling and its type."""

    text: str
    type: str = ""
    distance_type: str = "u32"
    inner_measure: Any = None

    def __str__(self) -> str:
        return self.text


SYMMETRIC = Part("SymmetricDistance()", "SymmetricDistance")
ABSOLUTE = Part("AbsoluteDistance(f64)", "AbsoluteDistance<f64>", "f64")
INSERT_DELETE = Part("InsertDeleteDistance()", "InsertDeleteDistance")
HAMMING = Part("HammingDistance()", "HammingDistance")
PURE = Part("", "MaxDivergence")
FLOATS = Part("VectorDomain(AtomDomain(bounds=[0.0, 1.0], T=f64))")


Map = Callable[[Any], Any]
APPROXIMATE = "eps:1.0,delta:1e-06"


def linear(factor: float) -> Callable[[Any], Any]:
    """Return a map that multiplies."""
    return lambda d_in: factor * d_in


class Transformation:
    """An object with the attributes of a transformation of OpenDP."""

    def __init__(self, domain: Part, metric: Part, output: Part, distances: Map) -> None:
        self.input_domain, self.input_metric, self.output_metric = domain, metric, output
        self.map = distances

    def __call__(self, value: Any) -> Any:
        """Return the input."""
        return value


class Measurement(Transformation):
    """An object with the attributes of a measurement of OpenDP."""

    def __init__(self, domain: Part, metric: Part, measure: Part, distances: Map) -> None:
        super().__init__(domain, metric, measure, distances)
        self.output_measure = measure


for _class in (Transformation, Measurement):
    _class.__module__ = "opendp.mod"


def read(value: Any, name: str = "mine") -> OpenDPObject:
    """Return an object as a function with what it declares."""
    opened = read_object(value, name)
    assert opened is not None
    return opened


def test_reads_the_relation_the_metric_and_the_map_of_a_transformation() -> None:
    declared = read(Transformation(FLOATS, SYMMETRIC, ABSOLUTE, linear(1.5))).declared
    assert (declared.relation, declared.distance) == ("add_remove", "absolute")
    assert declared.bounds[:2] == (Fraction(3, 2), Fraction(3))
    assert declared.inputs is not None
    assert declared.inputs.contains([0.0, 1.0])
    assert not declared.inputs.contains([1.5])
    assert not declared.inputs.contains([math.nan])


@pytest.mark.parametrize(
    ("metric", "relation"), [(SYMMETRIC, "exchange"), (INSERT_DELETE, "delete_insert"), (HAMMING, "exchange")]
)
def test_compares_inputs_at_the_least_distance_there_is(metric: Part, relation: str) -> None:
    domain = Part("VectorDomain(AtomDomain(T=i32), size=3)")
    declared = read(Transformation(domain, metric, ABSOLUTE, linear(1))).declared
    assert (declared.relation, declared.bounds[0]) == (relation, Fraction(1 if metric is HAMMING else 2))
    assert declared.inputs is not None
    assert declared.inputs.contains([2**31 - 1, -(2**31), 0])
    assert not declared.inputs.contains([2**31, 0, 0])
    assert not declared.inputs.contains([0, 0])


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        ("VectorDomain(AtomDomain(nan=true, T=f64))", math.nan, None),
        ("VectorDomain(AtomDomain(T=f64))", 1e308, math.nan),
        ("VectorDomain(OptionDomain(AtomDomain(T=i64)))", None, 2**63),
        ("VectorDomain(AtomDomain(T=u8))", 255, -1),
        ("VectorDomain(AtomDomain(bounds=[-2, 5], T=i32))", 5, 6),
        ("VectorDomain(AtomDomain(T=String))", "", 1),
        ("VectorDomain(AtomDomain(T=bool))", True, 1),
    ],
)
def test_reads_what_a_cell_may_be(text: str, inside: Any, outside: Any) -> None:
    inputs = read(Transformation(Part(text), SYMMETRIC, ABSOLUTE, linear(1))).declared.inputs
    assert inputs is not None
    assert inputs.contains([inside])
    assert not inputs.contains([outside])


def test_takes_a_number_for_the_only_row_of_an_input() -> None:
    opened = read(Transformation(Part("AtomDomain(T=i32)"), ABSOLUTE, ABSOLUTE, linear(1)))
    assert (opened.declared.relation, opened.function([5])) == ("l1", 5)


@pytest.mark.parametrize(
    ("output", "distance", "bound"),
    [
        (Part("", "ChangeOneDistance"), "symmetric", 2),
        (Part("", "L01InfDistance<AbsoluteDistance<i32>>"), "l1", 7),
        (Part("", "opendp::metrics::LInfDistance<i32>"), "linf", 1),
    ],
)
def test_reads_metrics_that_have_another_name_here(output: Part, distance: str, bound: int) -> None:
    distances = (lambda d_in: (d_in, 7 * d_in, d_in)) if bound == 7 else linear(1)
    declared = read(Transformation(FLOATS, SYMMETRIC, output, distances)).declared
    assert (declared.distance, declared.bounds[0]) == (distance, Fraction(bound))


@pytest.mark.parametrize(
    ("measure", "distance", "claim"),
    [
        (PURE, 0.5, "eps:0.5"),
        (Part("", "ZeroConcentratedDivergence"), 0.25, "zcdp:0.25"),
        (
            Part("", "Approximate<MaxDivergence>", inner_measure=Part("", "MaxDivergence")),
            (1.0, 1e-6),
            APPROXIMATE,
        ),
    ],
)
def test_reads_the_claim_of_a_measurement(measure: Part, distance: Any, claim: str) -> None:
    declared = read(Measurement(FLOATS, SYMMETRIC, measure, lambda _: distance)).declared
    assert (declared.claim, declared.distance, declared.bounds) == (claim, "", ())


def test_refuses_a_claim_that_promises_nothing() -> None:
    measurement = Measurement(FLOATS, SYMMETRIC, PURE, linear(math.inf))
    with pytest.raises(PreconditionError, match="finite epsilon"):
        read(measurement)


@pytest.mark.parametrize("text", ["UserDomain(words)", "AtomDomain(T=String)"])
def test_leaves_inputs_that_only_their_author_knows_to_a_description(text: str) -> None:
    opened = read(Transformation(Part(text), SYMMETRIC, ABSOLUTE, linear(1)))
    assert opened.declared.inputs is None
    assert opened.function("one line\nanother") == "one line\nanother"


def test_orders_the_keys_of_a_hash_map() -> None:
    opened = read(Transformation(Part("UserDomain(map)"), SYMMETRIC, ABSOLUTE, linear(1)))
    assert list(opened.function({"b": 1, "a": 2})) == ["a", "b"]


def test_takes_no_other_object() -> None:
    assert read_object(len, "len") is None


@pytest.mark.parametrize(
    ("public", "left", "right", "agree"),
    [
        (None, ["a"], ["a", "b"], True),
        (KEYS, ["a"], ["a", "a"], True),
        (KEYS, ["a"], ["a", "b"], False),
        (LENGTHS, ["a", "b"], ["b", "a"], True),
        (LENGTHS, ["a"], ["a", "a"], False),
        (None, ["a", "a", "a"], ["a"], False),
    ],
)
def test_neighbours_agree_in_what_is_public(public: str | None, left: Any, right: Any, agree: bool) -> None:
    grouping = Grouping((0,), most_rows=2, most_groups=2, public=public)
    assert grouping.agree([[name] for name in left], [[name] for name in right]) is agree


def test_target__a_measurement_brings_its_inputs_and_its_claim(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("made_here")
    module.__dict__["noisy"] = Measurement(FLOATS, SYMMETRIC, PURE, linear(0.5))
    module.__dict__["exact"] = Transformation(FLOATS, SYMMETRIC, ABSOLUTE, linear(1))
    monkeypatch.setitem(sys.modules, "made_here", module)
    target = find_target("made_here:noisy")
    assert (target.claim, target.relation, target.pairs) == ("eps:0.5", "add_remove", ())
    assert target.inputs == read(module.__dict__["noisy"], "made_here:noisy").declared.inputs
    assert target.mechanism.call([1.0], np.random.default_rng(0)) == [1.0]
    with pytest.raises(UsageError, match="use `privboost stability`"):
        find_target("made_here:exact")


def test_audit__of_a_measurement_needs_no_other_argument() -> None:
    result = audit(Measurement(FLOATS, SYMMETRIC, PURE, linear(0.5)), seed=1, calls=2_000)
    assert result.verdict is Verdict.VIOLATION
    assert result.claim.spelling == "eps:0.5"
    assert result.tried is not None
    assert result.tried.relation == "add_remove"
    assert all(0 <= row <= 1 for entry in result.pairs for row in (*entry.pair.left, *entry.pair.right))
    with pytest.raises(UsageError, match="expected something with noise, got a transformation"):
        audit(Transformation(FLOATS, SYMMETRIC, ABSOLUTE, linear(1)))


def test_audit__arguments_replace_what_a_measurement_declares() -> None:
    measurement = Measurement(FLOATS, SYMMETRIC, PURE, linear(0.5))
    result = audit(measurement, inputs="integers:3,low=0,high=1", relation="exchange", epsilon=2, seed=1)
    assert result.claim.spelling == "eps:2.0"
    assert result.tried is not None
    assert (result.tried.inputs, result.tried.relation) == ("integers:3,low=0,high=1", "exchange")
    assert audit(measurement, ([0.0], [0.0, 1.0]), seed=1).tried is None


def test_pairs__of_a_domain_with_public_keys_have_the_same_keys() -> None:
    grouping = Grouping((0,), most_rows=3, public=KEYS)
    description = Description("mine", Columns((Choice(("a", "b")), Integer(0, 9))), groupings=(grouping,))
    pairs = hostile_pairs(description, EXCHANGE, seed=0, count=50)
    assert len(pairs) == 50
    for pair in pairs:
        left, right = ([row[0] for row in side] for side in (pair.left, pair.right))
        assert set(left) == set(right)
        assert max(map(left.count, "ab"), default=0) <= 3
    pair = next(pair for pair in pairs if len(pair.left) > 2)
    smallest = shrink_pair(description, pair, lambda _: True, 200)
    assert description.agree(smallest.left, smallest.right)


def test_crossed_pairs__of_a_domain_with_public_keys_have_the_same_keys() -> None:
    description = Description(
        "mine", Columns((Choice(("a", "b")), Integer(0, 9))), groupings=(Grouping((0,), public=KEYS),)
    )
    pairs = hostile_pairs(description, EXCHANGE, seed=0, count=50)
    crossed = cross_pairs(description, pairs, pairs, 24)
    assert len(crossed) > 20
    assert all(description.agree(pair.left, pair.right) for pair in crossed)
