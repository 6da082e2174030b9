"""The proof ledger: verdicts equal the record, negative controls are rejected, hypotheses can hold."""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import astuple, fields, is_dataclass, replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from privboost.cli.app import main
from privboost.cli.commands import prove
from privboost.cli.commands.claims import WIDTH
from privboost.oracle_tests.support.checkout import ROOT, locked_versions
from privboost.oracle_tests.support.command_line import exit_code
from privboost.oracle_tests.support.marks import keep_every
from privboost.oracle_tests.support.paper_index import NO_PAPER, paper_path
from privboost.proofs_check import claims, consistency, hypotheses, index, ledger, record
from privboost.proofs_check.engines.derivations import check_derivation
from privboost.proofs_check.entry import Entry, Verdict
from privboost.proofs_check.kernel.certificates import Rejected
from privboost.proofs_check.kernel.terms import Claim, Term, term
from privboost.proofs_check.language import equal, reals
from privboost.proofs_check.pages.errata import errata, errata_page
from privboost.proofs_check.pages.fields import sides_at_witness
from privboost.proofs_check.pages.first_page import AS_MEANT, FINDINGS, SMALLER, STANDS
from privboost.proofs_check.pages.ledger import counts_line
from privboost.proofs_check.pages.write import documents, with_counts
from privboost.proofs_check.proofs import Computed, Counterexample, Identity, Smt, Use
from privboost.reference.errata import ERRATA

KEYS = list(ledger.entries())
SAMPLED = keep_every(6, KEYS)
"""Every entry, of which `make test` judges a sixth again; that none has changed is a test of its own."""
LOSS_FORMS = (
    *map(".".join, product(("conjugate", "surrogate"), ("left", "right"), ("bound", "attained"))),
    *map(".".join, product(["link"], ("left", "half", "right"), ("member", "none-greater", "none-smaller"))),
    *map(".".join, product(["inverse"], ("left", "right"), ("unique", "of-link", "link-of"))),
    *("conjugate.plateau", "surrogate.plateau", "inverse.plateau.unique"),
    *("surrogate.zero-alpha", "link.zero-alpha", "inverse.zero-alpha-inside"),
)
"""The parts of the theorem on the loss: every region of u and z, every alpha."""
SABOTAGED = 10
MISPRINTS = [
    entry for entry in index.load_entries("misprints").values() if entry.remark.startswith("Printed as `")
]


def test_entry__is_the_one_of_the_record() -> None:
    recorded = {key: row.fingerprint for key, row in record.record().items()}
    assert {key: record.fingerprint(entry) for key, entry in ledger.entries().items()} == recorded


@pytest.mark.parametrize("key", SAMPLED)
def test_entry__verdict_equals_the_record(key: str) -> None:
    judgement = record.compare_with_record(ledger.judge(key))
    assert not judgement.complaint


@pytest.mark.parametrize("key", SAMPLED)
def test_entry__control_is_rejected_and_hypotheses_can_hold(key: str) -> None:
    entry = ledger.entries()[key]
    assert consistency.accepts_control(entry) == []
    assert hypotheses.is_satisfiable(entry)


def test_ledger__links_resolve() -> None:
    assert consistency.check_consistency() == []
    assert list(record.record()) == KEYS


def test_ledger__every_erratum_of_the_reference_is_an_entry() -> None:
    linked = {entry.erratum for entry in ledger.entries().values() if entry.erratum}
    assert linked == {erratum.key for erratum in ERRATA}


def test_ledger__at_most_a_tenth_of_claims_rests_on_citations() -> None:
    """Limit the share of claims that rest on citations."""
    external = [key for key, recorded in record.record().items() if recorded.verdict is Verdict.EXTERNAL]
    assert len(external) * 10 <= len(KEYS)


@pytest.mark.parametrize("key", ["sharp.exchange", "sharp.partition", "th3P", "lemI", "lemI2.B", "lemI2.D"])
def test_ledger__theorems_about_every_bayes_risk_are_proved_by_concavity(key: str) -> None:
    assert record.record()[key].verdict is Verdict.PROVED
    assert "concavity" in reached_engines(key)


