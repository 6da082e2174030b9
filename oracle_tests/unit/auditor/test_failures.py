"""Calls that raise, exit or hang are outputs, by side; and what a finding says when it is handed over."""

from __future__ import annotations

import json
import os
import resource
import time
from concurrent.futures import Executor
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from privboost.auditor import Mechanism, Pair, TargetError, Verdict, audit
from privboost.auditor.claims import epsilon_claim
from privboost.auditor.files import sentences
from privboost.auditor.files.events import format_sides
from privboost.auditor.files.page import audit_page
from privboost.auditor.files.replay import replay
from privboost.auditor.files.report import SCHEMA, lines, to_document
from privboost.auditor.files.witness import Recording, make_witness, parse_witness, witness_bytes
from privboost.auditor.numbers import format_bound
from privboost.auditor.result import AuditResult
from privboost.auditor.values.failures import FailureCounts, failure, failure_of_error, failure_string
from privboost.oracle_tests.support.json_schema import complaints
from privboost.workers.pool import worker_processes

PATIENT = 600.0
"""A timeout that only a call that never ends can meet."""


class OddError(BaseException):
    """An error that is no Exception."""


def raises_on_the_right(data: float, rng: np.random.Generator) -> float:
    """Raise an error in 40 % of the calls on the right input."""
    noise = rng.laplace(scale=10)
    if data and rng.random() < 0.4:
        raise OddError(f"no row for class {data}")
    return noise


def exits_on_the_right(data: float, rng: np.random.Generator) -> float:
    """End the process in most calls on the right input."""
    noise = rng.laplace(scale=10)
    if data and rng.random() < 0.9:
        os._exit(7)
    return noise


