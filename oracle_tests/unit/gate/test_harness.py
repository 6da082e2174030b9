"""The harness of the gate: selection of checks, known failures, shrinking of requests."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from typing import Any

import pytest

from privboost.errors import HarnessError, UsageError
from privboost.gate.check import Check, Outcome, Status
from privboost.gate.checks.wire import wire_checks
from privboost.gate.known_failures import parse_xfails
from privboost.gate.plan import GatePlan
from privboost.gate.protocol.hello import read_hello
from privboost.gate.protocol.wire import WireError
from privboost.gate.reports.document import to_document, to_json_text
from privboost.gate.reports.tally import Verdict, headline, verdict_of
from privboost.gate.reports.text import summary
from privboost.gate.result import GateResult
from privboost.gate.run import Interrupted, every_check, run_gate, select_checks
from privboost.gate.shrink import shrink, simpler_requests
from privboost.gate.targets.in_process import PythonTarget
from privboost.gate.targets.target import Announced
from privboost.gate.trees.levels import Level
from privboost.gate.trees.operations.operations import OPERATIONS
from privboost.oracle_tests.support.checkout import ROOT
from privboost.oracle_tests.support.gate_checks import PROFILE
from privboost.oracle_tests.support.gate_stand_ins import (
    HELLO,
    KNOWN,
    Risk,
    Square,
    gate,
    schema,
    stand_ins,
    target_of,
)
from privboost.oracle_tests.support.json_schema import complaints
from privboost.targets.conversation import Fault, FaultKind


def ids(result: GateResult, status: Status) -> list[str]:
    return [outcome.check for outcome in result.outcomes if outcome.status is status]


class Endless(Square):
    """An implementation that answers hello and then hangs."""

    def answer(self, op: str, args: dict[str, Any]) -> Any:
        """Answer `hello`; hang otherwise."""
        while op != "hello":
            pass
        return super().answer(op, args)


# runs


def test_run__right_target_passes() -> None:
    result = gate()
    assert result.passed
    assert ids(result, Status.SKIP) == ["values/link/u=1/3"]
    assert [outcome.level for outcome in result.outcomes] == sorted(
        (outcome.level for outcome in result.outcomes), key=PROFILE.levels.index
    )


def test_run__wrong_target_fails_at_the_label_and_is_shrunk() -> None:
    result = gate(factor=2)
    (failure, *_) = result.failures
    assert not result.passed
    assert {outcome.label for outcome in result.failures} == {"pbr", "expSPLIT"}
    assert failure.check == "values/risk/u=13/77"
    assert failure.request == {"op": "bayes_risk", "args": {"u": "1/2"}}
    assert failure.message == "expected 1, got 1/2: is the factor 4 missing?"


@pytest.mark.parametrize(
    ("answers", "status", "message"),
    [
        ({"0": ZeroDivisionError("oops")}, Status.ERROR, "crash: ZeroDivisionError: oops"),
        ({"0": ValueError("no zero")}, Status.FAIL, "a refusal: 'no zero'"),
        ({"0": "nan"}, Status.FAIL, "finite number"),
        ({"0": [1]}, Status.FAIL, "expected a number"),
        ({"0": None}, Status.FAIL, "expected a number"),
    ],
)
def test_run__bad_answer_is_in_the_result(answers: dict[str, Any], status: Status, message: str) -> None:
    result = gate([Risk(points=("0",))], answers=answers)
    assert [outcome.status for outcome in result.outcomes if outcome.level is Level.VALUES] == [status]
    assert message in result.failures[0].message
    assert result.broken == ()


def test_run__check_that_raises_an_error_is_reported_as_broken() -> None:
    class Broken(Risk):
        def run(self, *_: Any) -> Any:
            raise KeyError("forgotten")

    result = gate([Broken("values/broken"), Risk()])
    assert result.broken == ("values/broken: KeyError: 'forgotten'",)
    assert not result.passed
    assert verdict_of(result) is Verdict.BROKEN
    assert len(result.outcomes) == 4


def test_run__unlisted_operation_is_not_requested() -> None:
    implementation = Square()
    run_gate(PythonTarget("x:y", implementation), checks=stand_ins())
    assert "link" in {op for op, _ in implementation.asked}
    implementation = Square(hello=HELLO | {"operations": ["bayes_risk"]})
    result = run_gate(PythonTarget("x:y", implementation), checks=stand_ins())
    assert "link" not in {op for op, _ in implementation.asked}
    assert ids(result, Status.SKIP) == ["values/link/u=1/3"]


def test_run__limits_of_the_target_are_kept() -> None:
    said = HELLO | {"operations": list(OPERATIONS), "limits": {"m": 3, "count": 10}}
    hello = read_hello(said, OPERATIONS, PROFILE.limits)
    target = Announced(target_of(), hello, OPERATIONS, PROFILE.limits)
    requests: list[tuple[str, dict[str, Any]]] = [
        ("train", {"rows": [{}] * 4}),
        ("train", {"rows": [{}] * 3}),
        ("sensitivity", {"m": "4"}),
        ("sensitivity", {"m": str(10**20)}),
        ("sample_laplace", {"count": 11}),
        ("bayes_risk", {"u": "1/2"}),
    ]
    results = [answer.unsupported or answer.result for answer in target.ask_many(requests)]
    assert results == [
        "hello limits m to 3",
        "no train",
        "hello limits m to 3",
        "hello limits m to 3",
        "hello limits count to 10",
        "1",
    ]


@pytest.mark.parametrize(
    "hello",
    [
        *(None, [], "hello", {}, {"name": "x"}, HELLO | {"protocol": 2}, HELLO | {"protocol": True}),
        *(
            HELLO | {"operations": "link"},
            HELLO | {"operations": [1]},
            HELLO | {"operations": ["bayes-risk"]},
        ),
        *(HELLO | {"limits": {"m": 0}}, HELLO | {"limits": []}, HELLO | {"name": 3}),
    ],
)
def test_hello__invalid_one_fails_and_only_listed_operations_are_requested(hello: Any) -> None:
    with pytest.raises(WireError):
        read_hello(hello, OPERATIONS, PROFILE.limits)
    implementation = Square(hello=hello)
    result = run_gate(PythonTarget("x:y", implementation), checks=stand_ins())
    assert [outcome.check for outcome in result.failures] == ["wire/hello"]
    listed = hello.get("operations") if isinstance(hello, dict) else None
    requested = {"hello"} | ({"bayes_risk", "link"} if listed == HELLO["operations"] else set())
    assert {op for op, _ in implementation.asked} == requested
    understood = isinstance(listed, list) and all(isinstance(name, str) for name in listed)
    reason = None if understood else "hello lists no operations, and only listed operations are requested"
    assert result.ended == reason
    assert to_json_text(result)


def test_run__without_supported_operations_has_no_verdict() -> None:
    result = gate(hello=HELLO | {"operations": []})
    assert result.is_empty
    assert not result.passed
    assert headline(result).startswith("NO VERDICT")


def test_run__ends_early_when_the_target_is_given_up() -> None:
    target = target_of()
    target.ended = Fault(FaultKind.GIVEN_UP, "after 3 hangs")
    result = run_gate(target, checks=stand_ins())
    assert (str(result.ended), result.not_run, result.passed) == ("given up after 3 hangs", 4, False)
    assert "ended early, 4 checks not run" in headline(result)


def test_run__ends_at_once_when_there_is_no_hello() -> None:
    result = gate(hello=object())
    assert (result.ended, result.not_run) == ("the target did not answer hello", 4)
    assert [outcome.check for outcome in result.failures] == ["wire/hello"]


def test_run__interrupt_keeps_the_results_so_far() -> None:
    checks = [Risk(), Risk("values/stop", points=("1/3",)), Risk("values/last")]
    with pytest.raises(Interrupted) as stopped:
        gate(checks, answers={"1/3": KeyboardInterrupt()}, factor=2)
    result = stopped.value.result
    assert verdict_of(result) is Verdict.INTERRUPTED
    assert (result.passed, result.not_run) == (False, 2)
    assert headline(result).startswith("INTERRUPTED: stand_in:Square (stand-in 1) fails 2 of 4 cases")
    assert complaints(schema("report"), to_document(result)) == []


def test_run__unsent_requests_are_not_failures() -> None:
    target = PythonTarget("x:y", Endless(), seconds=0.02)
    link = Risk("values/link", points=tuple("123456"), op="link")
    result = run_gate(target, checks=[Risk(points=tuple("123")), link, Risk("values/other")])
    assert [outcome.message for outcome in result.failures] == [
        "expected an answer, got hang: no answer within 0.02 s"
    ] * 6
    reason = "given up after 3 hangs of each of the operations bayes_risk and link"
    assert (str(result.ended), result.not_run) == (reason, 1)


def test_run__is_the_same_every_time() -> None:
    assert to_json_text(gate(factor=3)) == to_json_text(gate(factor=3))


@pytest.mark.parametrize("kind", ["unsupported", "error", "result", "crash"])
def test_wire_checks__require_unsupported_for_unknown_operations(kind: str) -> None:
    class Odd(Square):
        def answer(self, op: str, args: dict[str, Any]) -> Any:
            if op in ("hello", *OPERATIONS) or kind == "unsupported":
                return super().answer(op, args)
            if kind == "error":
                raise ValueError(op)
            return 1 if kind == "result" else 1 // 0

    result = run_gate(PythonTarget("x:y", Odd()), [Level.WIRE], checks=wire_checks())
    assert result.passed is (kind == "unsupported")
    assert len(result.outcomes) == 5


# selection of checks


def choose(levels: tuple[str, ...], only: tuple[str, ...], checks: list[Risk] | None = None) -> list[str]:
    """Return the ids of the stand-in checks of some levels and labels."""
    plan = GatePlan("x:y", PROFILE, levels, only)
    return [check.id for check in select_checks(plan, checks or stand_ins())]


def test_select__levels_and_labels() -> None:
    assert choose((Level.VALUES, Level.REFUSAL), ("pbr",)) == ["values/risk", "refusal/risk"]


@pytest.mark.parametrize(
    ("levels", "only", "message"),
    [
        ((), ("pbx",), r"only: expected a label \(expSPLIT, f-alphaM, pbr\), got 'pbx'"),
        (("value",), (), r"level: expected a level \(wire, values, .*\), got 'value'"),
        ((Level.PRIVACY,), ("pbr",), "a label with checks in the chosen levels"),
    ],
)
def test_select__choice_without_checks_is_refused(
    levels: tuple[str, ...], only: tuple[str, ...], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        choose(levels, only)


def test_select__two_checks_with_one_id_are_refused() -> None:
    with pytest.raises(HarnessError, match="values/risk"):
        choose((), (), [Risk(), Risk()])


def test_select__groups_that_have_no_chosen_check_are_not_made() -> None:
    def fail() -> list[Check]:
        raise AssertionError

    groups = [
        replace(group, make=fail) if group.labels.isdisjoint({"f-alphaM"}) else group
        for group in PROFILE.groups
    ]
    plan = GatePlan("x:y", replace(PROFILE, groups=tuple(groups)), only=("f-alphaM",))
    every = select_checks(GatePlan("x:y", PROFILE, only=("f-alphaM",)), every_check(PROFILE))
    assert [check.id for check in select_checks(plan)] == [check.id for check in every]


def test_profile__groups_have_the_labels_and_levels_of_their_checks() -> None:
    for group in PROFILE.groups:
        checks = list(group.make())
        assert {check.label for check in checks} == group.labels
        assert {check.level for check in checks} == group.levels


def test_false_alarm__is_added_up_over_the_checks_that_judged_something() -> None:
    checks = [Risk(f"values/{index}", false_alarm=2e-7) for index in range(4)]
    checks.append(Risk("values/link", op="link", false_alarm=2e-7))
    result = gate(checks)
    assert result.false_alarm == pytest.approx(8e-7)
    assert result.statistical == 4
    assert "8.0e-07" in summary(result)


def test_false_alarm__more_than_a_millionth_is_refused() -> None:
    checks = [Risk(f"values/{index}", false_alarm=2e-7) for index in range(6)]
    with pytest.raises(HarnessError, match=r"1\.2e-06"):
        gate(checks)


# known failures


def test_xfails__known_failures_do_not_fail_the_run() -> None:
    result = gate(factor=2, xfails=KNOWN)
    assert result.passed
    assert verdict_of(result) is Verdict.KNOWN
    assert len(result.xfailed) == 4


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("values/rysk", "matches no check"),
        ("mechanisms/[x]", "matches no check"),
        ("values/link*", "no matching case fails: 0 pass, 1 skipped"),
        ("values/risk/u=0", "no matching case fails: 1 pass, 0 skipped"),
    ],
)
def test_xfails__stale_entry_is_a_failure(line: str, reason: str) -> None:
    result = gate(factor=2, xfails=f"{KNOWN}{line}")
    assert not result.passed
    assert [(stale.entry.line, stale.entry.pattern) for stale in result.stale] == [(5, line)]
    assert result.stale[0].reason.startswith(reason)
    assert line in summary(result)


def test_xfails__entry_of_a_check_that_was_not_run_is_not_stale() -> None:
    entries = parse_xfails("mechanisms/risk/*\nvalues/risk/*")
    result = run_gate(target_of(factor=2), [Level.VALUES], checks=stand_ins(), xfails=entries)
    assert result.passed


@pytest.mark.parametrize("pattern", ["values/nosuch/*", "values/risk/u=7", "values/*/nosuch", "values/lin/*"])
def test_xfails__entry_that_no_check_can_match_is_stale_in_a_partial_run(pattern: str) -> None:
    result = run_gate(target_of(), [Level.VALUES], ["pbr"], checks=stand_ins(), xfails=parse_xfails(pattern))
    asked_later = pattern == "values/*/nosuch"
    assert [stale.entry.pattern for stale in result.stale] == ([] if asked_later else [pattern])


def test_xfails__ids_of_cases_begin_with_those_of_their_checks() -> None:
    checks = [check for check in every_check(PROFILE) if hasattr(check, "vectors")]
    assert checks
    for check in checks:
        assert all(vector.case.id.startswith(f"{check.id}/") for vector in check.vectors)


@pytest.mark.parametrize("pattern", ["*", "**", "[a-z]*", "?alues/*"])
def test_xfails__pattern_for_all_levels_is_refused(pattern: str) -> None:
    with pytest.raises(UsageError, match="line 2: expected an id, or a pattern that begins with a level"):
        parse_xfails(f"values/link/*\n{pattern}")


def test_xfails__report_says_how_many_failures_a_pattern_hides() -> None:
    result = gate(factor=2, xfails="values/*\nmechanisms/*")
    (_, count), *_ = result.hidden
    assert count == sum(check.startswith("values/") for check in result.xfailed) > 1
    assert f"line 1: 'values/*' hides {count} failures" in summary(result)


def test_xfails__comment_above_or_behind_entries_is_their_note() -> None:
    entries = parse_xfails(
        "# since 1.2,\n# issue 7\nvalues/a\nvalues/b\n\nvalues/c # ours\n# issue 8\nvalues/d # not ours"
    )
    assert [entry.note for entry in entries] == ["since 1.2, issue 7"] * 2 + ["ours", "issue 8"]


def test_xfails__json_repeats_the_note_of_a_known_failure() -> None:
    document = to_document(gate(factor=2, xfails="# issue 7\nvalues/*\nmechanisms/*"))
    notes = {outcome.get("known_note") for outcome in document["outcomes"] if outcome.get("known")}
    assert notes == {"issue 7"}
    assert {each["operation"]: each["known"] for each in document["operations"]}["bayes_risk"] > 0


def test_xfails__id_with_brackets_means_itself() -> None:
    (entry,) = parse_xfails("values/list[0]")
    assert entry.matches("values/list[0]")
    assert not entry.matches("values/other")


# shrinking


def test_shrink__finds_the_simplest_failing_request() -> None:
    def judge(request: dict[str, Any]) -> Outcome | None:
        rows = request["args"]["rows"]
        bad = any(len(row["w"]) > 2 and row["y"] == "-1" for row in rows)
        return Outcome("x", "l", Level.VALUES, Status.FAIL if bad else Status.PASS, "small", request)

    rows = [{"w": f"{n}/7", "y": "-1" if n == 11 else "1"} for n in range(1, 30)]
    start = Outcome("id", "l", Level.VALUES, Status.FAIL, "big", {"op": "o", "args": {"rows": rows}})
    small = shrink(start, judge)
    assert small.request == {"op": "o", "args": {"rows": [{"w": "1/2", "y": "-1"}]}}
    assert (small.check, small.message) == ("id", "small")


def test_shrink__respects_the_number_of_attempts() -> None:
    asked: list[Any] = []

    def judge(request: dict[str, Any]) -> Outcome:
        asked.append(request)
        return Outcome("x", "l", Level.VALUES, Status.PASS)

    start = Outcome("id", "l", Level.VALUES, Status.FAIL, "", {"op": "o", "args": {"a": ["1234567/89"] * 99}})
    assert shrink(start, judge, attempts=20) == start
    assert len(asked) == 20


def test_shrink__proposes_only_simpler_requests() -> None:
    request = {"op": "o", "args": {"u": "-22/7", "rule": "printed", "m": "100", "n": 3}}
    proposed = [simple["args"] for simple in simpler_requests(request)]
    numbers = [args["u"] for args in proposed if args["m"] == "100"]
    assert numbers == ["-1/2", "-1/4", "-3/4", "-13/4", "-16/5"]
    assert [args["m"] for args in proposed if args["u"] == "-22/7"] == ["1", "2", "10"]
    assert all(args["rule"] == "printed" and args["n"] == 3 for args in proposed)


# the core and its profiles


def test_core__imports_no_profile() -> None:
    """The modules of the core name no module of a profile, and a run loads one only through the registry."""
    core = [path for path in (ROOT / "gate").rglob("*.py") if "trees" not in path.parts]
    assert len(core) > 25
    named = [str(path) for path in core if re.search(r"^\s*(from|import) \S*trees", path.read_text(), re.M)]
    assert named == []
    program = "import sys, privboost.gate.kill_matrix; print(*(n for n in sys.modules if '.trees' in n))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert [name for name in done.stdout.split() if name.startswith("privboost.gate")] == []
