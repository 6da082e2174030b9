"""Run the checks of the gate against a target."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from functools import partial

from privboost.errors import HarnessError, UsageError
from privboost.gate.protocol.hello import PROTOCOL, Hello, read_hello, usable_hello
from privboost.gate.protocol.wire import WireError
from privboost.gate.targets.naming import load_target
from privboost.gate.targets.target import Announced
from privboost.printing import make_printable
from privboost.workers.interrupts import ignore_further_stops

from .check import WIRE, Check, Outcome, Shrinkable, Status, Target
from .known_failures import KnownFailure, expected_ids, hidden_counts, stale_entries
from .plan import GatePlan
from .profile import Profile
from .profiles import load_profile
from .result import Ending, GateResult, Progress
from .shrink import shrink

GREATEST_FALSE_ALARM = 1e-6
"""Bound on the probability that a run rejects a correct implementation."""
HELLO_ID = "wire/hello"
SHRUNK = 40
"""Number of failing checks whose first failure is shrunk."""


def run_gate(
    target: Target,
    levels: Collection[str] = (),
    only: Collection[str] = (),
    progress: Callable[[Progress], None] | None = None,
    seed: int = 0,
    *,
    profile: Profile | None = None,
    checks: Sequence[Check] | None = None,
    xfails: Collection[KnownFailure] = (),
    shrinks: bool = True,
    operations: Collection[str] = (),
) -> GateResult:
    """Run the checks of the given levels and labels (all if there are none) against a target.

    Ensures: what `run_plan` ensures; the target stays open.
    """
    plan = GatePlan(
        target.name,
        profile or load_profile(),
        levels,
        only,
        seed,
        operations=operations,
        xfails=xfails,
        shrinks=shrinks,
    )
    return _run(plan, target, progress, checks)


def run_plan(plan: GatePlan, progress: Callable[[Progress], None] | None = None) -> GateResult:
    """Load the target of a plan, and run the chosen checks against it.

    Ensures: faults of the target are part of the result; the false-alarm probabilities sum to at most 1e-6;
        Interrupted, with the result so far, if the user interrupts the run.
    """
    target = load_target(plan.target, plan.profile, plan.timeout)
    try:
        return _run(plan, target, progress)
    finally:
        target.close()


def _run(
    plan: GatePlan,
    target: Target,
    progress: Callable[[Progress], None] | None,
    checks: Sequence[Check] | None = None,
) -> GateResult:
    chosen = select_checks(plan, checks)
    hello, outcome = greet(target, plan.profile)
    if hello and plan.operations:
        hello = replace(hello, operations=hello.operations & frozenset(plan.operations))
    asked = hello and Announced(target, hello, plan.profile.operations, plan.profile.limits)
    run = _GateRun(plan, asked or target, progress, len(chosen))
    if WIRE in plan.chosen_levels or outcome.is_bad:
        run.add(outcome)
    ended: Ending | None = None
    if not hello:
        ended = Ending.SILENT if outcome.status is Status.ERROR else Ending.NO_OPERATIONS
    elif not run.run_checks(chosen):
        ended = Ending.INTERRUPTED
    # If the target was given up, the last check is incomplete.
    complete = {check.id for check in chosen[: run.done - bool(target.ended)]}
    result = GateResult(
        plan=plan,
        hello=hello,
        outcomes=tuple(run.outcomes),
        false_alarm=math.fsum(run.alarms),
        statistical=sum(alarm > 0 for alarm in run.alarms),
        ended=ended if ended is Ending.INTERRUPTED else target.ended or ended,
        not_run=len(chosen) - run.done,
        broken=tuple(run.broken),
        required=plan.required_of(hello.operations if hello else ())
        if checks is None
        else frozenset(plan.operations),
    )
    if plan.xfails:
        available = every_check(plan.profile) if checks is None else checks
        unasked = [HELLO_ID, *(check.id for check in available if check.id not in complete)]
        result = replace(
            result,
            xfailed=expected_ids(plan.xfails, run.outcomes),
            hidden=hidden_counts(plan.xfails, run.outcomes),
            stale=stale_entries(plan.xfails, run.outcomes, unasked),
        )
    if ended is Ending.INTERRUPTED:
        raise Interrupted(result)
    return result


class Interrupted(KeyboardInterrupt):
    """An interrupt by the user, with the result so far."""

    def __init__(self, result: GateResult) -> None:
        self.result = result
        super().__init__(str(result.ended))


def every_check(profile: Profile) -> tuple[Check, ...]:
    """Return all checks of a profile.

    Ensures: HarnessError if ids repeat, or the false-alarm probabilities sum to more than
        GREATEST_FALSE_ALARM.
    """
    return _check_ids_and_false_alarms([check for group in profile.groups for check in group.make()])


def _check_ids_and_false_alarms(checks: Sequence[Check]) -> tuple[Check, ...]:
    """Return the checks after adding up their false-alarm probabilities and comparing their ids."""
    ids = [check.id for check in checks]
    if len(set(ids)) != len(ids):
        raise HarnessError(
            f"checks with the same id: {sorted({name for name in ids if ids.count(name) > 1})}"
        )
    alarm = math.fsum(check.false_alarm for check in checks)
    if alarm > GREATEST_FALSE_ALARM:
        raise HarnessError(f"the false-alarm probability is {alarm:.2g}, more than {GREATEST_FALSE_ALARM:g}")
    return tuple(checks)


def select_checks(plan: GatePlan, checks: Sequence[Check] | None = None) -> tuple[Check, ...]:
    """Return the checks of the plan's levels and labels, in the order of the levels.

    They are chosen from `checks`, if given. Otherwise only the groups that have such checks are made.

    Ensures: UsageError for a label that no check has; HarnessError as in `every_check`.
    """
    levels, only = plan.chosen_levels, plan.only
    labels = plan.profile.labels if checks is None else sorted({check.label for check in checks})
    for label in only:
        if label not in labels:
            raise UsageError(f"expected a label ({', '.join(labels)}), got '{label}'", argument="only")
    if checks is None:
        groups = [
            group
            for group in plan.profile.groups
            if not group.levels.isdisjoint(levels) and not (only and group.labels.isdisjoint(only))
        ]
        checks = [check for group in groups for check in group.make()]
    chosen = [
        check
        for check in _check_ids_and_false_alarms(checks)
        if check.level in levels and (not only or check.label in only)
    ]
    if not chosen:
        raise UsageError("expected a label with checks in the chosen levels, got none", argument="only")
    return tuple(sorted(chosen, key=lambda check: levels.index(check.level)))


def greet(target: Target, profile: Profile) -> tuple[Hello | None, Outcome]:
    """Ask `hello`; return what the target announces, None if it lists no operations, and the outcome."""
    request = {"op": "hello", "args": {"protocol": PROTOCOL}}
    answer = target.ask("hello", request["args"])  # type: ignore[arg-type]
    members = '{"name": string, "version": string, "protocol": 1, "operations": [names]}'
    expected = f"{members} as the result of the first request"
    hello, status, message = None, Status.FAIL, ""
    if answer.fault is not None:
        status, message = Status.ERROR, f"expected {expected}, got {answer.fault}"
    elif not answer.has_result:
        message = f"expected {expected}, got {answer.unsupported or answer.error!r}"
    else:
        try:
            read = read_hello(answer.result, profile.operations, profile.limits, profile.claims)
            hello, status = read, Status.PASS
        except WireError as error:
            hello, message = usable_hello(answer.result, profile.operations), f"expected {expected}; {error}"
    return hello, Outcome(HELLO_ID, WIRE, WIRE, status, make_printable(message), request)


class _GateRun:
    """A run in progress."""

    def __init__(
        self, plan: GatePlan, target: Target, progress: Callable[[Progress], None] | None, of: int
    ) -> None:
        self.outcomes: list[Outcome] = []
        self.broken: list[str] = []
        self.alarms: list[float] = []
        """False-alarm probabilities of the checks that were not skipped."""
        self.done = 0
        self._plan, self._target, self._progress, self._of = plan, target, progress, of
        self._bad = self._shrunk = 0

    def add(self, outcome: Outcome) -> None:
        """Add an outcome, with the hints in its message."""
        self._bad += outcome.is_bad
        message = outcome.message + self._plan.profile.format_hints(outcome.hints)
        self.outcomes.append(replace(outcome, message=make_printable(message)))

    def run_checks(self, checks: Sequence[Check]) -> bool:
        """Run checks until the target is given up; return False if the user interrupts."""
        try:
            for check in checks:
                self._check(check)
        except KeyboardInterrupt:
            ignore_further_stops()
            return False
        return True

    def _check(self, check: Check) -> None:
        if self._target.ended:
            return
        if self._progress is not None:
            self._progress(Progress(self.done, self._of, check.id, self._bad))
        start = time.perf_counter()
        outcomes = [outcome for outcome in self._outcomes_of(check) if outcome.is_asked]
        failing = (index for index, outcome in enumerate(outcomes) if outcome.status is Status.FAIL)
        first = next(failing, None)
        shrinks = self._plan.shrinks and self._shrunk < SHRUNK
        if first is not None and shrinks and isinstance(check, Shrinkable):
            self._shrunk += 1
            outcomes[first] = shrink(
                outcomes[first], partial(self._judge_request, check, outcomes[first].flags)
            )
        for outcome in outcomes:
            self.add(replace(outcome, seconds=(time.perf_counter() - start) / len(outcomes)))
        self.done += 1
        if any(outcome.status is not Status.SKIP for outcome in outcomes):
            self.alarms.append(check.false_alarm)

    def _outcomes_of(self, check: Check) -> Iterator[Outcome]:
        """Yield the outcomes of a check; an exception in the check itself is not the target's fault."""
        try:
            outcomes = check.run(self._target, self._plan.seed)
            yield from (outcomes,) if isinstance(outcomes, Outcome) else outcomes
        except WireError as error:
            yield Outcome(check.id, check.label, check.level, Status.FAIL, str(error))
        except Exception as error:
            self.broken.append(f"{check.id}: {type(error).__name__}: {make_printable(str(error))}")

    def _judge_request(
        self, check: Shrinkable, flags: tuple[str, ...], request: dict[str, object]
    ) -> Outcome | None:
        try:
            return None if self._target.ended else check.judge_request(self._target, request, flags)
        except Exception:
            return None
