"""The command `privboost stability`: verdicts, exit codes, files, targets that end or hang, and programs."""

from __future__ import annotations

import json
import shlex
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from privboost.auditor import check_stability
from privboost.auditor.files import stability_report, stability_witness
from privboost.oracle_tests.support.command_line import Markup, Run
from privboost.oracle_tests.support.json_schema import complaints
from privboost.oracle_tests.support.waiting import DEADLINE, wait_until

MODULE = """
import os
import random
import sys
import time
from pathlib import Path

def count(rows):
    return len(rows)

def double(rows):
    return 2 * len(rows)

def changes(rows):
    rows.append(1.0)
    return len(rows)

def steps(distance):
    return 2 * distance

def wrong_map(distance):
    raise ValueError("no map")

def of_two(rows, rng):
    return 1

def noisy(rows):
    return len(rows) + random.random()

def pair_of(rows):
    return [len(rows), 1]

def nine_beyond(rows):
    return sum(1 if 0 <= row <= 1 else 9 for row in rows)

def forgets(rows):
    len(rows)

def fails(rows):
    raise ValueError("never " + str(len(rows)))

def fails_when_long(rows):
    if len(rows) > 7:
        raise ValueError("too long")
    return len(rows)

def ends_at_one(rows):
    if 1.0 in rows:
        os._exit(3)
    return len(rows)

def ends(rows):
    os._exit(4)

def hangs_at_one(rows):
    if 1.0 in rows:
        time.sleep(1000)
    return len(rows)

def slow(rows):
    with open("calls", "a") as file:
        file.write(".")
    time.sleep(0.02)
    return len(rows)

class Times:
    def __init__(self, factor):
        self.factor = factor

    def __call__(self, rows):
        return self.factor * len(rows)
"""
PROGRAM = """
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    if request["op"] != "sample":
        print(json.dumps({"id": request["id"], "unsupported": True}), flush=True)
        continue
    rows = request["args"]["data"]
    if len(sys.argv) > 1 and "nan" in rows:
        sys.exit(7)
    print(json.dumps({"id": request["id"], "result": f"{2 * len(rows)}/2"}), flush=True)
"""
ONE_RUN = """
import json, sys
rows = json.load(open(sys.argv[1]))
print(len(rows) + (len(rows) > 6))
"""
INPUT = ("--input", "vector:5,low=0,high=1", "--seed", "1")
UNIT = (*INPUT, "--bound", "1")
MAP = (*INPUT, "--bound", "steps.py:steps", "--d-in", "3")
EQUAL = (*INPUT, "--distance", "equal")


