"""The privacy leaks of AS_PRINTED, each isolated as SOUND with a single printed choice.

A leak is demonstrated by a pair of neighbours whose exact loss is above the claim. Replacing the single
printed choice brings the loss of the same pair to at most the claim.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from privboost.reference.data import Domain, Observation, Sample, binary_domain, initial_weights, sample_of
from privboost.reference.exact import Extended

from .boosting import INITIAL_BOUND
from .privacy_loss import exact_loss
from .protocol import SOUND, AlphaRule, BetaRule, LeafRule, Parameters, Protocol
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

    def loss(self, protocol: Protocol) -> Extended:
        """Return the exact loss of the first sample against the second under a protocol."""
        setting = Setting(protocol, self.parameters, self.domain, len(self.first), INITIAL_BOUND)
        return exact_loss(setting, initial_weights(self.first), initial_weights(self.second)).total


_Row = tuple[Observation, int]


def _differing(
    domain: Domain, common: Sequence[_Row], one: _Row, other: _Row
) -> tuple[Domain, Sample, Sample]:
    """Return a domain and two samples of it that differ in one row."""
    return domain, sample_of(domain, [one, *common]), sample_of(domain, [other, *common])


_CONSTANT_BETA = replace(SOUND, name="SOUND, beta = 1", beta=BetaRule.CONSTANT)
_TIED: list[_Row] = [*[((0, 0), 1)] * 7, *[((0, 1), -1)] * 8, *[((1, 0), 1)] * 2]
"""With one more example 00+ the left half is balanced, so the strict risk of the tree is 0."""

LEAKS: tuple[Leak, ...] = (
    Leak(
        "leaf-noise-before-clamp",
        "sub-sec-sum-imp",
        "noise for values in [-M, M] is added to values up to 100, and clamped to M afterwards",
        replace(_CONSTANT_BETA, leaf=LeafRule.LINK_NOISE_CLAMP),
        replace(_CONSTANT_BETA, leaf=LeafRule.LINK_CLAMP_NOISE),
        Parameters(bound=Fraction(1)),
        *_differing(binary_domain(1), [((0,), -1), ((0,), -1)], ((0,), 1), ((1,), -1)),
    ),
    Leak(
        "raw-leverage",
        "defwunMF",
        "the coefficient is computed from raw labels and weights and released",
        replace(SOUND, beta=BetaRule.RAW),
        SOUND,
        Parameters(),
        *_differing(binary_domain(1), [((0,), -1)], ((0,), 1), ((0,), -1)),
    ),
    Leak(
        "raw-alpha",
        "fixALPHA",
        "alpha is computed from raw data; one flipped label moves it from 0 to 1",
        replace(SOUND, alpha=AlphaRule.RAW_STRICT),
        SOUND,
        Parameters(depth=2, beta_tree=Fraction(9, 10)),
        *_differing(binary_domain(2), _TIED, ((0, 0), -1), ((0, 0), 1)),
    ),
)
