"""Stubs of a loss, a mechanism or a claim belong to lines that exist, parse, and are filled in."""

from __future__ import annotations

import ast
import os
import re
import shutil
import sys
from pathlib import Path

import pytest

from privboost.errors import UsageError
from privboost.proofs_check.book.sections import read_section, try_section
from tools import ROOT, new
from tools.layers import FOLDERS

PLANS = {
    "loss": lambda root: new.plan_loss(root, "brand_new"),
    "mechanism": lambda root: new.plan_mechanism(root, "brand_new", new.MECHANISM),
    "broken mechanism": lambda root: new.plan_mechanism(root, "brand_new", new.BROKEN_MECHANISM),
    "claim": lambda root: new.plan_claim(root, "defPF.brand-new"),
    "claim after another": lambda root: new.plan_claim(root, "brand-new", "defPF"),
    "own claim": lambda root: new.plan_claim(root, "defPF.brand-new", ours=True),
}


@pytest.fixture(scope="module", params=PLANS)
def contents(request: pytest.FixtureRequest) -> dict[str, str]:
    """Return the files that one kind of stub changes."""
    return PLANS[request.param](ROOT)


def test_new__stubs_parse_and_name_what_is_new(contents: dict[str, str]) -> None:
    for path, content in contents.items():
        assert "brand_new" in content or "BRAND_NEW" in content or "brand-new" in content, path
        if path.endswith(".py"):
            ast.parse(content)


def test_new__something_is_left_to_fill_in(contents: dict[str, str]) -> None:
    assert sum(content.count(new.MARK) for content in contents.values()) >= 2


def test_new__loss_is_in_every_list_of_losses() -> None:
    contents = PLANS["loss"](ROOT)
    assert len(contents) == 11
    nodes = [
        node for path in contents if path.endswith(".py") for node in ast.walk(ast.parse(contents[path]))
    ]
    words = [node.elts for node in nodes if isinstance(node, ast.Tuple)]
    words += [[key for key in node.keys if key] for node in nodes if isinstance(node, ast.Dict)]
    lists = [items for items in ([*map(ast.unparse, each)] for each in words) if "'square'" in items]
    assert len(lists) == 5
    assert [items for items in lists if "'brand_new'" not in items] == []


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        (lambda: new.plan_loss(ROOT, "square"), "a loss that does not exist"),
        (lambda: new.plan_mechanism(ROOT, "laplace", new.MECHANISM), "a mechanism that does not exist"),
        (lambda: new.plan_claim(ROOT, "defPF"), "one that the ledger does not have"),
        (lambda: new.plan_claim(ROOT, "unheard-of"), "an entry with the label 'unheard-of'"),
    ],
)
def test_new__existing_name_is_refused(plan: object, message: str) -> None:
    assert callable(plan)
    with pytest.raises(UsageError, match=message):
        plan()


@pytest.mark.parametrize("kind", ["claim", "claim after another", "own claim"])
def test_new__claim_is_an_entry_that_the_reader_complains_about(kind: str) -> None:
    ((path, content),) = PLANS[kind](ROOT).items()
    section, problems = try_section(path, content)
    assert "brand-new" not in {entry.key for entry in section.entries}
    assert [problem.problem for problem in problems] == ["expected a declared variable, got 'TODO'"]
    filled_in = content.replace("TODO: hypotheses, or delete this line", "0 ≤ x")
    filled_in = filled_in.replace("TODO: the conclusion", "0 ≤ 2·x").replace(
        "TODO: a wrong conclusion", "0 < x"
    )
    before = len(read_section(path, (ROOT / path).read_text("utf-8")).entries)
    assert len(read_section(path, filled_in).entries) == before + 1


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with copies of the files that a loss changes, in which stubs are written."""
    for path in {edit.path for edit in new.LOSS} | {"pyproject.toml"}:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, tmp_path / path)
    monkeypatch.setattr(new, "ROOT", tmp_path)
    return tmp_path


def test_new__nothing_is_written_if_an_anchor_is_missing(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (checkout / "examples/port/losses.js").write_text("")
    before = {path: path.read_bytes() for path in checkout.rglob("*") if path.is_file()}
    assert new.main(["loss", "brand_new"]) == 2
    assert "nothing was written" in capsys.readouterr().err
    assert {path: path.read_bytes() for path in checkout.rglob("*") if path.is_file()} == before


@pytest.mark.usefixtures("capsys")
def test_new__losses_are_added_one_after_the_other(checkout: Path) -> None:
    names = ("brand_new", "another_with_quite_a_long_name")
    assert [new.main(["loss", name]) for name in names] == [0, 0]
    for path in {edit.path for edit in new.LOSS}:
        content = (checkout / path).read_text("utf-8").lower()
        counts = {content.count(name) for name in names}
        assert len(counts) == 1, path
        assert counts != {0}, path


@pytest.mark.usefixtures("capsys")
def test_new__formulas_of_the_model_are_in_methods_of_their_own(checkout: Path) -> None:
    assert new.main(["loss", "brand_new"]) == 0
    tree = ast.parse((checkout / new.MODEL).read_text("utf-8"))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    marked = {node.name for node in functions if new.MARK in ast.unparse(node)}
    assert marked == {f"brand_new_{name}" for name in ("risk", "partial", "link", "inverse", "surrogate")}
    called = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    assert marked <= called


def test_new__writes_all_files_for_a_reader_who_stops_reading(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    end, start = os.pipe()
    os.close(end)
    with os.fdopen(start, "w") as closed:
        monkeypatch.setattr(sys, "stdout", closed)
        assert new.main(["loss", "brand_new"]) == 0
    assert (checkout / "reference/losses/brand_new.py").exists()


@pytest.mark.parametrize("kind", new.NEXT)
def test_new__prints_commands_of_the_page(kind: str) -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    steps = [new.fill_in(step, "KEY" if kind == "claim" else "NAME") for step in new.NEXT[kind]]
    commands = [step for step in steps if re.match("make|pytest|privboost", step)]
    assert commands
    assert [command for command in commands if command not in page] == []


def test_checkout__has_no_stub_that_is_not_filled_in() -> None:
    folders = [*FOLDERS, "docs"]
    assert [line for line in new.marked_lines(ROOT, folders) if "unit/project/test_new.py" not in line] == []


def test_checkout__stub_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "fast").mkdir()
    (tmp_path / "fast" / "new.py").write_text("x = 1  # TODO: the value\n")
    assert list(new.marked_lines(tmp_path, ["fast"])) == ["fast/new.py:1: x = 1  # TODO: the value"]
