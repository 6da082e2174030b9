"""The laws of draws: names of their parameters, which of them is a scale, and what a move of a draw costs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

GAUSSIAN, ABSOLUTE, ONE_SIDED = "gaussian", "absolute", "one_sided"


@dataclass(frozen=True, slots=True)
class NoiseLaw:
    """A law of noise: parameters in the order of the call with their defaults, and its scale."""

    parameters: Mapping[str, Any]
    scale: str = ""
    """The parameter that is the scale, the rate or the probability; empty if it is fixed."""
    moves: str = ""
    """How a move of the draw costs: GAUSSIAN, ABSOLUTE (both ways) or ONE_SIDED; empty if unknown."""
    form: str = "scale"
    """What the scale parameter is: scale, rate, probability, or survival (one minus a probability)."""

    def scale_of(self, parameters: Mapping[str, Any]) -> Any:
        """Return the scale of a draw: the move that costs a loss of 1."""
        if not self.scale:
            return 1.0
        given = np.asarray(parameters.get(self.scale, self.parameters[self.scale]), dtype=float)
        if self.form == "rate":
            return 1 / given
        return -1 / np.log1p(-given) if self.form == "probability" else given

    @property
    def step(self) -> float:
        """Return the move of a draw as a multiple of the scale; 0 for integers, which move by 1."""
        return 0.0 if self.form == "probability" else 0.5


_LOC = {"loc": 0.0, "scale": 1.0, "size": None}
LAWS = {
    "laplace": NoiseLaw(_LOC, "scale", ABSOLUTE),
    "logistic": NoiseLaw(_LOC, "scale", ABSOLUTE),
    "gumbel": NoiseLaw(_LOC, "scale"),
    "normal": NoiseLaw(_LOC, "scale", GAUSSIAN),
    "standard_normal": NoiseLaw({"size": None}, "", GAUSSIAN),
    "randn": NoiseLaw({}, "", GAUSSIAN),
    "exponential": NoiseLaw({"scale": 1.0, "size": None}, "scale", ONE_SIDED),
    "standard_exponential": NoiseLaw({"size": None}, "", ONE_SIDED),
    "geometric": NoiseLaw({"p": None, "size": None}, "p", ONE_SIDED, "probability"),
    "gamma": NoiseLaw({"shape": None, "scale": 1.0, "size": None}, "scale"),
    "standard_cauchy": NoiseLaw({"size": None}),
    "standard_t": NoiseLaw({"df": None, "size": None}, "df"),
    "gauss": NoiseLaw({"mu": 0.0, "sigma": 1.0}, "sigma", GAUSSIAN),
    "normalvariate": NoiseLaw({"mu": 0.0, "sigma": 1.0}, "sigma", GAUSSIAN),
    "expovariate": NoiseLaw({"lambd": 1.0}, "lambd", ONE_SIDED, "rate"),
}
"""Laws of noise by the name of the method; all others are ways to select, to shuffle or to make noise of."""

CHOICE = {"a": None, "size": None, "replace": True, "p": None}


def name_parameters(law: str, arguments: Sequence[Any], named: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of a draw by name; those that hold data, such as what is shuffled, by length."""
    if law == "choice":
        given = dict(zip(CHOICE, arguments, strict=False)) | dict(named)
        weights = given.get("p")
        return {
            "a": repr(given.get("a")),
            "weights": None if weights is None else np.array(weights, dtype=float),
        }
    if law in LAWS:
        given = dict(zip(LAWS[law].parameters, arguments, strict=False)) | dict(named)
        return {name: given[name] for name in LAWS[law].parameters if name in given and name != "size"}
    return {}


def largest_log_ratio(left: Any, right: Any) -> float:
    """Return the greatest log ratio of two lists of probabilities; infinite if only one of two is 0."""
    if np.shape(left) != np.shape(right):
        return math.inf
    if np.any((left > 0) != (right > 0)):
        return math.inf
    kept = left > 0
    return float(np.max(np.abs(np.log(left[kept] / right[kept])), initial=0.0))
