"""The result of a bounded check of epsilon-DP: what was judged, and the greatest loss."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from privboost.reference.data import Relation, Sample
from privboost.reference.exact import Infinity, Number, exact

from .boosting import Release
from .privacy_loss import ExactLoss

Progress = Callable[[int, int, ExactLoss], None]
"""Called with the number of classes of cases judged, that of all classes, and the greatest loss so far."""


@dataclass(frozen=True, slots=True)
class Verification:
    """The extent of a check, the greatest loss, and where it is attained."""

    claim: Number
    pairs: int
    """Unordered pairs of neighbours that the check covers, all of them in both directions."""
    classes: int
    """Classes of pairs with equal losses; one pair of each class was judged."""
    trees: int
    """Trees that were judged for each pair: all trees of the depth."""
    releases: int
    """Releases before the tree that the check covers for each pair; 1 if nothing was released."""
    all_releases: bool
    """Whether these are all possible releases, or a finite part of them."""
    combinations: int
    """Combinations of a pair, a release and a tree that the check covers."""
    cases: int
    """Combinations of a pair and a release that were judged; the others have the losses of one of them."""
    greatest: ExactLoss
    first: Sample
    second: Sample
    given: Release | None = None
    """The first tree after which the loss is attained, if all first trees were judged."""

    @property
    def holds(self) -> bool:
        """Return whether the greatest loss is at most the claim, decided exactly.

        The search for the greatest loss does not distinguish losses that differ by less than 2^-128, unless
        they are rational. If the greatest loss is below the claim by at least that much, the claim holds for
        every pair; otherwise it holds up to 2^-128.
        """
        return not isinstance(self.greatest.total, Infinity) and exact(self.greatest.total) <= self.claim


def sizes_of_pairs(relation: Relation, size: int) -> range:
    """Return the sizes of the larger sample of a pair: all from the bound down to 1 under add/remove.

    Paper: defEDPRIV. Under exchange the size is public, so samples of another size are never compared.
    """
    return range(size, 0 if relation is Relation.ADD_REMOVE else size - 1, -1)
