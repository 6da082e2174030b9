"""The laws of common mistakes in draws: those of requests with another argument, or of another scale.

A rival is named by the flag of its mistake. A bet on its law shows how many draws are needed to notice it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from .laws import KEPT, LAWS, RELEASED, Arguments, Chosen, Columns, NoisyNumber, gaussian_columns

Change = Callable[[Arguments], Mapping[str, Any]]
HALF = Fraction(1, 2)
SPREADS = (Fraction(1, 2), Fraction(7, 10), Fraction(4, 5), Fraction(9, 10))
"""Factors of a standard deviation that is too small."""
RELEASES = (2, 5, 20)
"""Factors of a chance of release that is too great."""


def _times(name: str, factor: Fraction | int) -> Change:
    return lambda a: {name: a[name] * factor}


def _to(name: str, value: Any) -> Change:
    return lambda _: {name: value}


def _other(name: str, words: tuple[str, str]) -> Change:
    return lambda a: {name: words[a[name] == words[0]]}


EPSILON: tuple[tuple[str, Change], ...] = (
    ("half-the-noise", _times("epsilon", 2)),
    ("twice-the-noise", _times("epsilon", HALF)),
    ("epsilon-ignored", _to("epsilon", Fraction(1))),
)
SENSITIVITY = (
    ("sensitivity-ignored", _to("sensitivity", Fraction(1))),
    ("sensitivity-squared", lambda a: {"sensitivity": a["sensitivity"] ** 2}),
)
INTEGERS = (("sensitivity-ignored", _to("sensitivity", 1)), ("shifted", lambda a: {"value": a["value"] + 1}))
SCORED = (
    *EPSILON,
    *SENSITIVITY,
    ("monotonic", _other("monotonic", ("no", "yes"))),
    ("score-sign", lambda a: {"scores": {name: -score for name, score in a["scores"].items()}}),
)
CLAMPED = (
    ("unclamped", lambda a: {"lower": min(a["lower"], *a["rows"]), "upper": max(a["upper"], *a["rows"])}),
)
CHANGES: Mapping[str, tuple[tuple[str, Change], ...]] = {
    "laplace": (*EPSILON, *SENSITIVITY, ("shifted", lambda a: {"value": a["value"] + a["sensitivity"]})),
    "geometric": (*EPSILON, *INTEGERS),
    "discrete_gaussian": (
        ("half-the-noise", _times("sigma", HALF)),
        ("twice-the-noise", _times("sigma", 2)),
        ("variance-for-deviation", lambda a: {"sigma": a["sigma"] ** 2}),
        ("shifted", lambda a: {"value": a["value"] + 1}),
    ),
    "exponential": SCORED,
    "permute_and_flip": SCORED,
    "noisy_max": SCORED,
    "randomised_response": (
        *EPSILON,
        ("categories", lambda a: {"categories": max(2, a["truth"] + 1, a["categories"] - 1)}),
    ),
    "above_threshold": (*EPSILON, *SENSITIVITY),
    "count": (*EPSILON, ("lost-row", lambda a: {"rows": a["rows"][1:]})),
    "bounded_sum": (
        *EPSILON,
        ("relation", _other("relation", ("add_remove", "exchange"))),
        ("lost-row", lambda a: {"rows": a["rows"][1:]}),
    ),
    "bounded_mean": (*EPSILON, ("size-of-noise", lambda a: {"epsilon": a["epsilon"] / len(a["rows"])})),
    "histogram": (*EPSILON, ("relation", _other("relation", ("add_remove", "exchange")))),
    "quantile": (
        *EPSILON,
        ("quantile", lambda a: {"quantile": 1 - a["quantile"]}),
    ),
}
"""For every operation with a whole law: flags, and how the arguments change."""

LAW_FOR_LAW: Mapping[str, tuple[tuple[str, str], ...]] = {
    "exponential": (("permute-and-flip", "permute_and_flip"),),
    "permute_and_flip": (("permute-and-flip", "exponential"),),
}
"""Operations whose laws are taken for each other."""


def rivals_of(op: str, a: Arguments) -> Iterator[tuple[str, Columns]]:
    """Yield the flag and the law of every mistake that changes the law of a request."""
    if op == "gaussian":
        for factor in SPREADS:
            yield "too-little-noise", gaussian_columns(a, factor)
        return
    if op == "stable_histogram":
        for times in RELEASES:
            chance = min(times * a["delta"], 1 - a["delta"] / 2)
            yield (
                "released-too-often",
                tuple(Chosen({RELEASED: chance, KEPT: 1 - chance}) for _ in LAWS[op](a)),
            )
        return
    for flag, change in CHANGES[op]:
        changed = change(a)
        if any(a[name] != value for name, value in changed.items()):
            yield flag, LAWS[op](dict(a) | dict(changed))
    for flag, other in LAW_FOR_LAW.get(op, ()):
        yield flag, LAWS[other](a)
    if op in ("laplace", "bounded_sum", "bounded_mean"):
        yield from _of_scale(LAWS[op](a))


def _of_scale(columns: Columns) -> Iterator[tuple[str, Columns]]:
    """Yield Laplace noise whose scale is taken for a standard deviation or a variance."""
    (column,) = columns
    assert isinstance(column, NoisyNumber)
    law = type(column.law)
    for flag, scale in (
        ("scale-for-deviation", column.scale * Fraction(70711, 100000)),
        ("one-tenth-less", column.scale * Fraction(9, 10)),
    ):
        yield flag, (NoisyNumber(law(column.centre, scale), column.centre, column.scale),)  # type: ignore[call-arg]
