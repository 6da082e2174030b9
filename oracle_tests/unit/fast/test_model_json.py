"""Fitted models as JSON documents (round trips, schema, strict reading) and as rules."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from fractions import Fraction
from pathlib import PurePath
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from privboost.errors import PreconditionError
from privboost.fast import (
    Categorical,
    Domain,
    Guarantee,
    Numeric,
    PrivateBoostedTreesClassifier,
    PrivateForestClassifier,
    export_text,
)
from privboost.fast.budgets import OBSERVED_DOMAIN, UNSOUND
from privboost.fast.domain import PROVENANCES
from privboost.fast.features import SPACINGS
from privboost.fast.files.model_json import SCHEMA
from privboost.fast.protocol import ForestParameters, Parameters, Protocol
from privboost.oracle_tests.support.json_schema import complaints
from privboost.strict_json import fraction_pattern

RANDOM = np.random.default_rng(6)
COLOURS = ("red", "green", "blue")
FRAME = pd.DataFrame(
    {
        "age": RANDOM.uniform(0, 120, 300),
        "colour": pd.Categorical(RANDOM.choice(COLOURS, 300), COLOURS),
        "old": RANDOM.integers(0, 2, 300).astype(bool),
    }
)
LABELS = np.where((FRAME["age"] > 60) ^ (FRAME["colour"] == "red"), "yes", "no")
DOMAIN = Domain(
    (Numeric("age", 0, 120, 12), Categorical("colour", COLOURS), Categorical("old", (False, True)))
)
RATIOS = Domain(
    (
        Numeric("age", 1, 1000, 9, missing=True),
        Categorical("colour", COLOURS, missing=True),
        DOMAIN.features[2],
    )
)
SEED = 192837465

USUAL: dict[str, Any] = {
    "domain": DOMAIN,
    "classes": ("no", "yes"),
    "n_trees": 3,
    "depth": 2,
    "random_state": SEED,
}
MODELS: dict[str, Any] = {
    "default": PrivateBoostedTreesClassifier(0.3, **USUAL),
    "SOUND": PrivateBoostedTreesClassifier(**USUAL, protocol="sound"),
    "AS_PRINTED": PrivateBoostedTreesClassifier(**USUAL, protocol="as_printed", boost_alpha=0.9),
    "added": PrivateBoostedTreesClassifier(**USUAL, relation="add_remove", size=1000, alphas=[0.5, 0]),
    "ratios": PrivateBoostedTreesClassifier(**{**USUAL, "domain": RATIOS}),
    "delta": PrivateBoostedTreesClassifier(**USUAL, delta=1e-6),
    "RF-Lap": PrivateForestClassifier(**USUAL),
    "RF-Exp": PrivateForestClassifier(**USUAL, mechanism="exponential"),
}
FITTED = {name: model.fit(FRAME, LABELS) for name, model in MODELS.items()}
every_model = pytest.mark.parametrize("name", MODELS)
DOCUMENT: dict[str, Any] = json.loads(SCHEMA.read_text("utf-8"))


def read(document: Any, name: str = "default") -> Any:
    """Return the model of a document."""
    return type(FITTED[name]).from_json(document if isinstance(document, str) else json.dumps(document))


# Round trips ---------------------------------------------------------------------------------------------


@every_model
def test_json__round_trip_gives_the_same_predictions_and_the_same_document(name: str) -> None:
    model, again = FITTED[name], read(FITTED[name].to_json(), name)
    assert again.to_json() == model.to_json()
    for method in ("decision_function", "predict_proba", "predict"):
        assert np.array_equal(getattr(again, method)(FRAME), getattr(model, method)(FRAME))
    assert again.privacy_ledger_ == model.privacy_ledger_
    assert again.parameters_ == model.parameters_
    assert again.feature_names_in_.tolist() == ["age", "colour", "old"]


@every_model
def test_json__model_that_was_read_fits_again_with_the_same_parameters(name: str) -> None:
    model = FITTED[name]
    again = read(model.to_json(), name).set_params(random_state=SEED).fit(FRAME, LABELS)
    assert again.to_json() == model.to_json()


@pytest.mark.parametrize(("classes", "y"), [((0, 1), [0, 1] * 20), ((False, True), [True, False] * 20)])
def test_json__labels_keep_their_type(classes: Any, y: Any) -> None:
    model = PrivateBoostedTreesClassifier(domain=(0, 1), classes=classes, n_trees=2, depth=1).fit(
        np.array([[0], [1]] * 20), y
    )
    again = read(model.to_json())
    assert again.classes_.dtype == model.classes_.dtype
    assert not hasattr(again, "feature_names_in_")


@every_model
def test_json__has_no_seed_and_no_raw_quantity(name: str) -> None:
    document = FITTED[name].to_json()
    assert str(SEED) not in document
    assert not re.search(r'"(noise|noisy|masses|mass|counts|scores|positive|negative)":', document)


def test_json__category_that_json_cannot_represent_is_refused() -> None:
    with pytest.raises(
        PreconditionError, match="domain, day: expected categories that are strings, booleans"
    ):
        Categorical("day", (pd.Timestamp(0), pd.Timestamp(1)))


# Schema --------------------------------------------------------------------------------------------------


@every_model
def test_schema__accepts_what_is_written(name: str) -> None:
    assert complaints(DOCUMENT, json.loads(FITTED[name].to_json())) == []


def test_schema__has_the_fields_and_choices_of_the_reader() -> None:
    definitions = DOCUMENT["$defs"]
    for name, record in [
        ("protocol", Protocol),
        ("parameters", Parameters),
        ("forest_parameters", ForestParameters),
    ]:
        named = [field.name for field in fields(record)]
        assert definitions[name]["required"] == [field for field in named if field != "delta"]
        assert list(definitions[name]["properties"]) == named
    for definition in definitions.values():
        if definition.get("type") == "object":
            assert sorted(definition["required"]) == sorted({*definition["properties"]} - {"delta"})
            assert definition["additionalProperties"] is False
    assert tuple(definitions["numeric"]["properties"]["spacing"]["enum"]) == SPACINGS
    assert tuple(definitions["domain"]["properties"]["provenance"]["enum"]) == PROVENANCES
    assert definitions["ledger"]["properties"]["guarantee"]["enum"] == [kind.value for kind in Guarantee]
    assert definitions["exact"]["pattern"] == f"^{fraction_pattern()}$"
    assert DOCUMENT["$schema"] == "https://json-schema.org/draft/2020-12/schema"


# Strict reading ------------------------------------------------------------------------------------------


def change_document(path: str, value: Any, name: str = "default") -> Any:
    """Return a document with one value changed, or removed where the new value is `...`."""
    inner = document = json.loads(FITTED[name].to_json())
    *steps, last = (int(step) if step.isdigit() else step for step in path.split("."))
    for step in steps:
        inner = inner[step]
    if value is ...:
        del inner[last]
    else:
        inner[last] = value
    return document


STRUCTURAL: dict[str, tuple[str, Any, str]] = {
    "other format": ("format", "pickle", 'model.format: expected "privboost-model", got "pickle"'),
    "earlier version": ("version", 2, "model.version: expected 3, got 2"),
    "later version": ("version", 4, "model.version: expected 3, got 4"),
    "version as a string": ("version", "3", 'model.version: expected 3, got "3"'),
    "other kind": ("kind", "forest", 'model.kind: expected "boosted_trees", got "forest"'),
    "no size": ("size", ..., 'model: expected the key "size"'),
    "no version": ("version", ..., 'model: expected the key "version"'),
    "one member more": ("noise", 1, "model: expected no keys but"),
    "empty size": ("size", 0, "model.size: expected an integer >= 1, got 0"),
    "size as a decimal": ("size", 300.5, "model.size: expected an integer >= 1, got 300.5"),
    "three classes": ("classes", [0, 1, 2], "model.classes: expected a list of 2, got a list of 3"),
    "class that is a list": ("classes.0", [], r"model.classes\[0\]: expected a finite number, got a list"),
    "number for a name": ("feature_names.0", 1, r"model.feature_names\[0\]: expected a string, got 1"),
    "unknown rule for NaN": ("invalid", "mean", "model.invalid: expected one of"),
    "missing as a number": ("domain.features.0.missing", 0, "missing: expected true or false"),
    "unknown origin": ("domain.provenance", "mine", "model.domain.provenance: expected one of"),
    "bounds as a string": ("domain.features.0.lo", "0", r"features\[0\].lo: expected a finite number"),
    "no spacing": ("domain.features.0.spacing", ..., r'features\[0\]: expected the key "spacing"'),
    "unknown spacing": ("domain.features.0.spacing", "log", r"spacing: expected one of \['regular'"),
    "no categories": ("domain.features.1.categories", [], "expected a list that is not empty"),
    "unknown leaf rule": ("protocol.leaf", "raw", "model.protocol.leaf: expected one of"),
    "epsilon as a float": ("parameters.epsilon", 0.3, "model.parameters.epsilon: expected a string, got 0.3"),
    "epsilon as a power": ("parameters.epsilon", "1e999999999", "expected an exact number such as"),
    "deep": ("parameters.depth", 17, "depth: expected a whole number from 1 to 16, got 17"),
    "no trees": ("trees", [], "model.trees: expected a list of 3, got a list of 0"),
    "value as a string": ("trees.0.values.0", "0", r"model.trees\[0\].values\[0\]: expected a number from"),
    "split without a test": ("trees.1.splits.2", {"feature": 0}, 'expected the key "at_least"'),
    "split of no feature": ("trees.1.splits.2.feature", -1, r"splits\[2\].feature: expected an integer"),
    "unknown guarantee": ("ledger.guarantee", "certain", "model.ledger.guarantee: expected one of"),
    "reasons as a string": ("ledger.reasons", "none", "model.ledger.reasons: expected a list"),
    "price as a float": ("ledger.expenses.0.epsilon", 0.1, r"expenses\[0\].epsilon: expected a string"),
}
MEANING: dict[str, tuple[str, Any, str]] = {
    "one tree too few": ("trees.2", ..., "model.trees: expected a list of 3, got a list of 2"),
    "one value too few": ("trees.0.values.3", ..., "values: expected a list of 4, got a list of 3"),
    "one split too few": ("trees.0.splits.2", ..., "splits: expected a list of 3, got a list of 2"),
    "one level more": ("parameters.depth", 3, "values: expected a list of 8, got a list of 4"),
    "value out of bounds": ("trees.0.values.0", 1.5, "expected a number from -1.0 to 1.0, got 1.5"),
    "value off the grid": ("trees.0.values.0", 0.3, "expected multiples of 1/1024"),
    "feature that is not there": ("trees.0.splits.0.feature", 3, "an integer from 0 to 2, got 3"),
    "category that is not there": (
        "trees.0.splits.0",
        {"feature": 1, "equals": 3},
        "equals: expected an integer from 0 to 2, got 3",
    ),
    "threshold of a category": (
        "trees.0.splits.0",
        {"feature": 1, "at_least": 1},
        'expected the key "equals"',
    ),
    "classes in another order": ("classes", ["yes", "no"], "two labels of one type, the greater one last"),
    "classes of two types": ("classes", [0, "yes"], "two labels of one type"),
    "other relation": ("ledger.relation", "add_remove", 'model.ledger.relation: expected "exchange"'),
    "no budget": ("parameters.epsilon", "0", "epsilon: expected a number > 0, got 0"),
    "impossible protocol": ("protocol.beta", "raw", "cboost: expected a constant coefficient"),
    "bounds in another order": ("domain.features.0.lo", 200, "expected finite bounds lo < hi"),
    "ratio from below zero": (
        "domain.features.0",
        {"name": "age", "lo": -5, "hi": 120, "values": 12, "spacing": "ratio", "missing": False},
        "expected lo >= 0 for cuts at equal",
    ),
    "repeated category": ("domain.features.1.categories.0", "blue", "expected distinct categories"),
    "other columns": ("feature_names", ["a", "b", "c"], "X: expected the columns"),
}


@pytest.mark.parametrize("case", STRUCTURAL)
def test_json__document_of_the_wrong_shape_is_refused(case: str) -> None:
    path, value, message = STRUCTURAL[case]
    with pytest.raises(PreconditionError, match=message):
        read(change_document(path, value))
    other_kind = case == "other kind"
    assert complaints(DOCUMENT, change_document(path, value)) or other_kind


@pytest.mark.parametrize("case", MEANING)
def test_json__document_that_cannot_mean_a_model_is_refused(case: str) -> None:
    path, value, message = MEANING[case]
    with pytest.raises(PreconditionError, match=message):
        read(change_document(path, value))


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("", "model: expected valid JSON"),
        ("[]", "model: expected an object, got a list"),
        ("[" * 10**5, "model: expected valid JSON"),
        ('{"version": ' + "1" * 5000 + "}", "model: expected integers of at most 4000 digits"),
        ("[1e999]", "model: expected finite numbers"),
        ('{"kind": 1, "kind": 2}', "model: expected each key of an object once, got .'kind'."),
        ("m.json", r"model: expected the JSON string of a model, such as Path.*read_text\(\), got 'm.json'"),
        (PurePath("m.json"), r"model: expected the JSON string of a model, such as .* got Pure.*m.json"),
        ({"kind": 1}, "model: expected the JSON string of a model, such as .* got {'kind': 1}"),
    ],
)
def test_json__string_that_is_no_document_is_refused(source: Any, message: str) -> None:
    for kind in (PrivateBoostedTreesClassifier, PrivateForestClassifier):
        with pytest.raises(PreconditionError, match=message):
            kind.from_json(source)


def test_json__forest_is_read_as_strictly() -> None:
    for path, value, message in [
        ("trees.0.values.0", 0.5, "expected an integer from .*, got 0.5"),
        ("parameters.mechanism", "gauss", "parameters.mechanism: expected one of"),
        ("coefficient", 1, "model: expected no keys but"),
    ]:
        with pytest.raises(PreconditionError, match=message):
            read(change_document(path, value, "RF-Lap"), "RF-Lap")


# Ledgers -------------------------------------------------------------------------------------------------

CONDITIONAL = "guaranteed if the domain and the preprocessing are public"
UNSEEDED = {
    name: clone(model).set_params(random_state=None).fit(FRAME, LABELS) for name, model in MODELS.items()
}


def make_document(name: str, **entries: Any) -> Any:
    """Return the document of a model without a seed, with other entries in its ledger."""
    document = json.loads(UNSEEDED[name].to_json())
    document["ledger"].update(entries)
    return document


@every_model
def test_ledger__that_follows_from_the_document_is_read(name: str) -> None:
    document = make_document(name)
    assert document["ledger"]["guarantee"] == ("not guaranteed" if name == "AS_PRINTED" else CONDITIONAL)
    assert read(document, name).privacy_ledger_ == UNSEEDED[name].privacy_ledger_


@pytest.mark.parametrize("guarantee", ["guaranteed", CONDITIONAL])
def test_ledger__of_a_protocol_that_is_not_sound_cannot_claim_a_guarantee(guarantee: str) -> None:
    for reasons in ([], ["a whim"], make_document("AS_PRINTED")["ledger"]["reasons"]):
        with pytest.raises(PreconditionError, match=r"model.ledger.(reasons|guarantee): expected .*not"):
            read(make_document("AS_PRINTED", guarantee=guarantee, reasons=reasons), "AS_PRINTED")


@every_model
@pytest.mark.parametrize("price", ["1/1000", "-5", "0"])
def test_ledger__with_another_price_is_refused(name: str, price: str) -> None:
    document = make_document(name)
    document["ledger"]["expenses"][-1]["epsilon"] = price
    with pytest.raises(PreconditionError, match=rf'expenses\[\d+\].epsilon: expected ".*", got "{price}"'):
        read(document, name)


@pytest.mark.parametrize("name", ["default", "RF-Lap"])
def test_ledger__with_other_expenses_is_refused(name: str) -> None:
    expenses = make_document(name)["ledger"]["expenses"]
    renamed = [{**expenses[0], "what": "nothing"}, *expenses[1:]]
    free = [{**expenses[0], "reason": "trust us"}, *expenses[1:]]
    # The sum of these would take minutes.
    many = [{**expenses[0], "epsilon": f"1/{10**398 + 2 * index + 1}"} for index in range(3000)]
    for wrong, message in [
        (expenses[1:], "model.ledger.expenses: expected a list of"),
        (many, "model.ledger.expenses: expected a list of"),
        (renamed, r"expenses\[0\].what: expected .*, got .nothing"),
        (free, r"expenses\[0\].reason: expected .*, got .trust us"),
    ]:
        with pytest.raises(PreconditionError, match=message):
            read(make_document(name, expenses=wrong), name)


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ({"reasons": ["a\n1 in total"]}, "ledger.reasons.0.: expected a string without control characters"),
        ({"reasons": ["\x1b[2J"]}, "ledger.reasons.0.: expected a string without control characters"),
        ({"guarantee": "not guaranteed"}, "ledger.guarantee: expected 'not guaranteed' if and only if"),
        ({"reasons": ["a seed"]}, "ledger.guarantee: expected 'not guaranteed' if and only if"),
        (
            {"reasons": [UNSOUND], "guarantee": "not guaranteed"},
            "ledger.reasons: expected reasons other than",
        ),
        (
            {"reasons": [OBSERVED_DOMAIN], "guarantee": "not guaranteed"},
            "ledger.reasons: expected reasons other",
        ),
    ],
)
def test_ledger__that_contradicts_itself_or_the_document_is_refused(
    entries: dict[str, Any], message: str
) -> None:
    for name in ("default", "RF-Lap"):
        with pytest.raises(PreconditionError, match=message):
            read(make_document(name, **entries), name)


def test_ledger__domain_and_rule_need_their_reasons() -> None:
    document = make_document("default", guarantee="guaranteed")
    assert read(document).privacy_ledger_.guarantee is Guarantee.FULL
    document["domain"]["provenance"] = "observed"
    with pytest.raises(
        PreconditionError, match=r"ledger.reasons: expected .*the domain was read from the data"
    ):
        read(document)
    document["domain"]["provenance"], document["invalid"] = "declared", "raise_and_reveal"
    with pytest.raises(PreconditionError, match=r"ledger.reasons: expected the reason .*raise_and_reveal"):
        read(document)


def test_protocol__with_the_name_of_another_is_refused() -> None:
    document = make_document("AS_PRINTED")
    for name in ("SOUND", "sound", "SOUND_NET", "SOUND alpha=raw_strict"):
        document["protocol"]["name"] = name
        with pytest.raises(PreconditionError, match=r"model.protocol.name: expected a name that says how"):
            read(document, "AS_PRINTED")
    document["protocol"]["name"] = "mine"
    assert read(document, "AS_PRINTED").protocol_.name == "mine"


@pytest.mark.parametrize("name", ["default", "RF-Lap"])
def test_parameters__with_a_negative_budget_are_refused_with_a_ledger_that_agrees(name: str) -> None:
    document = make_document(name)
    document["parameters"]["epsilon"] = "-5"
    for expense in document["ledger"]["expenses"]:
        expense["epsilon"] = str(
            -5 * Fraction(expense["epsilon"]) / Fraction(make_document(name)["parameters"]["epsilon"])
        )
    with pytest.raises(PreconditionError, match="epsilon: expected a number > 0, got -5"):
        read(document, name)


# Rules and drawings --------------------------------------------------------------------------------------


def by_the_rules(rules: str, row: Any) -> float:
    """Return the value of a row, by following the exported rules of one tree."""
    lines = rules.splitlines()[2:]
    depth, index = 0, 0
    while True:
        rule = lines[index].rpartition("|--- ")[2]
        if rule.startswith("value "):
            return float(rule.removeprefix("value "))
        name, test, operand = re.fullmatch(r"(\w+) (>=|<|is not|is) (\S+)( or missing)?", rule).groups()[:3]  # type: ignore[union-attr]
        value = row[name]
        holds = {
            ">=": lambda f, w: f >= float(w),
            "<": lambda f, w: f < float(w),
            "is": lambda f, w: str(f) == w,
            "is not": lambda f, w: str(f) != w,
        }[test](value, operand)
        if holds:
            depth, index = depth + 1, index + 1
        else:
            start = f"{'|   ' * depth}|--- "
            index = next(i for i in range(index + 1, len(lines)) if lines[i].startswith(start))


@every_model
def test_text__rules_give_the_values_of_the_model(name: str) -> None:
    model = FITTED[name]
    codes = model.domain_.codes(FRAME)
    for index, tree in enumerate(model.trees_):
        rules = export_text(model, tree=index)
        values = model.leaf_values()[index][tree.leaves_of(codes)]
        followed = [by_the_rules(rules, row) for _, row in FRAME.head(50).iterrows()]
        assert np.allclose(followed, values[:50], rtol=1e-5)


def test_text__shows_the_first_trees_and_how_many_more() -> None:
    rules = export_text(FITTED["default"], max_trees=2)
    assert rules.startswith(
        "'yes' where the values of 3 trees add up to 0 or more, else 'no'\ntree 0 of 3\n|--- "
    )
    assert rules.endswith("(1 more)\n")
    assert rules.count("value ") == 6
    with pytest.raises(PreconditionError, match="tree: expected an index from 0 to 2, got 3"):
        export_text(FITTED["default"], tree=3)


def test_text__thresholds_are_those_of_the_data() -> None:
    model = PrivateBoostedTreesClassifier(domain=(0, 120), classes=(0, 1), n_trees=1, depth=1, random_state=1)
    model.fit(np.array([[10], [110]] * 50), [0, 1] * 50)
    cut = int(model.trees_[0].value[0])
    assert f"|--- x0 < {12 * cut}\n" in export_text(model)
    ratios = model.set_params(domain=Domain.from_bounds([(1, 1000)], values=3)).fit(
        [[10], [110]] * 50, [0, 1] * 50
    )
    assert f"|--- x0 < {10 ** int(ratios.trees_[0].value[0])}\n" in export_text(ratios)
