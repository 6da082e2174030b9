"""One training with many canaries: exact limits, curves, guesses without coins, bounds and reports.

Tests with random numbers have fixed seeds; with fresh ones the test of false bounds fails with probability at
most 1e-3, and each of those of bounds and verdicts with at most 1e-6.
"""

from __future__ import annotations

import inspect
import json
import math
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.stats import binom

from privboost.auditor import OneRunResult, audit_scores, one_run
from privboost.auditor.canaries.bounds import bound_anytime, bound_epsilon, bound_mu, catches, make_guesses
from privboost.auditor.canaries.corners import run_estimator
from privboost.auditor.canaries.curves import (
    GuessCount,
    epsilon_delta_curve,
    gaussian_curve,
    greatest_refuted,
    refutes,
)
from privboost.auditor.canaries.guesses import ScoredRun, guess_both, order_scores
from privboost.auditor.canaries.limits import lengths_of, limits, share_error
from privboost.auditor.canaries.statistics import describe_scores
from privboost.auditor.files import one_run_report
from privboost.auditor.inputs.description import parse_description
from privboost.auditor.mechanisms.estimators import claimed_estimator
from privboost.errors import PreconditionError, TargetError
from privboost.oracle_tests.support.json_schema import complaints

Rng = np.random.Generator
CELLS = 500


def histogram(epsilon: float) -> Any:
    """Return a noisy histogram of cells."""
    return lambda rows, rng: np.bincount(rows, minlength=CELLS) + rng.laplace(scale=1 / epsilon, size=CELLS)


def read_counts(counts: NDArray[np.float64], cells: list[int]) -> NDArray[np.float64]:
    """Return the noisy count of every cell as the score of its canary."""
    return counts[cells]


def run(loss: float, **options: Any) -> OneRunResult:
    """Return the result of one noisy histogram with a privacy loss."""
    return one_run(histogram(loss), range(CELLS), read_counts, **{"seed": 1} | options)


def responses(canaries: int, epsilon: float, rng: Rng) -> ScoredRun:
    """Return randomised response, whose guesses are right as often as privacy allows."""
    coins = rng.random(canaries) < 0.5
    right = rng.random(canaries) < 1 / (1 + math.exp(-epsilon))
    return ScoredRun(np.where(coins == right, 1.0, -1.0) * rng.random(canaries), coins)


# Limits ---------------------------------------------------------------------------------------------------


def chance_of_crossing(
    lengths: tuple[int, ...], least: tuple[int, ...], p: float, lazy: bool = False
) -> float:
    """Return the probability of reaching a limit, by all sequences of guesses.

    A lazy guesser is right with probability p / 2 after a wrong guess.
    """
    total = 0.0
    for sequence in product((0, 1), repeat=lengths[-1]):
        before = np.array([1, *sequence[:-1]])
        chances = np.where((before == 0) & lazy, p / 2, p)
        counts = np.cumsum(sequence)[np.array(lengths) - 1]
        if np.any(counts >= least):
            total += float(np.prod(np.where(sequence, chances, 1 - chances)))
    return total


@pytest.mark.parametrize("p", [0.5, 0.731, 0.9])
def test_limits__use_the_error_probability_and_no_more(p: float) -> None:
    lengths, error = (4, 8, 14), 0.1
    least = limits(lengths, p, error, 0.5)
    assert chance_of_crossing(lengths, least, p) <= error
    assert chance_of_crossing(lengths, least, p, lazy=True) <= error
    lower = tuple(count - 1 for count in least)
    assert chance_of_crossing(lengths, lower, p) > error


def test_limits__every_length_stays_within_its_share() -> None:
    lengths = lengths_of(200)
    least = limits(lengths, 0.7, 0.05, 0.0)
    shares = share_error(lengths, 0.05, 0.0)
    assert binom.sf(least[0] - 1, lengths[0], 0.7) <= shares[0]
    assert lengths[-1] == 200
    assert lengths_of(0) == ()
    single = limits((300,), 0.6, 0.05, 0.0)[0]
    assert binom.sf(single - 1, 300, 0.6) <= 0.05 < binom.sf(single - 2, 300, 0.6)


