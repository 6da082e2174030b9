"""The result of a run as Markdown, for the summary of a job or a comment."""

from __future__ import annotations

from privboost.tables import Format, Table, render

from .report_diagnosis import diagnosis, plainest_first
from .report_tally import again, alarm_words, headline
from .report_text import COLUMNS, SHOWN, grouped, label_rows, level_lines, request_text, skipped_line
from .run import GateResult

LABELS = 20
"""Labels whose failures are shown; a summary of a job has room for a megabyte."""


def to_markdown(result: GateResult) -> str:
    """Return a result as a Markdown document."""
    table = render(Table("gate", COLUMNS, label_rows(result)), Format.MARKDOWN)
    return f"## privboost gate\n\n**{_flat(headline(result))}**\n\n{table}\n{details(result)}\n"


def details(result: GateResult) -> str:
    """Return everything besides the verdict and the table of labels."""
    parts = ["```", *level_lines(result), "```", "", _flat(skipped_line(result)), ""]
    failing = list(grouped(result.failures))
    for label, failures in failing[:LABELS]:
        parts += [f"### {_flat(label)}: {len(failures)} failing", ""]
        parts += [*(f"- {_flat(line)}" for line in diagnosis(result, label)), ""]
        for found in plainest_first(failures)[:SHOWN]:
            text = [found.check, f"asked    {request_text(found)}", f"found    {found.message}"]
            text += (
                [f"catches  {', '.join(found.flags)}"]
                if found.flags and "Likely:" not in found.message
                else []
            )
            text += [f"again    {again(result, found)}"] if found.request else []
            parts += [*_block("\n".join(text)), ""]
    parts += [f"- known failures, line {stale.entry.line}: {_flat(stale.reason)}" for stale in result.stale]
    parts += [f"- the run ended early: {_flat(result.ended)}"] if result.ended else []
    parts += [f"- check that failed itself: {_flat(text)}" for text in result.broken]
    return "\n".join([*parts, "", _flat(alarm_words(result))])


def _block(text: str) -> list[str]:
    """Return text as a block of code that nothing in it can end."""
    fence = "```"
    while fence in text:
        fence += "`"
    return [f"{fence}text", text, fence]


def _flat(text: str) -> str:
    """Return text on one line without markup."""
    return "".join("\\" + sign if sign in "\\*_`<[|" else sign for sign in " ".join(text.split()))
