"""What the reference answers to the value operations of the gate's protocol (docs/gate_protocol.md).

Every function takes the arguments of a request and returns an exact number, an interval, or numbers by name.
Arguments that must be refused raise PreconditionError. Which function of the reference a value comes from is
told by `PROVENANCE`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from privboost.errors import PreconditionError
from privboost.reference import losses as ref
from privboost.reference.data import OneVersusRest, Split, Threshold
from privboost.reference.exact import ClosedInterval, Extended, Number, exact_sum, floor
from privboost.reference.learners.boosting import leverage as reference_leverage
from privboost.reference.learners.boosting import mirror_update
from privboost.reference.learners.leaves import clamp
from privboost.reference.losses import select
from privboost.reference.privacy import accounting
from privboost.reference.privacy.mechanisms import exponential_law, permute_and_flip_law, rate
from privboost.reference.privacy.sensitivity import bound_sens_alpha, sharp_sensitivity
from privboost.reference.trees.risks import Mass
from privboost.reference.trees.risks import leaf_risk as reference_leaf_risk
from privboost.reference.trees.tree import Path

Arguments = Mapping[str, Any]
Expected = Any
"""An exact number, an infinity, an interval, or a list or mapping of them."""

LOSSES = {"square": ref.SQUARE, "log": ref.LOG, "zero_one": ref.ZERO_ONE, "matsushita": ref.MATSUSHITA}
_CANDIDATE = re.compile(r"x(\d+) (>=|=) (\d+)", re.ASCII)


def require(holds: bool, label: str, requirement: str, found: object) -> None:
    """Refuse what does not meet a requirement."""
    if not holds:
        raise PreconditionError(label, requirement, found)


def number(args: Arguments, name: str, least: int | None = None) -> Fraction:
    """Return an argument that is a finite number, perhaps one that may not be below a least one."""
    try:
        value = Fraction(args[name])
    except (KeyError, ValueError, TypeError, ZeroDivisionError):
        raise PreconditionError(name, "a number as text", args.get(name)) from None
    require(least is None or value >= least, name, f"at least {least}", value)
    return value


def positive(args: Arguments, name: str) -> Fraction:
    """Return an argument that is above 0."""
    value = number(args, name)
    require(value > 0, name, "above 0", value)
    return value


def whole(args: Arguments, name: str, least: int = 1) -> int:
    """Return an argument that is a whole number."""
    value = number(args, name, least)
    require(value.denominator == 1, name, "a whole number", value)
    return int(value)


def word(args: Arguments, name: str, *words: str) -> str:
    """Return an argument that is one of some words."""
    found = args.get(name)
    require(found in words, name, f"one of {', '.join(words)}", found)
    return str(found)


def loss_of(args: Arguments) -> ref.Loss:
    """Return the loss that arguments name."""
    if args.get("loss") == "m_alpha":
        return ref.m_alpha(number(args, "alpha"))
    return LOSSES[word(args, "loss", *LOSSES)]


def bayes_risk(args: Arguments) -> Expected:
    """Return L(u)."""
    return ref.bayes_risk(loss_of(args), number(args, "u"))


def partial_loss(args: Arguments) -> Expected:
    """Return the loss of predicting u for a label, normalised as the risk is."""
    loss, y = loss_of(args), number(args, "y")
    require(y in (1, -1), "eqpartialloss", "a label of 1 or -1", y)
    return loss.normaliser * ref.partial_loss(loss, int(y), number(args, "u"))


def link(args: Arguments) -> Expected:
    """Return all subgradients of -L at u."""
    return ref.link(loss_of(args), number(args, "u"))


def inverse_link(args: Arguments) -> Expected:
    """Return all u whose link holds z."""
    return ref.inverse_link(loss_of(args), number(args, "z"))


def surrogate(args: Arguments) -> Expected:
    """Return F(z)."""
    return ref.surrogate(loss_of(args), number(args, "z"))


def perspective(args: Arguments) -> Expected:
    """Return v L(u / v)."""
    return ref.perspective(loss_of(args), number(args, "u"), number(args, "v"))


def leaf_risk(args: Arguments) -> Expected:
    """Return the risk of a leaf of two masses."""
    mass = Mass(number(args, "positive", 0), number(args, "negative", 0))
    return reference_leaf_risk(ref.m_alpha(number(args, "alpha")), mass)


def sensitivity(args: Arguments) -> Expected:
    """Return the sensitivity of a split's score."""
    loss, m = ref.m_alpha(number(args, "alpha")), whole(args, "m")
    bound = positive(args, "weight_bound")
    if word(args, "rule", "printed", "sharp") == "printed":
        return bound_sens_alpha(number(args, "alpha"), m)
    return sharp_sensitivity(loss, m, bound)


def _epsilon_and_share(args: Arguments) -> tuple[Fraction, Fraction]:
    return positive(args, "epsilon"), number(args, "beta_tree")


