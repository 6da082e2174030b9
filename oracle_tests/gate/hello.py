"""The first question, and a target that is asked only what it has announced."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from .operations import OPERATIONS, PROTOCOL
from .wire import WireError, printable, read_list, read_object, read_text, read_whole

LIMITS = ("m", "count")
LONGEST_NAME = 80


@dataclass(frozen=True, slots=True)
class Hello:
    """What a target says of itself."""

    name: str
    version: str
    operations: frozenset[str]
    limits: Mapping[str, int] = field(default_factory=dict)


def read_hello(found: object) -> Hello:
    """Return a hello; WireError where it is not one."""
    members = read_object(found, "hello", ("name", "version", "protocol", "operations"))
    if members["protocol"] != PROTOCOL or isinstance(members["protocol"], bool):
        raise WireError("hello.protocol", f"the number {PROTOCOL}", members["protocol"])
    listed = read_list(members["operations"], "hello.operations")
    operations = frozenset(read_text(name, f"hello.operations[{place}]") for place, name in enumerate(listed))
    if unknown := sorted(operations - {"hello", *OPERATIONS}):
        raise WireError("hello.operations", f"operations of the protocol ({', '.join(OPERATIONS)})", unknown)
    stated = read_object(members.get("limits", {}), "hello.limits")
    limits = {
        name: read_whole(stated[name], f"hello.limits.{name}", least=1) for name in LIMITS if name in stated
    }
    return Hello(
        _one_line(members["name"], "hello.name"),
        _one_line(members["version"], "hello.version"),
        operations - {"hello"},
        limits,
    )


def understood(found: object) -> Hello | None:
    """Return what can be understood of a hello that is not a right one; None where it lists no operations."""
    members = found if isinstance(found, dict) else {}
    listed = members.get("operations")
    if not isinstance(listed, list) or not all(isinstance(name, str) for name in listed):
        return None
    told = (members.get(name) for name in ("name", "version"))
    name, version = (_one_line(text, "hello") if isinstance(text, str) else "" for text in told)
    return Hello(name, version, frozenset(OPERATIONS) & frozenset(listed))


def _one_line(found: object, place: str) -> str:
    return " ".join(printable(read_text(found, place)).split())[:LONGEST_NAME]
