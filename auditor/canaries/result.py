"""The result of one run with canaries, or of scores."""

from __future__ import annotations

from dataclasses import dataclass

from privboost.auditor.numbers import floor_to_decimals
from privboost.auditor.result import Reported, Verdict

from .statistics import ScoreStatistics


@dataclass(frozen=True, slots=True)
class Needed:
    """What a run must be able to catch to be CONSISTENT."""

    factor: float
    """The multiple of the claim."""
    met: bool
    canaries: int | None = None
    """If it is not met: a number of canaries that do; None if there are too many to name."""


@dataclass(frozen=True, slots=True)
class OneRunResult(Reported):
    """Bounds from the coins of canaries, with a verdict if there is a claim.

    `print(result)` prints the report, and `result.save("report.html")` writes it.
    """

    target: str
    bound: float
    """The lower bound on epsilon, for the number of runs that was fixed before."""
    mu: float
    """The lower bound on the mu of Gaussian privacy, by itself."""
    anytime: float | None
    """The lower bound on epsilon by the bet, which also holds for a number of runs that was not fixed; None
    if delta is too large for it."""
    delta: float
    confidence: float
    runs: int
    inside: int
    """The number of canaries that were in, over all runs."""
    outside: int
    unscored: int
    """Canaries whose score is NaN: none of them is guessed."""
    guesses: tuple[int, int] | None
    """Guesses of the highest and of the lowest scores, if their number was fixed before."""
    by_limits: bool
    """Whether the bound comes from exact limits, and not from the curve of (epsilon, delta)-privacy."""
    statistics: ScoreStatistics
    seed: int
    epsilon: float | None = None
    """The claim."""
    verdict: Verdict | None = None
    """None without a claim."""
    needed: Needed | None = None
    seconds: float = 0.0
    promise: str = ""
    """What the documentation of an estimator says about its claim."""

    @property
    def canaries(self) -> int:
        """Return the number of coins, over all runs."""
        return self.inside + self.outside

    @property
    def is_split_evenly(self) -> bool:
        """Return whether as many canaries are in as out, as in a split that no coin has made."""
        return self.inside == self.outside

    def __repr__(self) -> str:
        bound = floor_to_decimals(self.bound)
        verdict = "" if self.verdict is None else f"{self.verdict}: "
        return f"<OneRunResult {verdict}{self.target}, bound {bound}, {self.canaries} canaries>"
