"""Checks of the ledger itself: negative controls, satisfiable hypotheses, links between entries."""

from __future__ import annotations

from collections.abc import Iterator

from privboost.errors import HarnessError
from privboost.proofs_check.engines.smt import satisfiable
from privboost.proofs_check.kernel.certificates import Rejected
from privboost.proofs_check.kernel.terms import Claim, Formula, Term, holds, walk

from .entry import Entry, Proof, Verdict
from .language import reals, substitute
from .ledger import entries, usable_claims, used_keys
from .record import record
from .risks import check_risks

SOUND = (Verdict.PROVED, Verdict.PROVED_IF)


def accepts_control(entry: Entry) -> list[str]:
    """Return the engines of an entry that wrongly accept its negative control."""
    accepted = []
    claims = usable_claims(entry)
    for proof, claim in _controlled(entry):
        try:
            proof.reject(claim, entry.control_claim, claims)
        except Rejected:
            continue
        accepted.append(proof.engine)
    return accepted


def _controlled(entry: Entry) -> Iterator[tuple[Proof, Claim | None]]:
    """Yield every proof of an entry with the claim that it is about."""
    if entry.refutation is not None:
        yield entry.refutation, entry.claim
        return
    yield from ((proof, entry.whole_claim) for proof in entry.proofs)
    if entry.without is not None:
        yield entry.without, entry.claim


def satisfied(entry: Entry) -> bool:
    """Return whether the hypotheses of an entry can hold together.

    An example given by the entry is evaluated exactly. Otherwise z3 searches for one, with 4x(1 - x) as the
    Bayes risk.
    """
    claim = entry.whole_claim
    if claim is None or not claim.given:
        return True
    if entry.example is not None:
        check_risks(claim, entry.functions or {})
        return all(holds(formula, entry.example, entry.functions or {}) for formula in claim.given)
    given = tuple(_with_square_risk(formula) for formula in claim.given)
    if any(part.op in ("exp", "log") for formula in given for part in walk(formula)):
        raise HarnessError(f"'{entry.key}' has exp or log among its hypotheses and needs an example")
    return satisfiable(given)


def _with_square_risk(node: Formula) -> Formula:
    return Formula(
        node.op,
        tuple(
            _square_term(part) if isinstance(part, Term) else _with_square_risk(part) for part in node.args
        ),
    )


def _square_term(node: Term) -> Term:
    args = tuple(_square_term(part) for part in node.args)
    if node.op not in ("apply", "risk"):
        return Term(node.op, args, node.name)
    (x,) = reals("x")
    return substitute(4 * x * (1 - x), {"x": args[0]})


def check_consistency() -> list[str]:
    """Return the errors of the ledger as a whole: broken links, circular proofs, missing corrections."""
    complaints = []
    for key, entry in entries().items():
        if key in _reached(key):
            complaints.append(f"{key} uses itself, directly or indirectly")
        if entry.refutation is not None and (entry.correction is None or entry.severity is None):
            complaints.append(f"{key} is refuted without a correction and a severity")
        if entry.correction is not None and _not_sound(entry.correction):
            complaints.append(f"the correction '{entry.correction}' of {key} is not proved")
        relied = (*used_keys(entry), *entry.rests_on)
        complaints += [
            f"{key} relies on '{used}', which is not proved" for used in relied if _not_sound(used)
        ]
    return complaints


def _not_sound(key: str) -> bool:
    return key not in record() or record()[key].verdict not in SOUND


def _reached(key: str) -> set[str]:
    """Return the keys of the entries that an entry uses, directly or indirectly."""
    reached: set[str] = set()
    open_keys = list(used_keys(entries()[key]))
    while open_keys:
        used = open_keys.pop()
        if used not in reached:
            reached.add(used)
            open_keys += used_keys(entries()[used])
    return reached
