"""The command `privboost audit`, the progress line, and the pytest fixture, as a new user meets them."""

from __future__ import annotations

import contextlib
import json
import math
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from privboost.auditor.mechanisms.program import skeleton
from privboost.cli import app
from privboost.oracle_tests.support.command_line import Report, Run
from privboost.oracle_tests.support.waiting import DEADLINE, wait_until
from privboost.workers.interrupts import interrupts_deferred

pytest_plugins = ["pytester"]

MODULE = """
import contextlib
import os
import random
import signal
import sys
import time
from pathlib import Path
from privboost.auditor import Pair

def noisy(data, rng):
    return sum(data) + rng.laplace(scale=1.0)

def weak(data, rng):
    return sum(data) + rng.laplace(scale=0.25)

def hang(data, rng, calls=[]):
    calls.append(data)
    if len(calls) > 100:
        Path("hangs").touch()
        time.sleep(1000)
    return noisy(data, rng)

def swallow(data, rng):
    try:
        return hang(data, rng)
    except BaseException:
        return swallow(data, rng)

def slow(data, rng):
    time.sleep(0.002)
    return noisy(data, rng)

def crash(data, rng):
    raise ValueError("no luck")

def leaves(data, rng):
    os._exit(0)

def dies(data, rng):
    os.kill(os.getpid(), signal.SIGKILL)

def stops(data, rng):
    sys.exit(0)

class Odd(BaseException):
    pass

def raises(data, rng):
    raise Odd("one")

def never(data, rng):
    while True:
        with contextlib.suppress(BaseException):
            time.sleep(1000)

def lazy(data, rng):
    time.sleep(0.4)
    return noisy(data, rng)

def chatty(data, rng):
    print("noise!")
    os.write(1, b"more noise!")
    return noisy(data, rng)

class Row:
    def __init__(self, value):
        self.value = value

class Model:
    pairs = [Pair("own", [Row(0)], [Row(1)])]

    def call(self, rows, rng):
        return {"noisy": rows[0].value + rng.laplace(scale=0.1)}

model = Model()
local = (lambda: lambda data, rng: noisy(data, rng))()

def fading(data, rng, calls=[]):
    calls.append(data)
    return sum(data) + rng.laplace(scale=0.01 if len(calls) <= 100 else 10)

def with_count(data, rng):
    return {"n": len(data), "sum": noisy(data, rng)}

def counting(data, rng, calls=[]):
    calls.append(data)
    if len(calls) > 150 and not Path("go").exists():
        raise ValueError("full disk")
    return noisy(data, rng)

def own_noise(data, rng):
    leak = sum(data) if Path("leak").exists() else 0
    return leak + random.SystemRandom().random()

def named(data, rng):
    return {"noisy": noisy(data, rng)}

def partial(data, rng):
    if data[0]:
        os._exit(3)
    return noisy(data, rng)
"""
PAIRS = [{"name": "one row", "left": [0, 1], "right": [1, 1]}]
ROWS = "age,dose,ill\n" + "".join(f"{k / 8},{(5 * k % 8) / 8},{int(k > 3)}\n" for k in range(8))
GIVEN = ("--epsilon", "1", "--pairs", "pairs.json")
PATIENT = "600"
"""A timeout that only a target that never ends can meet: others may be slow to start."""


