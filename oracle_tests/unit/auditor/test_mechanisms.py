"""Mechanisms of known epsilon are what they claim to be, and the auditor finds the broken ones."""

from __future__ import annotations

import argparse
import math
import pickle
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import binom, chisquare, laplace, norm

from privboost.auditor.audit import audit
from privboost.auditor.calibration import (
    Calibration,
    Task,
    calibrate,
    exact_claim,
    null_test,
    run_test,
    tasks_of,
)
from privboost.auditor.claims import parse_claim
from privboost.auditor.mechanisms import broken, private, private_trees
from privboost.auditor.mechanisms.learners import mechanism_of
from privboost.auditor.mechanisms.mechanism import Claimed
from privboost.auditor.mechanisms.private_trees import FiniteLaw, loss_of_laws
from privboost.auditor.pairs.samples import float_above, sample_from
from privboost.auditor.result import Verdict
from privboost.cli.commands import calibrate as command
from privboost.errors import UsageError
from privboost.reference.data import initial_weights
from privboost.reference.exact import Number, enclose, exact_sum
from privboost.reference.learners.privacy_loss import exact_losses
from privboost.reference.learners.protocol import SplitLaw
from privboost.reference.privacy.mechanisms import exponential_law, permute_and_flip_law

ALL = {**private.MECHANISMS, **broken.MECHANISMS}
EVERY = pytest.mark.parametrize("known", ALL.values(), ids=list(ALL))


def exact_of(known: Claimed) -> float:
    """Return the exact epsilon, which is known of every mechanism of a bank."""
    assert known.exact is not None
    return known.exact


def epsilon_of(known: Claimed) -> float:
    """Return the claim, which every mechanism of a bank has."""
    assert known.epsilon is not None
    return known.epsilon


KNOWN = pytest.mark.parametrize("known", private.MECHANISMS.values(), ids=list(private.MECHANISMS))
DRAWS = 20_000


# Laws ----------------------------------------------------------------------------------------------------


def test_bank__correct_ones_keep_their_claims_and_broken_ones_do_not() -> None:
    assert all(
        exact_of(known) <= (epsilon_of(known) if known.claim is None else parse_claim(known.claim).value)
        for known in private.MECHANISMS.values()
    )
    assert all(exact_of(known) > epsilon_of(known) for known in broken.MECHANISMS.values())
    assert all(known.pairs[0].exact == known.exact for known in ALL.values() if known.claim is None)


@EVERY
def test_bank__a_call_is_a_batch_of_one_and_streams_decide_everything(known: Claimed) -> None:
    copy = pickle.loads(pickle.dumps(known.mechanism))
    assert copy.batch is not None
    outputs = [copy.call(known.pairs[0].left, np.random.default_rng(5))]
    again = known.mechanism.call(known.pairs[0].left, np.random.default_rng(5))
    assert (
        repr(outputs[0])
        == repr(again)
        == repr(copy.batch(known.pairs[0].left, np.random.default_rng(5), 1)[0])
    )


def _fits(known: Claimed, side: int, law: dict[int, Number]) -> float:
    """Return the p-value of the outputs of a mechanism under a law of indices."""
    assert known.mechanism.batch is not None
    data = (known.pairs[0].left, known.pairs[0].right)[side]
    outputs = known.mechanism.batch(data, np.random.default_rng(side), DRAWS)
    counts = np.bincount(np.asarray(outputs, dtype=np.int64), minlength=len(law))
    chances = np.array([float_above(chance) for chance in law.values()])
    return float(chisquare(counts, DRAWS * chances / chances.sum()).pvalue)


@pytest.mark.parametrize("side", [0, 1])
def test_bank__choices_are_drawn_by_the_laws_of_the_reference(side: int) -> None:
    """Four chi-square tests a side at 1e-6 each: a false alarm in all has probability below 1e-5."""
    scores = {index: Fraction(score) for index, score in enumerate(private.QUERIES[side])}
    half = Fraction(1, 2)
    rows = private_trees.ROWS[side]
    laws = {
        "noisy_max_index": permute_and_flip_law(scores, half),
        "gumbel_max_index": exponential_law(scores, half),
        "exponential_split": private_trees.law_of_split(SplitLaw.EXPONENTIAL, rows),
        "permute_and_flip_split": private_trees.law_of_split(SplitLaw.PERMUTE_AND_FLIP, rows),
    }
    assert min(_fits(private.MECHANISMS[name], side, law) for name, law in laws.items()) > 1e-6
    # The wrong twin: the law of the other side does not fit.
    assert _fits(private.MECHANISMS["noisy_max_index"], 1 - side, laws["noisy_max_index"]) < 1e-6


