"""Dates as features: public first and last days, cuts at whole days, entries of all kinds, files, rules."""

from __future__ import annotations

import datetime
import json
import tomllib
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privboost.errors import PreconditionError
from privboost.fast import Date, Domain, PrivateBoostedTreesClassifier, export_text
from privboost.fast.cells import day_of, read_days
from privboost.fast.files.model_json import SCHEMA
from privboost.fast.growth import Setting
from privboost.fast.protocol import SOUND, SOUND_NET, Parameters, Protocol
from privboost.oracle_tests.support.fast_runs import check_replay
from privboost.oracle_tests.support.json_schema import complaints
from tools.fast_inputs import Data

JOINED = Date("joined", "2020-01-01", "2020-12-31", 12)
LEFT = Date("left", datetime.date(2019, 7, 1), pd.Timestamp("2021-06-30 12:00"), 5, missing=True)
DOMAIN = Domain((JOINED, LEFT))
RANDOM = np.random.default_rng(4)
DAYS = np.datetime64("2020-01-01") + RANDOM.integers(0, 366, 500)
FRAME = pd.DataFrame({"joined": DAYS, "left": DAYS + RANDOM.integers(-300, 300, 500)})
Y = (np.datetime64("2020-07-01") <= DAYS).astype(np.int64)


@pytest.mark.parametrize(
    "entry",
    [
        "2020-02-29",
        " 2020-02-29\n",
        "2020-02-29T23:59:59.123456789Z",
        "2020-02-29 23:59+14:00",
        datetime.date(2020, 2, 29),
        datetime.datetime(2020, 2, 29, 23, 59, tzinfo=datetime.timezone(datetime.timedelta(hours=-9))),
        np.datetime64("2020-02-29"),
        np.datetime64("2020-02-29T23:59:59.999999999"),
        pd.Timestamp("2020-02-29 23:59:59"),
        pd.Timestamp("2020-02-29 23:59", tz="Asia/Tokyo"),
    ],
)
def test_day__is_the_one_that_is_written(entry: Any) -> None:
    day = datetime.date(2020, 2, 29).toordinal() - datetime.date(1970, 1, 1).toordinal()
    assert day_of(entry) == day
    for column in ([entry], pd.Series([entry]), pd.Series([entry, "x"], dtype=object)):
        assert read_days(column)[0] == day


@pytest.mark.parametrize(
    "entry",
    [
        *(None, "", "NA", "soon", "2019-02-29", "2020-13-01", "20200229", "2020-2-9", "2020-02-29 noon"),
        *(20200229, 18321.0, True, pd.NaT, np.datetime64("NaT"), "0001-01-01", datetime.date.min),
        *(np.timedelta64(3, "D"), pd.Period("2020-02"), b"2020-02-29", [], {}, float("nan")),
    ],
)
def test_day__other_entries_are_invalid(entry: Any) -> None:
    assert np.isnan(day_of(entry))
    assert JOINED.codes([entry, "2020-12-31"]).tolist() == [0, 11]
    assert LEFT.codes([entry, "2021-06-30", "2019-06-30"]).tolist() == [0, 4, 1]
    assert LEFT.is_invalid([entry, "2021-06-30"]).tolist() == [True, False]


@pytest.mark.parametrize("unit", ["Y", "M", "D", "h", "s", "ns"])
def test_day__columns_are_read_as_their_entries_are(unit: str) -> None:
    numbers = [-(2**62), -(10**6), -1, 0, 1, 50, 2**62, np.datetime64("NaT")]
    column = np.array(numbers, dtype=f"datetime64[{unit}]")
    assert np.array_equal(read_days(column), [day_of(entry) for entry in column], equal_nan=True)


def test_day__years_that_python_has_not_are_outside() -> None:
    far = np.array(["-0044-03-15", "20000-01-01"], dtype="datetime64[s]")
    assert JOINED.codes(far).tolist() == JOINED.codes(list(map(pd.Timestamp, far))).tolist() == [0, 11]


@given(st.dates(), st.integers(0, 4000), st.integers(1, 256), st.booleans())
def test_cuts__are_days_and_values_have_equally_many_days(
    first: datetime.date, length: int, values: int, missing: bool
) -> None:
    last = datetime.date.fromordinal(min(first.toordinal() + length, datetime.date.max.toordinal()))
    days = last.toordinal() - first.toordinal() + 1
    if first == datetime.date.min or not int(missing) < values <= days + missing:
        with pytest.raises(PreconditionError, match="domain, x"):
            Date("x", first, last, values, missing)
        return
    feature = Date("x", first, last, values, missing)
    ends = [feature.lo, *feature.edges[int(missing) :], feature.hi]
    sizes = [high - low for low, high in pairwise(ends)]
    assert ends == [int(end) for end in ends]
    assert sum(sizes) == days
    assert max(sizes) - min(sizes) <= 1


