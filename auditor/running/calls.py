"""Make the calls of a mechanism, portion by portion; one seed fixes their sides and streams beforehand.

A call that raises an error has an output that says so (`values.failures`). In a batch an error is not that
of one call: repeating the calls one by one would favour a side, so there is no verdict.

A mechanism must not change its inputs. All calls on one side get the same object, so a change would affect
later calls on that side only, and would tell the sides apart without any loss of privacy.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from privboost.auditor.mechanisms.mechanism import Batch, Mechanism
from privboost.auditor.pairs.pair import Pair
from privboost.auditor.values.failures import failure_of_error
from privboost.auditor.values.plain_values import is_numeric, plain_value
from privboost.errors import HarnessError, PreconditionError, TargetError
from privboost.workers.heartbeats import beat

COINS, CALLS, BATCHES = 0, 1, 2
"""Kinds of independent streams: coins for sides, one stream per call, one per side of a batch."""

COINS_AT_ONCE = 1 << 14
FIRST_BATCH, GREATEST_PORTION = 16, 1 << 16
PORTION_GROWTH = 4
"""A portion has a quarter of the calls before it; at most one portion is lost to a time limit."""

CallOutputs = Sequence[Any] | NDArray[Any]


def check_integer(name: str, value: object, least: int) -> None:
    """Raise PreconditionError unless a value is an integer >= least."""
    if not isinstance(value, int) or value < least:
        raise PreconditionError(name, f"an integer >= {least}", value)


@dataclass(frozen=True, slots=True)
class Registration:
    """The coins and streams of an audit, as functions of one seed."""

    seed: int

    def __post_init__(self) -> None:
        check_integer("seed", self.seed, 0)

    def sides(self, pair: int, start: int, stop: int) -> NDArray[np.int64]:
        """Return the side, 0 or 1, of every call of a pair from `start` up to `stop`."""
        first, last = start // COINS_AT_ONCE, max(stop - 1, start) // COINS_AT_ONCE
        rolls = [
            self._stream(COINS, pair, roll).integers(0, 2, COINS_AT_ONCE) for roll in range(first, last + 1)
        ]
        offset = first * COINS_AT_ONCE
        return np.concatenate(rolls)[start - offset : stop - offset]

    def generator(self, pair: int, call: int) -> np.random.Generator:
        """Return the stream of one call, which no other call uses."""
        return self._stream(CALLS, pair, call)

    def seed_of(self, pair: int, call: int) -> int:
        """Return the 128-bit seed of the stream of one call."""
        return self._entropy(CALLS, pair, call)

    def batch_generator(self, pair: int, start: int, side: int) -> np.random.Generator:
        """Return the stream of all calls of one side in the batch that begins at call `start`."""
        return self._stream(BATCHES, pair, start, side)

    def _stream(self, *key: int) -> np.random.Generator:
        return np.random.default_rng(self._entropy(*key))

    def _entropy(self, *key: int) -> int:
        """Return 128 bits for a key by a one-way function: no stream reveals the seed or another stream."""
        label = ",".join(map(str, (self.seed, *key)))
        return int.from_bytes(blake2b(label.encode(), digest_size=16).digest(), "big")


def portion_end(start: int, batch: bool) -> int:
    """Return the end of the portion that begins at `start`; the first single calls are made one by one."""
    return start + min(max(FIRST_BATCH if batch else 1, start // PORTION_GROWTH), GREATEST_PORTION)


@dataclass(frozen=True, slots=True)
class Portion:
    """The calls of one pair from `start` up to `stop`."""

    pair: int
    """The index of the pair."""
    start: int
    stop: int


def portions(pair: int, calls: int, batch: bool) -> Iterator[Portion]:
    """Yield the portions of a pair's calls as an audit makes them; streams of a batch depend on them."""
    start = 0
    while start < calls:
        stop = min(portion_end(start, batch), calls)
        yield Portion(pair, start, stop)
        start = stop


def run_calls(
    mechanism: Mechanism,
    pair: Pair,
    registration: Registration,
    portion: Portion,
    journal_path: Path | None = None,
) -> CallOutputs:
    """Return the outputs of the registered calls of a portion; single calls are also written to a journal.

    Ensures: TargetError if a batch raises anything or the mechanism changes its inputs.
    """
    with unchanged_inputs(mechanism, (pair.left, pair.right), f"the inputs of the pair '{pair.name}'"):
        try:
            return _outputs_of(mechanism, pair, registration, portion, journal_path)
        except (TargetError, KeyboardInterrupt):
            raise
        except BaseException as error:
            # As for a single call, except that the error is not that of one call.
            reason = f"{type(error).__name__}: {error}"
            raise TargetError(mechanism.name, f"an output for the pair '{pair.name}'", reason) from error


@contextmanager
def unchanged_inputs(mechanism: Mechanism, data: Any, described: str) -> Iterator[None]:
    """Raise TargetError if a mechanism changes its inputs meanwhile."""
    before = _pickle_input(data)
    yield
    if before is not None and _pickle_input(data) != before:
        raise TargetError(
            mechanism.name, f"a mechanism that leaves {described} as they are", "that it changed them"
        )


