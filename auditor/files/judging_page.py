"""The results of other auditors on mechanisms of known loss: sentences, and a page."""

from __future__ import annotations

import math
from collections.abc import Sequence

from privboost.auditor.judging.trials import INTERVAL, JudgedAuditor, JudgedCase, JudgingCase
from privboost.auditor.numbers import count_with_noun
from privboost.pages import Html, Section, badge, code, element, join, page, table

HEADERS = ("mechanism", "exact ε", "δ", "false bounds", "interval", "bound / exact", "ours")
WIDTHS = (24, 10, 12, 16, 18, 10, 10)


def conclusion_of(auditor: JudgedAuditor) -> str:
    """Return what the runs say of an auditor, in one line."""
    title = f"{auditor.title}: "
    worst = max(auditor.false_cases(), key=lambda each: each.false / each.runs, default=None)
    if worst is not None:
        low, _ = worst.interval(auditor.confidence)
        share = worst.false / worst.runs
        return (
            f"{title}FALSE BOUNDS: at level {auditor.level:.3g}, {share:.0%} of the bounds exceed the exact "
            f"ε of {_name(worst)} ({worst.false} of {worst.runs}; at least {low:.1%} with confidence "
            f"{INTERVAL:.0%})"
        )
    if not auditor.has_bounds:
        reason = next((case.refusal for case in auditor.cases if case.refusal), "no run was made")
        return f"{title}no bounds: {reason}"
    rate = auditor.detectable_rate()
    power = (
        "too few runs to show any rate"
        if math.isnan(rate)
        else f"a rate of {rate:.1%} would have been found with probability 95 %"
    )
    missing = auditor.unanswered_cases()
    gap = f"; without some bounds on {', '.join(map(_name, missing))}" if missing else ""
    return f"{title}no evidence of more false bounds than {auditor.level:.3g}; {power}{gap}"


def describe_method(auditor: JudgedAuditor) -> str:
    """Return how an auditor was judged, in two sentences."""
    return (
        f"Each bound is made from {count_with_noun(auditor.calls, 'call')}, whose sides are fair coins. "
        f"All intervals of an auditor hold together with confidence {INTERVAL:.0%}."
    )


def _name(case: JudgedCase) -> str:
    return f"{case.case.mechanism}{' with equal inputs' if case.case.has_equal_inputs else ''}"


def render_judged(judged: Sequence[JudgedAuditor], command: str) -> str:
    """Return the page of a run; the last auditor is ours."""
    ours = {each.case: each for each in judged[-1].cases}
    meaning = (
        "An auditor returns a lower bound on ε. It is false if it exceeds the exact ε, and may be so as "
        f"often as its level says. {describe_method(judged[0])}"
    )
    introduction = element(
        "header",
        element("h1", "Auditors on mechanisms of known loss"),
        element("p", meaning),
        element("p", "Run again: ", code(command)),
    )
    sections = [
        Section(f"auditor-{number}", auditor.title, _section(auditor, ours))
        for number, auditor in enumerate(judged, 1)
    ]
    return page("Auditors on mechanisms of known loss", introduction, sections, contents=len(sections) > 2)


def _section(auditor: JudgedAuditor, ours: dict[JudgingCase, JudgedCase]) -> Html:
    false = auditor.false_cases()
    if false:
        sign = badge("bad", "✗", "false bounds")
    elif not auditor.has_bounds or auditor.unanswered_cases() or not auditor.is_complete:
        sign = badge("warn", "?", "inconclusive")
    else:
        sign = badge("good", "✓", "no evidence of false bounds")
    rows = [
        (
            _name(each),
            f"{each.case.exact:.4g}",
            f"{each.case.delta:.3g}",
            _counts(each),
            "{:.1%} to {:.1%}".format(*each.interval(auditor.confidence)) if each.bounds else "–",
            _ratio(each),
            _ratio(ours[each.case]),
        )
        for each in auditor.cases
    ]
    reasons = [
        element("p", f"{_name(each)}: {count_with_noun(each.refused, 'run')} without a bound: {each.refusal}")
        for each in auditor.cases
        if each.refused
    ]
    return join(
        [
            element("p", sign, " ", conclusion_of(auditor)),
            element("p", "Target: ", code(auditor.target)) if auditor.target else Html(""),
            table("Equal inputs have the exact ε 0.", HEADERS, rows, WIDTHS, short=True),
            *reasons,
        ]
    )


def _counts(case: JudgedCase) -> str:
    return f"{case.false} of {case.runs}" if case.bounds else "no bounds"


def _ratio(case: JudgedCase) -> str:
    return "–" if math.isnan(case.tightness) else f"{case.tightness:.2f}"
