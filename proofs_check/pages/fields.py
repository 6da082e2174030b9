"""The fields of one entry as strings, and rows of Markdown tables."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from privboost.proofs_check.assembly import cited_keys, stands_for
from privboost.proofs_check.entry import Entry, Induction
from privboost.proofs_check.index import label_lines
from privboost.proofs_check.language import infix, infix_claim

from .texts import SECTIONS


def fields_of(entry: Entry) -> dict[str, str]:
    """Return the fields of an entry as strings, by their titles."""
    claim = entry.whole_claim
    given = claim.given if claim else ()
    inductions = [item for item in entry.rests_on if isinstance(item, Induction)]
    added = ", ".join(infix(formula) for formula in entry.added)
    return {
        "claim": entry.words,
        "place": place_of(entry),
        "reading": entry.reading,
        "formally": infix_claim(claim) if claim else "",
        "where": ", ".join(infix(formula) for formula in entry.setting if formula not in given),
        "induction": ", ".join(line for item in inductions for line in stands_for(item)),
        "added hypothesis": entry.hypothesis or added,
        "added formally": added if entry.hypothesis else "",
        "relies on": ", ".join(cited_keys(entry)),
        "correction": entry.correction or "",
        "severity": str(entry.severity or ""),
        "erratum": entry.erratum or "",
        "remark": entry.remark,
    }


@cache
def _section_starts() -> list[tuple[int, str]]:
    return sorted((label_lines()[label], title) for label, title in SECTIONS.items())


def place_of(entry: Entry) -> str:
    """Return the section, label and line of an entry in the paper, or `ours`."""
    if entry.reading == "ours":
        return "ours"
    if entry.line is None:
        return entry.label or ""
    titles = [title for line, title in _section_starts() if line <= entry.line]
    section = titles[-1] if titles else "Abstract"
    return f"{section}, {entry.label}, line {entry.line}" if entry.label else f"{section}, line {entry.line}"


def table_row(cells: Iterable[str]) -> str:
    """Return one row of a Markdown table."""
    escaped = (" ".join(cell.split()).replace("|", "\\|") for cell in cells)
    return f"| {' | '.join(escaped)} |"
