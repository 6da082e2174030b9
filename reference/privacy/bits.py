"""Sources of random bits, the only randomness in the reference.

A sampler is a function whose last argument is a source of bits, and it uses no other randomness. So a fixed
tape of bits replays it, and `coins.enumerate_law` can run it on every tape.
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
    """Raised when a sampler reads past the end of its tape."""

    def __init__(self, length: int) -> None:
        self.length = length
        super().__init__(f"a sampler asked for more than the {length} bits of its tape")


class BitSource(Protocol):
    """A source of independent fair bits."""

    def bit(self) -> int:
        """Return 0 or 1, each with probability 1/2."""


@runtime_checkable
class DrawSource(BitSource, Protocol):
    """A source that handles whole draws instead of single bits, such as an enumeration of all coins."""

    def draw(self, sampler: Callable[[*Inputs, BitSource], T], *inputs: *Inputs) -> T:
        """Return an outcome of sampler(*inputs, source)."""


class SystemBits:
    """Bits from the operating system, read one at a time: there is no buffer that a fork could copy."""

    __slots__ = ()

    def bit(self) -> int:
        """Return an unpredictable bit."""
        return secrets.randbits(1)


class SeededBits:
    """Pseudo-random bits from a seed, for experiments and tests.

    They void every privacy guarantee: anyone who knows or guesses the seed can remove the noise.
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
    """A fixed tape of bits; `used` is the number of bits read so far."""

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
    """Return sampler(*inputs, bits), marked as one draw: later steps depend on its outcome only.

    Requires: the outcome is hashable.
    Ensures: a source that enumerates all coins can merge the runs of the draw that have equal outcomes.
    """
    return bits.draw(sampler, *inputs) if isinstance(bits, DrawSource) else sampler(*inputs, bits)
