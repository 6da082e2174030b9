"""The tables of the study, on artificial outcomes with known answers."""

from __future__ import annotations

import csv
import io
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from privboost import progress
from privboost.cli.app import main
from privboost.study.grid import CONTROL, EPSILONS, FREE, Configuration, Learner
from privboost.study.outcome import FoldErrors
from privboost.study.report.alpha_wins import PRINTED_WINS, alpha_wins_sheet
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
from privboost.study.store import DomainRecord, Store

SIZES = (100,) * 10


def outcome(learner: Learner, wrong: int | tuple[int, ...], **chosen: str) -> FoldErrors:
    """Return an outcome with given numbers of mistakes, out of 100 rows in every fold."""
    usual = {
        "domain": "a",
        "values": "10",
        "depth": "2",
        "trees": "20",
        "alpha": "1",
        "epsilon": "1",
        "beta_tree": "0.5",
        "bound": "10",
    }
    counts = (wrong,) * 10 if isinstance(wrong, int) else wrong
    return FoldErrors(Configuration(learner=learner, **{**usual, **chosen}), counts, 4.0, 2.0, 0.1)


def results_of(path: Path, outcomes: list[FoldErrors]) -> Results:
    with Store.for_run(path / "store", 0) as store:
        for name in dict.fromkeys(o.configuration.domain for o in outcomes):
            store.keep_domain(DomainRecord(name, "0", 1000, 3, 0.4, SIZES))
        store.add(outcomes)
        return Results.of(store)


def rows_of(sheet: Sheet) -> list[dict[str, str]]:
    """Return the rows of the CSV of a table."""
    rows = list(csv.DictReader(io.StringIO(sheet.to_csv().decode())))
    assert len(rows) == len(sheet.rows)
    return rows


def test_wins__count_the_best_of_each_rule_and_ties_for_all(tmp_path: Path) -> None:
    printed = Learner.AS_PRINTED
    results = results_of(
        tmp_path,
        [
            # On a the calibrated one is best with 20 trees, though it is worst with 2.
            outcome(printed, 10, alpha="calibrated", trees="20"),
            outcome(printed, 50, alpha="calibrated", trees="2"),
            outcome(printed, 12, alpha="1"),
            outcome(printed, 30, alpha="0.1"),
            # On b two are equally good.
            outcome(printed, 10, alpha="calibrated", domain="b"),
            outcome(printed, 10, alpha="1", domain="b"),
            outcome(printed, 11, alpha="0.1", domain="b"),
        ],
    )
    (row,) = rows_of(alpha_wins_sheet(results))
    assert (row["calibrated"], row["α = 0.1"], row["α = 1"]) == ("2.00", "0.00", "1.00")
    assert row["paper"] == str(PRINTED_WINS["1"]) == "(9, 3, 9)"


def test_wins__are_counted_per_repeat_and_for_averaged_errors(tmp_path: Path) -> None:
    sound = Learner.SOUND
    results = results_of(
        tmp_path,
        [
            outcome(sound, 10, alpha="1", repeat="0"),
            outcome(sound, 40, alpha="1", repeat="1"),
            outcome(sound, 20, alpha="0.1", repeat="0"),
            outcome(sound, 20, alpha="0.1", repeat="1"),
            *(outcome(sound, 90, alpha="calibrated", repeat=repeat) for repeat in "01"),
        ],
    )
    (row,) = rows_of(alpha_wins_sheet(results))
    assert (row["α = 0.1"], row["± α = 0.1"], row["α = 1"]) == ("0.50", "0.50", "0.50")
    assert (row["of averaged errors"], row["repeats"], row["paper"]) == ("(0, 1, 0)", "2", "")


def test_wins__count_only_configurations_run_with_all_rules(tmp_path: Path) -> None:
    printed = Learner.AS_PRINTED
    results = results_of(
        tmp_path,
        [
            *(outcome(printed, 20, alpha=alpha) for alpha in ("calibrated", "1")),
            outcome(printed, 10, alpha="0.1"),
            # The best of all has no match, and on b there is one rule only.
            outcome(printed, 1, alpha="1", trees="5"),
            outcome(printed, 10, alpha="1", domain="b"),
            outcome(Learner.SOUND_NET, 10, alpha="1"),
        ],
    )
    (row,) = rows_of(alpha_wins_sheet(results))
    assert (row["calibrated"], row["α = 0.1"], row["α = 1"]) == ("0.00", "1.00", "0.00")
    assert (row["learner"], row["domains"], row["runs"]) == ("as_printed", "1", "3")


