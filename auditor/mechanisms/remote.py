"""Targets that are loaded only in worker processes, so that this process never runs their code.

Workers receive the target string and load mechanism and pairs once each. Inputs of the target's own pairs may
be any objects in a worker; this process has them as `tagged_json` can represent them.
"""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, NoReturn

from privboost.auditor.pairs.pair import Pair
from privboost.auditor.values.tagged_json import from_json, to_json
from privboost.errors import PrivboostError, TargetError
from privboost.strict_json import JsonValue
from privboost.workers.heartbeats import beat
from privboost.workers.pool import result_of

from .mechanism import Claimed, Mechanism
from .naming import find_target


@dataclass(frozen=True, slots=True)
class NamedMechanism(Mechanism):
    """A mechanism that is pickled as its target string and loaded by name when unpickled."""

    target: str = ""

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickle_mechanism, (self.target,)


@dataclass(frozen=True, slots=True)
class NamedPair(Pair):
    """A pair that is pickled as target string and index, and loaded by name when unpickled."""

    target: str = ""
    index: int = 0

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickle_pair, (self.target, self.index)


def find_remote(target: str, executor: Executor) -> Claimed:
    """Return the mechanism that a target string names, loaded by a worker of an executor."""
    described: Claimed = result_of(executor.submit(_describe, target), executor, target)
    mechanism = described.mechanism
    pairs = tuple(
        NamedPair(
            pair.name,
            pair.left,
            pair.right,
            pair.relation,
            pair.exact,
            pair.outside,
            pair.classes,
            target,
            index,
        )
        for index, pair in enumerate(described.pairs)
    )
    named = NamedMechanism(
        target,
        mechanism.call,
        mechanism.batch,
        mechanism.in_order,
        mechanism.seeded,
        mechanism.repeats,
        target,
    )
    return replace(described, mechanism=named, pairs=pairs)


def _describe(target: str) -> Claimed:
    """Load a target in this process; return it without its functions, and its pairs as a file has them."""
    try:
        loaded = _load(target)
        mechanism, pairs = loaded.mechanism, tuple(_pass_through_json(pair) for pair in loaded.pairs)
    except PrivboostError:
        raise
    except Exception as error:
        # Attributes of a user's object may raise any exception.
        reason = f"{type(error).__name__}: {error}"
        raise TargetError(target, "a target whose pairs can be written", reason) from error
    beat()
    stand_in = Mechanism(
        target,
        _refuse_call,
        _refuse_call if mechanism.batch is not None else None,
        _refuse_call if mechanism.in_order is not None else None,
        mechanism.seeded,
        mechanism.repeats if isinstance(mechanism.repeats, bool) else None,
    )
    return replace(loaded, mechanism=stand_in, pairs=pairs)


def _pass_through_json(pair: Pair) -> Pair:
    left, right = (from_json(JsonValue(to_json(value), pair.name)) for value in (pair.left, pair.right))
    return replace(pair, left=left, right=right)


@cache
def _load(target: str) -> Claimed:
    return find_target(target)


def _unpickle_mechanism(target: str) -> Mechanism:
    return _load(target).mechanism


def _unpickle_pair(target: str, index: int) -> Pair:
    return _load(target).pairs[index]


def _refuse_call(*arguments: Any) -> NoReturn:
    raise TargetError("target", "calls in the worker processes", f"a call in this process: {arguments}")
