"""The page on architecture: its picture is drawn from the table, and its lists of files can be followed."""

from __future__ import annotations

import re

import pytest

from privboost.oracle_tests.support.checkout import ROOT
from tools.architecture import draw
from tools.layers import FOLDERS, import_graph, module_of

PAGE = (ROOT / "docs" / "architecture.md").read_text("utf-8")
JOURNEYS = {
    title: re.findall(r"^\d+\. `(.+?)`", body, re.MULTILINE)
    for title, body in re.findall(r"^### `(.*?)`\n(.*?)(?=^#|\Z)", PAGE, re.MULTILINE | re.DOTALL)
}


def unreachable(paths: list[str], graph: dict[str, set[str]]) -> list[str]:
    """Return the files that no earlier file of the list imports, directly or through a package."""
    modules = [module_of(path) for path in paths]

    def leads_to(earlier: str, module: str) -> bool:
        package = module.rpartition(".")[0]
        through = package in graph[earlier] and module in graph[package]
        return module in graph[earlier] or through

    return [
        paths[index]
        for index in range(1, len(paths))
        if not any(leads_to(earlier, modules[index]) for earlier in modules[:index])
    ]


@pytest.fixture(scope="module")
def graph() -> dict[str, set[str]]:
    """Return the imports of each module."""
    files = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")]
    return import_graph({path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in files})


def test_architecture__picture_is_drawn_from_the_table() -> None:
    assert (ROOT / "docs" / "architecture.svg").read_text("utf-8") == draw(FOLDERS)


def test_architecture__follows_six_commands() -> None:
    assert [title.split()[0] for title in JOURNEYS] == [
        "privboost",
        "PrivateBoostedTreesClassifier().fit(X,",
        *["privboost"] * 4,
    ]


@pytest.mark.parametrize("title", JOURNEYS)
def test_architecture__every_file_is_imported_by_an_earlier_one(
    title: str, graph: dict[str, set[str]]
) -> None:
    assert len(JOURNEYS[title]) > 5
    assert unreachable(JOURNEYS[title], graph) == []


def test_architecture__file_that_nothing_leads_to_is_noticed(graph: dict[str, set[str]]) -> None:
    assert unreachable(["cli/app.py", "fast/domain.py"], graph) == ["fast/domain.py"]
