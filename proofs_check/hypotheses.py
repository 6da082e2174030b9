"""Checks of hypotheses: they can hold together, and functions given as Bayes risks are Bayes risks."""

from __future__ import annotations

from functools import cache

from privboost.errors import HarnessError
from privboost.proofs_check.engines import smt
from privboost.proofs_check.kernel.certificates import Rejected
from privboost.proofs_check.kernel.terms import NAMED, Claim, Formula, Functions, Term, holds, walk

from .entry import Entry
from .language import between, equal, reals, risks, substitute, variables

RESERVED = ("sqrt", "exp", "log", "abs", "min", "max")


def check_names(entry: Entry) -> None:
    """Raise `Rejected` if any function has the name of a Bayes risk, such as L, or a name is reserved."""
    formulas = (*entry.setting, entry.claim.then) if entry.claim else ()
    named = [part for formula in formulas for part in walk(formula) if isinstance(part, Term)]
    bayes = {"L", *(part.name for part in named if part.op == "risk")}
    for part in named:
        if part.op == "apply" and part.name in bayes:
            raise Rejected(f"{part.name} is the name of a Bayes risk, and here of any function")
        if part.op in NAMED and (part.name in RESERVED or str(part.name).startswith("_")):
            raise Rejected(f"the name {part.name} is reserved")


def check_risks(claim: Claim, functions: Functions) -> bool:
    """Raise `Rejected` unless the Bayes risks of a claim have such definitions; return whether it has any."""
    for name in risks(claim):
        if name not in functions:
            raise Rejected(f"the Bayes risk {name} has no definition")
        _check_risk(name, *functions[name])
    return bool(risks(claim))


@cache
def _check_risk(name: str, parameter: str, body: Term) -> None:
    x, z, y = reals("x z y")
    at_x, at_z, at_y, mirrored = (substitute(body, {parameter: point}) for point in (x, z, y, 1 - x))
    below_chord = (y - z) * at_x + (z - x) * at_y <= (y - x) * at_z
    try:
        smt.prove(Claim((0 <= x, x <= z, z <= y, y <= 1), below_chord), ())
        smt.prove(Claim(between(0, x, 1), equal(at_x, mirrored)), ())
    except Rejected as error:
        raise Rejected(f"{name} is not shown to be concave and symmetric: {error}") from None


def is_satisfiable(entry: Entry) -> bool:
    """Return whether the hypotheses of an entry, and what it states about cited ones, can hold together.

    An example given by the entry is evaluated exactly. Otherwise z3 searches for one, with 4x(1 - x) as the
    Bayes risk.
    """
    stated = entry.setting
    if entry.whole_claim is None or not stated:
        return True
    if entry.example is not None:
        check_risks(entry.whole_claim, entry.functions or {})
        if missing := sorted({name for part in stated for name in variables(part)} - entry.example.keys()):
            raise HarnessError(f"the example of '{entry.key}' has no value for {', '.join(missing)}")
        return all(holds(formula, entry.example, entry.functions or {}) for formula in stated)
    given = tuple(_with_square_risk(formula) for formula in stated)
    if any(part.op in ("exp", "log") for formula in given for part in walk(formula)):
        raise HarnessError(f"'{entry.key}' has exp or log among its hypotheses and needs an example")
    return smt.satisfiable(given)


def _with_square_risk(node: Formula) -> Formula:
    return Formula(
        node.op,
        tuple(
            _square_term(part) if isinstance(part, Term) else _with_square_risk(part) for part in node.args
        ),
    )


def _square_term(node: Term) -> Term:
    args = tuple(_square_term(part) for part in node.args)
    if node.op not in ("apply", "risk"):
        return Term(node.op, args, node.name)
    (x,) = reals("x")
    return substitute(4 * x * (1 - x), {"x": args[0]})
