"""The checks of the gate pass right numbers, reject wrong ones by label, and bound their false alarms."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Hashable, Mapping
from fractions import Fraction
from typing import Any

import pytest

from privboost.gate.check import Status
from privboost.gate.checks.comparing import complaint, grid_of, readable_complaint
from privboost.gate.checks.evidence import (
    evidence_against,
    evidence_of_draws,
    join_cells,
    law_of_cells,
    pair_law,
)
from privboost.gate.run import GREATEST_FALSE_ALARM
from privboost.gate.trees.cases.flags import FLAGS
from privboost.gate.trees.checks.laws import GridLaw, cells_of_noise, remainders
from privboost.gate.trees.checks.mechanisms import RepeatCheck
from privboost.gate.trees.implementations.fast import FastImplementation
from privboost.gate.trees.levels import Level
from privboost.gate.trees.operations.operations import OPERATIONS
from privboost.oracle_tests.support.gate_checks import CHECKS, PROFILE, run_some

NUMBER = {"exact": "3/8", "decimal": "0.375"}


def exact_slack(_: Fraction) -> Fraction:
    """Allow no difference."""
    return Fraction(0)


# All checks ----------------------------------------------------------------------------------------------


def test_checks__false_alarms_of_a_full_run_are_at_most_one_in_a_million() -> None:
    total = math.fsum(check.false_alarm for check in CHECKS)
    assert 0 < total <= GREATEST_FALSE_ALARM
    assert all(0 <= check.false_alarm <= 1e-7 for check in CHECKS)


def test_checks__have_unique_ids_and_every_level_but_wire() -> None:
    assert len({check.id for check in CHECKS}) == len(CHECKS)
    assert {check.level for check in CHECKS} == set(Level) - {Level.WIRE}


# Numbers ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expected", "result", "right"),
    [
        (NUMBER, 0.375, True),
        (NUMBER, "3/8", True),
        (NUMBER, 0.375 + 2**-54, False),
        (NUMBER, "nan", False),
        (NUMBER, "infinity", False),
        (NUMBER, True, False),
        ("infinity", "infinity", True),
        ("infinity", 1e308, False),
        ({"lo": {"decimal": "-1"}, "hi": "infinity"}, -1, True),
        ({"lo": {"decimal": "-1"}, "hi": "infinity"}, "infinity", True),
        ({"lo": {"decimal": "-1"}, "hi": "infinity"}, -1.5, False),
        ({"lo": {"decimal": "-1"}, "hi": "infinity"}, "nan", False),
        ([NUMBER, NUMBER], [0.375, 0.375], True),
        ([NUMBER, NUMBER], [0.375], False),
        ({"a": NUMBER}, {"a": 0.375}, True),
        ({"a": NUMBER}, {"a": 0.375, "b": 0}, False),
        ({"a": NUMBER}, {}, False),
    ],
)
def test_judging__numbers_intervals_and_tables(expected: Any, result: Any, right: bool) -> None:
    assert (complaint(expected, result, exact_slack) == "") is right


def test_judging__complaint_has_both_values_and_a_hint() -> None:
    message = complaint(NUMBER, 0.75, OPERATIONS["bayes_risk"].tolerance.slack({}))
    assert all(part in message for part in ("3/8", "0.75", "twice what it should be"))
    assert FLAGS["log-base"] in PROFILE.format_hints(("log-base",))


@pytest.mark.parametrize(
    ("operation", "off", "right"),
    [
        ("bayes_risk", 2**-48, True),
        ("bayes_risk", 2**-46, False),
        ("train", 9e-10, True),
        ("train", 2e-9, False),
    ],
)
def test_judging__tolerance_is_that_of_the_protocol(operation: str, off: float, right: bool) -> None:
    one = {"decimal": "1"}
    assert (complaint(one, 1 + off, OPERATIONS[operation].tolerance.slack({})) == "") is right


def test_judging__small_probabilities_are_relative() -> None:
    slack, small = OPERATIONS["split_law"].tolerance.slack({}), {"decimal": "1e-100"}
    assert complaint(small, 1e-100 * (1 + 1e-10), slack) == ""
    assert complaint(small, 0, slack)
    assert complaint({"decimal": "1e-400"}, 0, slack) == ""


# Evidence -----------------------------------------------------------------------------------------------


LAW: dict[Hashable, float] = {"a": 0.5, "b": 0.3, "c": 0.2}


def test_evidence__mean_wealth_is_1_under_the_law() -> None:
    """The mean over all samples of three draws, weighted by their probabilities."""
    mean = 0.0
    for sample in [(x, y, z) for x in LAW for y in LAW for z in LAW]:
        chance = math.prod(LAW[draw] for draw in sample)
        mean += chance * math.exp(evidence_against(LAW, sample).log_wealth)
    assert math.isclose(mean, 1, rel_tol=1e-6)


def test_evidence__distinguishes_similar_laws() -> None:
    generator = random.Random(1)
    right = generator.choices(list(LAW), list(LAW.values()), k=2000)
    wrong = generator.choices(list(LAW), (0.6, 0.25, 0.15), k=2000)
    assert evidence_against(LAW, right).log_wealth < 0
    assert evidence_against(LAW, wrong).log_wealth > -math.log(1e-8)
    assert evidence_of_draws(LAW, wrong, "draws").log_wealth > -math.log(1e-8)
    assert evidence_against(LAW, ["d"]).log_wealth == math.inf


def test_evidence__pairs_show_dependence() -> None:
    generator = random.Random(2)
    draws = generator.choices(list(LAW), list(LAW.values()), k=1000)
    cells = join_cells(LAW, 2)
    law = pair_law(law_of_cells(LAW, cells))
    repeated = [(cells[draw], cells[draw]) for draw in draws]
    assert evidence_against(law, repeated).log_wealth > -math.log(1e-8)


@pytest.mark.parametrize("scale", ["1/3", "2", "50"])
def test_laws__of_noise_are_those_of_a_sum(scale: str) -> None:
    law = GridLaw(Fraction(scale), Fraction(1, 2))
    weights = {k: math.exp(-abs(k) * law.rate) for k in range(-6000, 6001)}
    total = sum(weights.values())
    edges, chances = cells_of_noise(law)
    for cell, chance in enumerate(chances):
        lo = -math.inf if cell == 0 else edges[cell - 1]
        hi = math.inf if cell == len(edges) else edges[cell]
        assert math.isclose(chance, sum(w for k, w in weights.items() if lo < k <= hi) / total, rel_tol=1e-9)
    for remainder, chance in remainders(law).items():
        assert math.isclose(
            chance, sum(w for k, w in weights.items() if k % 4 == remainder) / total, rel_tol=1e-9
        )


# Wrong twins --------------------------------------------------------------------------------------------


class Twin(FastImplementation):
    """The fast learner with changed requests or answers."""

    def __init__(self, change: Callable[[str, dict[str, Any]], dict[str, Any]], result: Any = None) -> None:
        super().__init__()
        self._change, self._result = change, result

    def answer(self, op: str, args: Mapping[str, Any]) -> Any:
        """Return the answer to the changed request."""
        answer = super().answer(op, self._change(op, dict(args)) if op != "hello" else args)
        return self._result(op, answer) if self._result and op != "hello" else answer


def same(_: str, args: dict[str, Any]) -> dict[str, Any]:
    """Change nothing."""
    return args


def other_scale(op: str, args: dict[str, Any]) -> dict[str, Any]:
    """Draw noise of half the scale."""
    return args | {"scale": str(Fraction(args["scale"]) / 2)} if op == "sample_laplace" else args


def one_seed(_: str, args: dict[str, Any]) -> dict[str, Any]:
    """Ignore the seed."""
    return args | {"seed": "1"} if "seed" in args else args


def without_total(op: str, result: Any) -> Any:
    """Charge nothing."""
    return result | {"total": 0} if op == "train" else result


def doubled_beta(op: str, result: Any) -> Any:
    """Return doubled coefficients."""
    if op != "train":
        return result
    trees = [tree | {"beta": 2 * float(Fraction(tree["beta"]))} for tree in result["trees"]]
    return result | {"trees": trees}


@pytest.mark.parametrize(
    ("twin", "parts", "label"),
    [
        (Twin(other_scale), ("sample_laplace/scale=1 grid=1",), "sec-solv"),
        (Twin(one_seed), ("no stream is repeated",), "sec-solv"),
        (Twin(one_seed), ("seeds matter",), "sec-solv"),
        (Twin(one_seed), ("sample_split/exponential/two",), "expSPLIT"),
        (Twin(same, without_total), ("learner/train/expenses",), "fixEPSILON"),
        (Twin(same, without_total), ("learner/seeded/SOUND",), "sec-solv"),
        (Twin(same, doubled_beta), ("learner/train/beta",), "cboost"),
        (Twin(same, doubled_beta), ("learner/seeded/AS_PRINTED",), "sec-solv"),
    ],
)
def test_checks__wrong_twin_is_rejected_by_its_label(twin: Twin, parts: tuple[str, ...], label: str) -> None:
    result = run_some(twin, *parts)
    assert not result.broken
    assert {failure.label for failure in result.failures} == {label}
    assert all(failure.message.startswith(f"{label}: ") and failure.request for failure in result.failures)


def test_checks__right_twin_passes_the_same() -> None:
    parts = (
        "sample_laplace/scale=1 grid=1",
        "repeated",
        "seeds matter",
        "exponential/two",
        "learner/train",
        "seeded",
    )
    result = run_some(Twin(same), *parts, seed=7)
    assert not result.broken
    assert result.failures == ()
    assert sum(outcome.status is Status.PASS for outcome in result.outcomes) > 500


class Budgets:
    """An implementation of two operations that forgets to divide by the number of trees."""

    def answer(self, op: str, args: Mapping[str, Any]) -> Any:
        """Return a budget."""
        if op == "hello":
            names = ["node_budget", "leaf_budget"]
            return {"name": "budgets", "version": "1", "protocol": 1, "operations": names}
        epsilon, share = Fraction(args["epsilon"]), Fraction(args["beta_tree"])
        if op == "leaf_budget":
            return str((1 - share) * epsilon / int(args["trees"]))
        nodes = 1 << int(args["level"]) if args["rule"] == "printed" else 1
        return str(share * epsilon / int(args["depth"]) / nodes)


def test_property__failing_draw_is_shrunk() -> None:
    result = run_some(Budgets(), "property/budgets-add-up")
    (failure,) = result.failures
    assert failure.label == "fixEPSILON"
    assert all(part in failure.message for part in ("epsilon = 1,", "share = 1/2", "trees = 2", "depth = 1"))


def test_property__unsupported_operations_are_skipped() -> None:
    result = run_some(Budgets(), "property/link", "property/law")
    assert {outcome.status for outcome in result.outcomes if outcome.level is Level.VALUES} == {Status.SKIP}


def test_repeats__chance_is_tiny() -> None:
    assert RepeatCheck().false_alarm < 1e-9


@pytest.mark.parametrize(
    ("result", "words"),
    [("-1535/1024", "one step of the grid above"), ("-1537/1024", "one step of the grid below"), ("-1", "")],
)
def test_complaint__number_off_by_one_step_of_the_grid_is_named(result: str, words: str) -> None:
    args, right = {"grid": "1/1024"}, {"exact": "-3/2", "decimal": "-1.5"}
    wrong = readable_complaint(
        right, result, OPERATIONS["leaf_value"].tolerance.slack(args), grid=grid_of(args)
    )
    assert wrong
    assert words in wrong
    assert ("step of the grid" in wrong) is bool(words)
