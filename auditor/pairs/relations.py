"""Whether the inputs of a pair are neighbours under its relation.

A relation is a claim about two inputs, so it is checked where it can be. Inputs that are lists, arrays,
frames or tables have rows. Order counts, since a mechanism may depend on it: rows are compared by position.
Only pairs that were made of another order of the same rows (class `another_order`) are compared without it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from privboost.auditor.values.tagged_json import to_json
from privboost.errors import PreconditionError
from privboost.limits import (
    ADD_REMOVE,
    ANSWERS,
    AS_GIVEN,
    CHANGE_VALUE,
    DELETE_INSERT,
    EXCHANGE,
    L1,
    L2,
    NUMBERS,
    USER,
)

from .pair import Pair, relation_of, rows_of

ANOTHER_ORDER = "another_order"
"""The class of pairs whose rows are in another order."""

SEQUENCES = (list, tuple, np.ndarray)
ROWS_AND_LABELS = (
    'rows and labels as {"X": rows, "y": labels}, or as a tuple (rows, labels), in JSON '
    '{"$tuple": [rows, labels]}'
)


def is_checked(pair: Pair) -> bool:
    """Return whether the relation of a pair can be checked."""
    if pair.relation in NUMBERS:
        return True
    return pair.relation != AS_GIVEN and relation_of(pair.left, pair.right) != AS_GIVEN


def check_neighbours(pairs: Sequence[Pair], group: int = 1) -> None:
    """Check that the inputs of each pair are neighbours, or differ in `group` rows.

    Ensures: PreconditionError that names the pair and says how its inputs differ, for the first that are not.
    """
    for pair in pairs:
        if not is_checked(pair):
            continue
        if pair.relation != ANSWERS and any(map(_is_list_of_rows_and_labels, (pair.left, pair.right))):
            wanted, got = ROWS_AND_LABELS, "a list [rows, labels], which would be read as two rows"
            raise PreconditionError(f"pair '{pair.name}'", wanted, got)
        wanted, got = _COMPARE.get(pair.relation, _compare_rows)(pair, group)
        if got:
            raise PreconditionError(f"pair '{pair.name}'", f"{wanted} (relation {pair.relation})", got)


def _is_list_of_rows_and_labels(value: Any) -> bool:
    """Return whether an input is a list of rows and a list with a label for each of them."""
    if not (
        isinstance(value, list) and len(value) == 2 and all(isinstance(part, SEQUENCES) for part in value)
    ):
        return False
    rows, labels = value
    return (
        0 < len(rows) == len(labels)
        and all(isinstance(row, (*SEQUENCES, dict)) for row in rows)
        and not any(isinstance(label, (*SEQUENCES, dict)) for label in labels)
    )


def _compare_rows(pair: Pair, group: int) -> tuple[str, str]:
    """Return the expected difference of the rows of a pair, and the actual one if it is not allowed."""
    left, right = rows_of(pair.left) or [], rows_of(pair.right) or []
    one = "one row" if group == 1 else f"{group} rows"
    got = f"{len(left)} and {len(right)} rows"
    if pair.relation == EXCHANGE:
        wanted = f"inputs with equally many rows that differ in {one}"
        if len(left) != len(right):
            return wanted, got
        changed = sum(own != other for own, other in zip(left, right, strict=True))
        allowed = changed == group or changed <= group == 1
        got = f"{len(left)} rows of which {changed} differ"
    else:
        wanted = f"inputs of which one is the other with {one} added or removed"
        if ANOTHER_ORDER in pair.classes and pair.relation == ADD_REMOVE:
            left, right = (sorted(map(repr, rows)) for rows in (left, right))
        edits = count_edits(left, right, group)
        allowed = edits == group or (edits is not None and group == 1)
        if abs(len(left) - len(right)) <= group:
            got += " that differ in more" if edits is None else f" that differ in {edits}"
    if allowed:
        return wanted, _describe_rest(pair)
    first, second = (Counter(map(repr, rows)) for rows in (left, right))
    apart = max((first - second).total(), (second - first).total())
    return wanted, got + ("; expected the same order of the rows on both sides" if apart <= group else "")


def _compare_cells(pair: Pair, group: int) -> tuple[str, str]:
    """Return what is expected of rows of which some cells differ, and how they differ if they may not."""
    left, right = rows_of(pair.left) or [], rows_of(pair.right) or []
    wanted = (
        f"inputs with equally many rows that differ in {'one value' if group == 1 else f'{group} values'}"
    )
    if len(left) != len(right):
        return wanted, f"{len(left)} and {len(right)} rows"
    changed = sum(_count_changes(own, other) for own, other in zip(left, right, strict=True))
    allowed = changed == group or changed <= group == 1
    return wanted, _describe_rest(pair) if allowed else f"{changed} values that differ"


def _count_changes(left: Any, right: Any) -> int:
    """Return in how many values two rows differ; values of other types or sizes differ in one."""
    if isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
        return sum(map(_count_changes, left, right))
    if isinstance(left, dict) and isinstance(right, dict) and left.keys() == right.keys():
        return sum(_count_changes(left[key], right[key]) for key in left)
    return int(left != right)


def _compare_users(pair: Pair, group: int) -> tuple[str, str]:
    """Return what is expected of inputs that differ in all rows of a user, and how they differ otherwise."""
    wanted = "inputs of which one is the other without all rows that have a value in one column"
    if group != 1:
        return wanted, f"a group of {group} users, which is not checked"
    shorter, longer = sorted((rows_of(pair.left) or [], rows_of(pair.right) or []), key=len)
    rest, kept = list(shorter), []
    extra = []
    for row in longer:
        if rest and rest[0] == row:
            kept.append(rest.pop(0))
        else:
            extra.append(row)
    if rest:
        return wanted, f"{len(shorter)} and {len(longer)} rows that differ in more"
    return wanted, _describe_rest(pair) if not extra or _has_user(extra, kept) else "rows of several users"


def _has_user(extra: list[Any], kept: list[Any]) -> bool:
    """Return whether some cell has one value in all of some rows, and in none of the others."""
    cells = [dict(_cells_of(row)) for row in extra]
    others = [dict(_cells_of(row)) for row in kept]
    return any(
        all(row.get(key) == value for row in cells) and all(row.get(key) != value for row in others)
        for key, value in cells[0].items()
    )


def _cells_of(row: Any) -> list[tuple[Any, Any]]:
    if isinstance(row, dict):
        row = row.get("$tuple", row)
    if isinstance(row, dict):
        return list(row.items())
    return list(enumerate(row if isinstance(row, list) else [row]))


def count_edits(left: list[Any], right: list[Any], most: int) -> int | None:
    """Return the least number of rows to remove and to insert, `most` at most; None if it takes more.

    The greedy search of Myers (1986): `reached` has the end of the longest path on each diagonal.
    """
    reached = {1: 0}
    for edits in range(most + 1):
        for diagonal in range(-edits, edits + 1, 2):
            down = diagonal == -edits or (
                diagonal != edits and reached.get(diagonal - 1, -1) < reached.get(diagonal + 1, -1)
            )
            at = reached.get(diagonal + 1, 0) if down else reached[diagonal - 1] + 1
            while at < len(left) and 0 <= at - diagonal < len(right) and left[at] == right[at - diagonal]:
                at += 1
            reached[diagonal] = at
            if at >= len(left) and at - diagonal >= len(right):
                return edits
    return None


def _describe_rest(pair: Pair) -> str:
    """Describe the difference of two tables beside their rows; the empty string if there is none."""
    if not isinstance(pair.left, dict):
        return ""
    left, right = (
        {key: to_json(part) for key, part in side.items() if key not in {"X", "y"}}
        for side in (pair.left, pair.right)
    )
    differing = sorted(key for key in {**left, **right} if left.get(key) != right.get(key))
    return f"another {differing[0]!r} as well" if differing else ""


def _compare_orders(pair: Pair, group: int) -> tuple[str, str]:
    """Return the expected difference where rows are deleted and inserted, and the actual one if it is not."""
    wanted = f"inputs with equally many rows, of which {group} deleted and {group} inserted"
    left, right = rows_of(pair.left) or [], rows_of(pair.right) or []
    edits = count_edits(left, right, 2 * group)
    if len(left) != len(right) or edits is None:
        return wanted, f"{len(left)} and {len(right)} rows that differ in more"
    return wanted, _describe_rest(pair)


def _compare_numbers(pair: Pair, group: int) -> tuple[str, str]:
    """Return the expected difference of two vectors of numbers, and the actual one if it is not allowed."""
    wanted = f"two lists of as many numbers, {_CHANGING[pair.relation]} by at most {group}"
    sides = [np.asarray(side, dtype=object).ravel().tolist() for side in (pair.left, pair.right)]
    if not all(isinstance(answer, int | float) for side in sides for answer in side):
        return wanted, "an entry that is no number"
    if len(sides[0]) != len(sides[1]):
        return wanted, f"{len(sides[0])} and {len(sides[1])} numbers"
    changes = [distance_of_numbers(one, other) for one, other in zip(*sides, strict=True)]
    if pair.relation == L2:
        squared = sum(change**2 for change in changes)
        return wanted, "" if squared <= group**2 else f"a change of {math.sqrt(squared):g}"
    change = max(changes, default=0) if pair.relation == ANSWERS else sum(changes)
    return wanted, "" if change <= group else f"a change of {float(change):g}"


_CHANGING = {
    ANSWERS: "each of which changes",
    L1: "which change together",
    L2: "which change in Euclidean length",
}


def distance_of_numbers(left: float, right: float) -> Fraction | float:
    """Return the exact distance of two numbers; infinite if only one of them is finite, or one is NaN."""
    if not (math.isfinite(left) and math.isfinite(right)):
        return 0.0 if str(float(left)) == str(float(right)) else math.inf
    return abs(Fraction(left) - Fraction(right))


_COMPARE = {
    ANSWERS: _compare_numbers,
    L1: _compare_numbers,
    L2: _compare_numbers,
    CHANGE_VALUE: _compare_cells,
    DELETE_INSERT: _compare_orders,
    USER: _compare_users,
}
"""How the inputs of a pair are compared, where it is not by rows."""
