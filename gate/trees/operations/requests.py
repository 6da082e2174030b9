"""Read the arguments of a request, as the table of operations says."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from .operations import WITH_HELLO


@dataclass(frozen=True, slots=True)
class Row:
    """An example: codes of the attributes, label, weight."""

    x: tuple[int, ...]
    y: int = 1
    w: Fraction = Fraction(1)


class Arguments:
    """The checked arguments of one request, by name."""

    def __init__(self, op: str, given: Any) -> None:
        self.op, self._values = op, WITH_HELLO[op].read(given)

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __contains__(self, name: str) -> bool:
        return name in self._values

    def shares(self) -> dict[str, Any]:
        """Return epsilon, beta_tree and the number of trees, by name."""
        return {name: self[name] for name in ("epsilon", "beta_tree", "trees")}

    def rows(self) -> tuple[Row, ...]:
        """Return the rows."""
        return tuple(
            Row(tuple(row["x"]), *(row[name] for name in ("y", "w") if name in row)) for row in self["rows"]
        )
