"""The assembly of theorems from lemmas: headlines rest on their lemmas, and falsehoods are rejected."""

from __future__ import annotations

import time
from dataclasses import replace
from fractions import Fraction

import pytest

from privboost.proofs_check import hypotheses, ledger, record
from privboost.proofs_check.assembly import cited_keys
from privboost.proofs_check.engines import smt
from privboost.proofs_check.entry import Cite, Entry, Induction, Proof, Verdict
from privboost.proofs_check.kernel.certificates import Chord, Mirror, Rejected
from privboost.proofs_check.kernel.terms import Claim, Formula, Functions, Term, term
from privboost.proofs_check.language import between, both, equal, exp, function, log, reals, risk
from privboost.proofs_check.links.theorems import coq_proofs
from privboost.proofs_check.pages.ledger import trust_rows
from privboost.proofs_check.proofs import Boxes, Computed, Counterexample, Derived, Identity, Smt

HALF = Fraction(1, 2)
TINY = Fraction(1, 10**9)
err, x, y, M, M2, E, S, Omega, c, t = reals("err x y M M2 E S Omega c t")
gamma, q = reals("gamma q")

HEADLINES = {
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
}
"""Theorems, with lemmas that they must reach."""

LEMMAS = sorted({lemma for key in HEADLINES for lemma in ledger.reached(key)})


def put(monkeypatch: pytest.MonkeyPatch, entry: Entry) -> None:
    """Add an entry to the ledger, or replace it; a link to Coq, which notices any change, is left out."""
    entries = {**ledger.entries(), entry.key: entry}
    monkeypatch.setattr(ledger, "coq_proofs", lambda key: () if key == entry.key else coq_proofs(key))
    monkeypatch.setattr(ledger, "entries", lambda: entries)


def on_record() -> dict[str, ledger.Judgement]:
    return {key: ledger.Judgement(key, row.verdict, ()) for key, row in record.record().items()}


@pytest.mark.parametrize("key", HEADLINES)
def test_headline__reaches_its_lemmas_and_is_proved(key: str) -> None:
    assert ledger.reached(key) >= HEADLINES[key]
    assert ledger.judge(key).verdict in (Verdict.PROVED, Verdict.PROVED_IF)


