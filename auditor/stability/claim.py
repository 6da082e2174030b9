"""Claims of stability: inputs at distance d_in have results at a distance of at most d_out."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from privboost.errors import PreconditionError
from privboost.limits import ADD_REMOVE, DISTANCES, INPUT_RELATIONS

Bound = int | float | Fraction | str
"""A bound on a distance; a string such as "1/10" is exact."""

FARTHEST = 64
"""Greatest distance between inputs."""


@dataclass(frozen=True, slots=True)
class StabilityClaim:
    """The claim that results are at most `bounds[d - 1]` apart if their inputs are d steps apart."""

    relation: str
    """What one step changes: one of privboost.limits.INPUT_RELATIONS."""
    distance: str
    """One of privboost.limits.DISTANCES."""
    bounds: tuple[Fraction, ...]
    """The bounds at the distances 1, 2, ... up to d_in."""

    @property
    def d_in(self) -> int:
        """Return the greatest distance between inputs."""
        return len(self.bounds)


def make_claim(
    relation: str = ADD_REMOVE,
    distance: str = "absolute",
    bound: Bound | Callable[[int], Bound] | None = None,
    d_in: int = 1,
) -> StabilityClaim:
    """Return a claim; a bound that is a function maps every distance of inputs to one of results.

    Requires: for the distance `equal` no bound is needed, which is then 0.
    Ensures: PreconditionError for what is no claim.
    """
    if relation not in INPUT_RELATIONS:
        raise PreconditionError("relation", f"one of {', '.join(INPUT_RELATIONS)}", relation)
    if distance not in DISTANCES:
        raise PreconditionError("distance", f"one of {', '.join(DISTANCES)}", distance)
    if d_in not in range(1, FARTHEST + 1):
        raise PreconditionError("d_in", f"an integer from 1 to {FARTHEST}", d_in)
    if bound is None and distance == "equal":
        bound = 0
    given = [bound(step) if callable(bound) else bound for step in range(1, d_in + 1)]
    return StabilityClaim(relation, distance, tuple(map(exact_bound, given)))


def exact_bound(bound: Bound | None) -> Fraction:
    """Return a bound as a fraction, a float as exactly that float.

    Ensures: PreconditionError for what is no finite number of at least 0.
    """
    expected = "a number >= 0, such as 1, 0.5 or '1/10'"
    if bound is None:
        raise PreconditionError("bound", expected, "none")
    if isinstance(bound, float) and not math.isfinite(bound):
        raise PreconditionError("bound", expected, bound)
    try:
        exact = Fraction(bound)
    except (TypeError, ValueError, ZeroDivisionError):
        raise PreconditionError("bound", expected, bound) from None
    if exact < 0:
        raise PreconditionError("bound", expected, bound)
    return exact
