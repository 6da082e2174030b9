"""The cases of draws: requests whose law depends on every argument."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from privboost.gate.mechanisms.expected.ask import exact_answer
from privboost.gate.profile import VectorCase

ONCE = {"seed": "1", "count": "1"}
"""A runner asks for other seeds, and for the number of draws of the law."""

Cases = Mapping[str, Mapping[str, Any]]
_UP, _DOWN = {"a": "0", "b": "1", "c": "3"}, {"a": "2", "b": "2", "c": "0", "d": "1/2"}
_MANY = {f"item {index}": "0" if index else "2" for index in range(20)}
_BUDGETS = {
    "one": {"epsilon": "1", "sensitivity": "1"},
    "two": {"epsilon": "2", "sensitivity": "1"},
    "small": {"epsilon": "1/4", "sensitivity": "3"},
    "fine": {"epsilon": "3", "sensitivity": "1/2"},
}
_SCORES: Cases = {
    f"{name} {budget} {monotonic}": {"scores": scores, "monotonic": monotonic} | given
    for name, scores in {"up": _UP, "tied": _DOWN, "many": _MANY}.items()
    for budget, given in _BUDGETS.items()
    for monotonic in ("no", "yes")
    if budget != "small" or name == "up"
}
_FAR_SCORES: Cases = {
    "above 700": {
        "scores": {"a": "3000", "b": "2999"},
        "epsilon": "2",
        "sensitivity": "1",
        "monotonic": "no",
    },
    "below -700": {
        "scores": {"a": "-3000", "b": "-3001"},
        "epsilon": "2",
        "sensitivity": "1",
        "monotonic": "no",
    },
    "one candidate": {"scores": {"a": "1"}, "epsilon": "1", "sensitivity": "1", "monotonic": "no"},
}

CASES: Mapping[str, Cases] = {
    "laplace": {
        f"{name} at {value}": {"value": value} | budget
        for name, budget in _BUDGETS.items()
        for value in ("0", "-7/2", "1000000")
    },
    "geometric": {
        f"{name} at {value}": {"value": value, "epsilon": epsilon, "sensitivity": sensitivity}
        for name, epsilon, sensitivity in (("one", "1", "1"), ("small", "1/8", "1"), ("three", "2", "3"))
        for value in ("0", "-5", "4294967296")
    },
    "gaussian": {
        f"epsilon {epsilon} delta {delta} sensitivity {sensitivity}": {
            "value": "0",
            "epsilon": epsilon,
            "delta": delta,
            "sensitivity": sensitivity,
        }
        for epsilon, delta, sensitivity in (
            ("1", "1/100000", "1"),
            ("1/2", "1/1000", "3"),
            ("4", "1/100000", "1"),
            ("10", "1/100000", "1"),
            ("1/10", "1/10", "1/2"),
            ("1", "9/10", "1"),
            ("8", "1/100", "1"),
            ("30", "1/10", "2"),
        )
    },
    "discrete_gaussian": {
        f"sigma {sigma} at {value}": {"value": value, "sigma": sigma}
        for sigma in ("1/2", "2", "10")
        for value in ("0", "-3", "4294967296")
    },
    "exponential": {**_SCORES, **_FAR_SCORES},
    "permute_and_flip": {**_SCORES, **_FAR_SCORES},
    "noisy_max": {
        f"{noise} {name}": {"noise": noise, **args}
        for noise in ("laplace", "exponential", "gumbel")
        for name, args in _SCORES.items()
        if "many" not in name and "fine" not in name
    },
    "randomised_response": {
        f"{categories} categories epsilon {epsilon}": {
            "truth": truth,
            "categories": categories,
            "epsilon": epsilon,
        }
        for truth, categories, epsilon in (
            ("0", "2", "1"),
            ("1", "2", "1/2"),
            ("2", "3", "2"),
            ("0", "10", "3"),
            ("7", "8", "1"),
        )
    },
    "above_threshold": {
        "one below": {"answers": ["0"], "threshold": "1", "epsilon": "1", "sensitivity": "1"},
        "rising": {"answers": ["0", "1", "2", "3"], "threshold": "2", "epsilon": "4", "sensitivity": "1"},
        "all below": {"answers": ["-2", "-2", "-2"], "threshold": "0", "epsilon": "2", "sensitivity": "1"},
        "last above": {"answers": ["0", "0", "0", "5"], "threshold": "3", "epsilon": "6", "sensitivity": "2"},
    },
    "count": {
        f"{len(rows)} rows {noise} epsilon {epsilon}": {"rows": rows, "noise": noise, "epsilon": epsilon}
        for rows in ([], ["1"], ["0", "0", "5", "-1", "1000000000000"])
        for noise in ("laplace", "geometric")
        for epsilon in ("1", "3")
    },
    "bounded_sum": {
        f"{name} {relation}": {"relation": relation, "epsilon": epsilon, "rows": rows} | bounds
        for name, epsilon, rows, bounds in (
            ("unit", "2", ["1/2", "3", "-1", "1"], {"lower": "0", "upper": "1"}),
            ("negative", "1", ["-4", "-2", "9"], {"lower": "-3", "upper": "-1"}),
            ("shifted", "2", ["5", "7", "100"], {"lower": "4", "upper": "6"}),
            ("none", "1", [], {"lower": "-1", "upper": "3"}),
            ("great", "1/2", ["3000000000", "3000000000"], {"lower": "0", "upper": "4294967296"}),
        )
        for relation in ("add_remove", "exchange")
    },
    "bounded_mean": {
        "unit": {"rows": ["1/2", "3", "-1", "1"], "lower": "0", "upper": "1", "epsilon": "1"},
        "shifted": {"rows": ["5", "7", "100"], "lower": "4", "upper": "6", "epsilon": "2"},
        "one row": {"rows": ["2"], "lower": "-1", "upper": "3", "epsilon": "1"},
    },
    "histogram": {
        f"{categories} categories {relation} {noise}": {
            "rows": rows,
            "categories": categories,
            "relation": relation,
            "noise": noise,
            "epsilon": epsilon,
        }
        for rows, categories, epsilon in (
            (["0", "2", "2"], "3", "1"),
            ([], "2", "2"),
            (["0"] * 6 + ["4"], "5", "1/2"),
        )
        for relation in ("add_remove", "exchange")
        for noise in ("laplace", "geometric")
    },
    "stable_histogram": {
        "one alone": {"rows": ["0", "0", "7"], "epsilon": "1", "delta": "1/20"},
        "two alone": {"rows": ["3", "5", "8", "8", "8"], "epsilon": "2", "delta": "1/50"},
        "only one": {"rows": ["9"], "epsilon": "1/2", "delta": "1/10"},
    },
    "quantile": {
        f"{name} at {quantile}": {
            "rows": rows,
            "candidates": candidates,
            "quantile": quantile,
            "epsilon": epsilon,
        }
        for name, rows, candidates, epsilon in (
            ("five", ["1", "2", "3", "4", "5"], ["0", "2", "5/2", "4", "6"], "1"),
            ("none", [], ["0", "1"], "1"),
            ("ties", ["1", "1", "1", "4"], ["0", "1", "3"], "2"),
        )
        for quantile in ("1/2", "1/10")
    },
}
"""Arguments of every operation that draws, without seed and count, by the name of the case."""


def law_cases() -> Iterator[VectorCase]:
    """Yield every request, with the flags of the mistakes that its law tells apart."""
    for op, cases in CASES.items():
        for name, given in cases.items():
            args = dict(given) | ONCE
            answer = exact_answer(op, args)
            assert answer is not None, f"{op}, {name}: no law"
            flags = dict.fromkeys(rival["flag"] for rival in answer["law"]["rivals"])
            far = ("far-scores",) if name in _FAR_SCORES else ()
            yield VectorCase(op, name, args, (*flags, *far, "shape"))
