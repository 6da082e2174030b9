"""The wheel holds the packages of the checkout, every file of them and nothing else."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from privboost import __version__
from privboost.extras import EXTRA_OF
from privboost.oracle_tests.support.checkout import ROOT, locked_versions, mapped_packages
from privboost.proofs_check.pages.texts import PAPER_ADDRESS, PAPER_AUTHORS, PAPER_TITLE, PAPER_VERSION

METADATA = ("pyproject.toml", "README.md", "LICENSE")
INSTALLED = {".py", ".json", ".typed", ".txt"}
NOT_INSTALLED = {"benchmarks", "docs", "build", "dist", "report", "tools"}
BOOK = Path("proofs_check/claims")
"""The folder whose pages are data: the book of claims."""
EXAMPLES = Path("examples")
"""A folder of plain files in any language, without a package."""
DATA_FOLDERS = ("schemas", "skeletons", "vectors")
OWN_TESTS = ("oracle_tests/unit", "oracle_tests/support")
"""Packages that stay in the checkout: tests of privboost itself."""


def is_installed(path: Path, folder: Path) -> bool:
    """Return whether a file of the checkout belongs into the wheel."""
    return folder == EXAMPLES or path.suffix in INSTALLED or (folder == BOOK and path.suffix == ".md")


def expected_files(packages: dict[str, Path]) -> set[str]:
    """Return the paths inside a wheel of every file in the checkout's packages."""
    names = set()
    for name, folder in packages.items():
        inside = name.replace(".", "/")
        paths = [path for part in ("", *DATA_FOLDERS) for path in (ROOT / folder / part).glob("*")]
        if folder == EXAMPLES:
            paths = [path for path in (ROOT / folder).glob("*/*") if path.is_file()]
        files = (path.relative_to(ROOT / folder) for path in paths if is_installed(path, folder))
        names |= {f"{inside}/{path.as_posix()}" for path in files}
    return names


def project() -> dict[str, Any]:
    """Return the table `project` of the project file."""
    table: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return table


def requirements(extra: str | None = None) -> list[Requirement]:
    """Return the core requirements, or those of an extra and of the extras that it names."""
    lines = project()["dependencies"] if extra is None else project()["optional-dependencies"][extra]
    listed = [Requirement(line) for line in lines]
    inner = [name for r in listed if r.name == "privboost" for name in sorted(r.extras)]
    return [r for r in listed if r.name != "privboost"] + [r for name in inner for r in requirements(name)]


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
    assert "privboost = privboost.cli:main" in entry_points
    assert "privboost = privboost.oracle_tests.plugin" in entry_points


def test_packages__every_python_folder_of_the_checkout_is_listed() -> None:
    listed = {str(path) for path in mapped_packages().values()}
    folders = {
        str(path.parent.relative_to(ROOT))
        for path in ROOT.rglob("__init__.py")
        if not path.relative_to(ROOT).parts[0].startswith(".")
        and path.relative_to(ROOT).parts[0] not in NOT_INSTALLED
    }
    assert {name for name in folders if not name.startswith(OWN_TESTS)} | {str(EXAMPLES)} == listed


def test_constraints__lock_every_dependency_to_one_version() -> None:
    pinned = {canonicalize_name(name): version for name, version in locked_versions().items()}
    for requirement in requirements("test"):
        name = canonicalize_name(requirement.name)
        assert name in pinned, requirement
        assert requirement.specifier.contains(pinned[name]), requirement


def test_constraints__have_the_hashes_of_every_version() -> None:
    """As `pip install --require-hashes` needs it."""
    pin, digest = r"[A-Za-z0-9._-]+==[0-9][A-Za-z0-9.]*( ; [^\\]+)?", r" \\\n    --hash=sha256:[0-9a-f]{64}"
    assert re.fullmatch(rf"(#.*\n)*({pin}({digest})+\n)+", (ROOT / "constraints.txt").read_text("utf-8"))
    assert "--require-hashes" in (ROOT / "Makefile").read_text("utf-8")


def test_dependencies__of_a_plain_install_are_three() -> None:
    assert {requirement.name for requirement in requirements()} == {"numpy", "scikit-learn", "scipy"}


@pytest.mark.parametrize("module", EXTRA_OF)
def test_extras__table_agrees_with_the_project_file(module: str) -> None:
    distributions = {"z3": "z3-solver", "distributed": "dask"}
    assert distributions.get(module, module) in {r.name for r in requirements(EXTRA_OF[module])}


def test_extras__all_has_every_other_one() -> None:
    extras = project()["optional-dependencies"].keys() - {"all", "docs", "test"}
    assert {r.name for extra in extras for r in requirements(extra)} <= {r.name for r in requirements("all")}


def test_classifiers__name_every_version_from_the_oldest() -> None:
    versions = [line.rpartition(" :: ")[2] for line in project()["classifiers"] if ":: 3." in line]
    assert project()["requires-python"] == f">={versions[0]}"
    assert versions == [f"3.{minor}" for minor in range(11, 11 + len(versions))]


def test_citation__names_this_version_and_the_paper() -> None:
    """The keys are those that version 1.2.0 of the format requires."""
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert {"cff-version", "message", "title", "authors"} <= citation.keys()
    assert (citation["cff-version"], citation["type"]) == ("1.2.0", "software")
    assert (citation["version"], citation["license"]) == (__version__, project()["license"])
    (paper,) = citation["references"]
    assert {"type", "title", "authors"} <= paper.keys()
    assert [author["family-names"] for author in paper["authors"]] == ["Nock", "Henecka"]
    assert (paper["title"], paper["url"]) == (PAPER_TITLE, PAPER_ADDRESS)
    assert (paper["year"], paper["month"]) == (2020, 1)
    assert "second version of February 2020" in paper["notes"]


