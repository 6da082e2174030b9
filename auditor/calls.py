"""The calls of a mechanism: which are made together, and what is refused about them.

A mechanism must leave its inputs as they are: all calls get the same objects, and a change would reach later
calls of that side only, which tells the sides apart without any loss of privacy.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import TargetError
from .heartbeats import beat
from .pair import Pair
from .plain import plain
from .registration import Registration
from .subject import Batch, Mechanism

FIRST_BATCH, GREATEST_PORTION = 16, 1 << 16
PORTION_GROWTH = 4
"""A portion is this part of the calls before it: what an interrupt or a time limit may lose."""

Found = Sequence[Any] | NDArray[Any]


def portion_end(start: int, batch: bool) -> int:
    """Return where the portion that begins at a call ends; the first single calls are made one by one."""
    return start + min(max(FIRST_BATCH if batch else 1, start // PORTION_GROWTH), GREATEST_PORTION)


@dataclass(frozen=True, slots=True)
class Portion:
    """Some calls of one pair, from `start` up to `stop`."""

    pair: int
    start: int
    stop: int


def portions(number: int, calls: int, batch: bool) -> Iterator[Portion]:
    """Yield portions of so many calls of a pair as an audit makes them; streams of a batch depend on them."""
    start = 0
    while start < calls:
        stop = min(portion_end(start, batch), calls)
        yield Portion(number, start, stop)
        start = stop


def run_calls(subject: Mechanism, pair: Pair, registration: Registration, portion: Portion) -> Found:
    """Return the outputs of the registered calls of a portion; what goes wrong is the mechanism's fault."""
    before = _print_of(pair)
    try:
        found = _outputs_of(subject, pair, registration, portion)
    except (TargetError, KeyboardInterrupt):
        raise
    except BaseException as error:
        # A mechanism may raise anything, and its own classes are not known where the error is sent to.
        reason = f"{type(error).__name__}: {error}"
        raise TargetError(subject.name, f"an output for the pair '{pair.name}'", reason) from error
    if before is not None and _print_of(pair) != before:
        wanted = f"a mechanism that leaves the inputs of the pair '{pair.name}' as they are"
        raise TargetError(subject.name, wanted, "that it changed them")
    return found


def _print_of(pair: Pair) -> bytes | None:
    """Return inputs as bytes, to see whether they change; None if they cannot be written."""
    try:
        return pickle.dumps((pair.left, pair.right))
    except Exception:
        # Any object may be an input, and may fail in any way here.
        return None


def _outputs_of(subject: Mechanism, pair: Pair, registration: Registration, portion: Portion) -> Found:
    """Return the outputs of a portion in the order of its calls."""
    sides = registration.sides(portion.pair, portion.start, portion.stop)
    if subject.batch is not None:
        return _batched(subject.batch, pair, registration, portion, sides)
    inputs = [pair.side(side) for side in sides.tolist()]
    streams = [registration.generator(portion.pair, call) for call in range(portion.start, portion.stop)]
    if subject.in_order is not None:
        return _counted(subject.in_order(inputs, streams), len(inputs))
    return [_called(subject, data, stream) for data, stream in zip(inputs, streams, strict=True)]


def _called(subject: Mechanism, data: Any, stream: np.random.Generator) -> Any:
    """Return one output, taken down at once: a mechanism may write the next one into the same object."""
    found = plain(subject.call(data, stream))
    beat()
    return found


def _batched(
    batch: Batch, pair: Pair, registration: Registration, portion: Portion, sides: NDArray[np.int64]
) -> Found:
    """Return the outputs of a batch for each side, put into the order of the calls."""
    parts = []
    for side in (0, 1):
        count = int((sides == side).sum())
        stream = registration.batch_generator(portion.pair, portion.start, side)
        parts.append(_counted(batch(pair.side(side), stream, count), count) if count else [])
        beat()
    full = [part for part in parts if len(part)]
    if all(isinstance(part, np.ndarray) for part in full):
        return np.concatenate(full)[np.argsort(np.argsort(sides, kind="stable"), kind="stable")]
    waiting = [iter(part) for part in parts]
    return [plain(next(waiting[side])) for side in sides.tolist()]


def _counted(outputs: Found, count: int) -> Found:
    """Return outputs, if there are as many as were asked for."""
    if len(outputs) != count:
        raise ValueError(f"expected {count} outputs of a batch, found {len(outputs)}")
    return outputs
