"""Coq proofs of claims, along those of the ledger: the same lemmas, chords and facts in the same order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise

from privboost.proofs_check.kernel.certificates import Chord, Mirror
from privboost.proofs_check.kernel.terms import Claim, Formula, Term, term, walk
from privboost.proofs_check.language import substitute_in
from privboost.proofs_check.proofs import Smt, Sum, Use

from .statements import coq_formula, coq_term, functions, variables

NAMED = {"/": "quotient", "sqrt": "root", "abs": "absolute", "min": "minimum", "max": "maximum"}
"""The operations that polynomial arithmetic does not know, each with the lemma about it."""

OPAQUE = ("exp", "log", "apply", "risk")


def coq_name(key: str) -> str:
    """Return the name of the theorem of an entry."""
    return "entry_" + "".join(letter if letter.isalnum() else "_" for letter in key)


def script(claim: Claim, proof: Smt | Sum, claims: Mapping[str, Claim]) -> str:
    """Return a tactic that proves a claim along the lines of a proof of the ledger, if Coq can follow it."""
    lines = ["intros"]
    known = list(claim.given)
    if isinstance(proof, Smt):
        for fact in proof.facts:
            lines.append(f"assert {coq_formula(fact.formula())} by elementary")
            known.append(fact.formula())
    for use in proof.uses:
        lines.append(_lemma(use, claims[use.key], known))
        known.append(substitute_in(claims[use.key].then, use.values))
    for step in proof.steps:
        lines.append(_assert_formula(step, known) if isinstance(step, Formula) else _step(step, known))
        known.append(step if isinstance(step, Formula) else _fact(step))
    return "; ".join([*lines, arithmetic(known, claim.then)])


def definedness_script(claim: Claim, conditions: Iterable[Formula], tactic: str) -> str:
    """Return a tactic that shows the conditions one after the other, from the hypotheses of a claim.

    `tactic`, if not empty, is tried before the general ones.
    """
    lines, known = ["intros"], list(claim.given)
    for condition in conditions:
        ways = (*([f"solve [{tactic}]"] if tactic else []), "defined", arithmetic(known, condition))
        shown = f"first [{' | '.join(ways)}]"
        lines.append(f"assert {coq_formula(condition)} by ({shown})")
        known.append(condition)
    return "; ".join([*lines, "repeat split; assumption"])


def arithmetic(known: Iterable[Formula], goal: Formula) -> str:
    """Return the tactics that name what is not polynomial, inner parts first, and close a goal."""
    formulas = (*known, goal)
    parts = dict.fromkeys(
        part for formula in formulas for part in walk(formula) if isinstance(part, Term) and _is_named(part)
    )
    facts = [
        f"pose proof ({NAMED[part.op]} {' '.join(coq_term(inner) for inner in part.args)})"
        for part in parts
        if part.op in NAMED
    ]
    names = [
        f"set (n_{i} := {coq_term(part)}) in *; clearbody n_{i}"
        for i, part in reversed(list(enumerate(parts)))
    ]
    return "; ".join([*facts, *names, "arithmetic"])


def _is_named(part: Term) -> bool:
    constant = part.op == "/" and all(inner.op == "number" for inner in part.args)
    return (part.op in NAMED or part.op in OPAQUE) and not constant


def _lemma(use: Use, claim: Claim, known: list[Formula]) -> str:
    """Return the tactics that prove an instance of a lemma from what is known."""
    conditions = [substitute_in(part, use.values) for part in claim.given]
    shown = [_assert_formula(part, known) for part in conditions]
    formulas = (*claim.given, claim.then)
    applied, risks = functions(formulas)
    bound = {f"v_{name}": value for name, value in use.values.items()}
    arguments = [*applied, *risks]
    arguments += [coq_term(bound[name]) if name in bound else name for name in variables(formulas)]
    then = coq_formula(substitute_in(claim.then, use.values))
    called = " ".join((coq_name(use.key), *arguments))
    return "; ".join([*shown, f"assert {then} by (apply ({called}); assumption)"])


def _assert_formula(formula: Formula, known: Iterable[Formula]) -> str:
    """Return the tactic that proves a formula from what is known."""
    return f"assert {coq_formula(formula)} by ({arithmetic(known, formula)})"


def _points(step: Chord | Mirror) -> tuple[Term, ...]:
    return (step.x, step.z, step.y) if isinstance(step, Chord) else (step.x,)


def _fact(step: Chord | Mirror) -> Formula:
    at = [Term("risk", (point,), step.function) for point in _points(step)]
    if isinstance(step, Mirror):
        return Formula("=", (at[0], Term("risk", (1 - step.x,), step.function)))
    x, z, y = _points(step)
    return (y - z) * at[0] + (z - x) * at[2] <= (y - x) * at[1]


def _step(step: Chord | Mirror, known: list[Formula]) -> str:
    """Return the tactics that prove the fact of a chord or mirror."""
    ends = (term(0), *_points(step), term(1))
    conditions = [lesser <= greater for lesser, greater in pairwise(ends)]
    shown = [_assert_formula(part, known) for part in conditions]
    lemma = "chord" if isinstance(step, Chord) else "mirror"
    return "; ".join([*shown, f"assert {coq_formula(_fact(step))} by (apply {lemma}; assumption)"])
