"""Audit an estimator on neighbouring tables that are made from a table of the user."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from privboost.auditor.mechanisms.estimators import claimed_estimator, needs_labels
from privboost.auditor.mechanisms.mechanism import Claimed
from privboost.auditor.pairs.neighbours import table_pairs
from privboost.auditor.pairs.pair import Pair, select_by_name
from privboost.auditor.pairs.tables import TableOfRows, table_of
from privboost.auditor.running.search import refusals
from privboost.errors import PreconditionError

from .audit import audit
from .claims import PrivacyClaim
from .result import AuditResult

CALLS, SECONDS = 100_000, 60.0
"""Default limits, of which the first to be reached applies."""


def audit_estimator(
    estimator: Any,
    X: Any,  # noqa: N803
    y: Any = None,
    *,
    epsilon: float | None = None,
    delta: float | None = None,
    claim: PrivacyClaim | str | None = None,
    relation: str | None = None,
    only: Sequence[str] = (),
    without: Sequence[str] = (),
    keep_refused: bool = False,
    calls: int = CALLS,
    seconds: float | None = SECONDS,
    seed: int | None = None,
    all_pairs: bool = True,
    **options: Any,
) -> AuditResult:
    """Test the claim of an estimator by fits to neighbouring tables, which are made from the rows `X`, `y`.

    `X` is an array, a list of rows or a data frame; `y` has one label per row, if `fit` takes labels. The
    claim is by default that of the attributes `epsilon` and `delta` of the estimator, and the pairs are those
    of its attribute `relation`, if it has one, or else of both relations. `only` selects pairs whose names
    contain one of these strings, and `without` those that do not. A pair with an input that the claim need
    not cover, such as a missing value, is left out if the estimator refuses it, unless `keep_refused`. Other
    arguments are those of `audit`.

    >>> from privboost.auditor import audit_estimator
    >>> from sklearn.naive_bayes import GaussianNB
    >>> rows, labels = [[0.0], [0.1], [0.9], [1.0]], [0, 0, 1, 1]
    >>> result = audit_estimator(GaussianNB(), rows, labels, epsilon=1, only=["last label"], seed=1)
    >>> result.verdict.value
    'VIOLATION'

    Ensures: UsageError for what is no estimator or no table; PreconditionError if there is no claim.
    """
    target = claimed_estimator(estimator, type(estimator).__name__)
    seed = secrets.randbits(64) if seed is None else seed
    if claim is None and epsilon is None:
        epsilon = target.epsilon
        if epsilon is None:
            raise PreconditionError("epsilon", "the claim, since the estimator has no such attribute", None)
    pairs = _choose_pairs(target, table_of(X, y), relation, only, without)
    reasons = {} if keep_refused else refusals(target.mechanism, pairs, seed)
    accepted = [pair for pair in pairs if pair.name not in reasons]
    if not accepted:
        raise PreconditionError("only", "a pair whose inputs are accepted", reasons)
    result = audit(
        target.mechanism,
        accepted,
        epsilon=epsilon,
        delta=target.delta if delta is None else delta,
        claim=claim,
        calls=calls,
        seconds=seconds,
        seed=seed,
        all_pairs=all_pairs,
        **options,
    )
    left_out = tuple(f"{name}: {reason}" for name, reason in reasons.items())
    return replace(result, left_out=left_out, relation=target.relation, promise=target.promise)


def _choose_pairs(
    target: Claimed,
    table: TableOfRows,
    relation: str | None,
    only: Sequence[str],
    without: Sequence[str],
) -> tuple[Pair, ...]:
    """Return the neighbours of a table under a relation, chosen by strings in their names.

    Ensures: PreconditionError if there are none, or if `fit` needs labels.
    """
    if table.labels is None and needs_labels(target.mechanism):
        raise PreconditionError("y", "labels, because fit needs them", None)
    wanted = relation or target.relation
    related = tuple(pair for pair in table_pairs(table) if wanted in (None, pair.relation))
    if not related:
        raise PreconditionError("relation", "exchange or add_remove", relation)
    chosen = select_by_name(related, only, without)
    if not chosen:
        raise PreconditionError("only", f"words in {[pair.name for pair in related]}", only)
    return chosen
