"""The private classifiers: scikit-learn's checks, public inputs, ledgers, fitted attributes, predictions."""

from __future__ import annotations

import json
import pickle
import re
import warnings
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import get_scorer
from sklearn.utils.estimator_checks import parametrize_with_checks

from privboost.errors import PreconditionError
from privboost.fast import (
    AS_PRINTED,
    SOUND,
    SOUND_NET,
    ArraySource,
    Categorical,
    Domain,
    Guarantee,
    NonPrivateWarning,
    Numeric,
    PrivateBoostedTreesClassifier,
    PrivateForestClassifier,
)
from privboost.fast.budgets import forest_leaf_budget
from privboost.fast.estimators import forest as forest_module
from privboost.fast.estimators.defaults import choose_parameters
from privboost.fast.estimators.forest import sample_class
from privboost.fast.estimators.private_trees import PrivateTrees
from privboost.fast.growth import LocalRows, Setting, fit_trees
from privboost.fast.loss import inverse_link
from privboost.fast.protocol import AlphaRule, LeafRule, Relation, SplitLaw
from privboost.oracle_tests.support.fast_runs import make_samples, same_trees
from privboost.reference.data import Relation as ReferenceRelation
from privboost.reference.data import binary_domain
from privboost.reference.exact import enclose
from privboost.reference.learners import forests
from privboost.reference.learners import protocol as reference_protocol
from privboost.reference.trees.risks import Mass

RANDOM = np.random.default_rng(5)
X = RANDOM.uniform(-1, 1, size=(400, 3))
Y = (X[:, 0] + X[:, 1] > 0).astype(np.int64)
COLOURS = ("red", "green", "blue")
FRAME = pd.DataFrame(
    {"age": 50 + 40 * X[:, 0], "colour": pd.Categorical([COLOURS[i % 3] for i in range(400)], COLOURS)}
)
PEOPLE = Domain((Numeric("age", 0, 120, 12), Categorical("colour", COLOURS)))


USUAL: dict[str, Any] = {"domain": (-1, 1), "classes": (0, 1), "depth": 3, "random_state": 0}
make_boosted = partial(PrivateBoostedTreesClassifier, n_trees=3, **USUAL)
forest = partial(PrivateForestClassifier, n_trees=5, **USUAL)
every_maker = pytest.mark.parametrize("make", [make_boosted, forest], ids=["boosted", "forest"])


# scikit-learn --------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::privboost.fast.domain.NonPrivateWarning")
@parametrize_with_checks(  # type: ignore[untyped-decorator]
    [
        PrivateBoostedTreesClassifier(domain="observed", classes="observed", random_state=0),
        PrivateForestClassifier(domain="observed", classes="observed", depth=3, random_state=0),
    ]
)
def test_estimators__pass_the_checks_of_scikit_learn(estimator: Any, check: Any) -> None:
    check(estimator)


@every_maker
@pytest.mark.parametrize("scorer", ["roc_auc", "neg_log_loss"])
def test_estimators__scorers_take_the_second_class_for_positive(make: Any, scorer: str) -> None:
    names = np.array(["no", "yes"])
    model = make(epsilon=1000, classes=("no", "yes"), n_trees=20).fit(X, names[Y])
    assert get_scorer(scorer)(model, X, names[Y]) > get_scorer(scorer)(model, X, names[1 - Y])


@every_maker
def test_estimators__do_not_predict_before_they_are_fitted(make: Any) -> None:
    for method in ("predict", "predict_proba", "decision_function"):
        with pytest.raises(NotFittedError):
            getattr(make(), method)(X)
    with pytest.raises(NotFittedError):
        make().to_json()


# Public inputs -------------------------------------------------------------------------------------------


