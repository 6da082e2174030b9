"""Targets that repeat themselves: outputs that came again although every call had its own seed.

Such a run says nothing about privacy: the outputs are not independent. Two signs are looked for among the
first outputs: a long stretch that comes back in the same order, and one and the same number with many digits
every time.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .errors import TargetError
from .outputs import Outputs, lowest_bits

LOOKED_AT = 512
"""Outputs that are looked at."""

FEWEST = 16
CHANCE = 1e-12
"""What a target that is in order may be refused by accident with, about."""

MANY_BITS = 24
"""Bits of a number that nobody writes by hand: a constant with more of them was computed."""


def refuse_repeats(target: str, outputs: Outputs, sides: NDArray[np.int64]) -> None:
    """Raise TargetError if the first outputs repeat themselves."""
    early, named = outputs[:LOOKED_AT], sides[:LOOKED_AT]
    # Calls one by one repeat in the order of calls, batches in the order of each side.
    if _comes_again(early.keys, named) or any(
        _comes_again(early.keys[named == side], named[named == side]) for side in (0, 1)
    ):
        _refuse(target, "a stretch of outputs that came again in the same order")
    for side in (0, 1):
        own = early[named == side]
        if own.size >= FEWEST and np.all(own.keys == own.keys[0]) and _has_long_number(own.columns[:1]):
            _refuse(target, f"the very same output {own.size} times, a number with many digits")


def _refuse(target: str, found: str) -> None:
    expected = "independent outputs for different seeds"
    raise TargetError(target, expected, f"{found}: it repeats its seed, or adds no noise; no verdict")


def _has_long_number(columns: NDArray[np.float64]) -> bool:
    numbers = columns[np.isfinite(columns) & (columns != 0)]
    return bool(np.any(np.frexp(numbers)[1] - lowest_bits(numbers) > MANY_BITS))


def _comes_again(keys: NDArray[np.int64], sides: NDArray[np.int64]) -> bool:
    """Return whether some stretch comes again, longer than outputs as frequent as these would let it.

    Only calls of the same side are compared: the noise comes again, and the input may be another.
    """
    likely = [_collision(keys[sides == side]) for side in (0, 1)]
    if keys.size < FEWEST or max(likely) > 0.9:
        return False
    length = int(np.ceil(np.log(CHANCE / keys.size**2) / np.log(max(likely))))
    for lag in range(1, keys.size - length + 1):
        comparable = sides[lag:] == sides[:-lag]
        equal = (keys[lag:] == keys[:-lag])[comparable]
        ends = np.flatnonzero(np.concatenate([[True], ~equal, [True]]))
        if np.max(np.diff(ends)) - 1 >= length:
            return True
    return False


def _collision(keys: NDArray[np.int64]) -> float:
    """Return how likely two of some outputs are the same, drawn with replacement."""
    counts = np.unique(keys, return_counts=True)[1]
    return float(np.sum((counts / max(keys.size, 1)) ** 2))
