"""The privacy cost of an ensemble: budgets of nodes and leaves, expenses with reasons, exact totals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from threading import Lock

from privboost.errors import PreconditionError

from .gaussian import GREATEST_VARIANCE
from .protocol import (
    GRID,
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
    Trees with Gaussian noise cost a part of rho, and no epsilon of their own. Their last expense is the
    conversion of the sum of these parts to epsilon and delta.
    """

    what: str
    epsilon: Fraction
    reason: str
    group: str = ""
    rho: Fraction = Fraction(0)
    delta: Fraction = Fraction(0)

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
    fits : dict from Relation to (int, Fraction, Fraction)
        Number of fits so far and the sums of their epsilons and deltas. Fits in other processes are not
        counted.
    warned : set of str
        Warnings that were given, so that a search with many fits gives one.
    """

    fits: dict[Relation, tuple[int, Fraction, Fraction]] = field(default_factory=dict)
    warned: set[str] = field(default_factory=set)

    def add(self, relation: Relation, epsilon: Fraction, delta: Fraction) -> None:
        """Count one fit."""
        with COUNTING:
            count, *spent = self.fits.get(relation, (0, Fraction(0), Fraction(0)))
            self.fits[relation] = (count + 1, spent[0] + epsilon, spent[1] + delta)


@dataclass(frozen=True, slots=True)
class PrivacyLedger:
    """All expenses of a fit, which add up by sequential composition.

    With a delta, each tree costs a share of rho, a budget of zero-concentrated privacy, and the last expense
    is the conversion of their sum to (epsilon, delta).

    Parameters
    ----------
    relation : Relation
        Which data sets are neighbours.
    expenses : tuple of Expense
        Expenses in order, each with the attributes `what`, `epsilon`, `delta`, `rho` and `reason`. A printed
        ledger has one line for those that differ in the index of the tree only.
    guarantee : Guarantee
        Whether the fit is (`total`, `delta`)-differentially private: ``'guaranteed'``,
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
        Epsilon of this fit, the sum of all expenses.
    delta : Fraction
        Delta of this fit, and 0 if the guarantee is pure.
    rho : Fraction
        Sum of the shares of rho, and 0 if the guarantee is pure.
    running_total : Fraction
        Sum over all fits in `history` under the same relation: the cost of releasing all these models, if
        they were fitted to the same rows. Equal to `total` without a history.
    running_delta : Fraction
        The same sum of the deltas.
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
    def delta(self) -> Fraction:
        """Return the delta of this fit."""
        return sum((expense.delta for expense in self.expenses), Fraction(0))

    @property
    def rho(self) -> Fraction:
        """Return the sum of the shares of rho."""
        return sum((expense.rho for expense in self.expenses), Fraction(0))

    @property
    def running_total(self) -> Fraction:
        """Return the sum of the epsilons of all fits so far under the same relation."""
        return self.total if self.history is None else self.history.fits[self.relation][1]

    @property
    def running_delta(self) -> Fraction:
        """Return the sum of the deltas of all fits so far under the same relation."""
        return self.delta if self.history is None else self.history.fits[self.relation][2]

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
        groups = Counter(
            (_cost(e.epsilon, e.delta, e.rho), f"{e.group or e.what} ({e.reason})") for e in paid
        )
        lines = [_line(cost, what, count) for (cost, what), count in groups.items()]
        if free := len(self.expenses) - len(paid):
            lines.append(_line("0", f"splits of {free} levels ({INDEPENDENT})"))
        total = _cost(self.total, self.delta)
        lines.append(_line(total, f"in total, {self.relation} neighbours: {self.statement}"))
        for relation, (count, *spent) in ({} if self.history is None else self.history.fits).items():
            if count > 1 or relation is not self.relation:
                fits = f"{count} fit{'s' if count > 1 else ''} of this estimator and its clones"
                lines.append(_line(_cost(*spent), f"in {fits}, {relation} neighbours"))
        return "\n".join(lines)


def _cost(epsilon: Fraction, delta: Fraction, rho: Fraction = Fraction(0)) -> str:
    """Return a cost as a string: a share of rho, or an epsilon with its delta if there is one."""
    if rho:
        return f"rho {float(rho):.6g}"
    return f"{float(epsilon):.6g}" + (f", delta {float(delta):.6g}" if delta else "")


def _line(cost: str, what: str, count: int = 1) -> str:
    times = f"{count} × " if count > 1 else ""
    return f"{times + cost:>18}  {what}"


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


def leaf_variance(protocol: Protocol, parameters: Parameters, weight_bound: Fraction) -> Fraction:
    """Return the variance of the Gaussian noise of a net, in units: Delta^2 T / (2 rho).

    Delta is the Euclidean distance of the nets of a tree between neighbours. Adding a row changes one net by
    at most the bound on the weights. Exchanging one changes one net by at most twice the bound, which is more
    than a change of two nets by the bound each.
    """
    distance = masses_changed(protocol.relation) * weight_bound
    variance = distance**2 * parameters.trees / (2 * parameters.rho)
    if variance * GRID**2 > GREATEST_VARIANCE:
        wanted = "a budget whose noise has a standard deviation of at most 2^34 rows"
        raise PreconditionError("epsilon", wanted, parameters.epsilon)
    return variance


def check_delta(protocol: Protocol, parameters: Parameters) -> None:
    """Raise an error for a delta with a protocol that is not made of uniform splits and noisy nets."""
    is_net = protocol.leaf is LeafRule.NOISY_NET and protocol.split_law is SplitLaw.UNIFORM
    if parameters.delta and not is_net:
        raise PreconditionError(
            "delta",
            "0 unless splits are uniform and leaves noisy nets, as in protocol='sound_net'",
            protocol.name,
        )


def expenses_of_boosting(protocol: Protocol, parameters: Parameters) -> Iterator[Expense]:
    """Yield the expenses of all boosted trees."""
    for index in range(parameters.trees):
        for expense in expenses_of_tree(protocol, parameters):
            what = f"tree {index}: {expense.what}"
            yield replace(expense, what=what, group=f"{expense.what} of each tree")
    yield from conversions(parameters)


def conversions(parameters: Parameters) -> Iterator[Expense]:
    """Yield the conversion of the sum of all shares of rho to epsilon and delta, if there is a delta."""
    if parameters.delta:
        reason = f"zCDP, rho = {parameters.rho} in total, for delta = {parameters.delta}"
        yield Expense("conversion", parameters.epsilon, reason, delta=parameters.delta)


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
    if parameters.delta:
        share = parameters.rho / parameters.trees
        reason = f"discrete Gaussian, {protocol.leaf.value}: an equal share of rho"
        return [*expenses, Expense("leaves", Fraction(0), reason, rho=share)]
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
