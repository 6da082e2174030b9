"""The result of a run of the gate, and its progress."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from privboost.gate.protocol.hello import Hello
from privboost.gate.protocol.variants import Variant
from privboost.targets.conversation import Fault

from .check import WIRE, Outcome, Status
from .coverage import Coverage, coverage_of
from .known_failures import KnownFailure, Stale
from .plan import GatePlan


class Ending(StrEnum):
    """Why a run stopped early, if it was not given up because of the faults of its target."""

    INTERRUPTED = "interrupted; the results so far are incomplete"
    SILENT = "the target did not answer hello"
    NO_OPERATIONS = "hello lists no operations, and only listed operations are requested"


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress of a run."""

    done: int
    """Number of checks that are finished."""
    of: int
    """Number of checks in all."""
    check: str
    """Id of the check that starts now."""
    bad: int
    """Number of failed cases so far."""


@dataclass(frozen=True)
class GateResult:
    """The result of a run of the gate."""

    plan: GatePlan
    hello: Hello | None
    outcomes: tuple[Outcome, ...]
    false_alarm: float
    """A bound on the probability that a correct target fails this run."""
    statistical: int = 0
    """Number of checks that can fail by chance."""
    xfailed: frozenset[str] = frozenset()
    """Ids of failed cases that are listed as known failures."""
    stale: tuple[Stale, ...] = ()
    hidden: tuple[tuple[KnownFailure, int], ...] = ()
    """Patterns of known failures that match several failed cases, with their number."""
    ended: Ending | Fault | None = None
    """Why the run stopped early; None if it did not."""
    not_run: int = 0
    """Number of checks that were not run because it stopped early."""
    broken: tuple[str, ...] = ()
    """Checks that raised an error: faults of privboost, not of the target."""

    required: frozenset[str] = frozenset()
    """The operations that the target must answer."""

    @cached_property
    def coverage(self) -> Coverage:
        """Return which operations and variants were answered."""
        return coverage_of(self.plan.profile, self.hello, self.outcomes)

    @property
    def missing(self) -> tuple[str, ...]:
        """Return the required operations that the target did not answer, in the order of the profile."""
        unanswered = self.coverage.missing(self.required)
        return tuple(name for name in self.plan.profile.operations if name in unanswered)

    @property
    def missing_variants(self) -> tuple[Variant, ...]:
        """Return the variants of the other required operations that the target did not answer."""
        return self.coverage.missing_variants(self.required)

    @property
    def left_out(self) -> tuple[Variant, ...]:
        """Return the variants of the required operations that the target says it does not take."""
        operations = self.plan.profile.operations
        required = (operations[name] for name in operations if name in self.required)
        return () if self.hello is None else self.hello.left_out(required)

    @property
    def failures(self) -> tuple[Outcome, ...]:
        """Return the failed cases that are not known failures."""
        bad = (outcome for outcome in self.outcomes if outcome.is_bad)
        return tuple(outcome for outcome in bad if outcome.check not in self.xfailed)

    @property
    def is_empty(self) -> bool:
        """Return whether every case that was judged belongs to the level `wire`."""
        judged = (outcome for outcome in self.outcomes if outcome.status is not Status.SKIP)
        return self.plan.chosen_levels != (WIRE,) and all(outcome.level == WIRE for outcome in judged)

    @property
    def passed(self) -> bool:
        """Return whether the target passes all that it was asked, and was asked what is required."""
        bad = self.failures or self.stale or self.ended or self.broken or self.is_empty
        return not (bad or self.coverage.is_short_of(self.required))
