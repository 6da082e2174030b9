"""Libraries side by side: what is asked again, what is written, and what the pages show."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from privboost.cli.app import main
from privboost.environments import InstallError
from privboost.errors import UsageError
from privboost.gate.pages.skeletons import skeleton
from privboost.gate.profiles import load_profile
from privboost.oracle_tests.support.checkout import ROOT
from privboost.oracle_tests.support.command_line import Markup
from privboost.oracle_tests.support.json_schema import complaints
from privboost.scoreboard import run as run_module
from privboost.scoreboard import tasks as tasks_module
from privboost.scoreboard.findings import REFUTED
from privboost.scoreboard.libraries import read_libraries
from privboost.scoreboard.page import TRIAL_KINDS
from privboost.scoreboard.public import to_public_markdown
from privboost.scoreboard.run import ScoreboardPlan, run_scoreboard

SCHEMA = json.loads((ROOT / "scoreboard" / "index_schema.json").read_text("utf-8"))
STATED = """
home = "https://example.org/a"
[[audit]]
operation = "models"
about = "a <model>"
target = "cmd:{python} call.py a_trials.py:model"
options = ["--epsilon", "1"]
claim = "epsilon 1, by exchange"
issue = "example/a 7"
reproduction = "assert 1 > 2"
"""
CONFIRMED = {"verdict": "VIOLATION", "bound": 1.25, "confidence": 0.999999, "calls": 60, "seed": 7}
"""The repetition of a violation on fresh coins, as the report of an audit has it."""


def gate_report(failed: int = 1) -> dict[str, Any]:
    """Return the parts of a report of the gate that a scoreboard reads, with wrong answers."""
    counts = {"failed": failed, "known": 0, "skipped": 2}
    outcomes = [
        {
            "check": f"numbers/accounting/<{number}>",
            "label": "gdp-delta",
            "level": "numbers",
            "status": "fail",
            "message": "expected 1, got 2",
            "request": {"op": "accounting", "args": {"rule": "gdp_delta"}},
            "again": "echo '<again>'",
            "known": False,
        }
        for number in range(failed)
    ]
    return {
        "hello": {"version": "1.2"},
        "verdict": "fail" if failed else "pass",
        "headline": "a sentence",
        "false_alarm": 1e-7,
        "operations": [
            {"operation": "accounting", "verdict": "fail" if failed else "pass", "passed": 3, **counts},
            {"operation": "count", "verdict": "skipped", "passed": 0, **counts},
        ],
        "outcomes": outcomes,
    }


class Programs:
    """Stand-ins for the gate and audits: they write a report and note how they were called."""

    def __init__(self) -> None:
        self.commands: list[list[str]] = []
        self.code, self.messages = 1, ""
        self.hello: dict[str, str] | None = {"version": "1.2"}
        self.confirmation: dict[str, Any] | None = CONFIRMED
        self.before: Callable[[], object] = lambda: None

    def __call__(
        self,
        command: Sequence[str],
        stop: Event,
        folder: Path | None = None,
        report: Callable[[str], object] | None = None,
    ) -> tuple[int, str]:
        """Write the report that the command asks for; return an exit code and messages."""
        words = list(command)[list(command).index("privboost") + 1 :]
        self.commands.append(words)
        self.before()
        if report is not None:
            report("privboost: check 2 of 9")
        if stop.is_set():
            return 143, ""
        if words[0] == "gate":
            path, document = Path(words[words.index("--json") + 1]), gate_report() | {"hello": self.hello}
        else:
            path = Path(words[words.index("--output") + 1]) / "report.json"
            document = {"verdict": "VIOLATION", "reason": "a <reason>", "calls": 40, "parameter": "ε"} | {
                "confirmation": self.confirmation
            }
            path.with_name("witness.json").write_text("the witness", "utf-8")
        if not self.messages:
            path.write_text(json.dumps(document), "utf-8")
        return self.code, self.messages


@pytest.fixture
def programs(monkeypatch: pytest.MonkeyPatch) -> Programs:
    stand_ins = Programs()
    monkeypatch.setattr(tasks_module, "run_program", stand_ins)
    return stand_ins


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with two libraries, of which one has an audit."""
    adapters = tmp_path / "adapters"
    adapters.mkdir()
    for name, content in {
        "a_adapter.py": "a",
        "b_adapter.js": "b",
        "a.toml": STATED,
        "a_trials.py": "trials",
        "serve.py": "common",
    }.items():
        (adapters / name).write_text(content, "utf-8")
    return adapters


def plan_of(folder: Path, **changes: Any) -> ScoreboardPlan:
    root = folder.parent
    return ScoreboardPlan(read_libraries(folder), root / "results", root / "environments", **changes)


