"""Record and replay: planted mistakes of every kind, sound mechanisms, and what stays undecided.

A sound mechanism is accused of an output without noise with probability at most 1e-9 for each part of it.
"""

from __future__ import annotations

import importlib
import json
import math
import os
import random
import secrets
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import gauss
from typing import Any

import numpy as np
import pytest
from scipy import stats

from privboost.auditor import FindingKind, Pair, RecordReplayResult, ReplayVerdict, mark_release, replay
from privboost.auditor.files import replay_report
from privboost.auditor.replay.constant import runs_needed
from privboost.auditor.replay.hooks import hooks
from privboost.auditor.replay.result import Doubt
from privboost.errors import PreconditionError, UsageError
from privboost.oracle_tests.support.json_schema import complaints

Rng = np.random.Generator
SYSTEM = random.SystemRandom()
P = 1 - math.exp(-1)
REAL, WHOLE = ([1.0, 0.5], [0.0, 0.5]), ([1, 0], [0, 0])
MORE = ([0.5, 1.0], [0.5])


@mark_release(epsilon="epsilon", sensitivity="sensitivity")
def release_value(value: float, rng: Rng, epsilon: float, sensitivity: float = 1.0) -> float:
    """Add Laplace noise, as a mechanism of one's own."""
    noise = rng.laplace(scale=sensitivity / epsilon) if sensitivity else 0.0
    return value + float(noise)


@mark_release(epsilon=1.0, sensitivity=1.0)
def release_array(values: Any, rng: Rng) -> list[float]:
    """Add Laplace noise to each number, with the scale of one."""
    noisy: list[float] = (values + rng.laplace(size=len(values))).tolist()
    return noisy


def noisy_scale(rows: list[float], rng: Rng) -> float:
    return sum(rows) + float(rng.laplace(scale=max(rows)))


def multiplied_noise(rows: list[float], rng: Rng) -> float:
    return sum(rows) + max(rows) * float(rng.laplace())


def shared_noise(rows: list[float], rng: Rng) -> list[float]:
    noise = float(rng.laplace())
    return [sum(rows) + noise, 2 * sum(rows) + noise]


def same_seed_twice(rows: list[float], rng: Rng) -> list[float]:
    seed = int(rng.integers(1 << 60))
    return [sum(rows) / 2 + float(np.random.default_rng(seed).laplace()) for _ in range(2)]


def forgotten(rows: list[float], rng: Rng) -> float:
    return sum(rows) + float(rng.laplace()) if sum(rows) > 1 else 0.0


def in_another_order(rows: list[float], rng: Rng) -> list[float]:
    laws = {"laplace": rng.laplace, "normal": rng.normal}
    names = sorted(laws, reverse=sum(rows) > 1)
    return [float(laws[name]()) for name in names]


