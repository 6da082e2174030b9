"""The kinds of files that privboost reads: how each is read, and intact files to start mutations from."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import shutil
import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from privboost.auditor import audit
from privboost.auditor.claims import parse_claim
from privboost.auditor.files.calls_file import CallsFile, seed_in
from privboost.auditor.files.replay import replay
from privboost.auditor.files.report import to_json_text
from privboost.auditor.files.witness import Recording, make_witness, read_witness, witness_bytes
from privboost.auditor.mechanisms.private import MECHANISMS
from privboost.auditor.pairs.file import pairs_from_file
from privboost.auditor.pairs.pair import Pair
from privboost.auditor.pairs.tables import read_table
from privboost.fast import Domain, PrivateBoostedTreesClassifier, PrivateForestClassifier
from privboost.fast.estimators.private_trees import PrivateTrees
from privboost.gate.known_failures import read_xfails
from privboost.proofs_check.claims import SECTIONS
from privboost.proofs_check.consistency import check_file
from privboost.proofs_check.index import book_path
from privboost.reference.data import binary_domain, sample_of
from privboost.reference.learners.protocol import SOUND, Parameters
from privboost.reference.learners.splitting import Setting
from privboost.reference.privacy.bits import SeededBits
from privboost.reference.transcripts import replay as replay_transcript
from privboost.reference.transcripts import write_transcript
from privboost.strict_json import parse
from privboost.study.data import DataSource
from privboost.study.grid import configurations
from privboost.study.models import Study
from privboost.study.run import run_study
from privboost.study.store import Store

from . import ROOT

TABLE = str(ROOT / "examples" / "study" / "mine.csv")
AUDIT = "audit bank:laplace --calls 60 "
PAIR = Pair("0 and 1", 0.0, 1.0)
DOMAIN = binary_domain(2)
SAMPLE = sample_of(DOMAIN, [((0, 0), 1), ((0, 1), -1), ((1, 0), 1), ((1, 1), -1), ((1, 0), -1)])


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of file."""

    name: str
    file: str
    """The name of the file, which a reader may look at."""
    read: Callable[[Path], object]
    """Reads a file in this process, and uses what it holds as the commands do."""
    template: str | None = None
    """The command line that reads a file, if there is one."""

    def path(self, folder: Path) -> Path:
        """Return the path of a file of this kind."""
        own = folder / self.name.replace(" ", "_")
        own.mkdir(exist_ok=True)
        return own / self.file

    def command(self, path: Path) -> list[str]:
        """Return the command line for a file."""
        assert self.template is not None
        return [word.format(path=path, folder=path.parent) for word in self.template.split()]


def _replay(path: Path) -> None:
    replayed = replay(read_witness(path))
    to_json_text(replayed.result, "privboost audit")


def _resume(path: Path) -> None:
    seed_in(path)
    CallsFile(path, "privboost audit bank:laplace", 1, [PAIR], resume=True)


def _read_model(learner: type[PrivateTrees], path: Path) -> None:
    model = learner.from_json(path.read_text("utf-8", "surrogateescape"))
    str(model.privacy_ledger_)
    model.predict(np.zeros((2, 2)))


def _replay_transcript(path: Path) -> None:
    with path.open(encoding="utf-8") as lines:
        replay_transcript(lines, SAMPLE)


def _match(path: Path) -> None:
    for entry in read_xfails(path):
        entry.matches("values/bayes_risk/loss=log/u=1")
        entry.may_match("values/bayes_risk")


def _read_store(path: Path) -> None:
    with Store.for_reading(path) as store:
        list(store.outcomes())


def _read_manifest(path: Path) -> None:
    # Manifests are cached by folder.
    with TemporaryDirectory(dir=path.parent) as folder:
        shutil.copy(path, folder)
        shutil.copy(path.with_name("a.csv.gz"), folder)
        source = DataSource(Path(folder))
        for name in source.names():
            source.load(name)


def _answers(path: Path) -> None:
    for line in path.read_bytes().splitlines():
        parse(line, "answer")


def _first_entries(content: bytes) -> bytes:
    """Return the head and the first entries of a file of the book of claims."""
    return b"\n### ".join(content.split(b"\n### ")[:5]) + b"\n"


