"""Links between the ledger and Coq: drift is noticed without Coq, and Coq notices what no longer follows."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from privboost.proofs_check.coq_links.files import DEFINED, Link, all_links, definedness
from privboost.proofs_check.coq_links.record import RECORD, record_json, recorded_links, sources_digest
from privboost.proofs_check.coq_links.statements import proposition
from privboost.proofs_check.coq_links.theorems import coq_proofs, read_theorem_links
from privboost.proofs_check.entry import Entry
from privboost.proofs_check.kernel.certificates import Rejected
from privboost.proofs_check.kernel.terms import Claim, Term
from privboost.proofs_check.language import both
from privboost.proofs_check.ledger import entries
from tools.coq_development import BUILD, SOURCES, CoqError, compile_sources, find_source, run
from tools.coq_links import differences, prove

needs_coq = pytest.mark.skipif(shutil.which("coqc") is None, reason="coqc is not installed; run `make coq`")
X = Term("variable", (), "x")
HEADLINES = (
    *("th3P", "lemPhiProof.matsushita", "lemPhiProof.log", "lemPhiProof.square", "lemPhiProof.zero-one"),
    *("sensALPHA", "sharp.exchange", "sharp.add-remove", "boost.theorem", "boost.any-alpha"),
    *("thBoostLC1.accumulated", "thBoostLC1.rounds", "thBOOSTDP1.corrected", "sec-solv.nets-private"),
    *("sec:def.laplace", "sec:def.exponential", "sec:def.composition"),
    *("sharp.best", "eqKM122.leaf", "theoremalpha.link.half.member", "theoremalpha.inverse.left.link-of"),
    *("theoremalpha.surrogate.right.bound", "theoremalpha.surrogate.right.attained"),
    *("theoremalpha.conjugate.right.bound", "theoremalpha.conjugate.right.attained"),
)
"""The entries that state the theorems of the paper, as corrected, and those that privacy rests on."""


def claim_of(entry: Entry) -> Claim:
    """Return the claim of an entry that has one."""
    assert entry.whole_claim is not None
    return entry.whole_claim


def test_links__record_is_that_of_the_ledger_and_the_sources() -> None:
    links = all_links(entries(), recorded_links())
    assert len(links) >= 40
    assert differences(links, recorded_links()) == []
    assert RECORD.read_text("utf-8") == record_json(recorded_links(), SOURCES)


@pytest.mark.parametrize("key", HEADLINES)
def test_links__headline_theorems_and_their_formulas_are_linked(key: str) -> None:
    proofs = coq_proofs(key)
    assert [proof.engine for proof in proofs if proof.statement] == ["theorem"]
    assert [proof.engine for proof in proofs if not proof.statement] == ["coq"]
    assert key in recorded_links()
    assert all("coq" in proof.accept(claim_of(entries()[key]), {}).trust for proof in proofs)


def test_links__every_full_statement_is_a_headline() -> None:
    stated = {key for key, proofs in read_theorem_links().items() if any(proof.statement for proof in proofs)}
    assert stated - set(HEADLINES) == {"thBOOSTDP1.all-splits", "level.add-remove", "level.flip"}


def test_links__tactics_use_the_theorem_that_they_name() -> None:
    proofs = [proof for proofs in read_theorem_links().values() for proof in proofs if proof.tactic]
    assert len(proofs) > 50
    assert [proof.theorem for proof in proofs if proof.theorem.rpartition(".")[2] not in proof.tactic] == []


def test_links__all_linked_formulas_are_shown_to_be_defined() -> None:
    claims = {key: claim_of(entries()[key]) for key in recorded_links() if "::" not in key}
    partial = {key for key, claim in claims.items() if definedness(key, claim)[0]}
    assert len(partial) > 100
    assert {key for key in partial if key + DEFINED not in recorded_links()} == set()


def test_links__definedness_has_the_hypotheses_of_the_claim() -> None:
    logarithm, root = Term("log", (X,), ""), Term("sqrt", (X,), "")
    statement, tactic = definedness("none", Claim((X >= 2,), logarithm + root >= 1 / X))
    assert statement == ("forall (v_x : R), (2 <= v_x) -> ((~ (v_x = 0)) /\\ (0 < v_x) /\\ (0 <= v_x))")
    assert tactic.count("assert") == 3
    assert definedness("none", Claim((), X / 2 <= X)) == ("", "")


@pytest.mark.parametrize("key", ["th3P", "sharp.exchange", "sec:def.interval"])
def test_links__a_changed_constant_is_noticed(key: str) -> None:
    entry = entries()[key]
    claim = claim_of(entry)
    changed = replace(entry, claim=Claim(claim.given, 2 * X <= 3), added=())
    links = all_links({key: changed}, recorded_links())
    recorded = {name: digest for name, digest in recorded_links().items() if name.partition("::")[0] == key}
    assert differences(all_links({key: entry}, recorded), recorded) == []
    assert key in differences(links, recorded)
    with pytest.raises(Rejected, match="make formal"):
        coq_proofs(key)[0].accept(changed.claim, {})
    with pytest.raises(Rejected, match="make formal"):
        coq_proofs(key)[0].reject(claim, entry.control_claim, {})


def test_links__a_deleted_lemma_is_noticed(tmp_path: Path) -> None:
    shutil.copytree(SOURCES, tmp_path / "coq")
    assert sources_digest(tmp_path / "coq") == sources_digest(SOURCES)
    source = find_source("Risk", tmp_path / "coq")
    source.write_text(source.read_text("utf-8").replace("Theorem leaf_nonneg", "Theorem leaf_other"), "utf-8")
    assert sources_digest(tmp_path / "coq") != sources_digest(SOURCES)


def test_links__listed_entries_exist() -> None:
    assert set(read_theorem_links()) <= set(entries())
    assert not [key for key in read_theorem_links() if entries()[key].refutation is not None]


@pytest.mark.slow
@needs_coq
def test_links__coq_proves_all_of_them() -> None:
    """Compile the development and prove every link; `make formal` also tries the controls."""
    compile_sources(SOURCES, BUILD)
    links = [replace(link, controls=()) for link in all_links(entries(), recorded_links())]
    assert len(links) == len(recorded_links())
    prove(links, SOURCES, BUILD)


@pytest.fixture(scope="module")
def development(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a small development with one lemma, compiled."""
    folder = tmp_path_factory.mktemp("coq")
    lemma = "From Coq Require Import Reals Lra. Lemma half x : (x / 2 + x / 2 = x)%R. Proof. lra. Qed.\n"
    files = {"Sums.v": "", "Risk.v": lemma, "Arithmetic.v": "", "LedgerLeaves.v": ""}
    for name, text in files.items():
        (folder / name).write_text(text, "utf-8")
        run(["coqc", "-R", ".", "Privboost", name], folder)
    (folder / "_CoqProject").write_text("\n".join(files), "utf-8")
    shutil.copy(SOURCES / "assumptions.txt", folder)
    return folder


HALVES = proposition(Claim((), both(X / 2 + X / 2 <= X, X <= X / 2 + X / 2)))
WRONG = proposition(Claim((), X / 2 + X / 3 >= X))


@needs_coq
@pytest.mark.parametrize(
    ("link", "complaint"),
    [
        (Link("a", HALVES, "intros; pose proof (half v_x); lra", "", (WRONG,), "intros; lra"), ""),
        (
            Link("a", HALVES.replace("/ 2", "/ 3"), "intros; pose proof (half v_x); lra", ""),
            "No applicable tactic|Cannot find witness",
        ),
        (Link("a", HALVES, "intros; pose proof (halves v_x); lra", ""), "halves was not found"),
        (Link("a", HALVES, "intros; lra", "", (HALVES,), "intros; lra"), "has not failed"),
    ],
    ids=["proved", "changed constant", "deleted lemma", "proved control"],
)
def test_links__coq_notices(link: Link, complaint: str, development: Path) -> None:
    if not complaint:
        prove([link], development, development)
        return
    with pytest.raises(CoqError, match=complaint):
        prove([link], development, development)
