"""The page of errors in the paper, made from the ledger and its record."""

from __future__ import annotations

import re
from collections import Counter

from privboost.proofs_check.entry import Entry, Verdict
from privboost.proofs_check.ledger import entries
from privboost.proofs_check.record import record

from .fields import fields_of, place_of, table_row
from .texts import GLOSSARY, HEADLINES, SECTIONS, SEVERITIES, STATEMENTS


def refuted() -> list[Entry]:
    """Return the refuted entries by severity, the gravest first, in the order of the ledger."""
    ranks = list(SEVERITIES)
    wrong = [entry for entry in entries().values() if entry.refutation is not None]
    return sorted(wrong, key=lambda entry: ranks.index(entry.severity) if entry.severity else len(ranks))


def errata_page() -> str:
    """Return the page of errors, each with its witness and its correction."""
    wrong = refuted()
    counts = Counter(entry.severity for entry in wrong)
    lines = [
        "# Errata to “Boosted and Differentially Private Ensembles of Decision Trees”",
        "",
        "Errors in the paper by Nock and Henecka that the proof ledger has found. Each comes with an exact",
        "witness that is evaluated again on every run, and with a corrected statement that is proved, where",
        "needed under a hypothesis that is named with it. Many have a common root, which the remarks name.",
        "Line numbers are those of the paper's TeX source; names such as `thBoostDT1` are its labels.",
        "`privboost prove KEY --explain` shows everything about one entry. This page is made by",
        "`privboost prove --record`; do not edit it.",
        "",
        "## What matters most",
        "",
        *(
            f"{n}. {words} ([`{key}`](#{_anchor(key)}))"
            for n, (key, words) in enumerate(HEADLINES.items(), 1)
        ),
        "",
        *_statement_lines(),
        "## Words",
        "",
        *(f"- **{word}**: {meaning}" for word, meaning in GLOSSARY.items()),
        "",
        "## How many",
        "",
        "| severity | errors |",
        "| --- | --- |",
        *(f"| [{severity}](#{_anchor(severity)}) | {counts[severity]} |" for severity in SEVERITIES),
        "",
    ]
    for severity, meaning in SEVERITIES.items():
        lines += [f"## {str(severity).capitalize()}", "", meaning, ""]
        for entry in wrong:
            if entry.severity is severity:
                lines += _erratum_lines(entry)
    lines += _conditional_lines()
    return "\n".join(lines).rstrip() + "\n"


def _anchor(heading: str) -> str:
    """Return the fragment that Markdown readers give a heading."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def _statement_lines() -> list[str]:
    """Return the table of theorems and lemmas: as printed, corrected, and their proofs step by step."""
    lines = [
        "## Theorems and lemmas",
        "",
        "Verdicts are explained in [proofs.md](proofs.md). A theorem that is PROVED may have refuted steps",
        "in its printed proof: it then rests on our own. Where a part of a statement is REFUTED and the rest",
        "is PROVED, both are said.",
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
    """Return the verdict on a statement as printed, all of its parts together, and the correction."""
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


def _erratum_lines(entry: Entry) -> list[str]:
    """Return the paragraphs about one error."""
    recorded = record().get(entry.key)
    correction = entries().get(entry.correction or "")
    reading = "" if entry.reading == "literal" else f" ({entry.reading} reading)"
    return [
        f"### `{entry.key}`",
        "",
        f"*{place_of(entry)}*{reading}",
        "",
        f"- **Claim.** {entry.words}",
        f"- **Witness.** {recorded.detail if recorded else ''}",
        f"- **Instead** (`{entry.correction}`). {_correction_text(correction)}",
        *([f"- **Remark.** {entry.remark}"] if entry.remark else []),
        "",
    ]


def _correction_text(entry: Entry | None) -> str:
    """Return a corrected statement, with the hypothesis that it had to add, if any."""
    if entry is None:
        return ""
    added = fields_of(entry)["added hypothesis"].rstrip(".")
    return f"{entry.words} *If:* {added}." if added else entry.words


def _conditional_lines() -> list[str]:
    """Return the section about claims that hold under a hypothesis which the paper does not state."""
    lines = [
        "## Claims that need a hypothesis",
        "",
        "True once something is assumed that the paper does not say. Where a point is known at which the",
        "claim fails without it, the point is given.",
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
