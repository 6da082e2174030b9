"""The derivation engine: statements that `privboost.symbolic` derives again with sympy."""

from __future__ import annotations

from functools import cache
from hashlib import sha256

from sympy.logic.boolalg import Boolean

from privboost.proofs_check.kernel.certificates import Rejected
from privboost.symbolic.algebra.certify import is_zero
from privboost.symbolic.comparison import Derivation
from privboost.symbolic.registry import derivations


@cache
def _by_key() -> dict[str, Derivation]:
    return {derivation.key: derivation for derivation in derivations()}


def check_derivation(key: str, shift: int) -> str:
    """Accept a statement that sympy derives as printed; a nonzero `shift` falsifies it, as a control."""
    derivation = _by_key().get(key)
    if derivation is None:
        raise Rejected(f"no derivation is called '{key}'")
    if derivation.verdict != "AGREES":
        raise Rejected(f"the verdict of the derivation '{key}' is {derivation.verdict}: {derivation.detail}")
    if isinstance(derivation.printed, Boolean):
        if shift:
            raise Rejected("the statement holds, and its negation does not")
    elif not all(is_zero(derivation.printed + shift - derivation.derived, r) for r in derivation.regions):
        raise Rejected(f"printed and derived differ by {shift}")
    statement = f"{derivation.printed}; {derivation.derived}; {derivation.regions}"
    return f"derivation {key} ({sha256(statement.encode()).hexdigest()[:8]})"
