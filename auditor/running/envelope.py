"""The lower envelope of delta(epsilon): bounds on delta at several epsilon that hold at once, at any time.

For each epsilon the null is a delta. With K values of epsilon each is tested at 1/K of the error probability.
delta(epsilon) does not increase, so a bound at one epsilon also holds at every smaller one. As the claim, the
bounds are about neighbours, also if the inputs of a pair differ in several rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from privboost.auditor.claims import PrivacyClaim

from .sequential import SequentialTest
from .settings import Settings

EPSILONS = (0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0)


def envelope_tests(settings: Settings, pairs: int) -> list[list[SequentialTest]]:
    """Return the tests of every pair, one for each epsilon; they do not stop at a violation."""
    error = settings.error_of_a_pair(pairs) / len(EPSILONS)
    return [
        [
            SequentialTest(
                PrivacyClaim("delta", 0.0, epsilon, group=settings.claim.group),
                error=error,
                low_bits=settings.low_bits,
                stop=False,
            )
            for epsilon in EPSILONS
        ]
        for _ in range(pairs)
    ]


def envelope_of(tests: Sequence[Sequence[SequentialTest]]) -> tuple[tuple[float, float], ...]:
    """Return (epsilon, bound on delta) for every epsilon, the greatest over all pairs."""
    if not tests:
        return ()
    bounds = [max(test.bound for test in row) for row in zip(*tests, strict=True)]
    running = list(accumulate(reversed(bounds), max))[::-1]
    return tuple(zip(EPSILONS, running, strict=True))
