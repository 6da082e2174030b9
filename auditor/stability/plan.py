"""The plan of a search: what is claimed of which inputs, and how long to search."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from privboost.auditor.inputs.declared import Declared
from privboost.auditor.inputs.description import Description, describe
from privboost.auditor.running.calls import check_integer
from privboost.errors import PreconditionError, UsageError
from privboost.limits import ADD_REMOVE

from .claim import Bound, StabilityClaim, make_claim

N_INPUTS, SECONDS = 2_000, 60.0
"""Default limits, of which the first to be reached applies."""

EXAMPLE = "vector:10,low=0,high=1"


@dataclass(frozen=True, slots=True)
class SearchPlan:
    """What is claimed of which inputs, and how long to search."""

    claim: StabilityClaim
    description: Description
    seed: int
    n_inputs: int = N_INPUTS
    seconds: float | None = SECONDS
    beyond: bool = False

    def __post_init__(self) -> None:
        check_integer("n_inputs", self.n_inputs, 1)
        check_integer("seed", self.seed, 0)


def make_plan(
    declared: Declared | None,
    *,
    inputs: Any = None,
    relation: str | None = None,
    distance: str | None = None,
    bound: Bound | Callable[[int], Bound] | None = None,
    d_in: int | None = None,
    seed: int | None = None,
    n_inputs: int = N_INPUTS,
    seconds: float | None = SECONDS,
    beyond: bool = False,
) -> SearchPlan:
    """Return a plan; what is not given is what the target declares, if it declares anything.

    Ensures: UsageError if there are no inputs, or the target declares noise; PreconditionError for what is no
    claim.
    """
    if declared is not None and not declared.distance:
        raise UsageError("target: expected a step without noise, got a measurement, which an audit is for")
    own = declared.inputs if declared is not None else None
    if inputs is None and own is None:
        raise UsageError(f"expected a description of the data sets, such as {EXAMPLE}", argument="input")
    if declared is not None:
        relation, distance = relation or declared.relation, distance or declared.distance
        if bound is None and declared.bounds:
            most = len(declared.bounds)
            if d_in is not None and d_in > most:
                raise PreconditionError("d_in", f"at most {most}, for which the target has a bound", d_in)
            bound, d_in = _map_of(declared), most if d_in is None else d_in
    return SearchPlan(
        make_claim(relation or ADD_REMOVE, distance or "absolute", bound, 1 if d_in is None else d_in),
        own if inputs is None and own is not None else describe(inputs),
        secrets.randbits(64) if seed is None else seed,
        n_inputs,
        seconds,
        beyond,
    )


def _map_of(declared: Declared) -> Callable[[int], Bound]:
    """Return the declared map."""
    return dict(enumerate(declared.bounds, 1)).__getitem__
