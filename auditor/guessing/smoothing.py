"""Smooth the counts of both sides over ordered cells, so that small differences are estimated from all calls.

The log odds of the sides are a polynomial in the normal quantile of the rank of a cell, fitted by logistic
regression. A shift of normal noise has log odds that are linear in it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, ndtri

Floats = NDArray[np.float64]

STEPS = 8
RIDGE = 1.0
"""Weight of the penalty on coefficients, in calls."""


def smoothed(sides: Floats, degree: int) -> Floats:
    """Return the expected counts of both sides: in every cell the total is kept.

    Requires: sides has shape (2, cells), in the order of the cells.
    """
    total = sides.sum(axis=0)
    calls = total.sum()
    filled = total > 0
    ranks = (np.cumsum(total) - total / 2)[filled] / calls
    basis = np.vander(ndtri(ranks), degree + 1, increasing=True)
    seen, right = total[filled], sides[1, filled]
    weights = np.zeros(degree + 1)
    for _ in range(STEPS):
        chance = expit(basis @ weights)
        gradient = basis.T @ (right - seen * chance) - RIDGE * weights
        curvature = (basis * (seen * chance * (1 - chance))[:, None]).T @ basis + RIDGE * np.eye(degree + 1)
        weights = weights + np.linalg.solve(curvature, gradient)

    expected = np.zeros_like(sides)
    expected[1, filled] = seen * expit(np.clip(basis @ weights, -30, 30))
    expected[0, filled] = seen - expected[1, filled]
    return expected
