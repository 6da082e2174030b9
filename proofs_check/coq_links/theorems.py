"""The theorems of `proofs_check/coq` that are linked with entries, in `theorems.json`.

A link has a tactic that proves the formula of its entry, or the whole statement of a theorem that says more.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from privboost.proofs_check.engines import definedness
from privboost.proofs_check.entry import ProofOutcome
from privboost.proofs_check.kernel.certificates import Rejected
from privboost.proofs_check.kernel.terms import Claim
from privboost.proofs_check.proofs import Claims, FormulaProof, require_claim

from .record import link_digest, recorded_links

THEOREMS = Path(__file__).parent / "theorems.json"


@dataclass(frozen=True, slots=True)
class CoqProof(FormulaProof):
    """Proof in Coq that `make formal` has compiled; here the claim is compared with the record.

    That the claim is defined where its hypotheses hold is shown here too, because Coq's operations are total.
    `tactic` proves the claim, exported as a proposition, from theorems of `proofs_check/coq`. Without it the
    proof is written along another proof of the entry. With `statement` the link is to `theorem` itself, which
    says more than the formula of the entry: it must have exactly that statement.
    """

    theorem: str = ""
    tactic: str = ""
    statement: str = ""

    @property
    def engine(self) -> str:
        """Return `theorem` where the formula itself is not what Coq proves."""
        return "theorem" if self.statement else "coq"

    def accept(self, claim: Claim | None, _claims: Claims) -> ProofOutcome:
        """Look for the digest of the claim in the record."""
        whole = require_claim(claim)
        link = link_digest(whole, self.theorem, self.tactic, self.statement)
        if link not in recorded_links().values():
            raise Rejected("Coq has not proved this claim from these sources: run `make formal RECORD=1`")
        return ProofOutcome(self.engine, ("coq", *definedness.check_defined(whole)), self.theorem)


@cache
def read_rows(path: Path = THEOREMS) -> tuple[Mapping[str, Any], ...]:
    """Return the links of a file, each an object with its entry, theorem and tactic or statement."""
    return tuple(json.loads(path.read_text("utf-8")))


def definedness_tactic(key: str) -> str:
    """Return the tactic of `theorems.json` that shows that the formula of an entry is defined, or ""."""
    return " ".join(line for row in read_rows() if row["entry"] == key for line in row.get("defined", ()))


@cache
def read_theorem_links() -> Mapping[str, tuple[CoqProof, ...]]:
    """Return the proofs of `theorems.json`, by the key of their entry."""
    proofs: dict[str, tuple[CoqProof, ...]] = {}
    for row in read_rows():
        proof = CoqProof(row["theorem"], " ".join(row.get("tactic", ())), row.get("statement", ""))
        proofs[row["entry"]] = (*proofs.get(row["entry"], ()), proof)
    return proofs


def coq_proofs(key: str) -> tuple[CoqProof, ...]:
    """Return the proofs in Coq of an entry: those listed, or one that follows another of its proofs."""
    listed = read_theorem_links().get(key, ())
    along = key in recorded_links() and all(proof.statement for proof in listed)
    return (*listed, CoqProof()) if along else listed