@pytest.fixture
def audit(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return a function that runs `privboost audit`, in a folder with a module, pairs and a table."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    name = f"mechanisms_of_{tmp_path.name}"
    Path(f"{name}.py").write_text(MODULE, "utf-8")
    Path("pairs.json").write_text(json.dumps(PAIRS), "utf-8")
    Path("two.json").write_text(json.dumps([*PAIRS, {**PAIRS[0], "name": "again"}]), "utf-8")
    Path("rows.csv").write_text(ROWS, "utf-8")
    return lambda *arguments: run("audit", *(word.replace("mine:", f"{name}:") for word in arguments))


# Verdicts ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "code", "verdict"),
    [
        (("bank:laplace", "--calls", "15000"), 0, "CONSISTENT"),
        (("bank:laplace", "--calls", "600"), 4, "INCONCLUSIVE"),
        (("broken:laplace_twofold", "--calls", "3000"), 1, "VIOLATION"),
        (("mine:weak", *GIVEN), 1, "VIOLATION"),
        (("mine:weak", "--epsilon", "1", "--pattern", "answers:2", "--relation", "exchange"), 1, "VIOLATION"),
        (("mine:noisy", *GIVEN, "--calls", "60"), 4, "INCONCLUSIVE"),
        (("mine:noisy", *GIVEN, "--minutes", "1e-6"), 4, "INCONCLUSIVE"),
    ],
)
def test_audit__says_the_verdict_first_and_in_its_exit_code(
    audit: Run, arguments: tuple[str, ...], code: int, verdict: str
) -> None:
    """False alarms: none, since the seed is fixed."""
    exit_code, out, err = audit(*arguments, "--seed", "3")
    assert out, err
    assert (exit_code, out.splitlines()[2].split()) == (code, ["verdict", verdict])
    assert out.splitlines()[-1].startswith(f"{verdict}: ")
    assert "seed 3" in err


def test_audit__by_default_draws_a_seed_and_states_it(report_of: Report) -> None:
    assert len({report_of("bank:laplace", "--calls", "50")["seed"] for _ in range(2)}) == 2


def test_audit__command_that_it_prints_gives_the_same_again(report_of: Report) -> None:
    first = report_of("broken:noisy_max_value", "--minutes", "0.001")
    command = shlex.split(first["reproduce"])
    assert command[:2] == ["privboost", "audit"]
    assert report_of(*command[2:]) == first


def test_audit__processes_make_the_same_calls(report_of: Report) -> None:
    arguments = ("bank:laplace", "--calls", "600", "--seed", "3")
    assert report_of(*arguments, "--jobs", "1") == report_of(*arguments, "--jobs", "2")


def test_audit__error_probability_is_shared_by_pairs_and_shown(audit: Run) -> None:
    _, out, _ = audit("mine:noisy", "--epsilon", "1", "--pairs", "two.json", "--calls", "100", "--seed", "1")
    assert "5 % in all, for 2 pairs at once: 2.5 % on each (union bound)" in out


def test_inconclusive__names_the_options_that_decide(audit: Run) -> None:
    arguments = ("mine:noisy", "--epsilon", "1", "--pairs", "two.json", "--seed", "1")
    code, out, _ = audit(*arguments, "--calls", "100")
    assert code == 4
    needed = re.findall(r"To find a violation of ε ≥ 2, [\d,]+ calls, .*? at this rate: --calls (\d+)", out)
    assert "--only" not in out, "no pair is better than the other"
    assert audit(*arguments, "--calls", needed[0])[0] == 0


def test_inconclusive__names_the_calls_that_decide_what_the_cross_check_leaves_open(
    audit: Run, report_of: Report
) -> None:
    """False alarms: none, since the seeds are fixed; the claim is 1/1.04 of the truth."""
    for seed in range(16):
        arguments = ("bank:laplace", "--epsilon", "25/26", "--calls", "16000", "--seed", str(seed))
        fixed = report_of(*arguments)["pairs"][0]["fixed"]
        code, out, _ = audit(*arguments)
        if fixed is not None and fixed["exceeds"] and code != 1:
            assert code == 4
            assert "--calls " + str(fixed["decided_after"]) in " ".join(out.split())
            return
    raise AssertionError("no run tries the rule")


def test_without__leaves_out_pairs_by_name(audit: Run, report_of: Report) -> None:
    arguments = ("mine:noisy", "--epsilon", "1", "--pairs", "two.json", "--calls", "100", "--seed", "1")
    report = report_of(*arguments, "--without", "again")
    assert [pair["name"] for pair in report["pairs"]] == [PAIRS[0]["name"]]
    assert "--without again" in report["reproduce"]
    code, _, err = audit(*arguments, "--without", "")
    assert (code, "--without: expected words that leave a pair" in err) == (2, True)


