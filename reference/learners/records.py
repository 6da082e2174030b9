"""Records of a run: what a learner says about each of its steps, in exact numbers.

A learner takes a hook, and calls it with one record for every tree, split, leaf, coefficient and expense, in
that order, and for the total. Records hold what must stay secret: raw masses, and the noise itself.
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
    """Take a record and keep nothing."""


def of_tree(recorder: Recorder, number: int) -> Recorder:
    """Return a hook that adds the number of a tree to each record."""
    return lambda record: recorder({"tree": number, **record})


def tree_record(setting: Setting) -> Record:
    """Return the record that opens a tree: the public bound of its weights."""
    return {"kind": "tree", "weight_bound": setting.weight_bound}


def alpha_record(found: AlphaEstimate, scale: Number) -> Record:
    """Return the record of a level's estimated alpha, and the scale of its noise.

    Paper: fixALPHA.
    """
    return {
        "kind": "alpha",
        "level": found.level,
        "minority": found.minority,
        "scale": scale,
        "noise": found.noise,
        "noisy": found.noisy,
        "value": found.alpha,
    }


def node_record(leaf: Path, node: Node, choice: str) -> Record:
    """Return the record of a split: the numbers its law follows from, and what was drawn.

    Paper: expSPLIT.
    """
    return {
        "kind": "node",
        "leaf": text_of_path(leaf),
        "alpha": node.alpha,
        "budget": node.budget,
        "sensitivity": node.sensitivity,
        "scores": {str(split): score for split, score in node.scores.items()},
        "choice": choice,
    }


def leaf_record(leaf: Path, noisy: NoisyLeaf, scale: Number) -> Record:
    """Return the record of a leaf, from its raw masses to its value, and the scale of its noise.

    Paper: sec-solv (private predictions).
    """
    return {
        "kind": "leaf",
        "leaf": text_of_path(leaf),
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
    return {
        "kind": "expense",
        "what": expense.what,
        "epsilon": expense.epsilon,
        "reason": expense.reason,
    }


def total_record(setting: Setting, ledger: Ledger) -> Record:
    """Return the record that closes a run: the sum of all expenses, and the epsilon that is claimed."""
    return {"kind": "total", "epsilon": ledger.total, "claim": setting.parameters.epsilon}


def text_of_path(path: Path) -> str:
    """Return a path as text, such as '01'; the root's is empty."""
    return "".join(map(str, path))
