"""Laws of draws as JSON: probabilities, the laws of mistakes, and how many draws tell them apart.

A column of draws has `outcomes`, or `edges` between which its cells are: cell i has the numbers above edge
i - 1 and up to edge i. With `probabilities` p and those of a rival q, the product of q / p over independent
draws exceeds (number of rivals) / error for any rival with a probability of at most `error`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from privboost.gate.vectors.encoding import format_significant

from .laws import LAWS, Arguments, NoisyNumber, as_float, probabilities
from .rivals import rivals_of

ERROR = 1e-9
"""The probability at which a law rejects correct draws."""
MOST_DRAWS = 20_000
"""A mistake that takes more draws is not named by a law."""
LEAST_DRAWS = 500
DIGITS, DIGITS_OF_RIVALS = 20, 12
DEVIATIONS = 3.0
"""By how many standard deviations a bet on a rival has to succeed if the draws follow it."""
ONE_SIDED = {"gaussian": "spread", "stable_histogram": "at most"}
"""Operations that may be more private than they must: only bets on the rivals count."""


def law_vector(op: str, a: Arguments) -> dict[str, Any] | None:
    """Return the law of a request as JSON; None if it has no noise."""
    columns = LAWS[op](a)
    if not columns or any(isinstance(column, NoisyNumber) and not column.scale for column in columns):
        return None
    edges = [column.edges() if isinstance(column, NoisyNumber) else None for column in columns]
    laws = [probabilities(column, cuts) for column, cuts in zip(columns, edges, strict=True)]
    rivals = _rivals(op, a, edges, laws)
    draws = [_draws_needed(laws, rival, len(rivals)) for _, rival in rivals]
    kept = [(rival, needed) for rival, needed in zip(rivals, draws, strict=True) if needed <= MOST_DRAWS]
    return {
        "law": {
            "test": ONE_SIDED.get(op, "both sides"),
            "error": f"{ERROR:g}",
            "draws": max([LEAST_DRAWS, *(needed for _, needed in kept)]),
            "columns": [_encode_column(cuts, law) for cuts, law in zip(edges, laws, strict=True)],
            "rivals": [
                {
                    "flag": flag,
                    "draws": needed,
                    "columns": [
                        [format_significant(p, DIGITS_OF_RIVALS) for p in law.values()] for law in rival
                    ],
                }
                for (flag, rival), needed in kept
            ],
        }
    }


def _rivals(
    op: str, a: Arguments, edges: Sequence[Sequence[Fraction] | None], laws: Sequence[Mapping[str, Any]]
) -> list[tuple[str, list[dict[str, Any]]]]:
    """Return the rivals that have no other outcomes and another law, each law once."""
    rivals: list[tuple[str, list[dict[str, Any]]]] = []
    seen = [[list(map(as_float, law.values())) for law in laws]]
    for flag, columns in rivals_of(op, a):
        if len(columns) != len(laws):
            continue
        rival = [
            dict.fromkeys(law, Fraction(0)) | probabilities(column, cuts)
            for column, cuts, law in zip(columns, edges, laws, strict=True)
        ]
        numbers = [list(map(as_float, law.values())) for law in rival]
        if numbers not in seen:
            seen.append(numbers)
            rivals.append((flag, rival))
    return rivals


def _encode_column(edges: Sequence[Fraction] | None, law: Mapping[str, Any]) -> dict[str, Any]:
    cells = {"outcomes": list(law)} if edges is None else {"edges": [str(edge) for edge in edges]}
    return cells | {"probabilities": [format_significant(chance, DIGITS) for chance in law.values()]}


def _draws_needed(laws: Sequence[Mapping[str, Any]], rival: Sequence[Mapping[str, Any]], rivals: int) -> int:
    """Return a number of draws, rounded up, after which a bet on a rival succeeds if they follow it."""
    gain = variance = 0.0
    for law, other in zip(laws, rival, strict=True):
        p, q = list(map(as_float, law.values())), list(map(as_float, other.values()))
        ratios = [math.log(there / here) if there else 0.0 for here, there in zip(p, q, strict=True)]
        mean = math.fsum(there * ratio for there, ratio in zip(q, ratios, strict=True))
        gain += mean
        variance += math.fsum(there * (ratio - mean) ** 2 for there, ratio in zip(q, ratios, strict=True))
    goal = math.log(rivals / ERROR)
    # n gain - DEVIATIONS sqrt(n variance) >= goal
    root = (DEVIATIONS * math.sqrt(variance) + math.sqrt(DEVIATIONS**2 * variance + 4 * gain * goal)) / (
        2 * gain
    )
    return 100 * math.ceil(root**2 / 100) if root < 1e6 else 10**12
