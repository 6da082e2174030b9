"""The project's own steps through the check of stability: risks and nets of the reference, rows of `fast`.

Each has a wrong twin, which the same check refutes.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from privboost.auditor import StabilityResult, StabilityVerdict, check_stability
from privboost.auditor.pairs.samples import sample_from
from privboost.fast import Categorical, Domain, Numeric
from privboost.fast.admission import Admission, Invalid
from privboost.fast.labels import Labels
from privboost.fast.protocol import GRID
from privboost.fast.rows.parts import LocalRows, class_masses, histograms
from privboost.reference.data import initial_weights
from privboost.reference.data.domain import Threshold
from privboost.reference.exact import Number
from privboost.reference.losses import SQUARE, ZERO_ONE, Loss
from privboost.reference.privacy.sensitivity import sharp_sensitivity
from privboost.reference.trees.risks import leaf_masses, leaf_risk, total_risk
from privboost.reference.trees.tree import ROOT, Tree

NONE_FOUND, COUNTEREXAMPLE = StabilityVerdict.NONE_FOUND, StabilityVerdict.COUNTEREXAMPLE
SIZE = 5
EXAMPLES = f"strings:{SIZE},categories=00-|00+|01-|01+|10-|10+|11-|11+"
SAMPLES = f"{EXAMPLES},size={SIZE}"
HALF = Fraction(1, 2)
LEVEL = Tree().grow(ROOT, Threshold(0, 1))
"""A tree of two leaves, whose risk is that of a level; and one of four."""
TREE = LEVEL.grow((0,), Threshold(1, 1)).grow((1,), Threshold(1, 1))


# The reference --------------------------------------------------------------------------------------------


def risk_of(loss: Loss, tree: Tree) -> Callable[[list[str]], Number]:
    """Return the risk of all leaves of a tree as a function of a sample."""
    return lambda rows: total_risk(loss, tree, initial_weights(sample_from(rows)))


def risk_of_a_leaf(loss: Loss) -> Callable[[list[str]], Number]:
    """Return the risk of one of four leaves as a function of a sample."""

    def risk(rows: list[str]) -> Any:
        masses = leaf_masses(TREE, initial_weights(sample_from(rows)))
        return leaf_risk(loss, masses[0, 0])

    return risk


def nets(rows: list[str]) -> list[Number]:
    """Return the net masses of all leaves."""
    masses = leaf_masses(TREE, initial_weights(sample_from(rows)))
    return [mass.positive - mass.negative for mass in masses.values()]


@pytest.mark.claim("th3P")
@pytest.mark.parametrize("loss", [SQUARE, ZERO_ONE], ids=lambda loss: loss.name)
@pytest.mark.parametrize("tree", [None, LEVEL, TREE], ids=["leaf", "level", "tree"])
def test_th3p__risks_move_by_at_most_the_sharp_sensitivity(loss: Loss, tree: Tree | None) -> None:
    """The sharp value w_bar m L(1/m) is attained, so any smaller bound is refuted."""
    sharp = Fraction(str(sharp_sensitivity(loss, SIZE, HALF)))
    risk = risk_of_a_leaf(loss) if tree is None else risk_of(loss, tree)
    claim: dict[str, Any] = {"inputs": SAMPLES, "relation": "exchange", "seed": 1}
    right = check_stability(risk, bound=sharp, n_inputs=400, **claim)
    assert right.verdict is NONE_FOUND, str(right)
    wrong = check_stability(risk, bound=sharp - Fraction(1, 1000), **claim)
    assert wrong.verdict is COUNTEREXAMPLE, str(wrong)


@pytest.mark.parametrize(
    ("relation", "bound", "inputs"),
    [("add_remove", HALF, EXAMPLES), ("exchange", Fraction(1), SAMPLES)],
)
def test_nets__of_all_leaves_move_by_the_weight_of_a_row(relation: str, bound: Fraction, inputs: str) -> None:
    claim: dict[str, Any] = {"inputs": inputs, "relation": relation, "distance": "l1", "seed": 1}
    assert check_stability(nets, bound=bound, n_inputs=400, **claim).verdict is NONE_FOUND
    assert check_stability(nets, bound=bound - Fraction(1, 1000), **claim).verdict is COUNTEREXAMPLE


# The fast learner -----------------------------------------------------------------------------------------

SCHEMA = """
[age]
lo = 18
hi = 91
missing = true
[dose]
lo = 0
hi = 10
[smoker]
categories = ["no", "yes"]
[ill]
categories = ["a", "b"]
"""
DOMAIN = Domain(
    (
        Numeric("age", 18.0, 91.0, 8, missing=True),
        Numeric("dose", 0.0, 10.0, 8),
        Categorical("smoker", ("no", "yes")),
    )
)
RELATIONS = {
    "exchange": "exchange",
    "change_value": "exchange",
    "insert_delete": "insert_delete",
    "add_remove": "symmetric",
}
"""Relations, and the distance by which one step moves the admitted rows by one."""
Table = dict[str, Any]


def columns_of(data: Table) -> tuple[Any, Any]:
    """Return the rows and labels of a data set as arrays of objects, which have columns also without rows."""
    rows = np.empty((len(data["X"]), len(DOMAIN.features)), dtype=object)
    for row, cells in enumerate(data["X"]):
        rows[row] = cells
    labels = np.empty(len(data["y"]), dtype=object)
    labels[:] = data["y"]
    return rows, labels


def admit_with(invalid: Invalid) -> Callable[[Table], Any]:
    """Return the admitted rows, codes and sign, as a function of a data set."""

    def admit(data: Table) -> Any:
        codes, signs = Admission(DOMAIN, Labels("a", "b"), invalid).rows(*columns_of(data))
        return np.vstack([codes, signs]).T.tolist()

    return admit


def ranks(data: Table) -> Any:
    """Return the wrong twin: codes that are ranks among the rows."""
    rows, labels = columns_of(data)
    columns = [
        np.unique([repr(cell) for cell in column], return_inverse=True)[1] for column in (*rows.T, labels)
    ]
    return np.array(columns).reshape(len(columns), -1).T.tolist()


@pytest.fixture
def check(tmp_path: Path) -> Callable[..., StabilityResult]:
    """Return a function that checks a step on tables of the schema, and on others beyond it."""
    (tmp_path / "schema.toml").write_text(SCHEMA)
    inputs = f"table:{tmp_path / 'schema.toml'},label=ill"

    def run(step: Callable[[Table], Any], **claim: Any) -> StabilityResult:
        given: dict[str, Any] = {"inputs": inputs, "seed": 1, "n_inputs": 200, "beyond": True}
        return check_stability(step, **given | claim)

    return run


@pytest.mark.parametrize("relation", RELATIONS)
def test_admission__moves_by_one_row_also_beyond_the_schema(
    check: Callable[..., StabilityResult], relation: str
) -> None:
    claim = {"relation": relation, "distance": RELATIONS[relation], "bound": 1}
    for invalid in ("lowest", "drop"):
        distance = (
            {"distance": "symmetric", "bound": 2} if invalid == "drop" and relation != "add_remove" else {}
        )
        result = check(admit_with(invalid), **claim | distance)
        assert result.verdict is NONE_FOUND, str(result)
        assert result.inputs_beyond > 50
        assert result.beyond == ()
    assert check(ranks, **claim).verdict is COUNTEREXAMPLE


def test_admission__that_raises_reveals_rows_beyond_the_schema_only(
    check: Callable[..., StabilityResult],
) -> None:
    """No error is about a row that is as described, and `raise_and_reveal` says what it does to others."""
    result = check(admit_with("raise_and_reveal"), distance="symmetric", bound=1)
    assert result.verdict is NONE_FOUND
    assert {"nan", "wrong_type", "outside_bounds"} & {key for pair in result.beyond for key in pair.classes}


@pytest.mark.parametrize("relation", ["add_remove", "exchange"])
def test_masses__of_all_leaves_and_values_move_by_the_weight_of_a_row(
    check: Callable[..., StabilityResult], relation: str
) -> None:
    admission, rows_moved = Admission(DOMAIN, Labels("a", "b")), 2 if relation == "exchange" else 1

    def masses(data: Table) -> Any:
        return LocalRows.in_memory(*admission.rows(*columns_of(data))).ask(class_masses, 1)

    def table(data: Table) -> Any:
        rows = LocalRows.in_memory(*admission.rows(*columns_of(data)))
        return rows.ask(histograms, np.ones(1, dtype=bool), DOMAIN.bins)

    for step, weight in ((masses, GRID // 2), (table, len(DOMAIN.features) * GRID // 2)):
        claim = {"relation": relation, "distance": "l1"}
        right = check(step, bound=rows_moved * weight, **claim)
        assert right.verdict is NONE_FOUND, str(right)
        assert right.beyond == ()
        assert check(step, bound=rows_moved * weight - 1, **claim).verdict is COUNTEREXAMPLE
