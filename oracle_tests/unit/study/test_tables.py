"""The tables of the study, on artificial outcomes with known answers."""

from __future__ import annotations

import csv
import io
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from privboost import progress
from privboost.cli.app import main
from privboost.oracle_tests.support.study_outcomes import FOREST, outcome, results_of
from privboost.study.grid import CONTROL, EPSILONS, Learner
from privboost.study.outcome import FoldErrors
from privboost.study.report.alpha_wins import alpha_wins_sheet
from privboost.study.report.forest_tests import SIGNIFICANT, forest_tests, forests_sheet, win_share
from privboost.study.report.paper_statements import statements_sheet
from privboost.study.report.results import Results
from privboost.study.report.sheet import Sheet
from privboost.study.report.tables import (
    best_sizes,
    leaks,
    mean_errors,
    quantisation,
    sheet_makers,
    tree_shares,
)
from privboost.study.store import Store

PRINTED, SOUND, RF_LAP = Learner.AS_PRINTED, Learner.SOUND, Learner.RF_LAP


def rows_of(sheet: Sheet) -> list[dict[str, str]]:
    """Return the rows of the CSV of a table."""
    rows = list(csv.DictReader(io.StringIO(sheet.to_csv().decode())))
    assert len(rows) == len(sheet.rows)
    return rows


ROWS: dict[str, tuple[Callable[[Results], Sheet], list[FoldErrors], dict[str, str]]] = {
    "wins of the best of each rule, and ties for all": (
        alpha_wins_sheet,
        [
            # On a the calibrated one is best with 20 trees, though it is worst with 2.
            outcome(PRINTED, 10, alpha="calibrated", trees="20"),
            outcome(PRINTED, 50, alpha="calibrated", trees="2"),
            outcome(PRINTED, 12, alpha="1"),
            outcome(PRINTED, 30, alpha="0.1"),
            # On b two are equally good.
            outcome(PRINTED, 10, alpha="calibrated", domain="b"),
            outcome(PRINTED, 10, alpha="1", domain="b"),
            outcome(PRINTED, 11, alpha="0.1", domain="b"),
        ],
        {"calibrated": "2.00", "α = 0.1": "0.00", "α = 1": "1.00", "paper": "(9, 3, 9)"},
    ),
    "wins per repeat and for averaged errors": (
        alpha_wins_sheet,
        [
            outcome(SOUND, 10, alpha="1", repeat="0"),
            outcome(SOUND, 40, alpha="1", repeat="1"),
            *(outcome(SOUND, 20, alpha="0.1", repeat=repeat) for repeat in "01"),
            *(outcome(SOUND, 90, alpha="calibrated", repeat=repeat) for repeat in "01"),
        ],
        {"α = 0.1": "0.50", "± α = 0.1": "0.50", "α = 1": "0.50"}
        | {"of averaged errors": "(0, 1, 0)", "repeats": "2", "paper": ""},
    ),
    "wins of configurations run with all rules only": (
        alpha_wins_sheet,
        [
            *(outcome(PRINTED, 20, alpha=alpha) for alpha in ("calibrated", "1")),
            outcome(PRINTED, 10, alpha="0.1"),
            # The best of all has no match, and on b there is one rule only.
            outcome(PRINTED, 1, alpha="1", trees="5"),
            outcome(PRINTED, 10, alpha="1", domain="b"),
            outcome(Learner.SOUND_NET, 10, alpha="1"),
        ],
        {"calibrated": "0.00", "α = 0.1": "1.00", "α = 1": "0.00"}
        | {"learner": "as_printed", "domains": "1", "runs": "3"},
    ),
    "forests at equal depth, epsilon and folds only": (
        forests_sheet,
        [
            *(outcome(PRINTED, 10, depth=depth) for depth in "234"),
            outcome(PRINTED, 10, epsilon=CONTROL),
            outcome(RF_LAP, 20, depth="2", **FOREST),
            outcome(RF_LAP, 5, depth="6", **FOREST),
            outcome(RF_LAP, 20, depth="3", **FOREST),
            outcome(RF_LAP, 20, epsilon=CONTROL, **FOREST),
        ],
        {
            "forest": "rf_lap",
            "tests": "1",
            "% won of significant": "100.0",
            "paper": "> 80, < 4 not significant",
        },
    ),
    "standard error of mean errors over repeats": (
        mean_errors,
        [
            outcome(SOUND, wrong, domain=domain, repeat=repeat)
            for wrong, domain, repeat in ((10, "a", "0"), (30, "b", "0"), (12, "a", "1"), (32, "b", "1"))
        ],
        {"mean error": "21.00", "standard error": "1.00"},
    ),
    "sizes of the least error over all epsilons": (
        best_sizes,
        [
            outcome(SOUND, 10, depth="3", trees="5", epsilon="1"),
            outcome(SOUND, 30, depth="3", trees="5", epsilon="10"),
            *(outcome(SOUND, 15, depth="4", trees="2", epsilon=epsilon) for epsilon in ("1", "10")),
        ],
        {"d": "4", "T": "2", "error": "15.00"},
    ),
    "quantisation of matched runs": (
        quantisation,
        [
            outcome(SOUND, 20, values="10"),
            outcome(SOUND, 17, values="50"),
            outcome(SOUND, 90, values="10", depth="6"),
        ],
        {"mean gain": "3.00", "gain of the best": "3.00", "runs": "1"},
    ),
}
"""Tables of one row by what they show: the table, the outcomes, and cells of the row."""


