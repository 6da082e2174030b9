"""Boosting: fit trees one after the other, each with weights from the releases of the trees before.

`fit_trees` fits T trees. For each tree, `Grower.grow` chooses the splits level by level, `Grower.release`
makes the leaves private, and `advance` updates margins and weights. A recorder receives what every step
reads and releases. Without a recorder, trees with Gaussian noise are fitted in batches, which is faster.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import repeat

import numpy as np

from privboost.errors import PreconditionError
from privboost.fast.budgets import conversions, expenses_of_boosting, expenses_of_tree
from privboost.fast.protocol import BetaRule, LeafRule, Relation
from privboost.fast.rows.parts import Rows, add_values, mirror, weigh_by_link, weigh_by_table

from .batches import drawn_trees, fit_batches
from .draws import Draws, DrawsOfTree
from .grower import Grower
from .leaves import net_weights
from .setting import Recorder, Setting
from .trees import Candidates, Tree


# A warning of NumPy about a row would tell that there is one.
@np.errstate(all="ignore")
def fit_trees(
    setting: Setting, rows: Rows, draws: DrawsOfTree | Draws, record: Recorder | None = None
) -> tuple[tuple[Tree, float], ...]:
    """Return the fitted trees and their coefficients."""
    candidates = Candidates.of(setting.domain)
    _check(setting, rows, candidates)
    of_trees: Iterable[DrawsOfTree] = repeat(draws)
    if setting.parameters.delta:
        assert isinstance(draws, Draws)
        if record is None:
            return tuple((tree, 1.0) for tree in fit_batches(setting, rows, draws, candidates))
        of_trees = drawn_trees(setting, draws, candidates)
    fitted: list[tuple[Tree, float]] = []
    for index, own in zip(range(setting.parameters.trees), of_trees, strict=False):
        if record is not None:
            record({"kind": "tree", "tree": index, "weight_bound": setting.weight_bound(index)})
        grower = Grower(setting, rows, own, record, candidates, index)
        released = grower.release(grower.grow())
        fitted.append(released)
        if record is not None:
            for expense in expenses_of_tree(setting.protocol, setting.parameters):
                record({"kind": "expense", "tree": index, **expense.to_entry()})
        if index + 1 < setting.parameters.trees:
            advance(setting, rows, released)
    if record is not None:
        _record_total(setting, record)
    return tuple(fitted)


def _record_total(setting: Setting, record: Recorder) -> None:
    """Record the conversion of rho, if there is a delta, and the sum of all expenses."""
    parameters = setting.parameters
    for expense in conversions(parameters):
        record({"kind": "expense", "tree": parameters.trees - 1, **expense.to_entry()})
    spent = sum(expense.epsilon for expense in expenses_of_boosting(setting.protocol, parameters))
    record({"kind": "total", "epsilon": spent, "claim": parameters.epsilon})


def _check(setting: Setting, rows: Rows, candidates: Candidates) -> None:
    """Check that the number of rows agrees with the public size, and that the domain has a split."""
    protocol = setting.protocol
    if protocol.relation is Relation.EXCHANGE and rows.size != setting.size:
        raise PreconditionError("X", f"{setting.size} rows", f"{rows.size} rows")
    if protocol.needs_row_bound and rows.size > setting.size:
        raise PreconditionError("X", f"at most {setting.size} rows", "more")
    if not len(candidates):
        raise PreconditionError("domain", "a feature with at least two values", setting.domain.names)


def advance(setting: Setting, rows: Rows, released: tuple[Tree, float]) -> None:
    """Set the weights of the next tree, from released quantities or by the paper's mirror update."""
    tree, beta = released
    alpha = float(setting.parameters.boost_alpha)
    if setting.protocol.beta is BetaRule.RAW:
        rows.tell(mirror, beta * tree.values.astype(np.float64), alpha)
    elif setting.protocol.leaf is LeafRule.NOISY_NET:
        rows.tell(add_values, tree.values.astype(np.int32))
        rows.tell(weigh_by_table, net_weights(setting))
    else:
        rows.tell(add_values, beta * tree.values.astype(np.float64))
        rows.tell(weigh_by_link, alpha)
