"""Audits: calls made in a registered order, tested as they come, on one pair or several.

With K pairs each is tested at 1/K of the error probability, so that a verdict and the greatest bound hold for
all of them at once. A run can be stopped at any time; what was found until then stands.
"""

from __future__ import annotations

import secrets
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from privboost.errors import PreconditionError

from .calls import GREATEST_PORTION, Portion, portion_end, run_calls
from .conclusion import conclude
from .interrupts import interrupts_deferred
from .pair import Pair
from .registration import Registration, check_whole
from .repeats import FEWEST, LOOKED_AT, refuse_repeats
from .result import AuditResult
from .settings import Settings
from .subject import Call, Mechanism
from .workers import result_of, ticks_until

SLOW = 0.25
"""Seconds after which a portion of single calls is thought too long, and later ones are halved."""

PORTIONS_AHEAD = 8
"""Portions that wait or run while one is tested, for every pair."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an audit is."""

    pair: str
    calls: int
    of: int
    bound: float
    """The greatest bound over all pairs so far."""
    refuted: bool


Recorder = Callable[[int, Sequence[Any] | NDArray[Any]], None]
"""Is told the number of a pair and its next outputs, in the order of calls."""


def audit(
    mechanism: Call | Mechanism,
    pair: Pair | Sequence[Pair] | tuple[Any, Any],
    *,
    epsilon: float,
    delta: float = 0.0,
    confidence: float = 0.95,
    calls: int = 10_000,
    seconds: float | None = None,
    seed: int | None = None,
    stop: bool = True,
    low_bits: bool = False,
    executor: Executor | None = None,
    progress: Callable[[Progress], None] | None = None,
    recorder: Recorder | None = None,
) -> AuditResult:
    """Return what calls of a mechanism on neighbouring inputs say about a claim of (epsilon, delta)-privacy.

    `pair` is a Pair, several, or a plain (left, right). `calls` counts all pairs and both sides together;
    `seconds` ends a run earlier, at the end of the calls that are under way or, on an executor, at once. With
    `stop` the first violation ends it. Calls run on an executor if one is given, with the same outputs. An
    interrupt ends the run too, and what was found so far is returned.
    Ensures: TargetError if the mechanism raises, or repeats itself; then there is no verdict.
    """
    settings = Settings(epsilon, delta, confidence, low_bits, stop)
    subject = mechanism if isinstance(mechanism, Mechanism) else Mechanism(_name_of(mechanism), mechanism)
    pairs = pairs_of(pair)
    check_whole("calls", calls, 1)
    registration = Registration(secrets.randbits(64) if seed is None else seed)
    run = _Run(subject, pairs, settings, registration, calls=calls, recorder=recorder)
    started, interrupted = time.monotonic(), False
    portions = run.portions(executor)
    try:
        for state in portions:
            if progress is not None:
                progress(state)
            if (stop and state.refuted) or (seconds is not None and time.monotonic() - started >= seconds):
                break
    except KeyboardInterrupt:
        interrupted = True
    finally:
        portions.close()
    return run.result(time.monotonic() - started, interrupted)


def recheck(
    target: str,
    pairs: Sequence[Pair],
    outputs: Sequence[Sequence[Any] | NDArray[Any]],
    settings: Settings,
    seed: int,
) -> AuditResult:
    """Return what recorded outputs say: the same tests as of the audit that made them, without a call."""
    registration, tests = Registration(seed), settings.tests(len(pairs))
    for number, (test, found) in enumerate(zip(tests, outputs, strict=True)):
        test.update(found, registration.sides(number, 0, len(found)))
        test.finish()
    return conclude(target, tuple(pairs), tests, settings, seed)


def pairs_of(pair: Pair | Sequence[Pair] | tuple[Any, Any]) -> tuple[Pair, ...]:
    """Return pairs as they are, and two plain inputs as a pair."""
    if isinstance(pair, Pair):
        return (pair,)
    if len(pair) and all(isinstance(entry, Pair) for entry in pair):
        return tuple(pair)
    if isinstance(pair, tuple) and len(pair) == 2:
        return (Pair("given", *pair),)
    raise PreconditionError("pair", "a Pair, at least one Pair in a sequence, or (left, right)", pair)


