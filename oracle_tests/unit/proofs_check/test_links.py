"""Links between the ledger and Coq: drift is noticed without Coq, and Coq notices what no longer follows."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from privboost.oracle_tests.support.formal import SOURCES, FormalError, run
from privboost.oracle_tests.support.formal_links import differences, prove
from privboost.proofs_check.entry import Entry
from privboost.proofs_check.formal.record import RECORD, record_json, recorded_links, sources_digest
from privboost.proofs_check.formal.statements import proposition
from privboost.proofs_check.kernel.certificates import Rejected
from privboost.proofs_check.kernel.terms import Claim, Term
from privboost.proofs_check.language import both
from privboost.proofs_check.ledger import entries
from privboost.proofs_check.links.files import Link, all_links
from privboost.proofs_check.links.theorems import coq_proofs, linked

needs_coq = pytest.mark.skipif(shutil.which("coqc") is None, reason="coqc is not installed; run `make coq`")
X = Term("variable", (), "x")
HEADLINES = (
    *("th3P", "lemPhiProof.matsushita", "lemPhiProof.log", "lemPhiProof.square", "lemPhiProof.zero-one"),
    *("sensALPHA", "sharp.exchange", "sharp.add-remove", "boost.theorem", "boost.any-alpha"),
    *("thBoostLC1.accumulated", "thBoostLC1.rounds", "thBOOSTDP1.corrected", "sec-solv.nets-private"),
    *("sec:def.laplace", "sec:def.exponential", "sec:def.composition"),
)


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
def test_links__headline_theorems_are_linked(key: str) -> None:
    assert [proof for proof in coq_proofs(key) if proof.theorem]
    assert all("coq" in proof.accept(claim_of(entries()[key]), {}).trust for proof in coq_proofs(key))


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
    source = tmp_path / "coq" / "Risk.v"
    source.write_text(source.read_text("utf-8").replace("Theorem leaf_nonneg", "Theorem leaf_other"), "utf-8")
    assert sources_digest(tmp_path / "coq") != sources_digest(SOURCES)


def test_links__listed_entries_exist() -> None:
    assert set(linked()) <= set(entries())
    assert not [key for key in linked() if entries()[key].refutation is not None]


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
        (Link("a", HALVES, "intros; pose proof (half v_x); lra", "", WRONG, "intros; lra"), ""),
        (
            Link("a", HALVES.replace("/ 2", "/ 3"), "intros; pose proof (half v_x); lra", ""),
            "No applicable tactic|Cannot find witness",
        ),
        (Link("a", HALVES, "intros; pose proof (halves v_x); lra", ""), "halves was not found"),
        (Link("a", HALVES, "intros; lra", "", HALVES, "intros; lra"), "has not failed"),
    ],
    ids=["proved", "changed constant", "deleted lemma", "proved control"],
)
def test_links__coq_notices(link: Link, complaint: str, development: Path) -> None:
    if not complaint:
        prove([link], development, development)
        return
    with pytest.raises(FormalError, match=complaint):
        prove([link], development, development)
