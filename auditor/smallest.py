"""Shrink the witness of a violation to the smallest pair that still shows it, and test that pair alone."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from privboost.auditor.inputs.description import Description
from privboost.auditor.inputs.shrinking import shrink_pair
from privboost.auditor.mechanisms.mechanism import Mechanism
from privboost.auditor.pairs.pair import Pair
from privboost.auditor.running.calling import Calling
from privboost.auditor.running.looks import FORMS, compare_forms
from privboost.auditor.running.plan import AuditPlan
from privboost.auditor.running.search import derive_seed
from privboost.auditor.running.triage import Inputs
from privboost.errors import NoVerdictError

from .result import AuditResult, Sight, Verdict
from .run import audit_pair

SECONDS = 10.0
"""Time limit for shrinking; an audit with a shorter one has that."""

CALLS = 6_000
"""Approximate maximum number of calls for shrinking by tests."""

MOST_PAIRS = 300
"""Maximum number of pairs that are tried by a few calls each."""

LOOKS = 2
"""Number of calls on an input by which a difference in form is seen."""

SURE = 0.99
"""Confidence of the tests by which a pair is taken; the smallest one is tested again."""

LONGER, FEWEST = 2, 64
"""A test by which a pair is taken has this multiple of the witness's calls, and at least so many."""

REPEATED, FEWEST_REPEATED = 8, 512
"""The test of the smallest pair has this multiple of the witness's calls, and at least so many."""


class SmallerPairs:
    """Smaller pairs than a witness, and calls that decide whether they still show the violation."""

    def __init__(self, mechanism: Mechanism, plan: AuditPlan, calling: Calling, calls: int) -> None:
        """Prepare to shrink a witness that was refuted after a number of calls."""
        self._mechanism, self._plan, self._calling, self._of_witness = mechanism, plan, calling, calls
        limit = SECONDS if plan.seconds is None else min(plan.seconds, SECONDS)
        self._deadline = time.monotonic() + limit
        self._inputs = Inputs(mechanism, derive_seed("smaller", plan.seed, 16), calling.caller)
        self._tested = self._calls_of_tests = 0

    def shrink(
        self, description: Description, witness: Pair, sight: Sight, constants: Sequence[Any] = ()
    ) -> AuditResult | None:
        """Return the test of the smallest pair on fresh coins, or None if there is no smaller one.

        What differs in form is seen in a few calls on each pair; anything else takes a test of each.
        """
        by_form = sight in FORMS
        budget = MOST_PAIRS if by_form else CALLS // self._most_calls
        shows = self.differs_in_form if by_form else self.is_refuted
        seconds = self._deadline - time.monotonic()
        pair = shrink_pair(description, witness, shows, budget, constants, seconds=seconds)
        if pair is witness:
            return None
        calls = max(REPEATED * self._of_witness, FEWEST_REPEATED)
        return audit_pair(
            self._mechanism,
            replace(pair, name=f"smallest of {pair.name}"),
            self._plan,
            self._calling,
            purpose="smallest",
            calls=calls,
            recorder=self._calling.smallest,
        )

    @property
    def _most_calls(self) -> int:
        return max(LONGER * self._of_witness, FEWEST)

    @property
    def calls(self) -> int:
        """Return the number of calls so far."""
        return self._inputs.calls + self._calls_of_tests

    def differs_in_form(self, pair: Pair) -> bool:
        """Return whether all outputs of the two sides differ in form."""
        sides = [self._inputs.index_of(data) for data in (pair.left, pair.right)]
        try:
            self._inputs.call(sides, LOOKS, self._deadline)
        except NoVerdictError:
            return False
        left, right = (self._inputs.looks[index] for index in sides)
        return len(left) == len(right) == LOOKS and all(
            compare_forms(own, other) in FORMS for own in left for other in right
        )

    def is_refuted(self, pair: Pair) -> bool:
        """Return whether a short test refutes the claim on a pair."""
        self._tested += 1
        try:
            result = audit_pair(
                self._mechanism,
                pair,
                replace(self._plan, confidence=max(self._plan.confidence, SURE)),
                Calling(self._calling.caller),
                purpose=f"smaller {self._tested}",
                calls=self._most_calls,
            )
        except NoVerdictError:
            return False
        self._calls_of_tests += result.calls
        return result.verdict is Verdict.VIOLATION
