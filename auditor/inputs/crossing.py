"""The change of a pair: how large it is, and the same change in other data sets.

Crossed pairs have the change of one pair, in data sets whose other rows are all equal to a row of another.

A mistake may need both: a mean that leaves NaN out moves most if all rows but one are NaN, and the last one
moves from one bound to the other.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from privboost.auditor.pairs.pair import Pair
from privboost.auditor.pairs.relations import check_neighbours
from privboost.errors import PreconditionError

from .classes import sort_classes
from .classify import Sides, classes_of, leaves_of
from .description import Description
from .kinds import Path, get_part

CROSSED = "crossed"
"""How the names of crossed pairs begin."""

Rows = list[Any]


def cross_pairs(
    description: Description,
    worst: Sequence[Pair],
    others: Sequence[Pair],
    most_rows: int,
    constants: Sequence[Any] = (),
) -> tuple[Pair, ...]:
    """Return the changes of the worst pairs, each among equal rows that come from other pairs.

    At most `most_rows` different rows are taken, in the order of the pairs. Pairs of which more than one row
    changes are left out.
    """
    fillers: dict[str, Any] = {}
    for pair in others:
        for only in _changed_rows(description, pair):
            fillers |= {repr(row): row for row in only if len(fillers) < most_rows}
    crossed: dict[tuple[str, str], Pair] = {}
    for pair in worst:
        own, other = _changed_rows(description, pair)
        if max(len(own), len(other)) != 1:
            continue
        count = max(len(description.rows_of(pair.left) or []), len(description.rows_of(pair.right) or [])) - 1
        for row in fillers.values():
            left, right = [row] * count + own, [row] * count + other
            made = _make_pair(description, pair, left, right, tuple(constants))
            if made is not None:
                crossed.setdefault((repr(left), repr(right)), made)
    return tuple(replace(pair, name=f"{CROSSED} {k}") for k, pair in enumerate(crossed.values(), start=1))


def size_of_change(description: Description, pair: Pair) -> Fraction:
    """Return by how much the sum of a column changes, the most of all columns; finite numbers count."""
    totals: defaultdict[Path, Fraction] = defaultdict(Fraction)
    for sign, rows in zip((1, -1), _changed_rows(description, pair), strict=True):
        for row in rows:
            for path, _ in leaves_of(description.row, row):
                number = get_part(row, path)
                if isinstance(number, int | float) and math.isfinite(number):
                    totals[path] += sign * Fraction(number)
    return max(map(abs, totals.values()), default=Fraction(0))


def order_by_change(description: Description, pairs: Sequence[Pair]) -> list[Pair]:
    """Return the first pair of every change, in the given order, then the others with the same changes."""
    seen: Counter[str] = Counter()
    turns = []
    for pair in pairs:
        change = repr(sorted(map(repr, _changed_rows(description, pair))))
        turns.append(seen[change])
        seen[change] += 1
    return [pair for _, pair in sorted(zip(turns, pairs, strict=True), key=lambda entry: entry[0])]


def _changed_rows(description: Description, pair: Pair) -> tuple[Rows, Rows]:
    """Return the rows that only the left or only the right data set has."""
    sides = [description.rows_of(data) or [] for data in (pair.left, pair.right)]
    return _without(*sides), _without(*reversed(sides))


def _without(rows: Rows, others: Rows) -> Rows:
    rest, only = Counter(map(repr, others)), []
    for row in rows:
        key = repr(row)
        if rest[key]:
            rest[key] -= 1
        else:
            only.append(row)
    return only


def _make_pair(
    description: Description, pair: Pair, left: Rows, right: Rows, constants: tuple[Any, ...]
) -> Pair | None:
    """Return two data sets as a pair; None if they are no neighbours, or beyond the description."""
    sides = [description.dataset_of(rows) for rows in (left, right)]
    are_described = all(map(description.contains, sides)) and description.agree(left, right)
    if repr(left) == repr(right) or not are_described:
        return None
    classes = sort_classes(classes_of(Sides(description, pair.relation, left, right, constants)))
    made = replace(pair, left=sides[0], right=sides[1], classes=classes, exact=None)
    try:
        check_neighbours([made])
    except PreconditionError:
        return None
    return made
