"""The first question, and a target that is asked only what it has announced."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from privboost.printing import printable
from privboost.targets.conversation import Answer

from .target import Target
from .wire import WireError, read_list, read_object, read_text, read_whole

PROTOCOL = 1
OPERATIONS = (
    "bayes_risk",
    "partial_loss",
    "link",
    "inverse_link",
    "surrogate",
    "perspective",
    "leaf_risk",
    "sensitivity",
    "node_budget",
    "leaf_budget",
    "leaf_scale",
    "calibrated_alpha",
    "split_scores",
    "split_law",
    "leaf_value",
    "leverage",
    "update_weight",
    "sample_split",
    "sample_laplace",
    "train",
    "predict",
)
"""All operations of the protocol besides `hello`."""

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


class Announced:
    """A target that is not asked what it does not claim to know."""

    def __init__(self, target: Target, hello: Hello) -> None:
        self.hello = hello
        self._target = target

    @property
    def name(self) -> str:
        """Return what a user writes for the target."""
        return self._target.name

    @property
    def ended(self) -> str | None:
        """Return why nothing is asked any more, if so."""
        ended: str | None = getattr(self._target, "ended", None)
        return ended

    def ask(self, op: str, args: Mapping[str, Any]) -> Answer:
        """Return the answer to one request."""
        return self._unasked(op, args) or self._target.ask(op, args)

    def ask_many(self, requests: Iterable[tuple[str, Mapping[str, Any]]]) -> Iterator[Answer]:
        """Yield the answers to requests."""
        kept = [(request, self._unasked(*request)) for request in requests]
        answers = self._target.ask_many([request for request, skipped in kept if skipped is None])
        for _, skipped in kept:
            yield skipped or next(answers)

    def close(self) -> None:
        """Let the target end."""
        self._target.close()

    def _unasked(self, op: str, args: Mapping[str, Any]) -> Answer | None:
        """Return the answer to a request that need not be sent, if it need not."""
        if op in OPERATIONS and op not in self.hello.operations:
            return Answer(unsupported=f"hello does not list {op!r}")
        for name, greatest in self.hello.limits.items():
            asked = args.get(name, len(args["rows"]) if name == "m" and _has_rows(args) else None)
            if _size(asked) > greatest:
                return Answer(unsupported=f"hello limits {name} to {greatest}")
        return None


def _has_rows(args: Mapping[str, Any]) -> bool:
    return isinstance(args.get("rows"), list)


def _size(asked: object) -> int:
    """Return a sample size or count of the arguments; 0 where there is none, or none that is a number."""
    if isinstance(asked, str) and asked.isascii() and asked.isdigit() and len(asked) < 20:
        return int(asked)
    return asked if isinstance(asked, int) else 0
