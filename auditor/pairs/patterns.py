"""Patterns of neighbouring inputs on which a leaking mechanism tends to leak most.

For a vector of query answers they are the patterns of the literature (Ding et al. 2018, Bichsel et al. 2021).
"""

from __future__ import annotations

from privboost.errors import PreconditionError
from privboost.limits import ADD_REMOVE, ANSWERS, EXCHANGE, RELATIONS

from .pair import Pair


def answer_pairs(
    length: int, relation: str = EXCHANGE, *, histogram: bool = False, base: float = 1, step: float = 1
) -> tuple[Pair, ...]:
    """Return the patterns for a vector of query answers: lists of numbers around `base`.

    One row changes each answer by at most `step`. Under add/remove the answers are counts, so all changes
    have the same sign. In a histogram one row is in one cell: adding or removing it changes one cell,
    exchanging it changes two cells, one up and one down.
    """
    if length < 1:
        raise PreconditionError("length", "at least one answer", length)
    if relation not in RELATIONS:
        raise PreconditionError("relation", f"one of {', '.join(RELATIONS)}", relation)
    patterns = _histogram_patterns(length, relation) if histogram else _query_patterns(length, relation)
    pairs: dict[tuple[tuple[int, ...], tuple[int, ...]], Pair] = {}
    for name, left, right in patterns:
        sides = [[base + step * sign for sign in signs] for signs in (left, right)]
        if left != right:
            pairs.setdefault((left, right), Pair(name, sides[0], sides[1], ANSWERS))
    return tuple(pairs.values())


_Signs = tuple[int, ...]
_Pattern = tuple[str, _Signs, _Signs]


def _query_patterns(length: int, relation: str) -> list[_Pattern]:
    """Return the patterns as signs of the left and the right answers."""
    flat, half = (0,) * length, length // 2
    rest = length - 1
    patterns = [
        ("one above", flat, (1, *(0,) * rest)),
        ("one below", flat, (-1, *(0,) * rest)),
        ("last above", flat, (*(0,) * rest, 1)),
        ("all above", flat, (1,) * length),
        ("all below", flat, (-1,) * length),
        ("half above", flat, (1,) * half + (0,) * (length - half)),
        ("half below", flat, (-1,) * half + (0,) * (length - half)),
    ]
    if relation == ADD_REMOVE:
        return patterns
    # In the x shape the first half goes down and the second half goes up.
    return [
        *patterns,
        ("one above, rest below", flat, (1, *(-1,) * rest)),
        ("one below, rest above", flat, (-1, *(1,) * rest)),
        ("half above, half below", flat, (1,) * half + (-1,) * (length - half)),
        ("x shape", (0,) * half + (-1,) * (length - half), (-1,) * half + (0,) * (length - half)),
        ("one flipped", (0, *(-1,) * rest), (-1, *(-1,) * rest)),
    ]


def _histogram_patterns(length: int, relation: str) -> list[_Pattern]:
    flat, rest = (0,) * length, length - 1
    if relation == ADD_REMOVE:
        return [
            ("first above", flat, (1, *(0,) * rest)),
            ("first below", flat, (-1, *(0,) * rest)),
            ("last above", flat, (*(0,) * rest, 1)),
            ("last below", flat, (*(0,) * rest, -1)),
        ]
    if length == 1:
        raise PreconditionError("length", "at least two cells, or relation add_remove", length)
    return [
        ("first to last", flat, (-1, *(0,) * (length - 2), 1)),
        ("last to first", flat, (1, *(0,) * (length - 2), -1)),
        ("first to second", flat, (-1, 1, *(0,) * (length - 2))),
    ]
