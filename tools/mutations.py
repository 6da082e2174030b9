"""Mutations of files: of their bytes, and of the values of JSON documents."""

from __future__ import annotations

import json
import random
from typing import Any

NASTY: tuple[Any, ...] = (
    10**400,
    -(10**400),
    2**70,
    -1,
    0,
    1.5,
    1e308,
    5e-324,
    True,
    None,
    {},
    [],
    "",
    "NaN",
    "infinity",
    "\ud800",
    "\x1b[31m\x07",
    "\u202e",
    "9" * 3000,
    "x" * 30_000,
    "1/" + "9" * 399,
    "1" + " + 1" * 5000,
    "sqrt(" + "9" * 50 + ")",
    "~0." + "1" * 40,
    "../../x",
    "eps:1e999",
    [0] * 3000,
    [[]] * 300,
    {"$tuple": [[], {}]},
    {"$array": [], "dtype": "<U9", "shape": [0, 2**70]},
    {"$map": [[{}, 1]]},
    {"lo": {}, "hi": []},
)
LITERALS = (
    b"[" * 900,
    b"{" * 50,
    b"1e999",
    b"NaN",
    b"9" * 4500,
    b"\xff",
    b"\\ud800",
    b'"',
    b"\x00",
    b"[]",
    b"# ",
)


def mutated(content: bytes, chance: random.Random) -> bytes:
    """Return a file with one to three mutations."""
    for _ in range(chance.choice((1, 1, 2, 3))):
        content = _mutated_json(content, chance) if chance.random() < 0.6 else _mutated_bytes(content, chance)
    return content


def _mutated_bytes(content: bytes, chance: random.Random) -> bytes:
    start = chance.randrange(len(content) + 1)
    stop = min(start + chance.choice((1, 2, 8, 64)), len(content))
    before, part, after = content[:start], content[start:stop], content[stop:]
    match chance.randrange(6):
        case 0:
            return before + after
        case 1:
            return before + bytes(byte ^ 1 << chance.randrange(8) for byte in part) + after
        case 2:
            return before
        case 3:
            return before + part * chance.choice((2, 50, 500)) + after
        case 4:
            return before + chance.choice(LITERALS) + after
        case _:
            return before + bytes(chance.randbytes(len(part))) + after


def _mutated_json(content: bytes, chance: random.Random) -> bytes:
    """Return a document, or lines of documents, with one value replaced, added or repeated."""
    try:
        documents = [json.loads(content)]
    except (ValueError, RecursionError):
        try:
            documents = [json.loads(line) for line in content.splitlines()]
        except (ValueError, RecursionError):
            return _mutated_bytes(content, chance)
    if not documents:
        return content
    index = chance.randrange(len(documents))
    try:
        documents[index] = _replaced(documents[index], chance)
        lines = [json.dumps(document) for document in documents]
    except (ValueError, RecursionError):
        return _mutated_bytes(content, chance)
    if chance.random() < 0.1 and lines[index].startswith('{"'):
        # A repeated member.
        lines[index] = lines[index][:-1] + "," + lines[index][1:]
    return "\n".join(lines).encode("ascii")


def _replaced(value: Any, chance: random.Random) -> Any:
    """Return a value in which one part is replaced; deeper parts are as likely as their containers."""
    if isinstance(value, dict) and value and chance.random() < 0.85:
        key = chance.choice(list(value))
        if chance.random() < 0.1:
            name = chance.choice((f"{key}x", "x" * 30_000, "\x1b", "$opaque"))
            return {**value, name: chance.choice(NASTY)}
        if chance.random() < 0.1:
            return {name: entry for name, entry in value.items() if name != key}
        return {**value, key: _replaced(value[key], chance)}
    if isinstance(value, list) and value and chance.random() < 0.85:
        index = chance.randrange(len(value))
        if chance.random() < 0.1:
            return value[:index] + value[index : index + 1] * chance.choice((0, 2, 300)) + value[index + 1 :]
        return [*value[:index], _replaced(value[index], chance), *value[index + 1 :]]
    return chance.choice(NASTY)
