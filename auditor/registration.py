"""Who is asked what: sides and seeds of all calls, fixed by one number before the first call is made."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from privboost.errors import PreconditionError

COINS, CALLS, BATCHES = 0, 1, 2
"""Streams that never meet: coins for sides, one stream per call, one per side of a batch."""

COINS_AT_ONCE = 1 << 14


def check_whole(name: str, number: object, least: int) -> None:
    """Refuse what is no whole number, or too small a one."""
    if not isinstance(number, int) or number < least:
        raise PreconditionError(name, f"a whole number >= {least}", number)


@dataclass(frozen=True, slots=True)
class Registration:
    """The coins and streams of an audit, as functions of one seed."""

    seed: int

    def __post_init__(self) -> None:
        check_whole("seed", self.seed, 0)

    def sides(self, pair: int, start: int, stop: int) -> NDArray[np.int64]:
        """Return the side, 0 or 1, of every call of a pair from `start` up to `stop`."""
        first, last = start // COINS_AT_ONCE, max(stop - 1, start) // COINS_AT_ONCE
        rolls = [self._coins(pair, roll) for roll in range(first, last + 1)]
        offset = first * COINS_AT_ONCE
        return np.concatenate(rolls)[start - offset : stop - offset]

    def _coins(self, pair: int, roll: int) -> NDArray[np.int64]:
        return self._stream(COINS, pair, roll).integers(0, 2, COINS_AT_ONCE)

    def generator(self, pair: int, call: int) -> np.random.Generator:
        """Return the stream of one call, which no other call has."""
        return self._stream(CALLS, pair, call)

    def seed_of(self, pair: int, call: int) -> int:
        """Return the 128 bits that the stream of one call begins with."""
        return self._entropy(CALLS, pair, call)

    def batch_generator(self, pair: int, start: int, side: int) -> np.random.Generator:
        """Return the stream of all calls of one side in the batch that begins at a call."""
        return self._stream(BATCHES, pair, start, side)

    def _stream(self, *place: int) -> np.random.Generator:
        return np.random.default_rng(self._entropy(*place))

    def _entropy(self, *place: int) -> int:
        """Return 128 bits for a place by a one-way function: no stream tells the seed, or another stream."""
        text = ",".join(map(str, (self.seed, *place)))
        return int.from_bytes(blake2b(text.encode(), digest_size=16).digest(), "big")
