"""The table of operations: steps without noise, on two neighbouring data sets at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from privboost.gate.mechanisms.levels import Level
from privboost.gate.protocol.compound_kinds import ListKind
from privboost.gate.protocol.kinds import ArgumentKind, WordKind
from privboost.gate.protocol.operation import Condition, Operation

from .cells import NumericCellKind, StringKind
from .ranges import ANY, DRAWN, NUMBERS, POSITIVE, RELATION, SHARE

_CELLS: dict[str, ArgumentKind] = {"left": ListKind(NumericCellKind()), "right": ListKind(NumericCellKind())}
_STRINGS: dict[str, ArgumentKind] = {"left": ListKind(StringKind()), "right": ListKind(StringKind())}
_BOUNDS: dict[str, ArgumentKind] = {"lower": ANY, "upper": ANY}

STEPS: dict[str, Mapping[str, ArgumentKind]] = {
    "clamp": {**_CELLS, **_BOUNDS},
    "impute": {**_CELLS, "constant": ANY},
    "resize": {**_CELLS, "size": POSITIVE, "constant": ANY},
    "count": _CELLS,
    "count_distinct": _STRINGS,
    "sum": {**_CELLS, **_BOUNDS},
    "mean": {**_CELLS, **_BOUNDS, "size": POSITIVE},
    "histogram": {**_STRINGS, "names": ListKind(StringKind(), least=1)},
    "cast": _STRINGS,
    "scores": {**_CELLS, "candidates": NUMBERS, "quantile": SHARE},
}
"""The arguments of each step."""

_NUMBERS = {"left": ["1/2", "2"], "right": ["1/2"]}
_WORDS = {"left": ["a", "b"], "right": ["a"]}
_EXAMPLES: dict[str, dict[str, Any]] = {
    "clamp": {**_NUMBERS, "lower": "0", "upper": "1"},
    "impute": {**_NUMBERS, "constant": "0"},
    "resize": {**_NUMBERS, "size": "2", "constant": "0"},
    "count": _NUMBERS,
    "count_distinct": _WORDS,
    "sum": {**_NUMBERS, "lower": "0", "upper": "1"},
    "mean": {"left": ["1/2", "2"], "right": ["1/2", "0"], "lower": "0", "upper": "1", "size": "2"}
    | {"relation": "exchange"},
    "histogram": {**_WORDS, "names": ["a", "b"]},
    "cast": {"left": ["1", "x"], "right": ["1"]},
    "scores": {**_NUMBERS, "candidates": ["0", "1"], "quantile": "1/2"},
}

MEANINGS_OF_STEPS = {
    "step": "the step without noise",
    "left": "a data set",
    "right": "a neighbour of it",
    "constant": "what takes the place of missing rows",
    "size": "the number of rows, which is public",
    "names": "the categories that are counted",
}

STEP_OPERATIONS = (
    Operation(
        "map",
        "steps",
        "map",
        "the results of a step on `left` and on `right`",
        {"step": WordKind(tuple(STEPS)), "relation": RELATION},
        tuple({"step": step, "relation": "add_remove"} | args for step, args in _EXAMPLES.items()),
        STEPS,
        label_by_word={step: f"map-{step.replace('_', '-')}" for step in STEPS},
        tolerance=DRAWN,
        level=Level.MAPS,
        conditions=(
            Condition(
                "`lower` is not above `upper`",
                {"bounds in the wrong order": {"lower": "1", "upper": "0"}},
                lambda a: "lower" not in a or bool(a["lower"] <= a["upper"]),
                flag="swapped-bounds",
            ),
            Condition(
                "`mean` is of `size` rows, under `exchange`",
                {"a mean of another number of rows": dict(_EXAMPLES["mean"]) | {"step": "mean", "size": "3"}},
                lambda a: (
                    a["step"] != "mean"
                    or (a["relation"] == "exchange" and len(a["left"]) == len(a["right"]) == a["size"])
                ),
            ),
        ),
        rules="""
            The result is an object `{"left": …, "right": …}`. Data sets are lists of rows. `left` and `right`
            are neighbours under `relation`, and no row may be refused. The order of rows is no part of a data
            set: `right` may have the rows of `left` in another order. A step that takes rows by chance cannot
            be judged in this way: answer `unsupported`.

            What is judged is the distance of the two results: whether not-a-number counts as 0, as `lower`
            or as nothing is up to you, as long as one row does not move the result by more. Where the table
            leaves no choice the results are judged as well: for rows that are numbers up to 1000000 or
            strings of letters or of up to 6 digits, for all strings in `count_distinct` and `histogram`,
            and in `resize` for at most `size` rows.

            | step | result | most under `add_remove` | under `exchange` |
            |---|---|---|---|
            | `clamp` | the rows, clamped to [lower, upper] | 1 row | 1 row |
            | `impute` | the rows, `constant` for missing ones and `nan` | 1 row | 1 row |
            | `cast` | the strings as integers, 0 for other strings | 1 row | 1 row |
            | `resize` | `size` rows: some of them, then `constant` | 1 row | 1 row |
            | `count` | the number of rows, missing ones included | 1 | 0 |
            | `count_distinct` | the number of distinct strings | 1 | 1 |
            | `sum` | the sum of the clamped rows | max(abs(lower), abs(upper)) | upper - lower |
            | `mean` | that sum, divided by `size`, the public number of rows | | (upper - lower) / size |
            | `histogram` | the counts of `names`, other strings left out | 1 in all | 2 in all |
            | `scores` | -abs(b - q m) of every candidate: b of m rows are below it | 1 each | 1 each |

            Rows are compared without their order: the distance is the number of rows of one result that the
            other one lacks. Sums may differ by 1e-12 max(1, greatest distance) more.
        """,
    ),
)
