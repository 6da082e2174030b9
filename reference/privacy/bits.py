"""Sources of random bits, the only randomness that the reference takes.

A sampler is a function whose last argument is a source. It reads the source and nothing else that is random,
so a fixed tape of bits replays it, and `coins.enumerate_law` can run it on every tape there is.
"""

from __future__ import annotations

import random
import secrets
from collections.abc import Callable, Iterable
from typing import Protocol, TypeVar, TypeVarTuple, runtime_checkable

from privboost.errors import PreconditionError, PrivboostError

T = TypeVar("T")
Inputs = TypeVarTuple("Inputs")


class TapeEndError(PrivboostError, EOFError):
    """Report that a sampler asked for one more bit than its tape holds."""

    def __init__(self, length: int) -> None:
        self.length = length
        super().__init__(f"a sampler asked for more than the {length} bits of its tape")


class BitSource(Protocol):
    """A source of independent fair bits."""

    def bit(self) -> int:
        """Return 0 or 1, each with probability 1/2."""


@runtime_checkable
class DrawSource(BitSource, Protocol):
    """A source that takes over whole draws, as an enumeration of all coins does."""

    def draw(self, sampler: Callable[[*Inputs, BitSource], T], *inputs: *Inputs) -> T:
        """Return an outcome of sampler(*inputs, source)."""


class SystemBits:
    """Bits of the operating system's generator, one at a time: nothing is kept that a fork could copy."""

    __slots__ = ()

    def bit(self) -> int:
        """Return a bit that no one can predict."""
        return secrets.randbits(1)


class SeededBits:
    """Bits that follow from a seed, for experiments and tests.

    They void every guarantee of privacy: whoever knows or guesses the seed can take the noise away.
    """

    __slots__ = ("_generator",)

    def __init__(self, seed: int) -> None:
        if not isinstance(seed, int):
            raise PreconditionError("SeededBits", "an int as seed", repr(seed))
        self._generator = random.Random(seed)

    def bit(self) -> int:
        """Return the next bit of a pseudo-random sequence."""
        return self._generator.getrandbits(1)


class TapeBits:
    """A fixed tape of bits; `used` counts those consumed."""

    __slots__ = ("_tape", "used")

    def __init__(self, tape: Iterable[int]) -> None:
        self._tape = tuple(tape)
        self.used = 0
        entries: tuple[object, ...] = self._tape
        for entry in entries:
            if not isinstance(entry, int) or entry not in (0, 1):
                raise PreconditionError("TapeBits", "bits 0 and 1", repr(entry))

    def bit(self) -> int:
        """Return the next bit of the tape, or raise TapeEndError."""
        if self.used == len(self._tape):
            raise TapeEndError(self.used)
        self.used += 1
        return self._tape[self.used - 1]


def draw(bits: BitSource, sampler: Callable[[*Inputs, BitSource], T], *inputs: *Inputs) -> T:
    """Return sampler(*inputs, bits), marked as one draw: what follows depends on its outcome alone.

    Requires: an outcome with a hash.
    Ensures: a source that enumerates all coins can join the runs of the draw that have equal outcomes.
    """
    return bits.draw(sampler, *inputs) if isinstance(bits, DrawSource) else sampler(*inputs, bits)
