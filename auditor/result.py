"""What an audit finds."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from .pair import Pair
from .power import Power


class Verdict(StrEnum):
    """The three answers of an audit; none of them says that a mechanism is private."""

    VIOLATION = "VIOLATION"
    """The claim is refuted, up to the stated error probability."""
    CONSISTENT = "CONSISTENT"
    """The claim was not refuted, by a run that would have caught a violation of the stated size."""
    INCONCLUSIVE = "INCONCLUSIVE"
    """The run was too short, or something was wrong with the target."""


@dataclass(frozen=True, slots=True)
class Point:
    """The state of the test of one pair after some calls."""

    calls: int
    bound: float
    """The lower confidence bound on epsilon; -inf does not occur, 0 is no information."""
    log_wealth: float
    """Natural logarithm of the wealth against the claim; log(1 / error) refutes it."""


@dataclass(frozen=True, slots=True)
class FixedBound:
    """The cross-check: an event chosen on the first part of the calls, counted on the rest."""

    event: str
    right: int
    wrong: int
    bound: float


@dataclass(frozen=True, slots=True)
class CellCount:
    """How often each side fell into one cell of the partition by which the sides are guessed."""

    text: str
    left: int
    right: int
    guess: int
    """-1: the left side is guessed here, 1: the right one, 0: neither."""


@dataclass(frozen=True, slots=True)
class PairResult:
    """What was found on one pair."""

    pair: Pair
    error: float
    """The error probability that was spent on this pair."""
    curve: tuple[Point, ...]
    cells: tuple[CellCount, ...]
    """The partition at the end, against the claim, or against the bound if the claim is not refuted; most
    telling cells first, as a plot of the event shows them."""
    fixed: FixedBound | None

    @property
    def calls(self) -> int:
        """Return the number of calls, both sides together."""
        return self.curve[-1].calls if self.curve else 0

    @property
    def bound(self) -> float:
        """Return the lower confidence bound on epsilon at the end."""
        return self.curve[-1].bound if self.curve else 0.0


@dataclass(frozen=True, slots=True)
class AuditResult:
    """What was found about a claim."""

    target: str
    epsilon: float
    delta: float
    confidence: float
    seed: int
    verdict: Verdict
    reason: str
    """One sentence that says why this is the verdict."""
    pairs: tuple[PairResult, ...]
    power: tuple[Power, ...]
    interrupted: bool = False
    seconds: float = 0.0

    @property
    def bound(self) -> float:
        """Return the greatest bound over pairs; it holds with the stated confidence for all pairs at once."""
        return max((found.bound for found in self.pairs), default=0.0)

    @property
    def calls(self) -> int:
        """Return the number of calls over all pairs."""
        return sum(found.calls for found in self.pairs)