FINDINGS: dict[str, tuple[Callable[[Any, Rng], Any], tuple[Any, Any], FindingKind]] = {
    "no noise": (lambda rows, _: sum(rows), REAL, FindingKind.UNNOISED_OUTPUT),
    "count without noise": (
        lambda rows, rng: [sum(rows) + rng.laplace(), len(rows)],
        MORE,
        FindingKind.UNNOISED_OUTPUT,
    ),
    "noise forgotten on a branch": (forgotten, REAL, FindingKind.UNNOISED_OUTPUT),
    "noise drawn on one side only": (forgotten, REAL, FindingKind.NUMBER_OF_DRAWS),
    "one noise for two values": (shared_noise, REAL, FindingKind.UNNOISED_OUTPUT),
    "error on one side": (
        lambda rows, rng: rng.laplace() + 1 / rows[0],
        REAL,
        FindingKind.UNNOISED_OUTPUT,
    ),
    "scale from the data": (noisy_scale, REAL, FindingKind.SCALE_FROM_DATA),
    "noise times the data": (multiplied_noise, REAL, FindingKind.SCALE_FROM_DATA),
    "half of the scale": (lambda rows, rng: sum(rows) + rng.laplace(scale=0.5), REAL, FindingKind.LOSS),
    "budget used twice": (
        lambda rows, rng: [sum(rows) + rng.laplace(), sum(rows) + rng.laplace()],
        REAL,
        FindingKind.LOSS,
    ),
    "Gaussian noise, too small": (lambda rows, rng: sum(rows) + rng.normal(), REAL, FindingKind.LOSS),
    "geometric noise, too small": (
        lambda rows, rng: int(sum(rows) + rng.geometric(0.9) - rng.geometric(0.9)),
        WHOLE,
        FindingKind.LOSS,
    ),
    "one-sided noise": (lambda rows, rng: sum(rows) + rng.exponential(), REAL, FindingKind.LOSS),
    "wrong weights": (lambda rows, rng: choose(rows, rng, 4.0), REAL, FindingKind.LOSS),
    "same seed twice": (same_seed_twice, REAL, FindingKind.REUSED_COINS),
    "fixed seed": (
        lambda rows, _: sum(rows) + np.random.default_rng(0).laplace(),
        REAL,
        FindingKind.FIXED_SEED,
    ),
    "seed from the clock": (
        lambda rows, _: sum(rows) + np.random.default_rng(time.time_ns()).laplace(),
        REAL,
        FindingKind.SEED_FROM_CLOCK,
    ),
    "another order": (in_another_order, REAL, FindingKind.ORDER_OF_DRAWS),
    "release with sensitivity 0": (
        lambda rows, rng: release_value(sum(rows), rng, 1.0, 0.0),
        REAL,
        FindingKind.UNNOISED_RELEASE,
    ),
    "release of NaN": (
        lambda rows, rng: release_value(math.nan if rows[0] else 1.0, rng, 1.0),
        REAL,
        FindingKind.UNNOISED_RELEASE,
    ),
    "release that moves too far": (
        lambda rows, rng: release_value(3 * sum(rows), rng, 0.1),
        REAL,
        FindingKind.MOVED_TOO_FAR,
    ),
    "sensitivity from the data": (
        lambda rows, rng: release_value(1.0, rng, 1.0, max(rows)),
        REAL,
        FindingKind.SCALE_FROM_DATA,
    ),
    "release of two numbers": (
        lambda rows, rng: release_array(np.array([rows[0], rows[0], math.nan]), rng),
        REAL,
        FindingKind.MOVED_TOO_FAR,
    ),
    "releases that spend too much": (
        lambda rows, rng: [release_value(sum(rows), rng, 0.7) for _ in range(2)],
        REAL,
        FindingKind.LOSS,
    ),
}


def choose(rows: list[float], rng: Rng, rate: float) -> int:
    """Choose an index by the exponential mechanism."""
    weights = np.exp(rate * np.array([sum(rows), 0.0, 0.5]))
    return int(rng.choice(3, p=weights / weights.sum()))


@pytest.mark.parametrize("name", FINDINGS)
def test_planted_mistake__is_found_on_one_pair(name: str) -> None:
    function, pair, kind = FINDINGS[name]
    result = replay(function, pair, epsilon=1.0, seed=1)
    assert result.verdict is ReplayVerdict.FINDING, str(result)
    assert kind in [finding.kind for finding in result.pairs[0].findings], str(result)


SOUND: dict[str, tuple[Callable[[Any, Rng], Any], tuple[Any, Any], float]] = {
    "laplace": (lambda rows, rng: sum(rows) + rng.laplace(), REAL, 1.0),
    "laplace around the value": (lambda rows, rng: rng.laplace(sum(rows), 1.0), REAL, 1.0),
    "legacy": (lambda rows, _: sum(rows) + np.random.laplace(), REAL, 1.0),
    "scipy": (lambda rows, rng: sum(rows) + stats.laplace.rvs(scale=2, random_state=rng), REAL, 0.5),
    "random": (lambda rows, _: sum(rows) + random.expovariate(1) - random.expovariate(1), REAL, 1.0),
    "system": (lambda rows, _: sum(rows) + SYSTEM.expovariate(1) - SYSTEM.expovariate(1), REAL, 1.0),
    "geometric": (lambda rows, rng: int(sum(rows) + rng.geometric(P) - rng.geometric(P)), WHOLE, 1.0),
    "exponential mechanism": (lambda rows, rng: choose(rows, rng, 0.5), REAL, 0.2901819),
    "histogram": (
        lambda rows, rng: np.bincount(rows, minlength=300) + rng.laplace(size=300),
        ([1, 2, 2], [2, 2]),
        1.0,
    ),
    "prefix sums": (lambda rows, rng: np.cumsum(rows) + np.cumsum(rng.laplace(size=2)), REAL, 1.0),
    "two shares": (
        lambda rows, rng: {"sum": sum(rows) + rng.laplace(scale=2), "more": [rows[0] + rng.laplace(scale=2)]},
        REAL,
        1.0,
    ),
    "releases": (lambda rows, rng: round(release_value(sum(rows), rng, 0.5), 1), REAL, 0.5),
}


