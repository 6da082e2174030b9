"""Domains of OpenDP as descriptions of data sets, and data sets in the form that a domain wants.

| domain                    | data set                        | form                 |
|---------------------------|---------------------------------|----------------------|
| vector of atoms           | list of cells                   | the list             |
| one atom                  | list of one cell                | the cell             |
| frame                     | list of lists of cells          | a lazy frame         |
| matrix                    | list of lists of numbers        | an array             |
| any other                 | what the author of it describes | the same             |
"""

from __future__ import annotations

import importlib
import math
import re
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Protocol

import numpy as np

from privboost.auditor.inputs.description import ABOUT, Description
from privboost.auditor.inputs.groupings import Grouping
from privboost.auditor.inputs.kinds import (
    Choice,
    Columns,
    Day,
    Double,
    Integer,
    Text,
    Union,
    ValueKind,
)

ATOM = re.compile(
    r"AtomDomain\((?:bounds=\[(?P<low>[^,]+), (?P<high>[^\]]+)\], )?(?P<nan>nan=true, )?T=(?P<type>\w+)\)"
)
VECTOR = re.compile(
    r"VectorDomain\((?P<option>OptionDomain\()?(?P<atom>AtomDomain\(.*?\))\)?(?:, size=(?P<size>\d+))?\)"
)
INTEGER_TYPE = re.compile(r"(?P<sign>[iu])(?P<bits>\d+|size)")
COLUMN = re.compile(r'col\("([^"]*)"\)')
COLUMN_TYPES = {"f32": "Float32", "f64": "Float64", "bool": "Boolean", "NaiveDate": "Date"}
"""Types of columns in Polars, by those of atoms; integers and strings have nearly the same names."""
INSIDE = 1 - 2**-40
"""Rows have at most this share of a bound on their norm, so that rounding keeps them inside."""


class DescribedDomain(Protocol):
    """What is known of a domain."""

    def describe(self, name: str) -> Description | None:
        """Return a description of the data sets of an object with this name; None if it is unknown."""

    def form(self, dataset: Any) -> Any:
        """Return a data set in the form that the object takes."""


def domain_of(domain: Any, of_atoms: bool, user: str | None) -> DescribedDomain:
    """Return what is known of a domain of OpenDP.

    `of_atoms` is whether its metric compares single values, `user` the column that identifies users.
    """
    if hasattr(domain, "columns"):
        return FrameDomain(domain, user)
    descriptor = getattr(domain, "descriptor", None)
    if getattr(descriptor, "num_columns", None):
        return MatrixDomain(descriptor)
    if of_atoms and ATOM.fullmatch(str(domain)):
        return AtomDomain(str(domain))
    return VectorDomain(str(domain))


@dataclass(frozen=True, slots=True)
class VectorDomain:
    """A vector, or a domain that only its author can describe."""

    text: str

    def describe(self, name: str) -> Description | None:
        """Return the description of a vector of atoms."""
        vector = VECTOR.fullmatch(self.text)
        cell = _kind(vector["atom"], nullable=bool(vector["option"])) if vector else None
        if vector is None or cell is None:
            return None
        size = int(vector["size"]) if vector["size"] else None
        return _description(f"{name} ({self.text})", cell, size, size)

    def form(self, dataset: Any) -> Any:
        """Return the data set."""
        return dataset


class AtomDomain(VectorDomain):
    """One value, as a data set of one row."""

    __slots__ = ()

    def describe(self, name: str) -> Description | None:
        """Return the description of one value."""
        cell = _kind(self.text)
        return None if cell is None else _description(f"{name} ({self.text})", cell, 1, 1)

    def form(self, dataset: Any) -> Any:
        """Return the value."""
        return dataset[0]


