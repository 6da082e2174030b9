"""The operations of the gate's protocol: their arguments, allowed words, results and labels.

docs/gate_protocol.md shows the same table; a test compares the two.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

PROTOCOL = 1
"""Version of the protocol."""

Names = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation of the protocol."""

    name: str
    label: str
    """Label of the statement of the paper that defines the result."""
    meaning: str
    """The result, in one line."""
    arguments: Names
    """Arguments that every request has."""
    words: Mapping[str, Names] = field(default_factory=dict)
    """Values of the arguments that are chosen from a list."""
    by_word: Mapping[str, Names] = field(default_factory=dict)
    """Further arguments that a word requires."""
    optional: Names = ()
    label_by_word: Mapping[str, str] = field(default_factory=dict)
    """Labels that replace `label` for requests with a word."""

    def arguments_of(self, given: Mapping[str, Any]) -> Names:
        """Return the names of the arguments that a request must have."""
        chosen = self._chosen(given)
        return self.arguments + sum((more for word, more in self.by_word.items() if word in chosen), ())

    def label_of(self, given: Mapping[str, Any]) -> str:
        """Return the label of a request."""
        chosen = self._chosen(given)
        return next((label for word, label in self.label_by_word.items() if word in chosen), self.label)

    def _chosen(self, given: Mapping[str, Any]) -> list[Any]:
        return [given.get(name) for name in self.words]


LOSSES = ("square", "log", "zero_one", "matsushita", "m_alpha")

WORDS: dict[str, Names] = {
    "alpha": ("schedule", "raw_strict", "raw_minority"),
    "split_law": ("exponential", "permute_and_flip"),
    "sensitivity": ("printed", "sharp"),
    "node_budget": ("printed", "level"),
    "leaf": ("noisy_masses", "link_noise_clamp", "link_clamp_noise"),
    "beta": ("noisy_masses", "raw", "constant"),
    "relation": ("exchange", "add_remove"),
}
"""The fields of the argument `protocol` of `train`, with their words."""

PARAMETERS = ("trees", "depth", "epsilon", "beta_tree", "bound", "zeta", "alphas", "boost_alpha", "grid")
"""The fields of the argument `parameters` of `train`."""

_LOSS = {"loss": LOSSES}
_ALPHA = {"m_alpha": ("alpha",)}
_BUDGET = ("epsilon", "beta_tree", "trees")
_LAW = ("scores", "epsilon", "sensitivity", "law")

HELLO = Operation("hello", "wire", "name, version, protocol, operations; optionally limits", ("protocol",))

_ALL = (
    Operation("bayes_risk", "pbr", "Bayes risk L(u)", ("loss", "u"), _LOSS, _ALPHA),
    Operation(
        "partial_loss", "eqpartialloss", "loss of predicting u for label y", ("loss", "y", "u"), _LOSS, _ALPHA
    ),
    Operation("link", "f-alphaM", "a subgradient of -L at u", ("loss", "u"), _LOSS, _ALPHA),
    Operation("inverse_link", "f-alphaM", "a probability whose link is z", ("loss", "z"), _LOSS, _ALPHA),
    Operation("surrogate", "f-alphaM", "F(z), the supremum of L(u) - z u", ("loss", "z"), _LOSS, _ALPHA),
    Operation("perspective", "defpt", "v L(u / v)", ("loss", "u", "v"), _LOSS, _ALPHA),
    Operation("leaf_risk", "defMECH", "risk of a leaf", ("alpha", "positive", "negative")),
    Operation(
        "sensitivity",
        "sensALPHA",
        "sensitivity of a split's score",
        ("rule", "alpha", "m", "weight_bound"),
        {"rule": WORDS["sensitivity"]},
        label_by_word={"sharp": "sharp-sensitivity"},
    ),
    Operation(
        "node_budget",
        "fixEPSILON",
        "budget of a node",
        ("rule", *_BUDGET, "depth", "level"),
        {"rule": WORDS["node_budget"]},
    ),
    Operation("leaf_budget", "sec-solv", "budget of the leaves of a tree", _BUDGET),
    Operation(
        "leaf_scale",
        "sec-solv",
        "scale of a leaf's noise",
        ("rule", "relation", *_BUDGET, "leaves", "bound", "weight_bound"),
        {"rule": WORDS["leaf"], "relation": WORDS["relation"]},
    ),
    Operation("calibrated_alpha", "fixALPHA", "alpha of a node from two errors", ("error", "root_error")),
    Operation("split_scores", "expSPLIT", "score of every candidate", ("alpha", "rows", "candidates")),
    Operation("split_law", "expSPLIT", "probability of every candidate", _LAW, {"law": WORDS["split_law"]}),
    Operation(
        "leaf_value",
        "predDT",
        "released value of a leaf",
        ("rule", "alpha", "zeta", "bound", "grid", "positive", "negative", "noise"),
        {"rule": WORDS["leaf"]},
    ),
    Operation("leverage", "cboost", "coefficient of a tree", ("alpha", "bound", "m", "values", "nets")),
    Operation(
        "update_weight",
        "defwunMF",
        "weight of a row in the next tree",
        ("rule", "alpha", "y"),
        {"rule": ("mirror", "accumulated")},
        {"mirror": ("weight", "beta", "value"), "accumulated": ("margin", "weight_bound", "grid")},
    ),
    Operation(
        "sample_split",
        "expSPLIT",
        "`count` candidates drawn by the law",
        (*_LAW, "seed", "count"),
        {"law": WORDS["split_law"]},
    ),
    Operation(
        "sample_laplace",
        "sec-solv",
        "`count` draws of discrete Laplace noise",
        ("scale", "grid", "seed", "count"),
    ),
    Operation(
        "train",
        "sec-solv",
        "a model, its expenses and their total",
        ("protocol", "parameters", "domain", "rows"),
        optional=("seed", "tape"),
    ),
    Operation("predict", "sec-solv", "the margin H(x) of every row", ("model", "domain", "rows")),
)

OPERATIONS: dict[str, Operation] = {operation.name: operation for operation in _ALL}
"""Every operation besides `hello`, by name."""


def operation_of(name: str) -> Operation:
    """Return an operation, `hello` included.

    Requires: a name of the protocol.
    """
    return HELLO if name == HELLO.name else OPERATIONS[name]
