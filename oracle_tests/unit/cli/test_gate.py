"""The gate as a command, as tests of pytest and as an action; its page shows what the command prints."""

from __future__ import annotations

import importlib
import json
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
import yaml

from privboost.cli import app
from privboost.gate.profiles import load_profile
from privboost.gate.run import every_check
from privboost.oracle_tests import plugin
from privboost.oracle_tests.support.checkout import ROOT
from privboost.oracle_tests.support.command_line import Run
from privboost.oracle_tests.support.gate_stand_ins import KNOWN, schema, stand_ins, target_of
from privboost.oracle_tests.support.json_schema import complaints
from privboost.oracle_tests.support.waiting import DEADLINE
from tools.action import clean_environment, steps
from tools.sessions import is_shown

OTHERS = re.compile(r"--stdio|--pyargs|--privboost-[a-z]+")
"""Options that the page names and that are not those of the command."""


@pytest.fixture
def gate(run: Run) -> Run:
    """Return a function that runs `privboost gate`."""
    return lambda *words: run("gate", *words)


@pytest.fixture
def stand_in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder that has a target, and ask the stand-in checks only."""
    imported = "from privboost.oracle_tests.support.gate_stand_ins import Square"
    source = f"{imported}\n\n\ndef wrong():\n    return Square(2)\n"
    (tmp_path / "stand_in.py").write_text(source)
    monkeypatch.chdir(tmp_path)
    # The command line has the installed modules, pytest's are copies of them.
    installed = importlib.import_module("privboost.oracle_tests.support.gate_stand_ins")
    monkeypatch.setattr("privboost.cli.commands.gate.load_profile", lambda _: installed.stand_in_profile())
    return tmp_path


def test_command__passes_and_writes_every_file_in_folders_that_it_makes(
    stand_in_folder: Path, gate: Run
) -> None:
    names = ("json", "junit", "markdown", "html", "badge")
    folder = stand_in_folder / "new" / "out"
    paths = (f"--{name}={folder / name}" for name in names)
    code, out, _ = gate("stand_in:Square", "--operation", "bayes_risk", *paths)
    assert code == 0
    assert "CONFORMING: stand_in:Square (stand-in 1) passes 6 cases" in out
    assert sorted(path.name for path in folder.iterdir()) == sorted(names)


@pytest.mark.usefixtures("stand_in_folder")
def test_command__fails_with_exit_code_1(gate: Run) -> None:
    code, out, _ = gate("stand_in:wrong", "--format", "json")
    document = json.loads(out)
    assert (code, document["conforming"]) == (1, False)
    assert complaints(schema("report"), document["report"]) == []


def test_command__known_failures_come_from_a_file(stand_in_folder: Path, gate: Run) -> None:
    for code, content in enumerate((KNOWN, f"{KNOWN}values/gone\n")):
        (stand_in_folder / "known.txt").write_text(content)
        assert gate("stand_in:wrong", "--operation", "bayes_risk", "--xfails", "known.txt")[0] == code


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "expected what to gate"),
        (("nonsense",), "module:factory"),
        (("stand_in:nothing",), "expected a name of module stand_in"),
        (("stand_in:HELLO",), "expected a name"),
        (("stand_in:Square", "--only", "nonsense"), "expected a label"),
        (("stand_in:Square", "--level", "nonsense"), "--level"),
        (("stand_in:Square", "--operation", "nonsense"), "--operation: expected an operation (bayes_risk,"),
        (("stand_in:Square", "--timeout", "0"), "seconds"),
        (("stand_in:Square", "--seed", "x"), "--seed"),
        (("stand_in:Square", "--xfails", "missing.txt"), "missing.txt"),
        (("stand_in:Square", "--json", "."), "expected a file"),
        (("stand_in:Square", "--json", "stand_in.py/x"), "expected a folder"),
        (("--list", "--kill-matrix"), "not allowed"),
        (("stand_in:Square", "--kill-matrix"), "--kill-matrix: expected no TARGET"),
        (("stand_in:Square", "--list"), "--list: expected no TARGET"),
        (("stand_in:Square", "--json", "x", "--html", "./x"), "another file than that of --json"),
    ],
)
@pytest.mark.usefixtures("stand_in_folder")
def test_command__that_cannot_be_carried_out_exits_2(words: tuple[str, ...], said: str, gate: Run) -> None:
    code, out, err = gate(*words)
    assert (code, out, said in err) == (2, "", True), err


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ("stand_in:wrong --format markdown --only pbr", 1, r"^\| level \| label \|"),
        ("--list --level values", 0, "(?s)values/risk.*2 checks"),
        ("slow:Never --timeout 0.5", 1, r"within 0\.5 s"),
        ("stand_in:Square --only f-alphaM", 4, ""),
        ("stand_in:Square", 4, "PARTIAL: .*1 of 21 operations answered.* of the core: sensitivity,"),
        ("stand_in:Square --operation link", 4, ""),
        ("stand_in:Square --operation train --operation bayes_risk", 4, "chosen operations: train"),
        ("stand_in:Square --operation bayes_risk", 0, "CONFORMING: .*1 of 21 operations answered"),
        ("stand_in:Square --only pbr", 0, "CONFORMING"),
    ],
    ids=[
        *("markdown", "list", "timeout of hello", "nothing judged", "less than the core"),
        *("operation without a case", "operation not answered", "chosen", "label"),
    ],
)
def test_command__exit_code_and_output(
    words: str, code: int, said: str, stand_in_folder: Path, gate: Run
) -> None:
    (stand_in_folder / "slow.py").write_text("import time\n\ntime.sleep(60)\n")
    exit_code, out, _ = gate(*words.split())
    assert exit_code == code
    assert re.search(said, out)


@pytest.mark.usefixtures("stand_in_folder")
def test_command__broken_check_exits_3(gate: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("privboost.oracle_tests.support.gate_stand_ins.Risk.run", lambda *_: 1 // 0)
    assert gate("stand_in:Square")[0] == 3


def test_command__interrupted_exits_130_with_what_was_found(
    stand_in_folder: Path, monkeypatch: pytest.MonkeyPatch, gate: Run
) -> None:
    installed = importlib.import_module("privboost.oracle_tests.support.gate_stand_ins")
    run = installed.Risk.run

    def interrupt(check: Any, target: Any, seed: int) -> Any:
        if check.id == "mechanisms/risk":
            raise KeyboardInterrupt
        return run(check, target, seed)

    monkeypatch.setattr(installed.Risk, "run", interrupt)
    code, out, _ = gate("stand_in:wrong", "--json", "out.json")
    assert code == 130
    assert "INTERRUPTED: stand_in:wrong (stand-in 1) fails 2 of 4 cases, at the label pbr" in out
    document = json.loads((stand_in_folder / "out.json").read_text("utf-8"))
    assert (document["verdict"], document["passed"], document["not_run"]) == ("interrupted", False, 2)
    assert complaints(schema("report"), document) == []


# the page

PAGE = (ROOT / "docs" / "gate.md").read_text("utf-8")


def shown_after(command: str) -> list[str]:
    """Return the lines that the page shows after a command."""
    (shown,) = re.findall(rf"^\$ {re.escape(command)}\n(.*?)```", PAGE, re.DOTALL | re.MULTILINE)
    lines: list[str] = shown.splitlines()
    return lines


def test_page__shows_what_the_command_prints(monkeypatch: pytest.MonkeyPatch, gate: Run) -> None:
    monkeypatch.chdir(ROOT / "examples" / "gate")
    code, out, _ = gate("first:First", "--only", "f-alphaM")
    assert code == 1
    assert is_shown(out, shown_after("privboost gate first:First --only f-alphaM")), out


def test_page__program_conforms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gate: Run) -> None:
    (program,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    (tmp_path / "impl.py").write_text(program)
    monkeypatch.chdir(tmp_path)
    for arguments, verdict in ((), 4), (("--operation", "bayes_risk"), 0):
        code, out, _ = gate(f"cmd:{sys.executable} impl.py", *arguments)
        assert code == verdict
        printed = out.replace(sys.executable, "python")
        command = " ".join(["privboost gate 'cmd:python impl.py'", *arguments])
        assert is_shown(printed, shown_after(command)), printed


def test_page__fix_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gate: Run) -> None:
    source = (ROOT / "examples" / "gate" / "first.py").read_text("utf-8")
    (fix,) = re.findall(r"```diff\n(.*?)```", PAGE, re.DOTALL)
    removed, added = ([line[1:] for line in fix.splitlines() if line[0] == sign] for sign in "-+")
    for old, new in zip(removed, added, strict=True):
        assert source.count(f"{old}\n") == 1
        source = source.replace(f"{old}\n", f"{new}\n")
    (tmp_path / "mended_first.py").write_text(source)
    monkeypatch.chdir(tmp_path)
    assert gate("mended_first:First", "--only", "f-alphaM")[0] == 0


def test_page__options_are_those_of_the_command(gate: Run) -> None:
    code, out, _ = gate("--help")
    assert code == 0
    options = set(re.findall(r"--[a-z-]+", out))
    named = {option for option in re.findall(r"--[a-z][a-z-]+", PAGE) if not OTHERS.fullmatch(option)}
    assert named <= options
    assert {"--json", "--junit", "--markdown", "--html", "--badge", "--xfails", "--level", "--only"} <= named


def test_action__passes_its_inputs_to_options_that_exist(tmp_path: Path) -> None:
    inputs = dict.fromkeys(yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))["inputs"], "given")
    (_, install, first), (_, script, second) = steps(inputs, tmp_path)
    assert sorted([*first.values(), *second.values()]).count("given") == len(inputs)
    assert "--system-site-packages" not in install
    options = set(re.findall(r"--[a-z]+", script))
    assert {"--only", "--operation", "--seed", "--level", "--xfails", "--timeout", "--json"} <= options
    app.make_parser(["gate"]).parse_args(
        ["gate", "--profile=trees", *(f"{option}=5" for option in options - {"--profile"}), "first:First"]
    )


def test_action__inputs_become_arguments_of_the_command(tmp_path: Path) -> None:
    inputs = {"target": "cmd:./impl --stdio", "operation": "train predict", "only": "pbr", "level": "values"}
    _, (_, script, variables) = steps(inputs, tmp_path)
    program = tmp_path / "privboost-gate" / "bin" / "privboost"
    program.parent.mkdir(parents=True)
    program.write_text('#!/bin/sh\nprintf "%s\\n" "$@" > "$ARGUMENTS"\nexit 4\n')
    program.chmod(0o755)
    written = {name: str(tmp_path / name) for name in ("ARGUMENTS", "GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    command = ["bash", "-eo", "pipefail", "-c", script]
    done = subprocess.run(command, env=clean_environment(**written) | variables, check=False)
    assert done.returncode == 4
    words = Path(written["ARGUMENTS"]).read_text("utf-8").splitlines()
    pairs = set(pairwise(words))
    assert {("--operation", "train"), ("--operation", "predict"), ("--only", "pbr")} <= pairs
    assert ("--level", "values") in pairs
    assert words[-2:] == ["--", "cmd:./impl --stdio"]


@pytest.mark.parametrize(
    ("system", "python", "message"), [("Windows", "", "Linux or macOS"), ("Linux", "old", "3.11")]
)
def test_action__refuses_what_it_cannot_run_on(
    system: str, python: str, message: str, tmp_path: Path
) -> None:
    old = tmp_path / "old"
    old.write_text('#!/bin/sh\n[ "$1" = --version ] && echo Python 3.9.1\nexit 1\n')
    old.chmod(0o755)
    _, script, variables = next(steps({"python": str(old) if python else ""}, tmp_path))
    environment = clean_environment(RUNNER_OS=system, GITHUB_ACTION_PATH=str(ROOT)) | variables
    done = subprocess.run(
        ["bash", "-eo", "pipefail", "-c", script],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    assert done.stdout.startswith("::error::")
    assert message in done.stdout


# pytest


def pytest_of_first(
    *words: str, target: str = "examples/gate/first.py:First"
) -> subprocess.CompletedProcess[str]:
    """Run the checks of the gate against an example, as tests."""
    shared = ["-q", "-p", "no:cacheprovider", "-n", "0", "oracle_tests", "--privboost-target", target]
    command_line = [sys.executable, "-m", "pytest", *shared, *words]
    return subprocess.run(
        command_line, capture_output=True, text=True, check=False, cwd=ROOT, timeout=DEADLINE
    )


def test_pytest__runs_the_checks_against_a_target_and_nothing_else() -> None:
    done = pytest_of_first("-k", "wire")
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^5 passed, \d+ deselected", done.stdout, re.MULTILINE), done.stdout


def test_pytest__selects_by_label() -> None:
    of_label = sum(check.label == "f-alphaM" for check in every_check(load_profile()))
    by_keyword, by_option = (
        pytest_of_first("--collect-only", *words)
        for words in (("-k", "f-alphaM"), ("--privboost-only", "f-alphaM"))
    )
    assert f"{of_label}/" in by_keyword.stdout
    assert f"{of_label} tests collected" in by_option.stdout
    assert by_keyword.stdout.count("::test_gate[") == by_option.stdout.count("::test_gate[") == of_label
    refused = pytest_of_first("--collect-only", "--privboost-only", "nonsense")
    assert "expected a label" in refused.stdout + refused.stderr
    assert refused.returncode != 0


def test_pytest__ignores_the_unit_tests_of_any_checkout(tmp_path: Path) -> None:
    config = cast("pytest.Config", SimpleNamespace(getoption=lambda _: "fast"))
    assert plugin.pytest_ignore_collect(tmp_path / "oracle_tests" / "unit", config) is True
    assert plugin.pytest_ignore_collect(tmp_path / "oracle_tests" / "conformance", config) is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"--privboost-only": ["pbr"]}, "--privboost-only: expected --privboost-target TARGET"),
        ({"--privboost-target": "fast"}, "expected privboost to be installed"),
    ],
)
def test_pytest__options_that_cannot_work_are_refused(
    options: dict[str, Any], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    config = SimpleNamespace(getoption=options.get, addinivalue_line=lambda *_: None)
    with pytest.raises(pytest.UsageError, match=message):
        plugin.pytest_configure(cast("pytest.Config", config))


def test_pytest__takes_known_failures_and_a_seed(tmp_path: Path) -> None:
    known = tmp_path / "known.txt"
    known.write_text("values/link/*\nvalues/property/*\n")
    words = ("--privboost-only", "f-alphaM", "--privboost-seed", "5", "--privboost-xfails", str(known))
    done = pytest_of_first(*words)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"\d+ xfailed", done.stdout), done.stdout
    known.write_text("values/nosuch/*\n")
    done = pytest_of_first(*words)
    assert done.returncode == pytest.ExitCode.USAGE_ERROR, done.stdout
    assert "line 1: 'values/nosuch/*' matches no check" in done.stdout + done.stderr


PROGRAM = f"cmd:{sys.executable} examples/gate/impl.py"
"""A program that answers one operation, and leaves out some of its variants."""


def test_pytest__partial_run_of_several_processes_fails_and_says_why() -> None:
    done = pytest_of_first("-n", "2", target=PROGRAM)
    assert done.returncode == pytest.ExitCode.TESTS_FAILED, done.stdout + done.stderr
    assert f"PARTIAL: {PROGRAM}: 1 of 21 operations answered, less than 1 % of the cases asked" in done.stdout
    assert "Not answered of the core: sensitivity, node_budget," in done.stdout
    assert re.search(r"^\d+ passed, \d+ skipped, 1 partial in", done.stdout, re.MULTILINE), done.stdout
    assert "failed" not in done.stdout.splitlines()[-1]


def test_pytest__operations_that_are_meant_are_enough() -> None:
    done = pytest_of_first("--privboost-operation", "bayes_risk", "--privboost-only", "pbr", target=PROGRAM)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Left out by hello: bayes_risk with loss=log, " in done.stdout
    assert "partial in" not in done.stdout
    missing = pytest_of_first("--privboost-operation", "train", "--privboost-only", "wire", target=PROGRAM)
    assert missing.returncode == pytest.ExitCode.TESTS_FAILED
    assert "Not answered of the chosen operations: train" in missing.stdout
    refused = pytest_of_first("--privboost-operation", "nonsense", target=PROGRAM)
    assert refused.returncode == pytest.ExitCode.USAGE_ERROR
    assert "--privboost-operation: expected an operation (bayes_risk, " in refused.stdout + refused.stderr


def test_pytest__runs_the_profile_that_is_named() -> None:
    options = ("--privboost-profile", "mechanisms", "--privboost-only", "randomised-response")
    done = pytest_of_first(*options, target="faulty:none")
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^[1-9]\d* passed", done.stdout, re.MULTILINE), done.stdout
    refused = pytest_of_first("--privboost-profile", "nonsense", target="faulty:none")
    assert refused.returncode == pytest.ExitCode.USAGE_ERROR
    assert "--privboost-profile: expected one of trees, mechanisms, got 'nonsense'" in refused.stderr


def test_level__is_one_of_the_profile(gate: Run) -> None:
    options = ("faulty:none", "--profile", "mechanisms", "--only", "map-sum", "--level")
    assert gate(*options, "maps")[0] == 0
    code, _, message = gate(*options, "learner")
    assert code == 2
    assert "--level: expected a level (wire, numbers, maps, laws, refusal), got 'learner'" in message


def test_pytest__fails_at_the_label(monkeypatch: pytest.MonkeyPatch) -> None:
    from privboost.oracle_tests.conformance import session as session_module

    monkeypatch.setattr(session_module, "every_check", lambda _profile: stand_ins())
    monkeypatch.setattr(session_module, "load_target", lambda *_: target_of(factor=2))
    session = session_module.GateSession("x:y")
    assert session_module.labelled_checks()[:2] == [("wire/hello", "wire"), ("values/risk", "pbr")]
    session.judge("wire/hello")
    with pytest.raises(pytest.fail.Exception, match="is the factor 4 missing"):
        session.judge("values/risk")
    with pytest.raises(pytest.skip.Exception, match="no link"):
        session.judge("values/link")
    session.close()
