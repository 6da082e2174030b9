"""Detect targets that repeat outputs although every call had its own seed, and those that never repeat any.

Two patterns are refused:

- a long sequence of the first outputs occurs again in the same order: the noise of earlier calls is reused;
- every call on a side gives the same computed number with many digits, on both sides: noise is missing or its
  seed is fixed, and the outputs do not tell which.

If only one side is constant, or if the constants have few digits, the audit goes on, and a violation is
reported with a note.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from privboost.auditor.guessing.outputs import Outputs, OutputTable, lowest_bits
from privboost.auditor.mechanisms.mechanism import Mechanism
from privboost.auditor.pairs.pair import Pair
from privboost.auditor.result import NoiselessPart, SharedNoise
from privboost.auditor.values.tagged_json import equal_outputs
from privboost.errors import TargetError

from .calls import CallOutputs, Registration, portions, run_calls

CHECKED_OUTPUTS = 512
"""Number of outputs that are checked, from the first call on."""

EXPECTED = "independent outputs for different seeds"
FEWEST, FEWEST_OF_A_SIDE = 16, 4
"""Minimum number of outputs for a check: of a run, and of one side."""

CHANCE = 1e-12
"""Approximate probability of rejecting a conforming target by chance."""

MOST_COMPARED = 16
SAME_NOISE = 1e-9
"""The first numbers of an output are compared; differences that vary less than this share are constant."""

MANY_BITS = 24
"""A constant with more significant bits than this is taken for a computed number."""

CALLED_TWICE = 8
"""Number of calls that are repeated with the same generators; of a batch, all of the first portion."""


def repeats_outputs(
    mechanism: Mechanism, pair: Pair, registration: Registration, outputs: CallOutputs
) -> bool:
    """Return whether a mechanism gives the first outputs of the first pair again, with the same generators.

    A mechanism that knows is not called.
    """
    if mechanism.repeats is not None:
        return mechanism.repeats() if callable(mechanism.repeats) else mechanism.repeats
    for portion in portions(0, len(outputs), mechanism.batch is not None):
        again = run_calls(mechanism, pair, registration, portion)
        if not all(map(equal_outputs, outputs[portion.start : portion.stop], again)):
            return False
    return True


def refuse_repeats(target: str, outputs: Outputs, sides: NDArray[np.int64], *, constant: bool = True) -> None:
    """Raise TargetError if the first outputs repeat; with `constant`, also if each side has one number."""
    early, named = outputs[:CHECKED_OUTPUTS], sides[:CHECKED_OUTPUTS]
    # Single calls repeat in the order of calls, batches in the order of one side.
    if _has_repeated_sequence(early.keys, named) or any(
        _has_repeated_sequence(early.keys[named == side], named[named == side]) for side in (0, 1)
    ):
        reason = "a sequence of outputs that occurs twice in the same order: it reuses its seed; no verdict"
        raise TargetError(target, EXPECTED, reason)
    if not constant:
        return
    if all(_is_stuck(early[named == side]) for side in (0, 1)) and np.unique(early.keys).size == 2:
        reason = (
            f"one output per input on all of {early.size} calls, numbers with many digits: it reuses its "
            "seed, or adds no noise; no verdict"
        )
        raise TargetError(target, EXPECTED, reason)


def constant_sides(outputs: Outputs, sides: NDArray[np.int64]) -> tuple[str, ...]:
    """Return the sides on which every call gave the same output."""
    return tuple(
        name
        for side, name in enumerate(("left", "right"))
        if _is_constant(outputs.keys[sides == side], FEWEST_OF_A_SIDE)
    )


def count_stuck(outputs: Outputs) -> int:
    """Return the number of outputs if all of them are one computed number, and 0 if they are not."""
    return outputs.size if _is_stuck(outputs, FEWEST) else 0


def find_shared_noise(outputs: Outputs, sides: NDArray[np.int64], names: Sequence[str]) -> SharedNoise | None:
    """Return two numbers whose difference is the same on all calls of a side although both vary."""
    checked = outputs.columns[:CHECKED_OUTPUTS, :MOST_COMPARED]
    for side, name in enumerate(("left", "right")):
        rows = checked[sides[:CHECKED_OUTPUTS] == side]
        if len(rows) < FEWEST:
            continue
        varying = [k for k in range(rows.shape[1]) if np.unique(rows[:, k]).size > len(rows) / 2]
        for one, other in combinations(varying, 2):
            differences = rows[:, one] - rows[:, other]
            scale = np.max(np.abs(rows[:, [one, other]]))
            constant = np.isfinite(scale) and np.ptp(differences) <= SAME_NOISE * scale
            if constant and np.abs(differences).max() > SAME_NOISE * scale:
                return SharedNoise(names[one], names[other], name)
    return None


def noiseless_parts(
    outputs: Outputs, sides: NDArray[np.int64], table: OutputTable
) -> tuple[NoiselessPart, ...]:
    """Return the parts that have one value on the left side and another on the right, if other parts vary."""
    by_side = [outputs.columns[sides == side] for side in (0, 1)]
    if min(map(len, by_side)) < FEWEST_OF_A_SIDE:
        return ()
    first = [columns[0] for columns in by_side]
    fixed = np.all(
        [_equal(columns, row).all(axis=0) for columns, row in zip(by_side, first, strict=True)], axis=0
    )
    left, right = (np.isnan(columns).mean(axis=0) for columns in by_side)
    # The end of a longer list is missing on all calls of one side and on none of the other.
    ends = np.abs(left - right) == 1
    differs = (fixed & ~_equal(*first)) | ends
    noisy = {column.part for column, is_fixed in zip(table.columns, fixed, strict=False) if not is_fixed}
    parts: dict[str, NoiselessPart] = {}
    for k in np.flatnonzero(differs).tolist():
        column = table.columns[k]
        # Of a part that also has noise, such as a noisy list, only its noiseless properties are named.
        name = column.name if column.part in noisy or not column.part else column.part
        shown = [
            "a number" if not fixed[k] and not np.isnan(row[k]) else table.format_number(k, row[k])
            for row in first
        ]
        parts.setdefault(name, NoiselessPart(name, *shown))
    return tuple(parts.values()) if noisy else ()


def _equal(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.bool_]:
    equal: NDArray[np.bool_] = (first == second) | (np.isnan(first) & np.isnan(second))
    return equal


def _is_stuck(outputs: Outputs, fewest: int = FEWEST_OF_A_SIDE) -> bool:
    """Return whether all outputs are one computed number."""
    return _is_constant(outputs.keys, fewest) and _has_long_number(outputs.columns[:1])


def _is_constant(keys: NDArray[np.int64], fewest: int) -> bool:
    return keys.size >= fewest and bool(np.all(keys == keys[0]))


def _has_long_number(columns: NDArray[np.float64]) -> bool:
    numbers = columns[np.isfinite(columns) & (columns != 0)]
    return bool(np.any(np.frexp(numbers)[1] - lowest_bits(numbers) > MANY_BITS))


def _has_repeated_sequence(keys: NDArray[np.int64], sides: NDArray[np.int64]) -> bool:
    """Return whether a sequence of outputs occurs twice that is too long to be repeated by chance.

    Only outputs of the same side are compared: the noise is repeated, but the input may differ.
    """
    collisions = [_collision_probability(keys[sides == side]) for side in (0, 1)]
    if keys.size < FEWEST or max(collisions) > 0.9:
        return False
    length = int(np.ceil(np.log(CHANCE / keys.size**2) / np.log(max(collisions))))
    for lag in range(1, keys.size - length + 1):
        comparable = sides[lag:] == sides[:-lag]
        equal = (keys[lag:] == keys[:-lag])[comparable]
        ends = np.flatnonzero(np.concatenate([[True], ~equal, [True]]))
        if np.max(np.diff(ends)) - 1 >= length:
            return True
    return False


def _collision_probability(keys: NDArray[np.int64]) -> float:
    """Return the probability that two outputs, drawn with replacement, are the same."""
    counts = np.unique(keys, return_counts=True)[1]
    return float(np.sum((counts / max(keys.size, 1)) ** 2))
