"""The starter set and the archive: what a library runs without privboost."""

from __future__ import annotations

import io
import json
import random
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

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


WRONG_SUM = {
    "run.py": """

def bounded_sum(rows, lower, upper, relation, epsilon):
    return sum(min(max(row, lower), upper) for row in rows) + laplace(0, epsilon, upper - lower)
""",
    "run.js": """
module.exports.bounded_sum = ({ rows, lower, upper, epsilon }) =>
  rows.reduce((sum, row) => sum + Math.min(Math.max(row, lower), upper), 0) +
  module.exports.laplace({ value: 0, epsilon, sensitivity: upper - lower });
""",
}
"""A sum whose noise has the scale (upper - lower) / epsilon, but rows are added or removed."""


def _run(folder: Path, program: str) -> dict[str, str]:
    """Run the starter set without installed packages; return what it prints about every case."""
    return {" ".join(line.split()[1:]): line.split()[0] for line in _lines(folder, program)}


def _lines(folder: Path, program: str) -> list[str]:
    """Return the lines that it prints; its exit code says whether a case fails."""
    command = [sys.executable, "-S", "-E", "-s", "run.py"] if program == "run.py" else ["node", "run.js"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    lines = done.stdout.splitlines()
    assert done.returncode == any(line.startswith("FAIL ") for line in lines), done.stderr
    return lines


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


def test_starter__the_mistake_that_fits_best_is_named(tmp_path: Path, program: str) -> None:
    """Noise of a third of the scale is also much closer to half the noise than to the law."""
    shutil.copytree(STARTER, tmp_path / "starter")
    library = tmp_path / "starter" / program.replace("run", "library")
    library.write_text(library.read_text("utf-8") + WRONG_SUM[program], "utf-8")
    lines = _lines(tmp_path / "starter", program)
    assert "FAIL bounded_sum/shifted add_remove the draws show the mistake relation" in lines


def test_code_of_the_protocol__names_the_mistake_that_fits_best() -> None:
    page = (ROOT / "docs" / "mechanisms_protocol.md").read_text("utf-8")
    code = page.partition("## Without our runner")[2].partition("```python\n")[2].partition("```")[0]
    scope: dict[str, Any] = {}
    exec(code, scope)
    cases = json.loads((PROFILE.folder("vectors") / "bounded_sum.json").read_bytes())["cases"]
    law = next(case["law"] for case in cases if case["id"] == "shifted add_remove")
    source = random.Random(7)
    noise = [source.expovariate(1) - source.expovariate(1) for _ in range(law["draws"])]
    assert scope["judge"](law, [17 + draw for draw in noise]) == "relation"
    assert scope["judge"](law, [17 + 1.5 * draw for draw in noise]) == "half-the-noise"
    assert scope["judge"](law, [17 + 3 * draw for draw in noise]) is None


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