@pytest.mark.parametrize("page", ["README.md", "docs/index.md", "docs/ERRATA.md"])
def test_paper__can_be_found_from_the_first_pages(page: str) -> None:
    words = " ".join((ROOT / page).read_text("utf-8").split())
    parts = (PAPER_TITLE, PAPER_AUTHORS, PAPER_ADDRESS, PAPER_VERSION)
    assert [part for part in parts if part not in words] == []


@pytest.fixture(scope="module")
def plain_install(wheel: zipfile.ZipFile, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the wheel and its core dependencies, and nothing else."""
    folder = tmp_path_factory.mktemp("plain")
    wheel.extractall(folder)
    waiting, seen = [requirement.name for requirement in requirements()], set[str]()
    while waiting:
        distribution = metadata.distribution(waiting.pop())
        if distribution.name in seen:
            continue
        seen.add(distribution.name)
        needed = [Requirement(line) for line in distribution.requires or ()]
        waiting += [r.name for r in needed if r.marker is None or r.marker.evaluate({"extra": ""})]
        for top in {file.parts[0] for file in distribution.files or () if file.parts[0] != ".."}:
            if not (folder / top).exists() and top != "__pycache__":
                (folder / top).symlink_to(Path(str(distribution.locate_file(top))).resolve())
    return folder


def run_plain(folder: Path, program: str, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a program with the standard library and the packages of a folder only."""
    command = [sys.executable, "-I", "-S", "-c", f"import sys; sys.path.append({str(folder)!r}); {program}"]
    return subprocess.run([*command, *arguments], capture_output=True, text=True, check=False, cwd=cwd)


COMMAND_LINE = "from privboost.cli.app import main; sys.exit(main())"


def test_plain_install__has_no_extra(plain_install: Path, tmp_path: Path) -> None:
    program = "import importlib.util as u; print([m for m in sys.argv[1:] if u.find_spec(m)])"
    assert run_plain(plain_install, program, *EXTRA_OF, "numba", cwd=tmp_path).stdout == "[]\n"


def test_plain_install__fits_a_model(plain_install: Path, tmp_path: Path) -> None:
    program = (
        "from privboost.fast import PrivateBoostedTreesClassifier as C; "
        "print(C(domain=[(0, 1)], classes=(0, 1), n_trees=2, depth=1).fit([[0.0], [1.0]] * 20, [0, 1] * 20)"
        ".predict([[0.5]]).shape)"
    )
    done = run_plain(plain_install, program, cwd=tmp_path)
    assert done.stdout == "(1,)\n", done.stderr


def test_plain_install__audits_and_says_that_plots_need_an_extra(plain_install: Path, tmp_path: Path) -> None:
    arguments = ("audit", "broken:noisy_max_value", "--seed", "0", "-o", "audit")
    done = run_plain(plain_install, COMMAND_LINE, *arguments, cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    assert "VIOLATION" in done.stdout
    assert "no plots, since matplotlib is not installed; run: pip install 'privboost[plots]'" in done.stderr
    page = (tmp_path / "audit" / "report.html").read_text("utf-8")
    assert "The plots were left out, because matplotlib was not installed." in page
    assert "privboost[plots]" in page
    written = {path.name for path in (tmp_path / "audit").iterdir()}
    assert written == {"report.html", "report.json", "witness.json"}


def test_plain_install__gates(plain_install: Path, tmp_path: Path) -> None:
    arguments = ("gate", "fast", "--level", "values", "--only", "pbr")
    done = run_plain(plain_install, COMMAND_LINE, *arguments, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_plain_install__writes_the_files_of_an_example(plain_install: Path, tmp_path: Path) -> None:
    done = run_plain(plain_install, COMMAND_LINE, "example", "gate", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "first.py").read_bytes() == (ROOT / "examples" / "gate" / "first.py").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "missing", "extras"),
    [
        (["prove", "lemI"], "prove: expected z3, sympy", "proofs"),
        (["errata"], "errata: expected sympy", "proofs"),
        (["figure1", "-o", "out"], "figure1: expected matplotlib", "plots"),
        (["report", "-o", "out"], "report: expected z3, sympy, matplotlib", "proofs,plots"),
        (["study", "report", "-o", "out"], "study report: expected pandas, matplotlib", "study"),
        (
            ["audit", "bank:laplace", "--dask", "tcp://127.0.0.1:1"],
            "a Dask cluster: expected distributed",
            "scale",
        ),
    ],
)
def test_plain_install__command_names_the_extra_that_it_misses(
    arguments: list[str], missing: str, extras: str, plain_install: Path, tmp_path: Path
) -> None:
    done = run_plain(plain_install, COMMAND_LINE, *arguments, cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    verb = "are" if ", " in missing else "is"
    assert f"privboost: error: {missing}, which {verb} not installed" in done.stderr
    assert f"run: pip install 'privboost[{extras}]' (in a checkout: pip install '.[{extras}]')" in done.stderr
    assert not (tmp_path / "out").exists()


def test_reference__runs_without_any_dependency(wheel: zipfile.ZipFile, tmp_path: Path) -> None:
    wheel.extractall(tmp_path)
    done = run_plain(tmp_path, "import privboost.reference.losses", cwd=tmp_path)
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
