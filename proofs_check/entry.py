"""An entry of the ledger: a claim of the paper, its location, and its proofs or its refutation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal, Protocol

from privboost.proofs_check.kernel.terms import Claim, Formula, Functions, Term


class Verdict(StrEnum):
    """The verdict of the engines on a claim."""

    PROVED = "PROVED"
    PROVED_IF = "PROVED-IF"
    STEP = "STEP"
    REFUTED = "REFUTED"
    EXHAUSTED = "EXHAUSTED"
    EXTERNAL = "EXTERNAL"
    NOTATION = "NOTATION"


class Severity(StrEnum):
    """The kind of an error in the paper; the first three make a statement false."""

    PRIVACY = "breaks privacy"
    THEOREM = "breaks a theorem"
    CONSTANT = "changes a constant"
    GAP = "gap"
    SLIP = "slip"
    PEDANTRY = "pedantry"


Kind = Literal[
    "definition", "theorem", "lemma", "corollary", "remark", "equation", "step", "text", "figure", "section"
]
Reading = Literal["literal", "intended", "ours"]


@dataclass(frozen=True, slots=True)
class ProofOutcome:
    """The outcome of an accepted proof: the engine, the tools and entries that it relies on, and a remark.

    `proves` is false if the proof only shows that a hypothesis is needed.
    """

    engine: str
    trust: tuple[str, ...]
    detail: str = ""
    proves: bool = True


class Proof(Protocol):
    """A proof of a claim that an engine can check."""

    @property
    def engine(self) -> str:
        """Return the engine's name."""

    def accept(self, claim: Claim | None, claims: Mapping[str, Claim]) -> ProofOutcome:
        """Return the outcome, or raise `Rejected`; `claims` are those of the entries that it uses."""

    def reject(self, claim: Claim | None, control: Claim | None, claims: Mapping[str, Claim]) -> None:
        """Check the negative control; a sound proof raises `Rejected`."""


@dataclass(frozen=True, slots=True)
class Cite:
    """A hypothesis that is the conclusion of another entry, with terms for the symbols of the hypothesis."""

    key: str
    where: Mapping[str, Term] = field(default_factory=dict, hash=False)

    @property
    def keys(self) -> tuple[str, ...]:
        """Return the key of the cited entry."""
        return (self.key,)


@dataclass(frozen=True, slots=True)
class Induction:
    """A hypothesis that holds after any number of steps.

    The entry `start` proves it with the values `first` of its symbols; without `start` it holds there by
    arithmetic. The entry `step` proves it with the values `after`, from itself with the values `before`,
    which are needed only if the step has other names for the symbols.
    """

    start: str | None
    first: Mapping[str, Term | int] = field(hash=False)
    step: str
    after: Mapping[str, Term] = field(hash=False)
    before: Mapping[str, Term] = field(default_factory=dict, hash=False)

    @property
    def keys(self) -> tuple[str, ...]:
        """Return the keys of the base case and of the step."""
        return (self.start, self.step) if self.start else (self.step,)


@dataclass(frozen=True, slots=True)
class Entry:
    """One claim of the paper, or our own, with its proofs or its refutation.

    `claim` is the claim as stated in the paper; `added` are hypotheses that the paper does not state.
    `control` is a wrong claim, or a wrong conclusion, that every proof must reject.
    `refutation` shows that the claim is false, and `correction` is the key of the entry that replaces it.
    `severity` makes the entry an erratum. An erratum without a refutation is a gap before a true claim, or a
    misprint that its words correct.
    `also` and `also_lines` are further labels and lines of the paper with the same claim.
    `rests_on` are entries whose conclusions are among the hypotheses, directly or by an induction.
    `without` is a point that shows that the added hypotheses cannot be dropped.
    """

    key: str
    words: str
    kind: Kind
    label: str | None = None
    line: int | None = None
    reading: Reading = "literal"
    claim: Claim | None = None
    proofs: tuple[Proof, ...] = ()
    control: Claim | Formula | None = None
    added: tuple[Formula, ...] = ()
    hypothesis: str = ""
    without: Proof | None = None
    refutation: Proof | None = None
    correction: str | None = None
    severity: Severity | None = None
    erratum: str | None = None
    also: tuple[str, ...] = ()
    also_lines: tuple[int, ...] = ()
    example: Mapping[str, Any] | None = field(default=None, hash=False)
    functions: Functions | None = field(default=None, hash=False)
    remark: str = ""
    rests_on: tuple[Cite | Induction, ...] = ()

    @property
    def whole_claim(self) -> Claim | None:
        """Return the claim with the added hypotheses."""
        if self.claim is None:
            return None
        return Claim((*self.claim.given, *self.added), self.claim.then)

    @property
    def control_claim(self) -> Claim | None:
        """Return the negative control as a claim, with the hypotheses of the entry unless it has its own."""
        if self.whole_claim is None or not isinstance(self.control, Formula):
            return self.control if isinstance(self.control, Claim) else None
        return Claim(self.whole_claim.given, self.control)

    @property
    def labels(self) -> tuple[str, ...]:
        """Return the labels of the paper that the entry covers."""
        return (*((self.label,) if self.label else ()), *self.also)