# Curves ---------------------------------------------------------------------------------------------------


def worst_case(count: GuessCount, epsilon: float, delta: float) -> float:
    """Return the greatest probability of so many right guesses that the theorem allows: a linear program."""
    right, guesses, canaries = count
    numbers, ratio = np.arange(guesses + 1), math.exp(epsilon)
    rows, most = [], []
    for least in range(1, guesses + 1):
        ours = np.where(numbers >= least, numbers, 0) / canaries
        theirs = np.where(numbers >= least - 1, guesses - numbers, 0) / canaries
        rows += [ours - ratio * theirs, ours - theirs / ratio]
        most += [delta, 1 - (1 - delta) / ratio]
    tail = np.where(numbers >= right, -1.0, 0.0)
    solved = linprog(tail, np.array(rows), most, np.ones((1, guesses + 1)), [1.0])
    return -float(solved.fun)


@pytest.mark.parametrize("count", [GuessCount(6, 6, 10), GuessCount(7, 9, 9), GuessCount(10, 12, 40)])
@pytest.mark.parametrize(("epsilon", "delta"), [(0.5, 0.0), (1.0, 0.001), (0.0, 0.05), (2.0, 0.01)])
def test_curve__least_masses_are_those_of_a_linear_program(
    count: GuessCount, epsilon: float, delta: float
) -> None:
    worst = worst_case(count, epsilon, delta)
    curve = epsilon_delta_curve(epsilon, delta)
    assert refutes(count, min(worst * 1.001, 1.0), curve) or worst > 0.999
    assert not refutes(count, worst * 0.999, curve)


def steinke(count: GuessCount, error: float, delta: float) -> float:
    """Return the bound of Steinke, Nasr and Jagielski 2023, Theorem 5.2, written from the formula."""
    numbers = np.arange(1, count.right + 1)

    def p_value(epsilon: float) -> float:
        chance = 1 / (1 + math.exp(-epsilon))
        tail = binom.sf(count.right - 1, count.guesses, chance)
        below = (binom.sf(count.right - numbers - 1, count.guesses, chance) - tail) / numbers
        return float(tail + 2 * count.canaries * delta * below.max())

    return float(max((null for null in np.arange(0, 2, 0.005) if p_value(null) <= error), default=0.0))


def test_curve__agrees_with_the_published_bound_for_small_delta_and_is_greater_for_large() -> None:
    count = GuessCount(512, 700, 1_000)
    bounds = {}
    for delta in (1e-6, 1e-3):
        bounds[delta] = greatest_refuted(count, 0.05, partial(epsilon_delta_curve, delta=delta), 16.0)
        assert bounds[delta] >= 0.98 * steinke(count, 0.05, delta)
    assert bounds[1e-3] > 1.04 * steinke(count, 0.05, 1e-3)
    assert bounds[1e-6] == pytest.approx(steinke(count, 0.05, 1e-6), rel=0.02)


def test_curve__one_guess_of_one_canary_is_the_curve_itself() -> None:
    # One coin: right with probability t means a test with true and false positive rates t and 1 - t.
    count = GuessCount(1, 1, 1)
    fair = 0.6914624612740131  # Phi(1/2)
    assert refutes(count, fair + 1e-6, gaussian_curve(1.0))
    assert not refutes(count, fair - 1e-6, gaussian_curve(1.0))


# Guesses --------------------------------------------------------------------------------------------------


def test_guesses__no_function_that_orders_or_scores_is_given_coins() -> None:
    assert list(inspect.signature(order_scores).parameters) == ["scores", "rng"]
    names = set(inspect.signature(one_run).parameters)
    assert not any("coin" in name or "member" in name for name in names)
    seen: list[tuple[Any, ...]] = []

    def score(*given: Any) -> NDArray[np.float64]:
        seen.append(given)
        return np.zeros(20)

    one_run(lambda rows, _: sum(rows), range(20), score, seed=1)
    ((model, canaries),) = seen
    assert isinstance(model, int)
    assert canaries == list(range(20))


