"""Replay a witness: recompute its bound, repeat its calls, and compare with what the file states.

A target that does not give the same outputs again is judged by law: guesses are learned from the outputs in
the file, and tested on fresh calls with fresh coins.
"""

from __future__ import annotations

import json
import math
import secrets
from collections.abc import Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Any

from privboost.auditor.mechanisms.mechanism import Claimed, Mechanism
from privboost.auditor.mechanisms.naming import find_target
from privboost.auditor.numbers import count_with_noun, format_percent
from privboost.auditor.pairs.pair import Pair
from privboost.auditor.pairs.relations import check_neighbours
from privboost.auditor.result import AuditResult, Verdict
from privboost.auditor.run import recheck
from privboost.auditor.running.calls import Portion, Registration, portions, run_calls
from privboost.auditor.running.plan import AuditPlan
from privboost.auditor.running.repeats import repeats_outputs
from privboost.auditor.values.objects import Opaque
from privboost.auditor.values.tagged_json import equal_outputs, output_to_json
from privboost.errors import PreconditionError
from privboost.printing import truncate
from privboost.targets.names import same_target
from privboost.workers.pool import result_of

from .report import version_differences
from .witness import Witness

TOLERANCE = 1e-9
"""Bounds that differ by less are equal: processors may round logarithms differently."""

LONGEST_SHOWN = 80

FRESH_CALLS, FEWEST_FRESH = 8, 1_000
"""Fresh calls for each recorded one of a pair with a violation, and the least number of them."""


@dataclass(frozen=True, slots=True)
class FreshCalls:
    """The test of fresh calls of a target that does not repeat its outputs."""

    seed: int
    """The seed of the sides of the fresh calls."""
    calls: int
    pairs: tuple[str, ...]
    """The names of the pairs that were called: the best with a violation in the file, or else all."""
    refuted: tuple[str, ...]
    """The names of the pairs on which fresh calls refute the claim."""


@dataclass(frozen=True, slots=True)
class ReplayResult:
    """The result recomputed from a witness, and its differences from what the file states."""

    result: AuditResult
    differences: tuple[str, ...]
    fresh: FreshCalls | None = None
    """Fresh calls, if the target was called again and did not repeat its outputs."""

    @property
    def agrees(self) -> bool:
        """Return whether nothing differs."""
        return not self.differences

    @property
    def is_confirmed(self) -> bool:
        """Return whether nothing differs, and fresh calls, if any, refute what the outputs refute."""
        refutes = self.result.verdict is Verdict.VIOLATION
        return self.agrees and (self.fresh is None or bool(self.fresh.refuted) or not refutes)


def replay(
    witness: Witness,
    *,
    rerun: str | Mechanism | Claimed | None = None,
    executor: Executor | None = None,
    calls: int | None = None,
    seed: int | None = None,
) -> ReplayResult:
    """Recompute verdict and bound from the outputs of a witness and, with `rerun`, the outputs as well.

    `rerun` is the target to call again. A file may name any program, so the caller must name it too: a string
    must agree with the target in the file. A target that does not repeat its outputs gets fresh calls: at
    most `calls` of them, by default 8 times those of the pair with the greatest violation or, without one,
    the recorded number. Their sides follow from `seed`, which is new by default.
    Ensures: every difference from what the file states is reported as one sentence.
    """
    target = None if rerun is None else target_of(witness, rerun)
    plan = AuditPlan(
        witness.claim,
        witness.seed,
        witness.confidence,
        stop=witness.stop,
        low_bits=witness.low_bits,
        power=witness.power,
        ignored=witness.ignored,
        shared_by=witness.shared_by,
    )
    result = replace(recheck(witness.target, witness.pairs, witness.outputs, plan), seeded=witness.seeded)
    differences, fresh = _differences(witness, result), None
    if target is not None:
        changed = rerun_differences(witness, target, executor)
        if changed and not is_repeatable(witness, target, executor):
            plan = replace(plan, seed=secrets.randbits(64) if seed is None else seed)
            fresh = call_afresh(witness, target, result, plan, executor=executor, calls=calls)
            changed = _contradiction(result, fresh)
        differences += changed
    if differences:
        differences += version_differences(witness.versions)
    return ReplayResult(result, tuple(differences), fresh)


