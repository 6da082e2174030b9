"""Compare the numbers of `dp-accounting` with the certified ones of the reference, as a third opinion.

Run it in an environment of its own, which has privboost and dp-accounting. A number below the certified one
by more than a relative 1e-9 is too small: it promises more privacy than there is. A larger one is safe, and
how much larger is printed. Issue 378 of google/differential-privacy is about the relation REPLACE_ONE.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from importlib.metadata import version

import dp_accounting as dpa
from dp_accounting.pld import accountant
from dp_accounting.pld import privacy_loss_distribution as pld

from privboost.reference.exact import Enclosure, Exact, enclose
from privboost.reference.mechanisms.composition import enclose_optimal_epsilon, optimal_delta
from privboost.reference.mechanisms.concentrated import enclose_zcdp_epsilon
from privboost.reference.mechanisms.curves import (
    discrete_gaussian_delta,
    discrete_laplace_delta,
    laplace_delta,
    randomised_response_delta,
)
from privboost.reference.mechanisms.gaussian import enclose_gaussian_epsilon, enclose_sigma, gaussian_delta
from privboost.reference.mechanisms.subsampling import subsampled_gaussian_delta

ROUNDING = 1e-9
DELTA = Fraction(1, 10**6)
HALF, TENTH = Fraction(1, 2), Fraction(1, 10)
ADD_REMOVE, REPLACE_ONE = dpa.NeighboringRelation.ADD_OR_REMOVE_ONE, dpa.NeighboringRelation.REPLACE_ONE


@dataclass(frozen=True, slots=True)
class Question:
    """A number with two answers."""

    name: str
    ours: Callable[[], Exact | Enclosure]
    theirs: Callable[[], float]


def rdp_epsilon(event: dpa.DpEvent, relation: dpa.NeighboringRelation = ADD_REMOVE) -> float:
    """Return the epsilon at DELTA of an event, by the accountant of Renyi divergences."""
    accountant_of_events = dpa.rdp.RdpAccountant(neighboring_relation=relation).compose(event)
    return float(accountant_of_events.get_epsilon(float(DELTA)))


def pld_epsilon(event: dpa.DpEvent, relation: dpa.NeighboringRelation = ADD_REMOVE) -> float:
    """Return the epsilon at DELTA of an event, by the accountant of privacy loss distributions."""
    return float(dpa.pld.PLDAccountant(relation).compose(event).get_epsilon(float(DELTA)))


def composed_pure(epsilon: float, k: int) -> pld.PrivacyLossDistribution:
    """Return the distribution of the loss of k mechanisms that are epsilon-private."""
    parameters = dpa.pld.common.DifferentialPrivacyParameters(epsilon, 0)
    return pld.from_privacy_parameters(parameters).self_compose(k)


QUESTIONS = [
    Question(
        "sigma for (1, 1e-6)",
        lambda: enclose_sigma(1, DELTA),
        lambda: dpa.get_sigma_gaussian(1, float(DELTA)),
    ),
    Question(
        "sigma for (20, 1e-6)",
        lambda: enclose_sigma(20, DELTA),
        lambda: accountant.get_smallest_gaussian_noise(
            dpa.pld.common.DifferentialPrivacyParameters(20, float(DELTA)), 1, 1
        ),
    ),
    Question(
        "epsilon of sigma = 3 at 1e-6",
        lambda: enclose_gaussian_epsilon(DELTA, 3),
        lambda: dpa.get_epsilon_gaussian(3, float(DELTA)),
    ),
    Question(
        "delta of sigma = 1 at 1",
        lambda: gaussian_delta(1, 1),
        lambda: pld.from_gaussian_mechanism(1).get_delta_for_epsilon(1),
    ),
    Question(
        "delta of Laplace, b = 1/2, at 1",
        lambda: laplace_delta(1, HALF),
        lambda: pld.from_laplace_mechanism(0.5).get_delta_for_epsilon(1),
    ),
    Question(
        "delta of discrete Laplace, b = 2, Delta = 3, at 1/2",
        lambda: discrete_laplace_delta(HALF, 2, 3),
        lambda: pld.from_discrete_laplace_mechanism(0.5, 3).get_delta_for_epsilon(0.5),
    ),
    Question(
        "delta of discrete Gaussian, sigma = 1, at 1",
        lambda: discrete_gaussian_delta(1, 1),
        lambda: pld.from_discrete_gaussian_mechanism(1.0).get_delta_for_epsilon(1),
    ),
    Question(
        "delta of 3-ary randomised response of epsilon = 2, at 1",
        lambda: randomised_response_delta(1, 2, 3),
        lambda: pld.from_randomized_response(3 / (math.exp(2) + 2), 3).get_delta_for_epsilon(1),
    ),
    Question(
        "delta of sigma = 1, Poisson rate 1/10, at 1/2",
        lambda: subsampled_gaussian_delta(HALF, 1, TENTH),
        lambda: pld.from_gaussian_mechanism(1, sampling_prob=0.1).get_delta_for_epsilon(0.5),
    ),
    Question(
        "delta of 100 mechanisms of 1/10 at 2",
        lambda: optimal_delta(2, [TENTH] * 100),
        lambda: composed_pure(0.1, 100).get_delta_for_epsilon(2),
    ),
    Question(
        "epsilon of 100 mechanisms of 1/10 at 1e-6",
        lambda: enclose_optimal_epsilon(DELTA, [TENTH] * 100),
        lambda: (
            accountant.advanced_composition(
                dpa.pld.common.DifferentialPrivacyParameters(0.1, 0), 100, float(DELTA)
            )
            or math.inf
        ),
    ),
    Question(
        "epsilon of rho = 1/2 at 1e-6",
        lambda: enclose_zcdp_epsilon(HALF, DELTA),
        lambda: rdp_epsilon(dpa.ZCDpEvent(0.5)),
    ),
    Question(
        "epsilon of a sum clipped to norm 1, sigma = 3, REPLACE_ONE, at 1e-6 (Renyi)",
        lambda: enclose_gaussian_epsilon(DELTA, 3, 2),
        lambda: rdp_epsilon(dpa.GaussianDpEvent(3), REPLACE_ONE),
    ),
    Question(
        "epsilon of the same, all of 100 rows drawn without replacement (Renyi)",
        lambda: enclose_gaussian_epsilon(DELTA, 3, 2),
        lambda: rdp_epsilon(
            dpa.SampledWithoutReplacementDpEvent(100, 100, dpa.GaussianDpEvent(3)), REPLACE_ONE
        ),
    ),
    Question(
        "epsilon of a sum clipped to norm 1, sigma = 3, REPLACE_ONE, at 1e-6 (loss distribution)",
        lambda: enclose_gaussian_epsilon(DELTA, 3, 2),
        lambda: pld_epsilon(dpa.GaussianDpEvent(3), REPLACE_ONE),
    ),
]


def judge(ours: Enclosure, theirs: float) -> str:
    """Return how a number compares with an enclosure of the least one that is right."""
    if theirs < float(ours.lo) * (1 - ROUNDING):
        return "TOO SMALL"
    factor = theirs / float(ours.hi)
    return "agrees" if factor < 1 + ROUNDING else f"larger by {factor - 1:.2e}"


def main() -> None:
    """Print all questions with both answers."""
    print(f"dp-accounting {version('dp-accounting')}")
    for question in QUESTIONS:
        answer = question.ours()
        ours = answer if isinstance(answer, Enclosure) else enclose(answer, 120)
        theirs = question.theirs()
        print(f"{question.name:88} {float(ours.hi):14.8g} {theirs:14.8g}  {judge(ours, theirs)}")


if __name__ == "__main__":
    main()
