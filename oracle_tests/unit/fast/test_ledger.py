"""What a privacy ledger states: conditions, meta-estimators that read the data, and totals over all fits."""

from __future__ import annotations

import io
import json
import pickle
import warnings
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from fractions import Fraction
from functools import partial
from math import log
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import beta
from sklearn.base import BaseEstimator, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.ensemble import BaggingClassifier, StackingClassifier, VotingClassifier
from sklearn.feature_selection import SelectFromModel
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    RandomizedSearchCV,
    TunedThresholdClassifierCV,
    cross_val_predict,
)
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, Normalizer, StandardScaler
from sklearn.semi_supervised import SelfTrainingClassifier

from privboost.errors import PreconditionError
from privboost.fast import (
    ArraySource,
    Domain,
    Guarantee,
    NonPrivateWarning,
    ParquetSource,
    PrivacyLedger,
    PrivateBoostedTreesClassifier,
    PrivateForestClassifier,
)
from privboost.fast.budgets import Expense
from privboost.fast.protocol import CHOICES, SOUND, Relation

RANDOM = np.random.default_rng(8)
X = RANDOM.random((120, 3))
Y = (X[:, 0] > 0.5).astype(np.int64)
THREE = np.arange(120) % 3
BOTH = np.column_stack([Y, 1 - Y])
DOMAIN = Domain.from_bounds([(0, 1)] * 3, names=["a", "b", "c"])


USUAL: dict[str, Any] = {"domain": (0, 1), "classes": (0, 1), "n_trees": 2, "depth": 2}
make_boosted = partial(PrivateBoostedTreesClassifier, **USUAL)
forest = partial(PrivateForestClassifier, **USUAL)
every_maker = pytest.mark.parametrize("make", [make_boosted, forest], ids=["boosted", "forest"])


# What is stated ------------------------------------------------------------------------------------------


@every_maker
def test_statement__is_conditional_unless_the_caller_declares_public_inputs(
    make: Any, tmp_path: Path
) -> None:
    schema, rows = tmp_path / "domain.json", tmp_path / "rows.parquet"
    schema.write_text(json.dumps(DOMAIN.to_schema()), "utf-8")
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    frame.assign(y=Y).to_parquet(rows)
    parquet: Any = ParquetSource(rows, "y")
    array: Any = ArraySource(X, Y)
    conditional = "guaranteed if the domain and the preprocessing are public"
    declared = make(domain=schema, inputs_are_public=True)
    assert declared.fit(parquet).privacy_ledger_.statement == "guaranteed"
    assert type(declared).from_json(declared.to_json()).privacy_ledger_.statement == "guaranteed"
    with pytest.warns(NonPrivateWarning, match="MinMaxScaler"):
        scaled = make_pipeline(MinMaxScaler(), make(inputs_are_public=True)).fit(X, Y)[-1]
    assert scaled.privacy_ledger_.guarantee is Guarantee.NONE
    for model in (
        make(domain=schema).fit(parquet),
        make(domain=schema).fit(frame, Y),
        make(domain=schema).fit(array),
        make(domain=DOMAIN).fit(parquet),
        make(domain=json.loads(schema.read_text("utf-8"))).fit(parquet),
        make().fit(X, Y),
    ):
        assert model.privacy_ledger_.statement == conditional
    assert make(domain=schema, random_state=1).fit(parquet).privacy_ledger_.guarantee is Guarantee.NONE


def test_statement__gives_the_reasons_if_nothing_is_guaranteed() -> None:
    model = make_boosted(protocol="as_printed", random_state=1).fit(X, Y)
    assert model.privacy_ledger_.statement.startswith("not guaranteed, because the protocol is not sound: ")
    assert model.privacy_ledger_.statement.endswith(
        "; random_state is fixed, so anyone who knows it knows the noise"
    )
    with pytest.warns(NonPrivateWarning):
        observed = make_boosted(domain="observed").fit(X, Y).privacy_ledger_
    assert observed.statement == "not guaranteed, because the domain was read from the data"


def test_ledger__without_a_guarantee_has_reasons_and_with_one_has_none() -> None:
    expenses = (Expense("all", Fraction(1), "Laplace"),)
    for guarantee, reasons in [(Guarantee.NONE, ()), (Guarantee.FULL, ("a seed",))]:
        with pytest.raises(PreconditionError, match="reasons: expected reasons if and only if nothing"):
            PrivacyLedger(Relation.EXCHANGE, expenses, guarantee, reasons)


