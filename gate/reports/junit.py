"""The result of a run as JUnit XML: one suite per level, one case per case, keyed by label."""

from __future__ import annotations

from xml.etree import ElementTree as Xml

from privboost.gate.check import Level, Outcome, Status
from privboost.gate.result import GateResult
from privboost.printing import printable

from .tally import again, alarm_words, by_level
from .text import request_text


def to_junit(result: GateResult) -> bytes:
    """Return a result as JUnit XML; stale entries and an early end are failures."""
    root = Xml.Element("testsuites", name="privboost gate")
    for tally in by_level(result):
        outcomes = [outcome for outcome in result.outcomes if outcome.level is tally.level]
        if outcomes:
            _suite(root, result, tally.level, outcomes)
    others = [(f"known failure, line {stale.entry.line}", stale.reason) for stale in result.stale]
    others += [("end of the run", result.ended)] if result.ended else []
    others += [("privboost", message) for message in result.broken]
    if others:
        suite = Xml.SubElement(
            root, "testsuite", name="run", tests=str(len(others)), failures=str(len(others))
        )
        for name, message in others:
            case = Xml.SubElement(suite, "testcase", classname="gate.run", name=_plain(name))
            Xml.SubElement(case, "failure", message=_plain(message))
    Xml.indent(root)
    return bytes(Xml.tostring(root, encoding="utf-8", xml_declaration=True)) + b"\n"


def _suite(root: Xml.Element, result: GateResult, level: Level, outcomes: list[Outcome]) -> None:
    bad = [outcome for outcome in outcomes if outcome.is_bad and outcome.check not in result.xfailed]
    errors = sum(outcome.status is Status.ERROR for outcome in bad)
    counts = {
        "tests": len(outcomes),
        "failures": len(bad) - errors,
        "errors": errors,
        "skipped": sum(
            outcome.status is Status.SKIP or outcome.check in result.xfailed for outcome in outcomes
        ),
    }
    attributes = {"name": level.value} | {name: str(count) for name, count in counts.items()}
    suite = Xml.SubElement(root, "testsuite", attributes)
    properties = Xml.SubElement(suite, "properties")
    for name, value in (
        ("target", result.target),
        ("seed", str(result.seed)),
        ("alarm", alarm_words(result)),
    ):
        Xml.SubElement(properties, "property", name=name, value=_plain(value))
    for outcome in outcomes:
        _case(suite, result, outcome)


def _case(suite: Xml.Element, result: GateResult, outcome: Outcome) -> None:
    case = Xml.SubElement(
        suite,
        "testcase",
        classname=_plain(f"gate.{outcome.level.value}.{outcome.label}"),
        name=_plain(outcome.check),
    )
    properties = Xml.SubElement(case, "properties")
    Xml.SubElement(properties, "property", name="claim", value=_plain(outcome.label))
    if outcome.status is Status.SKIP:
        Xml.SubElement(case, "skipped", message=_plain(outcome.message))
    elif outcome.is_bad and outcome.check in result.xfailed:
        Xml.SubElement(case, "skipped", message=_plain(f"known failure: {outcome.message}"))
    elif outcome.is_bad:
        kind = "error" if outcome.status is Status.ERROR else "failure"
        node = Xml.SubElement(case, kind, message=_plain(outcome.message))
        node.text = _plain(
            f"asked {request_text(outcome)}\n{outcome.message}\nagain: {again(result, outcome)}"
        )


def _plain(string: str) -> str:
    return printable(string)
