"""The one table of hostile classes: inputs on which functions of data sets tend to fail, by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class HostileClass:
    """A class of inputs: what it is, and whether one cell can be of it."""

    meaning: str
    of_cells: bool = True
    """Whether a cell is of this class, or else the rows of a data set."""


ORDINARY = "ordinary"
"""The class of a pair that is of no hostile class."""

HOSTILE: Mapping[str, HostileClass] = MappingProxyType(
    {
        "integer_limits": HostileClass(
            "a limit of integers or of exact doubles: 2³¹ − 1, 2³¹, 2⁵³ + 1, 2⁶³ − 1"
        ),
        "magnitudes": HostileClass("a number so large or so small that sums with others are rounded"),
        "nan": HostileClass("NaN"),
        "infinity": HostileClass("an infinity"),
        "negative_zero": HostileClass("−0.0"),
        "subnormal": HostileClass("a subnormal number, whose inverse overflows"),
        "null": HostileClass("a missing value: None or null"),
        "empty_string": HostileClass("the empty string"),
        "odd_string": HostileClass(
            "spaces, control characters, other alphabets, strings that look like numbers"
        ),
        "undeclared_category": HostileClass("a category that no one declared"),
        "first_category": HostileClass("another category comes first in the data", False),
        "wrong_type": HostileClass("a cell of another type than most cells of its column"),
        "odd_rows": HostileClass("an odd number of rows", False),
        "even_rows": HostileClass("an even number of rows", False),
        "one_row": HostileClass("one row", False),
        "no_rows": HostileClass("no rows", False),
        "equal_rows": HostileClass("many equal rows and no others", False),
        "another_order": HostileClass("another order of the same rows", False),
        "bounds": HostileClass("two bounds in one row that are swapped or equal", False),
        "zero_divisor": HostileClass(
            "a zero beside other cells, or a column of zeros, by which a function may divide", False
        ),
        "outside_bounds": HostileClass("a number outside of the stated bounds"),
        "at_bounds": HostileClass("a number at one of the stated bounds"),
        "lone_group": HostileClass("a group with one row", False),
        "source_constant": HostileClass(
            "a constant of the function's source, or the next number, as a value or as a number of rows"
        ),
        ORDINARY: HostileClass("none of these"),
    }
)
"""What each class contains, by its key, in the order of reports."""


def sort_classes(keys: Iterable[str]) -> tuple[str, ...]:
    """Return keys in the order of the table, each once; the one of ordinary pairs if there are none."""
    wanted = set(keys)
    return tuple(key for key in HOSTILE if key in wanted) or (ORDINARY,)
