"""Bets on the draws of all requests of a sampler together, to notice small errors.

The draws are those of the checks of single requests. A bet on the law of a known mistake is multiplied over
all requests, so that errors add up that are too small to be seen in one of them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from fractions import Fraction

import numpy as np

from privboost.gate.checks.evidence import ROUNDING, Evidence, mean_evidence

from .laws import GridLaw, exact_split_law

FACTORS = (0.8, 0.9, 0.95, 0.97, 1.03, 1.05, 1.1, 1.25)
CUTS = (4, 5, 6, 7)
"""Numbers of scales beyond which noise may be missing."""
POSITIVE_SHARES = (0.45, 0.475, 0.49, 0.51, 0.525, 0.55)
MIXED_SHARES = (0.02, 0.05, 0.1)
"""Shares of draws that may be uniform."""

Noise = tuple[GridLaw, Sequence[int]]
"""A law, and its draws in steps."""
Splits = tuple[Mapping[str, object], Sequence[str]]
"""The arguments of a request, and the candidates that were drawn."""


def pooled_noise(requests: Sequence[Noise]) -> Evidence:
    """Return the mean evidence of all bets on noise."""
    wealth: dict[str, list[float]] = {}
    for law, draws in requests:
        sizes = np.abs(np.array(draws, dtype=np.float64))
        signs = np.sign(np.array(draws, dtype=np.float64))
        for rival, ratio in _noise_ratios(law, sizes, signs):
            wealth.setdefault(rival, []).append(ratio - ROUNDING * len(draws))
    return _mean(wealth, sum(len(draws) for _, draws in requests))


def _noise_ratios(law: GridLaw, sizes: np.ndarray, signs: np.ndarray) -> Iterator[tuple[str, float]]:
    """Yield the log likelihood ratio of every rival."""
    rate, count = law.rate, len(sizes)
    for factor in FACTORS:
        other = rate / factor
        normaliser = math.log(math.tanh(other / 2)) - math.log(math.tanh(rate / 2))
        yield f"noise of {factor:g} times the scale", count * normaliser + float(sizes.sum()) * (rate - other)
    for cut in CUTS:
        most = int(Fraction(cut) * law.scale / law.step)
        inside = law.between(-most, most)
        beyond = bool((sizes > most).any())
        yield (
            f"noise without its tails beyond {cut} scales",
            -math.inf if beyond else -count * math.log(inside),
        )
        at_end = int((sizes == most).sum())
        # All of a tail has the probability of its first step times 1 / (1 - exp(-rate)).
        clamped = -at_end * math.log(-math.expm1(-rate))
        yield f"noise clamped at {cut} scales", -math.inf if beyond else clamped
    for share in POSITIVE_SHARES:
        positive, negative = int((signs > 0).sum()), int((signs < 0).sum())
        ratio = positive * math.log(2 * share) + negative * math.log(2 - 2 * share)
        yield f"noise that is positive with probability {share:g} if it is not 0", ratio


def pooled_splits(requests: Sequence[Splits]) -> Evidence:
    """Return the mean evidence of all bets on splits."""
    wealth: dict[str, list[float]] = {}
    for args, draws in requests:
        law, counts = exact_split_law(args), Counter(draws)
        for rival, other in _split_rivals(args, law):
            ratio = 0.0
            for name, count in counts.items():
                chance = other.get(name, 0.0)
                ratio += count * (math.log(chance / law[name]) - ROUNDING) if chance else -math.inf
            wealth.setdefault(rival, []).append(ratio)
    return _mean(wealth, sum(len(draws) for _, draws in requests))


def _split_rivals(
    args: Mapping[str, object], law: Mapping[Hashable, float]
) -> Iterator[tuple[str, Mapping[Hashable, float]]]:
    epsilon = Fraction(str(args["epsilon"]))
    for factor in FACTORS:
        changed = {"epsilon": str(epsilon * Fraction(str(factor)))}
        yield f"the law with {factor:g} times the rate", exact_split_law(dict(args) | changed)
    for share in MIXED_SHARES:
        mixed = {name: (1 - share) * chance + share / len(law) for name, chance in law.items()}
        yield f"the law with {share:g} of the draws uniform", mixed
    least = min(law, key=lambda name: law[name])
    kept = {name: chance / (1 - law[least]) for name, chance in law.items() if name != least}
    yield "the law without its least likely candidate", kept
    last = list(law)[-1]
    yield (
        "the law without the last candidate",
        {name: chance / (1 - law[last]) for name, chance in law.items() if name != last},
    )


def _mean(wealth: Mapping[str, Sequence[float]], count: int) -> Evidence:
    """Return the mean evidence, given the log wealth of every rival by the index of the request."""
    return mean_evidence(
        [
            Evidence(
                sum(won),
                f"the {count} draws of all requests together. Closer to them: {rival}",
                max(range(len(won)), key=won.__getitem__),
            )
            for rival, won in wealth.items()
        ]
    )
