"""The public setting of a fit, and the records of its steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from privboost.fast.budgets import check_delta
from privboost.fast.domain import Domain
from privboost.fast.protocol import LeafRule, Parameters, Protocol

Record = Mapping[str, Any]
Recorder = Callable[[Record], None]


@dataclass(frozen=True, slots=True)
class Setting:
    """Everything that is public about a fit."""

    protocol: Protocol
    parameters: Parameters
    domain: Domain
    size: int
    """The public number m of rows, or a public bound on it under add/remove."""

    def __post_init__(self) -> None:
        check_delta(self.protocol, self.parameters)

    def weight_bound(self, tree_index: int) -> Fraction:
        """Return the public bound on the weights of a tree: 1/2 for the first tree and for nets, else 1."""
        always_half = self.protocol.leaf is LeafRule.NOISY_NET
        return Fraction(1) if tree_index and not always_half else Fraction(1, 2)
