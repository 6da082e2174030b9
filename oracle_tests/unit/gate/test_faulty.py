"""Faulty implementations are rejected by the label that they violate; correct ones agree and refuse."""

from __future__ import annotations

import io
import json
import re
from fractions import Fraction
from typing import Any

import pytest

from privboost.errors import UsageError
from privboost.gate.check import Check
from privboost.gate.kill_matrix import Kill, kill_matrix
from privboost.gate.run import every_check, run_gate
from privboost.gate.targets.in_process import PythonTarget
from privboost.gate.targets.naming import load_implementation
from privboost.gate.trees.cases.cases_train import PARAMETERS
from privboost.gate.trees.faulty import MISTAKES, MODULES, Port, load
from privboost.gate.trees.levels import Level
from privboost.gate.trees.operations.operations_of_learner import SOUND
from privboost.oracle_tests.support.checkout import ROOT
from privboost.oracle_tests.support.gate_checks import PROFILE
from privboost.targets.host import serve

PAGE = ROOT / "docs" / "faulty.md"
IMPLEMENTATIONS = ("fast", "reference", "faulty:none")
CERTAIN = (Level.VALUES, Level.REFUSAL)

QUICK = {
    "entropy-base-e": "pbr",
    "tie-paid-in-full": "eqpartialloss",
    "plateau-halved": "f-alphaM",
    "perspective-nan": "defpt",
    "leaf-risk-mean": "defMECH",
    "sensitivity-without-root": "sensALPHA",
    "sharp-m-plus-one": "sharp-sensitivity",
    "budget-level-from-one": "fixEPSILON",
    "leaf-scale-relation": "sec-solv",
    "alpha-uncapped": "fixALPHA",
    "law-overflows": "expSPLIT",
    "round-to-nearest": "predDT",
    "leverage-not-over-m": "cboost",
    "weight-may-vanish": "defwunMF",
    "labels-by-sign": "eqpartialloss",
}
"""One mistake for every label of the values, rejected by deterministic checks."""


def test_faulty__there_are_enough_mistakes_and_every_one_is_listed_once() -> None:
    assert len(MISTAKES) >= 254
    files = (ROOT / "gate" / "trees" / "faulty").glob("mistakes_*.py")
    assert sorted(f"mistakes_{name}.py" for name in MODULES) == sorted(path.name for path in files)


def test_faulty__mistakes_have_labels_of_the_gate_and_one_sentence() -> None:
    labels = {check.label for check in every_check(PROFILE)}
    wrong = [
        name
        for name, mistake in MISTAKES.items()
        if mistake.label not in labels or not re.fullmatch(r"[A-Z0-9].*[^.]\.", mistake.description)
    ]
    assert not wrong


def test_faulty__mistakes_differ_from_each_other() -> None:
    descriptions = [mistake.description for mistake in MISTAKES.values()]
    assert len(set(descriptions)) == len(descriptions)


@pytest.fixture(scope="module")
def checks_by_label() -> dict[str, list[Check]]:
    """Return the checks of values and refusals by label."""
    checks: dict[str, list[Check]] = {}
    for check in every_check(PROFILE):
        if check.level in CERTAIN:
            checks.setdefault(check.label, []).append(check)
    return checks


@pytest.mark.parametrize("name", QUICK)
def test_faulty__is_rejected_by_its_own_label(name: str, checks_by_label: dict[str, list[Check]]) -> None:
    checks = checks_by_label[QUICK[name]]
    result = run_gate(PythonTarget(name, load(name)), CERTAIN, checks=checks)
    assert (MISTAKES[name].label, {failure.label for failure in result.failures}) == (
        QUICK[name],
        {QUICK[name]},
    )


def test_kill_matrix__shows_all_labels_and_conforms() -> None:
    counts: list[tuple[int, int]] = []
    table = kill_matrix(
        PROFILE,
        lambda *count: counts.append(count),
        names=("none", "labels-by-sign"),
        levels=(Level.REFUSAL,),
        workers=1,
    )
    assert (counts[0], counts[-1]) == ((0, 1), (1, 1))
    assert [row[:4] for row in table.rows] == [
        ("none", "", "nothing", ""),
        ("labels-by-sign", "eqpartialloss", "eqpartialloss", ""),
    ]
    assert table.conforming


