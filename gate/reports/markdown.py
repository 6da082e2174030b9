"""The result of a run as Markdown, for the summary of a job or a comment."""

from __future__ import annotations

from privboost.gate.result import GateResult
from privboost.tables import Format, Table, render

from .diagnosis import diagnosis, examples
from .tally import false_alarm_sentence, headline, name_label, name_profile, told_lines
from .text import (
    COLUMNS,
    SHOWN,
    TOLD,
    count_failures,
    facts,
    group_by_label,
    label_rows,
    level_lines,
    reasons_line,
    skipped_line,
)

LABELS = 20
"""Maximum number of labels whose failures are shown; job summaries are limited to a megabyte."""


def to_markdown(result: GateResult) -> str:
    """Return a result as a Markdown document."""
    table = render(Table("gate", COLUMNS, label_rows(result)), Format.MARKDOWN)
    title = f"## privboost gate, profile {_flatten(name_profile(result))}"
    return f"{title}\n\n**{_flatten(headline(result))}**\n\n{table}\n{details(result)}\n"


def details(result: GateResult) -> str:
    """Return everything besides the verdict and the table of labels."""
    parts = ["```", *level_lines(result), "```", ""]
    parts += [f"{_flatten(line)}\n" for line in (skipped_line(result), reasons_line(result)) if line]
    failing = list(group_by_label(result.failures))
    for label, failures in failing[:LABELS]:
        chosen = examples(failures, SHOWN)
        count = _flatten(count_failures(failures, chosen))
        parts += [f"### {_flatten(label)}, {name_label(result, label)}: {count}", ""]
        parts += [*(f"- {_flatten(line)}" for line in diagnosis(result, label)), ""]
        for outcome in chosen:
            lines = [outcome.check, *(f"{name:<8} {fact}" for name, fact in facts(result, outcome))]
            parts += [*_block("\n".join(lines)), ""]
    if told := told_lines(result):
        parts += [TOLD, "", *(f"- {_flatten(line)}" for line in told), ""]
    parts += [
        f"- known failures, line {stale.entry.line}: {_flatten(stale.reason)}" for stale in result.stale
    ]
    parts += [f"- the run ended early: {_flatten(str(result.ended))}"] if result.ended else []
    parts += [f"- check that raised an error: {_flatten(error)}" for error in result.broken]
    return "\n".join([*parts, "", _flatten(false_alarm_sentence(result))])


def _block(content: str) -> list[str]:
    """Return text as a code block with a fence that does not occur in it."""
    fence = "```"
    while fence in content:
        fence += "`"
    return [f"{fence}text", content, fence]


def _flatten(content: str) -> str:
    """Return text on one line without markup."""
    return "".join("\\" + sign if sign in "\\*_`<[|" else sign for sign in " ".join(content.split()))
