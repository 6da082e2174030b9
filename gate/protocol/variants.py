"""Variants of an operation: the words that its arguments may have, and the arguments that may be left out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .operation import Operation


@dataclass(frozen=True, slots=True, order=True)
class Variant:
    """What selects a variant of an operation in a request."""

    operation: str
    argument: str
    """The name of the argument; a member of an object is named with the names above it, separated by dots."""
    word: str = ""
    """Its word; empty for an optional argument that is present."""


def variant_arguments(operation: Operation) -> dict[str, tuple[str, ...]]:
    """Return the words of every argument that selects a variant; none for optional arguments."""
    words = {
        ".".join((name, *path)): choices
        for name, kind in operation.every_argument()
        for path, choices in kind.word_paths()
    }
    return words | dict[str, tuple[str, ...]].fromkeys(operation.optional, ())


def variants_of(operation: Operation, args: Mapping[str, Any]) -> Iterator[Variant]:
    """Yield the variants that a request asks for; words that the operation does not have are none."""
    for argument, words in variant_arguments(operation).items():
        for value in _values(args, argument.split(".")):
            if not words or (isinstance(value, str) and value in words):
                yield Variant(operation.name, argument, value if words else "")


def _values(value: Any, path: list[str]) -> Iterator[Any]:
    """Yield the values at a path, in every entry of a list."""
    if isinstance(value, list) and path:
        for entry in value:
            yield from _values(entry, path)
    elif not path:
        yield value
    elif isinstance(value, Mapping) and path[0] in value:
        yield from _values(value[path[0]], path[1:])