def write_board(folder: Path, *options: str) -> tuple[int, Path]:
    """Run the command, and return its exit code and the folder of the pages."""
    output = folder.parent / "board"
    return main(["scoreboard", str(folder), "-o", str(output), *options]), output


# Libraries ---------------------------------------------------------------------------------------------


def test_libraries__are_read_from_adapters_and_their_files(folder: Path) -> None:
    first, second = read_libraries(folder)
    assert (first.name, first.program, first.home) == ("a", "{python} a_adapter.py", "https://example.org/a")
    assert [(trial.tool, trial.operation, trial.issue) for trial in first.trials] == [
        ("audit", "models", "example/a 7")
    ]
    assert (second.name, second.program, second.trials) == ("b", "{node} b_adapter.js", ())


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("x = ", "a.toml: expected TOML"),
        ("homes = ''", "a.toml: expected the members audit, home, program, stability, timeout, got 'homes'"),
        ("home = 1", "home: expected a string, got 1"),
        ("timeout = 0", "timeout: expected a number of seconds > 0, got 0"),
        ("timeout = nan", "timeout: expected a number of seconds > 0, got nan"),
        ("audit = 1", r"a.toml: expected tables \[\[audit\]\], got 1"),
        ("[[audit]]\noperation = 'x'", r"\[\[audit\]\] 1: expected the member about"),
        ("[[audit]]\nepsilon = 1", "expected the members .*, got 'epsilon'"),
        ("[[stability]]\noptions = 'x'", "options: expected a list of strings, got 'x'"),
    ],
)
def test_libraries__bad_file_is_refused(folder: Path, content: str, message: str) -> None:
    (folder / "a.toml").write_text(content, "utf-8")
    with pytest.raises(UsageError, match=message):
        read_libraries(folder)


def test_libraries__folder_without_adapters_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"expected a folder with adapters NAME_adapter\.py"):
        read_libraries(tmp_path)
    (tmp_path / "c.toml").write_text("home = ''", "utf-8")
    with pytest.raises(UsageError, match=r"c.toml: expected an adapter c_adapter.py beside it"):
        read_libraries(tmp_path)


# Running -----------------------------------------------------------------------------------------------


def test_run__second_run_asks_only_what_has_changed(folder: Path, programs: Programs) -> None:
    rows = run_scoreboard(plan_of(folder), lambda _: None)
    assert all(row.is_complete for row in rows)
    assert [words[0] for words in programs.commands] == ["gate", "audit", "gate"]
    for changed, content, asked in (
        ("b_adapter.js", "changed", ["gate"]),
        ("a_adapter.py", "changed", ["gate", "audit"]),
        ("a_trials.py", "changed", ["audit"]),
        ("a.known.txt", "laws/laplace/x", ["gate"]),
        ("a.toml", STATED.replace("a <model>", "a model"), []),
        ("serve.py", "changed", ["gate", "audit", "gate"]),
    ):
        programs.commands.clear()
        run_scoreboard(plan_of(folder), lambda _: None)
        assert not programs.commands
        (folder / changed).write_text(content, "utf-8")
        run_scoreboard(plan_of(folder), lambda _: None)
        assert [words[0] for words in programs.commands] == asked


@pytest.mark.usefixtures("programs")
def test_run__progress_has_that_of_the_tools(folder: Path) -> None:
    seen: list[str] = []
    run_scoreboard(plan_of(folder), lambda progress: seen.extend(progress.running))
    assert "a gate: check 2 of 9" in seen
    assert "b gate: check 2 of 9" in seen


def test_run__only_some_libraries_are_asked_and_others_keep_their_results(
    folder: Path, programs: Programs
) -> None:
    run_scoreboard(plan_of(folder, only={"a"}), lambda _: None)
    rows = run_scoreboard(plan_of(folder, only={"b"}), lambda _: None)
    assert all(row.is_complete for row in rows)
    assert len(programs.commands) == 3


def test_run__stopped_task_leaves_no_record(folder: Path, programs: Programs) -> None:
    stop = Event()
    programs.before = stop.set
    rows = run_scoreboard(plan_of(folder), lambda _: None, stop)
    assert not any(row.is_complete for row in rows)
    assert len(programs.commands) == 1
    programs.before = lambda: None
    assert all(row.is_complete for row in run_scoreboard(plan_of(folder), lambda _: None))


def test_run__time_that_is_over_stops_the_rest(folder: Path, programs: Programs) -> None:
    stop = Event()
    programs.before = lambda: stop.wait(60)
    rows = run_scoreboard(plan_of(folder, minutes=0.0), lambda _: None, stop)
    assert len(programs.commands) == 1
    assert not any(row.is_complete for row in rows)


