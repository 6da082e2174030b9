"""An operation of the protocol: what a row of the table of operations holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from .kinds import ArgumentKind, WordKind


class Tolerance(Enum):
    """How much an answer may differ from the exact number v, in words."""

    CLOSE = "2^-47 abs(v), or 2^-1022 if that is larger"
    MARGIN = "2^-47 max(1, abs(z), abs(v))"
    COMPOSED = "1e-9 max(1, abs(v))"
    LAW = "1e-9 v for probabilities v > 1e-300, else 1e-9"
    TERMS = "2^-40 times the sum over trees of abs(beta) times the largest abs(value)"
    DRAWN = "none: draws are judged by their law"


class Group(Enum):
    """A section of the page."""

    LOSSES = "Losses"
    TREES = "Trees and privacy"
    SAMPLES = "Samples"
    LEARNER = "Learner"


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


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation of the protocol."""

    name: str
    group: Group
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
    tolerance: Tolerance = Tolerance.CLOSE
    conditions: tuple[Condition, ...] = ()
    rules: str = ""
    """The definition of the result for the page, as a list in Markdown."""

    def arguments_of(self, given: Mapping[str, Any]) -> dict[str, ArgumentKind]:
        """Return the arguments that a request must have."""
        chosen = self._chosen_words(given)
        more = (kinds for word, kinds in self.by_word.items() if word in chosen)
        return dict(self.arguments) | {name: kind for kinds in more for name, kind in kinds.items()}

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

    def _chosen_words(self, given: Mapping[str, Any]) -> list[Any]:
        return [given.get(name) for name in self.words()]
