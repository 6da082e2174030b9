"""The exact sensitivity of small samples against the bound of Theorem th3P."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from privboost.proofs_check.kernel.certificates import Rejected
from privboost.reference import losses
from privboost.reference.data import Relation
from privboost.reference.privacy.sensitivity import bound_th3p, exact_sensitivity


def exhaust(sizes: tuple[int, ...], less: int) -> str:
    """Compare the exact sensitivity of a leaf, over all neighbours on a grid of weights, with the bound."""
    changes = []
    for size, loss in product(sizes, (losses.SQUARE, losses.MATSUSHITA)):
        change = exact_sensitivity(loss, size, [Fraction(1, 2), Fraction(1)], Relation.EXCHANGE).value
        if not change <= bound_th3p(loss, size) - less:
            raise Rejected(f"{change} is too large for {size} examples")
        changes.append(f"{change} of {bound_th3p(loss, size)}")
    return "exact sensitivity " + ", ".join(changes)
