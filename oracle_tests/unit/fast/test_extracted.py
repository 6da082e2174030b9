"""The backend that runs the program extracted from Coq."""

from __future__ import annotations

import os
import random
import stat
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from privboost.errors import ExtractedProgramError, PreconditionError
from privboost.fast import PrivateBoostedTreesClassifier
from privboost.fast.growth.extracted import VARIABLE
from privboost.oracle_tests.support.ocaml import needs_ocaml
from tools.extraction import build_program, realistic_fit

X = np.random.default_rng(0).random((400, 2))
Y = (X[:, 0] > 0.5).astype(int)


def make_estimator(**choices: Any) -> PrivateBoostedTreesClassifier:
    """Return an estimator that fits with the extracted program."""
    return PrivateBoostedTreesClassifier(2.0, domain=(0, 1), classes=(0, 1), backend="extracted", **choices)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the program."""
    target = tmp_path_factory.mktemp("extracted") / "program"
    build_program(target)
    return target


def write_program(path: Path, script: str) -> None:
    """Write an executable script."""
    path.write_text(f"#!/bin/sh\n{script}\n", "utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


@needs_ocaml
def test_extracted__a_fit_learns_and_is_guaranteed(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(program))
    model = make_estimator(n_trees=10, depth=3, inputs_are_public=True).fit(X, Y)
    assert len(model.trees_) == 10
    assert model.privacy_ledger_.statement == "guaranteed"
    assert (model.predict(X) == Y).mean() > 0.6
    assert not np.array_equal(model.fit(X, Y).trees_[0].values, model.fit(X, Y).trees_[0].values)


@needs_ocaml
def test_extracted__realistic_fits_are_those_of_fast(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(program))
    source = random.Random(5)
    fits = [realistic_fit(source) for _ in range(3)]
    assert all(fit.is_conforming for fit in fits)
    assert min(fit.trees for fit in fits) >= 12


@needs_ocaml
def test_extracted__constant_weights_are_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    changes = {"programs": ("if Numbers.lt signed_margin Numbers.zero", "if true")}
    build_program(tmp_path / "program", changes)
    monkeypatch.setenv(VARIABLE, str(tmp_path / "program"))
    assert not realistic_fit(random.Random(5)).is_equal


def test_extracted__a_missing_program_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "nothing"))
    with pytest.raises(ExtractedProgramError, match="make extracted"):
        make_estimator().fit(X, Y)


@pytest.mark.skipif(os.name != "posix", reason="the program is a shell script")
@pytest.mark.parametrize("script", ["cat > /dev/null; echo row 17 >&2; exit 2", 'cat > /dev/null; echo "{}"'])
def test_extracted__a_crash_tells_nothing_about_rows(
    script: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_program(tmp_path / "program", script)
    monkeypatch.setenv(VARIABLE, str(tmp_path / "program"))
    with pytest.raises(ExtractedProgramError, match="ended without a model") as caught:
        make_estimator().fit(X, Y)
    assert "17" not in str(caught.value)


@pytest.mark.parametrize(
    ("choices", "argument"),
    [
        ({"random_state": 0}, "random_state"),
        ({"protocol": "sound"}, "protocol"),
        ({"delta": 1e-6}, "delta"),
        ({"split_law": "exponential"}, "protocol"),
    ],
)
def test_extracted__what_it_cannot_do_is_refused(choices: dict[str, object], argument: str) -> None:
    with pytest.raises(PreconditionError, match=argument):
        make_estimator(**choices).fit(X, Y)


def test_extracted__backends_are_named() -> None:
    with pytest.raises(PreconditionError, match="backend"):
        PrivateBoostedTreesClassifier(domain=(0, 1), classes=(0, 1), backend="coq").fit(X, Y)
