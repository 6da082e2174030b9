"""What a run draws and releases, in order, and the same draws and releases frozen in another run.

A draw is recorded with the state of its generator. In a replay the k-th draw of a law at a call site starts
from the recorded state, so that equal parameters give equal values, and other parameters give the value that
the same coins stand for. Draws are matched per call site, so that a branch does not shift all that follow.
"""

from __future__ import annotations

import copy
import random
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

MOST_EVENTS = 20_000
"""Draws beyond this number are made, but not recorded."""

Moves = Mapping[int, NDArray[np.float64]]
"""What is added to a recorded draw, by its position among the draws."""


@dataclass(frozen=True, slots=True)
class RecordedDraw:
    """One call of a generator."""

    site: str
    law: str
    parameters: dict[str, Any]
    value: Any
    coins: Any
    """The state of the generator before the draw, or the seed that stands for the operating system."""
    generator: int
    """The identity of the generator; 0 for the operating system."""

    @property
    def key(self) -> tuple[str, str]:
        """Return the call site and the law."""
        return self.site, self.law

    @property
    def size(self) -> int:
        """Return the number of values that were drawn."""
        return int(np.size(self.value)) if self.value is not None else 1


@dataclass(frozen=True, slots=True)
class RecordedRelease:
    """One call of a mechanism: what it got, what it states, and what it released."""

    site: str
    name: str
    value: Any
    output: Any
    epsilon: float | None
    delta: float | None
    sensitivity: float | None
    inner: Any = None
    """Other data of the mechanism, such as its utilities, in a form that can be compared."""

    @property
    def key(self) -> tuple[str, str]:
        """Return the call site and the mechanism."""
        return self.site, self.name


@dataclass(slots=True)
class RecordedEvents:
    """The draws and the releases of one run."""

    draws: list[RecordedDraw] = field(default_factory=list)
    releases: list[RecordedRelease] = field(default_factory=list)
    order: list[tuple[str, str]] = field(default_factory=list)
    is_full: bool = False

    def add(self, event: RecordedDraw | RecordedRelease) -> None:
        """Append an event, unless there are too many."""
        if len(self.order) >= MOST_EVENTS:
            self.is_full = True
            return
        self.order.append(event.key)
        if isinstance(event, RecordedDraw):
            self.draws.append(event)
        else:
            self.releases.append(event)


@dataclass(frozen=True, slots=True)
class Drawing:
    """A draw that is about to be made."""

    key: tuple[str, str]
    """The call site and the law."""
    parameters: dict[str, Any]
    generator: Any
    """The generator; None for the operating system."""
    coins_now: Callable[[], Any] | None
    """Returns the state of the generator; None if the recorder chooses a seed instead."""
    sample: Callable[[Any], Any]
    """Draws from given coins; with None it goes on with those of the generator."""
    keep: bool = True
    """Whether the value is kept."""


class Recorder:
    """Records a run; with a frozen tape its draws and releases are those of the tape."""

    def __init__(
        self, entropy: random.Random, frozen: RecordedEvents | None = None, moves: Moves | None = None
    ) -> None:
        self.tape = RecordedEvents()
        self._entropy, self._moves = entropy, moves or {}
        # Generators are kept until the end of the run, so that no two have the same identity.
        self._generators: dict[int, Any] = {}
        self._draws: dict[tuple[str, str], list[tuple[int, RecordedDraw]]] = defaultdict(list)
        self._releases: dict[tuple[str, str], list[RecordedRelease]] = defaultdict(list)
        if frozen is not None:
            for index, draw in reversed(list(enumerate(frozen.draws))):
                self._draws[draw.key].append((index, draw))
            for release in reversed(frozen.releases):
                self._releases[release.key].append(release)

    def draw(self, drawing: Drawing) -> Any:
        """Return the value of a draw."""
        frozen = self._draws[drawing.key]
        index, before = frozen.pop() if frozen else (-1, None)
        coins: Any
        if before is not None:
            coins = before.coins
            is_same = _is_same_choice(before, drawing.parameters)
            value = copy.copy(before.value) if is_same else drawing.sample(coins)
        elif drawing.coins_now is None:
            with inside():
                coins = self._entropy.getrandbits(128)
            value = drawing.sample(coins)
        else:
            coins = drawing.coins_now()
            value = drawing.sample(None)
        if index in self._moves:
            moved = value + np.reshape(self._moves[index], np.shape(value))
            value = moved.astype(value.dtype) if isinstance(value, np.ndarray) else type(value)(moved)
        kept, generator = copy.copy(value) if drawing.keep else None, drawing.generator
        self._generators[id(generator)] = generator
        number = 0 if generator is None else id(generator)
        self.tape.add(RecordedDraw(*drawing.key, drawing.parameters, kept, coins, number))
        return value

    def release(
        self, key: tuple[str, str], stated: Callable[[Any], RecordedRelease], call: Callable[[], Any]
    ) -> Any:
        """Return what a mechanism releases; in a replay, what it released before."""
        before = self._releases[key].pop() if self._releases[key] else None
        output = call() if before is None else copy.deepcopy(before.output)
        self.tape.add(stated(copy.deepcopy(output)))
        return output


def _is_same_choice(before: RecordedDraw, parameters: dict[str, Any]) -> bool:
    """Return whether a draw selects from the same list with given probabilities.

    It is then frozen by its value, as a release: what differs is the probability of the value.
    """
    weights = before.parameters.get("weights"), parameters.get("weights")
    return all(each is not None for each in weights) and before.parameters["a"] == parameters["a"]


class _Inside(threading.local):
    """Whether this thread is inside of a draw or a release that is being recorded."""

    depth = 0


_INSIDE = _Inside()
_CURRENT: list[Recorder] = []


def current() -> Recorder | None:
    """Return the recorder of the run; None outside of runs and inside of a recorded draw."""
    return _CURRENT[-1] if _CURRENT and not _INSIDE.depth else None


@contextmanager
def inside() -> Iterator[None]:
    """Leave draws unrecorded: they are those of a draw or release that is recorded as a whole."""
    _INSIDE.depth += 1
    try:
        yield
    finally:
        _INSIDE.depth -= 1


@contextmanager
def recording(recorder: Recorder) -> Iterator[None]:
    """Give all draws and releases to a recorder."""
    _CURRENT.append(recorder)
    try:
        yield
    finally:
        _CURRENT.remove(recorder)
