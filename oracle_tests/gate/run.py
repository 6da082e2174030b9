"""Run the checks against a target: which ones, in which order, and what came out of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from privboost.errors import HarnessError, UsageError

from .announced import Announced
from .check import WIRE, Check, Level, Outcome, Shrinkable, Status
from .hello import Hello, read_hello, understood
from .operations import PROTOCOL
from .result import INTERRUPTED, GateResult, Progress
from .shrink import shrink
from .target import Target
from .wire import WireError, printable
from .xfails import KnownFailure, expected_ids, stale_entries

GREATEST_FALSE_ALARM = 1e-6
"""No run may reject a correct implementation more often than this."""
HELLO_ID = "wire/hello"
SILENT = "the target did not answer hello"
NO_OPERATIONS = "hello does not list operations, and what is not listed is not asked"
SHRUNK = 40
"""Failing checks whose first failure is made small; further ones are shown as they were asked."""


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
    """Ask a target all checks of some levels and labels, and return what came out.

    Ensures: whatever the target does is in the result; the false-alarm probabilities add up to at most 1e-6;
        Interrupted, with the result so far, where the user interrupts it.
    """
    known = every_check(seed) if checks is None else tuple(checks)
    chosen = select_checks(known, levels, only)
    hello, outcome = greet(target)
    run = _Run(target if hello is None else Announced(target, hello), seed, progress, len(chosen))
    if Level.WIRE in levels or outcome.is_bad:
        run.add(outcome)
    unheard = None if hello else SILENT if outcome.status is Status.ERROR else NO_OPERATIONS
    interrupted = not unheard and not run.all_checked(chosen)
    ended = INTERRUPTED if interrupted else run.ended() or unheard
    # The check during which a target was given up has not been asked to its end.
    asked = {check.id for check in chosen[: run.done - bool(run.ended())]}
    unasked = [check.id for check in known if check.id not in asked]
    result = GateResult(
        target=target.name,
        hello=hello,
        seed=seed,
        levels=tuple(level for level in Level if level in levels),
        outcomes=tuple(run.outcomes),
        false_alarm=math.fsum(run.alarms),
        statistical=sum(alarm > 0 for alarm in run.alarms),
        xfailed=expected_ids(xfails, run.outcomes),
        stale=stale_entries(xfails, run.outcomes, [HELLO_ID, *unasked]),
        ended=ended,
        not_run=len(chosen) - run.done,
        broken=tuple(run.broken),
    )
    if interrupted:
        raise Interrupted(result)
    return result


class Interrupted(KeyboardInterrupt):
    """Stop like an interrupt, with what was found so far."""

    def __init__(self, result: GateResult) -> None:
        self.result = result
        super().__init__(result.ended)


def every_check(seed: int) -> tuple[Check, ...]:
    """Return all checks of the gate."""
    from .checks import all_checks
    from .wire_checks import wire_checks

    return (*wire_checks(), *all_checks(seed))


def select_checks(
    checks: Sequence[Check], levels: Collection[Level], only: Collection[str]
) -> tuple[Check, ...]:
    """Return the checks of some levels and labels, in the order of the levels.

    Ensures: UsageError for a label that no check has; HarnessError if a correct target is rejected too often.
    """
    ids = [check.id for check in checks]
    if len(set(ids)) != len(ids):
        raise HarnessError(f"two checks have one id: {sorted({name for name in ids if ids.count(name) > 1})}")
    alarm = math.fsum(check.false_alarm for check in checks)
    if alarm > GREATEST_FALSE_ALARM:
        raise HarnessError(f"the false-alarm probability is {alarm:.2g}, more than {GREATEST_FALSE_ALARM:g}")
    labels = {check.label for check in checks}
    for label in only:
        if label not in labels:
            raise UsageError(f"--only: expected a label ({', '.join(sorted(labels))}), found '{label}'")
    order = {level: place for place, level in enumerate(Level)}
    chosen = [check for check in checks if check.level in levels and (not only or check.label in only)]
    if not chosen:
        raise UsageError("--only: expected a label of the chosen levels, found that no check is left")
    return tuple(sorted(chosen, key=lambda check: order[check.level]))


def greet(target: Target) -> tuple[Hello | None, Outcome]:
    """Ask who a target is and what it can; None where it does not say what it can."""
    request = {"op": "hello", "args": {"protocol": PROTOCOL}}
    answer = target.ask("hello", request["args"])  # type: ignore[arg-type]
    members = '{"name": text, "version": text, "protocol": 1, "operations": [names]}'
    wanted = f"{members} as the result of the first request"
    hello, status, message = None, Status.FAIL, ""
    if answer.fault is not None:
        status, message = Status.ERROR, f"expected {wanted}; found {answer.fault}"
    elif not answer.has_result:
        message = f"expected {wanted}; found {answer.unsupported or answer.error!r}"
    else:
        try:
            hello, status = read_hello(answer.result), Status.PASS
        except WireError as error:
            hello, message = understood(answer.result), f"expected {wanted}; {error}"
    return hello, Outcome(HELLO_ID, WIRE, Level.WIRE, status, printable(message), request)


class _Run:
    """The outcomes so far."""

    def __init__(
        self, target: Target, seed: int, progress: Callable[[Progress], None] | None, of: int
    ) -> None:
        self.outcomes: list[Outcome] = []
        self.broken: list[str] = []
        self.alarms: list[float] = []
        """False-alarm probabilities of the checks that judged something."""
        self.done = 0
        self._target, self._seed, self._progress, self._of = target, seed, progress, of
        self._bad = self._shrunk = 0

    def ended(self) -> str | None:
        """Return why nothing more can be asked, if so."""
        found: str | None = getattr(self._target, "ended", None)
        return found

    def add(self, outcome: Outcome) -> None:
        """Keep an outcome."""
        self._bad += outcome.is_bad
        self.outcomes.append(replace(outcome, message=printable(outcome.message)))

    def all_checked(self, checks: Sequence[Check]) -> bool:
        """Run checks until the target is gone; return whether no interrupt came."""
        try:
            for check in checks:
                self._check(check)
        except KeyboardInterrupt:
            return False
        return True

    def _check(self, check: Check) -> None:
        if self.ended():
            return
        if self._progress is not None:
            self._progress(Progress(self.done, self._of, check.id, self._bad))
        found = self._without_unasked(list(self._outcomes_of(check)))
        failing = (place for place, outcome in enumerate(found) if outcome.status is Status.FAIL)
        first = next(failing, None)
        if first is not None and isinstance(check, Shrinkable) and self._shrunk < SHRUNK:
            self._shrunk += 1
            found[first] = shrink(found[first], lambda request: self._again(check, request))
        for outcome in found:
            self.add(outcome)
        self.done += 1
        if any(outcome.status is not Status.SKIP for outcome in found):
            self.alarms.append(check.false_alarm)

    def _without_unasked(self, found: list[Outcome]) -> list[Outcome]:
        """Return outcomes without those of requests that were not sent because the target was given up."""
        ended = self.ended()
        return found if ended is None else [outcome for outcome in found if ended not in outcome.message]

    def _outcomes_of(self, check: Check) -> Iterator[Outcome]:
        """Yield the outcomes of a check; an error in it is not the target's fault."""
        try:
            found = check.run(self._target, self._seed)
            yield from _each(found)
        except WireError as error:
            yield Outcome(check.id, check.label, check.level, Status.FAIL, str(error))
        except Exception as error:
            self.broken.append(f"{check.id}: {type(error).__name__}: {printable(str(error))}")

    def _again(self, check: Shrinkable, request: dict[str, object]) -> Outcome | None:
        try:
            return None if self.ended() else check.again(self._target, request)
        except Exception:
            return None


def _each(found: Outcome | Iterable[Outcome]) -> Iterable[Outcome]:
    return (found,) if isinstance(found, Outcome) else found
