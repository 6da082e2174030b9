"""Four operations of the gate's protocol; the link has a mistake, for `privboost gate first:First` to find.

Requests have numbers as exact strings such as "3/8". Each function below removes the arguments that it reads,
so that those left over at the end are unknown ones, which must be refused.
"""

import re
from fractions import Fraction
from math import inf, isqrt
from typing import Any

LOSSES = ("square", "log", "zero_one", "matsushita", "m_alpha")
NUMBER = re.compile(r"-?\d+(\.\d+|/\d*[1-9]\d*)?", re.ASCII)


def number(args: dict[str, Any], name: str, least: float, most: float, *, inside: bool = False) -> Fraction:
    """Remove and return a number in [least, most]; strictly inside that interval if `inside`."""
    given = args.pop(name, None)
    value = Fraction(given) if isinstance(given, str) and NUMBER.fullmatch(given) else None
    if value is None or not least <= value <= most or (inside and value in (least, most)):
        raise ValueError(f"{name}: expected a number from {least} to {most}, got {given!r}")
    return value


def integer(args: dict[str, Any], name: str, least: int) -> int:
    """Remove and return an integer that is at least `least`."""
    value = number(args, name, least, inf)
    if value.denominator != 1:
        raise ValueError(f"{name}: expected an integer, got {value}")
    return int(value)


def word(args: dict[str, Any], name: str, *words: str) -> str:
    """Remove and return a string that is one of `words`."""
    given = args.pop(name, None)
    if given not in words:
        raise ValueError(f"{name}: expected one of {', '.join(words)}, got {given!r}")
    return str(given)


def root(x: Fraction) -> Fraction:
    """Return a square root that is more accurate than a float."""
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
    """Return the sensitivity of the score of a split."""
    rule, alpha = word(args, "rule", "printed", "sharp"), number(args, "alpha", 0, 1)
    m, bound = Fraction(integer(args, "m", 1)), number(args, "weight_bound", 0, inf, inside=True)
    return 3 + 2 * alpha * (root(m) - 1) if rule == "printed" else bound * m * risk(alpha, 1 / m)


def node_budget(args: dict[str, Any]) -> Fraction:
    """Return the privacy budget of one node of a tree."""
    rule = word(args, "rule", "printed", "level")
    level, depth = integer(args, "level", 0), integer(args, "depth", 1)
    if level >= depth:
        raise ValueError(f"level: expected an integer below {depth}, got {level}")
    share = number(args, "beta_tree", 0, 1, inside=True) * number(args, "epsilon", 0, inf, inside=True)
    return share / (integer(args, "trees", 1) * depth * (2**level if rule == "printed" else 1))


class First:
    """The implementation that the gate asks."""

    def answer(self, op: str, args: dict[str, Any]) -> Any:
        """Answer a request, or raise ValueError (wrong arguments) or NotImplementedError (unsupported)."""
        names = ["bayes_risk", "link", "sensitivity", "node_budget"]
        if op == "hello":
            return {"name": "first", "version": "1", "protocol": 1, "operations": names}
        if op not in names:
            raise NotImplementedError(op)
        if op in ("bayes_risk", "link"):
            if word(args, "loss", *LOSSES) != "m_alpha":
                raise NotImplementedError(op)
            formula = risk if op == "bayes_risk" else link
            result = formula(number(args, "alpha", 0, 1), number(args, "u", 0, 1))
        else:
            result = sensitivity(args) if op == "sensitivity" else node_budget(args)
        if args:
            raise ValueError(f"expected no other arguments, got {', '.join(args)}")
        return result if isinstance(result, str) else float(result)
