"""The result of a run for a terminal: counts by label, levels, what is wrong and how to see it again."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import groupby

from .check import Outcome
from .report_diagnosis import diagnosis, plainest_first
from .report_tally import SIGNS, again, alarm_words, by_label, by_level, headline
from .run import GateResult
from .wire import printable

COLUMNS = ("level", "label", "passed", "failed", "skipped", "verdict")
SHOWN = 3
"""Failures that are shown of a label; the JSON report has all."""
WIDEST = 160
"""Characters of a request that are shown."""


def label_rows(result: GateResult) -> tuple[tuple[str, ...], ...]:
    """Return the rows of the table of labels, without those that were skipped as a whole."""
    return tuple(
        (
            tally.level.value,
            tally.label,
            str(tally.passed),
            str(tally.failed + tally.known),
            str(tally.skipped),
            f"{SIGNS[tally.verdict]} {tally.verdict}",
        )
        for tally in by_label(result)
        if tally.judged
    )


def skipped_line(result: GateResult) -> str:
    """Return the labels that the target does not support, in one line."""
    judged = {tally.label for tally in by_label(result) if tally.judged}
    skipped = dict.fromkeys(tally.label for tally in by_label(result) if tally.label not in judged)
    return f"Not supported by the target, and skipped: {', '.join(skipped)}" if skipped else ""


def level_lines(result: GateResult) -> list[str]:
    """Return one line per level."""
    lines = []
    for tally in by_level(result):
        counts = f"{tally.passed:,} of {tally.judged:,}" if tally.judged else ""
        verdict = tally.verdict
        line = f"{SIGNS[verdict]} {tally.level.value:<11} {verdict.value:<15} {counts}"
        lines.append(line.rstrip())
    return lines


def summary(result: GateResult) -> str:
    """Return everything that follows the table of labels, the verdict last."""
    skipped = skipped_line(result)
    lines = [skipped, ""] if skipped else []
    lines += ["Levels", *(f"  {line}" for line in level_lines(result)), ""]
    lines += failure_lines(result)
    lines += _other_lines(result)
    return "\n".join([*lines, f"{alarm_words(result)}.", f"{headline(result)}."])


def grouped(failures: Sequence[Outcome]) -> Iterator[tuple[str, list[Outcome]]]:
    """Yield labels with their failures."""
    order = list(dict.fromkeys(found.label for found in failures))
    ranked = sorted(failures, key=lambda found: order.index(found.label))
    for label, found in groupby(ranked, key=lambda each: each.label):
        yield label, list(found)


def request_text(outcome: Outcome, widest: int = WIDEST) -> str:
    """Return a request as one line, cut where it is long."""
    if outcome.request is None:
        return ""
    args = printable(json.dumps(outcome.request["args"], ensure_ascii=False))
    text = f"{outcome.request['op']} {args}"
    return text if len(text) <= widest else f"{text[:widest]}…"


def failure_lines(result: GateResult) -> list[str]:
    """Return what is wrong, label by label, with requests to see it again."""
    lines = []
    for label, failures in grouped(result.failures):
        count = f"{len(failures)} failure{'' if len(failures) == 1 else 's'}"
        plain = plainest_first(failures)[:SHOWN]
        more = f", {len(plain)} shown" if len(failures) > len(plain) else ""
        lines += [f"{label}: {count}{more}", *(f"  {line}" for line in diagnosis(result, label)), ""]
        for found in plain:
            lines += [f"  {found.check}", *_facts(result, found), ""]
    return lines


def _facts(result: GateResult, found: Outcome) -> list[str]:
    facts = [("asked", request_text(found)), ("found", found.message)]
    facts += [("catches", "" if "Likely:" in found.message else ", ".join(found.flags))]
    facts += [("again", again(result, found))]
    lines = []
    for name, text in facts:
        first, *rest = text.splitlines() or [""]
        if first:
            lines += [f"    {name:<8} {first}", *(f"{'':<13}{line}" for line in rest)]
    return lines


def _other_lines(result: GateResult) -> list[str]:
    lines = [
        f"known failures, line {stale.entry.line}: '{stale.entry.pattern}' {stale.reason}"
        for stale in result.stale
    ]
    lines += [f"check that failed itself: {text}" for text in result.broken]
    if result.ended:
        lines.append(f"The run ended early: {result.ended}")
    return [*lines, ""] if lines else []