@pytest.mark.parametrize(
    ("ends", "message"),
    [
        (("?", "2020-01-01"), r"domain, x, first: expected a public date such as '2020-01-31', got '\?'"),
        (("2020-01-01", 2021), "domain, x, last: expected a public date"),
        (("2020-01-02", "2020-01-01"), "domain, x: expected a first day that is not after the last"),
        (("2020-01-01", "2020-01-07"), "domain, x: expected values= at most 7, one for each day, got 10"),
        (("2020-01-01", "2021-01-01", 257), "domain, x: expected 1 to 256 values"),
    ],
)
def test_dates__are_refused_with_the_reason(ends: Any, message: str) -> None:
    with pytest.raises(PreconditionError, match=message):
        Date("x", *ends)


def test_schema__dates_are_strings_or_dates_of_toml() -> None:
    toml = "[joined]\nfirst = 2020-01-01\nlast = '2020-12-31'\nvalues = 12\n"
    toml += "[left]\nfirst = '2019-07-01'\nlast = 2021-06-30\nvalues = 5\nmissing = true"
    assert Domain.from_schema(tomllib.loads(toml)) == DOMAIN
    assert Domain.from_schema(json.loads(json.dumps(DOMAIN.to_schema()))) == DOMAIN
    incomplete, spaced = {"first": "2020-01-01"}, {"first": 1, "last": 2, "spacing": "ratio"}
    for wrong in ({"first": "?", "last": "?"}, incomplete, spaced):
        with pytest.raises(PreconditionError, match=", x"):
            Domain.from_schema({"x": wrong})


def test_template__asks_for_the_first_and_last_date() -> None:
    frame = FRAME.assign(day=FRAME["joined"].dt.tz_localize("UTC")).astype({"left": "timestamp[ns][pyarrow]"})
    unknown = {"first": "?", "last": "?", "missing": False}
    assert tomllib.loads(Domain.template(frame)) == {"joined": unknown, "left": unknown, "day": unknown}


def test_model__learns_from_dates_in_any_spelling_and_is_read_back() -> None:
    options: dict[str, Any] = {"domain": DOMAIN, "classes": (0, 1), "epsilon": 50, "random_state": 0}
    model = PrivateBoostedTreesClassifier(**options).fit(FRAME, Y)
    assert model.score(FRAME, Y) > 0.95
    spelt = FRAME.astype(str)
    objects = pd.DataFrame({name: [stamp.date() for stamp in FRAME[name]] for name in FRAME}, dtype=object)
    for same in (spelt, objects, spelt.to_numpy().tolist(), FRAME.to_numpy()):
        again = PrivateBoostedTreesClassifier(**options).fit(same, Y)
        assert np.array_equal(again.decision_function(same), model.decision_function(FRAME))
    assert complaints(json.loads(SCHEMA.read_text("utf-8")), json.loads(model.to_json())) == []
    read = PrivateBoostedTreesClassifier.from_json(model.to_json())
    assert read.domain_ == DOMAIN
    assert np.array_equal(read.decision_function(FRAME), model.decision_function(FRAME))


@pytest.mark.parametrize("wrong", ["2020-02-30", "20200101", "2020-01-01T00:00", "?", 3, None])
def test_model__files_with_other_dates_are_refused(wrong: Any) -> None:
    model = PrivateBoostedTreesClassifier(domain=DOMAIN, classes=(0, 1), n_trees=1, depth=1).fit(FRAME, Y)
    document = json.loads(model.to_json())
    document["domain"]["features"][0]["first"] = wrong
    with pytest.raises(PreconditionError, match=r"features\[0\].first: expected a "):
        PrivateBoostedTreesClassifier.from_json(json.dumps(document))


@pytest.mark.claim("sec-solv")
@pytest.mark.parametrize("protocol", [SOUND, SOUND_NET])
def test_sec_solv__reference_replays_rows_of_dates(protocol: Protocol) -> None:
    rows = Data(DOMAIN.codes(FRAME[:40]), np.where(Y[:40] > 0, 1, -1).astype(np.int8))
    setting = Setting(protocol, Parameters(2, 2, Fraction(1)), DOMAIN, 40)
    header = json.loads(check_replay(setting, rows, 1)[0])["domain"]
    assert [(entry["lo"], entry["hi"]) for entry in header] == [("0", "12"), ("0", "5")]


def test_text__shows_dates() -> None:
    model = PrivateBoostedTreesClassifier(domain=DOMAIN, classes=(0, 1), random_state=0).fit(FRAME, Y)
    rules = export_text(model, max_trees=len(model.trees_))
    assert "|--- joined >= 2020-07-02\n" in rules
    assert "left is missing" in rules
    assert "left < 2020-06-30 or missing" in rules
