"""Private boosted trees as a scikit-learn classifier."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privboost.errors import PreconditionError
from privboost.fast.budgets import Expense, expenses_of_tree
from privboost.fast.domain import Missing
from privboost.fast.files.model_json import BoostedModel, boosted_from_json, boosted_to_json
from privboost.fast.growth import Sampled, Setting, fit_trees
from privboost.fast.growth.setting import Recorder, ignore
from privboost.fast.loss import inverse_link
from privboost.fast.protocol import (
    GRID,
    PRESETS,
    SOUND,
    SOUND_NET,
    AlphaRule,
    BetaRule,
    LeafRule,
    Parameters,
    Protocol,
    Relation,
    SplitLaw,
    chosen,
    exact_number,
)
from privboost.files import new_file

from .defaults import choose_parameters
from .private_trees import PrivateTrees, ledger_of
from .public_inputs import bits_and_doubts, doubts_of_caller, refuse_weights, whole

Array = NDArray[Any]

AUTO = "auto"
UNSOUND = "the protocol is not sound: it releases what it computes from raw data, or with too little noise"


class PrivateBoostedTreesClassifier(PrivateTrees):
    """Boosted decision trees for two classes, epsilon-differentially private.

    Public inputs are given, never read from the data:
        epsilon         the privacy budget of a fit, and of every further fit to the same rows again
        domain          bounds (lo, hi) for all features, a list of bounds, a Domain, a schema (mapping, file)
                        numbers get 10 values, at equal ratios where 0 < 100 lo <= hi, else at equal distances
        classes         the two labels, the greater one positive
        size            a bound on the number of rows; needed where that number is secret (add_remove)
    'observed' as domain or classes reads them from the data, with a warning and without the guarantee.

    The learner:
        n_trees, depth  whole numbers, or 'auto' for `defaults.choose_parameters`
        protocol        'sound_net' (uniform splits, noisy nets in leaves), 'sound' (exponential splits, noisy
                        masses in leaves), 'as_printed' (which is not private) or a Protocol
        split_law       'uniform', 'exponential' or 'permute_and_flip'; 'auto' is the protocol's own
        leaf_rule       'noisy_net', 'noisy_masses', ...; 'auto' is the protocol's own
        relation        neighbours 'exchange' a row, or 'add_remove' one
        beta_tree       share of the budget for splits, where they cost anything
        alphas          public alpha of the splits, one or a list by level; alpha_rule changes the protocol's
        boost_alpha     alpha of the loss that links scores, weights and probabilities
        bound           greatest absolute value of a leaf, where it is a link
        missing         'refuse' NaN and infinities, or count NaN with the 'lowest' value and clip infinities
        random_state    None draws from the operating system. A whole number or a NumPy generator makes a fit
                        repeatable, and voids the guarantee: whoever knows the seed knows the noise.
        transcript      a path or a text stream for the transcript, which is as secret as the rows

    A fit sets trees_, coefficients_, classes_, domain_, protocol_, parameters_, size_ (the public number of
    rows, or the bound), privacy_ledger_, n_features_in_ and, from a data frame, feature_names_in_. The ledger
    has every expense, and says whether the total is guaranteed.

    Searching parameters with GridSearchCV or scoring by cross-validation works, and warns: scores and choices
    are not private, and each fit spends epsilon again.
    """

    protocol_: Protocol
    parameters_: Parameters
    coefficients_: Array
    size_: int

    def __init__(
        self,
        epsilon: Any = 1.0,
        *,
        domain: Any = None,
        classes: Any = None,
        n_trees: Any = AUTO,
        depth: Any = AUTO,
        protocol: Any = "sound_net",
        split_law: str = AUTO,
        leaf_rule: str = AUTO,
        relation: str = "exchange",
        size: int | None = None,
        beta_tree: Any = 0.5,
        alphas: Any = None,
        alpha_rule: str | None = None,
        boost_alpha: Any = 1.0,
        bound: Any = 10,
        missing: Missing = "refuse",
        random_state: Any = None,
        transcript: Any = None,
    ) -> None:
        self.epsilon = epsilon
        self.domain = domain
        self.classes = classes
        self.n_trees = n_trees
        self.depth = depth
        self.protocol = protocol
        self.split_law = split_law
        self.leaf_rule = leaf_rule
        self.relation = relation
        self.size = size
        self.beta_tree = beta_tree
        self.alphas = alphas
        self.alpha_rule = alpha_rule
        self.boost_alpha = boost_alpha
        self.bound = bound
        self.missing = missing
        self.random_state = random_state
        self.transcript = transcript

    def fit(self, X: Any, y: Any = None, **refused: Any) -> PrivateBoostedTreesClassifier:  # noqa: N803
        """Fit the trees to rows and labels: arrays, a data frame, Dask arrays, or a source of blocks alone.

        Requires: no sample_weight.
        """
        refuse_weights(refused)
        doubts = doubts_of_caller()
        protocol = self._protocol()
        bits, seeded = bits_and_doubts(self.random_state)
        with ExitStack() as stack:
            admitted = self._admit(X, y, stack)
            size = self._public_size(protocol, admitted.rows.size)
            parameters = self._parameters(protocol, size, len(admitted.domain.features))
            setting = Setting(protocol, parameters, admitted.domain, size)
            record = stack.enter_context(_recorder(self.transcript, setting))
            fitted = fit_trees(setting, admitted.rows, Sampled(bits), record)
        doubts += [*([] if protocol.is_sound else [UNSOUND]), *seeded, *admitted.doubts]
        self.classes_ = admitted.labels.as_array()
        self.domain_, self.protocol_, self.parameters_ = admitted.domain, protocol, parameters
        self.size_, self.trees_ = size, tuple(tree for tree, _ in fitted)
        self.coefficients_ = np.array([coefficient for _, coefficient in fitted])
        self.privacy_ledger_ = ledger_of(protocol.relation, _expenses(protocol, parameters), doubts)
        return self

    def to_json(self) -> str:
        """Return the fitted model as JSON text (`model_schema.json`): released quantities only."""
        return boosted_to_json(self._kept())

    @classmethod
    def from_json(cls, text: str) -> PrivateBoostedTreesClassifier:
        """Return the fitted model that JSON text describes; nothing of the text is executed."""
        model = boosted_from_json(text)
        parameters, protocol = model.parameters, model.protocol
        found = cls(
            parameters.epsilon,
            domain=model.domain,
            classes=(model.classes.negative, model.classes.positive),
            n_trees=parameters.trees,
            depth=parameters.depth,
            protocol=protocol,
            relation=protocol.relation.value,
            size=model.size if protocol.relation is Relation.ADD_REMOVE else None,
            beta_tree=parameters.beta_tree,
            alphas=parameters.alphas,
            boost_alpha=parameters.boost_alpha,
            bound=parameters.bound,
            missing=model.missing,
        )
        found._keep(model)
        found.protocol_, found.parameters_ = protocol, parameters
        found.size_, found.coefficients_ = model.size, np.array(model.coefficients)
        return found

    def _kept(self) -> BoostedModel:
        """Return what a fit left behind."""
        return BoostedModel(
            **self._shared(),
            protocol=self.protocol_,
            parameters=self.parameters_,
            size=self.size_,
            coefficients=tuple(self.coefficients_.tolist()),
        )

    def leaf_values(self) -> list[Array]:
        """Return what the leaves of every tree add to a score, from left to right."""
        # Values of noisy nets are whole numbers of grid steps, so that any sum of them is exact.
        unit = 1.0 / GRID if self.protocol_.leaf is LeafRule.NOISY_NET else 1.0
        pairs = zip(self.trees_, self.coefficients_, strict=True)
        return [coefficient * (unit * tree.values.astype(np.float64)) for tree, coefficient in pairs]

    def _chances(self, scores: Array) -> Array:
        return inverse_link(scores, float(self.parameters_.boost_alpha))

    def _protocol(self) -> Protocol:
        """Return the protocol: a preset or one that is given, with the choices that are made here."""
        given = PRESETS.get(self.protocol) if isinstance(self.protocol, str) else self.protocol
        if not isinstance(given, Protocol):
            known = ", ".join(map(repr, PRESETS))
            raise PreconditionError("protocol", f"{known} or a Protocol", repr(self.protocol))
        relation = chosen(Relation, self.relation, "relation")
        if given is self.protocol and relation is not given.relation:
            raise PreconditionError("relation", f"the protocol's own, '{given.relation}'", f"'{relation}'")
        # Choices made here may undo those of SOUND_NET, so its name says how the result differs from SOUND.
        base = SOUND if given is SOUND_NET and given is not self.protocol else given
        law, leaf = given.split_law, given.leaf
        if self.split_law != AUTO:
            law = chosen(SplitLaw, self.split_law, "split_law")
        if self.leaf_rule != AUTO:
            leaf = chosen(LeafRule, self.leaf_rule, "leaf_rule")
        alpha = base.alpha if self.alpha_rule is None else chosen(AlphaRule, self.alpha_rule, "alpha_rule")
        beta = _beta_for(leaf, base.beta)
        wanted = {"alpha": alpha, "split_law": law, "leaf": leaf, "beta": beta, "relation": relation}
        changes = {name: value for name, value in wanted.items() if value is not getattr(base, name)}
        return base.changed(**changes) if changes else base

    def _public_size(self, protocol: Protocol, rows: int) -> int:
        """Return the public number of rows, or the public bound on it."""
        if self.size is not None:
            return whole(self.size, "size")
        if protocol.relation is Relation.ADD_REMOVE:
            wanted = "a public bound on the number of rows, which is secret under relation='add_remove'"
            raise PreconditionError("size", wanted, None)
        return rows

    def _parameters(self, protocol: Protocol, size: int, features: int) -> Parameters:
        """Return the exact public parameters."""
        epsilon = exact_number(self.epsilon, "epsilon")
        if epsilon <= 0:
            raise PreconditionError("epsilon", "a number > 0", self.epsilon)
        trees, depth = choose_parameters(size, features, epsilon, protocol)
        alphas = (1,) if self.alphas is None else self.alphas
        listed = alphas if isinstance(alphas, list | tuple | np.ndarray) else [alphas]
        return Parameters(
            trees=trees if self.n_trees == AUTO else whole(self.n_trees, "n_trees"),
            depth=depth if self.depth == AUTO else whole(self.depth, "depth"),
            epsilon=epsilon,
            beta_tree=exact_number(self.beta_tree, "beta_tree"),
            bound=exact_number(self.bound, "bound"),
            alphas=tuple(exact_number(alpha, "alphas") for alpha in listed),
            boost_alpha=exact_number(self.boost_alpha, "boost_alpha"),
        )


def _beta_for(leaf: LeafRule, beta: BetaRule) -> BetaRule:
    """Return the rule of the coefficient that fits a leaf rule: nets need a constant, masses can give one."""
    if leaf is LeafRule.NOISY_NET:
        return BetaRule.CONSTANT
    return BetaRule.NOISY_MASSES if beta is BetaRule.CONSTANT and leaf is LeafRule.NOISY_MASSES else beta


def _expenses(protocol: Protocol, parameters: Parameters) -> Iterator[Expense]:
    """Yield what every tree costs."""
    for number in range(parameters.trees):
        for expense in expenses_of_tree(protocol, parameters):
            yield Expense(f"tree {number}: {expense.what}", Fraction(expense.epsilon), expense.reason)


@contextmanager
def _recorder(target: Any, setting: Setting) -> Iterator[Recorder]:
    """Yield what writes the transcript of a fit: all of it at the end, or nothing after an error."""
    from privboost.fast.files.transcript import TranscriptWriter

    if target is None:
        yield ignore
    elif isinstance(target, str | os.PathLike):
        path = Path(target)
        if path.is_dir():
            raise PreconditionError("transcript", "the path of a file", f"the folder '{path}'")
        # A transcript holds what must stay secret: its owner alone may read it.
        with new_file(path, mode=0o600) as stream:
            yield TranscriptWriter(setting, lambda line: stream.write(line.encode("utf-8"))).record
    else:
        kept = io.StringIO()
        yield TranscriptWriter(setting, kept.write).record
        target.write(kept.getvalue())
