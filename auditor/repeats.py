"""Targets that repeat themselves: outputs that came again although every call had its own seed.

Two signs are refused. A long stretch of the first outputs that comes back in the same order: the noise is
that of earlier calls. And one computed number, with many digits, on every call of each side: noise is missing
or its seed is fixed, and nobody can tell which from outside. Where one side alone is constant, or where
constants are plain, noise is no stream that is stuck: that is audited, and said beside a violation.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from privboost.errors import TargetError

from .outputs import Outputs, lowest_bits

LOOKED_AT = 512
"""Outputs that are looked at."""

WANTED = "independent outputs for different seeds"
FEWEST, FEWEST_OF_A_SIDE = 16, 4
"""Outputs below which nothing is said: of a run, and of one input."""

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
        found = "a stretch of outputs that came again in the same order: it repeats its seed; no verdict"
        raise TargetError(target, WANTED, found)
    if all(_is_stuck(early[named == side]) for side in (0, 1)) and np.unique(early.keys).size == 2:
        found = (
            f"one output for each input on all of {early.size} calls, numbers with many digits: it repeats "
            "its seed, or adds no noise; no verdict"
        )
        raise TargetError(target, WANTED, found)


def constant_sides(outputs: Outputs, sides: NDArray[np.int64]) -> str:
    """Return which inputs gave the very same output on every call, in words; nothing for neither."""
    named = [
        name
        for side, name in enumerate(("left", "right"))
        if _is_constant(outputs.keys[sides == side], FEWEST_OF_A_SIDE)
    ]
    if not named:
        return ""
    which = "either input" if len(named) == 2 else f"the {named[0]} input"
    return f"every call on {which} gave the very same output: noise is missing, clamped away, or stuck"


def stuck_number(outputs: Outputs) -> str:
    """Return that all outputs are one number that was computed, in words; nothing if they are not."""
    if not _is_constant(outputs.keys, FEWEST) or not _has_long_number(outputs.columns[:1]):
        return ""
    return f"all of {outputs.size} outputs are the very same number with many digits; is its seed fixed?"


def _is_stuck(outputs: Outputs) -> bool:
    """Return whether all outputs are one computed number."""
    return _is_constant(outputs.keys, FEWEST_OF_A_SIDE) and _has_long_number(outputs.columns[:1])


def _is_constant(keys: NDArray[np.int64], fewest: int) -> bool:
    return keys.size >= fewest and bool(np.all(keys == keys[0]))


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