# Pipelines and meta-estimators ---------------------------------------------------------------------------


class Twice(BaseEstimator):  # type: ignore[misc]
    """Meta-estimator of another project, which fits twice."""

    def __init__(self, inner: Any = None) -> None:
        self.inner = inner

    def fit(self, rows: Any, labels: Any) -> Twice:
        """Fit two clones."""
        self.fitted_ = [clone(self.inner).fit(rows, labels) for _ in range(2)]
        return self


def others(model: Any) -> list[tuple[str, Any]]:
    """Return a private model and one that is not."""
    return [("private", model), ("raw", LogisticRegression())]


SCALERS: dict[str, Any] = {
    "scaler": MinMaxScaler(),
    "scaler in a pipeline": make_pipeline(Normalizer(), MinMaxScaler()),
    "scaler of a column": make_column_transformer((MinMaxScaler(), [0]), remainder="passthrough"),
    "scaler of the remainder": make_column_transformer((Normalizer(), [0]), remainder=MinMaxScaler()),
    "scaler in a union": make_union(Normalizer(), MinMaxScaler()),
}
READERS: dict[str, tuple[Any, Any, str, int]] = {
    **{
        name: (partial(make_pipeline, step), Y, "MinMaxScaler of a pipeline", 1)
        for name, step in SCALERS.items()
    },
    "standard scaler": (partial(make_pipeline, StandardScaler()), Y, "StandardScaler of a pipeline", 1),
    "calibration": (lambda m: CalibratedClassifierCV(m, cv=2), Y, "fitted by CalibratedClassifierCV", 2),
    "one against the rest": (OneVsRestClassifier, THREE, "fitted by OneVsRestClassifier", 3),
    "one against one": (OneVsOneClassifier, THREE, "fitted by OneVsOneClassifier", 3),
    "votes": (lambda model: VotingClassifier(others(model)), Y, "fitted by VotingClassifier", 1),
    "stack": (lambda m: StackingClassifier(others(m), cv=2), Y, "fitted by StackingClassifier", 3),
    "bag": (lambda m: BaggingClassifier(m, 2), Y, "fitted by BaggingClassifier", 2),
    "bag in votes": (
        lambda model: VotingClassifier([("bag", BaggingClassifier(model, 2))]),
        Y,
        "fitted by BaggingClassifier.* fitted by VotingClassifier",
        2,
    ),
    "self-training": (
        lambda model: SelfTrainingClassifier(model, max_iter=0),
        np.where(THREE == 0, -1, Y),
        "fitted by SelfTrainingClassifier",
        1,
    ),
    "outputs": (MultiOutputClassifier, BOTH, "fitted by MultiOutputClassifier", 2),
    "chain": (ClassifierChain, BOTH, "fitted by ClassifierChain", 2),
    "selection": (SelectFromModel, Y, "fitted by SelectFromModel", 1),
    "grid": (lambda m: GridSearchCV(m, {"epsilon": [1, 1.0]}, cv=2), Y, "sklearn.model_selection", 5),
    "random": (
        lambda m: RandomizedSearchCV(m, {"epsilon": [1, 1.0]}, n_iter=2, cv=2),
        Y,
        "sklearn.model_selection",
        5,
    ),
    "threshold": (lambda m: TunedThresholdClassifierCV(m, cv=2), Y, "sklearn.model_selection", 3),
    "another project": (Twice, Y, "fitted by Twice", 2),
}


def fitted_parts(value: Any, seen: set[int] | None = None) -> Iterator[Any]:
    """Yield all fitted private models that an object holds."""
    seen = set() if seen is None else seen
    if id(value) in seen:
        return
    seen.add(id(value))
    if hasattr(value, "privacy_ledger_"):
        yield value
    elif isinstance(value, list | tuple):
        for part in value:
            yield from fitted_parts(part, seen)
    elif isinstance(value, dict) or hasattr(value, "__dict__"):
        for part in (value if isinstance(value, dict) else vars(value)).values():
            yield from fitted_parts(part, seen)


