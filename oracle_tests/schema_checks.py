"""A small reader of JSON Schema, for the keywords that the schemas of this project use."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

TYPES: dict[str, Callable[[Any], bool]] = {
    "object": lambda v: isinstance(v, dict),
    "array": lambda v: isinstance(v, list),
    "string": lambda v: isinstance(v, str),
    "boolean": lambda v: isinstance(v, bool),
    "null": lambda v: v is None,
    "integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
    "number": lambda v: isinstance(v, int | float) and not isinstance(v, bool),
}
LIMITS: dict[str, Callable[[Any, Any], bool]] = {
    "minimum": lambda v, least: not TYPES["number"](v) or v >= least,
    "maximum": lambda v, most: not TYPES["number"](v) or v <= most,
    "minItems": lambda v, least: not isinstance(v, list) or len(v) >= least,
    "maxItems": lambda v, most: not isinstance(v, list) or len(v) <= most,
    "minProperties": lambda v, least: not isinstance(v, dict) or len(v) >= least,
    "maxProperties": lambda v, most: not isinstance(v, dict) or len(v) <= most,
    "pattern": lambda v, rule: not isinstance(v, str) or re.search(rule, v) is not None,
    "const": lambda v, wanted: type(v) is type(wanted) and v == wanted,
    "enum": lambda v, wanted: not isinstance(v, bool) and v in wanted,
    "required": lambda v, names: not isinstance(v, dict) or set(names) <= set(v),
    "type": lambda v, kinds: any(TYPES[kind](v) for kind in ([kinds] if isinstance(kinds, str) else kinds)),
}
ANNOTATIONS = {"$schema", "$defs", "title", "description", "contentEncoding"}


def complaints(root: dict[str, Any], found: Any) -> list[str]:
    """Return where a document breaks a schema; a keyword that is not known here is an error."""
    return list(_complaints(root, root, found, "document"))


def _complaints(root: dict[str, Any], schema: dict[str, Any], found: Any, place: str) -> Iterator[str]:
    for keyword, rule in schema.items():
        if keyword == "$ref":
            yield from _complaints(root, root["$defs"][rule.removeprefix("#/$defs/")], found, place)
        elif keyword == "not":
            if not any(_complaints(root, rule, found, place)):
                yield f"{place}: {rule}"
        elif keyword == "oneOf":
            if sum(not any(_complaints(root, option, found, place)) for option in rule) != 1:
                yield f"{place}: not exactly one of {rule}"
        elif keyword == "items":
            for item in found if isinstance(found, list) else ():
                yield from _complaints(root, rule, item, f"{place}[]")
        elif keyword == "propertyNames":
            for name in found if isinstance(found, dict) else ():
                yield from _complaints(root, rule, name, f"{place} name")
        elif keyword == "properties":
            for name in rule.keys() & found if isinstance(found, dict) else ():
                yield from _complaints(root, rule[name], found[name], f"{place}.{name}")
        elif keyword == "additionalProperties":
            for name in found.keys() - schema.get("properties", {}) if isinstance(found, dict) else ():
                rest = found[name]
                yield from [f"{place}: {name}"] if rule is False else _complaints(root, rule, rest, place)
        elif keyword in LIMITS:
            if not LIMITS[keyword](found, rule):
                yield f"{place}: {keyword} {rule}"
        elif keyword not in ANNOTATIONS:
            raise AssertionError(f"unknown keyword {keyword}")
