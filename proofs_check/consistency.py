"""Checks of the ledger itself: negative controls, links between entries."""

from __future__ import annotations

from collections.abc import Iterator

from privboost.proofs_check.coq_links.theorems import coq_proofs
from privboost.proofs_check.kernel.certificates import Rejected
from privboost.proofs_check.kernel.terms import Claim

from .entry import Entry, Proof, Verdict
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


def _not_sound(key: str) -> bool:
    return key not in record() or record()[key].verdict not in SOUND
