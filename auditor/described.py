"""Audit a mechanism on described inputs: choose pairs by a few calls, test them, and shrink a witness.

The pairs are a public list of hostile neighbours. Those to test are chosen by calls of their own, and tested
with coins that these calls do not affect, so that the error probability of the verdict is as stated. At most
SLOTS pairs share it. The test begins on the pair whose rows change most, almost without other calls, since
too little noise shows there. If the claim is not refuted soon, others follow: what looks suspicious in a few
calls on the first pairs of the list, then on the whole list, and the best of a search.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from privboost.auditor.inputs.crossing import cross_pairs, order_by_change, size_of_change
from privboost.auditor.inputs.description import Description
from privboost.auditor.inputs.neighbours import hostile_pairs
from privboost.auditor.mechanisms.mechanism import Mechanism
from privboost.auditor.pairs.pair import Pair
from privboost.auditor.pairs.relations import check_neighbours
from privboost.auditor.running.calling import Calling
from privboost.auditor.running.looks import FORMS, Comparison
from privboost.auditor.running.plan import AuditPlan
from privboost.auditor.running.search import derive_seed, fewest_calls, schedule, search
from privboost.auditor.running.triage import STREAMS, Inputs, Triaged, triage
from privboost.auditor.values.tagged_json import from_json, to_json
from privboost.errors import PreconditionError, TargetEndedError, TargetError
from privboost.limits import ADD_REMOVE, EXCHANGE
from privboost.strict_json import JsonValue
from privboost.workers.interrupts import ignore_further_stops

from .result import AuditResult, Sight, Tried, TriedPair
from .run import audit_pair, run_audit
from .smallest import SmallerPairs

SLOTS = 3
"""Maximum number of pairs that are tested."""

PAIRS, FIRST_PAIRS = 200, 32
"""Number of pairs that are tried, and of those that are tried first."""

MOST_BEGUN = 4
"""Number of pairs that are tried for the first test, in the order of their changes."""

CROSSED, FILLERS = 3, 24
"""Number of pairs whose changes are tried among equal rows, and of the rows that these are equal to."""

SEARCH_SHARE = 10
"""The search on the whole list has at most the calls of the audit divided by this."""

CANDIDATES = (32, 16, 8, 4)
"""Numbers of pairs to search among, the first that the calls allow."""

BEYOND_CALLS = 1_000
"""Maximum number of calls of each test beyond the described inputs."""

TRIAGE_SHARE = 3
"""Triage has at most the time of the audit divided by this."""


@dataclass(frozen=True, slots=True)
class DescribedInputs:
    """Inputs as they are described, and the pairs that are tried."""

    text: str
    """The spelling of the description."""
    pairs: tuple[Pair, ...]
    """Hostile neighbours, one of every class among the first, also of inputs beyond the description."""
    description: Description | None = None
    """The description, by which a witness is shrunk; None if it is not known here."""
    constants: tuple[Any, ...] = ()
    """Constants of the mechanism's source."""
    search_calls: int | None = None
    """The number of calls of the search among them; by default a share of those of the audit."""

    @property
    def relation(self) -> str:
        """Return the neighbouring relation of all pairs."""
        return self.pairs[0].relation

    @property
    def shares(self) -> int:
        """Return the number of pairs that share calls and error probability."""
        return min(SLOTS, len(self.inside))

    @property
    def inside(self) -> tuple[Pair, ...]:
        """Return the pairs of inputs that are as described."""
        return tuple(pair for pair in self.pairs if not pair.outside)

    @property
    def beyond(self) -> tuple[Pair, ...]:
        """Return the pairs with an input that is not as described."""
        return tuple(pair for pair in self.pairs if pair.outside)


def make_pairs(
    description: Description,
    relation: str | None,
    plan: AuditPlan,
    *,
    constants: Sequence[Any] = (),
    beyond: bool = False,
) -> DescribedInputs:
    """Return described inputs with hostile neighbours, under a relation that their number of rows allows.

    Ensures: UsageError if they have no neighbours under the relation; PreconditionError for groups of rows.
    """
    if plan.claim.group > 1:
        raise PreconditionError(
            "group", "1 for described inputs, whose pairs differ in one row", plan.claim.group
        )
    pairs = hostile_pairs(
        description,
        relation or (ADD_REMOVE if description.size is None else EXCHANGE),
        seed=derive_seed("pairs", plan.seed),
        count=PAIRS,
        constants=constants,
        beyond=beyond,
    )
    check_neighbours(pairs)
    return DescribedInputs(description.text, pairs, description, tuple(constants))


def run_described(
    mechanism: Mechanism, inputs: DescribedInputs, plan: AuditPlan, calling: Calling
) -> AuditResult:
    """Choose pairs of described inputs and audit them; shrink a witness, and try what is beyond them.

    Ensures: TargetError if no input has an output; otherwise as `run_audit`.
    """
    choice = _Choice(mechanism, inputs, plan, calling)
    shared = replace(plan, shared_by=inputs.shares)
    result = run_audit(mechanism, choice.choose_first(), shared, calling, choice.choose_later())
    result = replace(result, tried=choice.list_tried())
    if result.interrupted or result.cut_short:
        return result
    try:
        result = replace(result, tried=_add_smallest(mechanism, inputs, plan, calling, result))
        return replace(result, tried=_add_beyond(mechanism, inputs, plan, calling, result))
    except KeyboardInterrupt:
        ignore_further_stops()
        return replace(result, interrupted=True)


