"""`privboost.fast` as an implementation: operations are answered by the functions that the learner uses.

Unsupported are losses other than the M-alpha loss, grids other than the learner's own, and arguments out of
the range of floats.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from privboost import __version__
from privboost.errors import PreconditionError
from privboost.fast import budgets, loss
from privboost.fast.bits import bits_from
from privboost.fast.domain import Domain
from privboost.fast.features import Categorical, Numeric
from privboost.fast.growth import Candidates, LocalRows, Sampled, Setting, Tree, fit_trees
from privboost.fast.growth.alphas import calibrated_alpha
from privboost.fast.growth.leaves import coefficient, leaf_value
from privboost.fast.growth.split_laws import law
from privboost.fast.growth.splits import scores_of_rows, sensitivity
from privboost.fast.growth.trees import sum_of_values
from privboost.fast.protocol import GRID, SOUND, Parameters, Protocol, SplitLaw
from privboost.gate.trees.operations.candidates import Candidate
from privboost.gate.trees.operations.requests import Arguments
from privboost.gate.trees.operations.training import (
    Attribute,
    TapedTree,
    candidates_of,
    read_domain,
    read_model,
    read_rows,
    read_training,
    result_of,
)
from privboost.targets.values import to_json_values

LIMITS = {"m": 1 << 20, "count": 1 << 20}
STEP = Fraction(1, GRID)
LONG = Fraction(1 << 400)
"""Maximum mass, and the inverse of the minimum: products of two masses are in the range of floats."""
FAR = 1 << 20
"""Maximum margin: up to it, the weight as a float differs from 0 and 1."""
DRAWN = 4096
"""Number of splits that are drawn at once."""


class FastImplementation:
    """The fast learner."""

    def answer(self, op: str, args: Mapping[str, Any]) -> Any:
        """Return the result of an operation; raise ValueError for invalid arguments."""
        if op not in _ANSWERS:
            raise NotImplementedError(f"the fast learner has no operation {op!r}")
        return to_json_values(_ANSWERS[op](Arguments(op, args)))


def _hello(_: Arguments) -> dict[str, Any]:
    return {
        "name": "privboost.fast",
        "version": __version__,
        "protocol": 1,
        "operations": [name for name in _ANSWERS if name != "hello"],
        "limits": LIMITS,
    }


def _need(holds: bool, supported: str) -> None:
    if not holds:
        raise NotImplementedError(f"the fast learner takes {supported} only")


def _alpha_of(a: Arguments) -> Fraction:
    """Return the alpha of an M-alpha loss; `zero_one` and `matsushita` have 0 and 1."""
    loss = a["loss"]
    alpha = a["alpha"] if loss == "m_alpha" else Fraction(loss == "matsushita")
    _need(loss in ("zero_one", "matsushita", "m_alpha"), "M-alpha losses")
    return alpha


def _risk(alpha: Fraction, positive: Fraction, negative: Fraction) -> float:
    for mass in (positive, negative):
        _need(not mass or 1 / LONG < mass < LONG, "masses whose products are floats")
    return float(loss.leaf_risk(np.array(float(positive)), np.array(float(negative)), float(alpha)))


def _perspective(a: Arguments) -> float:
    alpha, u, v = _alpha_of(a), a["u"], a["v"]
    _need(0 <= u <= v, "masses 0 <= u <= v")
    return _risk(alpha, u, v - u)


def _link(a: Arguments) -> float:
    alpha, u = _alpha_of(a), a["u"]
    value = float(u)
    near = min(abs(2 * u - 1), 1 - u)
    _need(value == u or near > Fraction(1, 16), "probabilities that are floats near 1/2 and 1")
    _need(bool(alpha) or 0 < u < 1, "alpha > 0 where the link is infinite")
    with np.errstate(divide="ignore"):
        return float(loss.link(np.array(value), float(alpha)))


def _inverse_link(a: Arguments) -> float:
    alpha, z = _alpha_of(a), a["z"]
    _need(not isinstance(z, str), "finite margins")
    _need(bool(alpha), "alpha > 0 in the inverse link")
    beyond = abs(z) - 2 * (1 - alpha)
    _need(
        beyond <= 0 or beyond > Fraction(1, 16) or Fraction(float(z)) == z, "floats near the plateau's ends"
    )
    return float(loss.inverse_link(np.array(float(z)), float(alpha)))


def _protocol(words: Mapping[str, str]) -> Protocol:
    """Return a protocol; choices that are not given are those of the preset SOUND."""
    return Protocol.of("gate", words)


def _parameters(**numbers: Any) -> Parameters:
    """Return parameters; by default one tree of depth 1, and epsilon 1."""
    try:
        first: dict[str, Any] = {"trees": 1, "depth": 1, "epsilon": Fraction(1)}
        return Parameters(**(first | numbers))
    except PreconditionError as error:
        raise NotImplementedError(f"the fast learner does not do this: {error}") from None


def _sensitivity(a: Arguments) -> float:
    protocol = _protocol({"sensitivity": a["rule"]})
    return sensitivity(protocol, a["m"], float(a["weight_bound"]), float(a["alpha"]))


def _node_budget(a: Arguments) -> Fraction:
    protocol, level = _protocol({"node_budget": a["rule"]}), a["level"]
    return budgets.node_budget(protocol, _parameters(**a.shares(), depth=a["depth"]), level)


def _leaf_scale(a: Arguments) -> Fraction:
    numbers, depth = a.shares(), a["leaves"].bit_length() - 1
    if a["rule"] != "noisy_masses":
        _need(a["leaves"] == 1 << depth, "complete trees")
        numbers |= {"depth": depth, "bound": a["bound"]}
    protocol = _protocol({"leaf": a["rule"], "relation": a["relation"]})
    return budgets.leaf_scale(protocol, _parameters(**numbers), a["weight_bound"])


def _steps(value: Fraction, name: str) -> int:
    """Return a number in grid steps, which must be an integer."""
    _need((value * GRID).denominator == 1, f"{name} on its grid of 1/{GRID}")
    return int(value * GRID)


def _table(candidates: Sequence[Candidate]) -> Candidates:
    _need(all(candidate.value < 256 for candidate in candidates), "codes of one byte")
    return Candidates(
        np.array([candidate.attribute for candidate in candidates], dtype=np.int32),
        np.array([candidate.value for candidate in candidates], dtype=np.uint8),
        np.array([candidate.equal for candidate in candidates], dtype=np.bool_),
    )


def _split_scores(a: Arguments) -> dict[str, float]:
    alpha, rows, candidates = a["alpha"], a.rows(), a["candidates"]
    _need(bool(rows and candidates), "at least one row and one candidate")
    weights = np.array([_steps(row.w, "weights") for row in rows])
    _need(weights.max() < 1 << 16, "weights below 64")
    _need(max(max(row.x) for row in rows) < 256, "codes of one byte")
    table = _table(candidates)
    bins = 1 + max(int(table.value.max()), *(max(row.x) for row in rows))
    signs = np.array([row.y for row in rows], dtype=np.int8)
    codes = _codes([row.x for row in rows])
    scores = scores_of_rows(codes, signs, weights.astype(np.uint16), table, bins, float(alpha))
    return {str(candidate): float(score) for candidate, score in zip(candidates, scores, strict=True)}


def _codes(rows: Sequence[Sequence[int]]) -> Any:
    return np.ascontiguousarray(np.array(rows, dtype=np.uint8).T)


def _read_law(a: Arguments) -> tuple[list[str], Any, float, SplitLaw]:
    """Return the candidates, the scores, the factor of the scores, and the law."""
    scores, split_law = a["scores"], SplitLaw(a["law"])
    per_score = a["epsilon"] / (2 * a["sensitivity"])
    best = max(scores.values())
    _need(best - min(scores.values()) < LONG and 1 / LONG < per_score < LONG, "scores that are floats")
    numbers = np.array([float(score - best) for score in scores.values()])
    return list(scores), numbers, float(per_score), split_law


def _split_law(a: Arguments) -> dict[str, float]:
    names, scores, per_score, split_law = _read_law(a)
    return dict(zip(names, law(split_law, scores, per_score).tolist(), strict=True))


def _sample_split(a: Arguments) -> list[str]:
    names, scores, per_score, split_law = _read_law(a)
    draws, count = Sampled(bits_from(a["seed"])), a["count"]
    drawn: list[int] = []
    while len(drawn) < count:
        rows = np.tile(scores, (min(DRAWN, count - len(drawn)), 1))
        drawn += draws.splits(split_law, rows, per_score)
    return [names[index] for index in drawn]


def _sample_laplace(a: Arguments) -> list[Fraction]:
    scale, grid = a["scale"], a["grid"]
    draws, count = Sampled(bits_from(a["seed"])), a["count"]
    return [draws.noise(scale / grid) * grid for _ in range(count)]


def _leaf_value(a: Arguments) -> float:
    _need(a["grid"] == STEP, f"a grid of 1/{GRID}")
    parameters = {"boost_alpha": a["alpha"], "zeta": a["zeta"], "bound": a["bound"]}
    setting = _setting({"leaf": a["rule"]}, parameters)
    negative, positive = (_steps(a[name], "masses") for name in ("negative", "positive"))
    _need(max(abs(negative), abs(positive)) < 1 << 62, "masses of 62 bits")
    return float(leaf_value(setting, (negative, positive), _noise_steps(a["noise"])))


def _setting(
    words: Mapping[str, str], parameters: Mapping[str, Any], size: int = 1, domain: Domain | None = None
) -> Setting:
    public = domain or Domain((Numeric("x0", 0, 2, 2),))
    return Setting(_protocol(words), _parameters(**parameters), public, size)


def _leverage(a: Arguments) -> float:
    setting = _setting({"beta": "raw"}, {"boost_alpha": a["alpha"], "bound": a["bound"]}, a["m"])
    return coefficient(setting, [*map(float, a["values"])], [*map(float, a["nets"])])


def _update_weight(a: Arguments) -> float:
    alpha, y = a["alpha"], a["y"]
    _need(bool(alpha), "alpha > 0 in the inverse link")
    if a["rule"] == "mirror":
        weight, move = a["weight"], y * a["beta"] * a["value"]
        return float(loss.mirror_weights(np.array([float(weight)]), np.array([float(move)]), float(alpha))[0])
    margin, bound, grid = a["margin"], a["weight_bound"], a["grid"]
    _need(grid == STEP and bound == 1, f"a grid of 1/{GRID} and a bound of 1")
    _need(abs(margin) < FAR, f"margins below {FAR}")
    steps = loss.float_weights(np.array([float(margin)]), np.array([y]), float(alpha))
    return float(steps[0]) / GRID


def _train(a: Arguments) -> dict[str, Any]:
    training = read_training(a)
    numbers = dict(training.parameters)
    _need(numbers.pop("grid") == STEP, f"a grid of 1/{GRID}")
    setting = _setting(training.words, numbers, len(training.rows), _domain(training.domain))
    signs = np.array([row.y for row in training.rows], dtype=np.int8)
    rows = LocalRows.in_memory(_codes([row.x for row in training.rows]), signs)
    records: list[Mapping[str, Any]] = []
    if training.tape is None:
        fit_trees(setting, rows, Sampled(bits_from(training.seed)), records.append)
    else:
        fit_trees(setting, rows, Tape(training.tape, candidates_of(training.domain)), records.append)
    return result_of(records, _number)


def _number(value: Any) -> Fraction | float:
    return value if isinstance(value, Fraction) else float(value)


def _domain(domain: Sequence[Attribute]) -> Domain:
    _need(all(attribute.n_values <= 256 for attribute in domain), "codes of one byte")
    features = [
        Categorical(f"x{index}", tuple(range(attribute.n_values)))
        if attribute.categorical
        else Numeric(f"x{index}", 0, attribute.n_values, attribute.n_values, "regular")
        for index, attribute in enumerate(domain)
    ]
    return Domain(tuple(features))


class Tape:
    """Fixed draws: the choices and the noise of a tape, in the order in which a fit uses them."""

    def __init__(self, trees: Sequence[TapedTree], candidates: Sequence[str]) -> None:
        self._choices = iter([candidates.index(choice) for tree in trees for choice in tree.choices])
        self._noise = iter([steps for tree in trees for leaf in tree.noise for steps in _noise_steps(leaf)])

    def uniform(self, candidates: int, nodes: int) -> list[int]:
        """Return the next choices of the tape."""
        return [next(self._choices) for _ in range(nodes)]

    def splits(self, law: SplitLaw, scores: Any, rate: float) -> list[int]:
        """Return the next choices of the tape."""
        return [next(self._choices) for _ in scores]

    def noise(self, scale: Fraction) -> int:
        """Return the next noise of the tape, in grid steps."""
        return next(self._noise)


def _noise_steps(noise: Mapping[str, Fraction]) -> tuple[int, ...]:
    """Return the noise of a leaf in grid steps, in the order in which a fit draws it."""
    names = [name for name in ("positive", "negative", "value") if name in noise]
    return tuple(_steps(noise[name], "noise") for name in names)


def _predict(a: Arguments) -> list[float]:
    domain = read_domain(a["domain"])
    rows, model = read_rows(a, domain), read_model(a, domain)
    if not rows or not model:
        return [0.0] * len(rows)
    _need(all(attribute.n_values <= 256 for attribute in domain), "codes of one byte")
    trees, values = [], []
    for tree in model:
        test, leaves = _table(tree.splits), np.array([float(value) for value in tree.values])
        depth = len(tree.values).bit_length() - 1
        trees.append(Tree(depth, test.feature, test.value, test.equal, leaves))
        values.append(float(tree.beta) * leaves)
    margins: list[float] = sum_of_values(trees, values, _codes([row.x for row in rows])).tolist()
    return margins


_ANSWERS: dict[str, Callable[[Arguments], Any]] = {
    "hello": _hello,
    "bayes_risk": lambda a: _risk(_alpha_of(a), a["u"], 1 - a["u"]),
    "link": _link,
    "inverse_link": _inverse_link,
    "perspective": _perspective,
    "leaf_risk": lambda a: _risk(a["alpha"], a["positive"], a["negative"]),
    "sensitivity": _sensitivity,
    "node_budget": _node_budget,
    "leaf_budget": lambda a: budgets.leaf_budget(SOUND, _parameters(**a.shares())),
    "leaf_scale": _leaf_scale,
    "calibrated_alpha": lambda a: calibrated_alpha(a["error"], a["root_error"]),
    "split_scores": _split_scores,
    "split_law": _split_law,
    "leaf_value": _leaf_value,
    "leverage": _leverage,
    "update_weight": _update_weight,
    "sample_split": _sample_split,
    "sample_laplace": _sample_laplace,
    "train": _train,
    "predict": _predict,
}
