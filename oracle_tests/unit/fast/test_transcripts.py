"""Transcripts of the fast learner, replayed by the reference in exact arithmetic.

The reference recomputes everything from the sample: scores, masses, noisy quantities, values, coefficients,
the weights of the next tree and every expense. Strings must be equal, and floats within 2^-40.
"""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from privboost.auditor.pairs.exact_settings import exact_setting
from privboost.fast.growth.fit import fit_trees
from privboost.fast.growth.leaves import proportion
from privboost.fast.growth.setting import Setting
from privboost.fast.protocol import GRID, SOUND, SOUND_NET, BetaRule, Parameters, Protocol, Relation
from privboost.oracle_tests.support.fast_runs import (
    check_replay,
    decisions,
    fit_with_transcript,
    make_samples,
    replay_exactly,
    same_trees,
)
from privboost.oracle_tests.support.transcript_runs import change_number, numbers
from privboost.reference.exact import enclose
from privboost.reference.transcripts import TranscriptError
from tools.fast_inputs import PROTOCOLS, Data, domain_of, random_data

HALF = Fraction(1, 2)
MIXED = domain_of(4, 3, categories=(3, 2))

every_protocol = pytest.mark.parametrize("name", PROTOCOLS)


def setting_of(protocol: Protocol, rows: int, **parameters: Any) -> Setting:
    """Return a setting of a mixed domain; under add/remove the public size exceeds the number of rows."""
    public = Parameters(**{"trees": 2, "depth": 2, "epsilon": Fraction(2), **parameters})
    spare = 3 if protocol.relation is Relation.ADD_REMOVE else 0
    return Setting(protocol, public, MIXED, rows + spare)


def boost_alphas(protocol: Protocol) -> tuple[Fraction, ...]:
    """Return the boosting losses that the reference can follow.

    With the mirror update and Matsushita's loss, the reference may fail to decide whether two classes have
    equal weights. With boost_alpha = 1/2 weights stay on the plateau (erratum mirror-plateau).
    """
    return (HALF,) if protocol.beta is BetaRule.RAW else (Fraction(1), HALF)


# Every protocol ------------------------------------------------------------------------------------------


@pytest.mark.claim("sec-solv")
@every_protocol
def test_sec_solv__reference_replays_the_transcript(name: str) -> None:
    protocol = PROTOCOLS[name]
    for seed, boost_alpha in enumerate(boost_alphas(protocol)):
        rows = 17 + 6 * seed
        alphas = (Fraction(1), Fraction(1, 3))
        setting = setting_of(protocol, rows, boost_alpha=boost_alpha, alphas=alphas, trees=3 - seed)
        given = random_data(MIXED, rows, seed)
        trees, lines = fit_with_transcript(setting, given, seed)
        replay = replay_exactly(setting, given, lines)
        assert replay.lines == len(lines)
        exact = np.array([float(enclose(replay.ensemble.decision(e.x), 70).lo) for e in given.sample])
        unit = GRID if setting.protocol.leaf.value == "noisy_net" else 1
        assert np.allclose(decisions(setting, trees, given.codes) / unit, exact, rtol=0, atol=1e-12)


FEW_ROWS = [
    # Literal updates of Matsushita's loss.
    *product(("AS_PRINTED", "SOUND, printed beta", "raw minority"), (11,), (1, 3, 4), (Fraction(1),)),
    *product(("SOUND", "nets", "AS_PRINTED", "add/remove"), (1, 2), (3,), (HALF,)),
    *product(("add/remove", "add/remove, as printed", "add/remove, nets"), (0,), (1,), (Fraction(1),)),
]


@pytest.mark.claim("sec-solv")
@pytest.mark.parametrize(("name", "rows", "seed", "boost_alpha"), FEW_ROWS)
def test_sec_solv__reference_replays_few_rows(name: str, rows: int, seed: int, boost_alpha: Fraction) -> None:
    setting, given = (
        setting_of(PROTOCOLS[name], rows, boost_alpha=boost_alpha),
        random_data(MIXED, rows, seed),
    )
    check_replay(setting, given, seed)


# What floats would get wrong -----------------------------------------------------------------------------