def test_guesses__a_coin_changes_only_whether_its_own_guess_is_right() -> None:
    rng = np.random.default_rng(0)
    scores, coins = rng.normal(size=50), rng.random(50) < 0.5
    before = make_guesses([ScoredRun(scores, coins)], np.random.default_rng(1))
    for index in range(50):
        other = coins.copy()
        other[index] ^= True
        after = make_guesses([ScoredRun(scores, other)], np.random.default_rng(1))
        changed = [
            int(np.sum(a.right != b.right)) for a, b in zip(before.sequences, after.sequences, strict=True)
        ]
        assert changed[0] == 1
        assert changed[1] <= 1


def test_guesses__ties_are_not_broken_by_the_order_of_the_files() -> None:
    same = audit_scores([0.5] * 500, [0.5] * 500, seed=3)
    assert same.bound == 0
    assert same.anytime == 0

    class InOrder:
        """What does not shuffle: canaries that are in stand first."""

        def permutation(self, size: int) -> NDArray[np.int64]:
            return np.arange(size)[::-1]

    coins = np.repeat([True, False], 500)
    ends = order_scores(np.full(1_000, 0.5), InOrder())  # type: ignore[arg-type]
    assert guess_both(ScoredRun(np.full(1_000, 0.5), coins), ends).all()


def test_guesses__scores_without_a_number_are_not_guessed() -> None:
    coins = np.arange(40) % 2 == 0
    scores = np.where(coins, 1.0, 0.0) + np.linspace(0, 0.5, 40)
    scores[:10] = np.nan
    ends = order_scores(scores, np.random.default_rng(0))
    assert set(ends.top) | set(ends.bottom) == set(range(10, 40))
    assert audit_scores(scores[coins], scores[~coins], seed=1).unscored == 10


# Bounds ---------------------------------------------------------------------------------------------------


def test_bounds__are_false_in_at_most_5_percent_of_null_runs() -> None:
    epsilon, false = 0.5, [0, 0]
    for seed in range(150):
        rng = np.random.default_rng(seed)
        guesses = make_guesses([responses(100, epsilon, rng)], rng)
        false[0] += bound_epsilon(guesses, 0.05, claim=epsilon) >= epsilon
        false[1] += (bound_anytime(guesses, 0.05, claim=epsilon) or 0.0) >= epsilon
    assert max(false) <= binom.ppf(0.9995, 150, 0.05)


def test_bounds__twice_the_claim_is_refuted_and_the_claim_is_not() -> None:
    assert run(2.0, epsilon=1.0).verdict == "VIOLATION"
    assert run(1.0, epsilon=1.0).verdict != "VIOLATION"
    assert run(1.0).verdict is None
    assert 0.5 < run(1.0).bound < 1


def test_bounds__more_runs_have_greater_bounds() -> None:
    once, often = run(1.0), run(1.0, runs=3)
    assert often.canaries == 3 * CELLS
    assert once.bound < often.bound < 1
    assert (once.anytime or 0) < (often.anytime or 0) < 1


def test_bounds__fixed_numbers_of_guesses_are_one_binomial_test() -> None:
    rng = np.random.default_rng(2)
    scored = responses(400, 1.0, rng)
    result = audit_scores(
        scored.scores[scored.coins], scored.scores[~scored.coins], guesses=(100, 60), seed=0
    )
    order = np.argsort(scored.scores)
    right = int(scored.coins[order[-100:]].sum() + (~scored.coins[order[:60]]).sum())
    p_value = [binom.sf(right - 1, 160, 1 / (1 + math.exp(-result.bound * f))) for f in (1.0, 1.03)]
    assert p_value[0] <= 0.05 < p_value[1]


