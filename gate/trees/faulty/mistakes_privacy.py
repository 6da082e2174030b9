"""Mistakes in leaf risks, sensitivities, budgets, scales and calibrated alphas."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from .mistake import MistakesIn
from .model import Port
from .model_losses import Args, m_alpha
from .model_numbers import root
from .model_privacy import Shares

wrong_leaf_risk = MistakesIn(Port.leaf_risk, "defMECH")
wrong_printed = MistakesIn(Port.printed_sensitivity, "sensALPHA")
wrong_sharp = MistakesIn(Port.sharp, "sharp-sensitivity")
wrong_node_budget = MistakesIn(Port.node_budget, "fixEPSILON")
wrong_leaf_budget = MistakesIn(Port.leaf_budget, "sec-solv")
wrong_scale_of_masses = MistakesIn(Port.scale_of_masses, "sec-solv")
wrong_scale_of_values = MistakesIn(Port.scale_of_values, "sec-solv")
wrong_alpha = MistakesIn(Port.calibrated_alpha, "fixALPHA")


@wrong_leaf_risk("The risk of a leaf is not multiplied by its mass.")
def leaf_risk_mean(right: Port, alpha: Fraction, positive: Fraction, negative: Fraction) -> Fraction:
    return right.leaf_risk(alpha, positive, negative) / (positive + negative or 1)


@MistakesIn(Port.answer, "defMECH")("The risk of an empty leaf is 0 / 0.")
def leaf_risk_nan(right: Port, op: str, args: Args) -> Any:
    result = right.answer(op, args)
    masses = (right.read_number(args[name], name) for name in ("positive", "negative"))
    return "nan" if op == "leaf_risk" and not any(masses) else result


@wrong_leaf_risk("Proportions are smoothed by one example of each class.")
def leaf_risk_smoothed(right: Port, alpha: Fraction, positive: Fraction, negative: Fraction) -> Fraction:
    total = positive + negative
    return total * right.bayes_risk(m_alpha(alpha), (positive + 1) / (total + 2))


@wrong_printed("The printed sensitivity is that of alpha = 1 for every alpha.")
def sensitivity_alpha_missing(right: Port, alpha: Fraction, m: int) -> Fraction:
    return right.printed_sensitivity(Fraction(1), m)


@wrong_printed("The printed sensitivity uses 1 - alpha instead of alpha.")
def sensitivity_one_minus_alpha(right: Port, alpha: Fraction, m: int) -> Fraction:
    return right.printed_sensitivity(1 - alpha, m)


@wrong_printed("The printed sensitivity uses m + 1 instead of m.")
def sensitivity_m_plus_one(right: Port, alpha: Fraction, m: int) -> Fraction:
    return right.printed_sensitivity(alpha, m + 1)


@wrong_printed("The printed sensitivity uses m - 1 instead of sqrt(m) - 1.")
def sensitivity_without_root(right: Port, alpha: Fraction, m: int) -> Fraction:
    return 3 + 2 * alpha * (m - 1)


@wrong_sharp("The sharp sensitivity is halved.")
def sensitivity_halved(right: Port, alpha: Fraction, m: int, bound: Fraction) -> Fraction:
    return right.sharp(alpha, m, bound) / 2


@wrong_sharp("The sharp sensitivity uses m + 1 instead of m.")
def sharp_m_plus_one(right: Port, alpha: Fraction, m: int, bound: Fraction) -> Fraction:
    return right.sharp(alpha, m + 1, bound)


@wrong_sharp("The sharp sensitivity omits the bound of the weights.")
def sharp_without_bound(right: Port, alpha: Fraction, m: int, bound: Fraction) -> Fraction:
    return right.sharp(alpha, m, Fraction(1))


@wrong_sharp("The sharp sensitivity uses sqrt(m) instead of sqrt(m - 1).")
def sharp_root_of_m(right: Port, alpha: Fraction, m: int, bound: Fraction) -> Fraction:
    return 2 * bound * (alpha * root(Fraction(m)) + 1 - alpha)


@wrong_sharp("The printed sensitivity is returned instead of the sharp one.")
def sharp_is_printed(right: Port, alpha: Fraction, m: int, bound: Fraction) -> Fraction:
    return right.printed_sensitivity(alpha, m)


@wrong_node_budget("The budget of a node is not divided by the number of trees.")
def budget_not_over_trees(right: Port, rule: str, shares: Shares, depth: int, level: int) -> Fraction:
    return right.node_budget(rule, shares, depth, level) * shares.trees


@wrong_node_budget("The budget of a node is not divided by the depth.")
def budget_not_over_depth(right: Port, rule: str, shares: Shares, depth: int, level: int) -> Fraction:
    return right.node_budget(rule, shares, depth, level) * depth


@wrong_node_budget("As printed, the budget of a node is not divided by 2^level.")
def budget_not_over_nodes(right: Port, rule: str, shares: Shares, depth: int, level: int) -> Fraction:
    return right.node_budget("level", shares, depth, level)


@wrong_node_budget("Where a level has one budget, it is still divided among its nodes.")
def budget_per_node(right: Port, rule: str, shares: Shares, depth: int, level: int) -> Fraction:
    return right.node_budget("printed", shares, depth, level)


@wrong_node_budget("Levels are counted from 1, so the root gets half its budget.")
def budget_level_from_one(right: Port, rule: str, shares: Shares, depth: int, level: int) -> Fraction:
    return right.node_budget(rule, shares, depth, level + 1)


@wrong_node_budget("The leaves are counted as a level: d + 1 instead of d.")
def budget_depth_plus_one(right: Port, rule: str, shares: Shares, depth: int, level: int) -> Fraction:
    return right.node_budget(rule, shares, depth + 1, level)


@wrong_node_budget("The budget of a node omits the share beta.")
def budget_beta_missing(right: Port, rule: str, shares: Shares, depth: int, level: int) -> Fraction:
    return right.node_budget(rule, shares, depth, level) / shares.beta_tree


@wrong_leaf_budget("Leaves get the share beta instead of 1 - beta.")
def leaf_budget_beta(right: Port, shares: Shares) -> Fraction:
    return shares.epsilon * shares.beta_tree / shares.trees


@wrong_leaf_budget("The budget of the leaves is not divided by the number of trees.")
def leaf_budget_not_over_trees(right: Port, shares: Shares) -> Fraction:
    return right.leaf_budget(shares) * shares.trees


@wrong_scale_of_masses("The rate of the noise of masses is returned instead of its scale.")
def leaf_scale_is_rate(right: Port, relation: str, budget: Fraction, weight_bound: Fraction) -> Fraction:
    return 1 / right.scale_of_masses(relation, budget, weight_bound)


@MistakesIn(Port.n_changed_masses, "sec-solv")(
    "An exchange is taken to change one mass, as adding an example does."
)
def leaf_scale_relation(right: Port, relation: str) -> int:
    return right.n_changed_masses("add_remove")


@wrong_scale_of_values("Values in [-M, M] are taken to differ by M at most.")
def leaf_scale_without_2(right: Port, leaves: int, budget: Fraction, bound: Fraction) -> Fraction:
    return right.scale_of_values(leaves, budget, bound) / 2


@wrong_scale_of_values("The budget is not divided among the leaves.")
def leaf_scale_one_leaf(right: Port, leaves: int, budget: Fraction, bound: Fraction) -> Fraction:
    return right.scale_of_values(1, budget, bound)


@wrong_scale_of_masses("The scale of noisy masses omits the bound of the weights.")
def leaf_scale_without_bound(
    right: Port, relation: str, budget: Fraction, weight_bound: Fraction
) -> Fraction:
    return right.scale_of_masses(relation, budget, Fraction(1))


@wrong_alpha("The calibrated alpha may exceed 1.")
def alpha_uncapped(right: Port, error: Fraction, root_error: Fraction) -> Fraction:
    return error / root_error if root_error else Fraction(1)


@wrong_alpha("The calibrated alpha is 0 where the root makes no error.")
def alpha_zero_where_pure(right: Port, error: Fraction, root_error: Fraction) -> Fraction:
    return right.calibrated_alpha(error, root_error) if root_error else Fraction(0)


@wrong_alpha("The calibrated alpha is the root's error over the tree's.")
def alpha_inverted(right: Port, error: Fraction, root_error: Fraction) -> Fraction:
    return right.calibrated_alpha(root_error, error)
