"""Audit a mechanism: from arguments to a plan, which `run` carries out."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from typing import Any

from privboost.auditor.inputs.constants import constants_of
from privboost.auditor.mechanisms.mechanism import Call, Claimed, Mechanism
from privboost.auditor.mechanisms.naming import declared_target
from privboost.auditor.pairs.pair import Pair
from privboost.auditor.pairs.relations import check_neighbours
from privboost.auditor.running.calling import AuditCaller, Calling, Progress, Recorded, Recorder
from privboost.auditor.running.plan import CALLS, AuditPlan
from privboost.errors import PreconditionError
from privboost.limits import POWER

from .claims import PrivacyClaim, epsilon_claim, parse_claim
from .result import AuditResult
from .run import plan_rest, run_audit


def audit(
    mechanism: Call | Mechanism | Any,
    pair: Pair | Sequence[Pair] | tuple[Any, Any] | None = None,
    *,
    inputs: Any = None,
    relation: str | None = None,
    beyond: bool = False,
    epsilon: float | None = None,
    delta: float = 0.0,
    claim: PrivacyClaim | str | None = None,
    confidence: float = 0.95,
    calls: int = CALLS,
    seconds: float | None = None,
    seed: int | None = None,
    stop: bool = True,
    all_pairs: bool = False,
    low_bits: bool = False,
    keep_failures: bool = True,
    envelope: bool = False,
    power: float = POWER,
    ignore: Sequence[str] = (),
    executor: Executor | None = None,
    restart: Callable[[], Executor] | None = None,
    progress: Callable[[Progress], None] | None = None,
    recorder: Recorder | None = None,
    recorded: Recorded = (),
) -> AuditResult:
    """Test a claim of privacy by calls of a mechanism on neighbouring inputs.

    The claim is `epsilon` at `delta`, or `claim`, such as "gdp:1" (see `privboost.auditor.claims`).
    `pair` is a Pair, a sequence of them, or a tuple (left, right). Instead `inputs` describes the inputs: a
    string such as "vector:10,low=0,high=1" (see `privboost.auditor.inputs.description`), a Description, or a
    Hypothesis strategy. Neighbours under `relation` are then made, tried and chosen by separate calls, and
    the result says in `tried` which; `relation` is add_remove by default, or exchange if the number of rows
    is fixed. With `beyond` pairs of other inputs are tried as well; they never change the verdict. A
    measurement of OpenDP declares claim, inputs and relation itself; what is given here replaces them.

    `calls` is the total over all pairs and both sides. `seconds` is a time limit: the run ends after the
    current portion of calls or, on an executor, at once. With `stop` it ends at the first violation or, with
    `all_pairs`, when all pairs have one; a pair with a violation gets no further calls. With `envelope` the
    result also has lower bounds on delta at several epsilon, which hold together with the stated confidence.
    A result is CONSISTENT only if the run would have caught `power` times the claim. Parts of the outputs
    named by `ignore`, attributes or keys, are not tested. If parts of them differ without noise, the claim is
    refuted, and a second audit, `rest`, tests what is left. Calls run on the executor if one is given; the
    outputs are the same. An interrupt also ends the run, and the result so far is returned.

    A single call that raises an error is an output; so is one that ends its process or does not answer, if
    `restart` returns a new executor of one process. With `keep_failures` false there is no verdict then.
    `recorded` has outputs of an earlier run with the same seed, by pair, as its recorder got them; the
    calls continue after them, and the recorder gets them as well. If the workers end for another reason, the
    result so far is returned, and is inconclusive unless it shows a violation.
    Ensures: TargetError, and so no verdict, if a batch raises, no call has an output, or outputs repeat.
    """
    target = _target_of(mechanism)
    if claim is None and epsilon is None:
        claim = target.claim
    if pair is None and inputs is None:
        inputs, relation = target.inputs, relation or target.relation
    mechanism = target.mechanism
    plan = AuditPlan(
        _claim_of(claim, epsilon, delta),
        secrets.randbits(64) if seed is None else seed,
        confidence,
        calls,
        seconds,
        stop=stop,
        all_pairs=all_pairs,
        low_bits=low_bits,
        keep_failures=keep_failures,
        envelope=envelope,
        power=power,
        ignored=tuple(ignore),
    )
    calling = Calling(AuditCaller(executor, restart), progress, recorder, recorded)
    if inputs is None:
        if relation is not None or beyond:
            name = "beyond" if relation is None else "relation"
            raise PreconditionError(name, "inputs with it; a pair has its own relation", relation or beyond)
        pairs = pairs_of(pair)
        check_neighbours(pairs, plan.claim.group)
        result = run_audit(mechanism, pairs, plan, calling)
    elif pair is not None:
        raise PreconditionError("inputs", "no pair besides them", pair)
    else:
        from privboost.auditor.inputs.description import describe

        from .described import make_pairs, run_described

        constants = constants_of(mechanism.call)
        described = make_pairs(describe(inputs), relation, plan, constants=constants, beyond=beyond)
        result = run_described(mechanism, described, plan, calling)
    again = plan_rest(plan, result)
    if again is None:
        return result
    tested = tuple(entry.pair for entry in result.pairs)
    rest = run_audit(mechanism, tested, again, replace(calling, recorder=None, recorded=()))
    return replace(result, rest=rest)


def _target_of(mechanism: Any) -> Claimed:
    """Return a mechanism with what it declares, if it is an object of another library."""
    if isinstance(mechanism, Mechanism):
        return Claimed(mechanism)
    name = str(getattr(mechanism, "__name__", type(mechanism).__name__))
    from privboost.auditor.mechanisms.opendp_objects import read_object

    opened = read_object(mechanism, name)
    return Claimed(Mechanism(name, mechanism)) if opened is None else declared_target(opened, name)


def pairs_of(pair: Pair | Sequence[Pair] | tuple[Any, Any] | None) -> tuple[Pair, ...]:
    """Return the pairs of the `pair` argument of `audit`."""
    if isinstance(pair, Pair):
        return (pair,)
    if pair is None:
        raise PreconditionError(
            "pair", "a Pair, (left, right), or inputs such as 'vector:10,low=0,high=1'", None
        )
    if len(pair) and all(isinstance(entry, Pair) for entry in pair):
        return tuple(pair)
    if isinstance(pair, tuple) and len(pair) == 2:
        left, right = pair
        return (Pair("given", left, right),)
    raise PreconditionError("pair", "a Pair, at least one Pair in a sequence, or (left, right)", pair)


def _claim_of(claim: PrivacyClaim | str | None, epsilon: float | None, delta: float) -> PrivacyClaim:
    if (claim is None) == (epsilon is None):
        raise PreconditionError("claim", "one of epsilon and claim", "both" if claim is not None else "none")
    if isinstance(claim, PrivacyClaim):
        return claim
    if claim is not None:
        return parse_claim(claim)
    return epsilon_claim(epsilon, delta)
