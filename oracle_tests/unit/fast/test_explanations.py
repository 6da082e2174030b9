"""What explains a released model without data: rules and drawings without impossible branches, effects."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations, product
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from privboost.errors import PreconditionError
from privboost.fast import (
    Categorical,
    Date,
    Domain,
    Numeric,
    PrivateBoostedTreesClassifier,
    PrivateForestClassifier,
    export_text,
    plot_effects,
    plot_tree,
)

mpl.use("Agg")
import matplotlib.pyplot as plt

RANDOM = np.random.default_rng(9)
FRAME = pd.DataFrame(
    {
        "ward": RANDOM.choice(["east", "west"], 2000),
        "age": RANDOM.uniform(0, 120, 2000),
        "colour": RANDOM.choice(["red", "green", "blue"], 2000),
        "joined": np.datetime64("2020-01-01") + RANDOM.integers(0, 366, 2000),
    }
)
Y = (FRAME["age"] + 30 * (FRAME["colour"] == "red") > 70).astype(int)
DOMAIN = Domain(
    (
        Categorical("colour", ("red", "green", "blue"), missing=True),
        Numeric("age", 0, 120, 6, missing=True),
        Date("joined", "2020-01-01", "2020-12-31", 4),
    )
)
CODES = np.array(
    list(product(*(range(feature.values) for feature in DOMAIN.features))), dtype=np.uint8
).T.copy()
"""All rows of codes of the domain."""
OPTIONS: dict[str, Any] = {"domain": DOMAIN, "classes": (0, 1), "random_state": 0}
MODELS = {
    "boosted": PrivateBoostedTreesClassifier(**OPTIONS).fit(FRAME, Y),
    "sound": PrivateBoostedTreesClassifier(**OPTIONS, protocol="sound", n_trees=3).fit(FRAME, Y),
    "forest": PrivateForestClassifier(**OPTIONS).fit(FRAME, Y),
}
every_model = pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)


def reached_values(model: Any, index: int) -> Any:
    """Return the values of the leaves of a tree that some row reaches, from left to right."""
    return model.leaf_values()[index][sorted(set(model.trees_[index].leaves_of(CODES).tolist()))]


@pytest.fixture
def axes() -> Iterator[Any]:
    """Return axes to draw on."""
    figure, axes = plt.subplots()
    yield axes
    plt.close(figure)


# Rules ---------------------------------------------------------------------------------------------------


@every_model
def test_text__has_a_line_for_each_leaf_that_some_row_can_reach_and_no_other(model: Any) -> None:
    shortened = 0
    for index, tree in enumerate(model.trees_):
        values = [float(value) for value in re.findall("--- value (.*)", export_text(model, tree=index))]
        assert values == pytest.approx(reached_values(model, index).tolist(), rel=1e-5)
        shortened += len(values) < 1 << tree.depth
    assert shortened


def test_text__tests_that_are_decided_by_those_above_are_left_out() -> None:
    model = PrivateBoostedTreesClassifier(domain=[(0, 1)], classes=(0, 1), n_trees=1, depth=3, random_state=0)
    model.fit(np.linspace(0, 1, 50)[:, None], np.arange(50) % 2)
    model.trees_[0].value[:] = [5, 7, 2, 3, 8, 6, 9]
    tests = ["x0 < 0.5", "x0 < 0.3", "x0 >= 0.3", "x0 >= 0.5", "x0 < 0.9", "x0 >= 0.9"]
    assert re.findall("--- (x0.*)", export_text(model)) == tests


# Drawings ------------------------------------------------------------------------------------------------


@every_model
@pytest.mark.parametrize("max_depth", [None, 3])
def test_plot__boxes_are_readable_and_do_not_overlap_at_the_default_depth(model: Any, max_depth: Any) -> None:
    assert model.parameters_.depth >= 5
    plt.close("all")
    boxes = plot_tree(model, tree=1, max_depth=max_depth)
    figure = boxes[0].figure
    figure.canvas.draw()
    extents = [box.get_bbox_patch().get_window_extent() for box in boxes]
    assert not any(first.overlaps(second) for first, second in combinations(extents, 2))
    assert all(figure.bbox.x0 <= box.x0 and box.x1 <= figure.bbox.x1 for box in extents)
    assert min(box.get_fontsize() for box in boxes) >= 7
    plt.close(figure)


@every_model
def test_plot__has_a_box_for_each_node_that_some_row_can_reach(model: Any, axes: Any) -> None:
    boxes, values = plot_tree(model, tree=1, ax=axes), reached_values(model, 1)
    assert len(boxes) == 2 * values.size - 1
    assert [text.get_text() for text in axes.texts if text not in boxes] == ["no", "yes"]
    assert boxes[-1].get_text() == f"{values[-1]:+.3g}"


def test_plot__sums_up_what_is_below_the_depth(axes: Any) -> None:
    model = MODELS["boosted"]
    (box,) = plot_tree(model, tree=1, ax=axes, max_depth=0)
    values = reached_values(model, 1)
    assert box.get_text() == f"{values.size} leaves, {values.min():+.2g} to {values.max():+.2g}"
    assert len(plot_tree(model, tree=1, ax=axes, max_depth=1)) == 3
    depths: tuple[Any, ...] = (-1, 2.5)
    for wrong in depths:
        with pytest.raises(PreconditionError, match=f"max_depth: expected a whole number >= 0, got {wrong}"):
            plot_tree(model, ax=axes, max_depth=wrong)


# Effects -------------------------------------------------------------------------------------------------


@every_model
def test_effects__are_differences_of_mean_scores_over_all_rows_of_the_domain(model: Any) -> None:
    scores = model._scores(CODES)
    effects = model.feature_effects()
    variances = []
    for codes, feature, effect in zip(CODES, DOMAIN.features, effects, strict=True):
        means = [scores[codes == code].mean() - scores.mean() for code in range(feature.values)]
        assert np.allclose(effect.effects, means, rtol=1e-9, atol=1e-12)
        assert (effect.feature, effect.values) == (feature, feature.value_names)
        variances.append(np.var(means))
    assert np.allclose([effect.importance for effect in effects], np.divide(variances, sum(variances)))


@every_model
def test_importances__are_those_of_the_columns(model: Any) -> None:
    importances = dict(zip(model.feature_names_in_, model.feature_importances_, strict=True))
    effects = model.feature_effects()
    assert importances == {"ward": 0} | {effect.feature.name: effect.importance for effect in effects}
    assert max(importances, key=lambda name: importances[name]) == "age"
    assert sum(importances.values()) == pytest.approx(1)
    assert type(model).from_json(model.to_json()).feature_effects() == effects
    assert not hasattr(type(model)(), "feature_importances_")
    with pytest.raises(NotFittedError):
        type(model)().feature_effects()


def test_importances__of_a_constant_score_are_zero() -> None:
    model = PrivateForestClassifier(domain=DOMAIN, classes=(0, 1), n_trees=1, depth=1).fit(FRAME, Y)
    model.trees_[0].values[:] = 1
    assert model.feature_importances_.tolist() == [0, 0, 0, 0]


def test_effects__are_printed_with_the_values_of_the_feature() -> None:
    effect = MODELS["boosted"].feature_effects()[2]
    lines = str(effect).splitlines()
    assert lines[0] == f"joined, importance {effect.importance:.3f}"
    assert lines[1].endswith("  < 2020-04-01")
    assert len(lines) == 5


@every_model
def test_effects__are_drawn_from_the_most_important_feature_on(model: Any) -> None:
    figure = plot_effects(model, max_features=2)
    assert plt.gcf() is figure
    figure.canvas.draw()
    assert figure.axes[0].get_title().startswith("age (")
    assert len(figure.axes) == 2
    assert len(plot_effects(model).axes) == 3
    with pytest.raises(PreconditionError, match="max_features: expected a whole number >= 1, got 0"):
        plot_effects(model, max_features=0)
    plt.close("all")
