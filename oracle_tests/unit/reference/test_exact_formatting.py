"""The strings of exact numbers, and their decimal rounding."""

from __future__ import annotations

import ast
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privboost.errors import PreconditionError
from privboost.oracle_tests.support.enclosures import check_overlaps, true_value
from privboost.oracle_tests.support.expressions import (
    Bounds,
    Tree,
    evaluate_exact,
    rationals,
    surd_trees,
    trees,
)
from privboost.reference.exact import Exact, decimal, enclose, exact, exp, log, sqrt

# Strings -------------------------------------------------------------------------------------------------

STRINGS: list[tuple[Exact, str]] = [
    (sqrt(2), "sqrt(2)"),
    (-sqrt(2), "-sqrt(2)"),
    (Fraction(1, 2) + 3 * sqrt(2), "1/2 + 3*sqrt(2)"),
    (sqrt(2) / 2 - 1, "-1 + 1/2*sqrt(2)"),
    (sqrt(3) - sqrt(2), "-sqrt(2) + sqrt(3)"),
    (exp(Fraction(-1, 2)), "exp(-1/2)"),
    (2 * log(3), "2*log(3)"),
    (exp(Fraction(-1, 2)) + 2 * log(3), "exp(-1/2) + 2*log(3)"),
    (exp(sqrt(2)), "exp(sqrt(2))"),
]


@pytest.mark.parametrize(("value", "string"), STRINGS, ids=[string for _, string in STRINGS])
def test_string__reads_like_mathematics(value: Exact, string: str) -> None:
    assert str(value) == string
    assert string in repr(value)


def test_string__does_not_depend_on_what_was_built_before() -> None:
    alive = sqrt(2 + exp(Fraction(1, 1009))), exp(Fraction(-1, 1013))
    strings = [str(exp(Fraction(-1, n)) + sqrt(2 + exp(Fraction(1, n)))) for n in (1009, 1013)]
    assert strings[0] == strings[1].replace("1013", "1009"), alive


def test_string__of_a_huge_argument_does_not_hide_the_error() -> None:
    with pytest.raises(PreconditionError):
        log(-(10**5000))


class _ExactLiterals(ast.NodeTransformer):
    """Turn every integer outside an exponent into a Fraction, so that / divides exactly."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        node.left = self.visit(node.left)
        if not isinstance(node.op, ast.Pow):
            node.right = self.visit(node.right)
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        return ast.Call(ast.Name("Fraction", ast.Load()), [node], [])


def evaluate_string(string: str) -> Exact:
    """Return the value of a string, read as Python with exact literals."""
    code = ast.fix_missing_locations(_ExactLiterals().visit(ast.parse(string, mode="eval")))
    names = {"Fraction": Fraction, "sqrt": sqrt, "exp": exp, "log": log, "__builtins__": {}}
    return exact(eval(compile(code, "string", "eval"), names))


@settings(max_examples=200)
@given(surd_trees())
def test_string__of_a_surd_can_be_read_back(tree: Tree) -> None:
    value = evaluate_exact(tree)
    assert evaluate_string(str(value)) == value


@settings(max_examples=300)
@given(trees())
def test_string__of_any_number_can_be_read_back(tree: Tree) -> None:
    value = evaluate_exact(tree)
    read = enclose(evaluate_string(str(value)), 60)
    assert check_overlaps(enclose(value, 60), Bounds(read.lo, read.hi))


# Decimal rounding ----------------------------------------------------------------------------------------


@settings(max_examples=300)
@given(trees(), st.integers(0, 60))
def test_decimal__is_within_half_a_unit_of_the_true_value(tree: Tree, digits: int) -> None:
    rounded = Fraction(decimal(evaluate_exact(tree), digits))
    truth, half = true_value(tree, 500), Fraction(1, 2 * 10**digits)
    slack = Fraction(1, 2**500)
    assert truth.lo - half - slack <= rounded <= truth.hi + half + slack


@settings(max_examples=200)
@given(st.fractions(min_value=Fraction(1, 1000), max_value=1000), st.integers(1, 60))
def test_decimal__agrees_with_mpmath(argument: Fraction, digits: int) -> None:
    value = log(argument) + 10
    with mpmath.workdps(digits + 40):
        peer = mpmath.log(mpmath.mpf(argument.numerator) / argument.denominator) + 10
        rounded = mpmath.nint(peer * mpmath.mpf(10) ** digits)
    assert Fraction(decimal(value, digits)) * 10**digits == int(rounded)


@settings(max_examples=200)
@given(rationals, st.integers(0, 30))
def test_decimal__has_the_requested_places(value: Fraction, digits: int) -> None:
    _, point, places = decimal(value, digits).partition(".")
    assert (bool(point), len(places)) == (digits > 0, digits)


DECIMALS: list[tuple[Exact, int, str]] = [
    (Fraction(1, 3), 5, "0.33333"),
    (Fraction(2, 3), 5, "0.66667"),
    (Fraction(-2, 3), 3, "-0.667"),
    (7, 2, "7.00"),
    (sqrt(2), 10, "1.4142135624"),
    (-sqrt(2), 4, "-1.4142"),
    (exp(1), 20, "2.71828182845904523536"),
    (log(2), 0, "1"),
    (Fraction(999, 1000), 2, "1.00"),
    (Fraction(-1, 10**6), 2, "0.00"),
    (exp(-50), 5, "0.00000"),
    (exp(log(2)) / 4 + exp(-800), 0, "1"),
]


@pytest.mark.parametrize(
    ("value", "digits", "expected"), DECIMALS, ids=[expected for _, _, expected in DECIMALS]
)
def test_decimal__of_known_numbers(value: Exact, digits: int, expected: str) -> None:
    assert decimal(value, digits) == expected


@pytest.mark.parametrize("value", [Fraction(1, 3), sqrt(2), exp(1)], ids=str)
def test_decimal__gives_thousands_of_places(value: Exact) -> None:
    assert len(decimal(value, 4200)) == 4202


@pytest.mark.parametrize("digits", [-1, 1.5, None, "3"], ids=repr)
def test_decimal__refuses_a_number_of_digits_that_is_not_natural(digits: object) -> None:
    with pytest.raises((TypeError, ValueError)):
        decimal(Fraction(1, 3), digits)  # type: ignore[arg-type]
