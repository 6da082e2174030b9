"""The privacy cost of an ensemble: budgets of nodes and leaves, expenses with reasons, exact totals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from threading import Lock

from privboost.errors import PreconditionError

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
    """One expense: the released quantity, its cost in epsilon, and the reason for that cost.

    `group` names the quantity without the index of its tree. Printed ledgers add up the expenses of a group.
    """

    what: str
    epsilon: Fraction
    reason: str
    group: str = ""

    def to_entry(self) -> dict[str, str | Fraction]:
        """Return the entry of an expense in a file."""
        return {"what": self.what, "epsilon": self.epsilon, "reason": self.reason}


class Guarantee(StrEnum):
    """What a ledger states about a fit.

    A fit sees the domain and the rows, but not where a caller took them from. So `FULL` requires that the
    caller declares that all of this is public.
    """

    FULL = "guaranteed"
    CONDITIONAL = "guaranteed if the domain and the preprocessing are public"
    NONE = "not guaranteed"


INDEPENDENT = "independent of the data"
UNSOUND = "the protocol is not sound: it releases what it computes from raw data, or with too little noise"
OBSERVED_DOMAIN = "the domain was read from the data"
REVEALED = "invalid='raise_and_reveal', so whether a fit fails and with which message tells about rows"


COUNTING = Lock()
"""Held while a fit is counted, because clones share their history and may be fitted in threads."""


@dataclass(slots=True)
class FitHistory:
    """What an estimator and its clones share: their fits by relation, and the warnings that they gave.

    Parameters
    ----------
    fits : dict from Relation to (int, Fraction)
        Number of fits so far and the sum of their costs. Fits in other processes are not counted.
    warned : set of str
        Warnings that were given, so that a search with many fits gives one.
    """

    fits: dict[Relation, tuple[int, Fraction]] = field(default_factory=dict)
    warned: set[str] = field(default_factory=set)

    def add(self, relation: Relation, epsilon: Fraction) -> None:
        """Count one fit."""
        with COUNTING:
            count, spent = self.fits.get(relation, (0, Fraction(0)))
            self.fits[relation] = (count + 1, spent + epsilon)


@dataclass(frozen=True, slots=True)
class PrivacyLedger:
    """All expenses of a fit, which add up by sequential composition.

    Parameters
    ----------
    relation : Relation
        Which data sets are neighbours.
    expenses : tuple of Expense
        Expenses in order, each with the attributes `what`, `epsilon` and `reason`. A printed ledger has one
        line for those that differ in the index of the tree only.
    guarantee : Guarantee
        Whether the fit is epsilon-differentially private with epsilon equal to `total`: ``'guaranteed'``,
        ``'guaranteed if the domain and the preprocessing are public'`` or ``'not guaranteed'``.
    reasons : tuple of str
        Why there is no guarantee; empty if there is one.
    row_bound : int, default=None
        Number of rows up to which `total` holds; data sets with more rows, in the same order, lose at most
        twice as much. None if it holds for any number of rows, or if the number of rows is public.
    history : FitHistory, default=None
        All fits of the estimator object and its clones. It grows with every further fit. Files do not contain
        it.

    Attributes
    ----------
    total : Fraction
        Sum of all expenses of this fit.
    running_total : Fraction
        Sum over all fits in `history` under the same relation: the cost of releasing all these models, if
        they were fitted to the same rows. Equal to `total` without a history.
    statement : str
        The guarantee and its reasons, in words.
    """

    relation: Relation
    expenses: tuple[Expense, ...]
    guarantee: Guarantee
    reasons: tuple[str, ...] = ()
    row_bound: int | None = None
    history: FitHistory | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if (self.guarantee is Guarantee.NONE) != bool(self.reasons):
            raise PreconditionError("reasons", "reasons if and only if nothing is guaranteed", self.reasons)

    @property
    def total(self) -> Fraction:
        """Return the sum of all expenses of this fit."""
        return sum((expense.epsilon for expense in self.expenses), Fraction(0))

    @property
    def running_total(self) -> Fraction:
        """Return the sum over all fits so far under the same relation."""
        return self.total if self.history is None else self.history.fits[self.relation][1]

    @property
    def statement(self) -> str:
        """Return the guarantee and its reasons, in words."""
        if self.reasons:
            return f"{self.guarantee}, because {'; '.join(self.reasons)}"
        most = (
            "" if self.row_bound is None else f"; for at most {self.row_bound} rows, twice as much for more"
        )
        return f"{self.guarantee}{most}"

    def __str__(self) -> str:
        paid = [e for e in self.expenses if e.reason != INDEPENDENT]
        groups = Counter((e.epsilon, f"{e.group or e.what} ({e.reason})") for e in paid)
        lines = [_line(epsilon, what, count) for (epsilon, what), count in groups.items()]
        if free := len(self.expenses) - len(paid):
            lines.append(_line(Fraction(0), f"splits of {free} levels ({INDEPENDENT})"))
        lines.append(_line(self.total, f"in total, {self.relation} neighbours: {self.statement}"))
        for relation, (count, spent) in ({} if self.history is None else self.history.fits).items():
            if count > 1 or relation is not self.relation:
                fits = f"{count} fit{'s' if count > 1 else ''} of this estimator and its clones"
                lines.append(_line(spent, f"in {fits}, {relation} neighbours"))
        return "\n".join(lines)


def _line(epsilon: Fraction, what: str, count: int = 1) -> str:
    times = f"{count} × " if count > 1 else ""
    return f"{f'{times}{float(epsilon):.6g}':>18}  {what}"


def masses_changed(relation: Relation) -> int:
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
    """Return the budget of a node of a level, which is 0 if splits are uniform."""
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
        return masses_changed(protocol.relation) * weight_bound / budget
    return 2 * parameters.bound * (1 << parameters.depth) / budget


def expenses_of_boosting(protocol: Protocol, parameters: Parameters) -> Iterator[Expense]:
    """Yield the expenses of all boosted trees."""
    for index in range(parameters.trees):
        for expense in expenses_of_tree(protocol, parameters):
            what = f"tree {index}: {expense.what}"
            yield replace(expense, what=what, group=f"{expense.what} of each tree")


def expenses_of_forest(parameters: ForestParameters) -> Iterator[Expense]:
    """Yield the expense of every tree of a forest; splits are random and cost nothing."""
    price, reason = parameters.epsilon / parameters.trees, parameters.accounting.value
    for index in range(parameters.trees):
        yield Expense(f"leaves of tree {index}", price, reason, "leaves of each tree")


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
        return Expense(what, Fraction(0), INDEPENDENT)
    if protocol.node_budget is BudgetRule.PRINTED:
        return Expense(what, budget * (1 << level), "budgets of the nodes, added up")
    half = budget if protocol.one_sided else budget / 2
    return Expense(what, half * masses_changed(protocol.relation), "level lemma")
