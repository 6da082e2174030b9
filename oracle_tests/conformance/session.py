"""The checks of the gate as pytest tests, with the same targets and messages as the command line."""

from __future__ import annotations

import secrets
from collections.abc import Collection
from pathlib import Path

import pytest

from privboost.errors import HarnessError, UsageError
from privboost.gate.check import WIRE, Status
from privboost.gate.known_failures import read_xfails, stale_entries
from privboost.gate.plan import GatePlan
from privboost.gate.profiles import load_profile
from privboost.gate.reports.text import failure_lines
from privboost.gate.result import Coverage, GateResult, coverage_of
from privboost.gate.run import HELLO_ID, every_check, greet, run_gate, select_checks
from privboost.gate.targets.naming import load_target

SEED = 0


def labelled_checks(only: Collection[str] = (), profile: str | None = None) -> list[tuple[str, str]]:
    """Return the ids and labels of all checks of a profile, or of the checks with the given labels."""
    loaded = load_profile(profile)
    chosen = select_checks(GatePlan("", loaded, only=only), every_check(loaded))
    hello = [(HELLO_ID, WIRE)] if not only or WIRE in only else []
    return [*hello, *((check.id, check.label) for check in chosen)]


class GateSession:
    """A target, and the checks to run against it."""

    def __init__(
        self,
        target: str,
        *,
        fresh: bool = False,
        seed: int = SEED,
        xfails: Path | None = None,
        operations: Collection[str] = (),
        profile: str | None = None,
    ) -> None:
        self._seed = secrets.randbits(64) if fresh else seed
        self._profile = load_profile(profile)
        self._checks = {check.id: check for check in every_check(self._profile)}
        self._xfails = read_xfails(xfails) if xfails else ()
        # Refuse entries that match no check; only a whole run shows that an entry is no longer needed.
        for stale in stale_entries(self._xfails, (), (HELLO_ID, *self._checks)):
            option = f"--privboost-xfails: line {stale.entry.line}"
            raise UsageError(f"{option}: '{stale.entry.pattern}' {stale.reason}")
        self._target = load_target(target, self._profile)
        self._operations = operations
        # A missing target is reported before the first test.
        hello, _ = greet(self._target, self._profile)
        self.left_out = () if hello is None else hello.left_out(self._profile.operations.values())
        """The variants that the target says it does not take."""
        self.listed = frozenset[str]() if hello is None else hello.operations
        """The operations that the target says it answers."""
        self.n_checks = len(self._checks) + 1
        """Number of checks of a whole run, with that of `hello`."""
        self.coverage: dict[str, Coverage] = {}
        """What the checks have asked so far, by the id of the check."""

    def judge(self, name: str) -> None:
        """Run a check: fail, skip or return."""
        __tracebackhide__ = True
        if name == HELLO_ID:
            self.coverage[name] = Coverage(n_judged=1)
            outcome = greet(self._target, self._profile)[1]
            if outcome.is_bad and any(entry.matches(name) for entry in self._xfails):
                pytest.xfail(f"known failure: {outcome.message}")
            if outcome.is_bad:
                pytest.fail(outcome.message, pytrace=False)
            return
        result = run_gate(
            self._target,
            seed=self._seed,
            profile=self._profile,
            checks=[self._checks[name]],
            xfails=self._xfails,
            operations=self._operations,
        )
        outcomes = [outcome for outcome in result.outcomes if outcome.check != HELLO_ID]
        self.coverage[name] = coverage_of(self._profile, result.hello, outcomes)
        if result.broken:
            raise HarnessError("; ".join(result.broken))
        if result.failures or result.ended:
            pytest.fail(_message(result), pytrace=False)
        if result.xfailed:
            pytest.xfail(f"known failures: {', '.join(sorted(result.xfailed))}")
        if all(outcome.status is Status.SKIP for outcome in outcomes):
            pytest.skip(outcomes[0].message)

    def close(self) -> None:
        """Close the target."""
        self._target.close()


def _message(result: GateResult) -> str:
    ended = [str(result.ended)] if result.ended else []
    return "\n".join([f"{result.plan.target}, seed {result.plan.seed}", *failure_lines(result), *ended])
