"""What is audited: a mechanism, and pairs of neighbouring inputs to tell apart.

A mechanism is anything that turns an input and a source of randomness into an output. The input may be any
object, and so may the output: a number, an array, a list of any length, a tree as nested dictionaries.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Mechanism = Callable[[Any, np.random.Generator], Any]
"""One call: an input and a generator that no other call has; the output of the mechanism."""

Batch = Callable[[Any, np.random.Generator, int], Sequence[Any] | NDArray[Any]]
"""Many independent calls on one input at once, for mechanisms that are vectorised; outputs along axis 0.

All calls of one side in a portion are made before those of the other, so outputs must depend on neither each
other nor the time.
"""

InOrder = Callable[[Sequence[Any], Sequence[np.random.Generator]], Sequence[Any]]
"""Calls one after the other, each with its input and its generator, for programs that are asked ahead."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A mechanism with a name; `batch` or `in_order`, where there is one, does the same as many calls."""

    name: str
    call: Mechanism
    batch: Batch | None = None
    in_order: InOrder | None = None


@dataclass(frozen=True, slots=True)
class Pair:
    """Two neighbouring inputs."""

    name: str
    left: Any
    right: Any
    relation: str = "exchange"
    exact: float | None = None
    """The privacy loss between the two, where it is known."""

    def side(self, number: int) -> Any:
        """Return the left input for 0 and the right one for 1."""
        return self.right if number else self.left
