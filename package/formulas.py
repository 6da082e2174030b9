"""Formulas that are both printed and evaluated, so that what a page shows is what was checked.

A formula is written as a Python expression over exact numbers. Beyond arithmetic it may use `sqrt`, `log`,
`log2`, `abs`, `sign`, `min`, `max`, `interval(a, b)`, a conditional for a definition by cases, and
`[condition]` for Iverson's bracket.
"""

from __future__ import annotations

import ast
import html
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from privboost.reference.exact import ClosedInterval, enclose, exp, log, sign, sqrt

from .errors import HarnessError

BITS = 100
SYMBOLS = {"alpha": "α"}
FUNCTIONS: dict[str, Any] = {
    "abs": abs,
    "interval": ClosedInterval,
    "log": log,
    "log2": lambda x: log(x) / log(2),
    "max": max,
    "min": min,
    "sign": sign,
    "sqrt": sqrt,
}
NAMES = {"log2": "log<sub>2</sub>"}
COMPARISONS: dict[type[ast.cmpop], tuple[str, Any]] = {
    ast.Lt: ("&lt;", lambda a, b: a < b),
    ast.LtE: ("≤", lambda a, b: a <= b),
    ast.Gt: ("&gt;", lambda a, b: a > b),
    ast.GtE: ("≥", lambda a, b: a >= b),
    ast.Eq: ("=", lambda a, b: a == b),
}
SUM, PRODUCT, POWER, ATOM = range(4)


@dataclass(frozen=True, slots=True)
class Formula:
    """One expression, as text."""

    text: str

    def evaluate(self, names: Mapping[str, Fraction]) -> Any:
        """Return the exact value, a number or a closed interval, with the names standing for numbers."""
        return _evaluate(ast.parse(self.text, mode="eval").body, names)

    def to_html(self) -> str:
        """Return the formula as HTML whose bare text is the formula on one line."""
        return f'<span class="math">{_print(ast.parse(self.text, mode="eval").body)[0]}</span>'


def agree(left: Any, right: Any, bits: int = BITS) -> bool:
    """Return whether two exact numbers or closed intervals have common enclosures of width 2^-bits."""
    pairs = zip(_ends(left), _ends(right), strict=True)
    enclosures = ((enclose(a, bits), enclose(b, bits)) for a, b in pairs)
    return all(a.lo <= b.hi and b.lo <= a.hi for a, b in enclosures)


def _ends(value: Any) -> tuple[Any, Any]:
    """Return a value as an interval."""
    return (value.lo, value.hi) if isinstance(value, ClosedInterval) else (value, value)


def _evaluate(node: ast.expr, names: Mapping[str, Fraction]) -> Any:
    """Return the exact value of one node."""
    match node:
        case ast.Constant(value=int(number)):
            return Fraction(number)
        case ast.Name(id=name) if name in names:
            return names[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_evaluate(operand, names)
        case ast.BinOp(left=left, op=operator, right=right):
            return _operate(operator, _evaluate(left, names), _evaluate(right, names))
        case ast.Call(func=ast.Name(id=name), args=arguments) if name in FUNCTIONS:
            return FUNCTIONS[name](*(_evaluate(argument, names) for argument in arguments))
        case ast.IfExp(test=test, body=body, orelse=other):
            return _evaluate(body if _holds(test, names) else other, names)
        case ast.List(elts=[condition]):
            return Fraction(_holds(condition, names))
    raise HarnessError(f"a formula may not contain {ast.unparse(node)}")


def _operate(operator: ast.operator, a: Any, b: Any) -> Any:
    """Return a operator b; half-integer powers are powers of the square root."""
    match operator:
        case ast.Add():
            return a + b
        case ast.Sub():
            return a - b
        case ast.Mult():
            return a * b
        case ast.Div():
            return a / b
        case ast.Pow() if isinstance(b, Fraction) and b.denominator in {1, 2}:
            return a**b.numerator if b.denominator == 1 else sqrt(a) ** b.numerator
        case ast.Pow():
            return exp(b * log(a))
    raise HarnessError(f"a formula may not contain {type(operator).__name__}")


def _holds(node: ast.expr, names: Mapping[str, Fraction]) -> bool:
    """Return whether a chain of comparisons holds."""
    if not isinstance(node, ast.Compare):
        raise HarnessError(f"not a condition: {ast.unparse(node)}")
    values = [_evaluate(item, names) for item in (node.left, *node.comparators)]
    tests = zip(node.ops, values, values[1:], strict=False)
    return all(COMPARISONS[type(operator)][1](a, b) for operator, a, b in tests)


def _print(node: ast.expr) -> tuple[str, int]:
    """Return the HTML of one node and how tightly it binds."""
    match node:
        case ast.Constant(value=number):
            return html.escape(str(number)), ATOM
        case ast.Name(id=name):
            return f"<i>{html.escape(SYMBOLS.get(name, name))}</i>", ATOM
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return f"−{_at_least(PRODUCT, operand)}", SUM
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as operator, right=right):
            sign, floor = ("+", SUM) if isinstance(operator, ast.Add) else ("−", PRODUCT)
            return f"{_at_least(SUM, left)} {sign} {_at_least(floor, right)}", SUM
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            return _product(_at_least(PRODUCT, left), _at_least(PRODUCT, right)), PRODUCT
        case ast.BinOp(left=ast.Constant(value=1), op=ast.Div(), right=ast.Constant(value=2)):
            return "½", ATOM
        case ast.BinOp(left=ast.Name() | ast.Call(), op=ast.Div(), right=ast.Constant()):
            return _one_line(node), PRODUCT
        case ast.BinOp(left=left, op=ast.Div(), right=right):
            return _fraction(left, right), ATOM
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            base = _at_least(ATOM, left)
            base = _brackets(base) if base.startswith('<span class="frac"') else base
            return f"{base}<sup>{_hidden('^(')}{_one_line(right)}{_hidden(')')}</sup>", POWER
        case ast.Call(func=ast.Name(id=name), args=arguments) if name in FUNCTIONS:
            return _call(name, [_print(argument)[0] for argument in arguments]), ATOM
        case ast.IfExp():
            return _cases(node), ATOM
        case ast.List(elts=[condition]):
            return f"⟦{_condition(condition)}⟧", ATOM
    raise HarnessError(f"a formula may not contain {ast.unparse(node)}")


