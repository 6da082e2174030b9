"""Try pairs of tables once, to leave out those with an input that the estimator refuses.

A table with a missing value, for example, need not be an input of the claim: an estimator that refuses it has
said so. These calls are not used by any test, so they do not affect its error probability.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor

import numpy as np

from privboost.auditor.mechanisms.mechanism import Mechanism
from privboost.auditor.pairs.pair import Pair
from privboost.auditor.values.failures import failure_string
from privboost.workers.pool import result_of

from .calls import call_once

SIDES = ("left", "right")


def refusals(
    mechanism: Mechanism, pairs: Sequence[Pair], seed: int, executor: Executor | None = None
) -> dict[str, str]:
    """Return why an input is refused, by the name of its pair, for pairs that may be outside of the claim."""
    reasons = {}
    for pair in pairs:
        if not pair.outside:
            continue
        if executor is None:
            reason = refusal(mechanism, pair, seed)
        else:
            future = executor.submit(refusal, mechanism, pair, seed)
            reason = result_of(future, executor, mechanism.name)
        if reason:
            reasons[pair.name] = reason
    return reasons


def refusal(mechanism: Mechanism, pair: Pair, seed: int) -> str:
    """Return why one of the inputs of a pair is refused; the empty string if both have an output."""
    for side, name in enumerate(SIDES):
        output = call_once(mechanism, pair.side(side), np.random.default_rng([seed, side]))
        if (reason := failure_string(output)) is not None:
            return f"the {name} input is refused ({reason.partition('. ')[0]})"
    return ""
