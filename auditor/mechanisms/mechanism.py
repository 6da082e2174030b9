"""The mechanism that is audited.

A mechanism turns an input and a source of randomness into an output. Inputs and outputs may be any objects: a
number, an array, a list of any length, a tree as nested dictionaries.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Rng = np.random.Generator

Call = Callable[[Any, Rng], Any]
"""One call: take an input and a generator that no other call uses, and return an output."""

Batch = Callable[[Any, Rng, int], Sequence[Any] | NDArray[Any]]
"""Many independent calls on one input, for vectorised mechanisms; outputs are along axis 0.

In each portion all calls on the left input are made before those on the right one, so outputs must not depend
on each other or on time.
"""

InOrder = Callable[[Sequence[Any], Sequence[Rng]], Sequence[Any]]
"""Calls in order, each with its own input and generator, for programs that receive requests ahead."""


@dataclass(frozen=True, slots=True)
class Mechanism:
    """A mechanism and its name; `batch` and `in_order`, if given, are equivalent to many calls."""

    name: str
    call: Call
    batch: Batch | None = None
    in_order: InOrder | None = None
    seeded: bool = False
    """Whether its seed is known to be that of the call; constant outputs then mean that it has no noise."""
