"""Sections of the report from the proof ledger: the errata by severity, and all claims."""

from __future__ import annotations

from collections import Counter

from privboost.errors import HarnessError
from privboost.pages import Html, Section, badge, code, element, joined, table, to_html
from privboost.proofs_check.entry import Entry, Verdict
from privboost.proofs_check.ledger import entries
from privboost.proofs_check.pages.errata import refuted
from privboost.proofs_check.pages.fields import place_of
from privboost.proofs_check.pages.texts import SEVERITIES
from privboost.proofs_check.record import fingerprint, record
from privboost.reference.errata import ERRATA
from privboost.reference.erratum import Erratum

BADGES = {
    Verdict.PROVED: ("good", "✓"),
    Verdict.PROVED_IF: ("warn", "✓"),
    Verdict.REFUTED: ("bad", "✗"),
    Verdict.EXHAUSTED: ("good", "∀"),
    Verdict.EXTERNAL: ("warn", "→"),
    Verdict.NOTATION: ("good", "≔"),
}


def errata_section() -> Section:
    """Return the refuted claims by severity, and the exact witnesses of the reference."""
    _check_record()
    note = (
        f"The {len(refuted())} errors in the paper, as listed by the command privboost errata. "
        "Each has a recorded witness and a corrected statement. "
        f"The {len(ERRATA)} exact witnesses at the end were evaluated for this page."
    )
    headers = ("Erratum", "Printed", "Stated", "Correction", "Witness")
    caption = (
        "Exact witnesses: the printed formula, the statement that it contradicts, and numbers that show it."
    )
    rows = [(_linked(item), item.printed, item.stated, item.correction, _evaluated(item)) for item in ERRATA]
    body = (
        element("p", note),
        *(_errors(severity, meaning) for severity, meaning in SEVERITIES.items()),
        table(caption, headers, rows, (20, 19, 19, 20, 22)),
    )
    return Section("errata", "Errata", joined(body))


def ledger_section() -> Section:
    """Return the recorded verdicts.

    Ensures: HarnessError if an entry has changed since its verdict was recorded.
    """
    _check_record()
    counts = Counter(recorded.verdict for recorded in record().values())
    note = (
        "Every claim of the paper, judged by proof engines. The verdicts are recorded ones; the command "
        "privboost prove computes all of them again."
    )
    body = (
        element("p", note),
        element("ul", *(element("li", element("b", counts[v]), _badge(v)) for v in Verdict), class_="tiles"),
        _all_claims(),
    )
    return Section("ledger", "Proof ledger", joined(body))


def _check_record() -> None:
    changed = [key for key, entry in entries().items() if record()[key].fingerprint != fingerprint(entry)]
    if changed:
        raise HarnessError(f"entries are not the ones on record: {', '.join(changed)}")


def _badge(verdict: Verdict) -> Html:
    return badge(*BADGES[verdict], verdict)


def _errors(severity: str, meaning: str) -> Html:
    """Return the table of errors of one severity."""
    rows = [
        (_name(entry), entry.words, _witness(entry), entries()[str(entry.correction)].words)
        for entry in refuted()
        if entry.severity == severity
    ]
    caption = f"{severity.capitalize()}. {meaning}"
    return table(caption, ("Claim", "What the paper says", "Witness", "Instead"), rows, (20, 28, 24, 28))


def _witness(entry: Entry) -> Html:
    """Return the recorded witness, with a link to the exact witness of the reference if there is one."""
    detail = to_html(record()[entry.key].detail)
    if entry.erratum is None:
        return detail
    link = element("a", entry.erratum, href=f"#{entry.erratum}")
    return joined((detail, element("span", "exactly: ", link, class_="value")))


def _linked(item: Erratum) -> Html:
    """Return the key of an erratum and its location in the paper."""
    prefix = "Sections " if "," in item.section else "Section " if item.section[:1].isdigit() else ""
    location = element("span", f"{item.label}, {prefix}{item.section}", class_="value place")
    return joined((code(item.key, id=item.key), location))


def _evaluated(item: Erratum) -> Html:
    """Evaluate the exact witness of an erratum, and return it with a badge for its success."""
    witness = item.witness()
    facts = element("ul", *(element("li", fact) for fact in witness.facts), class_="facts")
    kind, verdict = ("good", "✓ shown") if witness.shown else ("bad", "✗ not shown")
    return joined((facts, element("span", verdict, class_=f"badge {kind}")))


def _all_claims() -> Html:
    rows = [
        (_name(entry), _badge(record()[key].verdict), entry.words, ", ".join(record()[key].engines))
        for key, entry in entries().items()
    ]
    return table("Every claim.", ("Claim", "Verdict", "Statement", "By"), rows, (24, 14, 46, 16))


def _name(entry: Entry) -> Html:
    return joined((code(entry.key), element("span", place_of(entry), class_="value place")))
