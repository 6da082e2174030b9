"""The choice of trees and depth: from public quantities, as documented, and within what can be fitted."""

from __future__ import annotations

from fractions import Fraction

import pytest

from privboost.fast.estimators.defaults import choose_parameters
from privboost.fast.protocol import AS_PRINTED, SOUND, SOUND_NET, Parameters


@pytest.mark.parametrize(
    ("size", "epsilon", "chosen"),
    [
        (1, "1/10000", (2, 2)),
        (1000, "1/10", (8, 4)),
        (1097, "1", (25, 5)),
        (15216, "1", (93, 6)),
        (15216, "10", (128, 6)),
        (10**7, "1", (128, 8)),
        (10**9, "1000000000000", (128, 8)),
    ],
)
def test_choose_parameters__nets_follow_the_documented_rule(
    size: int, epsilon: str, chosen: tuple[int, int]
) -> None:
    assert choose_parameters(size, 5, Fraction(epsilon), SOUND_NET) == chosen


@pytest.mark.parametrize("protocol", [SOUND, AS_PRINTED])
@pytest.mark.parametrize(("size", "depth"), [(1, 2), (800, 4), (10**8, 8)])
def test_choose_parameters__other_protocols_have_twenty_trees(
    protocol: object, size: int, depth: int
) -> None:
    assert choose_parameters(size, 5, Fraction(1), protocol) == (20, depth)  # type: ignore[arg-type]


def test_choose_parameters__only_the_product_of_size_and_budget_decides() -> None:
    for size, epsilon in ((100, Fraction(10)), (1000, Fraction(1)), (10**4, Fraction(1, 10))):
        trees, depth = choose_parameters(size, 3, epsilon, SOUND_NET)
        assert (trees, depth) == choose_parameters(1000, 99, Fraction(1), SOUND_NET)
        assert Parameters(trees, depth, epsilon).trees == trees
