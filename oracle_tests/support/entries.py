"""Entries put into the ledger by tests, for as long as a test runs."""

from __future__ import annotations

import pytest

from privboost.proofs_check import ledger
from privboost.proofs_check.coq_links.theorems import coq_proofs
from privboost.proofs_check.entry import Entry


def put(monkeypatch: pytest.MonkeyPatch, *added: Entry) -> None:
    """Add entries to the ledger, or replace them; links to Coq, which notice any change, are left out."""
    keys = {entry.key for entry in added}
    entries = {**ledger.entries(), **{entry.key: entry for entry in added}}
    monkeypatch.setattr(ledger, "coq_proofs", lambda key: () if key in keys else coq_proofs(key))
    monkeypatch.setattr(ledger, "entries", lambda: entries)
