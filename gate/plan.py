"""The plan of a run of the gate: what is asked of which target, and how."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

from privboost.errors import UsageError

if TYPE_CHECKING:
    from .known_failures import KnownFailure
    from .profile import Profile

DEFAULT_TIMEOUT = 60.0
"""Timeout of an answer, in seconds."""


@dataclass(frozen=True, slots=True)
class GatePlan:
    """The plan of a run.

    Ensures: UsageError, naming the argument, for a level or an operation that the profile does not have.
    """

    target: str
    profile: Profile
    levels: Collection[str] = ()
    """The levels whose checks are run; none: all."""
    only: Collection[str] = ()
    """The labels whose checks are run; none: all."""
    seed: int = 0
    timeout: float = DEFAULT_TIMEOUT
    operations: Collection[str] = ()
    """The operations that are asked, all of which the target must answer; none: those it lists."""
    xfails: Collection[KnownFailure] = ()
    shrinks: bool = True
    """Whether failing requests are shrunk."""

    def __post_init__(self) -> None:
        for level in self.levels:
            if level not in self.profile.levels:
                expected = f"a level ({', '.join(self.profile.levels)})"
                raise UsageError(f"expected {expected}, got '{level}'", argument="level")
        for operation in self.operations:
            if operation not in self.profile.operations:
                expected = f"an operation ({', '.join(self.profile.operations)})"
                raise UsageError(f"expected {expected}, got '{operation}'", argument="operation")

    @property
    def chosen_levels(self) -> tuple[str, ...]:
        """Return the levels whose checks are run, in their order."""
        return tuple(level for level in self.profile.levels if not self.levels or level in self.levels)

    def required_of(self, listed: Collection[str]) -> frozenset[str]:
        """Return the operations that a target must answer, given those that its `hello` lists.

        They are the chosen ones; in a whole run the core of the profile, or all that are listed.
        """
        chosen = frozenset(self.operations)
        if chosen or self.only or self.levels:
            return chosen
        return frozenset(listed) if self.profile.core is None else self.profile.core