@every_maker
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"domain": None},
            r"domain: expected public bounds \(lo, hi\), a list of them, a Domain, or a schema",
        ),
        ({"domain": (1, -1)}, r"domain, x0: expected finite bounds lo < hi, got \(1.0, -1.0\)"),
        ({"domain": [(0, 1)] * 2}, "domain: expected bounds of 3 features, got bounds of 2"),
        ({"domain": 3}, "domain: expected a pair"),
        ({"domain": PEOPLE}, "X: expected 2 features, as in the domain, got 3"),
        ({"domain": {}}, "schema: expected an entry for each column, got none"),
        ({"classes": None}, r"classes: expected the two public labels, such as \(0, 1\), .* got None"),
        (
            {"classes": (0, 1, 2)},
            r"classes: expected two classes\. For more, .* with an equal share of epsilon.* got \[0, 1, 2\]",
        ),
        ({"classes": {0, 1}}, r"classes: expected the two public labels, .* got \{0, 1\}"),
        ({"classes": ("yes", "no")}, r"classes: expected the labels sorted, \('no', 'yes'\), as in scikit"),
        ({"classes": (0, "1")}, r"classes: expected two labels of one type, got \[0, '1'\]"),
        ({"classes": (0, 2**53)}, "classes: expected categories that are .* numbers below 2.53"),
        ({"epsilon": 0}, "epsilon: expected a number > 0, got 0"),
        ({"epsilon": float("nan")}, "epsilon: expected a finite number, got nan"),
        ({"n_trees": 0}, "n_trees: expected a whole number >= 1, got 0"),
        ({"depth": 2.0}, "depth: expected a whole number >= 1, got 2.0"),
        ({"depth": 17}, "depth: expected a whole number from 1 to 16, got 17"),
        ({"relation": "swap"}, r"relation: expected one of \['exchange', 'add_remove'\], got 'swap'"),
        ({"invalid": "mean"}, "invalid: expected one of"),
        ({"invalid": "drop"}, "invalid: expected 'lowest', because the number of rows is public"),
        ({"inputs_are_public": "no"}, "inputs_are_public: expected True or False, got 'no'"),
        ({"random_state": "7"}, "random_state: expected None, a whole number or a NumPy generator"),
    ],
)
def test_inputs__are_refused_with_the_reason(make: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(PreconditionError, match=message):
        make(**options).fit(X, Y)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mechanism": "other"}, "mechanism: expected one of"),
        ({"accounting": "other"}, "accounting: expected one of"),
        ({"protocol": "private"}, "protocol: expected 'as_printed', 'sound', 'sound_net' or a Protocol"),
        ({"split_law": "best"}, "split_law: expected one of"),
        ({"leaf_rule": "mean"}, "leaf_rule: expected one of"),
        ({"alpha_rule": "noisy_minority"}, "no estimate of alpha with uniform splits"),
        ({"protocol": SOUND, "relation": "add_remove", "size": 400}, "relation: expected the protocol's own"),
        ({"relation": "add_remove"}, "size: expected a public bound on the number of rows, which is secret"),
        ({"size": 401}, "X: expected 401 rows, got 400 rows"),
        ({"beta_tree": 1}, "beta_tree: expected a number between 0 and 1, got 1"),
        ({"alphas": [0.5, 2]}, r"alphas: expected numbers in \[0, 1\]"),
    ],
)
def test_parameters__of_a_learner_are_refused_with_the_reason(options: dict[str, Any], message: str) -> None:
    make = forest if {"mechanism", "accounting"} & set(options) else make_boosted
    with pytest.raises(PreconditionError, match=message):
        make(**options).fit(X, Y)


@every_maker
@pytest.mark.parametrize(("name", "ours"), [("n_estimators", "n_trees"), ("max_depth", "depth")])
def test_parameters__of_other_libraries_are_refused_with_the_name_of_ours(
    make: Any, name: str, ours: str
) -> None:
    with pytest.raises(TypeError, match=rf"Classifier\(\) got an .* '{name}'; use '{ours}'"):
        make(**{name: 3})
    for other in ("learning_rate", "n_jobs", "class_weight", "min_samples_leaf"):
        with pytest.raises(TypeError, match=rf"unexpected keyword argument '{other}'; \w+"):
            make(**{other: 3})
    with pytest.raises(TypeError, match=r"unexpected keyword argument 'n_leaves'$"):
        make(n_leaves=3)
    model = clone(make(**{ours: 3}))
    assert (model.get_params()[ours], pickle.loads(pickle.dumps(model)).get_params()[ours]) == (3, 3)


@every_maker
def test_inputs__three_observed_classes_say_what_is_possible(make: Any) -> None:
    with pytest.raises(PreconditionError, match=r"y: expected two classes\. For more, fit one model"):
        make(classes="observed").fit(X, np.arange(400) % 3)


@every_maker
def test_inputs__weights_are_refused_with_the_reason(make: Any) -> None:
    with pytest.raises(
        PreconditionError, match="sample_weight: expected None, because the learner sets weights itself"
    ):
        make().fit(X, Y, sample_weight=np.ones(400))
    with pytest.raises(TypeError, match="unexpected keyword argument 'weights'"):
        make().fit(X, Y, weights=np.ones(400))
    assert make().fit(X, Y, sample_weight=None).to_json() == make().fit(X, Y).to_json()


