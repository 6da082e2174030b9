"""The test vectors on disk are those of the reference, and the comparison reports differences."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest

from privboost.errors import PreconditionError
from privboost.gate.trees.cases.cases_train import MIXED_DOMAIN, PARAMETERS, is_robust, request
from privboost.gate.trees.cases.flags import FLAGS
from privboost.gate.trees.expected.ask import ANSWERS, expected_of
from privboost.gate.trees.expected.learner import Excluded
from privboost.gate.trees.expected.values import leaf_setting
from privboost.gate.trees.implementations.reference import ReferenceImplementation
from privboost.gate.trees.operations.operations import OPERATIONS
from privboost.gate.trees.operations.operations_of_learner import SOUND
from privboost.gate.trees.operations.requests import Arguments
from privboost.gate.vectors.encoding import encode_value
from privboost.gate.vectors.files import number_of
from privboost.gate.vectors.generate import compare_vectors
from privboost.oracle_tests.support.checkout import ROOT
from privboost.oracle_tests.support.gate_checks import PROFILE
from privboost.reference.exact import Number, enclose, exact
from privboost.reference.learners.leaves import raw_leaf_value
from privboost.reference.losses import inverse_link, m_alpha, select
from privboost.reference.trees.risks import Mass

VECTORS = ROOT / "gate" / "trees" / "vectors"


@pytest.fixture(scope="module")
def contents() -> dict[str, bytes]:
    """Return the content of every vector file, which the next test compares with the reference."""
    return {path.name: path.read_bytes() for path in VECTORS.glob("*.json")}


def test_vectors__on_disk_are_the_bytes_of_the_reference() -> None:
    assert {
        name: difference for name, difference in compare_vectors(PROFILE, VECTORS).items() if difference
    } == {}


@pytest.mark.parametrize("operation", ANSWERS)
def test_vectors__have_unique_ids_and_values_of_every_kind(
    contents: dict[str, bytes], operation: str
) -> None:
    cases = json.loads(contents[f"{operation}.json"])["cases"]
    assert len({case["id"] for case in cases}) == len(cases)
    assert any("refused" in case for case in cases)
    # Draws have no exact value, but no draws have: an empty list.
    values = [case["value"] for case in cases if "value" in case]
    assert any(values) != operation.startswith("sample_")
    assert values
    assert [case["id"] for case in cases if ("refused" in case) != case["id"].startswith("refused")] == []


def test_vectors__are_many_and_small(contents: dict[str, bytes]) -> None:
    documents = [json.loads(content) for content in contents.values()]
    assert sum(document["count"] for document in documents) == sum(len(d["cases"]) for d in documents)
    assert sum(document["count"] for document in documents) >= 2000
    assert sum(map(len, contents.values())) < 1_900_000


MADE_BY_CHECKS = {"clipped", "printed-root", "saturated"}
"""Flags that checks give to a failure by what was answered; no case has them."""


def test_vectors__every_flag_is_explained_and_used(contents: dict[str, bytes]) -> None:
    used: set[str] = set()
    for content in contents.values():
        document = json.loads(content)
        flags = {flag for case in document["cases"] for flag in case["flags"]}
        assert document["notes"] == {flag: FLAGS[flag] for flag in sorted(flags)}
        assert all(case["flags"] for case in document["cases"])
        used |= flags
    assert used | MADE_BY_CHECKS == set(FLAGS)
    assert not used & MADE_BY_CHECKS


def _round(string: str) -> str:
    """Return an argument rounded to double precision."""
    try:
        return str(Fraction(float(Fraction(string))))
    except (ValueError, OverflowError):
        return string


def test_vectors__can_be_met_in_double_precision(contents: dict[str, bytes]) -> None:
    """With arguments rounded to doubles, the value is within a quarter of the tolerance."""
    missed = []
    for operation in [name for name in ANSWERS if name not in ("train", "predict", "split_scores")]:
        for case in json.loads(contents[f"{operation}.json"])["cases"]:
            args = {
                key: _round(value) if isinstance(value, str) else value for key, value in case["args"].items()
            }
            if "value" not in case or args == case["args"] or "decimal" not in case["value"]:
                continue
            slack = OPERATIONS[operation].tolerance.slack(case["args"])
            rounded, exact_value = encode_value(expected_of(operation, args)), number_of(case["value"])
            if abs(number_of(rounded) - exact_value) > slack(exact_value) / 4:
                missed.append((operation, case["id"]))
    assert missed == []


@pytest.mark.parametrize("operation", ["leaf_value", "update_weight"])
def test_vectors__nothing_is_rounded_near_a_step_of_the_grid(
    contents: dict[str, bytes], operation: str
) -> None:
    near = []
    for case in json.loads(contents[f"{operation}.json"])["cases"]:
        args = case["args"]
        if "refused" in case or args["rule"] in ("noisy_masses", "mirror"):
            continue
        steps = before_grid(operation, args) / Fraction(args["grid"])
        lower = enclose(steps, 64).lo
        if abs(lower - round(lower)) < Fraction(1, 10**6) and steps != round(lower):
            near.append(case["id"])
    assert near == []


def before_grid(operation: str, args: dict[str, Any]) -> Number:
    """Return the number that a case rounds down to the grid."""
    a = Arguments(operation, args)
    if operation == "update_weight":
        weight = exact(select(inverse_link(m_alpha(a["alpha"]), -a["y"] * a["margin"])))
        bound: Fraction = a["weight_bound"]
        return min(weight, bound)
    return raw_leaf_value(leaf_setting(a), Mass(a["positive"], a["negative"]))


def test_vectors__tapes_that_doubles_could_round_differently_are_detected() -> None:
    one = PARAMETERS | {"trees": "1"}
    args = request(SOUND | {"leaf": "link_clamp_noise"}, one, MIXED_DOMAIN, [], Random(0))
    # Four against one: the link is 3/2, a step of the grid that doubles miss.
    rows = [{"x": [0, 0, 0], "y": 1}] * 4 + [{"x": [0, 0, 0], "y": -1}]
    assert not is_robust(args | {"rows": rows})
    assert is_robust(args | {"rows": [*rows, rows[0]]})


def _delete_last_case(document: bytes) -> bytes:
    lines = document.split(b"\n")
    lines[-5:-3] = [lines[-5].rstrip(b",")]
    return b"\n".join(lines)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (
            lambda difference: difference.replace(b'"decimal": "0.75"', b'"decimal": "0.76"', 1),
            "first difference at case loss=square",
        ),
        (_delete_last_case, "got no such case"),
        (lambda difference: difference + b" ", "the cases agree but the bytes do not"),
        (lambda difference: difference[:-10], "expected valid JSON"),
        (lambda _: b"[1, 2]", "expected an object"),
        (lambda _: None, "missing"),
    ],
)
def test_vectors__damage_is_reported(
    contents: dict[str, bytes], tmp_path: Path, damage: Callable[[bytes], bytes | None], message: str
) -> None:
    for name, content in contents.items():
        changed = damage(content) if name == "bayes_risk.json" else content
        if changed is not None:
            (tmp_path / name).write_bytes(changed)
    differences = {
        name: difference for name, difference in compare_vectors(PROFILE, tmp_path).items() if difference
    }
    assert list(differences) == ["bayes_risk.json"]
    assert message in differences["bayes_risk.json"]


def test_vectors__stray_file_is_reported(contents: dict[str, bytes], tmp_path: Path) -> None:
    for name, content in (contents | {"stray.json": b"{}"}).items():
        (tmp_path / name).write_bytes(content)
    assert compare_vectors(PROFILE, tmp_path)["stray.json"] == "not a vector file of this version"


def test_expected__arguments_that_only_the_reference_excludes_are_unsupported() -> None:
    args = {"rule": "accumulated", "alpha": "0", "y": "1", "margin": "1", "weight_bound": "1", "grid": "1/8"}
    with pytest.raises(Excluded):
        expected_of("update_weight", args)
    with pytest.raises(NotImplementedError):
        ReferenceImplementation().answer("update_weight", args)
    for refused in ({"alpha": "-1"}, {"grid": "0"}, {"temperature": "1"}):
        with pytest.raises(PreconditionError) as error:
            ReferenceImplementation().answer("update_weight", args | refused)
        assert not isinstance(error.value, Excluded)
