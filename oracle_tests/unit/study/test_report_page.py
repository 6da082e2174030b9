"""The page of the study: its verdict, where its data come from, and plots that can be read."""

from __future__ import annotations

from pathlib import Path

import pytest
from matplotlib.figure import Figure

from privboost.oracle_tests.support.study_outcomes import outcome, results_of
from privboost.study.data import SYNTHETIC, DataSource, load
from privboost.study.grid import CONTROL, Learner
from privboost.study.outcome import FoldErrors
from privboost.study.report import plots
from privboost.study.report.page import report_files


def page_of(folder: Path, outcomes: list[FoldErrors], fingerprint: str = "0") -> str:
    """Return the page of some outcomes on one domain."""
    return report_files(results_of(folder, outcomes, fingerprint))["study.html"].decode()


def control(wrong: int) -> FoldErrors:
    """Return a run of the printed learner without any budget."""
    return outcome(Learner.AS_PRINTED, (wrong, wrong + 1) * 5, epsilon=CONTROL)


def test_page__on_the_default_data_says_that_they_are_made_up(tmp_path: Path) -> None:
    page = page_of(tmp_path, [control(20)], load(DataSource(), SYNTHETIC).fingerprint)
    assert "<title>The study on made-up data</title>" in page
    assert "! MADE-UP DATA" in page[: page.index("</header>")]


def test_page__on_other_data_of_the_same_name_does_not(tmp_path: Path) -> None:
    page = page_of(tmp_path, [control(20)])
    assert "MADE-UP" not in page
    assert "<title>The experiments of the paper, run again</title>" in page


@pytest.mark.parametrize(
    ("outcomes", "verdict"),
    [
        ([control(20)], "✗ AS PRINTED LEAKS"),
        ([control(40)], "? NO LEAK SEEN"),
        ([control(55)], "? NO LEAK SEEN"),
        ([outcome(Learner.AS_PRINTED, 20)], "? NO VERDICT"),
    ],
)
def test_page__verdict_compares_the_printed_learner_with_a_constant(
    outcomes: list[FoldErrors], verdict: str, tmp_path: Path
) -> None:
    page = page_of(tmp_path, outcomes)
    assert verdict in page[: page.index("</header>")]


@pytest.mark.parametrize("domains", [1, 7])
def test_plot__axes_are_labelled_and_the_legend_is_below_the_tick_labels(
    domains: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    figures: list[Figure] = []

    def keep(figure: Figure) -> bytes:
        figures.append(figure)
        return b""

    monkeypatch.setattr(plots, "_to_svg", keep)
    runs = [
        outcome(Learner.AS_PRINTED, 10 + k, domain=f"domain{index}", alpha=alpha)
        for index in range(domains)
        for k, alpha in enumerate(("calibrated", "0.1", "1"))
    ]
    results = results_of(tmp_path, runs)
    plots.draw_cumulative(results, "alpha")
    plots.draw_sizes(results, lambda chosen: chosen.leaves, "mean number of leaves")
    for figure, quantity in zip(figures, ("share of runs, %", "mean number of leaves"), strict=True):
        figure.draw_without_rendering()
        assert (figure.get_supxlabel(), figure.get_supylabel()) == ("error, %", quantity)
        (legend,) = figure.legends
        top = legend.get_window_extent().y1
        labels = [label for axes in figure.axes for label in axes.get_xticklabels() if label.get_text()]
        assert labels
        assert all(label.get_window_extent().y0 > top for label in labels)
