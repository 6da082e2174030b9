"""A mechanism whose privacy loss on a pair is known, and tables from which finite laws are drawn."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from privboost.reference.exact import Extended, Infinity, Number, enclose, log

from .subject import Batch, Pair, Subject

Array = NDArray[Any]
Rng = np.random.Generator

TABLE_BITS = 62
ENCLOSURE_BITS = 96


@dataclass(frozen=True, slots=True)
class Claimed:
    """A mechanism with pairs to audit it on, what is claimed of it and, where that is known, what is true."""

    mechanism: Subject
    pairs: tuple[Pair, ...] = ()
    epsilon: float | None = None
    """The epsilon that is claimed, if any."""
    delta: float = 0.0
    """The delta that is claimed with it."""
    exact: float | None = None
    """The least epsilon that holds on the pairs at `delta`; what the reference computes is rounded up."""
    why: str = ""
    """Where `exact` comes from."""

    @property
    def name(self) -> str:
        """Return the name of the mechanism."""
        return self.mechanism.name


@dataclass(frozen=True, slots=True)
class OneCall:
    """One call as a batch of one."""

    batch: Batch

    def __call__(self, given: Any, rng: Rng) -> Any:
        """Return one output."""
        return self.batch(given, rng, 1)[0]


def known(
    name: str,
    batch: Batch,
    pair: tuple[Any, Any],
    *,
    claim: float,
    exact: float,
    why: str,
    delta: float = 0.0,
) -> Claimed:
    """Return a vectorised mechanism with its pair."""
    pairs = (Pair(f"{pair[0]} against {pair[1]}", *pair, exact=exact),)
    return Claimed(Subject(name, OneCall(batch), batch), pairs, claim, delta, exact, why)


def by_name(*entries: Claimed) -> dict[str, Claimed]:
    """Return mechanisms by their names."""
    return {entry.name: entry for entry in entries}


def float_above(number: Extended) -> float:
    """Return a float that is at least a number, and above it by one rounding at most."""
    if isinstance(number, Infinity):
        return math.copysign(math.inf, 1 if number > 0 else -1)
    top = enclose(number, ENCLOSURE_BITS).hi
    near = float(top)
    return near if Fraction(near) >= top else math.nextafter(near, math.inf)


def loss_of_laws(first: Mapping[Any, Number], second: Mapping[Any, Number]) -> float:
    """Return the greatest log ratio of two finite laws, either way, as a certified upper float."""
    ratios = [log(first[outcome] / second[outcome]) for outcome in first]
    return max(float_above(signed) for ratio in ratios for signed in (ratio, -ratio))


class FiniteLaw(NamedTuple):
    """Outcomes and the ends of their intervals among the integers below 2^62."""

    outcomes: Array
    ends: Array

    @classmethod
    def of(cls, law: Iterable[tuple[Any, Number]]) -> FiniteLaw:
        """Return the table of a law; probabilities are right to 2^-61."""
        outcomes, chances = zip(*law, strict=True)
        total, ends = Fraction(0), []
        for chance in chances:
            total += enclose(chance, ENCLOSURE_BITS).hi
            ends.append(min(math.ceil(total * (1 << TABLE_BITS)), 1 << TABLE_BITS))
        return cls(np.array(outcomes, dtype=np.float64), np.array(ends, dtype=np.int64))

    def draw(self, rng: Rng, calls: int) -> Array:
        """Return outcomes of independent draws."""
        places = np.searchsorted(self.ends, rng.integers(0, 1 << TABLE_BITS, calls), side="right")
        found: Array = self.outcomes[places]
        return found
