"""The bound of condR on small leaves."""

from __future__ import annotations

from fractions import Fraction

from privboost.proofs_check.kernel.terms import Claim
from privboost.proofs_check.language import reals
from privboost.proofs_check.proofs import Smt


def bound_stays_below(factor: Fraction, largest: Fraction) -> str:
    """Show that the bound of condR is below factor * gamma * q for all q up to the largest one."""
    gamma, q = reals("gamma q")
    bound = 2 * gamma * q * (1 - q) / (1 - 2 * q)
    Smt().accept(Claim((0 < gamma, 0 < q, q <= largest), bound < factor * gamma * q), {})
    return f"The bound is below {factor} γ q, not near 4γ q, for all q up to {largest}."
