"""docs/gate_protocol.md, the schemas and the readers are made from the table of operations."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing
from fractions import Fraction
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from privboost.cli.app import main
from privboost.errors import PreconditionError
from privboost.gate.check import Status
from privboost.gate.checks.vectors import VectorCheck
from privboost.gate.pages.protocol import BLOCK, blocks, protocol_page, request_schema, schema_files
from privboost.gate.pages.skeletons import LANGUAGES, skeleton
from privboost.gate.plan import GatePlan
from privboost.gate.profile import Profile
from privboost.gate.profiles import load_profile
from privboost.gate.protocol.hello import HELLO
from privboost.gate.run import run_gate, run_plan
from privboost.gate.targets.naming import load_target
from privboost.gate.trees.cases.cases_of_table import TABLE_CASES
from privboost.gate.trees.implementations.reference import ReferenceImplementation
from privboost.gate.trees.levels import Level
from privboost.gate.trees.operations.operations import OPERATIONS, WITH_HELLO
from privboost.gate.trees.operations.ranges import MEANINGS
from privboost.gate.trees.operations.requests import Arguments
from privboost.gate.vectors.files import all_vectors
from privboost.oracle_tests.support.checkout import ROOT
from privboost.oracle_tests.support.gate_checks import CHECKS, PROFILE
from privboost.targets.conversation import Answer

LONGEST_CELL = 200


@pytest.fixture(scope="module")
def page() -> str:
    """Return the page of the protocol."""
    return (ROOT / "docs" / "gate_protocol.md").read_text("utf-8")


@pytest.fixture(scope="module")
def validator() -> Any:
    """Return a validator of requests."""
    return jsonschema.Draft202012Validator(request_schema(PROFILE))


def test_protocol__page_and_schemas_are_made_from_the_table(page: str) -> None:
    assert protocol_page(PROFILE, page) == page, "make protocol"
    assert {match[1] for match in BLOCK.finditer(page)} == set(blocks(PROFILE))
    folder = ROOT / "gate" / "trees" / "schemas"
    assert {name: (folder / name).read_text("utf-8") for name in schema_files(PROFILE)} == schema_files(
        PROFILE
    ), "make protocol"


def test_protocol__page_explains_every_word_and_argument(page: str) -> None:
    prose = BLOCK.sub(lambda match: match[0] if match[1] not in ("arguments", "protocols") else "", page)
    words = {
        word for operation in OPERATIONS.values() for each in operation.words().values() for word in each
    }
    assert [word for word in sorted(words) if f"`{word}`" not in prose] == []
    names = {name for operation in OPERATIONS.values() for name, _ in operation.every_argument()}
    assert names == set(MEANINGS)


def test_protocol__page_has_no_long_cells(page: str) -> None:
    rows = [line for line in page.splitlines() if line.lstrip().startswith("|")]
    assert max(len(cell) for row in rows for cell in row.split("|")) <= LONGEST_CELL


def test_protocol__page_links_only_to_files_that_exist(page: str) -> None:
    for link in re.findall(r"\]\(([^)#]+)", page):
        assert (ROOT / "docs" / link).is_file()


def test_protocol__example_of_train_has_the_answer_of_the_reference(page: str) -> None:
    request, answer = (
        json.loads(block) for block in re.findall(r"^ {4}(\{\"id\": 8.*?\}\})$", page, re.M | re.S)
    )
    assert ReferenceImplementation().answer(request["op"], request["args"]) == answer["result"]


@pytest.mark.parametrize("operation", [HELLO, *OPERATIONS.values()], ids=lambda operation: operation.name)
def test_protocol__examples_of_the_table_are_valid(operation: Any, validator: Any) -> None:
    for example in operation.examples:
        Arguments(operation.name, example)
        validator.validate({"id": 0, "op": operation.name, "args": example})


def test_schema__refuses_what_is_missing_unknown_or_not_a_number(validator: Any) -> None:
    flags = {"missing-argument", "unknown-argument", "unknown-word", "nan", "no-number", "infinity"}
    cases = [case for case in TABLE_CASES.wrong_requests() if flags & set(case.flags)]
    accepted = [
        (case.op, case.id)
        for case in cases
        if validator.is_valid({"id": 0, "op": case.op, "args": case.args})
    ]
    assert accepted == []
    assert len(cases) > 300


@pytest.mark.parametrize(
    ("name", "given", "expected"),
    [
        ("hello", {}, ["protocol"]),
        ("link", {"loss": "square"}, ["loss", "u"]),
        ("link", {"loss": "m_alpha"}, ["loss", "u", "alpha"]),
        ("update_weight", {"rule": "mirror"}, ["rule", "alpha", "y", "weight", "beta", "value"]),
        ("update_weight", {"rule": ["mirror"]}, ["rule", "alpha", "y"]),
    ],
)
def test_protocol__arguments_depend_on_words(
    name: str, given: Mapping[str, object], expected: list[str]
) -> None:
    assert list(WITH_HELLO[name].arguments_of(given)) == expected


@pytest.mark.parametrize(
    ("op", "change", "message"),
    [
        ("link", {"u": "5/4"}, "u: expected number, 0 ≤ x ≤ 1, got 5/4"),
        ("leaf_budget", {"trees": "3/2"}, "trees: expected integer ≥ 1, got 3/2"),
        ("leaf_budget", {"epsilon": True}, "epsilon: expected a finite number .*, got True"),
        ("leverage", {"nets": []}, "`values` and `nets` have the same length"),
        ("train", {"rows": []}, r"rows: expected a list of at least 1, got \[\]"),
    ],
)
def test_arguments__refusal_names_the_argument(op: str, change: Mapping[str, Any], message: str) -> None:
    with pytest.raises(PreconditionError, match=message):
        Arguments(op, dict(OPERATIONS[op].examples[0]) | dict(change))


COMMANDS: dict[str, tuple[str, tuple[str, ...], str]] = {
    "python": ("skeleton.py", (), f"cmd:{sys.executable} skeleton.py"),
    "javascript": ("skeleton.js", ("node", "--check", "skeleton.js"), "cmd:node skeleton.js"),
    "c": ("skeleton.c", ("cc", "-Wall", "-Werror", "-o", "skeleton", "skeleton.c", "-lm"), "cmd:./skeleton"),
}
"""By language: the file of a skeleton, how to compile or check it, and its name as a target."""


def _build_skeleton(profile: Profile, language: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Write and compile a skeleton in a folder, which becomes the current one; return the target."""
    name, compiler, target = COMMANDS[language]
    if compiler and shutil.which(compiler[0]) is None:
        pytest.skip(f"{compiler[0]} is not installed")
    monkeypatch.chdir(folder)
    (folder / name).write_text(skeleton(profile, language), "utf-8")
    if compiler:
        subprocess.run(compiler, check=True)
    return target


