"""The result of a run as a page that loads nothing, and as a section of the report of everything."""

from __future__ import annotations

from privboost import __version__
from privboost.report_html import Html, Section, code, element, joined, page, table, to_html

from .check import Outcome
from .report_diagnosis import diagnosis, plainest_first
from .report_tally import SIGNS, Tally, Verdict, again, alarm_words, by_label, by_level, headline, verdict_of
from .report_text import grouped, request_text
from .run import GateResult

COLOURS = {Verdict.PASS: "good", Verdict.FAIL: "bad", Verdict.BROKEN: "bad"}
SHOWN = 8
"""Failures of a label that a page shows."""


def gate_page(result: GateResult) -> str:
    """Return the whole page of a run."""
    introduction = element(
        "header",
        element("h1", _badge(verdict_of(result)), " ", code(result.target)),
        element("p", headline(result), "."),
        element("p", alarm_words(result), ".", class_="soft"),
    )
    sections = [
        Section("levels", "Levels", _levels(result)),
        *([Section("failures", "What is wrong", _failures(result, SHOWN))] if _is_bad(result) else []),
        Section("labels", "Labels", _labels(result)),
    ]
    footer = f"Written by privboost {__version__}. This page is complete in itself and loads nothing."
    return page(f"privboost gate: {result.target}", introduction, sections, to_html(footer))


def gate_section(result: GateResult) -> Section:
    """Return the section of a run in the report of everything."""
    return Section("gate", "Gate", gate_fragment(result))


def gate_fragment(result: GateResult) -> Html:
    """Return a run as a piece of HTML: verdict, levels, labels, and what is wrong."""
    parts = [
        element("p", _badge(verdict_of(result)), " ", headline(result), ". ", alarm_words(result), "."),
        _levels(result),
        *([_failures(result, 3)] if _is_bad(result) else []),
        _labels(result),
    ]
    return joined(parts)


def _is_bad(result: GateResult) -> bool:
    return bool(result.failures or result.stale or result.ended or result.broken)


def _levels(result: GateResult) -> Html:
    rows = [(tally.level.value, _badge(tally.verdict), *_counts(tally)) for tally in by_level(result)]
    headers = ("Level", "Verdict", "Passed", "Failed", "Skipped")
    return table("Cases of each level of the protocol.", headers, rows, (24, 28, 16, 16, 16))


def _labels(result: GateResult) -> Html:
    rows = [
        (code(tally.label), tally.level.value, _badge(tally.verdict), *_counts(tally))
        for tally in by_label(result)
    ]
    headers = ("Label", "Level", "Verdict", "Passed", "Failed", "Skipped")
    return table("Cases of each label of the paper.", headers, rows, (28, 16, 20, 12, 12, 12))


def _counts(tally: Tally) -> tuple[str, str, str]:
    return f"{tally.passed:,}", f"{tally.failed + tally.known:,}", f"{tally.skipped:,}"


def _failures(result: GateResult, most: int) -> Html:
    parts: list[Html] = []
    for label, failures in grouped(result.failures):
        plain = plainest_first(failures)[:most]
        more = f", {len(plain)} shown" if len(failures) > len(plain) else ""
        parts.append(element("h3", code(label), f": {len(failures)} failing{more}"))
        parts += [element("p", line, ".") for line in diagnosis(result, label)]
        parts += [_failure(result, found) for found in plain]
    others = [f"Known failures, line {each.entry.line}: {each.reason}." for each in result.stale]
    others += [f"Check that failed itself: {text}." for text in result.broken]
    others += [f"The run ended early: {result.ended}."] if result.ended else []
    return joined((*parts, *(element("p", text) for text in others)))


def _failure(result: GateResult, found: Outcome) -> Html:
    items = [element("li", found.message)]
    if found.request is not None:
        items.append(element("li", "Asked: ", code(request_text(found, 400))))
    if found.flags and "Likely:" not in found.message:
        items.append(element("li", "Catches: ", ", ".join(found.flags)))
    if line := again(result, found):
        items.append(element("li", "Again: ", code(line)))
    return joined((element("p", element("b", code(found.check))), element("ul", *items)))


def _badge(verdict: Verdict) -> Html:
    return element("span", f"{SIGNS[verdict]} {verdict}", class_=f"badge {COLOURS.get(verdict, 'warn')}")
