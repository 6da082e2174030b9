"""Trees with Gaussian noise: the conversion of rho, the sampler, batches, and what a fit says of delta."""

from __future__ import annotations

import io
import json
import math
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import chisquare

from privboost.auditor import Verdict, audit
from privboost.auditor.pairs.exact_settings import exact_setting
from privboost.errors import PreconditionError
from privboost.fast import (
    AS_PRINTED,
    SOUND,
    SOUND_NET,
    Domain,
    Numeric,
    PrivateBoostedTreesClassifier,
    PrivateForestClassifier,
    gaussian,
)
from privboost.fast.bits import bits_from
from privboost.fast.budgets import leaf_variance
from privboost.fast.concentrated import greatest_rho
from privboost.fast.estimators.defaults import choose_parameters
from privboost.fast.gaussian import (
    GaussianTrial,
    discrete_gaussians,
    enclose_blocks,
    enclose_power,
    offset_bits_of,
    settle,
    uniforms_below,
)
from privboost.fast.growth import LocalRows, Setting, batches
from privboost.fast.growth.fit import fit_trees
from privboost.fast.growth.leaves import CONSTANT_FROM, net_values, net_weights
from privboost.fast.kernels.twins import TWINS
from privboost.fast.loss import weight_table
from privboost.fast.protocol import GRID, Parameters, Relation
from privboost.fast.rows import parts
from privboost.oracle_tests.support.fast_runs import check_replay, make_samples
from privboost.reference.data import Relation as ExactRelation
from privboost.reference.data import Threshold, initial_weights, neighbouring_pairs
from privboost.reference.exact import enclose, exp
from privboost.reference.learners.leaves import leaf_variance as exact_variance
from privboost.reference.learners.leaves import value_of_noisy_net
from privboost.reference.mechanisms.concentrated import enclose_zcdp_delta
from privboost.reference.mechanisms.noise import DiscreteGaussian
from privboost.reference.trees.risks import leaf_masses
from privboost.reference.trees.tree import Tree
from tools.fast_inputs import domain_of, random_data

Array = NDArray[Any]
FALSE_ALARM = 1e-6
VARIANCES = tuple(map(Fraction, ("1/50", "1/2", "5", "63", "64", "200/3", "255", "256", "4001/2")))
POINTS = [
    (Fraction(e), Fraction(d))
    for e, d in (("1", "1/1000000"), ("1/10", "1/20000000"), ("10", "1/100000"), ("1/1000", "1/1000"))
]
NETS = {Relation.EXCHANGE: SOUND_NET, Relation.ADD_REMOVE: SOUND_NET.changed(relation=Relation.ADD_REMOVE)}


def data(n: int = 400, seed: int = 0) -> tuple[Array, Array]:
    """Return rows and labels that depend on the first two of three columns."""
    rows = np.random.default_rng(seed).uniform(0, 10, (n, 3))
    return rows, (rows[:, 0] + rows[:, 1] > 10).astype(int)


def model(**settings: Any) -> PrivateBoostedTreesClassifier:
    """Return a small estimator with a delta."""
    given = {"delta": 1e-6, "domain": (0, 10), "classes": (0, 1), "random_state": 0, **settings}
    return PrivateBoostedTreesClassifier(given.pop("epsilon", 1), **given)


# The conversion ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("epsilon", "delta"), [*POINTS, (Fraction(10**6), Fraction(1, 2))])
def test_rho_promises_the_delta_and_no_greater_one_does(epsilon: Fraction, delta: Fraction) -> None:
    rho = greatest_rho(epsilon, delta)
    assert delta * (1 - Fraction(1, 10**6)) < enclose_zcdp_delta(rho, epsilon).hi <= delta
    assert enclose_zcdp_delta(rho * (1 + Fraction(1, 10**6)), epsilon).lo > delta


def test_rho_of_the_smallest_budgets_is_positive_and_safe() -> None:
    epsilon, delta = Fraction(1, 10**9), Fraction(1, 10**6)
    rho = greatest_rho(epsilon, delta)
    assert rho > 0
    assert enclose_zcdp_delta(rho, epsilon).hi <= delta


@pytest.mark.parametrize(
    "arguments", [("1/10000000000", "1/10"), ("10000000", "1/10"), ("1", "0"), ("1", "1")]
)
def test_rho_is_refused_outside_its_range(arguments: tuple[str, str]) -> None:
    with pytest.raises(PreconditionError, match=r"epsilon|delta"):
        greatest_rho(*map(Fraction, arguments))


