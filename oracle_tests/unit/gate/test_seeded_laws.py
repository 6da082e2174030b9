"""The laws of the draws of seeded trainings: those of the reference, bets with mean 1, mistakes noticed."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from privboost.gate.check import Status
from privboost.gate.checks.asking import RunCache
from privboost.gate.checks.bets import LearningBet, RivalBets
from privboost.gate.mechanisms.checks.requests import WORDS
from privboost.gate.run import run_gate
from privboost.gate.targets.in_process import PythonTarget
from privboost.gate.trees.checks import trained_laws
from privboost.gate.trees.checks.float_laws import (
    laplace_table,
    noisy_masses_law,
    one_noise_law,
    ratio_of_value,
    value_of_ratio,
)
from privboost.gate.trees.checks.histories import History
from privboost.gate.trees.checks.laws import GridLaw, exact_split_law
from privboost.gate.trees.checks.pooled import pooled_noise, pooled_splits
from privboost.gate.trees.checks.trained import training
from privboost.gate.trees.checks.trained_laws import REQUESTS, ROWS, LawCheck, trained_law_checks
from privboost.gate.trees.checks.trained_leaves import law_of_leaf
from privboost.gate.trees.checks.trained_splits import laws_of, split_bets
from privboost.gate.trees.expected.learner import setting_and_sample, split_of
from privboost.gate.trees.faulty import Port, load
from privboost.gate.trees.faulty.model_privacy import Update
from privboost.gate.trees.implementations.fast import FastImplementation
from privboost.gate.trees.operations.candidates import Candidate
from privboost.gate.trees.operations.requests import Arguments
from privboost.gate.trees.operations.training import read_data
from privboost.oracle_tests.support.gate_checks import CHECKS
from privboost.reference.data import WeightedSample
from privboost.reference.exact import enclose
from privboost.reference.learners.ensemble import setting_of_tree
from privboost.reference.learners.splitting import split_law
from privboost.reference.trees.tree import Tree, next_leaf

SCORES = {"x0 >= 1": "0", "x0 >= 2": "-1"}
TWO: dict[str, Any] = {"scores": SCORES, "epsilon": "2", "sensitivity": "1", "law": "exponential"}


def request(name: str) -> dict[str, Any]:
    """Return the arguments of a request of the gate."""
    return training(*REQUESTS[name], ROWS)


def reference_weights(model: Mapping[str, Any], name: str) -> list[Fraction]:
    """Return the weights of the second tree by the plain implementation."""
    args = request(name)
    plain = Port()
    run = plain.read_run(args | {"seed": "1"})
    alpha, grid = run.parameters.boost_alpha, run.parameters.grid
    tree = model["trees"][0]
    weights = []
    for row in run.rows:
        prediction = plain.read_model_number(tree["beta"]) * plain.value_at(tree, row.codes)
        if run.protocol.beta == "raw":
            weights.append(plain.mirror(alpha, row.y, Fraction(1, 2), prediction))
        else:
            weights.append(plain.accumulate(Update(alpha, row.y, prediction, Fraction(1), grid)))
    return weights


@pytest.mark.parametrize("name", REQUESTS)
def test_exp_split__laws_in_floats_are_those_of_the_reference(name: str) -> None:
    args = request(name)
    model = load("none").answer("train", args | {"seed": "3"})
    history = History(args)
    draws = history.draws(model)
    public, sample = setting_and_sample(read_data(Arguments("train", args)))
    weights = [[Fraction(1, 2)] * len(sample), reference_weights(model, name)]
    for index, data in enumerate(weights):
        setting, tree = setting_of_tree(public, index), Tree()
        for draw in draws[index].splits:
            leaf = next_leaf(tree, setting.parameters.depth)
            assert leaf is not None
            if draw.node in (0, 1, 2):
                weighted = WeightedSample(sample, tuple(weight.limit_denominator(10**15) for weight in data))
                exact = split_law(setting, weighted, tree, leaf)
                law = [float(enclose(chance, 96).lo) for chance in exact.values()]
                assert draw.known
                assert laws_of(history, draw)[0] == pytest.approx(law, rel=1e-9)
            tree = tree.grow(leaf, split_of(Candidate.read(history.candidates[draw.choice], "splits")))


def test_sec_solv__law_of_noisy_masses_is_that_of_an_enumeration() -> None:
    steps, masses = 2.5, (5.0, 3.0)
    table = laplace_table(steps)
    ratios = [1 / 17.9, 0.61, 1.37, 4.01, 17.9]
    counts = np.zeros(len(ratios) + 1)
    same = np.zeros(len(ratios) + 1)
    for (x, p), (y, q) in product(zip(table.noise, table.chances, strict=True), repeat=2):
        a, b = max(masses[0] + x, 0), max(masses[1] + y, 0)
        ratio = 1.0 if a == b == 0 else math.inf if b == 0 else a / b
        counts[np.searchsorted(ratios, ratio)] += p * q
    for x, p in zip(table.noise, table.chances, strict=True):
        a, b = max(masses[0] + x, 0), max(masses[1] + x, 0)
        same[np.searchsorted(ratios, 1.0 if a == b == 0 else math.inf if b == 0 else a / b)] += p
    assert noisy_masses_law(masses, table, ratios) == pytest.approx(counts, abs=1e-12)
    assert one_noise_law(masses, table, ratios, np.positive, np.positive) == pytest.approx(same, abs=1e-12)


@pytest.mark.parametrize("alpha", [0.5, 1.0])
@pytest.mark.parametrize("ratio", [0.2, 1.0, 7.5])
def test_f_alpha__ratio_and_value_are_inverse(alpha: float, ratio: float) -> None:
    assert ratio_of_value(alpha, value_of_ratio(alpha, ratio)) == pytest.approx(ratio, rel=1e-12)


@pytest.mark.parametrize("name", REQUESTS)
def test_sec_solv__laws_of_leaves_and_their_rivals_sum_to_1(name: str) -> None:
    history = History(request(name))
    for masses in ((0.0, 0.0), (1.5, 0.0), (0.5, 1.0)):
        law = law_of_leaf(history, masses, Fraction(1, 16))
        assert law is not None
        assert law.law.sum() == pytest.approx(1, abs=1e-9)
        assert law.rivals.sum(axis=1) == pytest.approx(1, abs=1e-9)


def test_bets__have_the_mean_1_under_the_law() -> None:
    law, rival = np.array([0.5, 0.3, 0.2]), np.array([[0.2, 0.2, 0.6], [0.6, 0.4, 0.0]])
    means = np.zeros(3)
    for sample in product(range(3), repeat=4):
        learning, rivals = LearningBet("cells"), RivalBets(("a", "b"), ("all",))
        for cell in sample:
            learning.add(law, ["x", "y", "z"], cell, "request")
            rivals.add(float(law[cell]), rival[:, cell], ["all"], "request")
        wealths = [learning.evidence.log_wealth, *(bet.log_wealth for bet in rivals.wealths("{rival}"))]
        means += math.prod(law[cell] for cell in sample) * np.exp(wealths)
    assert means == pytest.approx(1, rel=1e-6)


def test_learning_bet_of_requests__tells_its_key_in_words() -> None:
    bet = LearningBet("draws", WORDS["the draw before"])
    for _ in range(60):
        bet.add(np.array([0.2, 0.4, 0.4]), [(0, 2), (1, 2), (2, 2)], 1, "")
    assert bet.evidence.description.startswith(
        "draws: group 2 of the cells after a draw in group 3 came 60 times, expected about 24.0 times"
    )


def test_pooled__bets_on_small_errors_have_the_mean_1_under_the_law() -> None:
    law, mean = GridLaw(Fraction(2, 3), Fraction(1, 2)), 0.0
    for k in range(-60, 61):
        mean += law.between(k, k) * math.exp(pooled_noise([(law, [k])]).log_wealth)
    assert mean == pytest.approx(1, rel=1e-6)
    chances = exact_split_law(TWO)
    mean = sum(chances[name] * math.exp(pooled_splits([(TWO, [str(name)])]).log_wealth) for name in chances)
    assert mean == pytest.approx(1, rel=1e-6)


@pytest.fixture
def few_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make fewer runs, which is enough for large errors."""
    monkeypatch.setattr(trained_laws, "BATCHES", 1)
    monkeypatch.setattr(trained_laws, "RUNS", 12)