def _pickle_input(data: Any) -> bytes | None:
    """Return an input as bytes, to detect changes; None if it cannot be pickled."""
    try:
        return pickle.dumps(data)
    except Exception:
        # Any object may be an input, and pickling it may raise any exception.
        return None


def _outputs_of(
    mechanism: Mechanism,
    pair: Pair,
    registration: Registration,
    portion: Portion,
    journal_path: Path | None,
) -> CallOutputs:
    """Return the outputs of a portion in the order of its calls."""
    sides = registration.sides(portion.pair, portion.start, portion.stop)
    if mechanism.batch is not None:
        return _call_batches(mechanism.batch, pair, registration, portion, sides)
    inputs = [(pair.left, pair.right)[side] for side in sides.tolist()]
    streams = [registration.generator(portion.pair, call) for call in range(portion.start, portion.stop)]
    if mechanism.in_order is not None:
        return _check_outputs(mechanism.in_order(inputs, streams), len(inputs))
    outputs = []
    with _open_journal(journal_path) as write:
        for data, stream in zip(inputs, streams, strict=True):
            outputs.append(call_once(mechanism, data, stream))
            write(outputs[-1])
    return outputs


def call_once(mechanism: Mechanism, data: Any, stream: np.random.Generator) -> Any:
    """Return one output, copied at once: a mechanism may write the next one into the same object."""
    try:
        output = plain_value(mechanism.call(data, stream))
    except (TargetError, HarnessError, KeyboardInterrupt):
        raise
    except BaseException as error:
        # A mechanism may raise anything, and the process that receives the error may not know its classes.
        output = failure_of_error(error)
    beat()
    return output


def _call_batches(
    batch: Batch, pair: Pair, registration: Registration, portion: Portion, sides: NDArray[np.int64]
) -> CallOutputs:
    """Return the outputs of one batch per side, in the order of the calls."""
    parts: list[CallOutputs] = []
    for side, data in enumerate((pair.left, pair.right)):
        count = int((sides == side).sum())
        stream = registration.batch_generator(portion.pair, portion.start, side)
        parts.append(_copy_outputs(_check_outputs(batch(data, stream, count), count)) if count else [])
        beat()
    arrays = [part for part in parts if isinstance(part, np.ndarray)]
    # Arrays of several types are not joined, since conversion to a common one would change numbers.
    if sum(map(len, arrays)) == len(sides) and len({(array.dtype, array.shape[1:]) for array in arrays}) == 1:
        return np.concatenate(arrays)[np.argsort(np.argsort(sides, kind="stable"), kind="stable")]
    remaining = [iter(part) for part in parts]
    return [next(remaining[side]) for side in sides.tolist()]


def _copy_outputs(outputs: CallOutputs) -> CallOutputs:
    """Return outputs that later calls cannot change: an array of numbers, or a list of plain values."""
    if type(outputs) is np.ndarray and is_numeric(outputs.dtype):
        return outputs.copy()
    return [plain_value(output) for output in outputs]


def _check_outputs(outputs: CallOutputs, count: int) -> CallOutputs:
    """Return outputs after checking their type and count."""
    if isinstance(outputs, Mapping) or hasattr(outputs, "columns"):
        raise TypeError(f"expected a list or an array of outputs, got {type(outputs).__name__}")
    if len(outputs) != count:
        raise ValueError(f"expected {count} outputs of a batch, got {len(outputs)}")
    return outputs


# Journals -------------------------------------------------------------------------------------------------


def create_journal(path: Path) -> None:
    """Create an empty journal, or empty one that exists; there is none if that fails.

    A worker writes the outputs of its calls there at once, so that they survive the end of its process.
    """
    with suppress(OSError):
        path.write_bytes(b"")


@contextmanager
def _open_journal(path: Path | None) -> Iterator[Callable[[Any], None]]:
    """Open a journal that was created; yield a function that writes the output of one call.

    A worker does not create the file, so that it cannot do so while its folder is being deleted. A journal
    that cannot be written, for instance on a full disk, is deleted: it would name the wrong call as the last.
    """
    with ExitStack() as files:
        file: BinaryIO | None = None
        if path is not None:
            with suppress(OSError):
                file = files.enter_context(path.open("r+b", buffering=0))

        def write(output: Any) -> None:
            nonlocal file
            if file is None or path is None:
                return
            content = pickle.dumps(output)
            with suppress(OSError):
                if file.write(content) == len(content):
                    return
            file = None
            path.unlink(missing_ok=True)

        yield write


def read_journal(path: Path) -> list[Any]:
    """Return the outputs in a journal of this process's own workers; one that was cut off is left out."""
    outputs: list[Any] = []
    with path.open("rb") as file:
        while True:
            try:
                outputs.append(pickle.load(file))
            except (EOFError, pickle.UnpicklingError):
                return outputs
