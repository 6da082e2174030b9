"""A mechanism whose privacy loss on a pair is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from privboost.auditor.pairs.pair import Pair

from .mechanism import Batch, Mechanism, Rng


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
    why: str = ""
    """Where `exact` comes from."""
    relation: str | None = None
    """The neighbouring relation of the claim, if the target states one."""
    promise: str = ""
    """What the documentation of the target says about its claim."""
    claim: str | None = None
    """A claim that is not epsilon at delta, such as gdp:1; `exact` is then the least parameter that holds."""

    @property
    def name(self) -> str:
        """Return the name of the mechanism."""
        return self.mechanism.name


@dataclass(frozen=True, slots=True)
class OneCall:
    """One call as a batch of one."""

    batch: Batch

    def __call__(self, given: Any, rng: Rng) -> Any:
        """Return one output."""
        return self.batch(given, rng, 1)[0]


def make_known(
    name: str,
    batch: Batch,
    pair: tuple[Any, Any],
    *,
    claim: float,
    exact: float,
    why: str,
    delta: float = 0.0,
) -> Claimed:
    """Return a vectorised mechanism with its pair."""
    pairs = (Pair(f"{pair[0]} against {pair[1]}", *pair, exact=exact),)
    return Claimed(Mechanism(name, OneCall(batch), batch), pairs, claim, delta, exact, why)


def make_known_curve(
    name: str, batch: Batch, pair: tuple[Any, Any], *, claim: str, exact: float, why: str
) -> Claimed:
    """Return a vectorised mechanism with a claim that is not epsilon at delta, and its least parameter."""
    pairs = (Pair(f"{pair[0]} against {pair[1]}", *pair),)
    return Claimed(Mechanism(name, OneCall(batch), batch), pairs, exact=exact, why=why, claim=claim)


def index_by_name(*entries: Claimed) -> dict[str, Claimed]:
    """Return mechanisms by their names."""
    return {entry.name: entry for entry in entries}