def test_bounds__delta_costs_more_the_larger_it_is() -> None:
    rng = np.random.default_rng(4)
    guesses = make_guesses([responses(200, 2.0, rng)], rng)
    bounds = [bound_epsilon(guesses, 0.05, delta) for delta in (0.0, 1e-6, 1e-4, 1e-3)]
    assert bounds == sorted(bounds, reverse=True)
    assert bounds[0] > bounds[-1] > 0
    assert bound_anytime(guesses, 0.05, 1e-6) is not None
    assert bound_anytime(guesses, 0.05, 1e-3) is None
    assert 0 < bound_mu(guesses, 0.05) < 2.0


def test_bounds__charging_delta_to_every_bet_is_not_enough_in_one_run() -> None:
    # With probability delta the output shows all coins. Each bet is charged as for independent calls.
    delta, epsilon, canaries = 0.01, 0.0, 500
    stake = 0.5 / (math.exp(epsilon) + delta)
    shown_all = (1 + stake * (1 - delta)) ** canaries
    mean_otherwise = ((1 + stake * (1 - delta)) / 2 + (1 - 0.5) / 2) ** canaries
    assert delta * shown_all + (1 - delta) * mean_otherwise > 1e50


def test_power__grows_with_canaries_and_decides_the_verdict() -> None:
    assert not catches(1_000, 1.0, 2.0, 0.05, 0.0)
    assert catches(4_000, 1.0, 2.0, 0.05, 0.0)
    noise = np.random.default_rng(0).normal(size=(2, 3_000))
    coins = np.random.default_rng(1).random(3_000) < 0.5
    result = audit_scores(noise[0][coins], noise[1][~coins], epsilon=1.0, seed=0)
    assert result.verdict == "CONSISTENT"
    few = audit_scores(noise[0][:50], noise[1][:51], epsilon=1.0, seed=0)
    assert few.verdict == "INCONCLUSIVE"
    assert few.needed is not None
    assert few.needed.canaries is not None
    assert catches(few.needed.canaries, 1.0, 2.0, 0.05, 0.0)


def test_statistics__are_those_of_all_pairs_and_thresholds() -> None:
    rng = np.random.default_rng(7)
    inside, outside = rng.integers(0, 8, 40).astype(float) + 1, rng.integers(0, 8, 30).astype(float)
    described = describe_scores(inside, outside, 0.95)
    wins = (inside[:, None] > outside).mean() + (inside[:, None] == outside).mean() / 2
    assert described.auroc == pytest.approx(wins)
    for rate, best in described.true_positive_rates:
        allowed = [(inside >= t).mean() for t in (*inside, *outside, 99) if (outside >= t).mean() <= rate]
        assert best == pytest.approx(max(allowed))
    assert described.tradeoff[0] == (0.0, 1.0)
    assert described.tradeoff[-1] == (1.0, 0.0)


# Calls and errors -----------------------------------------------------------------------------------------


def test_one_run__replaces_rows_that_are_out() -> None:
    sizes: list[int] = []

    def fit(rows: list[int], _: Rng) -> list[int]:
        sizes.append(len(rows))
        return rows

    result = one_run(
        fit,
        range(100),
        lambda rows, _: [float(row < 100) for row in rows],
        replacements=range(100, 200),
        seed=0,
    )
    assert sizes == [100]
    assert result.bound > 2


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"replacements": [1]}, "replacements"),
        ({"runs": 0}, "runs"),
        ({"confidence": 1.0}, "confidence"),
        ({"power": 1}, "power"),
        ({"delta": -1.0}, "delta"),
        ({"epsilon": "x"}, "epsilon"),
        ({"guesses": (30, 0)}, "guesses"),
        ({"score": lambda *_: [1.0]}, "scores"),
        ({"score": lambda *_: None}, "scores"),
        ({"canaries": [1]}, "canaries"),
    ],
)
def test_one_run__names_the_argument_that_is_wrong(change: dict[str, Any], name: str) -> None:
    arguments: dict[str, Any] = {"canaries": range(20), "score": lambda _, canaries: canaries} | change
    with pytest.raises(PreconditionError, match=name):
        one_run(lambda rows, _: rows, **arguments)


def test_scores__numbers_that_coins_do_not_make_are_refused() -> None:
    with pytest.raises(PreconditionError, match="500 in and 1,000 out"):
        audit_scores(range(500), range(1_000))
    assert "such a split" in one_run_report.condition(audit_scores(range(50), range(50), seed=0))


