"""The result of a run as JUnit XML: one suite per level, one case per case, keyed by label."""

from __future__ import annotations

from xml.etree import ElementTree as Xml

from privboost.gate.check import Level, Outcome, Status
from privboost.gate.result import GateResult
from privboost.printing import printable

from .tally import by_level, false_alarm_sentence, reproduce_command
from .text import request_line


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
            case = Xml.SubElement(suite, "testcase", classname="gate.run", name=printable(name))
            Xml.SubElement(case, "failure", message=printable(message))
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
        ("alarm", false_alarm_sentence(result)),
    ):
        Xml.SubElement(properties, "property", name=name, value=printable(value))
    for outcome in outcomes:
        _case(suite, result, outcome)


def _case(suite: Xml.Element, result: GateResult, outcome: Outcome) -> None:
    case = Xml.SubElement(
        suite,
        "testcase",
        classname=printable(f"gate.{outcome.level.value}.{outcome.label}"),
        name=printable(outcome.check),
    )
    properties = Xml.SubElement(case, "properties")
    Xml.SubElement(properties, "property", name="claim", value=printable(outcome.label))
    if outcome.status is Status.SKIP:
        Xml.SubElement(case, "skipped", message=printable(outcome.message))
    elif outcome.is_bad and outcome.check in result.xfailed:
        Xml.SubElement(case, "skipped", message=printable(f"known failure: {outcome.message}"))
    elif outcome.is_bad:
        kind = "error" if outcome.status is Status.ERROR else "failure"
        node = Xml.SubElement(case, kind, message=printable(outcome.message))
        node.text = printable(
            f"asked {request_line(outcome)}\n{outcome.message}\nagain: {reproduce_command(result, outcome)}"
        )
