"""Run the plan of an audit: make the registered calls on its pairs, and test outputs as they arrive.

With K pairs each is tested at 1/K of the error probability, so that the verdict and the greatest bound hold
for all of them at once. A run can be stopped at any time, and its result is valid.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from privboost.auditor.mechanisms.mechanism import Mechanism
from privboost.auditor.pairs.pair import Pair
from privboost.auditor.running.calling import Calling, Progress, Recorder
from privboost.auditor.running.calls import (
    GREATEST_PORTION,
    CallOutputs,
    Portion,
    Registration,
    create_journal,
    portion_end,
    read_journal,
    run_calls,
)
from privboost.auditor.running.plan import AuditPlan
from privboost.auditor.running.repeats import (
    CALLED_TWICE,
    CHECKED_OUTPUTS,
    FEWEST,
    refuse_repeats,
    repeats_outputs,
)
from privboost.auditor.running.search import derive_seed
from privboost.auditor.running.sequential import SequentialTest
from privboost.auditor.values.columns import Column, ColumnKind
from privboost.auditor.values.failures import FailureCounts, failure_of_end
from privboost.errors import (
    NoVerdictError,
    TargetEndedError,
    TargetError,
    WorkersLostError,
)
from privboost.workers.interrupts import ignore_further_stops, interrupts_deferred
from privboost.workers.pool import result_of, ticks_until

from .conclusion import conclude, unmatched_in
from .result import AuditResult, Verdict

SLOW = 0.25
"""If a portion of single calls takes more seconds than this, later ones are halved."""

FIRST_CALLS = (500, 1_000)
"""Number of calls on each pair before others are chosen, for the first time and for the second."""

WHOLE = Column(ColumnKind.NUMBER, ()).name
"""The name of an output that is one number: nothing is left without it."""

Later = Iterator[tuple[Pair, ...]]
"""Further pairs for an audit that runs, each choice when it is asked for."""

SLOWEST_REPEATED = 1.0
"""If a call takes more seconds than this, none is repeated to see whether the target takes seeds."""

PORTIONS_AHEAD = 8
"""Number of portions per pair that are submitted before their outputs are needed."""


def run_audit(
    mechanism: Mechanism,
    pairs: tuple[Pair, ...],
    plan: AuditPlan,
    calling: Calling,
    later: Later | None = None,
) -> AuditResult:
    """Run an audit by its plan.

    `later` chooses further pairs, by calls of its own, when all pairs so far have had FIRST_CALLS calls each,
    or after a third of the time.
    Requires: `plan.shared_by` covers the pairs that are chosen later.
    """
    run = _AuditRun(mechanism, pairs, plan, calling, later)
    started, interrupted, ended_by = time.monotonic(), False, ""
    seeded = mechanism.repeats if isinstance(mechanism.repeats, bool) else None
    run.take_recorded()
    portions = run.portions()
    try:
        for state in portions:
            if calling.progress is not None:
                calling.progress(state)
            ended = run.all_refuted if plan.all_pairs else state.refuted
            late = plan.seconds is not None and time.monotonic() - started >= plan.seconds
            if late or (plan.stop and ended):
                break
        portions.close()
        seeded = run.repeats_outputs(time.monotonic() - started)
    except KeyboardInterrupt:
        ignore_further_stops()
        interrupted = True
    except (TargetEndedError, WorkersLostError) as error:
        # The bound of the calls before is valid, and may be all that there will ever be.
        if not run.calls:
            raise
        ended_by = str(error)
    finally:
        portions.close()
    result = run.result(time.monotonic() - started, interrupted)
    if ended_by and result.verdict is not Verdict.VIOLATION:
        result = replace(result, verdict=Verdict.INCONCLUSIVE)
    return replace(result, cut_short=ended_by, seeded=seeded)


def plan_rest(plan: AuditPlan, result: AuditResult) -> AuditPlan | None:
    """Return the plan of a second audit, without what differs without noise in the outputs, if anything does.

    Such parts refute a claim within a few calls, and hide what the other parts show.
    """
    if result.verdict is not Verdict.VIOLATION or result.interrupted or not result.noiseless:
        return None
    names = tuple(part.name for part in result.noiseless)
    if WHOLE in names:
        return None
    return replace(plan, seed=derive_seed("rest", plan.seed), ignored=(*plan.ignored, *names))


def audit_pair(
    mechanism: Mechanism,
    pair: Pair,
    plan: AuditPlan,
    calling: Calling,
    *,
    purpose: str,
    calls: int,
    recorder: Recorder | None = None,
) -> AuditResult:
    """Audit one pair by calls whose seed is for a purpose, at the error probability of the whole audit."""
    alone = replace(
        plan,
        seed=derive_seed(purpose, plan.seed),
        calls=calls,
        stop=True,
        all_pairs=False,
        envelope=False,
        shared_by=None,
    )
    return run_audit(mechanism, (pair,), alone, Calling(calling.caller, calling.progress, recorder))


def recheck(
    target: str, pairs: Sequence[Pair], outputs: Sequence[CallOutputs], plan: AuditPlan
) -> AuditResult:
    """Repeat the tests of an audit on its recorded outputs, without a call."""
    registration, tests = Registration(plan.seed), plan.tests(plan.errors(len(pairs)))
    for index, (test, recorded) in enumerate(zip(tests, outputs, strict=True)):
        test.update(recorded, registration.sides(index, 0, len(recorded)))
        test.finish()
    return conclude(target, tuple(pairs), tests, plan)


@dataclass(slots=True)
class _Submitted:
    """The portions that an executor is to run, in order, and the journals of their outputs."""

    folder: Path | None
    queue: deque[tuple[Portion, Future[Any]]] = field(default_factory=deque)

    def journal_of(self, portion: Portion) -> Path | None:
        """Return the path of the journal of a portion; None if there is none."""
        return self.folder / f"{portion.pair}-{portion.start}" if self.folder else None

    def forget(self, portion: Portion) -> None:
        """Delete the journal of a portion."""
        path = self.journal_of(portion)
        if path is not None:
            path.unlink(missing_ok=True)


class _AuditRun:
    """An audit that is running."""

    def __init__(
        self,
        mechanism: Mechanism,
        pairs: tuple[Pair, ...],
        plan: AuditPlan,
        calling: Calling,
        later: Later | None,
    ) -> None:
        self._mechanism, self._plan, self._calling, self._later = mechanism, plan, calling, later
        self._registration = Registration(plan.seed)
        self._pairs: tuple[Pair, ...] = ()
        self._tests: list[SequentialTest] = []
        self._envelopes: list[list[SequentialTest]] = []
        self._checked: list[bool] = []
        self._starts: list[int] = []
        self._add_pairs(pairs)
        self._failures = FailureCounts()
        self._first: list[Any] = []
        self._done = 0
        self._begun, self._choices = time.monotonic(), 0

    def _add_pairs(self, pairs: tuple[Pair, ...]) -> None:
        errors = self._plan.errors(len(self._pairs) + len(pairs))[len(self._pairs) :]
        self._tests += self._plan.tests(errors)
        self._envelopes += self._plan.envelope_tests(errors)
        self._checked += [False] * len(pairs)
        self._starts += [0] * len(pairs)
        self._pairs += pairs

    def _choose_later(self) -> None:
        """Add the next pairs that are chosen later, if there are more."""
        chosen = None if self._later is None else next(self._later, None)
        self._choices += 1
        if chosen is None:
            self._later = None
        else:
            self._add_pairs(chosen)

    def take_recorded(self) -> None:
        """Test the outputs of an earlier run."""
        while self._later is not None and any(self._calling.recorded[len(self._pairs) :]):
            self._choose_later()
        for index, blocks in enumerate(self._calling.recorded):
            for outputs in blocks:
                start = self._starts[index]
                self._starts[index] += len(outputs)
                self._take(Portion(index, start, self._starts[index]), outputs)

    def portions(self) -> Generator[Progress, None, None]:
        """Make and test all calls, portion by portion, and yield the progress after each."""
        if self._calling.caller.executor is None:
            for portion in self._split_calls():
                if portion is None:
                    self._choose_later()
                    continue
                work = (self._mechanism, self._pairs[portion.pair], self._registration, portion)
                yield self._take(portion, run_calls(*work))
            return
        with TemporaryDirectory(prefix="privboost-") as folder:
            submitted = _Submitted(Path(folder) if self._calling.caller.restart else None)
            try:
                for portion in self._split_calls():
                    if portion is not None:
                        self._submit(submitted, portion)
                    ahead = 0 if portion is None else PORTIONS_AHEAD * len(self._pairs)
                    while len(submitted.queue) > ahead:
                        yield from self._take_first(submitted)
                    if portion is None:
                        self._choose_later()
                while submitted.queue:
                    yield from self._take_first(submitted)
            finally:
                for _, future in submitted.queue:
                    future.cancel()

    def _submit(self, submitted: _Submitted, portion: Portion) -> None:
        work = (self._mechanism, self._pairs[portion.pair], self._registration, portion)
        path = submitted.journal_of(portion)
        if path is not None:
            create_journal(path)
        executor = self._calling.caller.executor
        assert executor is not None
        future = executor.submit(run_calls, *work, path)
        submitted.queue.append((portion, future))

    def _take_first(self, submitted: _Submitted) -> Iterator[Progress]:
        """Wait for the portion that was submitted first, yielding progress meanwhile, and test it."""
        (portion, future), name = submitted.queue[0], self._mechanism.name
        executor = self._calling.caller.executor
        assert executor is not None
        try:
            for _ in ticks_until(future, executor, name):
                yield self._progress(portion.pair)
            outputs = result_of(future, executor, name)
        except TargetEndedError as error:
            yield self._take_ended(submitted, error)
            return
        submitted.queue.popleft()
        yield self._take(portion, outputs)
        submitted.forget(portion)

    def _take_ended(self, submitted: _Submitted, error: TargetEndedError) -> Progress:
        """Test the calls of a process that ended, the last of which is a failure, and start a new process.

        Ensures: the same error if failures are not outputs, or the failed call cannot be known.
        """
        portion, _ = submitted.queue[0]
        path, restart = submitted.journal_of(portion), self._calling.caller.restart
        single = not (self._mechanism.batch or self._mechanism.in_order)
        if restart is None or path is None or not path.exists() or not single:
            raise error
        outputs = read_journal(path)
        if portion.start + len(outputs) < portion.stop:
            outputs.append(failure_of_end(error))
        taken = Portion(portion.pair, portion.start, portion.start + len(outputs))
        waiting = [entry for entry, _ in submitted.queue][1:]
        submitted.queue.clear()
        progress = self._take(taken, outputs)
        self._calling.caller.executor = restart()
        if taken.stop < portion.stop:
            waiting.insert(0, Portion(portion.pair, taken.stop, portion.stop))
        for entry in waiting:
            self._submit(submitted, entry)
        return progress

    def _split_calls(self) -> Iterator[Portion | None]:
        """Yield all portions: the pairs with the fewest calls take turns, and portions grow up to a limit.

        None stands where further pairs are to be chosen, once all portions before it are tested. The streams
        of a batch depend on its portions, so their ends depend on their starts only. Single calls have their
        own streams, so their portions may be shortened to make stopping quick.
        """
        batch, longest = self._mechanism.batch is not None, GREATEST_PORTION
        while True:
            begun, lengths = time.monotonic(), []
            active = [
                index
                for index, test in enumerate(self._tests)
                if self._starts[index] < self._calls_of(index) and not (self._plan.stop and test.refuted)
            ]
            fewest = min((self._starts[index] for index in active), default=0)
            for index in active:
                start = self._starts[index]
                # A pair that was chosen later catches up; a test may have ended since the turn began.
                if start > fewest or (self._plan.stop and self._tests[index].refuted):
                    continue
                end = min(portion_end(start, batch), start + longest)
                self._starts[index] = min(end, self._calls_of(index))
                lengths.append(self._starts[index] - start)
                yield Portion(index, start, self._starts[index])
            if self._later is not None and (not lengths or self._is_time_for_others()):
                yield None
            elif not lengths:
                return
            seconds = time.monotonic() - begun
            if not batch and seconds > SLOW and lengths:
                longest = max(max(lengths) // 2, 1)
            elif seconds < SLOW / 4:
                # The first portions may be slow because workers had to load the target.
                longest = min(2 * longest, GREATEST_PORTION)

    def _calls_of(self, index: int) -> int:
        """Return the greatest number of calls of a pair; the first has what cannot be shared."""
        shares = self._plan.shared_by or len(self._pairs)
        return self._plan.calls // shares + (self._plan.calls % shares if index == 0 else 0)

    def _is_time_for_others(self) -> bool:
        """Return whether the pairs so far have had their calls, or a third of the time."""
        limit = math.inf if self._plan.seconds is None else self._plan.seconds / 3
        return (
            min(self._starts) >= FIRST_CALLS[min(self._choices, 1)] or time.monotonic() - self._begun >= limit
        )

    def _take(self, portion: Portion, outputs: CallOutputs) -> Progress:
        """Record and test outputs; an interrupt cannot separate the two."""
        index, start = portion.pair, portion.start
        test = self._tests[index]
        sides = self._registration.sides(index, start, start + len(outputs))
        self._failures.add(outputs, sides)
        if self._failures.is_hopeless() or (self._failures.by_string and not self._plan.keep_failures):
            wanted = f"an output for the pair '{self._pairs[index].name}'"
            raise TargetError(self._mechanism.name, wanted, self._failures.first)
        with interrupts_deferred():
            if self._calling.recorder is not None:
                self._calling.recorder(index, outputs)
            for updated in (test, *(self._envelopes[index] if self._envelopes else ())):
                updated.update(outputs, sides)
            self._done += len(outputs)
            if index == 0 and start < (1 if self._mechanism.batch else CALLED_TWICE):
                self._first.extend(outputs)
            if not self._checked[index] and (test.refuted or start >= CHECKED_OUTPUTS):
                self._check_repeats(index)
        return self._progress(index)

    @property
    def calls(self) -> int:
        """Return the number of calls whose outputs were tested."""
        return self._done

    def repeats_outputs(self, seconds: float) -> bool | None:
        """Return whether the first calls give the same outputs again; None if that is not tried.

        Calls that may end their process are not repeated, nor those that take long: `seconds` is the time of
        all calls so far.
        """
        mechanism, calling = self._mechanism, self._calling
        if mechanism.repeats is None and (
            self._failures.has_ended or not self._first or seconds > SLOWEST_REPEATED * self._done
        ):
            return None
        work = (mechanism, self._pairs[0], self._registration, self._first)
        try:
            if isinstance(mechanism.repeats, bool):
                return repeats_outputs(*work)
            return calling.caller.call(mechanism.name, repeats_outputs, *work)
        except NoVerdictError:
            return None

    @property
    def all_refuted(self) -> bool:
        """Return whether the claim is refuted on every pair, and no pair is to be chosen later."""
        return self._later is None and all(test.refuted for test in self._tests)

    def _progress(self, index: int) -> Progress:
        bound = max(test.bound for test in self._tests)
        return Progress(
            self._pairs[index].name,
            self._done,
            self._plan.calls,
            bound,
            self._tests[index].refuted,
            unmatched_in(self._tests),
        )

    def _check_repeats(self, index: int) -> None:
        self._checked[index] = True
        outputs, sides = self._tests[index].history()
        refuse_repeats(self._mechanism.name, outputs, sides, constant=not self._mechanism.seeded)

    def result(self, seconds: float, interrupted: bool) -> AuditResult:
        """Finish all tests and return the result."""
        for index, test in enumerate(self._tests):
            for finished in (test, *(self._envelopes[index] if self._envelopes else ())):
                finished.finish()
            if not self._checked[index] and test.calls >= FEWEST:
                self._check_repeats(index)
        return conclude(
            self._mechanism.name,
            self._pairs,
            self._tests,
            self._plan,
            envelopes=self._envelopes,
            seconds=seconds,
            interrupted=interrupted,
        )
