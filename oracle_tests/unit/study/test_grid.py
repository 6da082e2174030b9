"""The configurations of the study: the paper's grid, subsets, seeds, and error messages."""

from __future__ import annotations

import pytest

from privboost.errors import UsageError
from privboost.study.grid import (
    CONTROL,
    FOLDS,
    FORESTS,
    FREE,
    GRIDS,
    NAMES,
    Configuration,
    Learner,
    configurations,
)

DOMAINS = [f"d{index}" for index in range(19)]


def test_paper_grid__has_more_than_one_point_three_million_boosted_models() -> None:
    listed = configurations("paper", DOMAINS)
    boosted = [c for c in listed if c.learner in (Learner.AS_PRINTED, Learner.NOISE_FREE)]
    # Domains, folds, alphas, depths, trees, clamps, quantisations; private ones also epsilon and beta.
    assert FOLDS * len(boosted) == 19 * 10 * 3 * 6 * 4 * 3 * 2 * (5 * 3 + 1) == 1_313_280


@pytest.mark.parametrize("grid", GRIDS)
def test_grids__have_distinct_configurations_and_reversible_keys(grid: str) -> None:
    listed = configurations(grid, ["a", "b"])
    assert len({c.key for c in listed}) == len(listed)
    assert all(Configuration.from_key(c.key) == c for c in listed[:500])


def test_full_grid__has_both_protocols_and_every_leak_with_the_control() -> None:
    listed = configurations("full", ["a"])
    controlled = {c.learner for c in listed if c.epsilon == CONTROL}
    assert controlled == set(Learner) - {Learner.NOISE_FREE}


def test_learners__choices_that_do_not_apply_are_free() -> None:
    for c in configurations("full", ["a"]):
        if c.learner == Learner.NOISE_FREE:
            assert (c.epsilon, c.beta_tree) == (FREE, FREE)
        elif c.learner in FORESTS:
            assert (c.alpha, c.beta_tree, c.bound, c.trees) == (FREE, FREE, FREE, "21")
        elif c.learner == Learner.ALPHA_CLOSED:
            assert c.alpha == "calibrated"


def test_order__is_deterministic_and_mixes_learners_and_domains() -> None:
    one, other = configurations("main", ["a", "b"]), configurations("main", ["b", "a"])
    assert one == other
    start = one[:100]
    assert len({c.domain for c in start}) == 2
    assert len({c.learner for c in start}) >= 4


def test_subsets__keep_the_chosen_values() -> None:
    listed = configurations("main", ["a"], {"epsilon": ["0.01", "1"], "learner": ["sound"]})
    assert {(c.epsilon, c.learner) for c in listed} == {("0.01", "sound"), ("1", "sound")}
    assert len(listed) == 2 * 3 * 4 * 6 * 3


@pytest.mark.parametrize(
    ("subset", "expected"),
    [
        ({"colour": ["red"]}, f"only: expected one of {', '.join(NAMES)}, got 'colour'"),
        ({"epsilon": ["1", "7"]}, "got '7'"),
    ],
)
def test_subsets__unknown_names_and_values_are_rejected(subset: dict[str, list[str]], expected: str) -> None:
    with pytest.raises(UsageError, match=expected.replace("(", r"\(")):
        configurations("main", ["a"], subset)


def test_seeds__differ_between_configurations_folds_and_studies() -> None:
    listed = configurations("quick", ["a"])[:50]
    seeds = {c.seed(study, fold) for c in listed for study in range(3) for fold in range(FOLDS)}
    assert len(seeds) == 50 * 3 * FOLDS