@pytest.mark.parametrize(
    ("make", "case"), [*((make_boosted, case) for case in READERS), (forest, "scaler"), (forest, "grid")]
)
def test_readers__of_the_data_warn_once_and_void_the_guarantee(make: Any, case: str) -> None:
    build, labels, message, count = READERS[case]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        whole = build(make()).fit(X, labels)
    given = [warning for warning in caught if warning.category is NonPrivateWarning]
    texts = [str(warning.message) for warning in given]
    # Stacking also calls sklearn.model_selection for some of its fits, which is another reason.
    assert len(texts) == (2 if case == "stack" else 1)
    assert {warning.filename for warning in given} == {__file__}
    models = list(fitted_parts(whole))
    assert models
    for model in models:
        ledger = model.privacy_ledger_
        assert ledger.guarantee is Guarantee.NONE
        assert pd.Series([ledger.statement, *texts]).str.contains(message).all()
        # Clones are counted together, those that were dropped after a score included.
        assert ledger.running_total == count
        assert (f"in {count} fits of this estimator and its clones" in str(ledger)) == (count > 1)
        assert model.to_json() == type(model).from_json(model.to_json()).to_json()


HARMLESS: dict[str, list[Any]] = {
    "no other step": [],
    "row by row": [Normalizer(), "passthrough"],
    "function": [FunctionTransformer(np.sqrt)],
    "columns": [make_column_transformer((Normalizer(), [0, 1]), remainder="passthrough")],
    "fitted to public rows": [FrozenEstimator(MinMaxScaler().fit([[0, 0, 0], [1, 1, 1]]))],
}


@every_maker
@pytest.mark.parametrize("case", HARMLESS)
def test_readers__pipeline_that_fits_nothing_else_does_not_warn(make: Any, case: str) -> None:
    pipeline = make_pipeline(*HARMLESS[case], make()).fit(X, Y)
    assert pipeline.predict(X).shape == Y.shape
    assert pipeline[-1].privacy_ledger_.guarantee is Guarantee.CONDITIONAL
    assert pipeline[-1].privacy_ledger_.running_total == 1


def test_readers__in_functions_and_in_threads_are_found() -> None:
    with pytest.warns(NonPrivateWarning, match=r"sklearn.model_selection.*every fit spends epsilon again"):
        cross_val_predict(make_boosted(), X, Y, cv=2)
    joblib = pytest.importorskip("joblib")
    with (
        pytest.warns(NonPrivateWarning, match="fitted by sklearn.multiclass, which may read the rows itself"),
        joblib.parallel_backend("threading"),
    ):
        whole = OneVsRestClassifier(make_boosted(), n_jobs=2).fit(X, THREE)
    ledgers = [model.privacy_ledger_ for model in whole.estimators_]
    assert {ledger.guarantee for ledger in ledgers} == {Guarantee.NONE}
    assert {ledger.running_total for ledger in ledgers} == {3}


def test_readers__scaler_shows_a_row_that_the_budget_hides() -> None:
    """A row far out moves all others to one cell: certain to be seen, at epsilon = 0.1 for the model."""
    m, epsilon, calls = 2000, 0.1, 100
    rows = np.random.default_rng(3).random((m, 1))
    labels = (rows[:, 0] > 0.5).astype(np.int64)
    far = rows.copy()
    far[0] = 1e9

    def predicts_both_classes(table: Any, seed: int) -> bool:
        model = make_boosted(epsilon=epsilon, n_trees=1, depth=1, random_state=seed)
        return len(set(make_pipeline(MinMaxScaler(), model).fit(table, labels).predict(rows[:200]))) == 2

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NonPrivateWarning)
        hits = [sum(predicts_both_classes(table, seed) for seed in range(calls)) for table in (rows, far)]
    # Clopper-Pearson bounds, each wrong with probability 1/200; seeds are fixed.
    lower = beta.ppf(1 / 200, hits[0], calls - hits[0] + 1)
    upper = beta.ppf(199 / 200, hits[1] + 1, calls - hits[1])
    assert log(lower / upper) > 20 * epsilon


# Totals --------------------------------------------------------------------------------------------------


@every_maker
def test_ledger__prints_equal_expenses_of_trees_in_one_line(make: Any) -> None:
    ledger = make(n_trees=34).fit(X, Y).privacy_ledger_
    printed = str(ledger).splitlines()
    assert len(ledger.expenses) >= 34
    assert len(printed) == (3 if make is make_boosted else 2)
    assert printed[0].startswith("    34 × 0.0294118  leaves of each tree (")
    if make is make_boosted:
        assert f"  splits of {len(ledger.expenses) - 34} levels (" in printed[1]


