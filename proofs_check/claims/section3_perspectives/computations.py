"""The exact laws of permute-and-flip for all small scores."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from privboost.proofs_check.kernel.certificates import Rejected
from privboost.reference.exact import log
from privboost.reference.privacy.mechanisms import certainly_less, permute_and_flip_law


def check_flips(candidates: int, height: int, factor: int) -> str:
    """Accept if raising all scores by 0 or 1 changes no probability by more than a factor.

    Scores are integers up to `height`; each increase by 1 doubles the weight.
    """
    laws = {}
    for scores in product(range(height + 2), repeat=candidates):
        law = permute_and_flip_law({i: Fraction(score) for i, score in enumerate(scores)}, log(2))
        laws[scores] = tuple(law.values())
    pairs = 0
    for low in product(range(height + 1), repeat=candidates):
        for move in product((0, 1), repeat=candidates):
            high = tuple(score + step for score, step in zip(low, move, strict=True))
            for first, second in zip(laws[low], laws[high], strict=True):
                if certainly_less(factor * first, second) or certainly_less(factor * second, first):
                    raise Rejected(f"scores {low} and {high}: {first} and {second}")
            pairs += 1
    return f"{pairs} pairs of {candidates} scores"
