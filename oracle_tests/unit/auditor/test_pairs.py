"""Pairs: neighbours by construction, files with typed errors, search within a budget."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from privboost.auditor import Mechanism, Pair
from privboost.auditor.audit import pairs_of
from privboost.auditor.mechanisms.broken import MECHANISMS as BROKEN
from privboost.auditor.pairs.file import pairs_from_file
from privboost.auditor.pairs.patterns import answer_pairs
from privboost.auditor.running.search import FEWEST_CALLS, LIKELY, bound_score, search, search_seed
from privboost.errors import PreconditionError
from privboost.oracle_tests.support.marks import slow


@pytest.mark.parametrize("length", [1, 2, 5])
def test_vectors__of_queries_change_by_at_most_a_step_and_counts_one_way(length: int) -> None:
    for relation in ("exchange", "add_remove"):
        pairs = answer_pairs(length, relation, base=3, step=2)
        assert len({pair.name for pair in pairs}) == len(pairs) >= 2
        for pair in pairs:
            changes = np.subtract(pair.right, pair.left)
            assert pair.relation == "answers"
            assert 0 < np.abs(changes).max() <= 2
            assert relation == "exchange" or np.all(changes >= 0) or np.all(changes <= 0)


def test_vectors__are_the_patterns_of_the_literature() -> None:
    pairs = {pair.name: (pair.left, pair.right) for pair in answer_pairs(5)}
    ones = [1] * 5
    assert pairs["one above"] == (ones, [2, 1, 1, 1, 1])
    assert pairs["one below, rest above"] == (ones, [0, 2, 2, 2, 2])
    assert pairs["half above, half below"] == (ones, [2, 2, 0, 0, 0])
    assert pairs["all below"] == (ones, [0] * 5)
    assert pairs["x shape"] == ([1, 1, 0, 0, 0], [0, 0, 1, 1, 1])


def test_vectors__of_a_histogram_change_as_one_example_does() -> None:
    for pair in answer_pairs(4, "add_remove", histogram=True):
        assert sorted(np.abs(np.subtract(pair.right, pair.left))) == [0, 0, 0, 1]
    for pair in answer_pairs(4, "exchange", histogram=True):
        assert sorted(np.subtract(pair.right, pair.left)) == [-1, 0, 0, 1]
    with pytest.raises(PreconditionError, match="at least two cells"):
        answer_pairs(1, histogram=True)
    with pytest.raises(PreconditionError, match="exchange, add_remove"):
        answer_pairs(1, "swap")


GOOD = """[
  {"name": "a", "left": [0, "infinity"], "right": [1, "infinity"], "relation": "add_remove", "exact": 0.5},
  {"name": "b", "left": {"$tuple": [1, 2]}, "right": null},
  [0, 1],
  [[1, 2], [1]],
  {"left": 0, "right": 2}
]"""


def test_file__gives_its_pairs(tmp_path: Path) -> None:
    path = tmp_path / "pairs.json"
    path.write_text(GOOD, "utf-8")
    assert pairs_from_file(path) == (
        Pair("a", [0, math.inf], [1, math.inf], "add_remove", 0.5),
        Pair("b", (1, 2), None),
        Pair("pair 3", 0, 1),
        Pair("pair 4", [1, 2], [1], "add_remove"),
        Pair("pair 5", 0, 2),
    )


def test_file__lists_whose_lengths_differ_are_add_remove_unless_stated(tmp_path: Path) -> None:
    path = tmp_path / "pairs.json"
    path.write_text(
        "[[[1, 2], [1, 2, 9]], [[1, 2], [1, 9]], [[1], [1, 2, 3]],"
        ' {"left": [1], "right": [1, 2], "relation": "exchange"}]'
    )
    relations = [pair.relation for pair in pairs_from_file(path)]
    assert relations == ["add_remove", "exchange", "add_remove", "exchange"]
    assert pairs_of(([1], [1, 2]))[0].relation == "add_remove"
    assert pairs_of((1.0, 2.0))[0].relation == "as_given"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[", "valid JSON, got .*line 1 column 2"),
        ("{}", "a list"),
        ("[]", "1 to 10000 pairs, got 0"),
        (
            json.dumps([{"name": f"{index}", "left": 0, "right": 1} for index in range(30_000)]),
            "1 to 10000 pairs, got 30000",
        ),
        ('[[0, {"$array": [], "dtype": "<f8", "shape": [0, 1180591620717411303424]}]]', "an integer from 0"),
        ('[[0, {"$array": [1], "dtype": "<f1", "shape": [1]}]]', 'a type such as "<f8"'),
        (f"[[0, {'[' * 900}{']' * 900}]]", "at most 100 lists or objects within each other"),
        ("[3]", r"\[0\]: expected \[left, right\] or an object"),
        ("[[1, 2, 3]]", r"expected \[left, right\] or an object .*got a list of 3"),
        ('[{"name": "a", "left": 1}]', r"\[0\]: .*no right"),
        ('[{"name": "a", "left": 1, "right": 2, "delta": 3}]', r"\[0\]: .*delta"),
        ('[{"name": 1, "left": 1, "right": 2}]', r"\[0\].name: expected a string"),
        ('[{"name": "a", "left": 1, "right": 1}]', r"\[0\].right: .*the same"),
        ('[{"name": "a", "left": 1, "right": 2, "relation": "x"}]', r"relation: expected one of exchange"),
        ('[{"name": "a", "left": 1, "right": 2, "exact": -1}]', r"exact: expected a number >= 0"),
        ('[{"name": "a", "left": 1, "right": NaN}]', '"nan"'),
        ('[{"name": "a", "left": 1, "right": 2}, {"name": "a", "left": 1, "right": 3}]', "different names"),
    ],
)
def test_file__errors_name_the_path(content: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "pairs.json"
    path.write_text(content, "utf-8")
    with pytest.raises(PreconditionError, match=message):
        pairs_from_file(path)


def test_file__that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(PreconditionError, match=r"nowhere\.json"):
        pairs_from_file(tmp_path / "nowhere.json")


class Counted:
    """Laplace noise that counts its calls."""

    def __init__(self) -> None:
        self.calls = 0
        self.first: set[float] = set()

    def batch(self, data: Any, rng: np.random.Generator, count: int) -> Any:
        """Return noisy numbers."""
        self.calls += count
        outputs = data + rng.laplace(size=count)
        self.first.add(float(outputs[0] - data))
        return outputs

    def call(self, data: Any, rng: np.random.Generator) -> Any:
        """Return one noisy number."""
        return self.batch(data, rng, 1)[0]


CANDIDATES = [Pair(f"{gap} apart", 0, gap) for gap in (0.1, 0.3, 2.0, 0.2, 0.0, 0.5, 1.0)]


def test_search__finds_the_best_pairs_within_its_budget() -> None:
    """80 of 80 searches with fresh seeds found both pairs: about 4 % at most may fail. This seed is fixed."""
    counted = Counted()
    mechanism = Mechanism("counted", counted.call, counted.batch)
    candidates = search(mechanism, CANDIDATES, 4000, seed=3, keep=2)
    assert [candidate.pair.name for candidate in candidates] == ["2.0 apart", "1.0 apart"]
    assert counted.calls <= 4000
    assert candidates == search(mechanism, CANDIDATES, 4000, seed=3, keep=2)
    assert search(Mechanism("single", counted.call), CANDIDATES[:3], 1000, seed=3)[0].pair is CANDIDATES[2]


def test_search__prefers_the_pair_that_can_refute_the_claim() -> None:
    """A rare event with odds e^3, against a frequent one with odds e^0.8, which cannot refute epsilon = 1.

    Before, the mean wealth over small nulls preferred the frequent event.
    """

    def batch(data: Any, rng: np.random.Generator, count: int) -> Any:
        told, rare = data
        outputs = (rng.random(count) < told).astype(float)
        outputs[rng.random(count) < rare] = 7.0
        return outputs

    mechanism = Mechanism("events", lambda data, rng: batch(data, rng, 1)[0], batch)
    pairs = [
        Pair("frequent", (1 / (1 + np.exp(0.8)), 0.0), (1 / (1 + np.exp(-0.8)), 0.0)),
        Pair("rare", (0.5, 0.003), (0.5, 0.003 * np.exp(3))),
    ]
    for seed in range(3):
        assert search(mechanism, pairs, 8000, seed=seed)[0].pair.name == "rare"


@pytest.mark.parametrize(
    ("name", "budget", "others"),
    [
        ("sparse_vector_value", 16_000, ("one above",)),
        ("sparse_vector_unscaled", 3_000, ("one above", "last above", "one flipped")),
    ],
)
@pytest.mark.parametrize("seed", [0, *slow([1])])
def test_search__finds_the_halves_that_refute_a_sparse_vector(
    name: str, budget: int, others: tuple[str, ...], seed: int
) -> None:
    """The other pairs cannot refute epsilon = 1.

    Seeds 0 to 15 found the halves of the value, and seeds 0 to 9 those of the unscaled one, so 17 % and 26 %
    of searches may fail, at most (confidence 95 %). These two seeds are the first ones.
    """
    names = ("x shape", *others)
    pairs = [pair for pair in answer_pairs(10) if pair.name in names]
    best = search(BROKEN[name].mechanism, pairs, budget, seed=seed)[0]
    assert best.pair.name == "x shape"
    assert best.score > 0.5


def test_search__scores_are_bounds() -> None:
    nulls = np.array([0.0, 1.0, 2.0])
    likely = float(LIKELY)
    assert bound_score(nulls, np.array([likely + 3, likely + 1, likely - 1])) == pytest.approx(1.5)
    assert bound_score(nulls, np.array([0.0, 5.0, 5.0])) == pytest.approx(-likely)
    assert bound_score(nulls, np.array([5.0, 4.0, likely + 1])) == pytest.approx(3.0)


def test_search__refuses_a_budget_that_is_too_small() -> None:
    mechanism = Mechanism("counted", Counted().call)
    with pytest.raises(PreconditionError, match=f"at least {3 * 7 * FEWEST_CALLS} calls for 7 candidates"):
        search(mechanism, CANDIDATES, 100, seed=0)
    with pytest.raises(PreconditionError, match="at least one pair"):
        search(mechanism, [], 100, seed=0)


def test_search__has_seeds_that_no_audit_has() -> None:
    seeds = {search_seed(seed) for seed in range(100)}
    assert len(seeds) == 100
    assert min(seeds) > 1 << 64