def node_budget(args: Arguments) -> Expected:
    """Return the budget of a node."""
    budget = (*_epsilon_and_share(args), whole(args, "trees"), whole(args, "depth"))
    level = whole(args, "level", 0)
    if word(args, "rule", "printed", "level") == "printed":
        return accounting.node_budget_as_printed(*budget, level)
    return accounting.node_budget_of_level(*budget)


def leaf_budget(args: Arguments) -> Expected:
    """Return the budget of the leaves of a tree."""
    return accounting.leaf_budget(*_epsilon_and_share(args), whole(args, "trees"))


def leaf_scale(args: Arguments) -> Expected:
    """Return the scale of a leaf's noise."""
    budget = leaf_budget(args)
    bound, leaves, weight_bound = (
        positive(args, "bound"),
        whole(args, "leaves"),
        positive(args, "weight_bound"),
    )
    touched = 2 if word(args, "relation", "exchange", "add_remove") == "exchange" else 1
    if word(args, "rule", "noisy_masses", "link_noise_clamp", "link_clamp_noise") == "noisy_masses":
        return touched * weight_bound / budget
    return 2 * bound * leaves / budget


def calibrated_alpha(args: Arguments) -> Expected:
    """Return min(error / root_error, 1), and 1 where the root makes no error."""
    error, root_error = number(args, "error", 0), number(args, "root_error", 0)
    return min(error / root_error, Fraction(1)) if root_error else Fraction(1)


def split_of(text: object) -> Split:
    """Return the test that a candidate's text names."""
    match = _CANDIDATE.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise PreconditionError("expSPLIT", "a candidate such as 'x0 >= 1' or 'x1 = 0'", text)
    attribute, value = int(match[1]), int(match[3])
    return Threshold(attribute, value) if match[2] == ">=" else OneVersusRest(attribute, value)


def split_scores(args: Arguments) -> Expected:
    """Return the score of every candidate."""
    loss = ref.m_alpha(number(args, "alpha"))
    scores: dict[str, Number] = {}
    for text in args["candidates"]:
        split, sides = split_of(text), [Mass(), Mass()]
        for row in args["rows"]:
            require(row["y"] in (1, -1), "sec:def", "a label of 1 or -1", row["y"])
            side = split(tuple(row["x"]))
            sides[side] = sides[side].add(row["y"], number(row, "w", 0))
        scores[text] = -exact_sum(reference_leaf_risk(loss, mass) for mass in sides)
    return scores


def split_law(args: Arguments) -> Expected:
    """Return the probability of every candidate."""
    scores: dict[str, Number] = {name: number(args["scores"], name) for name in args["scores"]}
    per_score = rate(positive(args, "epsilon"), number(args, "sensitivity"))
    if word(args, "law", "exponential", "permute_and_flip") == "exponential":
        return exponential_law(scores, per_score)
    return permute_and_flip_law(scores, per_score)


def leaf_value(args: Arguments) -> Expected:
    """Return the released value of a leaf, given the noise."""
    rule = word(args, "rule", "noisy_masses", "link_noise_clamp", "link_clamp_noise")
    loss, bound, grid = ref.m_alpha(positive(args, "alpha")), positive(args, "bound"), positive(args, "grid")
    mass = Mass(number(args, "positive", 0), number(args, "negative", 0))
    if rule == "noisy_masses":
        names = ("positive", "negative")
        noisy = [max(number(args, name) + number(args["noise"], name), Fraction(0)) for name in names]
        total = sum(noisy)
        return clamp(select(ref.link(loss, noisy[0] / total)), bound) if total else Fraction(0)
    centre = centre_of_leaf(rule, loss, mass, positive(args, "zeta"), bound)
    return clamp(grid * floor(centre / grid) + number(args["noise"], "value"), bound)


def centre_of_leaf(rule: str, loss: ref.Loss, mass: Mass, zeta: Fraction, bound: Fraction) -> Number:
    """Return the value of a leaf before it is rounded to the grid and noise is added."""
    if not mass.total:
        return Fraction(0)
    proportion = min(max(mass.proportion, zeta), 1 - zeta)
    value: Extended = select(ref.link(loss, proportion))
    return clamp(value, bound) if rule == "link_clamp_noise" else clamp(value, Fraction(10) ** 300)


def leverage(args: Arguments) -> Expected:
    """Return the coefficient of a tree."""
    alpha, bound, m = positive(args, "alpha"), positive(args, "bound"), whole(args, "m")
    require(alpha <= 1, "cboost", "alpha in (0, 1]", alpha)
    values, nets = args["values"], args["nets"]
    require(len(values) == len(nets), "cboost", "as many values as nets", len(nets))
    paths: list[Path] = [(place,) for place in range(len(values))]
    by_leaf: dict[Path, Number] = {
        path: number({"value": value}, "value") for path, value in zip(paths, values, strict=True)
    }
    masses = {path: Mass(number({"net": net}, "net")) for path, net in zip(paths, nets, strict=True)}
    return reference_leverage(alpha / (bound * bound), m, by_leaf, masses)


