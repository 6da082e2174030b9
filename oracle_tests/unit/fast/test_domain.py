"""Cuts of numeric features at equal distances or ratios, from public bounds, the same on every machine."""

from __future__ import annotations

import json
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privboost.errors import PreconditionError
from privboost.fast import (
    Categorical,
    Date,
    Domain,
    NonPrivateWarning,
    Numeric,
    PrivateBoostedTreesClassifier,
)
from privboost.fast.features import TWO_DECADES
from privboost.fast.growth import Setting
from privboost.fast.protocol import SOUND, SOUND_NET, Parameters, Protocol
from privboost.oracle_tests.support.fast_runs import check_replay
from tools.fast_inputs import Data

FRAME = pd.DataFrame({"income": [10.0, 1e3, 9e4], "age": [1.0, 30.0, 99.0]})


def spacings(domain: Domain) -> list[str]:
    """Return the spacing of every feature of a domain."""
    return [entry["spacing"] for entry in domain.to_schema().values()]


@pytest.mark.parametrize(
    ("lo", "hi", "spacing"),
    [
        (1, 100, "ratio"),
        (0.01, 1, "ratio"),
        (1, 99.99, "regular"),
        (0, 1e9, "regular"),
        (-1, 1000, "regular"),
        (1e307, 1e308, "regular"),
        (1e-300, 1e300, "ratio"),
    ],
)
def test_spacing__follows_from_public_bounds_by_default(lo: float, hi: float, spacing: Any) -> None:
    assert Numeric("x", lo, hi).spacing == spacing
    assert Numeric("x", lo, hi) == Numeric("x", lo, hi, spacing=spacing)
    assert Numeric("x", lo, hi, spacing="regular").spacing == "regular"
    assert (spacing == "ratio") == (0 < TWO_DECADES * lo <= hi)


@settings(max_examples=40)
@given(
    lo=st.floats(1e-300, 1e290),
    factor=st.floats(1.001, 1e9),
    values=st.sampled_from((1, 2, 3, 10, 256)),
)
def test_spacing__ratios_are_equal_and_cuts_are_the_nearest_floats(
    lo: float, factor: float, values: int
) -> None:
    feature = Numeric("x", lo, lo * factor, values, "ratio")
    edges = [lo, *feature.edges.tolist(), lo * factor]
    assert all(low < high for low, high in pairwise(edges))
    for k in {1, values // 2, values - 1} - {0, values}:
        # edge^values = lo^(values - k) hi^k lies between the powers of the two midpoints next to the edge.
        power = Fraction(edges[0]) ** (values - k) * Fraction(edges[-1]) ** k
        below, above = (
            (Fraction(edges[k]) + Fraction(float(np.nextafter(edges[k], end)))) / 2 for end in (0, np.inf)
        )
        assert below**values <= power <= above**values


def test_spacing__cuts_do_not_depend_on_the_decimal_context_of_the_caller() -> None:
    with localcontext() as context:
        context.prec = 3
        narrow = Numeric("x", 1.5, 777.0, 7).edges.tolist()
        assert Decimal(1) / 3 == Decimal("0.333")
    assert narrow == Numeric("x", 1.5, 777.0, 7).edges.tolist()
    assert Numeric("x", 1, 1000, 3).edges.tolist() == [10.0, 100.0]


def test_spacing__ratios_from_zero_are_those_of_one_more() -> None:
    assert Numeric("x", 0, 999, 3, "ratio").edges.tolist() == [9.0, 99.0]
    assert Numeric("x", 0, 999, 3).edges.tolist() == [333.0, 666.0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((-1, 100, 10, "ratio"), "domain, x: expected lo >= 0 for cuts at equal ratios, got -1.0"),
        ((-2, 100, 10, "ratio"), "expected lo >= 0"),
        ((1, 100, 10, "log"), r"domain, x: expected one of \['regular', 'ratio'\], got 'log'"),
        ((1, 1 + 2**-50, 10, "ratio"), "expected bounds with 10 floats between them"),
        ((1, 1 + 2**-50, 10, "regular"), "expected bounds with 10 floats between them"),
        ((5e-324, 1e-321, 256), "expected bounds with 256 floats between them"),
    ],
)
def test_spacing__impossible_cuts_are_refused(options: Any, message: str) -> None:
    with pytest.raises(PreconditionError, match=message):
        Numeric("x", *options)


@pytest.mark.parametrize(
    ("kind", "arguments", "message"),
    [
        (Numeric, ("x", "2015-01-01", 1), r"x, lo: expected a public number\. For dates use Date, got '2015"),
        (Numeric, ("x", 0, "a"), "domain, x, hi: expected a public number, got 'a'"),
        (Numeric, ("x", -1e308, 1e308), "expected finite bounds lo < hi with a finite difference, got"),
        (Numeric, ("x", 0, 1, 2.5), "domain, x: expected 1 to 256 values, got 2.5"),
        (Numeric, (0, 1, "a"), "domain: expected a name that is a string, got 0"),
        (Categorical, ("x", "yes"), "domain, x: expected categories in an order, .* got 'yes'"),
        (Categorical, ("x", {"no", "yes"}), "domain, x: expected categories in an order, .* got {"),
        (Categorical, ("x", 3), "domain, x: expected categories in an order, .* got 3"),
        (Domain, (Numeric("x", 0, 1),), "domain: expected a tuple of Numeric, Date and Categorical, got Num"),
        (Domain, (("x", "y"),), "domain: expected a tuple of Numeric, Date and Categorical"),
    ],
)
def test_features__of_the_wrong_type_are_refused_with_the_reason(
    kind: Any, arguments: Any, message: str
) -> None:
    with pytest.raises(PreconditionError, match=message):
        kind(*arguments)


