"""The demo: its page is written and opened, also after an interrupt. `test_browser` has a whole run."""

from __future__ import annotations

import re
import webbrowser
from collections.abc import Callable
from pathlib import Path

import pytest

from privboost import progress
from privboost.cli.app import main
from privboost.cli.report import demo_parts
from privboost.cli.report.part import ReportPart, good
from privboost.oracle_tests.support.command_line import Run
from privboost.oracle_tests.support.waiting import wait_until
from privboost.pages import Html, Section


def part(*, as_expected: bool = True) -> Callable[[], ReportPart]:
    """Return a part that is quick."""
    return lambda: ReportPart(
        Section("one", "The first part", Html("")), good("DONE"), "It is done", as_expected
    )


def interrupt() -> ReportPart:
    """Be interrupted by the user."""
    raise KeyboardInterrupt


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the addresses that are opened in a browser, on a machine with a display."""
    addresses: list[str] = []
    monkeypatch.setattr(webbrowser, "open", addresses.append)
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr(demo_parts, "PARTS", {"do something": part()})
    return addresses


def test_demo__opens_the_page_whose_path_it_prints(
    opened: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = run("demo")
    path = Path("privboost-demo/index.html")
    assert (code, opened) == (0, [path.resolve().as_uri()])
    assert out.endswith(f"The page: {path}\n")
    assert "part 1 of 1: do something" in err


def test_demo__shows_progress_within_a_long_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines: list[str] = []

    def long_part() -> ReportPart:
        pattern = r"part 2 of 2: two; \d+ s, about \d+ s left"
        assert wait_until(lambda: any(re.search(pattern, line) for line in lines))
        return part()()

    monkeypatch.setattr(progress, "write_message", lambda _, line: lines.append(line))
    monkeypatch.setattr(progress, "SECONDS_ELSEWHERE", 0.0)
    monkeypatch.setattr(demo_parts, "PARTS", {"one": part(), "two": long_part})
    assert main(["demo", "-o", str(tmp_path), "--no-open"]) == 0


@pytest.mark.parametrize("display", [True, False])
def test_demo__opens_nothing_where_it_should_not(
    display: bool, opened: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not display:
        monkeypatch.setattr("sys.platform", "linux")
        monkeypatch.delenv("DISPLAY")
        monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    options = ["--no-open"] if display else []
    assert main(["demo", "-o", str(tmp_path), *options]) == 0
    assert opened == []
    assert (tmp_path / "index.html").is_file()


@pytest.mark.usefixtures("opened")
def test_demo__interrupt_keeps_the_parts_that_are_complete(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    monkeypatch.setattr(demo_parts, "PARTS", {"one": part(), "two": interrupt})
    code, out, _ = run("demo", "-o", str(tmp_path))
    assert (code, "It is done." in out) == (130, True)
    page = (tmp_path / "index.html").read_text("utf-8")
    assert "? INTERRUPTED" in page
    assert "The first part" in page


@pytest.mark.usefixtures("opened")
def test_demo__other_result_than_expected_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo_parts, "PARTS", {"one": part(as_expected=False)})
    assert main(["demo", "-o", str(tmp_path)]) == 1
    assert "NOT AS EXPECTED" in (tmp_path / "index.html").read_text("utf-8")
