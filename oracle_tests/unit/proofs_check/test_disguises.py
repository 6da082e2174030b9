"""Falsehoods in disguise: each is rejected for the reason it is about, and an honest twin is accepted."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import pytest

from privboost.oracle_tests.support.entries import put
from privboost.proofs_check import hypotheses, ledger
from privboost.proofs_check.engines.smt import ask_z3
from privboost.proofs_check.entry import Cite, Entry, Induction, Proof, Verdict
from privboost.proofs_check.kernel.certificates import Chord, Mirror, Rejected
from privboost.proofs_check.kernel.terms import Claim, Formula, Functions, Term, term
from privboost.proofs_check.language import (
    between,
    both,
    either,
    equal,
    exp,
    function,
    implies,
    larger,
    log,
    reals,
    risk,
    smaller,
    sqrt,
)
from privboost.proofs_check.proofs import Boxes, Cited, Computed, Counterexample, Derived, Identity, Smt, Use

HALF = Fraction(1, 2)
TINY = Fraction(1, 10**9)
ASSUMES = "assumes what is neither"
err, margin, x, y, M, M2, E, E2, S, Omega, c, t = reals("err margin x y M M2 E E2 S Omega c t")
gamma, q, w, k, P, P2, Q = reals("gamma q w k P P2 Q")


def theorem(
    given: tuple[Formula, ...],
    then: Formula,
    key: str = "boost.theorem",
    proof: Proof | None = None,
    **parts: Any,
) -> Entry:
    """Return an entry that claims to be a theorem, in the place of a true one."""
    words = "Every boosted tree has an error of at most 10^-9."
    entry = Entry(key, words, "theorem", claim=Claim(given, then), proofs=(proof or Smt(),))
    return replace(entry, **parts)


@dataclass(frozen=True)
class Disguise:
    """A falsehood, the reason for which it is rejected, and an honest twin that is accepted."""

    false: Entry
    because: str
    twin: Entry
    others: tuple[Entry, ...] = ()


def about(make: Callable[[Term], Entry], outcome: Term = err, because: str = "") -> Disguise:
    """Return a falsehood that assumes something about an outcome; its twin assumes the same of a quantity."""
    return Disguise(make(outcome), ASSUMES + because, make(q))


def unless(
    enough: tuple[Formula, ...], then: Formula, because: str, given: tuple[Formula, ...] = (), **parts: Any
) -> Disguise:
    """Return a claim that does not follow from what is given, and whose twin follows from enough."""
    return Disguise(theorem(given, then, **parts), because, theorem(enough, then, **parts))


def in_run(false: Entry, because: str, *others: Entry) -> Disguise:
    """Return a falsehood about a run of boosting."""
    return Disguise(false, because, TRUE_RUN, others)


def in_split(false: Entry, because: str, *others: Entry) -> Disguise:
    """Return a falsehood about a split of a leaf."""
    return Disguise(false, because, TRUE_SPLIT, others)


def by_example(given: tuple[Formula, ...], then: Formula, functions: Functions, **point: int) -> Entry:
    """Return an entry about functions that is refuted by an example of them."""
    return theorem(given, then, "pbr.least", refutation=Counterexample(point, {}, functions))


def by_steps(given: tuple[Formula, ...], then: Formula, *steps: Chord | Mirror, **parts: Any) -> Entry:
    """Return an entry about functions that is proved by steps, or by a chord of the Bayes risk."""
    return theorem(given, then, "pbr.least", Smt(steps or (CHORD,)), **parts)


SETTING = (gamma > 0, gamma <= 1, equal(c, gamma**2 / 2))
RUN = (*SETTING, E <= M, exp(-(c * S)) >= M)
SMALL_RISK = exp(-(c * S)) >= E
L_BENT = (equal(risk(0), 0), equal(risk(1), 0), equal(risk(HALF), -1))
L_CURVED = (equal(risk(0), 0), equal(risk(1), 0), equal(risk(HALF), 1))
ONE_IS_TWO = equal(term(1), 2)
CHORD = Chord("L", term(0), term(HALF), term(1))
HEADLINE = ledger.entries()["boost.any-alpha"]
BELOW, RISK = HEADLINE.rests_on
assert isinstance(BELOW, Induction)
assert isinstance(RISK, Induction)
POINT = {**(HEADLINE.example or {}), "M2": Fraction(0), "Omega": Fraction(0)}
UNDEFINED = "z3 answers sat on not 0 < x"
NOT_SHOWN = "may be undefined"


def run(*rests_on: Cite | Induction, given: tuple[Formula, ...] = RUN, **parts: Any) -> Entry:
    """Return the claim that the risk falls with the shares that are split, with its proofs."""
    return theorem(given, SMALL_RISK, rests_on=rests_on, **{"example": POINT, **parts})


def lemma(key: str, given: tuple[Formula, ...], then: Formula, **parts: Any) -> Entry:
    """Return a further entry of the ledger, in the section on trees."""
    return theorem(given, then, key, **parts)


def make_citing_entry(then: Formula, given: tuple[Formula, ...], *rests_on: Cite, **parts: Any) -> Entry:
    return theorem(given, then, rests_on=rests_on, **parts)


TRUE_RUN = run(BELOW, RISK)
UNIT = (*between(0, x, 1), *between(0, y, 1), *between(0, q, 1), w > 0)
SPLIT_ERROR = next(
    item.where
    for item in ledger.entries()["boost.one-split"].rests_on
    if isinstance(item, Cite) and item.key == "boost.error.split"
)
OLD, NEW = SPLIT_ERROR["E"], SPLIT_ERROR["E2"]
PAIR = Cite("boost.error.split", SPLIT_ERROR, UNIT)
NARROW = lemma("boost.error.split", (*UNIT, q <= TINY), NEW <= OLD)
NUMBER = lemma("boost.peel", (x <= TINY,), 2 * x <= 2 * TINY)
NOTHING = lemma("boost.peel", (), 0 * x <= TINY)
STILL = lemma("boost.peel", (E <= TINY,), E <= 2 * TINY, kind="step")
SAME_NODE = ledger.entries()["level.exchange.same-node"]


def cite_peel(where: dict[str, Term], *given: Formula) -> Entry:
    """Return the claim that an error is tiny, which rests on an entry `boost.peel`."""
    return make_citing_entry(E <= 2 * TINY, (E <= TINY,), Cite("boost.peel", where, given))


def induce(after: dict[str, Term], *given: Formula) -> Entry:
    """Return the claim that an error is tiny, by induction with a step `boost.peel`."""
    induction = Induction(None, {"E": 0}, "boost.peel", after, given=given)
    return theorem((*given, E <= TINY), E <= 3 * TINY, rests_on=(induction,))


def split(*rests_on: Cite, given: tuple[Formula, ...] = (), **parts: Any) -> Entry:
    """Return the claim that a split does not double the error."""
    return make_citing_entry(E2 <= 2 * E, (*given, E >= 0, E2 <= E), *rests_on, **parts)


TRUE_SPLIT = split(PAIR)
PROPER = theorem((x <= TINY,), 2 * x <= 2 * TINY)
MIRRORED = by_steps((equal(risk(0), 0),), equal(risk(1), 0), Mirror("L", term(0)))

DISGUISES = {
    "the conclusion as hypothesis": Disguise(
        theorem((err <= TINY,), err <= TINY),
        "the conclusion is one of the hypotheses",
        theorem((q <= TINY,), 2 * q <= 2 * TINY),
    ),
    "a stronger hypothesis": about(lambda a: theorem((2 * a <= TINY, a >= 0), a <= TINY)),
    "by way of another symbol": Disguise(
        theorem((E <= M, M <= TINY), E <= TINY), ASSUMES, theorem((q <= t, t <= TINY), q <= TINY)
    ),
    "as a definition": about(lambda a: theorem((equal(a, 0),), a <= TINY)),
    "under a key of its own": Disguise(replace(PROPER, key="my.theorem"), ASSUMES, PROPER),
    "negated": about(lambda a: theorem((Formula("not", (a > TINY,)),), a <= TINY)),
    "inside a conjunction": about(lambda a: theorem((both(a >= 0, a <= TINY),), a <= TINY)),
    "an outcome as an applied function": Disguise(
        theorem((function(t, "err") <= TINY,), function(t, "err") <= 2 * TINY),
        ASSUMES,
        theorem((function(t, "P") <= TINY,), function(t, "P") <= 2 * TINY, "pbr.symmetric"),
    ),
    "an outcome as a Bayes risk": Disguise(
        theorem((risk(t, "err") <= TINY,), risk(t, "err") <= 2 * TINY, "pbr.least"),
        ASSUMES,
        theorem((risk(t) <= TINY,), risk(t) <= 2 * TINY, "pbr.least"),
    ),
    "a function given by a table": Disguise(
        theorem(
            (equal(function(0, "err"), 0), equal(function(1, "err"), 0)),
            function(0, "err") + function(1, "err") <= TINY,
        ),
        ASSUMES,
        theorem(
            (equal(function(0, "P"), 0), equal(function(1, "P"), 0)),
            function(0, "P") + function(1, "P") <= TINY,
            "pbr.symmetric",
        ),
    ),
    "the sign of an outcome": about(lambda a: theorem((a >= 0,), 2 * a >= 0), margin),
    "a constant that is chosen after the outcome": about(lambda a: theorem((equal(c, a),), a <= c)),
    "an error of Section 6": Disguise(
        theorem((err >= 0, err <= TINY), 2 * err <= 2 * TINY, "boundM1"),
        ASSUMES,
        theorem((err >= 0, err <= HALF), 2 * err <= 1, "boundM1"),
    ),
    "a bound of the run that nothing proves": in_run(run(), ASSUMES),
    "a citation of another lemma": in_run(run(replace(PAIR, where={}), RISK), "does not imply E ≤ M"),
    "a citation of a refuted claim": in_run(
        run(Cite("eqKM1"), BELOW), "'eqKM1' is cited and is not a proved formal claim"
    ),
    "a citation of a step": in_run(
        run(BELOW, Cite("boost.theorem.step", {"M": M2, "S": Omega + t}, RISK.given)), f"it {ASSUMES}"
    ),
    "a citation of itself": in_run(run(Cite("boost.theorem")), "circular: boost.theorem uses boost.theorem"),
    "a circle of two entries": in_run(
        run(BELOW, RISK, Cite("boost.peel")),
        "circular: boost.theorem uses boost.peel uses boost.theorem",
        lemma("boost.peel", (E <= M,), E <= 2 * M, rests_on=(Cite("boost.theorem"),)),
    ),
    "a citation of a more special case": Disguise(
        TRUE_SPLIT,
        "q ≤ 1/1000000000, which 'boost.error.split' assumes, is not granted",
        split(replace(PAIR, given=(*UNIT, q <= TINY))),
        (NARROW,),
    ),
    "a citation for one value of an input": in_split(
        make_citing_entry(
            2 * gamma >= E2, (gamma >= 0, gamma >= E2), replace(PAIR, where={"E2": NEW, "gamma": OLD})
        ),
        "undeclared gamma = ",
    ),
    "an induction for one value of an input": in_run(
        run(BELOW, replace(RISK, first={**RISK.first, "gamma": 1})), "needs a first value"
    ),
    "a symbol with two meanings in two citations": Disguise(
        replace(
            SAME_NODE,
            claim=Claim((k >= 1, k * P2 >= P, k * P2 >= Q), 2 * (k * P2) >= P + Q),
            rests_on=(*ledger.entries()["level.add-remove"].rests_on, SAME_NODE.rests_on[1]),
        ),
        "P2 stands for",
        SAME_NODE,
    ),
    "a symbol with another meaning in the step": Disguise(
        run(
            BELOW,
            replace(RISK, given=tuple(part for part in RISK.given if part not in between(0, t, 1))),
            given=(*between(0, t, 1), *RUN),
        ),
        "0 ≤ t, which 'boost.theorem.step' assumes, is not granted",
        run(BELOW, RISK, given=(*between(0, t, 1), *RUN)),
    ),
    "a hypothesis that is only stated to be a condition of the lemma": in_split(
        cite_peel({"E": x}, x <= TINY), "x ≤ 1/1000000000 is stated, not proved", NUMBER
    ),
    "a hypothesis that is stated in other words": in_split(
        cite_peel({"E": x}, 2 * x <= 2 * TINY),
        "undeclared E = x",
        lemma("boost.peel", (2 * x <= 2 * TINY,), x <= TINY),
    ),
    "a hypothesis about the parts of an outcome": in_split(
        cite_peel({"E": OLD}, 2 * OLD <= 2 * TINY),
        f"it {ASSUMES}",
        lemma("boost.peel", (2 * OLD <= 2 * TINY,), OLD <= TINY, kind="step"),
    ),
    "an outcome that stands for 0": in_split(cite_peel({"E": 0 * x}), "undeclared E = 0·x", NOTHING),
    "a positive outcome that stands for -5": in_split(
        cite_peel({"E": term(-5)}), "undeclared E = -5", NOTHING
    ),
    "an outcome and a sum that stand for 0": in_split(
        make_citing_entry(E <= 2 * S, (S >= 0, E <= S), Cite("boost.peel", {"E": term(0), "S": term(0)})),
        "undeclared E = 0; S = 0",
        NOTHING,
    ),
    "an outcome among the conditions of the lemma": in_split(
        split(replace(PAIR, given=(*UNIT, M <= TINY))), f"{ASSUMES}.*: M ≤"
    ),
    "an induction that stands still": in_run(induce({"E": E}), "undeclared E: 0; E → E", STILL),
    "an induction without steps": in_run(induce({}), "needs a first value and a next one", STILL),
    "an induction along another sequence": in_run(
        induce({"E": E / 2}, E >= 0),
        "undeclared E: 0; E → E/2",
        lemma("boost.peel", (E >= 0, E <= TINY), E / 2 <= TINY, kind="step"),
    ),
    "a hypothesis inside the conclusion": about(
        lambda a: theorem((gamma > 0, gamma < 1), implies(2 * a <= TINY, a <= TINY)), E, ".*: 2·E ≤"
    ),
    "a hypothesis as a disjunction": about(
        lambda a: theorem((gamma > 0, gamma < 1), either(a <= TINY, 2 * a > TINY)), E, ".*: not .E ≤"
    ),
    "a hypothesis as a negated conjunction": about(
        lambda a: theorem((gamma > 0, gamma < 1), Formula("not", (both(2 * a <= TINY, a > TINY),))),
        E,
        ".*: 2·E ≤",
    ),
    "a hypothesis as a minimum": about(
        lambda a: theorem((x >= 0,), smaller(a, TINY) <= TINY + x), E, ".*: E ≤ 1/1000000000"
    ),
    "one direction of an equivalence": Disguise(
        theorem((), both(implies(2 * E <= TINY, E <= TINY / 2), implies(3 * E <= TINY, 2 * E <= TINY))),
        ASSUMES,
        theorem((), both(implies(2 * E <= TINY, E <= TINY / 2), implies(E <= TINY / 2, 2 * E <= TINY))),
    ),
    "a sign that is strict": Disguise(theorem((E > 0,), E / 2 > 0), ASSUMES, theorem((E >= 0,), E / 2 >= 0)),
    "minimum and maximum swapped": in_run(
        run(replace(BELOW, after={**BELOW.after, "E": E + w * 2 * larger(q, 1 - q)}), RISK),
        "boost.error does not imply",
    ),
    "an index shifted at the start": in_run(
        run(BELOW, replace(RISK, first={**RISK.first, "S": 1})), "is not shown at the start"
    ),
    "an index shifted in the step": in_run(
        run(BELOW, replace(RISK, after={**RISK.after, "M": M, "S": Omega + 2})), "does not imply"
    ),
    "an induction with no start": in_run(
        run(BELOW, replace(RISK, start=None, first={"M": 2, "S": 0})), "is not shown at the start"
    ),
    "an induction with too large a step": in_run(
        run(BELOW, replace(RISK, after={**RISK.after, "S": Omega + 2 * t})), "does not imply"
    ),
    "an induction on a stronger invariant": in_run(
        replace(
            run(BELOW, RISK),
            claim=Claim((*SETTING, E <= M, exp(-(2 * c * S)) >= M), exp(-(2 * c * S)) >= E),
        ),
        "boost.theorem.step does not imply",
    ),
    "an induction without the conditions of its step": in_run(
        run(BELOW, replace(RISK, given=(*between(0, t, 1), M >= 0))),
        "'boost.theorem.start' assumes, is not granted",
    ),
    "an induction whose start contradicts what it assumes": in_run(
        run(BELOW, replace(RISK, given=(*RISK.given, q <= -1), first={"M": 2, "S": 0})),
        "cannot hold together",
    ),
    "an induction that changes a constant": in_run(
        run(BELOW, replace(RISK, after={**RISK.after, "c": c / 2})), "needs a first value"
    ),
    "an induction whose step cannot be the first": Disguise(
        run(BELOW, replace(RISK, given=(*RISK.given, Omega >= 1)), example={**POINT, "Omega": 1}),
        "cannot hold at the start",
        run(BELOW, replace(RISK, given=(*RISK.given, t <= HALF))),
    ),
    "hypotheses that contradict each other": Disguise(
        theorem((x > 0, x < 0), ONE_IS_TWO), "cannot hold together", theorem((x > 0,), 2 * x > 0)
    ),
    "hypotheses that contradict those of a citation": Disguise(
        split(PAIR, given=(q >= 2,)),
        "is not granted|cannot hold together",
        split(PAIR, given=(q >= HALF,)),
    ),
    "an empty domain": Disguise(
        theorem(between(1, x, 0), x >= 2, proof=Boxes()),
        "cannot hold together|not proved",
        theorem(between(0, x, 1), x <= 2, proof=Boxes()),
    ),
    "1 = 2 from a chord of any function": Disguise(
        by_steps(
            tuple(equal(function(at, "P"), value) for at, value in ((0, 0), (1, 0), (HALF, -1))),
            ONE_IS_TWO,
            replace(CHORD, function="P"),
        ),
        "z3 answers sat on the negation",
        by_steps(L_CURVED, risk(HALF) > 0),
    ),
    "1 = 2 from a Bayes risk that is not concave": Disguise(
        by_steps(L_BENT, ONE_IS_TWO), "cannot hold together", by_steps(L_CURVED, risk(HALF) > 0)
    ),
    "1 = 2 with an example that is not concave": Disguise(
        by_steps(L_BENT, ONE_IS_TWO, example={}, functions={"L": ("x", -4 * x * (1 - x))}),
        "concave and symmetric",
        by_steps(L_CURVED, risk(HALF) > 0, example={}, functions={"L": ("x", 4 * x * (1 - x))}),
    ),
    "1 = 2 from a mirror of any function": Disguise(
        by_steps((equal(function(0, "P"), 0), equal(function(1, "P"), 1)), ONE_IS_TWO, Mirror("P", term(0))),
        "z3 answers sat on the negation",
        MIRRORED,
    ),
    "a logarithm of 0, by boxes": unless(
        between(HALF, x, 1), log(x) <= 1, "not proved with 50 cuts", between(0, x, 1), proof=Boxes(limit=50)
    ),
    "a logarithm of anything, by z3": unless((x > 0,), equal(log(x) - log(x), 0), UNDEFINED),
    "a logarithm of 0 among the hypotheses": unless(
        (x > 0, log(x) <= 0), log(x) <= 1, UNDEFINED, (log(x) <= 0,), example={"x": 1}
    ),
    "an identity of quotients by 0": unless((x > 0,), equal(x / x, 1), NOT_SHOWN, proof=Identity()),
    "a division by what may vanish": unless(
        (x > 1,), equal((x**2 - 1) / (x - 1), x + 1), NOT_SHOWN, (x > 0,), proof=Identity()
    ),
    "a bound rounded the wrong way": Disguise(
        theorem(between(2, x, 2), sqrt(x) <= Fraction(14142135623, 10**10), proof=Boxes()),
        "not proved",
        theorem(between(2, x, 2), sqrt(x) <= Fraction(14142135624, 10**10), proof=Boxes()),
    ),
    "a witness of another function than the claim's": Disguise(
        by_example((equal(risk(0), 0),), risk(HALF) >= 0, {"G": ("x", -x * (1 - x))}),
        "the Bayes risk L has no definition",
        by_example((equal(risk(0), 0),), risk(HALF) >= 1, {"L": ("x", x * (1 - x))}),
    ),
    "a witness that is no Bayes risk, by the name of one": Disguise(
        by_example((equal(function(0, "L"), 0),), function(HALF, "L") >= 0, {"L": ("x", -x * (1 - x))}),
        "L is the name of a Bayes risk",
        by_example((equal(function(0, "P"), 0),), function(HALF, "P") >= 0, {"P": ("x", -x * (1 - x))}),
    ),
    "a function by the name of exp": Disguise(
        by_example((), function(x, "exp") <= 1, {"exp": ("x", x + 2)}, x=0),
        "the name exp is reserved",
        by_example((), function(x, "P") <= 1, {"P": ("x", x + 2)}, x=0),
    ),
    "a name of the engines": Disguise(
        theorem((reals("_part0")[0] >= 1,), reals("_part0")[0] >= 0),
        "the name _part0 is reserved",
        theorem((q >= 1,), q >= 0),
    ),
    "a name with two meanings": Disguise(
        by_example((), risk(x, "G") + 1 <= function(x, "G"), {"G": ("x", 0 * x)}, x=0),
        "G is the name of a Bayes risk",
        MIRRORED,
    ),
}


@pytest.mark.parametrize("disguise", DISGUISES)
def test_falsehood__is_rejected_for_its_own_reason(disguise: str, monkeypatch: pytest.MonkeyPatch) -> None:
    case = DISGUISES[disguise]
    put(monkeypatch, case.false, *case.others)
    judgement = ledger.judge(case.false.key)
    assert judgement.verdict is None
    assert re.search(case.because, judgement.complaint), judgement.complaint


@pytest.mark.parametrize("disguise", DISGUISES)
def test_falsehood__has_an_honest_twin_that_is_accepted(
    disguise: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = DISGUISES[disguise]
    put(monkeypatch, case.twin, *case.others)
    judgement = ledger.judge(case.twin.key)
    expected = Verdict.REFUTED if case.twin.refutation else Verdict.PROVED
    assert judgement.verdict is expected, judgement.complaint


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


@pytest.mark.parametrize(
    ("key", "tool", "needed"),
    [
        ("level.sum-step", "z3", True),
        ("boost.theorem", "z3", False),
        ("lemcurv.log", "sympy", True),
        ("sensALPHA.continuous", "sympy", False),
    ],
)
def test_trust__has_the_tools_that_show_citations_and_words(key: str, tool: str, needed: bool) -> None:
    assert (tool in ledger.judge(key).trust) is needed


@pytest.mark.parametrize("forged", [{"engine": "coq"}, {"engine": "smt"}, {"trust": ("coq",)}])
def test_computation__cannot_pass_for_a_proof(forged: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="expected"):
        Computed(lambda: "ok", (), (), **forged)


@pytest.mark.parametrize(
    ("proofs", "verdict"),
    [
        ((Cited("folklore"), Computed(lambda: "ok", (), ())), Verdict.EXTERNAL),
        ((Computed(lambda: "ok", (), (), "exhaustion"), Computed(lambda: "ok", (), ())), Verdict.EXHAUSTED),
        ((Cited("folklore"), Computed(lambda: "ok", (), (), "exhaustion")), Verdict.EXTERNAL),
        ((Computed(lambda: "ok", (), ()),), Verdict.PROVED),
    ],
)
def test_falsehood__beside_a_computation_has_the_weakest_verdict(
    proofs: tuple[Proof, ...], verdict: Verdict, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(monkeypatch, replace(theorem((), ONE_IS_TWO), claim=None, proofs=proofs))
    assert ledger.judge("boost.theorem").verdict is verdict


@pytest.mark.parametrize(
    ("op", "args"),
    [
        ("and", ()),
        ("or true", (E <= TINY,)),
        ("<=", (E <= TINY, E)),
        ("not", (E,)),
        ("=", (E, E, E)),
    ],
)
def test_formula__is_well_formed(op: str, args: tuple[Any, ...]) -> None:
    with pytest.raises((TypeError, KeyError)):
        Formula(op, args)


@pytest.mark.parametrize("name", ["x () Real)(assert false)", "", "2", "sqrt#0", "E + M"])
def test_variable__has_a_plain_name(name: str) -> None:
    with pytest.raises(ValueError, match="name"):
        Term("variable", (), name)


def test_question__that_z3_cannot_read_is_rejected() -> None:
    with pytest.raises(Rejected, match="z3"):
        ask_z3("(assert")


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
    anything = Claim((*between(0, x, 1), equal(function(0, "P"), 0)), function(x, "P") >= 0)
    Counterexample({"x": 1}, {"x": 0}, {"P": ("x", -x)}).accept(anything, {})
    with pytest.raises(Rejected):
        Smt(steps).accept(anything, {})


UNIT_Q = between(0, q, 1)


@pytest.mark.parametrize(
    ("entries", "verdict"),
    [
        ((theorem((2 * err <= TINY, err >= 0), err <= TINY, kind="step"),), Verdict.STEP),
        ((theorem((2 * err <= TINY,), err <= TINY, hypothesis="tiny errors"),), Verdict.PROVED_IF),
        (
            (
                theorem(UNIT_Q, q <= 2, proof=Smt(uses=(Use("boost.peel", {}),))),
                lemma("boost.peel", UNIT_Q, q <= 1, hypothesis="the moon is full"),
            ),
            Verdict.PROVED_IF,
        ),
    ],
    ids=["a step", "a hypothesis in words", "through a conditional lemma"],
)
def test_falsehood__is_no_theorem(
    entries: tuple[Entry, ...], verdict: Verdict, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(monkeypatch, *entries)
    assert ledger.judge("boost.theorem").verdict is verdict


def test_cycle__below_an_entry_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    circle = [
        lemma(key, (E <= M,), E <= 2 * M, rests_on=(Cite(other),))
        for key, other in (("boost.peel", "boost.error.split"), ("boost.error.split", "boost.peel"))
    ]
    put(monkeypatch, run(PAIR, RISK), *circle)
    complaint = ledger.judge("boost.theorem").complaint
    assert "HarnessError: circular: boost.error.split uses boost.peel uses boost.error.split" in complaint
