"""Recognise wrong answers that are answers to earlier requests: a cache, or an argument that is ignored."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

Answered = tuple[Mapping[str, Any], Any]
"""The arguments of a request, and its result."""


@dataclass(frozen=True, slots=True)
class Recalled:
    """An earlier request of the same operation, whose answer came again."""

    args: Mapping[str, Any]
    changed: str
    """The path of the only argument that was another one."""

    @property
    def note(self) -> str:
        """Return what a complaint says about it."""
        return (
            f"; it is the answer to an earlier request with another `{self.changed}`: an earlier answer is "
            "used again, or the argument is ignored"
        )


def recall(args: Mapping[str, Any], result: Any, earlier: Iterable[Answered]) -> Recalled | None:
    """Return the earlier request with the same result in which one argument is another one, if any."""
    for other_args, other_result in earlier:
        path = changed_argument(args, other_args) if other_result == result else ""
        if path:
            return Recalled(other_args, path)
    return None


def changed_argument(args: Any, other: Any) -> str:
    """Return the path of the only member in which two objects differ; empty if there are none or several."""
    if not (isinstance(args, Mapping) and isinstance(other, Mapping)):
        return ""
    names = [name for name in {**args, **other} if args.get(name) != other.get(name)]
    if len(names) != 1:
        return ""
    inner = changed_argument(args.get(names[0]), other.get(names[0]))
    return f"{names[0]}.{inner}" if inner else names[0]
