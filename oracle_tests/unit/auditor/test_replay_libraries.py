"""Releases of libraries: the hooks on stand-ins, and published mistakes of diffprivlib if it is installed."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from privboost.auditor import FindingKind, Pair, ReplayVerdict, replay

Rng = np.random.Generator
TABLES = Pair(
    "row",
    {"X": [[0.5], [0.2], [1.0]], "y": [0.1, 0.9, 1.0], "probes": []},
    {"X": [[0.5], [0.2], [-1.0]], "y": [0.1, 0.9, -1.0], "probes": []},
    "exchange",
)
needs_diffprivlib = pytest.mark.skipif(
    importlib.util.find_spec("diffprivlib") is None, reason="not installed here: see `make peers`"
)


class LaplaceBase:
    """A mechanism as diffprivlib has them."""

    def __init__(self, epsilon: float, sensitivity: float) -> None:
        self.epsilon, self.sensitivity, self.delta = epsilon, sensitivity, 0.0

    def randomise(self, value: float) -> float:
        """Return the value with noise."""
        if not self.sensitivity:
            return value
        return float(value + np.random.laplace(scale=self.sensitivity / self.epsilon))


class LaplaceChild(LaplaceBase):
    """A mechanism that calls that of its base class, which is one release."""

    def randomise(self, value: float) -> float:
        """Return the value with noise, not below 0."""
        return max(super().randomise(value), 0.0)


class NamedMeasurement:
    """A measurement as OpenDP has them: it gets data, and states its loss by a map."""

    def map(self, distance: int) -> float:
        """Return the loss at a distance."""
        return 1.0 * distance

    def __call__(self, data: list[float]) -> float:
        """Return the sum with noise."""
        return float(sum(data) + np.random.laplace())


@pytest.fixture
def stand_ins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put modules with the mechanisms in the place of the libraries."""
    for kind in (LaplaceBase, LaplaceChild):
        monkeypatch.setattr(kind, "__module__", "diffprivlib.mechanisms")
    monkeypatch.setattr(NamedMeasurement, "__module__", "opendp.mod")
    for name, members in (
        ("diffprivlib.mechanisms", {"Laplace": LaplaceBase, "LaplaceFolded": LaplaceChild}),
        ("opendp.mod", {"Measurement": NamedMeasurement}),
    ):
        module = ModuleType(name)
        vars(module).update(members)
        monkeypatch.setitem(sys.modules, name, module)


CALLS: dict[str, tuple[Callable[[Any, Rng], Any], ReplayVerdict, float | None]] = {
    "mechanism": (
        lambda rows, _: LaplaceBase(0.5, 1.0).randomise(sum(rows)),
        ReplayVerdict.NOTHING_FOUND,
        0.5,
    ),
    "inherited": (
        lambda rows, _: LaplaceChild(0.5, 1.0).randomise(sum(rows)),
        ReplayVerdict.NOTHING_FOUND,
        0.5,
    ),
    "no noise": (lambda rows, _: LaplaceBase(1.0, 0.0).randomise(sum(rows)), ReplayVerdict.FINDING, None),
    "measurement": (lambda rows, _: NamedMeasurement()(rows), ReplayVerdict.NOTHING_FOUND, 1.0),
    "two measurements": (
        lambda rows, _: [NamedMeasurement()(rows), NamedMeasurement()(rows)],
        ReplayVerdict.FINDING,
        2.0,
    ),
}


@pytest.mark.usefixtures("stand_ins")
@pytest.mark.parametrize("name", CALLS)
def test_release__is_recorded_as_a_whole(name: str) -> None:
    function, verdict, loss = CALLS[name]
    methods = [vars(kind)["randomise"] for kind in (LaplaceBase, LaplaceChild)]
    result = replay(function, ([1.0, 0.5], [0.0, 0.5]), epsilon=1.0, seed=1)
    (entry,) = result.pairs
    assert result.verdict is verdict, str(result)
    assert entry.releases == (2 if name == "two measurements" else 1)
    assert entry.draws == 0
    assert loss is None or entry.loss == pytest.approx(loss)
    assert [vars(kind)["randomise"] for kind in (LaplaceBase, LaplaceChild)] == methods


@needs_diffprivlib
def test_linear_regression__issue_105_is_found_at_its_line() -> None:
    """The sensitivity of a square reads the lower bound twice, so that it is 0 for bounds from 0 to 1."""
    models = pytest.importorskip("diffprivlib.models")
    model = models.LinearRegression(epsilon=1, bounds_X=(0, 1), bounds_y=(0, 1), fit_intercept=False)
    left, right = ({"X": [[0.5], [0.25], [last]], "y": [0.1, 0.9, 1.0], "probes": []} for last in (1.0, 0.0))
    result = replay(model, Pair("row", left, right, "exchange"), seed=1)
    found = {finding.kind: finding for finding in result.pairs[0].findings}
    release = found[FindingKind.UNNOISED_RELEASE]
    assert release.site.startswith("linear_regression.py:")
    assert (release.name, release.limit, release.amount) == ("LaplaceFolded", 0.0, 1.0)


@needs_diffprivlib
def test_linear_regression__issue_104_spends_more_than_its_budget() -> None:
    """The means of X and of y both get the share of one: the releases state 1.5 at a claim of 1."""
    models = pytest.importorskip("diffprivlib.models")
    model = models.LinearRegression(epsilon=1, bounds_X=(-1, 1), bounds_y=(-1, 1))
    (entry,) = replay(model, TABLES, seed=1).pairs
    assert entry.spent == pytest.approx(1.5)
    assert entry.loss is not None
    assert entry.loss > 1
    assert FindingKind.LOSS in {finding.kind for finding in entry.findings}


@needs_diffprivlib
def test_sound_tools__are_not_accused() -> None:
    tools = pytest.importorskip("diffprivlib.tools")

    def noisy_mean(rows: list[float], _: Rng) -> float:
        return float(tools.mean(np.array(rows), epsilon=1, bounds=(0, 1)))

    result = replay(
        noisy_mean, inputs="vector:8,low=0,high=1,size=8", relation="exchange", epsilon=1.0, seed=1
    )
    assert result.verdict is ReplayVerdict.NOTHING_FOUND, str(result)
