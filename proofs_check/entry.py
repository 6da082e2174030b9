"""An entry of the ledger: a claim of the paper, its location, and its proofs or its refutation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import InitVar, dataclass, field
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

    `proves` is false if the proof only shows that a hypothesis is needed. `own_words` is true if words of the
    entry rest on the proof that no formula states.
    """

    engine: str
    trust: tuple[str, ...]
    detail: str = ""
    proves: bool = True
    own_words: bool = False


class Proof(Protocol):
    """A proof of a claim that an engine can check."""

    @property
    def engine(self) -> str:
        """Return the engine's name."""

    def accept(self, claim: Claim | None, claims: Mapping[str, Claim]) -> ProofOutcome:
        """Return the outcome, or raise `Rejected`; `claims` are those of the entries that it uses."""

    def reject(self, claim: Claim | None, control: Claim | None, claims: Mapping[str, Claim]) -> None:
        """Check the negative control; a sound proof raises `Rejected`."""


@dataclass(frozen=True, slots=True, init=False)
class Symbols:
    """The declared symbols of a section: variables, and names of functions.

    On `inputs` a claim may put conditions: data, parameters, an arbitrary point. Of the other symbols, the
    outcomes, `positive` are those that are never negative by their meaning, which also gives the bounds
    `meaning`. `stands_for` has one line for every term for which citations may take a symbol, and for every
    sum or sequence over which inductions may run.
    """

    inputs: frozenset[str]
    positive: frozenset[str]
    meaning: tuple[Formula, ...]
    stands_for: frozenset[str]

    def __init__(
        self, inputs: str, positive: str = "", meaning: tuple[Formula, ...] = (), stands_for: str = ""
    ) -> None:
        object.__setattr__(self, "inputs", frozenset(inputs.split()))
        object.__setattr__(self, "positive", frozenset(positive.split()))
        object.__setattr__(self, "meaning", meaning)
        object.__setattr__(self, "stands_for", frozenset(map(str.strip, stands_for.splitlines())))


@dataclass(frozen=True, slots=True)
class Cite:
    """A hypothesis that is the conclusion of another entry, with terms for the symbols of the hypothesis.

    `given` is what the citing entry assumes of the symbols in these terms.
    """

    key: str
    where: Mapping[str, Term] = field(default_factory=dict, hash=False)
    given: tuple[Formula, ...] = ()

    @property
    def keys(self) -> tuple[str, ...]:
        """Return the key of the cited entry."""
        return (self.key,)


@dataclass(frozen=True, slots=True)
class Induction:
    """A hypothesis that holds after any number of steps.

    The entry `start` proves it with the values `first` of its symbols; without `start` it holds there by
    arithmetic. The entry `step` proves it with the values `after`, from itself with the values `before`,
    which are needed only if the step has other names for the symbols. `given` is what the citing entry
    assumes of every step, and of the start.
    """

    start: str | None
    first: Mapping[str, Term | int] = field(hash=False)
    step: str
    after: Mapping[str, Term] = field(hash=False)
    before: Mapping[str, Term] = field(default_factory=dict, hash=False)
    given: tuple[Formula, ...] = ()

    @property
    def keys(self) -> tuple[str, ...]:
        """Return the keys of the base case and of the step."""
        return (self.start, self.step) if self.start else (self.step,)


@dataclass(frozen=True, slots=True)
class Entry:
    """One claim of the paper, or our own, with its proofs or its refutation.

    `label` may be left out if the key begins with it, and `line` if it is that of the label.
    `claim` is the claim as stated in the paper, and may be passed in two parts, `given` and `then`; `added`
    are hypotheses that the paper does not state.
    `proof` is the only one of `proofs`. Without proofs or a `refutation`, z3 is asked.
    `control` is a wrong claim, or a wrong conclusion, that every proof must reject.
    `refutation` shows that the claim is false, and `correction` is the key of the entry that replaces it.
    `severity` makes the entry an erratum. An erratum without a refutation is a gap before a true claim, or a
    misprint that its words correct.
    `also` and `also_lines` are further labels and lines of the paper with the same claim; `lines` sets all.
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
    given: InitVar[tuple[Formula, ...]] = ()
    then: InitVar[Formula | None] = None
    lines: InitVar[tuple[int, ...]] = ()
    proof: InitVar[Proof | None] = None

    def __post_init__(
        self, given: tuple[Formula, ...], then: Formula | None, lines: tuple[int, ...], proof: Proof | None
    ) -> None:
        if then is not None:
            object.__setattr__(self, "claim", Claim(given, then))
        if lines:
            object.__setattr__(self, "line", lines[0])
            object.__setattr__(self, "also_lines", lines[1:])
        if proof is not None:
            object.__setattr__(self, "proofs", (proof,))

    @property
    def whole_claim(self) -> Claim | None:
        """Return the claim with the added hypotheses."""
        if self.claim is None:
            return None
        return Claim((*self.claim.given, *self.added), self.claim.then)

    @property
    def setting(self) -> tuple[Formula, ...]:
        """Return the hypotheses, what is stated about cited entries, and the terms that symbols stand for."""
        stated = self.whole_claim.given if self.whole_claim else ()
        for item in self.rests_on:
            stated += item.given
            if isinstance(item, Cite):
                stated += tuple(
                    Formula("=", (Term("variable", (), name), value)) for name, value in item.where.items()
                )
        return tuple(dict.fromkeys(stated))

    @property
    def control_claim(self) -> Claim | None:
        """Return the negative control as a claim, with the hypotheses of the entry unless it has its own."""
        if self.whole_claim is None or not isinstance(self.control, Formula):
            return self.control if isinstance(self.control, Claim) else None
        return Claim(self.whole_claim.given, self.control)

    @property
    def part_controls(self) -> tuple[Claim, ...]:
        """Return a wrong twin of each part of the conclusion that the control leaves as it is.

        It has the sides of a comparison in the other order, or is the negation of the part.
        """
        whole, control = self.whole_claim, self.control_claim
        if whole is None or control is None or whole.then.op != "and":
            return ()
        parts = [part for part in whole.then.args if isinstance(part, Formula)]
        if control.then.op == "and" and len(control.then.args) == len(parts):
            parts = [part for part in parts if part in control.then.args]
        return tuple(
            Claim(whole.given, Formula("<=", part.args[::-1]) if part.op == "<=" else Formula("not", (part,)))
            for part in parts
        )

    @property
    def labels(self) -> tuple[str, ...]:
        """Return the labels of the paper that the entry covers."""
        return (*((self.label,) if self.label else ()), *self.also)
