"""A target that is asked only for the operations that it listed in its `hello`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from privboost.gate.protocol.hello import Hello
from privboost.gate.protocol.wire import LONGEST_NUMBER
from privboost.gate.trees.operations.operations import OPERATIONS
from privboost.targets.conversation import GRACE, Answer

from .target import Target


class Announced:
    """A target; requests beyond its `hello` are answered with `unsupported` without being sent."""

    def __init__(self, target: Target, hello: Hello) -> None:
        self.hello = hello
        self._target = target

    @property
    def name(self) -> str:
        """Return the name of the target on the command line."""
        return self._target.name

    @property
    def ended(self) -> str | None:
        """Return why the target was given up; None if it was not."""
        ended: str | None = getattr(self._target, "ended", None)
        return ended

    def ask(self, op: str, args: Mapping[str, Any]) -> Answer:
        """Return the answer to one request."""
        return self._skip(op, args) or self._target.ask(op, args)

    def ask_many(self, requests: Iterable[tuple[str, Mapping[str, Any]]]) -> Iterator[Answer]:
        """Yield the answers to requests."""
        sent = [(request, self._skip(*request)) for request in requests]
        answers = self._target.ask_many([request for request, skipped in sent if skipped is None])
        for _, skipped in sent:
            yield skipped or next(answers)

    def close(self, grace: float = GRACE) -> bool:
        """Close the target; return whether it ends by itself."""
        return self._target.close(grace)

    def _skip(self, op: str, args: Mapping[str, Any]) -> Answer | None:
        """Return the answer to a request that is not sent; None if it is to be sent."""
        if op in OPERATIONS and op not in self.hello.operations:
            return Answer(unsupported=f"hello does not list {op!r}")
        for name, greatest in self.hello.limits.items():
            value = args.get(name, len(args["rows"]) if name == "m" and _has_rows(args) else None)
            if _size(value) > greatest:
                return Answer(unsupported=f"hello limits {name} to {greatest}")
        return None


def _has_rows(args: Mapping[str, Any]) -> bool:
    return isinstance(args.get("rows"), list)


def _size(value: object) -> int:
    """Return a sample size or count; 0 if it is missing or not an integer."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= LONGEST_NUMBER:
        return int(value)
    return value if isinstance(value, int) else 0
