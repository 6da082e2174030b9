"""The links between the ledger and Coq: every linked claim with its proof, and its negative control.

The control must not be proved by the same tactic.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from privboost.proofs_check.engines.smt import conditions
from privboost.proofs_check.entry import Entry
from privboost.proofs_check.kernel.terms import Claim, Formula
from privboost.proofs_check.language import both
from privboost.proofs_check.proofs import Smt, Sum

from .record import link_digest
from .scripts import coq_name, definedness_script, script
from .statements import proposition
from .theorems import definedness_tactic, read_theorem_links

DEFINED = "::defined"
"""End of the name of a link that says that all parts of a formula are defined where its hypotheses hold."""

OPENING = """\
From Coq Require Import Reals Lra Psatz.
From Privboost Require {modules}.
From Privboost Require Import Sums Risk Arithmetic LedgerLeaves.
Local Open Scope R_scope."""


@dataclass(frozen=True, slots=True)
class Link:
    """A proposition of the ledger with the tactic that proves it; `uses` are links that the tactic needs.

    With `theorem` the proposition must be the statement of that theorem, not a weaker one.
    """

    name: str
    proposition: str
    tactic: str
    digest: str
    controls: tuple[str, ...] = ()
    control_tactic: str = ""
    uses: tuple[str, ...] = ()
    replayed: bool = False
    theorem: str = ""

    @property
    def coq_name(self) -> str:
        """Return the name of the lemma in Coq."""
        return coq_name(self.name)


class Every:
    """A container of everything, for `all_links`."""

    def __contains__(self, _name: object) -> bool:
        return True


def all_links(entries: Mapping[str, Entry], replayed: Container[str]) -> list[Link]:
    """Return the links of the entries, those that others use first.

    An entry in `replayed` is proved along its own proof, unless its formula has a proof in `theorems.json`.
    A linked formula is shown to be defined if the name of that link is in `replayed`.
    """
    claims = {key: entry.whole_claim for key, entry in entries.items() if entry.whole_claim is not None}
    links = {
        link.name: link
        for entry in entries.values()
        if entry.whole_claim is not None and entry.refutation is None
        for link in _with_definedness(
            entry.whole_claim, list(_of(entry, entry.whole_claim, claims, entry.key in replayed)), replayed
        )
    }
    return list(_sort_links(links))


def definedness(key: str, claim: Claim) -> tuple[str, str]:
    """Return the proposition that all parts of a claim are defined, and its tactic; empty if all always are.

    It has the hypotheses of the claim, in which Coq gives undefined parts some value. So wherever these hold,
    they are defined, and the claim says what it says in the ledger.
    """
    needed = tuple(conditions((*claim.given, claim.then)))
    if not needed:
        return "", ""
    whole = needed[0] if len(needed) == 1 else both(*needed)
    return proposition(Claim(claim.given, whole)), definedness_script(claim, needed, definedness_tactic(key))


def _with_definedness(claim: Claim, links: Sequence[Link], tried: Container[str]) -> Iterator[Link]:
    """Yield links of a claim, and one that says that the claim is defined if its formula is linked."""
    yield from links
    for link in links:
        name = link.name + DEFINED
        if "::" not in link.name and name in tried:
            statement, tactic = definedness(link.name, claim)
            if statement:
                digest = link_digest(claim, DEFINED, "", "")
                yield Link(name, statement, tactic, digest, uses=(link.name,), replayed=True)


def _of(entry: Entry, claim: Claim, claims: Mapping[str, Claim], is_replayed: bool) -> Iterator[Link]:
    formal = read_theorem_links().get(entry.key, ())
    wrong = entry.control_claim
    control = (proposition(wrong),) if wrong else ()
    for proof in formal:
        digest = link_digest(claim, proof.theorem, proof.tactic, proof.statement)
        if proof.statement:
            name = f"{entry.key}::{proof.theorem}"
            yield Link(name, proof.statement, f"exact @{proof.theorem}", digest, theorem=proof.theorem)
        else:
            controls = tuple(_alter_parts(entry, claim)) or control
            yield Link(entry.key, proposition(claim), proof.tactic, digest, controls, proof.tactic)
    if is_replayed and all(proof.statement for proof in formal):
        for written in [proof for proof in entry.proofs if isinstance(proof, Smt | Sum)][:1]:
            tactic = script(claim, written, claims)
            uses = tuple(use.key for use in written.uses)
            control_tactic = script(wrong, written, claims) if wrong else ""
            digest = link_digest(claim, "", "", "")
            yield Link(
                entry.key, proposition(claim), tactic, digest, control, control_tactic, uses, replayed=True
            )


def _alter_parts(entry: Entry, claim: Claim) -> Iterator[str]:
    """Yield a conjunction with each of its parts altered in turn, if the control is not a conjunction.

    A tactic that begins with `split` would fail on the control whatever it says.
    """
    wrong = entry.control_claim
    if wrong is not None and wrong.then.op != "and":
        for index, twin in enumerate(entry.part_controls):
            parts = (*claim.then.args[:index], twin.then, *claim.then.args[index + 1 :])
            yield proposition(Claim(claim.given, Formula("and", parts)))


def _sort_links(links: Mapping[str, Link]) -> Iterator[Link]:
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
        if link.theorem:
            whole = f"ltac:(let t := type of (@{link.theorem}) in exact t)"
            lines.append(f"Check (eq_refl : ({link.proposition}) = {whole}).")
        lines += [f"Goal {control}.\nFail solve [{link.control_tactic}]. Abort." for control in link.controls]
    return lines


def trial_file(links: Sequence[Link], modules: Iterable[str], *, controls: bool) -> list[str]:
    """Return the lines of a Coq file that tries every replayed claim, or control, by itself for some seconds.

    It prints what it proves, and where the tactic gives up.
    """
    lines = [OPENING.format(modules=" ".join(modules))]
    lines += [f"Axiom {link.coq_name} : {link.proposition}." for link in links]
    for link in links:
        statement, tactic = (
            (next(iter(link.controls), ""), link.control_tactic)
            if controls
            else (link.proposition, link.tactic)
        )
        if link.replayed and statement:
            seconds = 5 if link.name.endswith(DEFINED) else 3
            outcome = (
                f'tryif solve [{tactic}] then idtac "== {link.name} proved" else idtac "== {link.name} open"'
            )
            lines.append(f"Goal {statement}.\nProof. try timeout {seconds} ({outcome}). Abort.")
    return lines


def with_outcome(links: Sequence[Link], printed: str, outcome: str) -> list[Link]:
    """Return the links with an outcome, or without a trial, if those that they use are returned too.

    Definedness has no control, so that it is open only if it was not proved.
    """
    outcomes = set(re.findall(r"== (\S+) (proved|open)", printed))
    free = {link.name for link in links if outcome == "open" and link.name.endswith(DEFINED)}
    kept = {
        link.name: link
        for link in links
        if not link.replayed or link.name in free or (link.name, outcome) in outcomes
    }
    return list(_sort_links(kept))
