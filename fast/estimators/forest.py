"""Private random forests as a scikit-learn classifier: random splits that cost nothing, private leaves.

RF-Lap ('laplace') adds noise to the class counts of every leaf; RF-Exp ('exponential') draws the class of
every leaf by the exponential mechanism on its counts. Trees vote.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privboost.errors import PreconditionError
from privboost.fast.bits import Bits, bernoulli_exp, discrete_laplace, uniform_below
from privboost.fast.budgets import Expense, forest_leaf_budget, touched
from privboost.fast.domain import Missing
from privboost.fast.files.model_json import ForestModel, forest_from_json, forest_to_json
from privboost.fast.growth import Candidates, Tree
from privboost.fast.protocol import Accounting, ForestParameters, Mechanism, Relation, chosen, exact_number
from privboost.fast.rows.parts import Part, Rows, class_masses, route_tree

from .private_trees import PrivateTrees, ledger_of
from .public_inputs import bits_and_doubts, doubts_of_caller, refuse_weights, whole

Array = NDArray[Any]

DEEPEST = 16
"""Leaves are numbered in two bytes."""


class PrivateForestClassifier(PrivateTrees):
    """A forest of random trees for two classes, epsilon-differentially private.

    Public inputs are given, never read from the data: epsilon, domain and classes, as for
    `PrivateBoostedTreesClassifier`.
        n_trees, depth  whole numbers
        mechanism       'laplace': noise on the two counts of a leaf; 'exponential': its class is drawn
        accounting      'tight': a leaf's mechanism has the whole budget of its tree, because a row is in one
                        leaf; 'printed': an even share of it
        relation        neighbours 'exchange' a row, or 'add_remove' one
        missing, random_state   as for `PrivateBoostedTreesClassifier`

    A fit sets trees_, classes_, domain_, parameters_, privacy_ledger_, n_features_in_ and, from a data frame,
    feature_names_in_. The score of a row is the mean of the votes, from -1 to 1.
    """

    parameters_: ForestParameters

    def __init__(
        self,
        epsilon: Any = 1.0,
        *,
        domain: Any = None,
        classes: Any = None,
        n_trees: int = 21,
        depth: int = 6,
        mechanism: str = "laplace",
        accounting: str = "tight",
        relation: str = "exchange",
        missing: Missing = "refuse",
        random_state: Any = None,
    ) -> None:
        self.epsilon = epsilon
        self.domain = domain
        self.classes = classes
        self.n_trees = n_trees
        self.depth = depth
        self.mechanism = mechanism
        self.accounting = accounting
        self.relation = relation
        self.missing = missing
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, **refused: Any) -> PrivateForestClassifier:  # noqa: N803
        """Fit the trees to rows and labels: arrays, a data frame, Dask arrays, or a source of blocks alone.

        Requires: no sample_weight.
        """
        refuse_weights(refused)
        doubts = doubts_of_caller()
        parameters = self._parameters()
        bits, seeded = bits_and_doubts(self.random_state)
        with ExitStack() as stack:
            admitted = self._admit(X, y, stack)
            candidates = Candidates.of(admitted.domain)
            if not len(candidates):
                raise PreconditionError("domain", "a feature with at least two values", admitted.domain.names)
            admitted.rows.tell(_with_unit_weights)
            trees = [
                _sample_tree(parameters, candidates, admitted.rows, bits) for _ in range(parameters.trees)
            ]
        self.classes_ = admitted.labels.as_array()
        self.domain_, self.parameters_, self.trees_ = admitted.domain, parameters, tuple(trees)
        doubts += [*seeded, *admitted.doubts]
        self.privacy_ledger_ = ledger_of(parameters.relation, _expenses(parameters), doubts)
        return self

    def to_json(self) -> str:
        """Return the fitted model as JSON text (`model_schema.json`): released quantities only."""
        return forest_to_json(ForestModel(**self._shared(), parameters=self.parameters_))

    @classmethod
    def from_json(cls, text: str) -> PrivateForestClassifier:
        """Return the fitted model that JSON text describes; nothing of the text is executed."""
        model = forest_from_json(text)
        parameters = model.parameters
        found = cls(
            parameters.epsilon,
            domain=model.domain,
            classes=(model.classes.negative, model.classes.positive),
            n_trees=parameters.trees,
            depth=parameters.depth,
            mechanism=parameters.mechanism.value,
            accounting=parameters.accounting.value,
            relation=parameters.relation.value,
            missing=model.missing,
        )
        found._keep(model)
        found.parameters_ = parameters
        return found

    def _parameters(self) -> ForestParameters:
        """Return the exact public parameters."""
        depth, epsilon = whole(self.depth, "depth"), exact_number(self.epsilon, "epsilon")
        if depth > DEEPEST:
            raise PreconditionError("depth", f"a whole number from 1 to {DEEPEST}", depth)
        if epsilon <= 0:
            raise PreconditionError("epsilon", "a number > 0", self.epsilon)
        return ForestParameters(
            trees=whole(self.n_trees, "n_trees"),
            depth=depth,
            epsilon=epsilon,
            mechanism=chosen(Mechanism, self.mechanism, "mechanism"),
            accounting=chosen(Accounting, self.accounting, "accounting"),
            relation=chosen(Relation, self.relation, "relation"),
        )

    def leaf_values(self) -> list[Array]:
        """Return the votes of the leaves of every tree, from left to right."""
        return [np.where(tree.values >= 0, 1.0, -1.0) for tree in self.trees_]

    def _scores(self, codes: Array) -> Array:
        return super()._scores(codes) / len(self.trees_)

    def _chances(self, scores: Array) -> Array:
        return (1 + scores) / 2


def sample_net_count(positive: int, negative: int, scale: Fraction, bits: Bits) -> int:
    """Return the difference of two counts with Laplace noise on each (RF-Lap)."""
    return positive + discrete_laplace(scale, bits) - negative - discrete_laplace(scale, bits)


def sample_class(positive: int, negative: int, budget: Fraction, bits: Bits) -> int:
    """Return 1 or -1 with probabilities proportional to exp(budget * count / 2), exactly (RF-Exp).

    The more frequent class wins a fair coin at once; the other one wins it with probability exp(-difference).
    """
    leader = 1 if positive >= negative else -1
    behind = budget * abs(positive - negative) / 2
    while True:
        if bits.getrandbits(1):
            return leader
        if bernoulli_exp(behind, bits):
            return -leader


def _with_unit_weights(part: Part) -> tuple[Part, None]:
    """Give every row the weight 1, so that masses are counts."""
    return replace(part, weights=np.ones(part.signs.size, dtype=np.uint16)), None


def _sample_tree(parameters: ForestParameters, candidates: Candidates, rows: Rows, bits: Bits) -> Tree:
    """Return one random tree with private leaves: noisy differences of counts, or classes."""
    depth, budget = parameters.depth, forest_leaf_budget(parameters)
    splits = np.array([uniform_below(len(candidates), bits) for _ in range((1 << depth) - 1)])
    tests = candidates.tests(splits)
    rows.tell(route_tree, *tests, depth)
    counts = rows.ask(class_masses, 1 << depth).tolist()
    if parameters.mechanism is Mechanism.LAPLACE:
        scale = touched(parameters.relation) / budget
        values = [sample_net_count(positive, negative, scale, bits) for negative, positive in counts]
    else:
        values = [sample_class(positive, negative, budget, bits) for negative, positive in counts]
    return Tree(depth, *tests, np.array(values, dtype=np.int64))


def _expenses(parameters: ForestParameters) -> list[Expense]:
    """Return what every tree costs; its splits are random and cost nothing."""
    price, reason = parameters.epsilon / parameters.trees, parameters.accounting.value
    return [Expense(f"leaves of tree {number}", price, reason) for number in range(parameters.trees)]
