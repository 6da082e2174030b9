"""Inputs that are several steps apart: the pairs of neighbours, with the same step made at further rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from privboost.auditor.inputs.description import Description
from privboost.auditor.pairs.pair import Pair
from privboost.auditor.pairs.relations import check_neighbours
from privboost.errors import PreconditionError
from privboost.limits import KEEP_SIZE, L2, NUMBERS, USER


@dataclass(frozen=True, slots=True)
class Trial:
    """Two inputs to try, and how many steps they are apart at most."""

    pair: Pair
    apart: int = 1


def trials_of(pairs: Iterable[Pair], description: Description, d_in: int) -> Iterator[Trial]:
    """Yield every pair, and what it becomes with 2, ... up to d_in steps, if that is as described."""
    for pair in pairs:
        yield Trial(pair)
        for apart in range(2, d_in + 1):
            wider = _widen(pair, description, apart)
            if wider is not None:
                yield Trial(wider, apart)


def _widen(pair: Pair, description: Description, apart: int) -> Pair | None:
    """Return a pair of inputs that are `apart` steps apart; None if there is none of this kind."""
    left, right = (description.rows_of(side) for side in (pair.left, pair.right))
    if left is None or right is None or pair.outside or pair.relation == USER:
        return None
    change = _CHANGES.get(pair.relation, _exchange_more if pair.relation in KEEP_SIZE else _add_more)
    sides = change(left, right, apart - 1)
    if sides is None:
        return None
    one, other = map(description.dataset_of, sides)
    wider = replace(pair, name=f"{pair.name}, {apart} steps", left=one, right=other)
    if not (description.contains(one) and description.contains(other) and description.agree(*sides)):
        return None
    try:
        check_neighbours([wider], apart)
    except PreconditionError:
        return None
    return wider


Rows = list[Any]


def _add_more(left: Rows, right: Rows, count: int) -> tuple[Rows, Rows] | None:
    """Return rows of which the longer side has the row that it has more `count` times more."""
    if abs(len(left) - len(right)) != 1:
        return None
    longer, shorter = (left, right) if len(left) > len(right) else (right, left)
    at = first_difference(longer, shorter)
    longer = [*longer[:at], *[longer[at]] * (count + 1), *longer[at + 1 :]]
    return (longer, right) if len(left) > len(right) else (left, longer)


def _exchange_more(left: Rows, right: Rows, count: int) -> tuple[Rows, Rows] | None:
    """Return rows in which `count` further rows are exchanged for the one that is exchanged."""
    at = first_difference(left, right)
    others = [index for index in range(len(left)) if index != at][:count]
    if at == len(left) or len(left) != len(right) or len(others) < count:
        return None
    left, right = list(left), list(right)
    for index in others:
        left[index], right[index] = left[at], right[at]
    return left, right


def _move_further(left: Rows, right: Rows, count: int) -> tuple[Rows, Rows] | None:
    """Return numbers that move `count` times further."""
    pairs = zip(left, right, strict=True)
    return left, [other + count * (other - one) if one != other else other for one, other in pairs]


def _move_more(left: Rows, right: Rows, count: int) -> tuple[Rows, Rows] | None:
    """Return numbers of which more move by what one moves, so that the length of the change is a multiple.

    If several move, or there are too few, each moves further.
    """
    moved = [index for index, (one, other) in enumerate(zip(left, right, strict=True)) if one != other]
    many = (count + 1) ** 2
    if len(moved) != 1 or len(left) < many:
        return _move_further(left, right, count)
    at = moved[0]
    step, others = right[at] - left[at], [index for index in range(len(left)) if index != at]
    chosen = {at, *others[: many - 1]}
    return left, [number + step if index in chosen else number for index, number in enumerate(left)]


_CHANGES = dict.fromkeys(NUMBERS, _move_further) | {L2: _move_more}
"""How numbers move several steps."""


def first_difference(left: Rows, right: Rows) -> int:
    """Return the first position at which rows differ; the length of the shorter list if none does."""
    pairs = enumerate(zip(left, right, strict=False))
    shorter = min(len(left), len(right))
    return next((index for index, (one, other) in pairs if repr(one) != repr(other)), shorter)
