"""Hostile neighbours of tables of a schema: fast reads every row by itself, and shows nothing else."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from privboost.auditor import check_stability
from privboost.auditor.inputs.classes import HOSTILE
from privboost.auditor.inputs.description import Description, parse_description
from privboost.auditor.inputs.neighbours import hostile_pairs
from privboost.auditor.pairs.pair import Pair
from privboost.auditor.stability.result import StabilityVerdict
from privboost.fast import Domain, PrivateBoostedTreesClassifier
from privboost.fast.admission import Admission, Invalid
from privboost.fast.labels import Labels
from privboost.limits import ADD_REMOVE, CHANGE_VALUE, EXCHANGE
from privboost.oracle_tests.support.observer import Observation, observe

SCHEMA = """
[age]
lo = 0
hi = 120
missing = true
[income]
lo = 100
hi = 1e6
spacing = "ratio"
[joined]
first = "2020-01-01"
last = "2023-12-31"
missing = true
[children]
integers = [0, 8]
[smoker]
categories = ["no", "yes"]
[married]
boolean = true
[label]
categories = ["a", "b"]
"""
CLASSES = ("a", "b")
RELATIONS = (EXCHANGE, ADD_REMOVE, CHANGE_VALUE)
PAIRS = 120
"""Number of pairs of tables of the schema on which fits are compared; half as many are beyond it."""


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Description:
    """Return tables of a schema, with labels."""
    path = tmp_path_factory.mktemp("tables") / "schema.toml"
    path.write_text(SCHEMA, "utf-8")
    return parse_description(f"table:{path},rows=6,label=label")


def domain_of(tables: Description) -> Domain:
    """Return the features of the tables without the label."""
    path = tables.text.removeprefix("table:").split(",")[0]
    return Domain(Domain.from_schema(path).features[:-1])


def admit_by(admission: Admission) -> Callable[[Any], list[list[int]]]:
    """Return a function from tables to the rows that the learner gets: codes, then the sign of the label."""

    def admit(table: Any) -> list[list[int]]:
        # A list without rows has no columns.
        codes, signs = admission.rows(table["X"] or np.empty((0, len(domain.features))), table["y"])
        return [[*row, sign] for row, sign in zip(codes.T.tolist(), signs.tolist(), strict=True)]

    domain = admission.domain
    return admit


@pytest.mark.parametrize(
    ("relation", "distance", "invalid"),
    [
        (EXCHANGE, "exchange", "lowest"),
        (CHANGE_VALUE, "exchange", "lowest"),
        (ADD_REMOVE, "symmetric", "lowest"),
        (ADD_REMOVE, "symmetric", "drop"),
    ],
)
def test_admission__of_hostile_tables_moves_by_one_row(
    tables: Description, relation: str, distance: str, invalid: Invalid
) -> None:
    admission = Admission(domain_of(tables), Labels(*CLASSES), invalid)
    result = check_stability(
        admit_by(admission),
        inputs=tables,
        relation=relation,
        distance=distance,
        bound=1,
        seed=1,
        n_inputs=600,
        beyond=True,
    )
    assert result.verdict is StabilityVerdict.NONE_FOUND
    assert not result.beyond
    assert result.inputs_beyond > 0


def test_admission__that_infers_a_type_from_all_rows_is_caught(tables: Description) -> None:
    admit = admit_by(Admission(domain_of(tables), Labels(*CLASSES)))

    def infer(table: Any) -> list[list[int]]:
        """Read ages as missing if one of them is."""
        ages = [None] * len(table["X"]) if None in [row[0] for row in table["X"]] else None
        rows = (
            table["X"]
            if ages is None
            else [[age, *row[1:]] for age, row in zip(ages, table["X"], strict=True)]
        )
        return admit({**table, "X": rows})

    result = check_stability(infer, inputs=tables, relation=EXCHANGE, distance="exchange", bound=1, seed=1)
    assert result.verdict is StabilityVerdict.COUNTEREXAMPLE
    assert result.counterexample is not None
    assert "null" in result.counterexample.classes


@pytest.mark.parametrize("relation", RELATIONS)
def test_tables__have_every_class_that_tables_can_have(tables: Description, relation: str) -> None:
    pairs = hostile_pairs(tables, relation, seed=1, count=PAIRS, constants=(256,), beyond=True)
    classes = {key for pair in pairs for key in pair.classes}
    # The columns of a schema have several types, so that a row is no pair of bounds.
    never = {"bounds", "ordinary"} | (set() if relation == ADD_REMOVE else {"no_rows", "another_order"})
    assert HOSTILE.keys() - classes <= never


def observe_sides(pair: Pair, **given: Any) -> tuple[Observation, Observation]:
    """Return what fits of both tables of a pair show."""

    def fit(table: Any) -> PrivateBoostedTreesClassifier:
        model = PrivateBoostedTreesClassifier(classes=CLASSES, n_trees=1, depth=1, random_state=0, **given)
        return model.fit(table["X"], table["y"])

    return observe(partial(fit, pair.left)), observe(partial(fit, pair.right))


@pytest.mark.parametrize("relation", RELATIONS)
def test_fit__of_hostile_tables_shows_nothing_but_trees(tables: Description, relation: str) -> None:
    given = {"relation": "add_remove", "size": 6} if relation == ADD_REMOVE else {}
    domain = domain_of(tables)
    for pair in hostile_pairs(tables, relation, seed=1, count=PAIRS, constants=(256,), beyond=True):
        left, right = observe_sides(pair, domain=domain, **given)
        assert left.apart_from_trees == right.apart_from_trees, pair
        assert left.error == "", pair


def test_fit__that_reveals_invalid_rows_is_caught(tables: Description) -> None:
    caught = set()
    for pair in hostile_pairs(tables, EXCHANGE, seed=1, count=PAIRS, beyond=True):
        left, right = observe_sides(pair, domain=domain_of(tables), invalid="raise_and_reveal")
        caught |= set(pair.classes) if left.error != right.error else set()
    assert "undeclared_category" in caught
