"""The result of `hello`: what a target says about itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from privboost.gate.trees.operations.operations import OPERATIONS, PROTOCOL
from privboost.printing import make_printable

from .wire import WireError, read_integer, read_list, read_object, read_string

LIMITS = ("m", "count")
LONGEST_NAME = 80


@dataclass(frozen=True, slots=True)
class Hello:
    """What a target says about itself."""

    name: str
    version: str
    operations: frozenset[str]
    limits: Mapping[str, int] = field(default_factory=dict)


def read_hello(result: object) -> Hello:
    """Return the result of `hello`.

    Ensures: WireError if it is not valid.
    """
    members = read_object(result, "hello", ("name", "version", "protocol", "operations"))
    if members["protocol"] != PROTOCOL or isinstance(members["protocol"], bool):
        raise WireError("hello.protocol", f"the number {PROTOCOL}", members["protocol"])
    listed = read_list(members["operations"], "hello.operations")
    operations = frozenset(
        read_string(name, f"hello.operations[{index}]") for index, name in enumerate(listed)
    )
    if unknown := sorted(operations - {"hello", *OPERATIONS}):
        raise WireError("hello.operations", f"operations of the protocol ({', '.join(OPERATIONS)})", unknown)
    stated = read_object(members.get("limits", {}), "hello.limits")
    limits = {
        name: read_integer(stated[name], f"hello.limits.{name}", least=1) for name in LIMITS if name in stated
    }
    return Hello(
        _one_line(members["name"], "hello.name"),
        _one_line(members["version"], "hello.version"),
        operations - {"hello"},
        limits,
    )


def usable_hello(result: object) -> Hello | None:
    """Return the usable part of an invalid result of `hello`; None if it lists no operations."""
    members = result if isinstance(result, dict) else {}
    listed = members.get("operations")
    if not isinstance(listed, list) or not all(isinstance(name, str) for name in listed):
        return None
    strings = (members.get(name) for name in ("name", "version"))
    name, version = (_one_line(value, "hello") if isinstance(value, str) else "" for value in strings)
    return Hello(name, version, frozenset(OPERATIONS) & frozenset(listed))


def _one_line(result: object, path: str) -> str:
    return " ".join(make_printable(read_string(result, path)).split())[:LONGEST_NAME]
