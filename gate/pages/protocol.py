"""Write what the page of a protocol and the schemas take from the table of operations of a profile.

    python -m privboost.gate.pages.protocol trees gate/trees/schemas

The page is prose with blocks between comments such as <!-- begin losses --> and <!-- end losses -->. They
are made from the table.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from textwrap import dedent, indent
from typing import Any

from privboost.gate.profile import Profile
from privboost.gate.profiles import load_profile
from privboost.gate.protocol.hello import HELLO, PROTOCOL
from privboost.gate.protocol.kinds import ArgumentKind
from privboost.gate.protocol.operation import Operation

BLOCK = re.compile(r"<!-- begin (\w+) -->\n.*?<!-- end \1 -->", re.S)


def table(columns: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table in Markdown."""
    head = tuple(columns)
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, ("---",) * len(head), *rows))


def _names(kinds: Mapping[str, Any]) -> str:
    return ", ".join(f"`{name}`" for name in kinds)


def _by_word(parts: Mapping[str, Mapping[str, ArgumentKind] | str]) -> str:
    return "".join(
        f"; if `{word}`: {part if isinstance(part, str) else _names(part)}" for word, part in parts.items()
    )


def _operations(profile: Profile, group: str) -> str:
    """Return the table of the operations of a section, and their rules."""
    chosen = [operation for operation in profile.operations.values() if operation.group == group]
    rows = [
        (
            f"`{operation.name}`",
            _argument_names(operation),
            operation.meaning,
            operation.label + _by_word(operation.label_by_word),
        )
        for operation in chosen
    ]
    rules = [
        f"**{operation.name}**\n\n{dedent(operation.rules).strip()}"
        for operation in chosen
        if operation.rules
    ]
    return "\n\n".join([table(("operation", "arguments", "result", "label"), rows), *rules])


def _argument_names(operation: Operation) -> str:
    names = [tuple(kinds) for kinds in operation.by_word.values()]
    if len(set(names)) == 1 and len(names) > 1:
        # Only the range depends on the word.
        return _names({**operation.arguments, **dict.fromkeys(names[0])})
    either = " or ".join(f"`{name}`" for name in operation.optional)
    optional = f"; either {either}" if either else ""
    return _names(operation.arguments) + _by_word(operation.by_word) + optional


def _tolerances(profile: Profile) -> str:
    """Return the table of tolerances."""
    groups: dict[str, list[str]] = {}
    for name, operation in profile.operations.items():
        groups.setdefault(operation.tolerance.words, []).append(f"`{name}`")
    return table(("operations", "tolerance"), ((", ".join(names), words) for words, names in groups.items()))


def _arguments(profile: Profile) -> str:
    """Return the table of all arguments; a name with several ranges has several rows."""
    rows: list[tuple[str, str, str]] = []
    for name, meaning in profile.page.meanings.items():
        ranges: dict[str, list[str]] = {}
        for operation in profile.operations.values():
            for words, where in _ranges(operation, name).items():
                ranges.setdefault(words, []).append(where)
        for words, places in ranges.items():
            of = f" of {', '.join(places)}" if len(ranges) > 1 else ""
            rows.append((f"`{name}`{of}", meaning, words))
    return table(("argument", "meaning", "values"), rows)


def _ranges(operation: Operation, name: str) -> dict[str, str]:
    """Return the ranges of an argument in one operation, each with the place where it holds."""
    always = {**operation.arguments, **operation.optional}
    if name in always:
        return {always[name].words: f"`{operation.name}`"}
    ranges: dict[str, list[str]] = {}
    for word, kinds in operation.by_word.items():
        if name in kinds:
            ranges.setdefault(kinds[name].words, []).append(f"`{word}`")
    return {words: f"`{operation.name}` with {', '.join(chosen)}" for words, chosen in ranges.items()}


def _conditions(profile: Profile) -> str:
    """Return the conditions on several arguments, by operation."""
    by_words: dict[str, list[str]] = {}
    for operation in profile.operations.values():
        for condition in operation.conditions:
            by_words.setdefault(condition.words, []).append(f"`{operation.name}`")
    return "\n".join(f"- {', '.join(names)}: {words}." for words, names in by_words.items())


def _fields(head: str, kinds: Mapping[str, ArgumentKind]) -> str:
    """Return the table of the fields of an object."""
    rows = ((f"`{name}`", kind.words) for name, kind in kinds.items())
    return indent(table(("field", head), rows), "  ")


def blocks(profile: Profile) -> dict[str, str]:
    """Return the blocks of the page by name."""
    groups = dict.fromkeys(operation.group for operation in profile.operations.values())
    return {
        "tolerances": _tolerances(profile),
        "arguments": _arguments(profile),
        **{group: _operations(profile, group) for group in groups},
        **{name: _fields(*record) for name, record in profile.page.records.items()},
        "conditions": _conditions(profile),
    }


