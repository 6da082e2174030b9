"""Programs that are started once for each call, and the skeletons of those that speak the protocol."""

from __future__ import annotations

import math
import pickle
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from privboost.auditor import TargetError, Verdict, audit
from privboost.auditor.mechanisms.catalogue import KINDS, list_targets
from privboost.auditor.mechanisms.naming import find_target, is_module_target
from privboost.auditor.mechanisms.one_run import OneRun
from privboost.auditor.mechanisms.program import Command, skeleton
from privboost.errors import UsageError
from privboost.limits import SKELETONS
from privboost.targets.conversation import Limits
from privboost.targets.programs import program_of


def run(command_line: str, data: Any, seed: int = 1, **limits: float) -> Any:
    """Return the output of one call of a program."""
    mechanism = OneRun.of(command_line, Limits(**limits)).mechanism()  # type: ignore[arg-type]
    return pickle.loads(pickle.dumps(mechanism)).call(data, np.random.default_rng(seed))


# Programs that read a file --------------------------------------------------------------------------------


@pytest.mark.parametrize("data", [[0, 0.5, 1], {"a": [1, None], "b": "x"}, 2.5, math.inf, []])
def test_exec__gets_the_input_as_json_and_its_output_is_read_as_json(data: Any) -> None:
    assert run("cat {input}", data) == run("cat {input.json}", data) == data


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        ([0, 0.1, "a,b"], ["0", "0.1", '"a,b"']),
        ([[1, 2], [3, None]], ["1,2", "3,"]),
        ([{"age": 1, "ill": 0}, {"age": 2, "ill": 1}], ["age,ill", "1,0", "2,1"]),
        ({"age": [1, 2], "ill": [0, 1]}, ["age,ill", "1,0", "2,1"]),
    ],
)
def test_exec__gets_the_input_as_csv(data: Any, lines: list[str]) -> None:
    assert run("cat {input.csv}", data) == "\n".join(lines)


@pytest.mark.parametrize("data", [3, {"a": 1}, {"a": [1], "b": [1, 2]}, [1, {"a": 2}]])
def test_exec__has_no_csv_of_what_is_no_table(data: Any) -> None:
    with pytest.raises(TargetError, match="a list, or an object of columns, for CSV"):
        run("cat {input.csv}", data)


@pytest.mark.parametrize(
    ("printed", "output"), [("2.50", 2.5), ("-inf", -math.inf), ("the sum is 3", "the sum is 3")]
)
def test_exec__reads_numbers_and_any_other_text(printed: str, output: Any) -> None:
    assert run(f"sh -c 'echo {printed}' sh {{input}}", []) == output


def test_exec__seed_differs_by_call_and_makes_calls_repeatable() -> None:
    seeds = [run("sh -c 'echo $0' {seed} {input}", 0, seed) for seed in (1, 2, 1)]
    assert seeds[0] == seeds[2] != seeds[1]
    assert all(0 <= seed < 2**63 for seed in seeds)
    assert find_target("exec:cat {input}").mechanism.repeats is False
    assert find_target("exec:echo {seed} {input}").mechanism.repeats is None
    assert not is_module_target("exec:cat {input}")


def test_exec__a_failed_run_is_an_output_without_the_name_of_the_file() -> None:
    output = run("sh -c 'echo $0 is bad >&2; exit 3' {input}", 0)
    assert (output["failed"], output["error"]) == ("exited", "crash")
    assert "exit code 3" in output["message"]
    assert output["message"].endswith("its standard error ends with: …/input.json is bad")


def test_exec__that_prints_nothing_is_never_consistent() -> None:
    assert run("true {input}", 0)["failed"] == "exited"
    with pytest.raises(TargetError, match="the program ended without an output"):
        audit(find_target("exec:true {input}").mechanism, (0, 1), epsilon=1, calls=100, seed=1)


def test_exec__that_does_not_end_is_ended_and_has_that_as_its_output(tmp_path: Path) -> None:
    output = run(f"sh -c 'echo $$ > {tmp_path}/pid; exec sleep 1000' sh {{input}}", 0, answer=0.5)
    assert output["failed"] == "hung"
    assert "expected the end of the program within 0.5 s" in output["message"]
    pid = (tmp_path / "pid").read_text("utf-8").strip()
    assert not Path(f"/proc/{pid}").exists()


def test_exec__that_prints_without_end_has_no_verdict() -> None:
    with pytest.raises(TargetError, match="an output of at most 1000 bytes"):
        run("sh -c 'yes' sh {input}", 0, line=1000)


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("exec:cat", "exec: expected {input}, {input.json} or {input.csv} among the arguments"),
        ("exec:./nowhere {input}", "exec: expected a program that can be run"),
        ("exec:", "one of cmd:…, exec:…"),
    ],
)
def test_exec__that_cannot_be_run_is_a_usage_error(target: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        find_target(target)


# Skeletons ------------------------------------------------------------------------------------------------

COMMANDS: dict[str, tuple[str, tuple[str, ...], str]] = {
    "python": ("skeleton.py", (), f"{sys.executable} skeleton.py"),
    "javascript": ("skeleton.js", ("node", "--check", "skeleton.js"), "node skeleton.js"),
    "c": (
        "skeleton.c",
        ("cc", "-Wall", "-Wextra", "-Werror", "-o", "skeleton", "skeleton.c", "-lm"),
        "./skeleton",
    ),
}
"""By language: the file of a skeleton, how to compile or check it, and its command line."""


@pytest.mark.parametrize("language", SKELETONS)
def test_skeleton__is_a_seeded_mechanism_of_epsilon_1(
    language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """False alarms: none, since the seed is fixed."""
    name, compiler, command_line = COMMANDS[language]
    if compiler and shutil.which(compiler[0]) is None:
        pytest.skip(f"{compiler[0]} is not installed")
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text(skeleton(language), "utf-8")
    if compiler:
        subprocess.run(compiler, check=True)
    command, pair = Command(program_of(command_line)), ([0, 1], [0, 1, 1])
    true, false = (
        audit(command.mechanism(), pair, epsilon=epsilon, calls=2000, seed=1) for epsilon in (1.0, 0.5)
    )
    command.close()
    assert (true.pairs[0].refuted, true.pairs[0].failures, true.seeded) == (False, (), True)
    assert true.bound > 0.5
    assert false.verdict is Verdict.VIOLATION


# The list of targets --------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_catalogue__has_every_target_with_its_arguments(kind: str) -> None:
    listed = list_targets(kind)
    assert listed
    for entry in listed:
        assert entry.purpose
        assert entry.purpose.isprintable()
        if kind in ("bank", "broken"):
            target = find_target(entry.name)
            assert entry.claim == (target.claim or entry.claim)
        if kind in ("fast", "reference"):
            assert find_target(f"{entry.name}{'(part=splits)' if entry.arguments else ''}").pairs


@pytest.mark.parametrize("error", [ImportError("no DOUBLE"), ModuleNotFoundError("no module", name="x")])
def test_catalogue__names_a_project_that_cannot_be_imported(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_name: str) -> None:
        raise error

    monkeypatch.setattr("importlib.import_module", fail)
    assert not any(entry.installed for kind in ("diffprivlib", "opendp") for entry in list_targets(kind))
    with pytest.raises((TargetError, UsageError), match="opendp"):
        find_target("opendp:laplace")
