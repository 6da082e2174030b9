"""Exact results of the operations that return values, computed by the reference.

Every function takes the arguments of a request and returns an exact number, an interval, or a list or mapping
of numbers. It raises PreconditionError for arguments that must be refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from privboost.gate.protocol.kinds import INFINITIES
from privboost.gate.trees.operations.requests import Arguments
from privboost.reference import losses
from privboost.reference.data import Example
from privboost.reference.exact import Extended, Infinity, Number, exact_sum
from privboost.reference.learners import boosting
from privboost.reference.learners import leaves as reference_leaves
from privboost.reference.learners.splitting import Setting
from privboost.reference.privacy import accounting
from privboost.reference.privacy.mechanisms import exponential_law, permute_and_flip_law, rate
from privboost.reference.privacy.sensitivity import bound_sens_alpha, sharp_sensitivity
from privboost.reference.trees.risks import Mass, leaf_risk
from privboost.reference.trees.tree import Path, Tree

from .learner import setting_of, split_of

Expected = Any
"""An exact number, an infinity, an interval, or a list or mapping of them."""

FIXED = {
    "square": losses.SQUARE,
    "log": losses.LOG,
    "zero_one": losses.ZERO_ONE,
    "matsushita": losses.MATSUSHITA,
}
"""The losses without a parameter."""


def _loss(a: Arguments) -> losses.Loss:
    name = a["loss"]
    return losses.m_alpha(a["alpha"]) if name == "m_alpha" else FIXED[name]


def _margin(a: Arguments) -> Number | Infinity:
    z = a["z"]
    return Infinity(1 if z == INFINITIES[0] else -1) if isinstance(z, str) else z


def _mass(a: Arguments) -> Mass:
    return Mass(a["positive"], a["negative"])


def _partial_loss(a: Arguments) -> Expected:
    loss, y, u = _loss(a), a["y"], a["u"]
    value: Extended = losses.partial_loss(loss, y, u)
    return value if isinstance(value, Infinity) else loss.normaliser * value


def _sensitivity(a: Arguments) -> Expected:
    alpha, m, bound = a["alpha"], a["m"], a["weight_bound"]
    if a["rule"] == "printed":
        return bound_sens_alpha(alpha, m)
    return sharp_sensitivity(losses.m_alpha(alpha), m, bound)


def _node_budget(a: Arguments) -> Expected:
    shares, depth, level = a.shares(), a["depth"], a["level"]
    if a["rule"] == "printed":
        return accounting.node_budget_as_printed(**shares, depth=depth, level=level)
    return accounting.node_budget_of_level(**shares, depth=depth)


def _leaf_scale(a: Arguments) -> Expected:
    leaves, bound, weight_bound = a["leaves"], a["bound"], a["weight_bound"]
    words = {"leaf": a["rule"], "relation": a["relation"]}
    numbers = a.shares()
    # Noisy masses do not use the bound, and the reference requires it to be on its grid.
    if words["leaf"] != "noisy_masses":
        numbers |= {"bound": bound, "grid": Fraction(1, 2 * bound.denominator)}
    return reference_leaves.leaf_scale(setting_of(words, numbers, weight_bound=weight_bound), leaves)


def _calibrated_alpha(a: Arguments) -> Expected:
    error, root_error = a["error"], a["root_error"]
    return min(error / root_error, Fraction(1)) if root_error else Fraction(1)


def _split_scores(a: Arguments) -> Expected:
    loss, rows = losses.m_alpha(a["alpha"]), a.rows()
    scores: dict[str, Number] = {}
    for candidate in a["candidates"]:
        split, sides = split_of(candidate), [Mass(), Mass()]
        for row in rows:
            side = split(row.x)
            sides[side] = sides[side].add(row.y, row.w)
        scores[str(candidate)] = -exact_sum(leaf_risk(loss, mass) for mass in sides)
    return scores


def _split_law(a: Arguments) -> Expected:
    scores, law = a["scores"], a["law"]
    per_score = rate(a["epsilon"], a["sensitivity"])
    # The best score first: exponentials are taken relative to the first.
    ordered: dict[str, Number] = dict(sorted(scores.items(), key=lambda item: -item[1]))
    exact_law = exponential_law if law == "exponential" else permute_and_flip_law
    chances = exact_law(ordered, per_score)
    return {name: chances[name] for name in scores}


def leaf_setting(a: Arguments) -> Setting:
    """Return the setting of a request for a leaf's value."""
    numbers = {"boost_alpha": a["alpha"], **{name: a[name] for name in ("zeta", "bound", "grid")}}
    # Noisy masses do not use the grid, and the reference requires the bound to be on it.
    if a["rule"] == "noisy_masses":
        numbers["grid"] = Fraction(1, 2 * numbers["bound"].denominator)
    return setting_of({"leaf": a["rule"]}, numbers)


