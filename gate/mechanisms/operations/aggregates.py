"""The table of operations: noisy aggregates of rows."""

from __future__ import annotations

from privboost.gate.mechanisms.levels import Level
from privboost.gate.protocol.compound_kinds import ListKind
from privboost.gate.protocol.operation import Condition, Operation

from .ranges import (
    ABOVE_ZERO,
    ANY,
    CODES,
    DRAWN,
    DRAWS,
    FROM_ZERO_TO_ONE,
    NOISE,
    NUMBERS,
    POSITIVE,
    RELATION,
    SHARE,
)

_DRAWN = {"epsilon": "1", "seed": "1", "count": "2"}
BOUNDS = Condition(
    "`lower` is not above `upper`",
    {"bounds in the wrong order": {"lower": "1", "upper": "0"}},
    lambda a: bool(a["lower"] <= a["upper"]),
    flag="swapped-bounds",
)
KNOWN_CODES = Condition(
    "codes are below `categories`",
    {"an unknown code": {"rows": ["0", "3"], "categories": "3"}},
    lambda a: all(code < a["categories"] for code in a["rows"]),
)

AGGREGATE_OPERATIONS = (
    Operation(
        "count",
        "aggregates",
        "count",
        "`count` draws of the noisy number of rows",
        {"rows": NUMBERS, "epsilon": ABOVE_ZERO, "noise": NOISE, **DRAWS},
        ({"rows": ["1", "2"], "noise": "laplace"} | _DRAWN,),
        tolerance=DRAWN,
        level=Level.LAWS,
        rules="""
            - The number of rows + noise of scale 1 / ε, for rows that are added or removed: as `laplace` or
              `geometric` with Δ = 1. Every row counts, whatever its value is.
        """,
    ),
    Operation(
        "bounded_sum",
        "aggregates",
        "bounded-sum",
        "`count` draws of the noisy sum of clamped rows",
        {"rows": NUMBERS, "lower": ANY, "upper": ANY, "relation": RELATION, "epsilon": ABOVE_ZERO, **DRAWS},
        ({"rows": ["1/2", "2"], "lower": "0", "upper": "1", "relation": "add_remove"} | _DRAWN,),
        tolerance=DRAWN,
        level=Level.LAWS,
        conditions=(BOUNDS,),
        rules="""
            - Rows are clamped to [lower, upper] and added up, and Laplace noise of scale Δ / ε is added. Δ is
              max(abs(lower), abs(upper)) under `add_remove`, and upper - lower under `exchange`. If Δ = 0 the
              result is the sum.
        """,
    ),
    Operation(
        "bounded_mean",
        "aggregates",
        "bounded-mean",
        "`count` draws of the noisy mean of clamped rows, whose number is public",
        {"rows": ListKind(ANY, least=1), "lower": ANY, "upper": ANY, "epsilon": ABOVE_ZERO, **DRAWS},
        ({"rows": ["1/2", "2"], "lower": "0", "upper": "1"} | _DRAWN,),
        tolerance=DRAWN,
        level=Level.LAWS,
        conditions=(BOUNDS,),
        rules="""
            - The mean of the clamped rows + Laplace noise of scale (upper - lower) / (m ε) for m rows of
              which one may be replaced.
        """,
    ),
    Operation(
        "histogram",
        "aggregates",
        "histogram",
        "`count` draws of the noisy counts of all categories",
        {
            "rows": CODES,
            "categories": POSITIVE,
            "relation": RELATION,
            "epsilon": ABOVE_ZERO,
            "noise": NOISE,
            **DRAWS,
        },
        ({"rows": ["0", "2"], "categories": "3", "relation": "add_remove", "noise": "geometric"} | _DRAWN,),
        tolerance=DRAWN,
        level=Level.LAWS,
        conditions=(KNOWN_CODES,),
        rules="""
            - Every draw is a list with one noisy count for each category. The noise is independent, of
              scale 1 / ε under `add_remove` and 2 / ε under `exchange`, also where nothing was counted.
        """,
    ),
    Operation(
        "stable_histogram",
        "aggregates",
        "stable-histogram",
        "`count` draws of the released categories, which were not known before",
        {"rows": CODES, "epsilon": ABOVE_ZERO, "delta": SHARE, **DRAWS},
        ({"rows": ["0", "0", "7"], "delta": "1/100"} | _DRAWN,),
        tolerance=DRAWN,
        level=Level.LAWS,
        rules="""
            - Every draw is the list of the categories of the rows that were released, in any order. A
              category of one row is released with a probability of at most δ, and one without rows never.
        """,
    ),
    Operation(
        "quantile",
        "aggregates",
        "quantile",
        "`count` candidates drawn by how well they split the rows",
        {
            "rows": NUMBERS,
            "candidates": ListKind(ANY, least=1),
            "quantile": FROM_ZERO_TO_ONE,
            "epsilon": ABOVE_ZERO,
            **DRAWS,
        },
        ({"rows": ["1", "2", "3"], "candidates": ["0", "2", "4"], "quantile": "1/2"} | _DRAWN,),
        tolerance=DRAWN,
        level=Level.LAWS,
        conditions=(
            Condition(
                "`candidates` ascend",
                {"candidates in the wrong order": {"candidates": ["2", "0"]}},
                lambda a: all(
                    low < high for low, high in zip(a["candidates"], a["candidates"][1:], strict=False)
                ),
            ),
        ),
        rules="""
            - The exponential mechanism with Δ = 1 and, for m rows, the score -abs(b - q m) of a candidate c:
              b is the number of rows below c, and q the `quantile`. The result is a list of indices of
              candidates.
        """,
    ),
)
