"""Fitted trees as readable rules and as drawings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sklearn.utils.validation import check_is_fitted

from privboost.errors import PreconditionError
from privboost.extras import demand
from privboost.fast.features import Categorical
from privboost.fast.growth import Tree

from .private_trees import PrivateTrees

INDENT = "|   "


def export_text(model: PrivateTrees, tree: int | None = None, max_trees: int = 3) -> str:
    """Return the rules of fitted trees as a string.

    Parameters
    ----------
    model : PrivateBoostedTreesClassifier or PrivateForestClassifier
        Fitted classifier.
    tree : int, default=None
        Index of the tree to show. None shows the first `max_trees` trees.
    max_trees : int, default=3
        Number of trees to show if `tree` is None.

    Returns
    -------
    rules : str
        Rules in the names and units of the features. The branch where a test fails comes first.

    Examples
    --------
    >>> import numpy as np
    >>> from privboost.fast import PrivateBoostedTreesClassifier, export_text
    >>> X = np.random.default_rng(0).random((2000, 1))
    >>> y = (X[:, 0] > 0.5).astype(int)
    >>> model = PrivateBoostedTreesClassifier(domain=(0, 1), classes=(0, 1), depth=1, random_state=0)
    >>> print(export_text(model.fit(X, y), tree=0))
    1 where the values of 34 trees add up to 0 or more, else 0
    tree 0 of 34
    |--- x0 < 0.4
    |   |--- value -0.199219
    |--- x0 >= 0.4
    |   |--- value +0.174805
    <BLANKLINE>
    """
    check_is_fitted(model, "trees_")
    count = len(model.trees_)
    shown = range(min(count, max_trees)) if tree is None else [_tree_index(model, tree)]
    negative, positive = model.classes_.tolist()
    lines = [f"{positive!r} where the values of {count} trees add up to 0 or more, else {negative!r}"]
    for index in shown:
        lines.append(f"tree {index} of {count}")
        lines += _rules(model, model.trees_[index], model.leaf_values()[index].tolist())
    if tree is None and len(shown) < count:
        lines.append(f"({count - len(shown)} more)")
    return "\n".join(lines) + "\n"


def _rules(
    model: PrivateTrees, tree: Tree, values: list[float], level: int = 0, node: int = 0
) -> Iterator[str]:
    """Yield the rules below a node, given by its level and its index there; the false branch comes first."""
    if level == tree.depth:
        yield f"{INDENT * level}|--- value {values[node]:+.6g}"
        return
    for right in (False, True):
        yield f"{INDENT * level}|--- {rule_text(model, tree, (1 << level) - 1 + node, right)}"
        yield from _rules(model, tree, values, level + 1, 2 * node + right)


def rule_text(model: PrivateTrees, tree: Tree, node: int, holds: bool) -> str:
    """Return the test of a node or its negation, such as 'age >= 30' or 'colour is not blue'."""
    feature, value = model.domain_.features[int(tree.feature[node])], int(tree.value[node])
    if isinstance(feature, Categorical):
        return f"{feature.name} {'is' if holds else 'is not'} {feature.value_names[value]}"
    if feature.missing and value == 1:
        return f"{feature.name} is {'not ' if holds else ''}missing"
    missing = " or missing" if feature.missing and not holds else ""
    return f"{feature.name} {'>=' if holds else '<'} {feature.format_cut(value - 1)}{missing}"


def plot_tree(model: PrivateTrees, tree: int = 0, ax: Any = None) -> list[Any]:
    """Draw a fitted tree with matplotlib.

    The left branch of a node is taken if its test fails. Leaves that favour the positive class are blue.

    Parameters
    ----------
    model : PrivateBoostedTreesClassifier or PrivateForestClassifier
        Fitted classifier.
    tree : int, default=0
        Index of the tree to draw.
    ax : matplotlib Axes, default=None
        Axes to draw on. None uses the current axes.

    Returns
    -------
    annotations : list of matplotlib Annotation
        One box for each node.
    """
    demand("plot_tree", "matplotlib")
    import matplotlib.pyplot as plt

    check_is_fitted(model, "trees_")
    index = _tree_index(model, tree)
    drawn = model.trees_[index]
    axes = plt.gca() if ax is None else ax
    axes.set_axis_off()
    values = model.leaf_values()[index]
    size = max(3.0, 11.0 - 1.5 * drawn.depth)
    artists = []
    for level in range(drawn.depth + 1):
        for node in range(1 << level):
            at, above = _position(level, node, drawn.depth), _position(level - 1, node // 2, drawn.depth)
            if level == drawn.depth:
                label, colour = f"{values[node]:+.3g}", "#cfe3f7" if values[node] >= 0 else "#f9d9c4"
            else:
                label, colour = rule_text(model, drawn, (1 << level) - 1 + node, True), "white"
            box = {"boxstyle": "round", "facecolor": colour, "edgecolor": "#444444"}
            arrow = {"arrowstyle": "-", "color": "#444444"} if level else None
            artists.append(
                axes.annotate(
                    label,
                    xy=above if level else at,
                    xytext=at,
                    ha="center",
                    va="center",
                    fontsize=size,
                    bbox=box,
                    arrowprops=arrow,
                    xycoords="axes fraction",
                    textcoords="axes fraction",
                    # Boxes cover the lines to their children.
                    zorder=3 + drawn.depth - level,
                )
            )
    return artists


def _position(level: int, node: int, depth: int) -> tuple[float, float]:
    """Return the position of a node, as fractions of the axes."""
    return ((node + 0.5) / 2.0 ** max(level, 0), 1 - (level + 0.5) / (depth + 1))


def _tree_index(model: PrivateTrees, tree: int) -> int:
    """Return the index of a tree, if the model has it."""
    if not 0 <= tree < len(model.trees_):
        raise PreconditionError("tree", f"an index from 0 to {len(model.trees_) - 1}", tree)
    return tree
