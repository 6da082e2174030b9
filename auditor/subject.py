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

Array = NDArray[Any]
Rng = np.random.Generator

Call = Callable[[Any, Rng], Any]
"""One call: an input and a generator that no other call has; the output of the mechanism."""

Batch = Callable[[Any, np.random.Generator, int], Sequence[Any] | NDArray[Any]]
"""Many independent calls on one input at once, for mechanisms that are vectorised; outputs along axis 0.

All calls of one side in a portion are made before those of the other, so outputs must depend on neither each
other nor the time.
"""

InOrder = Callable[[Sequence[Any], Sequence[np.random.Generator]], Sequence[Any]]
"""Calls one after the other, each with its input and its generator, for programs that are asked ahead."""


@dataclass(frozen=True, slots=True)
class Mechanism:
    """A mechanism with a name; `batch` or `in_order`, where there is one, does the same as many calls."""

    name: str
    call: Call
    batch: Batch | None = None
    in_order: InOrder | None = None
