"""Private random forests as a scikit-learn classifier: splits are random, leaves are private.

RF-Lap ('laplace') adds noise to the class counts of every leaf; RF-Exp ('exponential') draws the class of
every leaf by the exponential mechanism on its counts. Trees vote.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from fractions import Fraction
from typing import Any, Self

import numpy as np

from privboost.errors import PreconditionError
from privboost.fast.admission import Invalid
from privboost.fast.arrays import Array
from privboost.fast.bits import Bits, discrete_laplace, geometric, uniform_below
from privboost.fast.budgets import expenses_of_forest, forest_leaf_budget, masses_changed
from privboost.fast.files.model_json import ForestModel, forest_from_json, forest_to_json
from privboost.fast.growth import Candidates, Tree
from privboost.fast.protocol import (
    Accounting,
    ForestParameters,
    LeafMechanism,
    Relation,
    choose,
    exact_number,
)
from privboost.fast.rows.parts import Part, Rows, class_masses, route_tree

from .private_trees import PrivateTrees
from .public_inputs import bits_and_doubts, refuse_weights, whole


class PrivateForestClassifier(PrivateTrees):
    """Random forest for two classes with epsilon-differential privacy.

    Splits are drawn at random, without the data, and cost nothing. Leaves are made private from their class
    counts, and every tree has one vote.

    Parameters
    ----------
    epsilon : float, default=1.0
        Privacy budget of one fit. Fitting the same rows again spends it again.
    domain : Domain, mapping, path, pair or list of pairs
        Public description of the features, as for `PrivateBoostedTreesClassifier`.
    classes : sequence of two labels
        Public labels, sorted; the second one is the positive class, as in scikit-learn. ``'observed'`` reads
        them from the data, with a warning and without the guarantee.
    n_trees : int, default=21
        Number of trees.
    depth : int, default=6
        Depth of every tree, from 1 to 16.
    mechanism : {'laplace', 'exponential'}, default='laplace'
        ``'laplace'`` adds noise to the two counts of a leaf, ``'exponential'`` draws the class of a leaf by
        the exponential mechanism.
    accounting : {'tight', 'printed'}, default='tight'
        ``'tight'`` gives every leaf the whole budget of its tree, because a row is in one leaf only.
        ``'printed'`` divides it evenly among the leaves, as the paper does.
    relation : {'exchange', 'add_remove'}, default='exchange'
        Neighbouring data sets differ in the values of one row, or in the presence of one row.
    invalid : {'lowest', 'drop', 'raise_and_reveal'}, default='lowest'
        What happens to invalid entries and labels, as for `PrivateBoostedTreesClassifier`.
    inputs_are_public : bool, default=False
        Your declaration that all inputs but the rows are public, as for `PrivateBoostedTreesClassifier`.
    random_state : int, RandomState or Generator, default=None
        None draws noise from the operating system. A seed makes a fit repeatable and voids the privacy
        guarantee, because anyone who knows the seed can compute the noise.

    Attributes
    ----------
    trees_ : tuple of Tree
        Fitted trees.
    classes_ : ndarray of shape (2,)
        Negative and positive label.
    domain_ : Domain
        Domain that coded the rows.
    parameters_ : ForestParameters
        Exact public parameters of the fit.
    privacy_ledger_ : PrivacyLedger
        Every expense, their total, and what is guaranteed.
    n_features_in_ : int
        Number of columns of the training data.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns; only set if the training data have column names.
    feature_importances_ : ndarray of shape (`n_features_in_`,)
        Importance of every column, computed from the released model alone; see `feature_effects`.

    See Also
    --------
    PrivateBoostedTreesClassifier : Boosted trees, usually more accurate.

    Notes
    -----
    The score of a row is the mean of the votes, from -1 to 1.

    Examples
    --------
    >>> import numpy as np
    >>> from privboost.fast import PrivateForestClassifier
    >>> X = np.random.default_rng(0).random((2000, 2))
    >>> y = (X[:, 0] > 0.5).astype(int)
    >>> model = PrivateForestClassifier(epsilon=1.0, domain=(0, 1), classes=(0, 1)).fit(X, y)
    >>> len(model.trees_), model.privacy_ledger_.total
    (21, Fraction(1, 1))
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
        invalid: Invalid = "lowest",
        inputs_are_public: bool = False,
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
        self.invalid = invalid
        self.inputs_are_public = inputs_are_public
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, **refused: Any) -> PrivateForestClassifier:  # noqa: N803
        """Fit the trees.

        Parameters
        ----------
        X : array-like, data frame, Dask array or source
            Training rows of shape (n_samples, n_features). A source, such as `ArraySource` or
            `ParquetSource`, yields rows and labels in blocks.
        y : array-like of shape (n_samples,), default=None
            Labels, in `classes`. None if `X` is a source.
        **refused
            Not used. A `sample_weight` other than None is rejected.

        Returns
        -------
        self : PrivateForestClassifier
            Fitted estimator.
        """
        refuse_weights(refused)
        doubts = self._doubts_of_caller()
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
        self.privacy_ledger_ = self._ledger(parameters.relation, expenses_of_forest(parameters), doubts)
        return self

    def _to_json(self) -> str:
        return forest_to_json(ForestModel(**self._common_fields(), parameters=self.parameters_))

    @classmethod
    def _from_json(cls, document: str) -> Self:
        model = forest_from_json(document)
        parameters = model.parameters
        estimator = cls._of_model(
            model,
            mechanism=parameters.mechanism.value,
            accounting=parameters.accounting.value,
            relation=parameters.relation.value,
        )
        estimator.parameters_ = parameters
        return estimator

    def _parameters(self) -> ForestParameters:
        """Return the exact public parameters."""
        return ForestParameters(
            trees=whole(self.n_trees, "n_trees"),
            depth=whole(self.depth, "depth"),
            epsilon=exact_number(self.epsilon, "epsilon"),
            mechanism=choose(LeafMechanism, self.mechanism, "mechanism"),
            accounting=choose(Accounting, self.accounting, "accounting"),
            relation=choose(Relation, self.relation, "relation"),
        )

    def leaf_values(self) -> list[Array]:
        """Return the vote of every leaf.

        Returns
        -------
        values : list of ndarray of shape (2 ** depth,)
            One array of -1 and 1 for each tree, with its leaves from left to right.
        """
        return [np.where(tree.values >= 0, 1.0, -1.0) for tree in self.trees_]

    def _score_of_sum(self, sums: Array) -> Array:
        return sums / len(self.trees_)

    def _chances(self, scores: Array) -> Array:
        return (1 + scores) / 2


