"""Sections of the report from the proof ledger: the errata by severity, and all claims."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from privboost.errors import HarnessError
from privboost.pages import Html, Section, badge, code, element, join, table, to_html
from privboost.proofs_check.entry import Entry, Verdict
from privboost.proofs_check.ledger import entries
from privboost.proofs_check.pages.errata import PaperError, errata
from privboost.proofs_check.pages.fields import place_of
from privboost.proofs_check.pages.texts import FALSE, SECTIONS, SEVERITIES
from privboost.proofs_check.record import fingerprint, record
from privboost.reference.errata import ERRATA

from .dashboard import fold
from .part import ReportPart, bad, good

BADGES = {
    Verdict.PROVED: ("good", "✓"),
    Verdict.PROVED_IF: ("warn", "✓"),
    Verdict.STEP: ("good", "↦"),
    Verdict.REFUTED: ("bad", "✗"),
    Verdict.EXHAUSTED: ("good", "∀"),
    Verdict.EXTERNAL: ("warn", "→"),
    Verdict.NOTATION: ("good", "≔"),
}

OURS = "Our own claims"
SEARCH = Html(
    '<p id="search" hidden><label>Search the ledger: <input type="search" id="query" '
    'placeholder="a label, a key, a verdict, a word"></label> <span id="hits" class="soft"></span></p>'
)
SCRIPT = """
const query = document.getElementById("query"), hits = document.getElementById("hits");
const groups = [...document.querySelectorAll("#ledger details")];
const rows = groups.map(group => [...group.querySelectorAll("tbody tr")].map(
  row => [row, row.textContent.toLowerCase()]));
function search() {
  const words = query.value.toLowerCase().split(/\\s+/).filter(word => word);
  let count = 0;
  groups.forEach((group, k) => {
    let here = 0;
    for (const [row, text] of rows[k]) {
      row.hidden = !words.every(word => text.includes(word));
      here += !row.hidden;
    }
    group.hidden = !here;
    group.open = words.length > 0 && here > 0;
    count += here;
  });
  hits.textContent = words.length ? count + (count === 1 ? " claim" : " claims") : "";
}
function unfold() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const group = target && target.closest("details");
  if (group && !group.open) { group.open = true; target.scrollIntoView(); }
}
query.addEventListener("input", search);
addEventListener("hashchange", unfold);
document.getElementById("search").hidden = false;
unfold();
"""
"""Filters the claims by words, and opens what a link leads to. Without scripts everything can be unfolded."""


def errata_section() -> ReportPart:
    """Return the errors of the paper by kind, with the exact witnesses of the reference."""
    _check_record()
    everything = errata()
    n_false = sum(erratum.entry.severity in FALSE for erratum in everything)
    note = (
        f"The {len(everything)} errors of the paper, by kind. Each has a witness, or is a misprint, and a "
        "corrected statement; privboost errata and docs/ERRATA.md have the same list. "
        f"The {len(ERRATA)} witnesses marked exact were evaluated for this page; the others are those on "
        "record."
    )
    body = (
        element("p", note),
        *(
            _errors(severity, meaning, [item for item in everything if item.entry.severity is severity])
            for severity, meaning in SEVERITIES.items()
        ),
    )
    shown = sum(item.witness().shown for item in ERRATA)
    summary = f"{n_false} statements of the paper are false; {shown} of {len(ERRATA)} exact witnesses hold"
    section = Section("errata", "Errata", join(body))
    return ReportPart(section, bad(f"{n_false} FALSE"), summary, shown == len(ERRATA))


def ledger_section() -> ReportPart:
    """Return the recorded verdicts, folded by the sections of the paper.

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
        SEARCH,
        *_all_claims(),
    )
    summary = ", ".join(f"{counts[verdict]} {verdict}" for verdict in Verdict)
    section = Section("ledger", "Proof ledger", join(body))
    return ReportPart(section, good("AS ON RECORD"), f"{len(record()):,} claims: {summary}")


def _check_record() -> None:
    changed = [key for key, entry in entries().items() if record()[key].fingerprint != fingerprint(entry)]
    if changed:
        raise HarnessError(f"entries are not the ones on record: {', '.join(changed)}")


def _badge(verdict: Verdict) -> Html:
    return badge(*BADGES[verdict], verdict)


def _errors(severity: str, meaning: str, errors: list[PaperError]) -> Html:
    """Return the table of errors of one kind."""
    rows = [
        (
            _name(item.entry, "error"),
            item.claim,
            _witness(item),
            join((item.instead, " (", _claim_link(item.correction), ")")),
        )
        for item in errors
    ]
    headers = ("Claim", "What the paper says", "Witness", "Instead")
    return fold(f"{severity.capitalize()}: {len(rows)}", table(meaning, headers, rows, (20, 28, 24, 28)))


def _witness(erratum: PaperError) -> Html:
    """Return the recorded witness, and the exact one of the reference if there is one, evaluated."""
    detail = to_html(erratum.witness)
    if erratum.entry.erratum is None:
        return detail
    (known,) = (item for item in ERRATA if item.key == erratum.entry.erratum)
    witness = known.witness()
    verdict = badge("good", "✓", "exact") if witness.shown else badge("bad", "✗", "not shown")
    facts = element("span", f"{known.key}: {witness} ", verdict, class_="value")
    return join((detail, facts))


def _all_claims() -> Iterator[Html]:
    """Yield one folded table for each section of the paper."""
    groups: dict[str, list[Entry]] = {}
    for entry in entries().values():
        groups.setdefault(_section_of(entry), []).append(entry)
    order = [*SECTIONS.values(), OURS]
    for title, members in sorted(groups.items(), key=lambda group: order.index(group[0])):
        counts = Counter(record()[entry.key].verdict for entry in members)
        tally = ", ".join(f"{counts[verdict]} {verdict}" for verdict in Verdict if counts[verdict])
        rows = [
            (
                _name(entry, "claim"),
                _badge(record()[entry.key].verdict),
                _statement(entry),
                ", ".join(record()[entry.key].engines) or "no engine",
            )
            for entry in members
        ]
        claims = table(
            f"The claims of: {title}.", ("Claim", "Verdict", "Statement", "By"), rows, (24, 14, 46, 16)
        )
        summary = join((f"{title}: {len(members)} claims ", element("span", f"({tally})", class_="place")))
        yield fold(summary, claims)


def _section_of(entry: Entry) -> str:
    """Return the section of the paper in which a claim is made, or a name for our own claims."""
    return place_of(entry).partition(",")[0] if entry.reading != "ours" else OURS


def _statement(entry: Entry) -> Html:
    """Return the words of a claim; those of a refuted one lead to its witness and to its correction."""
    if entry.correction is None:
        return to_html(entry.words)
    witness = element("a", "witness", href=f"#error-{entry.key}")
    links = element("span", witness, "; instead: ", _claim_link(entry.correction), class_="value")
    return join((entry.words, links))


def _claim_link(key: str) -> Html:
    return element("a", code(key), href=f"#claim-{key}")


def _name(entry: Entry, anchor: str) -> Html:
    """Return the key of a claim, which is its anchor, and its place."""
    key = code(entry.key, id=f"{anchor}-{entry.key}")
    return join((key, element("span", place_of(entry), class_="value place")))
