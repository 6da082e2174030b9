"""The mechanism that is audited, its pairs and its claim; banks of mechanisms whose loss is known.

A mechanism turns an input and a source of randomness into an output. Inputs and outputs may be any objects: a
number, an array, a list of any length, a tree as nested dictionaries.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from privboost.auditor.pairs.pair import Pair
from privboost.limits import ANSWERS

if TYPE_CHECKING:
    from privboost.auditor.inputs.description import Description

Array = NDArray[Any]
Rng = np.random.Generator

Call = Callable[[Any, Rng], Any]
"""One call: take an input and a generator that no other call uses, and return an output."""

Batch = Callable[[Any, Rng, int], Sequence[Any] | NDArray[Any]]
"""Many independent calls on one input, for vectorised mechanisms; outputs are along axis 0.

In each portion all calls on the left input are made before those on the right one, so outputs must not depend
on each other or on time.
"""

InOrder = Callable[[Sequence[Any], Sequence[Rng]], Sequence[Any]]
"""Calls in order, each with its own input and generator, for programs that receive requests ahead."""


@dataclass(frozen=True, slots=True)
class Mechanism:
    """A mechanism and its name; `batch` and `in_order`, if given, are equivalent to many calls."""

    name: str
    call: Call
    batch: Batch | None = None
    in_order: InOrder | None = None
    seeded: bool = False
    """Whether its seed is known to be that of the call; constant outputs then mean that it has no noise."""
    repeats: bool | Callable[[], bool] | None = None
    """Whether calls with the same generator give the same output; a function asks the mechanism itself, and
    None leaves it to repeated calls."""


@dataclass(frozen=True, slots=True)
class Claimed:
    """A mechanism with its pairs, its claim and, if known, its exact epsilon."""

    mechanism: Mechanism
    pairs: tuple[Pair, ...] = ()
    epsilon: float | None = None
    """The epsilon that is claimed, if any."""
    delta: float = 0.0
    """The delta that is claimed with it."""
    exact: float | None = None
    """The least epsilon that holds on the pairs at `delta`; what the reference computes is rounded up."""
    relation: str | None = None
    """The neighbouring relation of the claim, if the target states one."""
    promise: str = ""
    """What the documentation of the target says about its claim."""
    claim: str | None = None
    """A claim that is not epsilon at delta, such as gdp:1; `exact` is then the least parameter that holds."""
    purpose: str = ""
    """What the mechanism does, in one line."""
    inputs: Description | None = None
    """The inputs that the target declares, if it does."""
    constants: tuple[Any, ...] = ()
    """Numbers and strings in the source of the target, at which it may branch."""

    @property
    def name(self) -> str:
        """Return the name of the mechanism."""
        return self.mechanism.name


@dataclass(frozen=True, slots=True)
class WithoutGenerator:
    """A function of a data set as one call; its randomness is its own."""

    function: Callable[[Any], Any]

    def __call__(self, given: Any, rng: Rng) -> Any:
        """Return one output."""
        return self.function(given)


@dataclass(frozen=True, slots=True)
class OneCall:
    """One call as a batch of one."""

    batch: Batch

    def __call__(self, given: Any, rng: Rng) -> Any:
        """Return one output."""
        return self.batch(given, rng, 1)[0]


def first_sentence(function: Any) -> str:
    """Return the first sentence of the docstring of a function, also of one with some arguments fixed."""
    function = function.func if isinstance(function, partial) else function
    paragraph = " ".join((inspect.getdoc(function) or "").partition("\n\n")[0].split())
    return f"{paragraph.partition('. ')[0].rstrip('.')}."


@dataclass(frozen=True, slots=True)
class Known:
    """An entry of a bank: a vectorised mechanism, its pair, its claim and its exact loss on the pair."""

    batch: Batch
    pair: tuple[Any, Any]
    claim: float | str
    """The claimed epsilon, or a claim that is not epsilon at delta, such as gdp:1."""
    exact: float
    delta: float = 0.0
    relation: str = ""
    """The relation of the pair, if it is not that of `Pair`."""
    purpose: str = ""
    """What the mechanism does, if the docstring of `batch` does not say it."""


KnownOfAnswers = partial(Known, relation=ANSWERS)
"""An entry whose inputs are answers to queries."""


class Bank(Mapping[str, Claimed]):
    """Mechanisms by name; an entry is made when it is first used, since exact losses take time."""

    def __init__(self, entries: Mapping[str, Callable[[], Known]]) -> None:
        self._entries, self._made = entries, dict[str, Claimed]()

    def __getitem__(self, name: str) -> Claimed:
        if name not in self._made:
            entry = self._entries[name]()
            purpose = entry.purpose or first_sentence(entry.batch)
            epsilon, claim = (None, entry.claim) if isinstance(entry.claim, str) else (entry.claim, None)
            left, right = entry.pair
            exact = entry.exact if claim is None else None
            pair = Pair(f"{left} against {right}", left, right, entry.relation, exact)
            mechanism = Mechanism(name, OneCall(entry.batch), entry.batch, repeats=True)
            self._made[name] = Claimed(
                mechanism, (pair,), epsilon, entry.delta, entry.exact, claim=claim, purpose=purpose
            )
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)
