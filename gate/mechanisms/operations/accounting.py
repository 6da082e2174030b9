"""The table of operations: accounting, whose results may be too large but never too small."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from privboost.gate.mechanisms.levels import Level
from privboost.gate.protocol.compound_kinds import ListKind
from privboost.gate.protocol.kinds import ArgumentKind, WordKind
from privboost.gate.protocol.operation import Operation, Tolerance

from .ranges import ABOVE_ZERO, CHOICES, FROM_ZERO, POSITIVE, RELATION, SHARE

ENOUGH = Tolerance(
    "1e-6 v below v (a number that is smaller is too small; a larger one is reported with its factor)",
    lambda _: lambda exact: abs(exact) / 10**6,
)
_GAUSSIAN: dict[str, ArgumentKind] = {"sigma": ABOVE_ZERO, "sensitivity": ABOVE_ZERO}
_CLAIM: dict[str, ArgumentKind] = {"epsilon": ABOVE_ZERO, "delta": SHARE}
_TIMES: dict[str, ArgumentKind] = {"times": POSITIVE}
_RHO: dict[str, ArgumentKind] = {"rho": ABOVE_ZERO}
_AT: dict[str, ArgumentKind] = {"at_epsilon": FROM_ZERO}

RULES: dict[str, Mapping[str, ArgumentKind]] = {
    "gaussian_sigma": {**_CLAIM, "sensitivity": ABOVE_ZERO},
    "gaussian_delta": {**_GAUSSIAN, **_AT},
    "clipped_sum_delta": {"sigma": ABOVE_ZERO, "bound": ABOVE_ZERO, "relation": RELATION, **_AT},
    "laplace_delta": {"scale": ABOVE_ZERO, "sensitivity": ABOVE_ZERO, **_AT},
    "randomised_response_delta": {"categories": CHOICES, "epsilon": ABOVE_ZERO, **_AT},
    "discrete_gaussian_delta": {"sigma": ABOVE_ZERO, "sensitivity": POSITIVE, **_AT},
    "basic_composition_epsilon": {"epsilons": ListKind(ABOVE_ZERO, least=1)},
    "advanced_composition_epsilon": {"epsilon": ABOVE_ZERO, **_TIMES, "delta": SHARE},
    "pure_composition_delta": {"epsilons": ListKind(ABOVE_ZERO, least=1), **_AT},
    "zcdp_of_gaussian": _GAUSSIAN,
    "zcdp_of_pure": {"epsilon": ABOVE_ZERO},
    "zcdp_of_bounded_range": {"epsilon": ABOVE_ZERO},
    "zcdp_composition": {"rhos": ListKind(ABOVE_ZERO, least=1)},
    "zcdp_epsilon": {**_RHO, "delta": SHARE},
    "gdp_of_gaussian": _GAUSSIAN,
    "gdp_composition": {"mus": ListKind(ABOVE_ZERO, least=1)},
    "gdp_delta": {"mu": ABOVE_ZERO, **_AT},
    "subsampling_epsilon": {"epsilon": ABOVE_ZERO, "rate": SHARE},
    "subsampled_gaussian_delta": {"sigma": ABOVE_ZERO, "rate": SHARE, **_AT},
    "group_epsilon": {"epsilon": ABOVE_ZERO, **_TIMES},
    "group_delta": {**_CLAIM, **_TIMES},
    "laplace_threshold": _CLAIM,
    "bounded_range_delta": {"epsilon": ABOVE_ZERO, **_TIMES, **_AT},
}
"""What is computed, with the arguments of each."""

_VALUES: dict[str, Any] = {
    "epsilon": "1",
    "delta": "1/1000000",
    "sensitivity": "1",
    "sigma": "2",
    "bound": "1",
    "relation": "exchange",
    "scale": "1",
    "at_epsilon": "1/2",
    "categories": "3",
    "times": "4",
    "epsilons": ["1", "1/2"],
    "rho": "1/8",
    "rhos": ["1/8", "1/2"],
    "mu": "1",
    "mus": ["1", "1/2"],
    "rate": "1/10",
}

MEANINGS_OF_ACCOUNTING = {
    "rule": "what is computed",
    "bound": "the greatest norm of a row",
    "at_epsilon": "the ε at which δ is asked",
    "times": "how often a mechanism runs, or the number of rows in a group",
    "epsilons": "ε of every mechanism",
    "rho": "ρ of zero-concentrated privacy",
    "rhos": "ρ of every mechanism",
    "mu": "μ of Gaussian privacy",
    "mus": "μ of every mechanism",
    "rate": "the probability that a row is in the subsample (Poisson), or the share of the rows that is",
}

ACCOUNTING_OPERATIONS = (
    Operation(
        "accounting",
        "accounting",
        "accounting",
        "a number that is large enough",
        {"rule": WordKind(tuple(RULES))},
        tuple({"rule": rule} | {name: _VALUES[name] for name in kinds} for rule, kinds in RULES.items()),
        RULES,
        label_by_word={rule: rule.replace("_", "-") for rule in RULES},
        tolerance=ENOUGH,
        level=Level.NUMBERS,
        rules="""
            Every result is the least number that is right, or a larger one. Δ is the `sensitivity`.

            - `gaussian_sigma`: the σ for which normal noise is (ε, δ)-private (Balle and Wang 2018,
              theorem 9). Any ε is asked, also those at which the classic formula does not hold.
            - `gaussian_delta`, `laplace_delta`, `discrete_gaussian_delta`, `randomised_response_delta`: the
              δ at ε = `at_epsilon`. Randomised response reports the truth with the probability
              e^ε / (e^ε + k - 1) for k `categories`.
            - `clipped_sum_delta`: the δ at ε = `at_epsilon` of normal noise on a sum of vectors whose norms
              are at most `bound`. Δ is `bound` under `add_remove`, and 2 `bound` under `exchange`.
            - `basic_composition_epsilon`: the sum of `epsilons`.
            - `advanced_composition_epsilon`: ε of `times` mechanisms that are each ε-private, at δ. The least
              number is that of Kairouz, Oh and Viswanath (2015, theorem 3.3).
            - `pure_composition_delta`: the δ at ε = `at_epsilon` of mechanisms with these `epsilons`.
            - `zcdp_of_gaussian`, `zcdp_of_pure`, `zcdp_of_bounded_range`: ρ of normal noise, of an ε-private
              mechanism, of an exponential mechanism of range ε. `zcdp_composition`: ρ of all together.
            - `zcdp_epsilon`: ε at δ of ρ-zCDP. The least number is that of normal noise with this ρ.
            - `gdp_of_gaussian`: μ of normal noise. `gdp_composition`: μ of all together. `gdp_delta`: the δ
              at ε = `at_epsilon` of μ-GDP.
            - `subsampling_epsilon`: ε of an ε-private mechanism on a Poisson sample of this `rate` under
              `add_remove`, which is also that on a sample of fixed size under `exchange`.
            - `subsampled_gaussian_delta`: the δ at ε = `at_epsilon` of normal noise, Δ = 1, on a Poisson
              sample, for one row that is added or removed.
            - `group_epsilon`, `group_delta`: ε and δ of (ε, δ)-privacy for groups of `times` rows; the δ is
              at `times` ε.
            - `laplace_threshold`: the threshold above which a category of one row is released with a
              probability of at most δ, if the noise has the scale 1 / ε.
            - `bounded_range_delta`: the δ at ε = `at_epsilon` of `times` mechanisms of range ε (Dong, Durfee
              and Rogers 2020).
        """,
    ),
)
