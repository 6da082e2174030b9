"""The kinds of arguments that several operations share, and the words that select variants."""

from __future__ import annotations

from fractions import Fraction

from .kinds import CandidateKind, Kind, ListOf, MappingOf, Number, Record, Word

ZERO, HALF, ONE = Fraction(0), Fraction(1, 2), Fraction(1)
ANY = Number()
PROBABILITY = Number(ZERO, ONE)
SHARE = Number(ZERO, ONE, is_open=True)
ABOVE_ZERO = Number(ZERO, is_open=True)
FROM_ZERO = Number(ZERO)
COUNT = Number(ONE, is_integer=True)
INDEX = Number(ZERO, is_integer=True)
CODE = Number(ZERO, is_integer=True, is_json=True)
RESULT = Number(may_be_float=True)

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

PARAMETERS: dict[str, Kind] = {
    "trees": COUNT,
    "depth": COUNT,
    "epsilon": ABOVE_ZERO,
    "beta_tree": SHARE,
    "bound": ABOVE_ZERO,
    "zeta": Number(ZERO, HALF, is_open=True),
    "alphas": ListOf(PROBABILITY, least=1),
    "boost_alpha": PROBABILITY,
    "grid": ABOVE_ZERO,
}
"""The fields of the argument `parameters` of `train`."""

NOISE = {
    "noisy_masses": Record({"positive": ANY, "negative": ANY}),
    "link_noise_clamp": Record({"value": ANY}),
    "link_clamp_noise": Record({"value": ANY}),
}
"""The noise of a leaf, by the leaf rule."""

LOSS = {"loss": Word(LOSSES)}
OF_LOSS = {"m_alpha": {"alpha": PROBABILITY}}
BUDGET = {name: PARAMETERS[name] for name in ("epsilon", "beta_tree", "trees")}
LAW = {
    "scores": MappingOf(ANY),
    "epsilon": ABOVE_ZERO,
    "sensitivity": ABOVE_ZERO,
    "law": Word(WORDS["split_law"]),
}
DRAWS = {"seed": INDEX, "count": INDEX}
MASSES = {"positive": FROM_ZERO, "negative": FROM_ZERO}
CODES = ListOf(CODE)
DOMAIN = ListOf(
    Record(
        {"kind": Word(("quantised", "categorical")), "n_values": Number(ONE, is_integer=True, is_json=True)}
    )
)
TAPE = ListOf(Record({"choices": ListOf(CandidateKind()), "noise": ListOf(Record({}, is_extensible=True))}))
MODEL_TREE = Record(
    {"splits": ListOf(CandidateKind()), "values": ListOf(RESULT), "beta": RESULT}, is_extensible=True
)
MODEL = Record({"trees": ListOf(MODEL_TREE)}, is_extensible=True)
