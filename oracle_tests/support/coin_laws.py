"""Compare a sampler with an exact law, by running it on all bit strings up to a rest of 2^-40."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from privboost.reference.exact import Exact, decimal
from privboost.reference.privacy.bits import BitSource
from privboost.reference.privacy.coins import CoinLaw, enumerate_law

DEPTH = 46
TOLERANCE = Fraction(1, 2**40)

Sampler = Callable[[BitSource], Any]
Probabilities = Mapping[Any, Exact]


def contradictions_of(law: CoinLaw[Any], probabilities: Probabilities) -> list[str]:
    """Return how a counted law contradicts an exact one; missing outcomes have probability 0."""
    contradictions = []
    if sum(law.masses.values()) + law.rest != 1:
        contradictions.append("the masses and the rest do not add up to 1")
    if law.rest > TOLERANCE:
        contradictions.append(f"a rest of {law.rest} is undecided")
    contradictions += [
        f"{outcome} should never occur" for outcome in law.masses if outcome not in probabilities
    ]
    for outcome, probability in probabilities.items():
        if probability not in law.enclose(outcome):
            mass, wanted = decimal(law.enclose(outcome).lo, 15), decimal(probability, 15)
            contradictions.append(f"{outcome}: counted {mass}, expected {wanted}")
    return contradictions


def check(
    sampler: Sampler, probabilities: Probabilities, most_bits: Exact | None = None, depth: int = DEPTH
) -> None:
    """Assert that a sampler has a law, and reads at most `most_bits` bits on average."""
    law = enumerate_law(sampler, depth)
    print(f"expected bits: {decimal(law.bits, 3)}, rest: {decimal(law.rest, 18)}")
    assert contradictions_of(law, probabilities) == []
    assert most_bits is None or law.bits <= most_bits
