"""Documents held against the JSON Schemas of this project."""

from __future__ import annotations

from typing import Any

from jsonschema import Draft202012Validator


def complaints(schema: dict[str, Any], document: Any) -> list[str]:
    """Return where a document breaks a schema; a schema that is none raises `SchemaError`."""
    Draft202012Validator.check_schema(schema)
    return [
        f"{error.json_path}: {error.message}" for error in Draft202012Validator(schema).iter_errors(document)
    ]
