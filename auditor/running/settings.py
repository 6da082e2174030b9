"""The settings of an audit: the claim, the confidence, and the options of the test."""

from __future__ import annotations

from dataclasses import dataclass

from privboost.auditor.claims import PrivacyClaim
from privboost.errors import PreconditionError

from .sequential import SequentialTest


@dataclass(frozen=True, slots=True)
class Settings:
    """The claim, and the confidence at which it is tested."""

    claim: PrivacyClaim
    confidence: float = 0.95
    low_bits: bool = False
    stop: bool = True
    """Whether the test of a pair ends at its first violation."""

    def __post_init__(self) -> None:
        try:
            object.__setattr__(self, "confidence", float(self.confidence))
        except (TypeError, ValueError):
            raise PreconditionError("confidence", "a number", self.confidence) from None
        if not 0 < self.confidence < 1:
            raise PreconditionError("confidence", "a probability between 0 and 1", self.confidence)

    def error_of_a_pair(self, pairs: int) -> float:
        """Return the error probability of each pair, for a given number of pairs."""
        return (1 - self.confidence) / pairs

    def tests(self, pairs: int) -> list[SequentialTest]:
        """Return a new test for each pair."""
        error = self.error_of_a_pair(pairs)
        return [
            SequentialTest(self.claim, error=error, low_bits=self.low_bits, stop=self.stop)
            for _ in range(pairs)
        ]
