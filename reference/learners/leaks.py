"""The privacy leaks of the printed protocol, under the printed rules and isolated in SOUND.

A leak is demonstrated by a pair of neighbours whose exact loss is above the claim. Replacing a single printed
choice brings the loss of the same pair to at most the claim.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from privboost.reference.data import Domain, Observation, Sample, binary_domain, initial_weights, sample_of
from privboost.reference.exact import Extended

from .boosting import INITIAL_BOUND
from .privacy_loss import exact_loss, split_loss
from .protocol import AS_PRINTED, SOUND, AlphaRule, BetaRule, LeafRule, Parameters, Protocol
from .splitting import Setting


@dataclass(frozen=True, slots=True)
class Leak:
    """A printed choice that breaks privacy, the protocol without it, and a pair of samples that shows it."""

    key: str
    label: str
    what: str
    leaking: Protocol
    closed: Protocol
    parameters: Parameters
    domain: Domain
    first: Sample
    second: Sample
    splits_only: bool = False
    """Whether the loss is that of the splits alone, without the leaves and the coefficient."""

    def loss(self, protocol: Protocol) -> Extended:
        """Return the exact loss of the first sample against the second under a protocol."""
        setting = Setting(protocol, self.parameters, self.domain, len(self.first), INITIAL_BOUND)
        data = initial_weights(self.first), initial_weights(self.second)
        return split_loss(setting, *data) if self.splits_only else exact_loss(setting, *data).total

    @property
    def where(self) -> str:
        """Return the leaking protocol, and the released part that the loss is of."""
        return f"{self.leaking.name}, splits alone" if self.splits_only else self.leaking.name

    @property
    def samples(self) -> str:
        """Return the common examples with their numbers, and the one that is exchanged."""
        first, second = Counter(map(str, self.first)), Counter(map(str, self.second))
        common = ", ".join(f"{times} × ({row})" for row, times in (first & second).items())
        (one,), (other,) = (first - second), (second - first)
        return f"{common} and ({one}) against ({other})"


_Row = tuple[Observation, int]


def _neighbours(
    domain: Domain, common: Sequence[_Row], one: _Row, other: _Row
) -> tuple[Domain, Sample, Sample]:
    """Return a domain and two samples of it that differ in one row."""
    return domain, sample_of(domain, [one, *common]), sample_of(domain, [other, *common])


def _tie_but_one(half: int) -> list[_Row]:
    """Return examples with x1 = 0 that one more 00+ balances; the strict risk of their leaf is then 0."""
    return [*[((0, 0), 1)] * (half - 1), *[((0, 1), -1)] * half]


def raw_alpha_as_printed(half: int) -> Leak:
    """Return the leak of alpha under the printed rules, with 2 half + 1 examples."""
    return Leak(
        "raw-alpha",
        "fixALPHA",
        "alpha is computed from raw data; one flipped label moves it from 1 to 0",
        AS_PRINTED,
        replace(AS_PRINTED, name="AS_PRINTED, public alpha", alpha=AlphaRule.SCHEDULE),
        Parameters(depth=2, beta_tree=Fraction(9, 10)),
        *_neighbours(binary_domain(2), [*_tie_but_one(half), ((1, 0), 1)], ((0, 0), -1), ((0, 0), 1)),
        splits_only=True,
    )


_BETA_IN_LEAVES = replace(AS_PRINTED, name="AS_PRINTED, beta in the leaves", beta=BetaRule.CONSTANT)
"""The first of the two ways of line 466: leaf values include the coefficient."""

PRINTED_LEAKS: tuple[Leak, ...] = (
    Leak(
        "raw-leverage",
        "sec-solv",
        "the coefficient is computed from raw labels and weights and released",
        AS_PRINTED,
        _BETA_IN_LEAVES,
        Parameters(bound=Fraction(100)),
        *_neighbours(binary_domain(1), [((0,), -1)], ((0,), 1), ((0,), -1)),
    ),
    raw_alpha_as_printed(42),
    Leak(
        "leaf-noise-before-clamp",
        "sub-sec-sum-imp",
        "noise for values in [-M, M] is added to values up to 100, and clamped to M afterwards",
        _BETA_IN_LEAVES,
        replace(_BETA_IN_LEAVES, leaf=LeafRule.LINK_CLAMP_NOISE),
        Parameters(bound=Fraction(1)),
        *_neighbours(binary_domain(1), [((0,), -1), ((0,), -1)], ((0,), 1), ((1,), -1)),
    ),
)
"""The leaks under the printed rules. The scale of the leaf noise, 2 M over its budget, is not printed."""

_CONSTANT_BETA = replace(SOUND, name="SOUND, beta = 1", beta=BetaRule.CONSTANT)

LEAKS: tuple[Leak, ...] = (
    Leak(
        "leaf-noise-before-clamp",
        "sub-sec-sum-imp",
        "noise for values in [-M, M] is added to values up to 100, and clamped to M afterwards",
        replace(_CONSTANT_BETA, name="SOUND, beta = 1, late clamp", leaf=LeafRule.LINK_NOISE_CLAMP),
        replace(_CONSTANT_BETA, leaf=LeafRule.LINK_CLAMP_NOISE),
        Parameters(bound=Fraction(1)),
        *_neighbours(binary_domain(1), [((0,), -1), ((0,), -1)], ((0,), 1), ((1,), -1)),
    ),
    Leak(
        "raw-leverage",
        "defwunMF",
        "the coefficient is computed from raw labels and weights and released",
        replace(SOUND, name="SOUND, raw beta", beta=BetaRule.RAW),
        SOUND,
        Parameters(),
        *_neighbours(binary_domain(1), [((0,), -1)], ((0,), 1), ((0,), -1)),
    ),
    Leak(
        "raw-alpha",
        "fixALPHA",
        "alpha is computed from raw data; one flipped label moves it from 0 to 1",
        replace(SOUND, name="SOUND, raw alpha", alpha=AlphaRule.RAW_STRICT),
        SOUND,
        Parameters(depth=2, beta_tree=Fraction(9, 10)),
        *_neighbours(binary_domain(2), [*_tie_but_one(8), *[((1, 0), 1)] * 2], ((0, 0), -1), ((0, 0), 1)),
    ),
)
"""The same leaks, each as SOUND with a single printed choice."""