class _Choice:
    """The choice of pairs: which were tried so far, and which are tested."""

    def __init__(
        self, mechanism: Mechanism, inputs: DescribedInputs, plan: AuditPlan, calling: Calling
    ) -> None:
        self._mechanism, self._inputs, self._plan, self._calling = mechanism, inputs, plan, calling
        self._called = Inputs(mechanism, derive_seed("triage", plan.seed, 16), calling.caller)
        self._epsilon, self._delta = plan.claim.representative()
        self._triaged = Triaged((), ())
        self._tested: list[Pair] = []
        self._calls, self._search_budget = 0, 0
        self._crossed: tuple[Pair, ...] = ()

    def choose_first(self) -> tuple[Pair, ...]:
        """Return the pair to test first, whose rows change most and whose outputs differ."""
        return self._choose("first", self._choose_largest)

    def choose_later(self) -> Iterator[tuple[Pair, ...]]:
        """Yield further pairs: what looks suspicious, also on the whole list, and the best of a search."""
        yield self._choose("suspects", self._choose_suspects)
        yield self._choose("others", self._choose_others)

    def list_tried(self) -> Tried:
        """Return the pairs that were tried so far."""
        return Tried(
            self._inputs.text,
            self._inputs.relation,
            tried_pairs(self._triaged),
            self._calls,
            len(self._inputs.inside) + len(self._crossed) - len(self._triaged.pairs),
            self._search_budget,
        )

    def _choose(self, name: str, choose: Callable[[], list[Pair]]) -> tuple[Pair, ...]:
        """Return the pairs of a choice: those of an earlier run, or else by calls."""
        choices = self._calling.choices
        before = None if choices is None else choices.chosen_before(name)
        if before is not None:
            chosen = self._restore(before)
        else:
            calls = self._called.calls
            chosen = choose()
            self._calls += self._called.calls - calls
            if choices is not None:
                choices.record_choice(name, self._to_document(chosen))
        self._tested += chosen
        return tuple(chosen)

    def _to_document(self, chosen: Sequence[Pair]) -> dict[str, Any]:
        return {
            "chosen": [pair.name for pair in chosen],
            "calls": self._calls,
            "search": self._search_budget,
            "crossed": [
                [pair.name, to_json(pair.left), to_json(pair.right), list(pair.classes)]
                for pair in self._crossed
            ],
            "tried": [
                [pair.name, str(seen.sight), to_json(float(seen.score)), seen.left, seen.right]
                for pair, seen in zip(self._triaged.pairs, self._triaged.comparisons, strict=True)
            ],
        }

    def _restore(self, document: JsonValue) -> list[Pair]:
        """Return the pairs of an earlier choice, and take over what it has seen."""
        chosen, calls, budget, crossed, tried = document.members(
            "chosen", "calls", "search", "crossed", "tried"
        )
        self._crossed = tuple(
            Pair(
                name.text(),
                from_json(left),
                from_json(right),
                self._inputs.relation,
                classes=tuple(key.text() for key in classes.items()),
            )
            for name, left, right, classes in (row.items() for row in crossed.items())
        )
        by_name = {pair.name: pair for pair in (*self._inputs.inside, *self._crossed)}
        rows = [row.items() for row in tried.items()]
        self._triaged = Triaged(
            tuple(by_name[name.among(by_name)] for name, *_ in rows),
            tuple(
                Comparison(Sight(sight.among(Sight)), score.number(finite=False), left.text(), right.text())
                for _, sight, score, left, right in rows
            ),
        )
        self._calls, self._search_budget = calls.whole(0), budget.whole(0)
        return [by_name[name.among(by_name)] for name in chosen.items()]

    def _choose_largest(self) -> list[Pair]:
        """Return the pair whose rows change most, of those whose outputs differ in a call with one generator.

        If there is none among a few, the one that looks worst among the first pairs.
        """
        first, description = self._inputs.inside[:FIRST_PAIRS], self._inputs.description
        if description is not None:
            ordered = sorted(first, key=lambda pair: -size_of_change(description, pair))
            for count in range(1, min(MOST_BEGUN, len(ordered)) + 1):
                self._try_pairs(ordered[:count], streams=1)
                if any(seen.sight in FORMS or seen.score > 0 for seen in self._triaged.comparisons[-1:]):
                    return [self._triaged.pairs[-1]]
        return [self._choose_suspects()[0]]

    def _choose_suspects(self) -> list[Pair]:
        """Return what looks suspicious among the first pairs; of the first choice also what looks worst."""
        try:
            self._try_pairs(self._inputs.inside[:FIRST_PAIRS])
        except TargetError:
            self._try_pairs(self._inputs.inside)
        suspects = self._triaged.suspects(self._tested)[: SLOTS - 1]
        return suspects if suspects or self._tested else [self._triaged.rank_pairs()[0][0]]

    def _choose_others(self) -> list[Pair]:
        self._try_pairs(self._inputs.inside)
        self._crossed = self._cross()
        self._try_pairs((*self._inputs.inside, *self._crossed))
        free = SLOTS - len(self._tested)
        chosen = self._triaged.suspects(self._tested)[:free]
        known = {pair.name for pair in (*self._tested, *chosen)}
        others = [pair for pair, _ in self._triaged.rank_pairs() if pair.name not in known]
        if self._inputs.description is not None:
            others = order_by_change(self._inputs.description, others)
        return chosen + self._search(others, free - len(chosen))

    def _cross(self) -> tuple[Pair, ...]:
        """Return the changes of the pairs that look worst, among equal rows that come from other pairs."""
        if self._inputs.description is None:
            return ()
        return cross_pairs(
            self._inputs.description,
            [pair for pair, _ in self._triaged.rank_pairs()[:CROSSED]],
            self._inputs.inside,
            FILLERS,
            self._inputs.constants,
        )

    def _try_pairs(self, pairs: Sequence[Pair], streams: int = STREAMS) -> None:
        self._triaged = triage(
            self._called,
            pairs,
            self._epsilon,
            time_limit(self._plan),
            refused=streams == 1,
            streams=streams,
        )

    def _search(self, pairs: Sequence[Pair], keep: int) -> list[Pair]:
        """Return the pairs that are easiest to tell apart, or that look worst if there are few calls."""
        budget = self._inputs.search_calls
        if budget is None:
            budget = min(self._plan.calls // SEARCH_SHARE, self._affordable_calls())
        self._search_budget = budget
        counts = (count for count in CANDIDATES if 0 < keep < count <= len(pairs))
        count = next((count for count in counts if fewest_calls(count, keep) <= budget), 0)
        if not count or self._epsilon <= 0:
            return list(pairs[:keep])
        caller = self._calling.caller
        try:
            ranked = search(
                self._mechanism,
                pairs[:count],
                budget,
                self._plan.seed,
                keep=keep,
                epsilon=self._epsilon,
                delta=self._delta,
                low_bits=self._plan.low_bits,
                executor=caller.executor,
            )
        except TargetEndedError:
            if caller.restart is None:
                raise
            caller.executor = caller.restart()
            return list(pairs[:keep])
        self._calls += sum(pairs * share for pairs, share in schedule(count, keep, budget))
        return [entry.pair for entry in ranked]

    def _affordable_calls(self) -> int:
        """Return the number of calls for which there is time, at the rate of triage."""
        if self._plan.seconds is None:
            return self._plan.calls
        rate = self._called.calls / max(self._called.seconds, 1e-6)
        return int(rate * time_limit(self._plan))


def time_limit(plan: AuditPlan) -> float:
    """Return the time for a triage, in seconds."""
    return math.inf if plan.seconds is None else plan.seconds / TRIAGE_SHARE


def tried_pairs(triaged: Triaged) -> tuple[TriedPair, ...]:
    """Return the pairs of a triage with what was seen of them."""
    rows = zip(triaged.pairs, triaged.comparisons, strict=True)
    return tuple(TriedPair(pair, seen.sight, seen.left, seen.right) for pair, seen in rows)


def _add_smallest(
    mechanism: Mechanism, inputs: DescribedInputs, plan: AuditPlan, calling: Calling, result: AuditResult
) -> Tried:
    """Return what was tried, with the smallest pair that shows the greatest violation, if there is one."""
    tried = result.tried
    assert tried is not None
    refuted = [entry for entry in result.pairs if entry.refuted]
    if not refuted or inputs.description is None:
        return tried
    witness = max(refuted, key=lambda entry: entry.bound)
    sight = next(entry.sight for entry in tried.pairs if entry.pair.name == witness.pair.name)
    smaller = SmallerPairs(mechanism, plan, calling, witness.calls)
    smallest = smaller.shrink(inputs.description, witness.pair, sight, inputs.constants)
    return replace(tried, smallest=smallest, shrinking_calls=smaller.calls)


def _add_beyond(
    mechanism: Mechanism, inputs: DescribedInputs, plan: AuditPlan, calling: Calling, result: AuditResult
) -> Tried:
    """Return what was tried, with the pairs beyond the described inputs; what looks suspicious is tested.

    Each pair is tested by itself. What also refutes the claim as described is left out.
    """
    tried = result.tried
    assert tried is not None
    if not inputs.beyond:
        return tried
    shown = result.pairs if tried.smallest is None else tried.smallest.pairs
    known = {key for entry in shown if entry.refuted for key in entry.pair.classes}
    called = Inputs(mechanism, derive_seed("beyond", plan.seed, 16), calling.caller)
    triaged = triage(called, inputs.beyond, plan.claim.representative()[0], time_limit(plan), refused=True)
    tests = [
        audit_pair(mechanism, pair, plan, calling, purpose=f"beyond {pair.name}", calls=BEYOND_CALLS)
        for pair in triaged.suspects(known=known)[:SLOTS]
    ]
    return replace(tried, beyond=tried_pairs(triaged), beyond_tests=tuple(tests))
