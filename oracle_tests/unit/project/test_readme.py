"""What the README shows and names is real: its sessions, commands, folders and links."""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path

import pytest

from privboost.cli.app import COMMANDS, main
from privboost.oracle_tests.support.checkout import ROOT
from tools.sessions import ELLIPSIS, console_examples, is_shown

MOST_BYTES = 6000
NOT_FOLDERS_OF_THE_PROJECT = {"build", "dist", "report"}
PAGES = (
    "README.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    *(f"docs/{path.name}" for path in sorted((ROOT / "docs").glob("*.md"))),
)


README = (ROOT / "README.md").read_text("utf-8")
VERIFICATION = (ROOT / "docs" / "verification.md").read_text("utf-8")


def failures_of(session: str) -> str:
    """Run a Python session and return what differs from the output that it shows."""
    test = doctest.DocTestParser().get_doctest(session, {}, "README", "README.md", 0)
    assert test.examples, "there is nothing to run"
    said: list[str] = []
    doctest.DocTestRunner(verbose=False).run(test, out=said.append)
    return "".join(said)


def python_session(page: str) -> str:
    """Return the Python sessions of a Markdown page."""
    return "\n".join(re.findall(r"```python\n(.*?)```", page, re.DOTALL))


def make_targets() -> set[str]:
    """Return the targets of the Makefile that are for people."""
    return set(re.findall(r"^([a-z]+):.*##", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))


def folder_map(page: str) -> set[str]:
    """Return the folders that a page lists as `name/  what it is` in a block."""
    return set(re.findall(r"^([a-z_]+)/ {2,}\S", page, re.MULTILINE))


def folders() -> set[str]:
    """Return the folders of the checkout."""
    names = {path.name for path in ROOT.iterdir() if path.is_dir() and not path.name.startswith(".")}
    return {name for name in names - NOT_FOLDERS_OF_THE_PROJECT if not name.endswith(".egg-info")}


def test_readme__fits_on_two_screens() -> None:
    assert len(README.encode()) <= MOST_BYTES


def test_session__has_the_output_that_the_readme_shows() -> None:
    assert failures_of(python_session(README)) == ""


def test_session__with_another_output_is_rejected() -> None:
    assert "Expected" in failures_of(">>> 1 + 1\n3\n")


@pytest.mark.parametrize("block", [*console_examples(README), *console_examples(VERIFICATION)])
def test_console__commands_print_what_the_page_shows_in_an_empty_folder(
    block: list[tuple[str, list[str]]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    for command, shown in block:
        main(shlex.split(command)[1:])
        printed = capsys.readouterr().out
        assert is_shown(printed, shown), printed


def test_console__readme_has_one_example_for_each_command_that_users_start_with() -> None:
    commands = [command.split()[1] for block in console_examples(README) for command, _ in block]
    assert commands == ["audit", "example", "gate", "prove"]


@pytest.mark.parametrize("page", ["README.md", "docs/index.md"])
def test_hooks__number_of_domains_is_the_measured_one(page: str) -> None:
    results = (ROOT / "docs" / "fast_results.md").read_text("utf-8")
    (row,) = re.findall(r"^\| dp_ebm, which also has .*\| \d+ \| (\d+) \| \d+ \|$", results, re.MULTILINE)
    assert f"[{row} of 19 domains]" in (ROOT / page).read_text("utf-8")


def test_console__other_output_is_rejected() -> None:
    assert is_shown("first\nsecond\nlast [1]\n", ["first", ELLIPSIS, "last [1]"])
    assert not is_shown("first\nsecond\nlast [2]\n", ["first", ELLIPSIS, "last [1]"])
    assert is_shown("a long line\n", ["a …"])
    assert not is_shown("a long line\nand another\n", ["a …"])
    assert is_shown("93  676  FAIL\n", ["93  …    FAIL"])
    assert not is_shown("93  676  pass\n", ["93  …    FAIL"])


def test_commands__of_make_exist() -> None:
    named = set(re.findall(r"\bmake ([a-z]+)", README))
    assert {"report", "test"} <= named
    assert named <= make_targets()


def test_commands__of_the_command_line_exist() -> None:
    named = set(re.findall(r"\bprivboost ([a-z0-9]+) ", README)) - {"checks"}
    assert {"audit", "gate", "prove"} <= named
    assert named <= COMMANDS.keys()


def test_folders__are_those_of_the_checkout() -> None:
    assert folder_map(README) == folders()


def test_folders__missing_from_the_map_is_noticed() -> None:
    assert folder_map("reference/    the paper\n") != folders()


@pytest.mark.parametrize("page", PAGES)
def test_files__named_in_links_exist(page: str) -> None:
    text = re.sub(r"^```.*?^```", "", (ROOT / page).read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    links = re.findall(r"\]\((?!https?://|#)([^)#]+)", text)
    assert [link for link in links if not ((ROOT / page).parent / link).exists()] == []


@pytest.mark.parametrize("page", PAGES)
def test_files__named_as_paths_exist(page: str) -> None:
    """A path such as `gate/run.py` that a page names is a file of the checkout."""
    text = (ROOT / page).read_text("utf-8")
    tops = "|".join(sorted(folders()))
    paths = set(re.findall(rf"`((?:{tops})/[\w./-]+\.\w+)(?::\w+)?`", text))
    assert [path for path in sorted(paths) if not (ROOT / path).exists()] == []
