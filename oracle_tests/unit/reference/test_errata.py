"""Errata: every witness and every correction holds, and every erratum named in the source has an entry."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction

import pytest

from privboost.oracle_tests.support.checkout import ROOT
from privboost.oracle_tests.support.loss_points import ALPHAS, FEW, HALF, INNER
from privboost.reference.data import binary_domain, initial_weights, sample_of
from privboost.reference.errata import ERRATA
from privboost.reference.erratum import Erratum
from privboost.reference.exact import Infinity, exact, exact_sum, point
from privboost.reference.learners.boosting import Release, weight_rule
from privboost.reference.learners.protocol import SOUND, Parameters
from privboost.reference.learners.splitting import Setting
from privboost.reference.losses import (
    LOG,
    MATSUSHITA,
    SQUARE,
    ZERO_ONE,
    bayes_risk,
    check_proper,
    check_strictly_proper,
    check_symmetric,
    conjugate,
    enclose_bayes_risk,
    enclose_conjugate,
    expected_loss,
    inverse_link,
    link,
    m_alpha,
    partial_loss,
    perspective,
    surrogate,
    surrogate_curvature,
    weight,
)
from privboost.reference.trees.risks import RiskReading, empirical_risk
from privboost.reference.trees.tree import Tree
from privboost.reference.trees.weak import balanced_weights, tree_efficiency


def _risk_is_concave_on_the_grid() -> bool:
    values = [bayes_risk(ZERO_ONE, Fraction(k, 16)) for k in range(17)]
    return all(values[k - 1] + values[k + 1] <= 2 * values[k] for k in range(1, 16))


def _plateau_condition_holds() -> bool:
    grid = [Fraction(k, 4) for k in range(5)]
    cases = [(alpha, delta, u) for alpha in ALPHAS[1:] for delta in grid for u in grid]
    return all(
        (1 + (delta - 2 * (1 - alpha)) / 2 - delta * u) / alpha == 1 + delta / alpha * (HALF - u)
        for alpha, delta, u in cases
    )


def _densities_differ() -> bool:
    """Return whether the ratio of the densities of U[0, 1] and U[1/2, 3/2] at 1/4 is infinite."""
    density = [int(start <= Fraction(1, 4) <= start + 1) for start in (Fraction(0), HALF)]
    return density == [1, 0]


def _weighted_forms_agree() -> bool:
    """Return whether the weighted expectation of the risk is the sum over leaves, on two leaves."""
    leaves = [[(1, Fraction(1)), (-1, HALF)], [(1, Fraction(1, 3)), (1, Fraction(1, 5)), (-1, Fraction(1))]]
    over_examples, over_leaves = exact(0), exact(0)
    for leaf in leaves:
        total = sum(weight for _, weight in leaf)
        q = sum(weight for y, weight in leaf if y == 1) / Fraction(total)
        over_examples += sum(weight * bayes_risk(MATSUSHITA, q) for _, weight in leaf)
        over_leaves += exact(perspective(MATSUSHITA, q * total, total))
    return over_examples == over_leaves


_XOR = initial_weights(sample_of(binary_domain(2), [((0, 0), 1), ((0, 1), -1), ((1, 0), -1), ((1, 1), 1)]))


def _weights_leave_the_plateau() -> bool:
    """Return whether the weight from the summed margin falls below 1/2 once the sum leaves the plateau."""
    domain = binary_domain(1)
    setting = Setting(SOUND, Parameters(boost_alpha=HALF), domain, 1, Fraction(1))
    release = Release(Tree(), (((), Fraction(3, 4)),), Fraction(1))
    example = sample_of(domain, [((0,), 1)])[0]
    once, twice = (weight_rule(setting, [release] * count)(example) for count in (1, 2))
    return once == HALF > twice


CORRECTIONS: dict[str, Callable[[], object]] = {
    "zero-one-variable": lambda: check_symmetric(ZERO_ONE, FEW) and _risk_is_concave_on_the_grid(),
    "tie-at-half": lambda: check_proper(ZERO_ONE, FEW) and check_strictly_proper(m_alpha(HALF), INNER),
    "malpha-factor": lambda: bayes_risk(m_alpha(HALF), HALF) in enclose_bayes_risk(m_alpha(HALF), HALF, 64),
    "range-extended": lambda: partial_loss(LOG, 1, 0) > 0 and expected_loss(LOG, 0, 0) == 0,
    "link-infinite": lambda: all(not isinstance(link(MATSUSHITA, u).lo, Infinity) for u in INNER),
    "two-normalisations": lambda: all(bayes_risk(m_alpha(alpha), HALF) == 1 for alpha in ALPHAS),
    "normalise-constant": lambda: enclose_bayes_risk(SQUARE, HALF, 64).lo * 8 > Fraction(99, 100),
    "square-surrogate": lambda: all(surrogate(SQUARE, z) == Fraction(4 - z) ** 2 / 16 for z in range(-4, 5)),
    "inverse-at-zero-alpha": lambda: Fraction(3, 4) in inverse_link(ZERO_ONE, 2),
    "empirical-risk-tie": lambda: all(bayes_risk(ZERO_ONE, q) / 2 == min(q, 1 - q) for q in FEW),
    "risk-unweighted": _weighted_forms_agree,
    "pointwise-privacy": _densities_differ,
    "conjugate-at-zero": lambda: all(conjugate(m_alpha(alpha), 0) == 1 for alpha in ALPHAS),
    "plateau-half": _plateau_condition_holds,
    "balanced-unnormalised": lambda: exact_sum(balanced_weights(Tree(), (), _XOR)) == 1,
    "mirror-plateau": _weights_leave_the_plateau,
    "alpha-undefined": lambda: empirical_risk(Tree(), _XOR, MATSUSHITA, RiskReading.MINORITY) == HALF,
    "efficiency-range": lambda: all(tree_efficiency((), share, HALF) <= 2 for share in FEW),
    "spurious-root": lambda: exact(conjugate(MATSUSHITA, 2)) in enclose_conjugate(MATSUSHITA, 2, 64),
    "weight-atom": lambda: all(weight(m_alpha(alpha)).atoms for alpha in ALPHAS[:-1]),
    "curvature-at-one": lambda: surrogate_curvature(MATSUSHITA, 0).is_point,
    "surrogate-curvature-factor": lambda: surrogate_curvature(MATSUSHITA, 0) == point(Fraction(1, 4)),
}


@pytest.mark.parametrize("erratum", ERRATA, ids=lambda erratum: erratum.key)
def test_errata__witness_shows_the_disagreement(erratum: Erratum) -> None:
    witness = erratum.witness()
    assert witness.shown, str(witness)


@pytest.mark.parametrize("erratum", ERRATA, ids=lambda erratum: erratum.key)
def test_errata__correction_holds(erratum: Erratum) -> None:
    assert CORRECTIONS[erratum.key]()


def test_errata__keys_are_distinct_and_all_have_a_correction() -> None:
    keys = [erratum.key for erratum in ERRATA]
    assert len(set(keys)) == len(keys)
    assert set(keys) == set(CORRECTIONS)


def test_errata__every_mention_in_the_source_has_an_entry() -> None:
    mentioned = {
        key
        for folder in ("reference", "symbolic", "proofs_check")
        for path in (ROOT / folder).rglob("*.py")
        for key in re.findall(r"[Ee]rratum ([a-z]+(?:-[a-z]+)+)", path.read_text("utf-8"))
    }
    assert mentioned
    assert mentioned <= {erratum.key for erratum in ERRATA}
