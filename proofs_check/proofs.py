"""The proofs that an entry can give: each is data, and its method `accept` runs an engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

from privboost.proofs_check.engines import boxes, definedness, elementary, smt, sums
from privboost.proofs_check.kernel.certificates import (
    Chord,
    Mirror,
    Rejected,
    check_boxes,
    check_identity,
    check_sum,
    check_witness,
)
from privboost.proofs_check.kernel.terms import Claim, Formula, Functions, Term, walk

from .entry import ProofOutcome
from .hypotheses import check_risks
from .language import infix, substitute_in

Claims = Mapping[str, Claim]

COMPUTING = ("computation", "derivation", "exhaustion", "witness")
COMPUTED_WITH = ("reference", "sympy", "z3", "transcription", "index of the paper")
"""The engines and tools that a computation may name: none of those that prove formulas."""


@dataclass(frozen=True, slots=True)
class Use:
    """An entry used in a proof, with the terms substituted for its variables."""

    key: str
    values: Mapping[str, Term] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class FormulaProof:
    """A proof of the formula of an entry, whose negative control is a wrong claim."""

    def reject(self, _claim: Claim | None, control: Claim | None, claims: Claims) -> None:
        """Try to accept the negative control."""
        if control is None:
            raise ValueError("the entry has no negative control")
        self.accept(control, claims)

    def accept(self, claim: Claim | None, claims: Claims) -> ProofOutcome:
        """Check the claim."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Identity(FormulaProof):
    """Proof that both sides of an equation, or of each of several, are the same quotient of polynomials."""

    engine: str = field(default="identity", init=False)

    def accept(self, claim: Claim | None, _claims: Claims) -> ProofOutcome:
        """Let the kernel check every identity."""
        whole = require_claim(claim)
        for equation in _conjuncts(whole.then):
            check_identity(equation)
        return ProofOutcome(self.engine, tuple(dict.fromkeys(("kernel", *definedness.check_defined(whole)))))


@dataclass(frozen=True, slots=True)
class Sum(FormulaProof):
    """Proof that the conclusion, times a positive factor, is a sum of products of facts.

    `steps` are chords and mirrors of Bayes risks and intermediate bounds, in the order they are needed.
    """

    steps: tuple[Chord | Mirror | Formula, ...] = ()
    degree: int = 2
    scale: tuple[Formula, ...] = ()
    uses: tuple[Use, ...] = ()

    @property
    def engine(self) -> str:
        """Return `concavity` where chords or mirrors are used, else `sum`."""
        return "concavity" if any(not isinstance(step, Formula) for step in self.steps) else "sum"

    def accept(self, claim: Claim | None, claims: Claims) -> ProofOutcome:
        """Search for the sum and let the kernel check it."""
        enlarged = _with_lemmas(require_claim(claim), self.uses, claims)
        steps, certificate = sums.find_sum(enlarged, self.steps, self.degree, self.scale)
        check_sum(enlarged, steps, certificate)
        trust = ("kernel", "z3", *(use.key for use in self.uses)) if self.uses else ("kernel",)
        return ProofOutcome(self.engine, trust)


@dataclass(frozen=True, slots=True)
class Smt(FormulaProof):
    """Proof by z3 that the negation has no solution.

    `steps` are chords and mirrors of Bayes risks; `facts` are instances of facts about exp and log.
    """

    steps: tuple[Chord | Mirror, ...] = ()
    facts: tuple[elementary.Fact, ...] = ()
    uses: tuple[Use, ...] = ()

    @property
    def engine(self) -> str:
        """Return `concavity` where chords or mirrors are used, else `smt`."""
        return "concavity" if self.steps else "smt"

    def enlarge(self, claim: Claim | None, claims: Claims) -> Claim:
        """Return the claim with lemmas, chords and elementary facts added to its hypotheses."""
        facts = [fact.formula() for fact in self.facts]
        whole, later = require_claim(claim), []
        for fact in facts:
            try:
                whole = _with_fact(whole, fact)
            except Rejected:
                later.append(fact)
        whole = _with_lemmas(whole, self.uses, claims)
        for step in self.steps:
            conditions, chord = smt.step_fact(step)
            for condition in conditions:
                smt.prove(Claim(whole.given, condition), ())
            whole = _with_fact(whole, chord)
        for fact in later:
            whole = _with_fact(whole, fact)
        return whole

    def accept(self, claim: Claim | None, claims: Claims) -> ProofOutcome:
        """Let z3 refute the negation."""
        whole = self.enlarge(claim, claims)
        asked = smt.prove(whole, ())
        parts = (part for formula in (*whole.given, whole.then) for part in walk(formula))
        elementary_trust = (
            ("elementary facts",) if any(part.op == "exp" for part in parts) or self.facts else ()
        )
        return ProofOutcome(
            self.engine, ("z3", *elementary_trust, *(use.key for use in self.uses)), f"{asked} questions"
        )


def by_z3(*premises: Chord | Mirror | elementary.Fact | Use) -> Smt:
    """Return the proof by z3 from chords, mirrors, facts about exp and log, and uses of other entries."""
    return Smt(
        tuple(premise for premise in premises if isinstance(premise, Chord | Mirror)),
        tuple(premise for premise in premises if isinstance(premise, elementary.Fact)),
        tuple(premise for premise in premises if isinstance(premise, Use)),
    )


