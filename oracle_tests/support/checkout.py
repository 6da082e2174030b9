"""The location of the checkout, in which unit tests always run."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import privboost

ROOT = Path(privboost.__file__).resolve().parent.parent
"""The top of the checkout."""


def mapped_packages() -> dict[str, Path]:
    """Return the folder of every installed package, relative to the checkout."""
    setuptools = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]
    folders: dict[str, str] = setuptools["package-dir"]

    def folder_of(name: str) -> Path:
        parent, _, last = name.rpartition(".")
        return Path(folders[name]) if name in folders else folder_of(parent) / last

    return {name: folder_of(name) for name in setuptools["packages"]}


def locked_versions() -> dict[str, str]:
    """Return the versions of the lock file by name."""
    lock = (ROOT / "constraints.txt").read_text("utf-8")
    return dict(re.findall(r"^([a-z0-9._-]+)==([0-9][a-z0-9.]*)", lock, re.MULTILINE | re.IGNORECASE))
