"""The ledger: all entries, how they are selected, and how they are judged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from privboost.errors import HarnessError, UsageError
from privboost.proofs_check.kernel.certificates import Rejected
from privboost.proofs_check.kernel.terms import Claim

from .entry import Entry, ProofOutcome, Verdict

TRUSTED = ("kernel", "z3", "elementary facts", "reference", "sympy", "transcription", "index of the paper")
"""The assumptions of proofs, in increasing order of what must be trusted."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict on one entry, and how it differs from the record."""

    key: str
    verdict: Verdict | None
    outcomes: tuple[ProofOutcome, ...]
    complaint: str = ""

    @property
    def engines(self) -> tuple[str, ...]:
        """Return the engines that accepted, each once."""
        return tuple(dict.fromkeys(outcome.engine for outcome in self.outcomes))

    @property
    def trust(self) -> tuple[str, ...]:
        """Return the assumptions of the proof that needs the fewest, because each proof suffices."""
        whole = (outcome.trust for outcome in self.outcomes if outcome.proves)
        return (*min(whole, key=_demand, default=()), *entries()[self.key].rests_on)

    @property
    def detail(self) -> str:
        """Return the remarks of the engines."""
        return "; ".join(outcome.detail for outcome in self.outcomes if outcome.detail)


def _demand(trust: tuple[str, ...]) -> tuple[int, int]:
    """Return a sort key for how much must be trusted: the kernel alone comes first, then z3."""
    ranks = [TRUSTED.index(part) if part in TRUSTED else len(TRUSTED) for part in trust]
    return max(ranks, default=0), len(ranks)


@cache
def entries() -> Mapping[str, Entry]:
    """Return every entry by key, in the order of the modules of claims."""
    from privboost.proofs_check.claims import MODULES

    by_key: dict[str, Entry] = {}
    for module in MODULES:
        for entry in module.ENTRIES:
            if entry.key in by_key:
                raise HarnessError(f"two entries have the key '{entry.key}'")
            by_key[entry.key] = entry
    return by_key


def used_keys(entry: Entry) -> tuple[str, ...]:
    """Return the keys of the entries that the proofs of an entry use."""
    proofs = (*entry.proofs, *(proof for proof in (entry.refutation, entry.without) if proof))
    return tuple(use.key for proof in proofs for use in getattr(proof, "uses", ()))


def usable_claims(entry: Entry) -> dict[str, Claim]:
    """Return the claims that an entry uses, which must exist, be formal and not be refuted."""
    claims = {}
    for key in used_keys(entry):
        used = entries().get(key)
        if used is None or used.whole_claim is None or used.refutation is not None:
            raise HarnessError(f"'{entry.key}' uses '{key}', which is not a proved formal claim")
        claims[key] = used.whole_claim
    return claims


def judge(key: str) -> Judgement:
    """Return the verdict on an entry, from its engines alone."""
    entry = entries()[key]
    try:
        claims = usable_claims(entry)
        outcomes = tuple(_accepted(entry, claims))
    except (Rejected, HarnessError, TypeError, ValueError, KeyError, ArithmeticError) as error:
        return Judgement(key, None, (), f"{type(error).__name__}: {error}")
    return Judgement(key, _verdict(entry, outcomes), outcomes)


def _accepted(entry: Entry, claims: Mapping[str, Claim]) -> Iterator[ProofOutcome]:
    """Yield the outcome of the refutation, or of each proof and of the counterexample without `added`."""
    if entry.refutation is not None:
        yield entry.refutation.accept(entry.claim, claims)
        return
    for proof in entry.proofs:
        yield proof.accept(entry.whole_claim, claims)
    if entry.without is not None:
        outcome = entry.without.accept(entry.claim, claims)
        detail = f"not without the hypothesis: {outcome.detail}"
        yield ProofOutcome(outcome.engine, outcome.trust, detail, proves=False)


def _verdict(entry: Entry, outcomes: tuple[ProofOutcome, ...]) -> Verdict:
    if entry.refutation is not None:
        return Verdict.REFUTED
    engines = {outcome.engine for outcome in outcomes if outcome.proves}
    if not engines:
        return Verdict.NOTATION
    if engines == {"citation"}:
        return Verdict.EXTERNAL
    if engines <= {"exhaustion", "citation"}:
        return Verdict.EXHAUSTED
    return Verdict.PROVED_IF if entry.added or entry.hypothesis else Verdict.PROVED


def selected(names: Iterable[str]) -> list[str]:
    """Return the keys that a list of names selects; an empty list selects all.

    A name selects the entries of that label, the entry of that key, and the entries whose keys begin with it
    and a dot.
    """
    wanted = list(names)
    for name in wanted:
        if not any(_is_named(entry, name) for entry in entries().values()):
            raise UsageError(f"LABEL: expected a label of the paper or a key of the ledger, got '{name}'")
    return [key for key, entry in entries().items() if not wanted or any(_is_named(entry, n) for n in wanted)]


def _is_named(entry: Entry, name: str) -> bool:
    return name in entry.labels or entry.key == name or entry.key.startswith(f"{name}.")
