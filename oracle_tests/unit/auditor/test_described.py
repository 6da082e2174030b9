"""Audits of described inputs: triage, the choice of pairs, tests with fresh coins, the smallest pair."""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from privboost.auditor import AuditPlan, AuditResult, Mechanism, Pair, TargetError, Verdict, audit, smallest
from privboost.auditor.claims import epsilon_claim
from privboost.auditor.described import FIRST_PAIRS, PAIRS, SLOTS, make_pairs
from privboost.auditor.files.sentences import log_e_value
from privboost.auditor.inputs.crossing import cross_pairs
from privboost.auditor.inputs.description import describe
from privboost.auditor.mechanisms.mechanism import Call
from privboost.auditor.pairs.relations import check_neighbours
from privboost.auditor.result import Sight
from privboost.auditor.run import FIRST_CALLS, run_audit
from privboost.auditor.running.calling import AuditCaller, Calling
from privboost.auditor.running.triage import STREAMS, Inputs, Triaged, triage
from privboost.errors import PreconditionError, UsageError

Rng = np.random.Generator
UNIT, ANY = "vector:10,low=0,high=1", "vector:10"


def clamp(row: float) -> float:
    """Return a number in [0, 1]; NaN counts as 0."""
    return 0.0 if math.isnan(row) else min(max(row, 0.0), 1.0)


def noisy_sum(rows: list[float], rng: Rng) -> float:
    """Release a sum; the claim of epsilon 1 is true and sharp."""
    return sum(map(clamp, rows)) + rng.laplace()


def twofold(rows: list[float], rng: Rng) -> float:
    """Release a sum with half of the noise that epsilon 1 needs."""
    return sum(map(clamp, rows)) + rng.laplace(scale=0.5)


def fails_on_nan(rows: list[float], rng: Rng) -> float:
    """Fail where a row is NaN."""
    return int(sum(row if math.isnan(row) else clamp(row) for row in rows) * 0) + noisy_sum(rows, rng)


def releases_nan(rows: list[float], rng: Rng) -> float:
    """Add noise to a sum that may be NaN."""
    return sum(row if math.isnan(row) else clamp(row) for row in rows) + rng.laplace()


def returns_none_for_nothing(rows: list[float], rng: Rng) -> float | None:
    """Return another type where there is no row."""
    return noisy_sum(rows, rng) if rows else None


def returns_a_number_per_row(rows: list[float], rng: Rng) -> list[float]:
    """Return as many numbers as there are rows."""
    return [rng.laplace() for _ in rows]


def returns_nothing_without_noise(rows: list[float], rng: Rng) -> float:
    """Return 0 where there is no row."""
    return noisy_sum(rows, rng) if rows else 0.0


def moves_far(rows: list[float], rng: Rng) -> float:
    """Count a row at the upper end fifty times."""
    return 50.0 * sum(row == 1.0 for row in rows) + rng.laplace()


def run_triage(function: Call, inputs: str, *, relation: str | None = None) -> tuple[Inputs, Triaged]:
    """Return what triage sees of all pairs of described inputs."""
    plan = AuditPlan(epsilon_claim(1.0), 1)
    called = Inputs(Mechanism("function", function), 1, AuditCaller())
    return called, triage(called, make_pairs(describe(inputs), relation, plan).pairs, 1.0)


def classes_of(result: AuditResult) -> set[str]:
    """Return the classes of the smallest pair of a violation."""
    assert result.tried is not None
    assert result.tried.smallest is not None
    return set(result.tried.smallest.pairs[0].pair.classes)


