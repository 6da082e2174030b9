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

from privboost.auditor.pairs.exact_settings import exact_setting
from privboost.fast.bits import bits_from
from privboost.fast.files.transcript import TranscriptWriter
from privboost.fast.growth import Sampled, Tree
from privboost.fast.growth.fit import fit_trees
from privboost.fast.growth.setting import Setting
from privboost.fast.protocol import LeafRule, SplitLaw
from privboost.reference.transcripts import Replay, replay
from tools.fast_inputs import Array, Data

Fitted = tuple[tuple[Tree, float], ...]


def make_samples(seed: int) -> Sampled:
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
    return fit_trees(setting, given.rows, make_samples(seed), writer.record), lines


def replay_exactly(setting: Setting, given: Data, lines: list[str]) -> Replay:
    """Return the reference's replay of a transcript, computed from the sample and the setting."""
    return replay(lines, given.sample, setting=exact_setting(setting))


def check_replay(setting: Setting, given: Data, seed: int) -> list[str]:
    """Check that the reference replays the transcript of a seeded fit to its end, and return its lines."""
    _, lines = fit_with_transcript(setting, given, seed)
    assert replay_exactly(setting, given, lines).lines == len(lines)
    return lines


def same_trees(first: Fitted, second: Fitted) -> bool:
    """Return whether two ensembles are equal bit for bit."""

    def bits(trees: Fitted) -> list[Any]:
        arrays = ((tree.feature, tree.value, tree.equal, tree.values) for tree, _ in trees)
        contents = [[(array.dtype, array.tobytes()) for array in four] for four in arrays]
        return [*contents, *((tree.depth, beta) for tree, beta in trees)]

    return bits(first) == bits(second)


def decisions(setting: Setting, trees: Fitted, codes: Array) -> Array:
    """Return H of every row: integers of grid steps if leaves are nets, else floats."""
    whole = setting.protocol.leaf is LeafRule.NOISY_NET
    total: Array = np.zeros(codes.shape[1], dtype=np.int64 if whole else np.float64)
    for tree, beta in trees:
        total += tree.decide(codes) if whole else beta * tree.decide(codes)
    return total
