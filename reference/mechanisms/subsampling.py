"""Privacy of a mechanism that runs on a random part of the rows.

Notation:
    q    probability of a row to be in the part
"""

from __future__ import annotations

from privboost.reference.exact import Exact, Number, exp, log

from .arguments import check_delta, check_share, not_negative, positive
from .gaussian import gaussian_delta


def amplify(epsilon: Exact, delta: Exact, q: Exact) -> tuple[Number, Number]:
    """Return log(1 + q (e^epsilon - 1)) and q delta.

    This holds in two cases: each row is in the part on its own (Poisson sampling), and both guarantees are
    for a row more or less; or the part has q n of n rows, and both are for a row replaced.

    Source: Balle, Barthe and Gaboardi 2018, Theorems 8 and 9; Li, Qardaji and Su 2012, Theorem 1 (Poisson).
    """
    share, budget = _rate(q), not_negative(epsilon, "epsilon")
    return log(1 + share * (exp(budget) - 1)), share * check_delta(delta, zero=True)


def subsampled_gaussian_delta(epsilon: Exact, sigma: Exact, q: Exact) -> Number:
    """Return the least delta of one sum with Gaussian noise over a Poisson sample, for a row more or less.

    With P = (1 - q) N(0, sigma) + q N(1, sigma) and Q = N(0, sigma), it is the greater one of the divergences
    q D_x(N(1) | N(0)), where x = 1 + (e^epsilon - 1) / q, of P from Q, and y D_z(N(0) | N(1)), where
    y = 1 - e^epsilon (1 - q) and z = q e^epsilon / y, of Q from P, which is 0 for y <= 0. Here D_x(A | B) is
    the integral of max{0, A - x B}.

    Source: Balle, Barthe and Gaboardi 2018, Theorem 2 and Theorem 8; Zhu, Dong and Wang 2022, Theorem 11.
    """
    share, odds = _rate(q), exp(not_negative(epsilon, "epsilon"))
    removed = share * gaussian_delta(log(1 + (odds - 1) / share), sigma)
    rest = 1 - odds * (1 - share)
    if rest <= 0:
        return removed
    return max(removed, rest * gaussian_delta(log(share * odds / rest), sigma))


def _rate(q: Exact) -> Number:
    """Return a sampling rate, which must be in (0, 1]."""
    return positive(check_share(q, "q"), "q")
