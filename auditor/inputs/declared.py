"""What an object says of its inputs and its results, such as a transformation of another library."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from .description import Description


@dataclass(frozen=True, slots=True)
class Declared:
    """The inputs of a function, their relation, and what is claimed of the results."""

    inputs: Description | None
    """None for inputs that the object does not describe."""
    relation: str
    distance: str = ""
    """The metric of the results; empty for a function with noise."""
    bounds: tuple[Fraction, ...] = ()
    """The greatest distances of results for one step of the relation, two steps, and so on."""
    claim: str = ""
    """The claim of privacy of a function with noise, as `parse_claim` reads it."""
