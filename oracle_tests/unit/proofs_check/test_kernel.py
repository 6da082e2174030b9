"""The trusted kernel: it accepts right certificates and rejects wrong ones of every kind."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privboost.proofs_check import kernel
from privboost.proofs_check.kernel.certificates import (
    Bounded,
    Certificate,
    Chord,
    Mirror,
    Rejected,
    Root,
    Split,
    Step,
    check_boxes,
    check_identity,
    check_sum,
    check_witness,
)
from privboost.proofs_check.kernel.polynomials import Atoms, Polynomial, expand, plus, power, times
from privboost.proofs_check.kernel.terms import Claim, Formula, Term, holds, term, value
from privboost.proofs_check.language import (
    absolute,
    both,
    either,
    equal,
    larger,
    log,
    negation,
    reals,
    risk,
    smaller,
    sqrt,
)

MOST_LINES = 410
HALF = Fraction(1, 2)
ONE = Fraction(1)
x, y, z = reals("x y z")
ZERO_TERM, ONE_TERM = term(0), term(1)

small = st.fractions(min_value=-3, max_value=3, max_denominator=6)


def terms(depth: int) -> st.SearchStrategy[Term]:
    """Return terms of the polynomial kind in x and y, with quotients and roots of squares."""
    leaves = st.sampled_from([x, y]) | small.map(term)
    if depth == 0:
        return leaves
    inner = terms(depth - 1)
    return st.one_of(
        leaves,
        st.tuples(inner, inner).map(lambda pair: pair[0] + pair[1]),
        st.tuples(inner, inner).map(lambda pair: pair[0] * pair[1]),
        st.tuples(inner, inner).map(lambda pair: pair[0] / pair[1]),
        st.tuples(inner, st.integers(0, 3)).map(lambda pair: pair[0] ** pair[1]),
        inner.map(lambda base: sqrt(base * base + 1)),
    )


def test_kernel__is_small() -> None:
    files = Path(kernel.__file__).parent.glob("*.py")
    lines = [line for path in files for line in path.read_text("utf-8").splitlines() if line.strip()]
    assert len(lines) <= MOST_LINES


@given(terms(3), small, small)
def test_ratio__has_the_value_of_the_term(node: Term, at_x: Fraction, at_y: Fraction) -> None:
    atoms = Atoms()
    point = {"x": at_x, "y": at_y}
    try:
        upper, lower = atoms.ratio(node)
        expected = value(node, point, {})
    except (TypeError, ZeroDivisionError):
        return
    extended: dict[str, Any] = dict(point)
    for name, _, (inner_upper, inner_lower) in atoms.known:
        radicand = _evaluate(inner_upper, extended) / _evaluate(expand(inner_lower), extended)
        extended[name] = value(Term("sqrt", (Term("variable", (), "r"),)), {"r": radicand}, {})
    assert _evaluate(upper, extended) == expected * _evaluate(expand(lower), extended)


def _evaluate(polynomial: Mapping[Any, Fraction], point: Mapping[str, Any]) -> Any:
    total: Any = Fraction(0)
    for monomial, coefficient in polynomial.items():
        product: Any = coefficient
        for name, exponent in monomial:
            for _ in range(exponent):
                product = product * point[name]
        total = total + product
    return total


def test_polynomials__follow_the_binomial_formula() -> None:
    p: Polynomial = {(("x", 1),): ONE}
    q: Polynomial = {(("y", 1),): Fraction(2)}
    assert power(plus(p, q), 2) == plus(plus(times(p, p), times(p, q), Fraction(2)), times(q, q))
    assert plus(p, p, Fraction(-1)) == {}


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ((x + y) ** 2, x**2 + 2 * x * y + y**2),
        (x / y + y / x, (x**2 + y**2) / (x * y)),
        (sqrt(x) * sqrt(x), x),
        (sqrt(x / y) ** 2 * y, x),
        (1 / (sqrt(x) + 1), (sqrt(x) - 1) / (x - 1)),
        (sqrt(x * (1 - x)) ** 3, sqrt(x - x**2) * x * (1 - x)),
        (risk(x / y), risk(2 * x / (2 * y))),
        (sqrt(sqrt(x) + 1) ** 4, x + 2 * sqrt(x) + 1),
    ],
)
def test_identity__is_accepted_and_its_neighbour_is_not(left: Term, right: Term) -> None:
    check_identity(equal(left, right))
    with pytest.raises(Rejected):
        check_identity(equal(left, right + Fraction(1, 1000)))


@pytest.mark.parametrize(
    "wrong",
    [
        equal(sqrt(x**2), -x),
        equal(risk(x), risk(1 - x)),
        equal(sqrt(x) * sqrt(y), sqrt(x + y)),
        x <= 1 * x,
        both(equal(x, x)),
    ],
)
def test_identity__that_needs_more_than_algebra_is_rejected(wrong: Formula) -> None:
    with pytest.raises(Rejected):
        check_identity(wrong)


@pytest.mark.parametrize("term_", [x / (x - x), 0 / (sqrt(x) ** 2 - x)])
def test_identity__zero_divisor_is_rejected(term_: Term) -> None:
    with pytest.raises(TypeError, match="divides by zero"):
        check_identity(equal(term_, 0))


SQUARE = Claim((x >= 0, y >= 0), x * y + x >= 0)
SQUARE_SUM = Certificate(((ONE, (0, 1)), (ONE, (0,))))


def test_sum__is_accepted() -> None:
    check_sum(SQUARE, (), SQUARE_SUM)


@pytest.mark.parametrize(
    ("claim", "steps", "certificate", "reason"),
    [
        (SQUARE, (), Certificate(((ONE, (0, 1)),)), "not the conclusion"),
        (SQUARE, (), Certificate(((ONE, (0, 1)), (-ONE, (0,)))), "negative"),
        (Claim((x >= 0,), x <= 0), (), Certificate(((-ONE, (0,)),)), "negative"),
        (Claim((x >= 0,), x > 0), (), Certificate(((ONE, (0,)),)), "not known to be > 0"),
        (Claim((x >= 0, y * x >= 0), y >= 0), (), Certificate(((ONE, (1,)),), (0,)), "not known to be > 0"),
        (Claim((x >= 0,), equal(x, x)), (), Certificate(()), "cannot be concluded"),
        (Claim((x >= 0,), 1 / x >= 0), (), Certificate(((ONE, ()),)), "is not known"),
        (Claim((x / y >= 0,), x >= 0), (), Certificate(((ONE, (0,)),)), "is not known"),
        (Claim((x >= 0,), sqrt(x - 1) ** 2 >= 0), (), Certificate(((ONE, (0,)), (ONE, ()))), "is not known"),
        (Claim((), sqrt(x) >= 0), (Root(x),), Certificate(((ONE, (0,)),)), "is not known"),
        (
            Claim((x >= 0,), y >= 0),
            (Bounded(y >= 0, Certificate(((ONE, (0,)),))),),
            Certificate(((ONE, (1,)),)),
            "not the conclusion",
        ),
    ],
)
def test_sum__wrong_certificates_are_rejected(
    claim: Claim, steps: tuple[Step, ...], certificate: Certificate, reason: str
) -> None:
    with pytest.raises(Rejected, match=reason):
        check_sum(claim, steps, certificate)


def test_sum__strictness_may_come_from_a_constant_or_from_strict_facts() -> None:
    check_sum(Claim((x >= 0,), x + 1 > 0), (), Certificate(((ONE, (0,)), (ONE, ()))))
    check_sum(Claim((x > 0, y > 0), x * y > 0), (), Certificate(((ONE, (0, 1)),)))


def test_sum__conclusion_may_be_multiplied_by_positive_facts() -> None:
    check_sum(Claim((x > 0, x * y >= 0), y >= 0), (), Certificate(((ONE, (1,)),), (0,)))


UNIT_BOX = (x >= 0, x <= 1)
ABOVE_CHORD = risk(0) * (1 - x) + risk(1) * x <= risk(x)
SYMMETRIC = risk(x) <= risk(1 - x)


@pytest.mark.parametrize(
    ("then", "step"), [(ABOVE_CHORD, Chord("L", ZERO_TERM, x, ONE_TERM)), (SYMMETRIC, Mirror("L", x))]
)
def test_sum__facts_about_the_risk_are_learned_within_the_unit_interval(then: Formula, step: Step) -> None:
    check_sum(Claim(UNIT_BOX, then), (step,), Certificate(((ONE, (2,)),)))
    for bound in UNIT_BOX:
        with pytest.raises(Rejected, match="is not known"):
            check_sum(Claim((bound,), then), (step,), Certificate(((ONE, (1,)),)))


@pytest.mark.parametrize(
    ("chord", "reason"),
    [
        (Chord("L", x, ZERO_TERM, ONE_TERM), "is not known"),
        (Chord("L", ZERO_TERM, x, term(2)), "is not known"),
        (Chord("K", ZERO_TERM, x, ONE_TERM), "not the conclusion"),
    ],
    ids=["out of order", "beyond 1", "of another function"],
)
def test_chord__that_says_nothing_about_the_claim_is_rejected(chord: Chord, reason: str) -> None:
    with pytest.raises(Rejected, match=reason):
        check_sum(Claim(UNIT_BOX, ABOVE_CHORD), (chord,), Certificate(((ONE, (2,)),)))


def test_boxes__are_cut_where_one_piece_is_too_wide() -> None:
    claim = Claim(UNIT_BOX, x * (1 - x) <= Fraction(2, 5))
    with pytest.raises(Rejected, match="not proved"):
        check_boxes(claim, None, 32)
    halves = Split("x", None, None)
    quarters = Split("x", halves, halves)
    check_boxes(claim, Split("x", quarters, quarters), 32)


@pytest.mark.parametrize(
    ("claim", "reason"),
    [
        (Claim(UNIT_BOX, x < 1), "not proved"),
        (Claim(UNIT_BOX, equal(x, x)), "not proved"),
        (Claim((x >= 0,), x <= 1), "only one bound"),
        (Claim((x * x >= 0, x <= 1), x <= 1), "not bounds of a box"),
        (Claim(UNIT_BOX, either(x <= 1)), "not a comparison"),
    ],
)
def test_boxes__unproved_claims_are_rejected(claim: Claim, reason: str) -> None:
    with pytest.raises(Rejected, match=reason):
        check_boxes(claim, None, 32)


@pytest.mark.parametrize("then", [1 / x >= 1, x / x <= 0, 1 / (x - HALF) >= 0])
def test_boxes__divisor_that_may_be_zero_is_rejected(then: Formula) -> None:
    with pytest.raises(ValueError, match="not shown to be nonzero"):
        check_boxes(Claim(UNIT_BOX, then), None, 32)


@pytest.mark.parametrize(("least", "term_"), [(-1, sqrt(x)), (0, log(x)), (-1, log(x))])
def test_boxes__argument_that_may_be_outside_the_domain_is_rejected(least: int, term_: Term) -> None:
    with pytest.raises(ValueError, match="not shown to be in its domain"):
        check_boxes(Claim((x >= least, x <= 1), term_ <= 1), None, 64)


def test_witness__must_satisfy_the_hypotheses_and_break_the_conclusion() -> None:
    claim = Claim((x >= 0,), risk(x) <= 1)
    functions = {"L": ("t", 4 * Term("variable", (), "t"))}
    check_witness(claim, {"x": HALF}, functions)
    with pytest.raises(Rejected, match="conclusion holds"):
        check_witness(claim, {"x": Fraction(1, 4)}, functions)
    with pytest.raises(Rejected, match="does not satisfy"):
        check_witness(claim, {"x": -ONE}, functions)


@given(small, small)
def test_value__of_the_order_operations(a: Fraction, b: Fraction) -> None:
    point = {"x": a, "y": b}
    assert value(smaller(x, y), point, {}) == min(a, b)
    assert value(larger(x, y), point, {}) == max(a, b)
    assert value(absolute(x), point, {}) == abs(a)
    assert holds(x <= y, point, {}) == (a <= b)
    assert holds(both(x <= y, negation(equal(x, y))), point, {}) == (a < b)
    assert holds(either(x < y, y < x), point, {}) == (a != b)


def test_formula__has_no_truth_value_of_its_own() -> None:
    with pytest.raises(TypeError, match="truth value"):
        assert 0 <= x <= 1


@pytest.mark.parametrize("wrong", [0.5, "x", True, None])
def test_term__is_built_from_exact_numbers_only(wrong: Any) -> None:
    with pytest.raises(TypeError):
        term(wrong)


def test_sum__hypothesis_that_may_be_undefined_is_rejected_even_if_unused() -> None:
    s = sqrt(x**2)
    given_ = (x >= 0, sqrt(x * (s - x) / (s - x)) >= 0, x**2 >= 0)
    with pytest.raises(Rejected, match="is not known"):
        check_sum(Claim(given_, sqrt(x) * sqrt(x) * (s + x) <= 0), (), Certificate(()))


@pytest.mark.parametrize(("op", "args"), [("+", (x, x, x)), ("sqrt", ()), ("number", (x,))])
def test_term__takes_as_many_terms_as_its_operation(op: str, args: tuple[Term, ...]) -> None:
    with pytest.raises(TypeError, match="takes"):
        Term(op, args, Fraction(1))


def test_exponent__is_a_nonnegative_integer() -> None:
    with pytest.raises(ValueError, match="integer"):
        x**-1
    with pytest.raises(ValueError, match="integer"):
        Term("^", (x,), HALF)
    with pytest.raises(TypeError):
        x**0.5  # type: ignore[operator]
