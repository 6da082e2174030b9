"""The table of operations: samples, training and prediction."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from privboost.gate.protocol.compound_kinds import ListKind, RecordKind
from privboost.gate.protocol.kinds import LabelKind, WordKind
from privboost.gate.protocol.operation import COMPOSED, Condition, Operation, Slack, Tolerance
from privboost.gate.protocol.wire import read_finite
from privboost.gate.trees.levels import Level

from .ranges import ABOVE_ZERO, CODES, DOMAIN, DRAWS, LAW, MODEL, PARAMETERS, SEED, TAPE, WORDS


def _slack_of_terms(args: Mapping[str, Any]) -> Slack:
    """Return a tolerance relative to the sum of the absolute values of the terms of a margin."""
    total = Fraction(0)
    for tree in args["model"]["trees"]:
        greatest = max(abs(read_finite(value)) for value in tree["values"])
        total += abs(read_finite(tree["beta"])) * greatest
    return lambda _: total / (1 << 40)


TERMS = Tolerance("2^-40 times the sum over trees of abs(beta) times the largest abs(value)", _slack_of_terms)
DRAWN = Tolerance("none: draws are judged by their law", lambda _: lambda _: Fraction(0))

OPERATIONS_OF_SAMPLERS = (
    Operation(
        "sample_split",
        "samples",
        "expSPLIT",
        "`count` candidates drawn by the law",
        {**LAW, **DRAWS},
        (
            {"scores": {"x0 >= 1": "-1", "x1 = 0": "-2"}, "epsilon": "1", "sensitivity": "1"}
            | {"law": "exponential", "seed": "1", "count": "2"},
        ),
        tolerance=DRAWN,
        rules="""
            - A list of independent draws from `split_law`.
        """,
    ),
    Operation(
        "sample_laplace",
        "samples",
        "sec-solv",
        "`count` draws of discrete Laplace noise",
        {"scale": ABOVE_ZERO, "grid": ABOVE_ZERO, **DRAWS},
        ({"scale": "1", "grid": "1/1024", "seed": "1", "count": "2"},),
        tolerance=DRAWN,
        rules="""
            - A list of independent draws of k · grid with probability proportional to exp(-abs(k)
              grid / scale), k an integer.
        """,
    ),
)

SOUND = {
    "alpha": "schedule",
    "split_law": "exponential",
    "sensitivity": "sharp",
    "node_budget": "level",
    "leaf": "noisy_masses",
    "beta": "noisy_masses",
    "relation": "exchange",
}
"""The preset SOUND as the argument `protocol` of `train`."""
_STUMP = {
    "choices": ["x0 >= 1"],
    "noise": [{"positive": "1/4", "negative": "0"}, {"positive": "-1/2", "negative": "0"}],
}
_TRAINING = {
    "protocol": SOUND,
    "parameters": {
        "trees": "1",
        "depth": "1",
        "epsilon": "1",
        "beta_tree": "1/2",
        "bound": "4",
        "zeta": "1/64",
    }
    | {"alphas": ["1"], "boost_alpha": "1", "grid": "1/1024"},
    "domain": [{"kind": "quantised", "n_values": 2}, {"kind": "categorical", "n_values": 1}],
    "rows": [{"x": [0, 0], "y": -1}, {"x": [1, 0], "y": 1}],
    "tape": [_STUMP],
}
_TREE = {"splits": ["x0 >= 1"], "values": ["1", "-1"], "beta": "1/2"}


_CODES_IN_DOMAIN = "rows have one code for every attribute, each below its `n_values`"
_WRONG_CODES = {"row with one code": [0], "row with three codes": [0, 0, 0], "row with code 2": [2, 0]}
_TWO_SPLITS = {"splits": ["x0 >= 1"] * 2, "values": ["1"] * 3}
_FOUR_SPLITS = {"splits": ["x0 >= 1"] * 4, "values": ["1"] * 5}

OPERATIONS_OF_LEARNER = (
    Operation(
        "train",
        "learner",
        "sec-solv",
        "a model, its expenses and their total",
        {
            "protocol": RecordKind({name: WordKind(words) for name, words in WORDS.items()}),
            "parameters": RecordKind(PARAMETERS),
            "domain": DOMAIN,
            "rows": ListKind(RecordKind({"x": CODES, "y": LabelKind(is_json=True)}), least=1),
        },
        (_TRAINING, {name: value for name, value in _TRAINING.items() if name != "tape"} | {"seed": "1"}),
        optional={"seed": SEED, "tape": TAPE},
        tolerance=COMPOSED,
        level=Level.LEARNER,
        conditions=(
            Condition(
                _CODES_IN_DOMAIN,
                {name: {"rows": [{"x": codes, "y": 1}]} for name, codes in _WRONG_CODES.items()},
            ),
            Condition(
                "there is either a seed or a tape",
                {"seed and tape": {"seed": "1"}},
                flag="unknown-argument",
            ),
            Condition(
                "the domain has at least one candidate",
                {
                    "domain without a candidate": {"domain": [{"kind": "quantised", "n_values": 1}] * 2}
                    | {"rows": [{"x": [0, 0], "y": 1}]}
                },
            ),
            Condition(
                "a tape has one entry per tree, with one choice per node and one noise object per leaf",
                {
                    "tape of two trees": {"tape": [_STUMP] * 2},
                    "tape with two choices": {"tape": [_STUMP | {"choices": ["x0 >= 1"] * 2}]},
                    "tape with noise of one leaf": {
                        "tape": [_STUMP | {"noise": [{"positive": "0", "negative": "0"}]}]
                    },
                },
            ),
            Condition(
                "choices are candidates of the domain, and noise objects are those of the leaf rule",
                {
                    "choice outside the domain": {"tape": [_STUMP | {"choices": ["x0 >= 2"]}]},
                    "choice of an attribute with one value": {"tape": [_STUMP | {"choices": ["x1 = 0"]}]},
                    "noise of another rule": {"tape": [_STUMP | {"noise": [{"value": "0"}] * 2}]},
                    "noise nan": {"tape": [_STUMP | {"noise": [{"positive": "nan", "negative": "0"}] * 2}]},
                },
            ),
        ),
    ),
    Operation(
        "predict",
        "learner",
        "sec-solv",
        "the margin H(x) of every row",
        {"model": MODEL, "domain": DOMAIN, "rows": ListKind(RecordKind({"x": CODES}))},
        (
            {
                "model": {"trees": [_TREE]},
                "domain": [{"kind": "quantised", "n_values": 2}] * 2,
                "rows": [{"x": [0, 1]}],
            },
        ),
        tolerance=TERMS,
        level=Level.LEARNER,
        conditions=(
            Condition(
                _CODES_IN_DOMAIN, {name: {"rows": [{"x": codes}]} for name, codes in _WRONG_CODES.items()}
            ),
            Condition(
                "splits are candidates of the domain; a tree has one value more than splits, a power of 2",
                {
                    "model with a split outside the domain": {
                        "model": {"trees": [_TREE | {"splits": ["x2 >= 1"]}]}
                    },
                    "model with three values": {"model": {"trees": [_TREE | {"values": ["1", "-1", "1"]}]}},
                    "model with two splits and three values": {"model": {"trees": [_TREE | _TWO_SPLITS]}},
                    "model with four splits and five values": {"model": {"trees": [_TREE | _FOUR_SPLITS]}},
                },
            ),
        ),
    ),
)
