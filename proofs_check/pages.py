"""Pages made from the ledger and its record: the errata, the table of all claims, the counts."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib import resources
from pathlib import Path

from privboost.errors import UsageError
from privboost.files import write_files

from .engines.elementary import FACTS
from .entry import Entry, Verdict
from .language import claim_text, text
from .ledger import RECORD, Judgement, Recorded, entries, record, record_text
from .page_texts import GLOSSARY, HEADLINES, SECTIONS, SEVERITIES, STATEMENTS, TRUST
from .proofs import Smt

COUNTS_BEGIN, COUNTS_END = "<!-- ledger: begin -->", "<!-- ledger: end -->"


def fields_of(entry: Entry) -> dict[str, str]:
    """Return what an entry says of itself, in words."""
    claim = entry.whole_claim
    added = ", ".join(text(formula) for formula in entry.added)
    return {
        "claim": entry.words,
        "place": place_of(entry),
        "reading": entry.reading,
        "formally": claim_text(claim) if claim else "",
        "added hypothesis": entry.hypothesis or added,
        "added formally": added if entry.hypothesis else "",
        "relies on": ", ".join(entry.rests_on),
        "correction": entry.correction or "",
        "severity": str(entry.severity or ""),
        "erratum": entry.erratum or "",
        "remark": entry.remark,
    }


@cache
def _section_starts() -> list[tuple[int, str]]:
    index = json.loads(resources.files(__package__).joinpath("paper_labels.json").read_text("utf-8"))
    return sorted((index[label]["line"], title) for label, title in SECTIONS.items())


def place_of(entry: Entry) -> str:
    """Return where in the paper an entry stands."""
    if entry.reading == "ours":
        return "ours"
    if entry.line is None:
        return entry.label or ""
    titles = [title for line, title in _section_starts() if line <= entry.line]
    section = titles[-1] if titles else "Abstract"
    return f"{section}, {entry.label}, line {entry.line}" if entry.label else f"{section}, line {entry.line}"


def write_record(judgements: Iterable[Judgement]) -> list[Path]:
    """Write the record, then the pages and the counts made from it; return the paths.

    Requires: a checkout.
    """
    folder = Path(__file__).resolve().parent
    root = folder.parent
    if not (root / "pyproject.toml").is_file():
        raise UsageError(f"--record: expected a checkout, found an installed package in '{folder}'")
    paths = write_files(folder, {RECORD: record_text(judgements).encode("utf-8")})
    record.cache_clear()
    pages = {name: page.encode("utf-8") for name, page in documents().items()}
    readme = with_counts((root / "README.md").read_text("utf-8")).encode("utf-8")
    return [*paths, *write_files(root / "docs", pages), *write_files(root, {"README.md": readme})]


def documents() -> dict[str, str]:
    """Return the pages by the names of their files in docs/."""
    return {"ERRATA.md": errata_page(), "LEDGER.md": ledger_page()}


def counts_line() -> str:
    """Return the totals per verdict, from the record."""
    counts = Counter(recorded.verdict for recorded in record().values())
    return f"{len(record())} claims: " + ", ".join(f"{counts[verdict]} {verdict}" for verdict in Verdict)


def with_counts(readme: str) -> str:
    """Return a text with the totals between its two marks."""
    before, begin, rest = readme.partition(COUNTS_BEGIN)
    _, end, after = rest.partition(COUNTS_END)
    if not begin or not end:
        raise UsageError(f"README.md: expected the marks {COUNTS_BEGIN} and {COUNTS_END}")
    return f"{before}{begin}\n{counts_line()}\n{end}{after}"


def refuted() -> list[Entry]:
    """Return the refuted entries, the gravest first, then in the order of the ledger."""
    ranks = list(SEVERITIES)
    found = [entry for entry in entries().values() if entry.refutation is not None]
    return sorted(found, key=lambda entry: ranks.index(entry.severity) if entry.severity else len(ranks))


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
            lines.append(f"| {' | '.join(_cell(cell) for cell in cells)} |")
    return [*lines, ""]


def _cell(cell: str) -> str:
    """Return text that stays within its cell of a table."""
    return " ".join(cell.split()).replace("|", "\\|")


def ledger_page() -> str:
    """Return the table of all claims."""
    lines = [
        "# The proof ledger",
        "",
        "Every claim of the paper, in our words, with its verdict; our own theorems are marked `ours`.",
        "Made by `privboost prove --record`, compared on every run of the tests; do not edit it.",
        "",
        counts_line() + ".",
        "",
        "| verdict | key | place | claim | by | rests on |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for entry in entries().values():
        recorded = record().get(entry.key)
        if recorded is not None:
            lines.append(f"| {' | '.join(_cell(cell) for cell in _ledger_row(entry, recorded))} |")
    return "\n".join(lines) + "\n"


def _ledger_row(entry: Entry, recorded: Recorded) -> tuple[str, ...]:
    return (
        str(recorded.verdict),
        f"`{entry.key}`",
        place_of(entry),
        entry.words,
        ", ".join(recorded.engines),
        ", ".join(recorded.trust),
    )


def trust_rows(
    known: Mapping[str, Entry], found: Mapping[str, tuple[str, ...]]
) -> Iterator[tuple[str, str, str]]:
    """Yield what verdicts rest on, lemmas included, how many do, and what it is; then the facts by name."""
    counts = Counter(part for key in found for part in _resting_on(key, found))
    alone = sum(_resting_on(key, found) == {"kernel"} for key in found)
    yield "kernel alone", str(alone), "nothing but the kernel, lemmas included"
    for part, meaning in TRUST.items():
        yield part, str(counts[part]), meaning
    yield from (
        (part, str(number), "a text that is not derived again here")
        for part, number in sorted(counts.items())
        if part not in TRUST
    )
    facts = Counter(
        fact.name
        for key in found
        for proof in known[key].proofs
        if isinstance(proof, Smt)
        for fact in dict.fromkeys(proof.facts)
    )
    yield from ((name, str(facts[name]), "an elementary fact") for name in FACTS if facts[name])


def _resting_on(key: str, found: Mapping[str, tuple[str, ...]]) -> set[str]:
    """Return what a verdict rests on, with the entries it uses replaced by what those rest on."""
    parts: set[str] = set()
    for part in found[key] if key in found else record()[key].trust:
        parts |= _resting_on(part, found) if part in entries() else {part}
    return parts
