"""Protocols, domains and random rows for runs of the fast learner, on both sides of a comparison."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privboost.fast.domain import Domain
from privboost.fast.features import Categorical, Numeric
from privboost.fast.growth import LocalRows
from privboost.fast.protocol import (
    AS_PRINTED,
    SOUND,
    SOUND_NET,
    AlphaRule,
    BetaRule,
    LeafRule,
    Protocol,
    Relation,
    SplitLaw,
)
from privboost.reference.data import Example, Sample

Array = NDArray[Any]

_FIELDS = ("alpha", "sensitivity", "node_budget", "leaf", "beta")
"""The fields in which SOUND and AS_PRINTED differ."""

PROTOCOLS: dict[str, Protocol] = {
    "SOUND": SOUND,
    "AS_PRINTED": AS_PRINTED,
    **{f"SOUND, printed {field}": SOUND.changed(**{field: getattr(AS_PRINTED, field)}) for field in _FIELDS},
    **{
        f"AS_PRINTED, sound {field}": AS_PRINTED.changed(**{field: getattr(SOUND, field)})
        for field in _FIELDS
    },
    "permute and flip": SOUND.changed(split_law=SplitLaw.PERMUTE_AND_FLIP),
    "permute and flip, as printed": AS_PRINTED.changed(split_law=SplitLaw.PERMUTE_AND_FLIP),
    "uniform": SOUND.changed(split_law=SplitLaw.UNIFORM),
    "nets": SOUND_NET,
    "nets, chosen splits": SOUND.changed(leaf=LeafRule.NOISY_NET, beta=BetaRule.CONSTANT),
    "add/remove": SOUND.changed(relation=Relation.ADD_REMOVE),
    "add/remove, as printed": AS_PRINTED.changed(relation=Relation.ADD_REMOVE),
    "add/remove, permute and flip": SOUND.changed(
        relation=Relation.ADD_REMOVE, split_law=SplitLaw.PERMUTE_AND_FLIP
    ),
    "add/remove, nets": SOUND_NET.changed(relation=Relation.ADD_REMOVE),
    "estimated alpha": SOUND.changed(alpha=AlphaRule.NOISY_MINORITY),
    "estimated alpha, raw beta": SOUND.changed(alpha=AlphaRule.NOISY_MINORITY, beta=BetaRule.RAW),
    "raw minority": AS_PRINTED.changed(alpha=AlphaRule.RAW_MINORITY),
    "clamp before noise": SOUND.changed(leaf=LeafRule.LINK_CLAMP_NOISE, beta=BetaRule.CONSTANT),
}
"""The presets, each with one field of the other, and protocols with the remaining choices."""


def domain_of(*sizes: int, categories: tuple[int, ...] = ()) -> Domain:
    """Return a domain of numeric features with the given numbers of values, then categorical features."""
    numeric = [Numeric(f"n{index}", 0.0, 1.0, size) for index, size in enumerate(sizes)]
    others = [Categorical(f"c{index}", tuple("abcdefgh"[:size])) for index, size in enumerate(categories)]
    return Domain((*numeric, *others))


@dataclass(frozen=True, slots=True)
class Data:
    """Coded rows: codes of shape (features, rows), and labels -1 and 1."""

    codes: Array
    signs: Array

    @property
    def rows(self) -> LocalRows:
        """Return the rows in memory."""
        return LocalRows.in_memory(self.codes, self.signs)

    @property
    def sample(self) -> Sample:
        """Return the rows as a sample of the reference."""
        pairs = zip(self.codes.T.tolist(), self.signs.tolist(), strict=True)
        return tuple(Example(tuple(x), y) for x, y in pairs)


def random_data(domain: Domain, rows: int, seed: int) -> Data:
    """Return random rows of a domain; labels follow the first feature two times out of three."""
    generator = np.random.default_rng(seed)
    sizes = [feature.values for feature in domain.features]
    codes = np.array([generator.integers(0, size, rows) for size in sizes], dtype=np.uint8)
    leaning = np.where(codes[0] >= sizes[0] // 2, 1, -1)
    signs = np.where(generator.random(rows) < 1 / 3, generator.choice([-1, 1], rows), leaning)
    return Data(codes, signs.astype(np.int8))
