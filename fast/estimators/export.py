"""Fitted trees as readable rules and as drawings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any

from sklearn.utils.validation import check_is_fitted

from privboost.errors import PreconditionError
from privboost.extras import demand
from privboost.fast.features import Categorical
from privboost.fast.growth import Tree

from .effects import FeatureEffect
from .private_trees import PrivateTrees
from .public_inputs import whole
from .regions import Reachable, ReachableLeaf, ReachableSplit, leaves_of, reachable_part

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
        Rules in the names and units of the features. The branch where a test fails comes first. Tests that
        the path to them decides, and branches that no row can reach, are left out.

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
    n_trees = len(model.trees_)
    shown = range(min(n_trees, max_trees)) if tree is None else [_tree_index(model, tree)]
    negative, positive = model.classes_.tolist()
    lines = [f"{positive!r} where the values of {n_trees} trees add up to 0 or more, else {negative!r}"]
    for index in shown:
        lines.append(f"tree {index} of {n_trees}")
        lines += _rules(model, model.trees_[index], _part_of(model, index))
    if tree is None and len(shown) < n_trees:
        lines.append(f"({n_trees - len(shown)} more)")
    return "\n".join(lines) + "\n"


def _part_of(model: PrivateTrees, index: int) -> Reachable:
    """Return the part of a tree that rows can reach."""
    sizes = [feature.values for feature in model.domain_.features]
    return reachable_part(model.trees_[index], model.leaf_values()[index].tolist(), sizes)


def _rules(model: PrivateTrees, tree: Tree, part: Reachable, level: int = 0) -> Iterator[str]:
    """Yield the rules of a part of a tree; the branch where a test fails comes first."""
    if isinstance(part, ReachableLeaf):
        yield f"{INDENT * level}|--- value {part.value:+.6g}"
        return
    for branch, holds in ((part.fails, False), (part.holds, True)):
        yield f"{INDENT * level}|--- {rule_text(model, tree, part.node, holds)}"
        yield from _rules(model, tree, branch, level + 1)


def rule_text(model: PrivateTrees, tree: Tree, node: int, holds: bool) -> str:
    """Return the test of a node or its negation, such as 'age >= 30' or 'colour is not blue'."""
    feature, value = model.domain_.features[int(tree.feature[node])], int(tree.value[node])
    if isinstance(feature, Categorical):
        return f"{feature.name} {'is' if holds else 'is not'} {feature.value_names[value]}"
    if feature.missing and value == 1:
        return f"{feature.name} is {'not ' if holds else ''}missing"
    missing = " or missing" if feature.missing and not holds else ""
    return f"{feature.name} {'>=' if holds else '<'} {feature.format_cut(value - 1)}{missing}"


def plot_tree(model: PrivateTrees, tree: int = 0, ax: Any = None, max_depth: int | None = None) -> list[Any]:
    """Draw a fitted tree with matplotlib.

    The root is on the left. The upper branch of a node is taken if its test fails. Leaves that favour the
    positive class are blue. Branches that no row can reach are left out.

    Parameters
    ----------
    model : PrivateBoostedTreesClassifier or PrivateForestClassifier
        Fitted classifier.
    tree : int, default=0
        Index of the tree to draw.
    ax : matplotlib Axes, default=None
        Axes to draw on. None uses the current axes, or makes a figure of the size that the tree needs.
    max_depth : int, default=None
        Number of tests on a path that are drawn. The part of the tree below them is summed up by the number
        and the range of its leaves. None draws the whole tree.

    Returns
    -------
    annotations : list of matplotlib Annotation
        One box for each node.
    """
    demand("plot_tree", "matplotlib")
    import matplotlib.pyplot as plt

    check_is_fitted(model, "trees_")
    if max_depth is not None:
        whole(max_depth, "max_depth", 0)
    index = _tree_index(model, tree)
    boxes = list(_boxes(model, model.trees_[index], _part_of(model, index), max_depth))
    n_rows, n_levels = max(box.row for box in boxes) + 1, max(box.level for box in boxes) + 1
    longest = max(len(box.label) for box in boxes)
    if ax is None and not plt.get_fignums():
        plt.figure(figsize=(n_levels * (0.08 * longest + 0.5), 0.26 * n_rows + 0.4), layout="constrained")
    axes: Any = plt.gca() if ax is None else ax
    axes.set_axis_off()
    width, height = axes.get_window_extent().size / axes.figure.dpi
    # A line of text needs 1.9 times its height, and a character 0.6 times its height, with space around it.
    size = min(10.0, 72 * height / n_rows / 1.9, 72 * width / n_levels / (0.6 * longest + 3))
    text = {"ha": "center", "va": "center", "fontsize": max(size, 3.0)}
    at = [((box.level + 0.5) / n_levels, 1 - (box.row + 0.5) / n_rows) for box in boxes]
    below_root = (position for box, position in zip(boxes, at, strict=True) if box.level == 1)
    for (x, y), answer in zip(below_root, ("no", "yes"), strict=False):
        axes.text(
            (x + at[0][0]) / 2,
            (y + at[0][1]) / 2,
            answer,
            **text,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1},
            transform=axes.transAxes,
            zorder=4 + n_levels,
        )
    return [
        axes.annotate(
            box.label,
            xy=at[box.parent],
            xytext=position,
            **text,
            bbox={"boxstyle": "round", "facecolor": box.colour, "edgecolor": "#444444"},
            arrowprops={"arrowstyle": "-", "color": "#444444"} if box.level else None,
            xycoords="axes fraction",
            textcoords="axes fraction",
            # Boxes cover the lines to their children.
            zorder=3 + n_levels - box.level,
        )
        for box, position in zip(boxes, at, strict=True)
    ]


@dataclass(slots=True)
class _Box:
    """A node of a drawn tree; `row` counts leaves from above, and a node is in the middle of its children."""

    label: str
    colour: str
    level: int
    parent: int
    row: float = 0.0


def _boxes(model: PrivateTrees, tree: Tree, part: Reachable, max_depth: int | None) -> list[_Box]:
    """Return the nodes to draw; each comes after its parent."""
    boxes: list[_Box] = []
    rows = count()

    def add(part: Reachable, level: int, parent: int) -> float:
        own = len(boxes)
        if isinstance(part, ReachableSplit) and level != max_depth:
            boxes.append(_Box(rule_text(model, tree, part.node, holds=True), "white", level, parent))
            boxes[own].row = (add(part.fails, level + 1, own) + add(part.holds, level + 1, own)) / 2
        else:
            values = [leaf.value for leaf in leaves_of(part)]
            label = f"{values[0]:+.3g}"
            if len(values) > 1:
                label = f"{len(values)} leaves, {min(values):+.2g} to {max(values):+.2g}"
            signs = {value >= 0 for value in values}
            colour = "#eeeeee" if len(signs) > 1 else "#cfe3f7" if True in signs else "#f9d9c4"
            boxes.append(_Box(label, colour, level, parent, next(rows)))
        return boxes[own].row

    add(part, 0, 0)
    return boxes


def plot_effects(model: PrivateTrees, max_features: int = 6) -> Any:
    """Draw the effects of the most important features with matplotlib, in a new figure of pyplot.

    Parameters
    ----------
    model : PrivateBoostedTreesClassifier or PrivateForestClassifier
        Fitted classifier.
    max_features : int, default=6
        Number of features to draw.

    Returns
    -------
    figure : matplotlib Figure
        One panel for each feature, the most important one first; see `feature_effects`. Titles have the
        importances.
    """
    demand("plot_effects", "matplotlib")
    import matplotlib.pyplot as plt

    from privboost.plotting import style

    whole(max_features, "max_features")
    shown = sorted(model.feature_effects(), key=lambda effect: -effect.importance)[:max_features]
    n_columns = min(3, len(shown))
    n_rows = -(-len(shown) // n_columns)
    with style("effects"):
        figure = plt.figure(figsize=(3.4 * n_columns, 2.5 * n_rows), layout="constrained")
        panels = figure.subplots(n_rows, n_columns, sharey=True, squeeze=False).ravel()
        for axes in panels[len(shown) :]:
            axes.set_axis_off()
        for axes, effect in zip(panels, shown, strict=False):
            _draw_effect(axes, effect)
        for axes in panels[::n_columns]:
            axes.set_ylabel("effect on the score")
    return figure


def _draw_effect(axes: Any, effect: FeatureEffect) -> None:
    feature, n_values = effect.feature, len(effect.effects)
    axes.set_axisbelow(True)
    axes.axhline(0, color="#444444", linewidth=0.8)
    axes.set_title(f"{feature.name} ({effect.importance:.0%})")
    if isinstance(feature, Categorical):
        axes.bar(range(n_values), effect.effects, color="#3b7dbd")
        axes.set_xticks(range(n_values), effect.values, rotation=30, ha="right")
        return
    axes.stairs(effect.effects, range(n_values + 1), baseline=None, linewidth=1.7, color="#3b7dbd")
    cuts = range(int(feature.missing), n_values - 1, max(1, n_values // 4))
    ticks = [(cut + 1.0, feature.format_cut(cut)) for cut in cuts]
    if feature.missing:
        ticks.insert(0, (0.5, effect.values[0]))
    axes.set_xticks(*zip(*ticks, strict=True), rotation=30, ha="right")


def _tree_index(model: PrivateTrees, tree: int) -> int:
    """Return the index of a tree, if the model has it."""
    if not 0 <= tree < len(model.trees_):
        raise PreconditionError("tree", f"an index from 0 to {len(model.trees_) - 1}", tree)
    return tree
