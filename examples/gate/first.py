"""A few formulas of the paper behind the gate's protocol; one is wrong, and `privboost gate` says which."""

import re
from fractions import Fraction
from math import inf, isqrt
from typing import Any

LOSSES = ("square", "log", "zero_one", "matsushita", "m_alpha")
NUMBER = re.compile(r"-?\d+(\.\d+|/\d*[1-9]\d*)?", re.ASCII)


def number(args: dict[str, Any], name: str, least: float, most: float, *, inside: bool = False) -> Fraction:
    """Take a number out of the arguments; the ends of its range do not belong to it if it must lie inside."""
    text = args.pop(name, None)
    value = Fraction(text) if isinstance(text, str) and NUMBER.fullmatch(text) else None
    if value is None or not least <= value <= most or (inside and value in (least, most)):
        raise ValueError(f"{name}: expected a number from {least} to {most}, got {text!r}")
    return value


def whole(args: dict[str, Any], name: str, least: int) -> int:
    """Take a whole number out of the arguments."""
    value = number(args, name, least, inf)
    if value.denominator != 1:
        raise ValueError(f"{name}: expected a whole number, got {value}")
    return int(value)


def word(args: dict[str, Any], name: str, *words: str) -> str:
    """Take one of some words out of the arguments."""
    text = args.pop(name, None)
    if text not in words:
        raise ValueError(f"{name}: expected one of {', '.join(words)}, got {text!r}")
    return str(text)


def root(x: Fraction) -> Fraction:
    """Return a square root, to more digits than a float has."""
    bits = x.denominator.bit_length() + 128
    return Fraction(isqrt((x.numerator << 2 * bits) // x.denominator), 1 << bits)


def risk(alpha: Fraction, u: Fraction) -> Fraction:
    """Return the Bayes risk of the loss m_alpha."""
    return alpha * 2 * root(u * (1 - u)) + (1 - alpha) * 2 * min(u, 1 - u)


def link(alpha: Fraction, u: Fraction) -> Fraction | str:
    """Return the canonical link of the loss m_alpha."""
    sign = (2 * u > 1) - (2 * u < 1)
    if alpha == 0:
        return Fraction(sign)
    if u in (0, 1):
        return "infinity" if u == 1 else "-infinity"
    return alpha * (2 * u - 1) / root(u * (1 - u)) + (1 - alpha) * sign


def sensitivity(args: dict[str, Any]) -> Fraction:
    """Return how far one example can move the criterion of a split."""
    rule, alpha = word(args, "rule", "printed", "sharp"), number(args, "alpha", 0, 1)
    m, bound = Fraction(whole(args, "m", 1)), number(args, "weight_bound", 0, inf, inside=True)
    return 3 + 2 * alpha * (root(m) - 1) if rule == "printed" else bound * m * risk(alpha, 1 / m)


def node_budget(args: dict[str, Any]) -> Fraction:
    """Return the part of epsilon that one node of a tree may spend."""
    rule, level = word(args, "rule", "printed", "level"), whole(args, "level", 0)
    share = number(args, "beta_tree", 0, 1, inside=True) * number(args, "epsilon", 0, inf, inside=True)
    return share / (
        whole(args, "trees", 1) * whole(args, "depth", 1) * (2**level if rule == "printed" else 1)
    )


class First:
    """What the gate asks: `answer` returns a result, or raises ValueError or NotImplementedError."""

    def answer(self, op: str, args: dict[str, Any]) -> Any:
        """Answer one request."""
        names = ["bayes_risk", "link", "sensitivity", "node_budget"]
        if op == "hello":
            return {"name": "first", "version": "1", "protocol": 1, "operations": names}
        if op not in names or ("loss" in args and word(args, "loss", *LOSSES) != "m_alpha"):
            raise NotImplementedError(op)
        if op in ("bayes_risk", "link"):
            formula = risk if op == "bayes_risk" else link
            result = formula(number(args, "alpha", 0, 1), number(args, "u", 0, 1))
        else:
            result = sensitivity(args) if op == "sensitivity" else node_budget(args)
        if args:
            raise ValueError(f"expected no other arguments, got {', '.join(args)}")
        return result if isinstance(result, str) else float(result)
