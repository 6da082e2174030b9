"""The report's section on the proof ledger: the totals, the errors by severity, every claim."""

from __future__ import annotations

from collections import Counter

from privboost.proofs_check.entry import Entry, Verdict
from privboost.proofs_check.ledger import entries
from privboost.proofs_check.page_texts import SEVERITIES
from privboost.proofs_check.pages_errata import refuted
from privboost.proofs_check.pages_fields import place_of
from privboost.proofs_check.record import fingerprint, record

from .errors import HarnessError
from .pages import Html, Section, badge, code, element, joined, table

BADGES = {
    Verdict.PROVED: ("good", "✓"),
    Verdict.PROVED_IF: ("warn", "✓"),
    Verdict.REFUTED: ("bad", "✗"),
    Verdict.EXHAUSTED: ("good", "∀"),
    Verdict.EXTERNAL: ("warn", "→"),
    Verdict.NOTATION: ("good", "≔"),
}


def ledger_section() -> Section:
    """Return the verdicts on record, after checking that they are about the entries as they are now."""
    changed = [key for key, entry in entries().items() if record()[key].fingerprint != fingerprint(entry)]
    if changed:
        raise HarnessError(f"entries are not the ones on record: {', '.join(changed)}")
    counts = Counter(recorded.verdict for recorded in record().values())
    note = (
        "Every claim of the paper, judged by proof engines. The verdicts are those on record for exactly "
        "these statements; the command privboost prove judges all of them again."
    )
    body = (
        element("p", note),
        element("ul", *(element("li", element("b", counts[v]), _badge(v)) for v in Verdict), class_="tiles"),
        *(_errors(severity, meaning) for severity, meaning in SEVERITIES.items()),
        _all_claims(),
    )
    return Section("ledger", "Proof ledger", joined(body))


def _badge(verdict: Verdict) -> Html:
    return badge(*BADGES[verdict], verdict)


def _errors(severity: str, meaning: str) -> Html:
    """Return the table of errors of one severity."""
    rows = [
        (_name(entry), entry.words, record()[entry.key].detail, entries()[str(entry.correction)].words)
        for entry in refuted()
        if entry.severity == severity
    ]
    caption = f"{severity.capitalize()}. {meaning}"
    return table(caption, ("Claim", "What the paper says", "Witness", "Instead"), rows, (20, 28, 24, 28))


def _all_claims() -> Html:
    rows = [
        (_name(entry), _badge(record()[key].verdict), entry.words, ", ".join(record()[key].engines))
        for key, entry in entries().items()
    ]
    return table("Every claim.", ("Claim", "Verdict", "In our words", "By"), rows, (24, 14, 46, 16))


def _name(entry: Entry) -> Html:
    return joined((code(entry.key), element("span", place_of(entry), class_="value place")))
