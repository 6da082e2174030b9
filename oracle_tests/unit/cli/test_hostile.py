"""Files, names and folders that would mislead, break or stop the command line."""

from __future__ import annotations

import gzip
import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest

from privboost import files, progress
from privboost.auditor.claims import parse_claim
from privboost.auditor.files import calls_file
from privboost.auditor.files.calls_file import seed_in
from privboost.auditor.files.witness import read_witness
from privboost.auditor.pairs.tables import read_table
from privboost.cli import app
from privboost.errors import PreconditionError, PrivboostError, UsageError
from privboost.fast import Domain
from privboost.gate.known_failures import parse_xfails, read_xfails
from privboost.gate.trees import cases
from privboost.gate.trees.cases.cases_losses import loss_cases
from privboost.gate.vectors import generate
from privboost.progress import timing
from privboost.reference.losses import LOG
from privboost.reference.losses.forms import inverse_link
from privboost.strict_json import parse
from privboost.study.data import DataSource
from privboost.symbolic import registry
from tools.fuzzed_files import Kind
from tools.fuzzing import Fuzzer, fuzz, read_file

MODULE = """
def escaping(data, rng):
    raise ValueError("\\x1b[31mred\\x07")

def noisy(data, rng):
    return data + rng.laplace()

def strange(data, rng):
    return complex(float("nan"), float("inf"))
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / f"hostile_{tmp_path.name}.py").write_text(MODULE)
    return tmp_path


@pytest.fixture
def in_time() -> Iterator[None]:
    """Fail if a test computes for more than a minute, where seconds are enough."""
    before = time.process_time()
    yield
    assert time.process_time() - before < 60


LAST_WORDS = f"""cmd:{sys.executable} -c 'import sys; sys.exit("\\x1b[31mred\\x07")'"""
MISLEADING = {
    "message of an exception": ("escaping", "a"),
    "last words of a program": (LAST_WORDS, "a"),
    "name of a pair": ("noisy", "a\x1b[31mb\x9b\u202ec"),
    "lone surrogate": ("noisy", "a\ud800b"),
    "undefined and infinite parts": ("strange", "a"),
}


@pytest.mark.parametrize(("target", "name"), MISLEADING.values(), ids=MISLEADING)
def test_audit__control_characters_reach_no_terminal_page_or_plot(
    folder: Path, capsys: pytest.CaptureFixture[str], target: str, name: str
) -> None:
    (folder / "pairs.json").write_text(json.dumps([{"left": 0, "right": 1, "name": name}]))
    named = target if target.startswith("cmd:") else f"hostile_{folder.name}.py:{target}"
    arguments = ["audit", named, "--epsilon", "1", "--pairs", "pairs.json", "--calls", "60", "-o", "made"]
    assert app.main(arguments) in (1, 4)
    out, err = capsys.readouterr()
    assert not {*out, *err} & {"\x1b", "\x07", "\x9b", "\u202e", "\ud800"}
    for plot in (folder / "made").glob("*.svg"):
        ElementTree.parse(plot)
    for page in (folder / "made").glob("*.html"):
        assert not set(page.read_text("utf-8")) & {"\x1b", "\x07", "\x9b", "\u202e"}


FULL = {
    "audit": ("audit bank:randomised_response --calls 200 --seed 1 -o made", ("CONSISTENT", "INCONCLUSIVE")),
    "gate": ("gate fast --only f-alphaM --level values --html made/gate.html", "CONFORMING"),
    "demo": ("demo --no-open --output made", "The page"),
    "vectors": ("vectors -o made", ""),
    "study report": ("study report --store store -o made", ""),
}


@pytest.mark.parametrize(("command", "verdicts"), FULL.values(), ids=FULL)
@pytest.mark.usefixtures("folder")
def test_full_disk__exits_2_after_the_verdict(
    command: str,
    verdicts: str | tuple[str, ...],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("privboost.cli.report.demo_parts.PARTS", {}, raising=False)
    monkeypatch.setattr(generate, "vector_files", lambda *_: {"link.json": bytes(3000)})
    if command.startswith("study"):
        app.main(["study", "run", "--quick", "--sample", "2", "--jobs", "1", "--store", "store"])
        capsys.readouterr()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    # A file that may not grow fails as on a full disk.
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, limits[1]))
    try:
        code = app.main(command.split())
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    out, err = capsys.readouterr()
    assert code == 2
    assert "output: expected to write" in err
    assert ["", *out.splitlines()][-1].startswith(verdicts)


@pytest.mark.parametrize("stderr", ["2> /dev/full", "2>&-"])
def test_messages__that_cannot_be_written_lose_nothing(folder: Path, stderr: str) -> None:
    options = "--calls 200 --seed 1 --format json"
    command = f"{sys.executable} -m privboost audit bank:randomised_response {options}"
    done = subprocess.run(
        ["/bin/sh", "-c", f"{command} {stderr}"], cwd=folder, capture_output=True, check=False
    )
    assert done.returncode in (0, 4)
    assert json.loads(done.stdout)["command"] == "audit"


def test_streams__that_are_closed_are_not_replaced_by_files(folder: Path) -> None:
    look = "import os; from privboost.cli.app import main; main(['losses']); print(os.open('f', os.O_CREAT))"
    done = subprocess.run(
        ["/bin/sh", "-c", f'{sys.executable} -c "{look}" <&- 2>&-'],
        cwd=folder,
        capture_output=True,
        check=False,
    )
    assert int(done.stdout.split()[-1]) > 2


def test_audit__a_planted_link_is_not_followed(folder: Path) -> None:
    (folder / "made").mkdir()
    (folder / "victim").write_text("precious")
    for name in ("calls.new", "calls.jsonl", "report.html", f".report.html.{os.getpid()}"):
        (folder / "made" / name).symlink_to(folder / "victim")
    app.main(["audit", "bank:randomised_response", "--calls", "60", "-o", "made"])
    assert (folder / "victim").read_text() == "precious"


DERIVED = dict.fromkeys(("key", "label", "statement", "detail", "erratum"), "x") | {"verdict": "AGREES"}
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


ENDLESS = Path("/dev/zero")
READERS: dict[str, Callable[[Path], object]] = {
    "known failures": read_xfails,
    "table of an audit": lambda path: read_table(path, None),
    "witness": read_witness,
    "calls": seed_in,
}


@pytest.mark.skipif(not ENDLESS.exists(), reason="/dev/zero")
@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_files__without_an_end_are_refused(
    read: Callable[[Path], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "LARGEST_FILE", 1 << 16)
    monkeypatch.setattr(calls_file, "LARGEST", 1 << 16)
    with pytest.raises(PrivboostError, match=r"\(more than [0-9]+ bytes\)"):
        read(ENDLESS)


def test_data__that_grow_too_large_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "LARGEST_FILE", 1 << 16)
    manifest = '{"datasets": [{"name": "a", "file": "a.csv.gz", "bounds": [[0, 1]]}]}'
    (tmp_path / "MANIFEST.json").write_text(manifest)
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(bytes(1 << 20)))
    (tmp_path / "s.json").write_text('{"a": {"lo": 0, "hi": 1}}')
    table = DataSource(table=ENDLESS, label="y", positive="1", schema=tmp_path / "s.json")
    for source, name in ((DataSource(tmp_path), "a"), (table, table.names()[0])):
        with pytest.raises(UsageError, match=r"\(more than 65536 bytes\)"):
            source.load(name)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes with names")
@pytest.mark.parametrize("kind", ["pipe", "link to standard output"])
def test_output__in_place_of_a_device_or_pipe_is_refused(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "report.html"
    if kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("/proc/self/fd/1")
    with pytest.raises(UsageError, match="got a device or a pipe"):
        files.write_files(tmp_path, {path.name: b"content"})
    assert path.is_fifo() or path.is_symlink()


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


def test_progress__of_quiet_computations_is_shown(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "SECONDS_ELSEWHERE", 0.0)
    monkeypatch.setattr(generate, "_files", {})
    monkeypatch.setattr(cases, "all_cases", lambda: islice(loss_cases(), 2))
    monkeypatch.setattr(registry, "SECTIONS", (list, list, lambda: [SimpleNamespace(**DERIVED)]))
    for command, counts in (
        (("vectors", "-o", str(tmp_path)), ("0 of 2 cases computed", "1 of 2 cases computed")),
        (("sensitivity", "--size", "2"), ("0 of 16 sensitivities computed", "15 of 16")),
        (("verify", "--size", "1"), ("1 of 5 classes of cases judged", "4 of 5 classes")),
        (("prove", "pbr.flat-ends", "pbr.flat-symmetric"), ("2 of 2 claims judged",)),
        (("prove", "--derivations"), ("0 of 3 sections derived", "2 of 3 sections derived")),
    ):
        assert app.main(command) == 0
        said = capsys.readouterr().err
        assert all(count in said for count in counts)
        assert "s left" in said


@pytest.mark.skipif(not hasattr(signal, "SIGPROF"), reason="timers")
def test_files__mutated_are_read_or_refused() -> None:
    tally = fuzz(files=280, commands=8, seed=5, show=lambda _: None)
    assert tally.files >= 288
    assert tally.defects == []


def test_files__a_defect_is_reported_with_a_file_that_shows_it(tmp_path: Path) -> None:
    def crash(path: Path) -> None:
        if b"x" in path.read_bytes():
            raise ZeroDivisionError

    fuzzer = Fuzzer(tmp_path, {"made up": [b"x = 1, y = 2, z = 3"]}, seed=5)
    fuzzer.try_mutations(Kind("made up", "m.txt", crash), read_file, 50)
    (defect,) = fuzzer.tally.defects
    assert defect.startswith("made up: broken: ZeroDivisionError")
    assert "x" in defect
