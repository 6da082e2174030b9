"""The result of a run of the gate, what it covers, and its progress."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import astuple, dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any

from privboost.gate.protocol.hello import Hello
from privboost.gate.protocol.operation import Variant
from privboost.targets.conversation import Fault

from .check import REFUSAL, WIRE, Outcome, Status
from .known_failures import KnownFailure, Stale
from .plan import GatePlan
from .profile import Profile


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


@dataclass(frozen=True, slots=True)
class Coverage:
    """What was asked and answered. A refusal alone is no answer."""

    answered: frozenset[str] = frozenset()
    """Operations with a case that was judged."""
    asked: frozenset[Variant] = frozenset()
    """Variants with a case, but for those that `hello` leaves out."""
    judged: frozenset[Variant] = frozenset()
    """Variants with a case that was judged."""
    n_judged: int = 0
    """Number of cases of all levels that were judged."""
    n_skipped: int = 0

    def missing(self, required: Collection[str]) -> frozenset[str]:
        """Return the operations that are required and not answered."""
        return frozenset(required) - self.answered

    def missing_variants(self, required: Collection[str]) -> tuple[Variant, ...]:
        """Return the variants of required operations that were asked and not answered, if others were."""
        unanswered = sorted(self.asked - self.judged)
        return tuple(each for each in unanswered if each.operation in self.answered.intersection(required))

    def is_short_of(self, required: Collection[str]) -> bool:
        """Return whether a required operation or one of its variants was not answered."""
        return bool(self.missing(required) or self.missing_variants(required))

    def to_plain(self) -> list[Any]:
        """Return lists, strings and numbers, for another process."""
        variants = ([astuple(each) for each in sorted(part)] for part in (self.asked, self.judged))
        return [sorted(self.answered), *variants, self.n_judged, self.n_skipped]

    @staticmethod
    def from_plain(plain: list[Any]) -> Coverage:
        """Return the coverage that `to_plain` has written."""
        answered, *parts, n_judged, n_skipped = plain
        asked, judged = (frozenset(Variant(*each) for each in part) for part in parts)
        return Coverage(frozenset(answered), asked, judged, n_judged, n_skipped)

    def __or__(self, other: Coverage) -> Coverage:
        """Return the coverage of two runs of different checks together."""
        return Coverage(
            self.answered | other.answered,
            self.asked | other.asked,
            self.judged | other.judged,
            self.n_judged + other.n_judged,
            self.n_skipped + other.n_skipped,
        )


def coverage_of(profile: Profile, hello: Hello | None, outcomes: Iterable[Outcome]) -> Coverage:
    """Return the coverage of the outcomes of a run."""
    answered: set[str] = set()
    asked: set[Variant] = set()
    judged: set[Variant] = set()
    counts = {True: 0, False: 0}
    for each in outcomes:
        is_judged = each.status is not Status.SKIP
        counts[is_judged] += 1
        request = each.request or {"op": "", "args": {}}
        operation = profile.operations.get(request["op"])
        if operation is None or each.level == REFUSAL:
            continue
        variants = set(operation.variants_of(request["args"]))
        if is_judged:
            answered.add(operation.name)
            judged |= variants
        if is_judged or hello is None or not any(map(hello.leaves_out, variants)):
            asked |= variants
    return Coverage(frozenset(answered), frozenset(asked), frozenset(judged), counts[True], counts[False])


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

    def known_note(self, check: str) -> str:
        """Return what the file of known failures notes about a failed case; empty if it does not list it."""
        if check not in self.xfailed:
            return ""
        return next((entry.note for entry in self.plan.xfails if entry.note and entry.matches(check)), "")

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
