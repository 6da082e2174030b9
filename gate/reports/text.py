"""The result of a run for a terminal: counts by label and level, failures, and how to reproduce them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from privboost.gate.check import REFUSAL, Outcome, Status
from privboost.gate.result import GateResult
from privboost.printing import make_printable

from .diagnosis import diagnosis, examples
from .tally import (
    ADVICE,
    SIGNS,
    Verdict,
    by_label,
    by_level,
    false_alarm_sentence,
    headline,
    name_label,
    name_profile,
    reproduce_command,
    told_lines,
    verdict_of,
)

COLUMNS = ("level", "label", "about", "passed", "failed", "skipped", "verdict")
SHOWN = 3
"""Number of failures shown per label; more if more levels and operations fail."""
REST = "the JSON report has all"
TOLD = "Told, and no failure:"
"""The heading of what the target does not claim, and of numbers that are larger than they must be."""
REASONS = 4
"""Maximum number of reasons for skips that are shown."""
WIDEST = 160
"""Maximum number of characters of a request that are shown."""


def label_rows(result: GateResult) -> tuple[tuple[str, ...], ...]:
    """Return the rows of the table of labels, without labels that were skipped entirely."""
    return tuple(
        (
            tally.level,
            tally.label,
            name_label(result, tally.label),
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


def reasons_line(result: GateResult) -> str:
    """Return the reasons for skips, in one line."""
    reasons = Counter(outcome.message for outcome in result.outcomes if outcome.status is Status.SKIP)
    shown_reasons = [f"{reason} ({count:,})" for reason, count in reasons.most_common(REASONS)]
    more = f", {len(reasons) - REASONS} other reasons" if len(reasons) > REASONS else ""
    return f"Cases skipped because: {', '.join(shown_reasons)}{more}" if shown_reasons else ""


def level_lines(result: GateResult) -> list[str]:
    """Return one line per level."""
    lines = []
    for tally in by_level(result):
        counts = f"{tally.passed:,} of {tally.judged:,}" if tally.judged else ""
        counts += f", {tally.skipped:,} skipped" if tally.judged and tally.skipped else ""
        verdict = tally.verdict
        line = f"{SIGNS[verdict]} {tally.level:<11} {verdict.value:<15} {counts}"
        lines.append(line.rstrip())
    return lines


def summary(result: GateResult) -> str:
    """Return everything that follows the table of labels, the verdict last."""
    skipped = [line for line in (skipped_line(result), reasons_line(result)) if line]
    lines = [*skipped, ""] if skipped else []
    lines += ["Levels", *(f"  {line}" for line in level_lines(result)), ""]
    lines += failure_lines(result)
    if told := told_lines(result):
        lines += [TOLD, *(f"  {line}" for line in told), ""]
    lines += _other_lines(result)
    if result.plan.profile.vectors.release:
        lines.append(f"Profile {name_profile(result)}.")
    return "\n".join([*lines, f"{false_alarm_sentence(result)}.", f"{headline(result)}."])


def group_by_label(failures: Sequence[Outcome]) -> Iterator[tuple[str, list[Outcome]]]:
    """Yield labels with their failures; labels that fail only because of others come last.

    Labels with a wrong value come before labels that only fail to refuse.
    """
    by_cause = sorted(failures, key=lambda outcome: (outcome.is_derived, outcome.level == REFUSAL))
    order = list(dict.fromkeys(outcome.label for outcome in by_cause))
    ranked = sorted(by_cause, key=lambda outcome: order.index(outcome.label))
    for label, outcomes in groupby(ranked, key=lambda outcome: outcome.label):
        yield label, list(outcomes)


def request_line(request: Mapping[str, Any] | None, widest: int = WIDEST) -> str:
    """Return a request as one line, truncated if it is long."""
    if request is None:
        return ""
    args = make_printable(json.dumps(request["args"], ensure_ascii=False))
    line = f"{request['op']} {args}"
    return line if len(line) <= widest else f"{line[:widest]}…"


def failure_lines(result: GateResult) -> list[str]:
    """Return the failures, label by label, with commands to reproduce them."""
    lines = []
    for label, failures in group_by_label(result.failures):
        chosen = examples(failures, SHOWN)
        lines += [f"{label}, {name_label(result, label)}: {count_failures(failures, chosen)}"]
        lines += [*(f"  {line}" for line in diagnosis(result, label)), ""]
        for outcome in chosen:
            lines += [f"  {outcome.check}", *_facts(result, outcome), ""]
    return lines


def count_failures(failures: Sequence[Outcome], shown: Sequence[Outcome]) -> str:
    """Return the number of failures, the number shown, and where to find the rest."""
    count = f"{len(failures)} failure{'' if len(failures) == 1 else 's'}"
    return count if len(shown) == len(failures) else f"{count}, {len(shown)} shown ({REST})"


def facts(result: GateResult, outcome: Outcome) -> list[tuple[str, str]]:
    """Return the facts about a failure, each with its name."""
    all_facts = [
        ("asked", request_line(outcome.request)),
        *(("after", request_line(earlier)) for earlier in outcome.after),
        ("found", outcome.message),
        ("again", reproduce_command(result, outcome)),
    ]
    if outcome.origin is not None and outcome.origin != outcome.request:
        all_facts.insert(1, ("", f"made smaller from {request_line(outcome.origin)}"))
    return [(name, fact) for name, fact in all_facts if fact]


def _facts(result: GateResult, outcome: Outcome) -> list[str]:
    lines = []
    for name, fact in facts(result, outcome):
        first, *rest = fact.splitlines() or [""]
        lines += [f"    {name:<8} {first}", *(f"{'':<13}{line}" for line in rest)]
    return lines


def _other_lines(result: GateResult) -> list[str]:
    lines = [
        f"known failures, line {stale.entry.line}: '{stale.entry.pattern}' {stale.reason}"
        for stale in result.stale
    ]
    lines += [
        f"known failures, line {entry.line}: '{entry.pattern}' hides {count} failures"
        for entry, count in result.hidden
    ]
    lines += [f"check that raised an error: {error}" for error in result.broken]
    lines += [ADVICE] if verdict_of(result) is Verdict.PARTIAL else []
    if result.ended:
        lines.append(f"The run ended early: {result.ended}")
    return [*lines, ""] if lines else []
