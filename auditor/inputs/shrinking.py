"""The smallest pair that still shows a mistake: fewest rows, then the simplest values."""

from __future__ import annotations

import math
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from random import Random
from typing import Any

from privboost.auditor.pairs.pair import Pair
from privboost.auditor.pairs.relations import check_neighbours
from privboost.errors import PreconditionError
from privboost.limits import DELETE_INSERT, KEEP_SIZE

from .cells import classes_of_cell, hostile_cells
from .classes import HOSTILE, ORDINARY, sort_classes
from .classify import Sides, classes_of, leaves_of, loose_classes_of, near_constants
from .description import Description
from .kinds import Path, get_part, replace_part

FOR_CLASSES = 24
"""Number of evaluations that are kept for the classes of the result."""
TIME_FOR_CLASSES = 0.2
"""The part of the time that is kept for them."""
OF_SIZES = frozenset({"one_row", "no_rows", "equal_rows", "source_constant"})
"""Classes that a data set may lose by rows that are added to it."""
OF_NUMBERS = frozenset({"zero_divisor", "bounds"})
"""Classes that a data set may lose by other values: of zeros, and of all cells."""
DRAWS = 3
"""How often an ordinary value is tried in place of a hostile one."""
SMALL = 10
"""Integers of at most this size are tried one by one."""

Rows = list[Any]


def shrink_pair(
    description: Description,
    pair: Pair,
    shows: Callable[[Pair], bool],
    budget: int,
    constants: Sequence[Any] = (),
    *,
    seconds: float = math.inf,
) -> Pair:
    """Return the smallest pair that still shows a mistake, of the same relation and within the description.

    `shows` is asked at most `budget` times, and never about the pair itself, which is returned if nothing
    is smaller; no question begins after `seconds`. Rows that both sides have are removed, then values are
    replaced by simpler ones: 0, 1, -1, bounds, limits. A pair that is beyond the description may shrink to
    one that is not. The classes of the result are those without which it does not show the mistake, as far
    as that was tried.
    """
    begun, for_questions = time.monotonic(), max(budget - FOR_CLASSES, 0)
    shrinking = _Shrinking(description, pair, shows, for_questions, tuple(constants))
    shrinking.deadline = begun + seconds * (1 - TIME_FOR_CLASSES)
    if shrinking.pair is None:
        return pair
    while shrinking.improve():
        pass
    shrinking.budget += min(budget, FOR_CLASSES)
    shrinking.deadline = begun + seconds
    return shrinking.name_classes()


