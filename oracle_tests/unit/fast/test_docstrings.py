"""Docstrings of the public learner: numpydoc sections that match the code, and examples that run."""

from __future__ import annotations

import doctest
import inspect
import re
from collections.abc import Callable, Iterator
from enum import Enum
from itertools import pairwise
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest

from privboost import fast
from privboost.oracle_tests.support.checkout import ROOT

CLASSES = [
    value
    for name in fast.__all__
    if inspect.isclass(value := getattr(fast, name)) and not issubclass(value, Warning | Enum)
]
ESTIMATORS = [fast.PrivateBoostedTreesClassifier, fast.PrivateForestClassifier]
FUNCTIONS = (fast.export_text, fast.plot_effects, fast.plot_tree)
SELF = ("self", "cls")


def sections(docstring: str) -> dict[str, list[str]]:
    """Return the lines of every numpydoc section of a docstring, by its title."""
    lines = inspect.cleandoc(docstring).splitlines()
    titles = [
        index for index, (title, rule) in enumerate(pairwise(lines)) if title and rule == "-" * len(title)
    ]
    return {lines[start]: lines[start + 2 : end] for start, end in pairwise([*titles, len(lines)])}


def names_in(docstring: str | None, title: str) -> list[str]:
    """Return the names that a section lists, such as 'epsilon' for 'epsilon : float, default=1.0'."""
    lines = sections(docstring or "").get(title, [])
    return [line.partition(" : ")[0].lstrip("*") for line in lines if line and not line.startswith(" ")]


def parameters_of(function: Callable[..., Any]) -> list[str]:
    """Return the names of the parameters of a function, without self."""
    return [name for name in inspect.signature(function).parameters if name not in SELF]


def documented_methods() -> Iterator[Any]:
    """Yield the public functions and methods of the learner whose docstrings have sections."""
    yield from FUNCTIONS
    for public in CLASSES:
        for _, method in inspect.getmembers(public, inspect.isroutine):
            is_own = str(getattr(method, "__module__", None)).startswith("privboost.fast")
            if is_own and not method.__name__.startswith("_") and sections(method.__doc__ or ""):
                yield method


METHODS = list(dict.fromkeys(documented_methods()))


@pytest.mark.parametrize("public", CLASSES)
def test_classes__list_the_parameters_of_the_constructor(public: type) -> None:
    assert names_in(public.__doc__, "Parameters") == parameters_of(public)


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.__qualname__)
def test_methods__list_their_parameters_and_results(method: Callable[..., Any]) -> None:
    assert names_in(method.__doc__, "Parameters") == parameters_of(method)
    assert {"Returns", "Yields"} & sections(method.__doc__ or "").keys()


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_estimators__list_the_attributes_that_a_fit_sets(estimator: Any) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"age": np.linspace(0, 1, 20)})
    model = estimator(domain=(0, 1), classes=(0, 1), n_trees=1, depth=1).fit(frame, np.arange(20) % 2)
    fitted = {name for name in vars(model) if name.endswith("_")} | {"feature_importances_"}
    assert set(names_in(estimator.__doc__, "Attributes")) == fitted


def test_sections__missing_parameter_is_noticed() -> None:
    docstring = (
        "Sum.\n\nParameters\n----------\na : int\n    First.\n\nReturns\n-------\ntotal : int\n    Sum.\n"
    )
    assert names_in(docstring, "Parameters") == ["a"] != parameters_of(lambda a, b: a + b)
    assert names_in(docstring, "Returns") == ["total"]


@pytest.mark.parametrize("public", [*CLASSES, *FUNCTIONS])
def test_examples__print_what_they_show(public: Any) -> None:
    printed: list[str] = []
    runner = doctest.DocTestRunner(verbose=False)
    for test in doctest.DocTestFinder().find(public, globs={}):
        runner.run(test, out=printed.append)
    assert "".join(printed) == ""


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_examples__estimators_have_one(estimator: Any) -> None:
    assert "Examples" in sections(estimator.__doc__)


def test_page__examples_print_what_it_shows(
    capsys: pytest.CaptureFixture[str], tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page for people with data runs as it stands; only the accuracy may differ."""
    pytest.importorskip("pandas")
    page = (ROOT / "docs" / "fast.md").read_text("utf-8")
    first, check, delta, second, classes = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    (shown,) = re.findall(r"```\naccuracy 0\.\d\d;(.*?)```", page, re.DOTALL)
    (table,) = re.findall(r"```\n(NOT PRIVATE.*?)```", page, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    exec(first, names)
    assert capsys.readouterr().out.partition(";")[2] == shown
    exec(check, names)
    assert capsys.readouterr().out == table
    (ledger,) = re.findall(r"```\n(345 × .*?)```", page, re.DOTALL)
    exec(delta, names)
    assert capsys.readouterr().out == ledger
    mpl.use("agg")
    exec(second, names)
    np.testing.assert_array_equal(
        names["same"].decision_function(names["X_test"]), names["model"].decision_function(names["X_test"])
    )
    exec(classes, names)
    ages = np.select([names["X_test"]["age"] < 40, names["X_test"]["age"] < 65], ["young", "middle"], "old")
    # The accuracy is about 0.96, and that of a prediction that ignores the rows 0.35.
    assert np.mean(names["predicted"] == ages) > 0.8
    assert abs(sum(model.privacy_ledger_.total for model in names["models"]) - 1) < 1e-9
