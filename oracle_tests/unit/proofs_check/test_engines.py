"""The engines of the proof ledger: they prove true claims and reject false ones."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privboost.proofs_check.engines import boxes, elementary, smt, sums
from privboost.proofs_check.engines.derivations import check_derivation
from privboost.proofs_check.kernel.certificates import Chord, Mirror, Rejected, check_sum
from privboost.proofs_check.kernel.terms import Claim, Formula, Term, holds, term
from privboost.proofs_check.language import (
    absolute,
    between,
    equal,
    exp,
    implies,
    infix,
    infix_claim,
    larger,
    log,
    negation,
    reals,
    risk,
    smaller,
    sqrt,
    substitute_in,
)

HALF = Fraction(1, 2)
u, v, w, x, y = reals("u v w x y")
small = st.fractions(min_value=-2, max_value=2, max_denominator=4)


def linear(draw: st.DrawFn) -> Term:
    a, b, c = (draw(small) for _ in range(3))
    return a * x + b * y + c


@st.composite
def comparisons(draw: st.DrawFn) -> Formula:
    """Return comparisons between products of linear terms, some with absolute values, minima and maxima."""
    left = linear(draw) * (linear(draw) if draw(st.booleans()) else 1)
    right = draw(
        st.sampled_from([linear(draw), absolute(linear(draw)), larger(x, y), smaller(x, linear(draw))])
    )
    return draw(st.sampled_from([left <= right, left < right, equal(left, right), right <= left]))


@settings(max_examples=60)
@given(comparisons(), comparisons(), small, small)
def test_smt__rejects_claims_with_a_counterexample(
    premise: Formula, conclusion: Formula, at_x: Fraction, at_y: Fraction
) -> None:
    point = {"x": at_x, "y": at_y}
    if holds(premise, point, {}) and not holds(conclusion, point, {}):
        with pytest.raises(Rejected):
            smt.prove(Claim((premise,), conclusion), ())


@settings(max_examples=40)
@given(comparisons(), small, small)
def test_smt__finds_hypotheses_satisfiable_that_a_point_satisfies(
    premise: Formula, at_x: Fraction, at_y: Fraction
) -> None:
    if holds(premise, {"x": at_x, "y": at_y}, {}):
        assert smt.satisfiable((premise,))
        assert not smt.satisfiable((premise, negation(premise)))


@pytest.mark.parametrize(
    ("claim", "reason"),
    [
        (Claim((), x / x <= 1), "sat on not not"),
        (Claim((x >= 0,), 1 / x >= 0), "sat on not not"),
        (Claim((), sqrt(x) >= 0), "sat on not 0 ≤ x"),
        (Claim((sqrt(x) <= 1,), x <= 1), "sat on not 0 ≤ x"),
        (Claim((), equal(log(x), log(x))), "sat on not 0 < x"),
        (Claim((x >= 0, log(x) <= 0), x <= 1), "sat on not 0 < x"),
        (Claim((x >= 0,), sqrt(x) <= x), "the negation"),
        (Claim((x > 0,), exp(x) <= 1 + x), "the negation"),
    ],
)
def test_smt__undefined_or_false_claims_are_rejected(claim: Claim, reason: str) -> None:
    with pytest.raises(Rejected, match=reason):
        smt.prove(claim, ())


def test_smt__one_argument_has_one_value() -> None:
    smt.prove(Claim((equal(x, y),), equal(risk(x), risk(y))), ())
    smt.prove(Claim((equal(x, y),), equal(exp(x), exp(y))), ())
    with pytest.raises(Rejected):
        smt.prove(Claim((), equal(risk(x), risk(y))), ())


@pytest.mark.parametrize("step", [Chord("L", u, v, w), Mirror("L", u)])
def test_smt__steps_are_those_of_the_kernel(step: Chord | Mirror) -> None:
    conditions, fact = smt.step_fact(step)
    assert conditions[0] == (u >= 0)
    assert fact.op in ("<=", "=")


def test_smt__script_is_read_alike_by_both_solvers() -> None:
    pytest.importorskip("cvc5", reason="needs cvc5")
    true = Claim((*between(0, u, 1),), sqrt(u * (1 - u)) <= HALF)
    false = Claim((*between(0, u, 1),), sqrt(u * (1 - u)) <= Fraction(49, 100))
    for claim, answer in ((true, "unsat"), (false, "sat")):
        *_, (_, question) = smt.questions(claim)
        assert smt.ask_z3(question) == smt.ask_cvc5(question) == answer


PERSPECTIVE = Claim((u > 0, u <= v, v <= w, equal(risk(0), 0)), v * risk(u / v) <= w * risk(u / w))
CHORD = Chord("L", term(0), u / w, u / v)


def test_sums__certificates_are_accepted_by_the_kernel() -> None:
    steps, certificate = sums.find_sum(PERSPECTIVE, [v > 0, w > 0, CHORD], 2)
    check_sum(PERSPECTIVE, steps, certificate)
    stronger = Claim(PERSPECTIVE.given, v * risk(u / v) <= Fraction(99, 100) * w * risk(u / w))
    with pytest.raises(Rejected):
        check_sum(stronger, steps, certificate)
    with pytest.raises(Rejected, match="was found"):
        sums.find_sum(stronger, [v > 0, w > 0, CHORD], 2)


def test_sums__side_conditions_that_do_not_hold_are_named() -> None:
    with pytest.raises(Rejected, match="was not found"):
        sums.find_sum(PERSPECTIVE, [Chord("L", term(0), u / v, u / w)], 2)


def test_boxes__are_cut_until_every_piece_is_proved() -> None:
    claim = Claim((x >= 0, x <= 1), x * (1 - x) < Fraction(26, 100))
    cuts = boxes.find_cuts(claim, 64, 1000)
    assert boxes.pieces(cuts) > 4
    with pytest.raises(Rejected, match="not proved"):
        boxes.find_cuts(Claim(claim.given, x * (1 - x) < Fraction(1, 4)), 64, 200)


def test_derivations__shifted_statements_are_rejected() -> None:
    assert check_derivation("m_alpha.surrogate", 0)
    for key, shift in (
        ("m_alpha.surrogate", 1),
        ("m_alpha.decreasing", 1),
        ("m_alpha.curvature", 0),
        ("none", 0),
    ):
        with pytest.raises(Rejected):
            check_derivation(key, shift)


POINTS = [Fraction(-3, 2), Fraction(0), Fraction(1), Fraction(2), Fraction(7)]


@pytest.mark.parametrize("name", elementary.FACTS)
def test_elementary__facts_hold_at_exact_points(name: str) -> None:
    arguments = {1: (x,), 2: (x, y)}.get(elementary.FACTS[name].__code__.co_argcount, ())
    formula = elementary.Fact(name, arguments).formula()
    checked = 0
    for at_x in POINTS:
        for at_y in POINTS:
            if "log" in name and "exp(x)" not in name and min(at_x, at_y) <= 0:
                continue
            checked += holds(formula, {"x": at_x, "y": at_y}, {})
            assert holds(formula, {"x": at_x, "y": at_y}, {})
    assert checked


@pytest.mark.parametrize(
    ("formula", "shown"),
    [
        (x - y <= 2 * (x + 1), "x - y ≤ 2·(x + 1)"),
        (-x / (y - 1) < x**2, "(-x)/(y - 1) < x^2"),
        (equal(risk(x / 2), sqrt(x) - HALF), "L(x/2) = sqrt(x) - 1/2"),
        (implies(x <= 1, y <= log(x)), "x ≤ 1 implies y ≤ log(x)"),
        (x - (y - 1) <= smaller(x, y), "x - (y - 1) ≤ min(x, y)"),
    ],
)
def test_infix__has_the_usual_notation(formula: Formula, shown: str) -> None:
    assert infix(formula) == shown


def test_infix_claim__puts_hypotheses_first() -> None:
    assert infix_claim(Claim((x >= 0,), x <= 1)) == "0 ≤ x ⊢ x ≤ 1"
    assert infix_claim(Claim((), x <= 1)) == "⊢ x ≤ 1"
    assert infix_claim(Claim((), risk(x) <= 1)) == "L is concave and symmetric on [0, 1] ⊢ L(x) ≤ 1"


@given(small, small)
def test_substitution__commutes_with_evaluation(a: Fraction, b: Fraction) -> None:
    formula = x * x + 1 <= larger(y, x)
    replaced = substitute_in(formula, {"x": y - 1, "y": 2 * x})
    assert holds(replaced, {"x": a, "y": b}, {}) == holds(formula, {"x": b - 1, "y": 2 * a}, {})
