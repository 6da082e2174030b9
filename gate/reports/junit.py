"""The result of a run as JUnit XML: one suite per level, one case per case, keyed by label."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree as Xml

from privboost.gate.check import Outcome, Status
from privboost.gate.result import GateResult
from privboost.printing import make_printable

from .tally import by_level, false_alarm_sentence, headline, name_label, name_profile
from .text import facts


def to_junit(result: GateResult) -> bytes:
    """Return a result as JUnit XML; stale entries and an early end are failures."""
    root = Xml.Element("testsuites", {"name": "privboost gate"} | _counts(result, result.outcomes))
    for tally in by_level(result):
        outcomes = [outcome for outcome in result.outcomes if outcome.level == tally.level]
        if outcomes:
            _suite(root, result, tally.level, outcomes)
    others = [(f"known failure, line {stale.entry.line}", stale.reason) for stale in result.stale]
    others += [("end of the run", str(result.ended))] if result.ended else []
    others += [("privboost", message) for message in result.broken]
    if others:
        count = len(others)
        for name in ("tests", "failures"):
            root.set(name, str(int(root.attrib[name]) + count))
        suite = Xml.SubElement(root, "testsuite", name="run", tests=str(count), failures=str(count))
        for name, message in others:
            case = Xml.SubElement(suite, "testcase", classname="gate.run", name=make_printable(name))
            Xml.SubElement(case, "failure", message=make_printable(message))
    Xml.indent(root)
    return bytes(Xml.tostring(root, encoding="utf-8", xml_declaration=True)) + b"\n"


def _counts(result: GateResult, outcomes: Sequence[Outcome]) -> dict[str, str]:
    """Return the totals of some outcomes as attributes."""
    bad = [outcome for outcome in outcomes if outcome.is_bad and outcome.check not in result.xfailed]
    errors = sum(outcome.status is Status.ERROR for outcome in bad)
    skipped = [each for each in outcomes if each.status is Status.SKIP or each.check in result.xfailed]
    counts = {
        "tests": len(outcomes),
        "failures": len(bad) - errors,
        "errors": errors,
        "skipped": len(skipped),
    }
    seconds = sum(outcome.seconds for outcome in outcomes)
    return {name: str(count) for name, count in counts.items()} | {"time": f"{seconds:.3f}"}


def _suite(root: Xml.Element, result: GateResult, level: str, outcomes: Sequence[Outcome]) -> None:
    suite = Xml.SubElement(root, "testsuite", {"name": level} | _counts(result, outcomes))
    properties = Xml.SubElement(suite, "properties")
    for name, value in (
        ("target", result.plan.target),
        ("profile", name_profile(result)),
        ("verdict", headline(result)),
        ("seed", str(result.plan.seed)),
        ("alarm", false_alarm_sentence(result)),
    ):
        Xml.SubElement(properties, "property", name=name, value=make_printable(value))
    for outcome in outcomes:
        _case(suite, result, outcome)


def _case(suite: Xml.Element, result: GateResult, outcome: Outcome) -> None:
    case = Xml.SubElement(
        suite,
        "testcase",
        classname=make_printable(f"gate.{outcome.level}.{outcome.label}"),
        name=make_printable(outcome.check),
        time=f"{outcome.seconds:.3f}",
    )
    properties = Xml.SubElement(case, "properties")
    for name, value in (("claim", outcome.label), ("about", name_label(result, outcome.label))):
        Xml.SubElement(properties, "property", name=name, value=make_printable(value))
    if outcome.status is Status.SKIP:
        Xml.SubElement(case, "skipped", message=make_printable(outcome.message))
    elif outcome.is_bad and outcome.check in result.xfailed:
        Xml.SubElement(case, "skipped", message=make_printable(f"known failure: {outcome.message}"))
    elif outcome.is_bad:
        kind = "error" if outcome.status is Status.ERROR else "failure"
        node = Xml.SubElement(case, kind, message=make_printable(outcome.message))
        node.text = make_printable("\n".join(f"{name:<8} {fact}" for name, fact in facts(result, outcome)))
