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

from fractions import Fraction

from privboost.proofs_check.claims.common import HALF
from privboost.proofs_check.engines.elementary import Fact
from privboost.proofs_check.entry import Induction
from privboost.proofs_check.kernel.terms import Formula, Term
from privboost.proofs_check.language import absolute, between, reals, smaller, sqrt

_x, _y, _gamma, _alpha, _beta = reals("x y gamma alpha beta")
_m_old, _e_old, _m_new, _e_new = reals("M E M2 E2")
_q, _w, _t, _s, _d, _omega, _omegas, _size, _rest = reals("q w t S D omega Omega L R")


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

LEAF_SPLIT = (*WEAK, *unit(_q), 0 <= _w)
"""One of the leaves of a level, of weight w, and its split."""

SPLIT = (*WEAK, 0 < _q, _q < 1, 0 < _w, _w <= 1, 0 <= _rest)
"""An impure leaf of weight w, its split, and the Matsushita risk R of the other leaves."""

HALVED = dict.fromkeys(("q", "w"), HALF) | {"x": Fraction(1), "y": Fraction(0), "R": HALF}
"""A leaf that is half of a tree and is split perfectly."""

MEANS = unit(_alpha, _beta)
RISKS = (0 <= _e_old, _e_old <= _m_old)
MIXED_OLD = _beta * _m_old + (1 - _beta) * _e_old
MIXED_NEW = _alpha * _m_new + (1 - _alpha) * _e_new

ERROR_BELOW_RISK = Induction(
    None,
    {"E": 0, "M": 0},
    "boost.error",
    {"E": _e_old + _w * 2 * smaller(_q, 1 - _q), "M": _m_old + _w * matsushita(_q)},
    given=(*unit(_q), 0 <= _w),
)
"""The 0/1 risk of a tree, a sum over leaves, is at most its Matsushita risk."""


def risk_after_splits(shares: str) -> Induction:
    """Return the proof that the Matsushita risk is at most exp(-γ² S/2), S the sum of the shares split."""
    return Induction(
        "boost.theorem.start",
        {"M": matsushita(_q), shares: 0},
        "boost.theorem.step",
        {"M": _m_new, shares: _omegas + _t},
        {shares: _omegas},
        (*unit(_t), 0 <= _m_old, *SPLIT),
    )


SUM_OF_SHARES = Induction(
    None,
    {"S": 0, "Omega": 0},
    "boost.any-alpha.sum",
    {"S": _s + _omega * _alpha, "Omega": _omegas + _omega},
    given=unit(_alpha, _omega),
)
"""The sum of ω α is at most the sum of ω."""

RISK_AFTER_LEVELS = Induction(
    "boost.theorem.start",
    {"M": matsushita(_q), "D": 0},
    "boost.level-exponential",
    {"M": _m_new, "D": _d + 1},
    given=(0 <= _m_old, *LEAF_SPLIT),
)
"""The Matsushita risk is at most exp(-γ² D/2) after D levels."""

HARMONIC = Induction(
    "boostCOND.harmonic.start",
    {"L": 0, "Omega": 0},
    "boostCOND.harmonic",
    {"L": _size + 1, "Omega": _omegas + _omega},
    given=(0 <= _size, 1 / (_size + 1) <= _omega),
)
"""The sum of L numbers of which the l-th is at least 1/l is at least log(L + 1)."""

KEARNS_MANSOUR = (
    "Kearns, Mansour: On the boosting ability of top-down decision tree learning algorithms, 1996"
)
