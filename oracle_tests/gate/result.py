"""The result of a run of the gate, and its progress."""

from __future__ import annotations

from dataclasses import dataclass

from .check import Level, Outcome, Status
from .hello import Hello
from .xfails import Stale

INTERRUPTED = "interrupted; the results so far are incomplete"
"""Value of `GateResult.ended` after an interrupt by the user."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is."""

    done: int
    of: int
    check: str
    bad: int


@dataclass(frozen=True, slots=True)
class GateResult:
    """What a run found."""

    target: str
    hello: Hello | None
    seed: int
    levels: tuple[Level, ...]
    """The levels that were asked for."""
    outcomes: tuple[Outcome, ...]
    false_alarm: float
    """A bound on the probability that a correct target fails this run."""
    statistical: int = 0
    """Checks that this probability is added up from."""
    xfailed: frozenset[str] = frozenset()
    """Ids of cases that fail as the project says they do."""
    stale: tuple[Stale, ...] = ()
    ended: str | None = None
    """Why the run stopped before its end."""
    not_run: int = 0
    """Checks that were not run for that reason."""
    broken: tuple[str, ...] = ()
    """Checks that failed themselves: faults of privboost, not of the target."""

    @property
    def failures(self) -> tuple[Outcome, ...]:
        """Return the cases that speak against the target and are not excused."""
        return tuple(found for found in self.outcomes if found.is_bad and found.check not in self.xfailed)

    @property
    def is_empty(self) -> bool:
        """Return whether nothing beyond the protocol itself was judged."""
        judged = (found for found in self.outcomes if found.status is not Status.SKIP)
        return self.levels != (Level.WIRE,) and all(found.level is Level.WIRE for found in judged)

    @property
    def passed(self) -> bool:
        """Return whether the target conforms as far as it was asked."""
        return not (self.failures or self.stale or self.ended or self.broken or self.is_empty)
