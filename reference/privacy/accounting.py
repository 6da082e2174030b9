"""Accounting: budgets of nodes and leaves, expenses with their reasons, and exact totals.

Notation:
    epsilon     total budget        beta_tree   share for splits        beta_pred   1 - beta_tree
    T           number of trees     d           depth of the trees
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from privboost.errors import PreconditionError
from privboost.reference.data import Relation
from privboost.reference.exact import Exact, Number, exact, exact_sum


@dataclass(frozen=True, slots=True)
class Expense:
    """One release of a run, its cost in epsilon, and the reason for that cost."""

    what: str
    epsilon: Number
    reason: str

    def __post_init__(self) -> None:
        if self.epsilon < 0:
            raise PreconditionError("sec:def", "an expense >= 0", self.epsilon)


@dataclass(frozen=True, slots=True)
class Ledger:
    """All expenses of a run, in order; the total is their sum.

    Paper: sec:def (composition theorem).
    """

    relation: Relation
    expenses: tuple[Expense, ...] = ()

    def spend(self, what: str, epsilon: Exact, reason: str) -> Ledger:
        """Return the ledger with one more expense."""
        return Ledger(self.relation, (*self.expenses, Expense(what, exact(epsilon, "epsilon"), reason)))

    @property
    def total(self) -> Number:
        """Return the sum of all expenses, by sequential composition."""
        return exact_sum(expense.epsilon for expense in self.expenses)


def parallel(prices: Sequence[Exact], relation: Relation) -> Number:
    """Return the cost of mechanisms that read disjoint parts of the sample.

    Under add/remove one part changes, so the cost is the greatest one. Under exchange an example may leave
    one part and enter another, so the cost is the sum of the two greatest.
    """
    touched = 1 if relation is Relation.ADD_REMOVE else 2
    ordered = sorted((exact(price, "price") for price in prices), reverse=True)
    return exact_sum(ordered[:touched])


def level_price(node_budget: Exact, relation: Relation, *, one_sided: bool) -> Number:
    """Return the cost of splitting all nodes of a level with the same budget and the sharp sensitivity.

    Ours: level lemma. Adding an example never lowers the risk of a leaf, so all scores of a node move in the
    same direction and a node costs half its budget, or all of it if the factor 2 is dropped (`one_sided`).
    Under add/remove one node changes. Under exchange two nodes change once, or one node changes twice.
    """
    half = exact(node_budget, "node_budget") * (Fraction(1) if one_sided else Fraction(1, 2))
    return half if relation is Relation.ADD_REMOVE else 2 * half


def node_budget_as_printed(epsilon: Exact, beta_tree: Exact, trees: int, depth: int, level: int) -> Number:
    """Return beta_tree epsilon / (T d 2^level).

    Paper: fixEPSILON.
    """
    return exact(beta_tree) * exact(epsilon) / (_positive(trees, "T") * _positive(depth, "d") * (1 << level))


def node_budget_of_level(epsilon: Exact, beta_tree: Exact, trees: int, depth: int) -> Number:
    """Return beta_tree epsilon / (T d), the budget of every node of a level.

    Ours: level lemma.
    """
    return exact(beta_tree) * exact(epsilon) / (_positive(trees, "T") * _positive(depth, "d"))


def alpha_budget(epsilon: Exact, share: Exact, trees: int, depth: int) -> Number:
    """Return share epsilon / (T (d - 1)), the budget of the estimate of alpha for a level below the root.

    Paper: fixALPHA.
    Requires: d >= 2.
    """
    return exact(share) * exact(epsilon) / (_positive(trees, "T") * _positive(depth - 1, "d - 1"))


def leaf_budget(epsilon: Exact, beta_tree: Exact, trees: int) -> Number:
    """Return (1 - beta_tree) epsilon / T, the budget of all leaves of a tree.

    Paper: sec-solv (beta_pred).
    """
    return (1 - exact(beta_tree)) * exact(epsilon) / _positive(trees, "T")


def _positive(count: int, name: str) -> int:
    """Return an integer that must be at least 1."""
    if count < 1:
        raise PreconditionError("fixEPSILON", f"{name} >= 1", count)
    return count