def test_inputs__bounds_are_those_given_and_not_those_of_the_data() -> None:
    # Both halves of the square are given the same public bounds, so their domains are the same.
    left, right = (
        make_boosted(domain=[(-9, 9), (-1, 1), (0, 1)]).fit(X[part], Y[part]) for part in (X[:, 0] < 0, ...)
    )
    assert left.domain_ == right.domain_ == Domain.from_bounds([(-9, 9), (-1, 1), (0, 1)])


@every_maker
def test_inputs__domain_is_a_schema_or_a_file(make: Any, tmp_path: Path) -> None:
    schema = PEOPLE.to_schema()
    path = tmp_path / "people.json"
    path.write_text(json.dumps(schema), "utf-8")
    models = [make(domain=domain).fit(FRAME, Y) for domain in (PEOPLE, schema, path, str(path))]
    assert [model.domain_.provenance for model in models] == ["declared"] * 2 + ["schema"] * 2
    assert len({model.to_json().replace("schema", "declared") for model in models}) == 1


@every_maker
def test_inputs__observed_bounds_and_classes_warn_and_void_the_guarantee(make: Any) -> None:
    with pytest.warns(NonPrivateWarning, match="the domain was read from the data") as caught:
        first = make(domain="observed", random_state=None).fit(FRAME[["age"]], Y)
    assert caught[0].filename == __file__
    with pytest.warns(NonPrivateWarning, match="the domain was read"):
        domain = Domain.observed(FRAME[["age"]])
    second = make(domain=domain, random_state=None).fit(FRAME[["age"]], Y)
    with pytest.warns(NonPrivateWarning, match="the classes were read"):
        third = make(classes="observed", random_state=None).fit(X, Y)
    assert first.domain_ == second.domain_
    assert third.classes_.tolist() == [0, 1]
    assert {model.privacy_ledger_.guarantee for model in (first, second, third)} == {Guarantee.NONE}


def test_inputs__names_of_columns_decide_and_not_their_order() -> None:
    model = make_boosted(domain=PEOPLE).fit(FRAME, Y)
    turned = make_boosted(domain=PEOPLE).fit(FRAME[["colour", "age"]], Y)
    assert model.feature_names_in_.tolist() == ["age", "colour"]
    assert np.array_equal(model.decision_function(FRAME), turned.decision_function(FRAME[["colour", "age"]]))
    with pytest.raises(PreconditionError, match=r"X: expected the columns .*'age', 'colour'"):
        make_boosted(domain=PEOPLE).fit(FRAME.rename(columns={"age": "years"}), Y)


@every_maker
@pytest.mark.parametrize(
    "domain",
    [PEOPLE, Domain.from_bounds([(0, 120), (0, 1)]), [(0, 120), (0, 1)]],
    ids=["names", "x0", "bounds"],
)
def test_inputs__names_of_columns_decide_in_predictions_too(make: Any, domain: Any) -> None:
    frame = FRAME if domain is PEOPLE else FRAME.assign(colour=X[:, 1])
    model = make(domain=domain, n_trees=9).fit(frame, Y)
    expected = model.decision_function(frame)
    turned = frame.assign(further=1)[["further", "colour", "age"]]
    assert len(set(expected.tolist())) > 2
    for fitted in (model, type(model).from_json(model.to_json())):
        assert np.array_equal(fitted.decision_function(turned), expected)
        assert np.array_equal(fitted.decision_function(frame), expected)
        assert fitted.score(turned, Y) == fitted.score(frame, Y)
        with pytest.raises(PreconditionError, match=r"X: expected the columns .* a table without \['age'\]"):
            fitted.predict(frame.rename(columns={"age": "years"}))


@every_maker
def test_inputs__rows_without_names_are_read_in_the_order_of_the_domain(make: Any) -> None:
    expected = make(domain=PEOPLE).fit(FRAME, Y).decision_function(FRAME)
    for columns in (["colour", "age"], ["further", "age", "colour"], ["age", "colour", "further"]):
        model = make(domain=PEOPLE).fit(FRAME.assign(further=1)[columns], Y)
        for fitted in (model, type(model).from_json(model.to_json())):
            for rows in (FRAME.to_numpy(), FRAME.to_numpy().tolist(), FRAME.to_dict("records")):
                with warnings.catch_warnings(record=True) as warned:
                    warnings.simplefilter("always")
                    assert np.array_equal(fitted.decision_function(rows), expected)
                order = (
                    r"read in the order of the domain, \('age', 'colour'\), which is not that of the training"
                )
                assert len(warned) == (columns[0] != "age")
                assert all(re.search(order, str(warning.message)) for warning in warned)
    with pytest.raises(PreconditionError, match="X: expected 2 features, as in the domain, got 3"):
        model.predict(X)


