"""The cases of accounting."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from privboost.gate.profile import VectorCase

DELTAS = ("1/10", "1/100000", "1/1000000000000")
CASES: Mapping[str, tuple[tuple[str, ...], Mapping[str, Sequence[Any]]]] = {
    "gaussian_sigma": (
        ("classic-range", "factor-two"),
        {
            "epsilon": ("1/100", "1/2", "1", "3", "10", "100"),
            "delta": (*DELTAS, "9/10"),
            "sensitivity": ("1", "5/2"),
        },
    ),
    "gaussian_delta": (
        ("tail", "factor-two"),
        {"sigma": ("1/4", "1", "5"), "sensitivity": ("1", "3"), "at_epsilon": ("0", "1/10", "1", "5")},
    ),
    "clipped_sum_delta": (
        ("relation", "factor-two"),
        {
            "sigma": ("1/2", "1", "5"),
            "bound": ("1", "3"),
            "relation": ("add_remove", "exchange"),
            "at_epsilon": ("0", "1"),
        },
    ),
    "laplace_delta": (
        ("factor-two",),
        {"scale": ("1/2", "1", "4"), "sensitivity": ("1", "2"), "at_epsilon": ("0", "1/10", "1/2", "3")},
    ),
    "randomised_response_delta": (
        ("categories",),
        {"categories": ("2", "3", "50"), "epsilon": ("1/10", "1", "4"), "at_epsilon": ("0", "1/2", "3")},
    ),
    "discrete_gaussian_delta": (
        ("continuous-for-discrete",),
        {"sigma": ("1/2", "1", "4"), "sensitivity": ("1", "2"), "at_epsilon": ("0", "1/2", "2")},
    ),
    "basic_composition_epsilon": (
        ("composition",),
        {"epsilons": (["1"], ["1/10"] * 7, ["1", "1/2", "1/3"], ["100", "1/1000000"])},
    ),
    "advanced_composition_epsilon": (
        ("composition",),
        {"epsilon": ("1/100", "1/10", "1"), "times": ("1", "10", "100"), "delta": ("1/1000", "1/1000000")},
    ),
    "pure_composition_delta": (
        ("composition",),
        {"epsilons": (["1"], ["1/10"] * 10, ["1", "1/2", "1/4"]), "at_epsilon": ("0", "1/2", "3/2")},
    ),
    "zcdp_of_gaussian": (("zcdp",), {"sigma": ("1/2", "1", "7"), "sensitivity": ("1", "3")}),
    "zcdp_of_pure": (("zcdp",), {"epsilon": ("1/10", "1")}),
    "zcdp_of_bounded_range": (("bounded-range",), {"epsilon": ("1/10", "1", "3")}),
    "zcdp_composition": (("composition",), {"rhos": (["1/2"], ["1/8"] * 5, ["1/100", "2"])}),
    "zcdp_epsilon": (("conversion",), {"rho": ("1/100", "1/8", "2"), "delta": DELTAS}),
    "gdp_of_gaussian": (("gdp",), {"sigma": ("1/2", "1", "7"), "sensitivity": ("1", "3")}),
    "gdp_composition": (("composition",), {"mus": (["1"], ["1/2"] * 4, ["1/10", "2"])}),
    "gdp_delta": (("conversion", "tail"), {"mu": ("1/10", "1", "3"), "at_epsilon": ("0", "1/2", "2")}),
    "subsampling_epsilon": (
        ("subsampling",),
        {"epsilon": ("1/10", "1", "5"), "rate": ("1/100", "1/2", "99/100")},
    ),
    "subsampled_gaussian_delta": (
        ("subsampling", "one-direction"),
        {"sigma": ("1/2", "1", "4"), "rate": ("1/100", "1/2"), "at_epsilon": ("0", "1/2", "2")},
    ),
    "group_epsilon": (("group",), {"epsilon": ("1/10", "2"), "times": ("1", "2", "10")}),
    "group_delta": (
        ("group",),
        {"epsilon": ("1/10", "1"), "delta": ("1/100000",), "times": ("1", "2", "8")},
    ),
    "laplace_threshold": (("threshold",), {"epsilon": ("1/10", "1", "5"), "delta": (*DELTAS, "3/4")}),
    "bounded_range_delta": (
        ("bounded-range",),
        {"epsilon": ("1/10", "1"), "times": ("1", "3", "10"), "at_epsilon": ("1/20", "1/2", "2")},
    ),
}
"""For every rule: the flags of its mistakes, and the values of its arguments, all of which are combined."""


def number_cases() -> Iterator[VectorCase]:
    """Yield every rule with all combinations of its arguments."""
    for rule, (flags, values) in CASES.items():
        for chosen in product(*values.values()):
            args = dict(zip(values, chosen, strict=True))
            name = " ".join(f"{key}={_shorten_list(value)}" for key, value in args.items())
            yield VectorCase("accounting", f"{rule} {name}", {"rule": rule} | args, flags)


def _shorten_list(value: Any) -> str:
    return value if isinstance(value, str) else f"[{', '.join(dict.fromkeys(value))}; {len(value)}]"
