"""Search a counterexample to a claim of stability from Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .calls import DirectCaller
from .claim import Bound
from .plan import N_INPUTS, SECONDS, make_plan
from .result import StabilityResult
from .search import search
from .steps import step_from


def check_stability(
    function: Callable[[Any], Any],
    *,
    inputs: Any = None,
    relation: str | None = None,
    distance: str | None = None,
    bound: Bound | Callable[[int], Bound] | None = None,
    d_in: int | None = None,
    seed: int | None = None,
    n_inputs: int = N_INPUTS,
    seconds: float | None = SECONDS,
    beyond: bool = False,
) -> StabilityResult:
    """Search a counterexample to the claim that one step moves the result of a function by at most `bound`.

    `inputs` describes the data sets, such as "vector:10,low=0,high=1", or is a Hypothesis strategy. One step
    is that of the relation, by default a row added or removed, and the distance is by default the absolute
    difference. `bound` may be a map from the number of steps to a bound; pairs are then up to `d_in` steps
    apart. A transformation of OpenDP declares all of these itself. With `beyond`, inputs outside of the
    description are tried, too; they never change the verdict.

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
    caller = DirectCaller(step_from(function, str(getattr(function, "__name__", type(function).__name__))))
    plan = make_plan(
        caller.declared,
        inputs=inputs,
        relation=relation,
        distance=distance,
        bound=bound,
        d_in=d_in,
        seed=seed,
        n_inputs=n_inputs,
        seconds=seconds,
        beyond=beyond,
    )
    return search(caller, plan)
