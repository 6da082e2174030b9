"""Runs on the nineteen UCI domains, at their real sizes, replayed exactly by the reference.

The reference visits every row for every candidate split, so numeric features have two values here, and the
largest domains are cut to their first features. PRIVBOOST_UCI_VISITS=1000000 cuts none.
"""

from __future__ import annotations

import gzip
import json
import os
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from privboost.fast.domain import Domain
from privboost.fast.growth import Setting
from privboost.fast.protocol import SOUND, SOUND_NET, Parameters, Protocol, SplitLaw
from privboost.oracle_tests.support.checkout import ROOT
from privboost.oracle_tests.support.fast_runs import check_replay, fit_with_transcript, replay_exactly
from privboost.oracle_tests.support.marks import keep_every
from privboost.oracle_tests.support.transcript_runs import change_number
from privboost.reference.data import Example
from privboost.reference.exact import Number
from privboost.reference.learners import ensemble as exact_ensemble
from privboost.reference.learners.boosting import Release, WeightRule, weight_rule
from privboost.reference.learners.splitting import Setting as ExactSetting
from privboost.reference.transcripts import TranscriptError
from privboost.study.report.tables import PRINTED_SIZES
from tools.fast_inputs import Data

VISITS = int(os.environ.get("PRIVBOOST_UCI_VISITS", "100000"))
"""Largest number of rows times candidates in a replay; the default takes about one second."""


@cache
def manifest() -> tuple[Path, dict[str, dict[str, Any]]]:
    """Return the folder of the data, named by PRIVBOOST_UCI or beside the checkout, and its manifest."""
    named = os.environ.get("PRIVBOOST_UCI")
    folder = Path(named) if named else ROOT.parent / "shared" / "data" / "uci"
    if not (folder / "MANIFEST.json").is_file():
        pytest.skip("the UCI data are not beside the checkout, and PRIVBOOST_UCI does not name their folder")
    rows = json.loads((folder / "MANIFEST.json").read_text("utf-8"))["datasets"]
    return folder, {row["name"]: row for row in rows}


def load(name: str, values: int, features: int | None = None) -> tuple[Domain, Data]:
    """Return a domain with the bounds of its manifest, and all of its rows, coded."""
    folder, rows = manifest()
    with gzip.open(folder / rows[name]["file"], "rt", encoding="ascii") as stream:
        table = np.loadtxt(stream, delimiter=",", skiprows=1)
    bounds = rows[name]["bounds"][:features]
    domain = Domain.from_bounds([(lo, hi if lo < hi else lo + 1) for lo, hi in bounds], values=values)
    return domain, Data(domain.codes(table[:, : len(bounds)]), table[:, -1].astype(np.int8))


@pytest.fixture(autouse=True)
def weights_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cache the reference's weights, which depend on the leaves and the label of a row alone."""

    def cache_rule(setting: ExactSetting, releases: tuple[Release, ...]) -> WeightRule:
        rule = weight_rule(setting, releases)
        known: dict[tuple[object, ...], Number] = {}

        def by_leaves(example: Example) -> Number:
            key = (example.y, *(release.tree.leaf_of(example.x) for release in releases))
            if key not in known:
                known[key] = rule(example)
            return known[key]

        return by_leaves

    monkeypatch.setattr(exact_ensemble, "weight_rule", cache_rule)


def replay_domain(name: str, protocol: Protocol, *, trees: int, depth: int) -> None:
    """Fit a domain at its real size, and replay the transcript."""
    folder_rows = manifest()[1][name]
    features = max(1, min(folder_rows["n"], VISITS // (folder_rows["m"] * trees * depth)))
    domain, given = load(name, 2, features)
    assert given.signs.size == folder_rows["m"]
    public = Parameters(trees, depth, Fraction(1), alphas=(Fraction(0),))
    setting = Setting(protocol, public, domain, given.signs.size)
    check_replay(setting, given, 1)


def test_t_s_uci__names_are_those_of_the_data() -> None:
    assert set(PRINTED_SIZES) == set(manifest()[1])


@pytest.mark.claim("t-s-uci")
@pytest.mark.parametrize("name", keep_every(4, PRINTED_SIZES))
def test_t_s_uci__reference_replays_a_run_of_the_real_size(name: str) -> None:
    small = manifest()[1][name]["m"] * manifest()[1][name]["n"] < 50_000
    replay_domain(name, SOUND_NET, trees=2, depth=2 if small else 1)


@pytest.mark.claim("t-s-uci")
@pytest.mark.parametrize("name", ["banknote", "breast_wisc"])
@pytest.mark.parametrize("split_law", [SplitLaw.EXPONENTIAL, SplitLaw.PERMUTE_AND_FLIP])
def test_t_s_uci__reference_replays_sound_runs(name: str, split_law: SplitLaw) -> None:
    replay_domain(name, SOUND.changed(split_law=split_law), trees=2, depth=2)


@pytest.mark.claim("t-s-uci")
def test_t_s_uci__one_row_more_than_was_counted_is_refused() -> None:
    domain, given = load("transfusion", 3)
    setting = Setting(SOUND_NET, Parameters(1, 1, Fraction(1)), domain, given.signs.size)
    _, lines = fit_with_transcript(setting, given, 1)
    number = next(n for n, line in enumerate(lines, start=1) if json.loads(line)["kind"] == "leaf")
    mass = Fraction(json.loads(lines[number - 1])["masses"]["positive"])
    lie = change_number(tuple(lines), (number, ("masses", "positive")), str(mass + Fraction(1, 2)))
    with pytest.raises(TranscriptError, match=r"masses\.positive"):
        replay_exactly(setting, given, lie)


@pytest.mark.claim("t-s-uci")
def test_t_s_uci__rows_are_coded_as_the_reference_codes_them() -> None:
    from privboost.reference.data import Quantised

    folder, rows = manifest()
    domain, given = load("banknote", 7)
    with gzip.open(folder / rows["banknote"]["file"], "rt", encoding="ascii") as stream:
        cells = [line.split(",") for line in stream.read().splitlines()[1:]]
    for index, (lo, hi) in enumerate(rows["banknote"]["bounds"]):
        exact = Quantised("x", 7, Fraction(lo), Fraction(hi))
        expected = [exact.index(Fraction(float(row[index]))) for row in cells]
        assert given.codes[index].tolist() == expected
    assert len(domain.features) == len(rows["banknote"]["bounds"])
