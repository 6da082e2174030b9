"""Slightly wrong samplers are rejected with every seed, and the message names the law that was drawn."""

from __future__ import annotations

import math
import random
from collections.abc import Hashable
from fractions import Fraction
from typing import Any

import pytest

from privboost.gate.checks.evidence import evidence_for
from privboost.gate.trees.checks.laws import GridLaw, cells_of_noise, rivals_of_noise
from privboost.gate.trees.faulty import Port
from privboost.oracle_tests.support.gate_checks import choose_checks, run_some
from privboost.oracle_tests.support.marks import keep_every

LAW: dict[Hashable, float] = {"a": 0.5, "b": 0.3, "c": 0.2}


@pytest.mark.parametrize("seed", keep_every(5, range(10)))
def test_sec_solv__rounded_continuous_noise_is_rejected_and_named_for_every_seed(seed: int) -> None:
    part = "sample_laplace/scale=1 grid=1"
    result = run_some("faulty:laplace-rounded", part, seed=seed)
    assert [failure.check for failure in result.failures] == [check.id for check in choose_checks(part)]
    assert "a continuous draw, rounded to the nearest step of the grid" in result.failures[0].message
    assert "Perhaps:" not in result.failures[0].message


@pytest.mark.parametrize("seed", keep_every(3, range(3)))
@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("noisy-max", "sample_split/exponential/many"),
        ("seed-truncated", "no stream is repeated"),
        ("laplace-zero-twice", "sample_laplace/scale=2/3"),
        ("laplace-deviation", "sample_laplace/scale=1000"),
        ("laplace-5-percent-small", "sample_laplace/all requests"),
        ("laplace-truncated-at-6", "sample_laplace/all requests"),
    ],
)
def test_power__wrong_draws_are_rejected_for_every_seed(name: str, part: str, seed: int) -> None:
    result = run_some(f"faulty:{name}", part, seed=seed)
    assert len(result.failures) == 1


def test_seeds__that_differ_in_high_bits_only_are_distinguished() -> None:
    class Low(Port):
        def generator(self, seed: Any) -> random.Random:
            return super().generator(str(int(seed) % 2**32))

    result = run_some(Low(), "no stream is repeated")
    assert "the seed is ignored, or streams overlap" in result.failures[0].message


def test_evidence__bet_on_a_rival_has_the_mean_1_under_the_law() -> None:
    rival: dict[Hashable, float] = {"a": 0.6, "b": 0.4, "c": 0.0}
    mean = 0.0
    for sample in [(x, y, z) for x in LAW for y in LAW for z in LAW]:
        chance = math.prod(LAW[draw] for draw in sample)
        mean += chance * math.exp(evidence_for({"rival": rival}, LAW, sample)["rival"].log_wealth)
    assert math.isclose(mean, 1, rel_tol=1e-6)


@pytest.mark.parametrize("scale", ["1/3", "2"])
def test_laws__of_rivals_are_those_of_their_mistakes(scale: str) -> None:
    law = GridLaw(Fraction(scale), Fraction(1, 2))
    edges, _ = cells_of_noise(law)
    rivals = rivals_of_noise(law, edges)
    assert all(math.isclose(sum(rival), 1) and min(rival) > 0 for rival in rivals.values())
    zero = edges.index(0)
    sure = 1 - math.exp(-law.rate / 2)
    assert math.isclose(rivals["a continuous draw, rounded to the nearest step of the grid"][zero], sure)
