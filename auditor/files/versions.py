"""The versions recorded in files of the auditor."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

import numpy as np


def own_version() -> str:
    """Return the version of privboost."""
    try:
        return version("privboost")
    except PackageNotFoundError:
        return "unknown"


def versions() -> dict[str, str]:
    """Return the versions on which outputs and bounds depend."""
    return {"privboost": own_version(), "numpy": np.__version__, "python": platform.python_version()}
