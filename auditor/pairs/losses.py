"""Exact privacy losses as floats, rounded up."""

from __future__ import annotations

import math
from fractions import Fraction

from privboost.reference.exact import Extended, Infinity, enclose

ENCLOSURE_BITS = 96
"""Precision of the enclosure that is rounded up."""


def float_above(loss: Extended) -> float:
    """Return a float that is not below an exact number, and at most one rounding step above it."""
    if isinstance(loss, Infinity):
        return math.copysign(math.inf, 1 if loss > 0 else -1)
    top = enclose(loss, ENCLOSURE_BITS).hi
    near = float(top)
    return near if Fraction(near) >= top else math.nextafter(near, math.inf)
