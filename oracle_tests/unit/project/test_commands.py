"""The commands of the README and of docs/ run as written in an empty folder.

Every command line in a block of code is parsed, and every file that it names must have been written by an
earlier command of the same page, such as `privboost example gate`.
"""

from __future__ import annotations

import contextlib
import re
import shlex
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from privboost.cli.app import COMMANDS, main, make_parser
from privboost.cli.commands.example import EXAMPLES, files_of
from privboost.oracle_tests.support.checkout import ROOT
from tools.sessions import files_of_page

PAGES = (
    "README.md",
    *(f"docs/{path.name}" for path in sorted((ROOT / "docs").glob("*.md"))),
    "examples/programs/README.md",
    "examples/port/README.md",
)
IN_THEIR_FOLDER = {"examples/programs/README.md": "programs"}
"""Pages that say to write an example first and then show commands for its folder."""
OWN_TARGETS = {"bank", "broken", "fast", "faulty", "reference", "cmd"}
BLOCK = re.compile(r"^```[a-z]*\n(.*?)^```|^((?: {4}\S.*\n)+)", re.DOTALL | re.MULTILINE)
COMMAND = re.compile(r"^(?:\$ |    |time )*((?:privboost|cc|cd|echo|node|pytest|python) .*)$", re.MULTILINE)
PLACEHOLDER = re.compile(r"\b[A-Z]{3,}\b")
FILE = re.compile(r"(?<![{\w])(?:\./)?[\w/-]+\.(?:py|js|json|txt|toml|csv|c|sqlite)(?!\w)|\./\w+")


def commands_of(page: str) -> Iterator[str]:
    """Yield the command lines in the blocks of a page, without prompts and comments."""
    for block in BLOCK.finditer(page):
        joined = (block[1] or block[2]).replace("\\\n", " ")
        for line in COMMAND.findall(joined):
            yield from (part.strip() for part in line.partition("  #")[0].split("&&"))


def files_named(command: str) -> set[str]:
    """Return the files that a command reads, as far as its arguments show; a module counts as its file."""
    words = shlex.split(command)
    names = {name.removeprefix("./") for word in words for name in FILE.findall(word)}
    for flag, word in pairwise(words):
        target = re.fullmatch(r"(\w+):\w+", word)
        if target and target[1] not in OWN_TARGETS and flag not in ("--pattern", "--input"):
            names.add(f"{target[1]}.py")
    return names - {word for flag, word in pairwise(words) if flag in ("--store", "-o", "--json")}


def missing_files(page: str, folder: dict[str, bytes]) -> list[str]:
    """Return the commands of a page that name a file which no earlier command has written."""
    present, outputs, missing = {*folder, *files_of_page(page)}, set[str](), []
    for command in commands_of(page):
        words = shlex.split(command)
        if words[0] == "echo":
            present.add(words[-1])
            continue
        output = words[words.index("-o") + 1] if "-o" in words else None
        if words[:2] == ["privboost", "example"]:
            present |= {name if output is None else f"{output}/{name}" for name in files_of(words[2])}
            continue
        if words[0] == "cd":
            present = {name.removeprefix(f"{words[1]}/") for name in present}
            continue
        wanted = files_named(command) if not PLACEHOLDER.search(command) else set()
        in_checkout = words[0] == "python" or "docs/" in command
        absent = {name for name in wanted if name.split("/")[0] not in outputs} - present
        missing += [f"{command}: {name}" for name in sorted(absent) if not in_checkout]
        if output is not None:
            (present if words[0] == "cc" else outputs).add(output)
    return missing


def test_commands__are_found() -> None:
    counts = {page: len(list(commands_of((ROOT / page).read_text("utf-8")))) for page in PAGES}
    assert counts["README.md"] >= 4
    assert counts["docs/audit.md"] >= 8
    assert counts["docs/gate.md"] >= 5
    assert counts["docs/study.md"] >= 5


@pytest.mark.parametrize("page", PAGES)
def test_commands__have_options_that_exist(page: str, capsys: pytest.CaptureFixture[str]) -> None:
    for command in commands_of((ROOT / page).read_text("utf-8")):
        words = shlex.split(command)
        if words[0] == "privboost":
            assert words[1] in COMMANDS, command
            with contextlib.suppress(SystemExit):
                make_parser(words[1:]).parse_args(words[1:])
                continue
            pytest.fail(f"{command}: {capsys.readouterr().err}")


@pytest.mark.parametrize("page", PAGES)
def test_commands__name_only_files_that_were_written_before(page: str) -> None:
    folder = files_of(IN_THEIR_FOLDER[page]) if page in IN_THEIR_FOLDER else {}
    assert missing_files((ROOT / page).read_text("utf-8"), folder) == []


@pytest.mark.parametrize(
    "command",
    [
        "privboost gate first:First",
        "privboost audit mine.py:f --pairs pairs.json",
        "privboost gate 'cmd:./impl'",
    ],
)
def test_commands__file_that_nobody_wrote_is_noticed(command: str) -> None:
    assert missing_files(f"```\n$ {command}\n```\n", {})


@pytest.mark.parametrize("name", EXAMPLES)
def test_example__writes_the_files_of_the_checkout(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["example", name]) == 0
    assert main(["example", name]) == 0, "the same files again are no conflict"
    written = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert written == {path.name: path.read_bytes() for path in (ROOT / "examples" / name).iterdir()}


def test_example__list_is_that_of_the_folders(capsys: pytest.CaptureFixture[str]) -> None:
    assert {path.name for path in (ROOT / "examples").iterdir()} == set(EXAMPLES)
    assert main(["example"]) == 0
    printed = capsys.readouterr().out
    assert [name for name in EXAMPLES if name not in printed] == []


def test_example__keeps_a_file_of_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("pairs.json").write_text("[]")
    assert main(["example", "audit"]) == 2
    assert "pairs.json: expected no such file" in capsys.readouterr().err
    assert Path("pairs.json").read_text() == "[]"
    assert not Path("mine.py").exists()


def test_example__unknown_name_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["example", "nothing"]) == 2
    assert "NAME: expected one of audit, programs" in capsys.readouterr().err


def test_example__files_are_those_that_the_pages_show() -> None:
    audit, gate = ((ROOT / "docs" / name).read_text("utf-8") for name in ("audit.md", "gate.md"))
    assert f"```python\n{files_of('audit')['mine.py'].decode()}```" in audit
    assert f"```json\n{files_of('audit')['pairs.json'].decode()}```" in audit
    assert f"```python\n{files_of('gate')['impl.py'].decode()}```" in gate
    assert f"```\n{files_of('gate')['known_failures.txt'].decode()}```" in gate


def test_audit__first_example_of_the_page_prints_its_last_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (ROOT / "docs" / "audit.md").read_text("utf-8")
    (shown,) = re.findall(r"^VIOLATION: mine:noisy_sum.*$", page, re.MULTILINE)
    commands = [
        command for command in commands_of(page) if "mine:noisy_sum" in command or "--replay" in command
    ]
    monkeypatch.chdir(tmp_path)
    assert main(["example", "audit"]) == 0
    for command in commands[:2]:
        main(shlex.split(command)[1:])
        assert capsys.readouterr().out.rstrip().endswith(shown)