@pytest.mark.parametrize("case", ROWS)
def test_table__has_the_row_of_its_outcomes(case: str, tmp_path: Path) -> None:
    make, outcomes, expected = ROWS[case]
    (row,) = rows_of(make(results_of(tmp_path, outcomes)))
    assert row.items() >= expected.items()


def test_pooled_forest_tests__test_all_runs_of_a_domain_and_a_depth_together(tmp_path: Path) -> None:
    generator = np.random.default_rng(7)
    outcomes, gains = [], []
    for epsilon in EPSILONS:
        ours = generator.integers(20, 40, 10)
        theirs = ours + generator.integers(-4, 8, 10)
        gains.append(theirs - ours)
        for learner, wrong in ((SOUND, ours), (RF_LAP, theirs)):
            outcomes.append(outcome(learner, tuple(wrong.tolist()), epsilon=epsilon))
        outcomes += [outcome(x, 30, domain="b", epsilon=epsilon) for x in (SOUND, RF_LAP)]
    results = results_of(tmp_path, outcomes)
    tests = forest_tests(results, pooled=True)
    assert stats.ttest_1samp(np.concatenate(gains), 0).pvalue < SIGNIFICANT
    assert (len(tests), tests.won.sum(), tests.lost.sum()) == (2, 1, 0)
    assert len(forest_tests(results)) == 10


