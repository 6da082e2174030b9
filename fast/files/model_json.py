"""Fitted models as JSON: versioned, described by `model_schema.json`, and read without executing anything.

A document contains released and public quantities only. Masses, noise and the seed are left out; the seed
would allow a reader to subtract the noise. Exact numbers are strings such as "1/3". Leaf values and
coefficients are JSON numbers, which are read back bit for bit.

The ledger of a document is judged, not believed. Its expenses are computed again from protocol and
parameters, and it must give the reasons against a guarantee that follow from protocol and domain; a document
that disagrees is refused. A reader cannot check that the noise was secret, that the rows were not
preprocessed, and that the trees were fitted as the document says.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import date
from enum import StrEnum
from fractions import Fraction
from math import isfinite
from pathlib import Path
from typing import Any, cast, get_type_hints

import numpy as np

from privboost.errors import PreconditionError
from privboost.fast.admission import RULES, Invalid
from privboost.fast.budgets import (
    OBSERVED_DOMAIN,
    REVEALED,
    UNSOUND,
    Expense,
    Guarantee,
    PrivacyLedger,
    check_delta,
    expenses_of_boosting,
    expenses_of_forest,
)
from privboost.fast.cells import plain
from privboost.fast.domain import PROVENANCES, Domain, Provenance
from privboost.fast.features import SPACINGS, Categorical, Date, Feature, Numeric, Spacing
from privboost.fast.growth import Tree
from privboost.fast.labels import Labels
from privboost.fast.protocol import (
    GRID,
    TRUE_NAME,
    ForestParameters,
    LeafRule,
    Parameters,
    Protocol,
    Relation,
)
from privboost.fast.schema import entry_of
from privboost.strict_json import JsonValue, parse

FORMAT, VERSION = "privboost-model", 3
SCHEMA = Path(__file__).with_name("model_schema.json")


class Kind(StrEnum):
    """Kinds of models."""

    BOOSTED = "boosted_trees"
    FOREST = "forest"


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """The fields that all fitted models have."""

    classes: Labels
    feature_names: tuple[str, ...] | None
    invalid: Invalid
    domain: Domain
    trees: tuple[Tree, ...]
    ledger: PrivacyLedger


@dataclass(frozen=True, slots=True, kw_only=True)
class BoostedModel(Model):
    """Boosted trees."""

    protocol: Protocol
    parameters: Parameters
    size: int
    coefficients: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ForestModel(Model):
    """A forest whose trees vote."""

    parameters: ForestParameters


# Writing -------------------------------------------------------------------------------------------------


def boosted_to_json(model: BoostedModel) -> str:
    """Return boosted trees as a JSON string."""
    unit = GRID if model.protocol.leaf is LeafRule.NOISY_NET else 1
    trees = [
        {"coefficient": coefficient, **_tree_entry(tree, unit)}
        for tree, coefficient in zip(model.trees, model.coefficients, strict=True)
    ]
    own = {
        "protocol": _entries(model.protocol),
        "parameters": _parameters(model.parameters),
        "size": model.size,
        "trees": trees,
    }
    return _to_json(Kind.BOOSTED, model, own)


def forest_to_json(model: ForestModel) -> str:
    """Return a forest as a JSON string."""
    trees = [_tree_entry(tree, 1) for tree in model.trees]
    return _to_json(Kind.FOREST, model, {"parameters": _entries(model.parameters), "trees": trees})


def _to_json(kind: Kind, model: Model, own: Mapping[str, Any]) -> str:
    """Return a document with the entries that all models have and those of one kind."""
    ledger = model.ledger
    document = {
        "format": FORMAT,
        "version": VERSION,
        "kind": kind.value,
        "classes": [_scalar(label) for label in (model.classes.negative, model.classes.positive)],
        "feature_names": None if model.feature_names is None else list(model.feature_names),
        "invalid": model.invalid,
        "domain": {
            "provenance": model.domain.provenance,
            "features": [{"name": feature.name, **entry_of(feature)} for feature in model.domain.features],
        },
        **own,
        "ledger": {
            "relation": ledger.relation.value,
            "guarantee": ledger.guarantee.value,
            "reasons": list(ledger.reasons),
            "expenses": [_plain_items(expense.to_entry()) for expense in ledger.expenses],
        },
    }
    return json.dumps(document, ensure_ascii=False, allow_nan=False)


def _entries(record: Any) -> dict[str, Any]:
    """Return the fields of a record as values that JSON can represent."""
    return _plain_items({field.name: getattr(record, field.name) for field in fields(record)})


def _parameters(parameters: Parameters) -> dict[str, Any]:
    """Return the public parameters; documents of pure fits have no delta."""
    entries = _entries(parameters)
    return entries if parameters.delta else {name: entries[name] for name in entries if name != "delta"}


def _plain_items(items: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _plain(value) for name, value in items.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    return value.value if isinstance(value, StrEnum) else value


def _scalar(label: Any) -> Any:
    """Return a label as a value that JSON can represent."""
    scalar = plain(label)
    if not isinstance(scalar, str | int | float) or (isinstance(scalar, float) and not isfinite(scalar)):
        wanted = "a string, a finite number or a boolean, to be written as JSON"
        raise PreconditionError("classes", wanted, repr(label))
    return scalar


def _tree_entry(tree: Tree, unit: int) -> dict[str, Any]:
    """Return the splits of a tree in level order, and the values of its leaves from left to right."""
    nodes = zip(tree.feature.tolist(), tree.value.tolist(), tree.equal.tolist(), strict=True)
    splits = [{"feature": f, "equals" if equal else "at_least": value} for f, value, equal in nodes]
    values = tree.values.tolist()
    return {"splits": splits, "values": values if unit == 1 else [value / unit for value in values]}


# Reading -------------------------------------------------------------------------------------------------

LARGEST = (1 << 63) - 1
"""Largest vote of a leaf: votes are stored as 64-bit integers."""
COMMON = ("format", "version", "kind", "classes", "feature_names", "invalid", "domain", "trees", "ledger")


def boosted_from_json(source: str) -> BoostedModel:
    """Return the boosted trees that a JSON string describes.

    Requires: a document of this version with exactly the keys of the schema.
    """
    document = _document(source, Kind.BOOSTED, ("protocol", "parameters", "size"))
    protocol = Protocol(**_fields(document.member("protocol"), Protocol))
    written = document.member("parameters")
    pure = () if written.has("delta") else ("delta",)
    parameters = Parameters(**_fields(written, Parameters, without=pure))
    check_delta(protocol, parameters)
    if written.has("delta") and not parameters.delta:
        raise written.member("delta").refusal("a number above 0")
    if not protocol.is_named_truly:
        raise document.member("protocol").member("name").refusal(TRUE_NAME)
    shared = _read_common_fields(document)
    is_net = protocol.leaf is LeafRule.NOISY_NET
    most = 1.0 if is_net else float(parameters.bound)
    trees, coefficients = [], []
    for entry in document.member("trees").items(parameters.trees):
        coefficient, splits, leaves = entry.members("coefficient", "splits", "values")
        values = [value.number(-most, most) for value in leaves.items(1 << parameters.depth)]
        if is_net:
            values = [_steps(value, leaves) for value in values]
        trees.append(_tree(splits, shared["domain"], parameters.depth, np.array(values)))
        coefficients.append(coefficient.number())
    expenses, size = expenses_of_boosting(protocol, parameters), document.member("size").whole(1)
    ledger = _ledger(document, protocol.relation, expenses, is_sound=protocol.is_sound)
    return BoostedModel(
        **shared,
        ledger=replace(ledger, row_bound=size if protocol.needs_row_bound else None),
        protocol=protocol,
        parameters=parameters,
        size=size,
        trees=tuple(trees),
        coefficients=tuple(coefficients),
    )


def forest_from_json(source: str) -> ForestModel:
    """Return the forest that a JSON string describes.

    Requires: a document of this version with exactly the keys of the schema.
    """
    document = _document(source, Kind.FOREST, ("parameters",))
    parameters = ForestParameters(**_fields(document.member("parameters"), ForestParameters))
    shared = _read_common_fields(document)
    trees = []
    for entry in document.member("trees").items(parameters.trees):
        splits, leaves = entry.members("splits", "values")
        values = [value.whole(-LARGEST, LARGEST) for value in leaves.items(1 << parameters.depth)]
        trees.append(_tree(splits, shared["domain"], parameters.depth, np.array(values, dtype=np.int64)))
    ledger = _ledger(document, parameters.relation, expenses_of_forest(parameters), is_sound=True)
    return ForestModel(**shared, ledger=ledger, parameters=parameters, trees=tuple(trees))


def _document(source: Any, kind: Kind, own: tuple[str, ...]) -> JsonValue:
    """Parse a document and check its format, version, kind and keys."""
    if not isinstance(source, str | bytes) or source[-5:] in (".json", b".json"):
        wanted = "the JSON string of a model, such as Path('model.json').read_text()"
        raise PreconditionError("model", wanted, repr(source))
    document = parse(source, "model")
    for name, value in (("format", FORMAT), ("version", VERSION), ("kind", kind.value)):
        document.member(name).equal_to(value)
    document.members(*COMMON, *own)
    return document


def _read_common_fields(document: JsonValue) -> dict[str, Any]:
    """Return the fields that all models have, except the trees and the ledger."""
    classes = [label.scalar() for label in document.member("classes").items(2)]
    domain = _domain(document.member("domain"))
    names = document.member("feature_names")
    listed = None if names.value is None else tuple(name.text() for name in names.items(empty=False))
    domain.order_in(listed, len(domain.features) if listed is None else len(listed))
    if type(classes[0]) is not type(classes[1]) or not classes[0] < classes[1]:
        raise document.member("classes").refusal("two labels of one type, the greater one last")
    return {
        "classes": Labels(*classes),
        "feature_names": listed,
        "invalid": document.member("invalid").among(RULES),
        "domain": domain,
    }


def _ledger(
    document: JsonValue, relation: Relation, expenses: Iterable[Expense], *, is_sound: bool
) -> PrivacyLedger:
    """Return the ledger of a document, if it agrees with the rest of the document.

    Requires: the given relation and expenses, and the reasons that follow from protocol and domain.
    """
    of_ledger, guarantee, reasons, listed = document.member("ledger").members(
        "relation", "guarantee", "reasons", "expenses"
    )
    of_ledger.equal_to(relation.value)
    spent = tuple(expenses)
    for entry, expense in zip(listed.items(len(spent)), spent, strict=True):
        what, epsilon, reason = entry.members("what", "epsilon", "reason")
        what.equal_to(expense.what)
        reason.equal_to(expense.reason)
        if epsilon.fraction() != expense.epsilon:
            raise epsilon.refusal(f'"{expense.epsilon}"')
    given = tuple(reason.line() for reason in reasons.items())
    provenance = document.member("domain").member("provenance")
    if document.member("invalid").value == "raise_and_reveal" and REVEALED not in given:
        raise PreconditionError(reasons.path, f"the reason {REVEALED!r}", list(given))
    for text, holds in ((UNSOUND, not is_sound), (OBSERVED_DOMAIN, provenance.value == "observed")):
        if (text in given) != holds:
            wanted = f"the reason {text!r}" if holds else f"reasons other than {text!r}"
            raise PreconditionError(reasons.path, wanted, list(given))
    stated = Guarantee(guarantee.among(Guarantee))
    if (stated is Guarantee.NONE) != bool(given):
        raise guarantee.refusal("'not guaranteed' if and only if there are reasons")
    return PrivacyLedger(relation, spent, stated, given)


def _domain(document: JsonValue) -> Domain:
    """Return a domain whose features have exactly the keys that `to_json` writes."""
    provenance, features = document.members("provenance", "features")
    entries = tuple(_feature(entry) for entry in features.items(empty=False))
    return Domain(entries, cast("Provenance", provenance.among(PROVENANCES)))


def _feature(entry: JsonValue) -> Feature:
    """Return one feature."""
    if entry.has("categories"):
        name, categories, missing = entry.members("name", "categories", "missing")
        listed = [category.scalar() for category in categories.items(empty=False)]
        return Categorical(name.text(), tuple(listed), missing.truth())
    if entry.has("first"):
        name, first, last, values, missing = entry.members("name", "first", "last", "values", "missing")
        return Date(name.text(), _day(first), _day(last), values.whole(1), missing.truth())
    name, lo, hi, values, spacing, missing = entry.members("name", "lo", "hi", "values", "spacing", "missing")
    cuts = values.whole(1), cast("Spacing", spacing.among(SPACINGS))
    return Numeric(name.text(), lo.number(), hi.number(), *cuts, missing.truth())


def _day(value: JsonValue) -> date:
    """Return a date that is written as `to_json` writes it."""
    try:
        day = date.fromisoformat(value.text())
    except ValueError:
        day = None
    if day is None or day.isoformat() != value.value:
        raise value.refusal("a date such as 2020-01-31")
    return day


def _fields(document: JsonValue, record: type, without: Sequence[str] = ()) -> dict[str, Any]:
    """Return the fields of a record, each read by its declared type, but those that are not written."""
    declared = {name: kind for name, kind in get_type_hints(record).items() if name not in without}
    members = document.members(*declared)
    return {name: _field(member, declared[name]) for name, member in zip(declared, members, strict=True)}


def _field(document: JsonValue, kind: Any) -> Any:
    """Return one field: an integer, a fraction, a list of fractions, a string or a choice."""
    if kind is int:
        return document.whole(1)
    if kind is Fraction:
        return document.fraction()
    if kind is str:
        return document.line()
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return kind(document.among(kind))
    return tuple(entry.fraction() for entry in document.items(empty=False))


def _steps(value: float, leaves: JsonValue) -> int:
    """Return a value of [-1, 1] as an integer of grid steps."""
    steps = value * GRID
    if steps != int(steps):
        raise leaves.refusal(f"multiples of 1/{GRID}")
    return int(steps)


def _tree(splits: JsonValue, domain: Domain, depth: int, values: Any) -> Tree:
    """Return a tree, if the domain allows all of its splits."""
    feature, value, equal = [], [], []
    for split in splits.items((1 << depth) - 1):
        index = split.member("feature").whole(0, len(domain.features) - 1)
        tested = domain.features[index]
        is_category = isinstance(tested, Categorical)
        name, least = ("equals", 0) if is_category else ("at_least", 1)
        _, code = split.members("feature", name)
        feature.append(index)
        value.append(code.whole(least, tested.values - 1))
        equal.append(is_category)
    tests = np.array(feature, np.int32), np.array(value, np.uint8), np.array(equal, np.bool_)
    return Tree(depth, *tests, values)
