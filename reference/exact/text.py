"""Readable text of lazy reals."""

from __future__ import annotations

from .real import Number, Real
from .surd import Algebraic, Surd

DEPTH = 12
"""Nesting below which an expression is abbreviated to three dots."""

TERMS = 12
"""Terms of a sum or product beyond which the rest is abbreviated to three dots."""


def text_of_real(value: Real, depth: int = DEPTH) -> str:
    """Return an expression as text, such as 'exp(-1/2) + 2*log(3)'."""
    if depth == 0:
        return "..."
    if value.operation == "sum":
        return _text_of_sum(value, depth)
    if value.operation == "product":
        return _text_of_product(value, depth)
    if value.operation == "constant":
        return f"({short(value.constant)})"
    return f"{value.operation}({_text(value.argument, depth - 1)})"


def _text(value: Number, depth: int) -> str:
    """Return any exact number as text."""
    return text_of_real(value, depth) if isinstance(value, Real) else short(value)


def short(value: Algebraic) -> str:
    """Return a number as text, or its size where its digits would fill a page."""
    numbers = [number for _, number in value.terms] if isinstance(value, Surd) else [value]
    digits = sum(number.numerator.bit_length() + number.denominator.bit_length() for number in numbers) // 3
    return str(value) if digits < 400 else f"<number of about {digits} digits>"


def _text_of_sum(value: Real, depth: int) -> str:
    """Return a linear combination as text."""
    parts: list[tuple[bool, str]] = []
    if value.constant:
        parts.append((False, short(value.constant)))
    bodies = sorted((text_of_real(node, depth - 1), number) for node, number in value.pairs[:TERMS])
    for body, coefficient in bodies:
        size = abs(coefficient)
        parts.append((coefficient < 0, body if size == 1 else f"{short(size)}*{body}"))
    if len(value.pairs) > TERMS:
        parts.append((False, "..."))
    negative, text = parts[0]
    text = ("-" if negative else "") + text
    return text + "".join((" - " if minus else " + ") + part for minus, part in parts[1:])


def _text_of_product(value: Real, depth: int) -> str:
    """Return a product of powers as text, divisors after a slash."""
    above = sorted(_text_of_power(node, power, depth) for node, power in value.powers[:TERMS] if power > 0)
    below = sorted(_text_of_power(node, -power, depth) for node, power in value.powers[:TERMS] if power < 0)
    above += ["..."] if len(value.powers) > TERMS else []
    return "/".join(["*".join(above) or "1", *below])


def _text_of_power(node: Real, power: int, depth: int) -> str:
    """Return node^power as text, in brackets where it needs them."""
    text = text_of_real(node, depth - 1)
    text = f"({text})" if node.operation == "sum" else text
    return text if power == 1 else f"{text}**{power}"
