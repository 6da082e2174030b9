"""Cases of the operations on trees and privacy that must be refused, with one wrong argument each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .case import VectorCase

VALID: dict[str, dict[str, Any]] = {
    "leaf_risk": {"alpha": "1/2", "positive": "1", "negative": "2"},
    "sensitivity": {"rule": "printed", "alpha": "1/2", "m": "4", "weight_bound": "1"},
    "node_budget": {
        "rule": "printed",
        "epsilon": "1",
        "beta_tree": "1/2",
        "trees": "3",
        "depth": "2",
        "level": "1",
    },
    "leaf_budget": {"epsilon": "1", "beta_tree": "1/2", "trees": "3"},
    "leaf_scale": {
        "rule": "noisy_masses",
        "relation": "exchange",
        "epsilon": "1",
        "beta_tree": "1/2",
        "trees": "3",
        "leaves": "4",
        "bound": "10",
        "weight_bound": "1",
    },
    "calibrated_alpha": {"error": "1", "root_error": "2"},
    "split_scores": {
        "alpha": "1/2",
        "rows": [{"x": [0, 1], "y": 1, "w": "1/2"}, {"x": [1, 0], "y": -1, "w": "1/2"}],
        "candidates": ["x0 >= 1", "x1 = 0"],
    },
    "split_law": {
        "scores": {"x0 >= 1": "-1", "x1 = 0": "-2"},
        "epsilon": "1",
        "sensitivity": "1",
        "law": "exponential",
    },
    "leaf_value": {
        "rule": "link_clamp_noise",
        "alpha": "1/2",
        "zeta": "1/64",
        "bound": "4",
        "grid": "1/1024",
        "positive": "1",
        "negative": "2",
        "noise": {"value": "0"},
    },
    "leverage": {"alpha": "1/2", "bound": "4", "m": "3", "values": ["1", "-1"], "nets": ["2", "1"]},
    "update_weight": {
        "rule": "mirror",
        "alpha": "1/2",
        "y": "1",
        "weight": "1/2",
        "beta": "1",
        "value": "1",
    },
    "sample_split": {
        "scores": {"x0 >= 1": "-1", "x1 = 0": "-2"},
        "epsilon": "1",
        "sensitivity": "1",
        "law": "exponential",
        "seed": "1",
        "count": "2",
    },
    "sample_laplace": {"scale": "1", "grid": "1/1024", "seed": "1", "count": "2"},
}
"""A valid request for every operation; each case changes one argument of it."""

WORDS = ("rule", "relation", "law")
OUT_OF_RANGE: dict[str, tuple[str, ...]] = {
    "alpha": ("-1/10", "11/10", "infinity"),
    "positive": ("-1", "infinity"),
    "negative": ("-1/1024", "infinity"),
    "m": ("0", "-1", "3/2"),
    "epsilon": ("0", "-1", "infinity"),
    "trees": ("0", "-2", "3/2"),
    "depth": ("0", "5/2"),
    "leaves": ("3/2",),
    "sensitivity": ("0", "-1"),
    "error": ("-1", "infinity"),
    "root_error": ("-1", "infinity"),
    "y": ("0", "2"),
    "scale": ("0", "-1", "infinity"),
    "grid": ("0", "-1"),
    "bound": ("0", "-1"),
    "weight_bound": ("0",),
    "beta_tree": ("0", "1"),
    "zeta": ("0", "1/2"),
    "level": ("-1", "1/2"),
    "seed": ("-1", "1/2"),
    "count": ("-1", "1/2"),
}
NUMBERS = ("weight", "beta", "value")
INVALID_ROWS: dict[str, tuple[dict[str, Any], str]] = {
    "label 0": ({"x": [0, 1], "y": 0, "w": "1/2"}, "domain"),
    "weight nan": ({"x": [0, 1], "y": 1, "w": "nan"}, "nan"),
    "weight -1": ({"x": [0, 1], "y": 1, "w": "-1"}, "domain"),
    "width 1": ({"x": [0], "y": 1, "w": "1/2"}, "domain"),
}


def refused_cases() -> Iterator[VectorCase]:
    """Yield cases for every argument of every operation: missing, out of range, not a number."""
    for op, args in VALID.items():
        for name in args:
            yield VectorCase(op, f"refused without {name}", _without(args, name), ("missing-argument",))
            if name in WORDS:
                yield _case(op, args, name, "other", "unknown-word")
            if name in OUT_OF_RANGE:
                for invalid in OUT_OF_RANGE[name]:
                    yield _case(op, args, name, invalid, "infinity" if invalid == "infinity" else "domain")
            if name in OUT_OF_RANGE or name in NUMBERS:
                yield _case(op, args, name, "nan", "nan")
                yield _case(op, args, name, "one", "no-number")
        extra = args | {"temperature": "1"}
        yield VectorCase(op, "refused with temperature", extra, ("unknown-argument",))
    yield from _nested()


def _case(op: str, args: dict[str, Any], name: str, invalid: str, flag: str) -> VectorCase:
    return VectorCase(op, f"refused {name}={invalid}", args | {name: invalid}, (flag,))


def _without(args: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in args.items() if key != name}


def _nested() -> Iterator[VectorCase]:
    """Yield cases with a wrong value within a list or an object."""
    scores = VALID["split_scores"]
    for name, (row, flag) in INVALID_ROWS.items():
        args = scores | {"rows": [*scores["rows"], row]}
        yield VectorCase("split_scores", f"refused row with {name}", args, (flag,))
    args = scores | {"candidates": ["x0 > 1"]}
    yield VectorCase("split_scores", "refused candidate x0 > 1", args, ("unknown-word",))
    sharp = VALID["sensitivity"] | {"rule": "sharp"}
    yield VectorCase("sensitivity", "refused rule=sharp m=0", sharp | {"m": "0"}, ("domain",))
    for name in ("alpha", "weight_bound"):
        args = _without(sharp, name)
        yield VectorCase("sensitivity", f"refused rule=sharp without {name}", args, ("missing-argument",))
    for op in ("split_law", "sample_split"):
        law = VALID[op]
        yield VectorCase(op, "refused score nan", law | {"scores": {"x0 >= 1": "nan"}}, ("nan",))
        yield VectorCase(op, "refused no scores", law | {"scores": {}}, ("domain",))
    row = scores["rows"][0]
    for name, changed in (("without w", _without(row, "w")), ("with name", row | {"name": "a"})):
        args = scores | {"rows": [changed]}
        yield VectorCase("split_scores", f"refused row {name}", args, ("nested-argument",))
    value = VALID["leaf_value"]
    yield VectorCase("leaf_value", "refused noise nan", value | {"noise": {"value": "nan"}}, ("nan",))
    yield VectorCase(
        "leaf_value", "refused noise of masses", value | {"noise": {"positive": "0"}}, ("missing-argument",)
    )
    args = value | {"noise": {"value": "0", "positive": "0"}}
    yield VectorCase("leaf_value", "refused noise with positive", args, ("nested-argument",))
    short = VALID["leverage"] | {"nets": ["2"]}
    yield VectorCase("leverage", "refused one net for two values", short, ("missing-argument",))
