"""Exact laws of mechanisms against brute force, and accounting."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

import pytest

from privboost.errors import PreconditionError
from privboost.reference.data import Relation
from privboost.reference.exact import Number, enclose, exact_sum, exp, log, sqrt
from privboost.reference.privacy.accounting import (
    Ledger,
    leaf_budget,
    level_price,
    node_budget_as_printed,
    node_budget_of_level,
    parallel,
)
from privboost.reference.privacy.mechanisms import (
    Laplace,
    certainly_less,
    clamped_laplace_loss,
    exponential_law,
    laplace_loss,
    permute_and_flip_law,
    rate,
)

SCORES: dict[str, Number] = {"a": Fraction(0), "b": sqrt(2), "c": Fraction(1), "d": Fraction(-3)}


def close(first: Number, second: Number) -> bool:
    """Return whether two exact numbers differ by less than 2^-100."""
    return 0 in enclose(first - second, 100)


def flip_by_permutations(accept: dict[str, Number]) -> dict[str, Number]:
    """Return the law of permute-and-flip by enumerating all orders."""
    result: dict[str, Number] = {outcome: Fraction(0) for outcome in accept}
    orders = list(permutations(accept))
    for order in orders:
        alive: Number = Fraction(1, len(orders))
        for outcome in order:
            result[outcome] = result[outcome] + alive * accept[outcome]
            alive = alive * (1 - accept[outcome])
    return result


@pytest.mark.claim("expSPLIT")
def test_expSPLIT__exponential_law() -> None:  # noqa: N802
    law = exponential_law(SCORES, Fraction(1, 2))
    assert close(exact_sum(law.values()), Fraction(1))
    assert close(law["b"] / law["a"], exp(sqrt(2) / 2))
    tied = exponential_law({"a": Fraction(5), "b": Fraction(5)}, Fraction(9))
    assert tied == {"a": Fraction(1, 2), "b": Fraction(1, 2)}


def test_permute_and_flip__law_is_that_of_all_orders() -> None:
    accept = {key: exp((score - sqrt(2)) / 3) for key, score in SCORES.items()}
    law = permute_and_flip_law(SCORES, Fraction(1, 3))
    expected = flip_by_permutations(accept)
    assert all(close(law[key], expected[key]) for key in SCORES)
    assert close(exact_sum(law.values()), Fraction(1))


def test_permute_and_flip__never_worse_than_the_exponential_mechanism() -> None:
    scores = {key: score for key, score in SCORES.items() if key != "b"}
    flip, exponential = permute_and_flip_law(scores, Fraction(1)), exponential_law(scores, Fraction(1))
    assert certainly_less(exponential["c"], flip["c"])


@pytest.mark.claim("expSPLIT")
def test_expSPLIT__rate_and_its_preconditions() -> None:  # noqa: N802
    assert rate(1, 2) == Fraction(1, 4)
    assert rate(1, 2, one_sided=True) == Fraction(1, 2)
    with pytest.raises(PreconditionError, match="sensitivity > 0"):
        rate(1, 0)
    with pytest.raises(PreconditionError, match="epsilon >= 0"):
        rate(-1, 1)
    with pytest.raises(PreconditionError, match="at least one outcome"):
        exponential_law({}, Fraction(1))


@pytest.mark.claim("sec:def")
def test_sec_def__laplace_law() -> None:
    law = Laplace(Fraction(1), Fraction(2))
    assert law.below(1) == Fraction(1, 2)
    assert law.below(-1) == exp(-1) / 2
    assert law.above(3) == exp(-1) / 2
    assert law.below(3) == 1 - exp(-1) / 2
    with pytest.raises(PreconditionError, match="scale > 0"):
        Laplace(Fraction(0), Fraction(0))


@pytest.mark.claim("sec:def")
def test_sec_def__laplace_loss_is_distance_over_scale() -> None:
    first, second = Laplace(Fraction(1), Fraction(2)), Laplace(Fraction(-2), Fraction(2))
    assert laplace_loss(first, second).loss == Fraction(3, 2)
    assert laplace_loss(first, second).output == "noisy value at and above 1"
    with pytest.raises(PreconditionError, match="one scale"):
        laplace_loss(first, Laplace(Fraction(0), Fraction(1)))


@pytest.mark.claim("sub-sec-sum-imp")
def test_sub_sec_sum_imp__clamped_loss_of_centres_inside_and_beyond_the_bound() -> None:
    first, second = Laplace(Fraction(1), Fraction(2)), Laplace(Fraction(-1), Fraction(2))
    assert clamped_laplace_loss(first, second, 2).loss == 1
    near, far = Laplace(Fraction(10), Fraction(2)), Laplace(Fraction(20), Fraction(2))
    assert clamped_laplace_loss(near, far, 2).loss == 5
    atom = log(far.above(2)) - log(near.above(2))
    assert close(clamped_laplace_loss(far, near, 2).loss, atom)
    with pytest.raises(PreconditionError, match="M > 0"):
        clamped_laplace_loss(first, second, 0)


@pytest.mark.claim("sub-sec-sum-imp")
def test_sub_sec_sum_imp__clamping_never_raises_the_loss() -> None:
    centres = [Fraction(k, 2) for k in range(-9, 10, 3)]
    for a in centres:
        for b in centres:
            one, other = Laplace(a, Fraction(3)), Laplace(b, Fraction(3))
            assert not certainly_less(laplace_loss(one, other).loss, clamped_laplace_loss(one, other, 1).loss)


@pytest.mark.claim("fixEPSILON")
@pytest.mark.parametrize("depth", [1, 2, 5])
def test_fixEPSILON__budgets_of_a_tree_add_up(depth: int) -> None:  # noqa: N802
    share, epsilon, trees = Fraction(1, 3), Fraction(7), 5
    printed = exact_sum(
        node_budget_as_printed(epsilon, share, trees, depth, level) * (1 << level) for level in range(depth)
    )
    by_level = node_budget_of_level(epsilon, share, trees, depth) * depth
    assert printed == by_level == share * epsilon / trees
    assert printed + leaf_budget(epsilon, share, trees) == epsilon / trees


@pytest.mark.claim("fixEPSILON")
def test_fixEPSILON__trees_and_depth_are_checked() -> None:  # noqa: N802
    with pytest.raises(PreconditionError, match="d >= 1"):
        node_budget_of_level(1, Fraction(1, 2), 1, 0)


def test_accounting__composition() -> None:
    assert parallel([1, 2, 3], Relation.ADD_REMOVE) == 3
    assert parallel([1, 2, 3], Relation.EXCHANGE) == 5
    assert level_price(1, Relation.EXCHANGE, one_sided=False) == 1
    assert level_price(1, Relation.ADD_REMOVE, one_sided=False) == Fraction(1, 2)
    assert level_price(1, Relation.ADD_REMOVE, one_sided=True) == 1


def test_accounting__ledger_totals_exactly_and_refuses_income() -> None:
    ledger = Ledger(Relation.EXCHANGE).spend("a", Fraction(1, 3), "x").spend("b", Fraction(1, 6), "y")
    assert ledger.total == Fraction(1, 2)
    with pytest.raises(PreconditionError, match="an expense >= 0"):
        ledger.spend("c", -1, "z")
