"""Trees with Gaussian noise, in batches: neither their splits nor their noise depend on the rows.

The splits and the noise of a batch are drawn first. Rows are routed once through all trees of the batch.
What is left for each tree is one pass: the margins get the values of the tree before, and the nets of this
tree are summed with the weights that follow.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from privboost.fast.arrays import Indices
from privboost.fast.budgets import leaf_variance
from privboost.fast.protocol import GRID
from privboost.fast.rows.parts import Rows, finish_batch, move_on, nets_of, route_batch

from .draws import Draws, TapeOfTree
from .leaves import net_values, net_weights
from .setting import Setting
from .trees import Candidates, Tree

MOST_TREES, MOST_NODES = 64, 1 << 24
"""Largest batch: number of trees, and number of trees times the public number of rows."""


def _batches(setting: Setting, draws: Draws, candidates: Candidates) -> Iterator[tuple[Indices, Indices]]:
    """Yield the candidates of all nodes, and the noise of all leaves, with a row for each tree of a batch."""
    parameters = setting.parameters
    variance = leaf_variance(setting.protocol, parameters, setting.weight_bound(0)) * GRID**2
    leaves = 1 << parameters.depth
    most = min(max(MOST_NODES // setting.size, 1), MOST_TREES)
    for start in range(0, parameters.trees, most):
        count = min(most, parameters.trees - start)
        chosen, noise = draws.batch(len(candidates), count * (leaves - 1), variance, count * leaves)
        yield chosen.reshape(count, -1), noise.reshape(count, -1)


def drawn_trees(setting: Setting, draws: Draws, candidates: Candidates) -> Iterator[TapeOfTree]:
    """Yield the draws of one tree after the other, the same as those of batches."""
    for chosen, noise in _batches(setting, draws, candidates):
        yield from map(TapeOfTree, chosen, noise)


def fit_batches(setting: Setting, rows: Rows, draws: Draws, candidates: Candidates) -> Iterator[Tree]:
    """Yield the fitted trees."""
    depth, table = setting.parameters.depth, net_weights(setting)
    for chosen, noise in _batches(setting, draws, candidates):
        rows.tell(route_batch, *candidates.tests(chosen), depth)
        values = np.zeros(1 << depth, dtype=np.int32)
        for index, of_tree in enumerate(noise):
            rows.tell(move_on, index, values, table)
            released = net_values(setting, rows.ask(nets_of) + of_tree)
            values = released.astype(np.int32)
            yield Tree(depth, *candidates.tests(chosen[index]), released)
        rows.tell(finish_batch, values)
