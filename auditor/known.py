"""A mechanism whose privacy loss on a pair is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .pair import Pair
from .subject import Batch, Mechanism, Rng


@dataclass(frozen=True, slots=True)
class Known:
    """A mechanism, a pair, what is claimed and what is true on that pair."""

    subject: Mechanism
    pair: Pair
    claim: float
    exact: float
    """The least epsilon that holds on the pair at `delta`; what the reference computes is rounded up."""
    delta: float = 0.0
    why: str = ""
    """Where `exact` comes from."""

    @property
    def name(self) -> str:
        """Return the name of the mechanism."""
        return self.subject.name


@dataclass(frozen=True, slots=True)
class OneCall:
    """One call as a batch of one."""

    batch: Batch

    def __call__(self, given: Any, rng: Rng) -> Any:
        """Return one output."""
        return self.batch(given, rng, 1)[0]


def known(
    name: str,
    batch: Batch,
    pair: tuple[Any, Any],
    *,
    claim: float,
    exact: float,
    why: str,
    delta: float = 0.0,
) -> Known:
    """Return a vectorised mechanism with its pair."""
    subject = Mechanism(name, OneCall(batch), batch)
    return Known(subject, Pair(f"{pair[0]} against {pair[1]}", *pair, exact=exact), claim, exact, delta, why)


def by_name(*entries: Known) -> dict[str, Known]:
    """Return mechanisms by their names."""
    return {entry.name: entry for entry in entries}
