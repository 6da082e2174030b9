"""Claims as curves: their points are safe, true claims are rarely refuted, false ones soon."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import mpmath
import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom

from privboost.auditor.audit import audit
from privboost.auditor.claims import PrivacyClaim, gaussian_delta, parse_claim, renyi_delta
from privboost.auditor.conclusion import conclude
from privboost.auditor.files.sentences import explain, headline
from privboost.auditor.mechanisms.mechanism import Mechanism
from privboost.auditor.mechanisms.private import MECHANISMS
from privboost.auditor.pairs.pair import Pair
from privboost.auditor.result import Verdict
from privboost.auditor.running.plan import EPSILONS, AuditPlan
from privboost.auditor.running.sequential import SequentialTest
from privboost.errors import PreconditionError

Array = NDArray[np.float64]
Outputs = Callable[[np.random.Generator, NDArray[np.int64]], Array]


def laplace(data: float, rng: np.random.Generator) -> float:
    """Add Laplace noise of scale 1."""
    return data + rng.laplace()


def run_null_test(claim: PrivacyClaim, calls: int) -> SequentialTest:
    """Return the test of a claim after calls that do not depend on the side."""
    test, rng = SequentialTest(claim), np.random.default_rng(1)
    test.update(rng.random(calls), rng.integers(0, 2, calls))
    test.finish()
    return test


def gaussian(mu: float) -> Outputs:
    """Return Gaussian noise on numbers mu apart."""
    return lambda rng, sides: mu * sides + rng.standard_normal(sides.size)


def publish(delta: float, *, left_only: bool = False) -> Outputs:
    """Return randomised response of epsilon 1 that publishes the side, or only the left one."""

    def outputs(rng: np.random.Generator, sides: NDArray[np.int64]) -> Array:
        honest = np.where(rng.random(sides.size) < 1 / (1 + np.exp(-1)), sides, 1 - sides)
        shown = (rng.random(sides.size) < delta) & ((sides == 0) | (not left_only))
        return np.where(shown, 10 + sides, honest).astype(float)

    return outputs


def reveal(delta: float) -> Outputs:
    """Return the side with probability delta and else 2: (0, delta)-privacy."""
    return lambda rng, sides: np.where(rng.random(sides.size) < delta, sides, 2).astype(float)


def run_test(
    claim: str, outputs: Outputs, calls: int, seed: int, *, only_claim: bool = False
) -> SequentialTest:
    """Return the test of a claim after calls of a mechanism, or at its first violation."""
    rng = np.random.default_rng(seed)
    sides = rng.integers(0, 2, calls)
    made = parse_claim(claim)
    test = SequentialTest(made, nulls=[made.value] if only_claim else None)
    test.update(outputs(rng, sides), sides)
    test.finish()
    return test


# Curves ---------------------------------------------------------------------------------------------------


def exact_gaussian_delta(mu: float, epsilon: float) -> mpmath.mpf:
    """Return Phi(mu / 2 - epsilon / mu) - e^epsilon Phi(-mu / 2 - epsilon / mu) with 60 digits."""
    with mpmath.workdps(60):
        m, e = mpmath.mpf(mu), mpmath.mpf(epsilon)
        return mpmath.ncdf(m / 2 - e / m) - mpmath.exp(e) * mpmath.ncdf(-m / 2 - e / m)


@pytest.mark.parametrize("mu", [0.01, 0.1, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0])
def test_gaussian_delta__is_rounded_up_and_close(mu: float) -> None:
    epsilons = [0.0, 0.01, 0.1, 1.0, 3.0, 8.0, 20.0, 50.0]
    for epsilon, delta in zip(epsilons, gaussian_delta(np.array(mu), np.array(epsilons)), strict=True):
        exact = exact_gaussian_delta(mu, epsilon)
        assert exact <= float(delta) <= max(float(exact) * (1 + 1e-8), 1e-300) or delta == 1.0


@pytest.mark.parametrize("order", [1.001, 1.5, 2.0, 16.0, 1000.0])
def test_renyi_delta__is_rounded_up_and_close(order: float) -> None:
    for loss, epsilon in ((0.0, 0.0), (0.5, 0.1), (0.5, 2.0), (3.0, 3.0)):
        with mpmath.workdps(60):
            a, r, e = map(mpmath.mpf, (order, loss, epsilon))
            exact = mpmath.exp((a - 1) * (r - e)) / (a - 1) * (1 - 1 / a) ** a
        delta = float(renyi_delta(np.array([order]), np.array([loss]), np.array(epsilon)))
        assert min(exact, 1) <= delta <= min(max(float(exact) * (1 + 1e-6), 1e-300), 1.0)


@pytest.mark.parametrize("mu", [0.3, 1.0, 2.5])
def test_curves__gaussian_noise_keeps_all_its_claims(mu: float) -> None:
    # Gaussian noise of mu is mu-GDP, mu^2/2-zCDP, and has Renyi losses of order * mu^2/2.
    renyi = ",".join(f"{order}={order * mu**2 / 2}" for order in (1.5, 2, 4, 8, 32))
    for spelling in (f"gdp:{mu}", f"zcdp:{mu**2 / 2}", f"rdp:{renyi}"):
        claim = parse_claim(spelling)
        points = claim.points_of(np.array([claim.value]))
        for epsilon, delta in zip(points.epsilon[0], points.delta[0], strict=True):
            assert exact_gaussian_delta(mu, float(epsilon)) <= float(delta), spelling


@pytest.mark.parametrize(
    "spelling", ["eps:1", "eps:1,delta:0.01", "delta:0.01,eps:1", "gdp:1", "zcdp:0.1", "rdp:2=0.5,8=1.2"]
)
def test_nulls__are_nested_and_contain_the_claim(spelling: str) -> None:
    claim = parse_claim(spelling)
    nulls = claim.nulls()
    assert claim.value in nulls
    assert np.all(np.diff(nulls) > 0)
    # A greater parameter promises less: more delta at the same epsilon.
    if claim.kind in {"gdp", "zcdp", "rdp"}:
        at_one = claim._delta(nulls[:, None], np.ones((nulls.size, 1)))[:, 0]
        assert np.all(np.diff(at_one) >= 0)


def test_group__gaussian_noise_keeps_the_claim_for_groups() -> None:
    # Rows k apart move the answer by k mu.
    for rows in (2, 4):
        for spelling in ("gdp:0.5", "zcdp:0.125", "rdp:8=1,16=2,32=4", "curve:0.5=0.05,1=0.01"):
            claim = replace(parse_claim(spelling), group=rows)
            points = claim.points_of(np.array([claim.value]))
            neighbours = parse_claim(spelling).points_of(np.array([claim.value]))
            if spelling.startswith("curve"):
                sums = [sum(np.exp(k * epsilon) for k in range(rows)) for epsilon in (0.5, 1)]
                assert points.epsilon[0] == pytest.approx([rows * 0.5, rows * 1])
                assert points.delta[0] == pytest.approx(np.minimum(np.array([0.05, 0.01]) * sums, 1))
                assert np.all(points.delta[0] >= np.minimum(np.array([0.05, 0.01]) * sums, 1))
                continue
            assert neighbours.epsilon.max() < points.epsilon.max()
            for epsilon, delta in zip(points.epsilon[0], points.delta[0], strict=True):
                assert exact_gaussian_delta(0.5 * rows, float(epsilon)) <= float(delta), (spelling, rows)


# Strings --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spelling", "claim"),
    [
        ("eps:1", PrivacyClaim("eps", 1.0)),
        ("eps:1,delta:1e-6", PrivacyClaim("eps", 1.0, 1e-6)),
        ("delta:1e-6,eps:1", PrivacyClaim("delta", 1e-6, 1.0)),
        ("gdp:.5,group:2", PrivacyClaim("gdp", 0.5, group=2)),
        ("zcdp:0.1", PrivacyClaim("zcdp", 0.1)),
        ("rdp:2=0.5,8=1.2", PrivacyClaim("rdp", 1.0, points=((2.0, 0.5), (8.0, 1.2)))),
        (
            "curve:0.5=0.1,1=0.01,group:3",
            PrivacyClaim("curve", 1.0, points=((0.5, 0.1), (1.0, 0.01)), group=3),
        ),
    ],
)
def test_parse__reads_what_it_writes(spelling: str, claim: PrivacyClaim) -> None:
    assert parse_claim(spelling) == claim
    assert parse_claim(claim.spelling) == claim


def test_parse__reads_a_file_of_points(tmp_path: Path) -> None:
    path = tmp_path / "curve.json"
    path.write_text(json.dumps([[0.5, 0.1], [1, 0.01]]))
    assert parse_claim(str(path)) == parse_claim("curve:0.5=0.1,1=0.01")
    path.write_text('{"epsilon": 1}')
    with pytest.raises(PreconditionError, match=r"a JSON list of points \[epsilon, delta\]"):
        parse_claim(str(path))
    with pytest.raises(PreconditionError, match="a file that can be read"):
        parse_claim(str(tmp_path / "none.json"))


@pytest.mark.parametrize(
    "spelling",
    [
        "", "eps", "eps:", "eps:x", "epsilon:1", "eps:-1", "eps:17", "eps:nan", "eps:1,delta:1", "eps:1,mu:2",
        "eps:1,delta:0.1,delta:0.2", "delta:1,eps:1", "delta:0.1,eps:99", "gdp:0", "gdp:inf", "zcdp:-1",
        "rdp:", "rdp:1=0.5", "rdp:2=-1", "rdp:2", "curve:1=1", "curve:-1=0.1", "gdp:1,group:0",
        "gdp:1,group:1.5", "eps:1,group:inf", "eps:1,group:nan",
        "rdp:2=1,group:2", "rdp:8=1,group:3", "gdp:1,delta:0.1",
    ],
)  # fmt: skip
def test_parse__refuses_what_cannot_be_tested(spelling: str) -> None:
    with pytest.raises(PreconditionError):
        parse_claim(spelling)


# Audits ---------------------------------------------------------------------------------------------------

EXACT = [float(gaussian_delta(np.array(1.0), np.array(epsilon))) for epsilon in (0.5, 1.0, 2.0)]
SHARP: dict[str, tuple[str, Outputs]] = {
    "delta, both sides": ("eps:1,delta:0.05", publish(0.05)),
    "delta, one side": ("eps:1,delta:0.05", publish(0.05, left_only=True)),
    "delta alone": ("eps:0,delta:0.1", reveal(0.1)),
    "bound on delta": ("delta:0.05,eps:1", publish(0.05)),
    "gaussian point": (f"eps:1,delta:{EXACT[1]!r}", gaussian(1.0)),
    "gdp": ("gdp:1", gaussian(1.0)),
    "curve": (f"curve:0.5={EXACT[0]!r},1={EXACT[1]!r},2={EXACT[2]!r}", gaussian(1.0)),
}
"""Claims that are true and as small as can be."""


@pytest.mark.parametrize("name", SHARP)
def test_true_claims__are_rarely_refuted(name: str) -> None:
    """False-alarm probability 10^-6 each: 5 % of 24 runs, continuously watched."""
    claim, outputs = SHARP[name]
    refuted = sum(run_test(claim, outputs, 200, seed, only_claim=True).refuted for seed in range(24))
    assert refuted <= binom.isf(1e-6, 24, 0.05)


def test_true_claims__refuted_if_delta_is_not_charged() -> None:
    # The control of the test above: the same mechanism, with a tenth of its delta claimed.
    assert all(run_test("eps:1,delta:0.005", publish(0.05), 4000, seed).refuted for seed in range(3))


def test_delta__of_both_sides_is_charged_by_halves() -> None:
    # With delta charged to each side this took more than 1,000,000 calls: 0.009 of calls are right on a side.
    calls = [run_test("eps:1,delta:0.01", reveal(0.018), 20_000, seed) for seed in range(3)]
    assert all(test.refuted for test in calls)


def test_gdp__is_refuted_without_the_choice_of_a_delta() -> None:
    tests = [run_test("gdp:1", gaussian(1.5), 2000, seed) for seed in range(4)]
    assert all(test.refuted for test in tests)
    assert all(test.bound >= 1.0 for test in tests)


def test_delta__has_a_bound_at_a_fixed_epsilon() -> None:
    rng = np.random.default_rng(0)
    sides = rng.integers(0, 2, 4000)
    test = SequentialTest(PrivacyClaim("delta", 0.9, 1.0), stop=False)
    test.update(publish(0.2)(rng, sides), sides)
    assert 0.12 < test.bound <= 0.2


def test_envelope__is_below_the_curve_at_every_epsilon() -> None:
    noise = MECHANISMS["gaussian"].mechanism
    pair = (0.0, 1.0)
    result = audit(noise, pair, claim="gdp:2", calls=1500, seed=1, envelope=True)
    assert [epsilon for epsilon, _ in result.envelope] == list(EPSILONS)
    bounds = np.array([delta for _, delta in result.envelope])
    exact = gaussian_delta(np.array(1.0), np.array(EPSILONS))
    assert np.all(bounds <= exact)
    assert np.all(bounds[:3] > 0.4 * exact[:3])
    assert np.all(np.diff(bounds) <= 0)
    assert not audit(noise, pair, claim="gdp:2", calls=600, seed=1).envelope


def test_group__is_a_whole_number_of_rows() -> None:
    with pytest.raises(PreconditionError, match="group"):
        PrivacyClaim("gdp", 1.0, group=2.5)  # type: ignore[arg-type]


def test_group__tiny_delta_of_a_large_epsilon_promises_nothing() -> None:
    """e^784 times a delta of 10^-308 is above 1; a cap of the exponent at 700 made it smaller than 1."""
    for delta, promised in ((1e-308, 1.0), (0.0, 0.0)):
        claim = PrivacyClaim("eps", 16.0, fixed=delta, group=50)
        epsilon, total = claim.points_of(np.array([16.0]))
        assert (epsilon.item(), total.item()) == (math.nextafter(800.0, math.inf), promised)


def test_group__of_two_rows_is_tested_with_what_the_claim_promises_to_groups() -> None:
    noise = Mechanism("gaussian", lambda given, rng: given + rng.standard_normal())
    rows = (0.0, 2.0)
    assert audit(noise, rows, claim="gdp:1", calls=2000, seed=1).verdict is Verdict.VIOLATION
    assert audit(noise, rows, claim="gdp:1,group:2", calls=20_000, seed=1).verdict is Verdict.CONSISTENT
    assert audit(noise, rows, claim="gdp:0.6,group:2", calls=2000, seed=1).verdict is Verdict.VIOLATION


@pytest.mark.parametrize(
    ("spelling", "caught", "required"),
    [
        ("zcdp:2.0", "ρ", "ρ ≥ 4"),
        ("gdp:2.0", "μ", "μ ≥ 4"),
        ("gdp:1.0,group:2", "μ", "μ ≥ 2"),
        ("rdp:2.0=4.0,8.0=16.0", "s", "s ≥ 2"),
        ("delta:0.03,eps:2.0", "ε", "ε ≥ 4 at δ = 0.03"),
        ("eps:2.0,delta:0.03", "ε", "ε ≥ 4"),
        ("eps:1.0,group:2", "ε", "ε ≥ 2"),
    ],
)
def test_power__is_in_the_parameter_of_the_claim(spelling: str, caught: str, required: str) -> None:
    claim = parse_claim(spelling)
    plan, pairs = AuditPlan(claim, 1), (Pair("0, 1", 0, 1),)
    short, long = (conclude("a", pairs, [run_null_test(claim, calls)], plan) for calls in (200, 40_000))
    assert short.verdict is Verdict.INCONCLUSIVE
    assert explain(short).endswith(f"and a verdict needs 2 times the claim, {required}.")
    ending = rf"; a violation of {caught} ≥ ([\d.]+)( at δ = 0.03)? would have been found$"
    said = re.search(ending, headline(long))
    assert said is not None
    # What is caught is a multiple of the claim below the one that is required.
    assert claim.widened.value < float(said[1]) < 2 * claim.widened.value


def test_audit__needs_one_claim() -> None:
    with pytest.raises(PreconditionError, match="one of epsilon and claim, got none"):
        audit(laplace, (0, 1))
    with pytest.raises(PreconditionError, match="one of epsilon and claim, got both"):
        audit(laplace, (0, 1), epsilon=1.0, claim="eps:1")


@pytest.mark.parametrize(
    "spelling", ["curve:0.1=0.1,0.7=0.01", "curve:0.1=0.1,0.7=0.01,group:3", "eps:0.1,group:3"]
)
def test_points__are_never_stricter_than_the_exact_promise(spelling: str) -> None:
    claim = parse_claim(spelling)
    nulls = claim.nulls()
    tested = claim.points_of(nulls).epsilon
    promised = [epsilon for epsilon, _ in claim.points] or [1]
    for null, row in zip(nulls, tested, strict=True):
        exact = [Fraction(null) * Fraction(epsilon) * claim.group for epsilon in promised]
        assert all(Fraction(float(epsilon)) >= bound for epsilon, bound in zip(row, exact, strict=True))


def test_envelope__of_a_group_is_about_neighbours() -> None:
    """Laplace noise of scale 1 on inputs 2 apart is 1-private for neighbours, so that delta(1) = 0."""
    result = audit(
        laplace, (0.0, 2.0), claim="eps:1,group:2", envelope=True, calls=20_000, seed=1, stop=False
    )
    bounds = dict(result.envelope)
    assert bounds[0.0] > 0.2
    assert bounds[1.0] == bounds[2.0] == 0


@pytest.mark.parametrize("spelling", ["gdp:1,group:13", "gdp:16,group:8"])
def test_group__of_a_large_gaussian_claim_promises_nothing(spelling: str) -> None:
    points = parse_claim(spelling).points_of(parse_claim(spelling).nulls())
    assert np.all((points.delta >= 0) & (points.delta <= 1))
    assert points.delta[-1].max() > 0.999
