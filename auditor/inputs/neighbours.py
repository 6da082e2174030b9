"""Hostile neighbours of described inputs: a fixed list with every class that fits, then drawn pairs.

A pair is a base and a change. The base is a data set, of several sizes: ordinary rows, equal rows, rows at a
limit, huge and tiny numbers. The change is what the relation allows to one of its rows. Both may be hostile,
since a sum wraps around only if the other rows are large as well.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from random import Random
from typing import Any

from privboost.auditor.pairs.pair import Pair
from privboost.errors import UsageError
from privboost.limits import ADD_REMOVE, EXCHANGE, INPUT_RELATIONS, KEEP_SIZE, NUMBERS

from .bases import Change, HostileRow, Maker
from .changes import NewRow
from .classes import HOSTILE, ORDINARY, sort_classes
from .classify import Sides, classes_of
from .description import Description
from .kinds import Double, Integer
from .options import refuse

MOST_FAILURES = 1000
"""Number of draws without a new pair after which there are no more."""
DRAWN = "drawn"
"""How the names of drawn pairs begin."""


def hostile_pairs(
    description: Description,
    relation: str,
    *,
    seed: int,
    count: int,
    constants: Sequence[Any] = (),
    beyond: bool = False,
) -> tuple[Pair, ...]:
    """Return different pairs of described inputs: the first `count` of a fixed list, and drawn ones after it.

    The list goes through the classes by turns, so that each of them is among its first pairs. `constants` are
    those of the function. With `beyond` there are up to half as many pairs more, after the others, of which
    an input is not as described; they are marked `outside`. There may be fewer pairs than `count` if there
    are no more.
    Ensures: UsageError if described inputs have no neighbours under the relation.
    """
    _check_relation(description, relation)
    makers = [Maker(description, relation, tuple(constants), Random(each)) for each in (0, seed)]
    rows = makers[0].hostile_rows()
    inside = [row for row in rows if not row.outside]
    collected = _Collected(description, relation, tuple(constants))
    collected.add(_take_turns(_list_changes(makers[0], inside)), count, outside=False)
    collected.add(_draw(makers[1], inside), count, outside=False)
    if beyond:
        excluded = [row for row in rows if row.outside]
        collected.add(_take_turns(_list_changes(makers[0], excluded)), count + (count + 1) // 2, outside=True)
    return tuple(collected.pairs)


def _check_relation(description: Description, relation: str) -> None:
    if relation not in INPUT_RELATIONS:
        wanted = f"one of {', '.join(INPUT_RELATIONS)}"
        raise UsageError(f"expected {wanted}, got {relation!r}", argument="relation")
    if description.size is not None and relation not in KEEP_SIZE:
        wanted = f"inputs without size=, or a relation that keeps the number of rows, such as {EXCHANGE}"
        raise refuse(wanted, f"{description.text!r} under {relation}")
    if relation in NUMBERS and not isinstance(description.row, Double | Integer):
        raise refuse("inputs that are numbers, such as vector:10", f"{description.text!r} under {relation}")
    if relation == "user":
        description.check_user()


class _Collected:
    """The pairs so far, no two of them equal."""

    def __init__(self, description: Description, relation: str, constants: tuple[Any, ...]) -> None:
        self.description, self.relation, self.constants = description, relation, constants
        self.pairs: list[Pair] = []
        self._spellings: set[tuple[str, str]] = set()
        self._names: Counter[str] = Counter()

    def add(self, changes: Iterator[Change], count: int, *, outside: bool) -> None:
        """Add pairs until there are `count`, of inputs beyond the description or of others."""
        failures = 0
        for key, (left, right) in changes:
            if len(self.pairs) >= count or failures > MOST_FAILURES:
                return
            spelling = repr(left), repr(right)
            is_new = spelling[0] != spelling[1] and spelling not in self._spellings
            self._spellings.update({spelling, spelling[::-1]})
            inside = is_new and all(self._contains(rows) for rows in (left, right))
            failures = 0 if is_new and outside != inside else failures + 1
            if is_new and outside != inside:
                self._append(key, left, right, outside)

    def _contains(self, rows: list[Any]) -> bool:
        given = self.description
        is_size = given.least <= len(rows) and (given.most is None or len(rows) <= given.most)
        return is_size and all(map(given.row.contains, rows))

    def _append(self, key: str, left: list[Any], right: list[Any], outside: bool) -> None:
        classes = classes_of(Sides(self.description, self.relation, left, right, self.constants))
        if len(self.pairs) % 2:
            left, right = right, left
        self._names[key] += 1
        name = f"{key.replace('_', ' ')} {self._names[key]}"
        own = {key} - {DRAWN, ORDINARY}
        given = self.description
        self.pairs.append(
            Pair(
                name,
                given.dataset_of(left),
                given.dataset_of(right),
                self.relation,
                outside=outside,
                classes=sort_classes(classes | own),
            )
        )


def _list_changes(maker: Maker, rows: Sequence[HostileRow]) -> dict[str, list[Iterator[Change]]]:
    """Return the changes of the fixed list, by class."""
    by_key: dict[str, list[HostileRow]] = defaultdict(list)
    for row in rows:
        by_key[row.key].append(row)
    others = [row.new.row for row in rows]
    listed = defaultdict(list, {key: [maker.cell_changes(own, others)] for key, own in by_key.items()})
    for key, changes in maker.row_changes().items():
        listed[key].append(changes)
    return listed


def _take_turns(listed: dict[str, list[Iterator[Change]]]) -> Iterator[Change]:
    """Yield the first change of every class, then the second ones, and so on."""
    ordered = [changes for key in HOSTILE for changes in listed.get(key, ())]
    for turn in zip_longest(*ordered):
        yield from (change for change in turn if change is not None)


def _draw(maker: Maker, rows: Sequence[HostileRow]) -> Iterator[Change]:
    """Yield drawn changes without end."""
    random = maker.random
    while True:
        base = _draw_base(maker, rows)
        row = random.choice(rows).new if rows and random.random() < 0.7 else NewRow(maker.ordinary(1)[0])
        if base and random.random() < 0.2:
            row = NewRow(random.choice(base))
        sides = maker.changer.change(base, row, random.randint(0, len(base)))
        if sides is None:
            continue
        left, right = sides
        if maker.relation == ADD_REMOVE and random.random() < 0.15:
            random.shuffle(right := list(right))
        yield DRAWN, (left, right)


def _draw_base(maker: Maker, rows: Sequence[HostileRow]) -> list[Any]:
    """Return a data set of a drawn size: ordinary, of one row, of hostile rows, or of both."""
    random, given = maker.random, maker.description
    about = given.about
    sizes = (0, 1, 2, 3, about - 1, about, about, about + 1, 2 * about, random.randint(0, 2 * about))
    size = max(random.choice(sizes), given.least)
    size = size if given.most is None else min(size, given.most)
    base = maker.ordinary(size)
    mode = random.randrange(4)
    if not rows or mode == 0 or not size:
        return base
    if mode == 1:
        return [random.choice(rows).new.row] * size
    hostile = [random.choice(rows).new.row for _ in range(random.randint(1, 4))]
    share = 1.0 if mode == 2 else 0.4
    return [random.choice(hostile) if random.random() < share else row for row in base]
