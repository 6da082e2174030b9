"""Public domains: what is known about the attributes before any data is seen.

Notation:
    n_v     public number of values of a quantised attribute        g       split, a test X -> {0, 1}

An observation is a tuple of value indices, one per attribute. Bounds, numbers of values and categories
are given as public information and never read from data.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import TypeAlias

from privboost.errors import PreconditionError
from privboost.reference.exact import Exact, exact

Observation: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Quantised:
    """A continuous attribute, cut into n_v cells of equal width between public bounds.

    Paper: sec-solv (public information).
    """

    name: str
    n_values: int
    lo: Fraction = Fraction(0)
    hi: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        if self.n_values < 1:
            raise PreconditionError("sec-solv", f"at least one value of {self.name}", self.n_values)
        if not self.lo < self.hi:
            raise PreconditionError("sec-solv", f"lo < hi for {self.name}", f"[{self.lo}, {self.hi}]")

    def index(self, value: Exact) -> int:
        """Return the cell of a value: floor(n_v (value - lo) / (hi - lo)), clipped to the public range."""
        number = exact(value, self.name)
        for cell in range(1, self.n_values):
            if number < self.lo + (self.hi - self.lo) * Fraction(cell, self.n_values):
                return cell - 1
        return self.n_values - 1


@dataclass(frozen=True, slots=True)
class Categorical:
    """An attribute with public, unordered values."""

    name: str
    values: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.values or len(set(self.values)) != len(self.values):
            raise PreconditionError("sec-solv", f"distinct values of {self.name}", self.values)

    @property
    def n_values(self) -> int:
        """Return the number of categories."""
        return len(self.values)

    def index(self, value: str) -> int:
        """Return the index of a category."""
        if value not in self.values:
            raise PreconditionError("sec-solv", f"a value of {self.name} among {self.values}", value)
        return self.values.index(value)


Attribute: TypeAlias = Quantised | Categorical


@dataclass(frozen=True, slots=True)
class Threshold:
    """The test x[attribute] >= cut.

    Paper: wlaKMDT (a split g).
    """

    attribute: int
    cut: int

    def __call__(self, x: Observation) -> int:
        """Return g(x), 1 from the cut on and else 0."""
        return int(x[self.attribute] >= self.cut)

    def __str__(self) -> str:
        return f"x{self.attribute} >= {self.cut}"


@dataclass(frozen=True, slots=True)
class OneVersusRest:
    """The test x[attribute] = value of a categorical attribute."""

    attribute: int
    value: int

    def __call__(self, x: Observation) -> int:
        """Return g(x), 1 for the value and else 0."""
        return int(x[self.attribute] == self.value)

    def __str__(self) -> str:
        return f"x{self.attribute} = {self.value}"


Split: TypeAlias = Threshold | OneVersusRest


@dataclass(frozen=True, slots=True)
class Domain:
    """A public attribute domain X."""

    attributes: tuple[Attribute, ...]

    def __post_init__(self) -> None:
        if not self.attributes:
            raise PreconditionError("sec-solv", "at least one attribute", "none")

    def observations(self) -> Iterator[Observation]:
        """Yield every observation."""
        return product(*(range(attribute.n_values) for attribute in self.attributes))

    def check(self, x: Observation) -> Observation:
        """Return an observation, or raise PreconditionError if it is not in the domain."""
        sizes = [attribute.n_values for attribute in self.attributes]
        inside = len(x) == len(sizes) and all(0 <= value < size for value, size in zip(x, sizes, strict=True))
        if not inside:
            raise PreconditionError("sec:def", f"an observation with indices below {sizes}", x)
        return x


def splits(domain: Domain) -> tuple[Split, ...]:
    """Return the set of splits G: thresholds of quantised attributes, one value against the rest for others.

    Paper: expSPLIT. A categorical attribute with two values has one split, because both tests are the same.
    """
    candidates: list[Split] = []
    for index, attribute in enumerate(domain.attributes):
        if isinstance(attribute, Quantised):
            candidates += [Threshold(index, cut) for cut in range(1, attribute.n_values)]
        else:
            values = range(attribute.n_values) if attribute.n_values > 2 else range(attribute.n_values - 1)
            candidates += [OneVersusRest(index, value) for value in values]
    return tuple(candidates)


def binary_domain(attributes: int) -> Domain:
    """Return the domain {0, 1}^attributes, which is small enough for exhaustive checks."""
    return Domain(tuple(Quantised(f"x{index}", 2) for index in range(attributes)))
