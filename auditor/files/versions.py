"""The versions recorded in files of the auditor."""

from __future__ import annotations

import platform
import re
from importlib.metadata import PackageNotFoundError, packages_distributions, version

PACKAGES = ("privboost", "numpy", "scipy", "scikit-learn")
_PROJECT = re.compile(r"(?:estimator:)?([A-Za-z_]\w*)")


def versions(target: str = "") -> dict[str, str]:
    """Return the versions on which outputs and bounds depend, with that of the project of a target."""
    project = _PROJECT.match(target)
    audited = packages_distributions().get(project[1], []) if project else []
    packages = dict.fromkeys((*audited, *PACKAGES))
    return {**{package: version_of(package) for package in packages}, "python": platform.python_version()}


def version_of(package: str) -> str:
    """Return the version of an installed package."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"


def version_differences(recorded: dict[str, str]) -> list[str]:
    """Return which versions differ from the recorded ones; one that was not recorded is unknown."""
    return [
        f"the file was written with {name} {recorded.get(name, 'of an unknown version')}, this is {own}: "
        "outputs, and guesses learned from them, may differ for this reason"
        for name, own in versions().items()
        if recorded.get(name) != own
    ]
