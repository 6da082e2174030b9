"""Hostile neighbours of described inputs: a fixed list with every class that fits, then drawn pairs.

A pair is a base and a change. The base is a data set, of several sizes: ordinary rows, equal rows, rows at a
limit, huge and tiny numbers. The change is what the relation allows to one of its rows. Both may be hostile,
since a sum wraps around only if the other rows are large as well.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from itertools import chain, islice, zip_longest
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
    return tuple(
        iterate_pairs(description, relation, seed=seed, count=count, constants=constants, beyond=beyond)
    )


def iterate_pairs(
    description: Description,
    relation: str,
    *,
    seed: int,
    count: int,
    constants: Sequence[Any] = (),
    beyond: bool = False,
) -> Iterator[Pair]:
    """Yield the pairs of `hostile_pairs`, each made when it is asked for."""
    _check_relation(description, relation)
    makers = [Maker(description, relation, tuple(constants), Random(each)) for each in (0, seed)]
    rows = makers[0].hostile_rows()
    inside, excluded = ([row for row in rows if row.outside == is_outside] for is_outside in (False, True))
    for maker in makers:
        maker.hostile = [row.new.row for row in inside]
    new = _NewPairs(description, relation, tuple(constants))
    changes = chain(_take_turns(_list_changes(makers[0], inside)), _draw(makers[1]))
    yield from islice(new.select(changes, outside=False), count)
    if beyond:
        others = _take_turns(_list_changes(makers[0], excluded))
        yield from islice(new.select(others, outside=True), (count + 1) // 2)


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


class _NewPairs:
    """Makes pairs of changes, and leaves out those that there were before."""

    def __init__(self, description: Description, relation: str, constants: tuple[Any, ...]) -> None:
        self.description, self.relation, self.constants = description, relation, constants
        self._known: set[bytes] = set()
        self._names: Counter[str] = Counter()

    def select(self, changes: Iterator[Change], *, outside: bool) -> Iterator[Pair]:
        """Yield the pairs of which an input is beyond the description, or those of which none is.

        There are no more of them after a number of changes that were not such pairs.
        """
        failures = 0
        for key, (left, right) in changes:
            sides = Sides(self.description, self.relation, left, right, self.constants)
            if self._is_new(sides) and outside != self._is_described(sides):
                failures = 0
                yield self._pair_of(key, sides, left, right, outside)
            elif (failures := failures + 1) > MOST_FAILURES:
                return

    def _is_new(self, sides: Sides) -> bool:
        """Return whether two different data sets were no pair before; they are from now on."""
        left, right = sides.spelled
        digest = blake2b(repr(sorted((left, right))).encode(), digest_size=16).digest()
        is_new = left != right and digest not in self._known
        self._known.add(digest)
        return is_new

    def _is_described(self, sides: Sides) -> bool:
        given, sizes = self.description, map(len, sides.spelled)
        are_known = all(map(given.has_size, sizes)) and all(map(given.row.contains, sides.rows.values()))
        # Most descriptions say nothing of groups of rows.
        return are_known and (not given.groupings or given.agree(*sides.datasets()))

    def _pair_of(self, key: str, sides: Sides, left: list[Any], right: list[Any], outside: bool) -> Pair:
        if self._names.total() % 2:
            left, right = right, left
        self._names[key] += 1
        return Pair(
            f"{key.replace('_', ' ')} {self._names[key]}",
            self.description.dataset_of(left),
            self.description.dataset_of(right),
            self.relation,
            outside=outside,
            classes=sort_classes(classes_of(sides) | {key} - {DRAWN, ORDINARY}),
        )


def _list_changes(maker: Maker, rows: Sequence[HostileRow]) -> dict[str, list[Iterator[Change]]]:
    """Return the changes of the fixed list, by class."""
    by_key: dict[str, list[HostileRow]] = defaultdict(list)
    for row in rows:
        by_key[row.key].append(row)
    listed = defaultdict(list, {key: [maker.cell_changes(own)] for key, own in by_key.items()})
    for key, changes in maker.row_changes().items():
        listed[key].append(changes)
    return listed


def _take_turns(listed: dict[str, list[Iterator[Change]]]) -> Iterator[Change]:
    """Yield the first change of every class, then the second ones, and so on."""
    ordered = [changes for key in HOSTILE for changes in listed.get(key, ())]
    for turn in zip_longest(*ordered):
        yield from (change for change in turn if change is not None)


def _draw(maker: Maker) -> Iterator[Change]:
    """Yield drawn changes without end."""
    random = maker.random
    while True:
        base = _draw_base(maker)
        row = (maker.mix_rows if random.random() < 0.7 else maker.ordinary)(1)[0]
        if base and random.random() < 0.2:
            row = random.choice(base)
        sides = maker.changer.change(base, NewRow(row), random.randint(0, len(base)))
        if sides is None:
            continue
        left, right = sides
        if maker.relation == ADD_REMOVE and random.random() < 0.15:
            random.shuffle(right := list(right))
        yield DRAWN, (left, right)


def _draw_base(maker: Maker) -> list[Any]:
    """Return a data set of a drawn size: ordinary, of one row, of hostile rows, or of both."""
    random, given = maker.random, maker.description
    about = given.about
    sizes = (0, 1, 2, 3, about - 1, about, about, about + 1, 2 * about, random.randint(0, 2 * about))
    size = max(random.choice(sizes), given.least)
    size = size if given.most is None else min(size, given.most)
    base = maker.ordinary(size)
    mode = random.randrange(4)
    if not maker.hostile or mode == 0 or not size:
        return base
    if mode == 1:
        return [random.choice(maker.hostile)] * size
    hostile = [random.choice(maker.hostile) for _ in range(random.randint(1, 4))]
    share = 1.0 if mode == 2 else 0.4
    return [random.choice(hostile) if random.random() < share else row for row in base]
