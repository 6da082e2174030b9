"""The result of a run as JUnit XML: one suite per level, one case per case, keyed by label."""

from __future__ import annotations

from xml.etree import ElementTree as Xml

from .check import Level, Outcome, Status
from .report_tally import again, alarm_words, by_level
from .report_text import request_text
from .result import GateResult
from .wire import printable


def to_junit(result: GateResult) -> bytes:
    """Return a result as JUnit XML; stale entries and an early end are failures."""
    root = Xml.Element("testsuites", name="privboost gate")
    for tally in by_level(result):
        found = [outcome for outcome in result.outcomes if outcome.level is tally.level]
        if found:
            _suite(root, result, tally.level, found)
    others = [(f"known failure, line {stale.entry.line}", stale.reason) for stale in result.stale]
    others += [("end of the run", result.ended)] if result.ended else []
    others += [("privboost", text) for text in result.broken]
    if others:
        suite = Xml.SubElement(
            root, "testsuite", name="run", tests=str(len(others)), failures=str(len(others))
        )
        for name, text in others:
            case = Xml.SubElement(suite, "testcase", classname="gate.run", name=_plain(name))
            Xml.SubElement(case, "failure", message=_plain(text))
    Xml.indent(root)
    return bytes(Xml.tostring(root, encoding="utf-8", xml_declaration=True)) + b"\n"


def _suite(root: Xml.Element, result: GateResult, level: Level, outcomes: list[Outcome]) -> None:
    bad = [found for found in outcomes if found.is_bad and found.check not in result.xfailed]
    errors = sum(found.status is Status.ERROR for found in bad)
    counts = {
        "tests": len(outcomes),
        "failures": len(bad) - errors,
        "errors": errors,
        "skipped": sum(found.status is Status.SKIP or found.check in result.xfailed for found in outcomes),
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
    for found in outcomes:
        _case(suite, result, found)


def _case(suite: Xml.Element, result: GateResult, found: Outcome) -> None:
    case = Xml.SubElement(
        suite,
        "testcase",
        classname=_plain(f"gate.{found.level.value}.{found.label}"),
        name=_plain(found.check),
    )
    properties = Xml.SubElement(case, "properties")
    Xml.SubElement(properties, "property", name="claim", value=_plain(found.label))
    if found.status is Status.SKIP:
        Xml.SubElement(case, "skipped", message=_plain(found.message))
    elif found.is_bad and found.check in result.xfailed:
        Xml.SubElement(case, "skipped", message=_plain(f"known failure: {found.message}"))
    elif found.is_bad:
        kind = "error" if found.status is Status.ERROR else "failure"
        node = Xml.SubElement(case, kind, message=_plain(found.message))
        node.text = _plain(f"asked {request_text(found)}\n{found.message}\nagain: {again(result, found)}")


def _plain(text: str) -> str:
    return printable(text)