def test_forest_tests__are_paired_t_tests_over_folds(tmp_path: Path) -> None:
    generator = np.random.default_rng(4)
    outcomes, expected = [], []
    for repeat in range(30):
        ours = generator.integers(20, 40, 10)
        theirs = ours + generator.integers(-8 + repeat // 3, 9, 10)
        for learner, wrong in ((SOUND, ours), (RF_LAP, theirs)):
            outcomes.append(outcome(learner, tuple(wrong.tolist()), repeat=str(repeat)))
        test = stats.ttest_rel(theirs, ours)
        expected.append(int(np.sign(test.statistic)) if test.pvalue < SIGNIFICANT else 0)
    tests = forest_tests(results_of(tmp_path, outcomes))
    assert tests.won.sum() == expected.count(1) > 0
    assert tests.lost.sum() == expected.count(-1)
    assert (tests.won | tests.lost).sum() < len(tests) == 30


@pytest.mark.parametrize(
    ("made", "counts", "share"),
    [
        # Constant differences that are not zero are significant.
        ([("0", "a", 11), ("0", "b", 10), ("0", "c", 9)], (1, 1, 3), ("50.0", "35.4", "33.3", "3")),
        # All are won in one repeat and one in two in the other, which gives the standard error.
        (
            [("0", "a", 11), ("0", "b", 11), ("1", "a", 11), ("1", "b", 9)],
            (3, 1, 4),
            ("75.0", "25.0", "0.0", "4"),
        ),
    ],
)
def test_forest_tests__share_of_wins_has_a_standard_error(
    made: list[tuple[str, str, int]], counts: tuple[int, ...], share: tuple[str, ...], tmp_path: Path
) -> None:
    outcomes = [
        outcome(learner, wrong, domain=domain, repeat=repeat)
        for repeat, domain, theirs in made
        for learner, wrong in ((SOUND, 10), (RF_LAP, theirs))
    ]
    tests = forest_tests(results_of(tmp_path, outcomes))
    assert (tests.won.sum(), tests.lost.sum(), len(tests)) == counts
    assert win_share(tests) == share


def test_leaks__are_compared_on_the_same_configurations(tmp_path: Path) -> None:
    results = results_of(
        tmp_path,
        [
            outcome(PRINTED, 10),
            outcome(PRINTED, 90, trees="2"),
            outcome(Learner.ALL_CLOSED, 50),
            outcome(SOUND, 20),
            # At this budget the others were not run.
            outcome(SOUND, 5, epsilon="25"),
        ],
    )
    errors = {row["learner"]: row["mean error"] for row in rows_of(leaks(results))}
    assert errors == {"as_printed": "10.00", "all_closed": "50.00", "sound": "20.00"}


def test_statements__share_of_runs_below_an_error(tmp_path: Path) -> None:
    runs = [
        outcome(PRINTED, wrong, domain="banknote", alpha="calibrated", epsilon=epsilon)
        for wrong, epsilon in zip((20, 21, 5, 40, 19), EPSILONS, strict=True)
    ]
    first = rows_of(statements_sheet(results_of(tmp_path, runs)))[0]
    assert (first["paper"], first["as_printed"], first["sound"]) == ("more than 2/3", "60.0 %", "")


def test_tree_shares__take_the_best_of_every_domain(tmp_path: Path) -> None:
    runs = [(10, "0.1", "2", "a"), (30, "0.1", "4", "a"), (20, "0.1", "2", "b")]
    runs += [(12, "0.9", "2", "a"), (21, "0.9", "2", "b")]
    outcomes = [outcome(SOUND, w, beta_tree=share, depth=d, domain=name) for w, share, d, name in runs]
    (row,) = rows_of(tree_shares(results_of(tmp_path, outcomes)))
    assert row == {"learner": "sound", "ε": "1", "β = 0.1": "15.00", "β = 0.9": "16.50"}


def test_balanced__keeps_runs_that_exist_for_every_value(tmp_path: Path) -> None:
    results = results_of(
        tmp_path,
        [
            outcome(SOUND, 1),
            outcome(SOUND, 2, depth="4"),
            outcome(Learner.RF_EXP, 3, depth="4"),
        ],
    )
    assert results.balance("learner", ("sound", "rf_exp")).means.tolist() == [3.0, 2.0]


def test_report__without_pandas_names_what_to_install(tmp_path: Path) -> None:
    code = "import sys; sys.modules['pandas'] = None; from privboost.cli.app import main; sys.exit(main())"
    options = ["study", "report", "--store", str(tmp_path / "s"), "-o", str(tmp_path / "report")]
    with Store.for_run(tmp_path / "s", 0):
        pass
    ended = subprocess.run(
        [sys.executable, "-c", code, *options], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 2
    assert "pip install 'privboost[study]'" in ended.stderr


@pytest.mark.slow
def test_report__has_every_table_as_a_file_and_the_same_bytes_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "SECONDS_ELSEWHERE", 0.0)
    store = str(tmp_path / "s")
    assert main(["study", "run", "--quick", "--jobs", "1", "--store", store]) == 0
    for name in ("one", "two"):
        assert main(["study", "report", "--store", store, "-o", str(tmp_path / name)]) == 0
    said = capsys.readouterr().err
    for count in ("outcomes read", "tables made", "plots drawn"):
        assert re.search(rf"[0-9]+ of [0-9]+ {count}, .* s left", said)
    files = {path.name: path.read_bytes() for path in (tmp_path / "one").iterdir()}
    assert files == {path.name: path.read_bytes() for path in (tmp_path / "two").iterdir()}
    page = files["study.html"].decode()
    with Store.for_reading(tmp_path / "s") as kept:
        sheets = [sheet for make in sheet_makers(Results.of(kept)) if (sheet := make()).rows]
    assert len(sheets) >= 9
    for sheet in sheets:
        assert sheet.title in page
        assert rows_of(sheet) == list(csv.DictReader(io.StringIO(files[f"{sheet.name}.csv"].decode())))
    assert {"control.svg", "cumulative_noise_free.svg", "leaves.svg"} <= set(files)
    assert "http" not in page.replace("http-equiv", "")
