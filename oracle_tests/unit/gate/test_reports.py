"""Reports in every format, for any answers of a target; schemas of all messages."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree as Xml

import pytest

from privboost.gate.check import Outcome, Status
from privboost.gate.reports.badge import to_badge
from privboost.gate.reports.document import to_document, to_json_text
from privboost.gate.reports.junit import to_junit
from privboost.gate.reports.markdown import to_markdown
from privboost.gate.reports.page import gate_fragment, gate_page, gate_section
from privboost.gate.reports.tally import by_label, by_level, headline, name_announced
from privboost.gate.reports.text import summary
from privboost.gate.result import GateResult
from privboost.gate.run import run_gate
from privboost.gate.targets.in_process import PythonTarget
from privboost.gate.trees.levels import Level
from privboost.oracle_tests.support.gate_checks import PROFILE
from privboost.oracle_tests.support.gate_stand_ins import HELLO, KNOWN, Risk, Square, gate, schema
from privboost.oracle_tests.support.json_schema import complaints
from privboost.pages import Html

NASTY = "<b>&\x1b[2J\x00\ud800 | `x` ]]> \n## no"
"""A string that could break a terminal, a table, a page or a file."""


REPORTS: dict[str, Callable[[GateResult], str | bytes]] = {
    "text": summary,
    "json": to_json_text,
    "junit": to_junit,
    "markdown": to_markdown,
    "html": gate_page,
    "badge": to_badge,
}
RESULTS: dict[str, Callable[[], GateResult]] = {
    "pass": gate,
    "fail": lambda: gate(factor=2),
    "known": lambda: gate(factor=2, xfails=KNOWN),
    "stale": lambda: gate(xfails="nothing/*"),
    "no hello": lambda: gate(hello=None),
    "empty": lambda: gate(hello=HELLO | {"operations": []}),
    "nasty": lambda: gate(
        answers={"0": RuntimeError(NASTY), "1/2": ValueError(NASTY)}, hello=HELLO | {"name": NASTY}
    ),
}


@pytest.mark.parametrize("kind", RESULTS)
def test_report__as_json_conforms_to_its_schema(kind: str) -> None:
    document = json.loads(to_json_text(RESULTS[kind]()))
    assert complaints(schema("report"), document) == []


def test_report__schema_rejects_wrong_documents() -> None:
    document = to_document(gate())
    changes: list[dict[str, Any]] = [{"passed": "yes"}, {"false_alarm": 0.5}, {"levels": []}, {"more": 1}]
    for change in [*changes, {"verdict": "fine"}]:
        assert complaints(schema("report"), document | change)


@pytest.mark.parametrize("name", REPORTS)
@pytest.mark.parametrize("kind", RESULTS)
def test_report__is_valid_for_any_answers(name: str, kind: str) -> None:
    report = REPORTS[name](RESULTS[kind]())
    content = report.decode("utf-8") if isinstance(report, bytes) else report.encode("utf-8").decode("utf-8")
    assert not re.search("[\x00-\x08\x0b-\x1f\ud800]", content)
    if name in ("html", "badge"):
        assert "<b>&" not in content
    if name in ("junit", "badge"):
        Xml.fromstring(content)


def test_text__shows_request_message_and_command() -> None:
    report = summary(gate(factor=2))
    assert "✗ values      FAIL            1 of 3" in report
    assert "asked    bayes_risk" in report
    assert "found    expected 1, got 1/2: is the factor 4 missing?" in report
    assert "again    python -c 'import stand_in; print(stand_in.Square().answer(" in report
    assert report.endswith(
        "fails 4 of 6 cases, at the labels pbr, expSPLIT, 1 skipped; "
        "1 of 21 operations answered, 85 % of the cases asked."
    )


def test_text__shows_every_failing_level_and_operation_and_where_to_find_the_rest() -> None:
    ops = ("bayes_risk", "link", "surrogate", "perspective")
    checks = [Risk(f"values/{op}", points=("1/3", "1/4", "1/5", "1/7"), op=op) for op in ops]
    checks.append(Risk("refusal/risk", level=Level.REFUSAL, points=("1/9",)))

    class Wrong(Square):
        def answer(self, op: str, args: dict[str, Any]) -> Any:
            return 1 if op in ops else super().answer(op, args)

    implementation = Wrong(hello=HELLO | {"operations": list(ops)})
    result = run_gate(PythonTarget("x:y", implementation), checks=checks)
    for report in (summary(result), to_markdown(result)):
        assert "17 failures, " in report
        assert "the JSON report has all" in report.replace("\\", "")
        assert all(f"values/{op}/u=" in report for op in ops)
        assert "refusal/risk/u=1/9" in report
    assert summary(result).count("    asked    ") == 5


def test_text__says_that_a_request_was_made_smaller() -> None:
    result = gate(factor=2)
    for report in (summary(result), to_markdown(result), gate_page(result)):
        assert "made smaller from bayes_risk" in report
        assert "13/77" in report
    outcomes = to_document(result)["outcomes"]
    assert {"op": "bayes_risk", "args": {"u": "13/77"}} in [
        outcome.get("made_smaller_from") for outcome in outcomes
    ]


def test_text__says_why_cases_were_skipped() -> None:
    assert "Cases skipped because: no link (1)" in summary(gate())


def test_text__has_no_bare_names_of_flags() -> None:
    assert "factor-4" not in summary(gate(factor=2)) + to_markdown(gate(factor=2)) + gate_page(gate(factor=2))


def test_page__says_what_is_wrong_before_the_tables() -> None:
    page = gate_page(gate(factor=2))
    places = [page.index(f'id="{name}"') for name in ("failures", "levels", "labels")]
    assert places == sorted(places)


def test_headline__counts_known_failures_apart() -> None:
    assert headline(gate(factor=2, xfails=KNOWN)) == (
        "CONFORMING: stand_in:Square (stand-in 1) passes 2 of 6 cases, but for 4 known failures, 1 skipped; "
        "1 of 21 operations answered, 85 % of the cases asked"
    )
    assert headline(gate(factor=2, xfails="mechanisms/*")) == (
        "NOT CONFORMING: stand_in:Square (stand-in 1) fails 3 of 6 cases, at the label pbr, "
        "besides 1 known failure, 1 skipped; 1 of 21 operations answered, 85 % of the cases asked"
    )


def test_junit__counts_are_those_of_the_run() -> None:
    root = Xml.fromstring(to_junit(gate(factor=2, xfails="mechanisms/*")))
    counts = {
        suite.get("name"): (suite.get("tests"), suite.get("failures"), suite.get("skipped")) for suite in root
    }
    totals = [sum(int(suite.get(name, "0")) for suite in root) for name in ("tests", "failures", "skipped")]
    assert [root.get(name) for name in ("tests", "failures", "skipped")] == [str(total) for total in totals]
    assert all(float(node.attrib["time"]) >= 0 for node in [root, *root.iter("testcase")])
    assert counts["values"] == ("4", "2", "1")
    assert counts["mechanisms"] == ("1", "0", "1")
    assert {node.get("classname") for node in root.iter("testcase")} >= {"gate.values.pbr"}


def test_tally__levels_and_labels_agree() -> None:
    result = gate(factor=2)
    assert [tally.level for tally in by_level(result)] == list(Level)
    assert sum(t.judged + t.skipped for t in by_label(result)) == len(result.outcomes)


def test_html__has_a_section_for_the_report() -> None:
    result = gate(factor=2)
    assert isinstance(gate_fragment(result), Html)
    assert gate_section(result).anchor == "gate"
    assert "is the factor 4 missing?" in gate_page(result)
    assert "http" not in gate_page(result).replace("http-equiv", "")


@pytest.mark.parametrize(
    ("kind", "message"), [("pass", "passing"), ("fail", "failing: pbr"), ("known", "4 known")]
)
def test_badge__shows_the_verdict(kind: str, message: str) -> None:
    assert message in to_badge(RESULTS[kind]())


def test_badge__names_the_target_as_it_announces_itself() -> None:
    result = gate(factor=2)
    badge = to_badge(replace(result, plan=replace(result.plan, target="cmd:/home/me/port")))
    assert name_announced(result) in badge
    assert "/home/me" not in badge


# messages


def test_schema__of_requests_and_answers_are_those_of_the_wire() -> None:
    unknown = {"id": 7, "op": "no_such_operation", "args": {"u": [None]}}
    answers: list[Any] = [{"id": 1, "result": None}, {"id": 2, "unsupported": "no"}, {"id": 3, "error": "x"}]
    assert complaints(schema("request"), unknown) == []
    assert [complaint for each in answers for complaint in complaints(schema("answer"), each)] == []
    assert complaints(schema("hello"), HELLO) == []
    for wrong in ({"id": 1}, {"result": 1}, {"id": 1, "result": 1, "error": "x"}, {"id": 1, "error": 3}):
        assert complaints(schema("answer"), wrong)
    assert complaints(schema("hello"), HELLO | {"operations": ["bayes-risk"]})


def test_schema__vectors_conform() -> None:
    rules = schema("vectors")
    folder = PROFILE.folder("vectors")
    documents = {path.name: json.loads(path.read_text("utf-8")) for path in folder.iterdir()}
    assert documents
    assert {name: complaints(rules, document) for name, document in documents.items()} == {
        name: [] for name in documents
    }
    first = next(iter(documents.values()))
    assert complaints(rules, first | {"cases": [first["cases"][0] | {"refused": True, "value": "1"}]})


# Coverage ----------------------------------------------------------------------------------------------


def test_coverage__a_refusal_alone_is_no_answer() -> None:
    result = gate()
    refusals = tuple(replace(each, level="refusal") for each in result.outcomes)
    assert result.coverage.answered == {"bayes_risk"}
    assert not replace(result, outcomes=refusals).coverage.answered


@pytest.mark.parametrize(
    ("required", "core", "verdict", "colour"),
    [
        ((), (), "pass", "#2e7d32"),
        ((), ("train",), "pass", "#35618e"),
        (("bayes_risk",), ("bayes_risk",), "pass", "#2e7d32"),
        (("train", "predict"), ("train",), "partial", "#35618e"),
    ],
)
def test_coverage__badge_is_green_only_if_the_core_was_answered(
    required: tuple[str, ...], core: tuple[str, ...], verdict: str, colour: str
) -> None:
    result = gate()
    profile = replace(result.plan.profile, core=frozenset(core))
    result = replace(result, required=frozenset(required), plan=replace(result.plan, profile=profile))
    document = to_document(result)
    assert (document["verdict"], result.passed) == (verdict, verdict == "pass")
    assert document["coverage"] == {
        "answered": ["bayes_risk"],
        "operations": len(profile.operations),
        "missing": list(required) if verdict == "partial" else [],
        "missing_variants": [],
        "left_out": [],
    }
    assert f'fill="{colour}"' in to_badge(result)
    for name, report in REPORTS.items():
        content = report(result)
        text = content.decode() if isinstance(content, bytes) else content
        spaced = text.replace("\N{NO-BREAK SPACE}", " ")
        assert "1 of 21 operations answered, 85 % of the cases asked" in spaced, name


def test_text__wrong_values_come_before_missing_refusals() -> None:
    outcomes = [
        Outcome(f"{level}/{op}", "pbr", level, Status.FAIL, "wrong", {"op": op, "args": {}})
        for level in (Level.REFUSAL, Level.VALUES)
        for op in ("link", "bayes_risk")
    ]
    text = summary(replace(gate(), outcomes=tuple(outcomes)))
    assert "pbr, partial losses and Bayes risk: 4 failures" in text
    assert text.index("link is wrong in the only case") < text.index("link does not refuse")
    assert text.rindex("  values/") < text.index("  refusal/")
