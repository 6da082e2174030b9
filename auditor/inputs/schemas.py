"""Kinds of the cells of a table that a schema of the learner describes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from privboost.fast.features import Categorical, Date
from privboost.fast.schema import feature_of, features_of, read_schema

from .examples import NULL
from .kinds import Choice, Day, Double, Integer, Union, ValueKind


def columns_of(path: str) -> dict[str, ValueKind]:
    """Return the kind of the cells of every column, by its name.

    Ensures: PreconditionError for a file that is no schema.
    """
    schema = read_schema(path)
    features_of(schema)
    return {str(name): _kind_of(str(name), entry) for name, entry in schema.items()}


def _kind_of(name: str, entry: Mapping[str, Any]) -> ValueKind:
    feature = feature_of(name, entry)
    kind: ValueKind
    if isinstance(feature, Categorical):
        kind = Choice(feature.categories)
    elif isinstance(feature, Date):
        kind = Day(feature.first, feature.last)
    elif "integers" in entry:
        kind = Integer(*entry["integers"])
    else:
        kind = Double(feature.lo, feature.hi, nan=False)
    return Union((kind, NULL)) if feature.missing else kind
