"""An operation of the protocol: what a row of the table of operations holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from privboost.errors import PreconditionError

from .kinds import ArgumentKind, WordKind, check_members

Slack = Callable[[Fraction], Fraction]
"""The largest difference from an exact number that is allowed."""

RELATIVE = Fraction(1, 1 << 47)
"""64 ulp."""
SMALLEST = Fraction(1, 1 << 1022)


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How much an answer may differ from the exact number v."""

    words: str
    slack: Callable[[Mapping[str, Any]], Slack]
    """Return the slack of a request, given its arguments."""


CLOSE = Tolerance(
    "2^-47 abs(v), or 2^-1022 if that is larger",
    lambda _: lambda exact: max(RELATIVE * abs(exact), SMALLEST),
)
COMPOSED = Tolerance("1e-9 max(1, abs(v))", lambda _: lambda exact: max(Fraction(1), abs(exact)) / 10**9)
"""The tolerance of results that follow from many numbers."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition on several arguments together."""

    words: str
    wrong: Mapping[str, Mapping[str, Any]]
    """Arguments that violate it, to be merged into the first example, by a name for ids."""
    holds: Callable[[Mapping[str, Any]], bool] | None = None
    """The condition on arguments that were read; None if the reader of the operation checks it."""
    flag: str = "domain"
    """The flag of the mistake of accepting them."""


@dataclass(frozen=True, slots=True, order=True)
class Variant:
    """What selects a variant of an operation in a request."""

    operation: str
    argument: str
    """The name of the argument; a member of an object is named with the names above it, separated by dots."""
    word: str = ""
    """Its word; empty for an optional argument that is present."""


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation of the protocol."""

    name: str
    group: str
    """Section of the page."""
    label: str
    """Label of the statement of the paper that defines the result."""
    meaning: str
    """The result, in one line."""
    arguments: Mapping[str, ArgumentKind]
    """Arguments that every request has."""
    examples: tuple[Mapping[str, Any], ...]
    """Valid arguments; requests that must be refused change one of them."""
    by_word: Mapping[str, Mapping[str, ArgumentKind]] = field(default_factory=dict)
    """Further arguments that a word requires."""
    optional: Mapping[str, ArgumentKind] = field(default_factory=dict)
    label_by_word: Mapping[str, str] = field(default_factory=dict)
    """Labels that replace `label` for requests with a word."""
    tolerance: Tolerance = CLOSE
    level: str = "values"
    """The level of requests that have a value."""
    conditions: tuple[Condition, ...] = ()
    rules: str = ""
    """The definition of the result for the page, as a list in Markdown."""

    def arguments_of(self, given: Mapping[str, Any]) -> dict[str, ArgumentKind]:
        """Return the arguments that a request must have."""
        chosen = self._chosen_words(given)
        more = (kinds for word, kinds in self.by_word.items() if word in chosen)
        return dict(self.arguments) | {name: kind for kinds in more for name, kind in kinds.items()}

    def read(self, given: Any) -> dict[str, Any]:
        """Return the arguments of a request by name.

        Ensures: PreconditionError, naming the argument, if one is missing, unknown or outside its range, or
            if several do not fit together.
        """
        if not isinstance(given, Mapping):
            raise PreconditionError(self.name, "an object of arguments", repr(given))
        required = self.arguments_of(given)
        check_members(given, self.name, required, self.optional)
        kinds = required | dict(self.optional)
        values = {name: kind.read(given[name], name) for name, kind in kinds.items() if name in given}
        for condition in self.conditions:
            if condition.holds is not None and not condition.holds(values):
                raise PreconditionError(self.name, condition.words, repr(dict(given)))
        return values

    def label_of(self, given: Mapping[str, Any]) -> str:
        """Return the label of a request."""
        chosen = self._chosen_words(given)
        return next((label for word, label in self.label_by_word.items() if word in chosen), self.label)

    def every_argument(self) -> Iterator[tuple[str, ArgumentKind]]:
        """Yield every argument that a request may have; a name has several kinds if words decide."""
        yield from self.arguments.items()
        for kinds in (*self.by_word.values(), self.optional):
            yield from kinds.items()

    def words(self) -> dict[str, tuple[str, ...]]:
        """Return the words of the arguments that are chosen from a list."""
        return {name: kind.choices for name, kind in self.arguments.items() if isinstance(kind, WordKind)}

    def variants(self) -> dict[str, tuple[str, ...]]:
        """Return the words of every argument that selects a variant; none for optional arguments."""
        words = {
            ".".join((name, *path)): choices
            for name, kind in self.every_argument()
            for path, choices in kind.word_paths()
        }
        return words | dict[str, tuple[str, ...]].fromkeys(self.optional, ())

    def variants_of(self, args: Mapping[str, Any]) -> Iterator[Variant]:
        """Yield the variants that a request asks for; words that the operation does not have are none."""
        for argument, words in self.variants().items():
            for value in _values(args, argument.split(".")):
                if not words or (isinstance(value, str) and value in words):
                    yield Variant(self.name, argument, value if words else "")

    def _chosen_words(self, given: Mapping[str, Any]) -> list[Any]:
        return [given.get(name) for name in self.words()]


def _values(value: Any, path: list[str]) -> Iterator[Any]:
    """Yield the values at a path, in every entry of a list."""
    if isinstance(value, list) and path:
        for entry in value:
            yield from _values(entry, path)
    elif not path:
        yield value
    elif isinstance(value, Mapping) and path[0] in value:
        yield from _values(value[path[0]], path[1:])
