"""How far one row may move the result of a step."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from .laws import Arguments, reach_of_sum

ROWS, ABSOLUTE, SUM, GREATEST = "rows", "absolute", "sum", "greatest"
"""Distances: of rows (those of one result that the other lacks), and of numbers, one or several."""
DISTANCES: Mapping[str, str] = {
    **dict.fromkeys(("clamp", "impute", "resize", "cast"), ROWS),
    **dict.fromkeys(("count", "count_distinct", "sum", "mean"), ABSOLUTE),
    "histogram": SUM,
    "scores": GREATEST,
}


def map_vector(a: Arguments) -> dict[str, Any]:
    """Return the greatest distance of the two results of a step as JSON."""
    return {"map": {"distance": DISTANCES[a["step"]], "at_most": str(_reach(a))}}


def _reach(a: Arguments) -> Fraction | int:
    step, is_exchange = a["step"], a["relation"] == "exchange"
    if step == "sum":
        return reach_of_sum(a)
    if step == "mean":
        return Fraction(a["upper"] - a["lower"], a["size"])
    if step == "count":
        return 0 if is_exchange else 1
    return 2 if step == "histogram" and is_exchange else 1