def test_pooled_forest_tests__test_all_runs_of_a_domain_and_a_depth_together(tmp_path: Path) -> None:
    generator = np.random.default_rng(7)
    outcomes, gains = [], []
    for epsilon in EPSILONS:
        ours = generator.integers(20, 40, 10)
        theirs = ours + generator.integers(-4, 8, 10)
        gains.append(theirs - ours)
        for learner, wrong in ((Learner.SOUND, ours), (Learner.RF_LAP, theirs)):
            outcomes.append(outcome(learner, tuple(int(x) for x in wrong), epsilon=epsilon))
        outcomes += [outcome(x, 30, domain="b", epsilon=epsilon) for x in (Learner.SOUND, Learner.RF_LAP)]
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
        for learner, wrong in ((Learner.SOUND, ours), (Learner.RF_LAP, theirs)):
            mistakes = tuple(int(count) for count in wrong)
            outcomes.append(outcome(learner, mistakes, repeat=str(repeat)))
        test = stats.ttest_rel(theirs, ours)
        expected.append(int(np.sign(test.statistic)) if test.pvalue < SIGNIFICANT else 0)
    results = results_of(tmp_path, outcomes)
    tests = forest_tests(results)
    assert tests.won.sum() == expected.count(1) > 0
    assert tests.lost.sum() == expected.count(-1)
    assert (tests.won | tests.lost).sum() < len(tests) == 30


def test_forest_tests__constant_nonzero_differences_are_significant(tmp_path: Path) -> None:
    results = results_of(
        tmp_path,
        [
            outcome(Learner.SOUND, 10, domain="a"),
            outcome(Learner.RF_LAP, 11, domain="a"),
            outcome(Learner.SOUND, 10, domain="b"),
            outcome(Learner.RF_LAP, 10, domain="b"),
            outcome(Learner.SOUND, 10, domain="c"),
            outcome(Learner.RF_LAP, 9, domain="c"),
        ],
    )
    tests = forest_tests(results)
    assert (tests.won.sum(), tests.lost.sum(), len(tests)) == (1, 1, 3)
    assert win_share(tests) == ("50.0", "35.4", "33.3", "3")


def test_forest_tests__have_the_standard_error_over_repeats(tmp_path: Path) -> None:
    # Of the significant differences all are won in one repeat and one in two in the other.
    made = [("0", "a", 11), ("0", "b", 11), ("1", "a", 11), ("1", "b", 9)]
    outcomes = [
        outcome(learner, wrong, domain=domain, repeat=repeat)
        for repeat, domain, theirs in made
        for learner, wrong in ((Learner.SOUND, 10), (Learner.RF_LAP, theirs))
    ]
    results = results_of(tmp_path, outcomes)
    tests = forest_tests(results)
    assert win_share(tests) == ("75.0", "25.0", "0.0", "4")


def test_forests__are_compared_at_equal_depth_epsilon_and_folds_only(tmp_path: Path) -> None:
    nothing = {"alpha": FREE, "beta_tree": FREE, "bound": FREE, "trees": "21"}
    results = results_of(
        tmp_path,
        [
            outcome(Learner.AS_PRINTED, 10, depth="2"),
            outcome(Learner.AS_PRINTED, 10, depth="4"),
            outcome(Learner.AS_PRINTED, 10, depth="3"),
            outcome(Learner.AS_PRINTED, 10, epsilon=CONTROL),
            outcome(Learner.RF_LAP, 20, depth="2", **nothing),
            outcome(Learner.RF_LAP, 5, depth="6", **nothing),
            outcome(Learner.RF_LAP, 20, depth="3", **nothing),
            outcome(Learner.RF_LAP, 20, epsilon=CONTROL, **nothing),
        ],
    )
    (row,) = rows_of(forests_sheet(results))
    assert (row["forest"], row["tests"], row["% won of significant"]) == ("rf_lap", "1", "100.0")
    assert row["paper"].startswith("> 80")


