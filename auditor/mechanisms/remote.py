"""Targets that are loaded where they are called: this process knows their names and never runs their code.

What is sent to a worker is the text of a target. The worker finds the mechanism by it, once, and the target's
own pairs with inputs of any kind; this process has these inputs as a file could hold them.
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

from .known_loss import Claimed
from .mechanism import Mechanism
from .naming import find_target


@dataclass(frozen=True, slots=True)
class NamedSubject(Mechanism):
    """A subject that becomes the mechanism itself where it is sent to."""

    text: str = ""

    def __reduce__(self) -> tuple[Any, ...]:
        return _subject_here, (self.text,)


@dataclass(frozen=True, slots=True)
class NamedPair(Pair):
    """A pair that becomes the target's own where it is sent to."""

    text: str = ""
    number: int = 0

    def __reduce__(self) -> tuple[Any, ...]:
        return _pair_here, (self.text, self.number)


@dataclass(frozen=True, slots=True)
class _Description:
    """What there is to know of a target without running it."""

    batch: bool
    in_order: bool
    pairs: tuple[Pair, ...]
    epsilon: float | None
    delta: float


def find_elsewhere(text: str, executor: Executor) -> Claimed:
    """Return the target of a text, which a worker loads."""
    found: _Description = result_of(executor.submit(_describe, text), executor, text)
    subject = NamedSubject(
        text, _not_here, _not_here if found.batch else None, _not_here if found.in_order else None, text
    )
    pairs = tuple(
        NamedPair(pair.name, pair.left, pair.right, pair.relation, pair.exact, text, number)
        for number, pair in enumerate(found.pairs)
    )
    return Claimed(subject, pairs, found.epsilon, found.delta)


def _describe(text: str) -> _Description:
    """Load a target in this process, and say what it is."""
    try:
        target = _loaded(text)
        subject, pairs = target.mechanism, tuple(_as_in_a_file(pair) for pair in target.pairs)
    except PrivboostError:
        raise
    except Exception as error:
        # Objects of a target may fail in any way when they are looked at.
        found = f"{type(error).__name__}: {error}"
        raise TargetError(text, "a target whose pairs can be written", found) from error
    beat()
    return _Description(
        subject.batch is not None, subject.in_order is not None, pairs, target.epsilon, target.delta
    )


def _as_in_a_file(pair: Pair) -> Pair:
    left, right = (from_json(JsonValue(to_json(value), pair.name)) for value in (pair.left, pair.right))
    return replace(pair, left=left, right=right)


@cache
def _loaded(text: str) -> Claimed:
    return find_target(text)


def _subject_here(text: str) -> Mechanism:
    return _loaded(text).mechanism


def _pair_here(text: str, number: int) -> Pair:
    return _loaded(text).pairs[number]


def _not_here(*arguments: Any) -> NoReturn:
    raise TargetError("target", "calls on the processes that it was found with", f"a call here: {arguments}")
