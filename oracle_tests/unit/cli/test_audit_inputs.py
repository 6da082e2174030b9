"""`privboost audit --input`: described inputs, as a new user meets them."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from privboost.auditor.files.report import SCHEMA
from privboost.auditor.files.witness import SCHEMA as WITNESS_SCHEMA
from privboost.oracle_tests.support.command_line import Report, Run
from privboost.oracle_tests.support.json_schema import complaints

pytest_plugins = ["pytester"]

MODULE = """
import math
import os
from pathlib import Path

from hypothesis import strategies

unit = strategies.lists(strategies.floats(0, 1), max_size=8)

def noisy(rows, rng):
    return sum(min(max(row, 0.0), 1.0) for row in rows) + rng.laplace()

def weak(rows, rng):
    return sum(min(max(row, 0.0), 1.0) for row in rows) + rng.laplace(scale=0.5)

def fails(rows, rng):
    return noisy(rows, rng) if rows else 1 / len(rows)

def on_nan(rows, rng):
    return noisy([int(row * 8) / 8 for row in rows], rng)

def ends(rows, rng):
    if not rows:
        os._exit(3)
    return noisy(rows, rng)

def branches(rows, rng):
    return 9.0 * sum(row == 7919 for row in rows) + rng.laplace()

def counting(rows, rng):
    with open("log", "a") as file:
        file.write("+")
    if Path("log").stat().st_size > 1500 and not Path("go").exists():
        raise ValueError("not yet")
    return noisy(rows, rng)
"""
UNIT = ("--epsilon", "1", "--input", "vector:10,low=0,high=1", "--seed", "1")
ANY = ("--epsilon", "1", "--input", "vector:10", "--seed", "1")

PROGRAM = """
import json
import random
import sys

for line in sys.stdin:
    request = json.loads(line)
    answer = {"id": request["id"]}
    if request["op"] != "sample":
        answer["unsupported"] = True
    elif "nan" in request["args"]["data"]:
        answer["error"] = "not a number"
    else:
        draw = random.Random(request["args"]["seed"])
        noise = draw.expovariate(1) - draw.expovariate(1)
        answer["result"] = len(request["args"]["data"]) + noise
    print(json.dumps(answer), flush=True)
