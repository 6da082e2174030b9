"""Make the registered calls of an audit once more, and compare the outputs with those that a file holds."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from typing import TYPE_CHECKING, Any

from privboost.errors import PreconditionError
from privboost.targets.names import same_target
from privboost.workers.pool import result_of

from .calls import Portion, portion_end, run_calls
from .json_values import Opaque, output_to_json
from .known import Claimed
from .registration import Registration
from .subject import Pair, Subject
from .targets import find_target

if TYPE_CHECKING:
    from .witness import Witness

LONGEST_SHOWN = 80


def target_of(witness: Witness, given: str | Subject | Claimed) -> Claimed:
    """Return what to call again; a text must be the one that a witness names, and is not looked up before.

    Ensures: PreconditionError for another text.
    """
    if isinstance(given, Claimed):
        return given
    if isinstance(given, Subject):
        return Claimed(given)
    if not same_target(given, witness.target):
        raise PreconditionError("target to call again", f"the one in the file, {witness.target!r}", given)
    return find_target(given)


def rerun_differences(witness: Witness, target: Claimed, executor: Executor | None = None) -> list[str]:
    """Return where the outputs of a target that is called again differ from those of a witness."""
    found = []
    for number, (pair, outputs) in enumerate(zip(witness.pairs, witness.outputs, strict=True)):
        work = portions(number, len(outputs), target.mechanism.batch is not None)
        again = call_again(target.mechanism, _with_inputs(pair, target), witness.seed, work, executor)
        places = [place for place in range(len(outputs)) if not _same(outputs[place], again[place])]
        if places:
            was, now = _shown(outputs[places[0]]), _shown(again[places[0]])
            found.append(
                f"pair '{pair.name}': called again, {len(places)} of {len(outputs)} outputs differ, first "
                f"call {places[0]}: {was} in the file, {now} now"
            )
    return found


def portions(number: int, calls: int, batch: bool) -> Iterator[Portion]:
    """Yield portions of so many calls of a pair as an audit makes them; streams of a batch depend on them."""
    start = 0
    while start < calls:
        stop = min(portion_end(start, batch), calls)
        yield Portion(number, start, stop)
        start = stop


def call_again(
    subject: Subject, pair: Pair, seed: int, work: Iterator[Portion], executor: Executor | None
) -> Sequence[Any]:
    """Return the outputs of some portions of the calls of a pair."""
    registration = Registration(seed)
    if executor is None:
        blocks = [run_calls(subject, pair, registration, portion) for portion in work]
    else:
        waiting = [executor.submit(run_calls, subject, pair, registration, portion) for portion in work]
        blocks = [result_of(future, executor, subject.name) for future in waiting]
    return [output for block in blocks for output in block]


def _with_inputs(pair: Pair, target: Claimed) -> Pair:
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