@dataclass(frozen=True, slots=True)
class FrameDomain:
    """A frame of Polars."""

    domain: Any
    user: str | None

    def describe(self, name: str) -> Description | None:
        """Return the description of rows of cells; None if a column is of another kind."""
        cells = []
        for column in self.domain.columns:
            series = self.domain.get_series_domain(column)
            cells.append(_kind(str(series.element_domain), nullable=series.nullable))
        margin = self.domain.get_margin([])
        fixed = margin.max_length if margin.invariant == "lengths" else None
        user = None if self.user is None else self.domain.columns.index(self.user)
        known = tuple(cell for cell in cells if cell is not None)
        if len(known) < len(cells):
            return None
        described = _description(f"{name} ({self.domain})", Columns(known), fixed, margin.max_length)
        return replace(described, user=user, groupings=self._groupings())

    def form(self, dataset: Any) -> Any:
        """Return a lazy frame."""
        polars = importlib.import_module("polars")
        kinds = {column: self._type_of(column) for column in self.domain.columns}
        days = [at for at, kind in enumerate(kinds.values()) if kind == "Date"]
        rows = [[_to_day(cell) if at in days else cell for at, cell in enumerate(row)] for row in dataset]
        schema = {column: getattr(polars, kind) for column, kind in kinds.items()}
        return polars.LazyFrame(rows, schema=schema, orient="row")

    def _groupings(self) -> tuple[Grouping, ...]:
        stated = re.findall(r"\{([^}]*)\}", str(self.domain).partition("margins=[")[2])
        return tuple(self._grouping(COLUMN.findall(group)) for group in stated)

    def _grouping(self, names: list[str]) -> Grouping:
        margin = self.domain.get_margin(names)
        columns = tuple(self.domain.columns.index(name) for name in names)
        return Grouping(columns, margin.max_length, margin.max_groups, margin.invariant)

    def _type_of(self, column: str) -> str:
        """Return the type of a column as Polars names it: Int32 for i32, UInt8 for u8."""
        atom = ATOM.fullmatch(str(self.domain.get_series_domain(column).element_domain))
        kind = atom["type"] if atom else "String"
        integer = INTEGER_TYPE.fullmatch(kind)
        if integer:
            return ("Int" if integer["sign"] == "i" else "UInt") + integer["bits"]
        return COLUMN_TYPES.get(kind, kind)


@dataclass(frozen=True, slots=True)
class MatrixDomain:
    """A matrix of numbers, whose rows may have a bound on their norm."""

    descriptor: Any

    def describe(self, name: str) -> Description | None:
        """Return the description of rows of numbers, each within its share of the norm."""
        given, columns = self.descriptor, self.descriptor.num_columns
        cells: list[ValueKind] = [Double(nan=given.nan)] * columns
        if given.cardinalities is not None:
            cells = [Integer(0, int(count) - 1) for count in given.cardinalities]
        elif given.norm is not None:
            reach = given.norm * INSIDE / columns ** (1 / given.p)
            centre = np.broadcast_to(0.0 if given.origin is None else given.origin, columns)
            cells = [Double(float(at - reach), float(at + reach), nan=given.nan) for at in centre]
        return _description(f"{name} ({given})", Columns(tuple(cells)), given.size, given.size)

    def form(self, dataset: Any) -> Any:
        """Return an array."""
        kind = float if self.descriptor.cardinalities is None else int
        return np.array(dataset, dtype=kind).reshape(-1, self.descriptor.num_columns)


def _to_day(cell: Any) -> Any:
    return date.fromisoformat(cell) if isinstance(cell, str) else cell


def _description(text: str, row: ValueKind, fixed: int | None, most: int | None = None) -> Description:
    about = fixed if fixed is not None else min(most or ABOUT, ABOUT)
    return Description(text, row, about, fixed or 0, fixed if fixed is not None else most)


def _kind(text: str, nullable: bool = False) -> ValueKind | None:
    """Return the kind of the values of an atom domain; None for any other domain."""
    atom = ATOM.fullmatch(text)
    kind = _kind_of_atom(atom["type"], atom["low"], atom["high"], bool(atom["nan"])) if atom else None
    return Union((kind, Choice((None,)))) if kind and nullable else kind


def _number(text: str | None) -> float | None:
    """Return a bound; None for one that is missing or infinite."""
    return None if text is None or not math.isfinite(float(text)) else float(text)


def _kind_of_atom(name: str, low: str | None, high: str | None, nan: bool) -> ValueKind | None:
    if name in {"f32", "f64"}:
        return Double(_number(low), _number(high), nan=nan)
    if integer := INTEGER_TYPE.fullmatch(name):
        bits = 64 if integer["bits"] == "size" else int(integer["bits"])
        least = -(2 ** (bits - 1)) if integer["sign"] == "i" else 0
        return Integer(int(low or least), int(high or least + 2**bits - 1))
    others: dict[str, ValueKind] = {
        "String": Text(),
        "bool": Choice((False, True)),
        "NaiveDate": Day(date(1, 1, 1), date(9999, 12, 31)),
    }
    return others.get(name)
