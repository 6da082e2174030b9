"""The check that a function of a witness or example is a Bayes risk: concave and symmetric on [0, 1]."""

from __future__ import annotations

from functools import cache

from privboost.proofs_check.engines import smt
from privboost.proofs_check.kernel.certificates import Rejected
from privboost.proofs_check.kernel.terms import Claim, Functions, Term

from .language import between, equal, reals, risks, substitute


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
