"""Compute the law of a sampler by running it on every string of random bits.

A run follows a script of answers from its source. At the end of the script the run forks into all possible
next answers: for a bit, both values. A draw inside the sampler is enumerated once, separately, and the run
forks into its outcomes. Later steps depend on the outcome of a draw and not on its bits, so bit strings with
equal outcomes share one branch. Masses are counted and not computed from a formula, so samplers and exact
laws can be checked against each other.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Generic, TypeAlias, TypeVar, TypeVarTuple

from privboost.errors import PreconditionError
from privboost.reference.exact import Enclosure, Real

from .bits import BitSource

T = TypeVar("T")
Inputs = TypeVarTuple("Inputs")
Laws: TypeAlias = "dict[Hashable, tuple[CoinLaw[Any], object]]"
"""Laws of draws by sampler and inputs. The inputs are stored to keep their nodes alive and unique."""


@dataclass(frozen=True, slots=True)
class CoinLaw(Generic[T]):
    """The law of a sampler, as far as the bit strings of bounded length determine it.

    masses      the probability of the strings that end in an outcome, a dyadic rational
    rest        the probability of the strings that were cut off before an outcome
    bits        the expected number of bits read before a string ends or is cut off

    Ensures: the masses and the rest add up to 1; `bits` is at most the expected number of bits of a run.
    """

    masses: dict[T, Fraction]
    rest: Fraction
    bits: Fraction

    def enclose(self, outcome: T) -> Enclosure:
        """Return an enclosure of the probability of an outcome; its width is the rest."""
        mass = self.masses.get(outcome, Fraction(0))
        return Enclosure(mass, mass + self.rest)


FAIR_COIN: CoinLaw[int] = CoinLaw({0: Fraction(1, 2), 1: Fraction(1, 2)}, Fraction(0), Fraction(1))


def enumerate_law(sampler: Callable[[BitSource], T], depth: int) -> CoinLaw[T]:
    """Return the law of a sampler from all bit strings with probability at least 2^-depth.

    Requires: depth >= 0; the sampler has no other randomness than its bits; its outcomes are hashable.
    """
    if depth < 0:
        raise PreconditionError("enumerate_law", "depth >= 0", depth)
    return _search(sampler, Fraction(1, 1 << depth), {})


class _Fork(Exception):
    """Raised at the end of a script, with the law of the next answer."""

    def __init__(self, law: CoinLaw[Any]) -> None:
        self.law = law
        super().__init__("the script is over")


@dataclass(slots=True)
class _Script:
    """A source that answers from a script, and raises _Fork at its end."""

    answers: tuple[Any, ...]
    least_mass: Fraction
    laws: Laws
    used: int = 0

    def bit(self) -> int:
        """Return the next answer, a bit."""
        return int(self._answer(lambda: FAIR_COIN))

    def draw(self, sampler: Callable[[*Inputs, BitSource], T], *inputs: *Inputs) -> T:
        """Return the next answer, an outcome of a draw."""

        def law() -> CoinLaw[T]:
            key = (sampler, _key(inputs))
            if key not in self.laws:
                enumerated = _search(lambda bits: sampler(*inputs, bits), self.least_mass, self.laws)
                self.laws[key] = enumerated, inputs
            return self.laws[key][0]

        return self._answer(law)

    def _answer(self, law: Callable[[], CoinLaw[T]]) -> T:
        """Return the next answer of the script, or fork according to a law."""
        if self.used == len(self.answers):
            raise _Fork(law())
        self.used += 1
        answer: T = self.answers[self.used - 1]
        return answer


def _search(sampler: Callable[[BitSource], T], least_mass: Fraction, laws: Laws) -> CoinLaw[T]:
    """Return the law of a sampler from all scripts with probability at least `least_mass`."""
    masses: dict[T, Fraction] = {}
    rest = expected_bits = Fraction(0)
    pending: list[tuple[tuple[Any, ...], Fraction]] = [((), Fraction(1))]
    while pending:
        answers, mass = pending.pop()
        try:
            outcome = sampler(_Script(answers, least_mass, laws))
        except _Fork as fork:
            expected_bits += mass * fork.law.bits
            rest += mass * fork.law.rest
            for answer, chance in fork.law.masses.items():
                if mass * chance < least_mass:
                    rest += mass * chance
                else:
                    pending.append(((*answers, answer), mass * chance))
        else:
            masses[outcome] = masses.get(outcome, Fraction(0)) + mass
    return CoinLaw(masses, rest, expected_bits)


def _key(value: object) -> Hashable:
    """Return a hashable key of an input; a lazy real has no hash, but its node has a unique serial number."""
    if isinstance(value, tuple):
        return tuple(_key(entry) for entry in value)
    return ("Real", value.serial) if isinstance(value, Real) else (type(value), value)