def reached_engines(key: str) -> set[str]:
    """Return the engines of an entry and of the entries it uses."""
    engines = set(record.record()[key].engines)
    return engines.union(*(reached_engines(used) for used in ledger.used_keys(ledger.entries()[key])))


def test_ledger__every_file_of_the_book_is_in_it() -> None:
    folder = Path(claims.__file__).parent
    assert sorted(folder.glob("*.md")) == sorted(map(index.book_path, claims.SECTIONS))


def test_index__judging_an_entry_reads_the_sections_that_it_needs() -> None:
    program = (
        "from privboost.proofs_check import index, ledger; assert ledger.judge('lemI').verdict; "
        "print(index.load_section.cache_info().currsize)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["1"]


def test_index__headings_say_what_the_entries_say() -> None:
    assert {key: index.locations()[key].labels for key in KEYS} == {
        key: entry.labels for key, entry in ledger.entries().items()
    }


def test_smt__a_lemma_is_used_only_where_it_is_defined() -> None:
    (x,) = reals("x")
    lemma = Claim((), equal(x * (1 / x), 1))
    with pytest.raises(Rejected, match="may be undefined"):
        Identity().accept(lemma, {})
    Identity().accept(Claim((x > 0,), lemma.then), {})
    with pytest.raises(Rejected):
        Smt(uses=(Use("lemma", {"x": term(0)}),)).accept(Claim((), equal(0, 1)), {"lemma": lemma})


def sabotage(value: Any) -> Iterator[Any]:
    """Yield copies of a value with one number changed: in a term, in a point, in an argument."""
    if isinstance(value, bool | str) or value is None:
        return
    if isinstance(value, int | Fraction):
        yield value + 1
    elif isinstance(value, Term) and value.op == "number":
        yield Term("number", (), Fraction(value.name) + 1)
    elif isinstance(value, Mapping):
        for key, part in value.items():
            yield from ({**value, key: changed} for changed in sabotage(part))
    elif isinstance(value, tuple):
        for i, part in enumerate(value):
            yield from ((*value[:i], changed, *value[i + 1 :]) for changed in sabotage(part))
    elif is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            if field.init and field.name not in ("line", "also_lines"):
                part = getattr(value, field.name)
                yield from (replace(value, **{field.name: changed}) for changed in sabotage(part))


def replace_entry(monkeypatch: pytest.MonkeyPatch, entry: Entry) -> None:
    """Replace one entry in the ledger and in the comparison with the record."""
    entries = {**ledger.entries(), entry.key: entry}
    for module in (ledger, record):
        monkeypatch.setattr(module, "entries", lambda: entries)


def test_sabotage__any_changed_constant_makes_prove_fail(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    fresh = request.config.getoption("--privboost-fresh")
    draw = random.Random() if fresh else random.Random(4)
    entries = dict(ledger.entries())
    keys = [key for key in KEYS if next(sabotage(entries[key]), None)]
    for key in draw.sample(keys, SABOTAGED):
        changed = draw.choice(list(sabotage(entries[key])))
        replace_entry(monkeypatch, changed)
        judgement = record.compare_with_record(ledger.judge(key))
        assert judgement.complaint, f"{key} was changed unseen: {changed}"


def test_sabotage__changed_words_differ_from_the_record(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = dict(ledger.entries())
    key = next(key for key, entry in entries.items() if entry.words and entry.proofs)
    replace_entry(monkeypatch, replace(entries[key], words="Less."))
    assert "differs from the record" in record.compare_with_record(ledger.judge(key)).complaint


@pytest.mark.parametrize("name", ["ERRATA.md", "LEDGER.md"])
def test_pages__are_up_to_date(name: str) -> None:
    assert (ROOT / "docs" / name).read_text("utf-8") == documents()[name]


def test_readme__counts_are_up_to_date() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    assert readme == with_counts(readme)


def test_errata__each_is_on_the_page_and_refuted_ones_have_a_witness_and_a_correction() -> None:
    page = errata_page()
    listed = [erratum.entry.key for erratum in errata()]
    assert sorted(listed) == sorted(key for key in KEYS if ledger.entries()[key].severity)
    for erratum in errata():
        assert f"`{erratum.entry.key}`" in page
        assert all((erratum.claim, erratum.witness, erratum.correction, erratum.instead))
        assert record.record()[erratum.correction].verdict is not Verdict.REFUTED
    refuted = [key for key, recorded in record.record().items() if recorded.verdict is Verdict.REFUTED]
    assert set(refuted) <= set(listed)
    assert all(record.record()[key].detail for key in refuted)


def test_errata__first_page_names_refuted_entries_and_corrections() -> None:
    for key in (*FINDINGS, *SMALLER):
        assert record.record()[key].verdict is Verdict.REFUTED
    texts = [STANDS, *(text for finding in FINDINGS.values() for text in astuple(finding))]
    named = {key for text in texts for key in re.findall(r"`([^`]+)`", text)}
    assert len(named) > 15
    assert named <= set(KEYS) | {label for entry in ledger.entries().values() for label in entry.labels}


def test_errata__claims_read_as_meant_are_proved() -> None:
    assert {record.record()[key].verdict for key in AS_MEANT} <= set(consistency.SOUND)


def test_errata__numbers_of_the_first_page() -> None:
    risk = Fraction(1, 2) + Fraction(64, 4097)
    assert f"{float(Fraction(64, 4097) / risk):.2%}".replace("%", " %") in FINDINGS["thBoostDT1"].witness
    details = {key: record.record()[key].detail for key in (*FINDINGS, "fixALPHA.leak")}
    assert "8 positives, 40000 negatives" in details["thBOOSTDP1"]
    assert "P(x1) = 0.069, and 3/4" in details["thBOOSTDP1"]
    assert "4 examples, and in each of 32 rounds" in details["thBoostLC1"]
    assert details["fixALPHA.leak"].startswith("AS_PRINTED, splits alone, ε = 1")
    assert "loss about 1.005" in details["fixALPHA.leak"]
    assert details["sec-solv.two-places"].startswith("AS_PRINTED, ε = 1")


@pytest.mark.parametrize("entry", MISPRINTS, ids=lambda entry: entry.key)
def test_errata__misprints_are_in_the_paper(entry: Entry) -> None:
    path = paper_path()
    if path is None:
        pytest.skip(NO_PAPER)
    printed = entry.remark.removeprefix("Printed as `").removesuffix("`.")
    assert entry.line
    assert printed in path.read_text("utf-8").splitlines()[entry.line - 1]


def test_prove__one_label_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prove", "lemI", "--jobs", "1", "--format", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert {row["verdict"] for row in rows} <= {"PROVED", "PROVED-IF", "STEP", "REFUTED"}
    assert all(row["label"] == "lemI" or row["key"].startswith("lemI.") for row in rows)


def test_prove__explains_an_entry(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prove", "sharp.exchange", "--jobs", "1", "--explain"]) == 0
    out = capsys.readouterr().out
    assert "formally" in out
    assert "rests on" in out


def test_prove__one_claim_is_whole_and_wrapped(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prove", "lemcurv.range", "--jobs", "1"]) == 0
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= WIDTH
    words = " ".join(out.split())
    entry = ledger.entries()["lemcurv.range"]
    assert entry.words in words
    assert "witness x = 2, a = 1 both sides claimed there and false: 1 ≤ 1/2 instead" in words
    assert f"{entry.correction} (PROVED): {ledger.entries()[entry.correction or ''].words}" in words


def test_prove__what_rests_on_what(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prove", "boost.theorem.step", "--jobs", "1"]) == 0
    words = " ".join(capsys.readouterr().out.split())
    assert "rests on coq, z3, boost.tree-drop (PROVED)" in words
    assert re.search(r"used by [^:]*boost.theorem", words)


def test_prove__many_claims_are_one_line_each(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    keys = ledger.select_keys(["thBoostDT1"])
    proved = [ledger.Judgement(key, Verdict.PROVED, ()) for key in keys]
    monkeypatch.setattr(prove, "_judge", lambda *_: proved)
    monkeypatch.setattr(record, "compare_with_record", lambda judgement: judgement)
    assert main(["prove", "thBoostDT1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= WIDTH
    assert lines[0].startswith("PROVED  thBoostDT1")
    assert sum(line.startswith("PROVED ") for line in lines) == len(keys)


def test_witness__both_sides_violate_what_is_claimed() -> None:
    refuted = [entry for entry in ledger.entries().values() if isinstance(entry.refutation, Counterexample)]
    assert len(refuted) > 70
    assert [entry.key for entry in refuted if not sides_at_witness(entry)] == []
    assert sides_at_witness(ledger.entries()["lemcurv"]).endswith(": 1 = 2")
    assert sides_at_witness(ledger.entries()["eqKM1"]).endswith(": 1/2 ≤ 130975/262208 (about 0.49951)")
    assert sides_at_witness(ledger.entries()["lemI"]) == ""


@pytest.mark.parametrize("command", ["prove", "errata"])
@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("thboostdt1", "; did you mean thBoostDT1?"),
        ("boost.theorm", "; did you mean boost.theorem or"),
        ("FEQ1", "; did you mean fEQ1 or feq1?"),
        ("nothing-like-it", "\n"),
    ],
)
def test_labels__misspelt_one_gets_a_suggestion_if_one_is_near(
    command: str, name: str, meant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([command, name]) == 2
    assert f"got '{name}'{meant}" in capsys.readouterr().err


def test_prove__lists_assumptions(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prove", "lemI", "--jobs", "1", "--trust", "--format", "json"]) == 0
    rows = {row["rests on"]: row for row in json.loads(capsys.readouterr().out)["rows"]}
    assert {"nothing", "kernel", "z3", "sympy", "reference", "elementary facts", "all"} <= rows.keys()


def test_prove__second_opinion_agrees(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("cvc5", reason="needs cvc5")
    assert main(["prove", "lemI", "--jobs", "1", "--second-opinion"]) == 0
    assert "contradicts z3 on 0" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [["nothing-like-it"], ["lemI", "--record"], ["--trust", "--explain"]])
def test_prove__bad_command_lines_exit_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code("prove", *arguments) == 2
    assert capsys.readouterr().out == ""


def test_prove__entry_without_a_record_exits_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(record, "record", dict)
    assert main(["prove", "lemI", "--jobs", "1"]) == 1
    assert "not on record" in capsys.readouterr().out


def test_prove__says_when_the_solver_is_not_the_one_of_the_record(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["prove", "lemI"]) == 0
    assert "judged with" not in capsys.readouterr().out
    versions = {**record.installed_versions(), "z3-solver": "1.2.3"}
    monkeypatch.setattr("privboost.proofs_check.record.installed_versions", lambda: versions)
    assert main(["prove", "lemI"]) == 0, "another version alone is no failure"
    expected = f"judged with z3-solver 1.2.3, recorded with {record.recorded_versions()['z3-solver']}"
    assert " ".join(capsys.readouterr().out.split()).endswith(expected)


def test_record__versions_are_those_of_the_lock_file() -> None:
    locked = locked_versions()
    assert record.recorded_versions() == {name: locked[name] for name in record.ENGINES}


def test_judge__gives_the_reason_of_a_rejection(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = replace(ledger.entries()["lemI"], proofs=(Smt(),))
    replace_entry(monkeypatch, entry)
    judgement = ledger.judge("lemI")
    assert judgement.verdict is None
    assert judgement.complaint.startswith("Rejected: z3 answers")


@pytest.mark.parametrize("form", LOSS_FORMS)
def test_theoremalpha__forms_are_proved_by_two_engines(form: str) -> None:
    recorded = record.record()[f"theoremalpha.{form}"]
    assert recorded.verdict is Verdict.PROVED
    assert {"smt", "derivation"} <= set(recorded.engines)


def test_fingerprint__depends_on_the_source_of_a_computation() -> None:
    first = Entry("k", "w", "text", proofs=(Computed(check_derivation, (1,), (2,)),))
    assert record.fingerprint(first) != record.fingerprint(replace(first, key="other"))
    other = replace(first, proofs=(Computed(counts_line, (1,), (2,)),))
    assert record.fingerprint(first) != record.fingerprint(other)