@pytest.mark.parametrize("name", SOUND)
def test_sound_mechanism__passes_with_its_exact_loss(name: str) -> None:
    function, pair, loss = SOUND[name]
    result = replay(function, pair, epsilon=1.0, seed=1)
    assert result.verdict is ReplayVerdict.NOTHING_FOUND, str(result)
    assert result.pairs[0].loss == pytest.approx(loss, rel=1e-6)


def test_gaussian_noise__needs_its_delta() -> None:
    def noisy(rows: list[float], _: Rng) -> float:
        return sum(rows) + gauss(0.0, 4.0)

    assert replay(noisy, REAL, epsilon=1.0, delta=1e-2, seed=1).verdict is ReplayVerdict.NOTHING_FOUND
    assert replay(noisy, REAL, epsilon=1.0, delta=1e-6, seed=1).verdict is ReplayVerdict.FINDING


def sparse_vector(rows: list[float], rng: Rng) -> list[bool]:
    threshold, above = rng.laplace(scale=2), []
    for _ in range(5):
        above.append(bool(sum(rows) + rng.laplace(scale=4) >= threshold))
        if above[-1]:
            break
    return above


UNDECIDED: dict[str, tuple[Callable[[Any, Rng], Any], Doubt | None]] = {
    "noisy maximum": (
        lambda rows, rng: int(np.argmax(np.array([sum(rows), 1.0]) + rng.laplace(scale=2, size=2))),
        Doubt.NOT_LINEAR,
    ),
    "randomised response": (lambda rows, rng: (rows[0] > 0.5) == (rng.random() < 0.73), Doubt.NOT_LINEAR),
    "four uniforms": (
        lambda rows, rng: sum(rows) + math.log(rng.random() * rng.random() / rng.random() / rng.random()),
        Doubt.NOT_LINEAR,
    ),
    "sparse vector": (sparse_vector, None),
    "shuffle": (lambda _, rng: rng.permutation([0.25, 1.5]).tolist(), Doubt.NOT_LINEAR),
    "constant": (lambda *_: 1.0, Doubt.NO_DRAW),
    "unseen source": (lambda rows, _: sum(rows) + read_clock(), Doubt.NO_DRAW),
    "unseen source beside noise": (
        lambda rows, rng: sum(rows) + rng.laplace() + read_clock(),
        Doubt.HIDDEN_COINS,
    ),
    "bytes of the system": (lambda rows, _: sum(rows) + os.urandom(1)[0], Doubt.NOT_LINEAR),
    "secrets": (lambda rows, _: sum(rows) + secrets.randbelow(1000), Doubt.NOT_LINEAR),
}


def read_clock() -> float:
    """Return randomness that no hook sees, as that of a library in another language."""
    return id(object()) % 977 + time.perf_counter_ns() % 1009 / 7


@pytest.mark.parametrize("name", UNDECIDED)
def test_what_is_not_weighed__is_undecided_and_no_pass(name: str) -> None:
    function, doubt = UNDECIDED[name]
    for seed in range(3):
        result = replay(function, REAL, epsilon=1.0, seed=seed)
        assert result.verdict is ReplayVerdict.UNDECIDED, str(result)
        assert doubt is None or doubt in result.pairs[0].doubts, str(result)


