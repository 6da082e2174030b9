"""The command line: output formats, exit codes, standard streams and invalid arguments."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from privboost import __version__, limits
from privboost.auditor.calibration import Calibration
from privboost.auditor.mechanisms.private import MECHANISMS
from privboost.cli import app
from privboost.cli.commands import calibrate, claims, errata, prove, verify
from privboost.errors import HarnessError
from privboost.fast import PrivateBoostedTreesClassifier
from privboost.gate.profile import Profile
from privboost.gate.profiles import load_profile
from privboost.oracle_tests.support.checkout import ROOT
from privboost.oracle_tests.support.command_line import Run, exit_code
from privboost.oracle_tests.support.waiting import DEADLINE
from privboost.proofs_check.ledger import entries
from privboost.proofs_check.pages import errata as errata_pages
from privboost.proofs_check.pages.first_page import FINDINGS
from privboost.reference.data import Relation
from privboost.reference.errata import ERRATA, Witness
from privboost.reference.learners.leaks import LEAKS, PRINTED_LEAKS
from privboost.reference.learners.protocol import PRESETS, AlphaRule, LeafRule, SplitLaw
from privboost.tables import Format, Table, render

SAMPLE = Table("sample", ("name", "value"), (("a|b", "1/2"), ("c", "x\ny")), summary="2 rows")


def start(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run the command line in its own process."""
    command = [sys.executable, "-m", "privboost", *arguments]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "encoding": "utf-8"}
    return subprocess.run(command, **{**pipes, **options}, check=False, timeout=DEADLINE)