def test_ignore__of_what_no_output_has_is_said_early_and_in_the_report(audit: Run) -> None:
    arguments = ("mine:named", *GIVEN, "--calls", "60", "--seed", "1", "--ignore")
    said = "no output has a part 'nosy'; did you mean noisy?"
    _, out, err = audit(*arguments, "nosy")
    assert f"privboost: --ignore: so far {said} (Ctrl-C stops)\n" in err
    assert err.count(said) == 1
    assert said in " ".join(out.split())
    assert "no output has" not in "".join(audit(*arguments, "noisy")[1:])


def test_rest__is_audited_without_what_differs_without_noise(audit: Run, report_of: Report) -> None:
    """False alarms: none, since the seed is fixed."""
    Path("more.json").write_text("[[[0, 1], [0, 1, 1]]]", "utf-8")
    arguments = ("mine:with_count", "--epsilon", "1", "--pairs", "more.json", "--calls", "400", "--seed", "1")
    report = report_of(*arguments, "-o", "made")
    assert report["verdict"] == "VIOLATION"
    assert [part["name"] for part in report["noiseless"]] == ["n"]
    assert report["rest"]["verdict"] == "INCONCLUSIVE"
    again = report_of(*arguments, "--ignore", "n")
    assert (again["verdict"], again["ignored"], again["noiseless"]) == ("INCONCLUSIVE", ["n"], [])
    assert audit("--replay", "made/witness.json")[0] == 0


def test_pairs__that_are_no_neighbours_are_refused_with_advice(audit: Run) -> None:
    Path("far.json").write_text("[[[1, 1, 1, 1, 1], [2, 0, 0, 0, 0]]]", "utf-8")
    arguments = ("mine:noisy", "--epsilon", "1", "--pairs", "far.json", "--calls", "100", "--seed", "1")
    code, _, err = audit(*arguments)
    assert code == 2
    assert "pair 'pair 1': expected inputs with equally many rows that differ in one row" in err
    assert "got 5 rows of which 5 differ" in err
    code, out, _ = audit(*arguments, "--relation", "as_given")
    assert code in (1, 4)
    assert "privboost has not checked that the inputs are neighbours" in " ".join(out.split())


def test_search__chooses_one_pair_on_calls_of_its_own(audit: Run) -> None:
    arguments = ("mine:noisy", "--epsilon", "1", "--pattern", "answers:2", "--relation", "add_remove")
    _, out, err = audit(*arguments, "--search", "2000", "--calls", "100", "--seed", "1", "--format", "json")
    assert "searching among" in err
    assert len(json.loads(out)["report"]["pairs"]) == 1


def test_search__of_one_pair_is_left_out_and_said_to_be(audit: Run) -> None:
    _, out, err = audit("bank:laplace", "--search", "2000", "--calls", "100", "--format", "json")
    assert "--search is left out" in err
    assert "--search" not in json.loads(out)["report"]["reproduce"]


# Estimators and findings ---------------------------------------------------------------------------------


def test_estimator__is_audited_by_one_command_and_replayed(audit: Run, report_of: Report) -> None:
    named = ("--estimator", "sklearn.naive_bayes.GaussianNB(priors=(0.5, 0.5))")
    table = ("--table", "rows.csv", "--label", "ill", "--epsilon", "1", "--calls", "300", "--seed", "1")
    only = ("--only", "label", "--only", "removed", "--only", "missing")
    report = report_of(*named, *table, *only, "-o", "made")
    assert report["verdict"] == "VIOLATION"
    assert {pair["relation"] for pair in report["pairs"] if pair["refuted"]} == {"add_remove", "exchange"}
    assert any("missing value in: the right input is refused" in line for line in report["left_out"])
    assert report_of(*shlex.split(report["reproduce"])[2:]) == report
    code, out, err = audit(*named, "--replay", "made/witness.json", "--rerun")
    assert (code, "as the file states" in out) == (0, True), err


