"""Shared by modules of claims: the assumptions on every Bayes risk, some risks by name, and shorthands.

A Bayes risk is known by four facts: it is concave on [0, 1] (steps `Chord`), symmetric (steps `Mirror`),
0 at 0 (`AT_ZERO`) and 1 at 1/2 (`AT_HALF`). `section2_losses.definitions` proves these of each of `RISKS`.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from privboost.proofs_check.entry import Induction
from privboost.proofs_check.kernel.terms import Formula, Functions, Term, term
from privboost.proofs_check.language import equal, reals, risk, smaller, sqrt

HALF = Fraction(1, 2)
ZERO = term(0)
ONE = term(1)
AT_ZERO = equal(risk(0), 0)
AT_ONE = equal(risk(1), 0)
AT_HALF = equal(risk(HALF), 1)

(_x,) = reals("x")

MATSUSHITA: Functions = {"L": ("x", 2 * sqrt(_x * (1 - _x)))}
SQUARE: Functions = {"L": ("x", 4 * _x * (1 - _x))}
ZERO_ONE: Functions = {"L": ("x", 2 * smaller(_x, 1 - _x))}
FLAT: Functions = {"L": ("x", smaller(1, smaller(4 * _x, 4 * (1 - _x))))}
"""A Bayes risk that is 1 on all of [1/4, 3/4], where it is not strictly concave."""

RISKS = {"matsushita": MATSUSHITA, "square": SQUARE, "zero-one": ZERO_ONE, "flat": FLAT}


def at(**values: int | Fraction) -> dict[str, Fraction]:
    """Return a point with integers converted to fractions, so that quotients stay exact."""
    return {name: Fraction(number) for name, number in values.items()}


def add_up(
    step: str,
    after: Mapping[str, Term],
    given: tuple[Formula, ...] = (),
    before: Mapping[str, Term] | None = None,
) -> Induction:
    """Return the induction over the terms of some sums, which are all 0 at the start."""
    return Induction(None, dict.fromkeys(after, 0), step, after, before or {}, given)
