"""Where the checkout is, for the tests that are about files which are not installed."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

import privboost

ROOT = Path(privboost.__file__).resolve().parent.parent
"""The top of the checkout, if the package is imported from one."""

needs_checkout = pytest.mark.skipif(
    not (ROOT / "pyproject.toml").is_file() or not (ROOT / "package" / "__init__.py").is_file(),
    reason="privboost is installed from a wheel; this test reads files that only a checkout has",
)


def mapped_packages() -> dict[str, Path]:
    """Return every installed package by name, with its folder relative to the top of the checkout."""
    setuptools = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]
    folders: dict[str, str] = setuptools["package-dir"]
    return {name: Path(folders[name]) for name in setuptools["packages"]}
