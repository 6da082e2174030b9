"""Transformations and measurements of OpenDP: their inputs, metrics and maps, as an object declares them.

Nothing here imports OpenDP: objects are known by their attributes. A data set is a list of rows; for a frame,
of lists of cells in the order of its columns. Inputs of other kinds have to be described by hand.
"""

from __future__ import annotations

import importlib
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

from privboost.auditor.inputs.declared import Declared, Grouping
from privboost.auditor.inputs.description import ABOUT, Description
from privboost.auditor.inputs.kinds import Choice, Columns, Double, Integer, Text, Union, ValueKind
from privboost.errors import PreconditionError
from privboost.limits import ADD_REMOVE, ANSWERS, DELETE_INSERT, EXCHANGE, INSERT_DELETE, L1, USER

RELATIONS = {
    "SymmetricDistance": ADD_REMOVE,
    "SymmetricIdDistance": USER,
    "InsertDeleteDistance": INSERT_DELETE,
    "ChangeOneDistance": EXCHANGE,
    "HammingDistance": EXCHANGE,
    "AbsoluteDistance": L1,
    "L1Distance": L1,
    "L2Distance": L1,
    "LInfDistance": ANSWERS,
    "DiscreteDistance": EXCHANGE,
}
"""Relations of inputs at distance 1, by the metric; numbers at L1 distance 1 have no greater L2 distance."""

OF_ATOMS = ("AbsoluteDistance", "DiscreteDistance")
"""Metrics of single values."""

SIZED = {ADD_REMOVE: EXCHANGE, INSERT_DELETE: DELETE_INSERT}
"""Relations of inputs at distance 2, where the number of rows is fixed."""

DISTANCES = {
    "SymmetricDistance": ("symmetric", 1),
    "InsertDeleteDistance": ("insert_delete", 1),
    "HammingDistance": ("exchange", 1),
    "ChangeOneDistance": ("symmetric", 2),
    "AbsoluteDistance": ("absolute", 1),
    "L1Distance": ("l1", 1),
    "L2Distance": ("l2", 1),
    "LInfDistance": ("linf", 1),
    "L01InfDistance": ("l1", 1),
    "DiscreteDistance": ("equal", 1),
}
"""Distances of outputs by the metric, and how many of their units are one of it."""

ATOM = re.compile(
    r"AtomDomain\((?:bounds=\[(?P<low>[^,]+), (?P<high>[^\]]+)\], )?(?P<nan>nan=true, )?T=(?P<type>\w+)\)"
)
SIZE = re.compile(r"size=(\d+)\)$")
INTEGER_TYPE = re.compile(r"(?P<sign>[iu])(?P<bits>\d+|size)")
COLUMN = re.compile(r'col\("([^"]*)"\)')
MOST_STEPS = 4
"""Number of steps of the relation for which a map is asked."""
DELTA = 1e-6
"""The delta at which a privacy profile is audited."""


@dataclass(frozen=True, slots=True)
class OpenDPObject:
    """The function of an object on lists of rows, and what the object declares."""

    function: Callable[[Any], Any]
    declared: Declared


def read_object(value: Any, name: str) -> OpenDPObject | None:
    """Return a transformation or a measurement of OpenDP as a function; None for any other object."""
    kind = type(value).__name__
    if type(value).__module__.partition(".")[0] != "opendp" or kind not in {"Transformation", "Measurement"}:
        return None
    space = _Space(value.input_domain, value.input_metric)
    inputs, relation = space.describe(name), space.relation()
    unit = 1
    if inputs is not None and inputs.size is not None and relation in SIZED:
        relation, unit = SIZED[relation], 2
    function = _Function(value, space)
    declared = partial(Declared, inputs, relation, groupings=space.groupings())
    if kind == "Measurement":
        claim = _claim(value.output_measure, function.map(unit), name)
        return OpenDPObject(function, declared(claim=claim))
    distance, factor = DISTANCES.get(_name_of(value.output_metric), ("", 1))
    if not distance:
        raise _refusal(name, f"an output metric among {', '.join(DISTANCES)}", value.output_metric)
    bounds = tuple(factor * bound for bound in _bounds(function, unit))
    return OpenDPObject(function, declared(distance=distance, bounds=bounds))


