"""The options of a description: numbers, ranges, sizes and names of cells, each with a clear refusal."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from privboost.errors import UsageError
from privboost.printing import shorten, suggest

from .kinds import INT64, Double, Integer

MOST_ROWS = 100_000


def refuse(expected: str, got: object) -> UsageError:
    """Return the error for a wrong description."""
    return UsageError(f"expected {expected}, got {shorten(str(got))}", argument="input")


@dataclass(frozen=True, slots=True)
class Options:
    """What stands behind the colon of a description."""

    text: str
    """The whole description."""
    example: str
    """A description of the same kind that is right."""
    first: str
    values: dict[str, str]

    @classmethod
    def of(cls, text: str, example: str, known: Sequence[str]) -> Options:
        """Return the options of a description; `known` are their names.

        Ensures: UsageError for an option that is unknown, has no value, or is given twice.
        """
        kind, _, rest = text.partition(":")
        first, *others = rest.split(",")
        values: dict[str, str] = {}
        for option in others:
            name, equals, value = option.partition("=")
            if not equals or name not in known or name in values:
                got = "twice the same" if name in values else f"{option!r}{suggest(name, known)}"
                names = ", ".join(f"{each}=" for each in known)
                raise refuse(f"options of {kind} among {names}, as in {example}", f"{got} in {text!r}")
            values[name] = value
        return cls(text, example, first, values)

    def count(self, name: str = "") -> int:
        """Return a positive integer: the value of an option, or by default what stands before all options."""
        value = self.values.get(name, "") if name else self.first
        if not re.fullmatch("[0-9]{1,6}", value) or not 0 < int(value) <= MOST_ROWS:
            wanted = f"{name}= an integer" if name else "a number of rows"
            raise refuse(f"{wanted} from 1 to {MOST_ROWS}, as in {self.example}", self._quote(value))
        return int(value)

    def size(self) -> int | None:
        """Return the number of rows, if it is fixed; it may be 0."""
        if "size" not in self.values:
            return None
        return 0 if self.values["size"] == "0" else self.count("size")

    def real(self) -> Double:
        """Return the kind of doubles of a range, or of any double if no range is given."""
        low, high = self._number("low"), self._number("high")
        self._check_order(low, high)
        is_any = low is None and high is None
        return Double(low, high, nan=is_any, infinities=is_any)

    def integer(self) -> Integer:
        """Return the kind of integers of a range, by default those of 64 bits."""
        ends = []
        for name, default in zip(("low", "high"), INT64, strict=True):
            value = self.values.get(name, str(default))
            if not re.fullmatch(r"-?[0-9]{1,300}", value):
                raise refuse(f"{name}= an integer, as in {self.example}", self._quote(value))
            ends.append(int(value))
        self._check_order(*ends)
        return Integer(*ends)

    def name_among(self, option: str, names: Sequence[str]) -> str | None:
        """Return the value of an option that names a cell, if it is given."""
        value = self.values.get(option)
        if value is not None and value not in names:
            wanted = (
                f"one of {', '.join(names)}" if names else "rows with columns, as in rows:20,columns=3,user=0"
            )
            raise refuse(f"{option}= {wanted}", self._quote(value) + suggest(value, names))
        return value

    def _number(self, name: str) -> float | None:
        """Return the value of an option that is a finite number, if it is given."""
        value = self.values.get(name)
        try:
            number = None if value is None else float(value)
        except ValueError:
            number = math.nan
        if number is not None and not math.isfinite(number):
            raise refuse(f"{name}= a finite number, as in {self.example}", self._quote(str(value)))
        return number

    def _check_order(self, low: float | None, high: float | None) -> None:
        if low is not None and high is not None and low > high:
            raise refuse("low= not above high=", repr(self.text))

    def _quote(self, value: str) -> str:
        return f"{value!r} in {self.text!r}"
