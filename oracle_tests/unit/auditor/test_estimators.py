"""Estimators as targets: their arguments, their tables, the neighbouring tables, and what a call returns."""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.naive_bayes import GaussianNB

from privboost.auditor import Pair, Verdict, audit, audit_estimator
from privboost.auditor.files.sentences import explain
from privboost.auditor.inputs.classes import HOSTILE
from privboost.auditor.mechanisms.estimators import estimator_target, needs_labels, promise_of
from privboost.auditor.mechanisms.naming import find_target, is_module_target
from privboost.auditor.pairs.neighbours import CLASSES, table_pairs
from privboost.auditor.pairs.tables import TableOfRows, read_table, table_of
from privboost.auditor.running.search import refusals
from privboost.errors import PreconditionError, TargetError, UsageError
from privboost.fast import PrivateBoostedTreesClassifier
from privboost.targets.arguments import parse_arguments, split_call, split_options

MODULE = '''
import numpy as np

class Bounds:
    def __init__(self, low, high=1):
        self.low, self.high = low, high

class Mean:
    """A mean with noise.

    Parameters
    ----------
    epsilon : float
        Privacy parameter, for neighbouring tables
        that differ in one row.
    bounds : tuple
        Least and greatest value.
    """

    def __init__(self, epsilon=1.0, bounds=(0, 1), random_state=None):
        self.epsilon, self.bounds, self.random_state = epsilon, bounds, random_state

    def get_params(self, deep=True):
        return {"epsilon": self.epsilon, "bounds": self.bounds, "random_state": self.random_state}

    def set_params(self, **given):
        vars(self).update(given)
        return self

    def fit(self, X, y=None):
        low, high = self.bounds
        scale = (high - low) / (self.epsilon * len(X))
        self.mean_ = np.clip(X[:, 0], low, high).mean() + self.random_state.laplace(scale=scale)
        return self

instance = Mean(epsilon=2.0)
'''


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Return the name of a module with an estimator, in the current folder."""
    name = f"estimators_of_{tmp_path.name}"
    (tmp_path / f"{name}.py").write_text(MODULE, "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield name
    sys.modules.pop(name, None)


# Arguments ------------------------------------------------------------


def test_arguments__literals_with_commas_and_calls_of_named_objects(module: str) -> None:
    source = "(1, -2.5), 'a, b', x={'k': [1, 2]}, y=None, z=fractions.Fraction(1, 3), e=math.pi"
    positional, named = parse_arguments(source, source)
    assert positional == [(1, -2.5), "a, b"]
    assert named["x"] == {"k": [1, 2]}
    assert (named["y"], named["e"]) == (None, math.pi)
    assert str(named["z"]) == "1/3"
    assert parse_arguments(f"{module}.Bounds(0, high={{1, 2}})", "")[0][0].high == {1, 2}


@pytest.mark.parametrize(
    "source",
    [
        "1 + 1",
        "print(1)",
        "x",
        "[k for k in (1, 2)]",
        "lambda: 1",
        "*(1, 2)",
        "**{'a': 1}",
        "().__class__",
        "1)(2",
        "f'{1}'",
        "{**{}}",
        "a.b[0]()",
    ],
)
def test_arguments__anything_else_is_refused(source: str) -> None:
    with pytest.raises(UsageError, match=r"target: expected .*literals such as"):
        parse_arguments(source, source)


def test_arguments__of_a_module_that_does_not_exist() -> None:
    with pytest.raises(UsageError, match=r"an installed module or one of this folder, got 'nowhere\.f'"):
        parse_arguments("nowhere.f(1)", "")
    with pytest.raises(TargetError, match="arguments that can be made, got ZeroDivisionError"):
        parse_arguments("fractions.Fraction(1, 0)", "")


def test_arguments__name_and_call_are_split() -> None:
    assert split_call("a.b.C(x=(1, 2), y=')')") == ("a.b.C", "x=(1, 2), y=')'")
    assert split_call("a.b.c") == ("a.b.c", None)
    for source in ("C(1)", "a.b.C(1)(2)", "a.b.C(1", "a b", ""):
        with pytest.raises(UsageError, match="target: expected"):
            split_call(source)


def test_arguments__of_other_targets(module: str) -> None:
    (Path.cwd() / f"{module}.py").write_text(
        MODULE + "\ndef make(scale, at=(0, 1)):\n    return lambda data, rng: (scale, at)\n", "utf-8"
    )
    call = find_target(f"{module}:make(2, at=(3, 4))").mechanism.call
    assert call(0, np.random.default_rng(0)) == (2, (3, 4))
    with pytest.raises(UsageError, match="arguments that fit"):
        find_target(f"{module}:make(1, 2, 3)")
    options = {"a": "(0, 1)", "b": "[1,{2,3}]"}
    assert split_options("Name,a=(0, 1),b=[1,{2,3}]", "") == ("Name", options)
    assert split_options("Name(a=(0, 1), b=[1,{2,3}])", "") == ("Name", options)
    assert split_options("Name", "") == split_options("Name()", "") == ("Name", {})


# Estimators ------------------------------------------------------------


@pytest.mark.parametrize(
    ("named", "epsilon"),
    [
        ("Mean(epsilon=0.5, bounds=(0, 1))", 0.5),
        ("Mean", 1.0),
        ("instance", 2.0),
    ],
)
@pytest.mark.parametrize("separator", [".", ":", ".py:"])
def test_estimator__class_and_instance_alike(module: str, named: str, epsilon: float, separator: str) -> None:
    target = f"estimator:{module}{separator}{named}"
    by_name = find_target(target)
    assert is_module_target(target)
    assert (by_name.epsilon, by_name.delta, by_name.relation) == (epsilon, 0.0, None)
    assert by_name.promise == "“Privacy parameter, for neighbouring tables that differ in one row.”"
    data = {"X": [[0.0], [1.0]], "y": None, "probes": [[0.5]]}
    one, other = (by_name.mechanism.call(data, np.random.default_rng(seed)) for seed in (1, 2))
    assert list(one) == ["mean_"]
    assert one["mean_"] != other["mean_"]
    assert one == by_name.mechanism.call(data, np.random.default_rng(1))


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("estimator:nowhere.C()", "an installed module"),
        ("estimator:fractions.Fraction(1, 2)", "an object with a method fit"),
        ("estimator:fractions.Nothing", "a name of module fractions"),
        ("estimator:1 + 1", "module.Class"),
    ],
)
def test_estimator__that_is_none_is_refused(target: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        find_target(target)


class Remembering(BaseEstimator):  # type: ignore[misc]
    """An estimator with attributes of several kinds."""

    def __init__(self, bounds: Any = None, shared: Any = None) -> None:
        self.bounds, self.shared = bounds, shared

    def fit(self, X: Any, y: Any) -> Remembering:  # noqa: N803
        """Remember the data in several places."""
        self._rows, self.n_features_in_ = X.sum(), X.shape[1]
        self.noise_, self.choice_ = np.random.standard_normal(), random.random()
        if self.bounds is None:
            self.bounds = (X.min(), X.max())
        self.labels_ = y
        return self

    def predict(self, X: Any) -> Any:  # noqa: N803
        """Return the sum of every row."""
        return X.sum(axis=1)


def test_estimator__output_has_predictions_and_what_the_fit_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "remembering", sys.modules[__name__])
    call = estimator_target("estimator:remembering.Remembering(shared=[1, 2])").mechanism.call
    data = {"X": [[0.0, 1.0], [2.0, 3.0]], "y": [0, 1], "probes": [[1.0, 1.0]]}
    before = np.random.get_state()[1].tolist()  # type: ignore[index]
    output = call(data, np.random.default_rng(1))
    assert list(output) == ["predict", "n_features_in_", "noise_", "choice_", "labels_", "bounds", "_rows"]
    assert (output["predict"].tolist(), output["bounds"], output["_rows"]) == ([2.0], (0.0, 3.0), 6.0)
    # Global generators are seeded by the generator of the call, and restored.
    again = call(data, np.random.default_rng(1))
    assert (again["noise_"], again["choice_"]) == (output["noise_"], output["choice_"])
    assert call(data, np.random.default_rng(2))["noise_"] != output["noise_"]
    assert np.random.get_state()[1].tolist() == before  # type: ignore[index]


class FitsItsParameter(BaseEstimator):  # type: ignore[misc]
    """An estimator that fits an estimator which it was given, without noise."""

    def __init__(self, base: Any = None) -> None:
        self.base = base

    def fit(self, rows: Any, labels: Any) -> FitsItsParameter:
        """Fit the other estimator in place."""
        self.base.fit(rows, labels)
        self.noise_ = np.random.normal()
        return self


class AddsToItsParameter(BaseEstimator):  # type: ignore[misc]
    """An estimator that appends to a list which it was given."""

    def __init__(self, history: Any = None) -> None:
        self.history = history

    def fit(self, rows: Any, labels: Any) -> AddsToItsParameter:
        """Append the sum of the rows."""
        self.history.append(float(rows.sum() + labels.sum()))
        self.noise_ = np.random.normal()
        return self


class HasSlots:
    """An estimator without a dictionary of attributes."""

    __slots__ = ("sum_",)

    def fit(self, rows: Any, labels: Any) -> HasSlots:
        """Keep the sum of the rows."""
        self.sum_ = float(rows.sum() + labels.sum())
        return self


class ShowsNothing:
    """An estimator whose content nobody sees."""

    __slots__ = ()

    def fit(self, rows: Any, labels: Any) -> ShowsNothing:
        """Ignore the rows."""
        del rows, labels
        return self


@pytest.mark.parametrize(
    ("source", "verdict"),
    [
        ("FitsItsParameter(base=sklearn.naive_bayes.GaussianNB())", Verdict.VIOLATION),
        ("AddsToItsParameter(history=[])", Verdict.VIOLATION),
        ("HasSlots()", Verdict.VIOLATION),
        ("ShowsNothing()", Verdict.INCONCLUSIVE),
    ],
)
def test_estimator__everything_that_it_holds_is_read(
    source: str, verdict: Verdict, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "holding", sys.modules[__name__])
    mechanism = estimator_target(f"estimator:holding.{source}").mechanism
    left = {"X": [[0.0, 1.0], [2.0, 3.0]], "y": [0, 1], "probes": []}
    right = {"X": [[0.0, 1.0], [2.0, 9.0]], "y": [0, 1], "probes": []}
    assert audit(mechanism, (left, right), epsilon=1.0, calls=1_000, seed=1).verdict is verdict


def test_estimator__that_needs_labels_is_known() -> None:
    assert needs_labels(estimator_target("estimator:sklearn.naive_bayes.GaussianNB()").mechanism)
    assert not needs_labels(estimator_target("estimator:sklearn.cluster.KMeans()").mechanism)


def test_estimator__of_privboost_states_its_claim_and_relation() -> None:
    by_name = find_target(
        "estimator:privboost.fast.PrivateBoostedTreesClassifier"
        "(epsilon=0.5, domain=privboost.fast.Domain.from_bounds([(0, 1), (0, 2)]), classes=(0, 1), n_trees=1)"
    )
    assert (by_name.epsilon, by_name.relation) == (0.5, "exchange")
    assert "Neighbouring data sets differ in the values of one row" in by_name.promise
    data = {"X": [[0.5, 1.5], [0.1, 0.2]], "y": [0, 1], "probes": [[0.5, 0.5]]}
    assert next(iter(by_name.mechanism.call(data, np.random.default_rng(0)))) == "predict_proba"


def test_estimator__promise_says_what_is_missing() -> None:
    class Undocumented:
        pass

    assert promise_of(Undocumented) == ""
    Undocumented.__doc__ = "Text.\n\nepsilon : float\n    The :math:`\\epsilon`.\n\nother : int\n    No.\n"
    assert promise_of(Undocumented) == "“The ε.” (it does not say which inputs are neighbours)"
    assert "Neighbouring" in promise_of(PrivateBoostedTreesClassifier)


# Tables ------------------------------------------------------------

CSV = "age, town ,dose,ill\n1,a,0.5,0\n2,b,,1\n3,a,1.5,0\n4,b,2.5,0\n\n"


def write_table(folder: Path, content: str) -> Path:
    """Return the path of a CSV file."""
    path = folder / "rows.csv"
    path.write_text(content, "utf-8")
    return path


def test_table__numbers_strings_labels_and_missing_cells(tmp_path: Path) -> None:
    table = read_table(write_table(tmp_path, CSV), "ill")
    assert table.columns == ("age", "town", "dose")
    assert table.labels == (0, 1, 0, 0)
    assert table.numeric() == [0, 2]
    assert table.classes() == [0, 1]
    assert table.rows[0] == (1.0, "a", 0.5)
    assert math.isnan(table.rows[1][2])
    assert read_table(write_table(tmp_path, CSV), None).columns[-1] == "ill"
    values = read_table(write_table(tmp_path, CSV.replace("2.5,0", "2.5,0.5")), "ill")
    assert (values.labels, values.classes()) == ((0.0, 1.0, 0.0, 0.5), [])


@pytest.mark.parametrize(
    ("content", "label", "message"),
    [
        (CSV, "sick", "^label: expected one of age, town, dose, ill, got 'sick'"),
        ("a,b\n1,2\n", "b", "a header and at least 4 rows, got 2 lines"),
        (CSV + "5,a,1\n", "ill", "expected 4 cells, got 3 in row 6"),
        (CSV.replace("town", "age"), "ill", "different column names"),
        (CSV.replace("1,a,0.5,0", "1,a,0.5,"), "ill", "a label in every row"),
        ("y\n1\n2\n3\n4\n5\n", "y", "a column besides the label"),
    ],
)
def test_table__mistakes_are_named(content: str, label: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=message):
        read_table(write_table(tmp_path, content), label)


def test_table__that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"^table: expected a CSV file, got .*No such file"):
        read_table(tmp_path / "none.csv", None)


def rows_of(side: dict[str, Any]) -> list[str]:
    """Return the rows of an input with their labels."""
    labels = side["y"] or [None] * len(side["X"])
    return [repr(row) for row in zip(side["X"], labels, strict=True)]


TABLES = {
    "classes": None,
    "regression": TableOfRows(("a",), ((0.0,), (1.0,), (2.0,), (5.0,)), (0.5, 1.5, 2.5, 9.5)),
    "no labels": TableOfRows(("a", "b"), ((0.0, 1.0), (1.0, 0.0), (2.0, 4.0), (5.0, 5.0))),
    "strings": TableOfRows(("a",), (("u",), ("v",), ("u",), ("u",)), ("x", "y", "x", "x")),
}


@pytest.mark.parametrize("kind", TABLES)
def test_neighbours__differ_in_one_row_as_their_relation_says(kind: str, tmp_path: Path) -> None:
    table = TABLES[kind] or read_table(write_table(tmp_path, CSV), "ill")
    pairs = table_pairs(table)
    assert len({pair.name for pair in pairs}) == len(pairs)
    assert {pair.relation for pair in pairs} == {"exchange", "add_remove"}
    for pair in pairs:
        left, right = rows_of(pair.left), rows_of(pair.right)
        assert pair.left["probes"] == pair.right["probes"]
        assert all(
            not (isinstance(cell, float) and math.isnan(cell)) for row in pair.left["probes"] for cell in row
        )
        if pair.relation == "exchange":
            assert [one != other for one, other in zip(left, right, strict=True)].count(True) == 1
        else:
            few, many = sorted((left, right), key=len)
            assert len(many) == len(few) + 1
            assert any(many[:k] + many[k + 1 :] == few for k in range(len(many)))


LEAKY_PAIRS = {
    "last row removed": False,
    "first row removed": False,
    "corner row added at the end": False,
    "corner row added in front": False,
    "lone row of a class removed": False,
    "row removed, all values far from 0": True,
    "extreme row added": True,
    "row with a missing value added": True,
    "row of a new category added": True,
    "first label flipped": False,
    "last label flipped": False,
    "lone row of a class relabelled": False,
    "corner exchanged for the opposite one": False,
    "row exchanged, all values far from 0": True,
    "greatest value replaced": False,
    "extreme row in": True,
    "value at the edge of a bin": False,
    "missing value in": True,
    "new category in": True,
}
"""Whether an input may be outside of the claim, by the name of the pair."""


def test_neighbours__include_those_on_which_estimators_leak(tmp_path: Path) -> None:
    pairs = {pair.name: pair for pair in table_pairs(read_table(write_table(tmp_path, CSV), "ill"))}
    assert {name: pair.outside for name, pair in pairs.items()} == LEAKY_PAIRS
    assert pairs["lone row of a class removed"].right["y"] == [0, 0, 0]
    assert pairs["corner row added in front"].right["X"][0] == [4.0, "b", 2.5]
    assert pairs["new category in"].right["X"][-1] == [4.0, "a new category", 2.5]
    by_class = {key: [name for name, pair in pairs.items() if key in pair.classes] for key in HOSTILE}
    assert {key for key, names in by_class.items() if names} == {*CLASSES.values(), "ordinary"}
    assert by_class["undeclared_category"] == ["row of a new category added", "new category in"]
    assert by_class["nan"] == ["row with a missing value added", "missing value in"]
    edge = pairs["value at the edge of a bin"]
    assert (edge.left["X"][-1][0], edge.right["X"][-1][0]) == (2.5, math.nextafter(2.5, 0))


def test_trials__inputs_outside_of_the_claim_that_are_refused_are_named() -> None:
    def refuses(data: float, rng: np.random.Generator) -> float:
        if math.isnan(data):
            raise ValueError("Input contains NaN. See the manual")
        return rng.normal()

    mechanism = replace(find_target("bank:laplace").mechanism, call=refuses, batch=None)
    inside, outside = Pair("inside", 0.0, math.nan), Pair("outside", 0.0, math.nan, outside=True)
    fine = Pair("fine", 0.0, 1.0, outside=True)
    reasons = refusals(mechanism, [inside, outside, fine], 1)
    assert reasons == {"outside": "the right input is refused (ValueError: Input contains NaN)"}


# Audits ------------------------------------------------------------


def test_audit__of_all_pairs_goes_on_after_a_violation() -> None:
    pairs = [Pair("near", 0.0, 0.0), Pair("far", 0.0, 9.0), Pair("farther", 0.0, 99.0)]

    def mechanism(data: float, rng: np.random.Generator) -> float:
        return data + rng.laplace()

    settings: dict[str, Any] = {"epsilon": 1.0, "calls": 1_500, "seed": 1}
    first = audit(mechanism, pairs, **settings)
    every = audit(mechanism, pairs, **settings, all_pairs=True)
    assert first.verdict is every.verdict is Verdict.VIOLATION
    assert [entry.refuted for entry in every.pairs] == [False, True, True]
    assert every.pairs[0].calls == 500 > max(entry.calls for entry in first.pairs)
    assert max(entry.calls for entry in every.pairs[1:]) < 100
    assert "in all on 2 of 3 pairs" in explain(every)
    ended = audit(mechanism, pairs[1:], **settings, all_pairs=True)
    assert ended.calls < 200


def test_audit__of_an_estimator_without_noise_is_a_violation(tmp_path: Path) -> None:
    by_name = find_target("estimator:sklearn.naive_bayes.GaussianNB()")
    numbers = "age,dose,ill\n1,0.5,0\n2,1.25,1\n3,1.5,0\n4,2.5,1\n"
    pairs = table_pairs(read_table(write_table(tmp_path, numbers), "ill"))
    pair = next(pair for pair in pairs if pair.name == "last row removed")
    result = audit(by_name.mechanism, pair, epsilon=1.0, calls=200, seed=1)
    assert result.verdict is Verdict.VIOLATION
    assert "every call on either input gave the same output" in explain(result)
    fixed = find_target("estimator:sklearn.tree.DecisionTreeClassifier(random_state=1)")
    assert by_name.mechanism.seeded
    assert not fixed.mechanism.seeded


# In Python ------------------------------------------------------------------------------------------------

X, Y = [[k / 8, (5 * k % 8) / 8] for k in range(8)], [0, 0, 0, 0, 1, 1, 1, 1]


def test_audit_estimator__makes_the_calls_of_the_command(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    rows = "".join(f"{first},{second},{label}\n" for (first, second), label in zip(X, Y, strict=True))
    path.write_text(f"x0,x1,ill\n{rows}", "utf-8")
    pairs = [pair for pair in table_pairs(read_table(path, "ill")) if "flipped" in pair.name]
    mechanism = find_target("estimator:sklearn.naive_bayes.GaussianNB()").mechanism
    options: dict[str, Any] = {"epsilon": 1.0, "calls": 100, "seed": 1}
    by_hand = audit(mechanism, pairs, all_pairs=True, **options)
    result = audit_estimator(GaussianNB(), X, Y, only=["flipped"], **options)
    assert (result.verdict, result.target) == (Verdict.VIOLATION, "estimator:GaussianNB")
    assert result.pairs == by_hand.pairs


def test_audit_estimator__claim_and_relation_are_those_of_the_estimator() -> None:
    learner = PrivateBoostedTreesClassifier(domain=(0, 1), classes=(0, 1), n_trees=1, epsilon=2)
    frame = pytest.importorskip("pandas").DataFrame(X, columns=["age", "dose"])
    result = audit_estimator(learner, frame, np.array(Y), calls=40, seed=1)
    assert (result.claim.value, result.relation) == (2.0, "exchange")
    assert {entry.pair.relation for entry in result.pairs} == {"exchange"}
    assert "Neighbouring data sets" in result.promise
    both = audit_estimator(GaussianNB(), X, Y, epsilon=1, calls=40, seed=1)
    assert any("missing value in: the right input is refused" in line for line in both.left_out)
    kept = audit_estimator(GaussianNB(), X, Y, epsilon=1, calls=40, seed=1, keep_refused=True, only="missing")
    assert kept.left_out == ()


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((GaussianNB(), X, Y), {"epsilon": None}, "epsilon: expected the claim"),
        ((GaussianNB, X, Y), {}, "expected an object with a method fit"),
        ((GaussianNB(), X), {}, "y: expected labels"),
        ((GaussianNB(), X, Y[1:]), {}, "expected one label for each of 8 rows"),
        ((GaussianNB(), X[:2], Y[:2]), {}, "expected a table with at least 4 rows"),
        ((GaussianNB(), X, Y), {"only": ["nothing"]}, "only: expected words in"),
        ((GaussianNB(), X, Y), {"relation": "friends"}, "relation: expected exchange or add_remove"),
    ],
)
def test_audit_estimator__wrong_arguments_are_named(
    arguments: tuple[Any, ...], options: dict[str, Any], message: str
) -> None:
    with pytest.raises((PreconditionError, UsageError), match=message):
        audit_estimator(*arguments, **{"calls": 20, "epsilon": 1, **options})


def test_table__of_arrays_is_that_of_a_file(tmp_path: Path) -> None:
    cells = [[1, "a", None], [2, "b", 0.5], [3, None, 1.5], [4, "a", True]]
    path = tmp_path / "rows.csv"
    path.write_text("x0,x1,x2,y\n1,a,,0\n2,b,0.5,1\n3,,1.5,0\n4,a,1,1\n", "utf-8")
    assert repr(table_of(cells, np.array([0, 1, 0, 1]))) == repr(read_table(path, "y"))
    assert table_of(np.array(X)).labels is None
