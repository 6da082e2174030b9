"""Sides and random streams of all calls, fixed by one seed before the first call is made."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from privboost.errors import PreconditionError

COINS, CALLS, BATCHES = 0, 1, 2
"""Kinds of independent streams: coins for sides, one stream per call, one per side of a batch."""

COINS_AT_ONCE = 1 << 14


def check_integer(name: str, value: object, least: int) -> None:
    """Raise PreconditionError unless a value is an integer >= least."""
    if not isinstance(value, int) or value < least:
        raise PreconditionError(name, f"an integer >= {least}", value)


@dataclass(frozen=True, slots=True)
class Registration:
    """The coins and streams of an audit, as functions of one seed."""

    seed: int

    def __post_init__(self) -> None:
        check_integer("seed", self.seed, 0)

    def sides(self, pair: int, start: int, stop: int) -> NDArray[np.int64]:
        """Return the side, 0 or 1, of every call of a pair from `start` up to `stop`."""
        first, last = start // COINS_AT_ONCE, max(stop - 1, start) // COINS_AT_ONCE
        rolls = [self._coins(pair, roll) for roll in range(first, last + 1)]
        offset = first * COINS_AT_ONCE
        return np.concatenate(rolls)[start - offset : stop - offset]

    def _coins(self, pair: int, roll: int) -> NDArray[np.int64]:
        return self._stream(COINS, pair, roll).integers(0, 2, COINS_AT_ONCE)

    def generator(self, pair: int, call: int) -> np.random.Generator:
        """Return the stream of one call, which no other call uses."""
        return self._stream(CALLS, pair, call)

    def seed_of(self, pair: int, call: int) -> int:
        """Return the 128-bit seed of the stream of one call."""
        return self._entropy(CALLS, pair, call)

    def batch_generator(self, pair: int, start: int, side: int) -> np.random.Generator:
        """Return the stream of all calls of one side in the batch that begins at call `start`."""
        return self._stream(BATCHES, pair, start, side)

    def _stream(self, *key: int) -> np.random.Generator:
        return np.random.default_rng(self._entropy(*key))

    def _entropy(self, *key: int) -> int:
        """Return 128 bits for a key by a one-way function: no stream reveals the seed or another stream."""
        label = ",".join(map(str, (self.seed, *key)))
        return int.from_bytes(blake2b(label.encode(), digest_size=16).digest(), "big")
