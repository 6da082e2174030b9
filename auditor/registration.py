"""Who is asked what: sides and seeds of all calls, fixed by one number before the first call is made."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privboost.errors import PreconditionError

COINS, CALLS, BATCHES = 0, 1, 2
"""Streams that never meet: coins for sides, one stream per call, one per side of a batch."""

COINS_AT_ONCE = 1 << 14


@dataclass(frozen=True, slots=True)
class Registration:
    """The coins and streams of an audit, as functions of one seed."""

    seed: int

    def __post_init__(self) -> None:
        if self.seed < 0:
            raise PreconditionError("seed", "a whole number >= 0", self.seed)

    def sides(self, pair: int, start: int, stop: int) -> NDArray[np.int64]:
        """Return the side, 0 or 1, of every call of a pair from `start` up to `stop`."""
        first, last = start // COINS_AT_ONCE, max(stop - 1, start) // COINS_AT_ONCE
        rolls = [self._coins(pair, roll) for roll in range(first, last + 1)]
        offset = first * COINS_AT_ONCE
        return np.concatenate(rolls)[start - offset : stop - offset]

    def _coins(self, pair: int, roll: int) -> NDArray[np.int64]:
        coins = np.random.default_rng(self._sequence(COINS, pair, roll))
        return coins.integers(0, 2, COINS_AT_ONCE)

    def generator(self, pair: int, call: int) -> np.random.Generator:
        """Return the stream of one call, which no other call has."""
        return np.random.default_rng(self._sequence(CALLS, pair, call))

    def seed_of(self, pair: int, call: int) -> int:
        """Return 128 bits for one call, for programs that have generators of their own."""
        high, low = self._sequence(CALLS, pair, call).generate_state(2, np.uint64)
        return int(high) << 64 | int(low)

    def batch_generator(self, pair: int, start: int, side: int) -> np.random.Generator:
        """Return the stream of all calls of one side in the batch that begins at a call."""
        return np.random.default_rng(self._sequence(BATCHES, pair, start, side))

    def _sequence(self, *place: int) -> np.random.SeedSequence:
        return np.random.SeedSequence(self.seed, spawn_key=place)
