"""Ask cvc5 the same questions as z3."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from privboost.proofs_check.engines.smt import Answer, ask_cvc5, questions

from .ledger import entries, usable_claims
from .proofs import Smt


def asked_of_z3(keys: Iterable[str]) -> list[str]:
    """Return the keys of the entries that have an SMT proof and are not refuted."""
    return [
        key
        for key in keys
        if entries()[key].refutation is None
        and any(isinstance(proof, Smt) for proof in entries()[key].proofs)
    ]


def second_opinion(key: str) -> Counter[Answer]:
    """Return cvc5's answers to the questions of an entry's SMT proofs; `sat` would contradict z3."""
    entry = entries()[key]
    claims = usable_claims(entry)
    proofs = [proof for proof in entry.proofs if isinstance(proof, Smt)]
    return Counter(
        ask_cvc5(question)
        for proof in proofs
        for _, question in questions(proof.enlarge(entry.whole_claim, claims))
    )
