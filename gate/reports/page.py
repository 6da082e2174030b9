"""The result of a run as a self-contained HTML page, and as a section of the full report."""

from __future__ import annotations

from privboost.gate.check import Outcome
from privboost.gate.result import GateResult
from privboost.pages import Html, Section, badge, code, element, join, page, table

from .diagnosis import diagnosis, examples
from .tally import (
    ADVICE,
    SIGNS,
    Tally,
    Verdict,
    by_label,
    by_level,
    false_alarm_sentence,
    headline,
    name_label,
    name_profile,
    name_variants,
    told_lines,
    verdict_of,
)
from .text import count_failures, facts, group_by_label, reasons_line, skipped_line

COLOURS = {Verdict.PASS: "good", Verdict.FAIL: "bad", Verdict.BROKEN: "bad"}
CODE = ("asked", "after", "again")
"""Facts of a failure that are shown as code."""
SHOWN = 8
"""Maximum number of failures of a label that a page shows."""


def gate_page(result: GateResult) -> str:
    """Return the whole page of a run."""
    introduction = element(
        "header",
        element("h1", _badge(verdict_of(result)), " ", code(result.plan.target)),
        element("p", _keep_units(headline(result)), "."),
        element("p", false_alarm_sentence(result), ".", class_="soft"),
        element("p", f"Profile {name_profile(result)}.", class_="soft"),
    )
    sections = [
        *([Section("failures", "What is wrong", _failures(result, SHOWN))] if _is_bad(result) else []),
        *([Section("missing", "What is missing", _missing(result))] if _is_partial(result) else []),
        *(
            [Section("told", "What is told, and no failure", _list_told(result))]
            if told_lines(result)
            else []
        ),
        Section("levels", "Levels", _levels(result)),
        Section("labels", "Labels", _labels(result)),
    ]
    return page(f"privboost gate, {name_profile(result)}: {result.plan.target}", introduction, sections)


def gate_section(result: GateResult) -> Section:
    """Return the section of a run in the full report."""
    return Section("gate", "Gate", gate_fragment(result))


def gate_fragment(result: GateResult) -> Html:
    """Return a run as an HTML fragment: verdict, failures, levels, labels."""
    parts = [
        element(
            "p",
            *(_badge(verdict_of(result)), " ", _keep_units(headline(result)), ". "),
            *(false_alarm_sentence(result), "."),
        ),
        *([_failures(result, 3)] if _is_bad(result) else []),
        *([_missing(result)] if _is_partial(result) else []),
        *([_list_told(result)] if told_lines(result) else []),
        _levels(result),
        _labels(result),
    ]
    return join(parts)


def _is_bad(result: GateResult) -> bool:
    return bool(result.failures or result.stale or result.ended or result.broken)


def _keep_units(sentence: str) -> str:
    """Return a sentence in which a line does not begin with a percent sign."""
    return sentence.replace(" %", "\N{NO-BREAK SPACE}%")


def _is_partial(result: GateResult) -> bool:
    return verdict_of(result) is Verdict.PARTIAL


def _missing(result: GateResult) -> Html:
    rows = [(code(name), "all of it") for name in result.missing]
    rows += [
        (code(name), element("span", *(part for variant in variants for part in (code(variant), " "))))
        for name, variants in name_variants(result.missing_variants).items()
    ]
    caption = "Required operations without an answer, and variants of the others."
    answers = table(caption, ("Operation", "Not answered"), rows, (30, 70), short=True)
    return join((answers, element("p", ADVICE)))


def _list_told(result: GateResult) -> Html:
    return element("ul", *(element("li", line) for line in told_lines(result)))


def _levels(result: GateResult) -> Html:
    rows = [(tally.level, _badge(tally.verdict), *_counts(tally)) for tally in by_level(result)]
    headers = ("Level", "Verdict", "Passed", "Failed", "Skipped")
    return table("Cases of each level of the protocol.", headers, rows, (24, 28, 16, 16, 16), short=True)


def _labels(result: GateResult) -> Html:
    rows = [
        (
            join((code(tally.label), f" {name_label(result, tally.label)}")),
            tally.level,
            _badge(tally.verdict),
            *_counts(tally),
        )
        for tally in by_label(result)
        if tally.judged
    ]
    headers = ("Label", "Level", "Verdict", "Passed", "Failed", "Skipped")
    counts = table("Cases of each label.", headers, rows, (28, 16, 20, 12, 12, 12), short=True)
    skips = filter(None, (skipped_line(result), reasons_line(result)))
    return join((counts, *(element("p", line, ".") for line in skips)))


def _counts(tally: Tally) -> tuple[str, str, str]:
    return f"{tally.passed:,}", f"{tally.failed + tally.known:,}", f"{tally.skipped:,}"


def _failures(result: GateResult, most: int) -> Html:
    parts: list[Html] = []
    for label, failures in group_by_label(result.failures):
        chosen = examples(failures, most)
        parts.append(
            element("h3", code(label), f", {name_label(result, label)}: {count_failures(failures, chosen)}")
        )
        parts += [element("p", line, ".") for line in diagnosis(result, label)]
        parts += [_failure(result, outcome) for outcome in chosen]
    others = [f"Known failures, line {each.entry.line}: {each.reason}." for each in result.stale]
    others += [f"Check that raised an error: {error}." for error in result.broken]
    others += [f"The run ended early: {result.ended}."] if result.ended else []
    return join((*parts, *(element("p", line) for line in others)))


def _failure(result: GateResult, outcome: Outcome) -> Html:
    items = [
        element("li", f"{name.capitalize()}: " if name else "", code(fact) if name in CODE else fact)
        for name, fact in facts(result, outcome)
    ]
    return join((element("p", element("b", code(outcome.check))), element("ul", *items)))


def _badge(verdict: Verdict) -> Html:
    return badge(COLOURS.get(verdict, "warn"), SIGNS[verdict], verdict)
