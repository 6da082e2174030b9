"""Schemas by column name: files, templates from names and types, and errors that say what to fill in."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from privboost.errors import PreconditionError
from privboost.fast import Categorical, Domain, Numeric, PrivateBoostedTreesClassifier, export_text

SCHEMA = """
[age]
lo = 18
hi = 91
values = 20

["net income"]
lo = 1000
hi = 1_000_000
missing = true

[children]
integers = [0, 12]

[smoker]
categories = ["no", "yes"]
missing = true

[insured]
boolean = true
"""
FEATURES = (
    Numeric("age", 18, 91, 20),
    Numeric("net income", 1000, 1_000_000, missing=True),
    Numeric("children", 0, 13, 13),
    Categorical("smoker", ("no", "yes"), missing=True),
    Categorical("insured", (False, True)),
)


def test_schema__is_a_mapping_or_a_file(tmp_path: Path) -> None:
    toml, other = tmp_path / "schema.toml", tmp_path / "schema.json"
    toml.write_text(SCHEMA, "utf-8")
    other.write_text(json.dumps(tomllib.loads(SCHEMA)), "utf-8")
    assert Domain.from_schema(tomllib.loads(SCHEMA)) == Domain(FEATURES)
    assert Domain.from_schema(toml) == Domain.from_schema(str(other)) == Domain(FEATURES, "schema")
    assert Domain.from_schema(json.loads(json.dumps(Domain(FEATURES).to_schema()))) == Domain(FEATURES)


def test_schema__integers_have_a_value_each() -> None:
    for first, last in ((0, 12), (-3, 250), (7, 7), (0, 48)):
        (feature,) = Domain.from_schema({"x": {"integers": [first, last]}}).features
        column = np.arange(first - 2, last + 3)
        assert feature.codes(column).tolist() == (np.clip(column, first, last) - first).tolist()


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"lo": "?", "hi": "?"}, r"schema, x, lo: expected a public bound, a finite number, got '\?'"),
        ({"lo": "0", "hi": 1}, "schema, x, lo: expected a public bound"),
        ({"lo": {}, "hi": 1}, "schema, x, lo: expected a public bound"),
        ({"lo": 0, "hi": True}, "schema, x, hi: expected a public bound"),
        ({"lo": 0, "hi": 10**400}, "schema, x, hi: expected a public bound"),
        ({"lo": 0}, r"schema, x: expected lo and hi, .* got \['lo'\]"),
        ({"lo": 0, "hi": 1, "categories": ["a"]}, "schema, x: expected lo and hi"),
        ({"lo": 0, "hi": 1, "values": "3"}, "schema, x, values: expected an integer from 1 to 256"),
        ({"lo": 0, "hi": 1, "values": 2.9}, "schema, x, values: expected an integer from 1 to 256"),
        ({"lo": 0, "hi": 1, "spacing": "log"}, "schema, x, spacing: expected one of"),
        ({"lo": 0, "hi": 1, "values": 1, "missing": True}, "domain, x: expected 2 to 256 values"),
        ({"categories": ["?"]}, "schema, x, categories: expected a list of all possible categories"),
        ({"categories": "no"}, "schema, x, categories: expected a list"),
        ({"categories": [2**60]}, "domain, x: expected categories that are strings"),
        ({"integers": [0, 1000]}, "schema, x, integers: expected 1 to 256 integers, or lo and hi"),
        ({"integers": [0.0, 3.0]}, "schema, x, integers: expected the smallest and the largest integer"),
        ({"boolean": False}, "schema, x, boolean: expected true, got False"),
        ({"categories": ["a", "b"], "missing": 1}, "schema, x, missing: expected true or false"),
        (["a", "b"], "schema, x: expected a mapping"),
    ],
)
def test_schema__entries_are_refused_with_the_reason(entry: Any, message: str) -> None:
    with pytest.raises(PreconditionError, match=message):
        Domain.from_schema({"x": entry})


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("none.toml", None, "schema: expected a file, got .*No such file"),
        ("bad.toml", b"[age", "schema: expected TOML in"),
        ("bytes.toml", b"\xff", "schema: expected TOML in"),
        ("bad.json", b"{", "expected valid JSON"),
        ("twice.json", b'{"x": {"lo": 0, "lo": 1, "hi": 2}}', "expected each key of an object once"),
        ("list.json", b"[]", "expected an object with an entry for each column"),
        ("empty.toml", b"", "schema: expected an entry for each column, got none"),
    ],
)
def test_schema__files_are_refused_with_the_reason(
    tmp_path: Path, name: str, content: bytes | None, message: str
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(PreconditionError, match=message):
        Domain.from_schema(tmp_path / name)


def table(age: Any, smoker: Any) -> pd.DataFrame:
    """Return a frame of three rows with declared types."""
    return pd.DataFrame(
        {
            "age": pd.Series(age, dtype="float64"),
            "id": pd.Series([1, 2, 3], dtype="int8"),
            "smoker": pd.Series(smoker, dtype=object),
            "a b.c": pd.Series([1, 0, 1], dtype="boolean"),
        }
    )


def test_template__reads_names_and_types_only() -> None:
    first = Domain.template(table([1, 2, 3], ["no", "yes", None]))
    assert first == Domain.template(table([np.nan, 9, 1e300], [{}, "other", 5]))
    assert first == Domain.template(table([1, 2, 3], ["no", "yes", None]).iloc[:0])
    assert tomllib.loads(first) == {
        "age": {"lo": "?", "hi": "?", "missing": False},
        "id": {"integers": [-128, 127], "missing": False},
        "smoker": {"categories": ["?"], "missing": False},
        "a b.c": {"boolean": True, "missing": False},
    }
    with pytest.raises(PreconditionError, match="schema, age, lo: expected a public bound"):
        Domain.from_schema(tomllib.loads(first))


def test_schema__fits_a_table_with_categories_missing_values_and_string_labels(tmp_path: Path) -> None:
    (tmp_path / "schema.toml").write_text(SCHEMA, "utf-8")
    generator = np.random.default_rng(1)
    age, smoker = generator.integers(18, 91, 2000), generator.choice(["no", "yes", "?"], 2000)
    income = np.where(generator.random(2000) < 0.1, "", np.exp(generator.normal(10, 0.8, 2000)).astype(str))
    table = pd.DataFrame({"risk": np.where(age + 30 * (smoker == "?") > 60, "ill", "healthy"), "age": age})
    table = table.assign(**{"net income": income, "smoker": smoker, "children": 2, "insured": "True"})
    path = tmp_path / "rows.csv"
    table.to_csv(path, index=False)
    rows = pd.read_csv(path)
    model = PrivateBoostedTreesClassifier(
        epsilon=10, domain=tmp_path / "schema.toml", classes=("healthy", "ill"), random_state=1
    ).fit(rows, rows["risk"])
    assert model.score(rows, rows["risk"]) > 0.9
    assert set(model.predict(rows)) == {"healthy", "ill"}
    rules = export_text(model, max_trees=len(model.trees_))
    for words in ("net income is missing", "net income is not missing", "smoker is (missing)", " or missing"):
        assert words in rules