def test_estimator__relation_of_the_target_and_words_choose_pairs(report_of: Report) -> None:
    learner = "privboost.fast.PrivateBoostedTreesClassifier(domain=(0, 1), classes=(0, 1), n_trees=1)"
    table = ("--table", "rows.csv", "--label", "ill", "--calls", "40", "--seed", "1")
    report = report_of("--estimator", learner, *table, "--only", "flipped", "--only", "edge")
    names = ["first label flipped", "last label flipped", "value at the edge of a bin"]
    assert [pair["name"] for pair in report["pairs"]] == names
    assert (report["relation"], report["claimed"]) == ("exchange", 1.0)
    assert "Neighbouring data sets" in report["promise"]


def test_confirm__repeats_a_violation_with_other_coins_at_a_smaller_error(
    audit: Run, report_of: Report
) -> None:
    options = ("--seed", "3", "--confirm")
    report = report_of("broken:laplace_twofold", *options, "-o", "made")
    confirmation = report["confirmation"]
    assert (report["verdict"], confirmation["verdict"]) == ("VIOLATION", "VIOLATION")
    assert (confirmation["confidence"], confirmation["seed"] != 3) == (0.999999, True)
    assert confirmation["e_value_log"] >= math.log(10_000)
    for name in ("witness", "confirmation"):
        assert audit("--replay", f"made/{name}.json")[0] == 0
    assert report_of("bank:laplace", "--calls", "600", *options)["confirmation"] is None


def test_confirm__without_a_second_violation_there_is_no_verdict(audit: Run) -> None:
    arguments = ("mine:fading", *GIVEN, "--calls", "400", "--seed", "1", "--confirm", "-o", "made")
    code, out, _ = audit(*arguments, "--format", "json")
    report = json.loads(out)["report"]
    assert (code, report["verdict"]) == (4, "INCONCLUSIVE")
    assert "A violation was found, but it was NOT confirmed on fresh coins" in report["reason"]
    assert audit("--replay", "made/witness.json")[0] == 0


def test_failures__of_one_side_are_a_violation_unless_they_end_the_audit(audit: Run) -> None:
    arguments = ("mine:partial", *GIVEN, "--seed", "1", "--timeout", PATIENT)
    code, out, _ = audit(*arguments, "--confirm")
    assert (code, "its end with exit code 3 (left 0, right" in out) == (1, True)
    assert "confirmed on fresh coins" in out
    code, out, err = audit(*arguments, "--no-failures")
    assert (code, out) == (4, "")
    assert "no verdict: " in err


# Files and replay ----------------------------------------------------------------------------------------


def test_output__has_report_plots_and_a_witness_that_replays(audit: Run) -> None:
    code, out, _ = audit("broken:laplace_twofold", "--seed", "3", "-o", "made")
    files = {path.name for path in Path("made").iterdir()}
    assert code == 1
    assert files == {"report.html", "report.json", "witness.json", "bound.svg", "wealth.svg", "outputs.svg"}
    assert "made/report.html" in out
    assert "For a greater bound, continue after the violation: --no-stop" in out
    page = Path("made/report.html").read_text("utf-8").replace("<wbr>", "")
    for option in ("--replay witness.json --rerun", "--no-stop", "--seed"):
        assert f"{option}</code>" in page
    for arguments in ((), ("broken:laplace_twofold", "--rerun", "--jobs", "2")):
        code, out, _ = audit(*arguments, "--replay", "made/witness.json")
        assert (code, "as the file states" in out) == (0, True)
        assert "as_given, as the file says" in out


def test_resume__after_a_crash_goes_on_with_the_next_call(audit: Run, report_of: Report) -> None:
    arguments = ("mine:counting", *GIVEN, "--calls", "300", "--no-failures")
    code, _, err = audit(*arguments, "-o", "made", "--seed", "5")
    assert (code, "no verdict" in err) == (4, True)
    calls = Path("made/calls.jsonl")
    done = [json.loads(line) for line in calls.read_text("utf-8").splitlines()][1:]
    made = sum(len(line["outputs"]) for line in done)
    assert made > 100
    with calls.open("a", encoding="ascii") as file:
        file.write('{"pair": 0, "outp')
    Path("go").touch()
    code, out, err = audit(*arguments, "-o", "made", "--resume", "--format", "json")
    resumed = {**json.loads(out)["report"], "seconds": 0}
    assert (code, resumed["calls"], resumed["seed"]) == (4, 300, 5)
    assert f"resuming after {made} calls" in err
    assert not calls.exists()
    assert report_of(*arguments, "-o", "whole", "--seed", "5") == resumed
    assert audit("mine:counting", "--replay", "made/witness.json", "--rerun")[0] == 0