KINDS: Mapping[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind("witness", "w.json", _replay, "audit --replay {path}"),
        Kind("pairs", "p.json", pairs_from_file, AUDIT + "--pairs {path}"),
        Kind("claim", "c.json", lambda path: parse_claim(str(path)), AUDIT + "--claim {path}"),
        Kind("calls", "calls.jsonl", _resume, AUDIT + "--output {folder} --seed 1 --resume"),
        Kind(
            "schema json",
            "s.json",
            Domain.from_schema,
            f"study run --table {TABLE} --label ill --positive yes --sample 1 --jobs 1 --public {{path}} "
            "--store {folder}/made",
        ),
        Kind("schema toml", "s.toml", Domain.from_schema),
        Kind("boosted", "m.json", partial(_read_model, PrivateBoostedTreesClassifier)),
        Kind("forest", "m.json", partial(_read_model, PrivateForestClassifier)),
        Kind("transcript", "t.jsonl", _replay_transcript),
        Kind("xfails", "x.txt", _match, "gate fast --level values --only f-alphaM --xfails {path}"),
        Kind("store", "s.sqlite", _read_store, "study run --quick --sample 1 --jobs 1 --store {path}"),
        Kind("manifest", "MANIFEST.json", _read_manifest, "study plan --measure 0 --data {folder}"),
        Kind("table", "t.csv", lambda path: read_table(path, "y")),
        Kind("answers", "a.jsonl", _answers),
        Kind("book", "b.md", check_file, "prove --check {path}"),
    )
}


def seeds(folder: Path) -> dict[str, list[bytes]]:
    """Return intact files of every kind."""
    store = folder / "intact.sqlite"
    if not store.exists():
        with Store.for_run(store, 0) as made:
            run_study(Study(DataSource(), 0), configurations("quick", ["synthetic"])[:4], made)
        with contextlib.closing(sqlite3.connect(store)) as connection:
            connection.execute("VACUUM")
    with gzip.open(KINDS["manifest"].path(folder).with_name("a.csv.gz"), "wt") as stream:
        stream.write("x,z,label\n" + "0.5,1,1\n0.2,2,-1\n" * 20)
    calls = folder / "intact.jsonl"
    with CallsFile(calls, "privboost audit bank:laplace", 1, [PAIR], resume=False) as written:
        written(0, [0.5, 1.5])
    rows = np.random.default_rng(0).uniform(0, 1, (60, 2))
    labels = (rows[:, 0] > 0.5).astype(int)
    settings: dict[str, Any] = {"domain": Domain.from_bounds([(0, 1)] * 2), "classes": (0, 1), "epsilon": 1.0}
    models = [
        learner(n_trees=2, depth=2, **settings).fit(rows, labels).to_json().encode()
        for learner in (PrivateBoostedTreesClassifier, PrivateForestClassifier)
    ]
    schema = {
        "age": {"lo": 18, "hi": 91},
        "dose": {"lo": 0, "hi": 10},
        "smoker": {"categories": ["no", "yes"]},
    }
    pairs = [[[0, 1], [1, 1]], {"left": {"$tuple": [1]}, "right": 2, "name": "n", "exact": 1.0}]
    return {
        "witness": _witnesses(),
        "pairs": [json.dumps(pairs).encode()],
        "claim": [b"[[0.5, 0.1], [1, 0.01]]"],
        "calls": [calls.read_bytes()],
        "schema json": [json.dumps(schema).encode()],
        "schema toml": [
            b'[a]\nlo = 0\nhi = 1.5\nspacing = "regular"\n[b]\ncategories = ["x", "y"]\nmissing = true\n'
        ],
        "boosted": models[:1],
        "forest": models[1:],
        "transcript": [_transcript()],
        "xfails": [b"# known\nvalues/bayes_risk/loss=log*\nlearner/train/as_printed   # ours\n"],
        "store": [store.read_bytes()],
        "manifest": [b'{"datasets": [{"name": "a", "file": "a.csv.gz", "bounds": [[0, 1], [0.5, 2]]}]}'],
        "table": [b"x,z,y\n" + b"1,2,0\n3,a,1\n" * 8],
        "book": [_first_entries(book_path(section).read_bytes()) for section in SECTIONS],
        "answers": [b'{"id": 0, "result": {"x": [1, "3/8"]}}\n{"id": 1, "error": "no"}\n'],
    }


def _transcript() -> bytes:
    """Return the transcript of a run of the reference with two trees of depth two."""
    parameters = Parameters(trees=2, depth=2, epsilon=Fraction(8), bound=Fraction(2), grid=Fraction(1, 64))
    setting = Setting(SOUND, parameters, DOMAIN, len(SAMPLE), Fraction(1, 2))
    stream = io.StringIO()
    write_transcript(stream, setting, SAMPLE, SeededBits(1))
    return stream.getvalue().encode()


def _witnesses() -> list[bytes]:
    """Return a witness with an array of outputs and one with a list of plain values."""

    def odd(data: float, rng: np.random.Generator) -> object:
        return [str(data), None, complex(rng.integers(2), 1), {"a": (1, b"x")}][: 1 + rng.integers(4)]

    contents = []
    for mechanism in (MECHANISMS["laplace"].mechanism, odd):
        recording = Recording()
        result = audit(mechanism, PAIR, epsilon=1.0, calls=40, seed=1, recorder=recording)
        contents.append(witness_bytes(make_witness("bank:laplace", result, recording)))
    return contents
