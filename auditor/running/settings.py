"""The settings of an audit: the claim, the confidence, and the options of the test."""

from __future__ import annotations

from dataclasses import dataclass

from privboost.auditor.betting.wealth import GREATEST_NULL
from privboost.errors import PreconditionError

from .sequential import SequentialTest


@dataclass(frozen=True, slots=True)
class Settings:
    """The claim, and the confidence at which it is tested."""

    epsilon: float
    delta: float = 0.0
    confidence: float = 0.95
    low_bits: bool = False
    stop: bool = True
    """Whether the test of a pair ends at its first violation."""

    def __post_init__(self) -> None:
        for name in ("epsilon", "delta", "confidence"):
            try:
                object.__setattr__(self, name, float(getattr(self, name)))
            except (TypeError, ValueError):
                raise PreconditionError(name, "a number", getattr(self, name)) from None
        if not 0 <= self.epsilon <= GREATEST_NULL:
            raise PreconditionError("epsilon", f"a claim from 0 to {GREATEST_NULL:g}", self.epsilon)
        if not 0 <= self.delta < 1:
            raise PreconditionError("delta", "a number in [0, 1)", self.delta)
        if not 0 < self.confidence < 1:
            raise PreconditionError("confidence", "a probability between 0 and 1", self.confidence)

    def error_of_a_pair(self, pairs: int) -> float:
        """Return the error probability of each pair, for a given number of pairs."""
        return (1 - self.confidence) / pairs

    def tests(self, pairs: int) -> list[SequentialTest]:
        """Return a new test for each pair."""
        error = self.error_of_a_pair(pairs)
        return [
            SequentialTest(
                self.epsilon, delta=self.delta, error=error, low_bits=self.low_bits, stop=self.stop
            )
            for _ in range(pairs)
        ]
