"""Runs of the fast learner, and the conversion of its settings, samples and trees for the reference.

The two learners share no code, so everything is converted by its public value: a choice by its name, a domain
by its bounds, a row by its codes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privboost.auditor.pairs.exact_settings import exact_setting
from privboost.fast.bits import bits_from
from privboost.fast.domain import Domain
from privboost.fast.features import Categorical, Numeric
from privboost.fast.files.transcript import TranscriptWriter
from privboost.fast.growth import LocalRows, Sampled, Tree
from privboost.fast.growth.fit import fit_trees
from privboost.fast.growth.setting import Setting
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
from privboost.reference.transcripts import Replay, replay

Array = NDArray[Any]
HALF = Fraction(1, 2)

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


Fitted = tuple[tuple[Tree, float], ...]


def sampled(seed: int) -> Sampled:
    """Return the draws of a seeded fit."""
    return Sampled(bits_from(seed))


@dataclass(slots=True)
class Scripted:
    """Scripted draws: the first of the best splits, and noise from a list, then 0.

    `scales` records the scale of every noise.
    """

    script: Iterable[int] = ()
    scales: list[Fraction] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.script = iter(self.script)

    def uniform(self, candidates: int, nodes: int) -> list[int]:
        """Return the first candidate for every node."""
        assert candidates > 0
        return [0] * nodes

    def splits(self, law: SplitLaw, scores: Array, rate: float) -> list[int]:
        """Return for every node the first candidate whose score is the greatest, up to rounding."""
        assert law is not SplitLaw.UNIFORM
        assert rate > 0
        best: list[int] = (scores >= scores.max(axis=1, keepdims=True) - 2.0**-30).argmax(axis=1).tolist()
        return best

    def noise(self, scale: Fraction) -> int:
        """Return the next noise, and 0 after the last."""
        self.scales.append(scale)
        return next(iter(self.script), 0)


def fit_with_transcript(setting: Setting, given: Data, seed: int) -> tuple[Fitted, list[str]]:
    """Return the trees of a seeded fit, and the lines of its transcript."""
    lines: list[str] = []
    writer = TranscriptWriter(setting, lines.append)
    return fit_trees(setting, given.rows, sampled(seed), writer.record), lines


def replayed(setting: Setting, given: Data, lines: list[str]) -> Replay:
    """Return the reference's replay of a transcript, computed from the sample and the setting."""
    return replay(lines, given.sample, setting=exact_setting(setting))


def same_trees(first: Fitted, second: Fitted) -> bool:
    """Return whether two ensembles are equal bit for bit."""
    if len(first) != len(second):
        return False
    for (tree, beta), (other, other_beta) in zip(first, second, strict=True):
        arrays = (
            (getattr(tree, name), getattr(other, name)) for name in ("feature", "value", "equal", "values")
        )
        if beta != other_beta or tree.depth != other.depth:
            return False
        if not all(a.dtype == b.dtype and np.array_equal(a, b) for a, b in arrays):
            return False
    return True


def decisions(setting: Setting, trees: Fitted, codes: Array) -> Array:
    """Return H of every row: integers of grid steps if leaves are nets, else floats."""
    whole = setting.protocol.leaf is LeafRule.NOISY_NET
    total: Array = np.zeros(codes.shape[1], dtype=np.int64 if whole else np.float64)
    for tree, beta in trees:
        total += tree.decide(codes) if whole else beta * tree.decide(codes)
    return total
