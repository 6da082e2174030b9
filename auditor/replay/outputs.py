"""Outputs as leaves by their paths, and as vectors of their numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Leaves = dict[str, Any]
MISSING = "(missing)"
MOST_LEAVES = 20_000


def leaves_of(output: Any) -> Leaves:
    """Return the leaves of a plain value by their paths, such as [2].mean; a list also has its length."""
    leaves: Leaves = {}
    stack = [("", output)]
    while stack and len(leaves) < MOST_LEAVES:
        path, value = stack.pop()
        if isinstance(value, np.ndarray):
            value = value.tolist()
        if isinstance(value, dict):
            stack += [(f"{path}.{key}" if path else str(key), each) for key, each in reversed(value.items())]
        elif isinstance(value, list | tuple):
            leaves[f"len({path or 'output'})"] = len(value)
            stack += [(f"{path}[{index}]", each) for index, each in reversed(list(enumerate(value)))]
        else:
            leaves[path or "output"] = value.item() if isinstance(value, np.generic) else value
    return leaves


def same_leaf(left: Any, right: Any, *, exact: bool = False) -> bool:
    """Return whether two leaves are equal, numbers up to rounding if not `exact`."""
    if is_number(left) and is_number(right):
        if left == right or (math.isnan(left) and math.isnan(right)):
            return True
        return not exact and bool(abs(left - right) <= 1e-9 * max(abs(left), abs(right)))
    return type(left) is type(right) and repr(left) == repr(right)


def is_number(value: Any) -> bool:
    """Return whether a leaf is a number and not a truth value."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_finite(value: Any) -> bool:
    """Return whether a leaf is a finite number that fits in a double."""
    if not is_number(value):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def different(left: Leaves, right: Leaves) -> list[str]:
    """Return the paths at which two outputs differ."""
    paths = dict.fromkeys((*left, *right))
    return [
        path
        for path in paths
        if path not in left or path not in right or not same_leaf(left[path], right[path])
    ]


def vector_of(leaves: Leaves, paths: list[str]) -> Vector:
    """Return the numbers at some paths; NaN for what is no finite number."""
    values = [leaves.get(path) for path in paths]
    return np.array([float(value) if is_finite(value) else math.nan for value in values])  # type: ignore[arg-type]
