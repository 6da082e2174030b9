"""Stubs of a loss, a mechanism or a claim belong to lines that exist, parse, and are filled in."""

from __future__ import annotations

import ast
import shutil
from pathlib import Path

import pytest

from privboost.errors import UsageError
from tools import ROOT, new
from tools.layers import FOLDERS

PLANS = {
    "loss": lambda root: new.plan_loss(root, "brand_new"),
    "mechanism": lambda root: new.plan_mechanism(root, "brand_new", new.MECHANISM),
    "broken mechanism": lambda root: new.plan_mechanism(root, "brand_new", new.BROKEN_MECHANISM),
    "claim": lambda root: new.plan_claim(root, "defPF.brand-new"),
    "claim after another": lambda root: new.plan_claim(root, "brand-new", "defPF"),
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


def test_new__nothing_is_written_if_an_anchor_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for edit in new.LOSS:
        (tmp_path / edit.path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / edit.path, tmp_path / edit.path)
    (tmp_path / "examples/port/losses.js").write_text("")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    monkeypatch.setattr(new, "ROOT", tmp_path)
    assert new.main(["loss", "brand_new"]) == 2
    assert "nothing was written" in capsys.readouterr().err
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_checkout__has_no_stub_that_is_not_filled_in() -> None:
    folders = [*FOLDERS, "docs"]
    assert [line for line in new.marked_lines(ROOT, folders) if "unit/project/test_new.py" not in line] == []


def test_checkout__stub_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "fast").mkdir()
    (tmp_path / "fast" / "new.py").write_text("x = 1  # TODO: the value\n")
    assert list(new.marked_lines(tmp_path, ["fast"])) == ["fast/new.py:1: x = 1  # TODO: the value"]
