"""The result of a replay: what was found on each pair, and what could not be decided."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from privboost.auditor.pairs.pair import Pair
from privboost.auditor.result import Reported


class ReplayVerdict(StrEnum):
    """The three answers of a replay; none of them says that a claim is true."""

    FINDING = "FINDING"
    """Something differs between the two runs that noise does not hide, or hides too little."""
    NOTHING_FOUND = "NOTHING FOUND"
    """What differs on these inputs is hidden by recorded noise, as far as the claim asks."""
    UNDECIDED = "UNDECIDED"
    """No draw was seen, or the output depends on the draws in a way that is not weighed."""


class FindingKind(StrEnum):
    """What differs between a run and its replay."""

    UNNOISED_OUTPUT = "unnoised_output"
    """A part of the output does not vary with the coins, and differs between the inputs."""
    UNNOISED_RELEASE = "unnoised_release"
    """A mechanism releases different values without noise: its sensitivity is 0, or they are no numbers."""
    SCALE_FROM_DATA = "scale_from_data"
    """A scale, a sensitivity or a budget differs between the inputs."""
    NUMBER_OF_DRAWS = "number_of_draws"
    """A call site draws noise a different number of times."""
    ORDER_OF_DRAWS = "order_of_draws"
    """The same call sites draw in another order."""
    MOVED_TOO_FAR = "moved_too_far"
    """The value of a release moves by more than its stated sensitivity."""
    LOSS = "loss"
    """The noise is too small for what it hides: the loss of the pair is more than the claim."""
    REUSED_COINS = "reused_coins"
    """Two draws begin with the same state of their generators, so that their noise is the same."""
    FIXED_SEED = "fixed_seed"
    """The draws are the same in two runs, although every run has coins of its own."""
    SEED_FROM_CLOCK = "seed_from_clock"
    """The draws are the same in two runs at the same time of the clock."""


PROOFS = frozenset({FindingKind.UNNOISED_OUTPUT, FindingKind.UNNOISED_RELEASE})
"""Kinds that prove a violation; all others are suspicions."""


@dataclass(frozen=True, slots=True)
class ReplayFinding:
    """One difference, and where it is."""

    kind: FindingKind
    site: str
    """The line of the target's code, or the part of the output."""
    left: Any = None
    right: Any = None
    amount: float | None = None
    """How far a value moved, or the loss."""
    limit: float | None = None
    """The sensitivity, or the claimed epsilon."""
    name: str = ""
    """The law, the mechanism, or the parameter."""
    runs: int = 0
    """The number of runs with fresh coins on each input that agree, for a part of the output."""

    @property
    def is_proof(self) -> bool:
        """Return whether the finding proves a violation."""
        return self.kind in PROOFS


class Doubt(StrEnum):
    """Why a pair is undecided."""

    NO_DRAW = "no_draw"
    HIDDEN_COINS = "hidden_coins"
    NOT_LINEAR = "not_linear"
    CONTROL_FLOW = "control_flow"
    OTHER_LAW = "other_law"
    MIXED_LAWS = "mixed_laws"
    TOO_MANY = "too_many"
    NO_OUTPUT = "no_output"
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class PairReplay:
    """What was seen on one pair."""

    pair: Pair
    findings: tuple[ReplayFinding, ...] = ()
    doubts: tuple[Doubt, ...] = ()
    draws: int = 0
    """Number of draws on the left input."""
    releases: int = 0
    """Number of releases on the left input."""
    loss: float | None = None
    """The loss of the pair by the recorded noise, if it can be told."""
    spent: float | None = None
    """The sum of the budgets of all releases, if there are any."""
    runs: int = 0
    error: str = ""
    """The error of the first run, if no run has an output."""

    @property
    def verdict(self) -> ReplayVerdict:
        """Return the verdict on the pair."""
        if self.findings:
            return ReplayVerdict.FINDING
        return ReplayVerdict.UNDECIDED if self.doubts else ReplayVerdict.NOTHING_FOUND


@dataclass(frozen=True, slots=True)
class RecordReplayResult(Reported):
    """The result of a replay of all pairs.

    `print(result)` prints the report, a notebook shows it, and `result.save("report.html")` writes it.
    """

    target: str
    epsilon: float
    delta: float
    pairs: tuple[PairReplay, ...]
    described: str = ""
    """The description of the inputs, if they were described."""
    seed: int = 0
    seconds: float = field(default=0.0, compare=False)
    interrupted: bool = False

    @property
    def verdict(self) -> ReplayVerdict:
        """Return the verdict: a finding on any pair, else a doubt about any pair that has an output."""
        verdicts = {entry.verdict for entry in self.pairs if Doubt.NO_OUTPUT not in entry.doubts}
        if ReplayVerdict.FINDING in verdicts:
            return ReplayVerdict.FINDING
        if not verdicts or self.interrupted or ReplayVerdict.UNDECIDED in verdicts:
            return ReplayVerdict.UNDECIDED
        return ReplayVerdict.NOTHING_FOUND

    @property
    def is_proved(self) -> bool:
        """Return whether a finding proves a violation."""
        return any(finding.is_proof for entry in self.pairs for finding in entry.findings)
