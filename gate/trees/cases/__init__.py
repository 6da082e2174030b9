"""The cases of the test vectors."""

from __future__ import annotations

from collections.abc import Iterator

from privboost.gate.profile import VectorCase


def all_cases() -> Iterator[VectorCase]:
    """Yield every case of every operation."""
    from .cases_losses import loss_cases
    from .cases_of_table import TABLE_CASES
    from .cases_train import predict_cases, train_cases
    from .cases_trees import tree_cases

    yield from loss_cases()
    yield from tree_cases()
    yield from train_cases()
    yield from predict_cases()
    yield from TABLE_CASES.wrong_requests()
    yield from TABLE_CASES.right_requests()