def _bounds(function: _Function, unit: int) -> Iterator[Fraction]:
    """Yield the distances that a map allows for 1, 2, ... steps, as long as they are finite."""
    for step in range(1, MOST_STEPS + 1):
        distance = function.map(step * unit)
        # Of the three distances of a sparse vector, that in L1.
        bound = distance[1] if isinstance(distance, tuple) else distance
        if not math.isfinite(bound):
            return
        yield Fraction(bound)


def _refusal(name: str, wanted: str, got: Any) -> PreconditionError:
    return PreconditionError(f"target {name!r}", wanted, got)


def _name_of(part: Any) -> str:
    """Return the name of a metric or a measure without its parameters: that inside of a FrameDistance."""
    text = str(part.type).rpartition("::")[2].partition("<")
    return text[2].rstrip(">").partition("<")[0] if text[0] == "FrameDistance" else text[0]


def _claim(measure: Any, distance: Any, name: str) -> str:
    """Return a claim as `parse_claim` reads it: the privacy map at the distance of neighbours."""
    kind, delta = _name_of(measure), 0.0
    if kind == "Approximate":
        (distance, delta), kind = distance, _name_of(measure.inner_measure)
    if kind == "SmoothedMaxDivergence":
        distance, delta, kind = distance.epsilon(DELTA), DELTA, "MaxDivergence"
    if kind == "ZeroConcentratedDivergence" and not delta:
        return f"zcdp:{distance!r}"
    if kind != "MaxDivergence" or not math.isfinite(distance):
        raise _refusal(
            name, "a finite epsilon or rho of pure, approximate or zero-concentrated privacy", measure
        )
    return f"eps:{distance!r},delta:{delta!r}" if delta else f"eps:{distance!r}"


@dataclass(frozen=True, slots=True)
class _Function:
    """The function and the map of an object, on lists of rows and on plain numbers."""

    value: Any
    space: _Space

    def __call__(self, dataset: Any) -> Any:
        """Return the output for a data set; of a frame, its rows."""
        output = self.value(self.space.carrier_of(dataset))
        while hasattr(output, "collect"):
            output = output.collect()
        return output.rows() if hasattr(output, "rows") else output

    def map(self, d_in: int) -> Any:
        """Return the distance of outputs that the object allows for inputs at a distance."""
        return self.value.map(self.space.distance_of(d_in))


