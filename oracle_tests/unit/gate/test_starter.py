"""The starter set and the archive: what a library runs without privboost."""

from __future__ import annotations

import io
import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import jsonschema
import pytest

from privboost.gate.mechanisms.cases.starter import starter_set
from privboost.gate.profiles import load_profile
from privboost.oracle_tests.support.checkout import ROOT
from tools.vector_archive import archive, archive_files, archive_name

PROFILE = load_profile("mechanisms")
STARTER = ROOT / "examples" / "starter"
LONGEST = 40
"""Maximum number of lines of a program that runs the starter set."""
RIGHT = (
    ("epsilon * score / sensitivity", "epsilon * score / (2 * sensitivity)"),
    ("(epsilon * score) / sensitivity", "(epsilon * score) / (2 * sensitivity)"),
    ("sensitivity * math.sqrt(2 * math.log(1.25 / delta)) / epsilon", "sensitivity"),
    ("(sensitivity * Math.sqrt(2 * Math.log(1.25 / delta))) / epsilon", "sensitivity"),
    ("min(max(row, lower), upper)", "min(max(row if row == row else lower, lower), upper)"),
    ("Math.max(row, lower)", "Math.max(row || 0, lower)"),
)
"""What is wrong in the made-up libraries, and what is right instead."""


def _run(folder: Path, program: str) -> dict[str, str]:
    """Run the starter set without installed packages; return what it prints about every case."""
    command = [sys.executable, "-S", "-E", "-s", "run.py"] if program == "run.py" else ["node", "run.js"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return {" ".join(line.split()[1:]): line.split()[0] for line in done.stdout.splitlines()}


def _failures(results: dict[str, str]) -> list[str]:
    return [case.split()[0] for case, verdict in results.items() if verdict == "FAIL"]


@pytest.fixture(params=["run.py", "run.js"])
def program(request: pytest.FixtureRequest) -> str:
    """Return the name of a program that runs the starter set."""
    name: str = request.param
    if name == "run.js" and shutil.which("node") is None:
        pytest.skip("node is not installed")
    return name


def test_starter__is_made_of_cases_of_all_kinds() -> None:
    assert (STARTER / "starter.json").read_bytes() == starter_set(PROFILE)
    cases = json.loads((STARTER / "starter.json").read_bytes())["cases"]
    assert len(cases) <= 20
    assert {kind for case in cases for kind in ("refused", "least", "sides", "law") if kind in case} == {
        *("refused", "least", "sides", "law")
    }


def test_starter__programs_are_short_and_import_no_privboost(program: str) -> None:
    content = (STARTER / program).read_text("utf-8")
    assert len(content.splitlines()) <= LONGEST
    assert "privboost" not in content


def test_starter__mistakes_of_a_library_are_found(tmp_path: Path, program: str) -> None:
    shutil.copytree(STARTER, tmp_path / "starter")
    results = _run(tmp_path / "starter", program)
    assert len(results) == 20
    assert _failures(results) == ["exponential/up", "map/sum", "accounting/gaussian_sigma"]
    assert sum(verdict == "skip" for verdict in results.values()) == 10


def test_starter__a_right_library_passes(tmp_path: Path, program: str) -> None:
    """The probability that it fails by chance is at most 3e-9."""
    shutil.copytree(STARTER, tmp_path / "starter")
    library = tmp_path / "starter" / program.replace("run", "library")
    content = library.read_text("utf-8")
    for wrong, right in RIGHT:
        content = content.replace(wrong, right)
    library.write_text(content, "utf-8")
    assert _failures(_run(tmp_path / "starter", program)) == []


def test_archive__has_a_calendar_version_and_the_files_of_the_checkout() -> None:
    content = archive(PROFILE)
    assert content == archive(PROFILE)
    assert archive_name(PROFILE) == f"privboost-vectors-mechanisms-{PROFILE.vectors.release}.zip"
    folder = archive_name(PROFILE).removesuffix(".zip")
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        files = {name.removeprefix(f"{folder}/"): file.read(name) for name in file.namelist()}
    assert files == archive_files(PROFILE)
    schema = json.loads(files["schema.json"])
    documents = [json.loads(data) for name, data in files.items() if name.startswith("vectors/")]
    assert {document["release"] for document in documents} == {PROFILE.vectors.release}
    assert len(documents) == len(PROFILE.operations)
    jsonschema.validate(documents[0], schema)