def test_ledger__prints_expenses_that_differ_in_lines_of_their_own() -> None:
    ledger = make_boosted(n_trees=3, split_law="exponential").fit(X, Y).privacy_ledger_
    assert [line.strip().partition(" (")[0] for line in str(ledger).splitlines()[:-1]] == [
        "3 × 0.0833333  splits of level 0 of each tree",
        "3 × 0.0833333  splits of level 1 of each tree",
        "3 × 0.166667  leaves of each tree",
    ]


@every_maker
def test_total__of_fits_grows_with_every_fit_of_an_estimator_and_its_clones(make: Any) -> None:
    model = make(epsilon=Fraction(1, 2))
    first = model.fit(X, Y).privacy_ledger_
    assert (first.total, first.running_total) == (Fraction(1, 2), Fraction(1, 2))
    copy = clone(model).set_params(epsilon=2).fit(X, Y)
    second = model.fit(X, Y).privacy_ledger_
    for ledger in (first, second, copy.privacy_ledger_):
        assert ledger.running_total == 3
        assert str(ledger).endswith("3  in 3 fits of this estimator and its clones, exchange neighbours")
    assert (first.total, second.total, copy.privacy_ledger_.total) == (Fraction(1, 2), Fraction(1, 2), 2)
    assert make().fit(X, Y).privacy_ledger_.running_total == 1


def test_total__of_fits_is_kept_for_each_relation() -> None:
    model = make_boosted().fit(X, Y).set_params(relation="add_remove", size=200)
    ledger = model.set_params(epsilon=2).fit(X, Y).privacy_ledger_
    assert (ledger.total, ledger.running_total) == (2, 2)
    assert "2  in total, add_remove neighbours" in str(ledger)
    assert str(ledger).endswith("1  in 1 fit of this estimator and its clones, exchange neighbours")


@every_maker
def test_total__of_fits_survives_copies_pickles_and_files(make: Any) -> None:
    model = make().fit(X, Y)
    for again in (pickle.loads(pickle.dumps(model)), deepcopy(model), type(model).from_json(model.to_json())):
        assert again.privacy_ledger_ == model.privacy_ledger_
        assert again.fit(X, Y).privacy_ledger_.running_total == 2
    assert model.privacy_ledger_.running_total == 1


def test_total__does_not_count_a_fit_that_failed() -> None:
    model = make_boosted(depth=17)
    with pytest.raises(PreconditionError, match="depth"):
        model.fit(X, Y)
    assert model.set_params(depth=2).fit(X, Y).privacy_ledger_.running_total == 1


# Transcripts ---------------------------------------------------------------------------------------------


class Stream(io.StringIO):
    """Text stream that can be found among the attributes of an object."""


def test_transcript__is_not_kept_by_the_estimator() -> None:
    stream = Stream()
    model = make_boosted(random_state=7).fit(X, Y, transcript=stream)
    written = stream.getvalue()
    assert '"noise"' in written
    assert not any(isinstance(value, Stream) for value in vars(model).values())
    assert "transcript" not in model.get_params()
    # The noise of a leaf is in the transcript, and in nothing that the estimator keeps.
    assert pickle.dumps(model) == pickle.dumps(make_boosted(random_state=7).fit(X, Y))
    assert b"noise" not in pickle.dumps(clone(model))
    model.fit(X, Y)
    assert stream.getvalue() == written
    with pytest.raises(TypeError, match="unexpected keyword argument 'transcript'"):
        make_boosted(transcript=stream)  # type: ignore[call-arg]


def test_transcript__is_written_within_a_pipeline() -> None:
    stream = Stream()
    pipeline = make_pipeline(Normalizer(), make_boosted(random_state=7))
    pipeline.fit(X, Y, privateboostedtreesclassifier__transcript=stream)
    lines = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert [lines[0]["kind"], lines[-1]["kind"]] == ["header", "total"]


@pytest.mark.parametrize("field", CHOICES)
def test_protocol__fields_are_members_of_their_enumerations(field: str) -> None:
    given: dict[str, Any] = {field: getattr(SOUND, field).value}
    assert getattr(replace(SOUND, **given), field) is getattr(SOUND, field)
    for wrong in (None, "noisy", "RAW_MINORITY"):
        given[field] = wrong
        with pytest.raises(PreconditionError, match=field):
            replace(SOUND, **given)


def test_protocol__with_the_name_of_another_is_refused() -> None:
    renamed = replace(make_boosted(protocol="as_printed").fit(X, Y).protocol_, name="SOUND")
    with pytest.raises(PreconditionError, match=r"protocol: expected a name that says how .* got SOUND"):
        make_boosted(protocol=renamed).fit(X, Y)