def protocol_page(profile: Profile, text: str) -> str:
    """Return the page with its blocks made again."""
    made = blocks(profile)
    return BLOCK.sub(
        lambda match: f"<!-- begin {match[1]} -->\n{made[match[1]]}\n<!-- end {match[1]} -->", text
    )


def request_schema(profile: Profile) -> dict[str, Any]:
    """Return the JSON Schema of a request."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"A request of the privboost gate, protocol version {PROTOCOL}",
        "description": "One line on the standard input of the implementation.",
        "type": "object",
        "properties": {
            "id": {"description": "To be repeated in the answer.", "type": "integer", "minimum": 0},
            "op": {"description": "An unknown operation is answered with unsupported.", "type": "string"},
            "args": {"description": "The arguments of the operation, by name.", "type": "object"},
        },
        "required": ["id", "op", "args"],
        "additionalProperties": False,
        "allOf": [
            {
                "if": {"properties": {"op": {"const": operation.name}}},
                "then": {"properties": {"args": arguments_schema(operation)}},
            }
            for operation in (HELLO, *profile.operations.values())
        ],
    }


def arguments_schema(operation: Operation) -> dict[str, Any]:
    """Return the JSON Schema of the arguments of an operation."""
    kinds: dict[str, list[Any]] = {}
    for name, kind in operation.every_argument():
        schemas = kinds.setdefault(name, [])
        if kind.schema() not in schemas:
            schemas.append(kind.schema())
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {name: each[0] if len(each) == 1 else {"anyOf": each} for name, each in kinds.items()},
        "required": list(operation.arguments),
        "additionalProperties": False,
    }
    if operation.by_word:
        schema["allOf"] = [_of_word(operation, word) for word in operation.by_word]
    if operation.optional:
        schema["oneOf"] = [{"required": [name]} for name in operation.optional]
    return schema


def _of_word(operation: Operation, word: str) -> dict[str, Any]:
    """Return the arguments that a request has if, and only if, it has a word."""
    chosen = {name: {"const": word} for name, words in operation.words().items() if word in words}
    own = operation.by_word[word]
    shared = {name for other, kinds in operation.by_word.items() if other != word for name in kinds}
    return {
        "if": {"properties": chosen},
        "then": {"properties": {name: kind.schema() for name, kind in own.items()}, "required": list(own)},
        "else": {"properties": {name: False for name in own if name not in shared}},
    }


def hello_schema(profile: Profile) -> dict[str, Any]:
    """Return the JSON Schema of the result of `hello`."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"The result of hello, protocol version {PROTOCOL}",
        "description": "What a target says about itself. Operations that are not listed are not asked.",
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "version": {"type": "string"},
            "protocol": {"const": PROTOCOL},
            "operations": {"type": "array", "items": {"enum": [HELLO.name, *profile.operations]}},
            "limits": {
                "description": "Requests beyond the limits are not sent.",
                "type": "object",
                "properties": {
                    limit.name: {"description": limit.description, "type": "integer", "minimum": 1}
                    for limit in profile.limits
                },
            },
            "variants": {
                "description": "The words that the target takes. Requests with others are not sent.",
                "type": "object",
                "properties": {
                    name: {"type": "object", "properties": stated, "additionalProperties": False}
                    for name, operation in profile.operations.items()
                    if (stated := _variants_schema(operation))
                },
                "additionalProperties": False,
            },
            **_claims_schema(profile),
        },
        "required": ["name", "version", "protocol", "operations"],
    }


def _claims_schema(profile: Profile) -> dict[str, Any]:
    """Return the schema of the properties that a target may claim, if the profile has some."""
    if not profile.claims:
        return {}
    described = "; ".join(f"{name}: {meaning}" for name, meaning in profile.claims.items())
    items = {"enum": list(profile.claims)}
    return {"claims": {"description": f"What it claims. {described}", "type": "array", "items": items}}


def _variants_schema(operation: Operation) -> dict[str, Any]:
    """Return the schemas of the words of every argument that selects a variant."""
    return {
        argument: {"type": "array", "items": {"enum": list(words)}, "minItems": 1}
        if words
        else {"description": "Empty: it is not taken.", "type": "array", "maxItems": 0}
        for argument, words in operation.variants().items()
    }


def schema_files(profile: Profile) -> dict[str, str]:
    """Return the schemas that are made from the table, by file name."""
    schemas = {"request.json": request_schema(profile), "hello.json": hello_schema(profile)}
    return {name: json.dumps(schema, indent=1, ensure_ascii=False) + "\n" for name, schema in schemas.items()}


if __name__ == "__main__":
    chosen, folder = load_profile(sys.argv[1]), Path(sys.argv[2])
    page = Path(chosen.page.path)
    page.write_text(protocol_page(chosen, page.read_text("utf-8")), "utf-8")
    for file_name, content in schema_files(chosen).items():
        (folder / file_name).write_text(content, "utf-8")