def test_inputs__columns_of_the_training_data_that_are_no_features_are_not_needed_to_predict() -> None:
    models = [make_boosted(domain=PEOPLE).fit(frame, Y) for frame in (FRAME, FRAME.assign(further=1))]
    expected, scores = (model.decision_function(FRAME) for model in models)
    assert np.array_equal(scores, expected)


@every_maker
def test_inputs__invalid_entries_count_as_the_lowest_value_or_the_first_category(make: Any) -> None:
    holes = FRAME.head(6).assign(
        age=[np.nan, 0.0, np.inf, 120.0, -np.inf, 0.0], colour=[None, "red", "blue", "blue", "pink", "red"]
    )
    model = make(domain=PEOPLE, n_trees=9, depth=6).fit(FRAME, Y)
    scores = model.decision_function(holes)
    assert np.array_equal(scores[0::2], scores[1::2])
    assert len(set(scores[1::2].tolist())) > 1


@every_maker
@pytest.mark.parametrize(
    ("entry", "column"),
    [
        ({"lo": -1, "hi": 1, "values": 2}, np.where(Y > 0, np.nan, -1.0)),
        ({"integers": [-1, 0]}, [None if y else -1 for y in Y]),
        ({"categories": ["a", "b"]}, [None if y else "a" for y in Y]),
        ({"boolean": True}, np.where(Y > 0, "?", False)),
    ],
)
def test_inputs__missing_entries_have_a_value_of_their_own_if_declared(
    make: Any, entry: dict[str, Any], column: Any
) -> None:
    frame = pd.DataFrame({"column": column})
    own, none = (
        make(domain={"column": {**entry, "missing": missing}}, epsilon=1000) for missing in (True, False)
    )
    assert own.fit(frame, Y).score(frame, Y) == 1
    assert none.fit(frame, Y).score(frame, Y) < 0.8


@every_maker
def test_inputs__errors_that_tell_about_rows_are_asked_for_and_void_the_guarantee(make: Any) -> None:
    def revealing(**options: Any) -> Any:
        return make(invalid="raise_and_reveal", random_state=None, **options)

    unknown = FRAME.assign(colour=["pink", *FRAME["colour"][1:]])
    with pytest.raises(PreconditionError, match=r"X, colour: expected one of .*, got 'pink' in row 0"):
        revealing(domain=PEOPLE).fit(unknown, Y)
    with pytest.raises(PreconditionError, match=r"X, x2: expected a number, got .*nan.* in row 3"):
        revealing().fit(np.where(np.arange(1200).reshape(400, 3) == 11, np.nan, X), Y)
    with pytest.raises(PreconditionError, match=r"classes \(0, 1\), got another label in row 7"):
        revealing().fit(X, np.where(np.arange(400) == 7, 5, Y))
    ledger = revealing().fit(X, Y).privacy_ledger_
    assert ledger.guarantee is Guarantee.NONE
    assert "raise_and_reveal" in ledger.statement
    assert make(random_state=None).fit(X, Y).privacy_ledger_.guarantee is Guarantee.CONDITIONAL


@pytest.mark.parametrize("law", ["exponential", "uniform"])
def test_inputs__rows_beyond_the_public_bound_raise_no_error(law: str) -> None:
    make = partial(make_boosted, relation="add_remove", size=300, split_law=law)
    model, first = make().fit(X, Y), make().fit(X[:300], Y[:300])
    # The rows beyond the bound are left out if splits depend on the data, and are used otherwise.
    assert (model.to_json() == first.to_json()) == (law == "exponential")
    again = PrivateBoostedTreesClassifier.from_json(model.to_json())
    unseeded = make(random_state=None).fit(X, Y)
    for ledger in (fit.privacy_ledger_ for fit in (model, again, unseeded)):
        assert ledger.row_bound == (300 if law == "exponential" else None)
    assert ("; for at most 300 rows, twice as much for more" in str(ledger)) == (law == "exponential")