def _contradiction(result: AuditResult, fresh: FreshCalls) -> list[str]:
    """Return how fresh calls contradict a file without a violation; nothing if they do not."""
    if result.verdict is Verdict.VIOLATION or not fresh.refuted:
        return []
    counted = f"{count_with_noun(fresh.calls, 'fresh call')} (seed {fresh.seed})"
    return [f"the file states no violation, but {counted} refute the claim on the pair '{fresh.refuted[0]}'"]


def fresh_sentence(replayed: ReplayResult) -> str:
    """Return the result of fresh calls as a sentence; the empty string without fresh calls."""
    fresh, result = replayed.fresh, replayed.result
    if fresh is None:
        return ""
    where = f"the pair '{fresh.pairs[0]}'" if len(fresh.pairs) == 1 else f"{len(fresh.pairs)} pairs"
    counted = f"{count_with_noun(fresh.calls, 'fresh call')} on {where} (seed {fresh.seed})"
    level = f"at confidence {format_percent(result.confidence)}"
    judged = (
        f"refute the claim {level}, by guesses learned from the outputs in the file"
        if fresh.refuted
        else f"do not refute the claim {level}"
    )
    return f"the target does not give the same outputs again, so it is judged by law: {counted} {judged}"


def _differences(witness: Witness, result: AuditResult) -> list[str]:
    """Return where a recomputed result differs from what a witness states."""
    differences = []
    if not witness.intact:
        differences.append("the digest is not that of the content: the file was changed after it was written")
    try:
        check_neighbours(witness.pairs, witness.claim.group)
    except PreconditionError as error:
        differences.append(f"the inputs are no neighbours: {error}")
    if result.verdict != witness.verdict:
        differences.append(f"the file states the verdict {witness.verdict}, recomputed: {result.verdict}")
    if not math.isclose(result.bound, witness.bound, rel_tol=TOLERANCE, abs_tol=TOLERANCE):
        differences.append(f"the file states the bound {witness.bound!r}, recomputed: {result.bound!r}")
    if result.calls != witness.calls:
        differences.append(f"the file states {witness.calls} calls, recomputed: {result.calls}")
    return differences


def target_of(witness: Witness, given: str | Mechanism | Claimed) -> Claimed:
    """Return the target to call again; a string is loaded only if it agrees with the target of the witness.

    Ensures: PreconditionError for another string.
    """
    if isinstance(given, Claimed):
        return given
    if isinstance(given, Mechanism):
        return Claimed(given)
    if not same_target(given, witness.target):
        raise PreconditionError("target to call again", f"the one in the file, {witness.target!r}", given)
    return find_target(given)


def rerun_differences(witness: Witness, target: Claimed, executor: Executor | None = None) -> list[str]:
    """Call a target again and return the differences of its outputs from those of a witness."""
    differences = []
    for index, (pair, outputs) in enumerate(zip(witness.pairs, witness.outputs, strict=True)):
        work = portions(index, len(outputs), target.mechanism.batch is not None)
        again = call_again(target.mechanism, _with_inputs(pair, target), witness.seed, work, executor)
        changed = [call for call in range(len(outputs)) if not equal_outputs(outputs[call], again[call])]
        if changed:
            was, now = _format(outputs[changed[0]]), _format(again[changed[0]])
            differences.append(
                f"pair '{pair.name}': called again, {len(changed)} of {len(outputs)} outputs differ, first "
                f"call {changed[0]}: {was} in the file, {now} now"
            )
    return differences


