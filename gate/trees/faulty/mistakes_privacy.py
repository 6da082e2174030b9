"""Mistakes in leaf risks, sensitivities, budgets, scales and calibrated alphas."""

# ruff: noqa: D101, D102

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from .mistake import mistake
from .model import Implementation
from .model_numbers import root
from .model_privacy import Shares

NAN = float("nan")
Rows = Sequence[tuple[Any, int, Fraction]]


@mistake("leaf-risk-mean", "defMECH", "The risk of a leaf is not multiplied by its mass.")
class LeafRiskMean(Implementation):
    def risk_of_leaf(self, alpha: Fraction, positive: Fraction, negative: Fraction) -> Fraction:
        total = positive + negative
        return super().risk_of_leaf(alpha, positive, negative) / total if total else total


@mistake("leaf-risk-nan", "defMECH", "The risk of an empty leaf is 0 / 0.")
class LeafRiskNan(Implementation):
    def leaf_risk(self, args: Mapping[str, Any]) -> Any:
        empty = self.number(args["positive"], "positive") == self.number(args["negative"], "negative") == 0
        return "nan" if empty else super().leaf_risk(args)


@mistake("leaf-risk-smoothed", "defMECH", "Proportions are smoothed by one example of each class.")
class LeafRiskSmoothed(Implementation):
    def risk_of_leaf(self, alpha: Fraction, positive: Fraction, negative: Fraction) -> Fraction:
        total = positive + negative
        return total * self.risk("m_alpha", alpha, (positive + 1) / (total + 2))


@mistake(
    "sensitivity-alpha-missing", "sensALPHA", "The printed sensitivity is that of alpha = 1 for every alpha."
)
class SensitivityAlphaMissing(Implementation):
    def printed_sensitivity(self, alpha: Fraction, m: int) -> Fraction:
        return super().printed_sensitivity(Fraction(1), m) + 0 * alpha


@mistake(
    "sensitivity-one-minus-alpha", "sensALPHA", "The printed sensitivity uses 1 - alpha instead of alpha."
)
class SensitivityOneMinusAlpha(Implementation):
    def printed_sensitivity(self, alpha: Fraction, m: int) -> Fraction:
        return super().printed_sensitivity(1 - alpha, m)


@mistake("sensitivity-m-plus-one", "sensALPHA", "The printed sensitivity uses m + 1 instead of m.")
class SensitivityMPlusOne(Implementation):
    def printed_sensitivity(self, alpha: Fraction, m: int) -> Fraction:
        return super().printed_sensitivity(alpha, m + 1)


@mistake(
    "sensitivity-without-root", "sensALPHA", "The printed sensitivity uses m - 1 instead of sqrt(m) - 1."
)
class SensitivityWithoutRoot(Implementation):
    def printed_sensitivity(self, alpha: Fraction, m: int) -> Fraction:
        return 3 + 2 * alpha * (m - 1)


@mistake("sensitivity-halved", "sharp-sensitivity", "The sharp sensitivity is halved.")
class SensitivityHalved(Implementation):
    def sharp(self, alpha: Fraction, m: int, bound: Fraction) -> Fraction:
        return super().sharp(alpha, m, bound) / 2


@mistake("sharp-m-plus-one", "sharp-sensitivity", "The sharp sensitivity uses m + 1 instead of m.")
class SharpMPlusOne(Implementation):
    def sharp(self, alpha: Fraction, m: int, bound: Fraction) -> Fraction:
        return super().sharp(alpha, m + 1, bound)


@mistake("sharp-without-bound", "sharp-sensitivity", "The sharp sensitivity omits the bound of the weights.")
class SharpWithoutBound(Implementation):
    def sharp(self, alpha: Fraction, m: int, bound: Fraction) -> Fraction:
        return super().sharp(alpha, m, bound / bound)


@mistake("sharp-root-of-m", "sharp-sensitivity", "The sharp sensitivity uses sqrt(m) instead of sqrt(m - 1).")
class SharpRootOfM(Implementation):
    def sharp(self, alpha: Fraction, m: int, bound: Fraction) -> Fraction:
        return 2 * bound * (alpha * root(Fraction(m)) + 1 - alpha)


@mistake(
    "sharp-is-printed", "sharp-sensitivity", "The printed sensitivity is returned instead of the sharp one."
)
class SharpIsPrinted(Implementation):
    def sharp(self, alpha: Fraction, m: int, bound: Fraction) -> Fraction:
        del bound
        return self.printed_sensitivity(alpha, m)


@mistake("budget-not-over-trees", "fixEPSILON", "The budget of a node is not divided by the number of trees.")
class BudgetNotOverTrees(Implementation):
    def budget_of_node(self, rule: str, shares: Shares, depth: int, level: int) -> Fraction:
        return super().budget_of_node(rule, shares, depth, level) * shares[2]