def test_run__tool_without_a_verdict_is_a_fault_and_asked_again(folder: Path, programs: Programs) -> None:
    programs.code, programs.messages = 2, "warning\nprivboost: error: no\n\n"
    row = run_scoreboard(plan_of(folder), lambda _: None)[0]
    assert row.faults == dict.fromkeys(("gate", "audit-1"), "exit code 2: privboost: error: no")
    programs.code, programs.messages = 1, ""
    assert run_scoreboard(plan_of(folder), lambda _: None)[0].is_complete


def test_run__report_of_an_earlier_run_is_none_of_this_run(folder: Path, programs: Programs) -> None:
    assert run_scoreboard(plan_of(folder), lambda _: None)[0].is_complete
    (folder / "a_adapter.py").write_text("changed", "utf-8")
    programs.code, programs.messages = 4, "no verdict"
    row = run_scoreboard(plan_of(folder), lambda _: None)[0]
    assert row.faults == dict.fromkeys(("gate", "audit-1"), "exit code 4: no verdict")


def test_run__adapter_that_does_not_greet_is_a_fault(folder: Path, programs: Programs) -> None:
    programs.hello = None
    row = run_scoreboard(plan_of(folder), lambda _: None)[1]
    assert row.faults == {"gate": "the adapter did not answer hello: expected 1, got 2"}
    assert not row.is_complete


