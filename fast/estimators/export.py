"""Fitted trees for people to read: as text, and drawn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sklearn.utils.validation import check_is_fitted

from privboost.errors import PreconditionError
from privboost.fast.domain import Categorical
from privboost.fast.growth import Tree

from .private_trees import PrivateTrees

INDENT = "|   "


def export_text(model: PrivateTrees, tree: int | None = None, max_trees: int = 3) -> str:
    """Return the rules of one tree, or of the first ones, in the names and units of the features."""
    check_is_fitted(model, "trees_")
    count = len(model.trees_)
    shown = range(min(count, max_trees)) if tree is None else [_number(model, tree)]
    negative, positive = model.classes_.tolist()
    lines = [f"{positive!r} where the values of {count} trees add up to 0 or more, else {negative!r}"]
    for number in shown:
        lines.append(f"tree {number} of {count}")
        lines += _rules(model, model.trees_[number], model.leaf_values()[number].tolist())
    if tree is None and len(shown) < count:
        lines.append(f"({count - len(shown)} more)")
    return "\n".join(lines) + "\n"


def _rules(
    model: PrivateTrees, tree: Tree, values: list[float], level: int = 0, node: int = 0
) -> Iterator[str]:
    """Yield the rules below a node, given by its level and its number there; the false branch comes first."""
    if level == tree.depth:
        yield f"{INDENT * level}|--- value {values[node]:+.6g}"
        return
    for right in (False, True):
        yield f"{INDENT * level}|--- {rule_text(model, tree, (1 << level) - 1 + node, right)}"
        yield from _rules(model, tree, values, level + 1, 2 * node + right)


def rule_text(model: PrivateTrees, tree: Tree, node: int, holds: bool) -> str:
    """Return the test of a node that holds or fails, such as 'age >= 30' or 'colour is not blue'."""
    feature, value = model.domain_.features[int(tree.feature[node])], int(tree.value[node])
    if isinstance(feature, Categorical):
        return f"{feature.name} {'is' if holds else 'is not'} {feature.categories[value]}"
    missing = " or missing" if model.missing == "lowest" and not holds else ""
    return f"{feature.name} {'>=' if holds else '<'} {feature.edges[value - 1]:.6g}{missing}"


def plot_tree(model: PrivateTrees, tree: int = 0, ax: Any = None) -> list[Any]:
    """Draw a tree with matplotlib, tests above and values below, and return what was drawn.

    The left branch of a node is where its test fails; leaves that speak for the positive class are blue.
    """
    import matplotlib.pyplot as plt

    check_is_fitted(model, "trees_")
    number = _number(model, tree)
    drawn = model.trees_[number]
    axes = plt.gca() if ax is None else ax
    axes.set_axis_off()
    values = model.leaf_values()[number]
    size = max(3.0, 11.0 - 1.5 * drawn.depth)
    artists = []
    for level in range(drawn.depth + 1):
        for node in range(1 << level):
            at, above = _place(level, node, drawn.depth), _place(level - 1, node // 2, drawn.depth)
            if level == drawn.depth:
                text, colour = f"{values[node]:+.3g}", "#cfe3f7" if values[node] >= 0 else "#f9d9c4"
            else:
                text, colour = rule_text(model, drawn, (1 << level) - 1 + node, True), "white"
            box = {"boxstyle": "round", "facecolor": colour, "edgecolor": "#444444"}
            arrow = {"arrowstyle": "-", "color": "#444444"} if level else None
            artists.append(
                axes.annotate(
                    text,
                    xy=above if level else at,
                    xytext=at,
                    ha="center",
                    va="center",
                    fontsize=size,
                    bbox=box,
                    arrowprops=arrow,
                    xycoords="axes fraction",
                    textcoords="axes fraction",
                    # A box lies on the lines to its children.
                    zorder=3 + drawn.depth - level,
                )
            )
    return artists


def _place(level: int, node: int, depth: int) -> tuple[float, float]:
    """Return where a node is drawn."""
    return ((node + 0.5) / 2.0 ** max(level, 0), 1 - (level + 0.5) / (depth + 1))


def _number(model: PrivateTrees, tree: int) -> int:
    """Return the number of a tree that there is."""
    if not 0 <= tree < len(model.trees_):
        raise PreconditionError("tree", f"a number from 0 to {len(model.trees_) - 1}", tree)
    return tree
