"""The profiles of the gate, by name. A profile is imported when it is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from privboost.errors import UsageError

if TYPE_CHECKING:
    from .profile import Profile

MODULES = {
    "trees": "privboost.gate.trees.profile",
    "mechanisms": "privboost.gate.mechanisms.profile",
}
"""The modules that define PROFILE."""
DEFAULT_PROFILE = "trees"


def load_profile(name: str | None = None) -> Profile:
    """Return the profile with a name, by default `trees`."""
    name = DEFAULT_PROFILE if name is None else name
    if name not in MODULES:
        raise UsageError(f"expected one of {', '.join(MODULES)}, got '{name}'", argument="profile")
    profile: Profile = import_module(MODULES[name]).PROFILE
    return profile
