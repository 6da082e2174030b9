"""The laws of common mistakes in draws: those of requests with another argument, or of another scale.

A rival is named by the flag of its mistake. A bet on its law shows how many draws are needed to notice it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from privboost.reference.exact import Exact, Number
from privboost.reference.mechanisms.noise import Gaussian, Laplace

from .laws import (
    KEPT,
    LAWS,
    RELEASED,
    Arguments,
    Chosen,
    Column,
    Columns,
    Cumulative,
    NoisyNumber,
    as_float,
    gaussian_columns,
)

Change = Callable[[Arguments], Mapping[str, Any]]
HALF = Fraction(1, 2)
SPREADS = (Fraction(1, 2), Fraction(7, 10), Fraction(4, 5), Fraction(9, 10))
"""Factors of a standard deviation that is too small."""
RELEASES = (2, 5, 20)
"""Factors of a chance of release that is too great."""
WITHOUT_NOISE = Fraction(1, 10)
"""The share of draws without noise in a law that leaves it out at times."""


@dataclass(frozen=True, slots=True)
class RoundedLaw:
    """A law of numbers, rounded to the nearest integer."""

    law: Cumulative

    def below(self, x: Exact) -> Number:
        """Return P(X <= x), for an integer x."""
        return self.law.below(x + HALF)


@dataclass(frozen=True, slots=True)
class LawWithoutNoiseAtTimes:
    """A law of numbers that is the exact number at times."""

    law: Cumulative
    centre: Fraction

    def below(self, x: Exact) -> Number:
        """Return P(X <= x)."""
        return (1 - WITHOUT_NOISE) * self.law.below(x) + (WITHOUT_NOISE if x >= self.centre else 0)


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
NOISES_OF_SCORES = ("laplace", "exponential", "gumbel")
ROUNDED: Mapping[str, Callable[[Arguments], Cumulative]] = {
    "geometric": lambda a: Laplace(Fraction(a["value"]), a["sensitivity"] / a["epsilon"]),
    "discrete_gaussian": lambda a: Gaussian(Fraction(a["value"]), a["sigma"]),
}
"""Continuous laws that are taken for laws of integers once they are rounded."""

"""Operations whose laws are taken for each other."""


def rivals_of(op: str, a: Arguments) -> Iterator[tuple[str, Columns]]:
    """Yield the flag and the law of every mistake that changes the law of a request."""
    if op == "gaussian":
        for factor in SPREADS:
            yield "too-little-noise", gaussian_columns(a, factor)
        yield "noise-left-out", tuple(_without_noise(op, a, column) for column in LAWS[op](a))
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
    if op in ROUNDED:
        (column,) = LAWS[op](a)
        assert isinstance(column, NoisyNumber)
        yield "rounded", (replace(column, law=RoundedLaw(ROUNDED[op](a))),)
    if op == "noisy_max":
        for noise in NOISES_OF_SCORES:
            if noise != a["noise"]:
                yield "noise-of-scores", LAWS[op](dict(a) | {"noise": noise})
    if op in ("laplace", "bounded_sum", "bounded_mean"):
        yield from _of_scale(LAWS[op](a))
    yield "noise-left-out", tuple(_without_noise(op, a, column) for column in LAWS[op](a))


def _without_noise(op: str, a: Arguments, column: Column) -> Column:
    """Return a law of which one draw in ten has no noise: the exact number, or the best candidate."""
    if isinstance(column, NoisyNumber):
        return replace(column, law=LawWithoutNoiseAtTimes(column.law, column.centre))
    best = max(column.law, key=lambda outcome: as_float(column.law[outcome]))
    if op == "above_threshold":
        above = (i for i, answer in enumerate(a["answers"]) if answer >= a["threshold"])
        best = str(next(above, len(a["answers"])))
    return Chosen(
        {
            outcome: (1 - WITHOUT_NOISE) * chance + (WITHOUT_NOISE if outcome == best else 0)
            for outcome, chance in column.law.items()
        }
    )


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
