"""From scores to guesses: which canaries are guessed to be in and which to be out, in which order.

Canaries are taken from the ends of the scores: a high score is guessed to be in, a low one to be out. The
order depends on the scores and on random numbers that break ties; the coins are no argument of the function
that makes it. So a guess cannot depend on the coin that it guesses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from privboost.errors import PreconditionError

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Indices = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class ScoredRun:
    """The scores of all canaries after one training, and the coins: whether each canary was in."""

    scores: Floats
    coins: Bools


class Ends(NamedTuple):
    """Indices of canaries from the ends of their scores to the middle."""

    top: Indices
    bottom: Indices


def order_scores(scores: Floats, rng: np.random.Generator) -> Ends:
    """Return the canaries from both ends of their scores; those whose score is NaN are in neither.

    The ends are equally long, so that one canary may be left over in the middle.
    """
    order = np.lexsort((rng.permutation(scores.size), scores))[: int(np.sum(~np.isnan(scores)))]
    half = order.size // 2
    return Ends(order[order.size - half :][::-1], order[:half])


def guess_both(run: ScoredRun, ends: Ends) -> Bools:
    """Return which guesses are right if both ends are guessed in turn, from the ends to the middle."""
    return np.stack([run.coins[ends.top], ~run.coins[ends.bottom]], axis=1).ravel()


def guess_top(run: ScoredRun, ends: Ends) -> Bools:
    """Return which guesses are right if the upper half of the scores is guessed to be in."""
    return run.coins[ends.top]


def guess_fixed(run: ScoredRun, ends: Ends, count: tuple[int, int]) -> Bools:
    """Return which guesses are right for the `count` highest and lowest scores.

    Ensures: PreconditionError if a count is more than half of the scores, or both are 0.
    """
    if not (min(count) >= 0 < sum(count) and count[0] <= ends.top.size and count[1] <= ends.bottom.size):
        expected = (
            f"two numbers from 0 to {ends.top.size}, not both 0: guesses of the highest and lowest scores"
        )
        raise PreconditionError("guesses", expected, count)
    return np.concatenate([run.coins[ends.top[: count[0]]], ~run.coins[ends.bottom[: count[1]]]])


def interleave(sequences: Sequence[Bools]) -> Bools:
    """Return the guesses of several runs as one sequence, the first of every run before the second of any."""
    ranks = np.concatenate([np.arange(sequence.size) for sequence in sequences])
    return np.concatenate(sequences)[np.argsort(ranks, kind="stable")]