def test_kill_matrix__does_not_conform_where_a_mistake_survives() -> None:
    # No check of the refusals looks at a law.
    table = kill_matrix(PROFILE, names=("law-base-2",), levels=(Level.REFUSAL,), workers=1)
    assert (table.conforming, table.rows[0][2:4]) == (False, ("", "UNEXPECTED"))


def test_kill_matrix__lists_a_mistake_that_is_known_to_pass_as_not_caught() -> None:
    table = kill_matrix(PROFILE, names=("laplace-2-percent-small",), levels=(Level.REFUSAL,), workers=1)
    assert (table.conforming, table.rows[0][2]) == (True, "")
    assert "2 percent" in table.rows[0][3]
    assert table.summary == "0 of 1 mistakes rejected by the label that they violate, 1 not caught"


def test_kill_matrix__is_void_where_a_correct_implementation_is_rejected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # A check that rejects everything would otherwise kill every mistake.
    monkeypatch.setattr("privboost.gate.kill_matrix.judge", lambda *_: Kill("", (("expSPLIT", 1),), ()))
    table = kill_matrix(PROFILE, names=("none", "law-base-2"), workers=1)
    assert (table.conforming, [row[:3] for row in table.rows]) == (False, [("none", "", "AN ERROR")])
    assert "does not pass" in table.summary


def test_kill_matrix__a_mistake_that_others_reject_is_not_judged_right() -> None:
    assert not Kill("expSPLIT", (("pbr", 3),), ()).is_right
    assert not Kill("", (("pbr", 3),), ()).is_right
    assert not Kill("expSPLIT", (("expSPLIT", 3),), ("values: KeyError",)).is_right


@pytest.mark.skipif(not PAGE.exists(), reason="the pages are in the checkout, not in the wheel")
def test_faulty_page__lists_every_mistake_with_its_label_or_as_not_caught() -> None:
    cells = r"^\| ([a-z0-9-]+) \| ([\w-]*) \| ([^|]*) \| ([^|]*) \|"
    rows = re.findall(cells, PAGE.read_text("utf-8"), re.MULTILINE)
    expected = [("none", "", "nothing", "")]
    for name, mistake in MISTAKES.items():
        expected.append((name, mistake.label, "" if mistake.missed else mistake.label, mistake.missed))
    # The first two rows are the head and the rule below it.
    assert [tuple(cell.strip() for cell in row) for row in rows[2:]] == expected


def test_faulty__some_mistakes_are_known_to_pass_but_at_most_one_in_twenty() -> None:
    missed = [name for name, mistake in MISTAKES.items() if mistake.missed]
    assert 0 < len(missed) <= len(MISTAKES) / 20


def test_load__suggests_similar_names() -> None:
    with pytest.raises(UsageError, match=r"such as zeta-missing.*, got 'zeta-mising'") as refused:
        load("zeta-mising")
    assert len(str(refused.value)) < 200
    with pytest.raises(UsageError, match=r"docs/faulty.md, such as .*, got 'qqqq'"):
        load("qqqq")


TRAINING: dict[str, Any] = {
    "protocol": SOUND | {"relation": "add_remove"},
    "parameters": PARAMETERS | {"depth": "1", "alphas": ["1/2"], "boost_alpha": "1/2"},
    "domain": [{"kind": "quantised", "n_values": 3}],
    "rows": [{"x": [0], "y": 1}, {"x": [1], "y": -1}, {"x": [2], "y": -1}],
}
NOISE = [{"positive": "1/4", "negative": "-1/1024"}, {"positive": "0", "negative": "1"}]
TAPE = [{"choices": ["x0 >= 1"], "noise": NOISE}, {"choices": ["x0 >= 2"], "noise": NOISE[::-1]}]