# The sampler ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("variance", VARIANCES)
def test_blocks_and_acceptance_multiply_to_the_law(variance: Fraction) -> None:
    lows, highs = enclose_blocks(variance, 63)
    assert lows == sorted(lows)
    assert highs == sorted(highs)
    width = 1 << offset_bits_of(variance)
    assert width == 1 or 8 * width <= math.sqrt(variance) < 16 * width
    rates = [exp(-((block * width) ** 2) / (2 * variance)) for block in range(300)]
    parts_of = [enclose(rate, 120).lo for rate in rates]
    whole, below = sum(parts_of), Fraction(0)
    for block in range(256):
        below += parts_of[block]
        assert lows[block] - 1 <= below / whole * 2**63 <= highs[block] + 1
        assert highs[block] - lows[block] <= 2
        for offset in {0, 1, width - 1} & set(range(width)):
            exponent = Fraction((2 * block * width + offset) * offset) / (2 * variance)
            low, high = enclose_power(exponent, 80)
            ratio = enclose(exp(-exponent), 80)
            assert low <= ratio.hi * 2**80
            assert ratio.lo * 2**80 <= high <= low + 4


@pytest.mark.parametrize("variance", [Fraction(1, 2), Fraction(200, 3), Fraction(10**9, 7)])
def test_arrays_decide_as_integers_do(variance: Fraction, monkeypatch: pytest.MonkeyPatch) -> None:
    fast = discrete_gaussians(variance, 3000, bits_from(5))
    monkeypatch.setattr(gaussian, "UNSURE", 2.0)  # every trial is decided by integers
    assert fast.tolist() == discrete_gaussians(variance, 3000, bits_from(5)).tolist()


def test_undecided_trials_draw_more_bits() -> None:
    bits = bits_from(1)
    variance = Fraction(200, 3)
    lows, highs = enclose_blocks(variance, 63)
    at = next(block for block in range(256) if highs[block] > lows[block])
    blocks = Counter(settle(GaussianTrial(lows[at], 0, 0), variance, bits)[1] for _ in range(200))
    assert set(blocks) <= {at, at + 1}
    # The last number of 63 bits is undecided in all higher blocks, and so are chances near 1.
    assert settle(GaussianTrial((1 << 63) - 1, 0, (1 << 53) - 1), variance, bits)[1] > 60


@pytest.mark.parametrize("variance", VARIANCES)
def test_draws_have_the_exact_law(variance: Fraction) -> None:
    """State the false-alarm probability: 1e-6 for each variance, and one control for each."""
    draws = discrete_gaussians(variance, 20000, bits_from(7)).tolist()
    assert chance_of(draws, variance) > FALSE_ALARM
    wider = discrete_gaussians(variance * Fraction(3, 2), 20000, bits_from(8)).tolist()
    if variance > Fraction(1, 4):
        assert chance_of(wider, variance) < FALSE_ALARM
        twice = [*draws, *[0] * draws.count(0)]  # a zero that is not rejected counts twice
        assert variance > 1000 or chance_of(twice, variance) < FALSE_ALARM