@every_maker
def test_inputs__invalid_rows_are_dropped_where_their_number_is_secret(make: Any) -> None:
    bound = {"size": 400} if make is make_boosted else {}
    options = {"relation": "add_remove", "invalid": "drop", **bound}
    holes = np.where(X > 0.9, np.nan, X)
    labels = np.where(np.arange(400) < 5, 7, Y)
    whole = np.isfinite(holes).all(axis=1) & (labels < 2)
    model = make(**options).fit(holes, labels)
    assert 0 < whole.sum() < 395
    assert model.to_json() == make(**options).fit(X[whole], Y[whole]).to_json()
    assert make(**options).fit(holes[:0], labels[:0]).predict(holes).shape == (400,)


@every_maker
@pytest.mark.parametrize("shape", [(400,), (20, 20, 1), (400, 0)])
def test_inputs__errors_about_shapes_quote_no_entry_and_no_number_of_rows(make: Any, shape: Any) -> None:
    bound = {"size": 400} if make is make_boosted else {}
    model = make(relation="add_remove", **bound)
    table = np.full(400 if 0 not in shape else 0, 8.25).reshape(shape)
    for rows, labels in ((table, Y), (table.astype(complex), Y), (X, np.full((400, 2), 8.25))):
        with pytest.raises(PreconditionError) as raised:
            model.fit(rows, labels)
        assert "8.25" not in str(raised.value)
        assert "400" not in str(raised.value)


@every_maker
def test_inputs__sparse_rows_are_refused_by_their_type(make: Any) -> None:
    for entry in (8.25, 8.25j):
        with pytest.raises(PreconditionError, match=r"X: expected .* not sparse data, got csr_array$"):
            make().fit(csr_array(np.array([[entry, 0, 1], [1, 0, 0]])), [0, 1])


@every_maker
def test_inputs__rows_of_another_type_are_refused_with_those_that_are_accepted(make: Any) -> None:
    model = make().fit(X, Y)
    for rows in (
        None,
        "people.csv",
        {"x0": [1]},
        SimpleNamespace(columns=(), to_pylist=list),
        ArraySource(X, Y),
    ):
        wanted = (
            rf"X: expected an array, a data frame of pandas or a list of rows, got {type(rows).__name__}$"
        )
        for call in (model.predict, *(() if hasattr(rows, "blocks") else (partial(make().fit, y=Y),))):
            with pytest.raises(PreconditionError, match=wanted):
                call(rows)


@every_maker
def test_inputs__lists_of_rows_are_read_entry_by_entry(make: Any) -> None:
    rows, labels = FRAME.to_numpy().tolist(), Y.tolist()
    expected = make(domain=PEOPLE).fit(FRAME.to_numpy(), Y)
    assert make(domain=PEOPLE).fit(rows, labels).to_json() == expected.to_json()
    assert np.array_equal(expected.predict(rows), expected.predict(FRAME.to_numpy()))
    records = FRAME.to_dict("records")
    assert make(domain=PEOPLE).fit(records, labels).to_json() == expected.to_json()
    with pytest.raises(PreconditionError, match="because a list of rows does not tell their number"):
        make(domain=(0, 1)).fit(X.tolist(), labels)
    ragged = [[*rows[0], "further"], rows[1][:1], None, [{}, []], *rows[4:]]
    assert make(domain=PEOPLE).fit(ragged, ["?", None, *labels[2:]]).domain_ == PEOPLE


# Privacy ledgers -----------------------------------------------------------------------------------------

PROTOCOLS: dict[str, dict[str, Any]] = {
    "default": {},
    "SOUND": {"protocol": "sound"},
    "flip": {"split_law": "permute_and_flip"},
    "estimates": {"split_law": "exponential", "alpha_rule": "noisy_minority"},
    "clamped links": {"leaf_rule": "link_clamp_noise"},
    "added": {"relation": "add_remove", "size": 500},
    "added, with splits": {"relation": "add_remove", "size": 500, "split_law": "exponential"},
    "given": {"protocol": SOUND_NET},
    "forest": {"mechanism": "laplace"},
    "exponential forest": {"mechanism": "exponential", "accounting": "printed"},
    "added forest": {"mechanism": "exponential", "relation": "add_remove"},
}


def model_of(name: str, **options: Any) -> PrivateTrees:
    """Return a model of one of the protocols."""
    chosen = PROTOCOLS[name]
    return forest(**chosen, **options) if "mechanism" in chosen else make_boosted(**chosen, **options)