def is_repeatable(witness: Witness, target: Claimed, executor: Executor | None = None) -> bool:
    """Return whether a target gives the same outputs twice now, on the calls of a witness.

    What the file says about this is not used: a forger could say anything.
    """
    mechanism = target.mechanism
    if mechanism.repeats is not None:
        asked = (mechanism, witness.pairs[0], Registration(witness.seed), ())
        if executor is None:
            return repeats_outputs(*asked)
        return bool(result_of(executor.submit(repeats_outputs, *asked), executor, mechanism.name))
    for index, (pair, outputs) in enumerate(zip(witness.pairs, witness.outputs, strict=True)):
        called = _with_inputs(pair, target)
        for portion in portions(index, len(outputs), mechanism.batch is not None):
            twice = [call_again(mechanism, called, witness.seed, [portion], executor) for _ in (0, 1)]
            if not all(map(equal_outputs, *twice)):
                return False
    return True


def call_afresh(
    witness: Witness,
    target: Claimed,
    result: AuditResult,
    plan: AuditPlan,
    *,
    executor: Executor | None = None,
    calls: int | None = None,
) -> FreshCalls:
    """Test fresh calls by guesses that are learned from the outputs of a witness.

    The pair is the one with the greatest violation, at the full error probability; without a violation all
    pairs share it. Sides and generators follow from the seed of the plan. A pair that is refuted gets no
    further calls.
    """
    violations = [index for index, entry in enumerate(result.pairs) if entry.refuted]
    violations.sort(key=lambda index: -result.pairs[index].bound)
    chosen = violations[:1] or list(range(len(witness.pairs)))
    made, refuted = 0, []
    alone = replace(plan, stop=True, shared_by=None)
    for index, test in zip(chosen, alone.tests(alone.errors(len(chosen))), strict=True):
        outputs, pair = witness.outputs[index], _with_inputs(witness.pairs[index], target)
        test.learn(outputs, Registration(witness.seed).sides(index, 0, len(outputs)))
        most = max(FRESH_CALLS * len(outputs), FEWEST_FRESH) if violations else len(outputs)
        most = most if calls is None else max(calls // len(chosen), 1)
        for portion in portions(index, most, target.mechanism.batch is not None):
            fresh = call_again(target.mechanism, pair, plan.seed, [portion], executor)
            test.update(fresh, Registration(plan.seed).sides(index, portion.start, portion.stop))
            made += len(fresh)
            if test.refuted:
                break
        test.finish()
        refuted += [pair.name] if test.refuted else []
    return FreshCalls(plan.seed, made, tuple(witness.pairs[index].name for index in chosen), tuple(refuted))


def call_again(
    mechanism: Mechanism, pair: Pair, seed: int, work: Iterable[Portion], executor: Executor | None
) -> Sequence[Any]:
    """Return the outputs of portions of a pair's calls."""
    registration = Registration(seed)
    if executor is None:
        blocks = [run_calls(mechanism, pair, registration, portion) for portion in work]
    else:
        futures = [executor.submit(run_calls, mechanism, pair, registration, portion) for portion in work]
        blocks = [result_of(future, executor, mechanism.name) for future in futures]
    return [output for block in blocks for output in block]


def _with_inputs(pair: Pair, target: Claimed) -> Pair:
    """Return a pair with callable inputs; opaque ones are replaced by the target's pair of the same name."""
    if not _holds_opaque([pair.left, pair.right]):
        return pair
    for own in target.pairs:
        if own.name == pair.name:
            return own
    wanted = "inputs that can be read back, or a pair of this name of the target"
    raise PreconditionError(f"pair '{pair.name}'", wanted, pair.left)


def _holds_opaque(value: Any) -> bool:
    """Return whether an input contains an object of which the file holds only the repr."""
    if isinstance(value, list | tuple):
        return any(map(_holds_opaque, value))
    if isinstance(value, dict):
        return any(map(_holds_opaque, value.values()))
    return isinstance(value, Opaque)


def _format(output: Any) -> str:
    return truncate(json.dumps(output_to_json(output)), LONGEST_SHOWN)
