"""The starter set: a few cases of every kind, which a library can run in an afternoon without our runner.

The cases are those of the files, in a form that is easy to read: numbers are JSON numbers, NaN and Infinity
are strings, `function` names what is called, and a draw is one call.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from fractions import Fraction
from math import inf, nextafter
from typing import Any

from privboost.gate.profile import Profile
from privboost.gate.vectors.files import FOLDER

STARTER: Mapping[str, tuple[str, ...]] = {
    "laplace": (
        "two at 0",
        "small at -7/2",
        "refused epsilon=0",
        "refused epsilon=nan",
        "refused sensitivity=infinity",
    ),
    "geometric": ("one at 0",),
    "gaussian": ("epsilon 4 delta 1/100000 sensitivity 1", "refused delta=1"),
    "exponential": ("up two no",),
    "randomised_response": ("3 categories epsilon 2",),
    "bounded_sum": ("shifted add_remove", "refused bounds in the wrong order"),
    "map": (
        "sum nan unit added last",
        "sum infinity unit exchanged last",
        "sum 2^31 32 bits added last",
        "mean nan unit beside its like",
    ),
    "accounting": (
        "gaussian_sigma epsilon=10 delta=1/100000 sensitivity=1",
        "gaussian_delta sigma=1 sensitivity=1 at_epsilon=5",
        "zcdp_epsilon rho=1/8 delta=1/100000",
        "subsampling_epsilon epsilon=1 rate=1/100",
    ),
}
"""The ids of the cases, by operation. Draws are numbers or words, and results of steps are numbers."""
NOT_ARGUMENTS = ("seed", "count", "rule", "step", "left", "right")
NAMES = {"nan": "NaN", "infinity": "Infinity"}
SLACK = 1 - 1e-6
"""Numbers may be too small by this factor."""


def starter_set(profile: Profile) -> bytes:
    """Return the cases with the meaning of their flags as JSON, one case on each line."""
    cases: list[dict[str, Any]] = []
    notes: dict[str, str] = {}
    for op, names in STARTER.items():
        document = json.loads((profile.folder(FOLDER) / f"{op}.json").read_text("ascii"))
        by_id = {case["id"]: case for case in document["cases"]}
        cases += (_simplify(op, by_id[name]) for name in names)
        notes |= document["notes"]
    flags = sorted({flag for case in cases for flag in case["flags"]})
    head = {
        "profile": profile.name,
        "release": profile.vectors.release,
        "count": len(cases),
        "notes": {flag: notes[flag] for flag in flags},
    }
    lines = ",\n".join("  " + json.dumps(case) for case in cases)
    return f'{json.dumps(head, indent=1)[:-2]},\n "cases": [\n{lines}\n ]\n}}\n'.encode("ascii")


def _simplify(op: str, case: Mapping[str, Any]) -> dict[str, Any]:
    """Return a case in the form of the starter set."""
    args = case["args"]
    function = args.get("rule") or (f"map_{args['step']}" if "step" in args else op)
    dropped = (*NOT_ARGUMENTS, "relation") if op == "map" else NOT_ARGUMENTS
    return {
        "function": function,
        "id": f"{op}/{case['id']}",
        "args": {name: _number(value) for name, value in args.items() if name not in dropped},
        "flags": case["flags"],
        **dict(_expectation(case)),
    }


def _expectation(case: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    if "refused" in case:
        yield "refused", True
    elif "map" in case:
        yield "sides", [_number(case["args"][side]) for side in ("left", "right")]
        yield "at_most", _number(case["map"]["at_most"])
    elif "law" in case:
        law, (column,) = case["law"], case["law"]["columns"]
        numbers = {name: _number(column[name]) for name in ("edges", "probabilities") if name in column}
        rivals = [
            {"flag": rival["flag"], "probabilities": _number(rival["columns"][0])} for rival in law["rivals"]
        ]
        words = {"outcomes": column["outcomes"]} if "outcomes" in column else {}
        yield (
            "law",
            {"draws": law["draws"], "error": float(law["error"]), **words, **numbers, "rivals": rivals},
        )
    else:
        yield "least", nextafter(float(case["interval"]["lo"]["decimal"]) * SLACK, -inf)


def _number(value: Any) -> Any:
    """Return exact strings as JSON numbers, within lists and objects; other strings as they are."""
    if isinstance(value, list):
        return [_number(entry) for entry in value]
    if isinstance(value, dict):
        return {name: _number(entry) for name, entry in value.items()}
    try:
        number = Fraction(value)
    except (TypeError, ValueError):
        return NAMES.get(value, value)
    return int(number) if number.denominator == 1 else float(number)
