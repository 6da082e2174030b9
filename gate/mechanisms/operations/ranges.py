"""The kinds of arguments that several operations share."""

from __future__ import annotations

from fractions import Fraction

from privboost.gate.protocol.compound_kinds import ListKind, MappingKind
from privboost.gate.protocol.kinds import ArgumentKind, NumberKind, WordKind
from privboost.gate.protocol.operation import Tolerance

ZERO, ONE = Fraction(0), Fraction(1)
ANY = NumberKind()
INTEGER = NumberKind(is_integer=True)
ABOVE_ZERO = NumberKind(ZERO, is_open=True)
FROM_ZERO = NumberKind(ZERO)
SHARE = NumberKind(ZERO, ONE, is_open=True)
FROM_ZERO_TO_ONE = NumberKind(ZERO, ONE)
POSITIVE = NumberKind(ONE, is_integer=True)
CODE = NumberKind(ZERO, is_integer=True)
CHOICES = NumberKind(Fraction(2), is_integer=True)

RELATION = WordKind(("add_remove", "exchange"))
NOISE = WordKind(("laplace", "geometric"))
MONOTONIC = WordKind(("no", "yes"))

SEED = NumberKind(ZERO, is_integer=True, greatest=1 << 57)
DRAWS: dict[str, ArgumentKind] = {
    "seed": SEED,
    "count": NumberKind(ZERO, is_integer=True, greatest=0),
}
BUDGET: dict[str, ArgumentKind] = {"epsilon": ABOVE_ZERO, "sensitivity": ABOVE_ZERO}
SCORES: dict[str, ArgumentKind] = {"scores": MappingKind("candidate", ANY), **BUDGET, "monotonic": MONOTONIC}
NUMBERS = ListKind(ANY)
CODES = ListKind(CODE)

DRAWN = Tolerance("none: draws are judged by their law", lambda _: lambda _: Fraction(0))

MEANINGS_OF_DRAWS: dict[str, str] = {
    "value": "the exact answer to a query, to which noise is added",
    "epsilon": "ε of the claim",
    "delta": "δ of the claim",
    "sensitivity": "Δ: the most by which one row changes an answer or a score",
    "sigma": "σ: the standard deviation of normal noise, and the parameter of discrete Gaussian noise",
    "scale": "scale b of Laplace noise",
    "scores": "score of every candidate, more is better",
    "monotonic": "`yes` if one row changes all scores in the same direction",
    "noise": "the law of the noise",
    "truth": "the true category, an index from 0",
    "categories": "the number of categories",
    "answers": "answers to queries, in the order in which they are asked",
    "threshold": "the threshold with which answers are compared",
    "rows": "the data set: a list of numbers or of codes of categories",
    "lower": "the lower bound to which rows are clamped",
    "upper": "the upper bound, which is not below the lower one",
    "relation": "which data sets are neighbours: one row added or removed, or one row replaced",
    "candidates": "the numbers of which one is released, in ascending order",
    "quantile": "which quantile is meant: 1/2 is the median",
    "seed": "seed of the draws; ignore it if yours cannot be seeded. Seeds above 2^57 are never sent",
    "count": "number of independent draws",
}
