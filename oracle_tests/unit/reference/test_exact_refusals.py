"""Errors of exact numbers: inexact operands on either side of every operator, and bad arguments."""

from __future__ import annotations

import cmath
import math
import operator
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from privboost.errors import DivisionByZeroError, InexactInputError, PreconditionError, PrivboostError
from privboost.reference.exact import (
    INFINITY,
    ClosedInterval,
    Enclosure,
    Exact,
    decimal,
    enclose,
    exact,
    exact_sum,
    exp,
    log,
    sign,
    sqrt,
)

SUBJECTS: dict[str, Any] = {"surd": sqrt(2), "real": exp(1), "infinity": INFINITY}
FLOATS: list[Any] = [0.5, 2.0, 0.0, math.nan, math.inf, -math.inf]
INEXACT: list[Any] = [*FLOATS, 1j, complex(2), cmath.nan]
ARITHMETIC = [operator.add, operator.sub, operator.mul, operator.truediv]
ORDERINGS = [operator.lt, operator.le, operator.gt, operator.ge]
EQUALITIES = [operator.eq, operator.ne]
OTHER_TYPES: list[Any] = [Decimal("0.5"), None, "1/2", [1]]
FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "exact": exact,
    "sqrt": sqrt,
    "exp": exp,
    "log": log,
    "sign": sign,
    "enclose": lambda x: enclose(x, 10),
    "exact_sum": lambda x: exact_sum([1, x]),
    "decimal": lambda x: decimal(x, 3),
}
RANGES: dict[str, Callable[[Any], Any]] = {
    "end of an interval": lambda x: ClosedInterval(x, 1),
    "end of an enclosure": lambda x: Enclosure(x, Fraction(1)),
    "member of an interval": lambda x: x in ClosedInterval(0, 1),
    "member of an enclosure": lambda x: x in enclose(exp(1), 10),
}

each_subject = pytest.mark.parametrize("subject", SUBJECTS.values(), ids=SUBJECTS.keys())
each_irrational = pytest.mark.parametrize("subject", [sqrt(2), exp(1)], ids=["surd", "real"])
each_inexact = pytest.mark.parametrize("value", INEXACT, ids=repr)
each_side = pytest.mark.parametrize("on_the_left", [False, True], ids=["right", "left"])


# Inexact numbers on either side --------------------------------------------------------------------------


@each_subject
@each_inexact
@each_side
@pytest.mark.parametrize("operation", [*ARITHMETIC, *ORDERINGS, *EQUALITIES], ids=lambda f: f.__name__)
def test_refusals__inexact_operands(
    subject: Any, value: Any, on_the_left: bool, operation: Callable[[Any, Any], Any]
) -> None:
    with pytest.raises(InexactInputError):
        operation(*((value, subject) if on_the_left else (subject, value)))


@each_irrational
@pytest.mark.parametrize("exponent", [0.5, 2.0, Fraction(1, 2), sqrt(2), None, "2"], ids=repr)
def test_refusals__powers_that_are_not_integers(subject: Any, exponent: Any) -> None:
    with pytest.raises(TypeError):
        subject**exponent


@pytest.mark.parametrize("base", [0.5, 2, Fraction(1, 2)], ids=repr)
@each_irrational
def test_refusals__irrational_exponents(base: Any, subject: Any) -> None:
    with pytest.raises(TypeError):
        base**subject


@each_inexact
@pytest.mark.parametrize("function", (FUNCTIONS | RANGES).values(), ids=FUNCTIONS | RANGES)
def test_refusals__inexact_arguments_of_functions(function: Callable[[Any], Any], value: Any) -> None:
    with pytest.raises(InexactInputError):
        function(value)


@pytest.mark.parametrize(
    "value", [Decimal("0.5"), Decimal("NaN"), None, [], object(), b"1/2"], ids=lambda v: type(v).__name__
)
@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)
def test_refusals__other_types_as_arguments_of_functions(function: Callable[[Any], Any], value: Any) -> None:
    with pytest.raises(TypeError):
        function(value)


@pytest.mark.parametrize("value", OTHER_TYPES, ids=lambda v: type(v).__name__)
@each_subject
@each_side
@pytest.mark.parametrize("operation", [*ARITHMETIC, *ORDERINGS], ids=lambda f: f.__name__)
def test_refusals__operands_of_other_types(
    subject: Any, value: Any, on_the_left: bool, operation: Callable[[Any, Any], Any]
) -> None:
    with pytest.raises(TypeError):
        operation(*((value, subject) if on_the_left else (subject, value)))


