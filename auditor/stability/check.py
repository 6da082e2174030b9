"""Search a counterexample to a claim of stability from Python."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Any

from privboost.auditor.inputs.description import describe
from privboost.limits import ADD_REMOVE

from .calls import DirectCaller
from .claim import Bound, make_claim
from .result import StabilityResult
from .search import N_INPUTS, SECONDS, SearchPlan, search
from .steps import step_from


def check_stability(
    function: Callable[[Any], Any],
    *,
    inputs: Any,
    relation: str = ADD_REMOVE,
    distance: str = "absolute",
    bound: Bound | Callable[[int], Bound] | None = None,
    d_in: int = 1,
    seed: int | None = None,
    n_inputs: int = N_INPUTS,
    seconds: float | None = SECONDS,
    beyond: bool = False,
) -> StabilityResult:
    """Search a counterexample to the claim that one step moves the result of a function by at most `bound`.

    `inputs` describes the data sets, as `privboost audit --input` does, or is a Hypothesis strategy. One step
    is that of the relation: a row added or removed, exchanged, inserted or deleted, a value changed, a user's
    rows. `bound` may be a map from the number of steps to a bound; pairs are then up to `d_in` steps apart.
    With `beyond`, inputs outside of the description are tried, too; they never change the verdict.

    >>> from privboost.auditor import check_stability
    >>> result = check_stability(len, inputs="vector:5", bound=1, seed=1, n_inputs=200)
    >>> print(result.verdict)
    NONE FOUND
    >>> result = check_stability(sum, inputs="vector:5,low=0,high=2", bound=1, seed=1)
    >>> print(result.verdict, result.counterexample.moved.distance > 1)
    COUNTEREXAMPLE True

    Ensures: PreconditionError or UsageError for what is no claim; TargetError for a function that is not
    deterministic.
    """
    name = str(getattr(function, "__name__", type(function).__name__))
    plan = SearchPlan(
        make_claim(relation, distance, bound, d_in),
        describe(inputs),
        secrets.randbits(64) if seed is None else seed,
        n_inputs,
        seconds,
        beyond,
    )
    return search(DirectCaller(step_from(function, name)), plan)
