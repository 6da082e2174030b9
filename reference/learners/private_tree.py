"""Grow one private tree.

`sample_private_tree` splits all leaves level by level. `sample_split` draws one split from the law in
`splitting`, and `sample_leaves` adds noise to the leaves. `spending` computes the cost of each step. Each
step is passed to the hook `record`, which does nothing by default.
"""

from __future__ import annotations

from privboost.reference.data import Split, WeightedSample
from privboost.reference.mechanisms.samplers import sample_discrete_gaussian
from privboost.reference.privacy.accounting import Ledger
from privboost.reference.privacy.bits import BitSource
from privboost.reference.privacy.samplers import sample_choice, sample_discrete_laplace
from privboost.reference.trees.risks import leaf_masses
from privboost.reference.trees.tree import Path, Tree, next_leaf

from . import records
from .boosting import Release, release_of_leaves
from .calibration import alpha_scale, estimate, wants_estimate, with_alpha
from .leaves import leaf_spread, noisy_leaf, noisy_numbers
from .records import Recorder, ignore
from .spending import spend_tree
from .splitting import Setting, check_data, law_of_node, node_of


def sample_private_tree(
    setting: Setting, data: WeightedSample, bits: BitSource, ledger: Ledger, *, record: Recorder = ignore
) -> tuple[Release, Ledger]:
    """Return one private tree and the ledger with its expenses.

    Paper: expSPLIT, fixEPSILON, sec-solv.
    """
    check_data(setting, data)
    record(records.tree_record(setting))
    tree = Tree()
    while (leaf := next_leaf(tree, setting.parameters.depth)) is not None:
        if wants_estimate(setting, leaf):
            setting = sample_alpha(setting, data, tree, bits, record=record)
        tree = tree.grow(leaf, sample_split(setting, data, tree, leaf, bits, record=record))
    release = sample_leaves(setting, data, tree, bits, record=record)
    spent = spend_tree(setting, ledger)
    for expense in spent.expenses[len(ledger.expenses) :]:
        record(records.expense_record(expense))
    return release, spent


def sample_alpha(
    setting: Setting, data: WeightedSample, tree: Tree, bits: BitSource, *, record: Recorder = ignore
) -> Setting:
    """Return the setting with a private estimate of alpha for the next level.

    Paper: fixALPHA.
    """
    scale = alpha_scale(setting)
    noise = sample_discrete_laplace(scale, setting.parameters.grid, bits)
    estimated = estimate(setting, data, tree, noise)
    record(records.alpha_record(estimated, scale))
    return with_alpha(setting, estimated.alpha)


def sample_split(
    setting: Setting,
    data: WeightedSample,
    tree: Tree,
    leaf: Path,
    bits: BitSource,
    *,
    record: Recorder = ignore,
) -> Split:
    """Return a split of a leaf, drawn from its exact law.

    Paper: expSPLIT.
    """
    node = node_of(setting, data, tree, leaf)
    law = law_of_node(setting.protocol, node)
    choice = list(law)[sample_choice(list(law.values()), bits)]
    record(records.node_record(leaf, node, str(choice)))
    return choice


def sample_leaves(
    setting: Setting, data: WeightedSample, tree: Tree, bits: BitSource, *, record: Recorder = ignore
) -> Release:
    """Return the released leaf values and coefficient of a tree.

    Paper: sec-solv (private predictions), sub-sec-sum-imp.
    """
    masses = leaf_masses(tree, data)
    scale, grid = leaf_spread(setting, len(masses)), setting.parameters.grid
    sample = sample_discrete_gaussian if setting.parameters.delta else sample_discrete_laplace
    leaves = {}
    for leaf, mass in masses.items():
        noise = {name: sample(scale, grid, bits) for name in noisy_numbers(setting)}
        leaves[leaf] = noisy_leaf(setting, mass, noise, len(masses))
        record(records.leaf_record(leaf, leaves[leaf], scale))
    release = release_of_leaves(setting, tree, leaves)
    record(records.beta_record(release))
    return release