def _at_least(floor: int, node: ast.expr) -> str:
    """Return the HTML of a node, in parentheses if it binds less tightly than its place asks."""
    text, tightness = _print(node)
    return text if tightness >= floor else _brackets(text)


def _brackets(text: str, pair: str = "()") -> str:
    """Return text between brackets, which are as tall as the fractions inside."""
    if 'class="frac"' not in text:
        return f"{pair[0]}{text}{pair[1]}"
    left, right = (f'<span class="tall">{bracket}</span>' for bracket in pair)
    return f"{left}{text}{right}"


def _product(left: str, right: str) -> str:
    """Return two factors side by side, with a dot or a space only where they would run together."""
    first = (
        right.removeprefix('<span class="frac">')
        .removeprefix(_hidden("("))
        .removeprefix('<span class="num">')
    )
    if first[0].isdigit():
        return f"{left} · {right}"
    return f"{left} {right}" if first[0].isalpha() else f"{left}{right}"


def _fraction(top: ast.expr, bottom: ast.expr) -> str:
    """Return a fraction, stacked on the screen and with its brackets in the bare text."""
    parts = []
    for kind, node in (("num", top), ("den", bottom)):
        text, tightness = _print(node)
        part = f'<span class="{kind}">{text}</span>'
        simple = isinstance(node, ast.Constant | ast.Name) or (kind == "num" and tightness >= PRODUCT)
        parts.append(part if simple else f"{_hidden('(')}{part}{_hidden(')')}")
    return f'<span class="frac">{parts[0]}{_hidden("/")}{parts[1]}</span>'


def _one_line(node: ast.expr) -> str:
    """Return an exponent or a side of a comparison, with a fraction on one line."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        return f"{_at_least(PRODUCT, node.left)}/{_at_least(ATOM, node.right)}"
    if isinstance(node, ast.UnaryOp):
        return f"−{_one_line(node.operand)}"
    return _print(node)[0]


def _call(name: str, arguments: list[str]) -> str:
    """Return a function of its arguments in the usual notation."""
    inside = ", ".join(arguments)
    match name:
        case "sqrt":
            return f'√<span class="root">{_hidden("(")}{inside}{_hidden(")")}</span>'
        case "abs":
            return f"|{inside}|"
        case "interval":
            return _brackets(inside, "[]")
    return f"{NAMES.get(name, name)}{_brackets(inside)}"


def _cases(node: ast.expr) -> str:
    """Return a definition by cases, one line each."""
    lines = []
    while isinstance(node, ast.IfExp):
        lines.append((_print(node.body)[0], f"if {_condition(node.test)},"))
        node = node.orelse
    lines.append((_print(node)[0], "otherwise"))
    rows = "".join(
        f'<span class="case"><span>{value}</span> <span>{when}</span></span> ' for value, when in lines
    )
    return f'<span class="cases">{rows.rstrip()}</span>'


def _condition(node: ast.expr) -> str:
    """Return a chain of comparisons."""
    if not isinstance(node, ast.Compare):
        raise HarnessError(f"not a condition: {ast.unparse(node)}")
    tail = zip(node.ops, node.comparators, strict=True)
    return _one_line(node.left) + "".join(
        f" {COMPARISONS[type(op)][0]} {_one_line(item)}" for op, item in tail
    )


def _hidden(text: str) -> str:
    """Return text that is read aloud and copied, but not shown."""
    return f'<span class="hid">{text}</span>'