def fills_the_disk(data: float, rng: np.random.Generator) -> float:
    """Add noise; in the process of the call, no file can grow any more."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (300, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
    return data + rng.laplace()


def fills_the_disk_and_exits(data: float, rng: np.random.Generator) -> float:
    """Add noise; a call in two hundred ends the process."""
    if rng.random() < 0.005:
        os._exit(7)
    return fills_the_disk(data, rng)


def hangs_on_the_right(data: float, rng: np.random.Generator) -> float:
    """Never answer on the right input."""
    if data:
        time.sleep(100_000)
    return rng.laplace(scale=10)


# Outputs ----------------------------------------------------------


def test_failure__errors_on_one_side_are_a_violation_named_by_side() -> None:
    result = audit(raises_on_the_right, (0, 1), epsilon=1.0, calls=2_000, seed=1)
    assert result.verdict is Verdict.VIOLATION
    (failed,) = result.pairs[0].failures
    assert (failed.text, failed.left) == ("OddError: no row for class 1", 0)
    assert failed.right > 10
    shown = dict(lines(result))
    assert shown["  in words"].startswith("the call failed, in 0 of ")
    assert shown["  failed calls"] == f"OddError: no row for class 1 (left 0, right {failed.right} times)"
    assert "Failed calls: OddError: no row for class 1" in audit_page(result, {}, "")


def test_failure__without_failures_as_outputs_there_is_no_verdict() -> None:
    with pytest.raises(TargetError, match="expected an output for the pair 'given', got OddError: no row"):
        audit(raises_on_the_right, (0, 1), epsilon=1.0, calls=2_000, seed=1, keep_failures=False)


def test_failure__equally_often_on_both_sides_is_consistent() -> None:
    def mechanism(data: float, rng: np.random.Generator) -> float:
        if rng.random() < 0.3:
            raise ValueError("no luck")
        return data + rng.laplace()

    result = audit(mechanism, (0, 1), epsilon=1.0, calls=15_000, seed=1)
    assert result.verdict is Verdict.CONSISTENT
    (failed,) = result.pairs[0].failures
    assert min(failed.left, failed.right) > 300


@pytest.mark.parametrize("share", [1.0, 0.7])
def test_failure__of_most_calls_on_both_sides_is_never_consistent(share: float) -> None:
    def mechanism(data: float, rng: np.random.Generator) -> float:
        if rng.random() < share:
            raise ValueError("not fitted")
        return data + rng.laplace()

    if share == 1.0:
        with pytest.raises(TargetError, match="got ValueError: not fitted"):
            audit(mechanism, (0, 1), epsilon=1.0, calls=3_000, seed=1)
    else:
        result = audit(mechanism, (0, 1), epsilon=1.0, calls=3_000, seed=1)
        assert result.verdict is Verdict.INCONCLUSIVE
        assert "calls failed: ValueError: not fitted" in sentences.explain(result)


def test_failure__in_a_batch_gives_no_verdict() -> None:
    def batch(data: float, rng: np.random.Generator, count: int) -> Any:
        if data and rng.random() < 0.5:
            raise ValueError("no luck")
        return rng.laplace(size=count)

    mechanism = Mechanism("batch", lambda data, _: data, batch)
    with pytest.raises(TargetError, match="got ValueError: no luck"):
        audit(mechanism, (0, 1), epsilon=1.0, calls=2_000, seed=1)


def audited_in_processes(mechanism: Any, timeout: float, seed: int, calls: int = 2_000) -> AuditResult:
    """Return the result of an audit in a process that is replaced whenever it ends."""
    with ExitStack() as pools:

        def start() -> Executor:
            pools.close()
            return pools.enter_context(worker_processes(1, timeout))

        return audit(mechanism, (0, 1), epsilon=1.0, calls=calls, seed=seed, executor=start(), restart=start)


def test_failure__a_process_that_ends_is_an_output_and_no_other_call_is_lost() -> None:
    # Almost every second call needs a new process, also those after the violation.
    result = audited_in_processes(exits_on_the_right, PATIENT, 1, calls=100)
    assert result.verdict is Verdict.VIOLATION
    ends = [(failed.text, failed.left) for failed in result.pairs[0].failures]
    assert ends == [("its end with exit code 7", 0)]

    def without_exits(data: float, rng: np.random.Generator) -> Any:
        noise = rng.laplace(scale=10)
        ends = data and rng.random() < 0.9
        return failure("exited", "TargetEndedError", "its end with exit code 7") if ends else noise

    again = audit(without_exits, (0, 1), epsilon=1.0, calls=100, seed=1)
    assert again.pairs[0].curve == result.pairs[0].curve


def test_failure__a_call_that_hangs_is_an_output() -> None:
    # The first call is on the left side, the second on the right one.
    result = audited_in_processes(hangs_on_the_right, 5.0, seed=1, calls=2)
    (failed,) = result.pairs[0].failures
    assert failed.right == 1
    assert failed.text == "expected an answer within the timeout of 5 s, got a call that does not end"


def test_failure__a_full_disk_in_a_worker_costs_no_output() -> None:
    result = audited_in_processes(fills_the_disk, PATIENT, 1)
    again = audit(lambda data, rng: data + rng.laplace(), (0, 1), epsilon=1.0, calls=2_000, seed=1)
    assert result.pairs[0].curve == again.pairs[0].curve


def test_failure__after_a_full_disk_the_call_that_ended_is_not_guessed() -> None:
    result = audited_in_processes(fills_the_disk_and_exits, PATIENT, 1)
    assert "its end with exit code 7" in result.cut_short
    assert not result.pairs[0].failures


def test_failure__with_several_processes_there_is_no_verdict() -> None:
    with worker_processes(2, PATIENT) as pool:
        result = audit(exits_on_the_right, (0, 1), epsilon=1.0, calls=2_000, seed=1, executor=pool)
    assert result.verdict is Verdict.INCONCLUSIVE
    assert "its end with exit code 7" in result.cut_short


def test_failure__is_in_the_witness_and_replays() -> None:
    recording = Recording()
    result = audit(raises_on_the_right, (0, 1), epsilon=1.0, calls=500, seed=1, recorder=recording)
    witness = parse_witness(witness_bytes(make_witness("mine:f", result, recording)).decode())
    replayed = replay(witness, rerun=Mechanism("mine:f", raises_on_the_right))
    assert replayed.agrees, replayed.differences
    assert replayed.result.pairs[0].failures == result.pairs[0].failures


def test_failure__strings() -> None:
    assert failure_string(failure_of_error(ValueError("a\n b"))) == "ValueError: a b"
    assert failure_string(failure("hung", "x", "no answer")) == "no answer"
    for other in (1.0, {}, {"failed": "raised"}, {"failed": "odd", "error": "", "message": ""}):
        assert failure_string(other) is None


def test_failure__giving_up_needs_failures_on_both_sides() -> None:
    counts = FailureCounts()
    error = failure_of_error(ValueError("x"))
    counts.add([error] * 20, np.zeros(20, dtype=np.int64))
    assert not counts.is_hopeless()
    counts.add([error] * 8, np.ones(8, dtype=np.int64))
    assert counts.is_hopeless()
    counts.add([1.0], np.ones(1, dtype=np.int64))
    assert not counts.is_hopeless()
    assert counts.note.startswith("28 of 29 calls failed")


# Short runs --------------------------------------------------------


def test_short_run__is_inconclusive_and_says_how_many_calls_decide() -> None:
    """False alarms: none, since the seed is fixed."""

    def mechanism(data: float, rng: np.random.Generator) -> float:
        return data + rng.laplace()

    short = audit(mechanism, (0, 1), epsilon=1.0, calls=600, seed=1)
    assert short.verdict is Verdict.INCONCLUSIVE
    assert "and a verdict needs 2 times the claim, ε ≥ 2." in sentences.explain(short)
    assert short.required is not None
    assert short.required.calls is not None
    assert short.required.calls == short.required.calls_on_one_pair
    enough = audit(mechanism, (0, 1), epsilon=1.0, calls=short.required.calls, seed=2)
    assert enough.verdict is Verdict.CONSISTENT
    assert sentences.headline(enough).endswith(" would have been found")
    assert audit(mechanism, (0, 1), epsilon=1.0, calls=5000, seed=1, power=5).verdict is Verdict.CONSISTENT


# Findings ------------------------------------------------------------


@pytest.fixture(scope="module")
def violation() -> AuditResult:
    """Return a violation on one of two pairs."""

    def mechanism(data: float, rng: np.random.Generator) -> Any:
        noise = rng.laplace(scale=0.1)
        return {"one": data + noise, "other": 2 * data + noise, "word": "high" if data > 4 else "low"}

    pairs = [Pair("near", 0.0, 0.0, "add_remove"), Pair("far", 0.0, 5.0)]
    return audit(mechanism, pairs, epsilon=1.0, calls=400, seed=1)


def test_finding__e_value_is_the_mean_wealth_over_pairs(violation: AuditResult) -> None:
    wealths = [np.exp(entry.curve[-1].log_wealth) for entry in violation.pairs]
    assert np.exp(sentences.log_e_value(violation)) == pytest.approx(np.mean(wealths))
    assert np.mean(wealths) > 20
    assert "it would ever reach 20 with probability at most 5 %" in dict(lines(violation))["e-value"]
    never = replace(violation, pairs=tuple(replace(entry, curve=()) for entry in violation.pairs))
    assert sentences.log_e_value(never) == 0


@pytest.mark.parametrize(
    ("log", "shown"),
    [(0.0, "1"), (np.log(1234.5), "1,230"), (np.log(3.2e9), "3.2·10^9"), (-50.0, "1.93e-22")],
)
def test_finding__large_numbers(log: float, shown: str) -> None:
    assert sentences.large(log) == shown


def test_finding__bound_close_to_the_claim_is_not_rounded_to_it(violation: AuditResult) -> None:
    for bound, shown in ((1.0, "> 1"), (1.00025, "> 1.00025"), (1.0000002, "> 1"), (1.0012, "> 1.001")):
        assert format_bound(bound, 1.0) == shown
    close = replace(violation, claim=epsilon_claim(violation.bound - 1e-5))
    assert sentences.margin(close) == "the bound is just above the claim"


def test_finding__says_margin_relation_and_event_in_words(violation: AuditResult) -> None:
    shown = dict(lines(violation))
    assert shown["margin"].startswith(f"the bound is {violation.bound - 1:.4g} above the claim")
    assert "as_given: privboost has not checked that" in shown["  neighbours"]
    assert "calls on the left input (" in shown["  in words"]
    assert shown["  hint"] == (
        "output.one − output.other is the same on all calls of the right input, although both vary: they "
        "seem to share their noise"
    )
    stated = replace(violation, relation="exchange", promise="“ε-DP.”", left_out=("a: b",))
    shown = dict(lines(stated))
    assert shown["  neighbours"].endswith("the target states its claim for exchange")
    assert (shown["documentation"], shown["left out"]) == ("“ε-DP.”", "a: b")
    page = audit_page(stated, {}, "")
    for text in ("e-value against the claim", "Documentation.", "In words:", "Hint:", "were not tested"):
        assert text in page


def test_finding__strings_are_shown_as_strings() -> None:
    def mechanism(data: int, rng: np.random.Generator) -> str:
        return str(["yes", "no", "perhaps"][(data + int(rng.random() < 0.1)) % 3])

    result = audit(mechanism, (0, 1), epsilon=0.5, calls=300, seed=1)
    event = dict(lines(result))["  told apart by"]
    assert "text(output) is 'yes'" in event
    assert "text(output) is 'no'" in event
    fixed = result.pairs[0].fixed
    assert fixed is None or "'yes'" in format_sides(fixed.events)


def test_finding__rows_in_which_tables_differ() -> None:
    left = {"X": [[0.0, 1.0], [2.0, 3.0]], "y": [0, 1], "probes": []}
    right = {"X": [[0.0, 1.0]], "y": [0], "probes": []}
    assert sentences.difference(left, right) == "only left has [2.0, 3.0] with label 1 (row 2 of 2)"
    flipped = {**left, "y": [0, 0]}
    assert sentences.difference(left, flipped) == (
        "only left has [2.0, 3.0] with label 1 (row 2 of 2); "
        "only right has [2.0, 3.0] with label 0 (row 2 of 2)"
    )
    assert sentences.difference([1], [2]) == ""


def test_finding__confirmation_is_in_text_document_and_page(violation: AuditResult) -> None:
    again = replace(violation, pairs=violation.pairs[1:], seed=77, confidence=0.9999)
    confirmed = replace(violation, confirmation=again)
    text = dict(lines(confirmed))["confirmation"]
    assert text.startswith(
        "confirmed on fresh coins (seed 77), on the pair 'far' alone, at error probability 0.01 %"
    )
    unsure = replace(violation, confirmation=replace(again, verdict=Verdict.CONSISTENT))
    assert sentences.confirmation(unsure).startswith("NOT confirmed")
    assert "Confirmation." in audit_page(confirmed, {}, "")
    for result in (violation, confirmed):
        document = json.loads(json.dumps(to_document(result)))
        assert not complaints(json.loads(SCHEMA.read_text("utf-8")), document)
