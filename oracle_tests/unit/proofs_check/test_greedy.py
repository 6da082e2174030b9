"""The counterexample to the boosting theorem for greedy trees, grown step by step on a small sample."""

from __future__ import annotations

from itertools import product
from math import sqrt

import pytest

from privboost.proofs_check.claims.section5_trees.greedy import CORE, POSITIVES

ATTRIBUTES, GROUPS = 3, 7
GAMMA = 1 - (7 / 13) ** 2
Row = tuple[tuple[int, ...], int, float]


def _sample() -> list[Row]:
    """Return A and B as rows (attributes, label, weight): in A or not, attributes of A, groups of B."""
    rows: list[Row] = []
    for bits, label in product(product((0, 1), repeat=ATTRIBUTES), (1, -1)):
        agreeing = sum(bits) if label == 1 else ATTRIBUTES - sum(bits)
        weight = ((1 + GAMMA) / 2) ** agreeing * ((1 - GAMMA) / 2) ** (ATTRIBUTES - agreeing)
        rows.append(((1, *bits, *(0,) * GROUPS), label, weight))
    rest = float(POSITIVES)
    for j in range(GROUPS):
        group = tuple(int(i == j) for i in range(GROUPS))
        rows.append(((0, *(0,) * ATTRIBUTES, *group), 1, GAMMA * rest))
        rest *= 1 - GAMMA
    origin = (0,) * (1 + ATTRIBUTES + GROUPS)
    return [*rows, (origin, 1, rest), (origin, -1, float(CORE))]


def _risk(rows: list[Row]) -> float:
    return 2 * sqrt(sum(w for _, y, w in rows if y == 1) * sum(w for _, y, w in rows if y == -1))


def _sides(rows: list[Row], test: int) -> tuple[list[Row], list[Row]]:
    return [row for row in rows if not row[0][test]], [row for row in rows if row[0][test]]


@pytest.mark.claim("thBoostDT1")
def test_thBoostDT1__greedy_tree_has_the_drops_of_the_counterexample() -> None:  # noqa: N802
    leaves, drops = [_sample()], []
    for _ in range(1 + 2**ATTRIBUTES - 1 + GROUPS):
        steps = [
            (_risk(leaf) - sum(map(_risk, _sides(leaf, test))), k, test)
            for k, leaf in enumerate(leaves)
            for test in range(1 + ATTRIBUTES + GROUPS)
        ]
        drop, k, test = max(steps)
        drops.append(drop)
        leaves[k : k + 1] = _sides(leaves[k], test)
    r, rs = sqrt(1 - GAMMA), sqrt(1 - GAMMA**2)
    of_a = [2 * (rs / 2) ** level * (1 - rs) for level in range(ATTRIBUTES) for _ in range(2**level)]
    of_b = [2 * sqrt(CORE * POSITIVES) * r**n * (1 - r) for n in range(GROUPS)]
    assert drops[1:] == pytest.approx(sorted(of_a + of_b, reverse=True), rel=1e-6, abs=1e-12)
    assert drops[0] > drops[1]
