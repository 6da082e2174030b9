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

    Ensures: UsageError, naming the argument, for a level or a label that the profile does not have.
    """

    target: str
    profile: Profile
    levels: Collection[str] = ()
    """The levels whose checks are run; none: all."""
    only: Collection[str] = ()
    """The labels whose checks are run; none: all."""
    seed: int = 0
    timeout: float = DEFAULT_TIMEOUT
    xfails: Collection[KnownFailure] = ()
    shrinks: bool = True
    """Whether failing requests are shrunk."""

    def __post_init__(self) -> None:
        for level in self.levels:
            if level not in self.profile.levels:
                expected = f"a level ({', '.join(self.profile.levels)})"
                raise UsageError(f"expected {expected}, got '{level}'", argument="level")

    @property
    def chosen_levels(self) -> tuple[str, ...]:
        """Return the levels whose checks are run, in their order."""
        return tuple(level for level in self.profile.levels if not self.levels or level in self.levels)