def _name_of(mechanism: Call) -> str:
    return str(getattr(mechanism, "__name__", type(mechanism).__name__))


class _Run:
    """One audit under way."""

    def __init__(
        self,
        subject: Mechanism,
        pairs: tuple[Pair, ...],
        settings: Settings,
        registration: Registration,
        *,
        calls: int,
        recorder: Recorder | None,
    ) -> None:
        self._subject, self._pairs, self._settings = subject, pairs, settings
        self._registration, self._calls, self._recorder = registration, calls, recorder
        self._tests = settings.tests(len(pairs))
        self._looked_at = [False] * len(pairs)
        self._done = 0

    def portions(self, executor: Executor | None) -> Generator[Progress, None, None]:
        """Make and test all calls, portion by portion, and yield how far it is after each."""
        queue: deque[tuple[Portion, Future[Any]]] = deque()
        try:
            for portion in self._plan():
                work = (self._subject, self._pairs[portion.pair], self._registration, portion)
                if executor is None:
                    yield self._take(portion, run_calls(*work))
                    continue
                queue.append((portion, executor.submit(run_calls, *work)))
                if len(queue) > PORTIONS_AHEAD * len(self._pairs):
                    yield from self._take_first(queue, executor)
            while queue:
                assert executor is not None
                yield from self._take_first(queue, executor)
        finally:
            for _, future in queue:
                future.cancel()

    def _take_first(
        self, queue: deque[tuple[Portion, Future[Any]]], executor: Executor
    ) -> Iterator[Progress]:
        """Take the portion that was asked for first, and yield now and then while it is waited for."""
        portion, future = queue[0]
        for _ in ticks_until(future, executor, self._subject.name):
            yield self._progress(portion.pair)
        queue.popleft()
        yield self._take(portion, result_of(future, executor, self._subject.name))

    def _plan(self) -> Iterator[Portion]:
        """Yield all portions: the pairs take turns, and portions grow up to a limit.

        The streams of a batch depend on its portions, so these follow from their start alone; single calls
        have streams of their own, so their portions stay short enough to be stopped soon.
        """
        each = [self._calls // len(self._pairs)] * len(self._pairs)
        each[0] += self._calls - sum(each)
        start, longest = 0, GREATEST_PORTION
        while start < max(each):
            begun = time.monotonic()
            stop = min(portion_end(start, self._subject.batch is not None), start + longest)
            for number, calls in enumerate(each):
                if start < calls:
                    yield Portion(number, start, min(stop, calls))
            if self._subject.batch is None and time.monotonic() - begun > SLOW:
                longest = max((stop - start) // 2, 1)
            start = stop

    def _take(self, portion: Portion, outputs: Sequence[Any] | NDArray[Any]) -> Progress:
        """Record and test some outputs, both or neither of them."""
        number, start = portion.pair, portion.start
        test = self._tests[number]
        with interrupts_deferred():
            if self._recorder is not None:
                self._recorder(number, outputs)
            test.update(outputs, self._registration.sides(number, start, start + len(outputs)))
            self._done += len(outputs)
            if not self._looked_at[number] and (test.refuted or start >= LOOKED_AT):
                self._look_for_repeats(number)
        return self._progress(number)

    def _progress(self, number: int) -> Progress:
        bound = max(test.bound for test in self._tests)
        return Progress(self._pairs[number].name, self._done, self._calls, bound, self._tests[number].refuted)

    def _look_for_repeats(self, number: int) -> None:
        self._looked_at[number] = True
        refuse_repeats(self._subject.name, *self._tests[number].history())

    def result(self, seconds: float, interrupted: bool) -> AuditResult:
        """Return what was found."""
        for number, test in enumerate(self._tests):
            test.finish()
            if not self._looked_at[number] and test.calls >= FEWEST:
                self._look_for_repeats(number)
        return conclude(
            self._subject.name,
            self._pairs,
            self._tests,
            self._settings,
            self._registration.seed,
            seconds=seconds,
            interrupted=interrupted,
        )
