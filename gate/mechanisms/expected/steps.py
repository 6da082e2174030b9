"""How far one row may move the result of a step, and what the result is for ordinary rows."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from privboost.reference.exact import enclose
from privboost.reference.mechanisms.choices import quantile_utilities

from .laws import Arguments, reach_of_sum

ROWS, ABSOLUTE, SUM, GREATEST = "rows", "absolute", "sum", "greatest"
"""Distances: of rows (those of one result that the other lacks), and of numbers, one or several."""
DISTANCES: Mapping[str, str] = {
    **dict.fromkeys(("clamp", "impute", "resize", "cast"), ROWS),
    **dict.fromkeys(("count", "count_distinct", "sum", "mean"), ABSOLUTE),
    "histogram": SUM,
    "scores": GREATEST,
}


LARGEST = 10**6
"""Greatest size of an ordinary number."""
ORDINARY_STRING = re.compile(r"-?[0-9]{1,6}|[a-z]+")
"""Strings that every library reads as the same integer, or as none."""
INTEGER = re.compile(r"-?[0-9]+")


def map_vector(a: Arguments) -> dict[str, Any]:
    """Return the greatest distance of the two results of a step as JSON, and the results that are known."""
    results = {side: _encode(_result(a, a[side])) for side in ("left", "right") if _is_known(a, a[side])}
    known = {"results": results} if results else {}
    return {"map": {"distance": DISTANCES[a["step"]], "at_most": str(_reach(a)), **known}}


def _encode(result: Any) -> Any:
    return [str(entry) for entry in result] if isinstance(result, list) else str(result)


def _is_known(a: Arguments, rows: Sequence[Any]) -> bool:
    """Return whether the page leaves no choice: all rows are ordinary, and none is left out."""
    if a["step"] in ("count_distinct", "histogram"):
        return True
    is_whole = a["step"] != "resize" or len(rows) <= a["size"]
    return is_whole and all(map(_is_ordinary, rows))


def _is_ordinary(row: Any) -> bool:
    if isinstance(row, str):
        return ORDINARY_STRING.fullmatch(row) is not None and row not in ("nan", "infinity")
    return isinstance(row, Fraction | int) and -LARGEST <= row <= LARGEST


def _clamp(a: Arguments, rows: Sequence[Fraction]) -> list[Fraction]:
    return [min(max(row, a["lower"]), a["upper"]) for row in rows]


def _scores(a: Arguments, rows: Sequence[Fraction]) -> list[Fraction]:
    utilities = quantile_utilities(rows, a["candidates"], a["quantile"])
    return [enclose(utilities[candidate], 1).lo for candidate in a["candidates"]]


RESULTS: Mapping[str, Callable[[Arguments, Sequence[Any]], Any]] = {
    "clamp": _clamp,
    "impute": lambda _, rows: list(rows),
    "resize": lambda a, rows: [*rows, *[a["constant"]] * (a["size"] - len(rows))],
    "cast": lambda _, rows: [int(row) if INTEGER.fullmatch(row) else 0 for row in rows],
    "count": lambda _, rows: len(rows),
    "count_distinct": lambda _, rows: len(set(rows)),
    "sum": lambda a, rows: sum(_clamp(a, rows), Fraction(0)),
    "mean": lambda a, rows: sum(_clamp(a, rows), Fraction(0)) / a["size"],
    "histogram": lambda a, rows: [rows.count(name) for name in a["names"]],
    "scores": _scores,
}


def _result(a: Arguments, rows: Sequence[Any]) -> Any:
    """Return the result of a step on ordinary rows, as the page defines it."""
    return RESULTS[a["step"]](a, rows)


def _reach(a: Arguments) -> Fraction | int:
    step, is_exchange = a["step"], a["relation"] == "exchange"
    if step == "sum":
        return reach_of_sum(a)
    if step == "mean":
        return Fraction(a["upper"] - a["lower"], a["size"])
    if step == "count":
        return 0 if is_exchange else 1
    return 2 if step == "histogram" and is_exchange else 1
