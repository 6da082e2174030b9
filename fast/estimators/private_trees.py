"""Base class of the private classifiers: checks public inputs, codes rows, and predicts."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.validation import check_is_fitted, validate_data

from privboost.errors import PreconditionError
from privboost.fast.admission import RULES, Admission, Invalid
from privboost.fast.arrays import Array
from privboost.fast.budgets import (
    OBSERVED_DOMAIN,
    REVEALED,
    Expense,
    FitHistory,
    Guarantee,
    PrivacyLedger,
)
from privboost.fast.cells import is_list, plain
from privboost.fast.domain import Domain, warn_not_private
from privboost.fast.files.model_json import BoostedModel, ForestModel
from privboost.fast.growth import LocalRows, Tree
from privboost.fast.growth.trees import sum_of_values
from privboost.fast.labels import Labels
from privboost.fast.protocol import Relation
from privboost.fast.rows.parts import Rows
from privboost.fast.rows.sources import DaskRows, ParquetSource, mapped_rows

from .effects import FeatureEffect, feature_effects, sum_effects
from .public_inputs import (
    OBSERVED,
    REVEAL,
    domain_of_bounds,
    doubts_of_caller,
    given_domain,
    public_labels,
)

HINTS = {
    "n_estimators": "use 'n_trees'",
    "max_iter": "use 'n_trees'",
    "max_depth": "use 'depth'",
    "min_samples_leaf": "use 'depth', because the number of rows in a leaf is secret",
    "eps": "use 'epsilon'",
    "delta": "the guarantee has delta = 0",
    "bounds": "use 'domain'",
    "seed": "use 'random_state'",
    "learning_rate": "the weights of trees follow from the protocol",
    "class_weight": "the learner sets the weights of rows itself",
    "n_jobs": "a fit uses one process; for several use Dask arrays",
}
"""What to use in place of parameters that scikit-learn and other private learners have."""


class Admitted(NamedTuple):
    """Coded rows, the public inputs that coded them, and the reasons why these may not be public."""

    rows: Rows
    domain: Domain
    labels: Labels
    doubts: list[str]


class PrivateTrees(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Base class of classifiers for two classes whose score is a sum over private trees."""

    domain: Any
    classes: Any
    invalid: Invalid
    inputs_are_public: bool
    relation: str
    random_state: Any
    trees_: tuple[Tree, ...]
    domain_: Domain
    classes_: Array
    n_features_in_: int
    feature_names_in_: Array
    privacy_ledger_: PrivacyLedger

    def __new__(cls, *_: Any, **given: Any) -> Self:
        """Refuse the names that other libraries have for parameters, and name ours."""
        for name in (given.keys() & HINTS.keys()).difference(cls._get_param_names()):
            said = f"{cls.__name__}() got an unexpected keyword argument '{name}'"
            raise TypeError(f"{said}; {HINTS[name]}")
        made: Self = super().__new__(cls)
        return made

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        # Few rows give a poor score: the noise that hides one row is large compared with all of them.
        tags.classifier_tags.poor_score = True
        tags.input_tags.allow_nan = self.invalid != REVEAL
        tags.input_tags.string = True
        tags.non_deterministic = self.random_state is None
        return tags

    def __sklearn_clone__(self) -> Any:
        """Return an unfitted copy, whose fits are counted together with those of this estimator."""
        copy = super().__sklearn_clone__()
        copy._fit_history = self._history()
        return copy

    def _history(self) -> FitHistory:
        """Return the fits of this estimator and its clones so far, which they share."""
        history: FitHistory = self.__dict__.setdefault("_fit_history", FitHistory())
        return history

    def decision_function(self, X: Any) -> Array:  # noqa: N803
        """Return the score of every row.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Rows to predict.

        Returns
        -------
        scores : ndarray of shape (n_samples,)
            Rows with a score of 0 or more belong to the positive class.
        """
        return self._scores(self._codes(X))

    def predict(self, X: Any) -> Array:  # noqa: N803
        """Return the predicted class of every row.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Rows to predict.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Labels from `classes_`.
        """
        scores = self.decision_function(X)
        return self.classes_[(scores >= 0).astype(np.int64)]

    def predict_proba(self, X: Any) -> Array:  # noqa: N803
        """Return the estimated probabilities of both classes.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Rows to predict.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, 2)
            One column for each class, in the order of `classes_`.
        """
        positive = self._chances(self.decision_function(X))
        return np.column_stack((1 - positive, positive))

    def to_json(self) -> str:
        """Return the fitted model as a JSON string.

        Returns
        -------
        document : str
            Public and released quantities only, in the format of `model_schema.json`.
        """
        return self._to_json()

    @classmethod
    def from_json(cls, document: str) -> Self:
        """Return the fitted model that a JSON string describes.

        Parameters
        ----------
        document : str
            Output of `to_json`. It is checked strictly, and no code in it is executed.

        Returns
        -------
        model : PrivateBoostedTreesClassifier or PrivateForestClassifier
            Fitted estimator.
        """
        return cls._from_json(document)

    def _to_json(self) -> str:
        raise NotImplementedError

    @classmethod
    def _from_json(cls, document: str) -> Self:
        raise NotImplementedError

    def leaf_values(self) -> list[Array]:
        """Return the contribution of every leaf to a score, one array for each tree."""
        raise NotImplementedError

    def feature_effects(self) -> tuple[FeatureEffect, ...]:
        """Return the effect of every feature on the score, computed from the released model alone.

        No data are read, so this costs no privacy. Rows are replaced by a public measure: the features are
        independent, and all values of a feature are equally likely. Effects on real rows can differ where
        features depend on each other.

        Returns
        -------
        effects : tuple of FeatureEffect
            One for each feature of the domain, in its order.
        """
        check_is_fitted(self, "trees_")
        features = self.domain_.features
        sums = sum_effects(self.trees_, self.leaf_values(), [feature.values for feature in features])
        return feature_effects(features, [self._score_of_sum(effects) for effects in sums])

    @property
    def feature_importances_(self) -> Array:
        """Return the importance of every column: the share of its feature in the variances of all effects.

        See `feature_effects`. What only a combination of features explains is not counted.

        Returns
        -------
        importances : ndarray of shape (n_features_in_,)
            Numbers that add up to 1, or only zeros if there are no effects. Columns that are no features have
            the importance 0.
        """
        effects, importances = self.feature_effects(), np.zeros(self.n_features_in_)
        columns = self.domain_.order_in(getattr(self, "feature_names_in_", None), self.n_features_in_)
        importances[columns] = [effect.importance for effect in effects]
        return importances

    def _scores(self, codes: Array) -> Array:
        """Return the scores of coded rows."""
        return self._score_of_sum(sum_of_values(self.trees_, self.leaf_values(), codes))

    def _score_of_sum(self, sums: Array) -> Array:
        """Return the scores of rows, given the sums of the values of their leaves."""
        return sums

    def _chances(self, scores: Array) -> Array:
        """Return the probability of the positive class for each score."""
        raise NotImplementedError

    def _admit(self, X: Any, y: Any, stack: ExitStack, most: int | None = None) -> Admitted:  # noqa: N803
        """Check the public inputs, and admit rows of any kind; those after the first `most` are left out."""
        self._check_rule()
        domain = given_domain(self.domain)
        if type(X).__module__.partition(".")[0] == "dask":
            admission = Admission(
                domain or self._domain_of_bounds(X, None), self._labels_of_parts(), self.invalid
            )
            self._note_features(X.shape[1], None)
            return self._check_rows(DaskRows.of(X, y, admission, most), admission)
        if callable(getattr(X, "blocks", None)):
            if y is not None:
                raise PreconditionError("y", "None, because the source yields the labels", type(y).__name__)
            return self._admit_source(X, domain, stack, most)
        table, labels = self._table(X, reset=True, y=y), _labels(y)
        if domain is None:
            domain = self._domain_of_bounds(table, getattr(self, "feature_names_in_", None))
        if is_list(X):
            self._note_features(len(domain.features), None)
        classes, doubts = public_labels(self.classes, labels)
        admission = Admission(domain, classes, self.invalid)
        return self._check_rows(LocalRows.in_memory(*admission.rows(table, labels, most)), admission, doubts)

    def _has_fine_cuts(self) -> bool:
        """Return whether features that are given by bounds have the cuts of fits with a delta."""
        return False

    def _domain_of_bounds(self, X: Any, names: Sequence[str] | None) -> Domain:  # noqa: N803
        """Return a domain of numeric features from bounds."""
        return domain_of_bounds(self.domain, X, names, fine=self._has_fine_cuts())

    def _check_rule(self) -> None:
        """Check the declaration, and the rule for invalid rows, which keeps the number of rows if public."""
        if not isinstance(self.inputs_are_public, bool):
            raise PreconditionError("inputs_are_public", "True or False", repr(self.inputs_are_public))
        if self.invalid not in RULES:
            raise PreconditionError("invalid", f"one of {RULES}", repr(self.invalid))
        if self.invalid == "drop" and self.relation != Relation.ADD_REMOVE:
            wanted = "'lowest', because the number of rows is public under relation='exchange'"
            raise PreconditionError("invalid", wanted, "'drop'")

    def _admit_source(
        self, source: Any, domain: Domain | None, stack: ExitStack, most: int | None
    ) -> Admitted:
        labels = self._labels_of_parts()
        if domain is None:
            raise PreconditionError(
                "domain", "a Domain or a schema, because rows are read in blocks", self.domain
            )
        self._note_features(len(domain.features), domain.names if isinstance(source, ParquetSource) else None)
        admission = Admission(domain, labels, self.invalid)
        return self._check_rows(stack.enter_context(mapped_rows(source, admission, most)), admission)

    def _check_rows(self, rows: Rows, admission: Admission, doubts: Sequence[str] = ()) -> Admitted:
        """Return admitted rows, if there are any where their number is public."""
        if self.relation == Relation.EXCHANGE and not rows.size:
            raise PreconditionError("X", "at least one row under relation='exchange'", "none")
        voiding = {
            OBSERVED_DOMAIN: admission.domain.provenance == OBSERVED,
            REVEALED: admission.invalid == REVEAL,
        }
        listed = [*(reason for reason, holds in voiding.items() if holds), *doubts]
        return Admitted(rows, admission.domain, admission.labels, listed)

    def _labels_of_parts(self) -> Labels:
        """Return the public labels; rows in parts are never read to observe a domain or labels."""
        for name, value in (("domain", self.domain), ("classes", self.classes)):
            if isinstance(value, str) and value == OBSERVED:
                raise PreconditionError(name, "a public value, because rows are read in parts", repr(value))
        return public_labels(self.classes, None)[0]

    def _note_features(self, count: int, names: Sequence[str] | None) -> None:
        self.n_features_in_ = count
        if names is not None:
            self.feature_names_in_ = np.array(names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _ledger(
        self,
        relation: Relation,
        expenses: Iterable[Expense],
        doubts: Sequence[str],
    ) -> PrivacyLedger:
        """Count a fit that is done, and return its ledger."""
        stated = Guarantee.FULL if self.inputs_are_public else Guarantee.CONDITIONAL
        guarantee, history = Guarantee.NONE if doubts else stated, self._history()
        ledger = PrivacyLedger(relation, tuple(expenses), guarantee, tuple(doubts), history=history)
        history.add(relation, ledger.total, ledger.delta)
        return ledger

    def _doubts_of_caller(self) -> list[str]:
        """Return doubts because of a meta-estimator that calls the fit, and warn of them once."""
        doubts = doubts_of_caller(self)
        warning, warned = "; ".join(doubts), self._history().warned
        if doubts and warning not in warned:
            warned.add(warning)
            warn_not_private(warning)
        return doubts

    @classmethod
    def _of_model(cls, model: BoostedModel | ForestModel, **settings: Any) -> Self:
        """Return an estimator with the parameters and attributes that all models have, and own `settings`."""
        estimator = cls(
            epsilon=model.parameters.epsilon,
            domain=model.domain,
            classes=(model.classes.negative, model.classes.positive),
            n_trees=model.parameters.trees,
            depth=model.parameters.depth,
            invalid=model.invalid,
            inputs_are_public=model.ledger.guarantee is Guarantee.FULL,
            **settings,
        )
        names, history = model.feature_names, estimator._history()
        estimator._note_features(len(model.domain.features) if names is None else len(names), names)
        estimator.classes_, estimator.domain_ = model.classes.as_array(), model.domain
        estimator.trees_, estimator.privacy_ledger_ = model.trees, replace(model.ledger, history=history)
        history.add(model.ledger.relation, model.ledger.total, model.ledger.delta)
        return estimator

    def _common_fields(self) -> dict[str, Any]:
        """Return the fields that all models have."""
        check_is_fitted(self, "trees_")
        names = getattr(self, "feature_names_in_", None)
        return {
            "classes": Labels(*map(plain, self.classes_)),
            "feature_names": None if names is None else tuple(map(str, names)),
            "invalid": self.invalid,
            "domain": self.domain_,
            "trees": self.trees_,
            "ledger": self.privacy_ledger_,
        }

    def _table(self, X: Any, *, reset: bool, y: Any = None) -> Any:  # noqa: N803
        """Return rows after checks of their public properties: shape, type, names and number of columns."""
        is_frame = hasattr(X, "columns") and not hasattr(X, "to_pylist")
        names = None if reset else getattr(self, "feature_names_in_", None)
        if names is not None and not is_frame:
            order = self.domain_.order_in(names, len(names))
            if order != list(range(len(order))):
                message = f"rows without names are read in the order of the domain, {self.domain_.names}"
                warnings.warn(f"{message}, which is not that of the training data", stacklevel=4)
        if is_list(X):
            if reset and y is None:
                raise PreconditionError("y", "labels", None)
            is_observed = isinstance(self.domain, str) and self.domain == OBSERVED
            return np.asarray(X, dtype=object) if reset and is_observed else X
        table = X if is_frame else self._array(X)
        if names is not None and self.domain_.provenance != OBSERVED:
            # Columns are matched by name, or are those of the domain. Otherwise scikit-learn's rule applies.
            return table
        validate_data(self, table, y if reset else "no_validation", reset=reset, skip_check_array=True)
        return table

    def _array(self, X: Any) -> Array:  # noqa: N803
        """Return an array of rows; scikit-learn's errors are not used where they quote entries."""
        is_sparse = hasattr(X, "toarray")
        table: Array = np.empty(()) if is_sparse or hasattr(X, "to_pylist") else np.asarray(X)
        if not table.ndim:
            wanted = "an array, a data frame of pandas or a list of rows"
            raise PreconditionError("X", wanted + ", not sparse data" * is_sparse, type(X).__name__)
        if table.ndim != 2:
            got = f"{table.ndim} dimensions. Reshape your data"
            raise PreconditionError("X", "a table with rows and columns", got)
        if table.dtype.kind == "c":
            raise PreconditionError("X", "real numbers", "complex ones. Complex data not supported")
        if not table.shape[1]:
            rows = len(table) if self.relation == Relation.EXCHANGE else ""
            got = f"0 feature(s) (shape=({rows}, 0)) while a minimum of 1 is required."
            raise PreconditionError("X", "at least one column", got)
        return table

    def _codes(self, X: Any) -> Array:  # noqa: N803
        """Return the codes of rows to predict."""
        check_is_fitted(self, "trees_")
        admission = Admission(self.domain_, Labels(*map(plain, self.classes_)), self.invalid)
        return admission.codes(self._table(X, reset=False), getattr(self, "feature_names_in_", None))


def _labels(y: Any) -> Any:
    """Return labels as a list, or as an array or series of one dimension."""
    if is_list(y):
        return y
    if hasattr(y, "toarray") or hasattr(y, "to_pylist"):
        raise PreconditionError("y", "an array, a series or a list", type(y).__name__)
    labels = y if hasattr(y, "dtype") or hasattr(y, "iloc") else np.asarray(y)
    n_dimensions = getattr(labels, "ndim", 1)
    if n_dimensions == 1:
        return labels
    if n_dimensions != 2 or labels.shape[1] != 1:
        raise PreconditionError("y", "one label for each row", f"{n_dimensions} dimensions")
    message = "A column-vector y was passed when a 1d array was expected."
    warnings.warn(message, DataConversionWarning, stacklevel=4)
    return labels.iloc[:, 0] if hasattr(labels, "iloc") else labels[:, 0]
