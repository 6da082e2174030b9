"""What the README shows and names is real: the session's output, the commands, the folders."""

from __future__ import annotations

import doctest
import re

from privboost.cli import COMMANDS

from .checkout import ROOT, needs_checkout

pytestmark = needs_checkout

NOT_FOLDERS_OF_THE_PROJECT = {"build", "dist", "report"}


def readme() -> str:
    """Return the README."""
    return (ROOT / "README.md").read_text("utf-8")


def failures_of(session: str) -> str:
    """Run a Python session and return what differs from the output that it shows."""
    test = doctest.DocTestParser().get_doctest(session, {}, "README", "README.md", 0)
    assert test.examples, "there is nothing to run"
    said: list[str] = []
    doctest.DocTestRunner(verbose=False).run(test, out=said.append)
    return "".join(said)


def session_of(text: str) -> str:
    """Return the Python sessions of a Markdown page."""
    return "\n".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL))


def make_targets() -> set[str]:
    """Return the targets of the Makefile that are for people."""
    return set(re.findall(r"^([a-z]+):.*##", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))


def folder_map(text: str) -> set[str]:
    """Return the folders that a page lists as `name/  what it is` in a block."""
    return set(re.findall(r"^([a-z_]+)/ {2,}\S", text, re.MULTILINE))


def folders() -> set[str]:
    """Return the folders of the checkout."""
    names = {path.name for path in ROOT.iterdir() if path.is_dir() and not path.name.startswith(".")}
    return {name for name in names - NOT_FOLDERS_OF_THE_PROJECT if not name.endswith(".egg-info")}


def test_session__has_the_output_that_the_readme_shows() -> None:
    assert failures_of(session_of(readme())) == ""


def test_session__with_another_output_is_rejected() -> None:
    assert "Expected" in failures_of(">>> 1 + 1\n3\n")


def test_commands__of_make_exist() -> None:
    named = set(re.findall(r"\bmake ([a-z]+)", readme()))
    assert {"report", "test"} <= named
    assert named <= make_targets()


def test_commands__of_the_command_line_are_all_named_and_all_exist() -> None:
    named = set(re.findall(r"^privboost ([a-z0-9]+)", readme(), re.MULTILINE))
    assert named == {command.__name__.rpartition(".")[2] for command in COMMANDS}


def test_folders__are_those_of_the_checkout() -> None:
    assert folder_map(readme()) == folders()


def test_folders__missing_from_the_map_is_noticed() -> None:
    assert folder_map("reference/    the paper\n") != folders()


def test_files__named_in_links_exist() -> None:
    links = re.findall(r"\]\((?!https?://|#)([^)#]+)", readme())
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []
