"""Pairs of neighbouring inputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from privboost.auditor.values.tagged_json import to_json
from privboost.limits import ADD_REMOVE, AS_GIVEN, EXCHANGE


@dataclass(frozen=True, slots=True)
class Pair:
    """Two neighbouring inputs."""

    name: str
    left: Any
    right: Any
    relation: str = ""
    """One of `limits.PAIR_RELATIONS`; if it is empty, that of `relation_of`."""
    exact: float | None = None
    """The exact privacy loss between the two inputs, if known."""
    outside: bool = False
    """Whether an input may be one that the claim does not cover, such as a table with a missing value."""
    classes: tuple[str, ...] = ()
    """Keys of `inputs.classes.HOSTILE`, if the pair was made for them."""

    def __post_init__(self) -> None:
        if not self.relation:
            object.__setattr__(self, "relation", relation_of(self.left, self.right))


def select_by_name(pairs: Sequence[Pair], only: Sequence[str], without: Sequence[str]) -> tuple[Pair, ...]:
    """Return the pairs whose names contain a string of `only`, if it has any, and none of `without`.

    A string that is the whole name of a pair stands for this pair alone.
    """
    included, excluded = ([words] if isinstance(words, str) else words for words in (only, without))
    names = {pair.name for pair in pairs}

    def matches(pair: Pair, words: Sequence[str]) -> bool:
        return any(word == pair.name if word in names else word in pair.name for word in words)

    return tuple(pair for pair in pairs if matches(pair, included or ("",)) and not matches(pair, excluded))


def relation_of(left: Any, right: Any) -> str:
    """Return the relation of inputs without a stated one: by the numbers of their rows, if they have rows."""
    rows = rows_of(left), rows_of(right)
    if rows[0] is None or rows[1] is None:
        return AS_GIVEN
    return EXCHANGE if len(rows[0]) == len(rows[1]) else ADD_REMOVE


def rows_of(value: Any) -> list[Any] | None:
    """Return the rows of an input, each in a form that can be compared; None if it has no rows."""
    if isinstance(value, dict) and isinstance(value.get("X"), list):
        labels = value.get("y") or [None] * len(value["X"])
        return [to_json([row, label]) for row, label in zip(value["X"], labels, strict=True)]
    if (
        isinstance(value, tuple)
        and len(value) == 2
        and all(isinstance(part, list | np.ndarray) for part in value)
    ):
        # Rows and labels, as (X, y).
        value = list(zip(*value, strict=False)) if len(value[0]) == len(value[1]) else None
    if isinstance(value, np.ndarray) and value.ndim:
        value = value.tolist()
    else:
        rows = frame_rows(value)
        value = value if rows is None else rows
    return [to_json(row) for row in value] if isinstance(value, list | tuple) else None


def frame_rows(value: Any) -> list[tuple[Any, ...]] | None:
    """Return the rows of a frame of pandas or polars; None for what is no frame."""
    if hasattr(value, "itertuples"):
        return list(value.itertuples(index=False, name=None))
    return list(value.iter_rows()) if hasattr(value, "iter_rows") else None
