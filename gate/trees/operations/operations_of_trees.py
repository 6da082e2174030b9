"""The table of operations: trees and privacy."""

from __future__ import annotations

from fractions import Fraction

from privboost.gate.protocol.compound_kinds import ListKind, RecordKind
from privboost.gate.protocol.kinds import LabelKind, WordKind
from privboost.gate.protocol.operation import COMPOSED, Condition, Operation, Tolerance

from .candidates import CandidateKind
from .ranges import (
    ABOVE_ZERO,
    ANY,
    BUDGET,
    CODES,
    COUNT,
    FROM_ZERO,
    INDEX,
    LAW,
    MASSES,
    NOISE,
    PARAMETERS,
    PROBABILITY,
    SHARE,
    WORDS,
)

PROBABILITIES = Tolerance(
    "1e-9 v for probabilities v > 1e-300, else 1e-9",
    lambda _: lambda exact: (exact if exact > Fraction(1, 10**300) else Fraction(1)) / 10**9,
)

_BUDGETED = {"epsilon": "1", "beta_tree": "1/2", "trees": "3"}
OPERATIONS_OF_TREES = (
    Operation(
        "leaf_risk",
        "trees",
        "defMECH",
        "risk of a leaf",
        {"alpha": PROBABILITY, **MASSES},
        ({"alpha": "1/2", "positive": "1", "negative": "2"},),
        rules="""
            - (a+b) L(a / (a+b)) for the masses a, b and the Bayes risk L of `m_alpha`; 0 for an
              empty leaf.
        """,
    ),
    Operation(
        "sensitivity",
        "trees",
        "sensALPHA",
        "sensitivity of a split's score",
        {
            "rule": WordKind(WORDS["sensitivity"]),
            "alpha": PROBABILITY,
            "m": COUNT,
            "weight_bound": ABOVE_ZERO,
        },
        (
            {"rule": "printed", "alpha": "1/2", "m": "4", "weight_bound": "1"},
            {"rule": "sharp", "alpha": "1/2", "m": "4", "weight_bound": "1"},
        ),
        label_by_word={"sharp": "sharp-sensitivity"},
        rules="""
            - `printed`: 3 + 2α (√m - 1), without w̄.
            - `sharp`: w̄ m L(1/m), L of `m_alpha`; 0 at m = 1.
        """,
    ),
    Operation(
        "node_budget",
        "trees",
        "fixEPSILON",
        "budget of a node",
        {"rule": WordKind(WORDS["node_budget"]), **BUDGET, "depth": COUNT, "level": INDEX},
        ({"rule": "printed", **_BUDGETED, "depth": "2", "level": "1"},),
        conditions=(
            Condition(
                "`level` is below `depth`",
                {"level=depth": {"level": "2"}},
                lambda a: bool(a["level"] < a["depth"]),
            ),
        ),
        rules="""
            - `printed`: β ε / (T d 2^level).
            - `level`: β ε / (T d).
        """,
    ),
    Operation(
        "leaf_budget",
        "trees",
        "sec-solv",
        "budget of the leaves of a tree",
        BUDGET,
        (_BUDGETED,),
        rules="""
            - B = (1-β) ε / T.
        """,
    ),
    Operation(
        "leaf_scale",
        "trees",
        "sec-solv",
        "scale of a leaf's noise",
        {
            "rule": WordKind(WORDS["leaf"]),
            "relation": WordKind(WORDS["relation"]),
            **BUDGET,
            "leaves": COUNT,
            "bound": ABOVE_ZERO,
            "weight_bound": ABOVE_ZERO,
        },
        (
            {"rule": "noisy_masses", "relation": "exchange", **_BUDGETED}
            | {"leaves": "4", "bound": "10", "weight_bound": "1"},
        ),
        rules="""
            - With the leaf budget B, `noisy_masses`: 2 w̄ / B under `exchange`, w̄ / B under
              `add_remove`.
            - `link_noise_clamp` and `link_clamp_noise`: 2 M leaves / B.
            - `leaves` need not be a power of 2.
        """,
    ),
    Operation(
        "calibrated_alpha",
        "trees",
        "fixALPHA",
        "alpha of a node from two errors",
        {"error": FROM_ZERO, "root_error": FROM_ZERO},
        ({"error": "1", "root_error": "2"},),
        rules="""
            - min(error / root_error, 1), and 1 if root_error is 0.
        """,
    ),
    Operation(
        "split_scores",
        "trees",
        "expSPLIT",
        "score of every candidate",
        {
            "alpha": PROBABILITY,
            "rows": ListKind(RecordKind({"x": CODES, "y": LabelKind(is_json=True), "w": FROM_ZERO})),
            "candidates": ListKind(CandidateKind()),
        },
        (
            {
                "alpha": "1/2",
                "rows": [{"x": [0, 1], "y": 1, "w": "1/2"}, {"x": [1, 0], "y": -1, "w": "1/2"}],
                "candidates": ["x0 >= 1", "x1 = 0"],
            },
        ),
        conditions=(
            Condition(
                "all rows have the same number of codes, and candidates test only attributes of the rows",
                {
                    "rows of two widths": {
                        "rows": [{"x": [0, 1], "y": 1, "w": "1"}, {"x": [0], "y": 1, "w": "1"}]
                    }
                },
                lambda a: (
                    len({len(row["x"]) for row in a["rows"]}) <= 1
                    and all(
                        test.attribute < len(row["x"]) for row in a["rows"][:1] for test in a["candidates"]
                    )
                ),
            ),
        ),
        rules="""
            - An object from candidate to score: minus the sum of `leaf_risk` over the two sides of
              the split, for the masses of the rows there. A row has a code for every attribute, a
              label and a weight `w`. Without rows every score is 0, and candidates may test any
              attribute.
            - Candidates are strings as in [Learner](#learner), here without a domain: `"x0 >= 1"`,
              `"x0 >= 2"` and so on, and `"x0 = 0"`, `"x0 = 1"` and so on, whatever the codes are.
              `"x0 >= 0"` and repeated candidates are never sent.
        """,
    ),
    Operation(
        "split_law",
        "trees",
        "expSPLIT",
        "probability of every candidate",
        LAW,
        (
            {"scores": {"x0 >= 1": "-1", "x1 = 0": "-2"}}
            | {"epsilon": "1", "sensitivity": "1", "law": "exponential"},
        ),
        tolerance=PROBABILITIES,
        rules="""
            - An object from candidate to probability. Scores may be any numbers, of any size; they
              must not make the computation overflow.
            - `exponential`: proportional to exp(ε score / (2Δ)), with Δ = `sensitivity`.
            - `permute_and_flip`: visit the candidates in random order and choose the first whose
              coin comes up heads; the coin of a candidate has probability exp(ε (score - best
              score) / (2Δ)).
        """,
    ),
    Operation(
        "leaf_value",
        "trees",
        "predDT",
        "released value of a leaf",
        {
            "rule": WordKind(WORDS["leaf"]),
            "alpha": PROBABILITY,
            **{name: PARAMETERS[name] for name in ("zeta", "bound", "grid")},
            **MASSES,
        },
        tuple(
            {"rule": rule, "alpha": "1/2", "zeta": "1/64", "bound": "4", "grid": "1/1024"}
            | {"positive": "1", "negative": "2", "noise": noise}
            for rule, noise in (
                ("link_clamp_noise", {"value": "0"}),
                ("noisy_masses", {"positive": "0", "negative": "0"}),
            )
        ),
        {rule: {"noise": kind} for rule, kind in NOISE.items()},
        tolerance=COMPOSED,
        rules="""
            - The value given the noise. The link is that of `m_alpha`, and 0 for a proportion of
              1/2. α = 0 is sent only with `noisy_masses`: the link is then -2 below 1/2, 0
              included, and 2 above 1/2, 1 included.
            - `noisy_masses`: add the noise to the masses and set negative sums to 0. If both are 0
              the value is 0; else it is the link of the proportion of the positive mass, clamped to
              [-M, M]. It is not rounded.
            - `link_noise_clamp`: clamp the proportion to [ζ, 1-ζ], take its link, round down to the
              grid, add the noise, clamp to [-M, M]. An empty leaf has the value 0 before the noise.
            - `link_clamp_noise`: the same, but also clamp the link to [-M, M] before rounding.
            - Rounding down to the grid is the largest multiple of the grid that is not above the
              number. M need not be a multiple of the grid, and noise need not be one.
        """,
    ),
    Operation(
        "leverage",
        "trees",
        "cboost",
        "coefficient of a tree",
        {
            "alpha": PROBABILITY,
            "bound": ABOVE_ZERO,
            "m": COUNT,
            "values": ListKind(ANY),
            "nets": ListKind(ANY),
        },
        ({"alpha": "1/2", "bound": "4", "m": "3", "values": ["1", "-1"], "nets": ["2", "1"]},),
        tolerance=COMPOSED,
        conditions=(
            Condition(
                "`values` and `nets` have the same length, one entry per leaf",
                {"one net for two values": {"nets": ["2"]}},
                lambda a: len(a["values"]) == len(a["nets"]),
            ),
        ),
        rules="""
            - (α/M²) / m times the sum of value · net over the leaves.
        """,
    ),
    Operation(
        "update_weight",
        "trees",
        "defwunMF",
        "weight of a row in the next tree",
        {"rule": WordKind(("mirror", "accumulated")), "alpha": PROBABILITY, "y": LabelKind()},
        (
            {"rule": "mirror", "alpha": "1/2", "y": "1", "weight": "1/2", "beta": "1", "value": "1"},
            {"rule": "accumulated", "alpha": "1/2", "y": "1"}
            | {"margin": "1/2", "weight_bound": "1", "grid": "1/1024"},
        ),
        {
            "mirror": {"weight": SHARE, "beta": ANY, "value": ANY},
            "accumulated": {"margin": ANY, "weight_bound": ABOVE_ZERO, "grid": ABOVE_ZERO},
        },
        tolerance=COMPOSED,
        rules="""
            - `mirror`: link⁻¹(link(weight) - beta y value), with the link of `m_alpha`, which is 0
              at 1/2.
            - `accumulated`: link⁻¹(-y margin), at most w̄, rounded down to the grid, at least one
              step of the grid.
            - link⁻¹ is `inverse_link` of `m_alpha`. α = 0 is never sent; it does not matter what you
              answer.
        """,
    ),
)
