"""The result of a run as a badge: a small self-contained SVG."""

from __future__ import annotations

import html

from privboost.gate.result import GateResult

from .tally import Verdict, headline_about, name_announced, name_profile, verdict_of

COLOURS = {
    Verdict.PASS: "#2e7d32",
    Verdict.KNOWN: "#8a6d00",
    Verdict.FAIL: "#b3261e",
    Verdict.PARTIAL: "#35618e",
}
GREY = "#5f6368"
LETTER = 6.2
"""Average width in pixels of a letter at font size 11; the text is stretched to fit."""
PADDING = 7


def to_badge(result: GateResult) -> str:
    """Return a badge with the number of operations that were answered; green only if the core was."""
    verdict = verdict_of(result)
    stated_core = result.plan.profile.core
    core = (result.hello.operations if result.hello else ()) if stated_core is None else stated_core
    stated = any(each.operation in (stated_core or ()) for each in result.left_out)
    is_whole = not stated and not result.coverage.is_short_of(core)
    colour = COLOURS.get(Verdict.PARTIAL if verdict is Verdict.PASS and not is_whole else verdict, GREY)
    left, right = f"privboost gate, {name_profile(result)}", _message(result, verdict)
    # A badge is published, and the target may be a command with paths of one machine.
    title = html.escape(f"{left}: {headline_about(name_announced(result) or result.plan.target, result)}")
    left_width, right_width = _width(left), _width(right)
    width = left_width + right_width
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20" role="img" '
        f'aria-label="{title}"><title>{title}</title>'
        f'<rect width="{left_width}" height="20" fill="#333"/>'
        f'<rect x="{left_width}" width="{right_width}" height="20" fill="{colour}"/>'
        '<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">'
        f"{_text(left, PADDING, left_width)}{_text(right, left_width + PADDING, right_width)}</g></svg>\n"
    )


def _message(result: GateResult, verdict: Verdict) -> str:
    operations = f"{len(result.coverage.answered)} of {len(result.plan.profile.operations)} operations"
    if verdict is Verdict.PASS:
        return f"passing, {operations}"
    if verdict is Verdict.PARTIAL:
        return f"partial, {operations}"
    if verdict is Verdict.KNOWN:
        return f"{operations}, {len(result.xfailed)} known failures"
    if verdict is Verdict.FAIL:
        labels = list(dict.fromkeys(outcome.label for outcome in result.failures))
        return f"failing{': ' if labels else ''}{', '.join(labels[:2])}{' …' if len(labels) > 2 else ''}"
    return "interrupted" if verdict is Verdict.INTERRUPTED else "no verdict"


def _width(string: str) -> int:
    return round(LETTER * len(string)) + 2 * PADDING


def _text(content: str, x: int, width: int) -> str:
    length = width - 2 * PADDING
    return f'<text x="{x}" y="14" textLength="{length}">{html.escape(content)}</text>'