@pytest.mark.parametrize("name", PROTOCOLS)
@pytest.mark.parametrize("epsilon", [0.1, Fraction(7, 3)])
def test_ledger__total_is_epsilon_exactly_if_inputs_are_public(name: str, epsilon: Any) -> None:
    ledger = model_of(name, epsilon=epsilon, random_state=None).fit(X, Y).privacy_ledger_
    assert ledger.total == Fraction(str(epsilon))
    assert ledger.guarantee is Guarantee.CONDITIONAL
    assert ledger.relation == ("add_remove" if "added" in name else "exchange")
    assert "neighbours: guaranteed if the domain and the preprocessing are public" in str(ledger)


def test_ledger__has_every_expense_of_every_tree() -> None:
    ledger = make_boosted(n_trees=2, depth=2, epsilon=1, split_law="exponential").fit(X, Y).privacy_ledger_
    quarter = Fraction(1, 8)
    assert [(expense.what, expense.epsilon) for expense in ledger.expenses] == [
        (f"tree {tree}: {what}", price)
        for tree in range(2)
        for what, price in [
            ("splits of level 0", quarter),
            ("splits of level 1", quarter),
            ("leaves", 2 * quarter),
        ]
    ]


@pytest.mark.parametrize(
    ("options", "note"),
    [
        ({"protocol": "as_printed"}, "the protocol is not sound"),
        ({"protocol": AS_PRINTED}, "the protocol is not sound"),
        ({"leaf_rule": "link_noise_clamp"}, "the protocol is not sound"),
        ({"split_law": "exponential", "alpha_rule": "raw_strict"}, "the protocol is not sound"),
        ({"random_state": 0}, "random_state is fixed"),
        ({"random_state": np.random.RandomState(0)}, "random_state is fixed"),
        ({"random_state": np.random.default_rng(0)}, "random_state is fixed"),
    ],
)
def test_ledger__doubts_void_the_guarantee(options: dict[str, Any], note: str) -> None:
    ledger = make_boosted(**{"random_state": None, **options}).fit(X, Y).privacy_ledger_
    assert ledger.guarantee is Guarantee.NONE
    assert ledger.reasons[0].startswith(note)
    assert f"neighbours: not guaranteed, because {note}" in str(ledger)


def test_ledger__raw_alpha_that_no_split_reads_spoils_no_guarantee() -> None:
    ledger = make_boosted(alpha_rule="raw_strict", random_state=None).fit(X, Y).privacy_ledger_
    assert ledger.guarantee is Guarantee.CONDITIONAL


def test_protocol__choices_change_the_preset_and_its_name() -> None:
    assert make_boosted().fit(X, Y).protocol_ == SOUND_NET
    assert make_boosted(protocol="sound_net").fit(X, Y).protocol_ == SOUND_NET
    assert make_boosted(protocol="sound").fit(X, Y).protocol_ == SOUND
    assert make_boosted(split_law="exponential", leaf_rule="noisy_masses").fit(X, Y).protocol_ == SOUND
    assert make_boosted(protocol="as_printed").fit(X, Y).protocol_ == AS_PRINTED
    switched = make_boosted(protocol="as_printed", leaf_rule="noisy_masses").fit(X, Y).protocol_
    assert switched == AS_PRINTED.changed(leaf=LeafRule.NOISY_MASSES)


def test_size__is_the_public_bound_where_the_number_of_rows_is_secret() -> None:
    model = make_boosted(relation="add_remove", size=500).fit(X, Y)
    assert (model.size_, make_boosted().fit(X, Y).size_) == (500, 400)
    assert "400" not in {str(value) for value in vars(model).values()}


@pytest.mark.parametrize("estimator", [PrivateBoostedTreesClassifier, PrivateForestClassifier])
def test_defaults__are_an_epsilon_of_one_and_no_seed(estimator: Any) -> None:
    parameters = estimator().get_params()
    assert (parameters["epsilon"], parameters["random_state"]) == (1.0, None)


@pytest.mark.parametrize("size", [1, 100, 10**4, 10**7])
def test_defaults__depend_on_public_quantities_and_grow_with_them(size: int) -> None:
    chosen = [choose_parameters(size, 5, Fraction(e), SOUND_NET) for e in ("1/10", "1", "10")]
    assert chosen == sorted(chosen)
    labels = np.arange(400) % 2
    for y in (Y, labels):
        parameters = make_boosted(n_trees="auto", depth="auto").fit(X, y).parameters_
        assert (parameters.trees, parameters.depth) == choose_parameters(400, 3, Fraction(1), SOUND_NET)


