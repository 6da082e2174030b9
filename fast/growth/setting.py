"""What is public about a fit, and the records that a fit makes of its steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from privboost.fast.domain import Domain
from privboost.fast.protocol import LeafRule, Parameters, Protocol

Record = Mapping[str, Any]
Recorder = Callable[[Record], None]


def ignore(_record: Record) -> None:
    """Discard a record."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What is public about a fit."""

    protocol: Protocol
    parameters: Parameters
    domain: Domain
    size: int
    """The public number m of rows, or a public bound on it under add/remove."""

    def weight_bound(self, tree_index: int) -> Fraction:
        """Return the public bound on the weights of tree 0, 1, ...: 1/2, then 1, and always 1/2 with nets."""
        always_half = self.protocol.leaf is LeafRule.NOISY_NET
        return Fraction(1) if tree_index and not always_half else Fraction(1, 2)
