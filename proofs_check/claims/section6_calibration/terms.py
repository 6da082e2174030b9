"""Terms shared by the modules on Section 6."""

from __future__ import annotations

from privboost.proofs_check.kernel.terms import Term
from privboost.proofs_check.language import exp, log, reals, sqrt

_a, _b, _alpha, _m = reals("a b alpha m")

KEPT = sqrt((1 - _a) * (1 - _b)) + sqrt(_a * _b)
"""The Matsushita risk of a leaf after a split, relative to the risk before it."""

SENSITIVITY = 3 + 2 * _alpha * (sqrt(_m) - 1)
"""The bound on the sensitivity of the Mα-risk. Paper: sensALPHA."""


def logistic(z: Term) -> Term:
    """Return log(1 + exp(-z)), the surrogate of the log loss."""
    return log(1 + exp(-z))
