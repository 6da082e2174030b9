"""Formulas that are both printed and evaluated, so that the printed formula is the one that was checked.

A formula is a sympy expression in `U`, `Z`, `Y` and `ALPHA`; its value is a number or a closed interval.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from sympy import Basic, Expr, Function, Integer, Interval, Piecewise, Rational, Symbol, symbols
from sympy.logic.boolalg import BooleanAtom
from sympy.printing.mathml import MathMLPresentationPrinter

from privboost.reference.exact import ClosedInterval, enclose

ALPHA, U, Y, Z = symbols("alpha u y z", real=True)
DIGITS = 30
BITS = 110


class Iverson(Function):  # type: ignore[misc]
    """The Iverson bracket: 1 if the condition holds, else 0."""

    nargs = 1

    @classmethod
    def eval(cls, condition: Basic) -> Expr | None:
        """Return the value if the condition is decided."""
        return Integer(bool(condition)) if isinstance(condition, BooleanAtom) else None


class _Printer(MathMLPresentationPrinter):  # type: ignore[misc]
    """The MathML printer of sympy, extended by Iverson brackets and case distinctions."""

    def _print_Iverson(self, bracket: Iverson) -> Any:  # noqa: N802
        sides = (self._node("mo", side) for side in "⟦⟧")
        return self._node("mrow", next(sides), self._print(bracket.args[0]), *sides)

    def _print_Piecewise(self, cases: Piecewise) -> Any:  # noqa: N802
        rows = [
            self._node("mtr", self._cell(self._print(value)), self._cell(*self._when(condition)))
            for value, condition in cases.args
        ]
        return self._node("mrow", self._node("mo", "{"), self._node("mtable", *rows))

    def _when(self, condition: Basic) -> tuple[Any, ...]:
        if isinstance(condition, BooleanAtom):
            return (self._node("mtext", "otherwise"),)
        return self._node("mtext", "if&nbsp;"), self._print(condition)

    def _cell(self, *children: Any) -> Any:
        cell = self._node("mtd", self._node("mrow", *children))
        cell.setAttribute("style", "text-align:left; math-style:normal")
        return cell

    def _node(self, tag: str, *children: Any) -> Any:
        node = self.dom.createElement(tag)
        for child in children:
            node.appendChild(self.dom.createTextNode(child) if isinstance(child, str) else child)
        return node


def to_mathml(formula: Basic) -> str:
    """Return a formula as presentation MathML, to be used inside HTML."""
    markup = _Printer({"fold_frac_powers": True}).doprint(formula)
    # The printer leaves < unescaped, writes minus as a hyphen, and sets no space before a function.
    markup = re.sub(r"<(m[no])>-", r"<\1>&minus;", markup.replace("<mo><</mo>", "<mo>&lt;</mo>"))
    markup = re.sub(r"<mo>(&InvisibleTimes;</mo>(?:<mrow>)*<mi>\w\w)", r'<mo rspace=".2em">\1', markup)
    return f'<math displaystyle="true">{markup}</math>'


def value_of(formula: Basic, values: Mapping[Symbol, Fraction]) -> Basic:
    """Return the exact value of a formula: a number, or an interval."""
    return formula.subs({symbol: Rational(value) for symbol, value in values.items()})


def agree(value: Basic, expected: Any) -> bool:
    """Return whether a value equals a number or interval of the reference to 30 decimals."""
    ends = (value.start, value.end) if isinstance(value, Interval) else (value, value)
    exact = (expected.lo, expected.hi) if isinstance(expected, ClosedInterval) else (expected, expected)
    return all(_is_near(*pair) for pair in zip(ends, exact, strict=True))


def _is_near(value: Expr, expected: Any) -> bool:
    enclosure, slack = enclose(expected, BITS), Rational(1, 10**DIGITS)
    decimals = Rational(value.evalf(2 * DIGITS))
    return bool(Rational(enclosure.lo) - slack <= decimals <= Rational(enclosure.hi) + slack)
