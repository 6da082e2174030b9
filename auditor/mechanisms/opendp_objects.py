"""Transformations and measurements of OpenDP: their inputs, metrics and maps, as an object declares them.

Nothing here imports OpenDP: objects are known by their attributes.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

from privboost.auditor.inputs.declared import Declared
from privboost.errors import PreconditionError
from privboost.limits import ADD_REMOVE, ANSWERS, DELETE_INSERT, EXCHANGE, INSERT_DELETE, L1, L2, USER

from .opendp_domains import DescribedDomain, domain_of

RELATIONS = {
    "SymmetricDistance": ADD_REMOVE,
    "SymmetricIdDistance": USER,
    "InsertDeleteDistance": INSERT_DELETE,
    "ChangeOneDistance": EXCHANGE,
    "HammingDistance": EXCHANGE,
    "AbsoluteDistance": L1,
    "L1Distance": L1,
    "L2Distance": L2,
    "LInfDistance": ANSWERS,
    "DiscreteDistance": EXCHANGE,
}
"""Relations of inputs at distance 1, by the metric."""

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
    metric = value.input_metric
    relation = RELATIONS.get(_name_of(metric))
    if relation is None:
        raise _refusal(name, f"an input metric among {', '.join(RELATIONS)}", metric)
    # A metric of frames has that of its rows inside.
    inner = getattr(metric, "inner_metric", metric)
    user = inner.identifier.meta.output_name() if relation == USER else None
    domain = domain_of(value.input_domain, _name_of(metric) in OF_ATOMS, user)
    inputs, unit = domain.describe(name), 1
    if inputs is not None and inputs.size is not None and relation in SIZED:
        relation, unit = SIZED[relation], 2
    function = _Function(value, domain)
    declared = partial(Declared, inputs, relation)
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
    domain: DescribedDomain

    def __call__(self, dataset: Any) -> Any:
        """Return the output for a data set; of a frame, its rows."""
        output = self.value(self.domain.form(dataset))
        while hasattr(output, "collect"):
            output = output.collect()
        if isinstance(output, dict):
            # The order of a hash map differs from call to call, and says nothing of the data.
            return dict(sorted(output.items(), key=repr))
        return output.rows() if hasattr(output, "rows") else output

    def map(self, d_in: int) -> Any:
        """Return the distance of outputs that the object allows for inputs at a distance."""
        metric = self.value.input_metric
        if str(metric.type).startswith("FrameDistance"):
            return self.value.map([importlib.import_module("opendp.extras.polars").Bound(per_group=d_in)])
        return self.value.map(float(d_in) if str(metric.distance_type).startswith("f") else d_in)
