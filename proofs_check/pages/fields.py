"""The fields of one entry as strings, and rows of Markdown tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import cache
from typing import Any

from privboost.proofs_check.assembly import cited_keys, stands_for
from privboost.proofs_check.entry import Entry, Induction, Verdict
from privboost.proofs_check.index import label_lines
from privboost.proofs_check.kernel.terms import Term, value
from privboost.proofs_check.language import infix, infix_claim, infix_formula
from privboost.proofs_check.ledger import Judgement, entries
from privboost.proofs_check.proofs import Counterexample
from privboost.proofs_check.record import Recorded, record
from privboost.reference.exact import decimal

from .texts import SECTIONS

DECIMALS = 5
LONGEST_EXACT = 40
"""Maximum length of an exact number; longer ones are printed as decimals only."""


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


def judged_fields(
    entry: Entry, outcome: Judgement | Recorded, verdicts: Mapping[str, Verdict | None]
) -> dict[str, str]:
    """Return the fields of an entry and of the judgement of it, by their titles, without the empty ones.

    `verdicts` are those of the other entries that were judged; all others are on record.
    """

    def with_verdict(key: str) -> str:
        if key not in entries():
            return key
        recorded = record().get(key)
        return f"{key} ({verdicts.get(key) or (recorded.verdict if recorded else 'not on record')})"

    is_refuted = outcome.verdict is Verdict.REFUTED
    correction = entries()[entry.correction] if entry.correction else None
    own = fields_of(entry)
    fields = {
        "verdict": str(outcome.verdict or "REJECTED"),
        **{title: own[title] for title in ("claim", "place", "reading")},
        "witness": outcome.detail if is_refuted else "",
        "both sides": sides_at_witness(entry) if is_refuted else "",
        "instead": f"{with_verdict(correction.key)}: {with_hypothesis(correction)}" if correction else "",
        **own,
        "engines": ", ".join(outcome.engines),
        "rests on": ", ".join(map(with_verdict, outcome.trust)),
        "used by": ", ".join(key for key, other in record().items() if entry.key in other.trust),
        "detail": "" if is_refuted else outcome.detail,
    }
    return {title: content for title, content in fields.items() if content}


def with_hypothesis(entry: Entry) -> str:
    """Return the words of an entry, with its added hypothesis if there is one."""
    added = fields_of(entry)["added hypothesis"].rstrip(".")
    return f"{entry.words} If: {added}." if added else entry.words


def sides_at_witness(entry: Entry) -> str:
    """Return the refuted formula with the values of its terms at the counterexample; empty without one."""
    refutation = entry.refutation
    if entry.claim is None or not isinstance(refutation, Counterexample):
        return ""

    def write_term(term: Term) -> str:
        return _format_number(value(term, refutation.point, refutation.functions))

    return f"claimed there and false: {infix_formula(entry.claim.then, write_term)}"


def _format_number(number: Any) -> str:
    """Return an exact number, followed by its decimals unless it is a small fraction."""
    exact = str(number)
    if isinstance(number, Fraction) and number.denominator < 100:
        return exact
    about = f"about {decimal(number, DECIMALS)}"
    return f"{exact} ({about})" if len(exact) <= LONGEST_EXACT else about


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
