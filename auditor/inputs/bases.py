"""Data sets to start from, and changes of them, for each hostile class."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from privboost.limits import ADD_REMOVE, KEEP_SIZE

from .cells import HostileCell, hostile_cells
from .changes import Changer, NewRow, Rows, Sides
from .classes import ORDINARY
from .description import Description
from .kinds import Choice, Double, Integer, Path, Text, Union, ValueKind, get_part, replace_part

LARGEST_CONSTANT = 300
"""Constants of a function up to this one are tried as numbers of rows."""
MOST_DISTINCT = 64
"""Greatest number of different ordinary rows in a data set."""
STRIDE = 7
"""Distance in the list of hostile rows of those that stand beside each other in a data set."""
LEAST_MANY = 5
"""Least number of rows in a data set of many equal ones."""

Change = tuple[str, Sides]
"""The class for which a pair is made, and its rows."""


@dataclass(frozen=True, slots=True)
class HostileRow:
    """A row with a hostile cell."""

    key: str
    new: NewRow
    outside: bool


@dataclass(slots=True)
class Maker:
    """Makes pairs for each class, of one description and relation."""

    description: Description
    relation: str
    constants: tuple[Any, ...]
    random: Random
    changer: Changer = field(init=False)
    hostile: Rows = field(default_factory=list)
    """Hostile rows to draw from."""

    def __post_init__(self) -> None:
        self.changer = Changer(self.description, self.relation, self.random)

    @property
    def keeps_size(self) -> bool:
        """Return whether both data sets have equally many rows."""
        return self.relation in KEEP_SIZE

    def ordinary(self, count: int) -> Rows:
        """Return ordinary rows."""
        drawn = [self.description.row.draw(self.random) for _ in range(min(count, MOST_DISTINCT))]
        return drawn + self.random.choices(drawn, k=count - len(drawn)) if count > len(drawn) else drawn

    def hostile_rows(self) -> list[HostileRow]:
        """Return a row for every hostile value of every cell, and the others of the row ordinary."""
        kind = self.description.row
        row = kind.draw(self.random)
        rows: list[HostileRow] = []
        for path, leaf in kind.leaves(row):
            for cell in hostile_cells(leaf, self.constants):
                other = kind.draw(self.random)
                if path not in dict(kind.leaves(other)):
                    other = row
                rows.append(_hostile_row(other, path, cell))
        return rows

    def cell_changes(self, rows: Sequence[HostileRow]) -> Iterator[Change]:
        """Yield changes for hostile rows of one class: all rows early, each in another data set."""
        trials = [trial for trial in TRIALS if self._allows(trial)]
        for turn in range(len(trials)):
            for index, hostile in enumerate(rows):
                trial = trials[(index + turn) % len(trials)]
                base, new = trial.base(self, hostile.new.row), hostile.new
                if trial.other:
                    new = NewRow(self.changer.other_row(new.row), new.path)
                yield from self._change(hostile.key, base, new, turn + index)

    def mix_rows(self, count: int) -> Rows:
        """Return rows each of which is hostile in another way, or ordinary ones if none are."""
        if not self.hostile:
            return self.ordinary(count)
        start = self.random.randrange(len(self.hostile))
        return [self.hostile[(start + STRIDE * index) % len(self.hostile)] for index in range(count)]

    def _allows(self, trial: CellTrial) -> bool:
        """Return whether a data set of a trial may have neighbours as described."""
        if self.description.size is not None:
            return trial.has_usual_size
        return trial.has_rows or not self.keeps_size

    def row_changes(self) -> dict[str, Iterator[Change]]:
        """Return changes for the classes that are not those of a cell."""
        about = self.description.about
        large = 4 * about + 1
        return {
            "no_rows": self._of_sizes("no_rows", [0]),
            "one_row": self._of_sizes("one_row", [1]),
            "odd_rows": self._of_sizes("odd_rows", [3, about + (about + 1) % 2, 7, large]),
            "even_rows": self._of_sizes("even_rows", [2, about + about % 2, 6, large + 1]),
            "source_constant": self._of_sizes("source_constant", self._constant_sizes()),
            "equal_rows": self._equal_rows(),
            "another_order": self._other_orders(),
            "first_category": self._first_categories(),
            "bounds": self._bounds(),
            "zero_divisor": self._zeros(),
            "lone_group": self._lone_groups(),
            ORDINARY: self._of_sizes(ORDINARY, [about]),
        }

    def _change(self, key: str, base: Rows, new: NewRow, turn: int) -> Iterator[Change]:
        """Yield a change at the end, in front or in the middle, by turns."""
        at = (len(base), 0, len(base) // 2)[turn % 3]
        sides = self.changer.change(base, new, at)
        if sides is not None:
            yield key, sides

    def _constant_sizes(self) -> list[int]:
        sizes = [
            value for value in self.constants if isinstance(value, int) and 1 < value <= LARGEST_CONSTANT
        ]
        steps = (0,) if self.keeps_size else (-1, 0)
        return [size + step for size in sizes for step in (*steps, 1)]

    def _of_sizes(self, key: str, sizes: Sequence[int]) -> Iterator[Change]:
        """Yield changes of numbers of rows, by an ordinary row and by one that is equal to the first."""
        for turn, size in enumerate(dict.fromkeys(sizes)):
            base = self.ordinary(size)
            yield from self._change(key, base, NewRow(self.ordinary(1)[0]), turn)
            for row in self.description.row.simple()[:2]:
                yield from self._change(key, [row] * size, NewRow(row), turn)

    def _equal_rows(self) -> Iterator[Change]:
        size = max(self.description.about, LEAST_MANY)
        for turn, row in enumerate((*self.ordinary(1), *self.description.row.simple()[:3])):
            yield from self._change("equal_rows", [row] * size, NewRow(row), turn)
            yield from self._change("equal_rows", [row] * size, NewRow(self.changer.other_row(row)), turn)

    def _other_orders(self) -> Iterator[Change]:
        """Yield the same rows in another order, with a row added and without, where order has no meaning."""
        if self.relation != ADD_REMOVE:
            return
        simple = list(self.description.row.simple())
        size = max(self.description.about, LEAST_MANY)
        for base in (
            self.ordinary(size),
            self.ordinary(size - 1) + simple,
            simple * 2,
            simple + self.ordinary(4),
        ):
            ordered = sorted(base, key=_order_of)
            for other in (ordered[::-1], ordered[1:] + ordered[:1]):
                yield "another_order", (ordered, other)
                yield "another_order", (ordered, [*other, self.ordinary(1)[0]])

    def _first_categories(self) -> Iterator[Change]:
        """Yield changes of the first row to one of another category."""
        for path, _, categories in self._groups():
            for turn, (own, other) in enumerate(zip(categories, reversed(categories), strict=True)):
                base = self.ordinary(self.description.about)
                base[:1] = [self._put(path, own)]
                sides = self.changer.change(base, NewRow(self._put(path, other), path), 0)
                if sides is not None and own != other:
                    yield "first_category", sides
                if turn > 8:
                    return

    def _lone_groups(self) -> Iterator[Change]:
        """Yield changes by which a group with one row appears, disappears or gets a second row."""
        for path, _, categories in self._groups():
            many, lone = self._put(path, categories[0]), self._put(path, categories[-1])
            size = max(self.description.about - 1, 1)
            for turn, (base, row) in enumerate(
                (
                    ([many] * size, lone),
                    ([many] * size + [lone], lone),
                    ([many], many),
                    ([lone] + [many] * size, lone),
                )
            ):
                yield from self._change("lone_group", base, NewRow(row, path), turn)

    def _bounds(self) -> Iterator[Change]:
        """Yield changes by rows of numbers that descend, or are equal."""
        for turn in range(6):
            row = self.ordinary(1)[0]
            cells = self._numbers(row)
            if len(cells) < 2:
                return
            kinds = [kind for _, kind in cells]
            drawn = [get_part(row, path) for path, _ in cells]
            descending = [max(kinds[0].simple()), *sorted(drawn[1:-1], reverse=True), min(kinds[-1].simple())]
            for numbers in (descending, [drawn[0]] * len(cells), sorted(drawn, reverse=True)):
                changed = row
                for (path, _), number in zip(cells, numbers, strict=True):
                    changed = replace_part(changed, path, number)
                base = ([], self.ordinary(self.description.about), self.ordinary(1))[turn % 3]
                yield from self._change("bounds", base, NewRow(changed), turn)

    def _zeros(self) -> Iterator[Change]:
        """Yield changes of data sets in which a column of numbers is 0, or one number of a row."""
        row = self.ordinary(1)[0]
        for path, kind in self._numbers(row):
            zero = 0 if isinstance(kind, Integer) else 0.0
            if not kind.contains(zero):
                continue
            for turn, size in enumerate((1, 0, self.description.about)):
                base = [replace_part(each, path, zero) for each in self.ordinary(size)]
                new = replace_part(self.ordinary(1)[0], path, zero)
                yield from self._change("zero_divisor", base, NewRow(new, path), turn)
                yield from self._change("zero_divisor", base, NewRow(self.ordinary(1)[0], path), turn)
                if len(dict(self.description.row.leaves(row))) > 1:
                    others = self.ordinary(self.description.about)
                    yield from self._change("zero_divisor", others, NewRow(new, path), turn)

    def _put(self, path: Path, value: Any) -> Any:
        return replace_part(self.ordinary(1)[0], path, value)

    def _numbers(self, row: Any) -> list[tuple[Path, ValueKind]]:
        leaves = self.description.row.leaves(row)
        return [(path, _main(kind)) for path, kind in leaves if isinstance(_main(kind), Double | Integer)]

    def _groups(self) -> Iterator[tuple[Path, ValueKind, tuple[Any, ...]]]:
        """Yield the cells that name a group, with some of their categories."""
        for path, kind in self.description.row.leaves(self.ordinary(1)[0]):
            main = _main(kind)
            if isinstance(main, Text):
                yield path, main, ("b", "a", "", "z")
            elif isinstance(main, Choice) and len(main.values) > 1:
                yield path, main, main.values


@dataclass(frozen=True, slots=True)
class CellTrial:
    """A way to try a hostile row: in which data set, and whether another row is the change of it."""

    base: Callable[[Maker, Any], Rows]
    other: bool = False
    has_rows: bool = True
    has_usual_size: bool = True


def _repeat(maker: Maker, row: Any) -> Rows:
    return [row] * maker.description.about


def _oppose(maker: Maker, row: Any) -> Rows:
    """Return some equal rows and then more with the opposite numbers: their sum goes up and then down."""
    about, opposite = maker.description.about, row
    for path, leaf in maker.description.row.leaves(row):
        number, main = get_part(row, path), _main(leaf)
        if isinstance(number, int | float) and isinstance(main, Double | Integer):
            opposite = replace_part(
                opposite, path, next(filter(leaf.contains, _mirror(number, main)), number)
            )
    return [row] * (about // 3) + [opposite] * (about - about // 3)


def _mirror(number: float, kind: Double | Integer) -> list[float]:
    """Return the opposite of a number, and the number as far from the other end of its range."""
    low, high = kind.low, kind.high
    return [-number] if low is None or high is None else [-number, low + high - number]


def _alternate(maker: Maker, row: Any) -> Rows:
    about = maker.description.about
    return [each for other in maker.ordinary((about + 1) // 2) for each in (row, other)][:about]


TRIALS = (
    CellTrial(lambda maker, _: maker.ordinary(maker.description.about)),
    CellTrial(_repeat),
    CellTrial(lambda *_: [], has_rows=False, has_usual_size=False),
    CellTrial(lambda maker, _: maker.mix_rows(maker.description.about)),
    CellTrial(_repeat, other=True),
    CellTrial(_alternate),
    CellTrial(lambda maker, _: maker.ordinary(1), has_usual_size=False),
    CellTrial(_alternate, other=True),
    CellTrial(lambda _, row: [row], has_usual_size=False),
    CellTrial(lambda maker, _: maker.ordinary(maker.description.about + 1), has_usual_size=False),
    CellTrial(_oppose),
    CellTrial(lambda _, row: [row] * 3, has_usual_size=False),
)
"""Data sets for every hostile row, those first that reveal most."""


def _main(kind: ValueKind) -> ValueKind:
    """Return the most frequent one of a union."""
    return _main(kind.kinds[0]) if isinstance(kind, Union) else kind


def _hostile_row(row: Any, path: Path, cell: HostileCell) -> HostileRow:
    return HostileRow(cell.key, NewRow(replace_part(row, path, cell.value), path), cell.outside)


def _order_of(row: Any) -> tuple[str, Any]:
    """Return what rows of any types are ordered by."""
    return (type(row).__name__, row if isinstance(row, int | float | str) else repr(row))
