"""Recognise wrong answers that are answers to earlier requests: a cache, or an argument that is ignored."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any


def recall(args: Mapping[str, Any], result: Any, earlier: Iterable[tuple[Mapping[str, Any], Any]]) -> str:
    """Return a note if a wrong result is that of an earlier request in which one argument is another one."""
    for other_args, other_result in earlier:
        path = changed_argument(args, other_args) if other_result == result else ""
        if path:
            return (
                f"; it is the answer to an earlier request with another `{path}`: an earlier answer is used "
                "again, or the argument is ignored"
            )
    return ""


def changed_argument(args: Any, other: Any) -> str:
    """Return the path of the only member in which two objects differ; empty if there are none or several."""
    if not (isinstance(args, Mapping) and isinstance(other, Mapping)):
        return ""
    names = [name for name in {**args, **other} if args.get(name) != other.get(name)]
    if len(names) != 1:
        return ""
    inner = changed_argument(args.get(names[0]), other.get(names[0]))
    return f"{names[0]}.{inner}" if inner else names[0]
