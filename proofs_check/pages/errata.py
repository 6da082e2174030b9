"""The page of errors in the paper, generated from the ledger and its record."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from privboost.proofs_check.entry import Entry, Severity, Verdict
from privboost.proofs_check.ledger import entries
from privboost.proofs_check.record import record

from .fields import fields_of, place_of, sides_at_witness, table_row, with_hypothesis
from .first_page import AS_MEANT, FINDINGS, SMALLER, STANDS, MainError
from .texts import (
    FALSE,
    GLOSSARY,
    PAPER_ADDRESS,
    PAPER_AUTHORS,
    PAPER_TITLE,
    PAPER_VERSION,
    SECTIONS,
    SEVERITIES,
    STATEMENTS,
)


@dataclass(frozen=True, slots=True)
class PaperError:
    """An error of the paper as strings: the claim, its witness, and the key and words of what is true."""

    entry: Entry
    claim: str
    witness: str
    correction: str
    instead: str


def errata() -> list[PaperError]:
    """Return the errors of the paper: those that matter, then by severity, then in the order of the ledger.

    They are the entries with a severity: refuted claims, true claims whose argument is missing, misprints.
    """
    ranks = {severity: rank for rank, severity in enumerate(SEVERITIES)}
    first = [entries()[key] for key in FINDINGS]
    rest = [(ranks[e.severity], e) for e in entries().values() if e.severity and e.key not in FINDINGS]
    return [erratum_of(entry) for entry in (*first, *(e for _, e in sorted(rest, key=lambda pair: pair[0])))]


def erratum_of(entry: Entry) -> PaperError:
    """Return the strings of an entry with a severity."""
    recorded, correction = record().get(entry.key), entries().get(entry.correction or "")
    if correction is not None:
        witness = "; ".join(filter(None, (recorded.detail if recorded else "", sides_at_witness(entry))))
        return PaperError(entry, entry.words, witness, correction.key, with_hypothesis(correction))
    if entry.severity is Severity.GAP:
        return PaperError(entry, entry.words, "the paper does not say this", entry.key, entry.remark)
    return PaperError(entry, entry.remark or "a wrong reference", "misprint", entry.key, entry.words)


def explain_counts() -> str:
    """Return how the numbers of refuted claims, of errors and of false statements belong together."""
    errors = [(erratum.entry.severity, erratum.entry.key) for erratum in errata()]
    refuted = {key for key, recorded in record().items() if recorded.verdict is Verdict.REFUTED}
    of_refuted = Counter(severity for severity, key in errors if key in refuted)
    of_others = Counter(severity for severity, key in errors if key not in refuted)
    n_false = sum(of_refuted[severity] for severity in FALSE)
    return (
        f"{len(refuted)} of {len(record()):,} claims are refuted, and each of them is one error. "
        f"{of_others.total()} more errors have nothing to refute: {of_others[Severity.SLIP]} misprints and "
        f"{of_others[Severity.GAP]} missing arguments. That makes {len(errors)} errors. "
        f"{n_false} of the refuted claims are false statements: they break privacy or a theorem, or need "
        f"another constant. The other {len(refuted) - n_false} refuted claims do less harm: "
        f"{of_refuted[Severity.GAP]} are wrong or missing arguments for something true, "
        f"{of_refuted[Severity.SLIP]} are slips whose meaning is clear and right, and "
        f"{of_refuted[Severity.PEDANTRY]} fail in a degenerate case only."
    )


def errata_page() -> str:
    """Return the page of errors: a first page, then every error with its witness and its correction."""
    everything = errata()
    lines = [
        *_first_page(Counter(erratum.entry.severity for erratum in everything)),
        *_statement_lines(),
        "## Glossary",
        "",
        *(f"- **{word}**: {meaning}" for word, meaning in GLOSSARY.items()),
        "",
    ]
    for severity, meaning in SEVERITIES.items():
        members = [erratum for erratum in everything if erratum.entry.severity is severity]
        lines += [f"## {str(severity).capitalize()}", "", meaning, ""]
        lines += _table(members) if severity in (Severity.SLIP, Severity.PEDANTRY) else _paragraphs(members)
    lines += [*_meant_lines(), *_conditional_lines()]
    return "\n".join(lines).rstrip() + "\n"


def _first_page(counts: Counter[Severity | None]) -> list[str]:
    """Return the first page: what stands, the errors that matter, and the number of errors by kind."""
    return [
        f"# Errata to “{PAPER_TITLE}”",
        "",
        f"The paper is by {PAPER_AUTHORS}: [{PAPER_VERSION}]({PAPER_ADDRESS}). Line numbers are those of its",
        "TeX source, names such as `thBoostDT1` its labels.",
        "",
        explain_counts(),
        "",
        "A false statement has a witness that is evaluated again on every run, and a correction, proved",
        "under the key given. Four errors matter.",
        "",
        "## What stands",
        "",
        STANDS,
        "",
        "## Four errors that matter",
        "",
        *(
            line
            for n, (key, finding) in enumerate(FINDINGS.items(), 1)
            for line in _format_finding(n, key, finding)
        ),
        "Smaller errors of the main text:",
        "",
        *(f"- {text} ([`{key}`](#{_anchor(key)}))" for key, text in SMALLER.items()),
        "",
        "## All errors, by kind",
        "",
        "| kind | errors | meaning |",
        "| --- | --- | --- |",
        *(f"| [{kind}](#{_anchor(kind)}) | {counts[kind]} | {text} |" for kind, text in SEVERITIES.items()),
        "",
        f"What the authors plainly meant was judged first: {len(AS_MEANT)} claims that fail in a literal",
        "reading are not counted; they are listed under [Read as meant](#read-as-meant).",
        "`privboost errata KEY` prints one error, `privboost prove KEY` judges it again.",
        "`privboost prove --record` generates this page; do not edit it.",
        "",
    ]


def _format_finding(number: int, key: str, finding: MainError) -> list[str]:
    """Return the paragraphs about one of the errors that matter."""
    return [
        f"**{number}.** {finding.wrong} ([`{key}`](#{_anchor(key)}))",
        "",
        f"- *Witness:* {finding.witness}",
        f"- *Instead:* {finding.instead}",
        "",
    ]


def _anchor(heading: str) -> str:
    """Return the fragment that Markdown readers give a heading."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def _statement_lines() -> list[str]:
    """Return the table of theorems and lemmas, with their verdicts, corrections and steps of proofs."""
    lines = [
        "## Theorems and lemmas",
        "",
        "See [what a verdict means](proofs.md). A theorem that is PROVED may have refuted steps",
        "in its printed proof; its verdict then rests on our own proof. If one part of a statement is",
        "REFUTED and another is PROVED, both verdicts are listed.",
        "",
        "| statement | as printed | instead | its printed proof, step by step |",
        "| --- | --- | --- | --- |",
    ]
    for label, proof in STATEMENTS.items():
        verdict, correction = _statement_verdict(label)
        steps = Counter(
            record()[key].verdict
            for key, entry in entries().items()
            if proof
            and entry.reading != "ours"
            and place_of(entry).startswith(SECTIONS[proof])
            and key in record()
        )
        counted = ", ".join(f"{steps[v]} {v}" for v in Verdict if steps[v] and v is not Verdict.NOTATION)
        lines.append(f"| `{label}` | {verdict} | {correction} | {counted} |")
    return [*lines, ""]