@pytest.mark.parametrize("value", [True, False])
@pytest.mark.parametrize("function", [exact, sqrt, exp, log, sign])
def test_refusals__truth_values_are_not_numbers(function: Callable[[Any], Any], value: bool) -> None:
    with pytest.raises(TypeError):
        function(value)


# Error messages ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "advice"), [(0.5, "Fraction(1, 2)"), (0.1, "'1/10'"), (math.inf, "INFINITY"), (math.nan, "NaN")]
)
def test_refusals__say_what_to_write_instead(value: float, advice: str) -> None:
    with pytest.raises(InexactInputError) as caught:
        exact(value)
    assert advice in str(caught.value)


def test_refusals__are_type_errors_that_name_the_argument() -> None:
    with pytest.raises(InexactInputError) as caught:
        exact(0.5, "epsilon")
    assert isinstance(caught.value, TypeError)
    assert (caught.value.name, caught.value.value) == ("epsilon", 0.5)


# Accepted input ------------------------------------------------------------------------------------------

ACCEPTED: list[tuple[Any, Fraction]] = [
    ("3/8", Fraction(3, 8)),
    ("0.125", Fraction(1, 8)),
    ("-2", Fraction(-2)),
    (Fraction(1, 3), Fraction(1, 3)),
    (7, Fraction(7)),
]


@pytest.mark.parametrize(("value", "expected"), ACCEPTED, ids=[repr(v) for v, _ in ACCEPTED])
def test_exact__accepts_rationals(value: Any, expected: Fraction) -> None:
    assert exact(value) == expected


@pytest.mark.parametrize("value", [sqrt(2), exp(1), Fraction(1, 3)], ids=["surd", "real", "fraction"])
def test_exact__returns_exact_numbers_as_they_are(value: Exact) -> None:
    assert exact(value) is value


@pytest.mark.parametrize(
    "string", ["", "abc", "1/0", "nan", "inf", "1//2", "sqrt(2)", "0x10", "1e-3", "1e30000000"]
)
def test_exact__refuses_strings_that_are_not_numbers(string: str) -> None:
    with pytest.raises(PrivboostError):
        exact(string)


# Outside the domain --------------------------------------------------------------------------------------


NEGATIVE = [-1, Fraction(-1, 10**30), -sqrt(2), sqrt(2) - sqrt(3), -exp(1), log(Fraction(1, 2))]


@pytest.mark.parametrize(
    ("function", "value"),
    [*product([sqrt, log], NEGATIVE), (log, 0), (log, sqrt(2) - sqrt(2))],
    ids=lambda v: getattr(v, "__name__", str(v)),
)
def test_domain__no_root_or_logarithm_of_a_negative_number(
    function: Callable[[Any], Any], value: Any
) -> None:
    with pytest.raises(PreconditionError):
        function(value)


def test_domain__errors_are_value_errors_with_their_data() -> None:
    with pytest.raises(ValueError) as caught:
        log(-2)
    assert getattr(caught.value, "got", None) == -2


ZEROS: dict[str, Callable[[], Any]] = {
    "int": lambda: 0,
    "fraction": lambda: Fraction(0),
    "surd": lambda: sqrt(8) - 2 * sqrt(2),
    "real": lambda: exp(1) - exp(1),
}


@pytest.mark.parametrize("numerator", [sqrt(2), exp(1), log(2) + sqrt(3)], ids=str)
@pytest.mark.parametrize("zero", ZEROS.values(), ids=ZEROS.keys())
def test_domain__no_division_by_zero(numerator: Any, zero: Callable[[], Any]) -> None:
    with pytest.raises(DivisionByZeroError) as caught:
        numerator / zero()
    assert isinstance(caught.value, ZeroDivisionError)


@pytest.mark.parametrize("zero", ZEROS.values(), ids=ZEROS.keys())
def test_domain__no_negative_power_of_zero(zero: Callable[[], Any]) -> None:
    with pytest.raises(ZeroDivisionError):
        zero() ** -1


@pytest.mark.parametrize("bits", [0.5, None, "10"], ids=repr)
def test_domain__a_precision_is_an_integer(bits: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        enclose(exp(1), bits)


@each_irrational
@pytest.mark.parametrize("conversion", [float, int, complex, math.floor, round], ids=lambda f: f.__name__)
def test_conversions__are_not_offered(subject: Any, conversion: Callable[[Any], Any]) -> None:
    with pytest.raises(TypeError):
        conversion(subject)


def test_reals__have_no_hash() -> None:
    with pytest.raises(TypeError):
        hash(exp(1))
