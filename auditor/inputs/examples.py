"""Kinds of values that are learned from examples: their shape, not their range."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

from .kinds import Choice, Columns, Double, Integer, Lists, Member, Record, Text, ValueKind, join_kinds

TRUTHS = Choice((False, True))
NULL = Choice((None,))


def learn_kind(values: Sequence[Any], numbers: Double | None = None) -> ValueKind:
    """Return a kind that contains all values: a union of kinds if they differ, the most frequent first.

    Numbers are integers of 64 bits if none has a fraction, else doubles, with NaN and with infinities if
    there are any in the examples; or those of `numbers`. Strings are any strings, and a list is no longer or
    shorter than in the examples.
    """
    shapes = [_shape_of(value) for value in values]
    if {int, float} <= set(shapes):
        shapes = [float if shape is int else shape for shape in shapes]
    return join_kinds(
        [
            _kind_of(
                shape, [value for value, its in zip(values, shapes, strict=True) if its is shape], numbers
            )
            for shape, _ in Counter(shapes).most_common()
        ]
    )


def _shape_of(value: Any) -> type:
    known = (bool, int, float, str, dict, type(None))
    return next((kind for kind in known if isinstance(value, kind)), list)


def _kind_of(shape: type, values: list[Any], numbers: Double | None) -> ValueKind:
    if shape is bool:
        return TRUTHS
    if shape is type(None):
        return NULL
    if shape is str:
        return Text()
    if shape is int:
        return _range_of(numbers) if numbers else Integer()
    if shape is float:
        return numbers or Double(nan=any(map(math.isnan, values)), infinities=any(map(math.isinf, values)))
    if shape is dict:
        keys = dict.fromkeys(key for value in values for key in value)
        return Record(tuple(_learn_member(key, values, numbers) for key in keys))
    entries = [entry for value in values for entry in value]
    lengths = [len(value) for value in values]
    if len(set(lengths)) == 1:
        return Columns(tuple(learn_kind(column, numbers) for column in zip(*values, strict=True)))
    return Lists(learn_kind(entries, numbers), min(lengths), max(lengths))


def _learn_member(key: str, values: list[Any], numbers: Double | None) -> Member:
    present = [value[key] for value in values if key in value]
    return Member(key, learn_kind(present, numbers), len(present) == len(values))


def _range_of(numbers: Double) -> ValueKind:
    """Return the integers of a range."""
    whole = Integer()
    low = whole.low if numbers.low is None else math.ceil(numbers.low)
    high = whole.high if numbers.high is None else math.floor(numbers.high)
    return Integer(low, high)
