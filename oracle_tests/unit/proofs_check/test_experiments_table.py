"""The printed table of domains compared with a copy of the data, if there is one."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from privboost.oracle_tests.support.checkout import ROOT
from privboost.proofs_check.claims.section7_experiments.computations import DOMAINS

FEATURES_AT_UCI = {"yeast": 8}
"""The number of features of domains for which the table prints another one."""


def manifest() -> dict[str, dict[str, Any]]:
    """Return the manifest of the data by domain, from PRIVBOOST_UCI or from beside the checkout."""
    named = os.environ.get("PRIVBOOST_UCI")
    folder = Path(named) if named else ROOT.parent / "shared" / "data" / "uci"
    path = folder / "MANIFEST.json"
    if not path.is_file():
        pytest.skip("needs the UCI data; set PRIVBOOST_UCI to their folder")
    rows: list[dict[str, Any]] = json.loads(path.read_text("utf-8"))["datasets"]
    return {_slug(row["name"]): row for row in rows}


def _slug(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalpha())


def test_t_s_uci__every_domain_is_in_the_data() -> None:
    assert {row.slug for row in DOMAINS} == set(manifest())


def test_t_s_uci__examples_and_features_are_those_of_the_data() -> None:
    data = manifest()
    sizes = {row.slug: (data[row.slug]["m"], data[row.slug]["n"]) for row in DOMAINS}
    assert sizes == {row.slug: (row.m, FEATURES_AT_UCI.get(row.slug, row.n)) for row in DOMAINS}


def test_t_s_uci__yeast_is_out_of_order_with_its_own_features_too() -> None:
    yeast = next(row for row in DOMAINS if row.slug == "yeast")
    above = DOMAINS[DOMAINS.index(yeast) - 1]
    assert yeast.m * FEATURES_AT_UCI["yeast"] < above.m * above.n