@pytest.mark.parametrize("language", LANGUAGES)
def test_skeleton__greets_and_answers_one_operation(
    language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = _build_skeleton(PROFILE, language, tmp_path, monkeypatch)
    checks = [check for check in CHECKS if check.level in (Level.VALUES, Level.REFUSAL)]
    with closing(load_target(target)) as program:
        result = run_gate(program, checks=checks)
    assert not result.failures
    assert result.hello is not None
    assert result.hello.operations == frozenset(OPERATIONS)
    passed = {each.check.split("/")[1] for each in result.outcomes if each.status is Status.PASS}
    assert passed - {"hello", *(check.id.split("/")[1] for check in checks[:3])} == {PROFILE.page.complete}


@pytest.mark.parametrize("language", LANGUAGES)
def test_skeleton__of_mechanisms_answers_one_rule_of_accounting(
    language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    profile = load_profile("mechanisms")
    target = _build_skeleton(profile, language, tmp_path, monkeypatch)
    result = run_plan(GatePlan(target, profile, only=["wire", "group-epsilon"]))
    assert not result.failures
    assert result.coverage.answered == {profile.page.complete}


def test_skeleton__option_prints_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["gate", "--skeleton", "c"]) == 0
    assert capsys.readouterr().out == skeleton(PROFILE, "c")


# Rules of the table ------------------------------------------------------------------------------------


def members(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield the paths of all members of objects in arguments; of a list, those of its first entry."""
    if isinstance(value, Mapping):
        for name, entry in value.items():
            yield (*path, name)
            yield from members(entry, (*path, name))
    elif isinstance(value, list) and value:
        yield from members(value[0], (*path, ""))


def at(value: Any, path: tuple[str, ...]) -> Any:
    """Return the part of a value at a path; of a list, of its first entry."""
    for name in path:
        value = value[name] if name else value[0]
    return value


@pytest.mark.parametrize("op", ["train", "predict", "leaf_value", "split_scores"])
def test_rule__every_member_of_every_object_is_removed_once(op: str) -> None:
    refused = [vector.case.args for vector in all_vectors(PROFILE) if vector.case.op == op and vector.refused]
    for example in (each for each in OPERATIONS[op].examples if "seed" not in each):
        # The noise of a tape depends on the leaf rule, and is checked by the conditions of the operation.
        for path in (path for path in members(example) if "noise" not in path[:-1] or op != "train"):
            *inner, name = path
            rest = {key: entry for key, entry in at(example, tuple(inner)).items() if key != name}
            assert any(has_at(args, tuple(inner), rest) for args in refused), path


def has_at(args: Any, path: tuple[str, ...], expected: Any) -> bool:
    """Return whether arguments have a value at a path."""
    try:
        return bool(at(args, path) == expected)
    except (KeyError, IndexError, TypeError):
        return False


@pytest.mark.parametrize(
    ("op", "names"),
    [
        ("train", ["refused seeded seed=-1", "refused seeded seed=one", "refused seeded without seed"]),
        ("bayes_risk", ["refused u=1+2^-80", "refused u=0-2^-1100", "refused u=1001", "refused u=true"]),
        (
            "leaf_budget",
            ["refused trees=1-2^-80", "refused beta_tree=1+2^-80", "range-end beta_tree=1-2^-53"],
        ),
        ("sample_laplace", ["repeated example", "spelling count='0.0'", "spelling seed='2/2'"]),
        ("split_scores", ["huge rows=[x=[9007199254740991]]", "spelling rows=[x=[0.0]]"]),
        ("surrogate", ["loss=matsushita z=-2^40", "loss=log z=-8000", f"huge z={1 << 100}"]),
        ("train", ["repeated parameters=epsilon=3/4", "repeated protocol=relation=add_remove"]),
        ("split_law", ["law=exponential scores=forty equal epsilon=1 sensitivity=1"]),
    ],
)
def test_rule__requests_are_sent(op: str, names: list[str]) -> None:
    sent = [vector.case.id for vector in all_vectors(PROFILE) if vector.case.op == op]
    assert [name for name in names if not any(each.endswith(f"/{name}") for each in sent)] == []


@pytest.mark.parametrize(("answer", "status"), [("three", "pass"), ("refused", "pass"), ("six", "fail")])
def test_rule__other_spelling_is_the_same_number_or_refused(answer: str, status: str) -> None:
    (check,) = (check for check in CHECKS if check.id == "values/leaf_budget")
    assert isinstance(check, VectorCheck)
    (vector,) = (each for each in check.vectors if each.case.id.endswith("spelling trees='6/2'"))
    right = Fraction(1, 6)
    answers = {"three": Answer(result=str(right)), "six": Answer(result=str(right / 2))}
    assert check.judge(vector, answers.get(answer, Answer(error="no"))).status == status
