"""Strategies of hypothesis for mutated files: of their bytes, and of the values of JSON documents."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

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
NAMES = ("x", "x" * 30_000, "\x1b", "$opaque")


@st.composite
def mutated_files(draw: st.DrawFn, originals: Sequence[bytes]) -> bytes:
    """Draw one of some files, with one to three mutations."""
    content = draw(st.sampled_from(originals))
    for _ in range(draw(st.integers(1, 3))):
        documents = read_documents(content) if draw(st.integers(0, 4)) else []
        content = _change_document(draw, documents) if documents else _splice(draw, content)
    return content


def read_documents(content: bytes) -> list[Any]:
    """Return the JSON document of a file, or those of its lines; none if it has something else."""
    for parts in ([content], content.splitlines()):
        try:
            return [json.loads(part) for part in parts]
        except (ValueError, RecursionError):
            continue
    return []


def _splice(draw: st.DrawFn, content: bytes) -> bytes:
    """Replace some bytes of a file by nothing, by others, by a literal or by copies of themselves."""
    start = draw(st.integers(0, len(content)))
    stop = start + draw(st.sampled_from((0, 1, 2, 8, 64, len(content))))
    copies = st.sampled_from((2, 50, 500)).map(content[start : min(stop, start + 64)].__mul__)
    part = draw(st.just(b"") | st.binary(max_size=64) | st.sampled_from(LITERALS) | copies)
    return content[:start] + part + content[stop:]


def _change_document(draw: st.DrawFn, documents: list[Any]) -> bytes:
    """Change one value of one document; sometimes all members of the document are repeated."""
    index = draw(st.integers(0, len(documents) - 1))
    changed = _change_value(draw, documents[index])
    lines = [json.dumps(document) for document in [*documents[:index], changed, *documents[index + 1 :]]]
    if lines[index].startswith('{"') and not draw(st.integers(0, 9)):
        lines[index] = lines[index][:-1] + "," + lines[index][1:]
    return "\n".join(lines).encode("ascii")


def _change_value(draw: st.DrawFn, value: Any) -> Any:
    """Change, remove, add or repeat one part; deeper parts are as likely as their containers."""
    if not isinstance(value, dict | list) or not value or not draw(st.integers(0, 6)):
        return draw(st.sampled_from(NASTY))
    changed: Any = value.copy()
    key = draw(st.sampled_from(list(value) if isinstance(value, dict) else range(len(value))))
    action = draw(st.integers(0, 9))
    if action == 0:
        del changed[key]
    elif action == 1 and isinstance(value, list):
        changed[key : key + 1] = [value[key]] * draw(st.sampled_from((2, 300)))
    elif action == 1:
        changed[draw(st.sampled_from(NAMES))] = draw(st.sampled_from(NASTY))
    else:
        changed[key] = _change_value(draw, value[key])
    return changed
