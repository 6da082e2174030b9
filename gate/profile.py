"""A profile: all that the gate needs to know about one subject, such as the learner of the paper.

The rest of the gate's core takes a profile as an argument and imports none. Functions of a profile import
what they need when they are called, so that a run loads only what it uses.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from privboost.gate.protocol.hello import Limit
from privboost.gate.protocol.kinds import ArgumentKind
from privboost.gate.protocol.operation import Operation

from .check import WIRE, Check


@dataclass(frozen=True, slots=True)
class CheckGroup:
    """Checks that are made together, with all their labels and levels."""

    labels: frozenset[str]
    levels: frozenset[str]
    make: Callable[[], Iterable[Check]]


@dataclass(frozen=True, slots=True)
class FaultyImplementation:
    """An implementation with one mistake, which the gate must reject by the label that it violates."""

    label: str
    description: str
    missed: str = ""
    """Why the gate does not catch the mistake; empty if it does."""
    first_checks: str = ""
    """The beginning of the ids of the checks that are run first, since only they can notice it."""


@dataclass(frozen=True, slots=True)
class VectorCase:
    """One request with the flags of the mistakes it catches; its id is unique within its operation."""

    op: str
    id: str
    args: dict[str, Any]
    flags: tuple[str, ...] = field(default=())
    plain: dict[str, Any] | None = None
    """The same arguments in the usual spelling, if these may be refused."""


@dataclass(frozen=True, slots=True)
class PublishedBug:
    """A public report of a mistake in a library."""

    repository: str
    issue: int
    what: str
    """The mistake, in our words."""
    fixed: str = ""
    """The version, the pull request or the commit that has it no more; empty if none is known."""


@dataclass(frozen=True, slots=True)
class VectorSource:
    """How the test vectors of a profile are made."""

    cases: Callable[[], Iterable[VectorCase]]
    answer: Callable[[str, Mapping[str, Any]], Any | None]
    """Return the exact answer to a request as JSON; None if it is unknown.

    Ensures: PreconditionError for arguments that must be refused.
    """
    provenance: Callable[[], Mapping[str, str]]
    """Return where the answers come from, for every operation that has vectors."""
    variants: tuple[str, ...]
    """Arguments that select a variant of an operation; every variant has a check of its own."""
    choices: tuple[str, ...]
    """Arguments that requests which are answered alike have in common."""
    release: str = ""
    """The calendar version of the files, which then say the verdict of every case; empty if there is none."""
    bugs: Mapping[str, Sequence[PublishedBug]] = field(default_factory=dict)
    """Published bugs by the flag of their mistake."""


@dataclass(frozen=True, slots=True)
class ProtocolPage:
    """What the page of the protocol and the skeletons say besides the table of operations."""

    path: str
    """The page."""
    meanings: Mapping[str, str]
    """What the arguments mean."""
    records: Mapping[str, tuple[str, Mapping[str, ArgumentKind]]]
    """Arguments that are objects, by the block with their table: its second head, and the kinds of fields."""
    complete: str
    """The operation that the skeletons answer; the folder `skeletons` has it in every language."""


@dataclass(frozen=True, slots=True, eq=False)
class Profile:
    """One subject of the gate."""

    name: str
    version: str
    package: str
    """The package that has the folders `schemas` and `vectors`."""
    levels: tuple[str, ...]
    """All levels, in the order in which they are run; the first is `wire`."""
    operations: Mapping[str, Operation]
    """The operations besides `hello`, by name."""
    core: frozenset[str] | None
    """The operations that an implementation must answer to be called conforming; None: those it lists."""
    label_names: Mapping[str, str]
    """What every label is about, in plain words."""
    limits: tuple[Limit, ...]
    flags: Mapping[str, str]
    """The hint of every flag, which names a mistake."""
    flags_of_points: Collection[str]
    """Flags that depend on the numbers of a request, and may not fit a simpler one."""
    plausible_flags: Callable[[Sequence[str], str, Mapping[str, Any], Any, Any], Sequence[str]]
    """Return which flags could explain a wrong result, given those of the case, the request, both results."""
    groups: tuple[CheckGroup, ...]
    """The checks besides those of the wire."""
    vectors: VectorSource
    implementations: Mapping[str, Callable[[], Any]]
    """Implementations of this project, by the name of the target."""
    faulty: Callable[[], Mapping[str, FaultyImplementation]]
    """Return the implementations with a mistake, by name."""
    load_faulty: Callable[[str], Any]
    """Return the implementation with a mistake, or without one for `none`."""
    page: ProtocolPage
    claims: Mapping[str, str] = field(default_factory=dict)
    """Properties that a target may claim in `hello`, with what they mean: they are judged if it does."""

    @property
    def labels(self) -> tuple[str, ...]:
        """Return the labels of all checks, in alphabetical order."""
        return tuple(sorted({WIRE}.union(*(group.labels for group in self.groups))))

    def folder(self, name: str) -> Traversable:
        """Return a folder of data files."""
        return files(self.package) / name

    def format_hints(self, flags: Sequence[str]) -> str:
        """Return the hints of flags, to be appended to a message."""
        hints = "; or ".join(self.flags[flag] for flag in flags if flag in self.flags)
        return f". Perhaps: {hints}" if hints else ""