@dataclass(frozen=True, slots=True)
class Boxes(FormulaProof):
    """Proof by interval arithmetic on every piece of a box."""

    precision: int = 64
    limit: int = 4_000
    engine: str = field(default="intervals", init=False)

    def accept(self, claim: Claim | None, _claims: Claims) -> ProofOutcome:
        """Cut the box into pieces that the kernel accepts."""
        cuts = boxes.find_cuts(require_claim(claim), self.precision, self.limit)
        check_boxes(require_claim(claim), cuts, self.precision)
        return ProofOutcome(self.engine, ("kernel",), f"{boxes.pieces(cuts)} boxes")


@dataclass(frozen=True, slots=True)
class Counterexample:
    """A point at which the hypotheses hold and the conclusion fails.

    `control` is a point that is not a counterexample.
    """

    point: Mapping[str, Any] = field(hash=False)
    control: Mapping[str, Any] = field(hash=False)
    functions: Functions = field(default_factory=dict, hash=False)
    engine: str = field(default="witness", init=False)

    def accept(self, claim: Claim | None, _claims: Claims) -> ProofOutcome:
        """Let the kernel evaluate the claim at the point."""
        trust = ("kernel", "z3") if check_risks(require_claim(claim), self.functions) else ("kernel",)
        check_witness(require_claim(claim), self.point, self.functions)
        facts = [f"{name} = {value}" for name, value in self.point.items()]
        facts += [
            f"{name}({parameter}) = {infix(body)}" for name, (parameter, body) in self.functions.items()
        ]
        return ProofOutcome(self.engine, trust, ", ".join(facts))

    def reject(self, claim: Claim | None, _control: Claim | None, _claims: Claims) -> None:
        """Try the point that is not a counterexample."""
        check_witness(require_claim(claim), self.control, self.functions)


@dataclass(frozen=True, slots=True)
class Computed:
    """An exact computation that decides the claim: it returns a remark, or raises `Rejected`.

    `control` are arguments on which it must raise.
    """

    function: Callable[..., str]
    arguments: tuple[Any, ...]
    control: tuple[Any, ...]
    engine: Literal["computation", "derivation", "exhaustion", "witness"] = "computation"
    trust: tuple[str, ...] = ("reference",)

    def __post_init__(self) -> None:
        if self.engine not in COMPUTING:
            raise ValueError(f"engine: expected one of {', '.join(COMPUTING)}, got '{self.engine}'")
        if unknown := [tool for tool in self.trust if tool not in COMPUTED_WITH]:
            raise ValueError(f"trust: expected tools among {', '.join(COMPUTED_WITH)}, got '{unknown[0]}'")

    def accept(self, _claim: Claim | None, _claims: Claims) -> ProofOutcome:
        """Run the computation."""
        return ProofOutcome(self.engine, self.trust, self.function(*self.arguments))

    def reject(self, _claim: Claim | None, _control: Claim | None, _claims: Claims) -> None:
        """Run the computation on the arguments of the control."""
        self.function(*self.control)


Witness = partial(Computed, engine="witness")
"""A computation on one example that proves or refutes the claim."""


@dataclass(frozen=True, slots=True)
class Derived:
    """A statement that `privboost.symbolic` derives as printed, by the key of the derivation.

    With `own_words` it is a part of the words that the formula of the entry does not state.
    """

    key: str
    own_words: bool = False
    engine: str = field(default="derivation", init=False)

    def accept(self, _claim: Claim | None, _claims: Claims) -> ProofOutcome:
        """Derive it again."""
        from privboost.proofs_check.engines.derivations import check_derivation

        detail = check_derivation(self.key, 0)
        return ProofOutcome(self.engine, ("sympy",), detail, own_words=self.own_words)

    def reject(self, _claim: Claim | None, _control: Claim | None, _claims: Claims) -> None:
        """Compare the derived statement with the printed one plus 1."""
        from privboost.proofs_check.engines.derivations import check_derivation

        check_derivation(self.key, 1)


@dataclass(frozen=True, slots=True)
class Cited:
    """A claim taken from a source, not derived here."""

    source: str
    engine: str = field(default="citation", init=False)

    def accept(self, _claim: Claim | None, _claims: Claims) -> ProofOutcome:
        """Return an outcome that relies on the source."""
        return ProofOutcome(self.engine, (self.source,))

    def reject(self, _claim: Claim | None, _control: Claim | None, _claims: Claims) -> None:
        """Reject every control, because nothing is checked."""
        raise Rejected("a citation checks nothing")


def require_claim(claim: Claim | None) -> Claim:
    """Return the claim of an entry, which must have one."""
    if claim is None:
        raise ValueError("the entry has no formal claim")
    return claim


def _conjuncts(formula: Formula) -> Iterator[Formula]:
    """Yield the parts of a conjunction, or the formula itself."""
    if formula.op != "and":
        yield formula
        return
    for part in formula.args:
        if isinstance(part, Formula):
            yield from _conjuncts(part)


def _with_lemmas(claim: Claim, uses: tuple[Use, ...], claims: Claims) -> Claim:
    """Return a claim with instances of lemmas as hypotheses, after z3 has proved their conditions."""
    for use in uses:
        lemma = claims[use.key]
        for condition in lemma.given:
            smt.prove(Claim(claim.given, substitute_in(condition, use.values)), ())
        claim = _with_fact(claim, substitute_in(lemma.then, use.values))
    return claim


def _with_fact(claim: Claim, fact: Formula) -> Claim:
    """Return a claim with one more hypothesis, after z3 has proved that it is defined."""
    for condition in smt.conditions((fact,)):
        smt.prove(Claim(claim.given, condition), ())
    return Claim((*claim.given, fact), claim.then)