@pytest.mark.parametrize("options", [{}, {"epsilon": 0.2}, {"epsilon": 9.0, "delta": 0.01}])
def test_report__follows_its_schema_and_states_its_condition(options: dict[str, Any], tmp_path: Path) -> None:
    result = run(1.0, **options)
    schema = json.loads(one_run_report.SCHEMA.read_text("utf-8"))
    document = json.loads(one_run_report.to_json_text(result))
    assert not complaints(schema, document)
    assert complaints(schema, document | {"bound": "large"})
    assert "independent fair coin" in " ".join(str(result).split())
    result.save(tmp_path / "report.html")
    assert "Trade-off of errors" in (tmp_path / "report.html").read_text("utf-8")
    assert "OneRunResult" in repr(result)


def test_report__says_that_scores_seem_reversed(tmp_path: Path) -> None:
    noise = np.random.default_rng(0).normal(size=(2, 200))
    reversed_scores = audit_scores(noise[0] - 1, noise[1] + 1, epsilon=1.0, seed=0)
    assert "seem reversed" in " ".join(str(reversed_scores).split())
    reversed_scores.save(tmp_path / "report.html")
    assert "seem reversed" in (tmp_path / "report.html").read_text("utf-8")
    for shift in (0.0, 1.0):
        assert "seem reversed" not in str(audit_scores(noise[0] + shift, noise[1] - shift, seed=0))


# Estimators -----------------------------------------------------------------------------------------------


class Memory:
    """An estimator that learns labels by heart, or nothing."""

    epsilon = 1.0

    def __init__(self, forgets: bool = False) -> None:
        self.forgets = forgets

    def get_params(self, deep: bool = False) -> dict[str, Any]:
        """Return the parameters."""
        return {"forgets": self.forgets}

    def fit(self, X: Any, y: Any) -> Memory:  # noqa: N803
        """Store the rows."""
        self.rows_ = {} if self.forgets else {tuple(row): label for row, label in zip(X, y, strict=True)}
        return self

    def predict(self, X: Any) -> list[Any]:  # noqa: N803
        """Return the stored labels, 0 for other rows."""
        return [self.rows_.get(tuple(row), 0) for row in X]


@pytest.mark.parametrize("relation", ["exchange", "add_remove"])
def test_estimator__canaries_at_corners_show_what_is_learned_by_heart(relation: str, tmp_path: Path) -> None:
    schema = tmp_path / "schema.toml"
    columns = [f"[x{index}]\nlo = 0\nhi = 1\n" for index in range(9)]
    schema.write_text("\n".join([*columns, "[y]\nintegers = [0, 1]\n"]), "utf-8")
    description = parse_description(f"table:{schema},label=y,rows=5")
    bounds = []
    for forgets in (False, True):
        target = claimed_estimator(Memory(forgets), "Memory")
        bounds.append(run_estimator(target, description, relation=relation, canaries=200, seed=2).bound)
    assert bounds[0] > (2.0 if relation == "exchange" else 0.3)
    assert bounds[1] == 0


def test_estimator__inputs_without_labels_or_ranges_are_refused() -> None:
    target = claimed_estimator(Memory(), "Memory")
    for text in ("vector:10", "rows:20,columns=3"):
        with pytest.raises(PreconditionError, match="input"):
            run_estimator(target, parse_description(text))


def test_estimator__a_model_that_predicts_nothing_is_named(tmp_path: Path) -> None:
    class Mute:
        def fit(self, X: Any, y: Any) -> Mute:  # noqa: N803
            self.n_ = len(X) + len(y)
            return self

    schema = tmp_path / "schema.toml"
    schema.write_text("[x]\nlo = 0\nhi = 1\n[y]\nintegers = [0, 1]\n", "utf-8")
    with pytest.raises(TargetError, match="predict"):
        run_estimator(claimed_estimator(Mute(), "Mute"), parse_description(f"table:{schema},label=y"))
