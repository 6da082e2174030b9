"""The table of all claims, its totals, and what the verdicts rest on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from privboost.proofs_check.engines.elementary import FACTS
from privboost.proofs_check.entry import Entry, Verdict
from privboost.proofs_check.ledger import entries
from privboost.proofs_check.proofs import Smt
from privboost.proofs_check.record import Recorded, record

from .fields import place_of, table_row
from .texts import TRUST


def counts_line() -> str:
    """Return the totals per verdict, from the record."""
    counts = Counter(recorded.verdict for recorded in record().values())
    return f"{len(record())} claims: " + ", ".join(f"{counts[verdict]} {verdict}" for verdict in Verdict)


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
            lines.append(table_row(_ledger_row(entry, recorded)))
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


def trust_rows(trust: Mapping[str, tuple[str, ...]]) -> Iterator[tuple[str, str, str]]:
    """Yield what verdicts rest on, the number of verdicts that do, and its meaning; then facts by name.

    `trust` maps the keys of judged entries to what their verdicts rest on; lemmas are followed.
    """
    counts = Counter(part for key in trust for part in _resting_on(key, trust))
    alone = sum(_resting_on(key, trust) == {"kernel"} for key in trust)
    yield "kernel alone", str(alone), "nothing but the kernel, lemmas included"
    for part, meaning in TRUST.items():
        yield part, str(counts[part]), meaning
    yield from (
        (part, str(count), "a text that is not derived again here")
        for part, count in sorted(counts.items())
        if part not in TRUST
    )
    facts = Counter(
        fact.name
        for key in trust
        for proof in entries()[key].proofs
        if isinstance(proof, Smt)
        for fact in dict.fromkeys(proof.facts)
    )
    yield from ((name, str(facts[name]), "an elementary fact") for name in FACTS if facts[name])


def _resting_on(key: str, trust: Mapping[str, tuple[str, ...]]) -> set[str]:
    """Return what a verdict rests on, with the entries it uses replaced by what those rest on."""
    parts: set[str] = set()
    for part in trust[key] if key in trust else record()[key].trust:
        parts |= _resting_on(part, trust) if part in entries() else {part}
    return parts