def update_weight(args: Arguments) -> Expected:
    """Return the weight of an example for the next tree."""
    loss, y = ref.m_alpha(positive(args, "alpha")), number(args, "y")
    require(y in (1, -1), "defwunMF", "a label of 1 or -1", y)
    if word(args, "rule", "mirror", "accumulated") == "mirror":
        weight = number(args, "weight")
        require(0 < weight <= 1, "defwunMF", "a weight in (0, 1]", weight)
        return mirror_update(loss, weight, number(args, "beta"), int(y), number(args, "value"))
    grid = positive(args, "grid")
    return max(grid, grid * floor(weight_before_grid(args) / grid))


def weight_before_grid(args: Arguments) -> Number:
    """Return an accumulated weight before it is rounded to the grid."""
    loss, y, bound = ref.m_alpha(positive(args, "alpha")), int(args["y"]), positive(args, "weight_bound")
    weight = select(ref.inverse_link(loss, -y * number(args, "margin")))
    return min(clamp(weight, Fraction(1)), bound)


ANSWERS: dict[str, tuple[Callable[[Arguments], Expected], str, str]] = {
    "bayes_risk": (bayes_risk, "pbr", "losses.bayes_risk"),
    "partial_loss": (partial_loss, "eqpartialloss", "losses.partial_loss times the normaliser"),
    "link": (link, "f-alphaM", "losses.link"),
    "inverse_link": (inverse_link, "f-alphaM", "losses.inverse_link"),
    "surrogate": (surrogate, "f-alphaM", "losses.surrogate"),
    "perspective": (perspective, "defpt", "losses.perspective"),
    "leaf_risk": (leaf_risk, "defMECH", "trees.risks.leaf_risk"),
    "sensitivity": (sensitivity, "sensALPHA", "privacy.sensitivity.bound_sens_alpha, sharp_sensitivity"),
    "node_budget": (node_budget, "fixEPSILON", "privacy.accounting.node_budget_as_printed, _of_level"),
    "leaf_budget": (leaf_budget, "sec-solv", "privacy.accounting.leaf_budget"),
    "leaf_scale": (leaf_scale, "sec-solv", "learners.leaves.leaf_scale"),
    "calibrated_alpha": (calibrated_alpha, "fixALPHA", "learners.splitting.node_alpha"),
    "split_scores": (split_scores, "expSPLIT", "learners.splitting.split_scores"),
    "split_law": (split_law, "expSPLIT", "privacy.mechanisms.exponential_law, permute_and_flip_law"),
    "leaf_value": (leaf_value, "predDT", "learners.leaves.noisy_leaf"),
    "leverage": (leverage, "cboost", "learners.boosting.leverage"),
    "update_weight": (update_weight, "defwunMF", "learners.boosting.mirror_update, weight_rule"),
}
"""The value operations: how to answer, the label, and what of `privboost.reference` it rests on."""


_LOSS = ("loss", "alpha")
ARGUMENTS: dict[str, tuple[str, ...]] = {
    "bayes_risk": (*_LOSS, "u"),
    "partial_loss": (*_LOSS, "y", "u"),
    "link": (*_LOSS, "u"),
    "inverse_link": (*_LOSS, "z"),
    "surrogate": (*_LOSS, "z"),
    "perspective": (*_LOSS, "u", "v"),
    "leaf_risk": ("alpha", "positive", "negative"),
    "sensitivity": ("rule", "alpha", "m", "weight_bound"),
    "node_budget": ("rule", "epsilon", "beta_tree", "trees", "depth", "level"),
    "leaf_budget": ("epsilon", "beta_tree", "trees"),
    "leaf_scale": (
        "rule",
        "relation",
        "epsilon",
        "beta_tree",
        "trees",
        "leaves",
        "bound",
        "weight_bound",
    ),
    "calibrated_alpha": ("error", "root_error"),
    "split_scores": ("alpha", "rows", "candidates"),
    "split_law": ("scores", "epsilon", "sensitivity", "law"),
    "leaf_value": ("rule", "alpha", "zeta", "bound", "grid", "positive", "negative", "noise"),
    "leverage": ("alpha", "bound", "m", "values", "nets"),
    "update_weight": ("rule", "alpha", "y", "weight", "beta", "value", "margin", "weight_bound", "grid"),
}
"""The arguments that an operation may have."""


def label_of(op: str, args: Arguments) -> str:
    """Return the label of a request: that of its operation, or of our correction where it asks for that."""
    if op == "sensitivity" and args.get("rule") == "sharp":
        return "sharp-sensitivity"
    if op in ("train", "predict"):
        return "sec-solv"
    return ANSWERS[op][1]


def answer(op: str, args: Arguments) -> Expected:
    """Return the exact answer of the reference to a value operation.

    Ensures: PreconditionError for arguments that must be refused.
    """
    unknown = [name for name in args if name not in ARGUMENTS[op]]
    require(not unknown, op, f"no arguments but {', '.join(ARGUMENTS[op])}", unknown)
    try:
        found = ANSWERS[op][0](args)
    except (KeyError, IndexError) as error:
        raise PreconditionError(op, f"all of the arguments {', '.join(ARGUMENTS[op])}", str(error)) from None
    return found.lo if isinstance(found, ClosedInterval) and found.lo == found.hi else found
