"""Running the study: reproducible results, safe restarts, and error messages."""

from __future__ import annotations

import csv
import gzip
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from privboost.cli.app import main
from privboost.errors import UsageError
from privboost.oracle_tests.support.waiting import wait_until
from privboost.study.data import DataSource, load
from privboost.study.grid import FOLDS, Configuration, configurations
from privboost.study.models import Study, run_batch, run_configuration
from privboost.study.outcome import FoldErrors
from privboost.study.run import estimate, measure_speed, record_of, run_study
from privboost.study.store import Store

STUDY = Study(DataSource())
USABLE = "x,label\n" + "0.5,yes\n0.2,no\n" * 20
"""A table of two columns that can be used."""
SOME = configurations("quick", ["synthetic"])[:40]


def outcomes_of(path: Path) -> list[tuple[Configuration, tuple[int, ...], float, float]]:
    """Return the outcomes of a store without CPU times."""
    with Store.for_reading(path) as store:
        return [(o.configuration, o.mistakes, o.leaves, o.depth) for o in store.outcomes()]


def own_source(
    folder: Path, content: str, positive: str = "yes", encoding: str = "utf-8", **feature: object
) -> DataSource:
    """Return a source of a CSV file; its one feature is `x` in [0, 1] unless its schema is given."""
    (folder / "t.csv").write_text(content, encoding, "surrogateescape")
    (folder / "p.json").write_text(json.dumps(feature or {"x": {"lo": 0, "hi": 1}}))
    return DataSource(None, folder / "t.csv", "label", positive, folder / "p.json")


def run_here(path: Path, wanted: list[Configuration], study: Study = STUDY) -> int:
    with Store.for_run(path, study.seed) as store:
        return run_study(study, wanted, store)


def test_results__are_equal_on_one_core_two_cores_and_a_cluster(tmp_path: Path) -> None:
    distributed = pytest.importorskip("dask.distributed")
    options = ["study", "run", "--quick", "--sample", "60"]
    assert main([*options, "--jobs", "1", "--store", str(tmp_path / "one")]) == 0
    assert main([*options, "--jobs", "2", "--store", str(tmp_path / "two")]) == 0
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster:
        address = cluster.scheduler_address
        assert main([*options, "--dask", address, "--store", str(tmp_path / "cluster")]) == 0
    outcomes = [outcomes_of(tmp_path / name) for name in ("one", "two", "cluster")]
    assert len(outcomes[0]) == 60
    assert outcomes[0] == outcomes[1] == outcomes[2]


def test_results__do_not_depend_on_the_order_of_runs(tmp_path: Path) -> None:
    run_here(tmp_path / "a", SOME)
    run_here(tmp_path / "b", SOME[::-1])
    assert outcomes_of(tmp_path / "a") == outcomes_of(tmp_path / "b")
    run_here(tmp_path / "c", SOME, Study(DataSource(), 1))
    assert outcomes_of(tmp_path / "a") != outcomes_of(tmp_path / "c")