@mistake("budget-not-over-depth", "fixEPSILON", "The budget of a node is not divided by the depth.")
class BudgetNotOverDepth(Implementation):
    def budget_of_node(self, rule: str, shares: Shares, depth: int, level: int) -> Fraction:
        return super().budget_of_node(rule, shares, depth, level) * depth


@mistake("budget-not-over-nodes", "fixEPSILON", "As printed, the budget of a node is not divided by 2^level.")
class BudgetNotOverNodes(Implementation):
    def budget_of_node(self, rule: str, shares: Shares, depth: int, level: int) -> Fraction:
        del rule
        return super().budget_of_node("level", shares, depth, level)


@mistake(
    "budget-per-node", "fixEPSILON", "Where a level has one budget, it is still divided among its nodes."
)
class BudgetPerNode(Implementation):
    def budget_of_node(self, rule: str, shares: Shares, depth: int, level: int) -> Fraction:
        del rule
        return super().budget_of_node("printed", shares, depth, level)


@mistake(
    "budget-level-from-one", "fixEPSILON", "Levels are counted from 1, so the root gets half its budget."
)
class BudgetLevelFromOne(Implementation):
    def budget_of_node(self, rule: str, shares: Shares, depth: int, level: int) -> Fraction:
        return super().budget_of_node(rule, shares, depth, level + 1)


@mistake("budget-depth-plus-one", "fixEPSILON", "The leaves are counted as a level: d + 1 instead of d.")
class BudgetDepthPlusOne(Implementation):
    def budget_of_node(self, rule: str, shares: Shares, depth: int, level: int) -> Fraction:
        return super().budget_of_node(rule, shares, depth + 1, level)


@mistake("budget-beta-missing", "fixEPSILON", "The budget of a node omits the share beta.")
class BudgetBetaMissing(Implementation):
    def budget_of_node(self, rule: str, shares: Shares, depth: int, level: int) -> Fraction:
        return super().budget_of_node(rule, shares, depth, level) / shares[1]


@mistake("leaf-budget-beta", "sec-solv", "Leaves get the share beta instead of 1 - beta.")
class LeafBudgetBeta(Implementation):
    def budget_of_leaves(self, shares: Shares) -> Fraction:
        return shares[0] * shares[1] / shares[2]


@mistake(
    "leaf-budget-not-over-trees",
    "sec-solv",
    "The budget of the leaves is not divided by the number of trees.",
)
class LeafBudgetNotOverTrees(Implementation):
    def budget_of_leaves(self, shares: Shares) -> Fraction:
        return super().budget_of_leaves(shares) * shares[2]


@mistake(
    "leaf-scale-is-rate", "sec-solv", "The rate of the noise of masses is returned instead of its scale."
)
class LeafScaleIsRate(Implementation):
    def scale_of_masses(self, relation: str, budget: Fraction, weight_bound: Fraction) -> Fraction:
        return 1 / super().scale_of_masses(relation, budget, weight_bound)


@mistake(
    "leaf-scale-relation", "sec-solv", "An exchange is taken to change one mass, as adding an example does."
)
class LeafScaleRelation(Implementation):
    def n_changed_masses(self, relation: str) -> int:
        return super().n_changed_masses("add_remove" if relation else relation)


@mistake("leaf-scale-without-2", "sec-solv", "Values in [-M, M] are taken to differ by M at most.")
class LeafScaleWithout2(Implementation):
    def scale_of_values(self, leaves: int, budget: Fraction, bound: Fraction) -> Fraction:
        return super().scale_of_values(leaves, budget, bound) / 2


@mistake("leaf-scale-one-leaf", "sec-solv", "The budget is not divided among the leaves.")
class LeafScaleOneLeaf(Implementation):
    def scale_of_values(self, leaves: int, budget: Fraction, bound: Fraction) -> Fraction:
        return super().scale_of_values(leaves, budget, bound) / leaves


@mistake("leaf-scale-without-bound", "sec-solv", "The scale of noisy masses omits the bound of the weights.")
class LeafScaleWithoutBound(Implementation):
    def scale_of_masses(self, relation: str, budget: Fraction, weight_bound: Fraction) -> Fraction:
        return super().scale_of_masses(relation, budget, weight_bound) / weight_bound


@mistake("alpha-uncapped", "fixALPHA", "The calibrated alpha may exceed 1.")
class AlphaUncapped(Implementation):
    def alpha_of_errors(self, error: Fraction, base: Fraction) -> Fraction:
        return error / base if base else Fraction(1)


@mistake("alpha-zero-where-pure", "fixALPHA", "The calibrated alpha is 0 where the root makes no error.")
class AlphaZeroWherePure(Implementation):
    def alpha_of_errors(self, error: Fraction, base: Fraction) -> Fraction:
        return super().alpha_of_errors(error, base) if base else Fraction(0)


@mistake("alpha-inverted", "fixALPHA", "The calibrated alpha is the root's error over the tree's.")
class AlphaInverted(Implementation):
    def alpha_of_errors(self, error: Fraction, base: Fraction) -> Fraction:
        return super().alpha_of_errors(base, error)
