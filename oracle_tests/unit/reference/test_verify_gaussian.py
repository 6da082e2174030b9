"""The exact delta of trees with Gaussian noise, against a closed form, and wrong learners that it finds."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import exp

import pytest

from privboost.errors import PreconditionError
from privboost.fast.concentrated import greatest_rho
from privboost.reference.data import Relation, binary_domain
from privboost.reference.exact import enclose, sqrt
from privboost.reference.learners import verify_gaussian
from privboost.reference.learners.leaves import leaf_variance
from privboost.reference.learners.protocol import SOUND, SOUND_NET, Parameters
from privboost.reference.learners.verify_gaussian import enclose_delta, verify_delta
from privboost.reference.mechanisms.curves import discrete_gaussian_delta

DELTA = Fraction(1, 100)


def gaussian(trees: int) -> Parameters:
    """Return the parameters of a fit on a coarse grid."""
    rho = greatest_rho(Fraction(1), DELTA)
    return Parameters(trees=trees, delta=DELTA, rho=rho, grid=Fraction(1, 8))


@pytest.mark.parametrize(("move", "variance"), [(1, "2"), (3, "20"), (4, "1/3"), (8, "1000/7")])
@pytest.mark.parametrize("epsilon", ["0", "1/2", "3"])
def test_delta_of_one_net_is_the_closed_form(move: int, variance: str, epsilon: str) -> None:
    exact = enclose(discrete_gaussian_delta(Fraction(epsilon), sqrt(Fraction(variance)), move), 40)
    found = enclose_delta((move,), Fraction(variance), Fraction(epsilon))
    assert found.lo <= exact.hi
    assert exact.lo <= found.hi
    assert found.hi - found.lo < Fraction(1, 1 << 40)


def test_delta_of_two_nets_is_the_sum_over_both() -> None:
    """Sum over all pairs of outputs, without the law of the loss."""
    variance, epsilon, reach = Fraction(5), Fraction(1, 4), 24
    law = {k: exp(-k * k / 10) for k in range(-reach, reach + 1)}
    whole = sum(law.values())
    total = sum(
        max(law[a] * law[b] - exp(float(epsilon)) * law.get(a - 2, 0.0) * law.get(b - 4, 0.0), 0.0)
        for a in law
        for b in law
    )
    found = enclose_delta((2, 4), variance, epsilon)
    assert float(found.lo) == pytest.approx(total / whole**2, rel=1e-9)


@pytest.mark.parametrize("relation", Relation)
@pytest.mark.parametrize("trees", [1, 2])
def test_claim_holds_and_half_of_the_noise_breaks_it(
    relation: Relation, trees: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = (replace(SOUND_NET, relation=relation), gaussian(trees), binary_domain(1), 2)
    result = verify_delta(*arguments)
    assert result.holds
    assert result.greatest.lo > DELTA / 10
    assert (result.moves, result.together) == (2 if relation is Relation.EXCHANGE else 1, trees)
    monkeypatch.setattr(verify_gaussian, "leaf_variance", lambda setting: leaf_variance(setting) / 4)
    assert not verify_delta(*arguments).holds


def test_pure_parameters_and_other_protocols_are_refused() -> None:
    with pytest.raises(PreconditionError, match="with a delta"):
        verify_delta(SOUND_NET, Parameters(), binary_domain(1), 2)
    with pytest.raises(PreconditionError, match="noisy nets with a delta"):
        verify_delta(SOUND, gaussian(1), binary_domain(1), 2)
    with pytest.raises(PreconditionError, match="rho > 0 if and only if"):
        Parameters(delta=DELTA)
    with pytest.raises(PreconditionError, match="conversion promises"):
        replace(gaussian(1), rho=2 * gaussian(1).rho)
