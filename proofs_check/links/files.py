"""The links between the ledger and Coq: every linked claim with its proof, and its negative control.

The control must not be proved by the same tactic.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from privboost.proofs_check.entry import Entry
from privboost.proofs_check.formal.record import link_digest
from privboost.proofs_check.formal.statements import proposition
from privboost.proofs_check.kernel.terms import Claim
from privboost.proofs_check.proofs import Smt, Sum

from .scripts import coq_name, script
from .theorems import linked

OPENING = """\
From Coq Require Import Reals Lra Psatz.
From Privboost Require {modules}.
From Privboost Require Import Sums Risk Arithmetic LedgerLeaves.
Local Open Scope R_scope."""


@dataclass(frozen=True, slots=True)
class Link:
    """A proposition of the ledger with the tactic that proves it; `uses` are links that the tactic needs."""

    name: str
    proposition: str
    tactic: str
    digest: str
    control: str = ""
    control_tactic: str = ""
    uses: tuple[str, ...] = ()
    replayed: bool = False

    @property
    def coq_name(self) -> str:
        """Return the name of the lemma in Coq."""
        return coq_name(self.name)


def all_links(entries: Mapping[str, Entry], replayed: Container[str]) -> list[Link]:
    """Return the links of the entries, those that others use first.

    An entry in `replayed` is proved along its own proof, unless its formula has a proof in `theorems.json`.
    """
    claims = {key: entry.whole_claim for key, entry in entries.items() if entry.whole_claim is not None}
    links = {
        link.name: link
        for entry in entries.values()
        if entry.whole_claim is not None and entry.refutation is None
        for link in _of(entry, entry.whole_claim, claims, entry.key in replayed)
    }
    return list(_sorted(links))


def _of(entry: Entry, claim: Claim, claims: Mapping[str, Claim], is_replayed: bool) -> Iterator[Link]:
    formal = linked().get(entry.key, ())
    wrong = entry.control_claim
    control = proposition(wrong) if wrong else ""
    for proof in formal:
        digest = link_digest(claim, proof.theorem, proof.tactic, proof.statement)
        if proof.statement:
            name = f"{entry.key}::{proof.theorem}"
            yield Link(name, proof.statement, f"exact @{proof.theorem}", digest)
        else:
            yield Link(entry.key, proposition(claim), proof.tactic, digest, control, proof.tactic)
    if is_replayed and all(proof.statement for proof in formal):
        for written in [proof for proof in entry.proofs if isinstance(proof, Smt | Sum)][:1]:
            tactic = script(claim, written, claims)
            uses = tuple(use.key for use in written.uses)
            control_tactic = script(wrong, written, claims) if wrong else ""
            digest = link_digest(claim, "", "", "")
            yield Link(
                entry.key, proposition(claim), tactic, digest, control, control_tactic, uses, replayed=True
            )


def _sorted(links: Mapping[str, Link]) -> Iterator[Link]:
    """Yield the links of which everything that they use is linked, in an order that Coq can read."""
    done: set[str] = set()
    pending = list(links.values())
    while ready := [link for link in pending if done.issuperset(link.uses)]:
        yield from ready
        done.update(link.name for link in ready)
        pending = [link for link in pending if link.name not in done]


def links_file(links: Sequence[Link], modules: Iterable[str]) -> list[str]:
    """Return the lines of a Coq file that proves every link, and fails to prove every control."""
    lines = [OPENING.format(modules=" ".join(modules))]
    for link in links:
        lines.append(f"Lemma {link.coq_name} : {link.proposition}.\nProof. {link.tactic}. Qed.")
        if link.control:
            lines.append(f"Goal {link.control}.\nFail solve [{link.control_tactic}]. Abort.")
    return lines


def trial_file(links: Sequence[Link], modules: Iterable[str], *, controls: bool) -> list[str]:
    """Return the lines of a Coq file that tries every replayed claim, or control, by itself for a second.

    It prints what it proves, and where the tactic gives up.
    """
    lines = [OPENING.format(modules=" ".join(modules))]
    lines += [f"Axiom {link.coq_name} : {link.proposition}." for link in links]
    for link in links:
        statement, tactic = (
            (link.control, link.control_tactic) if controls else (link.proposition, link.tactic)
        )
        if link.replayed and statement:
            outcome = (
                f'tryif solve [{tactic}] then idtac "== {link.name} proved" else idtac "== {link.name} open"'
            )
            lines.append(f"Goal {statement}.\nProof. try timeout 1 ({outcome}). Abort.")
    return lines


def with_outcome(links: Sequence[Link], printed: str, outcome: str) -> list[Link]:
    """Return the links with an outcome, or without a trial, if those that they use are returned too."""
    outcomes = set(re.findall(r"== (\S+) (proved|open)", printed))
    kept = {link.name: link for link in links if not link.replayed or (link.name, outcome) in outcomes}
    return list(_sorted(kept))
