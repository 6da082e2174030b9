"""The table of operations: losses."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from privboost.gate.protocol.kinds import INFINITIES, ArgumentKind, LabelKind, NumberKind
from privboost.gate.protocol.operation import RELATIVE, Condition, Operation, Slack, Tolerance

from .ranges import ANY, LOSS, OF_LOSS, PROBABILITY


def _margin_slack(args: Mapping[str, Any]) -> Slack:
    z = Fraction(0) if args["z"] in INFINITIES else abs(Fraction(args["z"]))
    return lambda exact: RELATIVE * max(Fraction(1), z, abs(exact))


MARGIN = Tolerance("2^-47 max(1, abs(z), abs(v))", _margin_slack)
FAR = 2048
"""Margin beyond which an inverse link hardly changes."""
INVERSE = Tolerance(
    f"2^-47 max(1, min(abs(z), {FAR}))",
    lambda args: lambda exact: min(_margin_slack(args)(exact), RELATIVE * FAR),
)


def _of_loss(
    name: str,
    label: str,
    meaning: str,
    own: Mapping[str, ArgumentKind],
    example: Mapping[str, Any],
    **more: Any,
) -> Operation:
    """Return an operation on a loss."""
    other = Condition(
        "`alpha` is an unknown argument unless the loss is `m_alpha`",
        {"loss=square with alpha": {"loss": "square"}},
        flag="unknown-argument",
    )
    arguments = LOSS | dict(own)
    examples = ({"loss": "m_alpha", "alpha": "1/2"} | dict(example),)
    return Operation(
        name, "losses", label, meaning, arguments, examples, OF_LOSS, conditions=(other,), **more
    )


OPERATIONS_OF_LOSSES = (
    _of_loss("bayes_risk", "pbr", "Bayes risk L(u)", {"u": PROBABILITY}, {"u": "1/4"}),
    _of_loss(
        "partial_loss",
        "eqpartialloss",
        "loss of predicting u for label y",
        {"y": LabelKind(), "u": PROBABILITY},
        {"y": "1", "u": "1/4"},
        rules="""
            - `y` = 1: p = u; `y` = -1: p = 1 - u. Then u loss(1, u) + (1-u) loss(-1, u) = L(u), and u = π is
              a best prediction when the label is 1 with probability π.
            - `infinity` where the loss is infinite.
        """,
    ),
    _of_loss(
        "link",
        "f-alphaM",
        "a subgradient of -L at u",
        {"u": PROBABILITY},
        {"u": "1/4"},
        rules="""
            - `-infinity` at 0 and `infinity` at 1 where the slope is infinite. Where the slope at 0 or 1 is
              finite, any number from that slope outwards is right: at most -4 for `square` at u = 0.
            - At u = 1/2, `m_alpha` allows any number in [-2(1-α), 2(1-α)], and `zero_one` any in [-2, 2].
        """,
    ),
    _of_loss(
        "inverse_link",
        "f-alphaM",
        "a probability whose link is z",
        {"z": NumberKind(has_infinities=True)},
        {"z": "1"},
        tolerance=INVERSE,
        rules="""
            - A probability u that maximises z u + L(u); 0 at `-infinity` and 1 at `infinity`.
            - `m_alpha`: 1/2 if abs(z) ≤ 2(1-α); else 1/2 (1 + sign(z) t / sqrt(4 + t²)) with
              t = (abs(z) - 2(1-α)) / α.
            - `zero_one`, and `m_alpha` at α = 0: 1/2 if abs(z) < 2, 0 or 1 if abs(z) > 2, and any number
              between 1/2 and that end at abs(z) = 2.
        """,
    ),
    _of_loss(
        "surrogate",
        "f-alphaM",
        "F(z), the supremum of L(u) - z u",
        {"z": NumberKind(has_infinities=True)},
        {"z": "1"},
        tolerance=MARGIN,
        rules="""
            - F(z) is the supremum over u in [0, 1] of L(u) - z u, the convex surrogate at margin z;
              `infinity` at z = `-infinity`, and 0 at z = `infinity`.
        """,
    ),
    _of_loss(
        "perspective",
        "defpt",
        "v L(u / v)",
        {"u": ANY, "v": ANY},
        {"u": "1", "v": "4"},
        rules="""
            - 0 at (0, 0), and `-infinity` outside 0 ≤ u ≤ v, which is not refused.
        """,
    ),
)
