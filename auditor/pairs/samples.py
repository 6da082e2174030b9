"""Samples and exact losses of the reference as audits have them: lists of strings, and floats rounded up.

A sample is over {0, 1}^k. A string is one example: the values of its attributes, then its label. '01+' is
((0, 1), +1).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from privboost.reference.data import Example, Sample
from privboost.reference.exact import Extended, Infinity, enclose

Rows = Sequence[str]

ENCLOSURE_BITS = 96
"""Precision of the enclosure that is rounded up."""


def sample_from(rows: Rows) -> Sample:
    """Return the reference's sample of some strings."""
    return tuple(Example(tuple(map(int, row[:-1])), 1 if row[-1] == "+" else -1) for row in rows)


def strings_of(sample: Sample) -> list[str]:
    """Return a sample of the reference as strings."""
    return [str(example) for example in sample]


def float_above(loss: Extended) -> float:
    """Return a float that is not below an exact number, and at most one rounding step above it."""
    if isinstance(loss, Infinity):
        return math.copysign(math.inf, 1 if loss > 0 else -1)
    top = enclose(loss, ENCLOSURE_BITS).hi
    near = float(top)
    return near if Fraction(near) >= top else math.nextafter(near, math.inf)
