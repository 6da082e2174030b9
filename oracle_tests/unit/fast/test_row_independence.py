"""No row changes how another row is read, or what a fit shows apart from its trees: on every input path.

Hypothesis changes one row in any way that its container allows: type, null, category, infinity, width. The
codes and labels of all other rows must be the same bits, and so must the exception, the warnings and
everything public on the fitted object.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from privboost.auditor.inputs.cells import classes_of_cell
from privboost.auditor.inputs.classes import HOSTILE
from privboost.auditor.inputs.kinds import Double
from privboost.errors import PreconditionError
from privboost.fast import Domain, ParquetSource, PrivateBoostedTreesClassifier, cells
from privboost.fast.admission import Admission
from privboost.fast.rows import sources
from privboost.oracle_tests.support.input_paths import (
    ANY_ROW,
    DAYS,
    MIXED,
    ODD,
    ODDER,
    ORDINARY,
    PATHS,
    SMALL,
    SMALL_CLASSES,
    InputPath,
    Row,
    lists,
    of_type,
    rows_of,
)
from privboost.oracle_tests.support.marks import slow
from privboost.oracle_tests.support.observer import (
    Observation,
    dask_in_this_process,
    observe,
    recorded_rows,
)

pandas = pytest.importorskip("pandas")
pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

Array = NDArray[Any]

EXAMPLES = 90
"""Number of examples of each input path."""


# The test ------------------------------------------------------------------------------------------------


def observe_path(path: InputPath, rows: list[Row], folder: Path, **chosen: Any) -> tuple[Observation, Array]:
    """Return the observation of a fit, and the rows that reached the learner: codes, then labels."""
    arguments = path.given(rows, folder)
    model = PrivateBoostedTreesClassifier(domain=path.domain, n_trees=1, depth=1, random_state=0, **chosen)
    with recorded_rows() as recorded, dask_in_this_process(), patch.object(sources, "BLOCK", 2):
        seen = observe(lambda: model.fit(*arguments))
    return seen, np.concatenate(recorded) if recorded else np.empty((0, 0))


def check_independence(path: InputPath, draw: Any, folder: Path) -> None:
    """Change one row, and compare all others and everything that a fit shows."""
    rows = draw(st.lists(path.row, min_size=1, max_size=path.size), label="rows")
    index = draw(st.integers(0, len(rows) - 1), label="index of the changed row")
    new = draw(path.row if path.changed is None else path.changed, label="the row that replaces it")
    chosen = {"classes": draw(st.sampled_from(path.classes), label="classes")}
    others = rows[:index] + rows[index + 1 :]
    if others and draw(st.integers(0, 3), label="0 drops invalid rows") == 0:
        chosen |= {"invalid": "drop", "relation": "add_remove", "size": path.size}
    first, before = observe_path(path, rows, folder, **chosen)
    second, after = observe_path(path, [*rows[:index], new, *rows[index + 1 :]], folder, **chosen)
    assert first.apart_from_trees == second.apart_from_trees
    assert first.error == ""
    if "invalid" in chosen:
        _, kept = observe_path(path, others, folder, **chosen)
        assert_at_most_one_more(before, kept)
        assert_at_most_one_more(after, kept)
    else:
        assert before.shape == after.shape == (len(path.domain.features) + 1, len(rows))
        assert np.array_equal(np.delete(before, index, axis=1), np.delete(after, index, axis=1))


def assert_at_most_one_more(more: Array, kept: Array) -> None:
    """Check that a table is another one, or has one more row anywhere."""
    extra = more.shape[1] - kept.shape[1]
    assert extra in (0, 1)
    tables = [np.delete(more, [row] * extra, axis=1) for row in range(more.shape[1])] or [more]
    assert any(np.array_equal(table, kept) for table in tables)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder for the files of all examples."""
    return tmp_path_factory.mktemp("rows")


@pytest.mark.parametrize("examples", [20, *slow([EXAMPLES])])
@pytest.mark.parametrize("path", PATHS.values(), ids=PATHS)
def test_rows__changing_one_row_changes_no_other_row_and_nothing_public(
    path: InputPath, examples: int, folder: Path
) -> None:
    @settings(max_examples=examples)
    @given(st.data())
    def check(data: Any) -> None:
        check_independence(path, data.draw, folder)

    check()


# The classes of entries ----------------------------------------------------------------------------------


def test_cells__of_every_hostile_class_are_on_the_paths() -> None:
    of_cells = {key for key, entry in HOSTILE.items() if entry.of_cells} - {"ordinary"}
    assert ODD.keys() == of_cells
    assert (ODDER | DAYS).keys() <= HOSTILE.keys()
    strings = {"source_constant", "empty_string", "odd_string", "undeclared_category"}
    assert of_type(str).keys() == strings
    assert of_type(int).keys() == {"integer_limits", "source_constant", "outside_bounds"}
    # A path whose columns have one type holds the classes of that type; null is any column's.
    assert of_type(float).keys() == of_cells - strings - {"integer_limits", "null", "wrong_type"}


@pytest.mark.parametrize(
    "key", ["nan", "infinity", "negative_zero", "subnormal", "magnitudes", "integer_limits"]
)
def test_cells__are_of_the_class_that_is_stated(key: str) -> None:
    entries = [*of_type(float).get(key, ()), *of_type(int).get(key, ())]
    assert entries
    assert all(key in classes_of_cell(Double(0.0, 10.0), entry) for entry in entries)


# Entries that Arrow has and Python has not ---------------------------------------------------------------


