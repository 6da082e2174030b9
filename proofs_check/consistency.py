"""Checks of the ledger itself: negative controls, links between entries."""

from __future__ import annotations

from collections.abc import Iterator, Set
from pathlib import Path

from privboost.errors import UsageError
from privboost.printing import suggest
from privboost.proofs_check.book.formulas import Unreadable
from privboost.proofs_check.book.sections import try_section
from privboost.proofs_check.coq_links.theorems import coq_proofs
from privboost.proofs_check.kernel.certificates import Rejected
from privboost.proofs_check.kernel.terms import Claim

from .entry import Entry, Proof, Verdict
from .hypotheses import check_names
from .index import complete_entry, locations
from .ledger import USABLE, collect_dependencies, dependencies, entries, usable_claims
from .proofs import Smt
from .record import record

SOUND = (Verdict.PROVED, Verdict.PROVED_IF)


def accepts_control(entry: Entry) -> list[str]:
    """Return the engines of an entry that wrongly accept one of its negative controls."""
    claims = usable_claims(entry)
    trials = [(proof, claim, entry.control_claim) for proof, claim in _iterate_proofs(entry)]
    if entry.refutation is None:
        trials += [(Smt(), entry.whole_claim, control) for control in entry.part_controls]
    accepted = []
    for proof, claim, control in trials:
        try:
            proof.reject(claim, control, claims)
        except Rejected:
            continue
        accepted.append(proof.engine)
    return accepted


def _iterate_proofs(entry: Entry) -> Iterator[tuple[Proof, Claim | None]]:
    """Yield every proof of an entry with the claim that it is about."""
    if entry.refutation is not None:
        yield entry.refutation, entry.claim
        return
    yield from ((proof, entry.whole_claim) for proof in (*entry.proofs, *coq_proofs(entry.key)))
    if entry.without is not None:
        yield entry.without, entry.claim


def check_consistency() -> list[str]:
    """Return the errors of the ledger as a whole: broken links, circular proofs, missing corrections."""
    complaints = []
    for key, entry in entries().items():
        if key in collect_dependencies(key):
            complaints.append(f"{key} uses itself, directly or indirectly")
        if entry.refutation is not None and (entry.correction is None or entry.severity is None):
            complaints.append(f"{key} is refuted without a correction and a severity")
        if entry.correction is not None and _not_sound(entry.correction):
            complaints.append(f"the correction '{entry.correction}' of {key} is not proved")
        complaints += [
            f"{key} relies on '{used}', which is not proved"
            for used in dependencies(entry)
            if used not in record() or record()[used].verdict not in USABLE
        ]
    return complaints


def check_file(path: Path) -> list[tuple[str, str]]:
    """Return what is wrong with a file of the book as it is written, with the places, and judge nothing.

    Raises `UsageError` for a file that is no text.
    """
    try:
        content = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"expected a file of the book of claims, got {error}", argument="check") from None
    try:
        section, problems = try_section(str(path), content)
    except Unreadable as problem:
        problems, section = [problem], None
    found = [(f"{each.source}:{each.line}:{each.column}", each.problem) for each in problems]
    if section is not None:
        places = {block.heading.string.split(" ")[0]: f"{path}:{block.line}:1" for block in section.blocks}
        known = {*locations(), *places}
        for entry in section.entries:
            found += [(places[entry.key], complaint) for complaint in _complaints_about(entry, known)]
    return found


def _complaints_about(entry: Entry, known: Set[str]) -> Iterator[str]:
    """Yield what is wrong with an entry, apart from whether its proofs are accepted."""
    used = (*dependencies(entry), *((entry.correction,) if entry.correction else ()))
    yield from (f"there is no entry '{key}'{suggest(key, sorted(known))}" for key in used if key not in known)
    try:
        check_names(entry)
    except Rejected as error:
        yield str(error)
    complete = complete_entry(entry)
    if complete.line is None and entry.reading != "ours":
        yield "expected a label of the paper at the beginning of the key, or a line"
    if entry.claim is not None and complete.proofs and entry.control is None:
        yield "expected a field 'twin': a wrong conclusion that every proof must reject"
    if entry.refutation is not None and (entry.correction is None or entry.severity is None):
        yield "expected a severity and a correction in the heading of a refuted claim"


def _not_sound(key: str) -> bool:
    return key not in record() or record()[key].verdict not in SOUND