@pytest.mark.claim("sub-sec-sum-imp")
def test_sub_sec_sum_imp__leaf_values_on_the_grid_stay_on_it() -> None:
    # Sixteen rows against one: the link is 15/4 exactly, which floats put just below the grid.
    protocol = PROTOCOLS["clamp before noise"]
    codes = np.array([[0] * 17 + [1]], dtype=np.uint8)
    given = Data(codes, np.array([1] * 16 + [-1, -1], dtype=np.int8))
    setting = Setting(protocol, Parameters(1, 1, Fraction(1)), domain_of(2), 18)
    leaf = json.loads(check_replay(setting, given, 1)[3])
    assert Fraction(leaf["noisy"]["value"]) - Fraction(leaf["noise"]["value"]) == Fraction(15, 4)


@pytest.mark.claim("fixALPHA")
def test_fixALPHA__classes_that_weigh_the_same_are_seen_through_rounding() -> None:  # noqa: N802
    # Both classes of a leaf hold the same three weights, which floats add up in another order.
    weights = [0.1, 0.2, 0.3]
    forwards, backwards = sum(weights), sum(weights[::-1])
    assert forwards != backwards
    assert proportion(forwards, backwards) == HALF
    assert proportion(forwards, backwards + 2.0**-30) != HALF
    assert proportion(3, 3) == HALF
    assert proportion(0, 0) is None


# Lies ----------------------------------------------------------------------------------------------------

FIELDS = {
    "node": ("alpha", "budget", "sensitivity", "scores"),
    "alpha": ("minority", "scale", "noise", "noisy", "value", "level"),
    "leaf": ("masses", "scale", "noise", "noisy", "value"),
    "beta": ("value",),
    "expense": ("epsilon",),
    "total": ("epsilon", "claim"),
    "tree": ("weight_bound",),
}
"""The fields that contain numbers, by the kind of a line."""


def change_slightly(value: object) -> object:
    """Return a different number of the same type, barely distinguishable for the replay."""
    if isinstance(value, str):
        return str(Fraction(value) + Fraction(1, 1 << 60))
    assert isinstance(value, float | int)
    return value + max(1.0, abs(value)) * 2.0**-38 if isinstance(value, float) else value + 1


@pytest.mark.claim("sec-solv")
@pytest.mark.parametrize("name", ["SOUND", "nets", "AS_PRINTED", "estimated alpha"])
def test_sec_solv__changed_number_is_refused_at_its_line(name: str) -> None:
    setting = setting_of(PROTOCOLS[name], 13, boost_alpha=HALF)
    given = random_data(MIXED, 13, 2)
    _, lines = fit_with_transcript(setting, given, 2)
    last = {json.loads(line)["kind"]: number for number, line in enumerate(lines, start=1)}
    tried = 0
    for location, value in numbers(tuple(lines)):
        number, path = location
        kind = json.loads(lines[number - 1])["kind"]
        if last[kind] == number and path[0] in FIELDS.get(kind, ()):
            with pytest.raises(TranscriptError) as caught:
                replay_exactly(setting, given, change_number(tuple(lines), location, change_slightly(value)))
            assert caught.value.line == number
            tried += 1
    assert tried >= 20


@pytest.mark.claim("sec-solv")
def test_sec_solv__transcript_of_another_sample_or_setting_is_refused() -> None:
    setting, given = setting_of(SOUND_NET, 13), random_data(MIXED, 13, 2)
    lines = check_replay(setting, given, 2)
    for lie in (
        (setting, Data(given.codes, -given.signs), lines),
        (setting_of(SOUND_NET, 13, epsilon=Fraction(3)), given, lines),
        (setting, given, lines[:-1]),
    ):
        with pytest.raises(TranscriptError):
            replay_exactly(*lie)


# Recording -----------------------------------------------------------------------------------------------


@pytest.mark.claim("sec-solv")
@every_protocol
def test_sec_solv__recording_changes_nothing(name: str) -> None:
    protocol = PROTOCOLS[name]
    setting, given = setting_of(protocol, 40, trees=3, depth=3), random_data(MIXED, 40, 7)
    recorded, _ = fit_with_transcript(setting, given, 9)
    assert same_trees(recorded, fit_trees(setting, given.rows, make_samples(9)))
    assert not same_trees(recorded, fit_trees(setting, given.rows, make_samples(10)))


@pytest.mark.claim("sec-solv")
def test_sec_solv__settings_are_carried_over_whole() -> None:
    setting = setting_of(SOUND, 5, alphas=(Fraction(1, 7),), zeta=Fraction(1, 50), bound=Fraction(3))
    exact = exact_setting(setting)
    assert exact.parameters.zeta == Fraction(1, 50)
    assert exact.parameters.bound == 3
    assert exact.parameters.alphas == (Fraction(1, 7),)
    assert [attribute.n_values for attribute in exact.domain.attributes] == [4, 3, 3, 2]
