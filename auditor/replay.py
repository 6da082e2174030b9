"""Replay a witness: compute its bound again, make its calls again, and compare with what the file states."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

from privboost.errors import PreconditionError

from .audit import recheck
from .calls import Portion, portions, run_calls
from .json_values import Opaque, output_to_json
from .pair import Pair
from .registration import Registration
from .result import AuditResult
from .settings import Settings
from .subject import Mechanism
from .targets import Target, find_target, same_target
from .versions import own_version
from .witness import Witness
from .workers import result_of

TOLERANCE = 1e-9
"""Bounds that differ by less are the same: another processor may round a logarithm otherwise."""

LONGEST_SHOWN = 80


@dataclass(frozen=True, slots=True)
class Replay:
    """A bound computed again from a witness file, and where it differs from what the file states."""

    result: AuditResult
    differences: tuple[str, ...]

    @property
    def agrees(self) -> bool:
        """Return whether nothing differs."""
        return not self.differences


def replay(
    witness: Witness, *, rerun: str | Mechanism | Target | None = None, executor: Executor | None = None
) -> Replay:
    """Compute verdict and bound again from the outputs of a witness, and with `rerun` the outputs as well.

    `rerun` is what to call again: a file may name any program, so nothing is run because a file names it. As
    a text it must be the one in the file.
    Ensures: every difference from what the file states is reported, one sentence each.
    """
    target = None if rerun is None else target_of(witness, rerun)
    settings = Settings(witness.epsilon, witness.delta, witness.confidence, witness.low_bits, witness.stop)
    result = recheck(witness.target, witness.pairs, witness.outputs, settings, witness.seed)
    differences = _differences(witness, result)
    if target is not None:
        differences += rerun_differences(witness, target, executor)
    return Replay(result, tuple(differences))


def _differences(witness: Witness, result: AuditResult) -> list[str]:
    """Return where a recomputed result differs from what a witness states."""
    found = []
    if not witness.intact:
        found.append("the digest is not that of the content: the file was changed after it was written")
    if result.verdict != witness.verdict:
        found.append(f"the file states the verdict {witness.verdict}, recomputed: {result.verdict}")
    if not math.isclose(result.bound, witness.bound, rel_tol=TOLERANCE, abs_tol=TOLERANCE):
        found.append(f"the file states the bound {witness.bound!r}, recomputed: {result.bound!r}")
    if result.calls != witness.calls:
        found.append(f"the file states {witness.calls} calls, recomputed: {result.calls}")
    if found and (written_by := witness.versions.get("privboost")) != own_version():
        found.append(f"the file was written by privboost {written_by}, this is {own_version()}")
    return found


def target_of(witness: Witness, given: str | Mechanism | Target) -> Target:
    """Return what to call again; a text must be the one that a witness names, and is not looked up before.

    Ensures: PreconditionError for another text.
    """
    if isinstance(given, Target):
        return given
    if isinstance(given, Mechanism):
        return Target(given)
    if not same_target(given, witness.target):
        raise PreconditionError("target to call again", f"the one in the file, {witness.target!r}", given)
    return find_target(given)


def rerun_differences(witness: Witness, target: Target, executor: Executor | None = None) -> list[str]:
    """Return where the outputs of a target that is called again differ from those of a witness."""
    found = []
    for number, (pair, outputs) in enumerate(zip(witness.pairs, witness.outputs, strict=True)):
        work = portions(number, len(outputs), target.subject.batch is not None)
        again = call_again(target.subject, _with_inputs(pair, target), witness.seed, work, executor)
        places = [place for place in range(len(outputs)) if not _same(outputs[place], again[place])]
        if places:
            was, now = _shown(outputs[places[0]]), _shown(again[places[0]])
            found.append(
                f"pair '{pair.name}': called again, {len(places)} of {len(outputs)} outputs differ, first "
                f"call {places[0]}: {was} in the file, {now} now"
            )
    return found


def call_again(
    subject: Mechanism, pair: Pair, seed: int, work: Iterator[Portion], executor: Executor | None
) -> Sequence[Any]:
    """Return the outputs of some portions of the calls of a pair."""
    registration = Registration(seed)
    if executor is None:
        blocks = [run_calls(subject, pair, registration, portion) for portion in work]
    else:
        waiting = [executor.submit(run_calls, subject, pair, registration, portion) for portion in work]
        blocks = [result_of(future, executor, subject.name) for future in waiting]
    return [output for block in blocks for output in block]


def _with_inputs(pair: Pair, target: Target) -> Pair:
    """Return a pair that can be called: inputs that no file can hold are those of the target's own pair."""
    if not _holds_opaque([pair.left, pair.right]):
        return pair
    for known in target.pairs:
        if known.name == pair.name:
            return known
    wanted = "inputs that can be read back, or a pair of this name that the target brings"
    raise PreconditionError(f"pair '{pair.name}'", wanted, pair.left)


def _holds_opaque(value: Any) -> bool:
    """Return whether there is an object in an input of which a file holds the text only."""
    if isinstance(value, list | tuple):
        return any(map(_holds_opaque, value))
    if isinstance(value, dict):
        return any(map(_holds_opaque, value.values()))
    return isinstance(value, Opaque)


def _same(first: Any, second: Any) -> bool:
    return json.dumps(output_to_json(first)) == json.dumps(output_to_json(second))


def _shown(output: Any) -> str:
    text = json.dumps(output_to_json(output))
    return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 1]}…"
