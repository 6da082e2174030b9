"""Run the checks of the gate against a target."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from functools import partial

from privboost.errors import HarnessError, UsageError
from privboost.gate.protocol.hello import Hello, read_hello, usable_hello
from privboost.gate.protocol.wire import WireError
from privboost.gate.targets.announced import Announced
from privboost.gate.targets.target import Target
from privboost.gate.trees.operations.operations import PROTOCOL
from privboost.printing import make_printable
from privboost.workers.interrupts import ignore_further_stops

from .check import WIRE, Check, Level, Outcome, Shrinkable, Status
from .known_failures import KnownFailure, expected_ids, hidden_counts, stale_entries
from .result import INTERRUPTED, GateResult, Progress
from .shrink import shrink

GREATEST_FALSE_ALARM = 1e-6
"""Bound on the probability that a run rejects a correct implementation."""
HELLO_ID = "wire/hello"
SILENT = "the target did not answer hello"
NO_OPERATIONS = "hello lists no operations, and only listed operations are requested"
SHRUNK = 40
"""Number of failing checks whose first failure is shrunk."""


def run_gate(
    target: Target,
    levels: Collection[Level] = tuple(Level),
    only: Collection[str] = (),
    progress: Callable[[Progress], None] | None = None,
    seed: int = 0,
    *,
    checks: Sequence[Check] | None = None,
    xfails: Collection[KnownFailure] = (),
) -> GateResult:
    """Run the checks of the given levels and labels against a target.

    Ensures: faults of the target are part of the result; the false-alarm probabilities sum to at most 1e-6;
        Interrupted, with the result so far, if the user interrupts the run.
    """
    available = every_check(seed) if checks is None else tuple(checks)
    chosen = select_checks(available, levels, only)
    hello, outcome = greet(target)
    run = _GateRun(target if hello is None else Announced(target, hello), seed, progress, len(chosen))
    if Level.WIRE in levels or outcome.is_bad:
        run.add(outcome)
    unheard = None if hello else SILENT if outcome.status is Status.ERROR else NO_OPERATIONS
    interrupted = not unheard and not run.run_checks(chosen)
    ended = INTERRUPTED if interrupted else run.ended() or unheard
    # If the target was given up, the last check is incomplete.
    complete = {check.id for check in chosen[: run.done - bool(run.ended())]}
    unasked = [check.id for check in available if check.id not in complete]
    result = GateResult(
        target=target.name,
        hello=hello,
        seed=seed,
        levels=tuple(level for level in Level if level in levels),
        outcomes=tuple(run.outcomes),
        false_alarm=math.fsum(run.alarms),
        statistical=sum(alarm > 0 for alarm in run.alarms),
        xfailed=expected_ids(xfails, run.outcomes),
        hidden=hidden_counts(xfails, run.outcomes),
        stale=stale_entries(xfails, run.outcomes, [HELLO_ID, *unasked]),
        ended=ended,
        not_run=len(chosen) - run.done,
        broken=tuple(run.broken),
    )
    if interrupted:
        raise Interrupted(result)
    return result


class Interrupted(KeyboardInterrupt):
    """An interrupt by the user, with the result so far."""

    def __init__(self, result: GateResult) -> None:
        self.result = result
        super().__init__(result.ended)


def every_check(seed: int) -> tuple[Check, ...]:
    """Return all checks of the gate."""
    from privboost.gate.checks.wire import wire_checks
    from privboost.gate.trees.checks import all_checks

    return (*wire_checks(), *all_checks(seed))


def select_checks(
    checks: Sequence[Check], levels: Collection[Level], only: Collection[str]
) -> tuple[Check, ...]:
    """Return the checks of the given levels and labels (all if there are none), in the order of the levels.

    Ensures: UsageError for a label that no check has; HarnessError if ids repeat or the false-alarm
        probabilities sum to more than GREATEST_FALSE_ALARM.
    """
    ids = [check.id for check in checks]
    if len(set(ids)) != len(ids):
        raise HarnessError(
            f"checks with the same id: {sorted({name for name in ids if ids.count(name) > 1})}"
        )
    alarm = math.fsum(check.false_alarm for check in checks)
    if alarm > GREATEST_FALSE_ALARM:
        raise HarnessError(f"the false-alarm probability is {alarm:.2g}, more than {GREATEST_FALSE_ALARM:g}")
    labels = {check.label for check in checks}
    for label in only:
        if label not in labels:
            raise UsageError(f"--only: expected a label ({', '.join(sorted(labels))}), got '{label}'")
    order = {level: index for index, level in enumerate(Level)}
    chosen = [check for check in checks if check.level in levels and (not only or check.label in only)]
    if not chosen:
        raise UsageError("--only: expected a label with checks in the chosen levels, got none")
    return tuple(sorted(chosen, key=lambda check: order[check.level]))


def greet(target: Target) -> tuple[Hello | None, Outcome]:
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
            hello, status = read_hello(answer.result), Status.PASS
        except WireError as error:
            hello, message = usable_hello(answer.result), f"expected {expected}; {error}"
    return hello, Outcome(HELLO_ID, WIRE, Level.WIRE, status, make_printable(message), request)


class _GateRun:
    """A run in progress."""

    def __init__(
        self, target: Target, seed: int, progress: Callable[[Progress], None] | None, of: int
    ) -> None:
        self.outcomes: list[Outcome] = []
        self.broken: list[str] = []
        self.alarms: list[float] = []
        """False-alarm probabilities of the checks that were not skipped."""
        self.done = 0
        self._target, self._seed, self._progress, self._of = target, seed, progress, of
        self._bad = self._shrunk = 0

    def ended(self) -> str | None:
        """Return why the target was given up; None if it was not."""
        reason: str | None = getattr(self._target, "ended", None)
        return reason

    def add(self, outcome: Outcome) -> None:
        """Add an outcome."""
        self._bad += outcome.is_bad
        self.outcomes.append(replace(outcome, message=make_printable(outcome.message)))

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
        if self.ended():
            return
        if self._progress is not None:
            self._progress(Progress(self.done, self._of, check.id, self._bad))
        start = time.perf_counter()
        outcomes = self._without_unasked(list(self._outcomes_of(check)))
        failing = (index for index, outcome in enumerate(outcomes) if outcome.status is Status.FAIL)
        first = next(failing, None)
        if first is not None and isinstance(check, Shrinkable) and self._shrunk < SHRUNK:
            self._shrunk += 1
            outcomes[first] = shrink(
                outcomes[first], partial(self._judge_request, check, outcomes[first].flags)
            )
        for outcome in outcomes:
            self.add(replace(outcome, seconds=(time.perf_counter() - start) / len(outcomes)))
        self.done += 1
        if any(outcome.status is not Status.SKIP for outcome in outcomes):
            self.alarms.append(check.false_alarm)

    def _without_unasked(self, outcomes: list[Outcome]) -> list[Outcome]:
        """Drop the outcomes of requests that were not sent because the target was given up."""
        ended = self.ended()
        return outcomes if ended is None else [each for each in outcomes if ended not in each.message]

    def _outcomes_of(self, check: Check) -> Iterator[Outcome]:
        """Yield the outcomes of a check; an exception in the check itself is not the target's fault."""
        try:
            outcomes = check.run(self._target, self._seed)
            yield from (outcomes,) if isinstance(outcomes, Outcome) else outcomes
        except WireError as error:
            yield Outcome(check.id, check.label, check.level, Status.FAIL, str(error))
        except Exception as error:
            self.broken.append(f"{check.id}: {type(error).__name__}: {make_printable(str(error))}")

    def _judge_request(
        self, check: Shrinkable, flags: tuple[str, ...], request: dict[str, object]
    ) -> Outcome | None:
        try:
            return None if self.ended() else check.judge_request(self._target, request, flags)
        except Exception:
            return None
