"""Format lazy reals as readable strings."""

from __future__ import annotations

from .real import Number, Real
from .surd import Algebraic, Surd

DEPTH = 12
"""Depth of nesting below which an expression is abbreviated to three dots."""

TERMS = 12
"""Number of terms or factors after which the rest is abbreviated to three dots."""


def format_real(value: Real, depth: int = DEPTH) -> str:
    """Return an expression as a string, such as 'exp(-1/2) + 2*log(3)'."""
    if depth == 0:
        return "..."
    if value.operation == "sum":
        return _format_sum(value, depth)
    if value.operation == "product":
        return _format_product(value, depth)
    if value.operation == "constant":
        return f"({format_algebraic(value.constant)})"
    return f"{value.operation}({_format(value.argument, depth - 1)})"


def _format(value: Number, depth: int) -> str:
    """Return any exact number as a string."""
    return format_real(value, depth) if isinstance(value, Real) else format_algebraic(value)


def format_algebraic(value: Algebraic) -> str:
    """Return a number as a string, or its approximate number of digits if there are 400 or more."""
    coefficients = [part for _, part in value.terms] if isinstance(value, Surd) else [value]
    digits = sum(part.numerator.bit_length() + part.denominator.bit_length() for part in coefficients) // 3
    return str(value) if digits < 400 else f"<number of about {digits} digits>"


def _format_sum(value: Real, depth: int) -> str:
    """Return a linear combination as a string."""
    parts: list[tuple[bool, str]] = []
    if value.constant:
        parts.append((False, format_algebraic(value.constant)))
    bodies = sorted((format_real(node, depth - 1), coefficient) for node, coefficient in value.pairs[:TERMS])
    for body, coefficient in bodies:
        size = abs(coefficient)
        parts.append((coefficient < 0, body if size == 1 else f"{format_algebraic(size)}*{body}"))
    if len(value.pairs) > TERMS:
        parts.append((False, "..."))
    negative, first = parts[0]
    first = ("-" if negative else "") + first
    return first + "".join((" - " if minus else " + ") + part for minus, part in parts[1:])


def _format_product(value: Real, depth: int) -> str:
    """Return a product of powers as a string, with divisors after a slash."""
    above = sorted(_format_power(node, power, depth) for node, power in value.powers[:TERMS] if power > 0)
    below = sorted(_format_power(node, -power, depth) for node, power in value.powers[:TERMS] if power < 0)
    above += ["..."] if len(value.powers) > TERMS else []
    return "/".join(["*".join(above) or "1", *below])


def _format_power(node: Real, power: int, depth: int) -> str:
    """Return node^power as a string, with brackets around a sum."""
    base = format_real(node, depth - 1)
    base = f"({base})" if node.operation == "sum" else base
    return base if power == 1 else f"{base}**{power}"