def test_leaks__are_compared_on_the_same_configurations(tmp_path: Path) -> None:
    results = results_of(
        tmp_path,
        [
            outcome(Learner.AS_PRINTED, 10),
            outcome(Learner.AS_PRINTED, 90, trees="2"),
            outcome(Learner.ALL_CLOSED, 50),
            outcome(Learner.SOUND, 20),
            # At this budget the others were not run.
            outcome(Learner.SOUND, 5, epsilon="25"),
        ],
    )
    errors = {row["learner"]: row["mean error"] for row in rows_of(leaks(results))}
    assert errors == {"as_printed": "10.00", "all_closed": "50.00", "sound": "20.00"}


def test_mean_errors__have_the_standard_error_over_repeats(tmp_path: Path) -> None:
    runs = [(10, "a", "0"), (30, "b", "0"), (12, "a", "1"), (32, "b", "1")]
    results = results_of(tmp_path, [outcome(Learner.SOUND, w, domain=d, repeat=r) for w, d, r in runs])
    (row,) = rows_of(mean_errors(results))
    assert (row["mean error"], row["standard error"]) == ("21.00", "1.00")


def test_best_sizes__are_those_of_the_least_error_over_all_epsilons(tmp_path: Path) -> None:
    results = results_of(
        tmp_path,
        [
            outcome(Learner.SOUND, 10, depth="3", trees="5", epsilon="1"),
            outcome(Learner.SOUND, 30, depth="3", trees="5", epsilon="10"),
            outcome(Learner.SOUND, 15, depth="4", trees="2", epsilon="1"),
            outcome(Learner.SOUND, 15, depth="4", trees="2", epsilon="10"),
        ],
    )
    (row,) = rows_of(best_sizes(results))
    assert (row["d"], row["T"], row["error"]) == ("4", "2", "15.00")


def test_quantisation__compares_matched_runs(tmp_path: Path) -> None:
    results = results_of(
        tmp_path,
        [
            outcome(Learner.SOUND, 20, values="10"),
            outcome(Learner.SOUND, 17, values="50"),
            outcome(Learner.SOUND, 90, values="10", depth="6"),
        ],
    )
    (row,) = rows_of(quantisation(results))
    assert (row["mean gain"], row["gain of the best"], row["runs"]) == ("3.00", "3.00", "1")


def test_statements__share_of_runs_below_an_error(tmp_path: Path) -> None:
    runs = [
        outcome(Learner.AS_PRINTED, wrong, domain="banknote", alpha="calibrated", epsilon=epsilon)
        for wrong, epsilon in zip((20, 21, 5, 40, 19), EPSILONS, strict=True)
    ]
    first = rows_of(statements_sheet(results_of(tmp_path, runs)))[0]
    assert (first["paper"], first["as_printed"], first["sound"]) == ("more than 2/3", "60.0 %", "")


def test_tree_shares__take_the_best_of_every_domain(tmp_path: Path) -> None:
    results = results_of(
        tmp_path,
        [
            outcome(Learner.SOUND, 10, beta_tree="0.1"),
            outcome(Learner.SOUND, 30, beta_tree="0.1", depth="4"),
            outcome(Learner.SOUND, 20, beta_tree="0.1", domain="b"),
            outcome(Learner.SOUND, 12, beta_tree="0.9"),
            outcome(Learner.SOUND, 21, beta_tree="0.9", domain="b"),
        ],
    )
    (row,) = rows_of(tree_shares(results))
    assert row == {"learner": "sound", "ε": "1", "β = 0.1": "15.00", "β = 0.9": "16.50"}


def test_balanced__keeps_runs_that_exist_for_every_value(tmp_path: Path) -> None:
    results = results_of(
        tmp_path,
        [
            outcome(Learner.SOUND, 1),
            outcome(Learner.SOUND, 2, depth="4"),
            outcome(Learner.RF_EXP, 3, depth="4"),
        ],
    )
    assert results.balance("learner", ("sound", "rf_exp")).means.tolist() == [3.0, 2.0]


def test_report__without_pandas_names_what_to_install(tmp_path: Path) -> None:
    run_here = (
        "import sys; sys.modules['pandas'] = None; from privboost.cli.app import main; sys.exit(main())"
    )
    options = ["study", "report", "--store", str(tmp_path / "s"), "-o", str(tmp_path / "report")]
    with Store.for_run(tmp_path / "s", 0):
        pass
    ended = subprocess.run(
        [sys.executable, "-c", run_here, *options], capture_output=True, text=True, check=False
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