def chance_of(draws: list[int], variance: Fraction) -> float:
    """Return the p-value of draws, counted in at most 30 ranges of values."""
    sigma = math.sqrt(variance)
    reach, step = math.ceil(4 * sigma), max(math.ceil(sigma / 4), 1)
    law = np.exp(-(np.arange(-40 * reach, 40 * reach + 1) ** 2) / (2 * float(variance)))
    cell = np.clip(np.arange(-40 * reach, 40 * reach + 1), -reach, reach) // step
    expected = {key: float(law[cell == key].sum() / law.sum()) for key in set(cell.tolist())}
    keys = [key for key, share in expected.items() if share * len(draws) > 5]
    seen = Counter(min(max(k, -reach), reach) // step for k in draws)
    observed = [seen[key] for key in keys]
    wanted = [expected[key] * sum(observed) / sum(expected[k] for k in keys) for key in keys]
    return 1.0 if len(keys) < 2 else float(chisquare(observed, wanted).pvalue)


def test_the_law_of_the_check_is_that_of_the_reference() -> None:
    law = DiscreteGaussian(Fraction(0), Fraction(3))
    whole = sum(math.exp(-k * k / 18) for k in range(-99, 100))
    assert math.isclose(float(enclose(law.at(2), 60).lo), math.exp(-4 / 18) / whole)


def test_uniform_numbers_are_uniform() -> None:
    drawn = uniforms_below(7, 70000, bits_from(3))
    assert chisquare(np.bincount(drawn, minlength=7)).pvalue > FALSE_ALARM
    assert set(uniforms_below(1, 10, bits_from(3)).tolist()) == {0}
    assert chisquare(np.bincount(np.minimum(drawn, 5), minlength=7)[:6]).pvalue < FALSE_ALARM


# Fits ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("relation", Relation)
@pytest.mark.parametrize("boost_alpha", [Fraction(1), Fraction(1, 3)])
def test_reference_replays_every_number(relation: Relation, boost_alpha: Fraction) -> None:
    domain = domain_of(2, 3)
    given = random_data(domain, 12, 3)
    public = Parameters(5, 2, Fraction(2), delta=Fraction(1, 1000), boost_alpha=boost_alpha)
    lines = check_replay(Setting(NETS[relation], public, domain, 12), given, 4)
    assert '"what": "conversion"' in lines[-2]


def test_reference_refuses_a_greater_rho_and_a_smaller_variance() -> None:
    setting = Setting(SOUND_NET, Parameters(2, 1, Fraction(1), delta=Fraction(1, 1000)), domain_of(2), 5)
    exact = exact_setting(setting)
    assert exact_variance(exact) == leaf_variance(SOUND_NET, setting.parameters, Fraction(1, 2))
    wrong = {field: getattr(exact.parameters, field) for field in ("trees", "depth", "epsilon", "delta")}
    with pytest.raises(PreconditionError, match="conversion promises"):
        type(exact.parameters)(**wrong, rho=exact.parameters.rho * 2)


@pytest.mark.parametrize("relation", Relation)
def test_nets_of_neighbours_are_no_farther_apart_than_the_noise_assumes(relation: Relation) -> None:
    domain = exact_setting(Setting(SOUND_NET, Parameters(1, 1, Fraction(1)), domain_of(2, 2), 3)).domain
    tree, squares = Tree().grow((), Threshold(0, 1)), set()
    for one, other in neighbouring_pairs(domain, 3, ExactRelation(relation.value)):
        tables = [leaf_masses(tree, initial_weights(sample)).values() for sample in (one, other)]
        nets = [[mass.positive - mass.negative for mass in table] for table in tables]
        squares.add(sum((a - b) ** 2 for a, b in zip(*nets, strict=True)))
    setting = Setting(NETS[relation], Parameters(1, 1, Fraction(1), delta=Fraction(1, 9)), domain_of(2, 2), 3)
    distance = 2 * setting.parameters.rho * leaf_variance(NETS[relation], setting.parameters, Fraction(1, 2))
    assert max(squares) == distance == (1 if relation is Relation.EXCHANGE else Fraction(1, 4))
    # Two leaves that change by 1/2 each are not the worst case of an exchange.
    assert relation is Relation.ADD_REMOVE or Fraction(1, 2) in squares


@pytest.mark.parametrize("depth", [1, 3])
def test_batches_fit_the_trees_of_a_recorded_fit(depth: int) -> None:
    rows, labels = data()
    fits = [model(n_trees=70, depth=depth).fit(rows, labels, transcript=t) for t in (None, io.StringIO())]
    assert fits[0].to_json() == fits[1].to_json()
    assert len({tuple(tree.values.tolist()) for tree in fits[0].trees_}) > 60


def test_compiled_passes_do_what_numpy_does(monkeypatch: pytest.MonkeyPatch) -> None:
    rows, labels = data()
    fitted = model(n_trees=70, depth=3).fit(rows, labels).to_json()
    monkeypatch.setattr(parts, "KERNELS", TWINS)
    assert model(n_trees=70, depth=3).fit(rows, labels).to_json() == fitted


def test_parts_of_rows_fit_the_same_trees() -> None:
    given = random_data(domain_of(4, 3), 40, 1)
    setting = Setting(SOUND_NET, Parameters(70, 2, Fraction(5), delta=Fraction(1, 100)), domain_of(4, 3), 40)
    halves = [
        parts.Part.of(given.codes[:, side].copy(), given.signs[side]) for side in (slice(15), slice(15, 40))
    ]
    whole = fit_trees(setting, given.rows, make_samples(2))
    for (one, _), (other, _) in zip(
        whole, fit_trees(setting, LocalRows(halves), make_samples(2)), strict=True
    ):
        assert one.values.tolist() == other.values.tolist()


@pytest.mark.parametrize("alpha", [Fraction(1), Fraction(1, 7), Fraction(1, 1000)])
def test_weights_are_constant_where_the_table_ends(alpha: Fraction) -> None:
    table = weight_table(2 * CONSTANT_FROM, alpha, GRID // 2)
    assert set(table[:CONSTANT_FROM].tolist()) == {GRID // 2}
    assert set(table[-CONSTANT_FROM:].tolist()) == {1}
    public = Parameters(999, 1, Fraction(1), delta=Fraction(1, 10), boost_alpha=alpha)
    assert net_weights(Setting(SOUND_NET, public, domain_of(2), 5)).size == 2 * CONSTANT_FROM + 1


def test_value_is_rounded_to_the_nearest_and_clamped() -> None:
    setting = Setting(SOUND_NET, Parameters(9, 1, Fraction(1), delta=Fraction(1, 10)), domain_of(2), 5)
    exact = exact_setting(setting)
    noisy = np.arange(-40000, 40001, 40)
    values = net_values(setting, noisy)
    expected = [value_of_noisy_net(exact, Fraction(int(net), GRID), 2) * GRID for net in noisy.tolist()]
    assert values.tolist() == expected
    assert (values.min(), values.max()) == (-GRID // 4, GRID // 4)
    assert abs(float(values.mean())) < 0.01


def release_of(relation: Relation) -> Callable[[list[tuple[int, int]], np.random.Generator], list[float]]:
    """Return a function from rows to the noisy nets of one tree, at (1, 1/100)."""
    public = Parameters(1, 1, Fraction(1), delta=Fraction(1, 100))
    setting = Setting(NETS[relation], public, domain_of(2), 3)

    def release(rows: list[tuple[int, int]], rng: np.random.Generator) -> list[float]:
        codes, signs = (
            np.array(column, dtype=kind) for column, kind in zip(zip(*rows, strict=True), "Bb", strict=True)
        )
        records: list[Any] = []
        draws = make_samples(int(rng.integers(1 << 62)))
        fit_trees(setting, LocalRows.in_memory(codes[None, :], signs), draws, records.append)
        return [float(line["noisy"]["net"]) for line in records if line["kind"] == "leaf"]

    return release


@pytest.mark.parametrize("relation", Relation)
def test_audit_finds_half_of_the_noise(relation: Relation, monkeypatch: pytest.MonkeyPatch) -> None:
    """State the false-alarm probability: 5 % for the true release if its seed were not fixed."""
    rows = [(0, 1), (1, -1), (1, 1)]
    pair = rows, [(0, -1), *rows[1:]] if relation is Relation.EXCHANGE else rows[1:]
    claim: dict[str, Any] = {"epsilon": 1.0, "delta": 0.01, "seed": 1}
    assert audit(release_of(relation), pair, **claim, calls=400).verdict is not Verdict.VIOLATION
    monkeypatch.setattr(batches, "leaf_variance", lambda *given: leaf_variance(*given) / 4)
    assert audit(release_of(relation), pair, **claim, calls=4000).verdict is Verdict.VIOLATION


# What a fit says -----------------------------------------------------------------------------------------


def test_ledger_states_rho_and_delta() -> None:
    fitted = model(n_trees=4, depth=2).fit(*data())
    ledger = fitted.privacy_ledger_
    assert (ledger.total, ledger.delta) == (Fraction(1), Fraction(1, 10**6))
    assert ledger.rho == greatest_rho(Fraction(1), Fraction(1, 10**6))
    printed = str(ledger)
    assert "4 × rho 0.00608899  leaves of each tree" in printed
    assert "1, delta 1e-06  in total, exchange neighbours" in printed
    fitted.fit(*data())
    assert (fitted.privacy_ledger_.running_total, fitted.privacy_ledger_.running_delta) == (
        Fraction(2),
        Fraction(2, 10**6),
    )
    assert "2, delta 2e-06  in 2 fits" in str(fitted.privacy_ledger_)


def test_pure_fits_say_nothing_of_delta() -> None:
    fitted = model(delta=0, n_trees=3, depth=2).fit(*data())
    assert fitted.privacy_ledger_.delta == fitted.privacy_ledger_.rho == 0
    assert "delta" not in fitted.to_json()
    assert "delta" not in str(fitted.privacy_ledger_)


def test_document_is_read_back_and_judged() -> None:
    fitted = model(n_trees=3, depth=2).fit(*data())
    document = fitted.to_json()
    again = PrivateBoostedTreesClassifier.from_json(document)
    assert again.to_json() == document
    assert again.delta == again.privacy_ledger_.delta == Fraction(1, 10**6)
    assert (again.decision_function(data()[0]) == fitted.decision_function(data()[0])).all()
    changes: list[tuple[str, Any]] = [
        ("delta", "1/10000000"),
        ("delta", "0"),
        ("delta", "2"),
        ("epsilon", "1/2"),
    ]
    for name, value in changes:
        entries = json.loads(document)
        entries["parameters"][name] = value
        with pytest.raises(PreconditionError):
            PrivateBoostedTreesClassifier.from_json(json.dumps(entries))
    entries = json.loads(document)
    del entries["parameters"]["delta"]
    with pytest.raises(PreconditionError):
        PrivateBoostedTreesClassifier.from_json(json.dumps(entries))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"delta": -1}, "delta.*0, or a small number below 1"),
        ({"delta": 1}, "delta.*0, or a small number below 1"),
        ({"delta": float("nan")}, "delta"),
        ({"delta": "x"}, "delta.*a finite number"),
        ({"delta": None}, "delta.*a finite number"),
        ({"protocol": "sound"}, "delta.*sound_net"),
        ({"protocol": AS_PRINTED}, "delta.*sound_net"),
        ({"protocol": SOUND}, "delta.*sound_net"),
        ({"leaf_rule": "noisy_masses"}, "delta.*sound_net"),
        ({"split_law": "exponential"}, "delta.*sound_net"),
        ({"epsilon": 1e-12}, "epsilon.*1e-9"),
        ({"epsilon": 1e-9, "delta": 1e-300, "n_trees": 10**6}, "epsilon.*standard deviation"),
        ({"epsilon": 1e9}, "epsilon.*1e6"),
        ({"relation": "add_remove"}, "size.*such as size=50_000"),
    ],
)
def test_bad_arguments_are_refused_by_name(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(PreconditionError, match=message):
        model(**{"depth": 2, **settings}).fit(*data(20))


def test_a_forest_has_no_delta() -> None:
    with pytest.raises(TypeError, match="the guarantee has delta = 0"):
        PrivateForestClassifier(delta=1e-6)  # type: ignore[call-arg]


@pytest.mark.parametrize("relation", ["exchange", "add_remove"])
def test_defaults_follow_public_numbers(relation: str) -> None:
    fitted = model(relation=relation, size=400, domain=[(0, 10), (-1, 10), (0, 1000)]).fit(*data())
    rho = float(greatest_rho(Fraction(1), Fraction(1, 10**6)))
    assert len(fitted.trees_) == round(12 * math.sqrt(math.sqrt(2 * rho) * 400)) == 113
    assert fitted.parameters_.depth == 3
    assert [feature.values for feature in fitted.domain_.features] == [20] * 3
    last = fitted.domain_.features[2]
    assert isinstance(last, Numeric)
    assert last.edges[:2].tolist() == pytest.approx([1001**0.05 - 1, 1001**0.1 - 1])
    own = Domain((Numeric("a", 0, 10), Numeric("b", 0, 10), Numeric("c", 0, 10)))
    assert model(domain=own, n_trees=2).fit(*data()).domain_ == own


def test_number_of_trees_has_its_limits() -> None:
    delta = Fraction(1, 10**6)
    assert choose_parameters(1, 1, Fraction(1, 10**8), SOUND_NET, delta) == (50, 2)
    assert choose_parameters(10**30, 1, Fraction(10**5), SOUND_NET, delta) == (3000, 8)


def test_a_delta_makes_a_better_model() -> None:
    """State the false-alarm probability: far below 1e-6; the means differ by 20 standard deviations."""
    rows, labels = data(4000)
    test_rows, test_labels = data(2000, 1)
    scores = [
        np.mean(
            [
                model(delta=d, random_state=s, epsilon=0.3).fit(rows, labels).score(test_rows, test_labels)
                for s in range(4)
            ]
        )
        for d in (0, 1e-6)
    ]
    assert scores[1] > scores[0] + 0.01


@pytest.mark.parametrize("entry", [math.nan, math.inf, -1e300, None, "x"])
def test_hostile_entries_change_no_error(entry: Any) -> None:
    rows = [[entry, 1.0], [2.0, entry], [3.0, 4.0]]
    fitted = model(domain=[(0, 10), (0, 10)], n_trees=3, depth=2).fit(rows, [0, entry, 1])
    assert fitted.predict(rows).shape == (3,)
