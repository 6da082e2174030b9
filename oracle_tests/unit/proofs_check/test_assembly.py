"""The assembly of theorems: headlines rest on their lemmas, and fall with any of them."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from privboost.oracle_tests.support.entries import put
from privboost.oracle_tests.support.marks import keep_every
from privboost.proofs_check import ledger, record
from privboost.proofs_check.assembly import cited_keys
from privboost.proofs_check.engines import smt
from privboost.proofs_check.entry import Verdict
from privboost.proofs_check.kernel.terms import Claim
from privboost.proofs_check.language import reals
from privboost.proofs_check.pages.ledger import resting_on, trust_rows
from privboost.proofs_check.proofs import Smt

REQUIRED = {
    "boost.theorem": {"boost.leaf-drop-square", "boost.leaf-drop", "boost.leaf-drop-half", "boost.tree-drop"},
    "boost.any-alpha": {"boost.leaf-drop-half", "boost.tree-drop.amount", "boost.error.leaf"},
    "boost.printed-index": {"boost.leaf-drop-half", "boost.any-alpha.sum"},
    "boost.depth": {"boost.leaf-drop", "boost.level-sum", "boost.level-exponential"},
    "boost.one-split": {"boost.tree-drop", "boost.error.split", "tekLEM.assembled"},
    "boost.largest-share.size": {"boostCOND.harmonic"},
    "boostCOND.levels": {"boost.leaf-drop", "boost.level-sum", "boost.level-exponential"},
    "thBoostLC1.accumulated": {"fEQ1.descent", "eqSEQ.example", "eqSEQ.average", "eqCONST111.wla"},
    "thBoostLC1.rounds": {"fEQ1.descent", "eqSEQ.fall", "thBoostLC1.mistakes"},
    "thBoostLC1.sharper": {"fEQ1.descent"},
    "thBoostLC1.best-interval": {"fEQ1.descent"},
    "thBoostLC1.out-of-reach": {"fEQ1.descent"},
    "thBoostLC1.reach": {"thBoostLC1.sum-bounded", "fEQ1.descent"},
    "sec:def.exponential": {"sec:def.exponential-term", "sec:def.exponential-total"},
    "sec-solv.nets-private": {"sec-solv.nets", "sec:def.laplace-vector"},
    "level.exchange": {"level.weight", "level.sum-step", "level.monotone-node.back"},
    "level.add-remove": {"level.weight", "level.monotone-node"},
    "eqBOUND22.linear": {"eqBOUND22.fat-sum", "eqBOUND22.linear.slim-sum"},
    "sharp.exchange": {"sharp.gain", "sharp.monotone"},
    "sharp.add-remove": {"sharp.gain", "sharp.monotone"},
    "th3P": {"th3P.one-more", "th3P.rays", "lemI2.A"},
    "sensALPHA": {"sensALPHA.value", "sharp.exchange", "sharp.gain"},
    "sec:def.composition": {"sec:def.composition-product"},
    "thBOOSTDP1.corrected": {"eqBOUND22.linear", "eqBOUND22.fat-sum", "thBOOSTDP1.scale"},
    "thBOOSTDP1.granted": {"eqBOUND22.linear", "eqBOUND22.fat-sum", "thBOOSTDP1.scale"},
}
"""The main theorems, with lemmas that they must reach."""

HEADLINES = {
    *REQUIRED,
    *(
        key
        for key, entry in ledger.entries().items()
        if entry.kind in ("theorem", "corollary")
        and entry.refutation is None
        and ledger.collect_dependencies(key)
    ),
}
"""All theorems and corollaries that rest on lemmas."""

LEMMAS = sorted({lemma for key in HEADLINES for lemma in ledger.collect_dependencies(key)})


@pytest.mark.parametrize("key", REQUIRED)
def test_headline__reaches_its_lemmas_and_is_proved(key: str) -> None:
    assert ledger.collect_dependencies(key) >= REQUIRED[key]
    assert record.record()[key].verdict in (Verdict.PROVED, Verdict.PROVED_IF)


@pytest.mark.parametrize("lemma", keep_every(6, LEMMAS))
def test_headline__falls_with_any_lemma(lemma: str, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = ledger.entries()[lemma]
    assert entry.control_claim is not None
    put(monkeypatch, replace(entry, claim=entry.control_claim, added=()))
    headlines = [key for key in HEADLINES if lemma in ledger.collect_dependencies(key)]
    assert headlines
    resting = {*headlines, *(used for key in headlines for used in ledger.collect_dependencies(key))}
    judgements = {key: ledger.Judgement(key, record.record()[key].verdict, ()) for key in resting}
    judgements[lemma] = ledger.judge(lemma)
    assert judgements[lemma].verdict is None
    settled = ledger.settle(judgements)
    for key in headlines:
        assert settled[key].verdict is None
        assert "which is not proved" in settled[key].complaint


@pytest.mark.parametrize("key", [key for key in sorted(HEADLINES) if cited_keys(ledger.entries()[key])])
def test_headline__rejects_a_true_lemma_that_is_beside_the_point(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    cited = cited_keys(ledger.entries()[key])[-1]
    (square,) = reals("square")
    beside = Claim((), square * square >= 0)
    put(monkeypatch, replace(ledger.entries()[cited], claim=beside, proofs=(Smt(),), added=(), rests_on=()))
    assert ledger.judge(cited).verdict is Verdict.PROVED
    assert ledger.judge(key).verdict is None


def test_trust__rows_add_up() -> None:
    judgements = [
        ledger.Judgement(key, ledger.judge(key).verdict, ledger.judge(key).outcomes)
        for key in ("lemI", "eqKM1", "boost.theorem", "wlaKMLC", "boostCOND.km-bound")
    ]
    rows = list(trust_rows(judgements))
    total = next(i for i, row in enumerate(rows) if row[0] == "all")
    for column in (1, 2):
        assert sum(int(row[column]) for row in rows[:total]) == int(rows[total][column])
    assert (rows[total][1], rows[total][2]) == ("4", "1")


def test_trust__is_that_of_a_proof_of_the_whole_formula() -> None:
    """A derivation or an exhaustion beside a formal proof is not what the verdict rests on."""
    assert "reference" not in record.record()["boost.leaf-drop-half"].trust
    assert "sympy" not in record.record()["theoremalpha.link.left.member"].trust
    assert {"coq", "reference"} <= set(record.record()["sec-solv.leaf-range"].trust)


def test_second_opinion__ends_when_its_time_is_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(smt, "_ask_cvc5", lambda *_: time.sleep(1000))
    begin = time.monotonic()
    assert smt.ask_cvc5("(check-sat)", 0.2) == "unknown"
    assert time.monotonic() - begin < 500


def test_trust__counts_only_the_lemmas_of_the_proof_that_is_reported() -> None:
    """A lemma of another, more demanding proof of the same entry does not count."""
    trust = {key: row.trust for key, row in record.record().items()}
    for key, parts in trust.items():
        assumed = {*parts}
        while new := {part for used in assumed & trust.keys() for part in trust[used]} - assumed:
            assumed |= new
        assert resting_on(key, trust) == assumed - trust.keys()
