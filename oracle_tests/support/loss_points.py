"""Points at which losses are compared, including values close to 0, 1/2, 1 and the ends of the plateau."""

from __future__ import annotations

from fractions import Fraction

from privboost.reference.losses import (
    LOG,
    MATSUSHITA,
    SQUARE,
    ZERO_ONE,
    ZERO_ONE_AS_PRINTED,
    Loss,
    m_alpha,
    m_alpha_as_printed,
)

ALPHAS = tuple(map(Fraction, ("0", "1/10", "1/2", "9/10", "1")))
HALF = Fraction(1, 2)
TINY = Fraction(1, 1 << 60)

_EDGES = (
    Fraction(0),
    TINY,
    Fraction(1, 10**9),
    Fraction(1, 10**5),
    HALF - TINY,
    HALF,
    HALF + TINY,
    1 - Fraction(1, 10**9),
    1 - TINY,
    Fraction(1),
)
PROBABILITIES = tuple(sorted({*_EDGES, *(Fraction(k, 192) for k in range(1, 192))}))
"""Two hundred rational probabilities, including the edges (1/2 is in both sets)."""

FEW = tuple(map(Fraction, ("0", "1/1000000", "1/7", "2/5", "1/2", "3/4", "999/1000", "1")))
INNER = FEW[1:-1]

FIXED: tuple[Loss, ...] = (SQUARE, LOG, ZERO_ONE, MATSUSHITA)
"""The losses without a parameter."""
CORRECTED: tuple[Loss, ...] = (*FIXED, *(m_alpha(alpha) for alpha in ALPHAS))
AS_PRINTED: tuple[Loss, ...] = (ZERO_ONE_AS_PRINTED, *(m_alpha_as_printed(alpha) for alpha in ALPHAS))


def margins(alpha: Fraction) -> tuple[Fraction, ...]:
    """Return rational predictions on the plateau, near its ends and far away."""
    end = 2 * (1 - alpha)
    near = {sign * (end + shift) for sign in (-1, 1) for shift in (Fraction(0), TINY, -TINY)}
    return tuple(sorted({*near, *(Fraction(k, 8) for k in range(-44, 45)), Fraction(1000), Fraction(-1000)}))