@pytest.fixture(autouse=True)
def unlimited_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shrink witnesses without a limit of time, so that the smallest pair does not depend on the load."""
    monkeypatch.setattr(smallest, "SECONDS", math.inf)


# Triage ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("function", "inputs", "sight", "key"),
    [
        (fails_on_nan, ANY, Sight.FAILURE, "nan"),
        (returns_none_for_nothing, UNIT, Sight.TYPE, "no_rows"),
        (returns_a_number_per_row, UNIT, Sight.ENTRIES, "ordinary"),
        (releases_nan, ANY, Sight.NOT_FINITE, "nan"),
        (returns_nothing_without_noise, UNIT, Sight.CONSTANT, "no_rows"),
        (moves_far, UNIT, Sight.FAR, "at_bounds"),
    ],
)
def test_triage__sees_what_needs_no_statistics(function: Call, inputs: str, sight: Sight, key: str) -> None:
    _, triaged = run_triage(function, inputs)
    seen = {entry.sight for entry in triaged.comparisons}
    assert sight in seen
    assert seen <= {sight, Sight.NOTHING, Sight.FAR, Sight.REFUSED}
    assert triaged.suspects()
    worst, comparison = triaged.rank_pairs()[0]
    assert comparison.sight is sight
    if key != "ordinary":
        assert key in worst.classes


@pytest.mark.parametrize("inputs", [UNIT, ANY, "integers:5"])
def test_triage__suspects_nothing_of_a_private_mechanism(inputs: str) -> None:
    _, triaged = run_triage(noisy_sum, inputs)
    assert {entry.sight for entry in triaged.comparisons} == {Sight.NOTHING}
    assert triaged.suspects() == []
    assert len(triaged.pairs) == PAIRS


def overflows(rows: list[float], rng: Rng) -> float:
    """Release infinity in place of more than 1."""
    noisy = noisy_sum(rows, rng)
    return noisy if noisy < 1 else math.inf


def test_triage__takes_infinities_that_noise_makes_for_noise() -> None:
    _, triaged = run_triage(overflows, "vector:2,low=0,high=1")
    assert Sight.NOT_FINITE not in {entry.sight for entry in triaged.comparisons}


def test_triage__ranks_pairs_by_how_far_one_row_moves_the_result() -> None:
    """The noise is the same on both sides, so that it does not hide which rows move the sum by 1."""
    _, triaged = run_triage(noisy_sum, UNIT)
    worst, _ = triaged.rank_pairs()[0]
    assert abs(sum(map(clamp, worst.left)) - sum(map(clamp, worst.right))) > 0.9


def test_triage__calls_every_distinct_input_once_and_suspicious_ones_again() -> None:
    called, triaged = run_triage(releases_nan, ANY)
    counts = {len(looks) for looks in called.looks}
    assert counts == {1, STREAMS}
    assert called.calls == sum(len(looks) for looks in called.looks)
    inputs = {repr(data) for pair in triaged.pairs for data in (pair.left, pair.right)}
    assert len(called.data) == len(inputs)


def test_triage__a_failure_of_both_sides_is_no_difference() -> None:
    def fail_with_the_data(rows: list[float], rng: Rng) -> float:
        if len(rows) > 3:
            raise ValueError(f"{len(rows)} rows")
        return noisy_sum(rows, rng)

    _, triaged = run_triage(fail_with_the_data, UNIT)
    seen = {
        (len(pair.left) > 3, len(pair.right) > 3): entry.sight
        for pair, entry in zip(triaged.pairs, triaged.comparisons, strict=True)
    }
    assert seen[True, True] is Sight.REFUSED
    assert seen[True, False] is seen[False, True] is Sight.FAILURE
    assert all(entry.sight is not Sight.REFUSED for _, entry in triaged.rank_pairs())


def test_triage__what_happens_on_both_sides_is_no_verdict() -> None:
    """Failures that do not depend on the data may look suspicious by chance; false-alarm probability 5 %."""

    def fail_at_random(rows: list[float], rng: Rng) -> float:
        value = noisy_sum(rows, rng)
        if np.random.default_rng().random() < 0.5:
            raise ValueError("unlucky")
        return value

    result = audit(fail_at_random, inputs=UNIT, epsilon=1, seed=1, calls=1_500)
    assert result.verdict is not Verdict.VIOLATION


def test_triage__a_mechanism_that_changes_its_input_is_refused() -> None:
    def sort_in_place(rows: list[float], rng: Rng) -> float:
        rows.sort()
        return noisy_sum(rows, rng)

    with pytest.raises(TargetError, match="leaves the described inputs as they are"):
        audit(sort_in_place, inputs=UNIT, epsilon=1, seed=1)


def test_triage__without_any_output_there_is_no_verdict() -> None:
    def fail(_rows: list[float], _rng: Rng) -> float:
        raise ValueError("never")

    with pytest.raises(TargetError, match="never"):
        audit(fail, inputs=UNIT, epsilon=1, seed=1)


# Tests ----------------------------------------------------------------------------------------------------


def with_pair_of(result: AuditResult) -> Pair:
    """Return the pair on which a claim is refuted."""
    (pair,) = [entry.pair for entry in result.pairs if entry.refuted]
    return pair


@pytest.mark.parametrize(
    ("function", "inputs", "keys"),
    [
        (fails_on_nan, ANY, {"nan"}),
        (returns_none_for_nothing, UNIT, {"one_row", "no_rows"}),
        (returns_a_number_per_row, UNIT, {"ordinary", "one_row", "no_rows", "at_bounds"}),
        (releases_nan, ANY, {"nan"}),
        (moves_far, UNIT, {"at_bounds"}),
    ],
)
def test_audit__a_difference_without_noise_is_confirmed_by_bets_and_shrunk(
    function: Call, inputs: str, keys: set[str]
) -> None:
    result = audit(function, inputs=inputs, epsilon=1, seed=1, calls=2_000)
    assert result.verdict is Verdict.VIOLATION
    (refuted,) = [entry for entry in result.pairs if entry.refuted]
    assert 20 <= refuted.calls <= 80
    assert result.calls - refuted.calls < FIRST_CALLS[0] + 100
    assert result.tried is not None
    # The first pair shows it, or else the first ones of the list.
    assert len(result.tried.pairs) == (1 if refuted is result.pairs[0] else FIRST_PAIRS)
    smallest = result.tried.smallest
    assert smallest is not None
    assert smallest.verdict is Verdict.VIOLATION
    assert smallest.seed != result.seed
    pair = smallest.pairs[0].pair
    assert len(pair.left) + len(pair.right) == 1
    assert set(pair.classes) <= keys
    assert result.tried.shrinking_calls > 0


def test_audit__half_of_the_noise_is_refuted_without_naming_a_pair() -> None:
    result = audit(twofold, inputs=UNIT, epsilon=1, seed=1)
    assert result.verdict is Verdict.VIOLATION
    assert result.tried is not None
    assert result.calls + result.tried.calls < 500
    # The first pair has most of the weight, so that its evidence is that of the verdict.
    assert [entry.refuted for entry in result.pairs] == [True]
    assert log_e_value(result) >= math.log(20)
    assert result.tried.classes_of(with_pair_of(result).name) == with_pair_of(result).classes


def test_audit__a_true_claim_is_consistent_on_hostile_neighbours() -> None:
    """False-alarm probability 5 %."""
    result = audit(noisy_sum, inputs=UNIT, epsilon=1, seed=1, calls=12_000, power=5)
    assert result.verdict is Verdict.CONSISTENT
    assert [entry.calls for entry in result.pairs] == [4_000] * SLOTS
    errors = [entry.error for entry in result.pairs]
    assert errors == pytest.approx([0.045, 0.0025, 0.0025])
    assert sum(errors) <= 0.05 + 1e-12
    assert result.tried is not None
    assert len(result.tried.pairs) > PAIRS
    assert result.tried.smallest is None
    assert {"no_rows", "at_bounds", "equal_rows", "odd_rows"} <= set(result.tried.classes)


@pytest.mark.parametrize("function", [twofold, noisy_sum])
def test_audit__tests_depend_on_triage_by_the_choice_of_pairs_only(function: Call) -> None:
    """The calls of a test have sides and streams that no call of triage has used."""
    result = audit(function, inputs=UNIT, epsilon=1, seed=7, calls=2_400)
    pairs = tuple(entry.pair for entry in result.pairs)
    plan = AuditPlan(epsilon_claim(1.0), 7, calls=2_400, shared_by=SLOTS)
    again = run_audit(Mechanism("function", function), pairs, plan, Calling())
    assert [entry.calls for entry in again.pairs] == [entry.calls for entry in result.pairs]
    assert [entry.bound for entry in again.pairs] == [entry.bound for entry in result.pairs]
    assert [entry.pair for entry in again.pairs] == [entry.pair for entry in result.pairs]


def test_audit__pairs_that_are_chosen_later_catch_up() -> None:
    recorded: list[int] = []
    audit(
        noisy_sum,
        inputs=UNIT,
        epsilon=1,
        seed=1,
        calls=3_000,
        recorder=lambda pair, outputs: recorded.extend([pair] * len(outputs)),
    )
    first = recorded.index(1)
    assert FIRST_CALLS[1] <= first < FIRST_CALLS[1] + 200
    assert recorded[first : first + 500].count(0) == 0


def test_audit__of_a_mistake_that_triage_does_not_see_the_search_finds_the_pair() -> None:
    def leaks_an_empty_input(rows: list[float], rng: Rng) -> int:
        return int(rng.random() < (0.9 if rows else 0.2))

    result = audit(leaks_an_empty_input, inputs=UNIT, epsilon=1, seed=3, calls=30_000)
    assert result.verdict is Verdict.VIOLATION
    assert "no_rows" in with_pair_of(result).classes


def test_audit__a_mistake_that_needs_two_classes_is_found_by_crossing_pairs() -> None:
    def mean_of_numbers(rows: list[float], rng: Rng) -> float:
        numbers = [min(max(row, 0.0), 100.0) for row in rows if not math.isnan(row)]
        return sum(numbers) / max(len(numbers), 1) + rng.laplace(scale=100 / 20)

    result = audit(mean_of_numbers, inputs="vector:20,size=20", epsilon=1, seed=1, calls=3_000)
    assert result.verdict is Verdict.VIOLATION
    assert "nan" in classes_of(result)
    assert max(sum(map(math.isnan, side)) for side in smallest_sides(result)) > 10


def test_cross_pairs__are_neighbours_as_described() -> None:
    plan = AuditPlan(epsilon_claim(1.0), 1)
    for inputs in (UNIT, ANY, "integers:5", "strings:6,categories=a|b", "rows:6,columns=2,size=6"):
        described = make_pairs(describe(inputs), None, plan)
        assert described.description is not None
        crossed = cross_pairs(described.description, described.pairs[:3], described.pairs, 8)
        assert crossed
        check_neighbours(crossed)
        assert len({repr((pair.left, pair.right)) for pair in crossed}) == len(crossed)
        assert all(described.description.contains(pair.left) for pair in crossed)
        assert all(described.description.contains(pair.right) for pair in crossed)


def test_audit__same_seed_same_result() -> None:
    results = [audit(releases_nan, inputs=ANY, epsilon=1, seed=5) for _ in range(2)]
    assert replace(results[0], seconds=0, tried=None) == replace(results[1], seconds=0, tried=None)
    first, second = (result.tried for result in results)
    assert first is not None
    assert second is not None
    assert repr(first.pairs) == repr(second.pairs)
    assert first.calls == second.calls


def test_audit__on_an_executor_gives_the_same_pairs_and_outputs() -> None:
    with ThreadPoolExecutor(2) as executor:
        result = audit(twofold, inputs=UNIT, epsilon=1, seed=1, executor=executor)
    alone = audit(twofold, inputs=UNIT, epsilon=1, seed=1)
    assert [entry.pair for entry in result.pairs] == [entry.pair for entry in alone.pairs]
    assert result.bound == alone.bound
    assert result.tried is not None
    assert alone.tried is not None
    assert result.tried.calls == alone.tried.calls


# Beyond the description -----------------------------------------------------------------------------------


def test_beyond__is_not_tried_without_being_asked_for() -> None:
    result = audit(releases_nan, inputs=UNIT, epsilon=1, seed=1, calls=900)
    assert result.verdict is not Verdict.VIOLATION
    assert result.tried is not None
    assert "nan" not in result.tried.classes
    assert not result.tried.beyond
    assert not result.tried.beyond_tests


def test_beyond__is_tested_and_never_changes_the_verdict() -> None:
    alone = audit(releases_nan, inputs=UNIT, epsilon=1, seed=1, calls=900)
    result = audit(releases_nan, inputs=UNIT, epsilon=1, seed=1, calls=900, beyond=True)
    assert replace(result, seconds=0, tried=None) == replace(alone, seconds=0, tried=None)
    assert result.tried is not None
    assert all(entry.pair.outside for entry in result.tried.beyond)
    refuted = [test for test in result.tried.beyond_tests if test.verdict is Verdict.VIOLATION]
    assert refuted
    assert {"nan", "null"} & {key for test in refuted for key in test.pairs[0].pair.classes}


def test_beyond__inputs_that_are_refused_are_no_finding() -> None:
    def refuse(rows: list[float], rng: Rng) -> float:
        if not all(0 <= row <= 1 for row in rows):
            raise ValueError("outside of [0, 1]")
        return noisy_sum(rows, rng)

    result = audit(refuse, inputs=UNIT, epsilon=1, seed=1, calls=900, beyond=True)
    assert result.verdict is not Verdict.VIOLATION
    assert result.tried is not None
    assert Sight.FAILURE in {entry.sight for entry in result.tried.beyond}


# Arguments ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({}, "expected a Pair, .* or inputs such as"),
        ({"inputs": UNIT, "pair": ([0.0], [])}, "no pair besides them"),
        ({"inputs": "vectr:10"}, "vector:10"),
        ({"inputs": UNIT, "relation": "swap"}, "relation"),
        ({"inputs": f"{UNIT},size=10", "relation": "add_remove"}, "exchange"),
        ({"pair": ([0.0], []), "relation": "exchange"}, "inputs with it"),
        ({"pair": ([0.0], []), "beyond": True}, "inputs with it"),
        ({"inputs": UNIT, "claim": replace(epsilon_claim(1.0), group=2), "epsilon": None}, "group"),
    ],
)
def test_arguments__are_refused_with_what_is_expected(arguments: dict[str, Any], error: str) -> None:
    given = {"epsilon": 1.0, **arguments}
    with pytest.raises((PreconditionError, UsageError), match=error):
        audit(noisy_sum, seed=1, **given)


def test_relation__of_a_fixed_number_of_rows_is_exchange() -> None:
    plan = AuditPlan(epsilon_claim(1.0), 1)
    assert {pair.relation for pair in make_pairs(describe(UNIT), None, plan).pairs} == {"add_remove"}
    fixed = make_pairs(describe(f"{UNIT},size=4"), None, plan).pairs
    assert {pair.relation for pair in fixed} == {"exchange"}
    assert {len(pair.left) for pair in fixed} == {4}


def test_constants__of_the_source_are_inputs() -> None:
    def branches(rows: list[int], rng: Rng) -> float:
        return 3.0 * sum(row == 8_128 for row in rows) + rng.laplace()

    result = audit(branches, inputs="integers:5,low=0,high=1000000", epsilon=1, seed=1)
    assert result.verdict is Verdict.VIOLATION
    assert classes_of(result) == {"source_constant"}
    assert 8_128 in [row for side in smallest_sides(result) for row in side]


def smallest_sides(result: AuditResult) -> Sequence[list[Any]]:
    """Return the inputs of the smallest pair of a violation."""
    assert result.tried is not None
    assert result.tried.smallest is not None
    pair = result.tried.smallest.pairs[0].pair
    return pair.left, pair.right
