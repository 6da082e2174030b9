"""The report of the study: one page with tables and plots, and the numbers behind each as CSV."""

from __future__ import annotations

import numpy as np

from privboost.pages import Html, Section, badge, code, element, image, join, page, table
from privboost.progress import count_progress
from privboost.study.data import SYNTHETIC, DataSource, load
from privboost.study.grid import CONTROL, Learner

from .plots import plots
from .results import FOLD_COLUMNS, Results
from .sheet import Sheet
from .tables import sheet_makers

LONGEST = 60
"""Maximum number of rows of a table on the page; the CSV file has all of them."""

MADE_UP = (
    " No data were given, so the runs are on a small table of random numbers with labels that follow a rule. "
    "The numbers show how the study works, and nothing about the data or the results of the paper."
)

LEARNERS = (
    ("noise_free", "the paper's ensemble without noise: best splits, pure leaves are not split"),
    ("as_printed", "the paper's private ensemble, literally; it is not private"),
    ("alpha_closed", "as_printed with α estimated with noise instead of computed from raw data"),
    ("leaf_closed", "as_printed with leaf values clamped before the noise instead of after"),
    ("beta_closed", "as_printed with coefficients 1 instead of those computed from raw data"),
    ("all_closed", "as_printed with all three changes"),
    ("sound", "the repaired learner: sharp sensitivity, budgets by level, noisy masses"),
    ("sound_net", "uniform splits and one noisy number per leaf, the default of privboost.fast"),
    ("rf_lap, rf_exp", "random forests of 21 trees, budget split evenly over leaves as printed"),
    ("…_tight", "the same forests with a tree's whole budget for each leaf, because leaves are disjoint"),
)


def report_files(results: Results) -> dict[str, bytes]:
    """Return the page and the files beside it by name, and show progress."""
    sheets = [make() for make in count_progress(sheet_makers(results), "tables made")]
    sheets = [sheet for sheet in sheets if sheet.rows]
    drawing = count_progress(plots(results, results.main), "plots drawn")
    pictures = [(name, caption, draw()) for name, caption, draw in drawing]
    files = {f"{sheet.name}.csv": sheet.to_csv() for sheet in sheets}
    files |= {f"{name}.svg": picture for name, _, picture in pictures}
    sections = [_learners_section(), *(_sheet_section(sheet) for sheet in sheets)]
    sections.insert(1, _plots_section(pictures))
    made_up = _is_made_up(results)
    title = "The study on made-up data" if made_up else "The experiments of the paper, run again"
    whole = page(title, _introduction(results, title, made_up), sections)
    return {"study.html": whole.encode(), **files}


def _is_made_up(results: Results) -> bool:
    """Return whether some of the data are those that are used if no data are given."""
    made_up = load(DataSource(), SYNTHETIC).fingerprint
    return any(record.fingerprint == made_up for record in results.domains)


def _verdict(main: Results) -> tuple[object, ...]:
    """Return how far the printed learner learns at ε → 0, where a private learner can learn nothing.

    The standard error is over folds and runs, which share data; it is a description, not a test.
    """
    runs = main.where(learner=Learner.AS_PRINTED, epsilon=CONTROL)
    if not len(runs):
        return badge("warn", "?", "NO VERDICT"), f" The store has no runs of as_printed at ε = {CONTROL}."
    majority = {record.name: 100 * record.majority_error for record in main.domains}
    constant = np.array([majority[name] for name in runs.frame["domain"]])
    gains = constant[:, None] - np.asarray(runs.frame[FOLD_COLUMNS])
    gain, error = gains.mean(), gains.std(ddof=1) / np.sqrt(gains.size)
    sentence = (
        f" At ε = {CONTROL}, where nothing can be learned privately, as_printed errs on "
        f"{runs.means.mean():.1f} % of the test rows. The constant prediction of the larger class errs "
        f"on {constant.mean():.1f} % (difference {gain:.1f} ± {error:.1f}, {len(runs):,} runs)."
    )
    if gain > 2 * error:
        return badge("bad", "✗", "AS PRINTED LEAKS"), sentence
    return badge("warn", "?", "NO LEAK SEEN"), sentence


def _introduction(results: Results, title: str, made_up: bool) -> Html:
    repeats = len(results.present("repeat"))
    tiles = [
        (f"{len(results):,}", "runs of ten folds"),
        (f"{10 * len(results):,}", "models"),
        (str(len(results.present("domain"))), "domain" if len(results.present("domain")) == 1 else "domains"),
        (str(repeats), "repeat" if repeats == 1 else "repeats"),
    ]
    return element(
        "header",
        element("h1", title),
        element("p", *_verdict(results.main), class_="verdict"),
        *([element("p", badge("warn", "!", "MADE-UP DATA"), MADE_UP)] if made_up else []),
        element(
            "p",
            "Errors are test errors in percent over ten stratified folds. How the domains were made binary "
            "is our choice. Bounds of features are often the minimum and maximum of the data, so nothing "
            "here is a private release. The same seed gives the same numbers.",
        ),
        element("ul", *(element("li", element("b", count), unit) for count, unit in tiles), class_="tiles"),
    )


def _learners_section() -> Section:
    rows = [(code(name), description) for name, description in LEARNERS]
    return Section(
        "learners", "Learners", table("Learners of the study", ("learner", "description"), rows, (20, 80))
    )


def _plots_section(pictures: list[tuple[str, str, bytes]]) -> Section:
    figures = (
        element("figure", image(picture, title), element("figcaption", title))
        for _, title, picture in pictures
    )
    note = element("p", "Black lines: the error of predicting the more frequent class.", class_="soft")
    return Section("plots", "Plots", join((note, element("div", *figures, class_="figures"))))


def _sheet_section(sheet: Sheet) -> Section:
    """Return the section of a table, with its first `LONGEST` rows."""
    rows = sheet.rows[:LONGEST]
    left = len(sheet.rows) - len(rows)
    caption = sheet.note + (f" The first {LONGEST} of {len(sheet.rows):,} rows." if left else "")
    shown = [tuple(cell or "–" for cell in row) for row in rows]
    width = 100 // len(sheet.columns)
    body = table(caption, sheet.columns, shown, (width,) * len(sheet.columns))
    file = element("p", "As a file: ", code(f"{sheet.name}.csv"), class_="soft")
    return Section(sheet.name, sheet.title, join((body, file)))
