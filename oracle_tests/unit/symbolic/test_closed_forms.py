"""Compare the derived closed forms with the printed ones and with the exact reference.

Every check must reject a perturbed or wrong form.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from sympy import Eq, Expr, Piecewise, Rational, S, Symbol

from privboost.errors import UsageError
from privboost.oracle_tests.support.loss_points import ALPHAS, FEW, INNER
from privboost.oracle_tests.support.symbolic_regions import (
    TINY,
    check_enclosed,
    check_equal,
    check_sample,
    check_sharply,
    to_sympy,
)
from privboost.reference import losses as reference
from privboost.reference.exact import ClosedInterval, Extended
from privboost.reference.losses import ERRATA, Loss, m_alpha
from privboost.symbolic import closed_forms as symbolic
from privboost.symbolic import partial_losses
from privboost.symbolic.algebra.regions import ALPHA, HALF, U_SPLIT, Region, U, Z
from privboost.symbolic.closed_forms import NAMES
from privboost.symbolic.comparison import Derivation, KnownErratum, PaperStatement
from privboost.symbolic.derive import KINKED, SMOOTH, check_properness
from privboost.symbolic.partial_losses import PartialLosses
from privboost.symbolic.registry import derivations
from privboost.symbolic.sections.shared import properness_claims, risk_of, symmetry_claim

CASES = {
    "square": (reference.SQUARE, "square", Fraction(1)),
    "log": (reference.LOG, "log", Fraction(1)),
    "matsushita": (reference.MATSUSHITA, "matsushita", Fraction(1)),
    **{f"alpha={alpha}": (m_alpha(alpha), "m_alpha" if alpha else "zero_one", alpha) for alpha in ALPHAS},
}
EXPECTED: dict[str, dict[str, str]] = {
    "eqpartialloss": {
        "log.finite": "range-extended",
        "m_alpha_as_printed.finite": "range-extended",
        "zero_one_as_printed.symmetric": "zero-one-variable",
    },
    "pbr": {
        "zero_one_as_printed.risk": "zero-one-variable",
        "zero_one_in_u.proper": "tie-at-half",
        "zero_one_in_u.tie": "tie-at-half",
    },
    "predDT": {f"{name}.link-finite": "link-infinite" for name in ("log", "matsushita", "m_alpha")},
    "defLOSSGENR": {"square.margin-loss": "square-surrogate"},
    "lemPhiProof": {},
    "lemcurv": {},
    "sensALPHA": {},
    "th3P": {},
    "defMatsualpha": {
        "m_alpha_as_printed.proper": "tie-at-half",
        "m_alpha_as_printed.strict": "tie-at-half",
        "m_alpha_as_printed.tie": "tie-at-half",
        "m_alpha_as_printed_at_0.proper": "tie-at-half",
        "m_alpha_as_printed.risk": "malpha-factor",
        "m_alpha_as_printed_at_1.risk": "malpha-factor",
        "m_alpha_as_printed.normalised-risk": "malpha-factor",
        "m_alpha.combination-section-two": "two-normalisations",
    },
    "f-alphaM": {"zero_one.inverse-link-single": "inverse-at-zero-alpha"},
    "theoremalpha": {"m_alpha.weight-atom": "weight-atom"},
    "negent": {"m_alpha.conjugate-at-zero": "conjugate-at-zero"},
    "csurzero": {},
    "feq1": {"m_alpha.plateau-left": "plateau-half"},
    "firsteqZ1": {f"m_alpha.argument-{side}-beyond": "spurious-root" for side in ("left", "right")},
    "eqzz1": {"m_alpha.maximum-left-beyond": "spurious-root"},
    "eqzz2": {"m_alpha.maximum-right-beyond": "spurious-root"},
    "propCSUR": {},
    "fEQ1": {},
    "thBoostLC1": {},
    "eqSEQ": {},
    "f-der2": {
        "m_alpha.curvature": "surrogate-curvature-factor",
        "matsushita.curvature-ends": "curvature-at-one",
    },
    "bY": {"m_alpha.curvature-supremum": "surrogate-curvature-factor"},
}
EVERY_LABEL = [pytest.param(label, marks=pytest.mark.claim(label)) for label in EXPECTED]
every_case = pytest.mark.parametrize("case", CASES)


# Verdicts -------------------------------------------------------------------------------------------------


def _of_label(label: str) -> list[Derivation]:
    return [item for item in derivations() if item.label == label]


def _select_comparisons(label: str) -> list[Derivation]:
    return [item for item in _of_label(label) if item.regions]


@pytest.mark.parametrize("label", EVERY_LABEL)
def test_derivations__agree_or_are_the_named_erratum(label: str) -> None:
    derived = _of_label(label)
    assert derived
    assert {item.key for item in derived if item.verdict == "DISAGREES"} == set()
    assert {item.key: item.erratum for item in derived if item.verdict == "ERRATUM"} == EXPECTED[label]


def test_derivations__have_distinct_keys_and_expected_labels() -> None:
    assert len({item.key for item in derivations()}) == len(derivations())
    assert {item.label for item in derivations()} == set(EXPECTED)


def test_derivations__every_erratum_has_an_entry() -> None:
    assert {item.erratum for item in derivations() if item.erratum} <= {erratum.key for erratum in ERRATA}


@pytest.mark.parametrize("label", EVERY_LABEL)
def test_derivations__sample_points_confirm_the_verdict(label: str) -> None:
    for item in _select_comparisons(label):
        agreements = [check_sample(item.printed - item.derived, region) for region in item.regions]
        assert all(agreements) == (item.verdict == "AGREES"), item.key


@pytest.mark.parametrize("label", EVERY_LABEL)
def test_derivations__perturbed_printed_form_disagrees(label: str) -> None:
    for item in _select_comparisons(label):
        claim = PaperStatement(item.key, item.label, item.statement)
        known = KnownErratum(item.erratum, item.printed - item.derived) if item.erratum else None
        wrong = claim.compare(item.derived, item.printed + TINY, item.regions[-1:], known)
        assert (wrong.verdict, wrong.erratum) == ("DISAGREES", None), item.key


@pytest.mark.parametrize("printed", [True, False])
def test_derivations__statement_with_the_opposite_truth_value_disagrees(printed: bool) -> None:
    claim = PaperStatement("key", "label", "statement")
    assert claim.assess(printed, printed=printed).verdict == "AGREES"
    assert claim.assess(not printed, printed=printed).verdict == "DISAGREES"


# Properness and symmetry ----------------------------------------------------------------------------------


def _m_alpha_with_tie(tie: Expr) -> PartialLosses:
    """Return the corrected M-alpha loss with a different loss at u = 1/2."""
    plus, minus = (
        partial + 2 * (1 - ALPHA) * (tie - HALF) * Piecewise((1, Eq(U, HALF)), (0, True))
        for partial in (partial_losses.M_ALPHA.plus, partial_losses.M_ALPHA.minus)
    )
    return PartialLosses("twin", "defMatsualpha", plus, minus)


@pytest.mark.claim("pbr")
@pytest.mark.parametrize(
    ("twin", "pieces"),
    [
        (PartialLosses("absolute", "pbr", 1 - U, U), SMOOTH),
        (PartialLosses("scaled", "pbr", (1 - U) ** 2, U**2 / 2), SMOOTH),
        (_m_alpha_with_tie(S(3) / 4), KINKED),
        (_m_alpha_with_tie(S(1) / 3), KINKED),
    ],
    ids=["absolute", "scaled", "dear-tie", "cheap-tie"],
)
def test_pbr__improper_twin_is_rejected(twin: PartialLosses, pieces: tuple[Region, ...]) -> None:
    assert {item.verdict for item in properness_claims(twin, pieces, strict=True)} == {"DISAGREES"}


@pytest.mark.claim("defMatsualpha")
def test_defMatsualpha__asymmetric_twin_is_rejected() -> None:  # noqa: N802
    printed = partial_losses.M_ALPHA_AS_PRINTED
    twin = PartialLosses("twin", "defMatsualpha", printed.plus, partial_losses.M_ALPHA.minus)
    assert symmetry_claim(printed, U_SPLIT).verdict == "AGREES"
    assert symmetry_claim(twin, U_SPLIT).verdict == "DISAGREES"


@pytest.mark.claim("defMatsualpha")
@pytest.mark.parametrize("alpha", ALPHAS)
def test_defMatsualpha__excess_at_the_tie_is_that_of_the_reference(alpha: Fraction) -> None:  # noqa: N802
    half = Fraction(1, 2)
    excess = reference.expected_loss(reference.m_alpha_as_printed(alpha), half, half) - (1 + alpha)
    derived = check_properness(partial_losses.M_ALPHA_AS_PRINTED, KINKED).tie.subs(ALPHA, to_sympy(alpha))
    assert check_sharply(derived, excess)


# Derived forms against the reference ------------------------------------------------------------------------


def _agree(form: Any, alpha: Fraction, at: tuple[Symbol, Fraction], value: Extended | ClosedInterval) -> bool:
    """Return whether a form has a value at a point, or an interval both ends, and its twin has not."""
    if isinstance(value, ClosedInterval):
        return _agree(form.lower, alpha, at, value.lo) and _agree(form.upper, alpha, at, value.hi)
    symbol, point = at
    derived = form.subs(ALPHA, to_sympy(alpha)).subs(symbol, to_sympy(point))
    return check_sharply(derived, value) if derived.is_finite else check_equal(derived, value)


def _margins(case: str) -> tuple[Fraction, ...]:
    """Return predictions in every interval of z, and the ends between them."""
    end = 4 if case == "square" else 2 * (1 - CASES[case][2])
    beyond = {
        sign * (end + shift) for sign in (-1, 1) for shift in (Fraction(0), Fraction(1, 8), Fraction(3))
    }
    return tuple(sorted({*beyond, Fraction(0), Fraction(end) / 3, -Fraction(end) / 7}))


@pytest.mark.parametrize(
    ("derive", "evaluate", "symbol"),
    [
        pytest.param(derive, evaluate, symbol, marks=pytest.mark.claim(label), id=f"{label}-{symbol}")
        for label, derive, evaluate, symbol in (
            ("pbr", symbolic.bayes_risk_expr, reference.bayes_risk, U),
            ("predDT", symbolic.link_expr, reference.link, U),
            ("theoremalpha", symbolic.inverse_link_expr, reference.inverse_link, Z),
            ("negent", symbolic.conjugate_expr, reference.conjugate, Z),
            ("propCSUR", symbolic.surrogate_expr, reference.surrogate, Z),
        )
    ],
)
@every_case
def test_derived_form__is_that_of_the_reference(
    case: str, derive: Callable[[str], Any], evaluate: Callable[[Loss, Fraction], Any], symbol: Symbol
) -> None:
    loss, name, alpha = CASES[case]
    logarithmic_risk = name == "log" and derive is symbolic.bayes_risk_expr
    points = _margins(case) if symbol is Z else INNER if logarithmic_risk else FEW
    form = derive(name)
    assert [x for x in points if not _agree(form, alpha, (symbol, x), evaluate(loss, x))] == []


@pytest.mark.claim("f-der2")
@every_case
def test_f_der2__derived_curvature_is_the_reference_off_the_ends(case: str) -> None:
    loss, name, alpha = CASES[case]
    curvature = symbolic.surrogate_curvature_expr(name)
    values = {z: reference.surrogate_curvature(loss, z) for z in _margins(case)}
    single = {z: interval.lo for z, interval in values.items() if interval.is_point}
    assert len(single) >= 5
    assert [z for z, value in single.items() if not _agree(curvature, alpha, (Z, z), value)] == []


@pytest.mark.claim("theoremalpha")
@every_case
def test_theoremalpha__derived_weight_is_the_reference(case: str) -> None:
    loss, name, alpha = CASES[case]
    derived, expected = symbolic.weight_expr(name), reference.weight(loss)
    assert [u for u in INNER if not _agree(derived.density, alpha, (U, u), expected.density(u))] == []
    masses = [(at, mass.subs(ALPHA, to_sympy(alpha))) for at, mass in derived.atoms]
    masses = [(at, mass) for at, mass in masses if mass != 0]
    assert [at for at, _ in masses] == [to_sympy(at) for at, _ in expected.atoms]
    for (_, derived), (_, mass) in zip(masses, expected.atoms, strict=True):
        assert check_sharply(derived, mass)


@pytest.mark.claim("eqpartialloss")
@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize(
    ("losses", "twin"),
    [
        (partial_losses.SQUARE, lambda _: reference.SQUARE),
        (partial_losses.LOG, lambda _: reference.LOG),
        (partial_losses.ZERO_ONE, lambda _: reference.ZERO_ONE),
        (partial_losses.ZERO_ONE_IN_U, lambda _: reference.ZERO_ONE_AS_PRINTED),
        (partial_losses.M_ALPHA, reference.m_alpha),
        (partial_losses.M_ALPHA_AS_PRINTED, reference.m_alpha_as_printed),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_eqpartialloss__transcription_is_that_of_the_reference(
    losses: PartialLosses, twin: Callable[[Fraction], Loss], alpha: Fraction
) -> None:
    loss = twin(alpha)
    for partial, y in ((losses.plus, 1), (losses.minus, -1)):
        assert [
            u for u in INNER if not _agree(partial, alpha, (U, u), reference.partial_loss(loss, y, u))
        ] == []


@pytest.mark.claim("defMatsualpha")
@pytest.mark.parametrize("alpha", ALPHAS[1:-1])
def test_defMatsualpha__derived_risks_are_the_certified_infima(alpha: Fraction) -> None:  # noqa: N802
    for losses, loss in (
        (partial_losses.M_ALPHA, reference.m_alpha(alpha)),
        (partial_losses.M_ALPHA_AS_PRINTED, reference.m_alpha_as_printed(alpha)),
    ):
        risk = risk_of(losses, KINKED).subs(ALPHA, to_sympy(alpha))
        for pi in (Fraction(1, 7), Fraction(1, 2), Fraction(3, 4)):
            bounds = reference.enclose_bayes_risk(loss, pi, 24)
            derived = risk.subs(U, to_sympy(pi))
            assert check_enclosed(derived, bounds)
            assert not check_enclosed(derived + Rational(1, 2**20), bounds)


# Names ------------------------------------------------------------------------------------------------------


def test_losses__unknown_name_is_refused() -> None:
    with pytest.raises(UsageError, match=r"loss: expected one of square, log.*, got 'hinge'"):
        symbolic.bayes_risk_expr("hinge")


@pytest.mark.parametrize("name", NAMES)
def test_losses__normaliser_is_that_of_the_reference(name: str) -> None:
    loss = {
        **{case: CASES[case][0] for case in ("square", "log", "matsushita")},
        "zero_one": reference.ZERO_ONE,
    }
    expected = loss.get(name, m_alpha("1/3")).normaliser
    assert _agree(symbolic.forms(name).normaliser, Fraction(1, 3), (U, Fraction(1, 2)), expected)