def test_resume__of_another_audit_is_refused(audit: Run) -> None:
    arguments = ("mine:counting", *GIVEN, "-o", "made", "--seed", "5")
    audit(*arguments, "--no-failures")
    code, _, err = audit(*arguments, "--no-failures", "--resume", "--epsilon", "2")
    assert code == 2
    assert "--resume: expected the audit that was interrupted, 'privboost audit" in err
    code, _, err = audit("bank:laplace", "--resume")
    assert (code, "--resume: expected -o DIR" in err) == (2, True)


def test_rerun__of_what_the_file_alone_names_is_refused(audit: Run) -> None:
    audit("broken:laplace_twofold", "--seed", "3", "-o", "made")
    witness = Path("made/witness.json").read_text("utf-8")
    Path("changed.json").write_text(witness.replace("broken:laplace_twofold", "cmd:touch pwned"), "utf-8")
    for given in ((), ("bank:laplace",)):
        code, out, err = audit(*given, "--replay", "changed.json", "--rerun")
        assert (code, out) == (2, "")
        assert (
            "--rerun: expected the TARGET in the file, which is 'cmd:touch pwned', on the command line" in err
        )
    assert not Path("pwned").exists()


def test_rerun__of_a_target_without_seeds_tests_fresh_calls(audit: Run, report_of: Report) -> None:
    """False alarms: none, since noise of width 1 either separates the inputs or has one law for both."""
    Path("leak").touch()
    report = report_of("mine:own_noise", *GIVEN, "--seed", "3", "-o", "made")
    assert report["seeded"] is False
    assert "--seed" not in report["reproduce"]
    rerun = ("mine:own_noise", "--replay", "made/witness.json", "--rerun")
    code, out, _ = audit(*rerun)
    assert (code, "judged by law" in out) == (0, True)
    assert "the file agrees, and fresh calls do; VIOLATION" in out
    page = Path("made/report.html").read_text("utf-8").replace("<wbr>", "")
    assert "Audit again, with new outputs: " in page
    assert "--seed" not in page
    Path("leak").unlink()
    code, out, _ = audit(*rerun, "--seed", "4", "--calls", "200", "--format", "json")
    document = json.loads(out)
    assert (code, document["differences"]) == (4, [])
    assert (document["fresh"]["calls"], document["fresh"]["seed"]) == (200, 4)
    assert document["fresh"]["refuted"] == []
    code, out, _ = audit("mine:own_noise", *GIVEN, "--seed", "3", "--calls", "200")
    assert "audit again        privboost audit" in out
    assert "the target does not take seeds" in out


def test_rerun__of_a_module_by_name_or_by_file_is_the_same(audit: Run, tmp_path: Path) -> None:
    (module,) = tmp_path.glob("mechanisms_*.py")
    options = (*GIVEN, "--seed", "3", "-o", "made")
    assert audit("mine:weak", *options)[0] == 1
    for name in (f"{module.name}:weak", f"{module}:weak"):
        assert audit(name, "--replay", "made/witness.json", "--rerun")[0] == 0
    assert audit("mine:noisy", "--replay", "made/witness.json", "--rerun")[0] == 2


def test_replay__of_a_changed_file_does_not_conform_and_says_why(audit: Run) -> None:
    audit("broken:laplace_twofold", "--seed", "3", "-o", "made")
    witness = Path("made/witness.json").read_text("utf-8")
    Path("changed.json").write_text(witness.replace('"seed": 3', '"seed": 4'), "utf-8")
    code, out, _ = audit("--replay", "changed.json", "--format", "json")
    assert code == 1
    assert "digest" in json.loads(out)["differences"][0]


