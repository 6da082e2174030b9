"""The M-alpha loss in floating point, and the exact table of weights on the grid.

L(u) = alpha 2 sqrt(u (1 - u)) + (1 - alpha) 2 min(u, 1 - u); the link is -L', its inverse maps margins to
weights.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import isqrt
from typing import Any

import numpy as np

from .arrays import Array
from .protocol import GRID


def leaf_risk(positive: Array, negative: Array, alpha: Any) -> Array:
    """Return w L(w1 / w) = 2 alpha sqrt(p n) + 2 (1 - alpha) min(p, n) of the class masses p and n."""
    p, n = np.asarray(positive, dtype=np.float64), np.asarray(negative, dtype=np.float64)
    risk: Array = 2 * (alpha * np.sqrt(p * n) + (1 - alpha) * np.minimum(p, n))
    return risk


def link(u: Array, alpha: float) -> Array:
    """Return the canonical link at u in (0, 1), and 0 at 1/2."""
    u = np.asarray(u, dtype=np.float64)
    value: Array = alpha * (2 * u - 1) / np.sqrt(u * (1 - u)) + 2 * (1 - alpha) * np.sign(2 * u - 1)
    return value


def inverse_link(z: Array, alpha: float) -> Array:
    """Return the inverse link, which is 1/2 on the plateau |z| <= 2 (1 - alpha)."""
    z = np.asarray(z, dtype=np.float64)
    beyond = np.maximum(np.abs(z) / 2 - (1 - alpha), 0)
    return 0.5 * (1 + np.sign(z) * beyond / np.hypot(alpha, beyond))


def float_weights(margins: Array, signs: Array, alpha: float) -> Array:
    """Return the weights of real margins, rounded down to the grid and from one step to GRID steps.

    Coefficients of huge noise overflow, and margins are then NaN. `fmin` and `fmax` bound these weights too;
    the sensitivity of the next tree depends on it.
    """
    steps = np.floor(GRID * inverse_link(-signs * margins, alpha))
    weights: Array = np.fmax(np.fmin(steps, GRID), 1).astype(np.uint16)
    return weights


def mirror_weights(weights: Array, moves: Array, alpha: float) -> Array:
    """Return the weights after the paper's mirror update, link^-1(link(w) - move)."""
    return inverse_link(link(weights, alpha) - moves, alpha)


@lru_cache(maxsize=8)
def weight_table(reach: int, alpha: Fraction, most: int = GRID) -> Array:
    """Return the weight in grid steps of every signed margin from -reach to reach grid steps, exactly.

    The weight is floor(GRID * link^-1(-z)), at least 1 and at most `most`. It is computed with integer square
    roots, so no rounding depends on floats.
    """
    table = np.empty(2 * reach + 1, dtype=np.uint16)
    p, q = alpha.numerator, alpha.denominator
    for steps in range(reach + 1):
        # beyond = steps / (2 GRID) - (1 - alpha), over the common denominator 2 GRID q.
        beyond = max(steps * q - 2 * GRID * (q - p), 0)
        square = (2 * GRID * p) ** 2 + beyond * beyond
        # weight = GRID / 2 (1 +- beyond / sqrt(square)); floors by comparing squares.
        table[reach - steps] = min((GRID + _floor_ratio(GRID * beyond, square)) // 2, most)
        table[reach + steps] = max(1, (GRID - _ceiling_ratio(GRID * beyond, square)) // 2)
    table.flags.writeable = False
    return table


def link_steps(u: Fraction, alpha: Fraction) -> int:
    """Return floor(GRID * link(u)) of a proportion, exactly.

    Requires: 0 < u < 1.
    """
    part, whole = u.numerator, u.denominator
    p, q = alpha.numerator, alpha.denominator
    lean = 2 * part - whole
    # GRID link = (steep + jump) / q; the floors of both divisions may be taken one after the other.
    square = part * (whole - part)
    steep = GRID * p * abs(lean)
    rounded = _floor_ratio(steep, square) if lean >= 0 else -_ceiling_ratio(steep, square)
    jump = 2 * GRID * (q - p) * ((lean > 0) - (lean < 0))
    return (rounded + jump) // q


def _floor_ratio(numerator: int, square: int) -> int:
    """Return floor(numerator / sqrt(square)).

    Requires: numerator >= 0, square > 0.
    """
    return isqrt(numerator * numerator // square)


def _ceiling_ratio(numerator: int, square: int) -> int:
    """Return ceil(numerator / sqrt(square)).

    Requires: numerator >= 0, square > 0.
    """
    down = _floor_ratio(numerator, square)
    return down + (down * down * square < numerator * numerator)
