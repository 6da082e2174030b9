"""The wheel holds the packages of the checkout, every file of them and nothing else."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from privboost import __version__
from privboost.oracle_tests.support.checkout import ROOT, mapped_packages

METADATA = ("pyproject.toml", "README.md", "LICENSE")
INSTALLED = {".py", ".json", ".typed"}
NOT_INSTALLED = {"benchmarks", "docs", "build", "dist", "report"}
OWN_TESTS = ("oracle_tests/unit", "oracle_tests/support")
"""Packages that stay in the checkout: tests of privboost itself."""


def expected_files(packages: dict[str, Path]) -> set[str]:
    """Return the paths inside a wheel of every file in the checkout's packages."""
    names = set()
    for name, folder in packages.items():
        inside = name.replace(".", "/")
        paths = [path for part in ("", "schemas", "data") for path in (ROOT / folder / part).glob("*")]
        files = (path.relative_to(ROOT / folder) for path in paths if path.suffix in INSTALLED)
        names |= {f"{inside}/{path.as_posix()}" for path in files}
    return names


def copy_checkout(target: Path) -> None:
    """Copy what a build reads, so that the checkout's own build folder plays no part."""
    for name in METADATA:
        shutil.copy(ROOT / name, target / name)
    for folder in {path.parts[0] for path in mapped_packages().values()}:
        shutil.copytree(ROOT / folder, target / folder, ignore=shutil.ignore_patterns("__pycache__"))


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """Return a wheel built from a source archive of the checkout."""
    source, target = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    copy_checkout(source)
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(target), str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (path,) = target.glob("*.whl")
    return zipfile.ZipFile(path)


def installed_files(wheel: zipfile.ZipFile) -> set[str]:
    """Return the files of a wheel that are not its metadata."""
    return {name for name in wheel.namelist() if not name.startswith(f"privboost-{__version__}.dist-info/")}


def test_wheel__has_exactly_the_files_of_the_checkout(wheel: zipfile.ZipFile) -> None:
    assert installed_files(wheel) == expected_files(mapped_packages())


def test_wheel__comparison_notices_a_package_that_is_not_listed(wheel: zipfile.ZipFile) -> None:
    packages = mapped_packages() | {"privboost.unlisted": Path("oracle_tests/support")}
    assert installed_files(wheel) != expected_files(packages)


def test_wheel__has_the_bytes_of_the_checkout(wheel: zipfile.ZipFile) -> None:
    folders = mapped_packages()
    for name in installed_files(wheel):
        package = max((p for p in folders if name.startswith(p.replace(".", "/") + "/")), key=len)
        path = ROOT / folders[package] / name[len(package) + 1 :]
        assert wheel.read(name) == path.read_bytes(), name


def test_wheel__declares_the_licence_and_its_entry_points(wheel: zipfile.ZipFile) -> None:
    metadata = wheel.read(f"privboost-{__version__}.dist-info/METADATA").decode()
    entry_points = wheel.read(f"privboost-{__version__}.dist-info/entry_points.txt").decode()
    assert "License-Expression: Apache-2.0" in metadata
    assert "privboost = privboost.cli.app:main" in entry_points
    assert "privboost = privboost.oracle_tests.plugin" in entry_points


def test_packages__every_python_folder_of_the_checkout_is_listed() -> None:
    listed = {str(path) for path in mapped_packages().values()}
    folders = {
        str(path.parent.relative_to(ROOT))
        for path in ROOT.rglob("__init__.py")
        if not path.relative_to(ROOT).parts[0].startswith(".")
        and path.relative_to(ROOT).parts[0] not in NOT_INSTALLED
    }
    assert {name for name in folders if not name.startswith(OWN_TESTS)} == listed


def test_constraints__lock_every_dependency_to_one_version() -> None:
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    assert lines
    assert [line for line in lines if not re.fullmatch(r"[A-Za-z0-9._-]+==[0-9][A-Za-z0-9.]*", line)] == []


def test_reference__runs_without_any_dependency(wheel: zipfile.ZipFile, tmp_path: Path) -> None:
    wheel.extractall(tmp_path)
    # -I and -S leave the standard library alone on the path; the wheel is added by hand.
    program = f"import sys; sys.path.append({str(tmp_path)!r}); import privboost.reference.losses"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_conformance__runs_from_the_wheel_without_hypothesis(wheel: zipfile.ZipFile, tmp_path: Path) -> None:
    wheel.extractall(tmp_path)
    (tmp_path / "hypothesis.py").write_text("raise ImportError('hypothesis is not installed')\n")
    shutil.copy(ROOT / "examples" / "gate" / "first.py", tmp_path / "first.py")
    target = ["--privboost-target", "first:First", "--privboost-only", "wire"]
    plugin = ["-p", "privboost.oracle_tests.plugin", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--pyargs", "privboost.oracle_tests", *target, *plugin],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        # Plugins of other distributions, hypothesis among them, are not loaded.
        env={**os.environ, "PYTHONPATH": str(tmp_path), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"\d+ passed in", done.stdout), done.stdout
