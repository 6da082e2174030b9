"""Samples of labelled observations, and their weights.

Notation:
    S       sample          m       its size        w_i     weight of example i, in (0, 1]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from privboost.errors import PreconditionError
from privboost.reference.exact import Number, exact, exact_sum

from .domain import Domain, Observation


@dataclass(frozen=True, slots=True, order=True)
class Example:
    """A labelled observation."""

    x: Observation
    y: int

    def __post_init__(self) -> None:
        if self.y not in (-1, 1):
            raise PreconditionError("sec:def", "a label y of -1 or 1", self.y)

    def __str__(self) -> str:
        return f"{''.join(map(str, self.x))}{'+' if self.y == 1 else '-'}"


Sample: TypeAlias = tuple[Example, ...]
Weights: TypeAlias = tuple[Number, ...]


@dataclass(frozen=True, slots=True)
class WeightedSample:
    """A sample and the weights of its examples, in (0, 1].

    Paper: sec:priv.
    """

    sample: Sample
    weights: Weights

    def __post_init__(self) -> None:
        if len(self.weights) != len(self.sample):
            raise PreconditionError("sec:priv", f"{len(self.sample)} weights", len(self.weights))
        for weight in self.weights:
            if not 0 < exact(weight, "weight") <= 1:
                raise PreconditionError("sec:priv", "weights in (0, 1]", weight)

    def __iter__(self) -> Iterator[tuple[Example, Number]]:
        return zip(self.sample, self.weights, strict=True)

    @property
    def total(self) -> Number:
        """Return w(S), the sum of the weights."""
        return exact_sum(self.weights)

    def restricted(self, keep: Callable[[Observation], bool]) -> WeightedSample:
        """Return the examples whose observation satisfies `keep`, with their weights."""
        kept = [(example, weight) for example, weight in self if keep(example.x)]
        return WeightedSample(tuple(example for example, _ in kept), tuple(weight for _, weight in kept))


def sample_of(domain: Domain, rows: Sequence[tuple[Observation, int]]) -> Sample:
    """Return a sample of a domain from (observation, label) pairs."""
    return tuple(Example(domain.check(tuple(x)), y) for x, y in rows)


def unit_weights(sample: Sample) -> WeightedSample:
    """Return a sample with weight 1 for every example."""
    return WeightedSample(sample, (Fraction(1),) * len(sample))


def initial_weights(sample: Sample) -> WeightedSample:
    """Return a sample with weight 1/2 for every example.

    Paper: sec-boost (w_1), cboost (step 1).
    """
    return WeightedSample(sample, (Fraction(1, 2),) * len(sample))


def all_examples(domain: Domain) -> tuple[Example, ...]:
    """Return every labelled observation of a domain, in order."""
    return tuple(Example(x, y) for x in domain.observations() for y in (-1, 1))


def text_of(sample: Sample) -> str:
    """Return a sample as a string, such as '{00+, 01-}'."""
    return "{" + ", ".join(map(str, sample)) + "}"