"""


@pytest.fixture
def audit(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return a function that runs `privboost audit`, in a folder with a module."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    name = f"described_in_{tmp_path.name}"
    Path(f"{name}.py").write_text(MODULE, "utf-8")
    Path("program.py").write_text(PROGRAM, "utf-8")

    def rename(word: str) -> str:
        return word.replace("mine:", f"{name}:").replace("mine.py", f"{name}.py")

    return lambda *arguments: run("audit", *map(rename, arguments))


# What is said ---------------------------------------------------------------------------------------------


def test_input__without_one_the_error_shows_three_ways_with_examples(audit: Run) -> None:
    code, out, err = audit("mine:noisy", "--epsilon", "1")
    assert (code, out) == (2, "")
    for example in (
        "--input vector:10,low=0,high=1",
        "--pairs FILE",
        "[[[0.2, 0.5, 1]",
        "--pattern answers:N",
    ):
        assert example in err


def test_input__finds_the_pair_names_its_class_and_shrinks_it(audit: Run) -> None:
    code, out, err = audit("mine:fails", *UNIT, "-o", "made")
    assert code == 1
    assert "of inputs described by vector:10,low=0,high=1" in err
    for words in (
        "VIOLATION",
        "smallest pair",
        "refuted on fresh coins",
        "no rows",
        "only one side fails",
        "that no test uses",
        "error probability",
        "for at most 3 pairs at once: 4.5 % on the first, 0.25 % on each other",
    ):
        assert words in out
    report = json.loads(Path("made/report.json").read_text("utf-8"))
    assert complaints(json.loads(SCHEMA.read_text("utf-8")), report) == []
    smallest = report["tried"]["smallest"]
    assert smallest["refuted"]
    assert len(smallest["left"]) + len(smallest["right"]) == 1
    assert "no_rows" in smallest["classes"]
    assert report["tried"]["classes"]["no_rows"] == "no rows"
    page = Path("made/report.html").read_text("utf-8").replace("<wbr>", "")
    for words in ("The smallest pair", "Which inputs were tried", "only one side fails"):
        assert words in page


def test_input__witnesses_of_both_pairs_replay(audit: Run) -> None:
    audit("mine:fails", *UNIT, "-o", "made")
    for name in ("witness.json", "smallest.json"):
        written = json.loads(Path("made", name).read_text("utf-8"))
        assert complaints(json.loads(WITNESS_SCHEMA.read_text("utf-8")), written) == []
        code, out, _ = audit("mine:fails", "--replay", f"made/{name}", "--rerun")
        assert (code, "the file agrees" in out) == (0, True)


def test_input__command_that_is_printed_gives_the_same_again(report_of: Report) -> None:
    for arguments in (("mine:weak", *UNIT), ("mine:noisy", *UNIT, "--calls", "2400")):
        report = report_of(*arguments)
        words = shlex.split(report["reproduce"])
        assert words[:2] == ["privboost", "audit"]
        assert report_of(*words[2:]) == {**report, "reproduce": report["reproduce"]}


def test_input__processes_make_the_same_calls(report_of: Report) -> None:
    alone = report_of("mine:noisy", *UNIT, "--calls", "2400")
    assert len(alone["pairs"]) == 3
    assert report_of("mine:noisy", *UNIT, "--calls", "2400", "--jobs", "2") == alone


def test_input__constants_of_the_source_are_tried(report_of: Report) -> None:
    integers = ("--epsilon", "1", "--input", "integers:5,low=0,high=100000", "--seed", "1")
    report = report_of("mine:branches", *integers)
    assert report["verdict"] == "VIOLATION"
    assert report["tried"]["smallest"]["classes"] == ["source_constant"]


def test_input__may_be_a_strategy(report_of: Report) -> None:
    report = report_of("mine:fails", "--epsilon", "1", "--input", "mine.py:unit", "--seed", "1")
    assert report["verdict"] == "VIOLATION"
    assert report["tried"]["inputs"].endswith(".py:unit")


def test_only__chooses_among_the_pairs_by_name(report_of: Report) -> None:
    report = report_of("mine:weak", *UNIT, "--only", "no rows", "--only", "one row")
    assert {entry["name"].rstrip("0123456789 ") for entry in report["tried"]["pairs"]} <= {
        "no rows",
        "one row",
    }


def test_only__of_a_whole_name_is_one_pair_at_the_full_error_probability(report_of: Report) -> None:
    report = report_of("mine:weak", *UNIT, "--only", "equal rows 1", "--calls", "600")
    assert [entry["name"] for entry in report["pairs"]] == ["equal rows 1"]
    assert report["pairs"][0]["error"] == pytest.approx(0.05)


# Beyond ---------------------------------------------------------------------------------------------------


def test_beyond__is_listed_and_changes_neither_verdict_nor_exit_code(audit: Run) -> None:
    short = ("mine:on_nan", *UNIT, "--calls", "600")
    plain_code, plain, _ = audit(*short)
    code, out, _ = audit(*short, "--beyond")
    assert code == plain_code == 4
    assert "do not affect the verdict" in out
    assert "NaN" in out[out.index("beyond them") :]
    assert "beyond them" not in plain


def test_beyond__a_description_that_includes_nan_is_refuted_by_it(report_of: Report) -> None:
    report = report_of("mine:on_nan", *ANY)
    assert report["verdict"] == "VIOLATION"
    assert set(report["tried"]["smallest"]["classes"]) <= {"nan", "infinity"}


# Programs -------------------------------------------------------------------------------------------------


def test_program__gets_nan_as_the_protocol_spells_it(report_of: Report) -> None:
    report = report_of("cmd:python program.py", *ANY)
    assert report["verdict"] == "VIOLATION"
    assert report["tried"]["smallest"]["classes"] == ["nan"]
    assert "nan" in report["tried"]["smallest"]["left"] + report["tried"]["smallest"]["right"]


@pytest.mark.slow
def test_process__that_ends_on_one_side_is_refuted(report_of: Report) -> None:
    report = report_of("mine:ends", *UNIT)
    assert report["verdict"] == "VIOLATION"
    assert "failure" in {entry["sight"] for entry in report["tried"]["pairs"]}
    assert "no_rows" in report["tried"]["smallest"]["classes"]


# Going on -------------------------------------------------------------------------------------------------


def test_resume__repeats_the_choice_of_pairs_without_calls(audit: Run, report_of: Report) -> None:
    arguments = ("mine:counting", *UNIT, "--calls", "2400", "--no-failures")
    assert audit(*arguments, "-o", "made")[0] == 4
    lines = [json.loads(line) for line in Path("made/calls.jsonl").read_text("utf-8").splitlines()]
    assert [line["choice"] for line in lines if "choice" in line] == ["first", "suspects", "others"]
    Path("go").touch()
    before = Path("log").stat().st_size
    code, out, _ = audit(*arguments, "-o", "made", "--resume", "--format", "json")
    resumed = {**json.loads(out)["report"], "seconds": 0}
    assert code == 4
    made = sum(len(line.get("outputs", ())) for line in lines)
    # A few calls are made twice to see whether the target takes seeds.
    assert Path("log").stat().st_size - before <= 2400 - made + 8
    assert report_of(*arguments, "-o", "whole") == resumed


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (("--input", "vector:10", "--pairs", "x.json"), "--input: expected no --pairs besides it"),
        (("--beyond",), "--pattern answers:N"),
        (("--input", "vectr:10"), "--input: expected one of vector:10"),
        (("--input", "vector:10", "--relation", "as_given"), "--relation: expected one of exchange"),
        (("--input", "vector:10,size=3", "--relation", "add_remove"), "--input: expected"),
        (("--input", "vector:10", "--group", "2"), "--group: expected 1"),
        (("--input", "vector:10", "--only", "nothing"), "--only: expected words in the name of a pair"),
    ],
)
def test_mistake__is_named_with_what_was_expected(audit: Run, options: tuple[str, ...], error: str) -> None:
    code, out, err = audit("mine:noisy", "--epsilon", "1", *options)
    assert (code, out) == (2, "")
    assert error in err


# Estimators and the fixture -------------------------------------------------------------------------------


def test_estimator__pairs_have_classes(report_of: Report) -> None:
    rows = "age,dose,ill\n" + "".join(f"{k / 8},{(5 * k % 8) / 8},{int(k > 3)}\n" for k in range(8))
    Path("rows.csv").write_text(rows, "utf-8")
    named = ("--estimator", "sklearn.naive_bayes.GaussianNB()", "--table", "rows.csv", "--label", "ill")
    report = report_of(*named, "--epsilon", "1", "--only", "corner", "--only", "last label", "--calls", "60")
    classes = {entry["name"]: entry["classes"] for entry in report["pairs"]}
    assert classes["corner row added at the end"] == ["at_bounds"]
    assert classes["last label flipped"] == ["ordinary"]


def test_fixture__takes_described_inputs(pytester: pytest.Pytester) -> None:
    """False alarms: none, since the seeds are made from the names of the tests."""
    pytester.makepyfile(
        """
        def release(rows, rng):
            return sum(min(max(row, 0), 1) for row in rows) + rng.laplace() * bool(rows)

        def test_release(privboost_audit):
            privboost_audit(release, epsilon=1.0, inputs="vector:10,low=0,high=1")
        """
    )
    done = pytester.runpytest_inprocess("-p", "no:cacheprovider", "-W", "default")
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(["*privacy claim refuted*", "*smallest pair*"])
