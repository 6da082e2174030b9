"""Read the arguments of a request, as the table of operations says.

PreconditionError, naming the argument, is raised if one is missing, unknown or outside its range, or if
several do not fit together.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from privboost.errors import PreconditionError

from .compound_kinds import check_members
from .operations import operation_of


@dataclass(frozen=True, slots=True)
class Row:
    """An example: codes of the attributes, label, weight."""

    x: tuple[int, ...]
    y: int = 1
    w: Fraction = Fraction(1)


class Arguments:
    """The checked arguments of one request, by name."""

    def __init__(self, op: str, given: Any) -> None:
        self.op, operation = op, operation_of(op)
        if not isinstance(given, Mapping):
            raise PreconditionError(op, "an object of arguments", repr(given))
        required = operation.arguments_of(given)
        check_members(given, op, required, operation.optional)
        kinds = required | dict(operation.optional)
        self._values = {name: kind.read(given[name], name) for name, kind in kinds.items() if name in given}
        for condition in operation.conditions:
            if condition.holds is not None and not condition.holds(self._values):
                raise PreconditionError(op, condition.words, repr(dict(given)))

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