@pytest.mark.parametrize("lemma", LEMMAS)
def test_headline__falls_with_any_lemma(lemma: str, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = ledger.entries()[lemma]
    assert entry.control_claim is not None
    put(monkeypatch, replace(entry, claim=entry.control_claim, added=()))
    judgements = {**on_record(), lemma: ledger.judge(lemma)}
    assert judgements[lemma].verdict is None
    settled = ledger.settled(judgements)
    headlines = [key for key in HEADLINES if lemma in ledger.reached(key)]
    assert headlines
    for key in headlines:
        assert settled[key].verdict is None
        assert "which is not proved" in settled[key].complaint


@pytest.mark.parametrize("key", [key for key in HEADLINES if cited_keys(ledger.entries()[key])])
def test_headline__rejects_a_true_lemma_that_is_beside_the_point(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    cited = cited_keys(ledger.entries()[key])[-1]
    (square,) = reals("square")
    beside = Claim((), square * square >= 0)
    put(monkeypatch, replace(ledger.entries()[cited], claim=beside, proofs=(Smt(),), added=(), rests_on=()))
    assert ledger.judge(cited).verdict is Verdict.PROVED
    assert ledger.judge(key).verdict is None


def theorem(
    given: tuple[Formula, ...],
    then: Formula,
    key: str = "boost.theorem",
    proof: Proof | None = None,
    **parts: object,
) -> Entry:
    """Return an entry that claims to be a theorem, in the place of a true one."""
    words = "Every boosted tree has an error of at most 10^-9."
    entry = Entry(key, words, "theorem", claim=Claim(given, then), proofs=(proof or Smt(),))
    return replace(entry, **parts)  # type: ignore[arg-type]


SETTING = (gamma > 0, gamma <= 1, equal(c, gamma**2 / 2))
RUN = (*SETTING, E <= M, exp(-(c * S)) >= M)
L_BENT = (equal(risk(0), 0), equal(risk(1), 0), equal(risk(HALF), -1))
F_BENT = tuple(equal(function(at, "f"), value) for at, value in ((0, 0), (1, 0), (HALF, -1)))
ONE_IS_TWO = equal(term(1), 2)
CHORD = Chord("L", term(0), term(HALF), term(1))
SMALL_RISK = exp(-(c * S)) >= E
RISK = ledger.entries()["boost.any-alpha"].rests_on[1]
BELOW = ledger.entries()["boost.any-alpha"].rests_on[0]
assert isinstance(RISK, Induction)

FALSE = {
    "the conclusion as hypothesis": theorem((err <= TINY,), err <= TINY),
    "a stronger hypothesis": theorem((2 * err <= TINY, err >= 0), err <= TINY),
    "by way of another symbol": theorem((E <= M, M <= TINY), E <= TINY),
    "as a definition": theorem((equal(err, 0),), err <= TINY),
    "under a key of its own": theorem((x <= TINY,), 2 * x <= 2 * TINY, key="my.theorem"),
    "negated": theorem((Formula("not", (err > TINY,)),), err <= TINY),
    "inside a conjunction": theorem((both(err >= 0, err <= TINY),), err <= TINY),
    "a bound of the run that nothing proves": theorem(RUN, SMALL_RISK),
    "a citation of another lemma": theorem(RUN, SMALL_RISK, rests_on=(Cite("boost.leaf-drop-half"), BELOW)),
    "a citation of a refuted claim": theorem(RUN, SMALL_RISK, rests_on=(Cite("eqKM1"), BELOW)),
    "a citation of a step": theorem(RUN, SMALL_RISK, rests_on=(Cite("boost.theorem.step"), BELOW)),
    "a citation of itself": theorem(RUN, SMALL_RISK, rests_on=(Cite("boost.theorem"),)),
    "an induction with no start": theorem(
        RUN, SMALL_RISK, rests_on=(BELOW, replace(RISK, start=None, first={"M": 2, "S": 0}))
    ),
    "an induction with too large a step": theorem(
        RUN, SMALL_RISK, rests_on=(BELOW, replace(RISK, after={**RISK.after, "S": Omega + 2 * t}))
    ),
    "an induction on a stronger invariant": theorem(
        (*SETTING, E <= M, exp(-(2 * c * S)) >= M), exp(-(2 * c * S)) >= E, rests_on=(BELOW, RISK)
    ),
    "an induction without the conditions of its step": theorem(
        (gamma > 0, equal(c, gamma**2 / 2), E <= M, exp(-(c * S)) >= M), SMALL_RISK, rests_on=(BELOW, RISK)
    ),
    "an induction whose start contradicts the hypotheses": theorem(
        (*RUN, q <= -1), SMALL_RISK, rests_on=(BELOW, replace(RISK, first={"M": 2, "S": 0}))
    ),
    "hypotheses that contradict each other": theorem((x > 0, x < 0), ONE_IS_TWO),
    "1 = 2 from a chord of any function": theorem(
        F_BENT, ONE_IS_TWO, proof=Smt((replace(CHORD, function="f"),))
    ),
    "1 = 2 from a Bayes risk that is not concave": theorem(L_BENT, ONE_IS_TWO, proof=Smt((CHORD,))),
    "1 = 2 with an example that is not concave": theorem(
        L_BENT,
        ONE_IS_TWO,
        proof=Smt((CHORD,)),
        example={},
        functions={"L": ("x", -4 * x * (1 - x))},
    ),
    "1 = 2 from a mirror of any function": theorem(
        (equal(function(0, "f"), 0), equal(function(1, "f"), 1)),
        ONE_IS_TWO,
        proof=Smt((Mirror("f", term(0)),)),
    ),
    "a logarithm of 0, by boxes": theorem(between(0, x, 1), log(x) <= 1, proof=Boxes(limit=50)),
    "a logarithm of anything, by z3": theorem((), equal(log(x) - log(x), 0)),
    "a logarithm of 0 among the hypotheses": theorem((log(x) <= 0,), log(x) <= 1),
    "an identity of quotients by 0": theorem((), equal(x / x + err, 1 + 2 * err), proof=Identity()),
}


@pytest.mark.parametrize(
    "proof", [Derived("square.symmetric"), Computed(lambda: "ok", (), ())], ids=["derivation", "computation"]
)
def test_falsehood__is_not_proved_by_an_engine_that_ignores_the_formula(
    proof: Proof, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(monkeypatch, theorem((), ONE_IS_TWO, proof=proof))
    judgement = ledger.judge("boost.theorem")
    assert judgement.verdict is None
    assert "no proof is about the formula" in judgement.complaint


@pytest.mark.parametrize("disguise", FALSE)
def test_falsehood__is_not_proved_in_any_disguise(disguise: str, monkeypatch: pytest.MonkeyPatch) -> None:
    put(monkeypatch, FALSE[disguise])
    judgement = ledger.judge(FALSE[disguise].key)
    assert judgement.verdict is None
    assert judgement.complaint


def test_falsehood__as_a_step_is_no_theorem(monkeypatch: pytest.MonkeyPatch) -> None:
    put(monkeypatch, theorem((2 * err <= TINY, err >= 0), err <= TINY, kind="step"))
    assert ledger.judge("boost.theorem").verdict is Verdict.STEP


def test_falsehood__with_a_hypothesis_in_words_is_conditional(monkeypatch: pytest.MonkeyPatch) -> None:
    put(monkeypatch, theorem((2 * err <= TINY,), err <= TINY, hypothesis="tiny errors"))
    assert ledger.judge("boost.theorem").verdict is Verdict.PROVED_IF


NON_NEGATIVE = Claim((*between(0, x, 1), equal(risk(0), 0)), risk(x) >= 0)


@pytest.mark.parametrize("body", [-x * (1 - x), -x, x * (x - HALF), (4 * x - 1) ** 2 - 1])
def test_witness__of_a_claim_about_bayes_risks_is_a_bayes_risk(body: Term) -> None:
    functions: Functions = {"L": ("x", body)}
    with pytest.raises(Rejected, match="concave and symmetric"):
        Counterexample({"x": Fraction(1, 4)}, {"x": 0}, functions).accept(NON_NEGATIVE, {})
    with pytest.raises(Rejected, match="no definition"):
        hypotheses.check_risks(NON_NEGATIVE, {})


def test_claim__about_bayes_risks_is_not_both_proved_and_refuted() -> None:
    steps = (Mirror("L", term(0)), Chord("L", term(0), x, term(1)))
    Smt(steps).accept(NON_NEGATIVE, {})
    anything = Claim((*between(0, x, 1), equal(function(0, "L"), 0)), function(x, "L") >= 0)
    Counterexample({"x": 1}, {"x": 0}, {"L": ("x", -x)}).accept(anything, {})
    with pytest.raises(Rejected):
        Smt(steps).accept(anything, {})


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
    monkeypatch.setattr(smt, "_ask_cvc5", lambda *_: time.sleep(60))
    begin = time.monotonic()
    assert smt.ask_cvc5("(check-sat)", 0.2) == "unknown"
    assert time.monotonic() - begin < 10