def test_shuffle_beside_releases__is_no_finding() -> None:
    def shuffle_rows(rows: list[float], rng: Rng) -> list[float]:
        return [release_value(row, rng, 1.0) for row in rng.permutation(rows)]

    result = replay(shuffle_rows, REAL, epsilon=1.0, seed=1)
    assert result.verdict is ReplayVerdict.NOTHING_FOUND
    assert (result.pairs[0].releases, result.pairs[0].loss, result.pairs[0].spent) == (2, 1.0, 2.0)


def test_hooks__leave_everything_as_it_was() -> None:
    places: list[Any] = [np.random, np.random.Generator, np.random.RandomState]
    places += [random, random.Random, random.SystemRandom, secrets, os, time]
    before = [dict(vars(place)) for place in places]
    imported = globals()["gauss"]
    with hooks():
        assert np.random.laplace is not before[0]["laplace"]
        assert globals()["gauss"] is not imported
    assert [dict(vars(place)) for place in places] == before
    assert globals()["gauss"] is imported


def test_recorded_run__draws_what_it_would_draw_anyway() -> None:
    seen = []

    def noisy(_: list[float], rng: Rng) -> float:
        seen.append(float(rng.laplace()) + float(rng.normal()) + float(rng.integers(9)))
        return seen[-1]

    replay(noisy, REAL, epsilon=1.0, seed=5)
    recorded = seen[0]
    seen.clear()
    from privboost.auditor.running.calls import Registration

    noisy([], Registration(5).generator(0, 0))
    assert seen[0] == recorded


def test_runs_needed__bound_the_error() -> None:
    """The count makes the greatest probability of what is seen at most 1e-9, over all laws of one value."""
    for epsilon, delta in ((0.1, 0.0), (1.0, 0.0), (1.0, 0.1), (3.0, 1e-6)):
        shares = np.linspace(0, 1, 100_001)
        chance = np.max(np.minimum(1, math.exp(epsilon) * shares + delta) * (1 - shares))
        count = runs_needed(epsilon, delta)
        assert chance**count <= 1.001e-9 < chance ** (count - 2)


def test_report__says_what_is_proof_and_what_is_suspicion() -> None:
    result = replay(forgotten, REAL, epsilon=1.0, seed=1)
    document = json.loads(replay_report.to_json_text(result))
    assert complaints(json.loads(replay_report.SCHEMA.read_text("utf-8")), document) == []
    assert document["proved"]
    found = {finding["kind"]: finding["proof"] for finding in document["pairs"][0]["findings"]}
    assert found == {"unnoised_output": True, "number_of_draws": False}
    assert "proof, unnoised_output: output is" in " ".join(str(result).split())
    assert "suspicion, number_of_draws: test_replay.py:" in " ".join(str(result).split())


def test_described_inputs__are_replayed_on_hostile_pairs() -> None:
    def clip_rows(rows: list[float], rng: Rng) -> float:
        return sum(min(max(row, 0.0), 1.0) for row in rows) + rng.laplace()

    sound = replay(clip_rows, inputs="vector:5,low=0,high=1", epsilon=1.0, seed=1)
    assert (sound.verdict, len(sound.pairs)) == (ReplayVerdict.NOTHING_FOUND, 20), str(sound)
    wrong = replay(clip_rows, inputs="vector:5", epsilon=1.0, seed=1)
    assert wrong.verdict is ReplayVerdict.FINDING, str(wrong)


@pytest.mark.parametrize(
    ("pairs", "options", "expected"),
    [
        (None, {}, "pairs"),
        (REAL, {"inputs": "vector:5"}, "pairs"),
        ([], {}, "at least one pair"),
        ([1.0], {}, "a Pair, or two inputs"),
        (REAL, {"epsilon": -1.0}, "epsilon"),
        (REAL, {"delta": 2.0}, "delta"),
        (Pair("two rows", [1.0, 1.0], [0.0, 0.0]), {}, "two rows"),
    ],
)
def test_wrong_call__names_the_argument(pairs: Any, options: dict[str, Any], expected: str) -> None:
    with pytest.raises((PreconditionError, UsageError), match=expected):
        replay(lambda _, rng: rng.laplace(), pairs, **options)


