"""Private boosted trees as a scikit-learn classifier."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import numpy as np

from privboost.errors import PreconditionError
from privboost.fast.admission import Invalid
from privboost.fast.arrays import Array
from privboost.fast.budgets import UNSOUND, expenses_of_boosting
from privboost.fast.files.model_json import BoostedModel, boosted_from_json, boosted_to_json
from privboost.fast.growth import Sampled, Setting, fit_trees
from privboost.fast.growth.extracted import fit_extracted
from privboost.fast.growth.setting import Recorder
from privboost.fast.loss import inverse_link
from privboost.fast.protocol import (
    GRID,
    PRESETS,
    SOUND,
    SOUND_NET,
    TRUE_NAME,
    AlphaRule,
    BetaRule,
    LeafRule,
    Parameters,
    Protocol,
    Relation,
    SplitLaw,
    choose,
    exact_number,
)
from privboost.files import new_file

from .defaults import choose_parameters
from .private_trees import PrivateTrees
from .public_inputs import bits_and_doubts, refuse_weights, whole

AUTO = "auto"
BACKENDS = ("fast", "extracted")


class PrivateBoostedTreesClassifier(PrivateTrees):
    """Boosted decision trees for two classes with epsilon- or (epsilon, delta)-differential privacy.

    The domain and the classes are public inputs. They must be given and are never read from the data,
    unless this is asked for with ``'observed'``.

    Parameters
    ----------
    epsilon : float, default=1.0
        Privacy budget of one fit. Fitting the same rows again spends it again.
    delta : float, default=0
        0 for a pure guarantee. A small delta, such as 1e-6, allows a much more accurate model: the guarantee
        may fail with about this probability, so it should be far below one over the number of rows. Noise is
        then Gaussian, and there are hundreds of trees. Features given by bounds have 20 values each, with
        cuts at equal ratios of 1 + x where ``lo = 0`` and ``hi >= 100``.
    domain : Domain, mapping, path, pair or list of pairs
        Public description of the features: a `Domain`, its schema as a mapping or as the path of a TOML or
        JSON file, bounds ``(lo, hi)`` for all features, or a list with the bounds of each feature.
        ``'observed'`` reads bounds from the data, with a warning and without the guarantee.
    classes : sequence of two labels
        Public labels, sorted; the second one is the positive class, as in scikit-learn. ``'observed'`` reads
        them from the data, with a warning and without the guarantee.
    n_trees : int or 'auto', default='auto'
        Number of trees. ``'auto'`` computes it from the number of rows, epsilon, delta and the protocol.
    depth : int or 'auto', default='auto'
        Depth of every tree, from 1 to 16. ``'auto'`` computes it as for `n_trees`.
    protocol : {'sound_net', 'sound', 'as_printed'} or Protocol, default='sound_net'
        Learning algorithm. ``'sound_net'`` draws splits uniformly and adds noise to the net mass of each
        leaf. ``'sound'`` draws splits by the exponential mechanism and adds noise to both class masses.
        ``'as_printed'`` is the algorithm of the paper, which is not private.
    split_law : {'auto', 'uniform', 'exponential', 'permute_and_flip'}, default='auto'
        Distribution of a split. ``'auto'`` keeps that of the protocol.
    leaf_rule : {'auto', 'noisy_net', 'noisy_masses', 'link_clamp_noise', 'link_noise_clamp'}, default='auto'
        How leaf values are made private. ``'auto'`` keeps the rule of the protocol. ``'link_noise_clamp'`` is
        the rule of the paper, which is not private.
    relation : {'exchange', 'add_remove'}, default='exchange'
        Neighbouring data sets differ in the values of one row, or in the presence of one row.
    size : int, default=None
        Public upper bound on the number of rows, required if ``relation='add_remove'``. If splits depend on
        the data, rows beyond the bound are left out, and a data set that exceeds it loses at most twice
        epsilon. Under ``'exchange'`` the number of rows itself is public and is the default.
    beta_tree : float, default=0.5
        Share of the budget that is spent on splits. Uniform splits cost nothing and ignore it.
    alphas : float or list of float, default=None
        Public alpha of the loss that scores splits: one value, or one for each level from the root, the
        last of which applies to all further levels. None means 1.
    alpha_rule : {'schedule', 'noisy_minority', 'raw_strict', 'raw_minority'}, default=None
        Source of the alpha that scores splits. None keeps that of the protocol. The raw rules are not
        private, unless splits are uniform.
    boost_alpha : float, default=1.0
        Alpha of the loss that relates scores, weights and probabilities, in (0, 1].
    bound : float, default=10
        Largest absolute leaf value, a multiple of 1/1024. Noisy nets have a bound of their own.
    invalid : {'lowest', 'drop', 'raise_and_reveal'}, default='lowest'
        What happens to invalid entries: those that are missing, not a number, or none of the categories,
        where the feature has no value for them, and labels that are not in `classes`. ``'lowest'`` counts
        them as the lowest value, the first category or the negative class. ``'drop'`` leaves out their rows
        and requires ``relation='add_remove'``. ``'raise_and_reveal'`` raises an error that tells about rows;
        it is for development and voids the guarantee.
    inputs_are_public : bool, default=False
        Your declaration that the domain, the classes, the size and all preprocessing are public, which a fit
        cannot see. The ledger then says ``'guaranteed'`` without a condition.
    random_state : int, RandomState or Generator, default=None
        None draws noise from the operating system. A seed makes a fit repeatable and voids the privacy
        guarantee, because anyone who knows the seed can compute the noise.
    backend : {'fast', 'extracted'}, default='fast'
        Program that fits. ``'extracted'`` is the one extracted from the Coq proofs, for
        ``protocol='sound_net'``. Its bits come from the operating system, and it is slower.
        ``make extracted`` builds it; the environment variable ``PRIVBOOST_EXTRACTED`` names its path, else
        it is looked for on the ``PATH`` and in the checkout.

    Attributes
    ----------
    trees_ : tuple of Tree
        Fitted trees, in the order of boosting.
    coefficients_ : ndarray of shape (n_trees,)
        Factor of the leaf values of each tree.
    classes_ : ndarray of shape (2,)
        Negative and positive label.
    domain_ : Domain
        Domain that coded the rows.
    protocol_ : Protocol
        Protocol of the fit, with the choices of the other parameters.
    parameters_ : Parameters
        Exact public parameters of the fit, with ``'auto'`` resolved.
    size_ : int
        Public number of rows, or the public bound on it.
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
    PrivateForestClassifier : Random forest with private leaves.
    export_text : Rules of the fitted trees as a string.

    Notes
    -----
    Pipelines that fit transformers, searches, cross-validation and other meta-estimators of scikit-learn work
    and emit a `NonPrivateWarning`: they read the data without privacy, or spend epsilon with each of several
    fits. The ledger then says that nothing is guaranteed.

    Examples
    --------
    >>> import numpy as np
    >>> from privboost.fast import PrivateBoostedTreesClassifier
    >>> X = np.random.default_rng(0).random((2000, 2))
    >>> y = (X[:, 0] > 0.5).astype(int)
    >>> model = PrivateBoostedTreesClassifier(epsilon=1.0, domain=(0, 1), classes=(0, 1)).fit(X, y)
    >>> model.predict([[0.1, 0.5], [0.9, 0.5]]).shape
    (2,)
    >>> len(model.trees_), model.parameters_.depth
    (34, 5)
    >>> model.privacy_ledger_.total, model.privacy_ledger_.statement
    (Fraction(1, 1), 'guaranteed if the domain and the preprocessing are public')
    """

    protocol_: Protocol
    parameters_: Parameters
    coefficients_: Array
    size_: int

    def __init__(
        self,
        epsilon: Any = 1.0,
        *,
        delta: Any = 0,
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
        invalid: Invalid = "lowest",
        inputs_are_public: bool = False,
        random_state: Any = None,
        backend: str = "fast",
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
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
        self.invalid = invalid
        self.inputs_are_public = inputs_are_public
        self.random_state = random_state
        self.backend = backend

    def fit(
        self,
        X: Any,  # noqa: N803
        y: Any = None,
        *,
        transcript: Any = None,
        **refused: Any,
    ) -> PrivateBoostedTreesClassifier:
        """Fit the trees.

        Parameters
        ----------
        X : array-like, data frame, Dask array or source
            Training rows of shape (n_samples, n_features). A source, such as `ArraySource` or
            `ParquetSource`, yields rows and labels in blocks.
        y : array-like of shape (n_samples,), default=None
            Labels, in `classes`. None if `X` is a source.
        transcript : path or text stream, default=None
            Where to write the transcript of the fit. It contains raw masses and the noise itself, so it is
            as secret as the rows. The estimator does not keep it.
        **refused
            Not used. A `sample_weight` other than None is rejected.

        Returns
        -------
        self : PrivateBoostedTreesClassifier
            Fitted estimator.
        """
        refuse_weights(refused)
        doubts = self._doubts_of_caller()
        protocol, is_extracted = self._protocol(), self._is_extracted(transcript)
        bits, seeded = bits_and_doubts(self.random_state)
        with ExitStack() as stack:
            admitted = self._admit(X, y, stack, self._most_rows(protocol))
            size = self._public_size(protocol, admitted.rows.size)
            parameters = self._parameters(protocol, size, len(admitted.domain.features))
            setting = Setting(protocol, parameters, admitted.domain, size)
            record = stack.enter_context(_recorder(transcript, setting))
            if is_extracted:
                fitted = fit_extracted(setting, admitted.rows)
            else:
                fitted = fit_trees(setting, admitted.rows, Sampled(bits), record)
        doubts += [*([] if protocol.is_sound else [UNSOUND]), *seeded, *admitted.doubts]
        self.classes_ = admitted.labels.as_array()
        self.domain_, self.protocol_, self.parameters_ = admitted.domain, protocol, parameters
        self.size_, self.trees_ = size, tuple(tree for tree, _ in fitted)
        self.coefficients_ = np.array([coefficient for _, coefficient in fitted])
        expenses = expenses_of_boosting(protocol, parameters)
        ledger = self._ledger(protocol.relation, expenses, doubts)
        self.privacy_ledger_ = replace(ledger, row_bound=self._most_rows(protocol))
        return self

    def _is_extracted(self, transcript: Any) -> bool:
        """Return whether the extracted program fits, after checking what it cannot do."""
        if self.backend not in BACKENDS:
            raise PreconditionError("backend", f"one of {BACKENDS}", repr(self.backend))
        if self.backend == "fast":
            return False
        for name, value in (("random_state", self.random_state), ("transcript", transcript)):
            if value is not None:
                raise PreconditionError(name, "None for backend='extracted'", repr(value))
        return True

    def _to_json(self) -> str:
        model = BoostedModel(
            **self._common_fields(),
            protocol=self.protocol_,
            parameters=self.parameters_,
            size=self.size_,
            coefficients=tuple(self.coefficients_.tolist()),
        )
        return boosted_to_json(model)

    @classmethod
    def _from_json(cls, document: str) -> Self:
        model = boosted_from_json(document)
        parameters, protocol = model.parameters, model.protocol
        estimator = cls._of_model(
            model,
            delta=parameters.delta,
            protocol=protocol,
            relation=protocol.relation.value,
            size=model.size if protocol.relation is Relation.ADD_REMOVE else None,
            beta_tree=parameters.beta_tree,
            alphas=parameters.alphas,
            boost_alpha=parameters.boost_alpha,
            bound=parameters.bound,
        )
        estimator.protocol_, estimator.parameters_ = protocol, parameters
        estimator.size_, estimator.coefficients_ = model.size, np.array(model.coefficients)
        return estimator

    def leaf_values(self) -> list[Array]:
        """Return the contribution of every leaf to a score.

        Returns
        -------
        values : list of ndarray of shape (2 ** depth,)
            One array for each tree, with its leaves from left to right.
        """
        # Values of noisy nets are multiples of a grid step, so that every sum of them is exact.
        unit = 1.0 / GRID if self.protocol_.leaf is LeafRule.NOISY_NET else 1.0
        pairs = zip(self.trees_, self.coefficients_, strict=True)
        return [coefficient * (unit * tree.values.astype(np.float64)) for tree, coefficient in pairs]

    def _chances(self, scores: Array) -> Array:
        return inverse_link(scores, float(self.parameters_.boost_alpha))

    def _protocol(self) -> Protocol:
        """Return the chosen protocol, changed by split_law, leaf_rule, alpha_rule and relation."""
        given = PRESETS.get(self.protocol) if isinstance(self.protocol, str) else self.protocol
        if not isinstance(given, Protocol):
            known = ", ".join(map(repr, PRESETS))
            raise PreconditionError("protocol", f"{known} or a Protocol", repr(self.protocol))
        if not given.is_named_truly:
            raise PreconditionError("protocol", TRUE_NAME, given.name)
        relation = choose(Relation, self.relation, "relation")
        if given is self.protocol and relation is not given.relation:
            raise PreconditionError("relation", f"the protocol's own, '{given.relation}'", f"'{relation}'")
        # Choices made here may undo those of SOUND_NET, so its name says how the result differs from SOUND.
        base = SOUND if given is SOUND_NET and given is not self.protocol else given
        law, leaf = given.split_law, given.leaf
        if self.split_law != AUTO:
            law = choose(SplitLaw, self.split_law, "split_law")
        if self.leaf_rule != AUTO:
            leaf = choose(LeafRule, self.leaf_rule, "leaf_rule")
        alpha = base.alpha if self.alpha_rule is None else choose(AlphaRule, self.alpha_rule, "alpha_rule")
        beta = _beta_for(leaf, base.beta)
        wanted = {"alpha": alpha, "split_law": law, "leaf": leaf, "beta": beta, "relation": relation}
        changes = {name: value for name, value in wanted.items() if value is not getattr(base, name)}
        return base.changed(**changes) if changes else base

    def _public_size(self, protocol: Protocol, rows: int) -> int:
        """Return the public number of rows, or the public bound on it."""
        if self.size is not None:
            return whole(self.size, "size")
        if protocol.relation is Relation.ADD_REMOVE:
            wanted = (
                "a public bound on the number of rows, which is secret under relation='add_remove', such as "
                "size=50_000 if anybody may know that there are at most 50,000 rows"
            )
            raise PreconditionError("size", wanted, None)
        return rows

    def _most_rows(self, protocol: Protocol) -> int | None:
        """Return the public number of rows beyond which rows are left out, and None if there is none."""
        return self._public_size(protocol, 0) if protocol.needs_row_bound else None

    def _parameters(self, protocol: Protocol, size: int, features: int) -> Parameters:
        """Return the exact public parameters, with 'auto' computed from public quantities."""
        epsilon = exact_number(self.epsilon, "epsilon")
        if epsilon <= 0:
            raise PreconditionError("epsilon", "a number > 0", self.epsilon)
        delta = exact_number(self.delta, "delta")
        if not 0 <= delta < 1:
            raise PreconditionError("delta", "0, or a small number below 1, such as 1e-6", self.delta)
        trees, depth = choose_parameters(size, features, epsilon, protocol, delta)
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
            delta=delta,
        )

    def _has_fine_cuts(self) -> bool:
        return bool(exact_number(self.delta, "delta"))


def _beta_for(leaf: LeafRule, beta: BetaRule) -> BetaRule:
    """Return the coefficient rule for a leaf rule: nets need a constant, noisy masses can replace one."""
    if leaf is LeafRule.NOISY_NET:
        return BetaRule.CONSTANT
    return BetaRule.NOISY_MASSES if beta is BetaRule.CONSTANT and leaf is LeafRule.NOISY_MASSES else beta


@contextmanager
def _recorder(target: Any, setting: Setting) -> Iterator[Recorder | None]:
    """Yield the recorder of a fit. The transcript is written at the end, and not at all after an error."""
    from privboost.fast.files.transcript import TranscriptWriter

    if target is None:
        yield None
    elif isinstance(target, str | os.PathLike):
        path = Path(target)
        if path.is_dir():
            raise PreconditionError("transcript", "the path of a file", f"the folder '{path}'")
        # A transcript is secret: only its owner may read the file.
        with new_file(path, mode=0o600) as stream:
            yield TranscriptWriter(setting, lambda line: stream.write(line.encode("utf-8"))).record
    else:
        buffer = io.StringIO()
        yield TranscriptWriter(setting, buffer.write).record
        target.write(buffer.getvalue())