# Errors --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ((), 2, "TARGET: expected what to audit"),
        (("mine:noisy", "--epsilon", "1"), 2, "brings no pairs: expected neighbouring inputs"),
        (("mine:noisy", "--pairs", "pairs.json"), 2, "--epsilon: expected the claim to audit"),
        (("mine:noisy", "--epsilon", "-1", "--pairs", "pairs.json"), 2, "--epsilon"),
        (("bank:laplace", "--epsilon", "16.01"), 2, "--epsilon: expected a number from 0 to 16 "),
        (("bank:laplace", "--confidence", "1"), 2, "--confidence: expected"),
        (("broken:unbounded_sum", "--relation", "add_remove"), 2, "--relation: expected one that a pair has"),
        (("bank:laplace", "--pattern", "circle:3"), 2, "expected answers:N or histogram:N"),
        (("bank:laplace", "--pattern", "histogram:1", "--relation", "exchange"), 2, "--pattern: length"),
        (("bank:laplace", "--pattern", "histogram:3"), 2, "--pattern: expected --relation exchange or"),
        (("bank:laplace", "--calls", "5", "--minutes", "1"), 2, "not allowed with"),
        (("bank:laplace", "--seed", "x"), 2, "--seed: expected a whole number"),
        (("bank:laplace", "--rerun"), 2, "--rerun: expected --replay"),
        (("bank:laplace", "--dask", "tcp://127.0.0.1:x"), 2, "--dask: expected the address of a scheduler"),
        (("bank:laplace", "-o", "pairs.json"), 2, "expected a folder"),
        (("bank:laplace", "--replay", "pairs.json"), 2, "--replay: expected no TARGET without --rerun"),
        (("--replay", "pairs.json"), 2, "--replay: witness: expected a document of format"),
        (("--replay", "pairs.json", "--epsilon", "0"), 2, "--replay: expected no --epsilon with it: claim, "),
        (("--replay", "pairs.json", "--confidence", "0.95"), 2, "--replay: expected no --confidence with it"),
        (("--replay", "pairs.json", "--low-bits"), 2, "--replay: expected no --low-bits with it"),
        (("--replay", "pairs.json", "--calls", "9"), 2, "--calls: expected --rerun beside --replay"),
        (("mine:noisy", "--epsilon", "1", "--pairs", "none.json"), 2, "none.json"),
        (("mine:nothing", "--epsilon", "1"), 2, "counting, crash, dies, fading, hang, lazy, "),
        (("bank:laplace", "--minutes", "0"), 2, "--minutes: expected a number above 0"),
        (("bank:laplace", "--estimator", "a.B()"), 2, "--estimator: expected no TARGET besides it"),
        (("bank:laplace", "--table", "rows.csv"), 2, "--table: expected --estimator with it"),
        (("bank:laplace", "--label", "y"), 2, "--label: expected --table FILE with it"),
        (
            ("--estimator", "sklearn.naive_bayes.GaussianNB()", "--table", "none.csv", "--label", "ill"),
            2,
            "--table: expected a CSV file, got 'none.csv'",
        ),
        (("--estimator", "sklearn.naive_bayes.GaussianNB()"), 2, "give --table FILE and --label COLUMN"),
        (("--estimator", "sklearn.naive_bayes.Gauss()"), 2, "expected a name of module sklearn.naive_bayes"),
        (("--estimator", "eval('1')"), 2, "expected module.Class"),
        (("bank:laplace", "--only", "nothing"), 2, "--only: expected words in the name of a pair"),
        (("bank:gaussian", "--claim", "gdp:0"), 2, "--claim: mu: expected a number above 0 to 16, got 0"),
        (("bank:gaussian", "--claim", "secret:1"), 2, "--claim: claim: expected a claim such as eps:1, "),
        (("bank:gaussian", "--claim", "none.json"), 2, "--claim: claim: expected a file that can be read"),
        (
            ("bank:gaussian", "--claim", "eps:1", "--epsilon", "1"),
            2,
            "--claim: expected no --epsilon and no --delta with it",
        ),
        (("bank:gaussian", "--group", "65"), 2, "--group"),
        (("mine:crash", *GIVEN), 4, "no verdict: .* ValueError: no luck"),
    ],
)
def test_mistake__is_named_with_what_was_expected(
    audit: Run, arguments: tuple[str, ...], code: int, said: str
) -> None:
    exit_code, out, err = audit(*arguments)
    assert (exit_code, out) == (code, "")
    assert re.search(said, err)