@dataclass(frozen=True, slots=True)
class _Space:
    """An input domain and an input metric."""

    domain: Any
    metric: Any

    def relation(self) -> str:
        """Return the relation of inputs at distance 1."""
        name = _name_of(self.metric)
        if name not in RELATIONS:
            raise PreconditionError("input metric", f"one of {', '.join(RELATIONS)}", self.metric)
        return RELATIONS[name]

    def distance_of(self, d_in: int) -> Any:
        """Return a distance of the input metric."""
        if str(self.metric.type).startswith("FrameDistance"):
            return [importlib.import_module("opendp.extras.polars").Bound(per_group=d_in)]
        return float(d_in) if str(self.metric.distance_type).startswith("f") else d_in

    def describe(self, name: str) -> Description | None:
        """Return a description of the domain; None for one that only its author can describe."""
        domain, text = self.domain, str(self.domain)
        if hasattr(domain, "columns"):
            return self._describe_frame(name)
        cell = _cell(text, nullable="OptionDomain" in text)
        if cell is None or not (self._is_atom or text.startswith("VectorDomain")):
            return None
        size = SIZE.search(text)
        count = 1 if self._is_atom else int(size[1]) if size else None
        return _description(f"{name} ({text})", cell, count, count)

    @property
    def _is_atom(self) -> bool:
        """Return whether an input is one value: not where it has the rows of a data set in one string."""
        return str(self.domain).startswith("AtomDomain") and _name_of(self.metric) in OF_ATOMS

    def _describe_frame(self, name: str) -> Description:
        cells = []
        for column in self.domain.columns:
            series = self.domain.get_series_domain(column)
            cell = _cell(str(series.element_domain), nullable=series.nullable)
            if cell is None:
                raise _refusal(name, "columns of numbers, strings or truth values", series)
            cells.append(cell)
        margin = self.domain.get_margin([])
        fixed = margin.max_length if margin.invariant == "lengths" else None
        user = None
        if self.relation() == USER:
            user = self.domain.columns.index(self.metric.identifier.meta.output_name())
        return _description(f"{name} ({self.domain})", Columns(tuple(cells)), fixed, margin.max_length, user)

    def carrier_of(self, dataset: Any) -> Any:
        """Return a data set in the form that the object takes."""
        if hasattr(self.domain, "columns"):
            polars = importlib.import_module("polars")
            return polars.LazyFrame(dataset, schema=self._schema(), orient="row")
        return dataset[0] if self._is_atom else dataset

    def groupings(self) -> tuple[Grouping, ...]:
        """Return what a frame's domain says of groups of rows."""
        if not hasattr(self.domain, "columns"):
            return ()
        stated = str(self.domain).partition("margins=[")[2]
        return tuple(self._grouping(COLUMN.findall(group)) for group in re.findall(r"\{([^}]*)\}", stated))

    def _grouping(self, names: list[str]) -> Grouping:
        margin = self.domain.get_margin(names)
        columns = tuple(self.domain.columns.index(name) for name in names)
        return Grouping(columns, margin.max_length, margin.max_groups, margin.invariant)

    def _schema(self) -> dict[str, Any]:
        """Return the type of every column as Polars names it."""
        polars = importlib.import_module("polars")
        atoms = (
            (column, ATOM.search(str(self.domain.get_series_domain(column).element_domain)))
            for column in self.domain.columns
        )
        return {column: getattr(polars, _POLARS[atom["type"]]) for column, atom in atoms if atom}


_POLARS = {
    "f32": "Float32",
    "f64": "Float64",
    "bool": "Boolean",
    "String": "String",
    **{
        f"{sign}{bits}": f"{name}{bits}"
        for sign, name in (("i", "Int"), ("u", "UInt"))
        for bits in (8, 16, 32, 64)
    },
}
"""Types of columns, by the type of their atoms."""


def _description(
    text: str, row: ValueKind, fixed: int | None, most: int | None = None, user: int | None = None
) -> Description:
    about = fixed if fixed is not None else min(most or ABOUT, ABOUT)
    return Description(text, row, about, fixed or 0, fixed if fixed is not None else most, user)


def _cell(text: str, nullable: bool) -> ValueKind | None:
    """Return the kind of the values of an atom domain, by its description; None for other domains."""
    atom = ATOM.search(text)
    kind = _kind(atom) if atom else None
    return Union((kind, Choice((None,)))) if kind and nullable else kind


def _kind(atom: re.Match[str]) -> ValueKind | None:
    low, high = atom["low"], atom["high"]
    if atom["type"] in {"f32", "f64"}:
        # Domains without NaN contain infinities.
        nan = bool(atom["nan"])
        return Double(float(low), float(high), nan=nan) if low else Double(nan=nan)
    if integer := INTEGER_TYPE.fullmatch(atom["type"]):
        bits = 64 if integer["bits"] == "size" else int(integer["bits"])
        least = -(2 ** (bits - 1)) if integer["sign"] == "i" else 0
        return Integer(int(low), int(high)) if low else Integer(least, least + 2**bits - 1)
    others: dict[str, ValueKind] = {"String": Text(), "bool": Choice((False, True))}
    return others.get(atom["type"])
