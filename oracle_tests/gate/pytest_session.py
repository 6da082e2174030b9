"""The checks of the gate as tests of pytest: the same checks, targets and messages as on the command line."""

from __future__ import annotations

import secrets

import pytest

from privboost.errors import HarnessError

from .check import Status
from .report_text import failure_lines
from .run import HELLO_ID, WIRE, GateResult, every_check, greet, run_gate
from .target import load_target

SEED = 0


def labelled_checks() -> list[tuple[str, str]]:
    """Return the ids of all checks with their labels."""
    return [(HELLO_ID, WIRE), *((check.id, check.label) for check in every_check(SEED))]


class GateSession:
    """A target that is asked one check after another."""

    def __init__(self, text: str, *, fresh: bool = False) -> None:
        self._seed = secrets.randbits(64) if fresh else SEED
        self._target = load_target(text)
        self._checks = {check.id: check for check in every_check(self._seed)}
        # A target that does not exist is noticed before the first test.
        greet(self._target)

    def judge(self, name: str) -> None:
        """Run a check: fail, skip or return."""
        __tracebackhide__ = True
        if name == HELLO_ID:
            outcome = greet(self._target)[1]
            if outcome.is_bad:
                pytest.fail(outcome.message, pytrace=False)
            return
        result = run_gate(self._target, checks=[self._checks[name]], seed=self._seed)
        if result.broken:
            raise HarnessError("; ".join(result.broken))
        if result.failures or result.ended:
            pytest.fail(_words(result), pytrace=False)
        asked = [found for found in result.outcomes if found.check != HELLO_ID]
        if all(found.status is Status.SKIP for found in asked):
            pytest.skip(asked[0].message)

    def close(self) -> None:
        """Let the target end."""
        self._target.close()


def _words(result: GateResult) -> str:
    ended = [result.ended] if result.ended else []
    return "\n".join([f"{result.target}, seed {result.seed}", *failure_lines(result), *ended])