# The command ---------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("programs")
def test_command__writes_pages_index_and_table(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, output = write_board(folder)
    assert code == 0
    index = json.loads((output / "index.json").read_text("utf-8"))
    assert complaints(SCHEMA, index) == []
    assert index["operations"][-1] == "models"
    first = index["libraries"][0]
    assert first["operations"]["accounting"]["failures"][0]["check"] == "numbers/accounting/<0>"
    assert set(first["operations"]) == {"accounting"}
    assert (first["trials"][0]["verdict"], first["trials"][0]["claim"]) == (
        "VIOLATION",
        "epsilon 1, by exchange",
    )
    board, page = (Markup((output / name).read_text("utf-8")) for name in ("index.html", "a.html"))
    assert board.is_well_formed
    assert page.is_well_formed
    links = {each["href"] for each in board.all("a")}
    assert {"a.html#accounting", "a.html#models", "b.html"} <= links
    assert {"accounting", "models"} <= {each.get("id") for each in page.all("section")}
    content = (output / "a.html").read_text("utf-8")
    assert "echo &#x27;&lt;again&gt;&#x27;" in content
    assert "example/a 7" in content
    assert "<model>" not in content
    markdown, public = ((output / name).read_text("utf-8") for name in ("scoreboard.md", "public.md"))
    assert "| version | 1.2 | 1.2 |" in markdown
    assert "| accounting | fail | fail |" in markdown
    assert "| accounting" not in public
    assert r"| a | a \<model> | VIOLATION | 40 calls | example/a 7 |" in public
    assert "audit: VIOLATION" in capsys.readouterr().out


def test_public_page__has_what_is_right_and_what_is_known_but_no_other_failure(
    folder: Path, programs: Programs
) -> None:
    programs.code = 0
    write_board(folder)
    index = json.loads((folder.parent / "board" / "index.json").read_text("utf-8"))
    first, second = index["libraries"]
    first["operations"]["laplace"] = {
        "parts": [
            {"label": "laplace", "level": "laws", "passed": 14, "failed": 0, "known": 0},
            {"label": "laplace", "level": "refusal", "passed": 5, "failed": 1, "known": 2},
            {"label": "low-bits", "level": "laws", "passed": 1, "failed": 0, "known": 3},
        ]
    }
    second["operations"]["laplace"] = {
        "parts": [{"label": "laplace", "level": "laws", "passed": 0, "failed": 0, "known": 9}]
    }
    second["trials"] = [{**first["trials"][0], "issue": "", "verdict": verdict} for verdict in TRIAL_KINDS]
    page = to_public_markdown(index)
    assert "| laplace | laws 14 |" in page
    assert "| laplace: low-bits | laws 1 of 4, others known |" in page
    assert "### b" not in page
    assert "| accounting" not in page
    trials = page.partition("## Claims")[2].splitlines()
    tried = [line.split(" | ")[2] for line in trials if line.startswith("| b |")]
    assert tried == [verdict for verdict in TRIAL_KINDS if verdict not in REFUTED]


@pytest.mark.usefixtures("programs")
def test_findings__those_with_an_issue_are_public_and_have_their_witness(folder: Path) -> None:
    _, output = write_board(folder)
    page = (output / "findings.md").read_text("utf-8")
    assert "1 finding in 1 package" in page
    for words in (
        "epsilon 1, by exchange",
        "ε > 1.25 at error probability 1e-06, 60 calls, seed 7",
        "[example/a 7](https://github.com/example/a/issues/7)",
        "$ privboost audit --replay findings/a-audit-1.json",
        "assert 1 > 2",
        "The gate was run on 2 of 2 packages; 2 cases failed",
    ):
        assert words in page
    assert (output / "findings" / "a-audit-1.json").read_text("utf-8") == "the witness"
    unpublished = (output / "unpublished.md").read_text("utf-8")
    assert "0 findings" in unpublished
    assert "## a 1.2: `accounting`\n\nWrong in 1 of 4 cases, such as:\n" in unpublished
    assert "- `numbers/accounting/<0>`: expected 1, got 2\n\n```\necho '<again>'\n```\n" in unpublished


@pytest.mark.usefixtures("programs")
def test_findings__those_without_an_issue_are_not_public(folder: Path) -> None:
    (folder / "a.toml").write_text(STATED.replace('issue = "example/a 7"', ""), "utf-8")
    _, output = write_board(folder)
    page = (output / "findings.md").read_text("utf-8")
    assert "0 findings" in page
    assert "refuted 1 further claim" in page
    assert "by exchange" not in page
    unpublished = (output / "unpublished.md").read_text("utf-8")
    assert "by exchange" in unpublished
    command = "$ privboost audit --replay "
    (witness,) = (line for line in unpublished.splitlines() if line.startswith(command))
    assert (output / witness.removeprefix(command)).read_text("utf-8") == "the witness"
    assert not list((output / "findings").iterdir())


@pytest.mark.parametrize("verdict", ["INCONCLUSIVE", None])
def test_findings__violation_that_fresh_coins_do_not_confirm_is_none(
    folder: Path, programs: Programs, verdict: str | None
) -> None:
    programs.confirmation = None if verdict is None else {**CONFIRMED, "verdict": verdict}
    _, output = write_board(folder)
    for name in ("findings.md", "unpublished.md"):
        assert "0 findings" in (output / name).read_text("utf-8")


@pytest.mark.usefixtures("programs")
def test_command__library_that_is_not_installed_keeps_its_row(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "b.txt").write_text("absent==1  # a pin\n# nothing else\n", "utf-8")
    code, output = write_board(folder)
    assert code == 4
    row = json.loads((output / "index.json").read_text("utf-8"))["libraries"][1]
    assert write_board(folder, "--only", "a")[0] == 0
    assert (row["complete"], row["requirements"]) == (False, ["absent==1"])
    assert row["problem"] == "not installed; --install makes its environment"

    def fail(requirements: Path, *_: object) -> None:
        raise InstallError(requirements, ["pip"], "looking\nERROR: there is no absent")

    monkeypatch.setattr(run_module, "make_environment", fail)
    assert write_board(folder, "--install")[0] == 4
    index = json.loads((output / "index.json").read_text("utf-8"))
    assert index["libraries"][1]["problem"] == "cannot be installed: ERROR: there is no absent"
    assert index["libraries"][0]["complete"]
    assert "there is no absent" in (output / "index.html").read_text("utf-8")


def test_command__interrupt_writes_what_is_known_and_the_next_run_continues(
    folder: Path, programs: Programs
) -> None:
    def interrupt() -> None:
        if len(programs.commands) == 2:
            raise KeyboardInterrupt

    programs.before = interrupt
    code, output = write_board(folder)
    assert code == 130
    assert json.loads((output / "index.json").read_text("utf-8"))["libraries"][0]["version"] == "1.2"
    programs.before = lambda: None
    programs.commands.clear()
    assert write_board(folder)[0] == 0
    assert [words[0] for words in programs.commands] == ["audit", "gate"]


def test_command__unknown_name_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert write_board(folder, "--only", "c")[0] == 2
    assert "--only: expected one of a, b, got 'c'" in capsys.readouterr().err


def test_command__asks_a_real_program(tmp_path: Path) -> None:
    adapters = tmp_path / "adapters"
    adapters.mkdir()
    program = skeleton(load_profile("mechanisms"), "python")
    (adapters / "mine_adapter.py").write_text(program, "utf-8")
    (adapters / "trials.py").write_text("def double(rows): return 2 * len(rows)\n", "utf-8")
    (adapters / "mine.toml").write_text(
        '[[stability]]\noperation = "map"\nabout = "twice"\ntarget = "trials.py:double"\n'
        'options = ["--input", "integers:3", "--bound", "1"]\n',
        "utf-8",
    )
    command = [sys.executable, "-m", "privboost", "scoreboard", str(adapters), "-o", "board"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    library = json.loads((tmp_path / "board" / "index.json").read_text("utf-8"))["libraries"][0]
    assert library["operations"]["accounting"]["verdict"] == "pass"
    assert library["trials"][0]["verdict"] == "COUNTEREXAMPLE"
    assert (tmp_path / "board" / library["trials"][0]["page"]).is_file()
    assert (tmp_path / "board" / library["gate"]["badge"]).is_file()
