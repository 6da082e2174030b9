"""Records of the steps of a run, in exact numbers.

A learner calls a hook with one record for every tree, split, leaf, coefficient and expense, in that order,
and for the total. Records are secret: they contain raw masses and the noise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from privboost.reference.exact import Number
from privboost.reference.privacy.accounting import Expense, Ledger
from privboost.reference.trees.tree import Path

from .boosting import Release
from .calibration import AlphaEstimate
from .leaves import NoisyLeaf
from .splitting import Node, Setting

Record: TypeAlias = Mapping[str, object]
Recorder: TypeAlias = Callable[[Record], None]


def ignore(record: Record) -> None:
    """Discard a record."""


def of_tree(recorder: Recorder, index: int) -> Recorder:
    """Return a hook that adds the index of a tree to each record."""
    return lambda record: recorder({"tree": index, **record})


def tree_record(setting: Setting) -> Record:
    """Return the first record of a tree: the public bound on its weights."""
    return {"kind": "tree", "weight_bound": setting.weight_bound}


def alpha_record(estimate: AlphaEstimate, scale: Number) -> Record:
    """Return the record of the estimated alpha of a level, with the scale of its noise.

    Paper: fixALPHA.
    """
    return {
        "kind": "alpha",
        "level": estimate.level,
        "minority": estimate.minority,
        "scale": scale,
        "noise": estimate.noise,
        "noisy": estimate.noisy,
        "value": estimate.alpha,
    }


def node_record(leaf: Path, node: Node, choice: str) -> Record:
    """Return the record of a split: the numbers that determine its law, and the chosen split.

    Paper: expSPLIT.
    """
    return {
        "kind": "node",
        "leaf": format_path(leaf),
        "alpha": node.alpha,
        "budget": node.budget,
        "sensitivity": node.sensitivity,
        "scores": {str(split): score for split, score in node.scores.items()},
        "choice": choice,
    }


def leaf_record(leaf: Path, noisy: NoisyLeaf, scale: Number) -> Record:
    """Return the record of a leaf, from its raw masses to its value, with the scale of its noise.

    Paper: sec-solv (private predictions).
    """
    return {
        "kind": "leaf",
        "leaf": format_path(leaf),
        "masses": {"positive": noisy.mass.positive, "negative": noisy.mass.negative},
        "scale": scale,
        "noise": noisy.noise,
        "noisy": noisy.noisy,
        "value": noisy.value,
    }


def beta_record(release: Release) -> Record:
    """Return the record of a tree's coefficient.

    Paper: cboost (step 2.2).
    """
    return {"kind": "beta", "value": release.beta}


def expense_record(expense: Expense) -> Record:
    """Return the record of an expense."""
    return {"kind": "expense", "what": expense.what, "epsilon": expense.epsilon, "reason": expense.reason}


def total_record(setting: Setting, ledger: Ledger) -> Record:
    """Return the last record of a run: the sum of all expenses, and the claimed epsilon."""
    return {"kind": "total", "epsilon": ledger.total, "claim": setting.parameters.epsilon}


def format_path(path: Path) -> str:
    """Return a path as a string, such as '01'; the path of the root is empty."""
    return "".join(map(str, path))
