"""The theorems of `proofs_check/coq` that are linked with entries, in `theorems.json`.

A link has a tactic that proves the formula of its entry, or the whole statement of a theorem that says more.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from privboost.proofs_check.formal.record import recorded_links
from privboost.proofs_check.proofs import Formal

THEOREMS = Path(__file__).parent / "theorems.json"


@cache
def _rows() -> tuple[Mapping[str, Any], ...]:
    return tuple(json.loads(THEOREMS.read_text("utf-8")))


def definedness_tactic(key: str) -> str:
    """Return the tactic of `theorems.json` that shows that the formula of an entry is defined, or ""."""
    return " ".join(line for row in _rows() if row["entry"] == key for line in row.get("defined", ()))


@cache
def read_theorem_links() -> Mapping[str, tuple[Formal, ...]]:
    """Return the proofs of `theorems.json`, by the key of their entry."""
    proofs: dict[str, tuple[Formal, ...]] = {}
    for row in _rows():
        proof = Formal(row["theorem"], " ".join(row.get("tactic", ())), row.get("statement", ""))
        proofs[row["entry"]] = (*proofs.get(row["entry"], ()), proof)
    return proofs


def coq_proofs(key: str) -> tuple[Formal, ...]:
    """Return the proofs in Coq of an entry: those listed, or one that follows another of its proofs."""
    listed = read_theorem_links().get(key, ())
    along = key in recorded_links() and all(proof.statement for proof in listed)
    return (*listed, Formal()) if along else listed