def _leaf_value(a: Arguments) -> Expected:
    mass, noise = _mass(a), a["noise"]
    if a["rule"] == "noisy_masses" and not a["alpha"]:
        return _leaf_of_zero_one(a, mass, noise)
    return reference_leaves.noisy_leaf(leaf_setting(a), mass, noise, 1).value


def _leaf_of_zero_one(a: Arguments, mass: Mass, noise: Mapping[str, Fraction]) -> Expected:
    """Return the value from noisy masses at alpha = 0, where the reference does not boost."""
    bound = a["bound"]
    sums = ([mass.positive, noise["positive"]], [mass.negative, noise["negative"]])
    positive, negative = (max(exact_sum(parts), Fraction(0)) for parts in sums)
    total = exact_sum([positive, negative])
    if not total:
        return Fraction(0)
    value = losses.select(losses.link(losses.m_alpha(0), positive / total))
    return min(max(value, -bound), bound)


def _leverage(a: Arguments) -> Expected:
    alpha, bound, m = a["alpha"], a["bound"], a["m"]
    values, nets = a["values"], a["nets"]
    paths: list[Path] = [(index,) for index in range(len(values))]
    masses = {path: Mass(net) for path, net in zip(paths, nets, strict=True)}
    return boosting.leverage(alpha / (bound * bound), m, dict(zip(paths, values, strict=True)), masses)


def _update_weight(a: Arguments) -> Expected:
    alpha, y = a["alpha"], a["y"]
    if a["rule"] == "mirror":
        return boosting.mirror_update(losses.m_alpha(alpha), a["weight"], a["beta"], y, a["value"])
    grid, margin = a["grid"], a["margin"]
    numbers = {"boost_alpha": alpha, "grid": grid, "bound": grid}
    setting = setting_of({}, numbers, weight_bound=a["weight_bound"])
    release = boosting.Release(Tree(), (((), margin),), Fraction(1))
    return boosting.weight_rule(setting, (release,))(Example((0,), y))


VALUES: dict[str, tuple[Callable[[Arguments], Expected], str]] = {
    "bayes_risk": (lambda a: losses.bayes_risk(_loss(a), a["u"]), "losses.bayes_risk"),
    "partial_loss": (_partial_loss, "losses.partial_loss times the normaliser"),
    "link": (lambda a: losses.link(_loss(a), a["u"]), "losses.link"),
    "inverse_link": (lambda a: losses.inverse_link(_loss(a), _margin(a)), "losses.inverse_link"),
    "surrogate": (lambda a: losses.surrogate(_loss(a), _margin(a)), "losses.surrogate"),
    "perspective": (lambda a: losses.perspective(_loss(a), a["u"], a["v"]), "losses.perspective"),
    "leaf_risk": (lambda a: leaf_risk(losses.m_alpha(a["alpha"]), _mass(a)), "trees.risks.leaf_risk"),
    "sensitivity": (_sensitivity, "privacy.sensitivity.bound_sens_alpha, sharp_sensitivity"),
    "node_budget": (_node_budget, "privacy.accounting.node_budget_as_printed, _of_level"),
    "leaf_budget": (lambda a: accounting.leaf_budget(**a.shares()), "privacy.accounting.leaf_budget"),
    "leaf_scale": (_leaf_scale, "learners.leaves.leaf_scale"),
    "calibrated_alpha": (_calibrated_alpha, "learners.splitting.node_alpha"),
    "split_scores": (_split_scores, "learners.splitting.split_scores"),
    "split_law": (_split_law, "privacy.mechanisms.exponential_law, permute_and_flip_law"),
    "leaf_value": (_leaf_value, "learners.leaves.noisy_leaf"),
    "leverage": (_leverage, "learners.boosting.leverage"),
    "update_weight": (_update_weight, "learners.boosting.mirror_update, weight_rule"),
}
"""How each operation is answered, and the functions of `privboost.reference` behind it."""
