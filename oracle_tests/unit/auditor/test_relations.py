"""Pairs that are no neighbours are refused; parts without noise, separation and short runs are said."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from privboost.auditor import Pair, Verdict, audit, explain
from privboost.auditor.files import sentences
from privboost.auditor.files.report import SCHEMA, lines, to_document
from privboost.auditor.mechanisms import broken, private
from privboost.auditor.pairs.relations import check_neighbours
from privboost.errors import PreconditionError
from privboost.oracle_tests.support.json_schema import complaints

TABLE = {"X": [[0.0, 1.0], [1.0, 1.0]], "y": [0, 1], "probes": [[0.0, 0.0]]}
NO_NEIGHBOURS: dict[str, tuple[Any, Any, str, str]] = {
    "all entries differ": ([1, 1, 1, 1, 1], [2, 0, 0, 0, 0], "", "5 rows of which 5 differ"),
    "two rows exchanged": ([1, 2, 3], [1, 0, 0], "", "3 rows of which 2 differ"),
    "rows in another order": ([1, 2, 3], [3, 1, 5], "", "expected the same order"),
    "four rows and two": ([1, 2, 3, 4], [1, 2], "", "4 and 2 rows"),
    "no row and two": ([], [1, 2], "", "0 and 2 rows"),
    "one row more, one changed": ([1, 2, 3], [1, 9, 3, 4], "", "3 and 4 rows that differ in more"),
    "one row less in another order": ([1, 2, 3], [3, 1], "", "expected the same order"),
    "added where exchange is stated": ([1, 2], [1, 2, 3], "exchange", "2 and 3 rows"),
    "exchanged where add_remove is stated": (
        [1, 2],
        [1, 3],
        "add_remove",
        "2 and 2 rows that differ in more",
    ),
    "tuples": ((1, 2), (3, 4), "", "2 rows of which 2 differ"),
    "arrays": (np.zeros((3, 2)), np.ones((3, 2)), "", "3 rows of which 3 differ"),
    "arrays of other lengths": (np.zeros(5), np.zeros(2), "", "5 and 2 rows"),
    "frames": (pd.DataFrame({"a": [1, 2]}), pd.DataFrame({"a": [3, 4]}), "", "2 rows of which 2 differ"),
    "rows of dictionaries": ([{"a": 1}, {"a": 2}], [{"a": 2}, {"a": 1}], "", "2 rows of which 2 differ"),
    "strings": (["00+", "01-"], ["00-", "01+"], "", "2 rows of which 2 differ"),
    "labels of two rows": (TABLE, {**TABLE, "y": [1, 0]}, "", "2 rows of which 2 differ"),
    "rows of two tables": (TABLE, {**TABLE, "X": [[5.0, 5.0], [6.0, 6.0]]}, "", "2 rows of which 2 differ"),
    "other probes": (TABLE, {**TABLE, "y": [0, 0], "probes": [[1.0, 1.0]]}, "", "another 'probes' as well"),
    "labels beside rows": (([[0], [1]], [0, 1]), ([[0], [1]], [1, 0]), "", "2 rows of which 2 differ"),
    "answers that move by 2": ([1, 1], [3, 1], "answers", "a change of 2"),
    "answers of other lengths": ([1, 1], [1], "answers", "2 and 1 numbers"),
    "answers that are no numbers": (["a"], ["b"], "answers", "an entry that is no number"),
}


@pytest.mark.parametrize(("left", "right", "relation", "said"), NO_NEIGHBOURS.values(), ids=NO_NEIGHBOURS)
def test_pair__that_is_no_pair_of_neighbours_is_refused(
    left: Any, right: Any, relation: str, said: str
) -> None:
    pair = Pair("mine", left, right, relation)
    with pytest.raises(PreconditionError, match=r"pair 'mine': expected .* \(relation ") as caught:
        audit(lambda _, rng: rng.random(), pair, epsilon=1.0, calls=40, seed=1)
    assert said in str(caught.value)
    check_neighbours([replace(pair, relation="as_given")])


@pytest.mark.parametrize(
    ("left", "right", "relation", "group"),
    [
        ([1, 2, 3], [1, 9, 3], "exchange", 1),
        ([1, 2, 3], [1, 3], "add_remove", 1),
        ([], [1], "add_remove", 1),
        ([1, 1, 1], [1, 1], "add_remove", 1),
        ([1, 2, 3, 4], [4, 1, 2], "add_remove", 3),
        ([1, 2, 3], [9, 9, 3], "exchange", 2),
        (np.array([0.0, np.nan]), np.array([1.0, np.nan]), "exchange", 1),
        (TABLE, {**TABLE, "y": [0, 0]}, "exchange", 1),
        (([[0], [1]], [0, 1]), ([[0], [1]], [0, 0]), "exchange", 1),
        ([1, 1, 1], [2, 0, 0], "answers", 1),
        (0, 5, "as_given", 1),
        ("ab", "cd", "as_given", 1),
    ],
)
def test_pair__of_neighbours_is_accepted(left: Any, right: Any, relation: str, group: int) -> None:
    pair = Pair("mine", left, right, relation)
    check_neighbours([pair], group)
    if relation != "answers" and group == 1:
        assert Pair("mine", left, right).relation == relation


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ([[[0], [1]], [0, 1]], [[[0], [1]], [0, 0]]),
        ([[[0], [1]], [0, 1]], [[[0]], [0]]),
        ([np.zeros((2, 3)), np.zeros(2)], [np.zeros((2, 3)), np.array([0.0, 1.0])]),
        ([[{"a": 0}], ["ill"]], [[{"a": 1}], ["ill"]]),
    ],
    ids=["labels", "a row more", "arrays", "rows of dictionaries"],
)
def test_pair__of_lists_of_rows_and_labels_is_refused_with_its_spelling(left: Any, right: Any) -> None:
    with pytest.raises(PreconditionError, match=r'expected .*\{"X": rows, "y": labels\}.* read as two rows'):
        check_neighbours([Pair("mine", left, right)])
    check_neighbours([Pair("mine", left, right, "as_given")])
    check_neighbours([Pair("mine", tuple(left), tuple(right))])


def test_pair__of_two_rows_is_no_list_of_rows_and_labels() -> None:
    check_neighbours([Pair("mine", [[0, 1], [2, 3]], [[0, 1], [2, 4]]), Pair("b", [[0], [1]], [[0]])])
    check_neighbours([Pair("mine", [[[0], [1]], [[2], [3]]], [[[0], [1]], [[2], [4]]])])


@pytest.mark.parametrize("right", [[1, 2, 9], [1, 2]], ids=["exchange", "add_remove"])
def test_pair__that_differs_in_fewer_rows_than_the_group_is_refused(right: list[int]) -> None:
    with pytest.raises(PreconditionError, match="2 rows"):
        check_neighbours([Pair("mine", [1, 2, 3], right)], 2)


@pytest.mark.parametrize("bank", [private.MECHANISMS, broken.MECHANISMS], ids=["private", "broken"])
def test_bank__has_neighbours_only(bank: Any) -> None:
    for target in bank.values():
        check_neighbours(target.pairs)


def test_report__says_that_a_relation_was_not_checked() -> None:
    for relation, said in (
        ("", "has not checked that"),
        ("exchange", "not checked, since the inputs have no"),
    ):
        pair = Pair("a", 0.0, 1.0, relation)
        result = audit(lambda data, rng: data + rng.laplace(), pair, epsilon=1.0, calls=60, seed=1)
        assert said in dict(lines(result))["  neighbours"]


# What is left of an output ----------------------------------------------------------------------------------


def half_noised(data: list[float], rng: np.random.Generator) -> dict[str, Any]:
    """Return the number of rows without noise, a sum with half of the noise, and a list of noisy numbers."""
    noisy = [value + rng.laplace(scale=2) for value in data]
    return {"n_seen_": len(data), "sum_": sum(data) + rng.laplace(scale=0.5), "labels_": noisy}


PAIR = Pair("one row less", [1.0, 1.0, 1.0], [1.0, 1.0])


def test_noiseless__parts_are_listed_and_the_rest_is_audited() -> None:
    result = audit(half_noised, PAIR, epsilon=1.0, calls=4000, seed=1)
    assert result.verdict is Verdict.VIOLATION
    names = [(part.name, part.left, part.right) for part in result.noiseless]
    last = ("output.labels_[2]", "a number", "missing")
    assert names == [("len(output.labels_)", "3", "2"), ("n_seen_", "3", "2"), last]
    assert result.rest is not None
    assert result.rest.seed != result.seed
    assert result.rest.verdict is Verdict.VIOLATION
    assert "sum_" in dict(lines(result.rest))["  told apart by"]
    named = dict(lines(result))
    assert "n_seen_ is 3 left, 2 right" in named["without noise"]
    assert named["the rest"].startswith("VIOLATION for the rest of the outputs")
    schema = json.loads(SCHEMA.read_text("utf-8"))
    assert complaints(schema, to_document(result)) == []


def test_ignored__attributes_are_not_tested() -> None:
    """False alarms: none, since the seed is fixed."""
    ignored = ("n_seen_", "labels_", "sum_")
    result = audit(half_noised, PAIR, epsilon=1.0, calls=200, seed=1, ignore=ignored[:2])
    assert result.verdict is Verdict.VIOLATION
    assert dict(lines(result))["ignored"] == "n_seen_, labels_"
    nothing = audit(half_noised, PAIR, epsilon=1.0, calls=200, seed=1, ignore=ignored)
    assert nothing.verdict is Verdict.INCONCLUSIVE


def test_ignored__parts_that_no_output_has_are_named_with_those_that_they_have() -> None:
    pairs = [PAIR, replace(PAIR, name="again")]
    wrong = ("n_seen_", "labels", "[7]")
    result = audit(half_noised, pairs, epsilon=1.0, calls=80, seed=1, ignore=wrong)
    assert [part.name for part in result.unmatched] == ["[7]", "labels"]
    said = dict(lines(result))["not ignored"]
    assert said.startswith(
        "no output has a part '[7]'; no output has a part 'labels'; did you mean labels_ or"
    )
    assert complaints(json.loads(SCHEMA.read_text("utf-8")), to_document(result)) == []
    # The number of labels differs between the inputs, so that one part occurs on one side only.
    assert audit(half_noised, pairs, epsilon=1.0, calls=80, seed=1, ignore=("labels_[2]",)).unmatched == ()


def test_noiseless__nothing_is_left_of_a_constant() -> None:
    result = audit(lambda data, _: {"n": len(data)}, PAIR, epsilon=1.0, calls=400, seed=1)
    assert result.verdict is Verdict.VIOLATION
    assert (result.noiseless, result.rest) == ((), None)


def test_separation__is_said_with_what_more_calls_would_show() -> None:
    def separate(data: list[float], rng: np.random.Generator) -> float:
        return sum(data) + rng.random()

    result = audit(separate, PAIR, epsilon=1.0, calls=400, seed=1)
    said = sentences.separation(result)
    assert "never occurred on the other" in said
    assert result.pairs[0].projected is not None
    calls, bound = result.pairs[0].projected
    assert f"after {calls:,} calls like these" in said
    longer = audit(separate, PAIR, epsilon=1.0, calls=calls, seed=1, stop=False)
    assert 0.8 * bound < longer.bound <= bound + 0.2
    noisy = audit(lambda data, rng: sum(data) + rng.laplace(scale=0.4), PAIR, epsilon=1.0, calls=4000, seed=1)
    assert noisy.verdict is Verdict.VIOLATION
    assert sentences.separation(noisy) == ""


def test_power__required_grows_with_the_factor_and_is_stated() -> None:
    result = audit(lambda _, rng: rng.random(), (0, 1), epsilon=0.5, calls=400, seed=1, power=3)
    assert result.required is not None
    assert result.required.epsilon == pytest.approx(1.5)
    assert "a verdict needs 3 times the claim, ε ≥ 1.5" in explain(result)
    with pytest.raises(PreconditionError, match="power: expected a number above 1, got 1"):
        audit(lambda _, rng: rng.random(), (0, 1), epsilon=0.5, calls=400, seed=1, power=1)