# Fitted models -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PROTOCOLS)
def test_random_state__repeats_a_fit(name: str) -> None:
    first, again, other = (model_of(name, random_state=seed).fit(X, Y).to_json() for seed in (3, 3, 4))
    assert first == again != other


@every_maker
def test_random_state__without_a_seed_fits_differ(make: Any) -> None:
    # Equal by accident with probability below 2^-60: every split of 7 nodes is one of 27 candidates, thrice.
    first, second = (make(random_state=None).fit(X, Y) for _ in range(2))
    assert any(
        not np.array_equal(a.feature, b.feature) or not np.array_equal(a.value, b.value)
        for a, b in zip(first.trees_, second.trees_, strict=True)
    )


@pytest.mark.parametrize("protocol", ["sound_net", "sound", "as_printed"])
def test_scores__are_the_sum_of_coefficients_times_leaf_values(protocol: str) -> None:
    model = make_boosted(protocol=protocol, boost_alpha=0.75).fit(X, Y)
    scores, codes = model.decision_function(X), model.domain_.codes(X)
    unit = 1024 if protocol == "sound_net" else 1
    parts = [c * tree.decide(codes) / unit for tree, c in zip(model.trees_, model.coefficients_, strict=True)]
    assert np.allclose(scores, np.sum(parts, axis=0), rtol=1e-15)
    assert np.array_equal(model.predict(X), (scores >= 0).astype(int))
    chances = model.predict_proba(X)
    assert np.array_equal(chances[:, 1], inverse_link(scores, 0.75))
    assert np.allclose(chances.sum(axis=1), 1)


@every_maker
def test_scores__ties_go_to_the_positive_class(make: Any) -> None:
    model = make(n_trees=2, depth=1).fit(X, Y)
    first = replace(model.trees_[0], values=np.array([-5, 5]))
    model.trees_ = (first, replace(first, values=np.array([5, -5])))
    assert set(model.decision_function(X).tolist()) == {0.0}
    assert set(model.predict(X).tolist()) == {1}
    model.trees_ = (first, first)
    assert set(model.predict(X).tolist()) == {0, 1}


@every_maker
def test_learners__learn_with_a_large_budget_and_guess_without(make: Any) -> None:
    rich = make(epsilon=10**4, n_trees=30, depth=5).fit(X, Y)
    poor = make(epsilon=1e-6, n_trees=30, depth=5).fit(X, Y)
    assert rich.score(X, Y) > 0.9
    assert 0.3 < poor.score(X, Y) < 0.7


def test_sources__give_the_trees_of_arrays_bit_for_bit() -> None:
    domain = Domain.from_bounds([(-1, 1)] * 3)
    for make in (make_boosted, forest):
        source: Any = ArraySource(X, Y)
        assert make(domain=domain).fit(source).to_json() == make(domain=domain).fit(X, Y).to_json()
        with pytest.raises(PreconditionError, match="a public value, because rows are read in parts"):
            make(domain=domain, classes="observed").fit(source)


def test_estimator__fits_what_the_learner_fits() -> None:
    model = make_boosted(n_trees=2).fit(X, Y)
    rows = LocalRows.in_memory(model.domain_.codes(X), 2 * Y - 1)
    setting = Setting(model.protocol_, model.parameters_, model.domain_, 400)
    kept = tuple(zip(model.trees_, model.coefficients_, strict=True))
    assert same_trees(fit_trees(setting, rows, make_samples(0)), kept)


# Transcripts ---------------------------------------------------------------------------------------------


def test_transcript__is_written_whole_and_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    model = make_boosted().fit(X, Y, transcript=path)
    assert np.array_equal(model.decision_function(X), make_boosted().fit(X, Y).decision_function(X))
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert [lines[0]["kind"], lines[-1]["kind"]] == ["header", "total"]
    assert path.stat().st_mode & 0o077 == 0
    with (tmp_path / "stream.jsonl").open("w", encoding="utf-8") as stream:
        make_boosted().fit(X, Y, transcript=stream)
    assert (tmp_path / "stream.jsonl").read_text("utf-8") == path.read_text("utf-8")


