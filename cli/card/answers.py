"""The values of a card: answers with their sources, lines, evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class AnswerKind(StrEnum):
    """Where an answer comes from."""

    COMPUTED = "computed from the model"
    STATED = "stated by the owner"
    MEASURED = "tested"


@dataclass(frozen=True, slots=True)
class AnswerSource:
    """A file of the release and the member that holds an answer."""

    file: str
    member: str

    def __str__(self) -> str:
        return f"{self.file}: {self.member}"


@dataclass(frozen=True, slots=True)
class CardAnswer:
    """An answer and its source."""

    text: str
    kind: AnswerKind
    source: AnswerSource
    value: Any = None
    """The value for the registry, if it is not the text."""

    @property
    def plain(self) -> Any:
        """Return the value for programs."""
        return self.text if self.value is None else self.value


@dataclass(frozen=True, slots=True)
class CardLine:
    """A question with its answers; without one it is not addressed."""

    key: str
    question: str
    answers: tuple[CardAnswer, ...] = ()
    note: str = ""
    """Where the question comes from within its section, such as a level or a tier."""


@dataclass(frozen=True, slots=True)
class CardSection:
    """Some lines with a title, and one sentence on where their questions come from."""

    key: str
    title: str
    about: str
    lines: tuple[CardLine, ...]


class Subject(StrEnum):
    """What a report is about."""

    RELEASE = "this release, as the owner states"
    LEARNER = "the learner that made this model"
    OTHER = "another target"


@dataclass(frozen=True, slots=True)
class CardEvidence:
    """A report of a test: never a guarantee."""

    what: str
    """The kind of test: audit, gate or check of stability."""
    target: str
    subject: Subject
    verdict: str
    finding: str
    """The result in one sentence."""
    modified: str
    """The date of the file."""
    versions: str
    source: AnswerSource
    witness: str = ""
    """The file from which others can check the result."""
    contradiction: str = ""
    """How the report contradicts the guarantee; empty if it does not."""


@dataclass(frozen=True, slots=True)
class CardFile:
    """A file that was read."""

    path: str
    what: str
    size: int
    modified: str
    sha256: str


@dataclass(frozen=True, slots=True)
class ReleaseCard:
    """Everything on a card."""

    name: str
    headline: str
    is_guaranteed: bool
    """Whether the headline states a guarantee without a condition."""
    sections: tuple[CardSection, ...]
    evidence: tuple[CardEvidence, ...]
    files: tuple[CardFile, ...]
    registry: Mapping[str, Any] = field(default_factory=dict)
    """The answered fields, in the form of a record of the registry."""

    @property
    def contradictions(self) -> tuple[CardEvidence, ...]:
        """Return the evidence that contradicts the guarantee."""
        return tuple(each for each in self.evidence if each.contradiction)

    def lines(self) -> tuple[CardLine, ...]:
        """Return all lines."""
        return tuple(line for section in self.sections for line in section.lines)
