"""The kinds of arguments that several operations share, and the words that select variants."""

from __future__ import annotations

from fractions import Fraction

from privboost.gate.protocol.compound_kinds import ListKind, MappingKind, RecordKind
from privboost.gate.protocol.kinds import ArgumentKind, NumberKind, WordKind

from .candidates import CandidateKind

ZERO, HALF, ONE = Fraction(0), Fraction(1, 2), Fraction(1)
ANY = NumberKind()
PROBABILITY = NumberKind(ZERO, ONE)
SHARE = NumberKind(ZERO, ONE, is_open=True)
ABOVE_ZERO = NumberKind(ZERO, is_open=True)
FROM_ZERO = NumberKind(ZERO)
COUNT = NumberKind(ONE, is_integer=True)
INDEX = NumberKind(ZERO, is_integer=True)
CODE = NumberKind(ZERO, is_integer=True, is_json=True)
RESULT = NumberKind(may_be_float=True)

LOSSES = ("square", "log", "zero_one", "matsushita", "m_alpha")
WORDS: dict[str, tuple[str, ...]] = {
    "alpha": ("schedule", "raw_strict", "raw_minority"),
    "split_law": ("exponential", "permute_and_flip"),
    "sensitivity": ("printed", "sharp"),
    "node_budget": ("printed", "level"),
    "leaf": ("noisy_masses", "link_noise_clamp", "link_clamp_noise"),
    "beta": ("noisy_masses", "raw", "constant"),
    "relation": ("exchange", "add_remove"),
}
"""The fields of the argument `protocol` of `train`, with their words."""

PARAMETERS: dict[str, ArgumentKind] = {
    "trees": COUNT,
    "depth": COUNT,
    "epsilon": ABOVE_ZERO,
    "beta_tree": SHARE,
    "bound": ABOVE_ZERO,
    "zeta": NumberKind(ZERO, HALF, is_open=True),
    "alphas": ListKind(PROBABILITY, least=1),
    "boost_alpha": PROBABILITY,
    "grid": ABOVE_ZERO,
}
"""The fields of the argument `parameters` of `train`."""

NOISE = {
    "noisy_masses": RecordKind({"positive": ANY, "negative": ANY}),
    "link_noise_clamp": RecordKind({"value": ANY}),
    "link_clamp_noise": RecordKind({"value": ANY}),
}
"""The noise of a leaf, by the leaf rule."""

LOSS = {"loss": WordKind(LOSSES)}
OF_LOSS = {"m_alpha": {"alpha": PROBABILITY}}
BUDGET = {name: PARAMETERS[name] for name in ("epsilon", "beta_tree", "trees")}
LAW = {
    "scores": MappingKind("candidate", ANY),
    "epsilon": ABOVE_ZERO,
    "sensitivity": ABOVE_ZERO,
    "law": WordKind(WORDS["split_law"]),
}
SEED = NumberKind(ZERO, is_integer=True, greatest=1 << 57)
DRAWS = {"seed": SEED, "count": NumberKind(ZERO, is_integer=True, greatest=0)}
MASSES = {"positive": FROM_ZERO, "negative": FROM_ZERO}
CODES = ListKind(CODE)
DOMAIN = ListKind(
    RecordKind(
        {
            "kind": WordKind(("quantised", "categorical")),
            "n_values": NumberKind(ONE, is_integer=True, is_json=True, greatest=0),
        }
    )
)
TAPE = ListKind(
    RecordKind({"choices": ListKind(CandidateKind()), "noise": ListKind(RecordKind({}, is_extensible=True))})
)
MODEL_TREE = RecordKind(
    {"splits": ListKind(CandidateKind()), "values": ListKind(RESULT), "beta": RESULT}, is_extensible=True
)
MODEL = RecordKind({"trees": ListKind(MODEL_TREE)}, is_extensible=True)

MEANINGS: dict[str, str] = {
    "loss": "the loss",
    "alpha": "α of the loss `m_alpha`",
    "u": "a probability, or the first argument of `perspective`",
    "v": "the second argument of `perspective`",
    "y": "a label",
    "z": "a margin",
    "positive": "mass of the rows with label 1",
    "negative": "mass of the rows with label -1",
    "rule": "the variant",
    "m": "number of rows of the sample",
    "weight_bound": "w̄, an upper bound on weights",
    "epsilon": "ε, the total budget; in `split_law` and `sample_split` that of one split",
    "beta_tree": "β, the share of the splits",
    "trees": "T, the number of trees",
    "depth": "d, the depth of the trees",
    "level": "level of a node, 0 for the root, below `depth`",
    "relation": "which samples are neighbours: one row replaced, or one added or removed",
    "leaves": "number of leaves of a tree",
    "bound": "M, the bound on values",
    "error": "weighted error of a tree",
    "root_error": "weighted error of its root alone",
    "rows": "examples",
    "candidates": "tests of attributes",
    "scores": "score of every candidate, more is better; names that are not candidates are never sent",
    "sensitivity": "Δ, the sensitivity of the scores",
    "law": "the law of a split",
    "zeta": "ζ, the least proportion",
    "grid": "step of the grid",
    "noise": "noise of a leaf",
    "values": "value of every leaf",
    "nets": "positive minus negative mass of every leaf",
    "weight": "weight of the row in the last tree",
    "beta": "coefficient of the last tree",
    "value": "value of the leaf of the row in the last tree",
    "margin": "H(x), the sum of beta · value over all earlier trees",
    "seed": "seed of the draws; seeds above 2^57 are never sent",
    "count": "number of draws",
    "scale": "scale of the noise",
    "protocol": "the variants of the learner",
    "parameters": "its numbers",
    "domain": "the attributes",
    "tape": "all choices and all noise, in place of a seed",
    "model": "a result of `train`",
}
"""What the arguments mean, for the page."""