def test_fixture__fails_on_findings_and_on_what_is_undecided(
    assert_replays: Callable[..., RecordReplayResult],
) -> None:
    assert assert_replays(SOUND["laplace"][0], [REAL], epsilon=1).pairs[0].loss == pytest.approx(1.0)
    assert assert_replays(sparse_vector, REAL, epsilon=1, undecided=True).pairs[0].doubts
    with pytest.raises(pytest.fail.Exception, match="findings"):
        assert_replays(forgotten, REAL, epsilon=1)
    with pytest.raises(pytest.fail.Exception, match="UNDECIDED"):
        assert_replays(sparse_vector, REAL, epsilon=1)


class MeansOfClasses:
    """An estimator that forgets the noise of an empty class."""

    def fit(self, X: Any, y: Any) -> MeansOfClasses:  # noqa: N803
        """Learn a noisy sum for each class."""
        self.sums_ = [
            float(own.sum() + np.random.laplace(scale=2)) if len(own := X[y == label, 0]) else 0.0
            for label in (0, 1)
        ]
        return self


def test_estimator__that_forgets_noise_is_found_without_probes() -> None:
    tables = [{"X": [[0.5], [0.9]], "y": [0, label]} for label in (1, 0)]
    (entry,) = replay(MeansOfClasses(), (tables[0], tables[1]), epsilon=1, seed=1).pairs
    assert {finding.site for finding in entry.findings if finding.is_proof} == {"sums_[1]"}


IMPORTED = """
import numpy as np

first, second = (np.random.RandomState(7).uniform() for _ in range(2))


def draw_twice():
    return [np.random.RandomState(7).laplace() for _ in range(2)]
"""


@pytest.mark.parametrize("calls_it", [False, True], ids=["imports", "imports and calls"])
def test_draws_of_an_import__are_not_compared(
    calls_it: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "module_that_draws"
    (tmp_path / f"{name}.py").write_text(IMPORTED, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)

    def noisy_sum(rows: list[float], rng: Rng) -> list[float]:
        module = importlib.import_module(name)
        return [sum(rows) + float(rng.laplace()), *(module.draw_twice() if calls_it else ())]

    try:
        result = replay(noisy_sum, REAL, epsilon=1, seed=1)
    finally:
        sys.modules.pop(name, None)
    if calls_it:
        assert result.verdict is ReplayVerdict.FINDING
        kinds = {(finding.kind, finding.site) for finding in result.pairs[0].findings}
        assert (FindingKind.REUSED_COINS, f"{name}.py:8") in kinds
    else:
        assert result.verdict is ReplayVerdict.NOTHING_FOUND
        assert result.pairs[0].findings == ()


def test_random_state_read_as_a_seed__is_explained() -> None:
    class Seeded(MeansOfClasses):
        def __init__(self, random_state: Any = None) -> None:
            self.random_state = random_state

        def get_params(self, deep: bool = False) -> dict[str, Any]:
            return {"random_state": self.random_state}

        def set_params(self, **parameters: Any) -> None:
            vars(self).update(parameters)

        def fit(self, X: Any, y: Any) -> Any:  # noqa: N803
            np.random.RandomState(self.random_state)

    pair = {"X": [[0.5]], "y": [1]}, {"X": [[0.25]], "y": [1]}
    result = replay(Seeded(), pair, epsilon=1, seed=1)
    assert result.pairs[0].doubts == (Doubt.NO_OUTPUT,)
    assert "check_random_state" in str(result)


def test_no_output__is_explained_by_the_first_error() -> None:
    result = replay(MeansOfClasses(), ({"X": [[0.5]], "y": [1]}, {"X": [[]], "y": [1]}), epsilon=1, seed=1)
    assert result.pairs[0].error == ""
    result = replay(MeansOfClasses(), ({"rows": [1]}, {"rows": [2]}), epsilon=1, seed=1)
    assert result.pairs[0].doubts == (Doubt.NO_OUTPUT,)
    assert "KeyError" in result.pairs[0].error
    assert "neither input has an output (KeyError" in str(result)
    assert (
        complaints(json.loads(replay_report.SCHEMA.read_text("utf-8")), replay_report.to_document(result))
        == []
    )