@pytest.mark.usefixtures("few_runs")
@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        ("train-whole-share", "splits", "times the right rate"),
        ("train-level-shares-split", "splits", "the node to the left"),
        ("noise-of-all-trees", "leaves", "1/2 of the scale"),
        ("noise-opposite-classes", "leaves", "opposite noise on the two masses"),
        ("noise-of-masses-continuous", "leaves", "not on the grid"),
    ],
)
def test_seeded__mistakes_are_rejected_and_named(name: str, kind: str, words: str) -> None:
    assert_rejected(name, kind, words)


def assert_rejected(name: str, kind: str, words: str) -> None:
    """Assert that a check of draws rejects a mistake and says so in some words."""
    (check,) = (check for check in trained_law_checks() if check.id == f"learner/law/{kind}")
    result = run_gate(PythonTarget(name, load(name)), checks=[check])
    (failure,) = result.failures
    assert words in failure.message
    assert not result.broken


def test_seeded__factor_two_of_the_one_sided_exponential_law_is_noticed() -> None:
    assert_rejected("train-two-kept-by-exponential", "splits, one-sided exponential", "rate epsilon / Delta")


@pytest.mark.usefixtures("few_runs")
def test_seeded__failure_shows_a_request_of_the_protocols_that_fail() -> None:
    class Uniform(Port):
        def rate_of(self, epsilon: Fraction, delta: Fraction, *, one_sided: bool) -> Fraction:
            return Fraction(0) if one_sided else super().rate_of(epsilon, delta, one_sided=False)

    check = LawCheck("splits", "expSPLIT", RunCache(), split_bets)
    (failure,) = run_gate(PythonTarget("x", Uniform()), checks=[check]).failures
    assert (failure.request or {})["args"]["protocol"] == REQUESTS["add_remove"][0]