SILENT = "expected an answer within the timeout of 1 s"
BAD_TARGETS = {
    "mine:leaves": "got its end with exit code 0\n",
    "mine:dies": "got its end by signal SIGKILL\n",
    "mine:stops": "got SystemExit: 0",
    "mine:raises": "got Odd: one",
    "mine:never": SILENT,
    "import sys; sys.exit(0)": "got SystemExit: 0",
    "import os; os._exit(0)": "got its end with exit code 0",
    "import time; time.sleep(1000)": SILENT,
}
"""Functions and contents of modules, and what is said of them."""


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize(
    ("target", "jobs"),
    [(target, jobs) for target in BAD_TARGETS for jobs in ("12" if target.startswith("mine") else "1")],
)
def test_target__whatever_it_does_there_is_a_message_and_no_verdict(
    audit: Run, target: str, jobs: str
) -> None:
    said = BAD_TARGETS[target]
    if target.startswith("import"):
        Path("odd_module.py").write_text(target, "utf-8")
        target = "odd_module.py:f"
    code, out, err = audit(target, *GIVEN, "--timeout", "1" if said == SILENT else PATIENT, "--jobs", jobs)
    assert (code, out) == (4, "")
    assert re.search(f"no verdict: .*{said}", err)


def test_target__what_it_prints_is_not_among_the_results(audit: Run, tmp_path: Path) -> None:
    del audit
    with start_audit(tmp_path, "chatty", "--calls", "50", "--format", "json") as process:
        out, err = process.communicate(timeout=DEADLINE)
    assert json.loads(out)["report"]["calls"] == 50
    assert "more noise!" in err


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_target__may_be_an_object_that_no_process_can_send(audit: Run, jobs: str) -> None:
    code, out, _ = audit("mine:model", "--epsilon", "1", "--seed", "1", "--jobs", jobs, "-o", f"made{jobs}")
    assert (code, "VIOLATION" in out) == (1, True)
    assert audit("mine:model", "--replay", f"made{jobs}/witness.json", "--rerun", "--jobs", jobs)[0] == 0
    options = (*GIVEN, "--calls", "60", "--seed", "1", "--jobs", jobs)
    assert audit("mine:local", *options)[0] == 4


