"""Audits: registered coins, portions, executors, interrupts, verdicts."""

from __future__ import annotations

import pickle
import random
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom

from privboost.auditor import (
    AuditPlan,
    AuditResult,
    Mechanism,
    Pair,
    Progress,
    TargetError,
    Verdict,
    audit,
    recheck,
)
from privboost.auditor.claims import PrivacyClaim
from privboost.auditor.files.sentences import explain
from privboost.auditor.files.witness import Recording
from privboost.auditor.running.calls import COINS_AT_ONCE, Registration
from privboost.auditor.running.plan import CALLS
from privboost.auditor.values.columns import MOST_COLUMNS
from privboost.auditor.values.failures import failure
from privboost.errors import PreconditionError


def laplace(data: float, rng: np.random.Generator) -> float:
    """Add Laplace noise of scale 1/2; epsilon is 2."""
    return float(data + rng.laplace(scale=0.5))


def laplaces(data: float, rng: np.random.Generator, count: int) -> NDArray[np.float64]:
    """Return many outputs at once."""
    return data + rng.laplace(scale=0.5, size=count)


def lists(data: float, rng: np.random.Generator, count: int) -> list[list[float]]:
    """Return many outputs at once, as lists."""
    return [[data + rng.laplace(scale=0.5)] for _ in range(count)]


def draw_from_the_system(data: float, _rng: np.random.Generator) -> float:
    """Return a number with noise that no seed repeats."""
    return data + random.SystemRandom().random()


VECTORISED = Mechanism("laplaces", laplace, laplaces)
ZERO_ONE = Pair("0 and 1", 0.0, 1.0)


def plain(result: AuditResult) -> AuditResult:
    """Return a result without its time, and without what repeated calls have shown."""
    return replace(result, seconds=0.0, seeded=None)


# Registration ---------------------------------------------------------------------------------------------


def test_registration__sides_do_not_depend_on_portions() -> None:
    registration = Registration(5)
    stop = COINS_AT_ONCE + 100
    whole = registration.sides(1, 0, stop)
    parts = [registration.sides(1, start, min(start + 999, stop)) for start in range(0, stop, 999)]
    assert whole.tolist() == np.concatenate(parts).tolist()
    assert whole.tolist() != registration.sides(0, 0, stop).tolist()
    assert registration.sides(0, 5, 5).size == 0


def test_registration__coins_are_fair() -> None:
    """False-alarm probability 10^-6."""
    heads = Registration(0).sides(0, 0, COINS_AT_ONCE).sum()
    assert binom.ppf(5e-7, COINS_AT_ONCE, 0.5) <= heads <= binom.isf(5e-7, COINS_AT_ONCE, 0.5)


def test_registration__no_two_calls_share_a_stream() -> None:
    registration = Registration(5)
    seeds = {registration.seed_of(pair, call) for pair in range(3) for call in range(500)}
    assert len(seeds) == 1500
    first = {registration.generator(pair, call).random() for pair in range(3) for call in range(100)}
    first |= {registration.batch_generator(0, call, side).random() for side in (0, 1) for call in range(100)}
    assert len(first) == 500
    with pytest.raises(PreconditionError, match="seed"):
        Registration(-1)


# Verdicts -------------------------------------------------------------------------------------------------


def test_audit__violation_stops_the_run() -> None:
    result = audit(laplace, (0.0, 1.0), epsilon=1.0, seed=1)
    assert result.verdict is Verdict.VIOLATION
    assert 1.0 <= result.bound <= 2.0
    assert result.calls < 1000
    assert "better than ε = 1 allows" in explain(result)


def test_audit__true_claim_is_consistent_and_says_with_what_power() -> None:
    result = audit(VECTORISED, ZERO_ONE, epsilon=2.0, seed=1)
    assert result.verdict is Verdict.CONSISTENT
    assert 1.5 < result.bound <= 2.0
    assert "would have been found with probability 95 %." in explain(result)
    assert result.power[0].epsilon is not None
    assert 2.0 < result.power[0].epsilon < 3.0
    fixed = result.pairs[0].fixed
    assert fixed is not None
    assert fixed.bound > 1.5


def test_audit__is_inconclusive_where_the_cross_check_exceeds_the_claim() -> None:
    """False alarms: none, since the seeds are fixed; the mechanism has 1.04 times the claim."""
    runs = (audit(VECTORISED, ZERO_ONE, epsilon=2.0 / 1.04, calls=12_000, seed=seed) for seed in range(16))
    run = next(run for run in runs if run.contested)
    assert run.verdict is Verdict.INCONCLUSIVE
    assert "but the cross-check of the pair '0 and 1' exceeds the claim: ε ≥ " in explain(run)
    assert run.pairs[0].fixed is not None
    assert run.pairs[0].fixed.bound > run.claim.value
    assert run.deciding_calls is not None
    longer = audit(VECTORISED, ZERO_ONE, epsilon=2.0 / 1.04, calls=run.deciding_calls, seed=99)
    assert longer.verdict is Verdict.VIOLATION


