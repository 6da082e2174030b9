"""How much a run of pytest asked: added up over all tests, also over those of other processes.

A run of all checks that answers less than the core says so and fails, as an INCONCLUSIVE audit does: pytest
has no exit code for runs without a verdict, and 4 is that of a wrong command line.
"""

from __future__ import annotations

from collections.abc import Generator
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from privboost.gate.plan import GatePlan
from privboost.gate.profiles import load_profile
from privboost.gate.protocol.operation import Variant
from privboost.gate.reports.tally import ADVICE, coverage_note, shortfall_note
from privboost.gate.result import Coverage

if TYPE_CHECKING:
    from privboost.oracle_tests.conformance.session import GateSession

PARTIAL = "partial"
"""The kind of outcome that the last line counts."""


class GateSummary:
    """A plugin of one run: it sends the coverage of every test with its report, and adds up all of them."""

    def __init__(self, target: str, operations: list[str], profile: str | None) -> None:
        self._plan = GatePlan(target, load_profile(profile), operations=operations)
        self._coverage: dict[str, Coverage] = {}
        self._left_out: set[Variant] = set()
        self._listed: set[str] = set()
        self._n_checks = 0

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item: Any, call: pytest.CallInfo[None]) -> Generator[None, Any, None]:
        """Attach the coverage of a test to its report, as plain values, which reach other processes."""
        outcome = yield
        session: GateSession | None = item.funcargs.get("privboost_gate")
        if session is not None and call.when == "call":
            name: str = item.callspec.params["privboost_check"]
            outcome.get_result().privboost = {
                "coverage": session.coverage.get(name, Coverage()).to_plain(),
                "left_out": [[each.operation, each.argument, each.word] for each in session.left_out],
                "listed": sorted(session.listed),
                "checks": session.n_checks,
            }

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add the coverage of a test."""
        plain = getattr(report, "privboost", None)
        if plain is not None:
            self._coverage[report.nodeid] = Coverage.from_plain(plain["coverage"])
            self._left_out |= {Variant(*each) for each in plain["left_out"]}
            self._listed.update(plain["listed"])
            self._n_checks = plain["checks"]

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Let a partial run fail; the processes of a distributed run do not know of each other."""
        is_worker = hasattr(session.config, "workerinput")
        if exitstatus == pytest.ExitCode.OK and not is_worker and self.is_partial:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Say how much was asked."""
        if not self._coverage:
            return
        terminalreporter.section("privboost gate")
        terminalreporter.line(self.sentence)
        if self.is_partial:
            terminalreporter.line(ADVICE)
            terminalreporter.stats.setdefault(PARTIAL, []).append(SimpleNamespace(longrepr=self.sentence))

    @property
    def _is_whole(self) -> bool:
        return len(self._coverage) == self._n_checks

    @property
    def _total(self) -> Coverage:
        total = Coverage()
        for each in self._coverage.values():
            total |= each
        return total

    @property
    def _required(self) -> frozenset[str]:
        return self._plan.required_of(self._listed) if self._is_whole else frozenset(self._plan.operations)

    @property
    def is_partial(self) -> bool:
        """Return whether less than the core, or than the chosen operations, was answered."""
        return self._total.is_short_of(self._required)

    @property
    def sentence(self) -> str:
        """Return how much was asked, in one sentence."""
        word = "PARTIAL: " if self.is_partial else ""
        total, cases = self._total, "cases" if self._is_whole else "chosen cases"
        note = coverage_note(self._plan.profile, total, cases)
        left_out = sorted(each for each in self._left_out if each.operation in self._required)
        return (
            f"{word}{self._plan.target}: {note}{shortfall_note(self._plan, self._required, total, left_out)}."
        )
