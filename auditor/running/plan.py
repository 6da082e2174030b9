"""The plan of an audit: what it tests, how long, and how."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from privboost.auditor.betting.wealth import DECISIVE_SHARES, is_hidden
from privboost.auditor.claims import PrivacyClaim
from privboost.auditor.result import Required
from privboost.errors import PreconditionError
from privboost.limits import CONFIDENCE, POWER

from .calls import check_integer
from .sequential import SequentialTest

CALLS = 50_000
"""Number of calls by default: enough for claims of epsilon from 1/2 to 4 on one pair."""

WEAK = 8.0
"""Log odds above which a claim is weak: a rarer event would take too many calls."""

LEAST_CAUGHT = 0.1
"""The epsilon that a run has to catch if the claim is 0."""

FIRST_SHARE = 0.9
"""The part of the error probability for the first pair, if others are chosen while the audit runs."""

EPSILONS = (0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0)
"""Values of epsilon at which an envelope has bounds on delta."""


@dataclass(frozen=True, slots=True)
class AuditPlan:
    """An audit, made once from the arguments of `audit` or from the command line."""

    claim: PrivacyClaim
    seed: int
    confidence: float = CONFIDENCE
    calls: int = CALLS
    """Total number of calls, over all pairs and both sides."""
    seconds: float | None = None
    """Time limit, if any."""
    stop: bool = True
    """Whether the test of a pair ends at its first violation."""
    all_pairs: bool = False
    """Whether a run that stops at a violation goes on until every pair has one."""
    low_bits: bool = False
    """Whether the lowest bits of floating-point outputs are tested as well."""
    keep_failures: bool = True
    """Whether a failed call is an output; otherwise it ends the audit without a verdict."""
    envelope: bool = False
    """Whether delta is also bounded, at several epsilon."""
    power: float = POWER
    """A run is CONSISTENT only if it would have caught this multiple of the claim."""
    ignored: tuple[str, ...] = ()
    """Parts of the outputs that are not tested: attributes or keys, such as `n_samples_seen_`."""
    shared_by: int | None = None
    """The number of pairs that share calls and error probability, if some are chosen while the audit runs."""

    def __post_init__(self) -> None:
        try:
            object.__setattr__(self, "confidence", float(self.confidence))
        except (TypeError, ValueError):
            raise PreconditionError("confidence", "a number", self.confidence) from None
        if not 0 < self.confidence < 1:
            raise PreconditionError("confidence", "a probability between 0 and 1", self.confidence)
        if not 1 < self.power < math.inf:
            raise PreconditionError("power", "a number above 1", self.power)
        check_integer("calls", self.calls, 1)
        check_integer("seed", self.seed, 0)

    def errors(self, pairs: int) -> list[float]:
        """Return the error probability of each of a number of pairs, which add up to at most that of all.

        If others may be chosen later, the first pair has most of it: its test begins without a choice.
        """
        total = 1 - self.confidence
        if self.shared_by is None:
            return [total / pairs] * pairs
        if self.shared_by == 1:
            return [total]
        others = total * (1 - FIRST_SHARE) / (self.shared_by - 1)
        return [total * FIRST_SHARE, *[others] * (pairs - 1)]

    @property
    def required(self) -> Required:
        """Return the violation that a run has to catch to be CONSISTENT."""
        points = self.claim.points_of(np.array([self.claim.value]))
        *rare, common = DECISIVE_SHARES
        usual = self.claim.log_odds(self.power, common) or LEAST_CAUGHT
        for share in rare:
            odds = self.claim.log_odds(self.power, share) or LEAST_CAUGHT
            if odds <= WEAK and not is_hidden(odds, share, usual, points, 1 - self.confidence):
                return Required(self.power, odds, share)
        return Required(self.power, usual, common)

    def tests(self, errors: Sequence[float]) -> list[SequentialTest]:
        """Return a new test for each of some error probabilities."""
        return [
            SequentialTest(
                self.claim, error=error, low_bits=self.low_bits, ignored=self.ignored, stop=self.stop
            )
            for error in errors
        ]

    def envelope_tests(self, errors: Sequence[float]) -> list[list[SequentialTest]]:
        """Return tests of delta for each error probability, one for each epsilon; none without an envelope.

        With K values of epsilon each is tested at 1/K of the error probability, so that all bounds hold at
        once, at any time. No test stops at a violation. As the claim, the bounds are about neighbours, also
        if the inputs of a pair differ in several rows.
        """
        claims = [PrivacyClaim("delta", 0.0, epsilon, group=self.claim.group) for epsilon in EPSILONS]
        return [
            [
                SequentialTest(
                    claim,
                    error=error / len(EPSILONS),
                    low_bits=self.low_bits,
                    ignored=self.ignored,
                    stop=False,
                )
                for claim in claims
            ]
            for error in (errors if self.envelope else ())
        ]


def envelope_of(tests: Sequence[Sequence[SequentialTest]]) -> tuple[tuple[float, float], ...]:
    """Return (epsilon, bound on delta) for every epsilon, the greatest over all pairs.

    delta(epsilon) does not increase, so a bound at one epsilon also holds at every smaller one.
    """
    if not tests:
        return ()
    bounds = [max(test.bound for test in row) for row in zip(*tests, strict=True)]
    running = list(accumulate(reversed(bounds), max))[::-1]
    return tuple(zip(EPSILONS, running, strict=True))
