"""Attacks on the boundary of the learner: how rows and domains get in, and what else gets out.

Each attack is a pair of neighbouring data sets, and the output is everything that an observer of a fit sees:
exception, warnings, public attributes, model file, trees. An audit must not refute the claimed epsilon. All
seeds are fixed; over seeds, each audit of a private learner is a false alarm with probability 5 % at most.

Preprocessing that reads the rows, and transcripts, are in `test_ledger.py`.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from privboost.auditor import Pair, Verdict, audit
from privboost.auditor.files import sentences
from privboost.errors import PreconditionError
from privboost.fast import (
    ArraySource,
    Categorical,
    Domain,
    Numeric,
    ParquetSource,
    PrivateBoostedTreesClassifier,
    PrivateForestClassifier,
)
from privboost.fast.budgets import Guarantee
from privboost.oracle_tests.support.input_paths import (
    BIG,
    arrays,
    list_source,
    lists,
    object_arrays,
    pandas,
    parquet_source,
    typed_frame,
)
from privboost.oracle_tests.support.observer import dask_in_this_process, observe

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

Array = NDArray[Any]
Rng = np.random.Generator
Fit = Callable[[Any, Rng], Any]

LARGEST = (BIG - 2, BIG - 1)
"""The largest integers that may be categories or classes."""

ONE = Domain((Numeric("a", 0.0, 1.0, 2),))
TWO = Domain((Numeric("a", 0.0, 1.0, 2), Categorical("b", ("x", "y"))))


def classifier(rng: Rng, domain: Any, **given: Any) -> PrivateBoostedTreesClassifier:
    """Return a learner of one tree, which claims epsilon = 1 unless told otherwise."""
    chosen = {"epsilon": 1.0, "classes": (0, 1), "n_trees": 1, "depth": 1, **given}
    return PrivateBoostedTreesClassifier(domain=domain, random_state=rng, **chosen)


def verdict(fit: Fit, left: Any, right: Any, epsilon: float = 1.0) -> Verdict:
    """Return the verdict of an audit of all that a fit shows; these attacks are refuted within 40 calls."""

    def mechanism(rows: Any, rng: Rng) -> dict[str, Any]:
        return observe(lambda: fit(rows, rng)).output()

    result = audit(mechanism, Pair("attack", left, right), epsilon=epsilon, calls=200, seed=1)
    # A run that refutes nothing is only too short: everything that a fit shows was read.
    assert result.verdict is Verdict.VIOLATION or not any(map(sentences.note, result.pairs))
    return result.verdict


def alternating(first: Any, second: Any, last: Any) -> list[Any]:
    """Return 60 values: two in turn, and a last one that the neighbour may have otherwise."""
    return [first, second] * 29 + [first, last]


def table_file(folder: Path, name: str, **columns: Any) -> Path:
    """Write a Parquet file and return its path."""
    path = folder / f"{name}.parquet"
    parquet.write_table(pyarrow.table(columns), path)
    return path


def test_attack__bounds_read_from_the_data_are_found_and_not_guaranteed() -> None:
    """The control: the same audit refutes a learner that reads a row outside of its mechanism."""

    def fit(rows: list[float], rng: Rng) -> Any:
        model = classifier(rng, "observed").fit(np.array(rows)[:, None], [0, 1] * 30)
        assert model.privacy_ledger_.guarantee is Guarantee.NONE
        return model

    assert verdict(fit, alternating(0, 1, 1), alternating(0, 1, 1000)) is Verdict.VIOLATION


# Domains -------------------------------------------------------------------------------------------------


def frames_of_colours() -> tuple[Any, Any]:
    """Return two neighbouring frames; each column knows only the categories that occur."""
    colours = (alternating("red", "green", last) for last in ("green", "blue"))
    first, second = (pandas.DataFrame({"colour": column}).astype("category") for column in colours)
    return first, second


def test_attack__a_template_of_a_schema_does_not_tell_which_categories_occur() -> None:
    assert not hasattr(Domain, "from_frame")
    first, second = map(Domain.template, frames_of_colours())
    assert first == second
    assert "colour" in first


def test_attack__categories_that_occur_are_not_released() -> None:
    domain = Domain((Categorical("colour", ("blue", "green", "red")),))

    def fit(frame: Any, rng: Rng) -> Any:
        return classifier(rng, domain, epsilon=1e-6).fit(frame, [0, 1] * 30)

    assert verdict(fit, *frames_of_colours(), epsilon=1e-6) is not Verdict.VIOLATION


# Rows that change how others are read --------------------------------------------------------------------


def test_attack__integers_that_floats_merge_are_refused_before_any_row_is_read() -> None:
    with pytest.raises(PreconditionError, match="numbers below 2\\^53"):
        Categorical("id", (BIG, BIG + 1))
    for labels in ([BIG, BIG + 1], [float(BIG), "another type"]):
        with pytest.raises(PreconditionError, match=r"numbers below 2\^53, .* got 9007199254740992$"):
            classifier(np.random.default_rng(0), ONE, classes=(BIG, BIG + 1)).fit([[0.0], [1.0]], labels)


@pytest.mark.parametrize("ids", [LARGEST, (str(BIG), str(BIG + 1))])
def test_attack__a_null_in_a_batch_of_integers_merges_no_categories(
    ids: tuple[Any, Any], tmp_path: Path
) -> None:
    domain = Domain((Categorical("id", ids),))

    def write_table(name: str, last: Any) -> Path:
        column = pyarrow.array(alternating(int(ids[0]), int(ids[1]), last), pyarrow.int64())
        return table_file(tmp_path, name, id=column, y=[0, 1] * 30)

    def fit(path: Path, rng: Rng) -> Any:
        return classifier(rng, domain).fit(ParquetSource(path, "y"))

    assert (
        verdict(fit, write_table("integers", int(ids[1])), write_table("null", None)) is not Verdict.VIOLATION
    )


@pytest.mark.parametrize("other", [float(LARGEST[0]), "another type"])
def test_attack__a_label_of_another_type_recodes_no_other_label(other: Any) -> None:
    def fit(labels: list[Any], rng: Rng) -> Any:
        return classifier(rng, ONE, classes=LARGEST).fit(np.array([[0.0], [1.0]] * 30), labels)

    left, right = (alternating(*LARGEST, last) for last in (LARGEST[1], other))
    assert verdict(fit, left, right) is not Verdict.VIOLATION


# No rows -------------------------------------------------------------------------------------------------


CONTAINERS: dict[str, Callable[[Array, Array, Path], tuple[Any, ...]]] = {
    "arrays": lambda rows, y, _: (rows, y),
    "lists": lambda rows, y, _: (rows.tolist(), y.tolist()),
    "frame": lambda rows, y, _: (pandas.DataFrame(rows, columns=["a"]), y),
    "source": lambda rows, y, _: (ArraySource(rows, y),),
    "Parquet": lambda rows, y, folder: (ParquetSource(table_file(folder, "rows", a=rows[:, 0], y=y), "y"),),
    "Dask": lambda rows, y, _: (arrays.from_array(rows, chunks=(1, 1)), arrays.from_array(y, chunks=1)),
}


def fit_bounded(rows: int, rng: Rng, container: str = "arrays", folder: Path = Path(), **given: Any) -> Any:
    """Return a fit to some rows with a public bound of three on their number."""
    arguments = CONTAINERS[container](np.zeros((rows, 1)), np.zeros(rows, dtype=np.int64), folder)
    with dask_in_this_process():
        return classifier(rng, ONE, relation="add_remove", size=3, **given).fit(*arguments)


def test_attack__no_row_at_all_is_a_neighbour_of_one_row() -> None:
    assert verdict(fit_bounded, 0, 1) is not Verdict.VIOLATION


@pytest.mark.parametrize("container", list(CONTAINERS)[1:])
def test_attack__no_row_at_all_is_fitted_on_every_path_as_in_an_array(container: str, tmp_path: Path) -> None:
    def observe_fit(rows: int, name: str) -> Any:
        return observe(lambda: fit_bounded(rows, np.random.default_rng(7), name, tmp_path))

    none, one = (observe_fit(rows, container) for rows in (0, 1))
    assert none.apart_from_trees == one.apart_from_trees
    assert none.error == ""
    assert [none.trees, one.trees] == [observe_fit(rows, "arrays").trees for rows in (0, 1)]


# Exceptions ----------------------------------------------------------------------------------------------

VALID = (0.5, "x", 1)
INVALID = (float("nan"), "SECRET", 5)
"""Not a number, not a category, and not one of the classes."""


LEFT = [(0.2, "y", 0), VALID, (0.2, "y", 0), VALID]
RIGHT = [*LEFT[:-1], INVALID]


def test_attack__an_invalid_row_is_neither_refused_nor_quoted(tmp_path: Path) -> None:
    def fit(rows: list[Any], rng: Rng) -> Any:
        return classifier(rng, TWO).fit(*lists(rows, tmp_path))

    assert verdict(fit, LEFT, RIGHT) is not Verdict.VIOLATION


@pytest.mark.parametrize("given", [object_arrays, typed_frame(), list_source, parquet_source(*[None] * 3)])
def test_attack__an_invalid_row_is_read_on_every_path_as_in_a_list(given: Any, tmp_path: Path) -> None:
    def observe_fit(path: Any, rows: list[Any]) -> Any:
        return observe(lambda: classifier(np.random.default_rng(7), TWO).fit(*path(rows, tmp_path)))

    left, right = (observe_fit(given, rows) for rows in (LEFT, RIGHT))
    assert left.apart_from_trees == right.apart_from_trees
    assert left.error == ""
    assert [left.trees, right.trees] == [observe_fit(lists, rows).trees for rows in (LEFT, RIGHT)]


def test_attack__a_forest_shows_no_more_than_boosted_trees(tmp_path: Path) -> None:
    def observe_fit(rows: list[Any], **given: Any) -> Any:
        model = PrivateForestClassifier(
            domain=TWO, classes=(0, 1), n_trees=1, depth=1, random_state=7, **given
        )
        return observe(lambda: model.fit(*lists(rows, tmp_path)))

    assert observe_fit(LEFT).error == ""
    assert observe_fit(LEFT).apart_from_trees == observe_fit(RIGHT).apart_from_trees
    none, one = (observe_fit(rows, relation="add_remove") for rows in ([], [INVALID]))
    assert none.error == ""
    assert none.apart_from_trees == one.apart_from_trees


@pytest.mark.parametrize("entry", [np.nan, np.inf, None, "seven", [1, 2], 10**400])
def test_attack__an_entry_of_a_numeric_feature_is_neither_refused_nor_quoted(entry: Any) -> None:
    def observe_fit(last: Any) -> Any:
        rows, labels = object_arrays([(0.1, 0), (0.9, 1), (last, 1)], Path())
        return observe(lambda: classifier(np.random.default_rng(0), ONE).fit(rows, labels))

    assert observe_fit(entry).apart_from_trees == observe_fit(0.7).apart_from_trees
    assert observe_fit(entry).error == ""


def test_attack__a_row_beyond_the_bound_is_a_row_like_others() -> None:
    assert verdict(fit_bounded, 3, 4) is not Verdict.VIOLATION


@pytest.mark.parametrize("protocol", ["sound_net", "sound"])
def test_attack__rows_beyond_the_bound_are_neither_refused_nor_counted(protocol: str) -> None:
    observations = [
        observe(lambda rows=rows: fit_bounded(rows, np.random.default_rng(0), protocol=protocol))  # type: ignore[misc]
        for rows in (0, 3, 4, 1000)
    ]
    assert {seen.error for seen in observations} == {""}
    assert len({seen.apart_from_trees for seen in observations}) == 1


# What stays behind ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("rows", [0, 1])
def test_attack__margins_that_overflow_give_no_warning_about_a_row(rows: int) -> None:
    # Coefficients of this noise are infinite in many of the fits. Warnings are errors in tests.
    given = {"epsilon": 1e-305, "bound": 2**-10, "n_trees": 2, "protocol": "sound", "relation": "add_remove"}
    for seed in range(40):
        learner = classifier(np.random.default_rng(seed), ONE, size=1, **given)
        learner.fit(np.zeros((rows, 1)), np.zeros(rows, dtype=int))


def test_attack__noise_beyond_all_integers_is_no_error() -> None:
    rows, labels = np.zeros((4, 1)), np.zeros(4, dtype=int)
    forest = PrivateForestClassifier(1e-19, domain=ONE, classes=(0, 1), inputs_are_public=True)
    assert np.abs(forest.fit(rows, labels).trees_[0].values).max() > 2**50
    sound = PrivateBoostedTreesClassifier(
        1e-305, domain=ONE, classes=(0, 1), protocol="sound", inputs_are_public=True
    )
    assert np.isfinite(sound.fit(rows, labels).trees_[0].values).all()


KILLED = """
import os, signal
import numpy as np
from privboost.fast import Domain, PrivateBoostedTreesClassifier

class Killed:
    size = 1 << 16

    def blocks(self):
        yield np.zeros((self.size, 1)), np.zeros(self.size, dtype=int)
        os.kill(os.getpid(), signal.SIGKILL)

PrivateBoostedTreesClassifier(domain=Domain.from_bounds([(0, 1)]), classes=(0, 1)).fit(Killed())
"""


def test_attack__a_killed_fit_leaves_no_coded_rows_behind(tmp_path: Path) -> None:
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    ended = subprocess.run([sys.executable, "-c", KILLED], env=environment, check=False)
    assert ended.returncode == -signal.SIGKILL
    assert list(tmp_path.iterdir()) == []