def test_time__limit_is_kept_by_slow_calls_with_signs_of_life(
    audit: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("privboost.progress.SECONDS_ELSEWHERE", 0.3)
    code, out, err = audit("mine:lazy", *GIVEN, "--minutes", "0.03", "--format", "json")
    report = json.loads(out)["report"]
    assert (code, report["verdict"]) == (4, "INCONCLUSIVE")
    assert report["calls"] < 100
    assert " calls, bound 0.000" in err


def start_audit(folder: Path, name: str, *options: str) -> subprocess.Popen[str]:
    """Start an audit of a function of the module in a folder, in a session of its own."""
    (module,) = folder.glob("mechanisms_*.py")
    return subprocess.Popen(
        [sys.executable, "-m", "privboost", "audit", f"{module.name}:{name}", *GIVEN, *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def has_recorded_calls(folder: Path) -> bool:
    """Return whether an audit has written outputs to its file of calls."""
    calls = folder / "calls.jsonl"
    return calls.exists() and calls.read_bytes().count(b"\n") > 3


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_interrupt__gives_the_bound_so_far(audit: Run, tmp_path: Path) -> None:
    del audit
    with start_audit(tmp_path, "slow", "-o", "made") as process:
        assert process.stderr is not None
        assert "auditing" in process.stderr.readline()
        assert wait_until(lambda: has_recorded_calls(Path("made")))
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=DEADLINE)
    assert process.returncode == 130
    assert "interrupted" in out.splitlines()[-1]
    assert app.main(["audit", "--replay", "made/witness.json"]) == 0


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize(("name", "jobs"), [("hang", "2"), ("swallow", "1")])
def test_interrupt__ends_workers_that_hang(audit: Run, tmp_path: Path, name: str, jobs: str) -> None:
    """The pipes of the command are closed only when all of its processes have ended."""
    del audit
    with start_audit(tmp_path, name, "--jobs", jobs, "-o", "made") as process:
        assert wait_until(lambda: Path("hangs").exists() and has_recorded_calls(Path("made")))
        for _ in range(2):
            os.killpg(process.pid, signal.SIGINT)
            # The second signal may come at any moment of the end.
            time.sleep(0.2)
        try:
            out, err = process.communicate(timeout=DEADLINE)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    assert process.returncode == 130
    assert "interrupted" in out.splitlines()[-1]
    assert "Traceback" not in err


def test_interrupt__before_the_start_has_a_message_and_no_traceback() -> None:
    code = """
import importlib.abc, sys
class Interrupt(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == "privboost.cli.commands.vectors":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupt())
import privboost.cli
sys.exit(privboost.cli.main())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr == "privboost: interrupted: stopped before it began\n"


def test_interrupt__that_is_deferred_lets_a_block_finish_first() -> None:
    done = []

    def block() -> None:
        with interrupts_deferred():
            signal.raise_signal(signal.SIGINT)
            done.append(True)

    with pytest.raises(KeyboardInterrupt):
        block()
    assert done
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


# Targets -------------------------------------------------------------------------------------------------


def test_targets__lists_every_kind_with_arguments_and_one_line_each(run: Run) -> None:
    code, out, _ = run("targets")
    assert code == 0
    for said in (
        "module:name(key=value)",
        "exec:./program {input}",
        "fast:default(epsilon, relation, size, attributes, part)",
        "bank:laplace ",
        "opendp:laplace(scale=1.0)",
        "  leaf: one of link_noise_clamp, link_clamp_noise, noisy_masses, noisy_net",
    ):
        assert said in out
    code, out, _ = run("targets", "broken", "--format", "json")
    listed = json.loads(out)["targets"]
    assert code == 0
    assert {entry["name"].partition(":")[0] for entry in listed} == {"broken"}
    assert {"arguments", "claim", "purpose"} <= listed[0].keys()
    code, _, err = run("targets", "nothing")
    assert (code, "KIND: expected one of module, file, estimator, cmd, exec" in err) == (2, True)


def test_skeleton__is_printed_and_takes_no_target(run: Run) -> None:
    assert run("audit", "--skeleton", "c") == (0, skeleton("c"), "")
    code, out, err = run("audit", "bank:laplace", "--skeleton", "c")
    assert (code, out, "--skeleton: expected no TARGET" in err) == (2, "", True)


def test_exec__names_a_program_without_a_wrapper(report_of: Report) -> None:
    report = report_of("exec:cat {input}", *GIVEN, "--calls", "100", "--seed", "1")
    assert (report["verdict"], report["seeded"]) == ("VIOLATION", False)


# The fixture ---------------------------------------------------------------------------------------------


def test_fixture__fails_a_test_unless_the_verdict_is_consistent(pytester: pytest.Pytester) -> None:
    """False alarms: none, since the seeds are made from the names of the tests."""
    pytester.makepyfile(
        """
        def mechanism(scale):
            return lambda data, rng: data + rng.laplace(scale=scale)

        def test_good(privboost_audit):
            result = privboost_audit(mechanism(1.0), (0, 1), epsilon=1.0)
            assert result.confidence == 0.999
            assert result.seed == privboost_audit(mechanism(1.0), (0, 1), epsilon=1.0).seed

        def test_bad(privboost_audit):
            privboost_audit(mechanism(0.2), (0, 1), epsilon=1.0, calls=600)

        def test_short(privboost_audit):
            privboost_audit(mechanism(1.0), (0, 1), epsilon=1.0, calls=20)
        """
    )
    done = pytester.runpytest_inprocess("-p", "no:cacheprovider", "-W", "default")
    done.assert_outcomes(passed=1, failed=2)
    said = ["*privacy claim refuted*", "verdict*VIOLATION", "*left is guessed where*", "*audit INCONCLUSIVE*"]
    done.stdout.fnmatch_lines(said)
