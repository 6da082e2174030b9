"""Exact numbers in pure Python: rationals, surds with decidable order, lazily refined reals.

No function accepts or returns a float. The error for a float says what to write instead.
"""

from __future__ import annotations

from .extended import INFINITY, ClosedInterval, Extended, Infinity, point
from .functions import Enclosure, decimal, enclose, erfc, exact, exact_sum, exp, floor, log, sqrt, theta
from .real import Exact, Number, Real, sign
from .surd import Surd

__all__ = [
    "INFINITY",
    "ClosedInterval",
    "Enclosure",
    "Exact",
    "Extended",
    "Infinity",
    "Number",
    "Real",
    "Surd",
    "decimal",
    "enclose",
    "erfc",
    "exact",
    "exact_sum",
    "exp",
    "floor",
    "log",
    "point",
    "sign",
    "sqrt",
    "theta",
]
