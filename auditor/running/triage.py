"""Triage: a few calls on every pair of a list, to decide on which pairs the calls of a test are spent.

Every distinct input is called once, and the inputs of pairs that look worst a few times more. Calls on
different inputs have the same generators, so that a mechanism that takes its noise from them has the same
noise on both sides of a pair. No test uses these calls: what they show ranks the pairs, and is no verdict.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from privboost.auditor.mechanisms.mechanism import Mechanism
from privboost.auditor.pairs.pair import Pair
from privboost.auditor.result import Sight
from privboost.auditor.values.failures import failure_of_end
from privboost.auditor.values.tagged_json import to_json
from privboost.errors import TargetEndedError, TargetError
from privboost.workers.pool import result_of

from .calling import AuditCaller
from .calls import call_once, unchanged_inputs
from .looks import FORMS, Comparison, Look, Typical, compare, look_at, spread_of, typical_noise

STREAMS = 3
"""Number of calls on an input of a pair that looks suspicious."""

FURTHER = 4
"""Number of pairs that get further calls besides the worst of every class."""

SUSPICIOUS = FORMS | {Sight.CONSTANT, Sight.FAR}


def call_input(mechanism: Mechanism, data: Any, seed: int, streams: Sequence[int]) -> list[Any]:
    """Return the outputs of one input, each of a call with the generator of a stream."""
    with unchanged_inputs(mechanism, data, "the described inputs"):
        return [call_once(mechanism, data, np.random.default_rng([seed, stream])) for stream in streams]


@dataclass(slots=True)
class Inputs:
    """The distinct inputs of some pairs, and what was seen of each so far."""

    mechanism: Mechanism
    seed: int
    caller: AuditCaller
    data: list[Any] = field(default_factory=list)
    looks: list[list[Look]] = field(default_factory=list)
    calls: int = 0
    seconds: float = 0.0
    """The time that the calls have taken."""
    _indices: dict[Any, int] = field(default_factory=dict)

    def index_of(self, data: Any) -> int:
        """Return the index of an input, adding it if it is new."""
        key = _key_of(data)
        if key not in self._indices:
            self._indices[key] = len(self.data)
            self.data.append(data)
            self.looks.append([])
        return self._indices[key]

    def call(self, indices: Iterable[int], count: int, deadline: float) -> None:
        """Make calls on inputs until each has `count` of them, or the time is over."""
        wanted, begun = (
            [index for index in dict.fromkeys(indices) if len(self.looks[index]) < count],
            time.monotonic(),
        )
        for index, outputs in self._outputs(wanted, count, deadline):
            self.looks[index] += map(look_at, outputs)
            self.calls += len(outputs)
        self.seconds += time.monotonic() - begun

    def _outputs(self, indices: list[int], count: int, deadline: float) -> Iterator[tuple[int, list[Any]]]:
        caller, name = self.caller, self.mechanism.name
        if caller.executor is None or caller.restart is not None:
            for index in indices:
                if time.monotonic() >= deadline:
                    return
                try:
                    yield index, caller.call(name, call_input, *self._work(index, count))
                except TargetEndedError as error:
                    if caller.restart is None:
                        raise
                    yield index, [failure_of_end(error)] * (count - len(self.looks[index]))
            return
        executor = caller.executor
        futures: list[Future[list[Any]]] = [
            executor.submit(call_input, *self._work(index, count)) for index in indices
        ]
        for index, future in zip(indices, futures, strict=True):
            if time.monotonic() >= deadline:
                future.cancel()
            else:
                yield index, result_of(future, executor, name)

    def _work(self, index: int, count: int) -> tuple[Mechanism, Any, int, range]:
        return self.mechanism, self.data[index], self.seed, range(len(self.looks[index]), count)


def _key_of(data: Any) -> Any:
    """Return a key that only equal inputs share; one that cannot be written as JSON is itself only."""
    document = json.dumps(to_json(data))
    return id(data) if '"$opaque"' in document else document


@dataclass(frozen=True, slots=True)
class Triaged:
    """What triage has seen of some pairs."""

    pairs: tuple[Pair, ...]
    """The pairs that were tried, in the order of the list."""
    comparisons: tuple[Comparison, ...]
    """What was seen of each of them."""

    def rank_pairs(self) -> list[tuple[Pair, Comparison]]:
        """Return the pairs with an output on some side, the most suspicious first."""
        rows = zip(self.pairs, self.comparisons, strict=True)
        return sorted((row for row in rows if row[1].sight is not Sight.REFUSED), key=lambda row: row[1].rank)

    def suspects(self, tested: Sequence[Pair] = (), *, known: Collection[str] = ()) -> list[Pair]:
        """Return suspicious pairs that show different things, the worst first, and not what is tested.

        Pairs of a class of which more is `known` are left out.
        """
        sights = dict(zip((pair.name for pair in self.pairs), self.comparisons, strict=True))
        chosen = list(tested)
        for pair, comparison in self.rank_pairs():
            is_new = comparison.sight in SUSPICIOUS and not set(pair.classes) & set(known)
            if is_new and all(
                sights[own.name].sight is not comparison.sight or not set(pair.classes) & set(own.classes)
                for own in chosen
            ):
                chosen.append(pair)
        return chosen[len(tested) :]


def triage(
    inputs: Inputs,
    pairs: Sequence[Pair],
    epsilon: float,
    seconds: float = math.inf,
    *,
    refused: bool = False,
    streams: int = STREAMS,
) -> Triaged:
    """Make a few calls on the inputs of every pair, as far as they were not made, and compare what they show.

    Every input is called once, and then those of pairs that look suspicious up to `streams` times.
    Ensures: TargetError if no input has an output, unless all may be `refused`.
    """
    sides = [(inputs.index_of(pair.left), inputs.index_of(pair.right)) for pair in pairs]
    deadline = time.monotonic() + seconds
    inputs.call((index for side in sides for index in side), 1, deadline)
    tried = [k for k, side in enumerate(sides) if all(inputs.looks[index] for index in side)]

    def compare_pair(k: int, count: int, typical: Typical) -> Comparison:
        left, right = (inputs.looks[index][:count] for index in sides[k])
        return compare(left, right, typical, epsilon)

    usual = Typical(spread_of([looks[0] for looks in inputs.looks if looks]))
    comparisons = {k: compare_pair(k, 1, usual) for k in tried}
    shortlist = _shortlist(pairs, comparisons)
    inputs.call((index for k in shortlist for index in sides[k]), streams, deadline)
    called = [looks for looks in inputs.looks if len(looks) == STREAMS]
    if called:
        usual = typical_noise(called)
        counts = {k: min(len(inputs.looks[index]) for index in sides[k]) for k in tried}
        comparisons = {k: compare_pair(k, count, usual) for k, count in counts.items()}
    triaged = Triaged(
        tuple(pairs[k] for k in tried),
        tuple(comparisons[k] for k in tried),
    )
    if not triaged.rank_pairs() and not refused:
        shown = next((looks[0].shown for looks in inputs.looks if looks), "none in time")
        raise TargetError(inputs.mechanism.name, "an output for one of the described inputs", shown)
    return triaged


def _shortlist(pairs: Sequence[Pair], comparisons: dict[int, Comparison]) -> list[int]:
    """Return the indices of the worst pair of every class, and of a few more."""
    ranked = sorted(comparisons, key=lambda k: comparisons[k].rank)
    ranked = [k for k in ranked if comparisons[k].sight is not Sight.REFUSED]
    seen: set[tuple[Sight, str]] = set()
    worst = []
    for k in ranked:
        new = {(comparisons[k].sight, key) for key in pairs[k].classes} - seen
        if new:
            worst.append(k)
            seen |= new
    return list(dict.fromkeys([*worst, *ranked[:FURTHER]]))