def test_transcript__nothing_is_left_after_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text("before", "utf-8")

    def fail(*_: Any) -> None:
        raise RuntimeError("in the middle")

    monkeypatch.setattr("privboost.fast.growth.fit.advance", fail)
    with pytest.raises(RuntimeError, match="in the middle"):
        make_boosted().fit(X, Y, transcript=path)
    assert [(entry.name, entry.read_text("utf-8")) for entry in tmp_path.iterdir()] == [
        ("run.jsonl", "before")
    ]
    with pytest.raises(PreconditionError, match="transcript: expected the path of a file"):
        make_boosted().fit(X, Y, transcript=tmp_path)


# Forests -------------------------------------------------------------------------------------------------


def reference_forest(relation: str, accounting: str) -> forests.Forest:
    """Return the reference's forest with the parameters of the tests."""
    return forests.Forest(
        forests.LeafMechanism.EXPONENTIAL,
        forests.Accounting(accounting),
        binary_domain(1),
        2,
        1,
        Fraction(3),
        ReferenceRelation(relation),
    )


@pytest.mark.claim("sub-sec-sum-imp")
@pytest.mark.parametrize(("positive", "negative"), [(2, 1), (0, 1), (1, 1), (0, 2)])
def test_sub_sec_sum_imp__class_of_a_leaf_has_the_law_of_the_reference(
    positive: int, negative: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The law is summed up over the geometric variable, whose own law has tests, and over the coin."""
    wanted = reference_forest("exchange", "tight")
    budget = Fraction(wanted.leaf_budget)  # type: ignore[arg-type]
    law = forests.leaf_class_law(wanted, Mass(Fraction(positive), Fraction(negative)))
    scales: list[Fraction] = []

    def answer(drawn: int, scale: Fraction, _: object) -> int:
        scales.append(scale)
        return drawn

    def sum_law(rate: float) -> dict[int, float]:
        masses = {1: 0.0, -1: 0.0}
        for drawn, coin in product(range(200), (0, 1)):
            monkeypatch.setattr(forest_module, "geometric", partial(answer, drawn))
            coins = SimpleNamespace(getrandbits=lambda _, coin=coin: coin)
            masses[sample_class(positive, negative, budget, coins)] += np.exp(-rate * drawn) / 2  # type: ignore[arg-type]
        return {outcome: mass * -np.expm1(-rate) for outcome, mass in masses.items()}

    exact = {outcome: float(enclose(chance, 64).lo) for outcome, chance in law.items()}
    assert sum_law(float(budget / 2)) == pytest.approx(exact, abs=1e-12)
    assert set(scales) == {2 / budget}
    if positive != negative:
        assert sum_law(float(budget)) != pytest.approx(exact, abs=1e-3)


@pytest.mark.claim("sub-sec-sum-imp")
@pytest.mark.parametrize("relation", Relation)
@pytest.mark.parametrize("accounting", ["printed", "tight"])
def test_sub_sec_sum_imp__budget_of_a_leaf_is_that_of_the_reference(
    relation: Relation, accounting: str
) -> None:
    model = forest(n_trees=2, depth=1, epsilon=3, relation=relation.value, accounting=accounting).fit(X, Y)
    assert forest_leaf_budget(model.parameters_) == reference_forest(relation.value, accounting).leaf_budget


def test_forest__score_is_the_mean_of_the_votes() -> None:
    model = forest().fit(X, Y)
    codes = model.domain_.codes(X)
    votes = np.mean([np.where(tree.decide(codes) >= 0, 1, -1) for tree in model.trees_], axis=0)
    assert np.allclose(model.decision_function(X), votes, rtol=1e-15)
    assert np.allclose(model.predict_proba(X)[:, 1], (1 + votes) / 2)


def test_forest__leaves_count_rows_and_not_half_of_them() -> None:
    model = forest(epsilon=10**6, n_trees=1, depth=2).fit(X, Y)
    tree = model.trees_[0]
    leaves = tree.leaves_of(model.domain_.codes(X))
    nets = np.array([np.sum(2 * Y[leaves == leaf] - 1) for leaf in range(4)])
    # Integer noise of scale 2 10^-6 is 0, except with probability below e^-400000.
    assert tree.values.tolist() == nets.tolist()


def test_protocol__names_are_those_of_the_reference() -> None:
    for own in (AlphaRule, SplitLaw, LeafRule, Relation):
        assert {choice.value for choice in own} == {
            choice.value for choice in getattr(reference_protocol, own.__name__)
        }