def numbers_of(value: Any) -> Any:
    """Return a result with all numbers as floats."""
    if isinstance(value, dict):
        return {name: numbers_of(part) for name, part in value.items()}
    if isinstance(value, list):
        return [numbers_of(part) for part in value]
    if isinstance(value, str) and re.fullmatch(r"-?\d+(/\d+)?", value):
        return float(Fraction(value))
    return value


def test_implementations__agree_on_a_tape() -> None:
    results = [
        numbers_of(load_implementation(name, PROFILE).answer("train", TRAINING | {"tape": TAPE}))
        for name in IMPLEMENTATIONS
    ]
    assert [result["total"] for result in results] == [0.75 + 0.25] * 3
    assert results[1]["trees"][0]["splits"] == results[2]["trees"][0]["splits"] == ["x0 >= 1"]
    for result in results[1:]:
        for mine, tree in zip(results[0]["trees"], result["trees"], strict=True):
            assert pytest.approx(mine["values"]) == tree["values"]
            assert mine["masses"] == tree["masses"]
            assert mine["beta"] == pytest.approx(tree["beta"], rel=1e-12)


@pytest.mark.parametrize("name", IMPLEMENTATIONS)
def test_implementations__a_seed_gives_the_same_model_again(name: str) -> None:
    implementation = load_implementation(name, PROFILE)
    first, again, other = (
        implementation.answer("train", TRAINING | {"seed": seed}) for seed in ("5", "5", "6")
    )
    assert first == again
    assert first["trees"] != other["trees"]


REFUSED = {
    "leaf_risk": ({"alpha": "1", "positive": "nan", "negative": "1"}, "positive"),
    "sensitivity": ({"rule": "sharp", "alpha": "1", "m": "0", "weight_bound": "1"}, "m"),
    "leaf_budget": ({"epsilon": "0", "beta_tree": "1/2", "trees": "1"}, "epsilon"),
    "sample_laplace": ({"scale": "-1", "grid": "1", "seed": "1", "count": "1"}, "scale"),
    "train": (TRAINING | {"seed": "1", "rows": [{"x": [3], "y": 1}]}, "x"),
    "calibrated_alpha": ({"error": "1", "root_error": "1", "other": "1"}, "other"),
}


@pytest.mark.parametrize("name", IMPLEMENTATIONS)
@pytest.mark.parametrize("op", REFUSED)
def test_implementations__refuse_with_the_argument_named(name: str, op: str) -> None:
    args, named = REFUSED[op]
    with pytest.raises(ValueError, match=rf"\b{named}\b.*got"):
        load_implementation(name, PROFILE).answer(op, args)


@pytest.mark.parametrize("name", IMPLEMENTATIONS)
def test_implementations__say_that_an_unknown_operation_is_unsupported(name: str) -> None:
    with pytest.raises(NotImplementedError, match="no operation 'sing'"):
        load_implementation(name, PROFILE).answer("sing", {})


def test_serve__answers_every_line_and_survives_bad_ones() -> None:
    lines = [
        '{"id": 1, "op": "leaf_budget", "args": {"epsilon": "1", "beta_tree": "1/2", "trees": "2"}}',
        "no JSON",
        "[1]",
        '{"id": 2, "op": 3, "args": {}}',
        '{"id": 3, "op": "sing", "args": {}}',
        '{"id": 4, "op": "leaf_budget", "args": {}}',
    ]
    output = io.BytesIO()
    serve(Port(), io.BytesIO("\n".join(lines).encode()), output)
    answers = [json.loads(line) for line in output.getvalue().splitlines()]
    kinds = [(answer["id"], *(set(answer) - {"id"})) for answer in answers]
    assert kinds == [
        (1, "result"),
        (None, "error"),
        (None, "error"),
        (2, "error"),
        (3, "unsupported"),
        (4, "error"),
    ]


def test_serve__does_not_pass_a_crash_off_as_a_refusal() -> None:
    class Crashing(Port):
        def answer(self, op: str, args: Any) -> Any:
            return 1 / len(args) if op else super().answer(op, args)

    with pytest.raises(ZeroDivisionError):
        serve(Crashing(), io.BytesIO(b'{"id": 1, "op": "link", "args": {}}'), io.BytesIO())
