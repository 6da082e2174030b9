"""Files, names and folders that would mislead, break or stop the command line."""

from __future__ import annotations

import json
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest

from privboost.auditor.claims import parse_claim
from privboost.cli import app
from privboost.errors import PreconditionError, UsageError
from privboost.fast import Domain
from privboost.gate.known_failures import parse_xfails
from privboost.oracle_tests.support.fuzzing import fuzz
from privboost.progress import timing
from privboost.reference.losses import LOG
from privboost.reference.losses.forms import inverse_link
from privboost.strict_json import parse

MODULE = """
def escaping(data, rng):
    raise ValueError("\\x1b[31mred\\x07")

def noisy(data, rng):
    return data + rng.laplace()

def strange(data, rng):
    return complex(float("nan") if rng.random() < 0.5 else data, float("inf"))
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / f"hostile_{tmp_path.name}.py").write_text(MODULE)
    return tmp_path


@pytest.fixture
def in_time() -> Iterator[None]:
    """Fail if a test takes more than a minute, where seconds are enough."""
    before = time.monotonic()
    yield
    assert time.monotonic() - before < 60


@pytest.mark.parametrize("function", ["escaping", "noisy", "strange"])
@pytest.mark.parametrize("name", ["a\x1b[31mb\x9b\u202e", "a\ud800b"])
def test_audit__control_characters_reach_no_terminal_page_or_plot(
    folder: Path, capsys: pytest.CaptureFixture[str], function: str, name: str
) -> None:
    (folder / "pairs.json").write_text(json.dumps([{"left": 0, "right": 1, "name": name}]))
    target = f"hostile_{folder.name}.py:{function}"
    arguments = ["audit", target, "--epsilon", "1", "--pairs", "pairs.json", "--calls", "60", "-o", "made"]
    assert app.main(arguments) in (1, 4)
    out, err = capsys.readouterr()
    assert not {*out, *err} & {"\x1b", "\x07", "\x9b", "\u202e", "\ud800"}
    for plot in (folder / "made").glob("*.svg"):
        ElementTree.parse(plot)
    for page in (folder / "made").glob("*.html"):
        assert not set(page.read_text("utf-8")) & {"\x1b", "\x07", "\x9b", "\u202e"}


@pytest.mark.parametrize(
    "arguments",
    [
        ("audit", "bank:randomised_response", "--calls", "200", "-o", "made"),
        ("gate", "fast", "--only", "f-alphaM", "--level", "values", "--html", "made/gate.html"),
    ],
)
def test_full_disk__exits_2_after_the_verdict(folder: Path, arguments: tuple[str, ...]) -> None:
    def no_space() -> None:
        # A file that may not grow fails as on a full disk; pipes have no such limit.
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))

    done = subprocess.run(
        [sys.executable, "-m", "privboost", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=no_space,
    )
    assert done.returncode == 2
    assert "output: expected to write" in done.stderr
    assert done.stdout.splitlines()[-1].startswith(("CONSISTENT", "CONFORMING", "INCONCLUSIVE"))


def test_audit__a_planted_link_is_not_followed(folder: Path) -> None:
    (folder / "made").mkdir()
    (folder / "victim").write_text("precious")
    for name in ("calls.new", "calls.jsonl", "report.html"):
        (folder / "made" / name).symlink_to(folder / "victim")
    app.main(["audit", "bank:randomised_response", "--calls", "60", "-o", "made"])
    assert (folder / "victim").read_text() == "precious"


DEEP, LONG = "[" * 900 + "]" * 900, "1" + "0" * 400
FILES = {
    "repeated member": "{" + ", ".join(f'"k{index}": 1' for index in [*range(60_000), 5]) + "}",
    "nested": DEEP,
    "open": "[" * 100_000,
    "digits": "9" * 10_000_000,
}


@pytest.mark.usefixtures("in_time")
@pytest.mark.parametrize("content", FILES.values(), ids=FILES)
def test_json__is_refused_in_linear_time_with_a_short_message(content: str) -> None:
    with pytest.raises(PreconditionError) as refused:
        parse(content, "file")
    assert len(str(refused.value)) < 300


@pytest.mark.usefixtures("in_time")
@pytest.mark.parametrize(
    "content", [DEEP, "[" * 100_000, f"[[{LONG}, 0.1]]", "[[NaN, 0.1]]", '{"a": 1}', "[1]"]
)
def test_claim__in_a_broken_file_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "c.json").write_text(content)
    with pytest.raises(PreconditionError, match="claim: expected"):
        parse_claim(str(tmp_path / "c.json"))


SCHEMAS = {
    "lists as categories": ("s.json", '{"a": {"categories": [[1], {}]}}'),
    "large integers": ("s.json", f'{{"a": {{"integers": [{LONG}, {LONG}]}}}}'),
    "nested": ("s.json", f'{{"a": {DEEP}}}'),
    "nested in TOML": ("s.toml", f"a = {DEEP}"),
    "large TOML": ("s.toml", "#" * ((1 << 20) + 1)),
}


@pytest.mark.parametrize(("name", "content"), SCHEMAS.values(), ids=SCHEMAS)
def test_schema__in_a_broken_file_is_refused(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(PreconditionError) as refused:
        Domain.from_schema(tmp_path / name)
    assert len(str(refused.value)) < 1000


@pytest.mark.usefixtures("in_time")
def test_xfails__long_entries_are_refused() -> None:
    with pytest.raises(UsageError, match="at most 500 characters, got 60007"):
        parse_xfails("values/" + "[" * 60_000)
    with pytest.raises(UsageError, match="at most 10000 entries, got 20000"):
        parse_xfails("values/x\n" * 20_000)
    for entry in parse_xfails("values/" + "[" * 493 + "\n" + "values/*" * 60):
        assert not any(entry.may_match(f"learner/{index}") for index in range(200))


@pytest.mark.usefixtures("in_time")
@pytest.mark.parametrize("z", [10**9, -(10**9)])
def test_inverse_link__of_the_log_loss_is_bounded(z: int) -> None:
    with pytest.raises(PreconditionError, match="log loss: expected a prediction from -65536 to 65536"):
        inverse_link(LOG, z)
    assert inverse_link(LOG, 1000).lo < 1


def test_progress__says_how_long_it_takes() -> None:
    assert timing(6.0, 0, 10) == "6 s"
    assert timing(6.0, 2, 10) == "6 s, about 24 s left"


@pytest.mark.skipif(not hasattr(signal, "SIGPROF"), reason="timers")
def test_files__mutated_are_read_or_refused() -> None:
    tally = fuzz(files=280, commands=8, seed=5, show=lambda _: None)
    assert tally.files >= 288
    assert tally.defects == []
