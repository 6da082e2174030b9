"""What a private ensemble costs: budgets of nodes and leaves, expenses with their reasons, exact totals."""

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
    """What was bought, its price in epsilon, and why that is its price."""

    what: str
    epsilon: Fraction
    reason: str


@dataclass(frozen=True, slots=True)
class PrivacyLedger:
    """Every expense of a fit, in order; they add up (sequential composition)."""

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
    """Return how many masses a neighbour changes: two under exchange, one under add/remove."""
    return 2 if relation is Relation.EXCHANGE else 1


def leaf_budget(protocol: Protocol, parameters: Parameters) -> Fraction:
    """Return the budget of all leaves of a tree: all of the tree's where splits cost nothing."""
    share = 1 if protocol.split_law is SplitLaw.UNIFORM else 1 - parameters.beta_tree
    return share * parameters.epsilon / parameters.trees


def forest_leaf_budget(parameters: ForestParameters) -> Fraction:
    """Return the budget that the mechanism of one leaf of a forest is run with.

    Paper: sub-sec-sum-imp (random forests).
    """
    of_tree = parameters.epsilon / parameters.trees
    return of_tree / (1 << parameters.depth) if parameters.accounting is Accounting.PRINTED else of_tree


def alpha_budget(parameters: Parameters) -> Fraction:
    """Return the budget of the estimate of alpha for one level below the root."""
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
    """Return the scale of the Laplace noise of one released number of a leaf, in units."""
    budget = leaf_budget(protocol, parameters)
    if protocol.leaf in (LeafRule.NOISY_MASSES, LeafRule.NOISY_NET):
        return touched(protocol.relation) * weight_bound / budget
    return 2 * parameters.bound * (1 << parameters.depth) / budget


def expenses_of_tree(protocol: Protocol, parameters: Parameters) -> list[Expense]:
    """Return what one tree costs, in the order and with the reasons of the reference."""
    found = []
    raw = "as printed: from raw data, so the total is not a guarantee"
    if protocol.reads_raw_alpha:
        found.append(Expense("alpha", Fraction(0), raw))
    if protocol.beta is BetaRule.RAW:
        found.append(Expense("coefficient", Fraction(0), raw))
    if protocol.alpha is AlphaRule.NOISY_MINORITY:
        found += [
            Expense(f"alpha of level {level}", alpha_budget(parameters), "Laplace, minority mass")
            for level in range(1, parameters.depth)
        ]
    found += [_level_expense(protocol, parameters, level) for level in range(parameters.depth)]
    reason = f"Laplace, {protocol.leaf.value}"
    if protocol.leaf is LeafRule.LINK_NOISE_CLAMP:
        reason += ": as printed, for a sensitivity that values before the clamp exceed"
    found.append(Expense("leaves", leaf_budget(protocol, parameters), reason))
    return found


def _level_expense(protocol: Protocol, parameters: Parameters, level: int) -> Expense:
    """Return the price of the splits of a level."""
    budget, what = node_budget(protocol, parameters, level), f"splits of level {level}"
    if protocol.split_law is SplitLaw.UNIFORM:
        return Expense(what, Fraction(0), "independent of the data")
    if protocol.node_budget is BudgetRule.PRINTED:
        return Expense(what, budget * (1 << level), "budgets of the nodes, added up")
    half = budget if protocol.one_sided else budget / 2
    return Expense(what, half * touched(protocol.relation), "level lemma")