def sample_net_count(positive: int, negative: int, scale: Fraction, bits: Bits) -> int:
    """Return positive - negative, with Laplace noise on each count (RF-Lap)."""
    return positive + discrete_laplace(scale, bits) - negative - discrete_laplace(scale, bits)


def sample_class(positive: int, negative: int, budget: Fraction, bits: Bits) -> int:
    """Return 1 or -1 with probabilities proportional to exp(budget * count / 2), exactly (RF-Exp).

    With a difference d of the counts and scale 2 / budget, the less frequent class has probability
    1 / (1 + exp(d / scale)). This is the probability that a geometric variable divided by d is odd, because
    the quotient is geometric too, with scale / d. At d = 0 a fair coin decides.
    """
    ahead, coin, drawn = positive - negative, bits.getrandbits(1), geometric(2 / budget, bits)
    behind_wins = drawn // abs(ahead) % 2 if ahead else coin
    return 1 if (ahead >= 0) != behind_wins else -1


def _with_unit_weights(part: Part) -> tuple[Part, None]:
    """Set every weight to 1, so that masses are counts."""
    return replace(part, weights=np.ones(part.signs.size, dtype=np.uint16)), None


def _sample_tree(parameters: ForestParameters, candidates: Candidates, rows: Rows, bits: Bits) -> Tree:
    """Return one random tree with private leaves: noisy differences of counts, or classes."""
    depth, budget = parameters.depth, forest_leaf_budget(parameters)
    splits = np.array([uniform_below(len(candidates), bits) for _ in range((1 << depth) - 1)])
    tests = candidates.tests(splits)
    rows.tell(route_tree, *tests, depth)
    counts = rows.ask(class_masses, 1 << depth).tolist()
    if parameters.mechanism is LeafMechanism.LAPLACE:
        scale = masses_changed(parameters.relation) / budget
        values = [sample_net_count(positive, negative, scale, bits) for negative, positive in counts]
    else:
        values = [sample_class(positive, negative, budget, bits) for negative, positive in counts]
    most = np.iinfo(np.int64).max
    return Tree(depth, *tests, np.array([min(max(value, -most), most) for value in values], dtype=np.int64))