def words_of(*entries: bytes) -> Any:
    """Return a column of strings with these bytes, which need not be valid."""
    ends = np.cumsum([0, *map(len, entries)]).astype(np.int32)
    buffers = [None, pyarrow.py_buffer(ends), pyarrow.py_buffer(b"".join(entries))]
    return pyarrow.Array.from_buffers(pyarrow.string(), len(entries), buffers)


def dates_of(*days: int) -> Any:
    """Return a column of dates, which may be after the year 9999."""
    return pyarrow.array(days, pyarrow.int32()).cast(pyarrow.date32())


@pytest.mark.parametrize("kind", ["Parquet", "frame"])
@pytest.mark.parametrize(
    ("first", "second"),
    [(words_of(b"y", b"x"), words_of(b"y", b"\xff")), (dates_of(0, 1), dates_of(0, 2**31 - 1))],
    ids=["invalid string", "date after 9999"],
)
def test_rows__an_entry_without_a_value_in_python_counts_as_missing(
    first: Any, second: Any, kind: str, tmp_path: Path
) -> None:
    domain = Domain((MIXED.features[1],))

    def given_as(column: Any) -> tuple[Any, ...]:
        table = pyarrow.table({"b": column, "y": [0, 1]})
        if kind == "Parquet":
            parquet.write_table(table, tmp_path / "rows.parquet")
            return (ParquetSource(tmp_path / "rows.parquet", "y"),)
        return table.to_pandas(types_mapper=pandas.ArrowDtype)[["b"]], [0, 1]

    shown = []
    for column in (first, second):
        path = InputPath(domain, ANY_ROW, lambda *_, column=column: given_as(column))
        shown.append(observe_path(path, [], tmp_path, classes=(0, 1)))
    (seen, rows), (other_seen, other_rows) = shown
    assert seen.apart_from_trees == other_seen.apart_from_trees
    assert seen.error == ""
    assert np.array_equal(rows[:, :1], other_rows[:, :1])


@pytest.mark.parametrize(
    "column", [[7.0, float("nan")], [7.0, 7.5], ["7", "SECRET"], [7, None], [None, None], [True, False]]
)
def test_rows__a_file_of_a_folder_is_read_by_its_own_types(column: list[Any], tmp_path: Path) -> None:
    folder = tmp_path / "rows"
    folder.mkdir()
    domain = Domain((SMALL.features[2],))
    path = InputPath(domain, ANY_ROW, lambda *_: (ParquetSource(folder, "y"),))
    parquet.write_table(pyarrow.table({"c": [9, 8], "y": [0, 1]}), folder / "1.parquet")
    shown = []
    for second in ([7, 8], column):
        parquet.write_table(pyarrow.table({"c": second, "y": [1, 0]}), folder / "2.parquet")
        shown.append(observe_path(path, [], tmp_path, classes=(0, 1)))
    (seen, rows), (other_seen, other_rows) = shown
    assert seen.apart_from_trees == other_seen.apart_from_trees
    assert seen.error == ""
    assert rows.tolist() == [[2, 1, 0, 1], [-1, 1, 1, -1]]
    # The first row of each second file is 7 in another spelling, or counts as 7, the first category.
    assert np.array_equal(rows[:, :3], other_rows[:, :3])


def test_rows__a_file_without_labels_is_refused(tmp_path: Path) -> None:
    parquet.write_table(pyarrow.table({"c": [9, 8], "y": [0, 1]}), tmp_path / "1.parquet")
    parquet.write_table(pyarrow.table({"c": [9, 8]}), tmp_path / "2.parquet")
    model = PrivateBoostedTreesClassifier(domain=Domain((SMALL.features[2],)), classes=(0, 1))
    with pytest.raises(PreconditionError, match="a column of every file"):
        model.fit(ParquetSource(tmp_path, "y"))


# Planted violations --------------------------------------------------------------------------------------


def is_caught(path: InputPath, folder: Path) -> bool:
    """Return whether the test fails on an input path."""

    @settings(max_examples=EXAMPLES, phases=[Phase.generate])
    @given(st.data())
    def check(data: Any) -> None:
        check_independence(path, data.draw, folder)

    try:
        check()
    except AssertionError:
        return True
    return False


@pytest.fixture
def path() -> InputPath:
    """Return an input path of ordinary entries, on which the learner itself is not caught."""
    return InputPath(SMALL, rows_of(*[st.sampled_from((*ORDINARY, None))] * 5), lists, classes=SMALL_CLASSES)


def test_rows__nothing_is_caught_if_nothing_is_planted(path: InputPath, folder: Path) -> None:
    assert not is_caught(path, folder)


def test_rows__a_type_inferred_from_a_batch_is_caught(
    path: InputPath, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = cells.read_column

    def infer(column: Any) -> Any:
        """Read a column of which one entry is a string as a column of strings."""
        if np.asarray(column).dtype.kind != "U":
            return read(column)
        return [entry if isinstance(entry, str) else None for entry in column]

    monkeypatch.setattr(cells, "read_column", infer)
    assert is_caught(path, folder)


def test_rows__a_warning_about_rows_is_caught(
    path: InputPath, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    admit = Admission.rows

    def warn(self: Admission, X: Any, y: Any, most: int | None = None) -> Any:  # noqa: N803
        """Admit rows, and warn if a label is invalid."""
        if self.labels.is_invalid(y).any():
            warnings.warn("some labels are invalid", UserWarning, stacklevel=2)
        return admit(self, X, y, most)

    monkeypatch.setattr(Admission, "rows", warn)
    assert is_caught(path, folder)