class _Shrinking:
    """The smallest pair so far, and how many evaluations are left."""

    def __init__(
        self,
        description: Description,
        pair: Pair,
        shows: Callable[[Pair], bool],
        budget: int,
        constants: tuple[Any, ...],
    ) -> None:
        self.description, self.shows, self.constants = description, shows, constants
        self.budget, self.deadline = budget, math.inf
        self.may_be_outside = pair.outside
        left, right = description.rows_of(pair.left), description.rows_of(pair.right)
        self.pair: Pair | None = None if left is None or right is None else pair
        self.left, self.right = left or [], right or []
        self._tried: set[tuple[str, str]] = {(repr(left), repr(right))}
        self._random = Random(0)

    def improve(self) -> bool:
        """Try every smaller pair once, from the one that is smallest so far; return whether one was taken."""
        improved = False
        for step in (self._fewer_rows, self._same_order, self._simpler_values):
            improved |= self._take_first(step)
        return improved

    def _take_first(self, step: Callable[[], Iterator[tuple[Rows, Rows]]]) -> bool:
        """Take candidates of a step until there is none that shows the mistake."""
        improved, more = False, True
        while more and not self._is_over():
            more = any(self._take(left, right) for left, right in step())
            improved |= more
        return improved

    def _is_over(self) -> bool:
        """Return whether nothing may be asked any more."""
        return self.budget <= 0 or time.monotonic() >= self.deadline

    def _take(self, left: Rows, right: Rows) -> bool:
        """Take a candidate if it shows the mistake."""
        candidate = self._evaluate(left, right)
        if candidate is not None:
            self.pair, self.left, self.right = candidate, left, right
        return candidate is not None

    def _evaluate(self, left: Rows, right: Rows) -> Pair | None:
        """Return a candidate as a pair, if it is one and shows the mistake."""
        fits = self.may_be_outside or all(map(self.description.has_size, (len(left), len(right))))
        if not fits or self._is_over():
            return None
        spelling = repr(left), repr(right)
        if spelling in self._tried or spelling[0] == spelling[1]:
            return None
        self._tried.add(spelling)
        candidate = self._pair_of(left, right)
        if candidate is None:
            return None
        self.budget -= 1
        return candidate if self.shows(candidate) else None

    def _pair_of(self, left: Rows, right: Rows) -> Pair | None:
        """Return two data sets as a pair; None if they are no neighbours, or beyond the description."""
        assert self.pair is not None
        given = self.description
        datasets = [given.dataset_of(rows) for rows in (left, right)]
        outside = not (all(map(given.contains, datasets)) and given.agree(left, right))
        if outside and not self.may_be_outside:
            return None
        classes = sort_classes(self._classes_of(left, right))
        candidate = replace(
            self.pair, left=datasets[0], right=datasets[1], outside=outside, classes=classes, exact=None
        )
        try:
            check_neighbours([candidate])
        except PreconditionError:
            return None
        return candidate

    def _classes_of(self, left: Rows, right: Rows) -> set[str]:
        assert self.pair is not None
        return classes_of(Sides(self.description, self.pair.relation, left, right, self.constants))

    def _match_rows(self) -> list[tuple[int, int]]:
        """Return the indices of the rows that both sides have."""
        assert self.pair is not None
        if self.pair.relation in KEEP_SIZE and self.pair.relation != DELETE_INSERT:
            pairs = zip(self.left, self.right, strict=True)
            return [(index, index) for index, (one, other) in enumerate(pairs) if repr(one) == repr(other)]
        places = defaultdict(list)
        for index, row in enumerate(self.right):
            places[repr(row)].append(index)
        return [
            (index, places[key].pop(0)) for index, row in enumerate(self.left) if places[key := repr(row)]
        ]

    def _fewer_rows(self) -> Iterator[tuple[Rows, Rows]]:
        """Yield pairs without some of the rows that both have, or of those that only one of them has."""
        shared = self._match_rows()
        for length in sorted({len(shared) >> halvings for halvings in range(20)} | {1, 2}, reverse=True):
            for start in range(0, len(shared), max(length, 1)):
                part = shared[start : start + length]
                fewer = _without(self.left, {one for one, _ in part})
                yield fewer, _without(self.right, {other for _, other in part})
        for own, side in enumerate((self.left, self.right)):
            extra = sorted(set(range(len(side))) - {pair[own] for pair in shared})
            for index in extra[1:]:
                fewer = _without(side, {index})
                yield (self.left, fewer) if own else (fewer, self.right)

    def _same_order(self) -> Iterator[tuple[Rows, Rows]]:
        """Yield the pair whose right rows are in the order of the left ones."""
        shared = self._match_rows()
        own = [other for _, other in shared]
        if own != sorted(own):
            kept = [self.left[index] for index, _ in shared]
            extra = [row for index, row in enumerate(self.right) if index not in set(own)]
            yield self.left, [*kept, *extra]

    def _simpler_values(self) -> Iterator[tuple[Rows, Rows]]:
        """Yield pairs with a simple row in place of all that both sides have, then with simpler values.

        A value is simpler in all equal rows, or in one row of both sides.
        """
        shared = self._match_rows()
        for simple in self.description.row.simple():
            left, right = list(self.left), list(self.right)
            for one, other in shared:
                left[one] = right[other] = simple
            yield left, right
        distinct = {repr(row): row for row in (*self.left, *self.right)}
        for key, row in distinct.items():
            for simpler in self._simpler_rows(row):
                yield tuple(
                    [simpler if repr(own) == key else own for own in side] for side in (self.left, self.right)
                )  # type: ignore[misc]
        for one, other in shared:
            for simpler in self._simpler_rows(self.left[one]):
                yield _with(self.left, one, simpler), _with(self.right, other, simpler)
        if self.description.user is not None:
            yield from self._simpler_users((self.description.user,))

    def _simpler_users(self, cell: Path) -> Iterator[tuple[Rows, Rows]]:
        """Yield pairs in which a user has a simpler name, in all of its rows."""
        rows = [*self.left, *self.right]
        kind = dict(self.description.row.leaves(rows[0])).get(cell)
        simple = [] if kind is None else list(kind.simple())
        users = {repr(get_part(row, cell)): get_part(row, cell) for row in rows}
        for key, user in users.items():
            for simpler in _before([*simple, *_round_value(user)], user):
                left, right = (
                    [
                        replace_part(row, cell, simpler) if repr(get_part(row, cell)) == key else row
                        for row in side
                    ]
                    for side in (self.left, self.right)
                )
                yield left, right

    def _simpler_rows(self, row: Any) -> Iterator[Any]:
        """Yield simpler rows: simple ones as a whole, then those with one simpler cell."""
        kind = self.description.row
        yield from _before(list(kind.simple()), row)
        for path, leaf in leaves_of(kind, row):
            part = get_part(row, path)
            hostile = {cell.key: cell.value for cell in reversed(hostile_cells(leaf, self.constants))}
            limits = reversed(hostile.values())
            for value in _before([*leaf.simple(), *_round_value(part), *limits], part):
                yield replace_part(row, path, value)

    def name_classes(self) -> Pair:
        """Return the pair with the classes without which it does not show the mistake."""
        assert self.pair is not None
        classes = self._classes_of(self.left, self.right)
        needed = {key for key in classes if not self._shows_without(key)} or self._parity()
        if not needed:
            needed = {key for key in classes if HOSTILE[key].of_cells} | {ORDINARY}
        return replace(self.pair, classes=sort_classes(needed))

    def _shows_without(self, key: str) -> bool:
        """Return whether a pair that is not of a class, and else alike, shows the mistake as well."""
        variants = [self._with_more(count) for count in (2, 3)] if key in OF_SIZES else []
        if HOSTILE[key].of_cells or key in OF_NUMBERS:
            variants += [self._with_ordinary(key) for _ in range(DRAWS)]
        others = [sides for sides in variants if key not in self._classes_of(*sides)]
        return any(self._evaluate(*sides) is not None for sides in others)

    def _with_more(self, count: int) -> tuple[Rows, Rows]:
        """Return the pair with more ordinary rows on both sides."""
        rows = [self.description.row.draw(self._random) for _ in range(count)]
        return [*rows, *self.left], [*rows, *self.right]

    def _parity(self) -> set[str]:
        """Return whether the number of rows has to be odd or even: then 1 or 3 rows more show nothing."""
        for count, expected in ((1, False), (2, True), (3, False), (4, True)):
            if (self._evaluate(*self._with_more(count)) is not None) != expected:
                return set()
        return loose_classes_of(len(self.left), len(self.right))

    def _with_ordinary(self, key: str) -> tuple[Rows, Rows]:
        """Return the rows with ordinary values in place of those of a class, equal ones for equal ones.

        Of bounds any value may be one.
        """
        values: dict[str, Any] = {}
        kind = self.description.row

        def change(row: Any) -> Any:
            for path, leaf in leaves_of(kind, row):
                part = get_part(row, path)
                classes = classes_of_cell(leaf, part) | near_constants(self.constants, part)
                if key == "bounds" or key in classes | ({"zero_divisor"} if part == 0 else set()):
                    value = values.setdefault(f"{path} {part!r}", leaf.draw(self._random))
                    row = replace_part(row, path, value)
            return row

        return [change(row) for row in self.left], [change(row) for row in self.right]


def _before(values: Sequence[Any], value: Any) -> list[Any]:
    """Return the values that stand before a given one in a list, or all of them if it is not there."""
    before = []
    for other in values:
        if repr(other) == repr(value):
            break
        before.append(other)
    return before


def _round_value(value: Any) -> list[Any]:
    """Return values with fewer digits or characters than a given one."""
    if isinstance(value, str):
        return [value[: len(value) // 2], value[1:]]
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return []
    whole = int(value)
    near = (whole - 1, whole + 1) if abs(whole) <= SMALL else ()
    others = (type(value)(other) for other in (int(value / 2), *near, whole, round(value, 2)))
    return [other for other in others if 0 < abs(other) < abs(value)]


def _without(rows: Rows, indices: set[int]) -> Rows:
    return [row for index, row in enumerate(rows) if index not in indices]


def _with(rows: Rows, at: int, row: Any) -> Rows:
    return [*rows[:at], row, *rows[at + 1 :]]