def test_bank__the_finite_tree_has_the_loss_that_the_reference_finds_in_closed_form() -> None:
    setting = private_trees.tiny_setting(private_trees.FINITE, 2, Fraction(1, 2))
    samples = (initial_weights(sample_from(rows)) for rows in private_trees.ROWS)
    losses = exact_losses(setting, *samples)
    closed = max(float_above(loss.total) for loss in losses)
    assert private.MECHANISMS["finite_tree"].exact == pytest.approx(closed, rel=1e-15)
    law = private_trees.law_of_tree(private_trees.ROWS[0])
    around = enclose(exact_sum(law.values()), 80)
    assert (len(law), around.lo <= 1 <= around.hi) == (50, True)


def test_known__tables_draw_every_outcome_as_often_as_it_should_be() -> None:
    """A binomial tail of 1e-6."""
    law = FiniteLaw.of([(3, Fraction(1, 4)), (5, Fraction(3, 4))])
    drawn = law.draw(np.random.default_rng(0), DRAWS)
    assert set(drawn) == {3, 5}
    assert binom.ppf(5e-7, DRAWS, 0.25) <= (drawn == 3).sum() <= binom.isf(5e-7, DRAWS, 0.25)
    assert loss_of_laws({0: Fraction(1, 4), 1: Fraction(3, 4)}, {0: Fraction(1, 2), 1: Fraction(1, 2)}) == (
        pytest.approx(math.log(2), rel=1e-15)
    )


def test_bank__delta_of_gaussian_noise_is_the_mass_that_exceeds_e_epsilon() -> None:
    excess = quad(lambda x: max(norm.pdf(x - 1) - math.exp(2) * norm.pdf(x), 0), -10, 12, points=[2.5])[0]
    assert private.MECHANISMS["gaussian"].delta == pytest.approx(excess, rel=1e-6)


def test_broken__the_loss_of_the_unscaled_sparse_vector_is_that_of_one_half_up_one_half_down() -> None:
    def chance(first: float, second: float) -> float:
        def density(t: float) -> float:
            below, above = laplace.cdf(t, first, 4 / 3), laplace.sf(t, second, 4 / 3)
            return float(laplace.pdf(t, scale=4) * below**5 * above**5)

        return float(quad(density, -60, 60, points=[0, 1])[0])

    loss = math.log(chance(0, 1) / chance(1, 0))
    assert broken.unscaled_loss() == pytest.approx(loss, rel=1e-6)
    assert loss < (1 + 6 * broken.POSITIVES) / 4


# Imports -------------------------------------------------------------------------------------------------

LOADED = "[name for name in sys.modules if name.startswith('privboost.reference')]"
MODULE = f"import sys\ndef noisy(data, rng):\n    assert not {LOADED}\n    return data + rng.laplace()\n"
MAIN = (
    f"import sys\nfrom privboost.cli.app import main\ncode = main(sys.argv[1:])\nsys.exit({LOADED} or code)"
)