def test_version__is_that_of_the_package() -> None:
    done = start("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"privboost {__version__}\n", "")


def test_help__lists_every_command(run: Run) -> None:
    code, out, _ = run("--help")
    assert code == 0
    assert re.findall(r"^  ([a-z0-9]+) +[A-Z]", out, re.MULTILINE) == list(app.COMMANDS)


@pytest.mark.parametrize("command", ["", *app.COMMANDS, "study plan", "study run", "study report"])
def test_help__fits_a_terminal_of_80_columns(run: Run, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    code, out, _ = run(*command.split(), "--help")
    assert code == 0
    assert [line for line in out.splitlines() if len(line) > 80] == []


def test_help__keeps_the_columns_of_lists(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    _, out, _ = run("audit", "--help")
    column = "  'module:Class(1, b=(0, 1))'      an object with"
    assert re.search(rf"^{re.escape(column)} [^\n]*\n {{35}}\S", out, re.MULTILINE)


@pytest.mark.parametrize(
    ("code", "heavy"),
    [
        ("import privboost.cli.app", ["sympy", "matplotlib", "pytest", "numpy"]),
        ("import privboost.oracle_tests.plugin", ["hypothesis", "sympy", "privboost.reference"]),
        (
            "import privboost.cli.app; privboost.cli.app.make_parser()",
            ["privboost.reference", "numpy", "sympy"],
        ),
    ],
    ids=["start", "plugin", "parser"],
)
def test_start__imports_nothing_heavy(code: str, heavy: list[str]) -> None:
    program = f"import sys; {code}; print(set({heavy}) & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_text__is_aligned_with_one_line_per_row() -> None:
    assert render(SAMPLE, Format.TEXT) == "name  value\n----  -----\na|b   1/2\nc     x y\n\n2 rows\n"


def test_text__is_wrapped_to_the_width_of_a_terminal() -> None:
    table = Table("t", ("key", "words"), (("a", "one two three " * 9), ("b", "")), summary="so much " * 20)
    assert max(map(len, render(table, Format.TEXT).splitlines())) > 100
    lines = render(table, Format.TEXT, 40).splitlines()
    assert max(map(len, lines)) <= 40
    words = " ".join(lines).split()
    assert words[:2] == ["key", "words"]
    assert words[4:] == ["a", *["one", "two", "three"] * 9, "b", *["so", "much"] * 20]


def test_text__keeps_the_lines_of_a_summary_and_commands_whole() -> None:
    command = "again    run " + "x" * 50
    summary = f"Levels\n  values      FAIL\n  found    {'so much ' * 6}\n  {command}\nverdict"
    table = Table(
        "t", ("key", "value"), (("again", "y " * 30),), summary=summary, commands=frozenset({"again"})
    )
    assert render(table, Format.TEXT, 40).splitlines()[2:] == [
        f"again  {'y ' * 30}".rstrip(),
        "",
        "Levels",
        "  values      FAIL",
        "  found    so much so much so much so",
        "           much so much so much",
        f"  {command}",
        "verdict",
    ]


def test_text__becomes_blocks_where_columns_would_break_words() -> None:
    claim = "a sentence of many words that needs a line of its own"
    columns = ("verdict", "key", "claim", "complaint")
    table = Table("t", columns, (("PROVED", "thBoostDT1.monotonic", claim, ""), ("STEP", "x", "short", "")))
    assert "thBoostDT1.monotonic  " + claim in render(table, Format.TEXT, 90)
    assert render(table, Format.TEXT, 44).splitlines() == [
        "PROVED  thBoostDT1.monotonic",
        "    a sentence of many words that needs a",
        "    line of its own",
        "STEP  x",
        "    short",
    ]


def test_markdown__cell_cannot_break_its_row() -> None:
    expected = "| name | value |\n| --- | --- |\n| a\\|b | 1/2 |\n| c | x y |\n\n2 rows\n"
    assert render(SAMPLE, Format.MARKDOWN) == expected


def test_json__keeps_cells_unchanged() -> None:
    assert json.loads(render(SAMPLE, Format.JSON)) == {
        "command": "sample",
        "conforming": True,
        "summary": "2 rows",
        "rows": [{"name": "a|b", "value": "1/2"}, {"name": "c", "value": "x\ny"}],
    }


def test_losses__prints_exact_values_and_decimals(run: Run) -> None:
    code, out, err = run(
        *["losses", "--alpha", "1", "--at", "1/4", "--margin", "0", "--digits", "6", "--format", "json"]
    )
    rows = [row for row in json.loads(out)["rows"] if row["quantity"] == "Bayes risk"]
    assert (code, err) == (0, "")
    assert [row["exact"] for row in rows][2:] == ["1/2", "1/2*sqrt(3)", "1/2*sqrt(3)"]
    assert [row["decimal"] for row in rows] == ["0.750000", "0.811278", "0.500000", "0.866025", "0.866025"]


def test_losses__partial_losses_are_normalised_as_the_risks_are(run: Run) -> None:
    _, out, _ = run("losses", "--at", "1/4", "--digits", "9", "--format", "json")
    values = {(row["loss"], row["quantity"]): row for row in json.loads(out)["rows"]}
    assert values["square", "partial loss, y = 1"]["exact"] == "9/4"
    assert values["square", "partial loss, y = 1, not normalised"]["exact"] == "9/32"
    for loss in {loss for loss, _ in values}:
        parts = [float(values[loss, f"partial loss, y = {y}"]["decimal"]) for y in (1, -1)]
        risk = float(values[loss, "Bayes risk"]["decimal"])
        assert parts[0] / 4 + 3 * parts[1] / 4 == pytest.approx(risk, abs=1e-8)


@pytest.mark.parametrize("words", ["--format markdown losses --at 1/2", "losses --at 1/2 --format markdown"])
def test_format__is_accepted_before_or_after_the_command(words: str, run: Run) -> None:
    code, out, _ = run(*words.split())
    assert (code, out[:8]) == (0, "| loss |")


def test_losses__accepts_decimals_and_negative_fractions(run: Run) -> None:
    code, out, _ = run("losses", "--alpha", "0.5", "--margin", "-1/2", "--format", "json")
    assert code == 0
    assert {row["at"] for row in json.loads(out)["rows"]} == {"u = 1/4", "u = 1/2", "z = -1/2"}


def test_errata__match_the_page_and_include_all_exact_witnesses(run: Run) -> None:
    code, out, _ = run("errata", "--format", "json")
    assert code == 0
    result = json.loads(out)
    rows = result["rows"]
    behind = errata_pages.errata_page().partition("## Breaks privacy")[2].partition("## Read as meant")[0]
    keys = [row["key"] for row in rows]
    assert sorted(keys) == sorted(re.findall(r"^(?:### |\| )`([^`]*)`", behind, re.MULTILINE))
    assert keys[: len(FINDINGS)] == list(FINDINGS)
    assert result["summary"].startswith(f"{len(rows)} errata: ")
    assert all(row[column] for row in rows for column in ("severity", "witness", "correction", "instead"))
    exact = {row["erratum"]: row["exact witness"] for row in rows if row["erratum"]}
    assert exact == {erratum.key: str(erratum.witness()) for erratum in ERRATA}


def test_errata__of_a_label_are_whole_and_wrapped(run: Run) -> None:
    code, out, _ = run("errata", "lemcurv", "thBoostDT1.greedy")
    assert code == 0
    assert max(map(len, out.splitlines())) <= claims.WIDTH
    keys = ["thBoostDT1.greedy", "lemcurv", "lemcurv.taylor", "lemcurv.range"]
    assert re.findall(r"^REFUTED  (\S+)", out, re.MULTILINE) == keys
    assert "witness           m = 1, a = 0, L(x) = 4·x·(1 - x), D(x) = 4 - 8·x, W(x) = 8" in out
    assert "instead           lemcurv.corrected (PROVED-IF): " in out
    assert out.endswith("4 errata: 1 breaks a theorem, 2 changes a constant, 1 slip\n")


def test_errata__list_has_one_line_for_each_error(run: Run) -> None:
    _, out, _ = run("errata")
    lines = out.splitlines()
    assert max(map(len, lines)) <= claims.WIDTH
    keys = {erratum.entry.key for erratum in errata_pages.errata()}
    assert len([line for line in lines if not keys.isdisjoint(line.split())]) == len(keys)


@pytest.mark.parametrize("columns", [48, 80, 160])
@pytest.mark.parametrize("labels", [(), ("lemcurv.range",)])
def test_errata__are_as_wide_as_the_terminal(
    columns: int, labels: tuple[str, ...], run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claims, "terminal_width", lambda: columns)
    _, out, _ = run("errata", *labels)
    assert 0.8 * columns <= max(map(len, out.splitlines())) <= columns


def test_errata__misprint_says_what_is_meant(run: Run) -> None:
    _, out, _ = run("errata", "lemPhiProof.notation")
    assert out.startswith("NOTATION  lemPhiProof.notation  (slip)\n")
    assert "witness           misprint\n  instead           In the proof the check on L is dropped" in out


def test_errata__label_without_an_error_says_so(run: Run) -> None:
    assert run("errata", "lemI")[:2] == (0, "0 errata: no error is known in lemI (4 claims: 4 PROVED)\n")
    code, out, _ = run("errata", "boost.theorem", "--format", "json")
    assert (code, json.loads(out)["rows"]) == (0, [])
    assert "; corrects thBoostDT1, " in json.loads(out)["summary"]


def test_errata__a_witness_that_fails_does_not_conform(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = replace(ERRATA[0], witness=lambda: Witness(("1 = 1",), shown=False))
    monkeypatch.setattr("privboost.reference.errata.ERRATA", (wrong, *ERRATA[1:]))
    table = errata.errata()
    assert not table.conforming
    assert table.summary.endswith(f"not shown by their exact witness: {wrong.key}")


def test_errata__an_entry_that_is_not_on_record_does_not_conform(monkeypatch: pytest.MonkeyPatch) -> None:
    first, *others = errata_pages.errata()
    changed = replace(first, entry=replace(first.entry, words="Less."))
    monkeypatch.setattr(errata_pages, "errata", lambda: [changed, *others])
    table = errata.errata()
    assert not table.conforming
    assert table.summary.endswith(f"not as on record: {first.entry.key}")


def test_errata__need_no_solver() -> None:
    code = (
        "import sys; sys.modules['z3'] = None; from privboost.cli.app import main; sys.exit(main(['errata']))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode == 0


def test_verify__choices_are_those_of_the_reference() -> None:
    choices = {
        Relation: limits.RELATIONS,
        SplitLaw: limits.SPLIT_LAWS,
        LeafRule: limits.LEAF_RULES,
        AlphaRule: limits.ALPHA_RULES,
    }
    for enumeration, values in choices.items():
        assert [member.value for member in enumeration] == list(values)
    assert list(PRESETS) == list(limits.PROTOCOLS)


@pytest.mark.parametrize(
    ("arguments", "messages"),
    [
        (("losses", "--alpha", "0.5x"), ("--alpha", "expected a number", "0.5x")),
        (("losses", "--alpha", "2"), ("--alpha", "from 0 to 1", "'2'")),
        (("losses", "--alpha", "-1/2"), ("--alpha", "from 0 to 1", "-1/2")),
        (("losses", "--at", "1/0"), ("--at", "expected a number", "1/0")),
        (("losses", "--at", "nan"), ("--at", "expected a number", "nan")),
        (("losses", "--margin", "1e999999999"), ("--margin", "expected a number", "1e999999999")),
        (("losses", "--margin", ""), ("--margin", "expected a number", "''")),
        (("losses", "--digits", "-1"), ("--digits", "expected a whole number", "-1")),
        (("losses", "--format", "xml"), ("--format", "xml")),
        (("figure1",), ("-o/--output",)),
        (("vectors",), ("--check",)),
        (("vectors", "--check", "/nonexistent"), ("--check", "expected a folder", "/nonexistent")),
        (("verify", "--epsilon", "0"), ("--epsilon: expected a number above 0, got 0",)),
        (("verify", "--alpha-rule", "noisy_minority"), ("--alpha-rule: expected splits that read alpha",)),
        (("verify", "--alpha", "1/2"), ("--alpha: expected splits that read alpha",)),
        (
            ("verify", "--delta", "1/9", "--protocol", "sound"),
            ("--delta: expected uniform splits and noisy",),
        ),
        (("verify", "--delta", "1"), ("--delta: expected a number below 1, got 1",)),
        (
            ("verify", "--delta", "1/9", "--epsilon", "1/10000000000"),
            ("--epsilon: expected a number from 1e-9",),
        ),
        (
            ("verify", "--protocol", "as_printed", "--tree", "2"),
            ("--tree 2: expected weights that follow from noisy",),
        ),
        (("nonsense",), ("nonsense",)),
        (("--debug",), ("required: COMMAND",)),
    ],
)
def test_usage__bad_argument_exits_2_and_says_what_was_expected(
    arguments: tuple[str, ...], messages: tuple[str, ...], run: Run
) -> None:
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert all(message in err for message in messages), err
    assert "Traceback" not in err


def test_usage__no_argument_prints_the_help_to_standard_error(run: Run) -> None:
    """Exit code 0 would tell a script that something conforms."""
    _, shown, _ = run("--help")
    assert run() == (2, "", shown)


@pytest.mark.parametrize("command", ["figure1", "report", "vectors"])
@pytest.mark.parametrize("kind", ["file", "below a file", "not a path"])
def test_usage__bad_output_exits_2_before_the_work(command: str, kind: str, tmp_path: Path, run: Run) -> None:
    (tmp_path / "file").write_text("kept")
    target = {"file": tmp_path / "file", "below a file": tmp_path / "file" / "x", "not a path": "a\0b"}[kind]
    code, out, err = run(command, "-o", str(target))
    assert (code, out) == (2, "")
    assert "expected a folder" in err
    assert (tmp_path / "file").read_text() == "kept"


def profile_of_one_operation(name: str) -> Profile:
    """Return the default profile with the vectors of one operation."""
    profile = load_profile()
    cases = [case for case in profile.vectors.cases() if case.op == name]
    provenance = {name: profile.vectors.provenance()[name]}
    vectors = replace(profile.vectors, cases=lambda: cases, provenance=lambda: provenance)
    return replace(profile, name=f"trees, {name}", vectors=vectors)


def test_vectors__written_then_checked_then_damaged(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    profile = profile_of_one_operation("link")
    monkeypatch.setattr("privboost.cli.commands.vectors.load_profile", lambda _: profile)
    folder = tmp_path / "new" / "folder"
    assert run("vectors", "-o", str(folder))[0] == 0
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert files == {"link.json": (ROOT / "gate" / "trees" / "vectors" / "link.json").read_bytes()}
    assert run("vectors", "--check", str(folder))[0] == 0
    (folder / "link.json").write_bytes(files["link.json"].replace(b"-4", b"-5", 1))
    code, out, _ = run("vectors", "--check", str(folder), "--format", "json")
    document = json.loads(out)
    assert (code, document["conforming"]) == (1, False)
    (row,) = [row for row in document["rows"] if row["difference"] != "same"]
    assert row["file"].endswith("link.json")
    assert "first difference at case loss=square u=" in row["difference"]


def test_output__folder_with_the_name_of_a_file_exits_2(tmp_path: Path) -> None:
    (tmp_path / "link.json").mkdir()
    assert exit_code("vectors", "-o", str(tmp_path)) == 2
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_broken__unexpected_error_exits_3_in_one_line(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_options: object) -> Table:
        raise HarnessError("two\nlines")

    monkeypatch.setattr(errata, "run", fail)
    said = "privboost: broken: HarnessError: two lines (--debug shows where)\n"
    assert run("errata") == (3, "", said)
    code, _, err = run("errata", "--debug")
    assert (code, "Traceback" in err) == (3, True)


def test_interrupt__exits_130_without_a_traceback(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_options: object) -> Table:
        signal.raise_signal(signal.SIGINT)
        return SAMPLE

    monkeypatch.setattr(errata, "run", interrupt)
    code, _, err = run("errata")
    assert (code, "Traceback" in err) == (130, False)


def test_interrupt__of_proofs_exits_130_unless_a_verdict_has_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = list(entries())[:2]
    monkeypatch.setattr("privboost.proofs_check.ledger.select_keys", lambda _: keys)
    for judged, complaint, code in ((1, "", 130), (1, "changed", 1), (2, "changed", 1), (0, "", 130)):
        judgements = [SimpleNamespace(verdict=None, complaint=complaint, key=key, trust=()) for key in keys]
        monkeypatch.setattr(prove, "_judge", lambda *_, listed=judgements[:judged]: listed)
        monkeypatch.setattr("privboost.proofs_check.record.compare_with_record", lambda judgement: judgement)
        assert exit_code("prove", "--trust") == code


@pytest.mark.parametrize("complete", [True, False])
@pytest.mark.parametrize("refuted", [0, 99])
def test_interrupt__of_calibration_exits_130_unless_an_error_is_too_frequent(
    complete: bool, refuted: int
) -> None:
    entry = Calibration(MECHANISMS["laplace"], runs=100, calls=500, refuted=refuted)
    table = calibrate.table_of([entry], complete)
    assert table.conforming == (refuted == 0)
    assert table.exit_code == (None if complete or refuted else 130)


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_output__is_printed_in_any_encoding(encoding: str) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
    done = start("audit", "bank:laplace", "--calls", "50", env=environment, encoding=encoding)
    assert done.returncode in (0, 4)
    assert ("ε" if encoding == "utf-8" else "\\u03b5") in done.stdout


@pytest.mark.parametrize(
    ("verdicts", "code"),
    [(("AGREES", "ERRATUM"), 0), (("AGREES", "DISAGREES"), 1), (("AGREES", "UNHEARD OF"), 1), ((), 3)],
)
def test_prove__exit_code_is_that_of_the_worst_derivation(
    verdicts: tuple[str, ...], code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    derived = tuple(
        SimpleNamespace(key="k", label="l", statement="s", verdict=verdict, detail="d", erratum=None)
        for verdict in verdicts
    )
    monkeypatch.setattr("privboost.symbolic.registry.SECTIONS", (lambda: derived,))
    assert exit_code("prove", "--derivations") == code


@pytest.mark.skipif(os.name != "posix", reason="pipes break this way on POSIX systems only")
def test_pipe__closed_by_the_reader_prints_no_traceback() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = start("losses", stdout=writer)
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
def test_full_disk__exits_2_in_one_line() -> None:
    with Path("/dev/full").open("w") as full:
        done = start("losses", stdout=full)
    assert done.returncode == 2
    assert done.stderr.startswith("privboost: error: standard output: expected a writable stream")
    assert done.stderr.count("\n") == 1


def test_leaks__are_listed_with_losses_above_their_claims(run: Run) -> None:
    code, out, _ = run("leaks", "--format", "json")
    assert code == 0
    assert [(row["leak"], row["protocol"]) for row in json.loads(out)["rows"]] == [
        (leak.key, leak.where) for leak in (*PRINTED_LEAKS, *LEAKS)
    ]


def test_sensitivity__table_conforms(run: Run) -> None:
    code, out, _ = run("sensitivity", "--size", "2", "--format", "json")
    assert (code, len(json.loads(out)["rows"])) == (0, 4 * 2 * 2)


Verified = Callable[..., tuple[int, dict[str, str], str]]


@pytest.fixture
def run_verify(run: Run) -> Verified:
    """Return a function that runs a check and returns its exit code, rows and summary."""

    def run_check(*arguments: str) -> tuple[int, dict[str, str], str]:
        code, out, _ = run("verify", *arguments, "--format", "json")
        document = json.loads(out)
        return code, {row["quantity"]: row["value"] for row in document["rows"]}, document["summary"]

    return run_check


def test_verify__sound_protocol_conforms(run_verify: Verified) -> None:
    code, rows, _ = run_verify("--protocol", "sound", "--size", "2", "--depth", "1")
    assert code == 0
    assert 0 < Fraction(rows["greatest loss"]) <= 1


@pytest.mark.parametrize("relation", ["exchange", "add_remove"])
def test_verify__delta_of_trees_conforms(run_verify: Verified, relation: str) -> None:
    arguments = (
        "--delta",
        "1/100",
        "--attributes",
        "1",
        "--size",
        "2",
        "--depth",
        "1",
        "--relation",
        relation,
    )
    code, rows, summary = run_verify(*arguments)
    assert (code, rows["claim, delta at epsilon"]) == (0, "1/100 at 1")
    assert 0.001 < float(rows["greatest delta"]) < 0.01
    assert "by theorem only: that later trees may depend on releases" in summary


def test_verify__printed_protocol_does_not_conform(run_verify: Verified) -> None:
    code, rows, _ = run_verify("--protocol", "as_printed", "--size", "2", "--depth", "1")
    assert (code, rows["greatest loss"]) == (1, "infinity")


@pytest.mark.parametrize("tree", [1, 2])
@pytest.mark.parametrize(
    ("relation", "pairs", "cases"),
    [
        ("exchange", "1,008 pairs of samples of 3 examples that differ in one example", (84, 17030)),
        (
            "add_remove",
            "360 pairs of samples of 0 to 3 examples, one of which has one example more",
            (31, 130),
        ),
    ],
)
def test_verify__default_learner_loses_its_whole_share(
    relation: str, pairs: str, cases: tuple[int, int], tree: int, run_verify: Verified
) -> None:
    arguments = ("--leaf-rule", "noisy_net", "--size", "3", "--relation", relation, "--tree", str(tree))
    code, rows, summary = run_verify(*arguments)
    assert code == 0
    assert rows["claim, epsilon / T"] == rows["greatest loss"] == str(Fraction(1, tree))
    assert rows["cases judged"] == f"{cases[tree - 1]:,}"
    assert pairs.startswith(f"{rows['pairs of neighbours']} pairs ")
    assert f"all {pairs}" in summary
    releases = f"all {8 * 513**4:,}"
    assert rows["releases before the tree"] == ("none" if tree == 1 else releases)
    assert (f"{releases} releases of a first tree" in summary) == (tree == 2)
    assert ("by theorem only: composition of the trees" in summary) == (tree == 2)


def test_verify__default_protocol_is_that_of_the_estimators() -> None:
    default = app.make_parser(["verify"]).parse_args(["verify"])
    assert default.protocol == PrivateBoostedTreesClassifier().protocol
    assert verify.protocol_of(default) == PRESETS["sound_net"]


def test_verify__a_grid_of_releases_is_called_one(run_verify: Verified) -> None:
    _, rows, summary = run_verify("--protocol", "sound", "--size", "1", "--depth", "1", "--tree", "2")
    assert rows["releases before the tree"].startswith("a grid of ")
    assert "no other releases were judged" in summary


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        (("--leaf-rule", "noisy_masses"), ("uniform", "noisy_masses", "noisy_masses")),
        (("--protocol", "sound", "--leaf-rule", "noisy_net"), ("exponential", "noisy_net", "constant")),
        (("--protocol", "as_printed", "--leaf-rule", "noisy_masses"), ("exponential", "noisy_masses", "raw")),
    ],
)
def test_verify__leaf_rule_implies_the_coefficient(
    changes: tuple[str, ...], expected: tuple[str, str, str]
) -> None:
    protocol = verify.protocol_of(app.make_parser(["verify"]).parse_args(["verify", *changes]))
    assert (protocol.split_law.value, protocol.leaf.value, protocol.beta.value) == expected
