"""Finite laws of the reference: sample from them by a table, and bound the loss between two of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from privboost.auditor.pairs.losses import ENCLOSURE_BITS, float_above
from privboost.reference.exact import Number, enclose, log

from .mechanism import Array, Rng

TABLE_BITS = 62


def loss_of_laws(first: Mapping[Any, Number], second: Mapping[Any, Number]) -> float:
    """Return the greatest log ratio of two finite laws, in either direction, rounded up to a float."""
    ratios = [log(first[outcome] / second[outcome]) for outcome in first]
    return max(float_above(signed) for ratio in ratios for signed in (ratio, -ratio))


class FiniteLaw(NamedTuple):
    """A sampling table: outcome k covers the integers below 2^62 from ends[k - 1] up to ends[k]."""

    outcomes: Array
    ends: Array

    @classmethod
    def of(cls, law: Iterable[tuple[Any, Number]]) -> FiniteLaw:
        """Return the table of a law; probabilities are accurate to 2^-61."""
        outcomes, probabilities = zip(*law, strict=True)
        total, ends = Fraction(0), []
        for probability in probabilities:
            total += enclose(probability, ENCLOSURE_BITS).hi
            ends.append(min(math.ceil(total * (1 << TABLE_BITS)), 1 << TABLE_BITS))
        return cls(np.array(outcomes, dtype=np.float64), np.array(ends, dtype=np.int64))

    def draw(self, rng: Rng, calls: int) -> Array:
        """Return the outcomes of independent draws."""
        indices = np.searchsorted(self.ends, rng.integers(0, 1 << TABLE_BITS, calls), side="right")
        drawn: Array = self.outcomes[indices]
        return drawn