@pytest.fixture
def check(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return a function that checks a step in a folder with the targets."""
    monkeypatch.chdir(tmp_path)
    for name, content in {"steps.py": MODULE, "program.py": PROGRAM, "one_run.py": ONE_RUN}.items():
        Path(name).write_text(content)
    return lambda *arguments: run("stability", *arguments)


def report_of(out: str) -> dict[str, Any]:
    """Return the report in the JSON output of a command."""
    document: dict[str, Any] = json.loads(out)["report"]
    assert complaints(json.loads(stability_report.SCHEMA.read_text("utf-8")), document) == []
    return document


# Verdicts -------------------------------------------------------------------------------------------------


def test_none_found__says_how_many_pairs_of_which_classes(check: Run) -> None:
    code, out, err = check("steps.py:count", *UNIT, "--tries", "300")
    assert code == 0
    assert out.splitlines()[-1] == (
        "NONE FOUND: steps.py:count, absolute ≤ 1 (add_remove); 300 pairs of inputs, greatest move 1"
    )
    assert "None found in 300 pairs of inputs of these classes: " in " ".join(out.split())
    assert "Only a proof covers all inputs" in " ".join(out.split())
    assert "checking steps.py:count, 300 pairs of inputs, seed 1" in err


def test_counterexample__is_smallest_and_can_be_repeated(check: Run) -> None:
    code, out, _ = check("steps.py:double", *UNIT, "--format", "json")
    report = report_of(out)
    example = report["counterexample"]
    assert code == 1
    assert report["verdict"] == "COUNTEREXAMPLE"
    assert sorted([example["left"], example["right"]]) == [[], [0.0]]
    assert (example["moved"]["exact"], example["bound"]) == ("2", "1")
    assert "ordinary" in example["classes"]
    code, again, _ = check(*shlex.split(report["reproduce"])[2:], "--format", "json")
    assert code == 1
    assert report_of(again)["counterexample"] == example


@pytest.mark.parametrize(
    ("target", "options", "code", "said"),
    [
        ("steps:Times(1)", UNIT, 0, "NONE FOUND"),
        ("steps:Times(2)", UNIT, 1, "2, and the bound is 1: 1 more ("),
        ("steps.py:changes", UNIT, 0, "NONE FOUND"),
        ("steps.py:fails_when_long", UNIT, 1, "only one input has a result"),
        ("steps.py:fails", UNIT, 4, "INCONCLUSIVE"),
        ("steps:Times(2)", MAP, 0, "≤ 2, 4, 6 (add_remove)"),
        ("steps:Times(3)", MAP, 1, "3, and the bound is 2"),
        ("steps.py:count", EQUAL, 1, "equal ≤ 0 (add_remove); 1, and the bound is 0"),
    ],
)
def test_targets__get_the_verdict_and_exit_code_that_they_earn(
    check: Run, target: str, options: tuple[str, ...], code: int, said: str
) -> None:
    got, out, _ = check(target, *options, "--tries", "200")
    assert (got, said in out.splitlines()[-1]) == (code, True), out


def test_failures__on_both_sides_are_counted_and_no_counterexample(check: Run) -> None:
    code, out, _ = check("steps.py:fails", *UNIT, "--tries", "50", "--format", "json")
    report = report_of(out)
    assert (code, report["verdict"], report["counterexample"]) == (4, "INCONCLUSIVE", None)
    assert sum(failure["pairs"] for failure in report["failures"]) == report["tried"] == 50
    assert report["failures"][0]["text"].startswith("ValueError: never ")


def test_beyond__is_listed_and_never_changes_the_verdict(check: Run) -> None:
    """A bounded description has no rows of 1.5 or NaN; on these the target is wrong."""
    code, out, _ = check("steps.py:nine_beyond", *UNIT, "--beyond", "--tries", "200", "--format", "json")
    report = report_of(out)
    assert (code, report["verdict"], report["counterexample"]) == (0, "NONE FOUND", None)
    assert report["tried_beyond"] > 0
    assert {"nan", "outside_bounds"} <= {key for entry in report["beyond"] for key in entry["classes"]}
    code, out, _ = check("steps.py:nine_beyond", *UNIT, "--tries", "200", "--format", "json")
    assert (report_of(out)["tried_beyond"], report_of(out)["beyond"]) == (0, [])


# Calls that cannot be made --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ((), 2, "TARGET: expected what to check"),
        (("steps.py:count", "--bound", "1"), 2, "--input: expected a description of the data sets"),
        (("steps.py:count", "--input", "vect:5", "--bound", "1"), 2, "--input: expected one of vector:10"),
        (("steps.py:count", *INPUT), 2, "--bound: expected a number >= 0"),
        (("steps.py:count", *INPUT, "--bound", "-1"), 2, "--bound: expected a number >= 0"),
        (("steps.py:count", *INPUT, "--bound", "x"), 2, "--bound: expected a number >= 0"),
        (("steps.py:count", *INPUT, "--bound", "steps.py:wrong_map"), 4, "ValueError: no map"),
        (("steps.py:count", *UNIT, "--d-in", "0"), 2, "--d-in"),
        (("steps.py:count", *UNIT, "--relation", "user"), 2, "names the column of the user"),
        (("steps.py:count", *UNIT, "--rerun"), 2, "--rerun: expected --replay FILE"),
        (("steps.py:nothing", *UNIT), 2, "expected a name of module steps"),
        (("steps.py:of_two", *UNIT), 2, "expected a function of one data set"),
        (("steps:Times", *UNIT), 2, "which is a type"),
        (("bank:laplace", *UNIT), 2, "target: expected module:function"),
        (("steps.py:pair_of", *UNIT), 2, "--distance: expected one number as the result"),
        (
            ("steps.py:forgets", *UNIT),
            2,
            "--distance: expected one that measures the results, got absolute",
        ),
        (("steps.py:noisy", *UNIT), 4, "expected the same result on the same input"),
    ],
)
def test_wrong_calls__say_what_is_expected(
    check: Run, arguments: tuple[str, ...], code: int, said: str
) -> None:
    got, out, err = check(*arguments)
    assert (got, out) == (code, ""), err
    assert said in " ".join(err.split())
    assert "Traceback" not in err


# Targets that end or hang, and programs -------------------------------------------------------------------


def test_ends__of_a_process_are_results_of_the_target(check: Run) -> None:
    code, out, err = check("steps.py:ends_at_one", *UNIT, "--tries", "20", "--format", "json")
    example = report_of(out)["counterexample"]
    assert code == 1, err
    assert example["moved"]["kind"] == "failure"
    assert {1.0} == {*example["left"], *example["right"]}
    (failed,) = [result for result in example["results"] if isinstance(result, dict)]
    assert failed["failed"] == "exited"


def test_ends__on_all_inputs_are_inconclusive_after_a_few(check: Run) -> None:
    code, out, _ = check("steps.py:ends", *UNIT, "--format", "json")
    report = report_of(out)
    assert (code, report["verdict"]) == (4, "INCONCLUSIVE")
    assert report["cut_short"].startswith("no input has a result")
    assert report["tried"] < 10


def test_hangs__are_results_of_the_target(check: Run) -> None:
    code, out, err = check(
        "steps.py:hangs_at_one", *UNIT, "--timeout", "1", "--tries", "20", "--format", "json"
    )
    example = report_of(out)["counterexample"]
    assert code == 1, err
    (failed,) = [result for result in example["results"] if isinstance(result, dict)]
    assert failed["failed"] == "hung"


@pytest.mark.parametrize(
    ("target", "code", "said"),
    [
        ("cmd:{python} program.py", 0, "NONE FOUND"),
        (
            "cmd:{python} program.py ends",
            1,
            "than any bound (nan",
        ),
        ("exec:{python} one_run.py {{input}}", 1, "2, and the bound is 1: 1 more"),
    ],
)
def test_programs__are_called_by_the_protocol_of_audits(
    check: Run, target: str, code: int, said: str
) -> None:
    """Results of the first are fractions such as 10/2, the second ends at NaN, the third counts from 7 on."""
    name = target.format(python=shlex.quote(sys.executable))
    got, out, _ = check(name, "--input", "vector:6", "--bound", "1", "--seed", "1", "--tries", "40")
    assert (got, said in out.splitlines()[-1]) == (code, True), out


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_interrupt__reports_what_was_tried_so_far(check: Run, tmp_path: Path) -> None:
    del check
    arguments = ["stability", "steps.py:slow", *UNIT, "--tries", "100000", "-o", "made"]
    command = [sys.executable, "-m", "privboost", *arguments]
    with subprocess.Popen(
        command,
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        # The first portions are one pair, two, and four, each called twice.
        assert wait_until(lambda: Path("calls").exists() and Path("calls").stat().st_size > 12)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=DEADLINE)
    assert process.returncode == 130
    assert "NONE FOUND: steps.py:slow" in out.splitlines()[-1]
    assert out.splitlines()[-1].endswith("; interrupted")
    assert "Traceback" not in err
    report = json.loads(Path("made/report.json").read_text("utf-8"))
    assert report["interrupted"]
    assert 0 < report["tried"] < 100_000


# Files ----------------------------------------------------------------------------------------------------


def test_files__page_report_and_witness_agree(check: Run) -> None:
    code, out, _ = check("steps.py:double", *UNIT, "-o", "made")
    assert code == 1
    assert sorted(path.name for path in Path("made").iterdir()) == [
        "report.html",
        "report.json",
        "witness.json",
    ]
    assert [line.split()[-1] for line in out.splitlines() if line.startswith("file ")] == [
        "made/report.html",
        "made/report.json",
        "made/witness.json",
    ]
    report = json.loads(Path("made/report.json").read_text("utf-8"))
    witness = json.loads(Path("made/witness.json").read_text("utf-8"))
    assert complaints(json.loads(stability_report.SCHEMA.read_text("utf-8")), report) == []
    assert complaints(json.loads(stability_witness.SCHEMA.read_text("utf-8")), witness) == []
    assert witness["counterexample"] == report["counterexample"]
    page = Markup(Path("made/report.html").read_text("utf-8"))
    assert page.is_well_formed
    for said in ("COUNTEREXAMPLE", "steps.py:double", report["reproduce"], "--replay witness.json --rerun"):
        assert said in page.text


def test_files__without_a_counterexample_there_is_no_witness(check: Run) -> None:
    assert check("steps.py:count", *UNIT, "--tries", "50", "-o", "made")[0] == 0
    assert sorted(path.name for path in Path("made").iterdir()) == ["report.html", "report.json"]


def write_witness() -> Path:
    """Write the witness of a target of the module, and return its path."""
    found = check_stability(lambda rows: 2 * len(rows), inputs=UNIT[1], bound=1, seed=1)
    path = Path("witness.json")
    path.write_bytes(stability_witness.witness_bytes(replace(found, target="steps.py:double")))
    return path


def test_replay__compares_the_results_and_calls_again(check: Run) -> None:
    write_witness()
    code, out, _ = check("--replay", "witness.json")
    assert (code, out.splitlines()[-1]) == (0, "the file agrees; 2, and the bound is 1: 1 more")
    code, out, _ = check("steps:double", "--replay", "witness.json", "--rerun", "--format", "json")
    document = json.loads(out)
    assert (code, document["differences"], document["rerun"]) == (0, [], True)
    Path("steps.py").write_text(MODULE.replace("return 2 *", "return 3 *"))
    code, out, _ = check("steps.py:double", "--replay", "witness.json", "--rerun", "--format", "json")
    assert code == 1
    assert "called again, the" in json.loads(out)["differences"][0]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("steps.py:double", "--replay", "witness.json"), "expected no TARGET without --rerun"),
        (("--replay", "witness.json", "--rerun"), "--rerun: expected the TARGET in the file"),
        (("steps.py:count", "--replay", "witness.json", "--rerun"), "which is 'steps.py:double'"),
        (("--replay", "witness.json", "--bound", "3"), "expected no --bound"),
        (("--replay", "other.json"), 'a document of format "privboost-stability-witness"'),
        (("--replay", "missing.json"), "missing.json"),
    ],
)
def test_replay__of_another_file_or_target_is_refused(
    check: Run, arguments: tuple[str, ...], said: str
) -> None:
    write_witness()
    Path("other.json").write_text("{}")
    code, out, err = check(*arguments)
    assert (code, out) == (2, "")
    assert said in err


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda file: file["counterexample"].update(right=[0.0, 0.0, 1.0]), "the inputs are not as stated"),
        (lambda file: file["counterexample"].update(results=[0, 1]), "the claim is not contradicted"),
        (lambda file: file["counterexample"]["moved"].update(exact="7"), "the file states moved"),
        (lambda file: file["claim"].update(bounds=["3"]), "the claim is not contradicted"),
        (lambda file: file.update(seed=2), "the digest does not match"),
    ],
)
def test_replay__changed_file_does_not_agree(check: Run, change: Any, said: str) -> None:
    path = write_witness()
    document = json.loads(path.read_text("utf-8"))
    change(document)
    path.write_text(json.dumps(document))
    code, out, _ = check("--replay", "witness.json", "--format", "json")
    assert code == 1
    differences = json.loads(out)["differences"]
    assert any(said in difference for difference in differences), differences
    assert "DOES NOT AGREE" in json.loads(out)["summary"]