def test_bets__name_the_request_that_contributed_most() -> None:
    learning, rivals = LearningBet("cells"), RivalBets(("a",), ("all",))
    for _ in range(20):
        for request, cell, chance in (("right", 0, 0.5), ("wrong", 1, 0.9)):
            rivals.add(0.5, np.array([chance]), ["all"], request)
            learning.add(np.array([0.5, 0.5]), [(request, cell), (request, 1 - cell)], cell, request)
        learning.add(np.array([0.5, 0.5]), [("right", 0), ("right", 1)], 1, "right")
    assert {each.request for each in (learning.evidence, *rivals.wealths("{rival}"))} == {"wrong"}
    draws = [["x0 >= 1"] * 73 + ["x0 >= 2"] * 27, ["x0 >= 1"] * 100]
    assert pooled_splits([(TWO, drawn) for drawn in draws]).request == 1


@pytest.mark.usefixtures("few_runs")
def test_seeded__correct_implementation_passes() -> None:
    checks = [check for check in trained_law_checks() if isinstance(check, LawCheck)]
    result = run_gate(PythonTarget("fast", FastImplementation()), checks=checks, seed=1)
    assert not result.broken
    assert {outcome.status for outcome in result.outcomes} == {Status.PASS}


@pytest.mark.usefixtures("few_runs")
def test_seeded__protocols_that_are_not_supported_are_left_out() -> None:
    class Partly(Port):
        def answer_train(self, args: Mapping[str, Any]) -> Any:
            if args["protocol"]["relation"] == "add_remove":
                raise NotImplementedError("add_remove")
            return super().answer_train(args)

    class Never(Port):
        def answer_train(self, args: Mapping[str, Any]) -> Any:
            raise NotImplementedError("train")

    for implementation, status in ((Partly(), Status.PASS), (Never(), Status.SKIP)):
        check = LawCheck("splits", "expSPLIT", RunCache(), split_bets)
        outcomes = run_gate(PythonTarget("x", implementation), checks=[check]).outcomes
        assert outcomes[-1].status is status


LIMITED = (
    "mechanisms/sample_laplace/scale=1 grid=1",
    "mechanisms/sample_split/exponential/two",
    "privacy/sample_laplace/count",
)


def test_limits__draws_are_asked_for_in_batches() -> None:
    class Limited(Port):
        def answer(self, op: str, args: Mapping[str, Any]) -> Any:
            result = super().answer(op, args)
            if op == "hello":
                return result | {"limits": {"count": 100}}
            assert int(args.get("count", 0)) <= 100
            return result

    class Wrong(Limited):
        def sample_laplace(self, scale: Fraction, grid: Fraction, source: random.Random) -> Fraction:
            return super().sample_laplace(scale / 4, grid, source)

    checks = [check for check in CHECKS if check.id in LIMITED]
    right = run_gate(PythonTarget("limited", Limited()), checks=checks)
    assert {outcome.status for outcome in right.outcomes} == {Status.PASS}
    wrong = run_gate(PythonTarget("wrong", Wrong()), checks=checks)
    assert {failure.check for failure in wrong.failures} == set(LIMITED) - {LIMITED[1]}