def _statement_verdict(label: str) -> tuple[str, str]:
    """Return the verdicts on the parts of a printed statement, and their corrections."""
    parts = [
        entry
        for entry in entries().values()
        if entry.label == label
        and entry.kind in ("theorem", "lemma", "corollary")
        and entry.reading == "literal"
    ]
    chosen = [entry for entry in parts if entry.key == label] or parts
    verdicts = {record()[entry.key].verdict for entry in chosen if entry.key in record()}
    corrections = [f"`{entry.correction}`" for entry in chosen if entry.correction]
    return ", ".join(str(v) for v in Verdict if v in verdicts), ", ".join(dict.fromkeys(corrections))


def _paragraphs(errata: list[PaperError]) -> list[str]:
    """Return the paragraphs about errors of one kind."""
    lines = []
    for erratum in errata:
        entry = erratum.entry
        reading = "" if entry.reading == "literal" else f" ({entry.reading} reading)"
        remark = entry.remark if entry.correction else ""
        lines += [
            f"### `{entry.key}`",
            "",
            f"*{place_of(entry)}*{reading}",
            "",
            f"- **Claim.** {erratum.claim}",
            f"- **Witness.** {erratum.witness}",
            f"- **Instead** (`{erratum.correction}`). {erratum.instead}",
            *([f"- **Remark.** {remark}"] if remark else []),
            "",
        ]
    return lines


def _table(errata: list[PaperError]) -> list[str]:
    """Return the table of small errors of one kind."""
    lines = ["| error | place | claim | witness | instead |", "| --- | --- | --- | --- | --- |"]
    for erratum in errata:
        instead = erratum.instead
        if erratum.correction != erratum.entry.key:
            instead = f"`{erratum.correction}`: {instead}"
        key = f"`{erratum.entry.key}`"
        cells = (key, place_of(erratum.entry), erratum.claim, erratum.witness, instead)
        lines.append(table_row(cells))
    return [*lines, ""]


def _meant_lines() -> list[str]:
    """Return the table of claims that were judged as meant."""
    lines = [
        "## Read as meant",
        "",
        "These claims hold in the reading of the last column, and were not counted as errors.",
        "",
        "| claim | place | read as |",
        "| --- | --- | --- |",
    ]
    for key, reading in AS_MEANT.items():
        entry = entries()[key]
        lines.append(table_row((f"`{key}` {entry.words}", place_of(entry), reading)))
    return [*lines, ""]


def _conditional_lines() -> list[str]:
    """Return the section on claims that hold under a hypothesis missing from the paper."""
    lines = [
        "## Claims that need a hypothesis",
        "",
        "These claims hold under a hypothesis that the paper does not state. The last column gives a point",
        "at which the claim fails without the hypothesis, if one is known.",
        "",
        "| claim | place | hypothesis | fails without it at |",
        "| --- | --- | --- | --- |",
    ]
    for entry in entries().values():
        recorded = record().get(entry.key)
        if recorded is not None and recorded.verdict is Verdict.PROVED_IF:
            mark = "not without the hypothesis: "
            witness = recorded.detail.partition(mark)[2]
            cells = (
                f"`{entry.key}` {entry.words}",
                place_of(entry),
                fields_of(entry)["added hypothesis"],
                witness,
            )
            lines.append(table_row(cells))
    return [*lines, ""]
