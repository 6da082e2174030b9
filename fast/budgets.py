"""The privacy cost of an ensemble: budgets of nodes and leaves, expenses with reasons, exact totals."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from .protocol import (
    Accounting,
    AlphaRule,
    BetaRule,
    BudgetRule,
    ForestParameters,
    LeafRule,
    Parameters,
    Protocol,
    Relation,
    SplitLaw,
)


@dataclass(frozen=True, slots=True)
class Expense:
    """One expense: the released quantity, its cost in epsilon, and the reason for that cost."""

    what: str
    epsilon: Fraction
    reason: str


@dataclass(frozen=True, slots=True)
class PrivacyLedger:
    """All expenses of a fit, which add up by sequential composition.

    Parameters
    ----------
    relation : Relation
        Which data sets are neighbours.
    expenses : tuple of Expense
        Expenses in order, each with the attributes `what`, `epsilon` and `reason`.
    guaranteed : bool
        Whether the fit is epsilon-differentially private with epsilon equal to `total`.
    note : str
        Source of the noise, or the reasons why there is no guarantee.

    Attributes
    ----------
    total : Fraction
        Sum of all expenses.
    """

    relation: Relation
    expenses: tuple[Expense, ...]
    guaranteed: bool
    note: str

    @property
    def total(self) -> Fraction:
        """Return the sum of all expenses."""
        return sum((expense.epsilon for expense in self.expenses), Fraction(0))

    def __str__(self) -> str:
        lines = [f"{float(e.epsilon):12.6g}  {e.what} ({e.reason})" for e in self.expenses]
        kind = "epsilon-DP" if self.guaranteed else "NOT a guarantee"
        lines.append(f"{float(self.total):12.6g}  in total, {self.relation} neighbours, {kind}: {self.note}")
        return "\n".join(lines)


def touched(relation: Relation) -> int:
    """Return the number of masses that change between neighbours: 2 under exchange, 1 under add/remove."""
    return 2 if relation is Relation.EXCHANGE else 1


def leaf_budget(protocol: Protocol, parameters: Parameters) -> Fraction:
    """Return the budget of the leaves of a tree, which is the tree's whole budget if splits are uniform."""
    share = 1 if protocol.split_law is SplitLaw.UNIFORM else 1 - parameters.beta_tree
    return share * parameters.epsilon / parameters.trees


def forest_leaf_budget(parameters: ForestParameters) -> Fraction:
    """Return the budget of the mechanism of one leaf of a forest.

    Paper: sub-sec-sum-imp (random forests).
    """
    of_tree = parameters.epsilon / parameters.trees
    return of_tree / (1 << parameters.depth) if parameters.accounting is Accounting.PRINTED else of_tree


def alpha_budget(parameters: Parameters) -> Fraction:
    """Return the budget of the alpha estimate of one level below the root."""
    share = parameters.beta_tree * parameters.alpha_share
    return share * parameters.epsilon / (parameters.trees * (parameters.depth - 1))


def node_budget(protocol: Protocol, parameters: Parameters, level: int) -> Fraction:
    """Return the budget of a node."""
    if protocol.split_law is SplitLaw.UNIFORM:
        return Fraction(0)
    estimates = protocol.alpha is AlphaRule.NOISY_MINORITY and parameters.depth > 1
    share = parameters.beta_tree * (1 - parameters.alpha_share) if estimates else parameters.beta_tree
    whole = share * parameters.epsilon / (parameters.trees * parameters.depth)
    return whole / (1 << level) if protocol.node_budget is BudgetRule.PRINTED else whole


def leaf_scale(protocol: Protocol, parameters: Parameters, weight_bound: Fraction) -> Fraction:
    """Return the scale of the Laplace noise of one released quantity of a leaf, in units."""
    budget = leaf_budget(protocol, parameters)
    if protocol.leaf in (LeafRule.NOISY_MASSES, LeafRule.NOISY_NET):
        return touched(protocol.relation) * weight_bound / budget
    return 2 * parameters.bound * (1 << parameters.depth) / budget


def expenses_of_tree(protocol: Protocol, parameters: Parameters) -> list[Expense]:
    """Return the expenses of one tree, in the order and with the reasons of the reference."""
    expenses = []
    raw = "as printed: from raw data, so the total is not a guarantee"
    if protocol.reads_raw_alpha:
        expenses.append(Expense("alpha", Fraction(0), raw))
    if protocol.beta is BetaRule.RAW:
        expenses.append(Expense("coefficient", Fraction(0), raw))
    if protocol.alpha is AlphaRule.NOISY_MINORITY:
        expenses += [
            Expense(f"alpha of level {level}", alpha_budget(parameters), "Laplace, minority mass")
            for level in range(1, parameters.depth)
        ]
    expenses += [_level_expense(protocol, parameters, level) for level in range(parameters.depth)]
    reason = f"Laplace, {protocol.leaf.value}"
    if protocol.leaf is LeafRule.LINK_NOISE_CLAMP:
        reason += ": as printed, for a sensitivity that values before the clamp exceed"
    expenses.append(Expense("leaves", leaf_budget(protocol, parameters), reason))
    return expenses


def _level_expense(protocol: Protocol, parameters: Parameters, level: int) -> Expense:
    """Return the expense of the splits of a level."""
    budget, what = node_budget(protocol, parameters, level), f"splits of level {level}"
    if protocol.split_law is SplitLaw.UNIFORM:
        return Expense(what, Fraction(0), "independent of the data")
    if protocol.node_budget is BudgetRule.PRINTED:
        return Expense(what, budget * (1 << level), "budgets of the nodes, added up")
    half = budget if protocol.one_sided else budget / 2
    return Expense(what, half * touched(protocol.relation), "level lemma")
