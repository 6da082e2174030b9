"""Exact privacy losses between laws on the same outcomes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any

from privboost.reference.data import Relation
from privboost.reference.exact import Exact, Number, enclose, log

TINY = Fraction(1, 2**90)


def loss(first: Mapping[Any, Number], second: Mapping[Any, Number]) -> Number:
    """Return the greatest log ratio of two laws on the same outcomes, up to 2^-90."""
    ratios = [log(first[outcome]) - log(second[outcome]) for outcome in first]
    return max(ratios, key=lambda ratio: enclose(ratio, 90).hi)


def is_private(first: Mapping[Any, Number], second: Mapping[Any, Number], epsilon: Exact) -> bool:
    """Return whether two laws have ratios of at most e^epsilon in both directions, up to 2^-90."""
    return all(enclose(loss(*pair) - epsilon, 90).lo <= TINY for pair in ((first, second), (second, first)))


def all_data(n: int) -> Iterator[tuple[int, ...]]:
    """Yield all multisets of n values out of 0, 1, 2."""
    yield from combinations_with_replacement(range(3), n)


def neighbours(relation: Relation, most: int = 3) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Yield pairs of neighbouring multisets of values."""
    for n in range(most):
        for rest in all_data(n):
            rows = [tuple(sorted((*rest, value))) for value in range(3)]
            if relation is Relation.ADD_REMOVE:
                yield from ((rest, row) for row in rows)
            else:
                yield from ((a, b) for a in rows for b in rows if a < b)
