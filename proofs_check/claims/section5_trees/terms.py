"""Terms shared by the modules on trees: fractions that a split sends right, and risks before and after it.

| here | mathematics |
|---|---|
| `x`, `y` | the fractions of a leaf's positives and negatives that a split sends right; its edge is x - y |
| `matsushita(q)` | 2 sqrt(q (1 - q)), the Matsushita risk of a leaf with a proportion q of positives |
| `kept(x, y)` | sqrt(x y) + sqrt((1 - x)(1 - y)), the children's Matsushita risk over that of the leaf |
| `M`, `E`, `M2`, `E2` | Matsushita and 0/1 risk of a tree before and after a split, normalised |
| `alpha`, `beta` | the parameter of the M-alpha risk after and before the split |
"""

from __future__ import annotations

from privboost.proofs_check.engines.elementary import Fact
from privboost.proofs_check.kernel.terms import Formula, Term
from privboost.proofs_check.language import absolute, between, reals, sqrt

_x, _y, _gamma, _alpha, _beta = reals("x y gamma alpha beta")
_m_old, _e_old, _m_new, _e_new = reals("M E M2 E2")


def unit(*parts: Term) -> tuple[Formula, ...]:
    """State that terms are in [0, 1]."""
    return tuple(formula for part in parts for formula in between(0, part, 1))


def matsushita(proportion: Term) -> Term:
    """Return 2 sqrt(q (1 - q))."""
    return 2 * sqrt(proportion * (1 - proportion))


def kept(right_positives: Term, right_negatives: Term) -> Term:
    """Return sqrt(x y) + sqrt((1 - x)(1 - y))."""
    return sqrt(right_positives * right_negatives) + sqrt((1 - right_positives) * (1 - right_negatives))


def inverse_exp(z: Term) -> tuple[Fact, ...]:
    """Return the facts that give exp(z) exp(-z) = 1."""
    return (Fact("exp(x + y) = exp(x) exp(y)", (z, -z)), Fact("exp(0) = 1"))


WEAK = (*unit(_x, _y), 0 < _gamma, _gamma <= absolute(_x - _y))
"""A split that satisfies the weak learning assumption with constant gamma."""

MEANS = unit(_alpha, _beta)
RISKS = (0 <= _e_old, _e_old <= _m_old)
MIXED_OLD = _beta * _m_old + (1 - _beta) * _e_old
MIXED_NEW = _alpha * _m_new + (1 - _alpha) * _e_new

KEARNS_MANSOUR = (
    "Kearns, Mansour: On the boosting ability of top-down decision tree learning algorithms, 1996"
)