@pytest.mark.slow
def test_killed_run__resumes_without_lost_or_repeated_configurations(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    command = [sys.executable, "-m", "privboost", "study", "run", "--grid", "main", "--jobs", "2"]
    command += ["--store", str(path), "--only", "learner=as_printed,sound", "--only", "trees=10,20"]
    wanted = configurations(
        "main", ["synthetic"], {"learner": ["as_printed", "sound"], "trees": ["10", "20"]}
    )
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        assert wait_until(lambda: process.poll() is not None or count_in(path) > 100)
    finally:
        # The parent alone is killed: its workers end by themselves.
        process.kill()
        process.wait()
    assert wait_until(lambda: not is_group(process.pid)), "workers outlive their parent"
    before = outcomes_of(path)
    assert 100 < len(before) < len(wanted)
    done = run_here(path, wanted)
    assert done == len(wanted) - len(before)
    after = outcomes_of(path)
    assert len(after) == len(wanted)
    assert set(map(repr, before)) <= set(map(repr, after))
    for configuration, *stored in after[::100]:
        again = run_configuration(STUDY, configuration)
        assert [again.mistakes, again.leaves, again.depth] == stored
    assert run_here(path, wanted) == 0


def is_group(group: int) -> bool:
    """Return whether there is a process in a group."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def count_in(path: Path) -> int:
    """Return the number of outcomes in a store, or 0 while it is being created."""
    try:
        with sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True) as connection:
            return int(connection.execute("SELECT count(*) FROM outcome").fetchone()[0])
    except sqlite3.OperationalError:
        return 0


def test_interrupted_run__reports_the_stored_configurations(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from privboost.study import run

    calls = []

    def interrupt_third(study: Study, keys: list[str]) -> list[FoldErrors]:
        calls.append(keys)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return run_batch(study, keys)

    monkeypatch.setattr(run, "run_batch", interrupt_third)
    monkeypatch.setattr(run, "MOST_IN_BATCH", 10)
    path = tmp_path / "s"
    assert main(["study", "run", "--quick", "--jobs", "1", "--store", str(path)]) == 130
    assert "20 configurations kept" in capsys.readouterr().err
    assert len(outcomes_of(path)) == 20


def test_store__adds_batches_atomically(tmp_path: Path) -> None:
    outcome, other = (run_configuration(STUDY, configuration) for configuration in SOME[:2])
    with Store.for_run(tmp_path / "s", 0) as store:
        store.add([outcome])
        with pytest.raises(UsageError):
            store.add([other, outcome])
        assert store.keys() == {SOME[0].key}


def test_store__with_another_seed_is_rejected(tmp_path: Path) -> None:
    run_here(tmp_path / "s", SOME[:1])
    with pytest.raises(UsageError, match="expected seed 1, got 0"):
        run_here(tmp_path / "s", SOME[:1], Study(DataSource(), 1))


def test_store__other_files_are_rejected_unchanged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("my notes, which are longer than the header of a database" * 40)
    before = path.read_bytes()
    assert main(["study", "run", "--quick", "--sample", "1", "--jobs", "1", "--store", str(path)]) == 2
    assert main(["study", "report", "--store", str(path), "-o", str(tmp_path / "r")]) == 2
    assert main(["study", "report", "--store", str(tmp_path / "none"), "-o", str(tmp_path / "r")]) == 2
    assert path.read_bytes() == before
    assert not (tmp_path / "none").exists()
    assert "store: expected" in capsys.readouterr().err


def test_store__with_other_data_is_rejected_even_if_all_is_done(tmp_path: Path) -> None:
    wanted = configurations("quick", ["t"])[:2]
    first, second = (Study(own_source(tmp_path, USABLE, positive)) for positive in ("yes", "no"))
    assert run_here(tmp_path / "s", wanted, first) == 2
    with pytest.raises(UsageError, match="expected outcomes of the same 't', got other data"):
        run_here(tmp_path / "s", wanted, second)


def test_store__database_of_another_program_is_rejected_unchanged(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "s") as connection:
        connection.execute("CREATE TABLE about (name TEXT, value TEXT)")
    connection.close()
    before = (tmp_path / "s").read_bytes()
    with pytest.raises(UsageError, match="store: expected format 2, got None"):
        run_here(tmp_path / "s", SOME[:1])
    assert (tmp_path / "s").read_bytes() == before


def test_store__is_one_file_after_a_run(tmp_path: Path) -> None:
    run_here(tmp_path / "s", SOME[:2])
    assert {path.name for path in tmp_path.iterdir()} == {"s", "s.lock"}
    assert len(outcomes_of(tmp_path / "s")) == 2


DAMAGE = {
    "outcome": [
        *product(["key"], ("'x/y'", "replace(key, '/', '//')", "'z' || key", "key || '0x'", "7")),
        *(("wrong", f"'{value}'") for value in ("[1", "[1]", "{}", "[" * 900, "[" + "9, " * 9 + "1e3]")),
        *(("wrong", f"replace(wrong, '[', '[{value}')") for value in ("-", "9999", "0.5 + ", "1, ")),
        *product(("leaves", "depth", "seconds"), ("-1", "1e99", "'x'", "x'00'")),
    ],
    "domain": [
        *product(("size", "features"), ("0", "-5", "1.5", "'x'", "size + 1e17")),
        *product(["majority_error"], ("-0.1", "1.1", "'nan'")),
        *product(["fold_sizes"], ("'[]'", "'[1'", "replace(fold_sizes, '[', '[1')", "7")),
    ],
}

ALTERED = {
    "outcome": [
        ("key", "key || '1'"),
        ("wrong", "'[0, 0, 0, 0, 0, 0, 0, 0, 0, 0]'"),
        ("leaves", "leaves / 2"),
        ("depth", "depth / 2"),
        ("seconds", "seconds + 1"),
        ("digest", "'x'"),
        ("digest", "x'ff'"),
    ],
    "domain": [
        ("name", "'other'"),
        ("fingerprint", "fingerprint || '0'"),
        ("features", "features + 1"),
        ("majority_error", "majority_error / 2"),
        ("digest", "7"),
    ],
    "about": [("value", "CASE name WHEN 'seed' THEN '7' ELSE value END")],
}


@pytest.fixture(scope="module")
def small_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("store") / "s"
    run_here(path, SOME[:1])
    return path


def read_changed(store: Path, sql: str) -> None:
    """Change a copy of a store and read it."""
    copy = store.with_name("copy")
    shutil.copy(store, copy)
    with sqlite3.connect(copy) as connection:
        assert connection.execute(sql).rowcount
    connection.close()
    outcomes_of(copy)


def updates(cells: dict[str, list[tuple[str, str]]]) -> list[str]:
    """Return the SQL that sets a column of a table, for every table and cell."""
    return [f"UPDATE {table} SET {name} = {value}" for table, row in cells.items() for name, value in row]


@pytest.mark.parametrize("sql", updates(DAMAGE))
def test_store__with_an_impossible_value_is_rejected(small_store: Path, sql: str) -> None:
    with pytest.raises(UsageError, match="store: expected values of `privboost study run`") as refused:
        read_changed(small_store, sql)
    assert "digest" not in str(refused.value)


@pytest.mark.parametrize("sql", updates(ALTERED))
def test_store__with_an_altered_value_is_rejected(small_store: Path, sql: str) -> None:
    with pytest.raises(UsageError, match="expected its digest"):
        read_changed(small_store, sql)


def test_store__folder_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="store: expected the path of a file"):
        run_here(tmp_path, SOME[:1])
    assert not tmp_path.with_name(f"{tmp_path.name}.lock").exists()


def test_run__with_a_killed_worker_reports_the_stored_configurations(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from privboost.study import run

    def break_pool(*_: object) -> list[FoldErrors]:
        raise BrokenProcessPool

    monkeypatch.setattr(run, "run_batch", break_pool)
    path = tmp_path / "s"
    assert main(["study", "run", "--quick", "--jobs", "1", "--store", str(path)]) == 4
    said = capsys.readouterr().err
    assert "0 configurations kept" in said
    assert "a worker process was killed" in said


def test_store__allows_one_run_and_concurrent_readers(tmp_path: Path) -> None:
    pytest.importorskip("fcntl")
    with Store.for_run(tmp_path / "s", 0) as store:
        store.keep_domain(record_of(STUDY, SOME[0].domain))
        store.add([run_configuration(STUDY, SOME[0])])
        command = [sys.executable, "-m", "privboost", "study", "run", "--quick", "--sample", "1"]
        second = subprocess.run(
            [*command, "--store", str(tmp_path / "s")], capture_output=True, text=True, check=False
        )
        assert second.returncode == 2
        assert "expected no other run" in second.stderr
        assert len(outcomes_of(tmp_path / "s")) == 1


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_run__shows_progress_before_the_first_batch_and_the_remaining_time_after_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, jobs: str
) -> None:
    monkeypatch.setattr("privboost.progress.SECONDS_ELSEWHERE", 0.0)
    assert main(["study", "run", "--sample", "20", "--jobs", jobs, "--store", str(tmp_path / "s")]) == 0
    lines = [line for line in capsys.readouterr().err.splitlines() if " configurations, " in line]
    assert "privboost: 0 of 20 configurations, 0/s; Ctrl-C" in lines[0]
    assert "privboost: 20 of 20" in lines[-1]
    assert "/s, 0 s left; Ctrl-C" in lines[-1]


def test_plan__counts_models_and_projects_their_time(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("privboost.progress.SECONDS_ELSEWHERE", 0.0)
    assert main(["study", "plan", "--quick", "--measure", "12", "--format", "json"]) == 0
    out, said = capsys.readouterr()
    assert "configurations timed, " in said
    plan = json.loads(out)
    assert plan["models"] == FOLDS * len(configurations("quick", ["synthetic"]))
    assert plan["measured_models"] == 12 * FOLDS
    per_model = plan["milliseconds_per_model"] / 1000
    assert plan["projected_hours"] == pytest.approx(plan["models"] * per_model / 3600 / 2)


def test_speed__is_the_mean_of_the_sample() -> None:
    speed = measure_speed(STUDY, SOME, 10)
    assert speed.configurations == 10
    assert speed.models_per_second == pytest.approx(FOLDS / speed.seconds)
    assert speed.hours(3600, 2) == pytest.approx((speed.seconds / 2, speed.error / 2))


def test_run__without_numba_says_what_to_install_and_stores_small_batches(tmp_path: Path) -> None:
    code = f"""
import importlib.machinery, warnings
find = importlib.machinery.PathFinder.find_spec
importlib.machinery.PathFinder.find_spec = lambda name, *rest: None if name == "numba" else find(name, *rest)
warnings.simplefilter("error", RuntimeWarning)
from privboost.cli.app import main
from privboost.study import run
from privboost.study.grid import configurations
some = configurations("quick", ["synthetic"])[:200]
costs = [run.estimate(configuration, 400, 3) for configuration in some]
print(max(len(keys) for keys, _ in run._batches(some, costs)))
cheap = ["--only", "trees=2", "--only", "depth=2", "--only", "epsilon=0.01", "--sample", "1"]
main(["study", "run", "--quick", *cheap, "--jobs", "1", "--store", {str(tmp_path / "s")!r}])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "numba is missing" in done.stderr
    assert "privboost[compiled]" in done.stderr
    assert int(done.stdout.split()[0]) < 20
    assert len(outcomes_of(tmp_path / "s")) == 1


def test_estimates__grow_with_the_work() -> None:
    small = SOME[0]
    for name, value in {"trees": "40", "depth": "7"}.items():
        large = replace(small, **{name: value})
        assert estimate(large, 1000, 10) > estimate(small, 1000, 10)
    assert estimate(small, 2000, 10) > estimate(small, 1000, 10)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_own_data__are_read_by_their_public_domain(
    tmp_path: Path, ending: str, capsys: pytest.CaptureFixture[str]
) -> None:
    data = load(DataSource(), "synthetic")
    labels = np.where(data.signs > 0, "yes", "no")
    table = {"x": data.columns[0], "y": data.columns[1], "colour": data.columns[2], "label": labels}
    path, public = tmp_path / f"mine.{ending}", tmp_path / "public.json"
    if ending == "csv":
        with path.open("w", newline="") as stream:
            writer = csv.writer(stream)
            writer.writerow(table)
            writer.writerows(zip(*(column.tolist() for column in table.values()), strict=True))
    else:
        arrow = pytest.importorskip("pyarrow")
        parquet = pytest.importorskip("pyarrow.parquet")
        parquet.write_table(arrow.table({name: list(column) for name, column in table.items()}), path)
    bounds, colours = {"lo": 0, "hi": 1}, {"categories": ["red", "green", "blue"]}
    public.write_text(json.dumps({"x": bounds, "y": bounds, "colour": colours}))
    source = DataSource(None, path, "label", "yes", public)
    read = source.load("mine")
    assert [column.tolist() for column in read.columns] == [column.tolist() for column in data.columns]
    assert read.signs.tolist() == data.signs.tolist()
    options = ["--table", str(path), "--public", str(public), "--label", "label", "--positive", "yes"]
    store = str(tmp_path / "s")
    assert main(["study", "run", "--quick", "--sample", "3", "--jobs", "1", "--store", store, *options]) == 0
    assert {c.domain for c, *_ in outcomes_of(tmp_path / "s")} == {"mine"}
    capsys.readouterr()


REFUSED = {
    "no such folder": (["--data", "nowhere"], "data: expected a folder with MANIFEST.json"),
    "no such table": (
        ["--table", "none.csv", "--public", "p.json", "--label", "l", "--positive", "1"],
        "expected",
    ),
    "half a table": (["--table", "t.csv"], "--table: expected a label, a positive class"),
    "no table": (["--label", "x"], "--table: expected a file beside a label"),
    "no choice": (["--only", "epsilon"], "only: expected NAME=VALUE"),
    "no such domain": (["--only", "domain=moon"], "expected domain among synthetic, got 'moon'"),
    "no such value": (["--only", "trees=3"], "got '3'"),
    "a name twice": (["--only", "epsilon=1", "--only", "epsilon=10"], "got 'epsilon' twice"),
    "nothing left": (["--only", "learner=rf_lap", "--only", "trees=2"], "at least one configuration"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_bad_command_lines__are_rejected_before_writing(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("x,label\n1,yes\n")
    options, expected = REFUSED[case]
    assert main(["study", "run", "--quick", "--jobs", "1", "--store", "s", *options]) == 2
    assert expected in capsys.readouterr().err
    assert not (tmp_path / "s").exists()


@pytest.mark.parametrize(
    ("content", "given", "expected"),
    [
        ("x,label\n" + "0.5,yes\n0.2,no\n" * 4, {}, "at least 10 rows of either class"),
        (USABLE, {"positive": "maybe"}, "got 'maybe'"),
        (USABLE.replace("0.2", "red"), {}, "expected numbers in column 'x'"),
        (USABLE.replace("x", "z"), {}, "got no x"),
        (USABLE.replace("0.2", "inf"), {}, "expected finite numbers in column 'x'"),
        (USABLE + "0.3\n", {}, "got none in row 41"),
        (USABLE.replace("0.2", "\udcff"), {}, "expected a CSV or Parquet file"),
        (USABLE, {"x": {"categories": ["0.5", "red"]}}, "the public domain, got '0.2'"),
    ],
)
def test_own_data__unusable_tables_are_rejected(
    tmp_path: Path, content: str, given: dict[str, Any], expected: str
) -> None:
    with pytest.raises(UsageError, match=expected):
        own_source(tmp_path, content, **given).load("t")


def test_own_data__byte_order_mark_is_ignored(tmp_path: Path) -> None:
    assert own_source(tmp_path, USABLE, encoding="utf-8-sig").load("t").size == 40


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ({"name": "a/b", "file": "a.gz", "bounds": [[0, 1]]}, "expected a name without '/'"),
        ({"name": "a"}, 'expected the key "file"'),
        ({"name": "a", "file": "../a.gz", "bounds": [[0, 1]]}, "expected a name without '/'"),
        ({"name": "a", "file": "a.gz", "bounds": [[0, {}]]}, "expected a finite number"),
        ({"name": "a", "file": "a.gz", "bounds": [[0, 1], [0, 1]]}, "2 features and a label"),
    ],
)
def test_manifest__invalid_entry_is_rejected(tmp_path: Path, entry: object, expected: str) -> None:
    (tmp_path / "MANIFEST.json").write_text(json.dumps({"datasets": [entry]}))
    with gzip.open(tmp_path / "a.gz", "wt") as stream:
        stream.write("x,label\n" + "0.5,1\n0.2,-1\n" * 20)
    with pytest.raises(UsageError, match=expected):
        DataSource(tmp_path).load("a")


def test_folds__are_stratified_and_hold_every_row_once() -> None:
    data = load(DataSource(), "synthetic")
    by_fold, ends = data.folds(3, 0)
    assert sorted(by_fold.tolist()) == list(range(data.size))
    sizes = np.diff(ends)
    assert sizes.max() - sizes.min() <= 1
    positives = [int((data.signs[by_fold[a:b]] > 0).sum()) for a, b in pairwise(ends)]
    assert max(positives) - min(positives) <= 1
    assert data.folds(3, 1)[0].tolist() != by_fold.tolist()
