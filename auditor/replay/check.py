"""Replay a mechanism on pairs, from Python or by the name of a target."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

from privboost.auditor.mechanisms.estimators import claimed_estimator
from privboost.auditor.mechanisms.mechanism import Claimed, Mechanism
from privboost.auditor.mechanisms.naming import find_target, mechanism_from
from privboost.auditor.pairs.pair import Pair
from privboost.auditor.pairs.relations import check_neighbours
from privboost.auditor.running.calls import Registration
from privboost.errors import PreconditionError
from privboost.limits import ADD_REMOVE, EXCHANGE
from privboost.targets.programs import program_of
from privboost.workers.heartbeats import beat

from .hooks import hooks
from .programs import AskingProgram
from .result import PairReplay, RecordReplayResult
from .run import replay_pair
from .runs import ReplayPlan

if TYPE_CHECKING:
    from privboost.auditor.inputs.description import Description

PAIRS = 20
"""Default number of pairs of described inputs."""


def replay(
    mechanism: Any,
    pairs: Pair | Sequence[Any] | None = None,
    *,
    inputs: Any = None,
    relation: str | None = None,
    epsilon: float | None = None,
    delta: float = 0.0,
    seed: int | None = None,
    n_pairs: int = PAIRS,
    seconds: float = 60.0,
    progress: Callable[[int, int], None] | None = None,
) -> RecordReplayResult:
    """Run a mechanism on one input with its draws recorded, and on its neighbour with the same draws.

    `mechanism` is a function of (data, rng), or an estimator with a method fit. `pairs` is one pair, or a
    list of them: `Pair` or (left, right). `inputs` describes the inputs instead, such as
    "vector:10,low=0,high=1"; up to `n_pairs` pairs are then made. `epsilon` is by default that of the
    estimator, else 1. `seconds` limits the runs with fresh coins on each pair.

    >>> from privboost.auditor import replay
    >>> def noisy_sum(rows, rng):
    ...     return sum(rows) + rng.laplace(scale=0.5)
    >>> result = replay(noisy_sum, ([1.0, 0.5], [0.0, 0.5]), epsilon=1, seed=1)
    >>> print(result.verdict, [str(finding.kind) for finding in result.pairs[0].findings])
    FINDING ['loss']

    Ensures: PreconditionError for pairs that are no neighbours or what is no claim; UsageError for what is no
    mechanism.
    """
    claimed = _claim_of(mechanism)
    seed = secrets.randbits(64) if seed is None else seed
    described = None if inputs is None else _describe(inputs)
    if pairs is not None and described is None:
        chosen = _pairs_of(pairs)
    elif described is not None and pairs is None:
        chosen = make_replay_pairs(described, relation or claimed.relation, seed, n_pairs)
    else:
        raise PreconditionError("pairs", "a pair, a list of pairs, or inputs=", "both" if pairs else "none")
    if relation is not None and described is None:
        chosen = tuple(replace(pair, relation=relation) for pair in chosen)
    check_neighbours(chosen)
    epsilon = claimed.epsilon if epsilon is None else epsilon
    claim = check_claim(1.0 if epsilon is None else epsilon, delta)
    plan = ReplayPlan(*claim, Registration(seed), seconds)
    started, entries = time.monotonic(), []
    with hooks():
        for index, pair in enumerate(chosen):
            entries.append(replay_pair(claimed.mechanism, pair, plan, index))
            if progress is not None:
                progress(index + 1, len(chosen))
    return RecordReplayResult(
        claimed.name,
        *claim,
        tuple(entries),
        "" if described is None else described.text,
        seed,
        time.monotonic() - started,
    )


def check_claim(epsilon: Any, delta: Any) -> tuple[float, float]:
    """Return a claim as floats; raise PreconditionError for what is none."""
    for name, value, most in (("epsilon", epsilon, 100.0), ("delta", delta, 1.0)):
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= most:
            raise PreconditionError(name, f"a number from 0 to {most:g}", value)
    return float(epsilon), float(delta)


def _describe(inputs: Any) -> Description:
    from privboost.auditor.inputs.description import describe

    return describe(inputs)


def make_replay_pairs(
    description: Description,
    relation: str | None,
    seed: int,
    count: int,
    constants: Sequence[Any] = (),
) -> tuple[Pair, ...]:
    """Return hostile neighbours of described inputs, under a relation that their number of rows allows."""
    from privboost.auditor.inputs.neighbours import hostile_pairs

    relation = relation or (ADD_REMOVE if description.size is None else EXCHANGE)
    return hostile_pairs(description, relation, seed=seed, count=count, constants=constants)


def _claim_of(mechanism: Any) -> Claimed:
    if callable(getattr(mechanism, "fit", None)) and not isinstance(mechanism, type):
        return claimed_estimator(mechanism, type(mechanism).__name__)
    return Claimed(mechanism_from(mechanism, str(getattr(mechanism, "__name__", type(mechanism).__name__))))


def _pairs_of(pairs: Pair | Sequence[Any]) -> tuple[Pair, ...]:
    """Return pairs in any of the forms in which they are given."""
    if isinstance(pairs, Pair):
        return (pairs,)
    if isinstance(pairs, tuple) and len(pairs) == 2 and not any(isinstance(each, Pair) for each in pairs):
        return (Pair("pair 1", *pairs),)
    chosen = []
    for index, each in enumerate(pairs, start=1):
        if isinstance(each, Pair):
            chosen.append(each)
        elif isinstance(each, list | tuple) and len(each) == 2:
            chosen.append(Pair(f"pair {index}", *each))
        else:
            raise PreconditionError("pairs", "a Pair, or two inputs (left, right)", each)
    if not chosen:
        raise PreconditionError("pairs", "at least one pair", pairs)
    return tuple(chosen)


# By name --------------------------------------------------------------------------------------------------


@cache
def _load(target: str) -> Mechanism:
    kind, _, rest = target.partition(":")
    if kind == "cmd":
        return AskingProgram(program_of(rest)).mechanism()
    with hooks():
        return find_target(target).mechanism


def replay_by_name(target: str, pair: Pair, plan: ReplayPlan, index: int) -> PairReplay:
    """Replay the mechanism that a target string names on one pair, in a worker process."""
    mechanism = _load(target)
    beat()
    with hooks():
        return replay_pair(mechanism, pair, plan, index)
