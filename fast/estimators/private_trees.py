"""Base class of the private classifiers: checks public inputs, codes rows, and predicts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d, validate_data

from privboost.errors import PreconditionError
from privboost.fast.budgets import OBSERVED_DOMAIN, Expense, FitHistory, Guarantee, PrivacyLedger
from privboost.fast.domain import Categorical, Domain, Missing, warn_not_private
from privboost.fast.files.model_json import Model
from privboost.fast.growth import LocalRows, Tree
from privboost.fast.growth.trees import sum_of_values
from privboost.fast.labels import Labels, plain
from privboost.fast.protocol import Relation
from privboost.fast.rows.parts import Rows
from privboost.fast.rows.sources import DaskRows, ParquetSource, mapped_rows

from .public_inputs import OBSERVED, domain_of_bounds, doubts_of_caller, given_domain, public_labels

Array = NDArray[Any]


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
    missing: Missing
    random_state: Any
    trees_: tuple[Tree, ...]
    domain_: Domain
    classes_: Array
    n_features_in_: int
    feature_names_in_: Array
    privacy_ledger_: PrivacyLedger

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        # Few rows give a poor score: the noise that hides one row is large compared with all of them.
        tags.classifier_tags.poor_score = True
        tags.input_tags.allow_nan = self.missing == "lowest"
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

    def leaf_values(self) -> list[Array]:
        """Return the contribution of every leaf to a score, one array for each tree."""
        raise NotImplementedError

    def _scores(self, codes: Array) -> Array:
        """Return the scores of coded rows."""
        return sum_of_values(self.trees_, self.leaf_values(), codes)

    def _chances(self, scores: Array) -> Array:
        """Return the probability of the positive class for each score."""
        raise NotImplementedError

    def _admit(self, X: Any, y: Any, stack: ExitStack) -> Admitted:  # noqa: N803
        """Check the public inputs and code the rows of arrays, a data frame, a source or Dask arrays."""
        if self.missing not in get_args(Missing):
            raise PreconditionError("missing", f"one of {get_args(Missing)}", repr(self.missing))
        domain = given_domain(self.domain)
        if type(X).__module__.partition(".")[0] == "dask":
            return self._admit_dask(X, y, domain)
        if callable(getattr(X, "blocks", None)):
            return self._admit_source(X, domain, stack)
        table, y = self._table(X, y, domain, reset=True)
        names = getattr(self, "feature_names_in_", None)
        if domain is None:
            domain = domain_of_bounds(self.domain, table, names)
        labels, doubts = public_labels(self.classes, y)
        codes = domain.codes_of(_ordered(table, domain, names), self.missing)
        return _admitted(LocalRows.in_memory(codes, labels(y)), domain, labels, doubts)

    def _admit_dask(self, X: Any, y: Any, domain: Domain | None) -> Admitted:  # noqa: N803
        labels = self._labels_of_parts()
        known = domain or domain_of_bounds(self.domain, X, None)
        self._note_features(X.shape[1], None)
        return _admitted(DaskRows.of(X, y, known, labels, self.missing), known, labels, [])

    def _admit_source(self, source: Any, domain: Domain | None, stack: ExitStack) -> Admitted:
        labels = self._labels_of_parts()
        if domain is None:
            raise PreconditionError(
                "domain", "a Domain or a schema, because rows are read in blocks", self.domain
            )
        self._note_features(len(domain.features), domain.names if isinstance(source, ParquetSource) else None)
        rows = stack.enter_context(mapped_rows(source, domain, labels, self.missing))
        return _admitted(rows, domain, labels, [])

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
        X: Any,  # noqa: N803
        relation: Relation,
        expenses: Iterable[Expense],
        doubts: Sequence[str],
    ) -> PrivacyLedger:
        """Count a fit that is done, and return its ledger."""
        reads_files = type(X) is ParquetSource and self.domain_.provenance == "schema"
        stated = Guarantee.FULL if reads_files else Guarantee.CONDITIONAL
        guarantee, history = Guarantee.NONE if doubts else stated, self._history()
        ledger = PrivacyLedger(relation, tuple(expenses), guarantee, tuple(doubts), history)
        history.add(relation, ledger.total)
        return ledger

    def _doubts_of_caller(self) -> list[str]:
        """Return doubts because of a meta-estimator that calls the fit, and warn of them once."""
        doubts = doubts_of_caller(self)
        warning, warned = "; ".join(doubts), self._history().warned
        if doubts and warning not in warned:
            warned.add(warning)
            warn_not_private(warning)
        return doubts

    def _keep(self, model: Model) -> None:
        """Set the attributes that all fitted classifiers have from a model that was read."""
        names = model.feature_names
        self._note_features(len(model.domain.features) if names is None else len(names), names)
        self.classes_, self.domain_ = model.classes.as_array(), model.domain
        self.trees_, self.privacy_ledger_ = model.trees, replace(model.ledger, history=self._history())
        self._history().add(model.ledger.relation, model.ledger.total)

    def _shared(self) -> dict[str, Any]:
        """Return the fields that all models have."""
        check_is_fitted(self, "trees_")
        names = getattr(self, "feature_names_in_", None)
        return {
            "classes": Labels(*map(plain, self.classes_)),
            "feature_names": None if names is None else tuple(map(str, names)),
            "missing": self.missing,
            "domain": self.domain_,
            "trees": self.trees_,
            "ledger": self.privacy_ledger_,
        }

    def _table(self, X: Any, y: Any, domain: Domain | None, *, reset: bool) -> tuple[Any, Any]:  # noqa: N803
        """Return validated rows and labels; rows are floats unless the domain has categories."""
        if domain is None or not any(isinstance(feature, Categorical) for feature in domain.features):
            finite = self.missing == "refuse"
            floats = [np.float64, np.float32]
            if not reset:
                return validate_data(self, X, reset=False, dtype=floats, ensure_all_finite=finite), None
            table, labels = validate_data(self, X, y, dtype=floats, ensure_all_finite=finite)
            return table, labels
        table = X if hasattr(X, "columns") else np.asarray(X, dtype=object)
        if not hasattr(X, "columns") and table.ndim != 2:
            raise PreconditionError("X", "a table with rows and columns", f"{table.ndim} dimensions")
        if not len(table):
            raise PreconditionError("X", "at least one row", "none")
        if not reset:
            return validate_data(self, table, reset=False, skip_check_array=True), None
        validate_data(self, table, y, skip_check_array=True)
        check_consistent_length(table, y)
        return table, column_or_1d(y, warn=True)

    def _codes(self, X: Any) -> Array:  # noqa: N803
        """Return the codes of rows to predict."""
        check_is_fitted(self, "trees_")
        table, _ = self._table(X, None, self.domain_, reset=False)
        columns = _ordered(table, self.domain_, getattr(self, "feature_names_in_", None))
        return self.domain_.codes_of(columns, self.missing)


def _admitted(rows: Rows, domain: Domain, labels: Labels, doubts: list[str]) -> Admitted:
    return Admitted(
        rows, domain, labels, [OBSERVED_DOMAIN, *doubts] if domain.provenance == OBSERVED else doubts
    )


def _ordered(table: Any, domain: Domain, names: Iterable[Any] | None) -> list[Any]:
    """Return the columns of a table in the order of a domain's features."""
    if hasattr(table, "columns"):
        columns = [table[name] for name in table.columns]
    else:
        columns = [table[:, index] for index in range(table.shape[1])]
    return [columns[index] for index in domain.order_in(names, len(columns))]
