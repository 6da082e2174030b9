"""The numbers of the test vectors agree with mpmath and independently written formulas."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import pytest
from mpmath import mp, mpf

from privboost.gate.vectors.encoding import DIGITS
from privboost.oracle_tests.support.checkout import ROOT

VECTORS = ROOT / "gate" / "trees" / "vectors"
WORKING_DIGITS = 2500
"""Enough for 1 - u at u = 2^-8000."""
TOLERANCE = Fraction(51, 10) / 10**DIGITS
"""Half a unit in the last printed digit, relative to the number, and the rounding of mpmath."""


def risk(u: Any, alpha: Any, loss: str) -> Any:
    """Return the normalised Bayes risk."""
    if loss == "square":
        return 4 * u * (1 - u)
    if loss == "log":
        return -sum(p * mp.log(p, 2) for p in (u, 1 - u) if p > 0)
    return 2 * alpha * mp.sqrt(u * (1 - u)) + 2 * (1 - alpha) * min(u, 1 - u)


def slope(u: Any, alpha: Any, loss: str) -> Any:
    """Return the canonical link away from its jumps."""
    if loss == "square":
        return 8 * u - 4
    if loss == "log":
        return mp.log(u / (1 - u), 2)
    return alpha * (2 * u - 1) / mp.sqrt(u * (1 - u)) + 2 * (1 - alpha) * mp.sign(u - mpf(1) / 2)


def inverse_slope(z: Any, alpha: Any, loss: str) -> Any:
    """Return the inverse link where it is a single number; at ±infinity its limit."""
    if mp.isinf(z):
        return mpf(z > 0)
    if loss == "square":
        return min(max((z + 4) / 8, mpf(0)), mpf(1))
    if loss == "log":
        return 1 / (1 + mpf(2) ** -z)
    beyond = mp.sign(z) * max(abs(z) - 2 * (1 - alpha), mpf(0))
    return mpf(1) / 2 if not beyond else (1 + beyond / mp.sqrt(4 * alpha**2 + beyond**2)) / 2


def surrogate(z: Any, alpha: Any, loss: str) -> Any:
    """Return the conjugate of -L at -z from the best u, as the supremum of -z u + L(u)."""
    if z == mp.inf:
        return mpf(0)
    u = inverse_slope(-z, alpha, loss)
    return -z * u + risk(u, alpha, loss)


def partial(y: int, u: Any, alpha: Any, loss: str) -> Any:
    """Return the normalised loss of predicting u for the label y, away from 1/2 and from infinity."""
    right = u if y == 1 else 1 - u
    if loss == "square":
        return 4 * (1 - right) ** 2
    if loss == "log":
        return -mp.log(right, 2)
    wrong_side = int(right < mpf(1) / 2)
    root = mp.sqrt((1 - right) / right) if alpha else 0
    return alpha * root + 2 * (1 - alpha) * wrong_side


FORMULAS: dict[str, Callable[[Any, Any, str], Any]] = {
    "bayes_risk": risk,
    "link": slope,
    "inverse_link": inverse_slope,
    "surrogate": surrogate,
}


def evaluate(operation: str, arguments: dict[str, str]) -> Any:
    """Return the value of a case whose value is one finite number."""
    loss = arguments["loss"]
    alpha = number(arguments.get("alpha", {"zero_one": "0"}.get(loss, "1")))
    if operation in FORMULAS:
        return FORMULAS[operation](number(arguments.get("u") or arguments["z"]), alpha, loss)
    if operation == "partial_loss":
        return partial(int(Fraction(arguments["y"])), number(arguments["u"]), alpha, loss)
    u, v = number(arguments["u"]), number(arguments["v"])
    return v * risk(u / v, alpha, loss) if v else v


def number(string: str) -> Any:
    """Return a rational or an infinity as a number of mpmath."""
    if string.endswith("infinity"):
        return mpf(string.replace("infinity", "inf"))
    fraction = Fraction(string)
    return mpf(fraction.numerator) / fraction.denominator


def finite_cases(operation: str) -> Iterator[tuple[dict[str, str], str]]:
    """Yield arguments and decimals of every case with one finite value."""
    for case in json.loads((VECTORS / f"{operation}.json").read_bytes())["cases"]:
        value = case.get("value")
        at_tie = operation == "partial_loss" and case["args"].get("u") == "1/2"
        if isinstance(value, dict) and not at_tie:
            yield case["args"], value["decimal"]


def agrees(decimal: str, value: Any) -> bool:
    """Return whether printed decimals are those of a value of mpmath."""
    return bool(abs(number(decimal) - value) <= number(str(TOLERANCE)) * abs(value))


@pytest.mark.parametrize(
    "operation", ["partial_loss", "bayes_risk", "link", "inverse_link", "surrogate", "perspective"]
)
def test_vectors__agree_with_mpmath(operation: str) -> None:
    with mp.workdps(WORKING_DIGITS):
        cases = list(finite_cases(operation))
        assert len(cases) > 50
        assert [
            arguments for arguments, decimal in cases if not agrees(decimal, evaluate(operation, arguments))
        ] == []


def test_vectors__last_digit_off_by_one_is_rejected() -> None:
    with mp.workdps(WORKING_DIGITS):
        assert agrees(f"0.{'3' * DIGITS}", mpf(1) / 3)
        assert not agrees(f"0.{'3' * (DIGITS - 1)}6", mpf(1) / 3)
