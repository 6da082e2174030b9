"""Descriptions of data sets: what a row may be, and how many rows there are.

| text                       | data sets                                                                     |
|----------------------------|-------------------------------------------------------------------------------|
| vector:10                  | about ten doubles, any of them                                                |
| vector:10,low=0,high=1     | about ten numbers from 0 to 1, no NaN                                         |
| integers:5                 | about five integers of 64 bits, or of a range                                 |
| rows:20,columns=3          | about 20 lists of three doubles, or of numbers of a range                     |
| strings:6                  | about six strings, any of them                                                |
| strings:6,categories=a|b   | about six strings, each of which is a or b                                    |
| table:schema.toml          | lists of cells, as a schema of the learner describes the columns              |
| json:examples.json         | data sets such as those in a list of examples                                 |
| mine.py:strategy           | data sets of rows that a Hypothesis strategy of data sets draws               |

“About ten rows” is any number of rows from none; `size=10` fixes it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

from privboost.auditor.values.tagged_json import from_json
from privboost.errors import PreconditionError, UsageError
from privboost.printing import suggest
from privboost.strict_json import read
from privboost.targets.loading import load_object
from privboost.targets.names import parse_named

from .examples import learn_kind
from .groupings import Grouping
from .kinds import Choice, Columns, Double, Drawn, Record, Text, ValueKind
from .options import Options, refuse
from .strategies import MOST_DISTINCT, draw_datasets, is_strategy

PROBES = 3
"""Number of rows on which fitted models are compared."""
ABOUT = 10
"""About how many rows a data set has by default."""


@dataclass(frozen=True, slots=True)
class Description:
    """What data sets may be: lists of rows of one kind."""

    text: str
    """Its spelling."""
    row: ValueKind
    about: int = ABOUT
    """About how many rows a data set has."""
    least: int = 0
    most: int | None = None
    """The least and the greatest number of rows; None without a limit."""
    user: int | str | None = None
    """The index or key of the cell that names the user of a row."""
    label: int | None = None
    """The index of the cell that is the label of a row: data sets are then {"X": rows, "y": labels}."""
    groupings: tuple[Grouping, ...] = ()
    """What is known of groups of rows."""

    @property
    def size(self) -> int | None:
        """Return the number of rows, if it is fixed."""
        return self.least if self.least == self.most else None

    def contains(self, dataset: Any) -> bool:
        """Return whether a data set is as described."""
        rows = self.rows_of(dataset)
        if rows is None or not self.has_size(len(rows)):
            return False
        return all(map(self.row.contains, rows)) and self.agree(rows, rows)

    def has_size(self, count: int) -> bool:
        """Return whether a data set may have this number of rows."""
        return self.least <= count and (self.most is None or count <= self.most)

    def agree(self, left: Sequence[Any], right: Sequence[Any]) -> bool:
        """Return whether the rows of two data sets have such groups, and are alike in what is public."""
        return all(grouping.agree(left, right) for grouping in self.groupings)

    def dataset_of(self, rows: Sequence[Any]) -> Any:
        """Return rows as a data set."""
        if self.label is None:
            return list(rows)
        at = self.label
        cells = [[*row[:at], *row[at + 1 :]] for row in rows]
        return {"X": cells, "y": [row[at] for row in rows], "probes": self._probes()}

    def _probes(self) -> list[Any]:
        """Return the cells of rows on which fitted models are compared, the same for all data sets."""
        random = Random(0)
        rows = [self.row.draw(random) for _ in range(PROBES)]
        return [[cell for index, cell in enumerate(row) if index != self.label] for row in rows]

    def rows_of(self, dataset: Any) -> list[Any] | None:
        """Return the rows of a data set, labels among the cells; None for what is no data set."""
        if self.label is None:
            return list(dataset) if isinstance(dataset, list | tuple) else None
        if not isinstance(dataset, dict) or not {"X", "y"} <= set(dataset):
            return None
        at = self.label
        pairs = zip(dataset["X"], dataset["y"], strict=True)
        return [[*cells[:at], label, *cells[at:]] for cells, label in pairs]

    def check_user(self) -> int | str:
        """Return the cell that names the user of a row.

        Ensures: UsageError if the description has none.
        """
        if self.user is None:
            has_cells = isinstance(self.row, Columns | Record)
            example = f"{self.text},user=0" if has_cells else "rows:20,columns=3,user=0"
            wanted = f"a description that names the column of the user, such as {example}"
            raise refuse(wanted, self.text)
        return self.user


def parse_description(text: str) -> Description:
    """Return the description that a string spells, as in the table above.

    Ensures: UsageError that says what is expected instead.
    """
    kind, colon, _ = text.partition(":")
    if kind not in _READERS:
        named = parse_named(text) if colon and re.search("[./]", kind) else None
        if named is None:
            examples = ", ".join(example for example, _, _ in _READERS.values())
            raise refuse(f"one of {examples}, or mine.py:strategy", repr(text) + suggest(kind, _READERS))
        strategy = load_object(named, kinds=f"one of {', '.join(_READERS)}", suits=is_strategy)
        return replace(describe_strategy(strategy), text=text)
    example, known, reader = _READERS[kind]
    return reader(Options.of(text, example, known.split()))


def describe(inputs: Any) -> Description:
    """Return the description that a caller gives: itself, its spelling, or a strategy of Hypothesis.

    Ensures: UsageError for anything else.
    """
    if isinstance(inputs, Description):
        return inputs
    if isinstance(inputs, str):
        return parse_description(inputs)
    if is_strategy(inputs):
        return describe_strategy(inputs)
    raise refuse("a description such as 'vector:10,low=0,high=1', or a strategy", type(inputs).__name__)


def describe_examples(
    examples: Sequence[Any], size: int | None = None, numbers: Double | None = None
) -> Description:
    """Return the description of data sets such as some examples.

    An example is a list of rows, or {"X": rows, "y": labels}. Shapes are learned, not ranges: see
    `learn_kind`. There are about as many rows as in the longest example, or `size`.
    Ensures: UsageError if there is no row, or an example of another form.
    """
    if examples and all(isinstance(example, dict) and {"X", "y"} <= example.keys() for example in examples):
        joined = [[[*cells, y] for cells, y in zip(each["X"], each["y"], strict=True)] for each in examples]
        described = describe_examples(joined, size, numbers)
        if not isinstance(described.row, Columns):
            raise refuse("examples whose rows X are equally long", "rows of several lengths")
        return replace(described, label=len(described.row.kinds) - 1)
    wrong = next((example for example in examples if not isinstance(example, list | tuple)), None)
    rows = [] if wrong is not None else [row for example in examples for row in example]
    if not rows:
        got = f"{len(examples)} without a row" if wrong is None else f"a {type(wrong).__name__}"
        raise refuse("examples that are lists of rows, such as [[1, 2, null], [3]]", got)
    about = max(map(len, examples))
    text = f"{len(examples)} examples" if size is None else f"{len(examples)} examples of {size} rows"
    return _with_size(Description(text, learn_kind(rows, numbers), about), size)


def describe_strategy(strategy: Any) -> Description:
    """Return the description of data sets of the rows that a strategy of lists draws.

    Rows are taken from data sets that it draws, and nothing else is made up; their number is between the
    least and the greatest that it draws. Neighbours of what it draws have to be allowed: rows may not depend
    on each other.
    """
    datasets = draw_datasets(strategy)
    distinct = {repr(row): row for dataset in datasets for row in dataset}
    sizes = sorted(map(len, datasets))
    if not distinct:
        raise refuse("a strategy of data sets with rows", repr(strategy))
    rows = tuple(distinct[key] for key in sorted(distinct, key=lambda key: (len(key), key))[:MOST_DISTINCT])
    return Description(repr(strategy), Drawn(rows), sizes[len(sizes) // 2], sizes[0], sizes[-1])


def _with_size(description: Description, size: int | None) -> Description:
    """Return a description with this number of rows, if it is given."""
    if size is None:
        return description
    return replace(description, about=size, least=size, most=size)


def _scalars(options: Options, kind: ValueKind) -> Description:
    """Return the description of rows that are one cell each."""
    return _with_size(Description(options.text, kind, options.count()), options.size())


def _rows(options: Options) -> Description:
    columns = options.count("columns")
    user = options.name_among("user", [str(index) for index in range(columns)])
    row = Columns((options.real(),) * columns)
    description = Description(options.text, row, options.count(), user=None if user is None else int(user))
    return _with_size(description, options.size())


def _strings(options: Options) -> Description:
    categories = options.values.get("categories")
    kind = Text() if categories is None else Choice(tuple(dict.fromkeys(categories.split("|"))))
    return _scalars(options, kind)


def _table(options: Options) -> Description:
    from .schemas import columns_of

    try:
        kinds = columns_of(options.first)
    except PreconditionError as error:
        raise UsageError(str(error), argument="input") from None
    names = list(kinds)
    user, label = (options.name_among(option, names) for option in ("user", "label"))
    description = Description(
        options.text,
        Columns(tuple(kinds.values())),
        options.count("rows") if "rows" in options.values else ABOUT,
        user=None if user is None else names.index(user),
        label=None if label is None else names.index(label),
    )
    return _with_size(description, options.size())


def _json(options: Options) -> Description:
    try:
        examples = [from_json(item) for item in read(Path(options.first), options.first).items()]
    except PreconditionError as error:
        raise UsageError(str(error), argument="input") from None
    ranged = {"low", "high"} & set(options.values)
    description = describe_examples(examples, options.size(), options.real() if ranged else None)
    keys = [member.key for member in description.row.members] if isinstance(description.row, Record) else []
    if isinstance(description.row, Columns):
        keys = [str(index) for index in range(len(description.row.kinds))]
    user = options.name_among("user", keys)
    if user is not None and isinstance(description.row, Columns):
        description = replace(description, user=int(user))
    return replace(description, text=options.text, user=description.user or user)


_READERS: dict[str, tuple[str, str, Callable[[Options], Description]]] = {
    "vector": ("vector:10,low=0,high=1", "low high size", lambda given: _scalars(given, given.real())),
    "integers": ("integers:5,low=0,high=9", "low high size", lambda given: _scalars(given, given.integer())),
    "rows": ("rows:20,columns=3,low=0,high=1", "columns low high size user", _rows),
    "strings": ("strings:6,categories=a|b", "categories size", _strings),
    "table": ("table:schema.toml,rows=20", "rows size user label", _table),
    "json": ("json:examples.json", "low high size user", _json),
}
"""By kind: an example, the options, and the function that reads them."""