def test_audit__pairs_share_the_error_and_the_calls() -> None:
    pairs = [ZERO_ONE, Pair("half", 0.0, 0.5), Pair("same", 0.0, 0.0)]
    result = audit(VECTORISED, pairs, epsilon=2.0, calls=3001, seed=1)
    assert [entry.error for entry in result.pairs] == pytest.approx([0.05 / 3] * 3)
    assert [entry.calls for entry in result.pairs] == [1001, 1000, 1000]
    assert result.bound == result.pairs[0].bound
    assert result.pairs[2].bound == 0.0


def test_audit__continuing_after_a_violation_raises_the_bound() -> None:
    stopped = audit(VECTORISED, ZERO_ONE, epsilon=0.5, seed=1)
    going = audit(VECTORISED, ZERO_ONE, epsilon=0.5, seed=1, stop=False)
    assert going.verdict is stopped.verdict is Verdict.VIOLATION
    assert going.calls == CALLS
    assert stopped.bound < going.bound <= 2.0


# The run --------------------------------------------------------------------------------------------------


def test_audit__same_seed_same_result_and_other_seed_another() -> None:
    first, second, third = (audit(laplace, ZERO_ONE, epsilon=2.0, calls=600, seed=seed) for seed in (1, 1, 2))
    assert plain(first) == plain(second)
    assert first.pairs[0].curve != third.pairs[0].curve


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Return an executor on a real cluster: two worker processes on this machine."""
    distributed = pytest.importorskip("dask.distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as workers,
        distributed.Client(workers) as client,
    ):
        yield client.get_executor()


def test_audit__executors_change_nothing(cluster: Any) -> None:
    with ProcessPoolExecutor(2) as processes, ThreadPoolExecutor(2) as threads:
        for mechanism in (laplace, VECTORISED):
            alone, *others = (
                plain(audit(mechanism, ZERO_ONE, epsilon=2.0, calls=700, seed=1, executor=executor))
                for executor in (None, processes, threads, cluster)
            )
            assert others == [alone] * 3


def test_audit__batches_of_lists_are_matched_with_their_sides() -> None:
    result = audit(Mechanism("lists", laplace, lists), ZERO_ONE, epsilon=1.0, seed=1)
    assert result.verdict is Verdict.VIOLATION
    right = {cell.guess: (cell.left, cell.right) for cell in result.pairs[0].cells if cell.guess}
    assert set(right) == {-1, 1}


def integers(data: float, rng: np.random.Generator, count: int) -> NDArray[np.int64]:
    """Return pairs of integers, the second of which is no float."""
    noise = rng.geometric(0.5, count)
    return np.stack([int(data) + noise, 2**60 + noise], axis=1)


def mix_types(data: float, rng: np.random.Generator, count: int) -> Any:
    """Return an array for the left input, and a list for the right one."""
    return integers(data, rng, count).tolist() if data else integers(data, rng, count)


def narrow(data: float, rng: np.random.Generator, count: int) -> NDArray[Any]:
    """Return arrays of two types; conversion to a common one would change the numbers."""
    outputs = integers(data, rng, count)
    return outputs.astype(np.uint64) if data else outputs


@pytest.mark.parametrize("batch", [mix_types, narrow])
def test_audit__results_do_not_depend_on_the_containers_of_batches(batch: Any) -> None:
    results = [
        audit(Mechanism("integers", laplace, form), ZERO_ONE, epsilon=1.0, calls=2_000, seed=1, stop=False)
        for form in (integers, batch)
    ]
    assert plain(results[0]) == plain(results[1])
    assert results[0].bound > 0.3


def test_audit__an_interrupt_keeps_the_bound_so_far() -> None:
    def interrupt_later(data: float, rng: np.random.Generator) -> float:
        if len(seen) == 900:
            raise KeyboardInterrupt
        seen.append(data)
        return laplace(data, rng)

    seen: list[float] = []
    result = audit(interrupt_later, (0.0, 1.0), epsilon=2.0, seed=1)
    assert result.interrupted
    assert 200 <= result.calls <= 900
    assert result.bound > 0


def test_audit__a_time_limit_ends_it_between_calls() -> None:
    result = audit(laplace, (0.0, 1.0), epsilon=2.0, seconds=0.0, seed=1)
    assert result.calls == 1
    assert result.verdict is Verdict.INCONCLUSIVE
    assert not result.interrupted


def test_audit__progress_counts_calls_up_to_the_end() -> None:
    states: list[Progress] = []
    audit(VECTORISED, ZERO_ONE, epsilon=2.0, calls=1000, seed=1, progress=states.append)
    assert [state.calls for state in states] == sorted(state.calls for state in states)
    assert states[-1].calls == states[-1].of == 1000


def test_recheck__recorded_outputs_give_the_same_result() -> None:
    pairs = [ZERO_ONE, Pair("half", 0.0, 0.5)]
    for epsilon, stop in ((2.0, True), (0.5, True), (0.5, False)):
        recording = Recording()
        result = audit(laplace, pairs, epsilon=epsilon, calls=1500, seed=1, stop=stop, recorder=recording)
        recorded = [list(recording.of_pair(index)) for index in (0, 1)]
        plan = AuditPlan(PrivacyClaim("eps", epsilon), 1, stop=stop)
        again = recheck("laplace", pairs, recorded, plan)
        assert plain(again) == plain(result)
    tampered = [[*recorded[0][:50], 99.0, *recorded[0][51:]], recorded[1]]
    assert recheck("laplace", pairs, tampered, plan).pairs != result.pairs
    assert recheck("laplace", pairs, recorded, replace(plan, seed=2)).pairs != result.pairs


@pytest.mark.parametrize(
    ("mechanism", "seeded"),
    [
        (laplace, True),
        (VECTORISED, True),
        (draw_from_the_system, False),
        (replace(VECTORISED, repeats=False), False),
    ],
)
def test_audit__says_whether_the_target_gives_the_same_outputs_again(mechanism: Any, seeded: bool) -> None:
    with ThreadPoolExecutor(1) as pool:
        results = [
            audit(mechanism, ZERO_ONE, epsilon=2.0, calls=64, seed=1, executor=executor)
            for executor in (None, pool)
        ]
    assert [result.seeded for result in results] == [seeded, seeded]


def test_audit__does_not_repeat_calls_that_ended_a_process() -> None:
    ended = failure("exited", "TargetEndedError", "exit code 7")
    mechanism = Mechanism("ends", laplace, in_order=lambda inputs, _: [ended] * len(inputs))
    assert audit(mechanism, ZERO_ONE, epsilon=2.0, calls=2, seed=1).seeded is None


# Faults ---------------------------------------------------------------------------------------------------


SAME = "gave the same output"


def divide(_data: float, _rng: np.random.Generator) -> float:
    """Raise an error."""
    raise ZeroDivisionError("by zero")


def own_stream(data: float, _rng: np.random.Generator, calls: list[float] = []) -> float:  # noqa: B006
    """Repeat the noise of the last hundred calls."""
    calls.append(data)
    return laplace(data, np.random.default_rng(len(calls) % 100))


def rare(data: float, rng: np.random.Generator, calls: list[float] = []) -> float:  # noqa: B006
    """Show the input in some of the later calls, beside a number that is always the same."""
    calls.append(data)
    return data + 2.0 if len(calls) > 700 and rng.random() < 0.2 else 0.1


def reuse_buffer(data: float, rng: np.random.Generator, buffer: Any = np.zeros(1)) -> Any:  # noqa: B008
    """Return an array that the next call overwrites."""
    buffer[0] = data + rng.laplace(scale=0.1)
    return buffer


def wide(data: float, rng: np.random.Generator) -> list[float]:
    """Show the input behind more numbers than are read."""
    return [*rng.random(MOST_COLUMNS).tolist(), data]


def clamp_away(data: float, rng: np.random.Generator) -> float:
    """Return the same number in all calls on the right input."""
    return float(min(0.1, rng.uniform(-1, 1) + 9 * (data == 1.0)))


@pytest.mark.parametrize(
    ("mechanism", "calls", "verdict", "said"),
    [
        (laplace, 30, Verdict.INCONCLUSIVE, ""),
        (lambda data, _: int(data), 10_000, Verdict.VIOLATION, f"every call on either input {SAME}"),
        (clamp_away, 10_000, Verdict.VIOLATION, f"every call on the right input {SAME}"),
        (lambda _data, _rng: 0.1, 1000, Verdict.INCONCLUSIVE, "is its seed fixed?"),
        (lambda _data, _rng: 1.0, 15_000, Verdict.CONSISTENT, ""),
        (rare, 5000, Verdict.VIOLATION, ""),
        (reuse_buffer, 1000, Verdict.VIOLATION, ""),
        (wide, 600, Verdict.INCONCLUSIVE, "more than 4096 numbers"),
    ],
    ids=[
        "few calls",
        "no noise",
        "clamped away",
        "noise that may be stuck",
        "plain constant",
        "rare output beside a constant",
        "output that the next call overwrites",
        "output that is not read",
    ],
)
def test_audit__verdict_and_reason(mechanism: Any, calls: int, verdict: Verdict, said: str) -> None:
    """False alarms: none, since the seed is fixed and no mechanism with a violation is private."""
    result = audit(mechanism, (2.0, 1.0), epsilon=1.0, calls=calls, seed=1)
    assert result.verdict is verdict
    assert said in explain(result)


def changes(data: list[float], rng: np.random.Generator) -> float:
    """Add noise to the input in place, and return it."""
    data[0] += rng.laplace(scale=1.0)
    return data[0]


def leaves(_data: float, _rng: np.random.Generator) -> float:
    """End the process instead of answering."""
    raise SystemExit(0)


def too_many(data: float, rng: np.random.Generator, count: int) -> NDArray[np.float64]:
    """Return more outputs than were asked for."""
    return laplaces(data, rng, count + 1)


@pytest.mark.parametrize(
    ("mechanism", "pair", "reason"),
    [
        (divide, (2.0, 1.0), r"divide: expected an output .* got ZeroDivisionError: by zero"),
        (own_stream, (2.0, 1.0), "reuses its seed"),
        (lambda data, _rng: data / 3, (2.0, 1.0), "it reuses its seed, or adds no noise; no verdict"),
        (
            lambda data, _rng: laplace(data, np.random.default_rng(3)),
            (2.0, 1.0),
            "it reuses its seed, or adds no noise; no verdict",
        ),
        (changes, ([0.0], [1.0]), "that it changed them"),
        (leaves, (0.0, 1.0), "SystemExit: 0"),
        (Mechanism("too many", laplace, too_many), (0.0, 1.0), "outputs of a batch, got"),
    ],
    ids=["raises", "repeats itself", "no noise", "its own seed", "changes its input", "exits", "too many"],
)
def test_audit__misbehaviour_gets_no_verdict(mechanism: Any, pair: Any, reason: str) -> None:
    with pytest.raises(TargetError, match=reason):
        audit(mechanism, pair, epsilon=3.0, seed=1)


def test_audit__a_worker_that_cannot_be_sent_the_work_is_named() -> None:
    with (
        ProcessPoolExecutor(1) as pool,
        pytest.raises(TargetError, match="calls that a worker can make and send back"),
    ):
        audit(lambda data, _: data, (0.0, 1.0), epsilon=1.0, seed=1, executor=pool)


def test_audit__time_and_order_do_not_reveal_the_side() -> None:
    """The order of calls is the registered one, so a counter is private; false-alarm probability 5 %."""
    calls: list[float] = []

    def count_inputs(inputs: Sequence[float], streams: Sequence[np.random.Generator]) -> list[int]:
        assert len(streams) == len(inputs)
        calls.extend(inputs)
        return list(range(len(calls) - len(inputs), len(calls)))

    counter = Mechanism("counter", laplace, in_order=count_inputs)
    result = audit(counter, (0.0, 1.0), epsilon=0.1, calls=1500, seed=1)
    assert result.bound == 0.0
    # One call is repeated after the run.
    assert calls[:1500] == Registration(1).sides(0, 0, 1500).tolist()
    assert result.seeded is False


def test_audit__streams_do_not_tell_the_seed() -> None:
    stream = Registration(12345).generator(0, 7).bit_generator.seed_seq
    assert stream.entropy == Registration(12345).seed_of(0, 7)  # type: ignore[attr-defined]
    assert stream.entropy.bit_length() > 64  # type: ignore[attr-defined]


def test_target_error__survives_the_way_from_a_worker() -> None:
    error = pickle.loads(pickle.dumps(TargetError("target", "this", "that")))
    assert (error.target, error.expected, error.got) == ("target", "this", "that")


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"epsilon": -1.0}, "epsilon"),
        ({"epsilon": 17.0}, "epsilon"),
        ({"epsilon": float("nan")}, "epsilon"),
        ({"epsilon": "one"}, "epsilon"),
        ({"calls": 1.5}, "calls"),
        ({"seed": 1.5}, "seed"),
        ({"delta": 1.0}, "delta"),
        ({"confidence": 1.0}, "confidence"),
        ({"calls": 0}, "calls"),
        ({"seed": -1}, "seed"),
    ],
    ids=str,
)
def test_audit__refuses_what_cannot_be_audited(changes: dict[str, Any], named: str) -> None:
    with pytest.raises(PreconditionError, match=named):
        audit(laplace, (0.0, 1.0), **{"epsilon": 1.0, "seed": 1, **changes})


@pytest.mark.parametrize("pair", [(), (1,), [1, 2], (1, 2, 3)], ids=str)
def test_audit__refuses_what_is_no_pair(pair: Any) -> None:
    with pytest.raises(PreconditionError, match="pair"):
        audit(laplace, pair, epsilon=1.0)