@pytest.mark.parametrize("spacing", ["regular", "ratio"])
def test_spacing__is_carried_through_every_way_to_make_a_domain(spacing: Any) -> None:
    bounds = {"income": (10.0, 1e5), "age": (1.0, 99.0)}
    made = Domain.from_bounds(bounds.values(), names=list(bounds), spacing=spacing)
    assert spacings(made) == [spacing] * 2
    assert Domain.from_schema(json.loads(json.dumps(made.to_schema()))) == made
    with pytest.warns(NonPrivateWarning):
        observed = Domain.observed(FRAME, spacing=spacing)
    assert spacings(observed) == spacings(made.rename(["a", "b"])) == [spacing] * 2


MIXED = pd.DataFrame(
    {
        "age": [47, 31, None],
        "smoker": pd.Series(["no", None, "yes"], dtype=object),
        "joined": pd.to_datetime(["2020-01-01", None, "2020-03-31"]),
        "born": ["1999-12-31", "", "1999-12-29"],
        "ward": pd.Series([3, "west", 2.5], dtype=object),
        "insured": [True, False, True],
        "nothing": [None, None, None],
    }
)
OBSERVED = (
    Numeric("age", 31, 47),
    Categorical("smoker", ("no", "yes")),
    Date("joined", "2020-01-01", "2020-03-31"),
    Date("born", "1999-12-29", "1999-12-31", 3),
    Categorical("ward", ("2.5", "3", "west")),
    Numeric("insured", 0, 1),
    Numeric("nothing", 0, 1),
)


@pytest.mark.filterwarnings("ignore::privboost.fast.domain.NonPrivateWarning")
def test_observed__columns_of_words_and_dates_are_read_as_such() -> None:
    rows = MIXED.to_numpy().tolist()
    for domain in (Domain.observed(MIXED), Domain.observed(rows).rename(MIXED.columns)):
        assert domain == Domain(OBSERVED, "observed")
    assert Domain(OBSERVED).codes(MIXED)[4].tolist() == [1, 2, 0]
    options: dict[str, Any] = {"domain": "observed", "classes": (0, 1), "random_state": 0}
    model = PrivateBoostedTreesClassifier(**options).fit(MIXED, [0, 1, 1])
    assert model.domain_.features == OBSERVED
    assert model.predict(MIXED).shape == (3,)
    listed = PrivateBoostedTreesClassifier(**options).fit(rows, [0, 1, 1])
    assert np.array_equal(listed.decision_function(MIXED.to_numpy()), model.decision_function(MIXED))
    assert listed.feature_importances_.shape == (listed.n_features_in_,) == (7,)


@pytest.mark.filterwarnings("ignore::privboost.fast.domain.NonPrivateWarning")
def test_observed__too_many_categories_are_refused_with_the_name_of_the_column() -> None:
    frame = pd.DataFrame({"age": range(300), "patient": [f"p{index}" for index in range(300)]})
    message = "domain, patient: expected .* at most 256 .*, got 300 distinct"
    with pytest.raises(PreconditionError, match=message):
        Domain.observed(frame)


def test_spacing__bounds_given_to_an_estimator_are_cut_by_the_rule() -> None:
    table, labels = FRAME.to_numpy(), [0, 1, 1]
    model = PrivateBoostedTreesClassifier(domain=[(10, 1e5), (1, 99)], classes=(0, 1)).fit(table, labels)
    assert spacings(model.domain_) == ["ratio", "regular"]


def test_spacing__missing_numbers_are_lowest_and_others_are_clipped() -> None:
    column = np.array([np.nan, -np.inf, -5.0, 0.0, 1.0, 9.999, 10.0, 1000.0, np.inf])
    for kind in (np.float64, np.float32):
        codes = Numeric("x", 1, 1000, 3).codes(column.astype(kind))
        assert codes.tolist() == [0, 0, 0, 0, 0, 0, 1, 2, 2]


@pytest.mark.claim("sec-solv")
@pytest.mark.parametrize("protocol", [SOUND, SOUND_NET])
def test_sec_solv__reference_replays_rows_that_were_cut_at_ratios(protocol: Protocol) -> None:
    domain = Domain.from_bounds([(1, 1000), (0, 1)], values=3)
    table = np.random.default_rng(3).uniform((1, 0), (1000, 1), (40, 2)) ** (2, 1)
    given_rows = Data(domain.codes(table), np.where(table[:, 0] > 300, 1, -1).astype(np.int8))
    setting = Setting(protocol, Parameters(2, 2, Fraction(1)), domain, 40)
    header = json.loads(check_replay(setting, given_rows, 1)[0])["domain"]
    assert [(entry["lo"], entry["hi"]) for entry in header] == [("0", "3"), ("0", "1")]
