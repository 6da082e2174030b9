"""Validate documents with JSON Schema."""

from __future__ import annotations

from typing import Any

from jsonschema import Draft202012Validator


def complaints(schema: dict[str, Any], document: Any) -> list[str]:
    """Return the violations of a schema in a document.

    Ensures: SchemaError if the schema itself is invalid.
    """
    Draft202012Validator.check_schema(schema)
    return [
        f"{error.json_path}: {error.message}" for error in Draft202012Validator(schema).iter_errors(document)
    ]
