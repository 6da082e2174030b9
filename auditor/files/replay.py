"""Replay a witness: recompute its bound, repeat its calls, and compare with what the file states."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

from privboost.auditor.audit import recheck
from privboost.auditor.mechanisms.mechanism import Claimed, Mechanism
from privboost.auditor.mechanisms.naming import find_target
from privboost.auditor.pairs.pair import Pair
from privboost.auditor.pairs.relations import check_neighbours
from privboost.auditor.result import AuditResult
from privboost.auditor.running.calls import Portion, Registration, portions, run_calls
from privboost.auditor.running.plan import AuditPlan
from privboost.auditor.values.objects import Opaque
from privboost.auditor.values.tagged_json import output_to_json
from privboost.errors import PreconditionError
from privboost.printing import truncate
from privboost.targets.names import same_target
from privboost.workers.pool import result_of

from .report import version_differences
from .witness import Witness

TOLERANCE = 1e-9
"""Bounds that differ by less are equal: processors may round logarithms differently."""

LONGEST_SHOWN = 80


@dataclass(frozen=True, slots=True)
class ReplayResult:
    """The result recomputed from a witness, and its differences from what the file states."""

    result: AuditResult
    differences: tuple[str, ...]

    @property
    def agrees(self) -> bool:
        """Return whether nothing differs."""
        return not self.differences


def replay(
    witness: Witness, *, rerun: str | Mechanism | Claimed | None = None, executor: Executor | None = None
) -> ReplayResult:
    """Recompute verdict and bound from the outputs of a witness and, with `rerun`, the outputs as well.

    `rerun` is the target to call again. A file may name any program, so the caller must name it too: a string
    must agree with the target in the file.
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
    )
    result = recheck(witness.target, witness.pairs, witness.outputs, plan)
    differences = _differences(witness, result)
    if target is not None:
        differences += rerun_differences(witness, target, executor)
    if differences:
        differences += version_differences(witness.versions)
    return ReplayResult(result, tuple(differences))


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
        changed = [call for call in range(len(outputs)) if not _same(outputs[call], again[call])]
        if changed:
            was, now = _format(outputs[changed[0]]), _format(again[changed[0]])
            differences.append(
                f"pair '{pair.name}': called again, {len(changed)} of {len(outputs)} outputs differ, first "
                f"call {changed[0]}: {was} in the file, {now} now"
            )
    return differences


def call_again(
    mechanism: Mechanism, pair: Pair, seed: int, work: Iterator[Portion], executor: Executor | None
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


def _same(first: Any, second: Any) -> bool:
    return json.dumps(output_to_json(first)) == json.dumps(output_to_json(second))


def _format(output: Any) -> str:
    return truncate(json.dumps(output_to_json(output)), LONGEST_SHOWN)
