"""The adapters of the examples: their files, what installed ones answer, and the findings made with them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from privboost.cli.app import main
from privboost.environments import Environment, find_environment
from privboost.oracle_tests.support.checkout import ROOT
from privboost.scoreboard.libraries import Library, LibraryTrial, read_libraries

FOLDER, ENVIRONMENTS = ROOT / "examples" / "adapters", ROOT / "build" / "adapters"
LIBRARIES = {library.name: library for library in read_libraries(FOLDER)}
TRIALS = {
    f"{name}-{trial.about}": (library, trial)
    for name, library in LIBRARIES.items()
    for trial in library.trials
}
WITNESSES = sorted((ROOT / "docs" / "findings").glob("*.json"))
PIN = re.compile(r"[A-Za-z0-9._-]+==[0-9][0-9A-Za-z.]*")
MOST_ADAPTER_LINES, MOST_REPRODUCTION_LINES = 60, 10
HELLO = '{"id": 0, "op": "hello", "args": {}}\n'


def find_installed(library: Library) -> Environment:
    """Return the environment of a library; skip the test if it is not installed."""
    if library.requirements is None:
        return Environment(ENVIRONMENTS / library.name, Path(sys.executable))
    environment = find_environment(library.requirements, ENVIRONMENTS / library.name)
    if environment is None:
        pytest.skip(f"{library.name} is not installed here: see `make adapters`")
    return environment


@pytest.mark.parametrize("library", LIBRARIES.values(), ids=list(LIBRARIES))
def test_adapter__is_short_and_its_requirements_are_pinned(library: Library) -> None:
    (adapter,) = FOLDER.glob(f"{library.name}_adapter.*")
    assert len(adapter.read_text("utf-8").splitlines()) <= MOST_ADAPTER_LINES
    if library.requirements is not None and library.requirements.suffix == ".txt":
        lines = library.requirements.read_text("utf-8").splitlines()
        assert [line for line in lines if not PIN.fullmatch(line)] == []


@pytest.mark.slow
@pytest.mark.parametrize("library", LIBRARIES.values(), ids=list(LIBRARIES))
def test_adapter__that_is_installed_greets_with_its_version(library: Library) -> None:
    command = find_installed(library).command()
    program = library.program.replace("{python}", command).replace("{node}", command)
    done = subprocess.run(
        ["sh", "-c", program], cwd=FOLDER, input=HELLO, capture_output=True, text=True, check=True
    )
    hello = json.loads(done.stdout)["result"]
    assert hello["operations"]
    if library.requirements is not None:
        assert hello["version"] in library.requirements.read_text("utf-8")


@pytest.mark.parametrize("trial", TRIALS.values(), ids=list(TRIALS))
def test_trial__has_a_claim_with_its_place_and_a_short_reproduction(
    trial: tuple[Library, LibraryTrial],
) -> None:
    _, stated = trial
    assert all((stated.claim, stated.stated_in, stated.issue, stated.true_if))
    assert 0 < len(stated.reproduction.strip().splitlines()) <= MOST_REPRODUCTION_LINES


@pytest.mark.slow
@pytest.mark.parametrize("trial", TRIALS.values(), ids=list(TRIALS))
def test_trial__that_is_installed_is_reproduced_without_privboost(
    trial: tuple[Library, LibraryTrial],
) -> None:
    library, stated = trial
    program = str(find_installed(library).program)
    done = subprocess.run(
        [program, "-W", "ignore", "-c", stated.reproduction],
        cwd=FOLDER,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("witness", WITNESSES, ids=[path.stem for path in WITNESSES])
def test_finding__witness_refutes_the_claim_again(witness: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tool = "audit" if "-audit-" in witness.name else "stability"
    assert main([tool, "--replay", str(witness)]) == 0
    shown = "the file agrees; VIOLATION" if tool == "audit" else "the file agrees; .* more"
    assert re.search(shown, capsys.readouterr().out)


def test_findings__page_links_every_witness() -> None:
    page = (ROOT / "docs" / "findings.md").read_text("utf-8")
    linked = set(re.findall(r"\]\(findings/([^)]+)\)", page))
    assert linked == {path.name for path in WITNESSES}