@pytest.mark.parametrize(
    ("target", "code"), [("mine.py:noisy --epsilon 1 --pairs pairs.json", 0), ("broken:noisy_max_value", 1)]
)
def test_audit__of_a_numpy_function_loads_no_module_of_the_reference(
    target: str, code: int, tmp_path: Path
) -> None:
    """Neither here nor in a worker, where the assertion of the function would end in no verdict."""
    (tmp_path / "mine.py").write_text(MODULE, "utf-8")
    (tmp_path / "pairs.json").write_text("[[0, 1]]", "utf-8")
    command = [sys.executable, "-c", MAIN, "audit", *target.split(), "--calls", "15000", "--seed", "2"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr


# Audits --------------------------------------------------------------------------------------------------


@KNOWN
def test_audit__no_known_mechanism_is_refuted_at_its_exact_epsilon(known: Claimed) -> None:
    """At 99.9 % confidence, so each test alarms falsely with probability 0.1 % at most, over seeds."""
    result = audit(
        known.mechanism,
        known.pairs[0],
        claim=exact_claim(known),
        confidence=0.999,
        calls=400,
        seed=2,
    )
    assert result.verdict is not Verdict.VIOLATION
    assert result.bound < exact_of(known)


@pytest.mark.parametrize(
    ("name", "calls"),
    [
        ("histogram_inverted", 200),
        ("sparse_vector_open_queries", 400),
        ("noisy_max_value", 4000),
        ("sparse_vector_unscaled", 4000),
        ("laplace_twofold", 1500),
        ("unbounded_sum", 200),
        ("clamped_after", 400),
    ],
)
def test_audit__every_broken_mechanism_is_refuted_within_its_budget(name: str, calls: int) -> None:
    """The bound is above the truth with probability 5 % at most, over seeds."""
    known = broken.MECHANISMS[name]
    result = audit(known.mechanism, known.pairs[0], epsilon=epsilon_of(known), calls=calls, seed=3)
    assert result.verdict is Verdict.VIOLATION
    assert epsilon_of(known) <= result.bound <= exact_of(known)


@pytest.mark.parametrize("name", ["laplace_textbook", "laplace_numpy"])
def test_audit__low_bits_tell_textbook_noise_and_not_noise_on_a_grid(name: str) -> None:
    """Noise on a grid is refuted falsely with probability 5 % at most, over seeds."""
    known = broken.MECHANISMS[name]
    seen = audit(known.mechanism, known.pairs[0], epsilon=1.0, calls=5000, seed=4, power=5, low_bits=True)
    unseen = audit(known.mechanism, known.pairs[0], epsilon=1.0, calls=5000, seed=4, power=5)
    mechanism, pairs = mechanism_of("fast:discrete_laplace")
    grid = audit(mechanism, pairs, epsilon=1.0, calls=5000 * len(pairs), seed=4, power=5, low_bits=True)
    assert [result.verdict for result in (seen, unseen, grid)] == [
        Verdict.VIOLATION,
        Verdict.CONSISTENT,
        Verdict.CONSISTENT,
    ]


# Calibration ---------------------------------------------------------------------------------------------


def test_calibration__the_interval_is_that_of_clopper_and_pearson() -> None:
    entry = Calibration(private.MECHANISMS["laplace"], 1000, runs=100, refuted=7)
    low, high = entry.interval(0.95)
    assert (binom.sf(6, 100, low), binom.cdf(7, 100, high)) == pytest.approx((0.025, 0.025), abs=1e-12)
    assert (entry.rate, entry.holds) == (0.07, True)
    assert not Calibration(private.MECHANISMS["laplace"], 1000, runs=100, refuted=20).holds
    assert Calibration(private.MECHANISMS["laplace"], 1000, runs=10, refuted=0).interval()[0] == 0


def test_calibration__a_null_that_is_too_small_is_refuted_by_most_runs() -> None:
    """The wrong twin of a null run; 20 runs of which each is refuted nearly surely."""
    known = replace(private.MECHANISMS["randomised_response"], exact=0.3)
    refuted = sum(run_test(known, null_test(known), run, 600).refuted for run in range(20))
    assert refuted >= 15


def test_calibration__tasks_cover_all_runs_and_an_interrupt_keeps_what_is_done() -> None:
    tasks = tasks_of(["laplace"], 120, 60, 2, 1000)
    assert [len(task.runs) for task in tasks] == [50, 50, 20, 1, 1]

    def interrupt(done: int, of: int) -> None:
        if (done, of) == (2, 2):
            raise KeyboardInterrupt

    (entry,) = calibrate(
        [Task("laplace", range(2), 60), Task("laplace", range(7, 8), 1000, True)], 1, interrupt
    )
    assert (entry.runs, entry.calls, len(entry.bounds), len(entry.bounds[0])) == (2, 60, 1, 1)


def test_calibrate_command__prints_a_row_for_every_mechanism() -> None:
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    arguments = ["randomised_response", "--runs", "2", "--calls", "50", "--long-runs", "1", "--jobs", "1"]
    table = command.run(parser.parse_args(arguments))
    assert table.rows[0][:4] == ("randomised_response", "ε ≤ 1", "2", "50")
    assert len(table.rows[0]) == len(table.columns)
    with pytest.raises(UsageError, match="expected some of laplace"):
        command.run(parser.parse_args(["no_such"]))
